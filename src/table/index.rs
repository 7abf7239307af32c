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
}

struct Pending {
    separator_end: usize,
    first_end: usize,
    handle: BlockHandle,
}

impl IndexBuilder {
    /// A builder for a table of `format_version`.
    pub fn new(
        comparator: Comparator,
        index_type: IndexType,
        shortening: IndexShortening,
        restart_interval: usize,
        format_version: u32,
    ) -> Result<IndexBuilder> {
        if matches!(index_type, IndexType::HashSearch | IndexType::TwoLevelIndexSearch) {
            return Err(Status::not_supported(format!("writing tables with index {index_type:?}")));
        }
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
        })
    }

    /// Adds the data block at `handle`, whose first and last internal keys these are; `next` is
    /// the first key of the block behind it, if there is one.
    pub fn add(&mut self, first: &[u8], last: &[u8], next: Option<&[u8]>, handle: BlockHandle) {
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
        if self.first_keys {
            self.firsts.extend_from_slice(first);
        }
        let (separator_end, first_end) = (self.separators.len(), self.firsts.len());
        self.entries.push(Pending { separator_end, first_end, handle });
    }

    /// About the size of the finished block.
    pub fn size_estimate(&self) -> usize {
        self.separators.len() + self.firsts.len() + self.entries.len() * 12 + 8
    }

    /// The index block, and how it is encoded.
    pub fn finish(&self) -> Result<(Vec<u8>, IndexFormat)> {
        let format = IndexFormat {
            user_keys: !self.needs_internal_keys,
            delta_handles: self.delta_handles,
            first_keys: self.first_keys,
        };
        let mut builder = match self.delta_handles {
            true => BlockBuilder::with_delta_values(self.restart_interval),
            false => BlockBuilder::new(self.restart_interval, true),
        };
        let (mut full, mut delta) = (Vec::new(), Vec::new());
        let (mut at, mut first_at) = (0, 0);
        let mut before: Option<BlockHandle> = None;
        for entry in &self.entries {
            let separator = &self.separators[at..entry.separator_end];
            let key = if format.user_keys { user_key(separator) } else { separator };
            full.clear();
            entry.handle.encode_to(&mut full);
            delta.clear();
            if let Some(before) = before.filter(|_| self.delta_handles) {
                debug_assert_eq!(
                    entry.handle.offset,
                    before.offset + before.size + BLOCK_TRAILER_LEN as u64
                );
                let difference = entry.handle.size.wrapping_sub(before.size) as i64;
                put_varsigned64(&mut delta, difference);
            }
            if self.first_keys {
                let first = &self.firsts[first_at..entry.first_end];
                put_length_prefixed(&mut full, first);
                put_length_prefixed(&mut delta, first);
            }
            match self.delta_handles {
                true => builder.add_delta(key, &full, &delta),
                false => builder.add(key, &full),
            }
            (at, first_at) = (entry.separator_end, entry.first_end);
            before = Some(entry.handle);
        }
        if builder.is_too_large() {
            return Err(Status::not_supported("an index block of more than 4 GiB"));
        }
        Ok((std::mem::take(builder.finish()), format))
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
