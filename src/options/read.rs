//! [`ReadOptions`]: how one read or iterator works.

use crate::base::key::SequenceNumber;
use crate::base::sync::Arc;
use crate::options::enums::{IoActivity, RateLimiterPriority, ReadTier};
use crate::options::rejected::Rejected;
use crate::options::table::define_options;
use crate::plug::table_predicate::SharedTablePredicate;

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
        /// Microseconds that a file system may take for one read, if it can give up reading; 0
        /// means any time. Those of the default and the memory environment cannot, as in RocksDB,
        /// and there `deadline` alone is kept.
        io_timeout: u64 = 0,
            c(rocksdb_readoptions_set_io_timeout(u64),
              rocksdb_readoptions_get_io_timeout -> u64);
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
        /// Let a batch of gets read files of several levels at once, where `async_io` makes reads
        /// asynchronous. Here, as in RocksDB without coroutines, it does not: files are read one
        /// by one.
        optimize_multiget_for_io: bool = true,
            c(rocksdb_readoptions_set_optimize_multiget_for_io(c_uchar),
              rocksdb_readoptions_get_optimize_multiget_for_io -> c_uchar);
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
        /// Let an iterator's read-ahead go on from one table of a level to the next, where it
        /// else begins anew, and shrink where blocks turn out to be cached.
        adaptive_readahead: bool = false,
            c(rocksdb_readoptions_set_adaptive_readahead(c_uchar),
              rocksdb_readoptions_get_adaptive_readahead -> c_uchar);
        /// Have the background remove the files that only an iterator kept, when it ends. Else the
        /// thread that ends the iterator does.
        background_purge_on_iterator_cleanup: bool = false,
            c(rocksdb_readoptions_set_background_purge_on_iterator_cleanup(c_uchar),
              rocksdb_readoptions_get_background_purge_on_iterator_cleanup -> c_uchar);
        /// Let an iterator read nothing ahead that lies behind its upper bound, or with
        /// `prefix_same_as_start` behind the prefix, or that is cached anyway at the end of that.
        auto_readahead_size: bool = true,
            c(rocksdb_readoptions_set_auto_readahead_size(c_uchar),
              rocksdb_readoptions_get_auto_readahead_size -> c_uchar);
        /// Let an iterator leave values in blob files unread until they are asked for. No function
        /// of the C interface asks, and values elsewhere are there at once.
        allow_unprepared_value: bool = false,
            c(rocksdb_readoptions_set_allow_unprepared_value(c_uchar),
              rocksdb_readoptions_get_allow_unprepared_value -> c_uchar);
        /// Let an iterator that is made with a snapshot give up memtables and tables that are not
        /// current any more when it is moved. What it shows stays the same, as long as the
        /// snapshot is not released.
        auto_refresh_iterator_with_snapshot: bool = false,
            c(rocksdb_readoptions_set_auto_refresh_iterator_with_snapshot(c_uchar),
              rocksdb_readoptions_get_auto_refresh_iterator_with_snapshot -> c_uchar);
        /// Refuse to make iterators: what this once asked for is gone.
        managed: bool = false,
            c(rocksdb_readoptions_set_managed(c_uchar));
        /// Which tables an iterator shows; None means all.
        table_filter: SharedTablePredicate = None;
        /// Say so when more merge operands than this made up a value that was got.
        merge_operand_count_threshold: Option<usize> = None;
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
