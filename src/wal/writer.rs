//! [`LogWriter`]: appends records.

use super::control::{PredecessorWalInfo, TIMESTAMP_SIZE_LEN};
use super::format::{BLOCK_SIZE, Kind, LogFormat, Part, push_header, seal};
use crate::base::coding::{put_fixed16, put_fixed32};
use crate::base::status::{Code, Result, Status, SubCode};
use crate::codec::{CompressionType, RecordPacker};
use crate::env::file_system::WritableFile;

/// The buffer keeps at most this much memory from one record to the next.
const KEPT_CAPACITY: usize = 1 << 20;

/// Appends records to a file. Each record goes to the file in one `append`, which the file systems
/// turn into one `write(2)`; with a [buffer](Self::set_buffer_limit) several records do.
///
/// Dropping it discards what was not flushed.
///
/// After a failed append or sync nobody knows what the file holds, so every later call but
/// [`close`](Self::close) fails too, as in RocksDB.
pub struct LogWriter {
    file: Box<dyn WritableFile>,
    log_number: u64,
    format: LogFormat,
    /// Where in its block the next byte goes.
    block_offset: usize,
    /// The record being put together, behind whole records that are not in the file yet.
    buffer: Vec<u8>,
    /// Whole records stay in the buffer until it holds so many bytes; 0 is none.
    buffer_limit: usize,
    packing: Option<Packing>,
    failed: bool,
}

/// For records that are compressed.
struct Packing {
    packer: RecordPacker,
    /// The record being written.
    packed: Vec<u8>,
}

impl LogWriter {
    /// A writer of log `log_number` that goes on at `file.size()`: the start of a new or recycled
    /// file, or the end of a log of the same format, which must be the end of a whole record.
    pub fn new(file: Box<dyn WritableFile>, log_number: u64, format: LogFormat) -> LogWriter {
        let block_offset = (file.size() % BLOCK_SIZE as u64) as usize;
        let buffer = Vec::new();
        let (buffer_limit, packing, failed) = (0, None, false);
        LogWriter { file, log_number, format, block_offset, buffer, buffer_limit, packing, failed }
    }

    /// From now on records are held back until there are `bytes` of them, or until
    /// [`flush`](Self::flush) or [`sync`](Self::sync). Only whole records reach the file.
    pub fn set_buffer_limit(&mut self, bytes: usize) {
        self.buffer_limit = bytes;
    }

    /// Compresses every record from now on with Zstandard, and says so in the log, of which this
    /// must be the beginning.
    pub fn set_compression(&mut self) -> Result<()> {
        debug_assert_eq!(self.size(), 0);
        let packer = RecordPacker::new()?;
        let mut payload = Vec::new();
        put_fixed32(&mut payload, CompressionType::Zstd as u32);
        self.begin(payload.len())?;
        self.push_control(Kind::SetCompression, &payload);
        self.packing = Some(Packing { packer, packed: Vec::new() });
        self.end_record()
    }

    /// Appends one record that consists of `parts`, one behind the other.
    pub fn add_record(&mut self, parts: &[&[u8]]) -> Result<()> {
        let Some(mut packing) = self.packing.take() else { return self.add_plain(parts) };
        let packed = packing.packer.pack(parts, &mut packing.packed);
        let result = packed.and_then(|()| self.add_plain(&[&packing.packed]));
        packing.packed.clear();
        packing.packed.shrink_to(KEPT_CAPACITY);
        self.packing = Some(packing);
        result
    }

    fn add_plain(&mut self, parts: &[&[u8]]) -> Result<()> {
        let mut left = parts.iter().fold(0usize, |sum, part| sum.saturating_add(part.len()));
        self.begin(left)?;
        let mut source = Source { parts, taken: 0 };
        let mut first = true;
        loop {
            self.pad_for(0);
            let room = BLOCK_SIZE - self.block_offset - self.format.header_len();
            // With room for a header only, the first fragment is empty; other implementations
            // write and expect that.
            let len = left.min(room);
            let last = len == left;
            let part = match (first, last) {
                (true, true) => Part::Full,
                (true, false) => Part::First,
                (false, false) => Part::Middle,
                (false, true) => Part::Last,
            };
            self.push_fragment(Kind::Data(part), len, |out| source.take(len, out));
            if last {
                return self.end_record();
            }
            left -= len;
            first = false;
        }
    }

    /// Appends the record that says how the preceding log ended (`track_and_verify_wals`).
    pub fn add_predecessor_info(&mut self, info: &PredecessorWalInfo) -> Result<()> {
        let payload = info.encode();
        self.begin(payload.len())?;
        self.push_control(Kind::PredecessorInfo, &payload);
        self.end_record()
    }

    /// Appends the record that says how long the timestamps of these column families are. Each
    /// family is named once in a log, before its first record, and only if it has timestamps.
    pub fn add_timestamp_sizes(&mut self, sizes: &[(u32, u16)]) -> Result<()> {
        let per_record = (BLOCK_SIZE - self.format.header_len()) / TIMESTAMP_SIZE_LEN;
        self.begin(sizes.len().saturating_mul(TIMESTAMP_SIZE_LEN))?;
        for sizes in sizes.chunks(per_record) {
            let mut payload = Vec::with_capacity(sizes.len() * TIMESTAMP_SIZE_LEN);
            for &(cf, len) in sizes {
                put_fixed32(&mut payload, cf);
                put_fixed16(&mut payload, len);
            }
            self.push_control(Kind::TimestampSizes, &payload);
        }
        self.end_record()
    }

    /// Hands the records that were held back to the file.
    pub fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.require_sound()?;
        self.write_out()
    }

    /// Makes every record so far durable: `fsync` if `use_fsync`, else `fdatasync`.
    pub fn sync(&mut self, use_fsync: bool) -> Result<()> {
        self.require_sound()?;
        self.flush()?;
        self.failed = true;
        let result = if use_fsync { self.file.fsync() } else { self.file.sync() };
        self.failed = result.is_err();
        result
    }

    /// Closes the file, unsynced; the writer is of no use afterwards.
    pub fn close(&mut self) -> Result<()> {
        self.failed = true;
        self.file.close()
    }

    /// The number of the log.
    pub fn log_number(&self) -> u64 {
        self.log_number
    }

    /// Which headers it writes.
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// The length of the log in bytes, with the records that are held back.
    #[inline]
    pub fn size(&self) -> u64 {
        self.file.size() + self.buffer.len() as u64
    }

    /// The length of the file.
    pub fn flushed_size(&self) -> u64 {
        self.file.size()
    }

    /// The file, e.g. for reserving space or for its name.
    pub fn file(&mut self) -> &mut dyn WritableFile {
        &mut *self.file
    }
}

/// How a record is put together.
impl LogWriter {
    fn require_sound(&self) -> Result<()> {
        if self.failed {
            return Err(Status::io_error("Seen error. Skip writing buffer."));
        }
        Ok(())
    }

    /// Readies the buffer for a record of `payload` bytes.
    fn begin(&mut self, payload: usize) -> Result<()> {
        self.require_sound()?;
        debug_assert!(self.buffer.len() <= self.buffer_limit);
        let headers = (payload / (BLOCK_SIZE / 2) + 2) * 2 * self.format.header_len();
        self.buffer.try_reserve(payload.saturating_add(headers)).map_err(|_| {
            Status::new(Code::Aborted, "no memory for a log record")
                .with_subcode(SubCode::MemoryLimit)
        })
    }

    /// Fills the block up with zeros if a header and `payload` bytes do not fit it any more.
    fn pad_for(&mut self, payload: usize) {
        let left = BLOCK_SIZE - self.block_offset;
        if left < self.format.header_len() + payload {
            self.buffer.resize(self.buffer.len() + left, 0);
            self.block_offset = 0;
        }
    }

    /// A record about the log, which must be in one piece.
    fn push_control(&mut self, kind: Kind, payload: &[u8]) {
        self.pad_for(payload.len());
        self.push_fragment(kind, payload.len(), |out| out.extend_from_slice(payload));
    }

    /// Adds a fragment, for which the block has room, to the buffer. `fill` appends `len` bytes.
    fn push_fragment(&mut self, kind: Kind, len: usize, fill: impl FnOnce(&mut Vec<u8>)) {
        let start = self.buffer.len();
        // The record about compression has but this form.
        let format = match kind {
            Kind::SetCompression => LogFormat::Legacy,
            _ => self.format,
        };
        push_header(&mut self.buffer, kind, format, self.log_number);
        fill(&mut self.buffer);
        seal(&mut self.buffer[start..], len);
        self.block_offset += self.buffer.len() - start;
        debug_assert!(self.block_offset <= BLOCK_SIZE);
    }

    /// The buffer ends with a whole record.
    fn end_record(&mut self) -> Result<()> {
        if self.buffer.len() < self.buffer_limit {
            return Ok(());
        }
        self.write_out()
    }

    /// Writes the buffer and empties it.
    fn write_out(&mut self) -> Result<()> {
        // Also if it panics.
        self.failed = true;
        let result = self.file.append(&self.buffer);
        self.failed = result.is_err();
        self.buffer.clear();
        self.buffer.shrink_to(KEPT_CAPACITY);
        result
    }
}

/// What is left of a record's parts.
struct Source<'a> {
    parts: &'a [&'a [u8]],
    /// How much of the first one is gone.
    taken: usize,
}

impl Source<'_> {
    /// Appends the next `len` bytes to `out`.
    fn take(&mut self, mut len: usize, out: &mut Vec<u8>) {
        while let Some((part, rest)) = self.parts.split_first() {
            let part = &part[self.taken..];
            if part.len() > len {
                out.extend_from_slice(&part[..len]);
                self.taken += len;
                return;
            }
            out.extend_from_slice(part);
            len -= part.len();
            self.parts = rest;
            self.taken = 0;
        }
        debug_assert_eq!(len, 0);
    }
}
