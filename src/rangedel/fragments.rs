//! [`Fragments`]: an immutable set of range tombstones, cut so that no two pieces overlap in part.

use crate::base::comparator::Order;
use crate::base::key::SequenceNumber;

/// Range tombstones as sorted pieces that do not overlap, each with the sequence numbers of all
/// tombstones that cover it.
///
/// The start and end keys of all tombstones, sorted, are the *boundaries*; piece `i` lies between
/// boundaries `i` and `i + 1`. A piece that no tombstone covers is a gap: it has no sequence
/// numbers. Every call that takes an order wants the one that the set was built with.
#[derive(Debug, Default)]
pub struct Fragments {
    /// All boundary keys, one behind the other.
    pub(super) keys: Vec<u8>,
    /// Where each boundary ends in `keys`.
    pub(super) key_ends: Vec<usize>,
    /// `Order::prefix` of each boundary, so that a search touches keys only where eight bytes do
    /// not decide.
    pub(super) prefixes: Vec<u64>,
    /// Where the sequence numbers of each piece end in `sequences`.
    pub(super) sequence_ends: Vec<usize>,
    /// Of each piece, newest first.
    pub(super) sequences: Vec<SequenceNumber>,
    pub(super) num_tombstones: usize,
    pub(super) payload_bytes: usize,
}

/// A piece that at least one tombstone covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment<'a> {
    /// The first user key.
    pub start: &'a [u8],
    /// The user key behind the last one.
    pub end: &'a [u8],
    /// The tombstones' sequence numbers, newest first; at least one.
    pub sequences: &'a [SequenceNumber],
}

impl Fragment<'_> {
    /// The newest tombstone at or below `sequence`.
    #[inline]
    pub fn newest_at(&self, sequence: SequenceNumber) -> Option<SequenceNumber> {
        newest_at(self.sequences, sequence)
    }
}

/// A stretch of user keys that the same tombstones cover: a fragment, a gap between two, or all
/// that is before the first or behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// The first user key; `None` is the start of all keys.
    pub start: Option<&'a [u8]>,
    /// The user key behind the last one; `None` is the end of all keys.
    pub end: Option<&'a [u8]>,
    /// The tombstones' sequence numbers, newest first; none in a gap.
    pub sequences: &'a [SequenceNumber],
}

impl Span<'_> {
    /// The newest tombstone at or below `sequence`.
    #[inline]
    pub fn newest_at(&self, sequence: SequenceNumber) -> Option<SequenceNumber> {
        newest_at(self.sequences, sequence)
    }
}

#[inline]
fn newest_at(sequences: &[SequenceNumber], sequence: SequenceNumber) -> Option<SequenceNumber> {
    match sequences.first() {
        Some(&newest) if newest > sequence => {
            sequences.get(sequences.partition_point(|&s| s > sequence)).copied()
        }
        newest => newest.copied(),
    }
}

impl Fragments {
    /// Whether there is no tombstone.
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// How many tombstones it was built from, empty and repeated ones apart.
    pub fn num_tombstones(&self) -> usize {
        self.num_tombstones
    }

    /// The bytes of the start and end keys it was built from.
    pub fn payload_bytes(&self) -> usize {
        self.payload_bytes
    }

    /// The memory that it takes, in bytes.
    pub fn memory_usage(&self) -> usize {
        size_of::<Fragments>()
            + self.keys.capacity()
            + size_of::<usize>() * (self.key_ends.capacity() + self.sequence_ends.capacity())
            + size_of::<u64>() * (self.prefixes.capacity() + self.sequences.capacity())
    }

    /// The newest tombstone that covers `user_key` and is at or below `sequence`. A record of that
    /// key is hidden if it is *older* than the result; one with the same number is not.
    #[inline]
    pub fn covering<O: Order>(
        &self,
        order: &O,
        user_key: &[u8],
        sequence: SequenceNumber,
    ) -> Option<SequenceNumber> {
        let piece = self.num_boundaries_up_to(order, user_key).checked_sub(1)?;
        newest_at(self.sequences_of(piece), sequence)
    }

    /// The span that holds `user_key`.
    pub fn span<O: Order>(&self, order: &O, user_key: &[u8]) -> Span<'_> {
        self.span_behind(self.num_boundaries_up_to(order, user_key))
    }

    /// The fragments in key order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Fragment<'_>> {
        (0..self.sequence_ends.len()).filter_map(|piece| {
            let sequences = self.sequences_of(piece);
            let whole = || Fragment {
                start: self.boundary(piece),
                end: self.boundary(piece + 1),
                sequences,
            };
            (!sequences.is_empty()).then(whole)
        })
    }

    /// The fragments that overlap `[lower, upper)`, cut to it; `None` is unbounded. What a
    /// compaction writes to an output file with these bounds.
    pub fn within<'a, O: Order>(
        &'a self,
        order: &'a O,
        lower: Option<&'a [u8]>,
        upper: Option<&'a [u8]>,
    ) -> impl Iterator<Item = Fragment<'a>> {
        // The piece that holds `lower` may begin before it.
        let first = lower.map_or(0, |key| self.num_boundaries_up_to(order, key).saturating_sub(1));
        (first..self.sequence_ends.len())
            .map(move |piece| {
                let (mut start, mut end) = (self.boundary(piece), self.boundary(piece + 1));
                if let Some(lower) = lower.filter(|key| order.compare(start, key).is_lt()) {
                    start = lower;
                }
                if let Some(upper) = upper.filter(|key| order.compare(end, key).is_gt()) {
                    end = upper;
                }
                Fragment { start, end, sequences: self.sequences_of(piece) }
            })
            .take_while(move |cut| order.compare(cut.start, cut.end).is_lt())
            .filter(|cut| !cut.sequences.is_empty())
    }

    /// Whether any tombstone covers a key of `[start, end]`, both included.
    pub fn overlaps<O: Order>(&self, order: &O, start: &[u8], end: &[u8]) -> bool {
        let first = self.num_boundaries_up_to(order, start).saturating_sub(1);
        (first..self.sequence_ends.len())
            .take_while(|&piece| order.compare(self.boundary(piece), end).is_le())
            .any(|piece| {
                !self.sequences_of(piece).is_empty()
                    && order.compare(start, self.boundary(piece + 1)).is_lt()
            })
    }

    /// The first key that a tombstone covers.
    pub fn first_key(&self) -> Option<&[u8]> {
        (!self.key_ends.is_empty()).then(|| self.boundary(0))
    }

    /// The key behind the last one that a tombstone covers.
    pub fn end_key(&self) -> Option<&[u8]> {
        self.key_ends.len().checked_sub(1).map(|last| self.boundary(last))
    }

    /// How many boundaries are at or before `user_key`.
    #[inline]
    pub(super) fn num_boundaries_up_to<O: Order>(&self, order: &O, user_key: &[u8]) -> usize {
        let prefix = order.prefix(user_key);
        let from = self.prefixes.partition_point(|&p| p < prefix);
        if self.prefixes.get(from).is_none_or(|&p| p != prefix) {
            return from;
        }
        let mut low = from;
        let mut high = from + self.prefixes[from..].partition_point(|&p| p == prefix);
        while low < high {
            let middle = low + (high - low) / 2;
            if order.compare(self.boundary(middle), user_key).is_le() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub(super) fn num_boundaries(&self) -> usize {
        self.key_ends.len()
    }

    #[inline]
    pub(super) fn boundary(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.key_ends[at - 1] };
        &self.keys[start..self.key_ends[at]]
    }

    /// The sequence numbers of piece `piece`; none behind the last one.
    #[inline]
    fn sequences_of(&self, piece: usize) -> &[SequenceNumber] {
        let Some(&end) = self.sequence_ends.get(piece) else { return &[] };
        let start = if piece == 0 { 0 } else { self.sequence_ends[piece - 1] };
        &self.sequences[start..end]
    }

    /// The span behind the first `passed` boundaries.
    #[inline]
    pub(super) fn span_behind(&self, passed: usize) -> Span<'_> {
        Span {
            start: passed.checked_sub(1).map(|at| self.boundary(at)),
            end: (passed < self.num_boundaries()).then(|| self.boundary(passed)),
            sequences: passed.checked_sub(1).map_or(&[], |piece| self.sequences_of(piece)),
        }
    }
}
