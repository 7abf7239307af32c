//! [`TableProperties`]: what a table file says about itself.

use std::collections::BTreeMap;

/// The properties of one table file, as its properties block holds them. Field names are
/// RocksDB's. Sizes are in bytes, times in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableProperties {
    /// The file's number when it was written.
    pub orig_file_number: u64,
    /// All data blocks, as stored.
    pub data_size: u64,
    /// All data blocks, uncompressed. Known while writing only; files do not carry it.
    pub uncompressed_data_size: u64,
    /// The index block, with its trailer.
    pub index_size: u64,
    /// Index partitions, for two-level indexes.
    pub index_partitions: u64,
    /// The top-level index block, for two-level indexes.
    pub top_level_index_size: u64,
    /// 1 if the index's keys are user keys, 0 if they are internal keys.
    pub index_key_is_user_key: u64,
    /// 1 if the index's values are delta-encoded.
    pub index_value_is_delta_encoded: u64,
    /// 1 if a user-defined index replaces the built-in one.
    pub udi_is_primary_index: u64,
    /// The filter block.
    pub filter_size: u64,
    /// All keys, before prefix compression.
    pub raw_key_size: u64,
    /// All values.
    pub raw_value_size: u64,
    /// Data blocks.
    pub num_data_blocks: u64,
    /// Data blocks that did not pack well enough and are stored as they are.
    pub num_data_blocks_compression_rejected: u64,
    /// Data blocks that nobody tried to pack.
    pub num_data_blocks_compression_bypassed: u64,
    /// Index blocks whose keys are spaced evenly.
    pub num_uniform_blocks: u64,
    /// Records, range deletions included.
    pub num_entries: u64,
    /// Keys (or prefixes) in the filter.
    pub num_filter_entries: u64,
    /// Deletions of every kind.
    pub num_deletions: u64,
    /// Merge operands.
    pub num_merge_operands: u64,
    /// Range deletions.
    pub num_range_deletions: u64,
    /// The format version; 0 for files older than the property.
    pub format_version: u64,
    /// 0, or the length of every key (plain tables).
    pub fixed_key_len: u64,
    /// The column family, or [`TableProperties::UNKNOWN_COLUMN_FAMILY`].
    pub column_family_id: u64,
    /// When the oldest ancestor file was written, or 0.
    pub creation_time: u64,
    /// The write time of the oldest key, or 0.
    pub oldest_key_time: u64,
    /// The write time of the newest key, or 0.
    pub newest_key_time: u64,
    /// When this file was written, or 0.
    pub file_creation_time: u64,
    /// What a slow codec would make of the data blocks, by samples.
    pub slow_compression_estimated_data_size: u64,
    /// What a fast codec would make of the data blocks, by samples.
    pub fast_compression_estimated_data_size: u64,
    /// Where in the file the value of `rocksdb.external_sst_file.global_seqno` is, or 0.
    pub external_sst_file_global_seqno_offset: u64,
    /// Where the data blocks end and the meta blocks begin, or 0.
    pub tail_start_offset: u64,
    /// Whether the timestamps of user keys are stored.
    pub user_defined_timestamps_persisted: u64,
    /// The largest sequence number of a key; `u64::MAX` is unknown.
    pub key_largest_seqno: u64,
    /// The smallest sequence number of a key; `u64::MAX` is unknown.
    pub key_smallest_seqno: u64,
    /// Entries between restarts of data blocks; 0 is unknown.
    pub data_block_restart_interval: u64,
    /// Entries between restarts of index blocks; 0 is unknown.
    pub index_block_restart_interval: u64,
    /// 1 if data blocks keep keys and values in separate sections.
    pub separate_key_value_in_data_block: u64,
    /// The database that wrote the file.
    pub db_id: String,
    /// The session (one opening of a database) that wrote the file.
    pub db_session_id: String,
    /// The machine that wrote the file.
    pub db_host_id: String,
    /// The column family's name.
    pub column_family_name: String,
    /// The filter policy's name, or empty.
    pub filter_policy_name: String,
    /// The comparator's name.
    pub comparator_name: String,
    /// The merge operator's name, or `nullptr`.
    pub merge_operator_name: String,
    /// The prefix extractor's name, or `nullptr`.
    pub prefix_extractor_name: String,
    /// The names of property collectors, as `[a,b]`.
    pub property_collectors_names: String,
    /// The codec: its name, or from format version 7 on `manager;hex numbers;`.
    pub compression_name: String,
    /// The compression options as text.
    pub compression_options: String,
    /// When which sequence numbers were written, encoded.
    pub seqno_to_time_mapping: Vec<u8>,
    /// Everything else, and the counts of deletions and merge operands as varints.
    pub user_collected_properties: BTreeMap<Vec<u8>, Vec<u8>>,
    /// What property collectors say for people. Known while writing only; files do not carry it.
    pub readable_properties: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl TableProperties {
    /// `column_family_id` of a file that belongs to no column family yet.
    pub const UNKNOWN_COLUMN_FAMILY: u64 = i32::MAX as u64;

    /// The property `name` that RocksDB does not know as its own.
    pub fn user_property(&self, name: &str) -> Option<&[u8]> {
        self.user_collected_properties.get(name.as_bytes()).map(Vec::as_slice)
    }
}

impl Default for TableProperties {
    fn default() -> Self {
        TableProperties {
            orig_file_number: 0,
            data_size: 0,
            uncompressed_data_size: 0,
            index_size: 0,
            index_partitions: 0,
            top_level_index_size: 0,
            index_key_is_user_key: 0,
            index_value_is_delta_encoded: 0,
            udi_is_primary_index: 0,
            filter_size: 0,
            raw_key_size: 0,
            raw_value_size: 0,
            num_data_blocks: 0,
            num_data_blocks_compression_rejected: 0,
            num_data_blocks_compression_bypassed: 0,
            num_uniform_blocks: 0,
            num_entries: 0,
            num_filter_entries: 0,
            num_deletions: 0,
            num_merge_operands: 0,
            num_range_deletions: 0,
            format_version: 0,
            fixed_key_len: 0,
            column_family_id: Self::UNKNOWN_COLUMN_FAMILY,
            creation_time: 0,
            oldest_key_time: 0,
            newest_key_time: 0,
            file_creation_time: 0,
            slow_compression_estimated_data_size: 0,
            fast_compression_estimated_data_size: 0,
            external_sst_file_global_seqno_offset: 0,
            tail_start_offset: 0,
            user_defined_timestamps_persisted: 1,
            key_largest_seqno: u64::MAX,
            key_smallest_seqno: u64::MAX,
            data_block_restart_interval: 0,
            index_block_restart_interval: 0,
            separate_key_value_in_data_block: 0,
            db_id: String::new(),
            db_session_id: String::new(),
            db_host_id: String::new(),
            column_family_name: String::new(),
            filter_policy_name: String::new(),
            comparator_name: String::new(),
            merge_operator_name: String::new(),
            prefix_extractor_name: String::new(),
            property_collectors_names: String::new(),
            compression_name: String::new(),
            compression_options: String::new(),
            seqno_to_time_mapping: Vec::new(),
            user_collected_properties: BTreeMap::new(),
            readable_properties: BTreeMap::new(),
        }
    }
}
