//! [`ReadAhead`]: notices that a table is read from front to back, and reads several blocks at
//! once.

use super::fetch::{BlockSource, BlockType};
use super::handle::{BLOCK_TRAILER_LEN, BlockHandle};
use super::options::TableReadOptions;
use super::watch;
use crate::base::status::{Result, Status};

/// How a block is read ahead.
pub(super) struct Ahead<'a> {
    /// What was read before.
    pub state: &'a mut ReadAhead,
    /// How far of the bytes up to an offset, where reading ahead would end, something is needed.
    pub trim: &'a dyn Fn(u64) -> u64,
}

/// By how many bytes less is read ahead after a block that was cached, if that adapts.
const CACHED_STEP: usize = 8 << 10;

/// The state of one iterator. The buffer is kept and used again.
#[derive(Default)]
pub(super) struct ReadAhead {
    /// File bytes from `start` on, of which `len` are valid.
    buffer: Vec<u8>,
    start: u64,
    len: usize,
    /// Where the block behind the last one begins.
    next: u64,
    /// How many blocks in a row were asked for, each right behind the one before.
    run: u64,
    /// How much to read beyond the next block that is not in the buffer.
    ahead: usize,
}

impl ReadAhead {
    /// Records that the block at `handle` was wanted, whether it was read or found in a cache.
    pub(super) fn note(&mut self, handle: BlockHandle, options: &TableReadOptions) {
        if self.run > 0 && handle.offset == self.next {
            self.run += 1;
        } else {
            self.run = 1;
            self.ahead = options.initial_auto_readahead_size;
        }
        self.next = handle.end().unwrap_or(0);
    }

    /// Records that the block that was noted last was in the cache: where many are, reading far
    /// ahead brings what nobody needs.
    pub(super) fn note_cached(&mut self, options: &TableReadOptions) {
        if self.run > options.num_file_reads_for_auto_readahead {
            let less = self.ahead.saturating_sub(CACHED_STEP);
            self.ahead = less.max(options.initial_auto_readahead_size);
        }
    }

    /// The same run of blocks in another file, whose first block is the next one.
    pub(super) fn into_next_file(self) -> ReadAhead {
        ReadAhead { start: 0, len: 0, next: 0, ..self }
    }

    /// The contents of the data block at `handle`, which was noted. See [`Ahead::trim`].
    pub(super) fn read(
        &mut self,
        source: &BlockSource,
        handle: BlockHandle,
        options: &TableReadOptions,
        trim: &dyn Fn(u64) -> u64,
    ) -> Result<Box<[u8]>> {
        let kind = BlockType::Data;
        if self.stored(handle).is_none() {
            let ahead = self.grow(options);
            if ahead == 0 || !self.fill(source, handle, ahead, options, trim)? {
                return source.read_with(handle, kind, options);
            }
        } else if source.statistics().is_some() {
            watch::found_prefetched(source.statistics(), handle.size as usize + BLOCK_TRAILER_LEN);
        }
        match self.stored(handle) {
            Some(stored) => source.unpack(stored, handle, kind, options.verify_checksums),
            None => source.read_with(handle, kind, options),
        }
    }

    /// The block with its trailer, if the buffer has all of it.
    fn stored(&self, handle: BlockHandle) -> Option<&[u8]> {
        let from = usize::try_from(handle.offset.checked_sub(self.start)?).ok()?;
        let to = usize::try_from(handle.end()?.checked_sub(self.start)?).ok()?;
        self.buffer[..self.len].get(from..to)
    }

    /// How much to read beyond the block that is wanted now: nothing until a few blocks were read
    /// in a row, then twice as much each time.
    fn grow(&mut self, options: &TableReadOptions) -> usize {
        if options.readahead_size > 0 {
            return options.readahead_size;
        }
        if self.run <= options.num_file_reads_for_auto_readahead {
            return 0;
        }
        let ahead = self.ahead.min(options.max_auto_readahead_size);
        self.ahead = ahead.saturating_mul(2);
        ahead
    }

    /// Reads the block at `handle` and `ahead` bytes more. False for a handle that points outside
    /// the file, which the plain path reports.
    fn fill(
        &mut self,
        source: &BlockSource,
        handle: BlockHandle,
        ahead: usize,
        options: &TableReadOptions,
        trim: &dyn Fn(u64) -> u64,
    ) -> Result<bool> {
        self.len = 0;
        let Some(end) = handle.end().filter(|&end| end <= source.file_size()) else {
            return Ok(false);
        };
        let limit = end.saturating_add(ahead as u64).min(source.file_size());
        let trimmed = trim(limit).clamp(end, limit);
        if trimmed < limit && source.statistics().is_some() {
            watch::trimmed(source.statistics());
        }
        let len = (trimmed - handle.offset) as usize;
        if self.buffer.len() < len {
            let more = len - self.buffer.len();
            self.buffer.try_reserve_exact(more).map_err(|_| {
                Status::aborted(format!("no memory for a read-ahead of {len} bytes"))
            })?;
            self.buffer.resize(len, 0);
        }
        debug_assert!(len > BLOCK_TRAILER_LEN || handle.size == 0);
        source.pace(len as u64, options);
        self.len = source.read_at(handle.offset, &mut self.buffer[..len])?;
        self.start = handle.offset;
        if source.statistics().is_some() {
            watch::prefetched(source.statistics(), self.len);
        }
        Ok(true)
    }
}
