//! [`BlockSource`]: reads one block of a table file: checks its checksum, unpacks it.

use super::checksum::context_modifier;
use super::footer::Footer;
use super::handle::{BLOCK_TRAILER_LEN, BlockHandle};
use super::options::TableReadOptions;
use super::{properties, separated, watch};
use crate::base::coding::fixed32;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::codec::{CompressionType, Dictionary, decompress_with};
use crate::env::file_system::RandomFile;
use crate::env::rate_limiter::RateLimiter;
use crate::plug::table_properties::TableProperties;
use crate::stats::distribution::Cells;
use crate::stats::{Metric, PerfTimer, Stats, Ticker, count, is_watched, perf};
use std::cell::RefCell;

/// What a block is for, as error messages name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BlockType {
    Data,
    Filter,
    FilterPartitionIndex,
    Properties,
    CompressionDictionary,
    RangeDeletion,
    HashIndexPrefixes,
    HashIndexMetadata,
    MetaIndex,
    Index,
}

/// A table file and what is needed to make sense of its blocks. Cheap to use from many threads.
pub struct BlockSource {
    file: Arc<dyn RandomFile>,
    file_size: u64,
    footer: Footer,
    dictionary: Option<Dictionary>,
    rate_limiter: Option<Arc<RateLimiter>>,
    counts: ReadCounts,
}

/// What counts the reads of a file.
#[derive(Clone, Default)]
pub struct ReadCounts {
    /// The statistics of its database.
    pub stats: Stats,
    /// Whether it is on the last level that there can be.
    pub last_level: bool,
    /// How long its reads take, in microseconds, and those of others on its level.
    pub micros: Option<Arc<Cells>>,
}

thread_local! {
    /// Where packed blocks are read to; kept up to a size that blocks rarely exceed.
    static PACKED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}
const KEPT_LEN: usize = 256 << 10;

impl BlockSource {
    /// Reads the footer of `file`, which the caller knows to be `file_size` bytes long.
    pub fn open(
        file: Arc<dyn RandomFile>,
        file_size: u64,
        counts: ReadCounts,
    ) -> Result<BlockSource> {
        let name = file.path().display().to_string();
        let actual = file.size()?;
        if actual != file_size {
            return Err(Status::corruption(format!(
                "Sst file size mismatch between expected {file_size} and file system {actual} \
                 sstable: {name}"
            )));
        }
        if file_size < Footer::MIN_FILE_LEN {
            return Err(Status::corruption(format!(
                "file is too short ({file_size} bytes) to be an sstable: {name}"
            )));
        }
        let offset = file_size.saturating_sub(Footer::ENCODED_LEN as u64);
        let mut tail = [0; Footer::ENCODED_LEN];
        let len = read_at(&*file, offset, &mut tail, &counts)?;
        if (len as u64) < file_size - offset {
            return Err(Status::corruption(format!(
                "The number of bytes read for Footer input {len} is smaller than minimum footer \
                 encoded length: {} for file {name}\n",
                Footer::MIN_FILE_LEN
            )));
        }
        let footer = Footer::decode(&tail[..len], offset)
            .inspect_err(|_| count(&counts.stats, Ticker::SstFooterCorruptionCount, 1))
            .map_err(|e| e.append(&format!(" in {name}")))?;
        Ok(BlockSource { file, file_size, footer, dictionary: None, rate_limiter: None, counts })
    }

    /// What reads ask that say so.
    pub fn set_rate_limiter(&mut self, limiter: Option<Arc<RateLimiter>>) {
        self.rate_limiter = limiter;
    }

    /// Waits until `bytes` may be read, if the read is one that is limited.
    #[inline]
    pub fn pace(&self, bytes: u64, options: &TableReadOptions) {
        if let (Some(priority), Some(limiter)) = (options.limited_as, &self.rate_limiter) {
            limiter.request_read(bytes, priority, &self.counts.stats);
        }
    }

    /// [`read`](BlockSource::read) as the options say.
    pub fn read_with(
        &self,
        handle: BlockHandle,
        kind: BlockType,
        options: &TableReadOptions,
    ) -> Result<Box<[u8]>> {
        self.pace(handle.size.saturating_add(BLOCK_TRAILER_LEN as u64), options);
        self.read(handle, kind, options.verify_checksums)
    }

    /// Unpacks data blocks with `dictionary` from now on.
    pub fn set_dictionary(&mut self, dictionary: Dictionary) {
        self.dictionary = Some(dictionary);
    }

    /// The file.
    pub fn file(&self) -> &Arc<dyn RandomFile> {
        &self.file
    }

    /// Reads the file's bytes from `offset` on; returns how many there were.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        read_at(&*self.file, offset, buffer, &self.counts)
    }

    /// What counts the reads of this file.
    #[inline]
    pub fn statistics(&self) -> &Stats {
        &self.counts.stats
    }

    /// The file's length in bytes.
    pub fn file_size(&self) -> u64 {
        self.file_size
    }

    /// The file's footer.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// The uncompressed contents of the block at `handle`; with `verify` its checksum is checked.
    /// Blocks of kind [`BlockType::Data`] may need the dictionary.
    pub fn read(&self, handle: BlockHandle, kind: BlockType, verify: bool) -> Result<Box<[u8]>> {
        let len = self.stored_len(handle, kind)?;
        PACKED.with_borrow_mut(|buffer| {
            if buffer.len() < len {
                let more = len - buffer.len();
                buffer.try_reserve(more).map_err(|_| {
                    self.error(handle, kind, &format!("cannot allocate {len} bytes"))
                })?;
                buffer.resize(len, 0);
            }
            let result = self.read_into(handle, kind, verify, &mut buffer[..len]);
            if buffer.len() > KEPT_LEN {
                *buffer = Vec::new();
            }
            result
        })
    }

    /// The properties block at `handle`, decoded. Its checksum holds for the block as it was first
    /// written: ingesting a file may have set its global sequence number in place.
    pub fn read_properties(&self, handle: BlockHandle) -> Result<TableProperties> {
        let kind = BlockType::Properties;
        let len = self.stored_len(handle, kind)?;
        let mut stored = Vec::new();
        stored
            .try_reserve_exact(len)
            .map_err(|_| self.error(handle, kind, &format!("cannot allocate {len} bytes")))?;
        stored.resize(len, 0);
        self.read_stored(handle, &mut stored)?;
        let size = len - BLOCK_TRAILER_LEN;
        let verified = self.verify(&stored, size, handle, kind);
        let decoded = self
            .unpack(&stored, handle, kind, false)
            .and_then(|block| properties::decode(&block, handle.offset))
            .map_err(|e| self.locate(e, handle, kind));
        let Err(mismatch) = verified else { return decoded };
        let Ok(properties) = decoded else { return Err(mismatch) };
        let at = properties.external_sst_file_global_seqno_offset.checked_sub(handle.offset);
        let at = at.map_or(usize::MAX, |at| at as usize);
        if at > size.saturating_sub(8) {
            return Err(mismatch);
        }
        stored[at..at + 8].fill(0);
        self.verify(&stored, size, handle, kind).map_err(|_| mismatch)?;
        Ok(properties)
    }

    /// Reads the block at `handle` to `stored`, which has its length with the trailer, and checks
    /// and unpacks it.
    fn read_into(
        &self,
        handle: BlockHandle,
        kind: BlockType,
        verify: bool,
        stored: &mut [u8],
    ) -> Result<Box<[u8]>> {
        self.read_stored(handle, stored)?;
        self.unpack(stored, handle, kind, verify)
    }

    /// Fills `stored` with the bytes at `handle`.
    fn read_stored(&self, handle: BlockHandle, stored: &mut [u8]) -> Result<()> {
        let got = self.read_at(handle.offset, stored)?;
        if got < stored.len() {
            return Err(Status::corruption(format!(
                "truncated block read from {} offset {}, expected {} bytes, got {got}",
                self.file.path().display(),
                handle.offset,
                stored.len()
            )));
        }
        Ok(())
    }

    /// Turns `stored`, the bytes of the block at `handle` with its trailer, into the block's
    /// contents. For callers that have read several blocks at once.
    pub fn unpack(
        &self,
        stored: &[u8],
        handle: BlockHandle,
        kind: BlockType,
        verify: bool,
    ) -> Result<Box<[u8]>> {
        let size = stored
            .len()
            .checked_sub(BLOCK_TRAILER_LEN)
            .ok_or_else(|| self.error(handle, kind, "block without trailer"))?;
        if verify {
            self.verify(stored, size, handle, kind)?;
        }
        if perf::is_on() {
            watch::fetched(kind, stored.len());
        }
        let packed = &stored[..size];
        let codec =
            CompressionType::from_u8(stored[size]).map_err(|e| self.locate(e, handle, kind))?;
        if codec == CompressionType::None {
            if kind == BlockType::Data && separated::is_separated(packed) {
                return self.joined(packed, handle);
            }
            return Ok(packed.into());
        }
        let dictionary = self.dictionary.as_ref().filter(|_| kind == BlockType::Data);
        let watched =
            is_watched(&self.counts.stats).then(|| watch::Unpacking::begin(&self.counts.stats));
        let block =
            decompress_with(codec, packed, dictionary).map_err(|e| self.locate(e, handle, kind))?;
        if let Some(watched) = watched {
            watched.end(packed.len(), block.len());
        }
        if kind == BlockType::Data && separated::is_separated(&block) {
            return self.joined(&block, handle);
        }
        Ok(block.into_boxed_slice())
    }

    #[cold]
    fn joined(&self, block: &[u8], handle: BlockHandle) -> Result<Box<[u8]>> {
        let joined = separated::join(block).map_err(|e| self.locate(e, handle, BlockType::Data))?;
        Ok(joined.into_boxed_slice())
    }

    /// The length with trailer of the block at `handle`, which must lie before the footer.
    fn stored_len(&self, handle: BlockHandle, kind: BlockType) -> Result<usize> {
        let limit = self.file_size.saturating_sub(Footer::ENCODED_LEN as u64);
        match handle.end() {
            Some(end) if end <= limit => Ok((end - handle.offset) as usize),
            Some(end) if end > self.file_size => Err(Status::corruption(format!(
                "truncated block read from {} offset {}, expected {} bytes, got {}",
                self.file.path().display(),
                handle.offset,
                end - handle.offset,
                self.file_size.saturating_sub(handle.offset)
            ))),
            _ => Err(self.error(handle, kind, "block handle points outside the file")),
        }
    }

    fn verify(
        &self,
        stored: &[u8],
        size: usize,
        handle: BlockHandle,
        kind: BlockType,
    ) -> Result<()> {
        let sum = self.footer.checksum;
        let time = PerfTimer::start(Metric::BlockChecksumTime);
        let computed = sum.compute(&stored[..size + 1]);
        drop(time);
        let modifier = context_modifier(self.footer.base_context_checksum, handle.offset);
        let expected = fixed32(&stored[size + 1..]).wrapping_sub(modifier);
        if self.counts.stats.is_some() {
            watch::verified(&self.counts.stats, expected == computed);
        }
        if expected == computed {
            return Ok(());
        }
        Err(Status::corruption(format!(
            "block checksum mismatch: stored{} = {}, computed = {}, type = {}  in {} offset {} \
             size {size}, block_type = {kind:?}",
            if modifier != 0 { "(context removed)" } else { "" },
            sum.displayed(expected),
            sum.displayed(computed),
            sum as u8,
            self.file.path().display(),
            handle.offset,
        )))
    }

    #[cold]
    fn error(&self, handle: BlockHandle, kind: BlockType, what: &str) -> Status {
        self.locate(Status::corruption(what), handle, kind)
    }

    /// `status` with the block's place behind it.
    #[cold]
    fn locate(&self, status: Status, handle: BlockHandle, kind: BlockType) -> Status {
        status.append(&format!(
            " in {} offset {} size {}, block_type = {kind:?}",
            self.file.path().display(),
            handle.offset,
            handle.size
        ))
    }
}

fn read_at(
    file: &dyn RandomFile,
    offset: u64,
    buffer: &mut [u8],
    counts: &ReadCounts,
) -> Result<usize> {
    if !is_watched(&counts.stats) {
        return file.read_at(offset, buffer);
    }
    let read = watch::Read::begin(counts);
    let result = file.read_at(offset, buffer);
    read.end(*result.as_ref().unwrap_or(&0));
    result
}
