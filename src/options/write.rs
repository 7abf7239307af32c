//! [`WriteOptions`]: how one write works.

use crate::options::enums::{IoActivity, RateLimiterPriority};
use crate::options::rejected::Rejected;
use crate::options::table::define_options;

/// Hands the rows of [`WriteOptions`] to the macro `$apply`.
macro_rules! write_options {
    ($apply:ident $($target:tt)*) => {
        $apply! {
        $($target)*
        /// Options of a write.
        struct WriteOptions;
        rows {}
        memory {
            /// Sync the WAL before the write returns.
            sync: bool = false,
                c(rocksdb_writeoptions_set_sync(c_uchar), rocksdb_writeoptions_get_sync -> c_uchar);
            /// Leave the WAL out: the write is lost if the process ends before its memtable is flushed.
            disable_wal: bool = false,
                c(rocksdb_writeoptions_disable_WAL(c_int),
                  rocksdb_writeoptions_get_disable_WAL -> c_uchar);
            /// Skip records of column families that do not exist, rather than fail.
            ignore_missing_column_families: bool = false,
                c(rocksdb_writeoptions_set_ignore_missing_column_families(c_uchar),
                  rocksdb_writeoptions_get_ignore_missing_column_families -> c_uchar);
            /// Fail with `Incomplete` where the write would have to wait for memory.
            no_slowdown: bool = false,
                c(rocksdb_writeoptions_set_no_slowdown(c_uchar),
                  rocksdb_writeoptions_get_no_slowdown -> c_uchar);
            /// How the rate limiter is asked for the bytes that go to the WAL: 3 (`IO_USER`), or 4
            /// (`IO_TOTAL`), which does not ask.
            rate_limiter_priority: RateLimiterPriority = RateLimiterPriority::Unlimited,
                c(rocksdb_writeoptions_set_rate_limiter_priority(c_int),
                  rocksdb_writeoptions_get_rate_limiter_priority -> c_int);
            /// While compactions lag, let such writes have one mebibyte a second together. With
            /// `no_slowdown` they fail with `Incomplete` instead.
            low_pri: bool = false,
                c(rocksdb_writeoptions_set_low_pri(c_uchar),
                  rocksdb_writeoptions_get_low_pri -> c_uchar);
            /// Tell memtables that the keys of a batch lie close together. A memtable that finds its
            /// places without that, as those here do, ignores it, as RocksDB does where writes are
            /// not concurrent.
            memtable_insert_hint_per_batch: bool = false,
                c(rocksdb_writeoptions_set_memtable_insert_hint_per_batch(c_uchar),
                  rocksdb_writeoptions_get_memtable_insert_hint_per_batch -> c_uchar);
            /// Bytes of checksum that guard each record against damage in memory on its way to the
            /// log and to the memtable: 0 (none) or 8. A batch keeps them.
            protection_bytes_per_key: usize = 0,
                c(rocksdb_writeoptions_set_protection_bytes_per_key(usize),
                  rocksdb_writeoptions_get_protection_bytes_per_key -> usize);
            /// What the log is written for, to those who follow input and output; writes do not
            /// depend on it. 255 is a user's write.
            io_activity: IoActivity = IoActivity::UNKNOWN,
                c(rocksdb_writeoptions_set_io_activity(c_int),
                  rocksdb_writeoptions_get_io_activity -> c_int);
            /// Values that are refused when the options are used.
            rejected: Rejected = Rejected::default();
        }
        }
    };
}
pub(crate) use write_options;

write_options!(define_options);
