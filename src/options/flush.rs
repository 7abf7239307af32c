//! [`FlushOptions`]: how one flush works.

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
            /// Flush all column families together.
            force_atomic_flush: bool = false;
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
