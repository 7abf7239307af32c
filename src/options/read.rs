//! [`ReadOptions`]: how one read or iterator works.

use crate::base::key::SequenceNumber;
use crate::base::sync::Arc;
use crate::options::enums::{IoActivity, RateLimiterPriority, ReadTier};
use crate::options::rejected::Rejected;
use crate::options::table::define_options;

/// Hands the rows of [`ReadOptions`] to the macro `$apply`.
macro_rules! read_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of a read.
    struct ReadOptions;
    rows {}
    memory {
        /// Check the checksums of blocks that are read from files.
        verify_checksums: bool = true,
            c(rocksdb_readoptions_set_verify_checksums(c_uchar),
              rocksdb_readoptions_get_verify_checksums -> c_uchar);
        /// Put blocks that are read into the cache.
        fill_cache: bool = true,
            c(rocksdb_readoptions_set_fill_cache(c_uchar),
              rocksdb_readoptions_get_fill_cache -> c_uchar);
        /// Where a read may look.
        read_tier: ReadTier = ReadTier::All,
            c(rocksdb_readoptions_set_read_tier(c_int), rocksdb_readoptions_get_read_tier -> c_int);
        /// Bytes that an iterator reads ahead; 0 lets it choose.
        readahead_size: usize = 0,
            c(rocksdb_readoptions_set_readahead_size(usize),
              rocksdb_readoptions_get_readahead_size -> usize);
        /// What files are read for: a function that is called for something else fails. 255 leaves it
        /// to the function.
        io_activity: IoActivity = IoActivity::UNKNOWN,
            c(rocksdb_readoptions_set_io_activity(c_int),
              rocksdb_readoptions_get_io_activity -> c_int);
        /// How the rate limiter is asked for what is read from table files, if it limits reads: a
        /// priority from 0 (`IO_LOW`) to 3 (`IO_USER`), or 4 (`IO_TOTAL`), which does not ask.
        rate_limiter_priority: RateLimiterPriority = RateLimiterPriority::Unlimited,
            c(rocksdb_readoptions_set_rate_limiter_priority(c_int),
              rocksdb_readoptions_get_rate_limiter_priority -> c_int);
        /// The time by which the read must end, in microseconds of the system clock; 0 means none.
        deadline: u64 = 0,
            c(rocksdb_readoptions_set_deadline(u64),
              rocksdb_readoptions_get_deadline -> u64);
        /// Microseconds that one read of a file may take; 0 means any time.
        io_timeout: u64 = 0;
        /// Bytes of values that a batch of gets may return.
        value_size_soft_limit: u64 = u64::MAX,
            c(rocksdb_readoptions_set_value_size_soft_limit(u64),
              rocksdb_readoptions_get_value_size_soft_limit -> u64);
        /// Read as if there were no range deletions.
        ignore_range_deletions: bool = false,
            c(rocksdb_readoptions_set_ignore_range_deletions(c_uchar),
              rocksdb_readoptions_get_ignore_range_deletions -> c_uchar);
        /// Read ahead asynchronously.
        async_io: bool = false,
            c(rocksdb_readoptions_set_async_io(c_uchar),
              rocksdb_readoptions_get_async_io -> c_uchar);
        /// Let a batch of gets read files in parallel.
        optimize_multiget_for_io: bool = true;
        /// Hidden entries after which an iterator gives up with `Incomplete`; 0 means any number.
        max_skippable_internal_keys: u64 = 0,
            c(rocksdb_readoptions_set_max_skippable_internal_keys(u64),
              rocksdb_readoptions_get_max_skippable_internal_keys -> u64);
        /// Make an iterator that follows new writes.
        tailing: bool = false,
            c(rocksdb_readoptions_set_tailing(c_uchar),
              rocksdb_readoptions_get_tailing -> c_uchar);
        /// Ignore prefix indexes and filters.
        total_order_seek: bool = false,
            c(rocksdb_readoptions_set_total_order_seek(c_uchar),
              rocksdb_readoptions_get_total_order_seek -> c_uchar);
        /// Use prefix indexes and filters where the bounds allow it.
        auto_prefix_mode: bool = false,
            c(rocksdb_readoptions_set_auto_prefix_mode(c_uchar),
              rocksdb_readoptions_get_auto_prefix_mode -> c_uchar);
        /// End the iterator where the prefix of the seek key ends.
        prefix_same_as_start: bool = false,
            c(rocksdb_readoptions_set_prefix_same_as_start(c_uchar),
              rocksdb_readoptions_get_prefix_same_as_start -> c_uchar);
        /// Keep the blocks that an iterator passed in memory.
        pin_data: bool = false,
            c(rocksdb_readoptions_set_pin_data(c_uchar),
              rocksdb_readoptions_get_pin_data -> c_uchar);
        /// Let read-ahead grow and shrink between levels.
        adaptive_readahead: bool = false;
        /// Have the background remove the files that only an iterator kept, when it ends. Else the
        /// thread that ends the iterator does.
        background_purge_on_iterator_cleanup: bool = false,
            c(rocksdb_readoptions_set_background_purge_on_iterator_cleanup(c_uchar),
              rocksdb_readoptions_get_background_purge_on_iterator_cleanup -> c_uchar);
        /// Trim read-ahead to the upper bound.
        auto_readahead_size: bool = true;
        /// Leave values unread until they are asked for.
        allow_unprepared_value: bool = false;
        /// Let an iterator under a snapshot release memory and files as it goes.
        auto_refresh_iterator_with_snapshot: bool = false;
        /// Read the state at this sequence number; None means the newest.
        snapshot: Option<SequenceNumber> = None;
        /// An iterator ends at this user key, which it does not return.
        iterate_upper_bound: Option<Arc<[u8]>> = None;
        /// An iterator starts at this user key.
        iterate_lower_bound: Option<Arc<[u8]>> = None;
        /// Values that are refused when the options are used.
        rejected: Rejected = Rejected::default();
    }
    } };
}
pub(crate) use read_options;

read_options!(define_options);
