//! [`FragmentsBuilder`]: cuts tombstones into [`Fragments`].

use super::fragments::Fragments;
use crate::base::comparator::{Comparator, Order};
use crate::base::key::{MAX_SEQUENCE, SequenceNumber, ValueType, pack_trailer, trailer, user_key};
use crate::base::status::{Result, Status};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// The user keys that a table file stands for, from its boundaries in the MANIFEST. A file may
/// hold tombstones that reach beyond: those parts belong to its neighbours and do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileBounds<'a> {
    /// The first user key.
    pub first: &'a [u8],
    /// The last user key.
    pub last: &'a [u8],
    /// Whether `last` itself is left out: it is the end of a tombstone.
    pub last_excluded: bool,
}

/// Whether the last internal key of a file is the end of a tombstone: its user key itself is then
/// not in the file.
#[inline]
pub fn is_tombstone_end(largest: &[u8]) -> bool {
    trailer(largest) == pack_trailer(MAX_SEQUENCE, ValueType::RangeDeletion)
}

impl<'a> FileBounds<'a> {
    /// The bounds of a file whose first and last internal keys are these.
    pub fn new(smallest: &'a [u8], largest: &'a [u8]) -> FileBounds<'a> {
        FileBounds {
            first: user_key(smallest),
            last: user_key(largest),
            last_excluded: is_tombstone_end(largest),
        }
    }

    /// Whether a record of `key` can be within.
    #[inline]
    pub fn contains<O: Order>(&self, order: &O, key: &[u8]) -> bool {
        order.compare(self.first, key).is_le() && !self.ends_before(order, key)
    }

    /// Whether `key` is behind the last one.
    #[inline]
    pub fn ends_before<O: Order>(&self, order: &O, key: &[u8]) -> bool {
        let last = order.compare(key, self.last);
        last.is_gt() || (self.last_excluded && last.is_eq())
    }
}

/// A tombstone whose keys stand in the builder's buffer.
struct Raw {
    start: Range<usize>,
    end: Range<usize>,
    sequence: SequenceNumber,
}

/// Takes tombstones in any order.
#[derive(Default)]
pub struct FragmentsBuilder {
    keys: Vec<u8>,
    tombstones: Vec<Raw>,
}

/// The sequence numbers of the tombstones that cover a piece, newest first, and how often each:
/// one that was cut in two ends and starts at one key.
type Active = BTreeMap<Reverse<SequenceNumber>, usize>;

/// Where a tombstone starts or ends.
struct Edge {
    prefix: u64,
    key: Range<usize>,
    sequence: SequenceNumber,
    starts: bool,
}

impl FragmentsBuilder {
    /// The most sequence numbers that fragments may hold. Cutting `n` nested tombstones makes
    /// `n * n` of them, so a small hostile file could ask for any amount of memory.
    const MAX_SEQUENCES: usize = 1 << 26;

    /// A builder without tombstones.
    pub fn new() -> FragmentsBuilder {
        FragmentsBuilder::default()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.tombstones.is_empty()
    }

    /// How many tombstones were added.
    pub fn num_tombstones(&self) -> usize {
        self.tombstones.len()
    }

    /// The bytes of their start and end keys.
    pub fn payload_bytes(&self) -> usize {
        self.keys.len()
    }

    /// Adds the tombstone `[start, end)`. One that is empty or inverted covers nothing, which is
    /// found out when the fragments are built.
    pub fn add(&mut self, start: &[u8], end: &[u8], sequence: SequenceNumber) {
        let mut keep = |key: &[u8]| {
            let from = self.keys.len();
            self.keys.extend_from_slice(key);
            from..self.keys.len()
        };
        let (start, end) = (keep(start), keep(end));
        self.tombstones.push(Raw { start, end, sequence });
    }

    /// Adds what `fragments`, which are those of a table file, say within the file's `bounds`.
    ///
    /// A file that ends with a record of its last key, rather than with the end of a tombstone,
    /// may share that key with the next file of the level, which holds the same tombstone from
    /// there on. In bytewise order the key is included here, in other orders, where it has no
    /// successor that could be named, it is left to that next file: compactions take both.
    pub fn add_file(&mut self, fragments: &Fragments, order: &Comparator, bounds: FileBounds<'_>) {
        let mut successor = bounds.last.to_vec();
        if !bounds.last_excluded && order.is_bytewise() {
            successor.push(0);
        }
        for cut in fragments.within(order, Some(bounds.first), Some(&successor)) {
            for &sequence in cut.sequences {
                self.add(cut.start, cut.end, sequence);
            }
        }
    }

    /// The fragments, for reads at any sequence number.
    ///
    /// # Errors
    /// `Corruption` if there are so many tombstones within each other that fragments would take
    /// unreasonable memory.
    pub fn build<O: Order>(self, order: &O) -> Result<Fragments> {
        self.build_with(order, None)
    }

    /// The fragments, of which readers at `snapshots` (which ascend) and newer ones can tell
    /// apart only what is kept: the newest tombstone of each stripe.
    ///
    /// # Errors
    /// As for [`build`](FragmentsBuilder::build).
    pub fn build_striped<O: Order>(
        self,
        order: &O,
        snapshots: &[SequenceNumber],
    ) -> Result<Fragments> {
        self.build_with(order, Some(snapshots))
    }

    fn build_with<O: Order>(
        self,
        order: &O,
        snapshots: Option<&[SequenceNumber]>,
    ) -> Result<Fragments> {
        let mut out = Fragments::default();
        let edges = self.sorted_edges(order, &mut out);
        let same_key = |a: &Edge, b: &Edge| {
            let keys = || order.equal(&self.keys[a.key.clone()], &self.keys[b.key.clone()]);
            a.prefix == b.prefix && keys()
        };
        if snapshots.is_none() {
            // Before anything large is allocated.
            check_depth(edges.chunk_by(same_key))?;
        }
        // Those of the piece behind the current key.
        let mut active = Active::new();
        let mut covering: Vec<SequenceNumber> = Vec::new();
        for edges in edges.chunk_by(same_key) {
            edges.iter().for_each(|edge| apply(&mut active, edge));
            covering.clear();
            match snapshots {
                Some(snapshots) => covering.extend(newest_of_stripes(&active, snapshots)),
                None => covering.extend(active.keys().map(|sequence| sequence.0)),
            }
            let key = &self.keys[edges[0].key.clone()];
            push_piece(&mut out, key, edges[0].prefix, &covering)?;
        }
        // The piece behind the last boundary is no piece.
        out.sequence_ends.pop();
        Ok(out)
    }

    /// Starts and ends of all tombstones that are not empty, in key order; counts these in `out`.
    fn sorted_edges<O: Order>(&self, order: &O, out: &mut Fragments) -> Vec<Edge> {
        let mut edges = Vec::with_capacity(2 * self.tombstones.len());
        for raw in &self.tombstones {
            let (start, end) = (&self.keys[raw.start.clone()], &self.keys[raw.end.clone()]);
            if order.compare(start, end).is_ge() {
                continue;
            }
            out.num_tombstones += 1;
            out.payload_bytes += start.len() + end.len();
            for (key, range, starts) in [(start, &raw.start, true), (end, &raw.end, false)] {
                let prefix = order.prefix(key);
                edges.push(Edge { prefix, key: range.clone(), sequence: raw.sequence, starts });
            }
        }
        edges.sort_unstable_by(|a, b| {
            let keys = || order.compare(&self.keys[a.key.clone()], &self.keys[b.key.clone()]);
            a.prefix.cmp(&b.prefix).then_with(keys)
        });
        edges
    }
}

/// Fails if the pieces that `groups` of edges begin would hold too many sequence numbers.
fn check_depth<'a>(groups: impl Iterator<Item = &'a [Edge]>) -> Result<()> {
    let (mut depth, mut total) = (0, 0);
    for edges in groups {
        let starts = edges.iter().filter(|edge| edge.starts).count();
        depth = depth + starts - (edges.len() - starts);
        total += depth;
        if total > FragmentsBuilder::MAX_SEQUENCES {
            return Err(too_deep());
        }
    }
    Ok(())
}

fn too_deep() -> Status {
    Status::corruption("too many range deletions within each other")
}

fn apply(active: &mut Active, edge: &Edge) {
    // Ends may come before starts of the same key, or behind: counts are never negative between
    // two keys, but may wrap while one key's edges are applied.
    let count = active.entry(Reverse(edge.sequence)).or_default();
    *count = if edge.starts { count.wrapping_add(1) } else { count.wrapping_sub(1) };
    if *count == 0 {
        active.remove(&Reverse(edge.sequence));
    }
}

/// The tombstones that a reader can tell apart: the newest of each stripe that `snapshots`, which
/// ascend, cut. A reader at a snapshot sees the numbers at or below it.
fn newest_of_stripes(
    active: &Active,
    snapshots: &[SequenceNumber],
) -> impl Iterator<Item = SequenceNumber> {
    let newest_at = |limit: SequenceNumber| active.range(Reverse(limit)..).next().map(|(s, _)| s.0);
    std::iter::successors(newest_at(SequenceNumber::MAX), move |&sequence| {
        let stripe = snapshots.partition_point(|&s| s < sequence);
        newest_at(snapshots[stripe.checked_sub(1)?])
    })
}

/// Appends boundary `key` and the piece behind it, unless nothing changes at `key`.
fn push_piece(
    out: &mut Fragments,
    key: &[u8],
    prefix: u64,
    sequences: &[SequenceNumber],
) -> Result<()> {
    let last_start = match out.sequence_ends.len() {
        0 | 1 => 0,
        pieces => out.sequence_ends[pieces - 2],
    };
    if out.sequences[last_start..] == *sequences && !out.key_ends.is_empty() {
        return Ok(());
    }
    if out.sequences.len() + sequences.len() > FragmentsBuilder::MAX_SEQUENCES {
        return Err(too_deep());
    }
    out.keys.extend_from_slice(key);
    out.key_ends.push(out.keys.len());
    out.prefixes.push(prefix);
    out.sequences.extend_from_slice(sequences);
    out.sequence_ends.push(out.sequences.len());
    Ok(())
}
