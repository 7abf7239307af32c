//! Table properties added up, and as the text that RocksDB makes of them.

use crate::plug::table_properties::TableProperties;
use std::fmt::{Display, Write as _};

impl TableProperties {
    /// Adds what can be added: sizes and counts.
    pub fn add(&mut self, other: &TableProperties) {
        macro_rules! add {
            ($($field:ident)+) => {$(
                self.$field = self.$field.wrapping_add(other.$field);
            )+};
        }
        add! {
            data_size uncompressed_data_size index_size index_partitions top_level_index_size
            index_key_is_user_key index_value_is_delta_encoded filter_size raw_key_size
            raw_value_size num_data_blocks num_data_blocks_compression_rejected
            num_data_blocks_compression_bypassed num_uniform_blocks num_entries
            num_filter_entries num_deletions num_merge_operands num_range_deletions
            slow_compression_estimated_data_size fast_compression_estimated_data_size
        }
    }

    /// A sum of tables' properties as `name=value; ` for each, in RocksDB's order and words.
    pub fn sum_to_text(&self) -> String {
        let mut text = Text(String::with_capacity(1024));
        self.write_contents(&mut text);
        self.write_sizes(&mut text);
        self.write_origin(&mut text);
        text.0
    }

    fn write_contents(&self, text: &mut Text) {
        text.put("# data blocks", self.num_data_blocks);
        text.put("# data blocks compression rejected", self.num_data_blocks_compression_rejected);
        text.put("# data blocks compression bypassed", self.num_data_blocks_compression_bypassed);
        text.put("# uniform blocks", self.num_uniform_blocks);
        text.put("# entries", self.num_entries);
        text.put("# deletions", self.num_deletions);
        text.put("# merge operands", self.num_merge_operands);
        text.put("# range deletions", self.num_range_deletions);
        let average = |bytes: u64| match self.num_entries {
            0 => "0.000000".to_string(),
            entries => format!("{:.6}", bytes as f64 / entries as f64),
        };
        text.put("raw key size", self.raw_key_size);
        text.put("raw average key size", average(self.raw_key_size));
        text.put("raw value size", self.raw_value_size);
        text.put("raw average value size", average(self.raw_value_size));
    }

    fn write_sizes(&self, text: &mut Text) {
        text.put("data block size", self.data_size);
        text.put("data uncompressed size", self.uncompressed_data_size);
        let index = format!(
            "index block size (user-key? {}, delta-value? {})",
            self.index_key_is_user_key, self.index_value_is_delta_encoded
        );
        text.put(&index, self.index_size);
        if self.index_partitions != 0 {
            text.put("# index partitions", self.index_partitions);
            text.put("top-level index size", self.top_level_index_size);
        }
        text.put("filter block size", self.filter_size);
        text.put("# entries for filter", self.num_filter_entries);
        let table = self.data_size + self.index_size + self.filter_size;
        text.put("(estimated) table size", table);
    }

    fn write_origin(&self, text: &mut Text) {
        text.put_name("filter policy name", &self.filter_policy_name);
        text.put_name("prefix extractor name", &self.prefix_extractor_name);
        let family = match self.column_family_id {
            Self::UNKNOWN_COLUMN_FAMILY => String::new(),
            id => id.to_string(),
        };
        text.put_name("column family ID", &family);
        text.put_name("column family name", &self.column_family_name);
        text.put_name("comparator name", &self.comparator_name);
        let persisted = self.user_defined_timestamps_persisted != 0;
        text.put("user defined timestamps persisted", persisted);
        text.put("largest sequence number in file", self.key_largest_seqno);
        text.put("smallest sequence number in file", self.key_smallest_seqno);
        text.put_name("merge operator name", &self.merge_operator_name);
        text.put_name("property collectors names", &self.property_collectors_names);
        text.put_name("SST file compression algo", &self.compression_name);
        text.put_name("SST file compression options", &self.compression_options);
        text.put("creation time", self.creation_time);
        text.put("time stamp of earliest key", self.oldest_key_time);
        text.put("time stamp of newest key", self.newest_key_time);
        text.put("file creation time", self.file_creation_time);
        let slow = self.slow_compression_estimated_data_size;
        text.put("slow compression estimated data size", slow);
        let fast = self.fast_compression_estimated_data_size;
        text.put("fast compression estimated data size", fast);
        text.put("DB identity", &self.db_id);
        text.put("DB session identity", &self.db_session_id);
        text.put("DB host id", &self.db_host_id);
        text.put("original file number", self.orig_file_number);
        // A sum of tables has neither.
        text.put("unique ID", "N/A");
        text.put("Sequence number to time mapping", "");
    }
}

struct Text(String);

impl Text {
    fn put(&mut self, name: &str, value: impl Display) {
        let _ = write!(self.0, "{name}={value}; ");
    }

    fn put_name(&mut self, name: &str, value: &str) {
        self.put(name, if value.is_empty() { "N/A" } else { value });
    }
}
