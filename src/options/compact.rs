//! Options of what users ask of compactions: [`CompactRangeOptions`], [`CompactFilesOptions`],
//! [`WaitForCompactOptions`].

use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::codec::CompressionType;
use crate::options::enums::BottommostLevelCompaction;
use crate::options::rejected::Rejected;
use crate::options::table::define_options;

/// Hands the rows of [`CompactRangeOptions`] to the macro `$apply`.
macro_rules! compact_range_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of the compaction of a range of keys.
    struct CompactRangeOptions;
    rows {}
    memory {
        /// Let no other compaction run meanwhile.
        exclusive_manual_compaction: bool = false,
            c(rocksdb_compactoptions_set_exclusive_manual_compaction(c_uchar),
              rocksdb_compactoptions_get_exclusive_manual_compaction -> c_uchar);
        /// Move the level's files to `target_level` afterwards.
        change_level: bool = false,
            c(rocksdb_compactoptions_set_change_level(c_uchar),
              rocksdb_compactoptions_get_change_level -> c_uchar);
        /// Where to; negative means as far up as they fit.
        target_level: i32 = -1,
            c(rocksdb_compactoptions_set_target_level(c_int),
              rocksdb_compactoptions_get_target_level -> c_int);
        /// The folder of the output, as an index into `db_paths`.
        target_path_id: u32 = 0,
            c(rocksdb_compactoptions_set_target_path_id(c_int),
              rocksdb_compactoptions_get_target_path_id -> c_int);
        /// Whether files that are on the last level already are rewritten.
        bottommost_level_compaction: BottommostLevelCompaction
            = BottommostLevelCompaction::IfHaveCompactionFilter,
            c(rocksdb_compactoptions_set_bottommost_level_compaction(c_uchar),
              rocksdb_compactoptions_get_bottommost_level_compaction -> c_uchar);
        /// Begin at once even if writes then have to wait.
        allow_write_stall: bool = false,
            c(rocksdb_compactoptions_set_allow_write_stall(c_uchar),
              rocksdb_compactoptions_get_allow_write_stall -> c_uchar);
        /// How many threads may share a compaction; 0 means as the database's options say.
        max_subcompactions: u32 = 0,
            c(rocksdb_compactoptions_set_max_subcompactions(c_int),
              rocksdb_compactoptions_get_max_subcompactions -> c_int);
        /// The timestamp up to which history may be dropped; empty means none.
        full_history_ts_low: Vec<u8> = Vec::new();
        /// Set by the caller, or by disabling manual compactions, to call it off.
        canceled: Option<Arc<AtomicBool>> = None;
        /// Values that are refused when the options are used.
        rejected: Rejected = Rejected::default();
    }
    }};
}

pub(crate) use compact_range_options;

compact_range_options!(define_options);

impl CompactRangeOptions {
    /// Whether the caller has called it off already.
    pub fn is_canceled(&self) -> bool {
        self.canceled.as_ref().is_some_and(|flag| flag.load(Ordering::Acquire))
    }
}

/// Hands the rows of [`CompactFilesOptions`] to the macro `$apply`.
macro_rules! compact_files_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of the compaction of named files.
    struct CompactFilesOptions;
    rows {}
    memory {
        /// The compression of the output; 255 means as the column family's options say.
        compression: Option<CompressionType> = None,
            c(rocksdb_compaction_options_set_compression(c_int),
              rocksdb_compaction_options_get_compression -> c_int);
        /// Bytes of an output file.
        output_file_size_limit: u64 = u64::MAX,
            c(rocksdb_compaction_options_set_output_file_size_limit(u64),
              rocksdb_compaction_options_get_output_file_size_limit -> u64);
        /// How many threads may share it; 0 means as the database's options say.
        max_subcompactions: u32 = 0,
            c(rocksdb_compaction_options_set_max_subcompactions(c_uint),
              rocksdb_compaction_options_get_max_subcompactions -> c_uint);
        /// Set by the caller to call it off.
        canceled: Option<Arc<AtomicBool>> = None;
        /// Files that overlap nothing may move as they are.
        allow_trivial_move: bool = false,
            c(rocksdb_compaction_options_set_allow_trivial_move(c_uchar),
              rocksdb_compaction_options_get_allow_trivial_move -> c_uchar);
        /// Values that are refused when the options are used.
        rejected: Rejected = Rejected::default();
    }
    }};
}
pub(crate) use compact_files_options;

compact_files_options!(define_options);

/// Hands the rows of [`WaitForCompactOptions`] to the macro `$apply`.
macro_rules! wait_for_compact_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of waiting for all background work.
    struct WaitForCompactOptions;
    rows {}
    memory {
        /// Give up while background work is paused.
        abort_on_pause: bool = false,
            c(rocksdb_wait_for_compact_options_set_abort_on_pause(c_uchar),
              rocksdb_wait_for_compact_options_get_abort_on_pause -> c_uchar);
        /// Flush all column families first.
        flush: bool = false,
            c(rocksdb_wait_for_compact_options_set_flush(c_uchar),
              rocksdb_wait_for_compact_options_get_flush -> c_uchar);
        /// Wait for the removal of obsolete files, too.
        wait_for_purge: bool = false,
            c(rocksdb_wait_for_compact_options_set_wait_for_purge(c_uchar),
              rocksdb_wait_for_compact_options_get_wait_for_purge -> c_uchar);
        /// Close the database afterwards.
        close_db: bool = false,
            c(rocksdb_wait_for_compact_options_set_close_db(c_uchar),
              rocksdb_wait_for_compact_options_get_close_db -> c_uchar);
        /// Microseconds to wait; 0 means for ever.
        timeout: u64 = 0,
            c(rocksdb_wait_for_compact_options_set_timeout(u64),
              rocksdb_wait_for_compact_options_get_timeout -> u64);
        /// Values that are refused when the options are used.
        rejected: Rejected = Rejected::default();
    }
    }};
}

pub(crate) use wait_for_compact_options;

wait_for_compact_options!(define_options);
