//! [`BufferedWriter`]: gathers small appends into large writes and spreads the write-out.

use std::path::Path;

use crate::base::status::{Result, Status};
use crate::env::file_system::{Access, WritableFile};

/// The newest bytes are not written out early: they may still be rewritten by the file system.
const RANGE_SYNC_LAG: u64 = 1 << 20;
/// Ranges end at page boundaries, or the last page would be written twice.
const RANGE_SYNC_ALIGN: u64 = 4096;

/// Bytes of a buffer at first. It doubles until it is as large as it may be, so that a small file
/// does not take the memory of a large one.
const FIRST_CAPACITY: usize = 64 << 10;

/// How a [`BufferedWriter`] works. The fields are RocksDB's options of these names.
#[derive(Clone, Copy, Debug)]
pub struct BufferedWriterOptions {
    /// `writable_file_max_buffer_size`: bytes gathered before a write.
    pub buffer_size: usize,
    /// Start writing out each time this many bytes were written; 0: leave it to the system.
    pub bytes_per_sync: u64,
    /// Wait for the previous write-out before starting the next.
    pub strict_bytes_per_sync: bool,
    /// Sync with `fsync` instead of `fdatasync`.
    pub use_fsync: bool,
    /// Reserve disk space in steps of this many bytes; 0: do not.
    pub preallocation_block_size: u64,
    /// How the file is written.
    pub access: Access,
}

impl Default for BufferedWriterOptions {
    fn default() -> Self {
        BufferedWriterOptions {
            buffer_size: 1 << 20,
            bytes_per_sync: 0,
            strict_bytes_per_sync: false,
            use_fsync: false,
            preallocation_block_size: 0,
            access: Access::Buffered,
        }
    }
}

/// A buffer in front of a file.
///
/// The first error is kept and returned by everything that follows: after it nobody knows what
/// the file holds, and a sync tried again after a failure could succeed without the data.
/// Dropping it discards what was not flushed.
pub struct BufferedWriter {
    file: Box<dyn WritableFile>,
    options: BufferedWriterOptions,
    buffer: Vec<u8>,
    preallocation: Preallocation,
    /// Bytes for which write-out was started.
    range_synced: u64,
    failure: Option<Status>,
    writes: u64,
    syncs: u64,
}

impl BufferedWriter {
    /// Writes behind what `file` holds already.
    pub fn new(file: Box<dyn WritableFile>, options: BufferedWriterOptions) -> Self {
        BufferedWriter {
            range_synced: file.size(),
            preallocation: Preallocation::new(options.preallocation_block_size),
            file,
            options,
            buffer: Vec::new(),
            failure: None,
            writes: 0,
            syncs: 0,
        }
    }

    /// Adds `data`; it reaches the file when the buffer is full, or with `flush`.
    #[inline]
    pub fn append(&mut self, data: &[u8]) -> Result<()> {
        if data.len() < self.buffer.capacity() - self.buffer.len() && self.failure.is_none() {
            self.buffer.extend_from_slice(data);
            return Ok(());
        }
        self.append_slow(data)
    }

    fn append_slow(&mut self, data: &[u8]) -> Result<()> {
        self.check()?;
        self.grow_for(data.len());
        if data.len() > self.buffer.capacity() - self.buffer.len() {
            self.flush()?;
        }
        if data.len() >= self.buffer.capacity() {
            return self.write_through(data);
        }
        self.buffer.extend_from_slice(data);
        Ok(())
    }

    /// Makes the buffer as large as it must be to take `len` more bytes, if it may be so large.
    /// Without the memory it stays as it is, and is written out sooner.
    fn grow_for(&mut self, len: usize) {
        let limit = self.options.buffer_size;
        let needed = self.buffer.len().saturating_add(len);
        if needed <= limit && needed > self.buffer.capacity() {
            let capacity = needed.checked_next_power_of_two().unwrap_or(limit);
            let capacity = capacity.max(FIRST_CAPACITY).min(limit);
            let _ = self.buffer.try_reserve_exact(capacity - self.buffer.len());
        }
    }

    /// Hands what is buffered to the file.
    pub fn flush(&mut self) -> Result<()> {
        self.check()?;
        if self.buffer.is_empty() {
            return Ok(());
        }
        let buffer = std::mem::take(&mut self.buffer);
        let result = self.write_through(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        result
    }

    /// Flushes and makes everything durable.
    pub fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.syncs += 1;
        let result = if self.options.use_fsync { self.file.fsync() } else { self.file.sync() };
        self.keep(result)
    }

    /// Flushes and closes the file. Does not sync.
    pub fn close(&mut self) -> Result<()> {
        let flushed = self.flush();
        let closed = self.file.close();
        flushed.and(self.keep(closed))
    }

    /// The length of the file once everything is flushed.
    #[inline]
    pub fn size(&self) -> u64 {
        self.file.size() + self.buffer.len() as u64
    }

    /// The bytes handed to the file so far.
    pub fn flushed_size(&self) -> u64 {
        self.file.size()
    }

    /// How many writes and how many syncs reached the file.
    pub fn counts(&self) -> (u64, u64) {
        (self.writes, self.syncs)
    }

    /// The name of the file, for messages.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn write_through(&mut self, data: &[u8]) -> Result<()> {
        self.preallocation.prepare(&mut *self.file, data.len() as u64);
        self.writes += 1;
        let result = self.file.append(data);
        self.keep(result)?;
        self.start_write_out()
    }

    fn start_write_out(&mut self) -> Result<()> {
        if self.options.bytes_per_sync == 0 {
            return Ok(());
        }
        let end =
            self.file.size().saturating_sub(RANGE_SYNC_LAG) / RANGE_SYNC_ALIGN * RANGE_SYNC_ALIGN;
        let len = end.saturating_sub(self.range_synced);
        if len < self.options.bytes_per_sync.max(1) {
            return Ok(());
        }
        let strict = self.options.strict_bytes_per_sync;
        let result = self.file.range_sync(self.range_synced, len, strict);
        self.range_synced = end;
        self.keep(result)
    }

    fn check(&self) -> Result<()> {
        match &self.failure {
            Some(status) => Err(status.clone()),
            None => Ok(()),
        }
    }

    fn keep(&mut self, result: Result<()>) -> Result<()> {
        if let Err(status) = &result {
            self.failure = Some(status.clone());
        }
        result
    }
}

/// Reserves disk space ahead of a growing file, so that the file system finds it in one piece
/// and an append need not wait for it.
#[derive(Clone, Copy, Debug)]
pub struct Preallocation {
    block: u64,
    reserved: u64,
}

impl Preallocation {
    /// Reserves in steps of `block` bytes; 0 never reserves.
    pub fn new(block: u64) -> Self {
        Preallocation { block, reserved: 0 }
    }

    /// To be called before `len` bytes are appended to `file`. A failure is no error: the append
    /// itself tells whether there is space.
    #[inline]
    pub fn prepare(&mut self, file: &mut dyn WritableFile, len: u64) {
        if self.block != 0 {
            let end = file.size().saturating_add(len);
            self.prepare_until(file, end);
        }
    }

    /// The same for an append that ends at offset `end`.
    #[inline]
    pub fn prepare_until(&mut self, file: &mut dyn WritableFile, end: u64) {
        if self.block != 0 && end > self.reserved {
            self.reserve(file, end);
        }
    }

    fn reserve(&mut self, file: &mut dyn WritableFile, end: u64) {
        let Some(until) = end.div_ceil(self.block).checked_mul(self.block) else { return };
        let _ = file.allocate(self.reserved, until - self.reserved);
        self.reserved = until;
    }
}

#[cfg(test)]
#[path = "buffered_tests.rs"]
mod tests;
