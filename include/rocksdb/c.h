/*
 * The C interface of Hematite: that of RocksDB 11.8, with the same names, prototypes, constants
 * and ownership, on the same files. Made from the sources by cbindgen; not edited by hand.
 *
 * Conventions
 *
 * - Handles are pointers to types that only the library knows. What `..._create` or another
 *   function returns is given back by the function that its documentation names; destroying NULL
 *   is harmless.
 * - Keys and values are bytes with a length, and may hold zeros.
 * - A function that can fail has a last parameter `errptr`. It points to NULL or to a text from
 *   `malloc`. On success it stays as it is; on failure the old text is freed and `*errptr` is a
 *   new one, which the caller frees. The text starts with the kind of error, as in RocksDB:
 *   "NotFound: ", "Corruption: ", "Not implemented: ", "Invalid argument: ", "IO error: ",
 *   "Result incomplete: ", "Shutdown in progress: ", "Operation timed out: ",
 *   "Operation aborted: ", "Resource busy: ", "Operation expired: ",
 *   "Operation failed. Try again.: ", "Column family dropped: ".
 * - What the caller has to free comes from `malloc`: `free` and `rocksdb_free` both do.
 * - Flags are of type `unsigned char`: 0 is false, all else is true.
 * - A `rocksdb_t` may be used by any number of threads at once. Other objects may be read by
 *   several threads at once, and changed by one while no other uses them.
 * - NULL where a handle or text is asked for is an error, or has no effect where the function
 *   cannot report one.
 */


#ifndef HEMATITE_ROCKSDB_C_H
#define HEMATITE_ROCKSDB_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(ROCKSDB_DLL)
#define ROCKSDB_LIBRARY_API __declspec(dllimport)
#else
#define ROCKSDB_LIBRARY_API
#endif


// What `rocksdb_pinnable_multi_get_result` says about a key.
typedef enum {
  // It has no value.
  rocksdb_pinnable_multi_get_not_found = 0,
  // It has one.
  rocksdb_pinnable_multi_get_found = 1,
  // It could not be read.
  rocksdb_pinnable_multi_get_error = 2,
  // There are fewer keys.
  rocksdb_pinnable_multi_get_out_of_bounds = 3,
} rocksdb_pinnable_multi_get_state;

// How a block is compressed.
typedef enum {
  // Stored as it is.
  rocksdb_no_compression = 0,
  // Snappy.
  rocksdb_snappy_compression = 1,
  // zlib.
  rocksdb_zlib_compression = 2,
  // bzip2.
  rocksdb_bz2_compression = 3,
  // LZ4.
  rocksdb_lz4_compression = 4,
  // LZ4's slow, tighter form.
  rocksdb_lz4hc_compression = 5,
  // Windows' Xpress; not available here.
  rocksdb_xpress_compression = 6,
  // Zstandard.
  rocksdb_zstd_compression = 7,
} rocksdb_compression;

// What opening a database does with a write-ahead log whose end or middle is damaged.
typedef enum {
  // Drops an incomplete record at the end of a log; refuses any other damage.
  rocksdb_tolerate_corrupted_tail_records_recovery = 0,
  // Refuses any damage.
  rocksdb_absolute_consistency_recovery = 1,
  // Stops at the first damage: the database is as it was at some moment before.
  rocksdb_point_in_time_recovery = 2,
  // Skips damaged records and keeps whatever else can be read.
  rocksdb_skip_any_corrupted_records_recovery = 3,
} rocksdb_wal_recovery;

// What `rocksdb_approximate_sizes_cf_with_flags` counts: a sum of these.
typedef enum {
  // Nothing.
  rocksdb_size_approximation_flags_none = 0,
  // What is in memtables.
  rocksdb_size_approximation_flags_include_memtable = 1,
  // Table files.
  rocksdb_size_approximation_flags_include_files = 2,
  // Blob files.
  rocksdb_size_approximation_flags_include_blob_files = 4,
} rocksdb_size_approximation_flags;

// How much statistics collect. Each level collects all that the levels before it do.
typedef enum {
  // Nothing.
  rocksdb_statistics_level_disable_all = 0,
  // The same: tickers are the least that can be collected.
  rocksdb_statistics_level_except_tickers = rocksdb_statistics_level_disable_all,
  // Tickers.
  rocksdb_statistics_level_except_histogram_or_timers = 1,
  // And histograms of what is no time.
  rocksdb_statistics_level_except_timers = 2,
  // And times, except within mutexes, of compression, and of reads by what they are for.
  rocksdb_statistics_level_except_detailed_timers = 3,
  // And all times but those within mutexes.
  rocksdb_statistics_level_except_time_for_mutex = 4,
  // Everything.
  rocksdb_statistics_level_all = 5,
} rocksdb_statistics_level;

// How the tables of a column family are kept in order.
typedef enum {
  // In levels, each sorted.
  rocksdb_level_compaction = 0,
  // In sorted runs, which are merged when there are several of about one size.
  rocksdb_universal_compaction = 1,
  // As they came, until they are dropped, the oldest first.
  rocksdb_fifo_compaction = 2,
} rocksdb_compaction_style;

// Which table of a level is compacted first.
typedef enum {
  // The largest, deletions counting for more than their bytes.
  rocksdb_k_by_compensated_size_compaction_pri = 0,
  // That whose newest record is the oldest.
  rocksdb_k_oldest_largest_seq_first_compaction_pri = 1,
  // That whose oldest record is the oldest.
  rocksdb_k_oldest_smallest_seq_first_compaction_pri = 2,
  // That with the least data below it for its own.
  rocksdb_k_min_overlapping_ratio_compaction_pri = 3,
  // One after the other, in the order of keys.
  rocksdb_k_round_robin_compaction_pri = 4,
} rocksdb_compaction_pri;

// How a table's index is built.
typedef enum {
  // One block, searched by halves.
  rocksdb_block_based_table_index_type_binary_search = 0,
  // By a hash of the prefix; not supported yet.
  rocksdb_block_based_table_index_type_hash_search = 1,
  // Blocks, and an index of those.
  rocksdb_block_based_table_index_type_two_level_index_search = 2,
} rocksdb_block_based_table_index_type;

// What finds a key within a data block.
typedef enum {
  // Halving.
  rocksdb_block_based_table_data_block_index_type_binary_search = 0,
  // A hash of the key, where it can be: in orders of bytes, for gets.
  rocksdb_block_based_table_data_block_index_type_binary_search_and_hash = 1,
} rocksdb_block_based_table_data_block_index_type;

// How much the perf context of a thread collects, as RocksDB's C header names it. The function
// takes the numbers of RocksDB's C++ interface, which has more levels since: there 3 adds waits
// alone, 4 all times but those within mutexes, 5 processor time, and 6 everything.
typedef enum {
  // Nobody has said yet.
  rocksdb_uninitialized = 0,
  // Nothing.
  rocksdb_disable = 1,
  // Counts.
  rocksdb_enable_count = 2,
  // And waits.
  rocksdb_enable_time_except_for_mutex = 3,
  // And times, except within mutexes.
  rocksdb_enable_time = 4,
  // And processor time.
  rocksdb_out_of_bounds = 5,
} rocksdb_perf_level;

// The metrics of the perf context, by the numbers that `rocksdb_perfcontext_metric` takes.
typedef enum {
  // `user_key_comparison_count`
  rocksdb_user_key_comparison_count = 0,
  // `block_cache_hit_count`
  rocksdb_block_cache_hit_count = 1,
  // `block_read_count`
  rocksdb_block_read_count = 2,
  // `block_read_byte`
  rocksdb_block_read_byte = 3,
  // `block_read_time`
  rocksdb_block_read_time = 4,
  // `block_checksum_time`
  rocksdb_block_checksum_time = 5,
  // `block_decompress_time`
  rocksdb_block_decompress_time = 6,
  // `get_read_bytes`
  rocksdb_get_read_bytes = 7,
  // `multiget_read_bytes`
  rocksdb_multiget_read_bytes = 8,
  // `iter_read_bytes`
  rocksdb_iter_read_bytes = 9,
  // `internal_key_skipped_count`
  rocksdb_internal_key_skipped_count = 10,
  // `internal_delete_skipped_count`
  rocksdb_internal_delete_skipped_count = 11,
  // `internal_recent_skipped_count`
  rocksdb_internal_recent_skipped_count = 12,
  // `internal_merge_count`
  rocksdb_internal_merge_count = 13,
  // `get_snapshot_time`
  rocksdb_get_snapshot_time = 14,
  // `get_from_memtable_time`
  rocksdb_get_from_memtable_time = 15,
  // `get_from_memtable_count`
  rocksdb_get_from_memtable_count = 16,
  // `get_post_process_time`
  rocksdb_get_post_process_time = 17,
  // `get_from_output_files_time`
  rocksdb_get_from_output_files_time = 18,
  // `seek_on_memtable_time`
  rocksdb_seek_on_memtable_time = 19,
  // `seek_on_memtable_count`
  rocksdb_seek_on_memtable_count = 20,
  // `next_on_memtable_count`
  rocksdb_next_on_memtable_count = 21,
  // `prev_on_memtable_count`
  rocksdb_prev_on_memtable_count = 22,
  // `seek_child_seek_time`
  rocksdb_seek_child_seek_time = 23,
  // `seek_child_seek_count`
  rocksdb_seek_child_seek_count = 24,
  // `seek_min_heap_time`
  rocksdb_seek_min_heap_time = 25,
  // `seek_max_heap_time`
  rocksdb_seek_max_heap_time = 26,
  // `seek_internal_seek_time`
  rocksdb_seek_internal_seek_time = 27,
  // `find_next_user_entry_time`
  rocksdb_find_next_user_entry_time = 28,
  // `write_wal_time`
  rocksdb_write_wal_time = 29,
  // `write_memtable_time`
  rocksdb_write_memtable_time = 30,
  // `write_delay_time`
  rocksdb_write_delay_time = 31,
  // `write_pre_and_post_process_time`
  rocksdb_write_pre_and_post_process_time = 32,
  // `db_mutex_lock_nanos`
  rocksdb_db_mutex_lock_nanos = 33,
  // `db_condition_wait_nanos`
  rocksdb_db_condition_wait_nanos = 34,
  // `merge_operator_time_nanos`
  rocksdb_merge_operator_time_nanos = 35,
  // `read_index_block_nanos`
  rocksdb_read_index_block_nanos = 36,
  // `read_filter_block_nanos`
  rocksdb_read_filter_block_nanos = 37,
  // `new_table_block_iter_nanos`
  rocksdb_new_table_block_iter_nanos = 38,
  // `new_table_iterator_nanos`
  rocksdb_new_table_iterator_nanos = 39,
  // `block_seek_nanos`
  rocksdb_block_seek_nanos = 40,
  // `find_table_nanos`
  rocksdb_find_table_nanos = 41,
  // `bloom_memtable_hit_count`
  rocksdb_bloom_memtable_hit_count = 42,
  // `bloom_memtable_miss_count`
  rocksdb_bloom_memtable_miss_count = 43,
  // `bloom_sst_hit_count`
  rocksdb_bloom_sst_hit_count = 44,
  // `bloom_sst_miss_count`
  rocksdb_bloom_sst_miss_count = 45,
  // `key_lock_wait_time`
  rocksdb_key_lock_wait_time = 46,
  // `key_lock_wait_count`
  rocksdb_key_lock_wait_count = 47,
  // `env_new_sequential_file_nanos`
  rocksdb_env_new_sequential_file_nanos = 48,
  // `env_new_random_access_file_nanos`
  rocksdb_env_new_random_access_file_nanos = 49,
  // `env_new_writable_file_nanos`
  rocksdb_env_new_writable_file_nanos = 50,
  // `env_reuse_writable_file_nanos`
  rocksdb_env_reuse_writable_file_nanos = 51,
  // `env_new_random_rw_file_nanos`
  rocksdb_env_new_random_rw_file_nanos = 52,
  // `env_new_directory_nanos`
  rocksdb_env_new_directory_nanos = 53,
  // `env_file_exists_nanos`
  rocksdb_env_file_exists_nanos = 54,
  // `env_get_children_nanos`
  rocksdb_env_get_children_nanos = 55,
  // `env_get_children_file_attributes_nanos`
  rocksdb_env_get_children_file_attributes_nanos = 56,
  // `env_delete_file_nanos`
  rocksdb_env_delete_file_nanos = 57,
  // `env_create_dir_nanos`
  rocksdb_env_create_dir_nanos = 58,
  // `env_create_dir_if_missing_nanos`
  rocksdb_env_create_dir_if_missing_nanos = 59,
  // `env_delete_dir_nanos`
  rocksdb_env_delete_dir_nanos = 60,
  // `env_get_file_size_nanos`
  rocksdb_env_get_file_size_nanos = 61,
  // `env_get_file_modification_time_nanos`
  rocksdb_env_get_file_modification_time_nanos = 62,
  // `env_rename_file_nanos`
  rocksdb_env_rename_file_nanos = 63,
  // `env_link_file_nanos`
  rocksdb_env_link_file_nanos = 64,
  // `env_lock_file_nanos`
  rocksdb_env_lock_file_nanos = 65,
  // `env_unlock_file_nanos`
  rocksdb_env_unlock_file_nanos = 66,
  // `env_new_logger_nanos`
  rocksdb_env_new_logger_nanos = 67,
  // `number_async_seek`
  rocksdb_number_async_seek = 68,
  // `blob_cache_hit_count`
  rocksdb_blob_cache_hit_count = 69,
  // `blob_read_count`
  rocksdb_blob_read_count = 70,
  // `blob_read_byte`
  rocksdb_blob_read_byte = 71,
  // `blob_read_time`
  rocksdb_blob_read_time = 72,
  // `blob_checksum_time`
  rocksdb_blob_checksum_time = 73,
  // `blob_decompress_time`
  rocksdb_blob_decompress_time = 74,
  // `internal_range_del_reseek_count`
  rocksdb_internal_range_del_reseek_count = 75,
  // `block_read_cpu_time`
  rocksdb_block_read_cpu_time = 76,
  // `internal_merge_point_lookup_count`
  rocksdb_internal_merge_point_lookup_count = 77,
  // `data_block_read_byte`
  rocksdb_data_block_read_byte = 78,
  // `index_block_read_byte`
  rocksdb_index_block_read_byte = 79,
  // `filter_block_read_byte`
  rocksdb_filter_block_read_byte = 80,
  // `compression_dict_block_read_byte`
  rocksdb_compression_dict_block_read_byte = 81,
  // `metadata_block_read_byte`
  rocksdb_metadata_block_read_byte = 82,
  // `blob_cache_read_byte`
  rocksdb_blob_cache_read_byte = 83,
  // No number of a metric is as large.
  rocksdb_total_metric_count = 86,
} rocksdb_perf_metric;

// Which index and filter blocks stay in the block cache while their table is open.
typedef enum {
  // As the older options say.
  rocksdb_block_based_k_fallback_pinning_tier = 0,
  // None.
  rocksdb_block_based_k_none_pinning_tier = 1,
  // Those of files that were flushed, and of level-0 files of similar size.
  rocksdb_block_based_k_flush_and_similar_pinning_tier = 2,
  // All.
  rocksdb_block_based_k_all_pinning_tier = 3,
} rocksdb_block_based_pinning_tier;

// How an index block is searched.
typedef enum {
  // By halving.
  rocksdb_block_based_table_index_block_search_type_binary = 0,
  // By where the key should stand among keys that are spread evenly.
  rocksdb_block_based_table_index_block_search_type_interpolation = 1,
  // By either, as the block says that its keys are spread.
  rocksdb_block_based_table_index_block_search_type_auto = 2,
} rocksdb_block_based_table_index_block_search_type;

// Whether flushes put blobs into the blob cache.
typedef enum {
  // No.
  rocksdb_prepopulate_blob_disable = 0,
  // Yes.
  rocksdb_prepopulate_blob_flush_only = 1,
} rocksdb_prepopulate_blob;

// What ends the run of files that a universal compaction takes.
typedef enum {
  // A next file of another size.
  rocksdb_similar_size_compaction_stop_style = 0,
  // A next file larger than all before it together.
  rocksdb_total_size_compaction_stop_style = 1,
} rocksdb_compaction_stop_style;

// What a trace leaves out: a sum of these.
typedef enum {
  // Nothing.
  rocksdb_trace_filter_none = 0,
  // Gets.
  rocksdb_trace_filter_get = 1,
  // Writes.
  rocksdb_trace_filter_write = 2,
  // `rocksdb_iter_seek`.
  rocksdb_trace_filter_iterator_seek = 4,
  // `rocksdb_iter_seek_for_prev`.
  rocksdb_trace_filter_iterator_seek_for_prev = 8,
  // Batches of gets.
  rocksdb_trace_filter_multi_get = 16,
} rocksdb_trace_filter;

// Where a write-ahead log is, as `rocksdb_wal_file_type` tells.
typedef enum {
  // In the archive: it is obsolete.
  rocksdb_wal_file_type_archived_log = 0,
  // In the folder of the logs.
  rocksdb_wal_file_type_alive_log = 1,
} rocksdb_wal_file_types;

// What a filter of write-ahead logs says of a record.
typedef enum {
  // To be recovered.
  rocksdb_wal_filter_continue_processing = 0,
  // To be left out.
  rocksdb_wal_filter_ignore_current_record = 1,
  // To be left out with all that follow.
  rocksdb_wal_filter_stop_replay = 2,
  // To be taken for damaged.
  rocksdb_wal_filter_corrupted_record = 3,
} rocksdb_wal_filter;

// When transactions write.
typedef enum {
  // At commit.
  rocksdb_txndb_write_policy_write_committed = 0,
  // When they are prepared.
  rocksdb_txndb_write_policy_write_prepared = 1,
  // As soon as they are large.
  rocksdb_txndb_write_policy_write_unprepared = 2,
} rocksdb_txndb_write_policy;

// How a compaction elsewhere ended.
typedef enum {
  // Well.
  rocksdb_compactionservice_jobstatus_success = 0,
  // With an error.
  rocksdb_compactionservice_jobstatus_failure = 1,
  // It was given up.
  rocksdb_compactionservice_jobstatus_aborted = 2,
  // It is to be done here.
  rocksdb_compactionservice_jobstatus_use_local = 3,
} rocksdb_compactionservice_jobstatus;

// What is known of the backups in a folder, oldest first.
typedef struct rocksdb_backup_engine_info_t rocksdb_backup_engine_info_t;

// Options of a folder of backups.
typedef struct rocksdb_backup_engine_options_t rocksdb_backup_engine_options_t;

// A folder of backups. It may be used by any number of threads at once.
typedef struct rocksdb_backup_engine_t rocksdb_backup_engine_t;

// Options of block-based tables. `rocksdb_options_set_block_based_table_factory` copies them.
typedef struct rocksdb_block_based_table_options_t rocksdb_block_based_table_options_t;

// A cache for blocks of table files. Options and databases that use it share it, so it may be
// destroyed as soon as it was handed to them.
typedef struct rocksdb_cache_t rocksdb_cache_t;

// Makes checkpoints of a database.
typedef struct rocksdb_checkpoint_t rocksdb_checkpoint_t;

// A column family of an open database. The handle stays valid when the column family is dropped,
// and when the database is closed; it has to be given back in any case.
typedef struct rocksdb_column_family_handle_t rocksdb_column_family_handle_t;

// Which levels and tables of a column family are wanted.
typedef struct rocksdb_column_family_metadata_options_t rocksdb_column_family_metadata_options_t;

// A column family at one moment.
typedef struct rocksdb_column_family_metadata_t rocksdb_column_family_metadata_t;

// Options of the compaction of named files.
typedef struct rocksdb_compaction_options_t rocksdb_compaction_options_t;

// Decides about values during compactions. It is borrowed by the options and databases that use
// it: destroy it after them. (What still uses it when it is destroyed keeps it alive.) One that a
// factory made is taken over.
typedef struct rocksdb_compactionfilter_t rocksdb_compactionfilter_t;

// What a compaction tells the factory of itself; it lives during the factory's call.
typedef struct rocksdb_compactionfiltercontext_t rocksdb_compactionfiltercontext_t;

// Makes a filter for each compaction. `rocksdb_options_set_compaction_filter_factory` takes it
// over; one that was not handed over is given back by `rocksdb_compactionfilterfactory_destroy`.
typedef struct rocksdb_compactionfilterfactory_t rocksdb_compactionfilterfactory_t;

// What a compaction tells of itself. There is none yet.
typedef struct rocksdb_compactionjobinfo_t rocksdb_compactionjobinfo_t;

// Options of the compaction of a range of keys.
typedef struct rocksdb_compactoptions_t rocksdb_compactoptions_t;

// An order of keys that the caller defines. It is borrowed by the options and databases that use
// it: destroy it after them. (What still uses it when it is destroyed keeps it alive.)
typedef struct rocksdb_comparator_t rocksdb_comparator_t;

// Options of one backup.
typedef struct rocksdb_create_backup_options_t rocksdb_create_backup_options_t;

// A folder of tables.
typedef struct rocksdb_dbpath_t rocksdb_dbpath_t;

// Where files live, and the threads that work in the background. Options and databases that use
// it share it, so it may be destroyed as soon as it was handed to them.
typedef struct rocksdb_env_t rocksdb_env_t;

// The parameters of FIFO compaction. `rocksdb_options_set_fifo_compaction_options` copies them.
typedef struct rocksdb_fifo_compaction_options_t rocksdb_fifo_compaction_options_t;

// A filter policy. `rocksdb_block_based_options_set_filter_policy` takes it over; one that was
// not handed over is given back by `rocksdb_filterpolicy_destroy`.
typedef struct rocksdb_filterpolicy_t rocksdb_filterpolicy_t;

// Options of a flush.
typedef struct rocksdb_flushoptions_t rocksdb_flushoptions_t;

// Options of a flush of the write-ahead log.
typedef struct rocksdb_flushwaloptions_t rocksdb_flushwaloptions_t;

// Stands on a key of a column family, or on none, in which case it is not valid: before it was
// moved, beyond the ends, and after an error. It sees the database as it was when it was made.
typedef struct rocksdb_iterator_t rocksdb_iterator_t;

// A level of it. It keeps alive what it is a part of.
typedef struct rocksdb_level_metadata_t rocksdb_level_metadata_t;

// A table, for a list of tables that a program makes.
typedef struct rocksdb_livefile_t rocksdb_livefile_t;

// What is wanted of the files of a database.
typedef struct rocksdb_livefiles_storage_info_options_t rocksdb_livefiles_storage_info_options_t;

// The files that together are a database at one moment. Pointers into it are good until it is
// destroyed.
typedef struct rocksdb_livefiles_storage_info_t rocksdb_livefiles_storage_info_t;

// Tables: those of all column families at one moment, or those that were added. Pointers into it are good until it is
// destroyed.
typedef struct rocksdb_livefiles_t rocksdb_livefiles_t;

// Where messages go. Options and databases that use it share it, so it may be destroyed as soon
// as it was handed to them.
typedef struct rocksdb_logger_t rocksdb_logger_t;

// How an LRU cache is to be. The capacity has to be set.
typedef struct rocksdb_lru_cache_options_t rocksdb_lru_cache_options_t;

// Databases and caches whose memory is to be told.
typedef struct rocksdb_memory_consumers_t rocksdb_memory_consumers_t;

// The memory that databases and caches take, in bytes.
typedef struct rocksdb_memory_usage_t rocksdb_memory_usage_t;

// A merge operator that the caller defines. `rocksdb_options_set_merge_operator` takes it over;
// one that was not handed over is given back by `rocksdb_mergeoperator_destroy`. Destroying one
// that was handed over does nothing, whenever it is done.
typedef struct rocksdb_mergeoperator_t rocksdb_mergeoperator_t;

// Options of a database and of a column family. Opening takes a copy, as every function that
// takes options does.
typedef struct rocksdb_options_t rocksdb_options_t;

// The counters of the thread that made it.
typedef struct rocksdb_perfcontext_t rocksdb_perfcontext_t;

// The same, as `rocksdb_get_pinned_v2` returns it.
typedef struct rocksdb_pinnable_handle_t rocksdb_pinnable_handle_t;

// The results of a batch of keys, which stay in memory until it is given back, without copies
// where that can be.
typedef struct rocksdb_pinnable_multi_get_t rocksdb_pinnable_multi_get_t;

// A value that stays in memory until it is given back, without a copy where it can be.
typedef struct rocksdb_pinnableslice_t rocksdb_pinnableslice_t;

// Bounds how many bytes a second flushes and compactions write. Options and databases that use
// it share it, so it may be destroyed as soon as it was handed to them.
typedef struct rocksdb_ratelimiter_t rocksdb_ratelimiter_t;

// Options of a read or an iterator.
typedef struct rocksdb_readoptions_t rocksdb_readoptions_t;

// Options of one restoring.
typedef struct rocksdb_restore_options_t rocksdb_restore_options_t;

// What approximate sizes count, and how exactly.
typedef struct rocksdb_size_approximation_options_t rocksdb_size_approximation_options_t;

// Says which prefix a key has. The options that receive it take it over.
typedef struct rocksdb_slicetransform_t rocksdb_slicetransform_t;

// The database as it was at one moment.
typedef struct rocksdb_snapshot_t rocksdb_snapshot_t;

// A table on a level. It keeps alive what it is a part of.
typedef struct rocksdb_sst_file_metadata_t rocksdb_sst_file_metadata_t;

// A histogram in a few numbers.
typedef struct rocksdb_statistics_histogram_data_t rocksdb_statistics_histogram_data_t;

// An open database. It may be used by any number of threads at once.
typedef struct rocksdb_t rocksdb_t;

// What a table says about itself. Sizes are in bytes, times in seconds since 1970. It belongs to
// the library, and so do texts that come from it, each with a NUL behind it.
typedef struct rocksdb_table_properties_t rocksdb_table_properties_t;

// The parameters of universal compaction. `rocksdb_options_set_universal_compaction_options` copies
// them.
typedef struct rocksdb_universal_compaction_options_t rocksdb_universal_compaction_options_t;

// Options of waiting for compactions.
typedef struct rocksdb_wait_for_compact_options_t rocksdb_wait_for_compact_options_t;

// A write-ahead log.
typedef struct rocksdb_wal_file_t rocksdb_wal_file_t;

// Write-ahead logs, the oldest first. Pointers into it are good until it is destroyed.
typedef struct rocksdb_wal_files_t rocksdb_wal_files_t;

// Goes through the batches of the write-ahead logs.
typedef struct rocksdb_wal_iterator_t rocksdb_wal_iterator_t;

// How write-ahead logs are read.
typedef struct rocksdb_wal_readoptions_t rocksdb_wal_readoptions_t;

// A limit on memtables. Options and databases that use it share it, so it may be destroyed as
// soon as it was handed to them.
typedef struct rocksdb_write_buffer_manager_t rocksdb_write_buffer_manager_t;

// Several writes, applied in their order, together or not at all, by `rocksdb_write`. A write
// that cannot be added (a key of 4 GiB, no memory) leaves the batch as it was.
typedef struct rocksdb_writebatch_t rocksdb_writebatch_t;

// Options of a write.
typedef struct rocksdb_writeoptions_t rocksdb_writeoptions_t;

// Called while a backup is made, by any thread.
typedef void (*rocksdb_create_backup_options_progress_cb)(void *state);

// Decides about a file of a backup by its name, which ends by its length: not 0 leaves it out.
typedef unsigned char (*rocksdb_create_backup_options_exclude_files_cb)(void *state,
                                                                        const char *relative_file,
                                                                        size_t relative_file_len);

// Bytes that belong to the library.
typedef struct {
  // The bytes.
  const char *data;
  // How many there are.
  size_t size;
} rocksdb_slice_t;

// Whether (not 0) an iterator shows the records of a table. The properties may be looked at
// during the call.
typedef unsigned char (*rocksdb_readoptions_table_filter_cb)(void *state,
                                                             const rocksdb_table_properties_t *table_properties);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* ---- Databases: open, close, list, destroy ---- */

// Opens the database in the folder `name`, with the default column family; given back by
// `rocksdb_close`.
extern ROCKSDB_LIBRARY_API
rocksdb_t *rocksdb_open(const rocksdb_options_t *options,
                        const char *name,
                        char **errptr);

// Opens a database for reading only, without a lock: another process may have it open. With
// `error_if_wal_file_exists`, a write-ahead log with data is an error.
extern ROCKSDB_LIBRARY_API
rocksdb_t *rocksdb_open_for_read_only(const rocksdb_options_t *options,
                                      const char *name,
                                      unsigned char error_if_wal_file_exists,
                                      char **errptr);

// Opens a database with all its column families, "default" among them. The handles are written
// to `column_family_handles`, in the order of the names; each is given back by
// `rocksdb_column_family_handle_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_t *rocksdb_open_column_families(const rocksdb_options_t *options,
                                        const char *name,
                                        int num_column_families,
                                        const char *const *column_family_names,
                                        const rocksdb_options_t *const *column_family_options,
                                        rocksdb_column_family_handle_t **column_family_handles,
                                        char **errptr);

// `rocksdb_open_for_read_only` with some of the column families, "default" among them.
extern ROCKSDB_LIBRARY_API
rocksdb_t *rocksdb_open_for_read_only_column_families(const rocksdb_options_t *options,
                                                      const char *name,
                                                      int num_column_families,
                                                      const char *const *column_family_names,
                                                      const rocksdb_options_t *const *column_family_options,
                                                      rocksdb_column_family_handle_t **column_family_handles,
                                                      unsigned char error_if_wal_file_exists,
                                                      char **errptr);

// Closes the database: ends its background work and releases its lock. Handles of column
// families, iterators, snapshots and pinned values that are still there stay safe to read and to
// destroy.
extern ROCKSDB_LIBRARY_API void rocksdb_close(rocksdb_t *db);

// Removes a database that is not open: its files, and its folder if nothing else is in it.
extern ROCKSDB_LIBRARY_API
void rocksdb_destroy_db(const rocksdb_options_t *options,
                        const char *name,
                        char **errptr);

// The names of a database's column families, and their number in `*lencf`; given back by
// `rocksdb_list_column_families_destroy`.
extern ROCKSDB_LIBRARY_API
char **rocksdb_list_column_families(const rocksdb_options_t *options,
                                    const char *name,
                                    size_t *lencf,
                                    char **errptr);

// Gives back a list of `len` names.
extern ROCKSDB_LIBRARY_API void rocksdb_list_column_families_destroy(char **list, size_t len);

// The sequence number of the newest write.
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_get_latest_sequence_number(rocksdb_t *db);

/* ---- Column families: separate sets of keys in one database, each with its own options ---- */

// Creates a column family. Its handle is given back by `rocksdb_column_family_handle_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_column_family_handle_t *rocksdb_create_column_family(rocksdb_t *db,
                                                             const rocksdb_options_t *column_family_options,
                                                             const char *column_family_name,
                                                             char **errptr);

// Creates several column families. Their handles, `*lencfs` of them, are those that could be
// created before the first error. The list is given back by
// `rocksdb_create_column_families_destroy`, and each handle on its own.
extern ROCKSDB_LIBRARY_API
rocksdb_column_family_handle_t **rocksdb_create_column_families(rocksdb_t *db,
                                                                const rocksdb_options_t *column_family_options,
                                                                int num_column_families,
                                                                const char *const *column_family_names,
                                                                size_t *lencfs,
                                                                char **errptr);

// Gives back the list, not the handles in it.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_column_families_destroy(rocksdb_column_family_handle_t **list);

// Drops a column family. It can be read through handles and iterators that exist, and not be
// written any more; its files go with the last of those.
extern ROCKSDB_LIBRARY_API
void rocksdb_drop_column_family(rocksdb_t *db,
                                rocksdb_column_family_handle_t *handle,
                                char **errptr);

// A handle for the column family "default"; given back by
// `rocksdb_column_family_handle_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_column_family_handle_t *rocksdb_get_default_column_family_handle(rocksdb_t *db);

// Gives the handle back. The column family stays as it is.
extern ROCKSDB_LIBRARY_API
void rocksdb_column_family_handle_destroy(rocksdb_column_family_handle_t *handle);

// The id of the column family, which no other of this database ever had; 0 for "default".
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_column_family_handle_get_id(rocksdb_column_family_handle_t *handle);

// The name of the column family, and its length in `*name_len`; the caller frees it.
extern ROCKSDB_LIBRARY_API
char *rocksdb_column_family_handle_get_name(rocksdb_column_family_handle_t *handle,
                                            size_t *name_len);

/* ---- Writes ---- */

// Sets a key to a value.
extern ROCKSDB_LIBRARY_API
void rocksdb_put(rocksdb_t *db,
                 const rocksdb_writeoptions_t *options,
                 const char *key,
                 size_t keylen,
                 const char *val,
                 size_t vallen,
                 char **errptr);

// `rocksdb_put` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_put_cf(rocksdb_t *db,
                    const rocksdb_writeoptions_t *options,
                    rocksdb_column_family_handle_t *column_family,
                    const char *key,
                    size_t keylen,
                    const char *val,
                    size_t vallen,
                    char **errptr);

// Deletes a key. It is no error if it does not exist.
extern ROCKSDB_LIBRARY_API
void rocksdb_delete(rocksdb_t *db,
                    const rocksdb_writeoptions_t *options,
                    const char *key,
                    size_t keylen,
                    char **errptr);

// `rocksdb_delete` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_cf(rocksdb_t *db,
                       const rocksdb_writeoptions_t *options,
                       rocksdb_column_family_handle_t *column_family,
                       const char *key,
                       size_t keylen,
                       char **errptr);

// Deletes a key that was put at most once since it was last deleted, and never merged. What is
// left of another key is undefined.
extern ROCKSDB_LIBRARY_API
void rocksdb_singledelete(rocksdb_t *db,
                          const rocksdb_writeoptions_t *options,
                          const char *key,
                          size_t keylen,
                          char **errptr);

// `rocksdb_singledelete` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_singledelete_cf(rocksdb_t *db,
                             const rocksdb_writeoptions_t *options,
                             rocksdb_column_family_handle_t *column_family,
                             const char *key,
                             size_t keylen,
                             char **errptr);

// Merges a value into a key, by the merge operator of the options.
extern ROCKSDB_LIBRARY_API
void rocksdb_merge(rocksdb_t *db,
                   const rocksdb_writeoptions_t *options,
                   const char *key,
                   size_t keylen,
                   const char *val,
                   size_t vallen,
                   char **errptr);

// `rocksdb_merge` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_merge_cf(rocksdb_t *db,
                      const rocksdb_writeoptions_t *options,
                      rocksdb_column_family_handle_t *column_family,
                      const char *key,
                      size_t keylen,
                      const char *val,
                      size_t vallen,
                      char **errptr);

// Deletes all keys of a column family from `start_key` up to `end_key`, which is not deleted
// itself. An `end_key` before `start_key` is an error.
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_range_cf(rocksdb_t *db,
                             const rocksdb_writeoptions_t *options,
                             rocksdb_column_family_handle_t *column_family,
                             const char *start_key,
                             size_t start_key_len,
                             const char *end_key,
                             size_t end_key_len,
                             char **errptr);

// Applies the writes of a batch, together or not at all. The batch stays as it is.
extern ROCKSDB_LIBRARY_API
void rocksdb_write(rocksdb_t *db,
                   const rocksdb_writeoptions_t *options,
                   rocksdb_writebatch_t *batch,
                   char **errptr);

/* ---- Reads: the value of one key, or of several ---- */

// The value of a key, and its length in `*vallen`; the caller frees it. NULL if there is none.
extern ROCKSDB_LIBRARY_API
char *rocksdb_get(rocksdb_t *db,
                  const rocksdb_readoptions_t *options,
                  const char *key,
                  size_t keylen,
                  size_t *vallen,
                  char **errptr);

// `rocksdb_get` in a column family.
extern ROCKSDB_LIBRARY_API
char *rocksdb_get_cf(rocksdb_t *db,
                     const rocksdb_readoptions_t *options,
                     rocksdb_column_family_handle_t *column_family,
                     const char *key,
                     size_t keylen,
                     size_t *vallen,
                     char **errptr);

// The value of a key, without a copy where it can be; given back by
// `rocksdb_pinnableslice_destroy`. NULL if there is none.
extern ROCKSDB_LIBRARY_API
rocksdb_pinnableslice_t *rocksdb_get_pinned(rocksdb_t *db,
                                            const rocksdb_readoptions_t *options,
                                            const char *key,
                                            size_t keylen,
                                            char **errptr);

// `rocksdb_get_pinned` in a column family.
extern ROCKSDB_LIBRARY_API
rocksdb_pinnableslice_t *rocksdb_get_pinned_cf(rocksdb_t *db,
                                               const rocksdb_readoptions_t *options,
                                               rocksdb_column_family_handle_t *column_family,
                                               const char *key,
                                               size_t keylen,
                                               char **errptr);

// The value of a key, without a copy where it can be; given back by
// `rocksdb_pinnable_handle_destroy`. NULL if there is none.
extern ROCKSDB_LIBRARY_API
rocksdb_pinnable_handle_t *rocksdb_get_pinned_v2(rocksdb_t *db,
                                                 const rocksdb_readoptions_t *options,
                                                 const char *key,
                                                 size_t keylen,
                                                 char **errptr);

// `rocksdb_get_pinned_v2` in a column family.
extern ROCKSDB_LIBRARY_API
rocksdb_pinnable_handle_t *rocksdb_get_pinned_cf_v2(rocksdb_t *db,
                                                    const rocksdb_readoptions_t *options,
                                                    rocksdb_column_family_handle_t *column_family,
                                                    const char *key,
                                                    size_t keylen,
                                                    char **errptr);

// Copies the value of a key to `buffer`, which has room for `buffer_size` bytes, and sets `*vallen` to
// its length and `*found` to whether there is one. Returns 1 if it was copied; 0 if there is none, it
// is too long, or on an error.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_get_into_buffer(rocksdb_t *db,
                                      const rocksdb_readoptions_t *options,
                                      const char *key,
                                      size_t keylen,
                                      char *buffer,
                                      size_t buffer_size,
                                      size_t *vallen,
                                      unsigned char *found,
                                      char **errptr);

// `rocksdb_get_into_buffer` in a column family.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_get_into_buffer_cf(rocksdb_t *db,
                                         const rocksdb_readoptions_t *options,
                                         rocksdb_column_family_handle_t *column_family,
                                         const char *key,
                                         size_t keylen,
                                         char *buffer,
                                         size_t buffer_size,
                                         size_t *vallen,
                                         unsigned char *found,
                                         char **errptr);

// Whether a key may have a value, without reading files: 0 if it has none for certain. If
// `value_found` is not NULL, `*value_found` says whether the value was at hand as well; then `*value`
// is the value, which the caller frees, and `*val_len` its length. `timestamp` is not used.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_key_may_exist(rocksdb_t *db,
                                    const rocksdb_readoptions_t *options,
                                    const char *key,
                                    size_t key_len,
                                    char **value,
                                    size_t *val_len,
                                    const char *timestamp,
                                    size_t timestamp_len,
                                    unsigned char *value_found);

// `rocksdb_key_may_exist` in a column family.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_key_may_exist_cf(rocksdb_t *db,
                                       const rocksdb_readoptions_t *options,
                                       rocksdb_column_family_handle_t *column_family,
                                       const char *key,
                                       size_t key_len,
                                       char **value,
                                       size_t *val_len,
                                       const char *timestamp,
                                       size_t timestamp_len,
                                       unsigned char *value_found);

/* ---- Reads of several keys as of one moment ---- */

// Reads `num_keys` keys as of one moment. For each, the value in `values_list`, which the caller
// frees, and its length in `values_list_sizes`; NULL if there is none. Errors are in `errs`.
extern ROCKSDB_LIBRARY_API
void rocksdb_multi_get(rocksdb_t *db,
                       const rocksdb_readoptions_t *options,
                       size_t num_keys,
                       const char *const *keys_list,
                       const size_t *keys_list_sizes,
                       char **values_list,
                       size_t *values_list_sizes,
                       char **errs);

// `rocksdb_multi_get` with a column family for each key.
extern ROCKSDB_LIBRARY_API
void rocksdb_multi_get_cf(rocksdb_t *db,
                          const rocksdb_readoptions_t *options,
                          const rocksdb_column_family_handle_t *const *column_families,
                          size_t num_keys,
                          const char *const *keys_list,
                          const size_t *keys_list_sizes,
                          char **values_list,
                          size_t *values_list_sizes,
                          char **errs);

// Reads `num_keys` keys of a column family as of one moment, without copies where that can be.
// For each, the value in `values`, given back by `rocksdb_pinnableslice_destroy`; NULL if there is
// none. Errors are in `errs`. `sorted_input` says that the keys are in order, which may help.
extern ROCKSDB_LIBRARY_API
void rocksdb_batched_multi_get_cf(rocksdb_t *db,
                                  const rocksdb_readoptions_t *options,
                                  rocksdb_column_family_handle_t *column_family,
                                  size_t num_keys,
                                  const char *const *keys_list,
                                  const size_t *keys_list_sizes,
                                  rocksdb_pinnableslice_t **values,
                                  char **errs,
                                  bool sorted_input);

// `rocksdb_batched_multi_get_cf` with keys that carry their lengths.
extern ROCKSDB_LIBRARY_API
void rocksdb_batched_multi_get_cf_slice(rocksdb_t *db,
                                        const rocksdb_readoptions_t *options,
                                        rocksdb_column_family_handle_t *column_family,
                                        size_t num_keys,
                                        const rocksdb_slice_t *keys_list,
                                        rocksdb_pinnableslice_t **values,
                                        char **errs,
                                        bool sorted_input);

/* ---- Reads of several keys whose results have one owner ---- */

// Reads `num_keys` keys of a column family as of one moment. The results, in the order of the
// keys, are given back by `rocksdb_pinnable_multi_get_destroy`. `sorted_input` says that the keys
// are in order, which may help. An error that concerns all keys is that of each; NULL stands for
// no memory for the results.
extern ROCKSDB_LIBRARY_API
rocksdb_pinnable_multi_get_t *rocksdb_batched_multi_get_pinned_cf(rocksdb_t *db,
                                                                  const rocksdb_readoptions_t *options,
                                                                  rocksdb_column_family_handle_t *column_family,
                                                                  size_t num_keys,
                                                                  const rocksdb_slice_t *keys,
                                                                  unsigned char sorted_input);

// How many keys the batch has.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_pinnable_multi_get_count(const rocksdb_pinnable_multi_get_t *multi_get);

// What became of key `index`, as a `rocksdb_pinnable_multi_get_state`. The value is `*value_size`
// bytes at `*value`; the error's text has `*error_size` bytes without its NUL at `*error`. Both
// are valid until the batch is given back; NULL and 0 where there is none.
extern ROCKSDB_LIBRARY_API
int rocksdb_pinnable_multi_get_result(const rocksdb_pinnable_multi_get_t *multi_get,
                                      size_t index,
                                      const char **value,
                                      size_t *value_size,
                                      const char **error,
                                      size_t *error_size);

// Gives the batch back, and with it all of its values and texts.
extern ROCKSDB_LIBRARY_API
void rocksdb_pinnable_multi_get_destroy(rocksdb_pinnable_multi_get_t *multi_get);

/* ---- Pinned values: values that stay where they are while they are looked at ---- */

// The bytes of the value, and their number in `*vlen`; valid until it is given back. NULL for
// NULL.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_pinnableslice_value(const rocksdb_pinnableslice_t *value,
                                        size_t *vlen);

// Gives the value back.
extern ROCKSDB_LIBRARY_API void rocksdb_pinnableslice_destroy(rocksdb_pinnableslice_t *value);

// The bytes of the value, and their number in `*vallen`; valid until it is given back. NULL for
// NULL.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_pinnable_handle_get_value(const rocksdb_pinnable_handle_t *handle,
                                              size_t *vallen);

// Gives the value back.
extern ROCKSDB_LIBRARY_API void rocksdb_pinnable_handle_destroy(rocksdb_pinnable_handle_t *handle);

/* ---- Iterators: the keys of a column family in order, in both directions ---- */

// Makes an iterator over the default column family; given back by `rocksdb_iter_destroy`. An
// error shows in `rocksdb_iter_get_error`.
extern ROCKSDB_LIBRARY_API
rocksdb_iterator_t *rocksdb_create_iterator(rocksdb_t *db,
                                            const rocksdb_readoptions_t *options);

// `rocksdb_create_iterator` over a column family.
extern ROCKSDB_LIBRARY_API
rocksdb_iterator_t *rocksdb_create_iterator_cf(rocksdb_t *db,
                                               const rocksdb_readoptions_t *options,
                                               rocksdb_column_family_handle_t *column_family);

// Makes iterators over `size` column families that see the database at one moment, and writes
// them to `iterators`.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_iterators(rocksdb_t *db,
                              rocksdb_readoptions_t *options,
                              rocksdb_column_family_handle_t **column_families,
                              rocksdb_iterator_t **iterators,
                              size_t size,
                              char **errptr);

// Gives the iterator back.
extern ROCKSDB_LIBRARY_API void rocksdb_iter_destroy(rocksdb_iterator_t *iter);

// Whether the iterator stands on a key.
extern ROCKSDB_LIBRARY_API uint8_t rocksdb_iter_valid(const rocksdb_iterator_t *iter);

// Moves to the first key.
extern ROCKSDB_LIBRARY_API void rocksdb_iter_seek_to_first(rocksdb_iterator_t *iter);

// Moves to the last key.
extern ROCKSDB_LIBRARY_API void rocksdb_iter_seek_to_last(rocksdb_iterator_t *iter);

// Moves to the first key at or behind `k`.
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_seek(rocksdb_iterator_t *iter,
                       const char *k,
                       size_t klen);

// Moves to the last key at or before `k`.
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_seek_for_prev(rocksdb_iterator_t *iter,
                                const char *k,
                                size_t klen);

// Moves to the next key. Does nothing to an iterator that is not valid.
extern ROCKSDB_LIBRARY_API void rocksdb_iter_next(rocksdb_iterator_t *iter);

// Moves to the previous key. Does nothing to an iterator that is not valid.
extern ROCKSDB_LIBRARY_API void rocksdb_iter_prev(rocksdb_iterator_t *iter);

// The key, and its length in `*klen`; valid until the iterator moves. NULL where it is not valid.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_iter_key(const rocksdb_iterator_t *iter,
                             size_t *klen);

// The value, and its length in `*vlen`; valid until the iterator moves. NULL where it is not
// valid.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_iter_value(const rocksdb_iterator_t *iter,
                               size_t *vlen);

// The key; valid until the iterator moves. No bytes at NULL where it is not valid.
extern ROCKSDB_LIBRARY_API rocksdb_slice_t rocksdb_iter_key_slice(const rocksdb_iterator_t *iter);

// The value; valid until the iterator moves. No bytes at NULL where it is not valid.
extern ROCKSDB_LIBRARY_API rocksdb_slice_t rocksdb_iter_value_slice(const rocksdb_iterator_t *iter);

// The error that made the iterator invalid, if it was one.
extern ROCKSDB_LIBRARY_API
void rocksdb_iter_get_error(const rocksdb_iterator_t *iter,
                            char **errptr);

// Makes the iterator see the database as it is now, even if it was made with a snapshot. It
// stands on no key afterwards.
extern ROCKSDB_LIBRARY_API void rocksdb_iter_refresh(const rocksdb_iterator_t *iter, char **errptr);

/* ---- Snapshots: the database as it was at one moment ---- */

// Holds on to the database as it is now; given back by `rocksdb_release_snapshot`.
extern ROCKSDB_LIBRARY_API const rocksdb_snapshot_t *rocksdb_create_snapshot(rocksdb_t *db);

// Gives a snapshot of the database back.
extern ROCKSDB_LIBRARY_API
void rocksdb_release_snapshot(rocksdb_t *db,
                              const rocksdb_snapshot_t *snapshot);

// The sequence number of the newest write that the snapshot sees.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_snapshot_get_sequence_number(const rocksdb_snapshot_t *snapshot);

// Makes reads see the database as the snapshot does; NULL means as it is now. The snapshot must
// not be released before the last of these reads.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_snapshot(rocksdb_readoptions_t *options,
                                      const rocksdb_snapshot_t *snapshot);

/* ---- Write batches: several writes, applied together or not at all ---- */

// Makes an empty batch; given back by `rocksdb_writebatch_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_writebatch_t *rocksdb_writebatch_create(void);

// Makes an empty batch with room for `reserved_bytes` bytes, which refuses writes that would make
// it longer than `max_bytes`, unless that is 0. With `protection_bytes_per_key` (8, or 0 for none)
// each write is guarded by a checksum against damage in memory, from here into the log and the
// memtable. `default_cf_ts_sz` is 0: timestamps are not supported, and with them no batch is made
// (NULL).
extern ROCKSDB_LIBRARY_API
rocksdb_writebatch_t *rocksdb_writebatch_create_with_params(size_t reserved_bytes,
                                                            size_t max_bytes,
                                                            size_t protection_bytes_per_key,
                                                            size_t default_cf_ts_sz);

// Compares the writes of the batch with their checksums: an error if something has changed since
// they were added. A batch that has none is always right.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_verify_checksum(rocksdb_writebatch_t *batch,
                                        char **errptr);

// Makes a batch from the bytes of another, as `rocksdb_writebatch_data` returns them. Bytes that
// are no batch are refused when it is written.
extern ROCKSDB_LIBRARY_API
rocksdb_writebatch_t *rocksdb_writebatch_create_from(const char *rep,
                                                     size_t size);

// Gives the batch back.
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_destroy(rocksdb_writebatch_t *batch);

// Empties the batch and forgets its save points.
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_clear(rocksdb_writebatch_t *batch);

// How many writes are in the batch.
extern ROCKSDB_LIBRARY_API int rocksdb_writebatch_count(rocksdb_writebatch_t *batch);

// The batch as bytes, and their number in `*size`; valid until the batch changes.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_writebatch_data(rocksdb_writebatch_t *batch,
                                    size_t *size);

// Adds: set a key to a value.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_put(rocksdb_writebatch_t *batch,
                            const char *key,
                            size_t klen,
                            const char *val,
                            size_t vlen);

// `rocksdb_writebatch_put` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_put_cf(rocksdb_writebatch_t *batch,
                               rocksdb_column_family_handle_t *column_family,
                               const char *key,
                               size_t klen,
                               const char *val,
                               size_t vlen);

// `rocksdb_writebatch_put` with the key and the value in pieces, one behind the other.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_putv(rocksdb_writebatch_t *batch,
                             int num_keys,
                             const char *const *keys_list,
                             const size_t *keys_list_sizes,
                             int num_values,
                             const char *const *values_list,
                             const size_t *values_list_sizes);

// `rocksdb_writebatch_putv` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_putv_cf(rocksdb_writebatch_t *batch,
                                rocksdb_column_family_handle_t *column_family,
                                int num_keys,
                                const char *const *keys_list,
                                const size_t *keys_list_sizes,
                                int num_values,
                                const char *const *values_list,
                                const size_t *values_list_sizes);

// Adds: merge a value into a key, by the merge operator of its column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_merge(rocksdb_writebatch_t *batch,
                              const char *key,
                              size_t klen,
                              const char *val,
                              size_t vlen);

// `rocksdb_writebatch_merge` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_merge_cf(rocksdb_writebatch_t *batch,
                                 rocksdb_column_family_handle_t *column_family,
                                 const char *key,
                                 size_t klen,
                                 const char *val,
                                 size_t vlen);

// `rocksdb_writebatch_merge` with the key and the value in pieces, one behind the other.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_mergev(rocksdb_writebatch_t *batch,
                               int num_keys,
                               const char *const *keys_list,
                               const size_t *keys_list_sizes,
                               int num_values,
                               const char *const *values_list,
                               const size_t *values_list_sizes);

// `rocksdb_writebatch_mergev` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_mergev_cf(rocksdb_writebatch_t *batch,
                                  rocksdb_column_family_handle_t *column_family,
                                  int num_keys,
                                  const char *const *keys_list,
                                  const size_t *keys_list_sizes,
                                  int num_values,
                                  const char *const *values_list,
                                  const size_t *values_list_sizes);

// Adds: delete a key.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete(rocksdb_writebatch_t *batch,
                               const char *key,
                               size_t klen);

// `rocksdb_writebatch_delete` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_cf(rocksdb_writebatch_t *batch,
                                  rocksdb_column_family_handle_t *column_family,
                                  const char *key,
                                  size_t klen);

// `rocksdb_writebatch_delete` with the key in pieces, one behind the other.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_deletev(rocksdb_writebatch_t *batch,
                                int num_keys,
                                const char *const *keys_list,
                                const size_t *keys_list_sizes);

// `rocksdb_writebatch_deletev` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_deletev_cf(rocksdb_writebatch_t *batch,
                                   rocksdb_column_family_handle_t *column_family,
                                   int num_keys,
                                   const char *const *keys_list,
                                   const size_t *keys_list_sizes);

// Adds: delete a key that was put at most once since it was last deleted, and never merged.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_singledelete(rocksdb_writebatch_t *batch,
                                     const char *key,
                                     size_t klen);

// `rocksdb_writebatch_singledelete` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_singledelete_cf(rocksdb_writebatch_t *batch,
                                        rocksdb_column_family_handle_t *column_family,
                                        const char *key,
                                        size_t klen);

// Adds: delete the keys from `start_key` up to, not including, `end_key`.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_range(rocksdb_writebatch_t *batch,
                                     const char *start_key,
                                     size_t start_key_len,
                                     const char *end_key,
                                     size_t end_key_len);

// `rocksdb_writebatch_delete_range` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_range_cf(rocksdb_writebatch_t *batch,
                                        rocksdb_column_family_handle_t *column_family,
                                        const char *start_key,
                                        size_t start_key_len,
                                        const char *end_key,
                                        size_t end_key_len);

// `rocksdb_writebatch_delete_range` with both keys in pieces, one behind the other.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_rangev(rocksdb_writebatch_t *batch,
                                      int num_keys,
                                      const char *const *start_keys_list,
                                      const size_t *start_keys_list_sizes,
                                      const char *const *end_keys_list,
                                      const size_t *end_keys_list_sizes);

// `rocksdb_writebatch_delete_rangev` in a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_delete_rangev_cf(rocksdb_writebatch_t *batch,
                                         rocksdb_column_family_handle_t *column_family,
                                         int num_keys,
                                         const char *const *start_keys_list,
                                         const size_t *start_keys_list_sizes,
                                         const char *const *end_keys_list,
                                         const size_t *end_keys_list_sizes);

// Adds bytes that the write-ahead log carries and the database ignores.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_put_log_data(rocksdb_writebatch_t *batch,
                                     const char *blob,
                                     size_t len);

// Remembers the present state of the batch.
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_set_save_point(rocksdb_writebatch_t *batch);

// Drops what was added since the last save point, and that save point. "NotFound: " if there is
// none.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_rollback_to_save_point(rocksdb_writebatch_t *batch,
                                               char **errptr);

// Forgets the last save point and keeps what was added since. "NotFound: " if there is none.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_pop_save_point(rocksdb_writebatch_t *batch,
                                       char **errptr);

/* ---- Looking at the writes in a batch ---- */

// Calls `put` and `deleted` with `state` for each such write of the batch, in order. Ends at a write
// to another column family than the default one, and at a deleted range.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_iterate(rocksdb_writebatch_t *batch,
                                void *state,
                                void (*put)(void*,
                                            const char *k,
                                            size_t klen,
                                            const char *v,
                                            size_t vlen),
                                void (*deleted)(void*, const char *k, size_t klen));

// `rocksdb_writebatch_iterate` with a function for log data.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_iterate_ld(rocksdb_writebatch_t *batch,
                                   void *state,
                                   void (*put)(void*,
                                               const char *k,
                                               size_t klen,
                                               const char *v,
                                               size_t vlen),
                                   void (*deleted)(void*, const char *k, size_t klen),
                                   void (*log_data)(void*, const char *blob, size_t blob_len));

// Calls `put_cf`, `deleted_cf` and `merge_cf` with `state` and the column family's id for each such
// write of the batch, in order. Ends at a deleted range.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_iterate_cf(rocksdb_writebatch_t *batch,
                                   void *state,
                                   void (*put_cf)(void*,
                                                  uint32_t cfid,
                                                  const char *k,
                                                  size_t klen,
                                                  const char *v,
                                                  size_t vlen),
                                   void (*deleted_cf)(void*,
                                                      uint32_t cfid,
                                                      const char *k,
                                                      size_t klen),
                                   void (*merge_cf)(void*,
                                                    uint32_t cfid,
                                                    const char *k,
                                                    size_t klen,
                                                    const char *v,
                                                    size_t vlen));

// `rocksdb_writebatch_iterate_cf` with a function for log data.
extern ROCKSDB_LIBRARY_API
void rocksdb_writebatch_iterate_cf_ld(rocksdb_writebatch_t *batch,
                                      void *state,
                                      void (*put_cf)(void*,
                                                     uint32_t cfid,
                                                     const char *k,
                                                     size_t klen,
                                                     const char *v,
                                                     size_t vlen),
                                      void (*deleted_cf)(void*,
                                                         uint32_t cfid,
                                                         const char *k,
                                                         size_t klen),
                                      void (*merge_cf)(void*,
                                                       uint32_t cfid,
                                                       const char *k,
                                                       size_t klen,
                                                       const char *v,
                                                       size_t vlen),
                                      void (*log_data)(void*, const char *blob, size_t blob_len));

/* ---- Flushes: from memory to files ---- */

// Writes what the default column family holds in memory to files.
extern ROCKSDB_LIBRARY_API
void rocksdb_flush(rocksdb_t *db,
                   const rocksdb_flushoptions_t *options,
                   char **errptr);

// `rocksdb_flush` of a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_flush_cf(rocksdb_t *db,
                      const rocksdb_flushoptions_t *options,
                      rocksdb_column_family_handle_t *column_family,
                      char **errptr);

// `rocksdb_flush` of several column families.
extern ROCKSDB_LIBRARY_API
void rocksdb_flush_cfs(rocksdb_t *db,
                       const rocksdb_flushoptions_t *options,
                       rocksdb_column_family_handle_t **column_family,
                       int num_column_families,
                       char **errptr);

// Hands the write-ahead log to the operating system and, with `sync`, makes it durable.
extern ROCKSDB_LIBRARY_API void rocksdb_flush_wal(rocksdb_t *db, unsigned char sync, char **errptr);

// `rocksdb_flush_wal` with options; NULL means the defaults, which do not sync.
extern ROCKSDB_LIBRARY_API
void rocksdb_flush_wal_with_options(rocksdb_t *db,
                                    const rocksdb_flushwaloptions_t *options,
                                    char **errptr);

/* ---- Options of databases and column families ---- */

// Create the database if it does not exist.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_create_if_missing(rocksdb_options_t *options,
                                           unsigned char value);

// What `rocksdb_options_set_create_if_missing` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_create_if_missing(rocksdb_options_t *options);

// Create the column families that the open call names and the database lacks.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_create_missing_column_families(rocksdb_options_t *options,
                                                        unsigned char value);

// What `rocksdb_options_set_create_missing_column_families` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_create_missing_column_families(rocksdb_options_t *options);

// Refuse to open a database that exists.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_error_if_exists(rocksdb_options_t *options,
                                         unsigned char value);

// What `rocksdb_options_set_error_if_exists` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_error_if_exists(rocksdb_options_t *options);

// Treat damage that is found at open as an error, and stop writing after a failed write,
// rather than carry on with what can be read.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_paranoid_checks(rocksdb_options_t *options,
                                         unsigned char value);

// What `rocksdb_options_set_paranoid_checks` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_paranoid_checks(rocksdb_options_t *options);

// Compare the number of entries that a flush read from its memtables with the number
// inserted.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_flush_verify_memtable_count(rocksdb_options_t *options,
                                                     unsigned char value);

// What `rocksdb_options_set_flush_verify_memtable_count` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_flush_verify_memtable_count(rocksdb_options_t *options);

// Compare the number of entries that a compaction read with its input files' properties.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compaction_verify_record_count(rocksdb_options_t *options,
                                                        unsigned char value);

// What `rocksdb_options_set_compaction_verify_record_count` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_compaction_verify_record_count(rocksdb_options_t *options);

// Record the WALs that are synced in the MANIFEST and compare at recovery.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_track_and_verify_wals_in_manifest(rocksdb_options_t *options,
                                                           unsigned char value);

// What `rocksdb_options_set_track_and_verify_wals_in_manifest` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_track_and_verify_wals_in_manifest(rocksdb_options_t *options);

// Record each WAL's predecessor in it and compare at recovery. RocksDB 7.8 and other versions
// that do not know such records take them for damage, and stop there.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_track_and_verify_wals(rocksdb_options_t *options,
                                               unsigned char value);

// What `rocksdb_options_set_track_and_verify_wals` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_track_and_verify_wals(rocksdb_options_t *options);

// Compare each table's unique id with the MANIFEST's when it is opened.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_verify_sst_unique_id_in_manifest(rocksdb_options_t *options,
                                                          unsigned char value);

// What `rocksdb_options_set_verify_sst_unique_id_in_manifest` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_verify_sst_unique_id_in_manifest(rocksdb_options_t *options);

// Refuse to write an entry that a single delete and a delete both cover.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_enforce_single_del_contracts(rocksdb_options_t *options,
                                                      unsigned char value);

// What `rocksdb_options_set_enforce_single_del_contracts` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_enforce_single_del_contracts(rocksdb_options_t *options);

// The lowest level of message that the LOG file takes.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_info_log_level(rocksdb_options_t *options,
                                        int value);

// What `rocksdb_options_set_info_log_level` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_info_log_level(rocksdb_options_t *options);

// The size in bytes at which the LOG file is rolled; 0 means never.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_log_file_size(rocksdb_options_t *options,
                                           size_t value);

// What `rocksdb_options_set_max_log_file_size` set, or the default.
extern ROCKSDB_LIBRARY_API size_t rocksdb_options_get_max_log_file_size(rocksdb_options_t *options);

// The age in seconds at which the LOG file is rolled; 0 means never.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_log_file_time_to_roll(rocksdb_options_t *options,
                                               size_t value);

// What `rocksdb_options_set_log_file_time_to_roll` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_log_file_time_to_roll(rocksdb_options_t *options);

// How many LOG files are kept, the current one included. At least 1.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_keep_log_file_num(rocksdb_options_t *options,
                                           size_t value);

// What `rocksdb_options_set_keep_log_file_num` set, or the default.
extern ROCKSDB_LIBRARY_API size_t rocksdb_options_get_keep_log_file_num(rocksdb_options_t *options);

// The folder of the LOG file; empty means the database's.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_db_log_dir(rocksdb_options_t *options,
                                    const char *value);

// What `rocksdb_options_set_db_log_dir` set, and its length if `size` is not NULL.
// It is valid until the next call for this option, or until the options end.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_options_get_db_log_dir(rocksdb_options_t *options,
                                           size_t *size);

// Print the allocator's statistics to the LOG with the others.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_dump_malloc_stats(rocksdb_options_t *options,
                                           unsigned char value);

// What `rocksdb_options_set_dump_malloc_stats` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_dump_malloc_stats(rocksdb_options_t *options);

// How many files are kept open; -1 means all.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_open_files(rocksdb_options_t *options,
                                        int value);

// What `rocksdb_options_set_max_open_files` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_max_open_files(rocksdb_options_t *options);

// How many threads open table files when the database opens.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_file_opening_threads(rocksdb_options_t *options,
                                                  int value);

// What `rocksdb_options_set_max_file_opening_threads` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_file_opening_threads(rocksdb_options_t *options);

// Open table files in the background after the database opened.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_open_files_async(rocksdb_options_t *options,
                                          unsigned char value);

// What `rocksdb_options_set_open_files_async` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_open_files_async(rocksdb_options_t *options);

// The number of shards of the table cache, as a power of two.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_table_cache_numshardbits(rocksdb_options_t *options,
                                                  int value);

// What `rocksdb_options_set_table_cache_numshardbits` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_table_cache_numshardbits(rocksdb_options_t *options);

// Do not open tables when the database opens for the sake of their counts of deletions,
// which guide compactions. It still does with `max_open_files` -1, to keep them open.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_skip_stats_update_on_db_open(rocksdb_options_t *options,
                                                      unsigned char value);

// What `rocksdb_options_set_skip_stats_update_on_db_open` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_skip_stats_update_on_db_open(rocksdb_options_t *options);

// Read tables through memory mappings.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_allow_mmap_reads(rocksdb_options_t *options,
                                          unsigned char value);

// What `rocksdb_options_set_allow_mmap_reads` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_allow_mmap_reads(rocksdb_options_t *options);

// Write tables through memory mappings.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_allow_mmap_writes(rocksdb_options_t *options,
                                           unsigned char value);

// What `rocksdb_options_set_allow_mmap_writes` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_allow_mmap_writes(rocksdb_options_t *options);

// Read past the page cache (O_DIRECT).
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_direct_reads(rocksdb_options_t *options,
                                          unsigned char value);

// What `rocksdb_options_set_use_direct_reads` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_use_direct_reads(rocksdb_options_t *options);

// Read compaction inputs past the page cache.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_direct_io_for_compaction_reads(rocksdb_options_t *options,
                                                            unsigned char value);

// What `rocksdb_options_set_use_direct_io_for_compaction_reads` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_use_direct_io_for_compaction_reads(rocksdb_options_t *options);

// Flush and compact past the page cache.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_direct_io_for_flush_and_compaction(rocksdb_options_t *options,
                                                                unsigned char value);

// What `rocksdb_options_set_use_direct_io_for_flush_and_compaction` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_use_direct_io_for_flush_and_compaction(rocksdb_options_t *options);

// Reserve disk space for WALs, MANIFESTs and the tables of compactions before it is written
// (fallocate).
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_allow_fallocate(rocksdb_options_t *options,
                                         unsigned char value);

// What `rocksdb_options_set_allow_fallocate` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_allow_fallocate(rocksdb_options_t *options);

// Close file descriptors when the process executes another program.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_is_fd_close_on_exec(rocksdb_options_t *options,
                                             unsigned char value);

// What `rocksdb_options_set_is_fd_close_on_exec` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_is_fd_close_on_exec(rocksdb_options_t *options);

// Tell the operating system that tables are read at random.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_advise_random_on_open(rocksdb_options_t *options,
                                               unsigned char value);

// What `rocksdb_options_set_advise_random_on_open` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_advise_random_on_open(rocksdb_options_t *options);

// Sync with fsync instead of fdatasync.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_fsync(rocksdb_options_t *options,
                                   int value);

// What `rocksdb_options_set_use_fsync` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_use_fsync(rocksdb_options_t *options);

// Ask for write-back of a table file each time it grew by this many bytes; 0 leaves it to
// the operating system.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bytes_per_sync(rocksdb_options_t *options,
                                        uint64_t value);

// What `rocksdb_options_set_bytes_per_sync` set, or the default.
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_options_get_bytes_per_sync(rocksdb_options_t *options);

// As `bytes_per_sync`, for the WAL.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_wal_bytes_per_sync(rocksdb_options_t *options,
                                            uint64_t value);

// What `rocksdb_options_set_wal_bytes_per_sync` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_wal_bytes_per_sync(rocksdb_options_t *options);

// Wait for write-back so that no more than `bytes_per_sync` bytes are under way.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_strict_bytes_per_sync(rocksdb_options_t *options,
                                               unsigned char value);

// What `rocksdb_options_set_strict_bytes_per_sync` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_strict_bytes_per_sync(rocksdb_options_t *options);

// The write buffer of a table file, in bytes.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_writable_file_max_buffer_size(rocksdb_options_t *options,
                                                       uint64_t value);

// What `rocksdb_options_set_writable_file_max_buffer_size` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_writable_file_max_buffer_size(rocksdb_options_t *options);

// Bytes that a compaction reads ahead.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_compaction_readahead_size(rocksdb_options_t *options,
                                               size_t value);

// What `rocksdb_options_compaction_readahead_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_compaction_readahead_size(rocksdb_options_t *options);

// Bytes that opening reads ahead from the MANIFEST and the WALs; 0 means their own blocks of
// 32 KiB.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_log_readahead_size(rocksdb_options_t *options,
                                            size_t value);

// What `rocksdb_options_set_log_readahead_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_log_readahead_size(rocksdb_options_t *options);

// The folder of the WALs; empty means the database's.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_wal_dir(rocksdb_options_t *options,
                                 const char *value);

// What `rocksdb_options_set_wal_dir` set, and its length if `size` is not NULL.
// It is valid until the next call for this option, or until the options end.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_options_get_wal_dir(rocksdb_options_t *options,
                                        size_t *size);

// What recovery does with a WAL that is damaged.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_wal_recovery_mode(rocksdb_options_t *options,
                                           int value);

// What `rocksdb_options_set_wal_recovery_mode` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_wal_recovery_mode(rocksdb_options_t *options);

// How many old WALs are kept to be written over by new ones.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_recycle_log_file_num(rocksdb_options_t *options,
                                              size_t value);

// What `rocksdb_options_set_recycle_log_file_num` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_recycle_log_file_num(rocksdb_options_t *options);

// Flush column families when the live WALs exceed this many bytes; 0 means four times all
// write buffers together.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_total_wal_size(rocksdb_options_t *options,
                                            uint64_t value);

// What `rocksdb_options_set_max_total_wal_size` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_total_wal_size(rocksdb_options_t *options);

// Seconds that obsolete WALs are archived.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_WAL_ttl_seconds(rocksdb_options_t *options,
                                         uint64_t value);

// What `rocksdb_options_set_WAL_ttl_seconds` set, or the default.
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_options_get_WAL_ttl_seconds(rocksdb_options_t *options);

// Mebibytes of obsolete WALs that are archived.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_WAL_size_limit_MB(rocksdb_options_t *options,
                                           uint64_t value);

// What `rocksdb_options_set_WAL_size_limit_MB` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_WAL_size_limit_MB(rocksdb_options_t *options);

// Hold WAL records back until `rocksdb_flush_wal`, a write with `sync`, or
// `writable_file_max_buffer_size` bytes of them. Until then they are lost when the process
// ends without closing the database.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_manual_wal_flush(rocksdb_options_t *options,
                                          unsigned char value);

// What `rocksdb_options_set_manual_wal_flush` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_manual_wal_flush(rocksdb_options_t *options);

// The compression of WAL records.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_wal_compression(rocksdb_options_t *options,
                                         int value);

// What `rocksdb_options_set_wal_compression` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_wal_compression(rocksdb_options_t *options);

// Close WALs that are no longer written in the background.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_background_close_inactive_wals(rocksdb_options_t *options,
                                                        unsigned char value);

// What `rocksdb_options_set_background_close_inactive_wals` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_background_close_inactive_wals(rocksdb_options_t *options);

// Do not flush the memtables that recovery filled.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_avoid_flush_during_recovery(rocksdb_options_t *options,
                                                     unsigned char value);

// What `rocksdb_options_set_avoid_flush_during_recovery` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_avoid_flush_during_recovery(rocksdb_options_t *options);

// Do not flush memtables when the database closes, whose entries the WAL then lacks if
// they were written without it.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_avoid_flush_during_shutdown(rocksdb_options_t *options,
                                                     unsigned char value);

// What `rocksdb_options_set_avoid_flush_during_shutdown` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_avoid_flush_during_shutdown(rocksdb_options_t *options);

// Keep the write buffer manager's limit while recovering.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_enforce_write_buffer_manager_during_recovery(rocksdb_options_t *options,
                                                                      unsigned char value);

// What `rocksdb_options_set_enforce_write_buffer_manager_during_recovery` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_enforce_write_buffer_manager_during_recovery(rocksdb_options_t *options);

// The size in bytes at which the MANIFEST is replaced by a new one.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_manifest_file_size(rocksdb_options_t *options,
                                                size_t value);

// What `rocksdb_options_set_max_manifest_file_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_max_manifest_file_size(rocksdb_options_t *options);

// How far the MANIFEST may grow beyond its minimum before it is replaced, in per cent.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_manifest_space_amp_pct(rocksdb_options_t *options,
                                                    int value);

// What `rocksdb_options_set_max_manifest_space_amp_pct` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_manifest_space_amp_pct(rocksdb_options_t *options);

// Bytes reserved at once for the MANIFEST, if `allow_fallocate`; 0 means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_manifest_preallocation_size(rocksdb_options_t *options,
                                                     size_t value);

// What `rocksdb_options_set_manifest_preallocation_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_manifest_preallocation_size(rocksdb_options_t *options);

// Read the MANIFEST back when the database closes.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_verify_manifest_content_on_close(rocksdb_options_t *options,
                                                          unsigned char value);

// What `rocksdb_options_set_verify_manifest_content_on_close` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_verify_manifest_content_on_close(rocksdb_options_t *options);

// Keep the database's id in the MANIFEST.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_write_dbid_to_manifest(rocksdb_options_t *options,
                                                unsigned char value);

// What `rocksdb_options_set_write_dbid_to_manifest` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_write_dbid_to_manifest(rocksdb_options_t *options);

// Keep the database's id in the IDENTITY file.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_write_identity_file(rocksdb_options_t *options,
                                             unsigned char value);

// What `rocksdb_options_set_write_identity_file` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_write_identity_file(rocksdb_options_t *options);

// What table properties name as the host that wrote them; `__hostname__` stands for the name of
// the machine.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_db_host_id(rocksdb_options_t *options,
                                    const char *value);

// What `rocksdb_options_set_db_host_id` set, and its length if `size` is not NULL.
// It is valid until the next call for this option, or until the options end.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_options_get_db_host_id(rocksdb_options_t *options,
                                           size_t *size);

// How many flushes and compactions may run together.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_background_jobs(rocksdb_options_t *options,
                                             int value);

// What `rocksdb_options_set_max_background_jobs` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_max_background_jobs(rocksdb_options_t *options);

// Deprecated: how many compactions may run together; -1 means derived from
// `max_background_jobs`.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_background_compactions(rocksdb_options_t *options,
                                                    int value);

// What `rocksdb_options_set_max_background_compactions` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_background_compactions(rocksdb_options_t *options);

// Deprecated: how many flushes may run together; -1 means derived from
// `max_background_jobs`.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_background_flushes(rocksdb_options_t *options,
                                                int value);

// What `rocksdb_options_set_max_background_flushes` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_background_flushes(rocksdb_options_t *options);

// How many threads may share one compaction.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_subcompactions(rocksdb_options_t *options,
                                            unsigned int value);

// What `rocksdb_options_set_max_subcompactions` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned int rocksdb_options_get_max_subcompactions(rocksdb_options_t *options);

// Microseconds between searches for files that are no longer needed.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_delete_obsolete_files_period_micros(rocksdb_options_t *options,
                                                             uint64_t value);

// What `rocksdb_options_set_delete_obsolete_files_period_micros` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_delete_obsolete_files_period_micros(rocksdb_options_t *options);

// Delete files on a background thread when an iterator or a column family is released.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_avoid_unnecessary_blocking_io(rocksdb_options_t *options,
                                                       unsigned char value);

// What `rocksdb_options_set_avoid_unnecessary_blocking_io` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_avoid_unnecessary_blocking_io(rocksdb_options_t *options);

// Seconds between wake-ups that look for compactions which time makes due.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_compaction_trigger_wakeup_seconds(rocksdb_options_t *options,
                                                               uint64_t value);

// What `rocksdb_options_set_max_compaction_trigger_wakeup_seconds` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_compaction_trigger_wakeup_seconds(rocksdb_options_t *options);

// The hours of little load, as `HH:mm-HH:mm` in UTC; empty means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_daily_offpeak_time_utc(rocksdb_options_t *options,
                                                const char *value);

// What `rocksdb_options_set_daily_offpeak_time_utc` set, and its length if `size` is not NULL.
// It is valid until the next call for this option, or until the options end.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_options_get_daily_offpeak_time_utc(rocksdb_options_t *options,
                                                       size_t *size);

// How often the database tries to resume after an error in the background that may pass.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_bgerror_resume_count(rocksdb_options_t *options,
                                                  int value);

// What `rocksdb_options_set_max_bgerror_resume_count` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_bgerror_resume_count(rocksdb_options_t *options);

// Microseconds between those tries.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bgerror_resume_retry_interval(rocksdb_options_t *options,
                                                       uint64_t value);

// What `rocksdb_options_set_bgerror_resume_retry_interval` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_bgerror_resume_retry_interval(rocksdb_options_t *options);

// Bytes that all memtables of the database may take together; 0 means no limit.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_db_write_buffer_size(rocksdb_options_t *options,
                                              size_t value);

// What `rocksdb_options_set_db_write_buffer_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_db_write_buffer_size(rocksdb_options_t *options);

// Bytes a second that writes are slowed to when compaction lags; 0 means the rate
// limiter's, else 16 MiB.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_delayed_write_rate(rocksdb_options_t *options,
                                            uint64_t value);

// What `rocksdb_options_set_delayed_write_rate` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_delayed_write_rate(rocksdb_options_t *options);

// Let the members of a write group insert into the memtable in parallel.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_allow_concurrent_memtable_write(rocksdb_options_t *options,
                                                         unsigned char value);

// What `rocksdb_options_set_allow_concurrent_memtable_write` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_allow_concurrent_memtable_write(rocksdb_options_t *options);

// Spin and yield before a waiting writer blocks.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_enable_write_thread_adaptive_yield(rocksdb_options_t *options,
                                                            unsigned char value);

// What `rocksdb_options_set_enable_write_thread_adaptive_yield` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_enable_write_thread_adaptive_yield(rocksdb_options_t *options);

// Bytes of batches that one write group may take.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_write_batch_group_size_bytes(rocksdb_options_t *options,
                                                          uint64_t value);

// What `rocksdb_options_set_max_write_batch_group_size_bytes` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_write_batch_group_size_bytes(rocksdb_options_t *options);

// Microseconds that a waiting writer yields before it blocks.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_write_thread_max_yield_usec(rocksdb_options_t *options,
                                                     uint64_t value);

// What `rocksdb_options_set_write_thread_max_yield_usec` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_write_thread_max_yield_usec(rocksdb_options_t *options);

// Microseconds a yield takes when the processor is wanted by others.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_write_thread_slow_yield_usec(rocksdb_options_t *options,
                                                      uint64_t value);

// What `rocksdb_options_set_write_thread_slow_yield_usec` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_write_thread_slow_yield_usec(rocksdb_options_t *options);

// Log one group of writes while the one before is put into the memtables. They become visible
// in order, as without.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_enable_pipelined_write(rocksdb_options_t *options,
                                                unsigned char value);

// What `rocksdb_options_set_enable_pipelined_write` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_enable_pipelined_write(rocksdb_options_t *options);

// More throughput: as `enable_pipelined_write`, with which it cannot be combined. RocksDB gives
// up for it that a snapshot never changes; here snapshots keep that.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_unordered_write(rocksdb_options_t *options,
                                         unsigned char value);

// What `rocksdb_options_set_unordered_write` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_unordered_write(rocksdb_options_t *options);

// Flush all column families together when one has to be, and make their tables count all or
// none, so that after a crash the families are of one moment even without WAL. A flush that
// a caller asks for is one of the families that it names.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_atomic_flush(rocksdb_options_t *options,
                                      unsigned char value);

// What `rocksdb_options_set_atomic_flush` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_atomic_flush(rocksdb_options_t *options);

// Kept for compatibility: mutexes spin before they block.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_use_adaptive_mutex(rocksdb_options_t *options,
                                            unsigned char value);

// What `rocksdb_options_set_use_adaptive_mutex` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_use_adaptive_mutex(rocksdb_options_t *options);

// Seconds between dumps of statistics to the LOG; 0 means never.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_stats_dump_period_sec(rocksdb_options_t *options,
                                               unsigned int value);

// What `rocksdb_options_set_stats_dump_period_sec` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned int rocksdb_options_get_stats_dump_period_sec(rocksdb_options_t *options);

// Seconds between records of the statistics' history; 0 means never.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_stats_persist_period_sec(rocksdb_options_t *options,
                                                  unsigned int value);

// What `rocksdb_options_set_stats_persist_period_sec` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned int rocksdb_options_get_stats_persist_period_sec(rocksdb_options_t *options);

// Keep the history of statistics in a hidden column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_persist_stats_to_disk(rocksdb_options_t *options,
                                               unsigned char value);

// What `rocksdb_options_set_persist_stats_to_disk` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_persist_stats_to_disk(rocksdb_options_t *options);

// Bytes of the statistics' history in memory.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_stats_history_buffer_size(rocksdb_options_t *options,
                                                   size_t value);

// What `rocksdb_options_set_stats_history_buffer_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_stats_history_buffer_size(rocksdb_options_t *options);

// Bytes that a memtable takes before it is flushed. Not less than 64 KiB.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_write_buffer_size(rocksdb_options_t *options,
                                           size_t value);

// What `rocksdb_options_set_write_buffer_size` set, or the default.
extern ROCKSDB_LIBRARY_API size_t rocksdb_options_get_write_buffer_size(rocksdb_options_t *options);

// How many memtables, the active one included, may wait in memory before writes stop. At
// least 2.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_write_buffer_number(rocksdb_options_t *options,
                                                 int value);

// What `rocksdb_options_set_max_write_buffer_number` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_max_write_buffer_number(rocksdb_options_t *options);

// How many memtables are merged into one table when they are flushed.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_min_write_buffer_number_to_merge(rocksdb_options_t *options,
                                                          int value);

// What `rocksdb_options_set_min_write_buffer_number_to_merge` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_min_write_buffer_number_to_merge(rocksdb_options_t *options);

// Bytes that a memtable takes from the allocator at once; 0 means an eighth of
// `write_buffer_size`, 1 MiB at most.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_arena_block_size(rocksdb_options_t *options,
                                          size_t value);

// What `rocksdb_options_set_arena_block_size` set, or the default.
extern ROCKSDB_LIBRARY_API size_t rocksdb_options_get_arena_block_size(rocksdb_options_t *options);

// Bytes of the huge pages that memtables use; 0 means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_huge_page_size(rocksdb_options_t *options,
                                                 size_t value);

// What `rocksdb_options_set_memtable_huge_page_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_memtable_huge_page_size(rocksdb_options_t *options);

// The memtable's prefix Bloom filter, as a part of `write_buffer_size`; 0 means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_prefix_bloom_size_ratio(rocksdb_options_t *options,
                                                          double value);

// What `rocksdb_options_set_memtable_prefix_bloom_size_ratio` set, or the default.
extern ROCKSDB_LIBRARY_API
double rocksdb_options_get_memtable_prefix_bloom_size_ratio(rocksdb_options_t *options);

// Put whole keys into the memtable's Bloom filter.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_whole_key_filtering(rocksdb_options_t *options,
                                                      unsigned char value);

// What `rocksdb_options_set_memtable_whole_key_filtering` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_memtable_whole_key_filtering(rocksdb_options_t *options);

// How many merge operands of a key the memtable holds before it merges them; 0 means any
// number.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_successive_merges(rocksdb_options_t *options,
                                               size_t value);

// What `rocksdb_options_set_max_successive_merges` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_max_successive_merges(rocksdb_options_t *options);

// Keep to `max_successive_merges` even where that must read tables.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_strict_max_successive_merges(rocksdb_options_t *options,
                                                      unsigned char value);

// What `rocksdb_options_set_strict_max_successive_merges` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_strict_max_successive_merges(rocksdb_options_t *options);

// Entries of range deletions after which the memtable is flushed; 0 means any number.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_max_range_deletions(rocksdb_options_t *options,
                                                      uint32_t value);

// What `rocksdb_options_set_memtable_max_range_deletions` set, or the default.
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_options_get_memtable_max_range_deletions(rocksdb_options_t *options);

// Bytes of checksum that memtables keep for each record, by which readers notice damage in
// memory: 0 (none), 1, 2, 4 or 8. Memtables that there are already stay as they are. Range
// deletions have none.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_protection_bytes_per_key(rocksdb_options_t *options,
                                                           uint32_t value);

// What `rocksdb_options_set_memtable_protection_bytes_per_key` set, or the default.
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_options_get_memtable_protection_bytes_per_key(rocksdb_options_t *options);

// Compare the keys of a memtable that readers come to with those beside them: what is out
// of order is damage in memory.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_paranoid_memory_checks(rocksdb_options_t *options,
                                                unsigned char value);

// What `rocksdb_options_set_paranoid_memory_checks` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_paranoid_memory_checks(rocksdb_options_t *options);

// Check not only the checksum of the record that a seek in a memtable ends on, but also
// that of its neighbour, without which it may be the wrong one. Needs
// `memtable_protection_bytes_per_key`.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_memtable_verify_per_key_checksum_on_seek(rocksdb_options_t *options,
                                                                  unsigned char value);

// What `rocksdb_options_set_memtable_verify_per_key_checksum_on_seek` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_memtable_verify_per_key_checksum_on_seek(rocksdb_options_t *options);

// Refuse writes: the column family takes only files that are ingested.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_disallow_memtable_writes(rocksdb_options_t *options,
                                                  unsigned char value);

// What `rocksdb_options_set_disallow_memtable_writes` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_disallow_memtable_writes(rocksdb_options_t *options);

// The compression of tables. Without `compression_per_level` it holds for all levels but
// the last, which `bottommost_compression` may change.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression(rocksdb_options_t *options,
                                     int value);

// What `rocksdb_options_set_compression` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_compression(rocksdb_options_t *options);

// The compression of the last level with files; `kDisableCompressionOption` means as the
// others.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression(rocksdb_options_t *options,
                                                int value);

// What `rocksdb_options_set_bottommost_compression` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_bottommost_compression(rocksdb_options_t *options);

// The number of levels.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_num_levels(rocksdb_options_t *options,
                                    int value);

// What `rocksdb_options_set_num_levels` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_num_levels(rocksdb_options_t *options);

// Files of level 0 that start a compaction.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_level0_file_num_compaction_trigger(rocksdb_options_t *options,
                                                            int value);

// What `rocksdb_options_set_level0_file_num_compaction_trigger` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_level0_file_num_compaction_trigger(rocksdb_options_t *options);

// Files of level 0 that slow writes down.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_level0_slowdown_writes_trigger(rocksdb_options_t *options,
                                                        int value);

// What `rocksdb_options_set_level0_slowdown_writes_trigger` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_level0_slowdown_writes_trigger(rocksdb_options_t *options);

// Files of level 0 that stop writes.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_level0_stop_writes_trigger(rocksdb_options_t *options,
                                                    int value);

// What `rocksdb_options_set_level0_stop_writes_trigger` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_level0_stop_writes_trigger(rocksdb_options_t *options);

// Bytes of a table in level 1.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_target_file_size_base(rocksdb_options_t *options,
                                               uint64_t value);

// What `rocksdb_options_set_target_file_size_base` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_target_file_size_base(rocksdb_options_t *options);

// How much larger a level's tables are than those of the level above.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_target_file_size_multiplier(rocksdb_options_t *options,
                                                     int value);

// What `rocksdb_options_set_target_file_size_multiplier` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_target_file_size_multiplier(rocksdb_options_t *options);

// Never exceed the target size of a table.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_target_file_size_is_upper_bound(rocksdb_options_t *options,
                                                         unsigned char value);

// What `rocksdb_options_set_target_file_size_is_upper_bound` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_target_file_size_is_upper_bound(rocksdb_options_t *options);

// Bytes of level 1.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_bytes_for_level_base(rocksdb_options_t *options,
                                                  uint64_t value);

// What `rocksdb_options_set_max_bytes_for_level_base` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_bytes_for_level_base(rocksdb_options_t *options);

// Choose the levels' sizes from the last level's.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_level_compaction_dynamic_level_bytes(rocksdb_options_t *options,
                                                              unsigned char value);

// What `rocksdb_options_set_level_compaction_dynamic_level_bytes` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_level_compaction_dynamic_level_bytes(rocksdb_options_t *options);

// How much larger a level is than the one above.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_bytes_for_level_multiplier(rocksdb_options_t *options,
                                                        double value);

// What `rocksdb_options_set_max_bytes_for_level_multiplier` set, or the default.
extern ROCKSDB_LIBRARY_API
double rocksdb_options_get_max_bytes_for_level_multiplier(rocksdb_options_t *options);

// Bytes that one compaction may take; 0 means 25 times `target_file_size_base`.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_compaction_bytes(rocksdb_options_t *options,
                                              uint64_t value);

// What `rocksdb_options_set_max_compaction_bytes` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_compaction_bytes(rocksdb_options_t *options);

// Bytes that wait for compaction from which writes are slowed.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_soft_pending_compaction_bytes_limit(rocksdb_options_t *options,
                                                             size_t value);

// What `rocksdb_options_set_soft_pending_compaction_bytes_limit` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_soft_pending_compaction_bytes_limit(rocksdb_options_t *options);

// Bytes that wait for compaction from which writes are stopped.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_hard_pending_compaction_bytes_limit(rocksdb_options_t *options,
                                                             size_t value);

// What `rocksdb_options_set_hard_pending_compaction_bytes_limit` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_options_get_hard_pending_compaction_bytes_limit(rocksdb_options_t *options);

// Compact only when the caller asks.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_disable_auto_compactions(rocksdb_options_t *options,
                                                  int value);

// What `rocksdb_options_set_disable_auto_compactions` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_disable_auto_compactions(rocksdb_options_t *options);

// How files are chosen for compaction.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compaction_style(rocksdb_options_t *options,
                                          int value);

// What `rocksdb_options_set_compaction_style` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_compaction_style(rocksdb_options_t *options);

// Which file of a level is compacted first.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compaction_pri(rocksdb_options_t *options,
                                        int value);

// What `rocksdb_options_set_compaction_pri` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_compaction_pri(rocksdb_options_t *options);

// Seconds after which a file is compacted again, or deleted in FIFO style; the largest
// number but one lets the compaction style choose.
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_ttl(rocksdb_options_t *options, uint64_t value);

// What `rocksdb_options_set_ttl` set, or the default.
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_options_get_ttl(rocksdb_options_t *options);

// Seconds after which a file is rewritten; the largest number but one means the default of
// the compaction style.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_periodic_compaction_seconds(rocksdb_options_t *options,
                                                     uint64_t value);

// What `rocksdb_options_set_periodic_compaction_seconds` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_periodic_compaction_seconds(rocksdb_options_t *options);

// Seconds for which a file of the last level that can be cleaned waits.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_file_compaction_delay(rocksdb_options_t *options,
                                                          unsigned int value);

// What `rocksdb_options_set_bottommost_file_compaction_delay` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned int rocksdb_options_get_bottommost_file_compaction_delay(rocksdb_options_t *options);

// Read the tables that flushes and compactions write back.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_paranoid_file_checks(rocksdb_options_t *options,
                                              unsigned char value);

// What `rocksdb_options_set_paranoid_file_checks` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_paranoid_file_checks(rocksdb_options_t *options);

// What is verified of the tables that compactions write, as bits: the checksums of all
// blocks (1), and whether what is read is what was written (2); 1024 has to be added for
// either to be done.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_verify_output_flags(rocksdb_options_t *options,
                                             int value);

// What `rocksdb_options_set_verify_output_flags` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_verify_output_flags(rocksdb_options_t *options);

// Check the order of files in each new version.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_force_consistency_checks(rocksdb_options_t *options,
                                                  unsigned char value);

// What `rocksdb_options_set_force_consistency_checks` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_force_consistency_checks(rocksdb_options_t *options);

// Leave filters out of the last level.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_optimize_filters_for_hits(rocksdb_options_t *options,
                                                   int value);

// What `rocksdb_options_set_optimize_filters_for_hits` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_optimize_filters_for_hits(rocksdb_options_t *options);

// Guard data blocks in the cache against damage in memory: 0 (no), 1, 2, 4 or 8. RocksDB
// keeps so many bytes of checksum for each key; here a block has one of 8 bytes, which is
// compared each time that the block is found. A damaged block is an error, and is read
// from its file when it is next wanted.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_block_protection_bytes_per_key(rocksdb_options_t *options,
                                                        uint8_t value);

// What `rocksdb_options_set_block_protection_bytes_per_key` set, or the default.
extern ROCKSDB_LIBRARY_API
uint8_t rocksdb_options_get_block_protection_bytes_per_key(rocksdb_options_t *options);

// Hidden entries that an iterator passes one by one before it seeks.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_sequential_skip_in_iterations(rocksdb_options_t *options,
                                                           uint64_t value);

// What `rocksdb_options_set_max_sequential_skip_in_iterations` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_max_sequential_skip_in_iterations(rocksdb_options_t *options);

// The temperature of files in the last level.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_last_level_temperature(rocksdb_options_t *options,
                                                int value);

// What `rocksdb_options_set_last_level_temperature` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_last_level_temperature(rocksdb_options_t *options);

// The temperature of files that are written.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_default_write_temperature(rocksdb_options_t *options,
                                                   int value);

// What `rocksdb_options_set_default_write_temperature` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_default_write_temperature(rocksdb_options_t *options);

// Makes options with RocksDB's defaults; given back by `rocksdb_options_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_options_t *rocksdb_options_create(void);

// Makes a copy of the options; given back by `rocksdb_options_destroy`. Caches, environments and
// loggers are shared between both.
extern ROCKSDB_LIBRARY_API
rocksdb_options_t *rocksdb_options_create_copy(rocksdb_options_t *options);

// Gives the options back.
extern ROCKSDB_LIBRARY_API void rocksdb_options_destroy(rocksdb_options_t *options);

// Allows `total_threads` threads for compactions and one for flushes.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_increase_parallelism(rocksdb_options_t *options,
                                          int total_threads);

// Chooses options for gets: a hash index in data blocks, Bloom filters in tables and memtables,
// and a block cache of so many MiB. Table options are replaced.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_optimize_for_point_lookup(rocksdb_options_t *options,
                                               uint64_t block_cache_size_mb);

// Chooses options for leveled compaction with so many bytes of memtables: flushes of two memtables
// at once, a first level as large as level 0, and compression from level 2 on.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_optimize_level_style_compaction(rocksdb_options_t *options,
                                                     uint64_t memtable_memory_budget);

// Chooses options for universal compaction with so many bytes of memtables: flushes of two memtables
// at once, and compression of the oldest four fifths of the data.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_optimize_universal_style_compaction(rocksdb_options_t *options,
                                                         uint64_t memtable_memory_budget);

// Sets where files live and which threads work; the environment is shared. NULL means the
// default.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_env(rocksdb_options_t *options,
                             rocksdb_env_t *env);

// Sets where messages go instead of into a LOG file; the logger is shared. NULL changes nothing.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_info_log(rocksdb_options_t *options,
                                  rocksdb_logger_t *logger);

// The logger that `rocksdb_options_set_info_log` set, or NULL; given back by
// `rocksdb_logger_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_logger_t *rocksdb_options_get_info_log(rocksdb_options_t *options);

// Sets the order of keys, which is borrowed: destroy it after the databases that use it. NULL
// means ascending bytes.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_comparator(rocksdb_options_t *options,
                                    rocksdb_comparator_t *comparator);

// Sets what joins values that are merged into a key, which is taken over. NULL means nothing.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_merge_operator(rocksdb_options_t *options,
                                        rocksdb_mergeoperator_t *merge_operator);

// Lets values that are merged into a key be added: numbers of 8 bytes, little-endian, modulo
// 2^64. What is not 8 bytes long counts as 0.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_uint64add_merge_operator(rocksdb_options_t *options);

// Sets how block-based tables are written and read. The table options are copied.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_block_based_table_factory(rocksdb_options_t *options,
                                                   rocksdb_block_based_table_options_t *table_options);

// Sets the compression of each level, the first for level 0.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_per_level(rocksdb_options_t *options,
                                               const int *level_values,
                                               size_t num_levels);

// Sets `*new_options` to `base_options` as `opts_str` changes them:
// `create_if_missing=true;write_buffer_size=1m;block_based_table_factory={block_size=8k}`.
extern ROCKSDB_LIBRARY_API
void rocksdb_get_options_from_string(const rocksdb_options_t *base_options,
                                     const char *opts_str,
                                     rocksdb_options_t *new_options,
                                     char **errptr);

/* ---- Options of block-based tables ---- */

// Bytes of a data block before compression.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_size(rocksdb_block_based_table_options_t *options,
                                                size_t value);

// What `rocksdb_block_based_options_set_block_size` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_block_based_options_get_block_size(rocksdb_block_based_table_options_t *options);

// A block is closed early when it is within this many per cent of `block_size` and the
// next entry would exceed it. Values outside 0 to 100 count as 0.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_size_deviation(rocksdb_block_based_table_options_t *options,
                                                          int value);

// What `rocksdb_block_based_options_set_block_size_deviation` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_block_based_options_get_block_size_deviation(rocksdb_block_based_table_options_t *options);

// Entries between restart points of a data block.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_restart_interval(rocksdb_block_based_table_options_t *options,
                                                            int value);

// What `rocksdb_block_based_options_set_block_restart_interval` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_block_based_options_get_block_restart_interval(rocksdb_block_based_table_options_t *options);

// Entries between restart points of the index.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_index_block_restart_interval(rocksdb_block_based_table_options_t *options,
                                                                  int value);

// What `rocksdb_block_based_options_set_index_block_restart_interval` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_block_based_options_get_index_block_restart_interval(rocksdb_block_based_table_options_t *options);

// Share key prefixes in data blocks.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_use_delta_encoding(rocksdb_block_based_table_options_t *options,
                                                        unsigned char value);

// What `rocksdb_block_based_options_set_use_delta_encoding` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_use_delta_encoding(rocksdb_block_based_table_options_t *options);

// The version of the table format. 2 to 7.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_format_version(rocksdb_block_based_table_options_t *options,
                                                    int value);

// What `rocksdb_block_based_options_set_format_version` set, or the default.
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_block_based_options_get_format_version(rocksdb_block_based_table_options_t *options);

// The checksum of blocks.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_checksum(rocksdb_block_based_table_options_t *options,
                                              char value);

// What `rocksdb_block_based_options_set_checksum` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_block_based_options_get_checksum(rocksdb_block_based_table_options_t *options);

// Decompress each block after it was compressed, and compare.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_verify_compression(rocksdb_block_based_table_options_t *options,
                                                        unsigned char value);

// What `rocksdb_block_based_options_set_verify_compression` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_verify_compression(rocksdb_block_based_table_options_t *options);

// Align blocks that are not compressed with the smaller of page and block size.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_align(rocksdb_block_based_table_options_t *options,
                                                 unsigned char value);

// What `rocksdb_block_based_options_set_block_align` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_block_align(rocksdb_block_based_table_options_t *options);

// The structure of the index.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_index_type(rocksdb_block_based_table_options_t *options,
                                                int value);

// What `rocksdb_block_based_options_set_index_type` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_block_based_options_get_index_type(rocksdb_block_based_table_options_t *options);

// How far keys of the index are shortened.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_index_shortening(rocksdb_block_based_table_options_t *options,
                                                      int value);

// What `rocksdb_block_based_options_set_index_shortening` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_block_based_options_get_index_shortening(rocksdb_block_based_table_options_t *options);

// Compress the index.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_enable_index_compression(rocksdb_block_based_table_options_t *options,
                                                              unsigned char value);

// What `rocksdb_block_based_options_set_enable_index_compression` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_enable_index_compression(rocksdb_block_based_table_options_t *options);

// The index within data blocks.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_data_block_index_type(rocksdb_block_based_table_options_t *options,
                                                           int value);

// What `rocksdb_block_based_options_set_data_block_index_type` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_block_based_options_get_data_block_index_type(rocksdb_block_based_table_options_t *options);

// Keys for each bucket of the hash index within data blocks.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_data_block_hash_table_util_ratio(rocksdb_block_based_table_options_t *options,
                                                                      double value);

// What `rocksdb_block_based_options_set_data_block_hash_table_util_ratio` set, or the default.
extern ROCKSDB_LIBRARY_API
double rocksdb_block_based_options_get_data_block_hash_table_util_ratio(rocksdb_block_based_table_options_t *options);

// Bytes of a partition of the index or the filter.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_metadata_block_size(rocksdb_block_based_table_options_t *options,
                                                         uint64_t value);

// What `rocksdb_block_based_options_set_metadata_block_size` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_block_based_options_get_metadata_block_size(rocksdb_block_based_table_options_t *options);

// Put whole keys into the filter.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_whole_key_filtering(rocksdb_block_based_table_options_t *options,
                                                         unsigned char value);

// What `rocksdb_block_based_options_set_whole_key_filtering` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_whole_key_filtering(rocksdb_block_based_table_options_t *options);

// Split the filter in partitions.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_partition_filters(rocksdb_block_based_table_options_t *options,
                                                       unsigned char value);

// What `rocksdb_block_based_options_set_partition_filters` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_partition_filters(rocksdb_block_based_table_options_t *options);

// Let filter partitions end where index partitions do not.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_decouple_partitioned_filters(rocksdb_block_based_table_options_t *options,
                                                                  unsigned char value);

// What `rocksdb_block_based_options_set_decouple_partitioned_filters` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_decouple_partitioned_filters(rocksdb_block_based_table_options_t *options);

// Choose sizes of filters so that the allocator wastes little.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_optimize_filters_for_memory(rocksdb_block_based_table_options_t *options,
                                                                 unsigned char value);

// What `rocksdb_block_based_options_set_optimize_filters_for_memory` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_optimize_filters_for_memory(rocksdb_block_based_table_options_t *options);

// Check each filter after it was made.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_detect_filter_construct_corruption(rocksdb_block_based_table_options_t *options,
                                                                        unsigned char value);

// What `rocksdb_block_based_options_set_detect_filter_construct_corruption` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_detect_filter_construct_corruption(rocksdb_block_based_table_options_t *options);

// Read without a block cache.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_no_block_cache(rocksdb_block_based_table_options_t *options,
                                                    unsigned char value);

// What `rocksdb_block_based_options_set_no_block_cache` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_no_block_cache(rocksdb_block_based_table_options_t *options);

// Keep index and filter blocks in the block cache.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_cache_index_and_filter_blocks(rocksdb_block_based_table_options_t *options,
                                                                   unsigned char value);

// What `rocksdb_block_based_options_set_cache_index_and_filter_blocks` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_cache_index_and_filter_blocks(rocksdb_block_based_table_options_t *options);

// Keep them there with high priority.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(rocksdb_block_based_table_options_t *options,
                                                                                      unsigned char value);

// What `rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_cache_index_and_filter_blocks_with_high_priority(rocksdb_block_based_table_options_t *options);

// Pin those of level 0.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(rocksdb_block_based_table_options_t *options,
                                                                             unsigned char value);

// What `rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_pin_l0_filter_and_index_blocks_in_cache(rocksdb_block_based_table_options_t *options);

// Pin the top levels of partitioned indexes and filters.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_pin_top_level_index_and_filter(rocksdb_block_based_table_options_t *options,
                                                                    unsigned char value);

// What `rocksdb_block_based_options_set_pin_top_level_index_and_filter` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_block_based_options_get_pin_top_level_index_and_filter(rocksdb_block_based_table_options_t *options);

// Put data blocks into the cache when they are written. That for compactions (2) is not
// supported yet.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_prepopulate_block_cache(rocksdb_block_based_table_options_t *options,
                                                             int value);

// What `rocksdb_block_based_options_set_prepopulate_block_cache` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_block_based_options_get_prepopulate_block_cache(rocksdb_block_based_table_options_t *options);

// The most bytes that an iterator reads ahead by itself.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_max_auto_readahead_size(rocksdb_block_based_table_options_t *options,
                                                             size_t value);

// What `rocksdb_block_based_options_set_max_auto_readahead_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_block_based_options_get_max_auto_readahead_size(rocksdb_block_based_table_options_t *options);

// The bytes that it reads ahead at first.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_initial_auto_readahead_size(rocksdb_block_based_table_options_t *options,
                                                                 size_t value);

// What `rocksdb_block_based_options_set_initial_auto_readahead_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_block_based_options_get_initial_auto_readahead_size(rocksdb_block_based_table_options_t *options);

// The reads in a row after which it starts to.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_num_file_reads_for_auto_readahead(rocksdb_block_based_table_options_t *options,
                                                                       uint64_t value);

// What `rocksdb_block_based_options_set_num_file_reads_for_auto_readahead` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_block_based_options_get_num_file_reads_for_auto_readahead(rocksdb_block_based_table_options_t *options);

// Makes table options with RocksDB's defaults; given back by
// `rocksdb_block_based_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_block_based_table_options_t *rocksdb_block_based_options_create(void);

// Gives the table options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_destroy(rocksdb_block_based_table_options_t *options);

// The keys for each bucket of the hash index within data blocks, as
// `rocksdb_block_based_options_set_data_block_hash_table_util_ratio` sets it.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_data_block_hash_ratio(rocksdb_block_based_table_options_t *options,
                                                           double v);

// Sets the filter that tables get, and takes the policy over: it is not destroyed by the caller.
// NULL means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_filter_policy(rocksdb_block_based_table_options_t *options,
                                                   rocksdb_filterpolicy_t *filter_policy);

// Which upper levels of partitioned indexes and filters stay in the cache while their table is
// open.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_top_level_index_pinning_tier(rocksdb_block_based_table_options_t *options,
                                                                  int v);

// Which partitions of indexes and filters stay in the cache while their table is open.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_partition_pinning_tier(rocksdb_block_based_table_options_t *options,
                                                            int v);

// Which indexes and filters without partitions stay in the cache while their table is open.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_unpartitioned_pinning_tier(rocksdb_block_based_table_options_t *options,
                                                                int v);

// Sets the cache for blocks, which is shared. NULL changes nothing. Without one, tables get a
// cache of 32 MiB of their own.
extern ROCKSDB_LIBRARY_API
void rocksdb_block_based_options_set_block_cache(rocksdb_block_based_table_options_t *options,
                                                 rocksdb_cache_t *block_cache);

/* ---- Options of reads ---- */

// Check the checksums of blocks that are read from files.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_verify_checksums(rocksdb_readoptions_t *options,
                                              unsigned char value);

// What `rocksdb_readoptions_set_verify_checksums` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_verify_checksums(rocksdb_readoptions_t *options);

// Put blocks that are read into the cache.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_fill_cache(rocksdb_readoptions_t *options,
                                        unsigned char value);

// What `rocksdb_readoptions_set_fill_cache` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_fill_cache(rocksdb_readoptions_t *options);

// Where a read may look.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_read_tier(rocksdb_readoptions_t *options,
                                       int value);

// What `rocksdb_readoptions_set_read_tier` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_readoptions_get_read_tier(rocksdb_readoptions_t *options);

// Bytes that an iterator reads ahead; 0 lets it choose.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_readahead_size(rocksdb_readoptions_t *options,
                                            size_t value);

// What `rocksdb_readoptions_set_readahead_size` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_readoptions_get_readahead_size(rocksdb_readoptions_t *options);

// What files are read for: a function that is called for something else fails. 255 leaves it
// to the function.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_io_activity(rocksdb_readoptions_t *options,
                                         int value);

// What `rocksdb_readoptions_set_io_activity` set, or the default.
extern ROCKSDB_LIBRARY_API int rocksdb_readoptions_get_io_activity(rocksdb_readoptions_t *options);

// How the rate limiter is asked for what is read from table files, if it limits reads: a
// priority from 0 (`IO_LOW`) to 3 (`IO_USER`), or 4 (`IO_TOTAL`), which does not ask.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_rate_limiter_priority(rocksdb_readoptions_t *options,
                                                   int value);

// What `rocksdb_readoptions_set_rate_limiter_priority` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_readoptions_get_rate_limiter_priority(rocksdb_readoptions_t *options);

// The time by which the read must end, in microseconds of the system clock; 0 means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_deadline(rocksdb_readoptions_t *options,
                                      uint64_t value);

// What `rocksdb_readoptions_set_deadline` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_readoptions_get_deadline(rocksdb_readoptions_t *options);

// Microseconds that a file system may take for one read, if it can give up reading; 0
// means any time. Those of the default and the memory environment cannot, as in RocksDB,
// and there `deadline` alone is kept.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_io_timeout(rocksdb_readoptions_t *options,
                                        uint64_t value);

// What `rocksdb_readoptions_set_io_timeout` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_readoptions_get_io_timeout(rocksdb_readoptions_t *options);

// Bytes of values that a batch of gets may return.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_value_size_soft_limit(rocksdb_readoptions_t *options,
                                                   uint64_t value);

// What `rocksdb_readoptions_set_value_size_soft_limit` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_readoptions_get_value_size_soft_limit(rocksdb_readoptions_t *options);

// Read as if there were no range deletions.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_ignore_range_deletions(rocksdb_readoptions_t *options,
                                                    unsigned char value);

// What `rocksdb_readoptions_set_ignore_range_deletions` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_ignore_range_deletions(rocksdb_readoptions_t *options);

// Read ahead asynchronously.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_async_io(rocksdb_readoptions_t *options,
                                      unsigned char value);

// What `rocksdb_readoptions_set_async_io` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_async_io(rocksdb_readoptions_t *options);

// Let a batch of gets read files of several levels at once, where `async_io` makes reads
// asynchronous. Here, as in RocksDB without coroutines, it does not: files are read one
// by one.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_optimize_multiget_for_io(rocksdb_readoptions_t *options,
                                                      unsigned char value);

// What `rocksdb_readoptions_set_optimize_multiget_for_io` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_optimize_multiget_for_io(rocksdb_readoptions_t *options);

// Hidden entries after which an iterator gives up with `Incomplete`; 0 means any number.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_max_skippable_internal_keys(rocksdb_readoptions_t *options,
                                                         uint64_t value);

// What `rocksdb_readoptions_set_max_skippable_internal_keys` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_readoptions_get_max_skippable_internal_keys(rocksdb_readoptions_t *options);

// Make an iterator that follows new writes.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_tailing(rocksdb_readoptions_t *options,
                                     unsigned char value);

// What `rocksdb_readoptions_set_tailing` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_tailing(rocksdb_readoptions_t *options);

// Ignore prefix indexes and filters.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_total_order_seek(rocksdb_readoptions_t *options,
                                              unsigned char value);

// What `rocksdb_readoptions_set_total_order_seek` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_total_order_seek(rocksdb_readoptions_t *options);

// Use prefix indexes and filters where the bounds allow it.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_auto_prefix_mode(rocksdb_readoptions_t *options,
                                              unsigned char value);

// What `rocksdb_readoptions_set_auto_prefix_mode` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_auto_prefix_mode(rocksdb_readoptions_t *options);

// End the iterator where the prefix of the seek key ends.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_prefix_same_as_start(rocksdb_readoptions_t *options,
                                                  unsigned char value);

// What `rocksdb_readoptions_set_prefix_same_as_start` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_prefix_same_as_start(rocksdb_readoptions_t *options);

// Keep the blocks that an iterator passed in memory.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_pin_data(rocksdb_readoptions_t *options,
                                      unsigned char value);

// What `rocksdb_readoptions_set_pin_data` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_pin_data(rocksdb_readoptions_t *options);

// Let an iterator's read-ahead go on from one table of a level to the next, where it
// else begins anew, and shrink where blocks turn out to be cached.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_adaptive_readahead(rocksdb_readoptions_t *options,
                                                unsigned char value);

// What `rocksdb_readoptions_set_adaptive_readahead` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_adaptive_readahead(rocksdb_readoptions_t *options);

// Have the background remove the files that only an iterator kept, when it ends. Else the
// thread that ends the iterator does.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_background_purge_on_iterator_cleanup(rocksdb_readoptions_t *options,
                                                                  unsigned char value);

// What `rocksdb_readoptions_set_background_purge_on_iterator_cleanup` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_background_purge_on_iterator_cleanup(rocksdb_readoptions_t *options);

// Let an iterator read nothing ahead that lies behind its upper bound, or with
// `prefix_same_as_start` behind the prefix, or that is cached anyway at the end of that.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_auto_readahead_size(rocksdb_readoptions_t *options,
                                                 unsigned char value);

// What `rocksdb_readoptions_set_auto_readahead_size` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_auto_readahead_size(rocksdb_readoptions_t *options);

// Let an iterator leave values in blob files unread until they are asked for. No function
// of the C interface asks, and values elsewhere are there at once.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_allow_unprepared_value(rocksdb_readoptions_t *options,
                                                    unsigned char value);

// What `rocksdb_readoptions_set_allow_unprepared_value` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_allow_unprepared_value(rocksdb_readoptions_t *options);

// Let an iterator that is made with a snapshot give up memtables and tables that are not
// current any more when it is moved. What it shows stays the same, as long as the
// snapshot is not released.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_auto_refresh_iterator_with_snapshot(rocksdb_readoptions_t *options,
                                                                 unsigned char value);

// What `rocksdb_readoptions_set_auto_refresh_iterator_with_snapshot` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_get_auto_refresh_iterator_with_snapshot(rocksdb_readoptions_t *options);

// Refuse to make iterators: what this once asked for is gone.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_managed(rocksdb_readoptions_t *options,
                                     unsigned char value);

// Makes read options with RocksDB's defaults; given back by `rocksdb_readoptions_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_readoptions_t *rocksdb_readoptions_create(void);

// Gives the read options back.
extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_destroy(rocksdb_readoptions_t *options);

// Ends iterators at a key, which they do not return. The key is copied; NULL means no bound.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_iterate_upper_bound(rocksdb_readoptions_t *options,
                                                 const char *key,
                                                 size_t keylen);

// Starts iterators at a key. The key is copied; NULL means no bound.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_iterate_lower_bound(rocksdb_readoptions_t *options,
                                                 const char *key,
                                                 size_t keylen);

// Has a get that joins more merge operands than `threshold` succeed with the sub-code
// `kMergeOperandThresholdExceeded`. As in RocksDB, the functions here do not tell one success from
// another: the threshold is for those who read it from the options.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_merge_operand_count_threshold(rocksdb_readoptions_t *options,
                                                           size_t threshold);

// Takes the threshold away.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_clear_merge_operand_count_threshold(rocksdb_readoptions_t *options);

// Whether there is a threshold.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_has_merge_operand_count_threshold(rocksdb_readoptions_t *options);

// The threshold, 0 if there is none.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_readoptions_get_merge_operand_count_threshold(rocksdb_readoptions_t *options);

// Names the request that reads are for, to those who follow it; reads do not depend on it. The
// name, any bytes, is copied; NULL means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_request_id(rocksdb_readoptions_t *options,
                                        const char *request_id,
                                        size_t request_id_len);

// Takes the name of the request away.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_clear_request_id(rocksdb_readoptions_t *options);

// The name of the request, with a NUL behind it, and its length in `*request_id_len`; NULL if it
// has none. Valid until another is set, or the options end.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_readoptions_get_request_id(rocksdb_readoptions_t *options,
                                               size_t *request_id_len);

/* ---- Options of writes ---- */

// Sync the WAL before the write returns.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_sync(rocksdb_writeoptions_t *options,
                                   unsigned char value);

// What `rocksdb_writeoptions_set_sync` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_sync(rocksdb_writeoptions_t *options);

// Leave the WAL out: the write is lost if the process ends before its memtable is flushed.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_disable_WAL(rocksdb_writeoptions_t *options,
                                      int value);

// What `rocksdb_writeoptions_disable_WAL` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_disable_WAL(rocksdb_writeoptions_t *options);

// Skip records of column families that do not exist, rather than fail.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_ignore_missing_column_families(rocksdb_writeoptions_t *options,
                                                             unsigned char value);

// What `rocksdb_writeoptions_set_ignore_missing_column_families` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_ignore_missing_column_families(rocksdb_writeoptions_t *options);

// Fail with `Incomplete` where the write would have to wait for memory.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_no_slowdown(rocksdb_writeoptions_t *options,
                                          unsigned char value);

// What `rocksdb_writeoptions_set_no_slowdown` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_no_slowdown(rocksdb_writeoptions_t *options);

// How the rate limiter is asked for the bytes that go to the WAL: 3 (`IO_USER`), or 4
// (`IO_TOTAL`), which does not ask.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_rate_limiter_priority(rocksdb_writeoptions_t *options,
                                                    int value);

// What `rocksdb_writeoptions_set_rate_limiter_priority` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_writeoptions_get_rate_limiter_priority(rocksdb_writeoptions_t *options);

// While compactions lag, let such writes have one mebibyte a second together. With
// `no_slowdown` they fail with `Incomplete` instead.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_low_pri(rocksdb_writeoptions_t *options,
                                      unsigned char value);

// What `rocksdb_writeoptions_set_low_pri` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_low_pri(rocksdb_writeoptions_t *options);

// Tell memtables that the keys of a batch lie close together. A memtable that finds its
// places without that, as those here do, ignores it, as RocksDB does where writes are
// not concurrent.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_memtable_insert_hint_per_batch(rocksdb_writeoptions_t *options,
                                                             unsigned char value);

// What `rocksdb_writeoptions_set_memtable_insert_hint_per_batch` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_writeoptions_get_memtable_insert_hint_per_batch(rocksdb_writeoptions_t *options);

// Bytes of checksum that guard each record against damage in memory on its way to the
// log and to the memtable: 0 (none) or 8. A batch keeps them.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_protection_bytes_per_key(rocksdb_writeoptions_t *options,
                                                       size_t value);

// What `rocksdb_writeoptions_set_protection_bytes_per_key` set, or the default.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_writeoptions_get_protection_bytes_per_key(rocksdb_writeoptions_t *options);

// What the log is written for, to those who follow input and output; writes do not
// depend on it. 255 is a user's write.
extern ROCKSDB_LIBRARY_API
void rocksdb_writeoptions_set_io_activity(rocksdb_writeoptions_t *options,
                                          int value);

// What `rocksdb_writeoptions_set_io_activity` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_writeoptions_get_io_activity(rocksdb_writeoptions_t *options);

// Makes write options with RocksDB's defaults; given back by `rocksdb_writeoptions_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_writeoptions_t *rocksdb_writeoptions_create(void);

// Gives the write options back.
extern ROCKSDB_LIBRARY_API void rocksdb_writeoptions_destroy(rocksdb_writeoptions_t *options);

/* ---- Options of flushes ---- */

// Return after the flush ended.
extern ROCKSDB_LIBRARY_API
void rocksdb_flushoptions_set_wait(rocksdb_flushoptions_t *options,
                                   unsigned char value);

// What `rocksdb_flushoptions_set_wait` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_flushoptions_get_wait(rocksdb_flushoptions_t *options);

// Flush at once even if writes then have to wait.
extern ROCKSDB_LIBRARY_API
void rocksdb_flushoptions_set_allow_write_stall(rocksdb_flushoptions_t *options,
                                                unsigned char value);

// What `rocksdb_flushoptions_set_allow_write_stall` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_flushoptions_get_allow_write_stall(rocksdb_flushoptions_t *options);

// Flush the column families together: after a crash, all or none of them have what
// they held, as with `rocksdb_options_set_atomic_flush`.
extern ROCKSDB_LIBRARY_API
void rocksdb_flushoptions_set_force_atomic_flush(rocksdb_flushoptions_t *options,
                                                 unsigned char value);

// What `rocksdb_flushoptions_set_force_atomic_flush` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_flushoptions_get_force_atomic_flush(rocksdb_flushoptions_t *options);

// Make the WAL durable as well.
extern ROCKSDB_LIBRARY_API
void rocksdb_flushwaloptions_set_sync(rocksdb_flushwaloptions_t *options,
                                      unsigned char value);

// What `rocksdb_flushwaloptions_set_sync` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_flushwaloptions_get_sync(rocksdb_flushwaloptions_t *options);

// How the rate limiter is asked for the bytes that were held back: a priority from 0
// (`IO_LOW`) to 3 (`IO_USER`), or 4 (`IO_TOTAL`), which does not ask.
extern ROCKSDB_LIBRARY_API
void rocksdb_flushwaloptions_set_rate_limiter_priority(rocksdb_flushwaloptions_t *options,
                                                       int value);

// What `rocksdb_flushwaloptions_set_rate_limiter_priority` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_flushwaloptions_get_rate_limiter_priority(rocksdb_flushwaloptions_t *options);

// Makes flush options with RocksDB's defaults; given back by `rocksdb_flushoptions_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_flushoptions_t *rocksdb_flushoptions_create(void);

// Gives the flush options back.
extern ROCKSDB_LIBRARY_API void rocksdb_flushoptions_destroy(rocksdb_flushoptions_t *options);

// Makes options with RocksDB's defaults; given back by `rocksdb_flushwaloptions_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_flushwaloptions_t *rocksdb_flushwaloptions_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API void rocksdb_flushwaloptions_destroy(rocksdb_flushwaloptions_t *opt);

/* ---- Reading OPTIONS files ---- */

// Reads the newest OPTIONS file of the database in the folder `db_path`: its database options,
// and name and options of each column family. `cache`, if not NULL, becomes the block cache of
// all. On failure the results are NULL and 0. `rocksdb_load_latest_options_destroy` gives all of
// it back.
extern ROCKSDB_LIBRARY_API
void rocksdb_load_latest_options(const char *db_path,
                                 rocksdb_env_t *env,
                                 bool ignore_unknown_options,
                                 rocksdb_cache_t *cache,
                                 rocksdb_options_t **db_options,
                                 size_t *num_column_families,
                                 char ***list_column_family_names,
                                 rocksdb_options_t ***list_column_family_options,
                                 char **errptr);

// Gives back what `rocksdb_load_latest_options` returned; `len` is the number of column
// families.
extern ROCKSDB_LIBRARY_API
void rocksdb_load_latest_options_destroy(rocksdb_options_t *db_options,
                                         char **list_column_family_names,
                                         rocksdb_options_t **list_column_family_options,
                                         size_t len);

/* ---- What a database tells about itself: properties, sizes of ranges, memory ---- */

// A property of the default column family, such as `rocksdb.stats`, which the caller frees; NULL if
// it is not known.
extern ROCKSDB_LIBRARY_API char *rocksdb_property_value(rocksdb_t *db, const char *propname);

// `rocksdb_property_value` of a column family.
extern ROCKSDB_LIBRARY_API
char *rocksdb_property_value_cf(rocksdb_t *db,
                                rocksdb_column_family_handle_t *column_family,
                                const char *propname);

// Sets `*out_val` to a property of the default column family that is a number. Returns 0, or -1 if it
// is none.
extern ROCKSDB_LIBRARY_API
int rocksdb_property_int(rocksdb_t *db,
                         const char *propname,
                         uint64_t *out_val);

// `rocksdb_property_int` of a column family.
extern ROCKSDB_LIBRARY_API
int rocksdb_property_int_cf(rocksdb_t *db,
                            rocksdb_column_family_handle_t *column_family,
                            const char *propname,
                            uint64_t *out_val);

// Sets `sizes[i]` to about how many bytes of table files the keys from `range_start_key[i]` to before
// `range_limit_key[i]` take.
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_sizes(rocksdb_t *db,
                               int num_ranges,
                               const char *const *range_start_key,
                               const size_t *range_start_key_len,
                               const char *const *range_limit_key,
                               const size_t *range_limit_key_len,
                               uint64_t *sizes,
                               char **errptr);

// `rocksdb_approximate_sizes` of a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_sizes_cf(rocksdb_t *db,
                                  rocksdb_column_family_handle_t *column_family,
                                  int num_ranges,
                                  const char *const *range_start_key,
                                  const size_t *range_start_key_len,
                                  const char *const *range_limit_key,
                                  const size_t *range_limit_key_len,
                                  uint64_t *sizes,
                                  char **errptr);

// `rocksdb_approximate_sizes_cf` of what `include_flags`, a sum of
// `rocksdb_size_approximation_flags`, names.
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_sizes_cf_with_flags(rocksdb_t *db,
                                             rocksdb_column_family_handle_t *column_family,
                                             int num_ranges,
                                             const char *const *range_start_key,
                                             const size_t *range_start_key_len,
                                             const char *const *range_limit_key,
                                             const size_t *range_limit_key_len,
                                             uint8_t include_flags,
                                             uint64_t *sizes,
                                             char **errptr);

// `rocksdb_approximate_sizes` as the options say; NULL for the defaults.
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_sizes_with_options(rocksdb_t *db,
                                            const rocksdb_size_approximation_options_t *options,
                                            int num_ranges,
                                            const char *const *range_start_key,
                                            const size_t *range_start_key_len,
                                            const char *const *range_limit_key,
                                            const size_t *range_limit_key_len,
                                            uint64_t *sizes,
                                            char **errptr);

// `rocksdb_approximate_sizes_with_options` of a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_sizes_cf_with_options(rocksdb_t *db,
                                               rocksdb_column_family_handle_t *column_family,
                                               const rocksdb_size_approximation_options_t *options,
                                               int num_ranges,
                                               const char *const *range_start_key,
                                               const size_t *range_start_key_len,
                                               const char *const *range_limit_key,
                                               const size_t *range_limit_key_len,
                                               uint64_t *sizes,
                                               char **errptr);

// Makes options that count table files alone; given back by
// `rocksdb_size_approximation_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_size_approximation_options_t *rocksdb_size_approximation_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_size_approximation_options_destroy(rocksdb_size_approximation_options_t *options);

// Counts what is in memtables.
extern ROCKSDB_LIBRARY_API
void rocksdb_size_approximation_options_set_include_memtables(rocksdb_size_approximation_options_t *options,
                                                              unsigned char value);

// What `rocksdb_size_approximation_options_set_include_memtables` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_size_approximation_options_get_include_memtables(rocksdb_size_approximation_options_t *options);

// Counts table files.
extern ROCKSDB_LIBRARY_API
void rocksdb_size_approximation_options_set_include_files(rocksdb_size_approximation_options_t *options,
                                                          unsigned char value);

// What `rocksdb_size_approximation_options_set_include_files` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_size_approximation_options_get_include_files(rocksdb_size_approximation_options_t *options);

// Counts blob files.
extern ROCKSDB_LIBRARY_API
void rocksdb_size_approximation_options_set_include_blob_files(rocksdb_size_approximation_options_t *options,
                                                               unsigned char value);

// What `rocksdb_size_approximation_options_set_include_blob_files` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_size_approximation_options_get_include_blob_files(rocksdb_size_approximation_options_t *options);

// Sets how large a part of the result may be guessed from whole files at the ends of a range, without
// looking into them; nothing if it is not positive.
extern ROCKSDB_LIBRARY_API
void rocksdb_size_approximation_options_set_files_size_error_margin(rocksdb_size_approximation_options_t *options,
                                                                    double value);

// What `rocksdb_size_approximation_options_set_files_size_error_margin` set, or the default.
extern ROCKSDB_LIBRARY_API
double rocksdb_size_approximation_options_get_files_size_error_margin(rocksdb_size_approximation_options_t *options);

// Makes an empty set of consumers; given back by `rocksdb_memory_consumers_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_memory_consumers_t *rocksdb_memory_consumers_create(void);

// Adds a database.
extern ROCKSDB_LIBRARY_API
void rocksdb_memory_consumers_add_db(rocksdb_memory_consumers_t *consumers,
                                     rocksdb_t *db);

// Adds a cache. One that is added twice counts once.
extern ROCKSDB_LIBRARY_API
void rocksdb_memory_consumers_add_cache(rocksdb_memory_consumers_t *consumers,
                                        rocksdb_cache_t *cache);

// Gives the set of consumers back.
extern ROCKSDB_LIBRARY_API
void rocksdb_memory_consumers_destroy(rocksdb_memory_consumers_t *consumers);

// The memory that the consumers take now; given back by `rocksdb_approximate_memory_usage_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_memory_usage_t *rocksdb_approximate_memory_usage_create(rocksdb_memory_consumers_t *consumers,
                                                                char **errptr);

// Gives the numbers back.
extern ROCKSDB_LIBRARY_API
void rocksdb_approximate_memory_usage_destroy(rocksdb_memory_usage_t *usage);

// All memtables.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_approximate_memory_usage_get_mem_table_total(rocksdb_memory_usage_t *memory_usage);

// Memtables whose records are in no table yet.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_approximate_memory_usage_get_mem_table_unflushed(rocksdb_memory_usage_t *memory_usage);

// Tables that are open: their indexes and filters outside of caches.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_approximate_memory_usage_get_mem_table_readers_total(rocksdb_memory_usage_t *memory_usage);

// Caches.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_approximate_memory_usage_get_cache_total(rocksdb_memory_usage_t *memory_usage);

/* ---- Statistics: what databases that were opened with the same options count ---- */

// Makes databases that are opened with these options count what they do. Copies of the options
// made from now on share the counters.
extern ROCKSDB_LIBRARY_API void rocksdb_options_enable_statistics(rocksdb_options_t *options);

// Sets how much is counted, from now on, as a `rocksdb_statistics_level`; numbers beyond them are
// taken as the nearest. Without statistics this changes nothing.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_statistics_level(rocksdb_options_t *options,
                                          int level);

// How much is counted, as a `rocksdb_statistics_level`; 0 without statistics.
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_statistics_level(rocksdb_options_t *options);

// All counters as text, a line each, which the caller frees; NULL without statistics.
extern ROCKSDB_LIBRARY_API char *rocksdb_options_statistics_get_string(rocksdb_options_t *options);

// The count of the ticker with this number (RocksDB 11.8's `Tickers`); 0 without statistics.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_statistics_get_ticker_count(rocksdb_options_t *options,
                                                     uint32_t ticker_type);

// Sets `*data` to the histogram with this number (RocksDB 11.8's `Histograms`); to zeros without
// statistics.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_statistics_get_histogram_data(rocksdb_options_t *options,
                                                   uint32_t histogram_type,
                                                   rocksdb_statistics_histogram_data_t *data);

// Makes a place for a histogram's numbers; given back by
// `rocksdb_statistics_histogram_data_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_statistics_histogram_data_t *rocksdb_statistics_histogram_data_create(void);

// Gives the numbers back.
extern ROCKSDB_LIBRARY_API
void rocksdb_statistics_histogram_data_destroy(rocksdb_statistics_histogram_data_t *data);

// The 50th percentile.
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_median(rocksdb_statistics_histogram_data_t *data);

// The 95th percentile.
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_p95(rocksdb_statistics_histogram_data_t *data);

// The 99th percentile.
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_p99(rocksdb_statistics_histogram_data_t *data);

// The mean.
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_average(rocksdb_statistics_histogram_data_t *data);

// The standard deviation.
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_std_dev(rocksdb_statistics_histogram_data_t *data);

// The largest value.
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_max(rocksdb_statistics_histogram_data_t *data);

// How many values.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_statistics_histogram_data_get_count(rocksdb_statistics_histogram_data_t *data);

// The sum of the values.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_statistics_histogram_data_get_sum(rocksdb_statistics_histogram_data_t *data);

// The smallest value.
extern ROCKSDB_LIBRARY_API
double rocksdb_statistics_histogram_data_get_min(rocksdb_statistics_histogram_data_t *data);

/* ---- The perf context: what one thread counts and measures ---- */

// Sets how much this thread counts and measures from now on, by the numbers of RocksDB's
// `PerfLevel`: 1 nothing, 2 counts, 3 also time spent waiting, 4 also times other than those of
// mutexes, 5 also processor time, 6 everything. Other numbers change nothing.
extern ROCKSDB_LIBRARY_API void rocksdb_set_perf_level(int level);

// A look at this thread's counters; given back by `rocksdb_perfcontext_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_perfcontext_t *rocksdb_perfcontext_create(void);

// Sets the counters to 0.
extern ROCKSDB_LIBRARY_API void rocksdb_perfcontext_reset(rocksdb_perfcontext_t *context);

// The counters as text, which the caller frees; without those that are 0 if
// `exclude_zero_counters` is not 0.
extern ROCKSDB_LIBRARY_API
char *rocksdb_perfcontext_report(rocksdb_perfcontext_t *context,
                                 unsigned char exclude_zero_counters);

// One counter, by its number in the list of metrics; 0 for a number beyond them.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_perfcontext_metric(rocksdb_perfcontext_t *context,
                                    int metric);

// Gives the look at the counters back; the counters stay the thread's.
extern ROCKSDB_LIBRARY_API void rocksdb_perfcontext_destroy(rocksdb_perfcontext_t *context);

/* ---- Comparators: orders of keys that the caller defines ---- */

// Makes an order of keys from the caller's functions, each of which receives `state` and may be
// called by any thread at any time. `compare` returns a number below, at or above zero for a
// before, equal to or behind b. `name` returns the order's name, which is stored in a database
// and must be the same whenever that is opened. `destructor` is called once, in the end.
extern ROCKSDB_LIBRARY_API
rocksdb_comparator_t *rocksdb_comparator_create(void *state,
                                                void (*destructor)(void*),
                                                int (*compare)(void*,
                                                               const char *a,
                                                               size_t alen,
                                                               const char *b,
                                                               size_t blen),
                                                const char *(*name)(void*));

// Gives the comparator up; its destructor is called as soon as nothing uses it.
extern ROCKSDB_LIBRARY_API void rocksdb_comparator_destroy(rocksdb_comparator_t *comparator);

/* ---- Filter policies: which filter a table gets against needless reads ---- */

// Gives back a policy that was not handed over.
extern ROCKSDB_LIBRARY_API void rocksdb_filterpolicy_destroy(rocksdb_filterpolicy_t *policy);

// Bloom filters of `bits_per_key` bits a key; 10 gives about 1 % of needless reads.
extern ROCKSDB_LIBRARY_API
rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_bloom(double bits_per_key);

// The same as `rocksdb_filterpolicy_create_bloom`: filters a block, as opposed to full ones, are
// no longer made.
extern ROCKSDB_LIBRARY_API
rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_bloom_full(double bits_per_key);

// Ribbon filters as good as Bloom filters of `bloom_equivalent_bits_per_key` bits a key, with about
// 30 % less memory. They take more time to make.
extern ROCKSDB_LIBRARY_API
rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_ribbon(double bloom_equivalent_bits_per_key);

// Ribbon filters from level `bloom_before_level` on, and Bloom filters on those before, where
// tables do not live long: -1 is Ribbon filters everywhere, 0 everywhere but in tables that a
// flush wrote, `INT_MAX` nowhere.
extern ROCKSDB_LIBRARY_API
rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_ribbon_hybrid(double bloom_equivalent_bits_per_key,
                                                                  int bloom_before_level);

/* ---- Caches: blocks of table files in memory, shared by databases ---- */

// Makes options for an LRU cache; given back by `rocksdb_lru_cache_options_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_lru_cache_options_t *rocksdb_lru_cache_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_destroy(rocksdb_lru_cache_options_t *options);

// Sets the capacity in bytes.
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_set_capacity(rocksdb_lru_cache_options_t *options,
                                            size_t capacity);

// Sets the number of shards, as a power of two; -1 lets the capacity decide.
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_set_num_shard_bits(rocksdb_lru_cache_options_t *options,
                                                  int num_shard_bits);

// Makes an LRU cache of `capacity` bytes; given back by `rocksdb_cache_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_cache_t *rocksdb_cache_create_lru(size_t capacity);

// Makes an LRU cache in which reads fail rather than let blocks in use exceed `capacity` bytes.
extern ROCKSDB_LIBRARY_API
rocksdb_cache_t *rocksdb_cache_create_lru_with_strict_capacity_limit(size_t capacity);

// Makes an LRU cache as the options say.
extern ROCKSDB_LIBRARY_API
rocksdb_cache_t *rocksdb_cache_create_lru_opts(const rocksdb_lru_cache_options_t *options);

// Gives the cache up; it lives on in what uses it.
extern ROCKSDB_LIBRARY_API void rocksdb_cache_destroy(rocksdb_cache_t *cache);

// Keeps what the cache holds until the process ends, even if the cache is given up: for a process
// that is about to end, which need not wait until all of it is freed.
extern ROCKSDB_LIBRARY_API void rocksdb_cache_disown_data(rocksdb_cache_t *cache);

// Changes the capacity, in bytes, and evicts what is too much.
extern ROCKSDB_LIBRARY_API void rocksdb_cache_set_capacity(rocksdb_cache_t *cache, size_t capacity);

// The capacity in bytes.
extern ROCKSDB_LIBRARY_API size_t rocksdb_cache_get_capacity(const rocksdb_cache_t *cache);

// The bytes that the blocks take.
extern ROCKSDB_LIBRARY_API size_t rocksdb_cache_get_usage(const rocksdb_cache_t *cache);

// The bytes of the blocks that are in use.
extern ROCKSDB_LIBRARY_API size_t rocksdb_cache_get_pinned_usage(const rocksdb_cache_t *cache);

// The size of the cache's hash tables, in entries.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_cache_get_table_address_count(const rocksdb_cache_t *cache);

// How many blocks are in the cache.
extern ROCKSDB_LIBRARY_API size_t rocksdb_cache_get_occupancy_count(const rocksdb_cache_t *cache);

/* ---- Environments: where files live, and the threads that work in the background ---- */

// The operating system's files, and threads shared by the whole process; given back by
// `rocksdb_env_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_env_t *rocksdb_create_default_env(void);

// Files in memory, and threads of its own; given back by `rocksdb_env_destroy`. Its databases are
// gone with the last user of the environment.
extern ROCKSDB_LIBRARY_API rocksdb_env_t *rocksdb_create_mem_env(void);

// Sets the number of threads for compactions, the same as
// `rocksdb_env_set_low_priority_background_threads`.
extern ROCKSDB_LIBRARY_API void rocksdb_env_set_background_threads(rocksdb_env_t *env, int n);

// The number of threads for compactions.
extern ROCKSDB_LIBRARY_API int rocksdb_env_get_background_threads(rocksdb_env_t *env);

// Sets the number of threads for compactions to the last level; while there are none, the other threads for compactions do them.
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_bottom_priority_background_threads(rocksdb_env_t *env,
                                                        int n);

// The number of threads for compactions to the last level.
extern ROCKSDB_LIBRARY_API
int rocksdb_env_get_bottom_priority_background_threads(rocksdb_env_t *env);

// Sets the number of threads for compactions.
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_low_priority_background_threads(rocksdb_env_t *env,
                                                     int n);

// The number of threads for compactions.
extern ROCKSDB_LIBRARY_API int rocksdb_env_get_low_priority_background_threads(rocksdb_env_t *env);

// Sets the number of threads for flushes.
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_high_priority_background_threads(rocksdb_env_t *env,
                                                      int n);

// The number of threads for flushes.
extern ROCKSDB_LIBRARY_API int rocksdb_env_get_high_priority_background_threads(rocksdb_env_t *env);

// Has the threads for compactions go on with the least of the processor: nice value 19.
extern ROCKSDB_LIBRARY_API void rocksdb_env_lower_thread_pool_cpu_priority(rocksdb_env_t *env);

// Has the threads for flushes go on with the least of the processor: nice value 19.
extern ROCKSDB_LIBRARY_API
void rocksdb_env_lower_high_priority_thread_pool_cpu_priority(rocksdb_env_t *env);

// Has the threads for compactions read and write only while nobody else wants to.
extern ROCKSDB_LIBRARY_API void rocksdb_env_lower_thread_pool_io_priority(rocksdb_env_t *env);

// Has the threads for flushes read and write only while nobody else wants to.
extern ROCKSDB_LIBRARY_API
void rocksdb_env_lower_high_priority_thread_pool_io_priority(rocksdb_env_t *env);

// Waits until the threads have nothing to do.
extern ROCKSDB_LIBRARY_API void rocksdb_env_join_all_threads(rocksdb_env_t *env);

// Makes a folder unless it is there. An error if the name is that of a file.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_dir_if_missing(rocksdb_env_t *env,
                                   const char *path,
                                   char **errptr);

// Gives the environment up; it lives on in what uses it.
extern ROCKSDB_LIBRARY_API void rocksdb_env_destroy(rocksdb_env_t *env);

/* ---- Loggers: where a database's messages go instead of into its LOG file ---- */

// A logger that writes messages of `log_level` (0 debug, 1 info, 2 warning, 3 error, 4 fatal,
// 5 header) and above to standard error, each with `prefix` before it unless that is NULL.
extern ROCKSDB_LIBRARY_API
rocksdb_logger_t *rocksdb_logger_create_stderr_logger(int log_level,
                                                      const char *prefix);

// A logger that calls `callback` with `priv`, the level, and the text with its length, for each
// message of `log_level` and above, from any thread. The text may be changed and is gone after
// the call. Headers, which describe the database, are always kept and come as level 1.
extern ROCKSDB_LIBRARY_API
rocksdb_logger_t *rocksdb_logger_create_callback_logger(int log_level,
                                                        void (*callback)(void*,
                                                                         unsigned int lev,
                                                                         char *msg,
                                                                         size_t len),
                                                        void *priv);

// Gives the logger up; it lives on in what uses it.
extern ROCKSDB_LIBRARY_API void rocksdb_logger_destroy(rocksdb_logger_t *logger);

/* ---- Memory that the library hands to the caller ---- */

// Frees a value, list or error text that this library returned. It is `free`, so that a program
// may call either; NULL is harmless.
extern ROCKSDB_LIBRARY_API void rocksdb_free(void *ptr);

/* ---- Background work as a whole: pausing, ending and awaiting it; and the rate limiter for it ---- */

// Waits until no flush or compaction runs, and lets none begin until
// `rocksdb_continue_background_work` was called as often as this.
extern ROCKSDB_LIBRARY_API void rocksdb_pause_background_work(rocksdb_t *db, char **errptr);

// Takes one `rocksdb_pause_background_work` back.
extern ROCKSDB_LIBRARY_API void rocksdb_continue_background_work(rocksdb_t *db, char **errptr);

// Calls off the compactions that were asked for, waits until they ended, and refuses new ones
// until `rocksdb_enable_manual_compaction` was called as often as this.
extern ROCKSDB_LIBRARY_API void rocksdb_disable_manual_compaction(rocksdb_t *db);

// Takes one `rocksdb_disable_manual_compaction` back.
extern ROCKSDB_LIBRARY_API void rocksdb_enable_manual_compaction(rocksdb_t *db);

// Ends all background work for good. With `wait` it returns when that is so.
extern ROCKSDB_LIBRARY_API
void rocksdb_cancel_all_background_work(rocksdb_t *db,
                                        unsigned char wait);

// Waits until there is no background work left to do.
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact(rocksdb_t *db,
                              rocksdb_wait_for_compact_options_t *options,
                              char **errptr);

// Makes a limiter of writes: bytes a second, microseconds between refills, and how rarely (once
// in so many) lower priorities go first. Given back by `rocksdb_ratelimiter_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_ratelimiter_t *rocksdb_ratelimiter_create(int64_t rate_bytes_per_sec,
                                                  int64_t refill_period_us,
                                                  int32_t fairness);

// `rocksdb_ratelimiter_create` of a limiter that chooses its rate by the demand, up to
// `rate_bytes_per_sec`.
extern ROCKSDB_LIBRARY_API
rocksdb_ratelimiter_t *rocksdb_ratelimiter_create_auto_tuned(int64_t rate_bytes_per_sec,
                                                             int64_t refill_period_us,
                                                             int32_t fairness);

// `rocksdb_ratelimiter_create` of a limiter of reads (`mode` 0), writes (1) or both (2). NULL if
// there is no such mode.
extern ROCKSDB_LIBRARY_API
rocksdb_ratelimiter_t *rocksdb_ratelimiter_create_with_mode(int64_t rate_bytes_per_sec,
                                                            int64_t refill_period_us,
                                                            int32_t fairness,
                                                            int mode,
                                                            bool auto_tuned);

// Gives the limiter back. Databases that use it keep it.
extern ROCKSDB_LIBRARY_API void rocksdb_ratelimiter_destroy(rocksdb_ratelimiter_t *limiter);

// Has flushes and compactions keep to the limiter's rate; NULL changes nothing.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_ratelimiter(rocksdb_options_t *opt,
                                     rocksdb_ratelimiter_t *limiter);

/* ---- Backups: made, listed, restored, removed ---- */

// Opens the folder of backups `path`, and makes it if there is none; given back by
// `rocksdb_backup_engine_close`. The environment of `options` is where the folder and the
// databases are, and its logger where messages go.
extern ROCKSDB_LIBRARY_API
rocksdb_backup_engine_t *rocksdb_backup_engine_open(const rocksdb_options_t *options,
                                                    const char *path,
                                                    char **errptr);

// `rocksdb_backup_engine_open` with options of its own. `env` is where databases are restored;
// NULL means the default.
extern ROCKSDB_LIBRARY_API
rocksdb_backup_engine_t *rocksdb_backup_engine_open_opts(const rocksdb_backup_engine_options_t *options,
                                                         rocksdb_env_t *env,
                                                         char **errptr);

// Makes a backup of the database. Memory is not flushed: the write-ahead logs are copied.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_create_new_backup(rocksdb_backup_engine_t *be,
                                             rocksdb_t *db,
                                             char **errptr);

// Makes a backup of the database, whose memory is flushed first if `flush_before_backup`.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_create_new_backup_flush(rocksdb_backup_engine_t *be,
                                                   rocksdb_t *db,
                                                   uint8_t flush_before_backup,
                                                   char **errptr);

// Makes a backup of the database. Its number goes to `*backup_id`, which may be NULL, as may the
// options.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_create_new_backup_with_options(rocksdb_backup_engine_t *be,
                                                          rocksdb_t *db,
                                                          const rocksdb_create_backup_options_t *options,
                                                          uint32_t *backup_id,
                                                          char **errptr);

// `rocksdb_backup_engine_create_new_backup_with_options` with bytes that
// `rocksdb_backup_engine_info_app_metadata` returns. At most 1 MiB.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_create_new_backup_with_metadata(rocksdb_backup_engine_t *be,
                                                           rocksdb_t *db,
                                                           const rocksdb_create_backup_options_t *options,
                                                           const char *app_metadata,
                                                           size_t app_metadata_len,
                                                           uint32_t *backup_id,
                                                           char **errptr);

// Removes all but the newest backups.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_purge_old_backups(rocksdb_backup_engine_t *be,
                                             uint32_t num_backups_to_keep,
                                             char **errptr);

// Checks that every file of a backup is there and has its size.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_verify_backup(rocksdb_backup_engine_t *be,
                                         uint32_t backup_id,
                                         char **errptr);

// Restores the newest backup to the folders `db_dir` and, for the write-ahead logs, `wal_dir`,
// which is the same one unless the database has two. What of a database is in there is removed.
// The database must not be open.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_restore_db_from_latest_backup(rocksdb_backup_engine_t *be,
                                                         const char *db_dir,
                                                         const char *wal_dir,
                                                         const rocksdb_restore_options_t *restore_options,
                                                         char **errptr);

// `rocksdb_backup_engine_restore_db_from_latest_backup` with the backup of this number.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_restore_db_from_backup(rocksdb_backup_engine_t *be,
                                                  const char *db_dir,
                                                  const char *wal_dir,
                                                  const rocksdb_restore_options_t *restore_options,
                                                  uint32_t backup_id,
                                                  char **errptr);

// What is known of the backups that are whole, oldest first; given back by
// `rocksdb_backup_engine_info_destroy`.
extern ROCKSDB_LIBRARY_API
const rocksdb_backup_engine_info_t *rocksdb_backup_engine_get_backup_info(rocksdb_backup_engine_t *be);

// How many backups there are.
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_info_count(const rocksdb_backup_engine_info_t *info);

// When the backup at `index` was made, in seconds since 1970.
extern ROCKSDB_LIBRARY_API
int64_t rocksdb_backup_engine_info_timestamp(const rocksdb_backup_engine_info_t *info,
                                             int index);

// The number of the backup at `index`.
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_backup_engine_info_backup_id(const rocksdb_backup_engine_info_t *info,
                                              int index);

// The bytes of the files of the backup at `index`, shared ones included.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_info_size(const rocksdb_backup_engine_info_t *info,
                                         int index);

// How many files the backup at `index` has.
extern ROCKSDB_LIBRARY_API
uint32_t rocksdb_backup_engine_info_number_files(const rocksdb_backup_engine_info_t *info,
                                                 int index);

// What the application said about the backup at `index`, and its length in `*len`. It is valid as
// long as `info`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_backup_engine_info_app_metadata(const rocksdb_backup_engine_info_t *info,
                                                    int index,
                                                    size_t *len);

// Gives it back.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_info_destroy(const rocksdb_backup_engine_info_t *info);

// Makes the backup that is being made fail, and every later one.
extern ROCKSDB_LIBRARY_API void rocksdb_backup_engine_stop_backup(rocksdb_backup_engine_t *be);

// Gives the folder back; the backups stay.
extern ROCKSDB_LIBRARY_API void rocksdb_backup_engine_close(rocksdb_backup_engine_t *be);

/* ---- Options of backups ---- */

// The folder.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_backup_dir(rocksdb_backup_engine_options_t *options,
                                                  const char *value);

// What `rocksdb_backup_engine_options_set_backup_dir` set, and its length if `size` is not NULL.
// It is valid until the next call for this option, or until the options end.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_backup_engine_options_get_backup_dir(rocksdb_backup_engine_options_t *options,
                                                         size_t *size);

// Let backups share table files that they have in common.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_share_table_files(rocksdb_backup_engine_options_t *options,
                                                         unsigned char value);

// What `rocksdb_backup_engine_options_set_share_table_files` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_share_table_files(rocksdb_backup_engine_options_t *options);

// Make every file of a backup durable before it counts.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_sync(rocksdb_backup_engine_options_t *options,
                                            unsigned char value);

// What `rocksdb_backup_engine_options_set_sync` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_sync(rocksdb_backup_engine_options_t *options);

// Remove all backups when the folder is opened.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_destroy_old_data(rocksdb_backup_engine_options_t *options,
                                                        unsigned char value);

// What `rocksdb_backup_engine_options_set_destroy_old_data` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_destroy_old_data(rocksdb_backup_engine_options_t *options);

// Back up write-ahead logs. Without them a backup holds only what was flushed.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_backup_log_files(rocksdb_backup_engine_options_t *options,
                                                        unsigned char value);

// What `rocksdb_backup_engine_options_set_backup_log_files` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_backup_log_files(rocksdb_backup_engine_options_t *options);

// Bytes a second that backups may write; 0 is no limit. A limiter that was set goes before.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_backup_rate_limit(rocksdb_backup_engine_options_t *options,
                                                         uint64_t value);

// What `rocksdb_backup_engine_options_set_backup_rate_limit` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_options_get_backup_rate_limit(rocksdb_backup_engine_options_t *options);

// Bytes a second that restoring may write; 0 is no limit. A limiter that was set goes before.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_restore_rate_limit(rocksdb_backup_engine_options_t *options,
                                                          uint64_t value);

// What `rocksdb_backup_engine_options_set_restore_rate_limit` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_options_get_restore_rate_limit(rocksdb_backup_engine_options_t *options);

// How many backups are opened, the newest ones. Only for folders that are opened for reading
// only: one that backups are made in has to know all of them, and says in its log that it
// does not go by this.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_max_valid_backups_to_open(rocksdb_backup_engine_options_t *options,
                                                                 int value);

// What `rocksdb_backup_engine_options_set_max_valid_backups_to_open` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_options_get_max_valid_backups_to_open(rocksdb_backup_engine_options_t *options);

// How many files are copied at once. At least 1.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_max_background_operations(rocksdb_backup_engine_options_t *options,
                                                                 int value);

// What `rocksdb_backup_engine_options_set_max_background_operations` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_options_get_max_background_operations(rocksdb_backup_engine_options_t *options);

// Bytes read at once when files are copied; 0 means 5 MiB.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_io_buffer_size(rocksdb_backup_engine_options_t *options,
                                                      uint64_t value);

// What `rocksdb_backup_engine_options_set_io_buffer_size` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_options_get_io_buffer_size(rocksdb_backup_engine_options_t *options);

// Bytes after which the progress callback is called.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_callback_trigger_interval_size(rocksdb_backup_engine_options_t *options,
                                                                      uint64_t value);

// What `rocksdb_backup_engine_options_set_callback_trigger_interval_size` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_backup_engine_options_get_callback_trigger_interval_size(rocksdb_backup_engine_options_t *options);

// Name shared files so that those of several databases can stand side by side, and that a
// damaged one is not taken for another.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_share_files_with_checksum(rocksdb_backup_engine_options_t *options,
                                                                 unsigned char value);

// What `rocksdb_backup_engine_options_set_share_files_with_checksum` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_backup_engine_options_get_share_files_with_checksum(rocksdb_backup_engine_options_t *options);

// How they are named: 1 by checksum and size, 2 by the session that wrote them, and
// 1 << 31 for the size behind the session.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_share_files_with_checksum_naming(rocksdb_backup_engine_options_t *options,
                                                                        int value);

// What `rocksdb_backup_engine_options_set_share_files_with_checksum_naming` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_options_get_share_files_with_checksum_naming(rocksdb_backup_engine_options_t *options);

// The format of the files that list a backup's files: 1, or 2 (RocksDB 6.20 and later).
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_schema_version(rocksdb_backup_engine_options_t *options,
                                                      int value);

// What `rocksdb_backup_engine_options_set_schema_version` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_backup_engine_options_get_schema_version(rocksdb_backup_engine_options_t *options);

// Makes options with RocksDB's defaults for the folder `backup_dir`; given back by
// `rocksdb_backup_engine_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_backup_engine_options_t *rocksdb_backup_engine_options_create(const char *backup_dir);

// Sets where the folder is; the environment is shared. NULL means where the databases are.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_env(rocksdb_backup_engine_options_t *options,
                                           rocksdb_env_t *env);

// Sets what backups ask before they read and write; it is shared. NULL changes nothing.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_backup_rate_limiter(rocksdb_backup_engine_options_t *options,
                                                           rocksdb_ratelimiter_t *limiter);

// Sets what restoring asks before it reads and writes; it is shared. NULL changes nothing.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_set_restore_rate_limiter(rocksdb_backup_engine_options_t *options,
                                                            rocksdb_ratelimiter_t *limiter);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_backup_engine_options_destroy(rocksdb_backup_engine_options_t *options);

// Copy by threads that have no more of the processor than `background_thread_cpu_priority`,
// in this backup and all that the engine does later.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_backup_options_set_decrease_background_thread_cpu_priority(rocksdb_create_backup_options_t *options,
                                                                               unsigned char value);

// What `rocksdb_create_backup_options_set_decrease_background_thread_cpu_priority` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_create_backup_options_get_decrease_background_thread_cpu_priority(rocksdb_create_backup_options_t *options);

// The priority of threads that copy, if it is to be decreased: 0 idle, 1 low, 2 normal,
// 3 high.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_backup_options_set_background_thread_cpu_priority(rocksdb_create_backup_options_t *options,
                                                                      int value);

// What `rocksdb_create_backup_options_set_background_thread_cpu_priority` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_create_backup_options_get_background_thread_cpu_priority(rocksdb_create_backup_options_t *options);

// Flush memtables first. Else the logs are copied.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_backup_options_set_flush_before_backup(rocksdb_create_backup_options_t *options,
                                                           unsigned char value);

// What `rocksdb_create_backup_options_set_flush_before_backup` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_create_backup_options_get_flush_before_backup(rocksdb_create_backup_options_t *options);

// With `flush_before_backup`: flush the column families together, so that the tables of all
// are of one moment. Then the logs need not be in the backup.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_backup_options_set_atomic_flush(rocksdb_create_backup_options_t *options,
                                                    unsigned char value);

// What `rocksdb_create_backup_options_set_atomic_flush` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_create_backup_options_get_atomic_flush(rocksdb_create_backup_options_t *options);

// Makes options with RocksDB's defaults; given back by `rocksdb_create_backup_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_create_backup_options_t *rocksdb_create_backup_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_backup_options_destroy(rocksdb_create_backup_options_t *options);

// Sets a function that is called each time that another
// `rocksdb_backup_engine_options_set_callback_trigger_interval_size` bytes were copied, by any
// thread. NULL means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_backup_options_set_progress_callback(rocksdb_create_backup_options_t *options,
                                                         void *state,
                                                         rocksdb_create_backup_options_progress_cb callback);

// Sets a function that decides which new shared files are left out of the backup. It asks for
// schema version 2, and restoring for the files. NULL means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_create_backup_options_set_exclude_files_callback(rocksdb_create_backup_options_t *options,
                                                              void *state,
                                                              rocksdb_create_backup_options_exclude_files_cb callback);

// Keep the write-ahead logs that are there, archived ones included, and replay them on the
// restored tables.
extern ROCKSDB_LIBRARY_API
void rocksdb_restore_options_set_keep_log_files(rocksdb_restore_options_t *options,
                                                int value);

// What `rocksdb_restore_options_set_keep_log_files` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_restore_options_get_keep_log_files(rocksdb_restore_options_t *options);

// Makes options with RocksDB's defaults; given back by `rocksdb_restore_options_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_restore_options_t *rocksdb_restore_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API void rocksdb_restore_options_destroy(rocksdb_restore_options_t *opt);

// Sets which of the files that are there may stay: 1 tables that the same session wrote, 2
// tables with the same checksum, 65535 none.
extern ROCKSDB_LIBRARY_API
void rocksdb_restore_options_set_mode(rocksdb_restore_options_t *opt,
                                      int v);

// What `rocksdb_restore_options_set_mode` set, or 65535.
extern ROCKSDB_LIBRARY_API int rocksdb_restore_options_get_mode(rocksdb_restore_options_t *opt);

/* ---- Checkpoints ---- */

// Makes what makes checkpoints of `db`; given back by `rocksdb_checkpoint_object_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_checkpoint_t *rocksdb_checkpoint_object_create(rocksdb_t *db,
                                                       char **errptr);

// Makes the folder `checkpoint_dir`, which must not exist but whose parent must, a database of
// its own that holds what this one holds now. Files that never change are linked where the file
// system can, else copied. Memory is first flushed to files if the write-ahead logs hold at least
// `log_size_for_flush` bytes (0: always, the greatest number: never).
extern ROCKSDB_LIBRARY_API
void rocksdb_checkpoint_create(rocksdb_checkpoint_t *checkpoint,
                               const char *checkpoint_dir,
                               uint64_t log_size_for_flush,
                               char **errptr);

// Gives it back; the checkpoints stay.
extern ROCKSDB_LIBRARY_API void rocksdb_checkpoint_object_destroy(rocksdb_checkpoint_t *checkpoint);

/* ---- Compactions that a program asks for ---- */

// Compacts the keys from `start_key` to `limit_key` (NULL is unbounded) of the default column
// family, and waits for it.
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_range(rocksdb_t *db,
                           const char *start_key,
                           size_t start_key_len,
                           const char *limit_key,
                           size_t limit_key_len);

// `rocksdb_compact_range` of a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_range_cf(rocksdb_t *db,
                              rocksdb_column_family_handle_t *column_family,
                              const char *start_key,
                              size_t start_key_len,
                              const char *limit_key,
                              size_t limit_key_len);

// `rocksdb_compact_range` with options.
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_range_opt(rocksdb_t *db,
                               rocksdb_compactoptions_t *opt,
                               const char *start_key,
                               size_t start_key_len,
                               const char *limit_key,
                               size_t limit_key_len);

// `rocksdb_compact_range` of a column family, with options.
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_range_cf_opt(rocksdb_t *db,
                                  rocksdb_column_family_handle_t *column_family,
                                  rocksdb_compactoptions_t *opt,
                                  const char *start_key,
                                  size_t start_key_len,
                                  const char *limit_key,
                                  size_t limit_key_len);

// Has the files with keys from `start_key` to `limit_key` compacted in the background.
extern ROCKSDB_LIBRARY_API
void rocksdb_suggest_compact_range(rocksdb_t *db,
                                   const char *start_key,
                                   size_t start_key_len,
                                   const char *limit_key,
                                   size_t limit_key_len,
                                   char **errptr);

// `rocksdb_suggest_compact_range` of a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_suggest_compact_range_cf(rocksdb_t *db,
                                      rocksdb_column_family_handle_t *column_family,
                                      const char *start_key,
                                      size_t start_key_len,
                                      const char *limit_key,
                                      size_t limit_key_len,
                                      char **errptr);

// Drops the files of the default column family whose keys are all from `start_key` to
// `limit_key` (NULL is unbounded), except those of level 0. Other keys of the range stay.
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_file_in_range(rocksdb_t *db,
                                  const char *start_key,
                                  size_t start_key_len,
                                  const char *limit_key,
                                  size_t limit_key_len,
                                  char **errptr);

// `rocksdb_delete_file_in_range` of a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_delete_file_in_range_cf(rocksdb_t *db,
                                     rocksdb_column_family_handle_t *column_family,
                                     const char *start_key,
                                     size_t start_key_len,
                                     const char *limit_key,
                                     size_t limit_key_len,
                                     char **errptr);

// Compacts the named files of the default column family into `output_level` and waits for it.
// `options` may be NULL. If `output_file_names` is not NULL it gets the names of the files that
// were written, which `rocksdb_compact_files_output_file_names_destroy` gives back.
// `compaction_job_info` must be NULL.
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_files(rocksdb_t *db,
                           const rocksdb_compaction_options_t *options,
                           const char *const *input_file_names,
                           size_t num_input_file_names,
                           int output_level,
                           int output_path_id,
                           char ***output_file_names,
                           size_t *num_output_file_names,
                           rocksdb_compactionjobinfo_t *compaction_job_info,
                           char **errptr);

// `rocksdb_compact_files` of a column family; NULL is the default one.
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_files_cf(rocksdb_t *db,
                              rocksdb_column_family_handle_t *column_family,
                              const rocksdb_compaction_options_t *options,
                              const char *const *input_file_names,
                              size_t num_input_file_names,
                              int output_level,
                              int output_path_id,
                              char ***output_file_names,
                              size_t *num_output_file_names,
                              rocksdb_compactionjobinfo_t *compaction_job_info,
                              char **errptr);

// Gives back the names that `rocksdb_compact_files` handed out.
extern ROCKSDB_LIBRARY_API
void rocksdb_compact_files_output_file_names_destroy(char **output_file_names,
                                                     size_t num_output_file_names);

/* ---- Options of compactions that a program asks for, and of waiting for those in the background ---- */

// Let no other compaction run meanwhile.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_exclusive_manual_compaction(rocksdb_compactoptions_t *options,
                                                            unsigned char value);

// What `rocksdb_compactoptions_set_exclusive_manual_compaction` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactoptions_get_exclusive_manual_compaction(rocksdb_compactoptions_t *options);

// Move the level's files to `target_level` afterwards.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_change_level(rocksdb_compactoptions_t *options,
                                             unsigned char value);

// What `rocksdb_compactoptions_set_change_level` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactoptions_get_change_level(rocksdb_compactoptions_t *options);

// Where to; negative means as far up as they fit.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_target_level(rocksdb_compactoptions_t *options,
                                             int value);

// What `rocksdb_compactoptions_set_target_level` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_compactoptions_get_target_level(rocksdb_compactoptions_t *options);

// The folder of the output, as an index into `db_paths`.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_target_path_id(rocksdb_compactoptions_t *options,
                                               int value);

// What `rocksdb_compactoptions_set_target_path_id` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_compactoptions_get_target_path_id(rocksdb_compactoptions_t *options);

// Whether files that are on the last level already are rewritten.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_bottommost_level_compaction(rocksdb_compactoptions_t *options,
                                                            unsigned char value);

// What `rocksdb_compactoptions_set_bottommost_level_compaction` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactoptions_get_bottommost_level_compaction(rocksdb_compactoptions_t *options);

// Begin at once even if writes then have to wait.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_allow_write_stall(rocksdb_compactoptions_t *options,
                                                  unsigned char value);

// What `rocksdb_compactoptions_set_allow_write_stall` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactoptions_get_allow_write_stall(rocksdb_compactoptions_t *options);

// How many threads may share a compaction; 0 means as the database's options say.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_max_subcompactions(rocksdb_compactoptions_t *options,
                                                   int value);

// What `rocksdb_compactoptions_set_max_subcompactions` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_compactoptions_get_max_subcompactions(rocksdb_compactoptions_t *options);

// The compression of the output; 255 means as the column family's options say.
extern ROCKSDB_LIBRARY_API
void rocksdb_compaction_options_set_compression(rocksdb_compaction_options_t *options,
                                                int value);

// What `rocksdb_compaction_options_set_compression` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_compaction_options_get_compression(rocksdb_compaction_options_t *options);

// Bytes of an output file.
extern ROCKSDB_LIBRARY_API
void rocksdb_compaction_options_set_output_file_size_limit(rocksdb_compaction_options_t *options,
                                                           uint64_t value);

// What `rocksdb_compaction_options_set_output_file_size_limit` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_compaction_options_get_output_file_size_limit(rocksdb_compaction_options_t *options);

// How many threads may share it; 0 means as the database's options say.
extern ROCKSDB_LIBRARY_API
void rocksdb_compaction_options_set_max_subcompactions(rocksdb_compaction_options_t *options,
                                                       unsigned int value);

// What `rocksdb_compaction_options_set_max_subcompactions` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned int rocksdb_compaction_options_get_max_subcompactions(rocksdb_compaction_options_t *options);

// Files that overlap nothing may move as they are.
extern ROCKSDB_LIBRARY_API
void rocksdb_compaction_options_set_allow_trivial_move(rocksdb_compaction_options_t *options,
                                                       unsigned char value);

// What `rocksdb_compaction_options_set_allow_trivial_move` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compaction_options_get_allow_trivial_move(rocksdb_compaction_options_t *options);

// Give up while background work is paused.
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_abort_on_pause(rocksdb_wait_for_compact_options_t *options,
                                                         unsigned char value);

// What `rocksdb_wait_for_compact_options_set_abort_on_pause` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wait_for_compact_options_get_abort_on_pause(rocksdb_wait_for_compact_options_t *options);

// Flush all column families first.
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_flush(rocksdb_wait_for_compact_options_t *options,
                                                unsigned char value);

// What `rocksdb_wait_for_compact_options_set_flush` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wait_for_compact_options_get_flush(rocksdb_wait_for_compact_options_t *options);

// Wait for the removal of obsolete files, too.
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_wait_for_purge(rocksdb_wait_for_compact_options_t *options,
                                                         unsigned char value);

// What `rocksdb_wait_for_compact_options_set_wait_for_purge` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wait_for_compact_options_get_wait_for_purge(rocksdb_wait_for_compact_options_t *options);

// Close the database afterwards.
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_close_db(rocksdb_wait_for_compact_options_t *options,
                                                   unsigned char value);

// What `rocksdb_wait_for_compact_options_set_close_db` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wait_for_compact_options_get_close_db(rocksdb_wait_for_compact_options_t *options);

// Microseconds to wait; 0 means for ever.
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_set_timeout(rocksdb_wait_for_compact_options_t *options,
                                                  uint64_t value);

// What `rocksdb_wait_for_compact_options_set_timeout` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_wait_for_compact_options_get_timeout(rocksdb_wait_for_compact_options_t *options);

// Makes options with RocksDB's defaults; given back by `rocksdb_compactoptions_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_compactoptions_t *rocksdb_compactoptions_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API void rocksdb_compactoptions_destroy(rocksdb_compactoptions_t *options);

// Sets the timestamp up to which history may be dropped.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactoptions_set_full_history_ts_low(rocksdb_compactoptions_t *options,
                                                    char *ts,
                                                    size_t tslen);

// Makes options with RocksDB's defaults; given back by `rocksdb_compaction_options_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_compaction_options_t *rocksdb_compaction_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_compaction_options_destroy(rocksdb_compaction_options_t *options);

// Makes a flag by which a compaction can be called off; given back by
// `rocksdb_compaction_options_canceled_destroy`.
extern ROCKSDB_LIBRARY_API unsigned char *rocksdb_compaction_options_canceled_create(void);

// Gives the flag back. Options that have it keep it.
extern ROCKSDB_LIBRARY_API
void rocksdb_compaction_options_canceled_destroy(unsigned char *canceled);

// Sets the flag: a value other than 0 calls off the compactions whose options have it.
extern ROCKSDB_LIBRARY_API
void rocksdb_compaction_options_canceled_set(unsigned char *canceled,
                                             unsigned char value);

// Has a compaction look at the flag; NULL is none.
extern ROCKSDB_LIBRARY_API
void rocksdb_compaction_options_set_canceled(rocksdb_compaction_options_t *options,
                                             unsigned char *canceled);

// Makes options with RocksDB's defaults; given back by
// `rocksdb_wait_for_compact_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_wait_for_compact_options_t *rocksdb_wait_for_compact_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_wait_for_compact_options_destroy(rocksdb_wait_for_compact_options_t *options);

/* ---- Compaction filters: callers decide which values a compaction keeps ---- */

// Makes a filter from the caller's functions, each of which receives `state` and may be called by
// any thread at any time. `filter` is shown the values of keys that a compaction rewrites, with
// the level that they come from. It returns 1 for values that go, 0 for those that stay; one that
// stays is replaced by the `*new_value_length` bytes at `*new_value` if it sets `*value_changed`
// to 1. These bytes are copied, and stay the caller's. `name` returns the filter's name.
// `destructor` is called once, in the end.
extern ROCKSDB_LIBRARY_API
rocksdb_compactionfilter_t *rocksdb_compactionfilter_create(void *state,
                                                            void (*destructor)(void*),
                                                            unsigned char (*filter)(void*,
                                                                                    int level,
                                                                                    const char *key,
                                                                                    size_t key_length,
                                                                                    const char *existing_value,
                                                                                    size_t value_length,
                                                                                    char **new_value,
                                                                                    size_t *new_value_length,
                                                                                    unsigned char *value_changed),
                                                            const char *(*name)(void*));

// Whether the filter may be shown values that a snapshot still needs, which it may (1) unless it
// is told otherwise. Compactions with one that may not fail.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactionfilter_set_ignore_snapshots(rocksdb_compactionfilter_t *filter,
                                                   unsigned char whether_ignore);

// Gives the filter up; its destructor is called as soon as nothing uses it.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactionfilter_destroy(rocksdb_compactionfilter_t *filter);

// Makes a factory from the caller's functions, each of which receives `state` and may be called
// by any thread at any time. `create_compaction_filter` makes the filter of one compaction, or of
// one of its parallel parts, which is destroyed behind it; NULL leaves all values alone. `name`
// returns the factory's name. `destructor` is called once, in the end.
extern ROCKSDB_LIBRARY_API
rocksdb_compactionfilterfactory_t *rocksdb_compactionfilterfactory_create(void *state,
                                                                          void (*destructor)(void*),
                                                                          rocksdb_compactionfilter_t *(*create_compaction_filter)(void*,
                                                                                                                                  rocksdb_compactionfiltercontext_t *context),
                                                                          const char *(*name)(void*));

// Gives a factory back that no options have taken over.
extern ROCKSDB_LIBRARY_API
void rocksdb_compactionfilterfactory_destroy(rocksdb_compactionfilterfactory_t *factory);

// Whether the compaction takes all data of the column family (1).
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactionfiltercontext_is_full_compaction(rocksdb_compactionfiltercontext_t *context);

// Whether a user asked for the compaction (1).
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_compactionfiltercontext_is_manual_compaction(rocksdb_compactionfiltercontext_t *context);

// Sets the filter of all compactions, which is borrowed: destroy it after the databases that use
// it. NULL means none. A filter goes before a factory.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compaction_filter(rocksdb_options_t *options,
                                           rocksdb_compactionfilter_t *filter);

// Sets what makes a filter for each compaction, and takes it over: it is not destroyed by the
// caller. NULL means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compaction_filter_factory(rocksdb_options_t *options,
                                                   rocksdb_compactionfilterfactory_t *factory);

/* ---- Options of leveled compaction that no single row of the option table sets ---- */

// Sets a further factor for the size of each level, the first for level 0.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_max_bytes_for_level_multiplier_additional(rocksdb_options_t *options,
                                                                   int *level_values,
                                                                   size_t num_levels);

// Sets the options for loading much data at once: nothing is compacted and writes never wait. A
// compaction of the whole range is to follow.
extern ROCKSDB_LIBRARY_API void rocksdb_options_prepare_for_bulk_load(rocksdb_options_t *options);

// Has tables compacted that hold `num_dels_trigger` deletions among `window_size` records in a row.
// Called several times, each rule suffices.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_add_compact_on_deletion_collector_factory(rocksdb_options_t *options,
                                                               size_t window_size,
                                                               size_t num_dels_trigger);

// The same, and tables of whose records this part are deletions; a ratio that is not above 0 and up
// to 1 does not count.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(rocksdb_options_t *options,
                                                                         size_t window_size,
                                                                         size_t num_dels_trigger,
                                                                         double deletion_ratio);

// The same, for tables of so many bytes and more.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(rocksdb_options_t *options,
                                                                             size_t window_size,
                                                                             size_t num_dels_trigger,
                                                                             double deletion_ratio,
                                                                             uint64_t min_file_size);

/* ---- Parameters of compression ---- */

// Sets the parameters of the compression: zlib's window bits, the level (32767 means the
// codec's own), zlib's strategy, and the bytes of a dictionary (0 means none).
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options(rocksdb_options_t *options,
                                             int w_bits,
                                             int level,
                                             int strategy,
                                             int max_dict_bytes);

// Sets the parameters of the last level's compression as `rocksdb_options_set_compression_options`
// does for the others, and whether they apply.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression_options(rocksdb_options_t *options,
                                                        int w_bits,
                                                        int level,
                                                        int strategy,
                                                        int max_dict_bytes,
                                                        unsigned char enabled);

// The most bytes of a table that Zstandard trains its dictionary on; 0 takes them for the
// dictionary as they are.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options_zstd_max_train_bytes(rocksdb_options_t *options,
                                                                  int value);

// What `rocksdb_options_set_compression_options_zstd_max_train_bytes` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_options_get_compression_options_zstd_max_train_bytes(rocksdb_options_t *options);

// Sets for the last level what `rocksdb_options_set_compression_options_zstd_max_train_bytes`
// sets for the others, and whether the last level's parameters apply.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(rocksdb_options_t *options,
                                                                             int value,
                                                                             unsigned char enabled);

// Whether Zstandard trains dictionaries. What else it can make of samples is not supported: 0 is
// refused at open where dictionaries are made from samples.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options_use_zstd_dict_trainer(rocksdb_options_t *options,
                                                                   unsigned char value);

// What `rocksdb_options_set_compression_options_use_zstd_dict_trainer` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_compression_options_use_zstd_dict_trainer(rocksdb_options_t *options);

// Sets for the last level what `rocksdb_options_set_compression_options_use_zstd_dict_trainer`
// sets for the others, and whether the last level's parameters apply.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(rocksdb_options_t *options,
                                                                              unsigned char value,
                                                                              unsigned char enabled);

// What `rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer` set, or the
// default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(rocksdb_options_t *options);

// The most bytes of blocks that are held back to make a dictionary from; 0 means up to the size of
// the table.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_compression_options_max_dict_buffer_bytes(rocksdb_options_t *options,
                                                                   uint64_t value);

// What `rocksdb_options_set_compression_options_max_dict_buffer_bytes` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_options_get_compression_options_max_dict_buffer_bytes(rocksdb_options_t *options);

// Sets for the last level what `rocksdb_options_set_compression_options_max_dict_buffer_bytes`
// sets for the others, and whether the last level's parameters apply.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(rocksdb_options_t *options,
                                                                              uint64_t value,
                                                                              unsigned char enabled);

// Leaves the levels before `level` without compression, and gives those from it on the compression
// that is set now. A negative number changes nothing.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_min_level_to_compress(rocksdb_options_t *options,
                                               int level);

/* ---- Folders of tables ---- */

// A folder for tables that takes about `target_size` bytes; given back by
// `rocksdb_dbpath_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_dbpath_t *rocksdb_dbpath_create(const char *path,
                                        uint64_t target_size);

// Ends it. Options that it was set in have their own copy.
extern ROCKSDB_LIBRARY_API void rocksdb_dbpath_destroy(rocksdb_dbpath_t *path);

// Puts tables into these folders, the newest into the first ones as long as they have room, the
// rest into the last. At most 4; files that are there already must stay in theirs. The default is
// the folder of the database.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_db_paths(rocksdb_options_t *options,
                                  const rocksdb_dbpath_t **path_values,
                                  size_t num_paths);

// The same for a column family, in place of those of the database.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_cf_paths(rocksdb_options_t *options,
                                  const rocksdb_dbpath_t **path_values,
                                  size_t num_paths);

/* ---- Keeping files from being removed, for those who copy a database by hand ---- */

// Lets every file stay, until `rocksdb_enable_file_deletions` was called as often as this.
extern ROCKSDB_LIBRARY_API void rocksdb_disable_file_deletions(rocksdb_t *db, char **errptr);

// Takes back one `rocksdb_disable_file_deletions`; with the last one goes what became obsolete
// meanwhile.
extern ROCKSDB_LIBRARY_API void rocksdb_enable_file_deletions(rocksdb_t *db, char **errptr);

/* ---- The tables of a database, and its identity ---- */

// The tables of all column families; given back by `rocksdb_livefiles_destroy`.
extern ROCKSDB_LIBRARY_API const rocksdb_livefiles_t *rocksdb_livefiles(rocksdb_t *db);

// How many there are.
extern ROCKSDB_LIBRARY_API int rocksdb_livefiles_count(const rocksdb_livefiles_t *lf);

// The name of the column family of a table; NULL if there is no such table.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_column_family_name(const rocksdb_livefiles_t *lf,
                                                 int index);

// The name of a table's file, with a slash before it; NULL if there is no such table.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_name(const rocksdb_livefiles_t *lf,
                                   int index);

// The folder of a table's file; NULL if there is no such table.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_directory(const rocksdb_livefiles_t *lf,
                                        int index);

// The first user key of a table, its length in `*size`; NULL if there is no such table.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_smallestkey(const rocksdb_livefiles_t *lf,
                                          int index,
                                          size_t *size);

// The last user key of a table, its length in `*size`; NULL if there is no such table.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_largestkey(const rocksdb_livefiles_t *lf,
                                         int index,
                                         size_t *size);

// The level of a table.
extern ROCKSDB_LIBRARY_API int rocksdb_livefiles_level(const rocksdb_livefiles_t *lf, int index);

// The bytes of a table's file.
extern ROCKSDB_LIBRARY_API size_t rocksdb_livefiles_size(const rocksdb_livefiles_t *lf, int index);

// The lowest sequence number in a table.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_smallest_seqno(const rocksdb_livefiles_t *lf,
                                          int index);

// The highest sequence number in a table.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_largest_seqno(const rocksdb_livefiles_t *lf,
                                         int index);

// The number of entries in a table.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_entries(const rocksdb_livefiles_t *lf,
                                   int index);

// The number of entries in a table that delete something.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_deletions(const rocksdb_livefiles_t *lf,
                                     int index);

// Gives the list back.
extern ROCKSDB_LIBRARY_API void rocksdb_livefiles_destroy(const rocksdb_livefiles_t *lf);

// The identity of the database, which the caller frees, its length in `*id_len`.
extern ROCKSDB_LIBRARY_API char *rocksdb_get_db_identity(rocksdb_t *db, size_t *id_len);

// Makes a list without tables; given back by `rocksdb_livefiles_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_livefiles_t *rocksdb_livefiles_create(void);

// Adds a table to the list, which owns it from now on: it must not be used or destroyed again.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefiles_add(rocksdb_livefiles_t *lf,
                           rocksdb_livefile_t *livefile);

// Makes a table of which nothing is known; given to `rocksdb_livefiles_add`, or back by
// `rocksdb_livefile_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_livefile_t *rocksdb_livefile_create(void);

// Gives a table back that was not added.
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_destroy(rocksdb_livefile_t *lf);

// Sets the name of the column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefile_set_column_family_name(rocksdb_livefile_t *lf,
                                             const char *column_family_name);

// Sets the name of the file.
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_name(rocksdb_livefile_t *lf, const char *name);

// Sets the folder of the file.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefile_set_directory(rocksdb_livefile_t *lf,
                                    const char *directory);

// Sets the first user key.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefile_set_smallest_key(rocksdb_livefile_t *lf,
                                       const char *smallest_key,
                                       size_t smallest_key_len);

// Sets the last user key.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefile_set_largest_key(rocksdb_livefile_t *lf,
                                      const char *largest_key,
                                      size_t largest_key_len);

// Sets the level.
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_level(rocksdb_livefile_t *lf, int level);

// Sets the bytes of the file.
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_size(rocksdb_livefile_t *lf, size_t size);

// Sets the lowest sequence number.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefile_set_smallest_seqno(rocksdb_livefile_t *lf,
                                         uint64_t smallest_seqno);

// Sets the highest sequence number.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefile_set_largest_seqno(rocksdb_livefile_t *lf,
                                        uint64_t largest_seqno);

// Sets the number of entries.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefile_set_num_entries(rocksdb_livefile_t *lf,
                                      uint64_t num_entries);

// Sets the number of entries that delete something.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefile_set_num_deletions(rocksdb_livefile_t *lf,
                                        uint64_t num_deletions);

/* ---- Merge operators: how values that are merged into a key become its value ---- */

// Makes a merge operator from the caller's functions, each of which receives `state` and may be
// called by any thread at any time.
//
// `full_merge` returns the value of `key`: the operands, oldest first, applied to the existing
// value, which is NULL if there is none. `partial_merge` returns one operand that stands for
// several, if there is such a one; it may be NULL. Both set the length of what they return, and
// `*success` to 0 if they fail. What they return is given back by `delete_value`, or by `free` if
// that is NULL. `name` returns the operator's name, which tables record. `destructor` is called
// once, in the end.
extern ROCKSDB_LIBRARY_API
rocksdb_mergeoperator_t *rocksdb_mergeoperator_create(void *state,
                                                      void (*destructor)(void*),
                                                      char *(*full_merge)(void*,
                                                                          const char *key,
                                                                          size_t key_length,
                                                                          const char *existing_value,
                                                                          size_t existing_value_length,
                                                                          const char *const *operands_list,
                                                                          const size_t *operands_list_length,
                                                                          int num_operands,
                                                                          unsigned char *success,
                                                                          size_t *new_value_length),
                                                      char *(*partial_merge)(void*,
                                                                             const char *key,
                                                                             size_t key_length,
                                                                             const char *const *operands_list,
                                                                             const size_t *operands_list_length,
                                                                             int num_operands,
                                                                             unsigned char *success,
                                                                             size_t *new_value_length),
                                                      void (*delete_value)(void*,
                                                                           const char *value,
                                                                           size_t value_length),
                                                      const char *(*name)(void*));

// Gives back a merge operator that was not handed over. One that was is not touched.
extern ROCKSDB_LIBRARY_API
void rocksdb_mergeoperator_destroy(rocksdb_mergeoperator_t *merge_operator);

/* ---- What the levels and tables of a column family are ---- */

// The levels and tables of the default column family; given back by
// `rocksdb_column_family_metadata_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_column_family_metadata_t *rocksdb_get_column_family_metadata(rocksdb_t *db);

// The levels and tables of a column family; given back by
// `rocksdb_column_family_metadata_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_column_family_metadata_t *rocksdb_get_column_family_metadata_cf(rocksdb_t *db,
                                                                        rocksdb_column_family_handle_t *column_family);

// `rocksdb_get_column_family_metadata` of the levels and tables that the options ask for, NULL
// of all. Levels without such tables are left out.
extern ROCKSDB_LIBRARY_API
rocksdb_column_family_metadata_t *rocksdb_get_column_family_metadata_with_options(rocksdb_t *db,
                                                                                  const rocksdb_column_family_metadata_options_t *options);

// `rocksdb_get_column_family_metadata_with_options` of a column family.
extern ROCKSDB_LIBRARY_API
rocksdb_column_family_metadata_t *rocksdb_get_column_family_metadata_cf_with_options(rocksdb_t *db,
                                                                                     rocksdb_column_family_handle_t *column_family,
                                                                                     const rocksdb_column_family_metadata_options_t *options);

// Makes options that ask for everything; given back by
// `rocksdb_column_family_metadata_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_column_family_metadata_options_t *rocksdb_column_family_metadata_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_column_family_metadata_options_destroy(rocksdb_column_family_metadata_options_t *options);

// Asks for one level; a negative number asks for all.
extern ROCKSDB_LIBRARY_API
void rocksdb_column_family_metadata_options_set_level(rocksdb_column_family_metadata_options_t *opt,
                                                      int v);

// The level that is asked for; negative means all.
extern ROCKSDB_LIBRARY_API
int rocksdb_column_family_metadata_options_get_level(rocksdb_column_family_metadata_options_t *opt);

// Asks for tables that reach this user key or beyond. The key is copied; NULL means no bound.
extern ROCKSDB_LIBRARY_API
void rocksdb_column_family_metadata_options_set_start_key(rocksdb_column_family_metadata_options_t *options,
                                                          const char *key,
                                                          size_t key_len);

// What was set, its length in `*key_len`; NULL if nothing is.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_column_family_metadata_options_get_start_key(const rocksdb_column_family_metadata_options_t *options,
                                                                 size_t *key_len);

// Asks for tables that begin at this user key or before. The key is copied; NULL means no bound.
extern ROCKSDB_LIBRARY_API
void rocksdb_column_family_metadata_options_set_end_key(rocksdb_column_family_metadata_options_t *options,
                                                        const char *key,
                                                        size_t key_len);

// What was set, its length in `*key_len`; NULL if nothing is.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_column_family_metadata_options_get_end_key(const rocksdb_column_family_metadata_options_t *options,
                                                               size_t *key_len);

// Gives it back.
extern ROCKSDB_LIBRARY_API
void rocksdb_column_family_metadata_destroy(rocksdb_column_family_metadata_t *cf_meta);

// The bytes of all tables.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_column_family_metadata_get_size(rocksdb_column_family_metadata_t *cf_meta);

// How many tables there are.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_column_family_metadata_get_file_count(rocksdb_column_family_metadata_t *cf_meta);

// The column family's name, which the caller frees.
extern ROCKSDB_LIBRARY_API
char *rocksdb_column_family_metadata_get_name(rocksdb_column_family_metadata_t *cf_meta);

// How many levels there are: with options only those that have tables.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_column_family_metadata_get_level_count(rocksdb_column_family_metadata_t *cf_meta);

// A level, or NULL if there is no such level; given back by `rocksdb_level_metadata_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_level_metadata_t *rocksdb_column_family_metadata_get_level_metadata(rocksdb_column_family_metadata_t *cf_meta,
                                                                            size_t i);

// Gives a level back.
extern ROCKSDB_LIBRARY_API
void rocksdb_level_metadata_destroy(rocksdb_level_metadata_t *level_meta);

// Its number.
extern ROCKSDB_LIBRARY_API
int rocksdb_level_metadata_get_level(rocksdb_level_metadata_t *level_meta);

// The bytes of its tables.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_level_metadata_get_size(rocksdb_level_metadata_t *level_meta);

// How many tables it has.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_level_metadata_get_file_count(rocksdb_level_metadata_t *level_meta);

// A table, or NULL if there is no such table; given back by `rocksdb_sst_file_metadata_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_sst_file_metadata_t *rocksdb_level_metadata_get_sst_file_metadata(rocksdb_level_metadata_t *level_meta,
                                                                          size_t i);

// Gives a table back.
extern ROCKSDB_LIBRARY_API
void rocksdb_sst_file_metadata_destroy(rocksdb_sst_file_metadata_t *file_meta);

// The name of its file, which the caller frees.
extern ROCKSDB_LIBRARY_API
char *rocksdb_sst_file_metadata_get_relative_filename(rocksdb_sst_file_metadata_t *file_meta);

// The folder of its file, which the caller frees.
extern ROCKSDB_LIBRARY_API
char *rocksdb_sst_file_metadata_get_directory(rocksdb_sst_file_metadata_t *file_meta);

// The bytes of its file.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_sst_file_metadata_get_size(rocksdb_sst_file_metadata_t *file_meta);

// Its first user key, which the caller frees, the length in `*key_len`.
extern ROCKSDB_LIBRARY_API
char *rocksdb_sst_file_metadata_get_smallestkey(rocksdb_sst_file_metadata_t *file_meta,
                                                size_t *key_len);

// Its last user key, which the caller frees, the length in `*key_len`.
extern ROCKSDB_LIBRARY_API
char *rocksdb_sst_file_metadata_get_largestkey(rocksdb_sst_file_metadata_t *file_meta,
                                               size_t *key_len);

/* ---- Changing options of an open database ---- */

// Changes options of the default column family, all or none, and stores them in a new OPTIONS
// file. Only some can change while the database is open.
extern ROCKSDB_LIBRARY_API
void rocksdb_set_options(rocksdb_t *db,
                         int count,
                         const char *const *keys,
                         const char *const *values,
                         char **errptr);

// `rocksdb_set_options` of a column family.
extern ROCKSDB_LIBRARY_API
void rocksdb_set_options_cf(rocksdb_t *db,
                            rocksdb_column_family_handle_t *handle,
                            int count,
                            const char *const *keys,
                            const char *const *values,
                            char **errptr);

// Changes options of the database as a whole, all or none, and stores them in a new OPTIONS file.
// Only some can change while it is open.
extern ROCKSDB_LIBRARY_API
void rocksdb_set_db_options(rocksdb_t *db,
                            int count,
                            const char *const *keys,
                            const char *const *values,
                            char **errptr);

/* ---- Slice transforms: the prefix of a key, for prefix filters and prefix seeks ---- */

// Makes a transformation from the caller's functions, each of which receives `state` and may be
// called by any thread at any time. `transform` returns the start of `key` and stores how many
// bytes of it are the prefix; it is called only for keys that `in_domain` (not 0) says have one.
// `name` returns the transformation's name, which tables record: another transformation needs
// another name. `destructor` is called once, in the end.
extern ROCKSDB_LIBRARY_API
rocksdb_slicetransform_t *rocksdb_slicetransform_create(void *state,
                                                        void (*destructor)(void*),
                                                        char *(*transform)(void*,
                                                                           const char *key,
                                                                           size_t length,
                                                                           size_t *dst_length),
                                                        unsigned char (*in_domain)(void*,
                                                                                   const char *key,
                                                                                   size_t length),
                                                        const char *(*name)(void*));

// The first so many bytes of a key; shorter keys have no prefix.
extern ROCKSDB_LIBRARY_API
rocksdb_slicetransform_t *rocksdb_slicetransform_create_fixed_prefix(size_t prefix_length);

// The whole key as its own prefix.
extern ROCKSDB_LIBRARY_API rocksdb_slicetransform_t *rocksdb_slicetransform_create_noop(void);

// Gives a transformation back that no options have taken over.
extern ROCKSDB_LIBRARY_API void rocksdb_slicetransform_destroy(rocksdb_slicetransform_t *transform);

// Sets which prefix keys have, and takes the transformation over: it is not destroyed by the
// caller. NULL means none.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_prefix_extractor(rocksdb_options_t *options,
                                          rocksdb_slicetransform_t *prefix_extractor);

/* ---- The files that together are a database at one moment, for those who copy it ---- */

// Makes options with RocksDB's defaults; given back by
// `rocksdb_livefiles_storage_info_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_livefiles_storage_info_options_t *rocksdb_livefiles_storage_info_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefiles_storage_info_options_destroy(rocksdb_livefiles_storage_info_options_t *options);

// Whether checksums of whole files are told, where the MANIFEST knows them.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefiles_storage_info_options_set_include_checksum_info(rocksdb_livefiles_storage_info_options_t *opt,
                                                                      unsigned char v);

// What was set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_livefiles_storage_info_options_get_include_checksum_info(rocksdb_livefiles_storage_info_options_t *opt);

// Flush memtables first if the write-ahead logs hold at least so many bytes: 0 means always,
// `UINT64_MAX` never. Without it the logs are among the files.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefiles_storage_info_options_set_wal_size_for_flush(rocksdb_livefiles_storage_info_options_t *opt,
                                                                   uint64_t v);

// What was set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_storage_info_options_get_wal_size_for_flush(rocksdb_livefiles_storage_info_options_t *opt);

// If memtables are flushed first, whether the column families are flushed together, so that their
// tables are of one moment.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefiles_storage_info_options_set_atomic_flush(rocksdb_livefiles_storage_info_options_t *opt,
                                                             unsigned char v);

// What was set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_livefiles_storage_info_options_get_atomic_flush(rocksdb_livefiles_storage_info_options_t *opt);

// The files of the database as it is at one moment of the call; given back by
// `rocksdb_livefiles_storage_info_destroy`. They stay there only while
// `rocksdb_disable_file_deletions` is in effect, which is to be called before. NULL for the
// options means the defaults.
extern ROCKSDB_LIBRARY_API
rocksdb_livefiles_storage_info_t *rocksdb_get_livefiles_storage_info(rocksdb_t *db,
                                                                     const rocksdb_livefiles_storage_info_options_t *options,
                                                                     char **errptr);

// How many files there are.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_livefiles_storage_info_count(const rocksdb_livefiles_storage_info_t *info);

// The name of a file in its folder; NULL if there is no such file.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_storage_info_relative_filename(const rocksdb_livefiles_storage_info_t *info,
                                                             size_t index);

// The folder of a file; NULL if there is no such file.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_storage_info_directory(const rocksdb_livefiles_storage_info_t *info,
                                                     size_t index);

// The checksum of a whole file, as the MANIFEST has it; empty if it is not known or was not
// asked for. NULL if there is no such file.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_storage_info_file_checksum(const rocksdb_livefiles_storage_info_t *info,
                                                         size_t index);

// The name of the checksum's function: `Unknown` if there is none, empty if it was not asked
// for. NULL if there is no such file.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_storage_info_file_checksum_func_name(const rocksdb_livefiles_storage_info_t *info,
                                                                   size_t index);

// The number in the name of a file; 0 if there is none.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_storage_info_file_number(const rocksdb_livefiles_storage_info_t *info,
                                                    size_t index);

// What a file holds: 0 a write-ahead log, 2 a table, 3 the MANIFEST, 4 CURRENT, 9 options,
// 10 blobs.
extern ROCKSDB_LIBRARY_API
int rocksdb_livefiles_storage_info_file_type(const rocksdb_livefiles_storage_info_t *info,
                                             size_t index);

// How many bytes of a file count.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_livefiles_storage_info_size(const rocksdb_livefiles_storage_info_t *info,
                                             size_t index);

// Whether a file may be longer than the bytes that count, so that it cannot be linked.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_livefiles_storage_info_trim_to_size(const rocksdb_livefiles_storage_info_t *info,
                                                          size_t index);

// The bytes to be taken in place of those of the file, which may change; none for a file that is
// to be copied or linked. Their number is in `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_livefiles_storage_info_replacement_contents(const rocksdb_livefiles_storage_info_t *info,
                                                                size_t index,
                                                                size_t *size);

// Gives the list back.
extern ROCKSDB_LIBRARY_API
void rocksdb_livefiles_storage_info_destroy(rocksdb_livefiles_storage_info_t *info);

/* ---- The parameters of universal and FIFO compaction ---- */

// Per cent by which the runs taken may be smaller together than the next one for that to be
// taken as well.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_size_ratio(rocksdb_universal_compaction_options_t *options,
                                                         int value);

// What `rocksdb_universal_compaction_options_set_size_ratio` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_size_ratio(rocksdb_universal_compaction_options_t *options);

// The fewest runs of a compaction; at least 2.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_min_merge_width(rocksdb_universal_compaction_options_t *options,
                                                              int value);

// What `rocksdb_universal_compaction_options_set_min_merge_width` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_min_merge_width(rocksdb_universal_compaction_options_t *options);

// The most runs of a compaction that is not a full one.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_max_merge_width(rocksdb_universal_compaction_options_t *options,
                                                              int value);

// What `rocksdb_universal_compaction_options_set_max_merge_width` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_max_merge_width(rocksdb_universal_compaction_options_t *options);

// Per cent of space beyond the oldest run from which all runs are merged.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_max_size_amplification_percent(rocksdb_universal_compaction_options_t *options,
                                                                             int value);

// What `rocksdb_universal_compaction_options_set_max_size_amplification_percent` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_max_size_amplification_percent(rocksdb_universal_compaction_options_t *options);

// Per cent of data, the oldest, that suffice to be compressed; -1 means all are.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_compression_size_percent(rocksdb_universal_compaction_options_t *options,
                                                                       int value);

// What `rocksdb_universal_compaction_options_set_compression_size_percent` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_compression_size_percent(rocksdb_universal_compaction_options_t *options);

// The most runs at a time, not less than `level0_file_num_compaction_trigger`: -1 means as
// many as that, 0 lets the database choose by its size.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_max_read_amp(rocksdb_universal_compaction_options_t *options,
                                                           int value);

// What `rocksdb_universal_compaction_options_set_max_read_amp` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_max_read_amp(rocksdb_universal_compaction_options_t *options);

// What the next run is compared with: one of `rocksdb_compaction_stop_style`.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_stop_style(rocksdb_universal_compaction_options_t *options,
                                                         int value);

// What `rocksdb_universal_compaction_options_set_stop_style` set, or the default.
extern ROCKSDB_LIBRARY_API
int rocksdb_universal_compaction_options_get_stop_style(rocksdb_universal_compaction_options_t *options);

// Merge parts of the second oldest run into the oldest, of `max_compaction_bytes` about.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_incremental(rocksdb_universal_compaction_options_t *options,
                                                          unsigned char value);

// What `rocksdb_universal_compaction_options_set_incremental` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_universal_compaction_options_get_incremental(rocksdb_universal_compaction_options_t *options);

// Move files that overlap nothing as they are.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_allow_trivial_move(rocksdb_universal_compaction_options_t *options,
                                                                 unsigned char value);

// What `rocksdb_universal_compaction_options_set_allow_trivial_move` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_universal_compaction_options_get_allow_trivial_move(rocksdb_universal_compaction_options_t *options);

// While a compaction waits for a thread of the bottom priority, leave all runs but the
// oldest to other compactions.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_set_reduce_file_locking(rocksdb_universal_compaction_options_t *options,
                                                                  unsigned char value);

// What `rocksdb_universal_compaction_options_set_reduce_file_locking` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_universal_compaction_options_get_reduce_file_locking(rocksdb_universal_compaction_options_t *options);

// Bytes of all tables from which the oldest are dropped.
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_set_max_table_files_size(rocksdb_fifo_compaction_options_t *options,
                                                              uint64_t value);

// What `rocksdb_fifo_compaction_options_set_max_table_files_size` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_fifo_compaction_options_get_max_table_files_size(rocksdb_fifo_compaction_options_t *options);

// Without effect, as in RocksDB, where `file_temperature_age_thresholds` replaced it.
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_set_age_for_warm(rocksdb_fifo_compaction_options_t *options,
                                                      uint64_t value);

// What `rocksdb_fifo_compaction_options_set_age_for_warm` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_fifo_compaction_options_get_age_for_warm(rocksdb_fifo_compaction_options_t *options);

// Merge small files of level 0, as many as `level0_file_num_compaction_trigger` and more.
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_set_allow_compaction(rocksdb_fifo_compaction_options_t *options,
                                                          unsigned char value);

// What `rocksdb_fifo_compaction_options_set_allow_compaction` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_fifo_compaction_options_get_allow_compaction(rocksdb_fifo_compaction_options_t *options);

// Bytes of all tables and blob files from which the oldest are dropped; 0 means that
// `max_table_files_size` decides.
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_set_max_data_files_size(rocksdb_fifo_compaction_options_t *options,
                                                             uint64_t value);

// What `rocksdb_fifo_compaction_options_set_max_data_files_size` set, or the default.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_fifo_compaction_options_get_max_data_files_size(rocksdb_fifo_compaction_options_t *options);

// With `allow_compaction`: merge files in tiers of growing size, up to the share of
// `max_data_files_size` that is due to each of `level0_file_num_compaction_trigger` tables.
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_set_use_kv_ratio_compaction(rocksdb_fifo_compaction_options_t *options,
                                                                 unsigned char value);

// What `rocksdb_fifo_compaction_options_set_use_kv_ratio_compaction` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_fifo_compaction_options_get_use_kv_ratio_compaction(rocksdb_fifo_compaction_options_t *options);

// Makes parameters with RocksDB's defaults; given back by
// `rocksdb_universal_compaction_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_universal_compaction_options_t *rocksdb_universal_compaction_options_create(void);

// Gives the parameters back.
extern ROCKSDB_LIBRARY_API
void rocksdb_universal_compaction_options_destroy(rocksdb_universal_compaction_options_t *options);

// Makes parameters with RocksDB's defaults; given back by
// `rocksdb_fifo_compaction_options_destroy`.
extern ROCKSDB_LIBRARY_API
rocksdb_fifo_compaction_options_t *rocksdb_fifo_compaction_options_create(void);

// Gives the parameters back.
extern ROCKSDB_LIBRARY_API
void rocksdb_fifo_compaction_options_destroy(rocksdb_fifo_compaction_options_t *fifo_opts);

// Copies the parameters of universal compaction, which `rocksdb_options_set_compaction_style` turns
// on.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_universal_compaction_options(rocksdb_options_t *options,
                                                      rocksdb_universal_compaction_options_t *uco);

// Copies the parameters of FIFO compaction, which `rocksdb_options_set_compaction_style` turns on.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_fifo_compaction_options(rocksdb_options_t *options,
                                                 rocksdb_fifo_compaction_options_t *fifo);

/* ---- Table filters: which tables an iterator shows ---- */

// Lets iterators show only tables that `table_filter` wants; what is in memory they show anyway,
// and what range deletions of any table deleted they do not. It is called with `state` by each
// thread that makes or moves an iterator, once for each time that a table is come to. `destructor`,
// unless it is NULL, is called once with `state`, when the options have got another filter or end,
// and the iterators made with them are gone. NULL for `table_filter` shows all tables.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_set_table_filter(rocksdb_readoptions_t *options,
                                          void *state,
                                          void (*destructor)(void*),
                                          rocksdb_readoptions_table_filter_cb table_filter);

// Lets iterators show all tables again.
extern ROCKSDB_LIBRARY_API
void rocksdb_readoptions_clear_table_filter(rocksdb_readoptions_t *options);

// Whether iterators ask a function which tables to show.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_readoptions_has_table_filter(const rocksdb_readoptions_t *options);

/* ---- The properties of a table, as functions that are given them may read them ---- */

// The file's number when it was written.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_orig_file_number(const rocksdb_table_properties_t *props);

// All data blocks, as stored.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_data_size(const rocksdb_table_properties_t *props);

// All data blocks, uncompressed. Known while writing only; files do not carry it.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_uncompressed_data_size(const rocksdb_table_properties_t *props);

// The index block, with its trailer.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_index_size(const rocksdb_table_properties_t *props);

// Index partitions, for two-level indexes.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_index_partitions(const rocksdb_table_properties_t *props);

// The top-level index block, for two-level indexes.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_top_level_index_size(const rocksdb_table_properties_t *props);

// 1 if the index's keys are user keys, 0 if they are internal keys.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_index_key_is_user_key(const rocksdb_table_properties_t *props);

// 1 if the index's values are delta-encoded.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_index_value_is_delta_encoded(const rocksdb_table_properties_t *props);

// 1 if a user-defined index replaces the built-in one.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_udi_is_primary_index(const rocksdb_table_properties_t *props);

// The filter block.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_filter_size(const rocksdb_table_properties_t *props);

// All keys, before prefix compression.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_raw_key_size(const rocksdb_table_properties_t *props);

// All values.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_raw_value_size(const rocksdb_table_properties_t *props);

// Data blocks.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_data_blocks(const rocksdb_table_properties_t *props);

// Data blocks that did not pack well enough and are stored as they are.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_data_blocks_compression_rejected(const rocksdb_table_properties_t *props);

// Data blocks that nobody tried to pack.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_data_blocks_compression_bypassed(const rocksdb_table_properties_t *props);

// Index blocks whose keys are spaced evenly.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_uniform_blocks(const rocksdb_table_properties_t *props);

// Records, range deletions included.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_entries(const rocksdb_table_properties_t *props);

// Keys (or prefixes) in the filter.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_filter_entries(const rocksdb_table_properties_t *props);

// Deletions of every kind.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_deletions(const rocksdb_table_properties_t *props);

// Merge operands.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_merge_operands(const rocksdb_table_properties_t *props);

// Range deletions.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_num_range_deletions(const rocksdb_table_properties_t *props);

// The format version; 0 for files older than the property.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_format_version(const rocksdb_table_properties_t *props);

// 0, or the length of every key (plain tables).
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_fixed_key_len(const rocksdb_table_properties_t *props);

// The column family; 2147483647 if the file belongs to none.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_column_family_id(const rocksdb_table_properties_t *props);

// When the oldest ancestor file was written, or 0.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_creation_time(const rocksdb_table_properties_t *props);

// The write time of the oldest key, or 0.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_oldest_key_time(const rocksdb_table_properties_t *props);

// The write time of the newest key, or 0.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_newest_key_time(const rocksdb_table_properties_t *props);

// When this file was written, or 0.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_file_creation_time(const rocksdb_table_properties_t *props);

// What a slow codec would make of the data blocks, by samples.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_slow_compression_estimated_data_size(const rocksdb_table_properties_t *props);

// What a fast codec would make of the data blocks, by samples.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_fast_compression_estimated_data_size(const rocksdb_table_properties_t *props);

// Where in the file the value of `rocksdb.external_sst_file.global_seqno` is, or 0.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_external_sst_file_global_seqno_offset(const rocksdb_table_properties_t *props);

// Where the data blocks end and the meta blocks begin, or 0.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_tail_start_offset(const rocksdb_table_properties_t *props);

// 1 if the timestamps of user keys are stored.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_user_defined_timestamps_persisted(const rocksdb_table_properties_t *props);

// The largest sequence number of a key; the largest number that there is if it is unknown.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_key_largest_seqno(const rocksdb_table_properties_t *props);

// The smallest sequence number of a key; the largest number that there is if it is unknown.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_key_smallest_seqno(const rocksdb_table_properties_t *props);

// Entries between restarts of data blocks; 0 is unknown.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_data_block_restart_interval(const rocksdb_table_properties_t *props);

// Entries between restarts of index blocks; 0 is unknown.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_index_block_restart_interval(const rocksdb_table_properties_t *props);

// 1 if data blocks keep keys and values in separate sections.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_table_properties_separate_key_value_in_data_block(const rocksdb_table_properties_t *props);

// The database that wrote the file. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_db_id(const rocksdb_table_properties_t *props,
                                           size_t *size);

// The session (one opening of a database) that wrote the file. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_db_session_id(const rocksdb_table_properties_t *props,
                                                   size_t *size);

// The machine that wrote the file. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_db_host_id(const rocksdb_table_properties_t *props,
                                                size_t *size);

// The column family's name. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_column_family_name(const rocksdb_table_properties_t *props,
                                                        size_t *size);

// The filter policy's name, or empty. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_filter_policy_name(const rocksdb_table_properties_t *props,
                                                        size_t *size);

// The comparator's name. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_comparator_name(const rocksdb_table_properties_t *props,
                                                     size_t *size);

// The merge operator's name, or `nullptr`. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_merge_operator_name(const rocksdb_table_properties_t *props,
                                                         size_t *size);

// The prefix extractor's name, or `nullptr`. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_prefix_extractor_name(const rocksdb_table_properties_t *props,
                                                           size_t *size);

// The names of property collectors, as `[a,b]`. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_property_collectors_names(const rocksdb_table_properties_t *props,
                                                               size_t *size);

// The codec: its name, or from format version 7 on `manager;hex numbers;`. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_compression_name(const rocksdb_table_properties_t *props,
                                                      size_t *size);

// The compression options as text. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_compression_options(const rocksdb_table_properties_t *props,
                                                         size_t *size);

// When which sequence numbers were written, encoded. Its length goes to `*size`.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_seqno_to_time_mapping(const rocksdb_table_properties_t *props,
                                                           size_t *size);

// Whether the largest sequence number of a key is known.
extern ROCKSDB_LIBRARY_API
uint8_t rocksdb_table_properties_has_key_largest_seqno(const rocksdb_table_properties_t *props);

// Whether the smallest sequence number of a key is known.
extern ROCKSDB_LIBRARY_API
uint8_t rocksdb_table_properties_has_key_smallest_seqno(const rocksdb_table_properties_t *props);

// How many properties of a table have a name that RocksDB does not know as its own.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_table_properties_user_collected_properties_count(const rocksdb_table_properties_t *props);

// The name of the property at `pos` in the order of names, and its length in `*key_len`;
// NULL if there is none.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_user_collected_properties_key_at(const rocksdb_table_properties_t *props,
                                                                      size_t pos,
                                                                      size_t *key_len);

// The value of the property at `pos` in the order of names, any bytes, and its length in
// `*value_len`; NULL if there is none.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_user_collected_properties_value_at(const rocksdb_table_properties_t *props,
                                                                        size_t pos,
                                                                        size_t *value_len);

// How many properties were collected for people to read. Files do not keep them, so a
// table that was opened has none.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_table_properties_readable_properties_count(const rocksdb_table_properties_t *props);

// The name of the property at `pos` in the order of names, and its length in `*key_len`;
// NULL if there is none.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_readable_properties_key_at(const rocksdb_table_properties_t *props,
                                                                size_t pos,
                                                                size_t *key_len);

// The value of the property at `pos` in the order of names, and its length in
// `*value_len`; NULL if there is none.
extern ROCKSDB_LIBRARY_API
const char *rocksdb_table_properties_readable_properties_value_at(const rocksdb_table_properties_t *props,
                                                                  size_t pos,
                                                                  size_t *value_len);

/* ---- Checking what is on the disk ---- */

// Reads every table of every column family from the disk, and checks the checksum of every
// block.
extern ROCKSDB_LIBRARY_API void rocksdb_verify_checksum(rocksdb_t *db, char **errptr);

// `rocksdb_verify_checksum` with read options: `readahead_size`, `deadline` and
// `verify_checksums` count. NULL means the defaults.
extern ROCKSDB_LIBRARY_API
void rocksdb_verify_checksum_with_options(rocksdb_t *db,
                                          const rocksdb_readoptions_t *options,
                                          char **errptr);

// Compares the checksums of whole files with those in the MANIFEST. An error, as in RocksDB,
// while no generator of such checksums is set, and none can be set yet.
extern ROCKSDB_LIBRARY_API void rocksdb_verify_file_checksums(rocksdb_t *db, char **errptr);

// `rocksdb_verify_file_checksums` with read options, which may be NULL.
extern ROCKSDB_LIBRARY_API
void rocksdb_verify_file_checksums_with_options(rocksdb_t *db,
                                                const rocksdb_readoptions_t *options,
                                                char **errptr);

/* ---- The write-ahead logs as files ---- */

// The write-ahead logs that hold writes, the oldest first; given back by
// `rocksdb_wal_files_destroy`. They stay there only while `rocksdb_disable_file_deletions` is in
// effect.
extern ROCKSDB_LIBRARY_API
rocksdb_wal_files_t *rocksdb_get_sorted_wal_files(rocksdb_t *db,
                                                  char **errptr);

// The write-ahead log that is being written; given back by `rocksdb_wal_file_destroy`. An error
// if the database is open for reading only.
extern ROCKSDB_LIBRARY_API
rocksdb_wal_file_t *rocksdb_get_current_wal_file(rocksdb_t *db,
                                                 char **errptr);

// Where the log is in the folder of the logs, with a slash before it: `/000007.log`, or
// `/archive/000007.log`. Good as long as the log's handle.
extern ROCKSDB_LIBRARY_API const char *rocksdb_wal_file_path_name(const rocksdb_wal_file_t *file);

// The number of the log; newer logs have higher ones.
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_wal_file_log_number(const rocksdb_wal_file_t *file);

// Whether the log is archived (0) or alive (1).
extern ROCKSDB_LIBRARY_API int rocksdb_wal_file_type(const rocksdb_wal_file_t *file);

// The sequence number of the first write in the log; 0 for one that came from
// `rocksdb_get_current_wal_file`.
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_wal_file_start_sequence(const rocksdb_wal_file_t *file);

// The bytes of the log that its file has, without writes that are held back in memory.
extern ROCKSDB_LIBRARY_API
uint64_t rocksdb_wal_file_size_file_bytes(const rocksdb_wal_file_t *file);

// Gives a log back that came from `rocksdb_get_current_wal_file`.
extern ROCKSDB_LIBRARY_API void rocksdb_wal_file_destroy(rocksdb_wal_file_t *file);

// How many logs there are.
extern ROCKSDB_LIBRARY_API size_t rocksdb_wal_files_count(const rocksdb_wal_files_t *files);

// A log, which belongs to the list; NULL if there is no such log.
extern ROCKSDB_LIBRARY_API
const rocksdb_wal_file_t *rocksdb_wal_files_get_wal_file(const rocksdb_wal_files_t *files,
                                                         size_t index);

// Gives the list back, and the logs in it.
extern ROCKSDB_LIBRARY_API void rocksdb_wal_files_destroy(rocksdb_wal_files_t *files);

/* ---- The writes of a database as its logs have them ---- */

// The batches of the write-ahead logs, archived ones among them, from the one on that holds
// sequence number `seq_number`; given back by `rocksdb_wal_iter_destroy`, before or after the
// database is closed. NULL options are the defaults. An error if nothing has that number yet.
extern ROCKSDB_LIBRARY_API
rocksdb_wal_iterator_t *rocksdb_get_updates_since(rocksdb_t *db,
                                                  uint64_t seq_number,
                                                  const rocksdb_wal_readoptions_t *options,
                                                  char **errptr);

// Goes to the next batch. At the end this finds what was written meanwhile.
extern ROCKSDB_LIBRARY_API void rocksdb_wal_iter_next(rocksdb_wal_iterator_t *iter);

// Whether it is at a batch.
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_wal_iter_valid(const rocksdb_wal_iterator_t *iter);

// The error that ended it, if one did. It is none if all that was written was seen.
extern ROCKSDB_LIBRARY_API
void rocksdb_wal_iter_status(const rocksdb_wal_iterator_t *iter,
                             char **errptr);

// The batch where it is, given back by `rocksdb_writebatch_destroy`, and in `*seq`, unless that is
// NULL, the sequence number of its first write. NULL if it is at none.
extern ROCKSDB_LIBRARY_API
rocksdb_writebatch_t *rocksdb_wal_iter_get_batch(const rocksdb_wal_iterator_t *iter,
                                                 uint64_t *seq);

// Ends it.
extern ROCKSDB_LIBRARY_API void rocksdb_wal_iter_destroy(const rocksdb_wal_iterator_t *iter);

// Makes options with RocksDB's defaults; given back by `rocksdb_wal_readoptions_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_wal_readoptions_t *rocksdb_wal_readoptions_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API void rocksdb_wal_readoptions_destroy(rocksdb_wal_readoptions_t *options);

// Compares the checksums of what is read; the default.
extern ROCKSDB_LIBRARY_API
void rocksdb_wal_readoptions_set_verify_checksums(rocksdb_wal_readoptions_t *options,
                                                  unsigned char verify_checksums);

// What `rocksdb_wal_readoptions_set_verify_checksums` set, or the default.
extern ROCKSDB_LIBRARY_API
unsigned char rocksdb_wal_readoptions_get_verify_checksums(rocksdb_wal_readoptions_t *options);

/* ---- Write buffer managers: one limit on the memtables of several databases ---- */

// Makes a limit of `buffer_size` bytes, 0 for none; given back by
// `rocksdb_write_buffer_manager_destroy`. With `allow_stall`, writes wait while memtables take
// more.
extern ROCKSDB_LIBRARY_API
rocksdb_write_buffer_manager_t *rocksdb_write_buffer_manager_create(size_t buffer_size,
                                                                    bool allow_stall);

// The same, and what memtables take counts as used in the cache, which is shared, too.
extern ROCKSDB_LIBRARY_API
rocksdb_write_buffer_manager_t *rocksdb_write_buffer_manager_create_with_cache(size_t buffer_size,
                                                                               const rocksdb_cache_t *cache,
                                                                               bool allow_stall);

// Gives the manager up; it lives on in what uses it.
extern ROCKSDB_LIBRARY_API
void rocksdb_write_buffer_manager_destroy(rocksdb_write_buffer_manager_t *wbm);

// Makes databases that are opened with these options count their memtables there; the manager is
// shared. NULL changes nothing.
extern ROCKSDB_LIBRARY_API
void rocksdb_options_set_write_buffer_manager(rocksdb_options_t *opt,
                                              rocksdb_write_buffer_manager_t *wbm);

// Whether there is a limit.
extern ROCKSDB_LIBRARY_API
bool rocksdb_write_buffer_manager_enabled(rocksdb_write_buffer_manager_t *wbm);

// Whether memtables count in a cache.
extern ROCKSDB_LIBRARY_API
bool rocksdb_write_buffer_manager_cost_to_cache(rocksdb_write_buffer_manager_t *wbm);

// The bytes of all memtables.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_write_buffer_manager_memory_usage(rocksdb_write_buffer_manager_t *wbm);

// The bytes of the memtables that are not about to be flushed.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_write_buffer_manager_mutable_memtable_memory_usage(rocksdb_write_buffer_manager_t *wbm);

// The bytes that memtables take up in the cache.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(rocksdb_write_buffer_manager_t *wbm);

// The limit in bytes; 0 means none.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_write_buffer_manager_buffer_size(rocksdb_write_buffer_manager_t *wbm);

// Changes the limit, from now on.
extern ROCKSDB_LIBRARY_API
void rocksdb_write_buffer_manager_set_buffer_size(rocksdb_write_buffer_manager_t *wbm,
                                                  size_t new_size);

// Changes whether writes wait, from now on.
extern ROCKSDB_LIBRARY_API
void rocksdb_write_buffer_manager_set_allow_stall(rocksdb_write_buffer_manager_t *wbm,
                                                  bool new_allow_stall);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HEMATITE_ROCKSDB_C_H */
