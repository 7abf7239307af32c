//! [`FlushOptions`] and [`FlushWalOptions`]: how one flush works, of memtables and of the WAL.

use crate::options::enums::RateLimiterPriority;
use crate::options::rejected::Rejected;
use crate::options::table::define_options;

/// Hands the rows of [`FlushOptions`] to the macro `$apply`.
macro_rules! flush_options {
    ($apply:ident $($target:tt)*) => {
        $apply! {
        $($target)*
        /// Options of a flush.
        struct FlushOptions;
        rows {}
        memory {
            /// Return after the flush ended.
            wait: bool = true,
                c(rocksdb_flushoptions_set_wait(c_uchar), rocksdb_flushoptions_get_wait -> c_uchar);
            /// Flush at once even if writes then have to wait.
            allow_write_stall: bool = false,
                c(rocksdb_flushoptions_set_allow_write_stall(c_uchar),
                  rocksdb_flushoptions_get_allow_write_stall -> c_uchar);
            /// Flush the column families together: after a crash, all or none of them have what
            /// they held, as with `rocksdb_options_set_atomic_flush`.
            force_atomic_flush: bool = false,
                c(rocksdb_flushoptions_set_force_atomic_flush(c_uchar),
                  rocksdb_flushoptions_get_force_atomic_flush -> c_uchar);
            /// Wait for listeners as well.
            listener_wait: bool = false;
            /// Values that are refused when the options are used.
            rejected: Rejected = Rejected::default();
        }
        }
    };
}
pub(crate) use flush_options;

flush_options!(define_options);

/// Hands the rows of [`FlushWalOptions`] to the macro `$apply`.
macro_rules! flush_wal_options {
    ($apply:ident $($target:tt)*) => {
        $apply! {
        $($target)*
        /// Options of a flush of the WAL.
        struct FlushWalOptions;
        rows {}
        memory {
            /// Make the WAL durable as well.
            sync: bool = false,
                c(rocksdb_flushwaloptions_set_sync(c_uchar),
                  rocksdb_flushwaloptions_get_sync -> c_uchar);
            /// How the rate limiter is asked for the bytes that were held back: a priority from 0
            /// (`IO_LOW`) to 3 (`IO_USER`), or 4 (`IO_TOTAL`), which does not ask.
            rate_limiter_priority: RateLimiterPriority = RateLimiterPriority::Unlimited,
                c(rocksdb_flushwaloptions_set_rate_limiter_priority(c_int),
                  rocksdb_flushwaloptions_get_rate_limiter_priority -> c_int);
            /// Values that are refused when the options are used.
            rejected: Rejected = Rejected::default();
        }
        }
    };
}
pub(crate) use flush_wal_options;

flush_wal_options!(define_options);
