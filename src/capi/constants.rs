//! Constants: the numbers that options and arguments of type `int` take.
//!
//! Each group is an enum in C; the functions take `int`, as RocksDB's do. They are read through
//! the types of the layers below, never transmuted: C may pass any number.

/// How a block is compressed.
#[repr(C)]
pub enum rocksdb_compression {
    /// Stored as it is.
    rocksdb_no_compression = 0,
    /// Snappy.
    rocksdb_snappy_compression = 1,
    /// zlib.
    rocksdb_zlib_compression = 2,
    /// bzip2.
    rocksdb_bz2_compression = 3,
    /// LZ4.
    rocksdb_lz4_compression = 4,
    /// LZ4's slow, tighter form.
    rocksdb_lz4hc_compression = 5,
    /// Windows' Xpress; not available here.
    rocksdb_xpress_compression = 6,
    /// Zstandard.
    rocksdb_zstd_compression = 7,
}

/// What opening a database does with a write-ahead log whose end or middle is damaged.
#[repr(C)]
pub enum rocksdb_wal_recovery {
    /// Drops an incomplete record at the end of a log; refuses any other damage.
    rocksdb_tolerate_corrupted_tail_records_recovery = 0,
    /// Refuses any damage.
    rocksdb_absolute_consistency_recovery = 1,
    /// Stops at the first damage: the database is as it was at some moment before.
    rocksdb_point_in_time_recovery = 2,
    /// Skips damaged records and keeps whatever else can be read.
    rocksdb_skip_any_corrupted_records_recovery = 3,
}

/// What `rocksdb_approximate_sizes_cf_with_flags` counts: a sum of these.
#[repr(C)]
pub enum rocksdb_size_approximation_flags {
    /// Nothing.
    rocksdb_size_approximation_flags_none = 0,
    /// What is in memtables.
    rocksdb_size_approximation_flags_include_memtable = 1,
    /// Table files.
    rocksdb_size_approximation_flags_include_files = 2,
    /// Blob files.
    rocksdb_size_approximation_flags_include_blob_files = 4,
}

/// How much statistics collect. Each level collects all that the levels before it do.
#[repr(C)]
pub enum rocksdb_statistics_level {
    /// Nothing.
    rocksdb_statistics_level_disable_all = 0,
    /// Tickers.
    rocksdb_statistics_level_except_histogram_or_timers = 1,
    /// And histograms of what is no time.
    rocksdb_statistics_level_except_timers = 2,
    /// And times, except within mutexes, of compression, and of reads by what they are for.
    rocksdb_statistics_level_except_detailed_timers = 3,
    /// And all times but those within mutexes.
    rocksdb_statistics_level_except_time_for_mutex = 4,
    /// Everything.
    rocksdb_statistics_level_all = 5,
}

/// How the tables of a column family are kept in order.
#[repr(C)]
pub enum rocksdb_compaction_style {
    /// In levels, each sorted.
    rocksdb_level_compaction = 0,
    /// In sorted runs, which are merged when there are several of about one size.
    rocksdb_universal_compaction = 1,
    /// As they came, until they are dropped, the oldest first.
    rocksdb_fifo_compaction = 2,
}

/// Which table of a level is compacted first.
#[repr(C)]
pub enum rocksdb_compaction_pri {
    /// The largest, deletions counting for more than their bytes.
    rocksdb_k_by_compensated_size_compaction_pri = 0,
    /// That whose newest record is the oldest.
    rocksdb_k_oldest_largest_seq_first_compaction_pri = 1,
    /// That whose oldest record is the oldest.
    rocksdb_k_oldest_smallest_seq_first_compaction_pri = 2,
    /// That with the least data below it for its own.
    rocksdb_k_min_overlapping_ratio_compaction_pri = 3,
    /// One after the other, in the order of keys.
    rocksdb_k_round_robin_compaction_pri = 4,
}

/// How a table's index is built.
#[repr(C)]
pub enum rocksdb_block_based_table_index_type {
    /// One block, searched by halves.
    rocksdb_block_based_table_index_type_binary_search = 0,
    /// By a hash of the prefix; not supported yet.
    rocksdb_block_based_table_index_type_hash_search = 1,
    /// Blocks, and an index of those.
    rocksdb_block_based_table_index_type_two_level_index_search = 2,
}

/// What finds a key within a data block.
#[repr(C)]
pub enum rocksdb_block_based_table_data_block_index_type {
    /// Halving.
    rocksdb_block_based_table_data_block_index_type_binary_search = 0,
    /// A hash of the key, where it can be: in orders of bytes, for gets.
    rocksdb_block_based_table_data_block_index_type_binary_search_and_hash = 1,
}

/// How much the perf context of a thread collects, as RocksDB's C header names it. The function
/// takes the numbers of RocksDB's C++ interface, which has more levels since: there 3 adds waits
/// alone, 4 all times but those within mutexes, 5 processor time, and 6 everything.
#[repr(C)]
pub enum rocksdb_perf_level {
    /// Nobody has said yet.
    rocksdb_uninitialized = 0,
    /// Nothing.
    rocksdb_disable = 1,
    /// Counts.
    rocksdb_enable_count = 2,
    /// And waits.
    rocksdb_enable_time_except_for_mutex = 3,
    /// And times, except within mutexes.
    rocksdb_enable_time = 4,
    /// And processor time.
    rocksdb_out_of_bounds = 5,
}

/// The metrics of the perf context, by the numbers that `rocksdb_perfcontext_metric` takes.
#[repr(C)]
pub enum rocksdb_perf_metric {
    /// `user_key_comparison_count`
    rocksdb_user_key_comparison_count = 0,
    /// `block_cache_hit_count`
    rocksdb_block_cache_hit_count = 1,
    /// `block_read_count`
    rocksdb_block_read_count = 2,
    /// `block_read_byte`
    rocksdb_block_read_byte = 3,
    /// `block_read_time`
    rocksdb_block_read_time = 4,
    /// `block_checksum_time`
    rocksdb_block_checksum_time = 5,
    /// `block_decompress_time`
    rocksdb_block_decompress_time = 6,
    /// `get_read_bytes`
    rocksdb_get_read_bytes = 7,
    /// `multiget_read_bytes`
    rocksdb_multiget_read_bytes = 8,
    /// `iter_read_bytes`
    rocksdb_iter_read_bytes = 9,
    /// `internal_key_skipped_count`
    rocksdb_internal_key_skipped_count = 10,
    /// `internal_delete_skipped_count`
    rocksdb_internal_delete_skipped_count = 11,
    /// `internal_recent_skipped_count`
    rocksdb_internal_recent_skipped_count = 12,
    /// `internal_merge_count`
    rocksdb_internal_merge_count = 13,
    /// `get_snapshot_time`
    rocksdb_get_snapshot_time = 14,
    /// `get_from_memtable_time`
    rocksdb_get_from_memtable_time = 15,
    /// `get_from_memtable_count`
    rocksdb_get_from_memtable_count = 16,
    /// `get_post_process_time`
    rocksdb_get_post_process_time = 17,
    /// `get_from_output_files_time`
    rocksdb_get_from_output_files_time = 18,
    /// `seek_on_memtable_time`
    rocksdb_seek_on_memtable_time = 19,
    /// `seek_on_memtable_count`
    rocksdb_seek_on_memtable_count = 20,
    /// `next_on_memtable_count`
    rocksdb_next_on_memtable_count = 21,
    /// `prev_on_memtable_count`
    rocksdb_prev_on_memtable_count = 22,
    /// `seek_child_seek_time`
    rocksdb_seek_child_seek_time = 23,
    /// `seek_child_seek_count`
    rocksdb_seek_child_seek_count = 24,
    /// `seek_min_heap_time`
    rocksdb_seek_min_heap_time = 25,
    /// `seek_max_heap_time`
    rocksdb_seek_max_heap_time = 26,
    /// `seek_internal_seek_time`
    rocksdb_seek_internal_seek_time = 27,
    /// `find_next_user_entry_time`
    rocksdb_find_next_user_entry_time = 28,
    /// `write_wal_time`
    rocksdb_write_wal_time = 29,
    /// `write_memtable_time`
    rocksdb_write_memtable_time = 30,
    /// `write_delay_time`
    rocksdb_write_delay_time = 31,
    /// `write_pre_and_post_process_time`
    rocksdb_write_pre_and_post_process_time = 32,
    /// `db_mutex_lock_nanos`
    rocksdb_db_mutex_lock_nanos = 33,
    /// `db_condition_wait_nanos`
    rocksdb_db_condition_wait_nanos = 34,
    /// `merge_operator_time_nanos`
    rocksdb_merge_operator_time_nanos = 35,
    /// `read_index_block_nanos`
    rocksdb_read_index_block_nanos = 36,
    /// `read_filter_block_nanos`
    rocksdb_read_filter_block_nanos = 37,
    /// `new_table_block_iter_nanos`
    rocksdb_new_table_block_iter_nanos = 38,
    /// `new_table_iterator_nanos`
    rocksdb_new_table_iterator_nanos = 39,
    /// `block_seek_nanos`
    rocksdb_block_seek_nanos = 40,
    /// `find_table_nanos`
    rocksdb_find_table_nanos = 41,
    /// `bloom_memtable_hit_count`
    rocksdb_bloom_memtable_hit_count = 42,
    /// `bloom_memtable_miss_count`
    rocksdb_bloom_memtable_miss_count = 43,
    /// `bloom_sst_hit_count`
    rocksdb_bloom_sst_hit_count = 44,
    /// `bloom_sst_miss_count`
    rocksdb_bloom_sst_miss_count = 45,
    /// `key_lock_wait_time`
    rocksdb_key_lock_wait_time = 46,
    /// `key_lock_wait_count`
    rocksdb_key_lock_wait_count = 47,
    /// `env_new_sequential_file_nanos`
    rocksdb_env_new_sequential_file_nanos = 48,
    /// `env_new_random_access_file_nanos`
    rocksdb_env_new_random_access_file_nanos = 49,
    /// `env_new_writable_file_nanos`
    rocksdb_env_new_writable_file_nanos = 50,
    /// `env_reuse_writable_file_nanos`
    rocksdb_env_reuse_writable_file_nanos = 51,
    /// `env_new_random_rw_file_nanos`
    rocksdb_env_new_random_rw_file_nanos = 52,
    /// `env_new_directory_nanos`
    rocksdb_env_new_directory_nanos = 53,
    /// `env_file_exists_nanos`
    rocksdb_env_file_exists_nanos = 54,
    /// `env_get_children_nanos`
    rocksdb_env_get_children_nanos = 55,
    /// `env_get_children_file_attributes_nanos`
    rocksdb_env_get_children_file_attributes_nanos = 56,
    /// `env_delete_file_nanos`
    rocksdb_env_delete_file_nanos = 57,
    /// `env_create_dir_nanos`
    rocksdb_env_create_dir_nanos = 58,
    /// `env_create_dir_if_missing_nanos`
    rocksdb_env_create_dir_if_missing_nanos = 59,
    /// `env_delete_dir_nanos`
    rocksdb_env_delete_dir_nanos = 60,
    /// `env_get_file_size_nanos`
    rocksdb_env_get_file_size_nanos = 61,
    /// `env_get_file_modification_time_nanos`
    rocksdb_env_get_file_modification_time_nanos = 62,
    /// `env_rename_file_nanos`
    rocksdb_env_rename_file_nanos = 63,
    /// `env_link_file_nanos`
    rocksdb_env_link_file_nanos = 64,
    /// `env_lock_file_nanos`
    rocksdb_env_lock_file_nanos = 65,
    /// `env_unlock_file_nanos`
    rocksdb_env_unlock_file_nanos = 66,
    /// `env_new_logger_nanos`
    rocksdb_env_new_logger_nanos = 67,
    /// `number_async_seek`
    rocksdb_number_async_seek = 68,
    /// `blob_cache_hit_count`
    rocksdb_blob_cache_hit_count = 69,
    /// `blob_read_count`
    rocksdb_blob_read_count = 70,
    /// `blob_read_byte`
    rocksdb_blob_read_byte = 71,
    /// `blob_read_time`
    rocksdb_blob_read_time = 72,
    /// `blob_checksum_time`
    rocksdb_blob_checksum_time = 73,
    /// `blob_decompress_time`
    rocksdb_blob_decompress_time = 74,
    /// `internal_range_del_reseek_count`
    rocksdb_internal_range_del_reseek_count = 75,
    /// `block_read_cpu_time`
    rocksdb_block_read_cpu_time = 76,
    /// `internal_merge_point_lookup_count`
    rocksdb_internal_merge_point_lookup_count = 77,
    /// `data_block_read_byte`
    rocksdb_data_block_read_byte = 78,
    /// `index_block_read_byte`
    rocksdb_index_block_read_byte = 79,
    /// `filter_block_read_byte`
    rocksdb_filter_block_read_byte = 80,
    /// `compression_dict_block_read_byte`
    rocksdb_compression_dict_block_read_byte = 81,
    /// `metadata_block_read_byte`
    rocksdb_metadata_block_read_byte = 82,
    /// `blob_cache_read_byte`
    rocksdb_blob_cache_read_byte = 83,
    /// No number of a metric is as large.
    rocksdb_total_metric_count = 86,
}

/// Which index and filter blocks stay in the block cache while their table is open.
#[repr(C)]
pub enum rocksdb_block_based_pinning_tier {
    /// As the older options say.
    rocksdb_block_based_k_fallback_pinning_tier = 0,
    /// None.
    rocksdb_block_based_k_none_pinning_tier = 1,
    /// Those of files that were flushed, and of level-0 files of similar size.
    rocksdb_block_based_k_flush_and_similar_pinning_tier = 2,
    /// All.
    rocksdb_block_based_k_all_pinning_tier = 3,
}

/// How an index block is searched.
#[repr(C)]
pub enum rocksdb_block_based_table_index_block_search_type {
    /// By halving.
    rocksdb_block_based_table_index_block_search_type_binary = 0,
    /// By where the key should stand among keys that are spread evenly.
    rocksdb_block_based_table_index_block_search_type_interpolation = 1,
    /// By either, as the block says that its keys are spread.
    rocksdb_block_based_table_index_block_search_type_auto = 2,
}

/// Whether flushes put blobs into the blob cache.
#[repr(C)]
pub enum rocksdb_prepopulate_blob {
    /// No.
    rocksdb_prepopulate_blob_disable = 0,
    /// Yes.
    rocksdb_prepopulate_blob_flush_only = 1,
}

/// What ends the run of files that a universal compaction takes.
#[repr(C)]
pub enum rocksdb_compaction_stop_style {
    /// A next file of another size.
    rocksdb_similar_size_compaction_stop_style = 0,
    /// A next file larger than all before it together.
    rocksdb_total_size_compaction_stop_style = 1,
}

/// What a trace leaves out: a sum of these.
#[repr(C)]
pub enum rocksdb_trace_filter {
    /// Nothing.
    rocksdb_trace_filter_none = 0,
    /// Gets.
    rocksdb_trace_filter_get = 1,
    /// Writes.
    rocksdb_trace_filter_write = 2,
    /// `rocksdb_iter_seek`.
    rocksdb_trace_filter_iterator_seek = 4,
    /// `rocksdb_iter_seek_for_prev`.
    rocksdb_trace_filter_iterator_seek_for_prev = 8,
    /// Batches of gets.
    rocksdb_trace_filter_multi_get = 16,
}

/// Where a write-ahead log is, as `rocksdb_wal_file_type` tells.
#[repr(C)]
pub enum rocksdb_wal_file_types {
    /// In the archive: it is obsolete.
    rocksdb_wal_file_type_archived_log = 0,
    /// In the folder of the logs.
    rocksdb_wal_file_type_alive_log = 1,
}

/// What a filter of write-ahead logs says of a record.
#[repr(C)]
pub enum rocksdb_wal_filter {
    /// To be recovered.
    rocksdb_wal_filter_continue_processing = 0,
    /// To be left out.
    rocksdb_wal_filter_ignore_current_record = 1,
    /// To be left out with all that follow.
    rocksdb_wal_filter_stop_replay = 2,
    /// To be taken for damaged.
    rocksdb_wal_filter_corrupted_record = 3,
}

/// When transactions write.
#[repr(C)]
pub enum rocksdb_txndb_write_policy {
    /// At commit.
    rocksdb_txndb_write_policy_write_committed = 0,
    /// When they are prepared.
    rocksdb_txndb_write_policy_write_prepared = 1,
    /// As soon as they are large.
    rocksdb_txndb_write_policy_write_unprepared = 2,
}

/// How a compaction elsewhere ended.
#[repr(C)]
pub enum rocksdb_compactionservice_jobstatus {
    /// Well.
    rocksdb_compactionservice_jobstatus_success = 0,
    /// With an error.
    rocksdb_compactionservice_jobstatus_failure = 1,
    /// It was given up.
    rocksdb_compactionservice_jobstatus_aborted = 2,
    /// It is to be done here.
    rocksdb_compactionservice_jobstatus_use_local = 3,
}
