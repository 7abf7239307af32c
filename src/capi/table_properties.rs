//! The properties of a table, as functions that are given them may read them.

use std::collections::BTreeMap;
use std::ffi::c_char;

use crate::base::status::Result;
use crate::base::sync::{Arc, Mutex};
use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{get, handles};
use crate::plug::table_properties::TableProperties;

/// What a table says about itself. Sizes are in bytes, times in seconds since 1970. It belongs to
/// the library, and so do texts that come from it, each with a NUL behind it.
pub struct rocksdb_table_properties_t {
    properties: Arc<TableProperties>,
    /// The texts that C looks at, by where the properties keep them.
    lent: Mutex<BTreeMap<usize, Box<[u8]>>>,
}

handles! { Borrowed: rocksdb_table_properties_t; }

impl rocksdb_table_properties_t {
    /// A handle for the time that C looks at `properties`.
    pub fn new(properties: &Arc<TableProperties>) -> rocksdb_table_properties_t {
        rocksdb_table_properties_t { properties: properties.clone(), lent: Mutex::default() }
    }

    /// `text`, a part of the properties, with a NUL behind it, as long as the handle lives.
    fn lend(&self, text: &[u8]) -> *const c_char {
        if text.is_empty() {
            return c"".as_ptr();
        }
        // The properties do not change, so a place stands for one text.
        let mut lent = self.lent.lock();
        let copy = lent.entry(text.as_ptr() as usize);
        copy.or_insert_with(|| [text, b"\0"].concat().into()).as_ptr().cast()
    }
}

/// A part of an entry of properties of `props`, and its length in `*len`; NULL if there is none.
///
/// # Safety
/// `*props` is NULL or a live handle, `len` is NULL or can be written.
unsafe fn part_of_entry(
    props: &*const rocksdb_table_properties_t,
    entry: impl FnOnce(&TableProperties) -> Option<&Vec<u8>>,
    len: *mut usize,
) -> Result<*const c_char> {
    // SAFETY: the caller's promise.
    unsafe {
        buffer::put(len, 0);
        let handle = get(props)?;
        let Some(text) = entry(&handle.properties) else { return Ok(std::ptr::null()) };
        buffer::put(len, text.len());
        Ok(handle.lend(text))
    }
}

/// Makes functions that give numbers.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(props: *const rocksdb_table_properties_t) -> u64 {
            guard(|| Ok(get(&props)?.properties.$field))
        }
    )+};
}

/// Makes functions that give texts, and their lengths in `*size`.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            props: *const rocksdb_table_properties_t,
            size: *mut usize,
        ) -> *const c_char {
            guard(|| {
                buffer::put(size, 0);
                let handle = get(&props)?;
                let text: &[u8] = handle.properties.$field.as_ref();
                buffer::put(size, text.len());
                Ok(handle.lend(text))
            })
        }
    )+};
}

numbers! {
    /// The file's number when it was written.
    rocksdb_table_properties_orig_file_number orig_file_number;
    /// All data blocks, as stored.
    rocksdb_table_properties_data_size data_size;
    /// All data blocks, uncompressed. Known while writing only; files do not carry it.
    rocksdb_table_properties_uncompressed_data_size uncompressed_data_size;
    /// The index block, with its trailer.
    rocksdb_table_properties_index_size index_size;
    /// Index partitions, for two-level indexes.
    rocksdb_table_properties_index_partitions index_partitions;
    /// The top-level index block, for two-level indexes.
    rocksdb_table_properties_top_level_index_size top_level_index_size;
    /// 1 if the index's keys are user keys, 0 if they are internal keys.
    rocksdb_table_properties_index_key_is_user_key index_key_is_user_key;
    /// 1 if the index's values are delta-encoded.
    rocksdb_table_properties_index_value_is_delta_encoded index_value_is_delta_encoded;
    /// 1 if a user-defined index replaces the built-in one.
    rocksdb_table_properties_udi_is_primary_index udi_is_primary_index;
    /// The filter block.
    rocksdb_table_properties_filter_size filter_size;
    /// All keys, before prefix compression.
    rocksdb_table_properties_raw_key_size raw_key_size;
    /// All values.
    rocksdb_table_properties_raw_value_size raw_value_size;
    /// Data blocks.
    rocksdb_table_properties_num_data_blocks num_data_blocks;
    /// Data blocks that did not pack well enough and are stored as they are.
    rocksdb_table_properties_num_data_blocks_compression_rejected num_data_blocks_compression_rejected;
    /// Data blocks that nobody tried to pack.
    rocksdb_table_properties_num_data_blocks_compression_bypassed num_data_blocks_compression_bypassed;
    /// Index blocks whose keys are spaced evenly.
    rocksdb_table_properties_num_uniform_blocks num_uniform_blocks;
    /// Records, range deletions included.
    rocksdb_table_properties_num_entries num_entries;
    /// Keys (or prefixes) in the filter.
    rocksdb_table_properties_num_filter_entries num_filter_entries;
    /// Deletions of every kind.
    rocksdb_table_properties_num_deletions num_deletions;
    /// Merge operands.
    rocksdb_table_properties_num_merge_operands num_merge_operands;
    /// Range deletions.
    rocksdb_table_properties_num_range_deletions num_range_deletions;
    /// The format version; 0 for files older than the property.
    rocksdb_table_properties_format_version format_version;
    /// 0, or the length of every key (plain tables).
    rocksdb_table_properties_fixed_key_len fixed_key_len;
    /// The column family; 2147483647 if the file belongs to none.
    rocksdb_table_properties_column_family_id column_family_id;
    /// When the oldest ancestor file was written, or 0.
    rocksdb_table_properties_creation_time creation_time;
    /// The write time of the oldest key, or 0.
    rocksdb_table_properties_oldest_key_time oldest_key_time;
    /// The write time of the newest key, or 0.
    rocksdb_table_properties_newest_key_time newest_key_time;
    /// When this file was written, or 0.
    rocksdb_table_properties_file_creation_time file_creation_time;
    /// What a slow codec would make of the data blocks, by samples.
    rocksdb_table_properties_slow_compression_estimated_data_size slow_compression_estimated_data_size;
    /// What a fast codec would make of the data blocks, by samples.
    rocksdb_table_properties_fast_compression_estimated_data_size fast_compression_estimated_data_size;
    /// Where in the file the value of `rocksdb.external_sst_file.global_seqno` is, or 0.
    rocksdb_table_properties_external_sst_file_global_seqno_offset external_sst_file_global_seqno_offset;
    /// Where the data blocks end and the meta blocks begin, or 0.
    rocksdb_table_properties_tail_start_offset tail_start_offset;
    /// 1 if the timestamps of user keys are stored.
    rocksdb_table_properties_user_defined_timestamps_persisted user_defined_timestamps_persisted;
    /// The largest sequence number of a key; the largest number that there is if it is unknown.
    rocksdb_table_properties_key_largest_seqno key_largest_seqno;
    /// The smallest sequence number of a key; the largest number that there is if it is unknown.
    rocksdb_table_properties_key_smallest_seqno key_smallest_seqno;
    /// Entries between restarts of data blocks; 0 is unknown.
    rocksdb_table_properties_data_block_restart_interval data_block_restart_interval;
    /// Entries between restarts of index blocks; 0 is unknown.
    rocksdb_table_properties_index_block_restart_interval index_block_restart_interval;
    /// 1 if data blocks keep keys and values in separate sections.
    rocksdb_table_properties_separate_key_value_in_data_block separate_key_value_in_data_block;
}

texts! {
    /// The database that wrote the file. Its length goes to `*size`.
    rocksdb_table_properties_db_id db_id;
    /// The session (one opening of a database) that wrote the file. Its length goes to `*size`.
    rocksdb_table_properties_db_session_id db_session_id;
    /// The machine that wrote the file. Its length goes to `*size`.
    rocksdb_table_properties_db_host_id db_host_id;
    /// The column family's name. Its length goes to `*size`.
    rocksdb_table_properties_column_family_name column_family_name;
    /// The filter policy's name, or empty. Its length goes to `*size`.
    rocksdb_table_properties_filter_policy_name filter_policy_name;
    /// The comparator's name. Its length goes to `*size`.
    rocksdb_table_properties_comparator_name comparator_name;
    /// The merge operator's name, or `nullptr`. Its length goes to `*size`.
    rocksdb_table_properties_merge_operator_name merge_operator_name;
    /// The prefix extractor's name, or `nullptr`. Its length goes to `*size`.
    rocksdb_table_properties_prefix_extractor_name prefix_extractor_name;
    /// The names of property collectors, as `[a,b]`. Its length goes to `*size`.
    rocksdb_table_properties_property_collectors_names property_collectors_names;
    /// The codec: its name, or from format version 7 on `manager;hex numbers;`. Its length goes to `*size`.
    rocksdb_table_properties_compression_name compression_name;
    /// The compression options as text. Its length goes to `*size`.
    rocksdb_table_properties_compression_options compression_options;
    /// When which sequence numbers were written, encoded. Its length goes to `*size`.
    rocksdb_table_properties_seqno_to_time_mapping seqno_to_time_mapping;
}

/// Whether the largest sequence number of a key is known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_table_properties_has_key_largest_seqno(
    props: *const rocksdb_table_properties_t,
) -> u8 {
    guard(|| Ok(u8::from(get(&props)?.properties.key_largest_seqno != u64::MAX)))
}

/// Whether the smallest sequence number of a key is known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_table_properties_has_key_smallest_seqno(
    props: *const rocksdb_table_properties_t,
) -> u8 {
    guard(|| Ok(u8::from(get(&props)?.properties.key_smallest_seqno != u64::MAX)))
}

/// Makes the functions over properties by name.
macro_rules! entries {
    ($($field:ident {
        $(#[$count_doc:meta])* $count:ident
        $(#[$key_doc:meta])* $key_at:ident
        $(#[$value_doc:meta])* $value_at:ident
    })+) => {$(
        $(#[$count_doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $count(props: *const rocksdb_table_properties_t) -> usize {
            guard(|| Ok(get(&props)?.properties.$field.len()))
        }

        $(#[$key_doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $key_at(
            props: *const rocksdb_table_properties_t,
            pos: usize,
            key_len: *mut usize,
        ) -> *const c_char {
            guard(|| part_of_entry(&props, |all| all.$field.keys().nth(pos), key_len))
        }

        $(#[$value_doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $value_at(
            props: *const rocksdb_table_properties_t,
            pos: usize,
            value_len: *mut usize,
        ) -> *const c_char {
            guard(|| part_of_entry(&props, |all| all.$field.values().nth(pos), value_len))
        }
    )+};
}

entries! {
    user_collected_properties {
        /// How many properties of a table have a name that RocksDB does not know as its own.
        rocksdb_table_properties_user_collected_properties_count
        /// The name of the property at `pos` in the order of names, and its length in `*key_len`;
        /// NULL if there is none.
        rocksdb_table_properties_user_collected_properties_key_at
        /// The value of the property at `pos` in the order of names, any bytes, and its length in
        /// `*value_len`; NULL if there is none.
        rocksdb_table_properties_user_collected_properties_value_at
    }
    readable_properties {
        /// How many properties were collected for people to read. Files do not keep them, so a
        /// table that was opened has none.
        rocksdb_table_properties_readable_properties_count
        /// The name of the property at `pos` in the order of names, and its length in `*key_len`;
        /// NULL if there is none.
        rocksdb_table_properties_readable_properties_key_at
        /// The value of the property at `pos` in the order of names, and its length in
        /// `*value_len`; NULL if there is none.
        rocksdb_table_properties_readable_properties_value_at
    }
}
