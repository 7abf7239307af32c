//! The parameters of the compaction styles.

use crate::base::status::Result;
use crate::options::enums::{CompactionStopStyle, Temperature};
use crate::options::rejected::Rejected;
use crate::options::table::{define_options, nested_text, parse_nested, write_nested};
use crate::options::text::{Reading, Text};

/// Hands the rows of [`CompactionOptionsUniversal`] to the macro `$apply`.
macro_rules! universal_compaction_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// The parameters of universal compaction. A sorted run is a file of level 0, or another level.
    struct CompactionOptionsUniversal;
    rows {
        /// Per cent by which the runs taken may be smaller together than the next one for that to be
        /// taken as well.
        size_ratio: u32 = 1, live,
            c(rocksdb_universal_compaction_options_set_size_ratio(c_int),
              rocksdb_universal_compaction_options_get_size_ratio -> c_int);
        /// The fewest runs of a compaction; at least 2.
        min_merge_width: u32 = 2, live,
            c(rocksdb_universal_compaction_options_set_min_merge_width(c_int),
              rocksdb_universal_compaction_options_get_min_merge_width -> c_int);
        /// The most runs of a compaction that is not a full one.
        max_merge_width: u32 = u32::MAX, live,
            c(rocksdb_universal_compaction_options_set_max_merge_width(c_int),
              rocksdb_universal_compaction_options_get_max_merge_width -> c_int);
        /// Per cent of space beyond the oldest run from which all runs are merged.
        max_size_amplification_percent: u32 = 200, live,
            c(rocksdb_universal_compaction_options_set_max_size_amplification_percent(c_int),
              rocksdb_universal_compaction_options_get_max_size_amplification_percent -> c_int);
        /// Per cent of data, the oldest, that suffice to be compressed; -1 means all are.
        compression_size_percent: i32 = -1, live,
            c(rocksdb_universal_compaction_options_set_compression_size_percent(c_int),
              rocksdb_universal_compaction_options_get_compression_size_percent -> c_int);
        /// The most runs at a time, not less than `level0_file_num_compaction_trigger`: -1 means as
        /// many as that, 0 lets the database choose by its size.
        max_read_amp: i32 = -1, live,
            c(rocksdb_universal_compaction_options_set_max_read_amp(c_int),
              rocksdb_universal_compaction_options_get_max_read_amp -> c_int);
        /// What the next run is compared with: one of `rocksdb_compaction_stop_style`.
        stop_style: CompactionStopStyle = CompactionStopStyle::TotalSize, live,
            c(rocksdb_universal_compaction_options_set_stop_style(c_int),
              rocksdb_universal_compaction_options_get_stop_style -> c_int);
        /// Merge parts of the second oldest run into the oldest, of `max_compaction_bytes` about.
        incremental: bool = false, live,
            c(rocksdb_universal_compaction_options_set_incremental(c_uchar),
              rocksdb_universal_compaction_options_get_incremental -> c_uchar);
        /// Move files that overlap nothing as they are.
        allow_trivial_move: bool = false, live,
            c(rocksdb_universal_compaction_options_set_allow_trivial_move(c_uchar),
              rocksdb_universal_compaction_options_get_allow_trivial_move -> c_uchar);
        /// While a compaction waits for a thread of the bottom priority, leave all runs but the
        /// oldest to other compactions.
        reduce_file_locking: bool = true, live,
            c(rocksdb_universal_compaction_options_set_reduce_file_locking(c_uchar),
              rocksdb_universal_compaction_options_get_reduce_file_locking -> c_uchar);
    }
    memory {
        /// Values that are refused at open.
        rejected: Rejected = Rejected::default();
    }
    }};
}
pub(crate) use universal_compaction_options;

universal_compaction_options!(define_options);

/// Hands the rows of [`CompactionOptionsFifo`] to the macro `$apply`.
macro_rules! fifo_compaction_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// The parameters of FIFO compaction.
    struct CompactionOptionsFifo;
    rows {
        /// Bytes of all tables from which the oldest are dropped.
        max_table_files_size: u64 = 1 << 30, live,
            c(rocksdb_fifo_compaction_options_set_max_table_files_size(u64),
              rocksdb_fifo_compaction_options_get_max_table_files_size -> u64);
        /// Without effect, as in RocksDB, where `file_temperature_age_thresholds` replaced it.
        age_for_warm: u64 = 0, live,
            c(rocksdb_fifo_compaction_options_set_age_for_warm(u64),
              rocksdb_fifo_compaction_options_get_age_for_warm -> u64);
        /// Merge small files of level 0, as many as `level0_file_num_compaction_trigger` and more.
        allow_compaction: bool = false, live,
            c(rocksdb_fifo_compaction_options_set_allow_compaction(c_uchar),
              rocksdb_fifo_compaction_options_get_allow_compaction -> c_uchar);
        /// The temperatures that files take with their age. They need `num_levels` to be 1.
        file_temperature_age_thresholds: Vec<FileTemperatureAge> = Vec::new(), live;
        /// Copy files byte by byte to change their temperature.
        allow_trivial_copy_when_change_temperature: bool = false, live idle;
        /// Bytes copied at a time.
        trivial_copy_buffer_size: u64 = 4096, live idle;
        /// Bytes of all tables and blob files from which the oldest are dropped; 0 means that
        /// `max_table_files_size` decides.
        max_data_files_size: u64 = 0, live,
            c(rocksdb_fifo_compaction_options_set_max_data_files_size(u64),
              rocksdb_fifo_compaction_options_get_max_data_files_size -> u64);
        /// With `allow_compaction`: merge files in tiers of growing size, up to the share of
        /// `max_data_files_size` that is due to each of `level0_file_num_compaction_trigger` tables.
        use_kv_ratio_compaction: bool = false, live,
            c(rocksdb_fifo_compaction_options_set_use_kv_ratio_compaction(c_uchar),
              rocksdb_fifo_compaction_options_get_use_kv_ratio_compaction -> c_uchar);
    }
    memory {
        /// Values that are refused at open.
        rejected: Rejected = Rejected::default();
    }
    deprecated { ttl }
    }};
}
pub(crate) use fifo_compaction_options;

fifo_compaction_options!(define_options);

define_options! {
    /// The temperature of files from an age on.
    struct FileTemperatureAge;
    rows {
        /// The temperature.
        temperature: Temperature = Temperature::Unknown, live;
        /// The age in seconds.
        age: u64 = 0, live;
    }
}

nested_text!(CompactionOptionsUniversal, FileTemperatureAge);

impl Text for CompactionOptionsFifo {
    fn write(&self, out: &mut String) {
        write_nested(self, out);
    }

    /// Old files hold `max_table_files_size` alone.
    fn parse(&mut self, name: &str, path: &str, text: &str, how: &Reading) -> Result<()> {
        if path.is_empty() && !text.contains('=') && !text.is_empty() {
            return self.max_table_files_size.parse(name, path, text, how);
        }
        parse_nested(self, name, path, text, how)
    }
}
