//! The index block: for each data block a key at or behind its last and before the next block's
//! first, and the block's handle.
//!
//! Keys are internal keys, or user keys where no two neighbouring blocks share a user key (property
//! `rocksdb.index.key.is.user.key`). From format version 4 on entries have no value length, and the
//! handle of an entry that shares key bytes is only the difference of the sizes, since blocks lie
//! side by side (property `rocksdb.index.value.is.delta.encoded`).

use super::block::{BlockLayout, EntryHead};
use super::block_builder::BlockBuilder;
use super::handle::{BLOCK_TRAILER_LEN, BlockHandle};
use crate::base::coding::{Decoder, fixed32, put_length_prefixed, put_varsigned64};
use crate::base::comparator::{Comparator, Order};
use crate::base::key::{MAX_SEQUENCE, TRAILER_LEN, ValueType, pack_trailer, user_key};
use crate::base::status::{Result, Status};
use crate::options::enums::Numbered;
pub use crate::options::{IndexShortening, IndexType};
use std::ops::Range;

impl IndexType {
    /// Decodes the value of the property `rocksdb.block.based.table.index.type`.
    pub fn decode(property: &[u8]) -> Result<IndexType> {
        let bad = || Status::corruption("bad index type property");
        if property.len() < 4 {
            return Err(bad());
        }
        let number = i32::try_from(fixed32(property)).map_err(|_| bad())?;
        IndexType::from_number(number).ok_or_else(bad)
    }
}

/// How the entries of an index block are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexFormat {
    /// Keys are user keys.
    pub user_keys: bool,
    /// Handles are delta-encoded and entries have no value length.
    pub delta_handles: bool,
    /// Values hold the data block's first internal key.
    pub first_keys: bool,
}

/// A forward walk over an index block.
pub struct IndexEntries<'a> {
    format: IndexFormat,
    entries: &'a [u8],
    at: usize,
    key: Vec<u8>,
    handle: BlockHandle,
    first_key: &'a [u8],
}

impl<'a> IndexEntries<'a> {
    /// A walk over `block`, before its first entry.
    pub fn new(block: &'a [u8], format: IndexFormat) -> Result<IndexEntries<'a>> {
        let layout = BlockLayout::parse(block)?;
        let entries = &block[..layout.entries_end];
        let handle = BlockHandle::default();
        Ok(IndexEntries { format, entries, at: 0, key: Vec::new(), handle, first_key: &[] })
    }

    /// Steps to the next entry; false at the end.
    pub fn advance(&mut self) -> Result<bool> {
        if self.at >= self.entries.len() {
            return Ok(false);
        }
        self.decode_entry().ok_or_else(|| Status::corruption("bad entry in block"))?;
        Ok(true)
    }

    fn decode_entry(&mut self) -> Option<()> {
        let head = if self.format.delta_handles {
            EntryHead::decode::<false>(self.entries, self.at)?
        } else {
            EntryHead::decode::<true>(self.entries, self.at)?
        };
        let value_at = head.key_at + head.unshared;
        if head.shared > self.key.len() {
            return None;
        }
        self.key.truncate(head.shared);
        self.key.extend_from_slice(&self.entries[head.key_at..value_at]);
        if !self.format.user_keys && self.key.len() < TRAILER_LEN {
            return None;
        }
        let mut value = Decoder::new(if self.format.delta_handles {
            &self.entries[value_at..]
        } else {
            &self.entries[value_at..value_at + head.value_len]
        });
        if self.format.delta_handles && head.shared > 0 {
            let delta = value.get_varsigned64()?;
            self.handle =
                BlockHandle::new(self.handle.end()?, self.handle.size.checked_add_signed(delta)?);
        } else {
            self.handle = BlockHandle::decode(&mut value).ok()?;
        }
        self.first_key = &[];
        if self.format.first_keys {
            self.first_key = value.get_length_prefixed()?;
            if self.first_key.len() < TRAILER_LEN {
                return None;
            }
        }
        self.at = if self.format.delta_handles {
            self.entries.len() - value.rest().len()
        } else {
            value_at + head.value_len
        };
        Some(())
    }

    /// The entry's key: a user key or an internal key, by the format.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The data block's place.
    pub fn handle(&self) -> BlockHandle {
        self.handle
    }

    /// The data block's first internal key, if the format has it.
    pub fn first_key(&self) -> Option<&'a [u8]> {
        self.format.first_keys.then_some(self.first_key)
    }
}

/// Encodes entries of an index block: data blocks, or partitions of an index or filter.
pub struct IndexBlockBuilder {
    builder: BlockBuilder,
    format: IndexFormat,
    before: Option<BlockHandle>,
    full: Vec<u8>,
    delta: Vec<u8>,
}

impl IndexBlockBuilder {
    /// An empty block.
    pub fn new(restart_interval: usize, format: IndexFormat) -> IndexBlockBuilder {
        let builder = match format.delta_handles {
            true => BlockBuilder::with_delta_values(restart_interval),
            false => BlockBuilder::new(restart_interval, true),
        };
        IndexBlockBuilder { builder, format, before: None, full: Vec::new(), delta: Vec::new() }
    }

    /// Adds what is at `handle`, right behind the one before it in the file. `separator` is an
    /// internal key; `first` is used only if the format has first keys.
    pub fn add(&mut self, separator: &[u8], handle: BlockHandle, first: &[u8]) {
        let key = if self.format.user_keys { user_key(separator) } else { separator };
        self.full.clear();
        handle.encode_to(&mut self.full);
        self.delta.clear();
        if let Some(before) = self.before.filter(|_| self.format.delta_handles) {
            debug_assert_eq!(handle.offset, before.offset + before.size + BLOCK_TRAILER_LEN as u64);
            let difference = handle.size.wrapping_sub(before.size) as i64;
            put_varsigned64(&mut self.delta, difference);
        }
        if self.format.first_keys {
            put_length_prefixed(&mut self.full, first);
            put_length_prefixed(&mut self.delta, first);
        }
        match self.format.delta_handles {
            true => self.builder.add_delta(key, &self.full, &self.delta),
            false => self.builder.add(key, &self.full),
        }
        self.before = Some(handle);
    }

    /// The block.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        if self.builder.is_too_large() {
            return Err(Status::not_supported("an index block of more than 4 GiB"));
        }
        Ok(std::mem::take(self.builder.finish()))
    }
}

/// Collects the index entries of a table being written.
pub struct IndexBuilder {
    comparator: Comparator,
    shortening: IndexShortening,
    restart_interval: usize,
    delta_handles: bool,
    first_keys: bool,
    /// Some neighbouring blocks share a user key, or the format version is 2.
    needs_internal_keys: bool,
    /// Separators (internal keys) end to end; `ends[i]` is where the `i`th ends.
    separators: Vec<u8>,
    firsts: Vec<u8>,
    entries: Vec<Pending>,
    /// The bytes at which a partition ends; `None` without partitions.
    partition_size: Option<usize>,
    /// The entries before which a partition ends.
    cuts: Vec<usize>,
    /// About the bytes of the entries since the last cut.
    partition_bytes: usize,
    cut_requested: bool,
    /// A cut was made that [`take_cut`](IndexBuilder::take_cut) has not told yet.
    cut_made: bool,
}

struct Pending {
    separator_end: usize,
    first_end: usize,
    handle: BlockHandle,
}

impl IndexBuilder {
    /// About the bytes that an entry takes beside its separator.
    const ENTRY_OVERHEAD: usize = 12;

    /// Never gives handles relative to the one before, as where there are gaps between blocks.
    pub fn with_whole_handles(mut self) -> IndexBuilder {
        self.delta_handles = false;
        self
    }

    /// A builder for a table of `format_version`. An index in two levels has partitions of about
    /// `partition_size` bytes.
    pub fn new(
        comparator: Comparator,
        index_type: IndexType,
        shortening: IndexShortening,
        restart_interval: usize,
        format_version: u32,
        partition_size: usize,
    ) -> Result<IndexBuilder> {
        if index_type == IndexType::HashSearch {
            return Err(Status::not_supported(format!("writing tables with index {index_type:?}")));
        }
        let two_level = index_type == IndexType::TwoLevelIndexSearch;
        Ok(IndexBuilder {
            comparator,
            shortening,
            restart_interval,
            delta_handles: format_version >= 4,
            first_keys: index_type == IndexType::BinarySearchWithFirstKey,
            needs_internal_keys: format_version <= 2,
            separators: Vec::new(),
            firsts: Vec::new(),
            entries: Vec::new(),
            partition_size: two_level.then_some(partition_size),
            cuts: Vec::new(),
            partition_bytes: 0,
            cut_requested: false,
            cut_made: false,
        })
    }

    /// Adds the data block at `handle`, whose first and last internal keys these are; `next` is
    /// the first key of the block behind it, if there is one.
    pub fn add(&mut self, first: &[u8], last: &[u8], next: Option<&[u8]>, handle: BlockHandle) {
        let start = self.separators.len();
        self.push_separator(last, next);
        if self.first_keys {
            self.firsts.extend_from_slice(first);
        }
        if let Some(size) = self.partition_size {
            self.cut_if_full(self.separators.len() - start, size);
        }
        let (separator_end, first_end) = (self.separators.len(), self.firsts.len());
        self.entries.push(Pending { separator_end, first_end, handle });
    }

    fn push_separator(&mut self, last: &[u8], next: Option<&[u8]>) {
        let start = self.separators.len();
        self.separators.extend_from_slice(user_key(last));
        let mut shortened = None;
        if let Some(next) = next {
            if self.comparator.equal(user_key(last), user_key(next)) {
                self.needs_internal_keys = true;
            } else if self.shortening != IndexShortening::NoShortening {
                let mut key = user_key(last).to_vec();
                self.comparator.shorten_separator(&mut key, user_key(next));
                shortened = Some(key);
            }
        } else if self.shortening == IndexShortening::ShortenSeparatorsAndSuccessor {
            let mut key = user_key(last).to_vec();
            self.comparator.shorten_successor(&mut key);
            shortened = Some(key);
        }
        match shortened.filter(|key| self.comparator.compare(user_key(last), key).is_lt()) {
            Some(key) => {
                // A key that no record has, so the newest possible sequence keeps it before all.
                self.separators.truncate(start);
                self.separators.extend_from_slice(&key);
                let trailer = pack_trailer(MAX_SEQUENCE, ValueType::FOR_SEEK);
                self.separators.extend_from_slice(&trailer.to_le_bytes());
            }
            None => self.separators.extend_from_slice(&last[last.len() - TRAILER_LEN..]),
        }
    }

    /// Ends the partition before an entry whose separator has `len` bytes, if it would become too
    /// large.
    fn cut_if_full(&mut self, len: usize, size: usize) {
        let bytes = len + Self::ENTRY_OVERHEAD;
        let full = self.cut_requested || self.partition_bytes + bytes > size;
        if full && self.partition_bytes > 0 {
            self.cuts.push(self.entries.len());
            self.partition_bytes = 0;
            self.cut_requested = false;
            self.cut_made = true;
        }
        self.partition_bytes += bytes;
    }

    /// Asks for the partition to end before the next entry.
    pub fn request_cut(&mut self) {
        self.cut_requested = true;
    }

    /// Whether a partition has ended since this was last asked.
    pub fn take_cut(&mut self) -> bool {
        std::mem::take(&mut self.cut_made)
    }

    /// The separator of the entry added last.
    pub fn last_separator(&self) -> Option<&[u8]> {
        let last = self.entries.len().checked_sub(1)?;
        Some(self.separator(last))
    }

    fn separator(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.entries[before].separator_end);
        &self.separators[start..self.entries[at].separator_end]
    }

    fn first(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.entries[before].first_end);
        &self.firsts[start..self.entries[at].first_end]
    }

    /// About the size of the finished block.
    pub fn size_estimate(&self) -> usize {
        self.separators.len() + self.firsts.len() + self.entries.len() * Self::ENTRY_OVERHEAD + 8
    }

    /// How the index blocks are encoded, known when all data blocks were added.
    pub fn format(&self) -> IndexFormat {
        IndexFormat {
            user_keys: !self.needs_internal_keys,
            delta_handles: self.delta_handles,
            first_keys: self.first_keys,
        }
    }

    /// The index block, and how it is encoded.
    pub fn finish(&self) -> Result<(Vec<u8>, IndexFormat)> {
        let format = self.format();
        Ok((self.encode(0..self.entries.len(), format)?, format))
    }

    /// The entries of each partition; one of all entries without partitions.
    pub fn partitions(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.cuts.iter().copied());
        let ends = self.cuts.iter().copied().chain(std::iter::once(self.entries.len()));
        starts.zip(ends).map(|(start, end)| start..end)
    }

    /// The index block of the data blocks `range`.
    pub fn encode(&self, range: Range<usize>, format: IndexFormat) -> Result<Vec<u8>> {
        let mut block = IndexBlockBuilder::new(self.restart_interval, format);
        for at in range {
            block.add(self.separator(at), self.entries[at].handle, self.first(at));
        }
        block.finish()
    }

    /// The upper level over partitions: each with its entries and where it was written.
    pub fn encode_top(
        &self,
        partitions: &[(Range<usize>, BlockHandle)],
        format: IndexFormat,
    ) -> Result<Vec<u8>> {
        let mut block = IndexBlockBuilder::new(self.restart_interval, format);
        for (range, handle) in partitions.iter().filter(|(range, _)| !range.is_empty()) {
            block.add(self.separator(range.end - 1), *handle, &[]);
        }
        block.finish()
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
