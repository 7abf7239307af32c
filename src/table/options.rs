//! What readers of tables are told: [`TableReaderOptions`] at open, [`TableReadOptions`] at each
//! read.

use super::fetch::ReadCounts;
use crate::base::comparator::Comparator;
use crate::base::key::SequenceNumber;
use crate::base::sync::{Arc, AtomicBool};
use crate::cache::Cache;
use crate::env::rate_limiter::{IoPriority, RateLimiter};
use crate::plug::slice_transform::SliceTransform;
use crate::stats::activity::{Activity, Entered};

/// What a table is opened with.
#[derive(Clone, Default)]
pub struct TableReaderOptions {
    /// The order of the column family's keys; the table must have been written in it.
    pub comparator: Comparator,
    /// Keeps data blocks; without it every read goes to the file.
    pub cache: Option<Arc<Cache>>,
    /// An id from [`Cache::new_id`] that the opening database took once; 0 takes one for this
    /// reader alone.
    pub cache_session: u64,
    /// The table's number, which the open database uses for no other file.
    pub file_number: u64,
    /// The largest sequence number in the table, if the MANIFEST knows it. Ingested files take
    /// their keys' sequence number from it.
    pub largest_sequence: Option<SequenceNumber>,
    /// The id that the MANIFEST has for the file, if it has one; another file in its place is a
    /// corruption.
    pub expected_unique_id: Option<[u64; 2]>,
    /// The column family's prefix extractor. A table that was written with another one uses that.
    pub prefix_extractor: Option<SliceTransform>,
    /// Where index and filter are kept.
    pub metadata: MetadataCaching,
    /// Whether to leave the table's filter alone (no filter policy is set).
    pub skip_filters: bool,
    /// Counts what is read.
    pub counts: ReadCounts,
    /// Asked before the file is read, where a read says so.
    pub rate_limiter: Option<Arc<RateLimiter>>,
    /// Whether data blocks are put into the cache with a checksum, which is compared each time that
    /// they are found there. May change.
    pub guard_blocks: Arc<AtomicBool>,
}

/// Where a reader keeps index and filter. Without a cache it keeps them itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetadataCaching {
    /// In the cache, where they may be evicted. (Partitions always are there.)
    pub in_cache: bool,
    /// With high priority.
    pub high_priority: bool,
    /// The upper level of what is partitioned is held while the reader lives.
    pub pin_top_level: bool,
    /// So are the partitions.
    pub pin_partitions: bool,
    /// So is what is not partitioned.
    pub pin_unpartitioned: bool,
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct TableReadOptions {
    /// Whether to check the checksums of blocks that come from the file.
    pub verify_checksums: bool,
    /// Whether blocks that come from the file go into the cache.
    pub fill_cache: bool,
    /// Fail with `Incomplete` rather than read the file (RocksDB's `kBlockCacheTier`).
    pub cache_only: bool,
    /// Fail with `TimedOut` rather than read the file at or after this time, in microseconds since
    /// 1970; 0 is no time.
    pub deadline: u64,
    /// Ask the rate limiter before the file is read, with this priority.
    pub limited_as: Option<IoPriority>,
    /// What the file is read for, if that is not what the thread says that it does.
    pub activity: Option<Activity>,
    /// Iterators: bytes to read ahead, always; 0 leaves it to the reader.
    pub readahead_size: usize,
    /// Iterators: the first read-ahead that the reader decides on, in bytes; it doubles from there.
    pub initial_auto_readahead_size: usize,
    /// Iterators: the largest read-ahead that the reader decides on, in bytes; 0 turns it off.
    pub max_auto_readahead_size: usize,
    /// Iterators: how many blocks in a row are read one by one before reading ahead.
    pub num_file_reads_for_auto_readahead: u64,
    /// Iterators: do not read ahead what lies behind a known end of the scan (RocksDB's
    /// `auto_readahead_size`).
    pub trim_read_ahead: bool,
    /// Iterators: go on with the read-ahead of one table in the next one of its level, and read
    /// less ahead where blocks turn out to be cached (RocksDB's `adaptive_readahead`).
    pub adaptive_read_ahead: bool,
}

impl Default for TableReadOptions {
    fn default() -> Self {
        TableReadOptions {
            verify_checksums: true,
            fill_cache: true,
            cache_only: false,
            deadline: 0,
            limited_as: None,
            activity: None,
            readahead_size: 0,
            initial_auto_readahead_size: 8 << 10,
            max_auto_readahead_size: 256 << 10,
            num_file_reads_for_auto_readahead: 2,
            trim_read_ahead: true,
            adaptive_read_ahead: false,
        }
    }
}

impl TableReadOptions {
    /// While the result lives, this thread does what these options read for.
    pub fn enter_activity(&self) -> Option<Entered> {
        self.activity.map(Activity::enter)
    }
}
