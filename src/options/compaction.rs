//! The parameters of the compaction styles.

use crate::base::status::Result;
use crate::options::enums::{CompactionStopStyle, Temperature};
use crate::options::table::{define_options, nested_text, parse_nested, write_nested};
use crate::options::text::{Reading, Text};

define_options! {
    /// The parameters of universal compaction.
    struct CompactionOptionsUniversal;
    rows {
        /// Per cent by which the runs taken may be smaller than the next one.
        size_ratio: u32 = 1, live idle;
        /// The fewest runs of a compaction.
        min_merge_width: u32 = 2, live idle;
        /// The most runs of a compaction.
        max_merge_width: u32 = u32::MAX, live idle;
        /// Per cent of space beyond the last run that starts a full compaction.
        max_size_amplification_percent: u32 = 200, live idle;
        /// Per cent of data that is compressed; -1 means all.
        compression_size_percent: i32 = -1, live idle;
        /// The most runs at a time: -1 as the compaction trigger says, 0 any number.
        max_read_amp: i32 = -1, live idle;
        /// What the next run is compared with.
        stop_style: CompactionStopStyle = CompactionStopStyle::TotalSize, live idle;
        /// Compact the last run in parts.
        incremental: bool = false, live idle;
        /// Move files that overlap nothing.
        allow_trivial_move: bool = false, live idle;
        /// Leave runs that wait for a compaction to others.
        reduce_file_locking: bool = true, live idle;
    }
}

define_options! {
    /// The parameters of FIFO compaction.
    struct CompactionOptionsFifo;
    rows {
        /// Bytes of all tables from which the oldest are deleted.
        max_table_files_size: u64 = 1 << 30, live idle;
        /// Deprecated: seconds after which a file becomes warm.
        age_for_warm: u64 = 0, live idle;
        /// Compact small files together.
        allow_compaction: bool = false, live idle;
        /// The temperatures that files take with their age.
        file_temperature_age_thresholds: Vec<FileTemperatureAge> = Vec::new(), live idle;
        /// Copy files byte by byte to change their temperature.
        allow_trivial_copy_when_change_temperature: bool = false, live idle;
        /// Bytes copied at a time.
        trivial_copy_buffer_size: u64 = 4096, live idle;
        /// Bytes of all tables and blob files from which the oldest are deleted; 0 means that
        /// `max_table_files_size` decides.
        max_data_files_size: u64 = 0, live idle;
        /// Choose the size of compacted files from that of keys and values.
        use_kv_ratio_compaction: bool = false, live idle;
    }
    deprecated { ttl }
}

define_options! {
    /// The temperature of files from an age on.
    struct FileTemperatureAge;
    rows {
        /// The temperature.
        temperature: Temperature = Temperature::Unknown, live idle;
        /// The age in seconds.
        age: u64 = 0, live idle;
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
