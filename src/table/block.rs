//! Data blocks: [`BlockLayout`] finds their parts, [`BlockIter`] walks their entries.
//!
//! See `block_builder` for the entries. The last 4 bytes hold the number of restarts in their low
//! 28 bits and flags above: a hash index between restarts and footer (31), keys spaced evenly
//! (29, a hint), keys and values in separate sections (28).

use super::block_builder::HASH_INDEX;
use super::hash_index::{self, Hashed, MAX_HASHED_LEN};
use super::key_buf::KeyBuf;
use crate::base::coding::{Decoder, fixed32};
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{SequenceNumber, TRAILER_LEN, trailer, user_key};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::cache::CachedBlock;
use std::cmp::Ordering;
use std::ops::Range;

/// Something that holds the bytes of an uncompressed block and keeps them in place.
pub trait BlockBytes {
    /// The block, without trailer.
    fn block_bytes(&self) -> &[u8];
}

impl BlockBytes for Arc<CachedBlock> {
    #[inline]
    fn block_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl BlockBytes for &[u8] {
    #[inline]
    fn block_bytes(&self) -> &[u8] {
        self
    }
}

impl BlockBytes for Vec<u8> {
    #[inline]
    fn block_bytes(&self) -> &[u8] {
        self
    }
}

impl BlockBytes for Box<[u8]> {
    #[inline]
    fn block_bytes(&self) -> &[u8] {
        self
    }
}

/// Where the parts of a block lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockLayout {
    /// Where the entries end and the restart array begins.
    pub entries_end: usize,
    /// The length of the restart array.
    pub num_restarts: usize,
    /// The buckets of the hash index, which follow it; 0 if there is none.
    pub num_buckets: usize,
}

impl BlockLayout {
    const UNIFORM_KEYS: u32 = 1 << 29;
    const SEPARATED_VALUES: u32 = 1 << 28;
    const MAX_RESTARTS: u32 = (1 << 28) - 1;

    /// Finds the parts of `block`, so that every later access to them is within bounds.
    pub fn parse(block: &[u8]) -> Result<BlockLayout> {
        let bad = || Status::corruption("bad block contents");
        let Some((mut rest, footer)) = block.split_last_chunk::<4>() else {
            return Err(Status::corruption("Block too small for footer"));
        };
        let footer = u32::from_le_bytes(*footer);
        let flags = HASH_INDEX | Self::UNIFORM_KEYS | Self::SEPARATED_VALUES;
        let num_restarts = footer & !flags;
        if num_restarts > Self::MAX_RESTARTS {
            return Err(Status::corruption(
                "Unrecognized feature in block footer (reserved bits set)",
            ));
        }
        if footer & Self::SEPARATED_VALUES != 0 {
            return Err(Status::not_supported(
                "data blocks with keys and values in separate sections \
                 (separate_key_value_in_data_block)",
            ));
        }
        let mut num_buckets = 0;
        if footer & HASH_INDEX != 0 {
            let (front, len) = rest.split_last_chunk::<2>().ok_or_else(bad)?;
            num_buckets = usize::from(u16::from_le_bytes(*len));
            if rest.len() >= MAX_HASHED_LEN || num_buckets == 0 {
                return Err(bad());
            }
            rest = &front[..front.len().checked_sub(num_buckets).ok_or_else(bad)?];
        }
        let num_restarts = num_restarts as usize;
        let entries_end = rest.len().checked_sub(4 * num_restarts).ok_or_else(bad)?;
        if u32::try_from(entries_end).is_err()
            || (num_restarts == 0 && entries_end > 0)
            || (num_restarts > 0 && fixed32(&rest[entries_end..]) != 0)
        {
            return Err(bad());
        }
        Ok(BlockLayout { entries_end, num_restarts, num_buckets })
    }

    /// The buckets of the hash index.
    #[inline]
    fn buckets<'a>(&self, block: &'a [u8]) -> &'a [u8] {
        let start = self.entries_end + 4 * self.num_restarts;
        &block[start..start + self.num_buckets]
    }

    /// The offset of restart `index`, which must exist; not yet known to lie within the entries.
    #[inline]
    pub fn restart(&self, block: &[u8], index: usize) -> usize {
        fixed32(&block[self.entries_end + 4 * index..]) as usize
    }
}

/// The head of an entry: the key's shared and own lengths, and where its own bytes begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryHead {
    pub shared: usize,
    pub unshared: usize,
    pub value_len: usize,
    pub key_at: usize,
}

impl EntryHead {
    /// Decodes the entry at `at`, checking that key and value end within `entries`. Without
    /// `value_len` in the format (delta-encoded index values) it is 0.
    #[inline]
    pub fn decode<const VALUE_LEN: bool>(entries: &[u8], at: usize) -> Option<EntryHead> {
        let head = entries.get(at..)?;
        let fields = if VALUE_LEN { 3 } else { 2 };
        let (shared, unshared, value_len, len) = match head {
            [a, b, c, ..] if VALUE_LEN && (a | b | c) < 0x80 => {
                (usize::from(*a), usize::from(*b), usize::from(*c), fields)
            }
            [a, b, ..] if !VALUE_LEN && (a | b) < 0x80 => {
                (usize::from(*a), usize::from(*b), 0, fields)
            }
            _ => Self::decode_slow::<VALUE_LEN>(head)?,
        };
        let key_at = at + len;
        let left = entries.len() - key_at;
        if unshared > left || value_len > left - unshared {
            return None;
        }
        Some(EntryHead { shared, unshared, value_len, key_at })
    }

    #[cold]
    fn decode_slow<const VALUE_LEN: bool>(head: &[u8]) -> Option<(usize, usize, usize, usize)> {
        let mut input = Decoder::new(head);
        let shared = input.get_varint32()? as usize;
        let unshared = input.get_varint32()? as usize;
        let value_len = if VALUE_LEN { input.get_varint32()? as usize } else { 0 };
        Some((shared, unshared, value_len, head.len() - input.rest().len()))
    }

    #[inline]
    fn value_at(&self) -> usize {
        self.key_at + self.unshared
    }

    #[inline]
    fn end(&self) -> usize {
        self.value_at() + self.value_len
    }
}

/// The entry that an iterator stands on.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    start: usize,
    value_at: usize,
    /// Where the value ends and the next entry begins.
    end: usize,
    /// Where the key is in the block if it stands there as a whole; `key_len` 0 means it was put
    /// together in the iterator's buffer (keys are never shorter than 8 bytes).
    key_at: usize,
    key_len: usize,
}

/// An entry passed on the way to the one before the current, kept for the next step back.
struct Passed {
    entry: Entry,
    /// Where its key is in the iterator's `passed_keys`.
    key: Range<usize>,
}

/// A cursor over the entries of a data block.
///
/// It owns its hold on the block (`B`), and is reused for one block after another so that nothing
/// is allocated in steady state. Keys are handed out as they stand in the block where they share
/// nothing with the key before.
pub struct BlockIter<O: Order, B: BlockBytes> {
    order: O,
    block: Option<B>,
    layout: BlockLayout,
    valid: bool,
    entry: Entry,
    buffer: KeyBuf,
    /// Replaces the sequence number of every key, for ingested files.
    global_sequence: Option<SequenceNumber>,
    /// The key with the replaced sequence number.
    replaced: KeyBuf,
    passed: Vec<Passed>,
    passed_keys: Vec<u8>,
    status: Option<Status>,
}

impl<O: Order, B: BlockBytes> BlockIter<O, B> {
    /// A cursor over no block. With `global_sequence` every key appears to carry it.
    pub fn empty(order: O, global_sequence: Option<SequenceNumber>) -> Self {
        BlockIter {
            order,
            block: None,
            layout: BlockLayout::default(),
            valid: false,
            entry: Entry::default(),
            buffer: KeyBuf::new(),
            global_sequence,
            replaced: KeyBuf::new(),
            passed: Vec::new(),
            passed_keys: Vec::new(),
            status: None,
        }
    }

    /// A cursor over `block`, not yet on an entry.
    pub fn new(order: O, block: B, global_sequence: Option<SequenceNumber>) -> Result<Self> {
        let mut iter = Self::empty(order, global_sequence);
        iter.set_block(block)?;
        Ok(iter)
    }

    /// Goes over to `block`, not yet on an entry; forgets earlier errors.
    pub fn set_block(&mut self, block: B) -> Result<()> {
        self.clear();
        self.layout = BlockLayout::parse(block.block_bytes())?;
        self.block = Some(block);
        Ok(())
    }

    /// Lets go of the block.
    pub fn clear(&mut self) {
        self.valid = false;
        self.status = None;
        self.passed.clear();
        self.layout = BlockLayout::default();
        self.block = None;
    }

    /// The block, if there is one.
    pub fn block(&self) -> Option<&B> {
        self.block.as_ref()
    }

    /// Where the value is in the block. The cursor must be valid.
    #[inline]
    pub fn value_range(&self) -> Range<usize> {
        self.entry.value_at..self.entry.end
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        self.block.as_ref().map_or(&[], |b| b.block_bytes())
    }

    #[inline]
    fn entries(&self) -> &[u8] {
        &self.bytes()[..self.layout.entries_end]
    }

    #[cold]
    fn fail(&mut self) {
        self.valid = false;
        if self.status.is_none() {
            self.status = Some(Status::corruption("bad entry in block"));
        }
    }

    /// The key as it is stored.
    #[inline]
    fn stored_key(&self) -> &[u8] {
        if self.entry.key_len > 0 {
            &self.bytes()[self.entry.key_at..self.entry.key_at + self.entry.key_len]
        } else {
            self.buffer.as_slice()
        }
    }

    /// Steps onto the entry at `start`, which follows the current one or shares nothing (a
    /// restart, when `at_restart`). Past the last entry the cursor becomes invalid.
    #[inline]
    fn load(&mut self, start: usize, at_restart: bool) {
        if start >= self.layout.entries_end {
            self.valid = false;
            return;
        }
        let bytes = self.block.as_ref().map_or(&[][..], |b| b.block_bytes());
        let entries = &bytes[..self.layout.entries_end];
        let Some(head) = EntryHead::decode::<true>(entries, start) else {
            return self.fail();
        };
        if head.shared + head.unshared < TRAILER_LEN || (at_restart && head.shared > 0) {
            return self.fail();
        }
        if head.shared == 0 {
            (self.entry.key_at, self.entry.key_len) = (head.key_at, head.unshared);
        } else {
            let own = &entries[head.key_at..head.value_at()];
            let before = self.entry.key_len;
            if before == 0 {
                if head.shared > self.buffer.len() {
                    return self.fail();
                }
                self.buffer.replace_tail(head.shared, own);
            } else {
                if head.shared > before {
                    return self.fail();
                }
                let front = &entries[self.entry.key_at..self.entry.key_at + head.shared];
                self.buffer.assign(front, own);
            }
            self.entry.key_len = 0;
        }
        (self.entry.start, self.entry.value_at, self.entry.end) =
            (start, head.value_at(), head.end());
        self.valid = true;
        if let Some(sequence) = self.global_sequence {
            self.replace_sequence(sequence);
        }
    }

    fn replace_sequence(&mut self, sequence: SequenceNumber) {
        let bytes = self.block.as_ref().map_or(&[][..], |b| b.block_bytes());
        let stored = match self.entry.key_len {
            0 => self.buffer.as_slice(),
            len => &bytes[self.entry.key_at..self.entry.key_at + len],
        };
        let new = (sequence << 8) | (trailer(stored) & 0xff);
        self.replaced.assign(user_key(stored), &new.to_le_bytes());
    }

    /// Compares a stored key with `target`, as if it carried the global sequence number.
    #[inline]
    fn compare(&self, stored: &[u8], target: &[u8]) -> Ordering {
        let by_user = self.order.compare(user_key(stored), user_key(target));
        by_user.then_with(|| {
            let mut own = trailer(stored);
            if let Some(sequence) = self.global_sequence {
                own = (sequence << 8) | (own & 0xff);
            }
            trailer(target).cmp(&own)
        })
    }

    /// The key at restart `index`.
    #[inline]
    fn restart_key(&self, index: usize) -> Option<&[u8]> {
        let bytes = self.bytes();
        let at = self.layout.restart(bytes, index);
        let entries = &bytes[..self.layout.entries_end];
        let head = EntryHead::decode::<true>(entries, at)?;
        if head.shared > 0 || head.unshared < TRAILER_LEN {
            return None;
        }
        Some(&entries[head.key_at..head.value_at()])
    }

    /// The last restart whose key is before `target`, or the first one; `None` on a bad entry.
    #[inline]
    fn find_restart(&self, target: &[u8]) -> Option<usize> {
        // Invariant: the answer is in low..high; restarts at and after `high` are not before it.
        let (mut low, mut high) = (0, self.layout.num_restarts);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.compare(self.restart_key(middle)?, target) == Ordering::Less {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    /// Like `seek`, for who looks for records of the user key in `target` and no others: where the
    /// block has none, the cursor may be invalid although there are later keys.
    #[inline]
    pub fn seek_for_get(&mut self, target: &[u8]) {
        if self.layout.num_buckets == 0 {
            self.seek(target);
        } else {
            self.seek_hashed(target);
        }
    }

    fn seek_hashed(&mut self, target: &[u8]) {
        let restart = match hash_index::find(self.layout.buckets(self.bytes()), user_key(target)) {
            Hashed::Anywhere => return self.seek(target),
            Hashed::Nowhere => {
                self.start_over();
                return;
            }
            Hashed::Behind(restart) => restart,
        };
        if !self.start_over() || restart >= self.layout.num_restarts {
            return self.fail();
        }
        let next = restart + 1;
        let end = match next < self.layout.num_restarts {
            true => self.layout.restart(self.bytes(), next),
            false => self.layout.entries_end,
        };
        self.load(self.layout.restart(self.bytes(), restart), true);
        while self.valid && self.compare(self.stored_key(), target) == Ordering::Less {
            if self.entry.end >= end {
                // All of the key's records are behind this one restart.
                self.valid = false;
                return;
            }
            self.load(self.entry.end, false);
        }
    }

    fn start_over(&mut self) -> bool {
        self.passed.clear();
        self.valid = false;
        self.status = None;
        self.layout.entries_end > 0
    }

    /// Collects the entries from the restart before the current entry up to it.
    fn collect_passed(&mut self) -> Option<()> {
        let goal = self.entry.start;
        self.passed.clear();
        self.passed_keys.clear();
        let bytes = self.block.as_ref().map_or(&[][..], |b| b.block_bytes());
        let (mut low, mut high) = (0, self.layout.num_restarts);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.layout.restart(bytes, middle) < goal {
                low = middle;
            } else {
                high = middle;
            }
        }
        let entries = &bytes[..self.layout.entries_end];
        let mut at = self.layout.restart(bytes, low);
        let mut last = 0..0;
        while at < goal {
            let head = EntryHead::decode::<true>(entries, at)?;
            if head.shared > last.len() || head.shared + head.unshared < TRAILER_LEN {
                return None;
            }
            let start = self.passed_keys.len();
            self.passed_keys.extend_from_within(last.start..last.start + head.shared);
            self.passed_keys.extend_from_slice(&entries[head.key_at..head.value_at()]);
            last = start..self.passed_keys.len();
            let key_len = if head.shared == 0 { head.unshared } else { 0 };
            let entry = Entry {
                start: at,
                value_at: head.value_at(),
                end: head.end(),
                key_at: head.key_at,
                key_len,
            };
            self.passed.push(Passed { entry, key: last.clone() });
            at = head.end();
        }
        (at == goal && !self.passed.is_empty()).then_some(())
    }
}

impl<O: Order, B: BlockBytes> InternalIterator for BlockIter<O, B> {
    #[inline]
    fn valid(&self) -> bool {
        self.valid
    }

    fn seek_to_first(&mut self) {
        if self.start_over() {
            self.load(0, true);
        }
    }

    fn seek_to_last(&mut self) {
        if !self.start_over() {
            return;
        }
        let start = self.layout.restart(self.bytes(), self.layout.num_restarts - 1);
        if start >= self.layout.entries_end {
            return self.fail();
        }
        self.load(start, true);
        while self.valid && self.entry.end < self.layout.entries_end {
            self.load(self.entry.end, false);
        }
    }

    fn seek(&mut self, target: &[u8]) {
        if !self.start_over() {
            return;
        }
        let Some(restart) = self.find_restart(target) else {
            return self.fail();
        };
        self.load(self.layout.restart(self.bytes(), restart), true);
        while self.valid && self.compare(self.stored_key(), target) == Ordering::Less {
            self.load(self.entry.end, false);
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek(target);
        if self.status.is_some() {
            return;
        }
        if !self.valid {
            self.seek_to_last();
        }
        while self.valid && self.compare(self.stored_key(), target) == Ordering::Greater {
            self.prev();
        }
    }

    #[inline]
    fn next(&mut self) {
        debug_assert!(self.valid);
        self.load(self.entry.end, false);
    }

    fn prev(&mut self) {
        debug_assert!(self.valid);
        if self.entry.start == 0 {
            self.valid = false;
            return;
        }
        // The last one passed may be the current entry, by an earlier step back.
        if self.passed.last().is_some_and(|p| p.entry.start == self.entry.start) {
            self.passed.pop();
        }
        let usable = self.passed.last().is_some_and(|p| p.entry.end == self.entry.start);
        if !usable && self.collect_passed().is_none() {
            return self.fail();
        }
        let Some(passed) = self.passed.last() else { return self.fail() };
        self.entry = passed.entry;
        if self.entry.key_len == 0 {
            self.buffer.assign(&self.passed_keys[passed.key.clone()], &[]);
        }
        if let Some(sequence) = self.global_sequence {
            self.replace_sequence(sequence);
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        debug_assert!(self.valid);
        match self.global_sequence {
            None => self.stored_key(),
            Some(_) => self.replaced.as_slice(),
        }
    }

    #[inline]
    fn value(&self) -> &[u8] {
        debug_assert!(self.valid);
        &self.entries()[self.value_range()]
    }

    fn status(&self) -> Result<()> {
        self.status.clone().map_or(Ok(()), Err)
    }
}

/// A forward walk over a meta block (metaindex, properties), whose keys are plain strings.
pub struct MetaEntries<'a> {
    entries: &'a [u8],
    at: usize,
    key: Vec<u8>,
}

impl<'a> MetaEntries<'a> {
    /// A walk over `block`.
    pub fn new(block: &'a [u8]) -> Result<MetaEntries<'a>> {
        let layout = BlockLayout::parse(block)?;
        Ok(MetaEntries { entries: &block[..layout.entries_end], at: 0, key: Vec::new() })
    }

    /// The next key and value, and where the value begins in the block; `None` at the end.
    #[expect(clippy::type_complexity, reason = "one entry, lent until the next call")]
    pub fn next_entry(&mut self) -> Result<Option<(&[u8], &'a [u8], usize)>> {
        if self.at >= self.entries.len() {
            return Ok(None);
        }
        let bad = || Status::corruption("bad entry in block");
        let head = EntryHead::decode::<true>(self.entries, self.at).ok_or_else(bad)?;
        if head.shared > self.key.len() {
            return Err(bad());
        }
        self.key.truncate(head.shared);
        self.key.extend_from_slice(&self.entries[head.key_at..head.value_at()]);
        self.at = head.end();
        Ok(Some((&self.key, &self.entries[head.value_at()..head.end()], head.value_at())))
    }
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
