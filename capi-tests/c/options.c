#include "check.h"

static void values(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK_EQ(rocksdb_options_get_compaction_style(options), rocksdb_level_compaction);
  CHECK_PAIR(options, rocksdb_options_set_compaction_pri, rocksdb_options_get_compaction_pri,
             rocksdb_k_min_overlapping_ratio_compaction_pri, rocksdb_k_round_robin_compaction_pri);
  CHECK_OPTION(rocksdb_options, create_if_missing, 0, 1);
  CHECK_OPTION(rocksdb_options, create_missing_column_families, 0, 1);
  CHECK_OPTION(rocksdb_options, error_if_exists, 0, 1);
  CHECK_OPTION(rocksdb_options, paranoid_checks, 1, 0);
  CHECK_OPTION(rocksdb_options, info_log_level, 1, 2);
  CHECK_OPTION(rocksdb_options, max_log_file_size, 0, 1 << 20);
  CHECK_OPTION(rocksdb_options, log_file_time_to_roll, 0, 3600);
  CHECK_OPTION(rocksdb_options, keep_log_file_num, 1000, 12);
  CHECK_OPTION(rocksdb_options, max_file_opening_threads, 16, 17);
  CHECK_OPTION(rocksdb_options, max_open_files, -1, 100);
  CHECK_PAIR(options, rocksdb_options_set_memtable_prefix_bloom_size_ratio,
             rocksdb_options_get_memtable_prefix_bloom_size_ratio, 0, 1);
  /* The other number comes between, so that the register of results holds it. */
  rocksdb_options_set_memtable_prefix_bloom_size_ratio(options, 0.125);
  rocksdb_options_set_max_bytes_for_level_multiplier(options, 10);
  CHECK(rocksdb_options_get_memtable_prefix_bloom_size_ratio(options) == 0.125);
  CHECK_OPTION(rocksdb_options, memtable_whole_key_filtering, 0, 1);
  CHECK_OPTION(rocksdb_options, table_cache_numshardbits, 6, 4);
  CHECK_OPTION(rocksdb_options, use_fsync, 0, 1);
  CHECK_OPTION(rocksdb_options, bytes_per_sync, 0, 1 << 20);
  CHECK_OPTION(rocksdb_options, wal_bytes_per_sync, 0, 512 << 10);
  CHECK_OPTION(rocksdb_options, wal_recovery_mode, rocksdb_point_in_time_recovery, rocksdb_absolute_consistency_recovery);
  CHECK_OPTION(rocksdb_options, recycle_log_file_num, 0, 4);
  CHECK_OPTION(rocksdb_options, manual_wal_flush, 0, 1);
  CHECK_OPTION(rocksdb_options, max_total_wal_size, 0, 128 << 20);
  CHECK_OPTION(rocksdb_options, avoid_flush_during_recovery, 0, 1);
  CHECK_OPTION(rocksdb_options, avoid_flush_during_shutdown, 0, 1);
  CHECK_OPTION(rocksdb_options, max_manifest_file_size, 1 << 30, 512 << 20);
  CHECK_OPTION(rocksdb_options, write_dbid_to_manifest, 1, 0);
  CHECK_OPTION(rocksdb_options, write_identity_file, 1, 0);
  CHECK_OPTION(rocksdb_options, stats_dump_period_sec, 600, 60);
  CHECK_OPTION(rocksdb_options, max_background_jobs, 2, 3);
  CHECK_OPTION(rocksdb_options, max_background_flushes, -1, 4);
  CHECK_OPTION(rocksdb_options, allow_concurrent_memtable_write, 1, 0);
  CHECK_OPTION(rocksdb_options, max_write_batch_group_size_bytes, 1 << 20, 2 << 20);
  CHECK_OPTION(rocksdb_options, write_buffer_size, 64 << 20, 1 << 20);
  CHECK_OPTION(rocksdb_options, max_write_buffer_number, 2, 3);
  CHECK_OPTION(rocksdb_options, min_write_buffer_number_to_merge, 1, 2);
  CHECK_OPTION(rocksdb_options, arena_block_size, 0, 1 << 20);
  CHECK_OPTION(rocksdb_options, compression, rocksdb_lz4_compression, rocksdb_zstd_compression);
  CHECK_OPTION(rocksdb_options, num_levels, 7, 8);
  CHECK_OPTION(rocksdb_options, flush_verify_memtable_count, 1, 0);
  CHECK_OPTION(rocksdb_options, verify_sst_unique_id_in_manifest, 1, 0);
  CHECK_OPTION(rocksdb_options, advise_random_on_open, 1, 0);
  CHECK_OPTION(rocksdb_options, force_consistency_checks, 1, 0);
  CHECK_OPTION(rocksdb_options, max_sequential_skip_in_iterations, 8, 9);
  CHECK_OPTION(rocksdb_options, optimize_filters_for_hits, 0, 1);
  CHECK_OPTION(rocksdb_options, paranoid_file_checks, 0, 1);
  CHECK_OPTION(rocksdb_options, compaction_verify_record_count, 1, 0);
  CHECK_OPTION(rocksdb_options, enforce_single_del_contracts, 1, 0);
  CHECK_OPTION(rocksdb_options, strict_bytes_per_sync, 0, 1);
  CHECK_OPTION(rocksdb_options, allow_fallocate, 1, 0);
  CHECK_OPTION(rocksdb_options, atomic_flush, 0, 1);
  CHECK_OPTION(rocksdb_options, manifest_preallocation_size, 4 << 20, 1 << 20);
  CHECK_OPTION(rocksdb_options, log_readahead_size, 0, 1 << 20);
  CHECK_OPTION(rocksdb_options, skip_stats_update_on_db_open, 0, 1);
  CHECK_OPTION(rocksdb_options, verify_output_flags, 0, 1027);
  CHECK_OPTION(rocksdb_options, writable_file_max_buffer_size, 1 << 20, 1 << 16);
  CHECK_PAIR(options, rocksdb_options_compaction_readahead_size,
             rocksdb_options_get_compaction_readahead_size, 2 << 20, 1 << 20);
  CHECK_OPTION(rocksdb_options, stats_persist_period_sec, 600, 60);
  CHECK_OPTION(rocksdb_options, persist_stats_to_disk, 0, 1);
  CHECK_OPTION(rocksdb_options, stats_history_buffer_size, 1 << 20, 1 << 10);
  CHECK_OPTION(rocksdb_options, max_compaction_trigger_wakeup_seconds, 43200, 60);
  CHECK_OPTION(rocksdb_options, delete_obsolete_files_period_micros, 21600000000, 60);
  CHECK_OPTION(rocksdb_options, use_direct_reads, 0, 1);
  CHECK_OPTION(rocksdb_options, use_direct_io_for_flush_and_compaction, 0, 1);
  CHECK_OPTION(rocksdb_options, allow_mmap_reads, 0, 1);
  CHECK_OPTION(rocksdb_options, allow_mmap_writes, 0, 1);
  CHECK_OPTION(rocksdb_options, dump_malloc_stats, 0, 1);
  CHECK_OPTION(rocksdb_options, avoid_unnecessary_blocking_io, 0, 1);
  CHECK_OPTION(rocksdb_options, max_manifest_space_amp_pct, 500, 50);
  CHECK_OPTION(rocksdb_options, enable_write_thread_adaptive_yield, 1, 0);
  CHECK_OPTION(rocksdb_options, write_thread_max_yield_usec, 100, 50);
  CHECK_OPTION(rocksdb_options, write_thread_slow_yield_usec, 3, 5);
  CHECK_OPTION(rocksdb_options, use_adaptive_mutex, 0, 1);
  CHECK_OPTION(rocksdb_options, last_level_temperature, 0, 12);
  CHECK_OPTION(rocksdb_options, default_write_temperature, 0, 4);
  CHECK_OPTION(rocksdb_options, disallow_memtable_writes, 0, 1);
  CHECK_OPTION(rocksdb_options, enable_pipelined_write, 0, 1);
  CHECK_OPTION(rocksdb_options, unordered_write, 0, 1);
  CHECK_OPTION(rocksdb_options, max_bgerror_resume_count, 2147483647, 5);
  CHECK_OPTION(rocksdb_options, bgerror_resume_retry_interval, 1000000, 5);
  CHECK_OPTION(rocksdb_options, memtable_huge_page_size, 0, 2 << 20);
  CHECK_OPTION(rocksdb_options, verify_manifest_content_on_close, 0, 1);
  CHECK_OPTION(rocksdb_options, open_files_async, 0, 1);
  CHECK_OPTION(rocksdb_options, is_fd_close_on_exec, 1, 0);
  CHECK_OPTION(rocksdb_options, use_direct_io_for_compaction_reads, 0, 1);
  CHECK_OPTION(rocksdb_options, wal_compression, rocksdb_no_compression, rocksdb_zstd_compression);
  CHECK_OPTION(rocksdb_options, track_and_verify_wals, 0, 1);
  CHECK_OPTION(rocksdb_options, track_and_verify_wals_in_manifest, 0, 1);
  CHECK_OPTION(rocksdb_options, background_close_inactive_wals, 0, 1);
  CHECK_OPTION(rocksdb_options, WAL_ttl_seconds, 0, 60);
  CHECK_OPTION(rocksdb_options, WAL_size_limit_MB, 0, 60);

  size_t size = 99;
  CHECK(rocksdb_options_get_wal_dir(options, &size)[0] == 0);
  CHECK_EQ(size, 0);
  rocksdb_options_set_wal_dir(options, "/wal");
  const char* text = rocksdb_options_get_wal_dir(options, &size);
  CHECK_BYTES(text, size, "/wal");
  rocksdb_options_set_db_log_dir(options, "/log");
  text = rocksdb_options_get_db_log_dir(options, &size);
  CHECK_BYTES(text, size, "/log");
  rocksdb_options_set_daily_offpeak_time_utc(options, "23:00-04:00");
  text = rocksdb_options_get_daily_offpeak_time_utc(options, &size);
  CHECK_BYTES(text, size, "23:00-04:00");

  /* A copy has the same values and its own. */
  rocksdb_options_t* copy = rocksdb_options_create_copy(options);
  CHECK_EQ(rocksdb_options_get_keep_log_file_num(copy), 12);
  rocksdb_options_set_keep_log_file_num(copy, 13);
  CHECK_EQ(rocksdb_options_get_keep_log_file_num(options), 12);
  rocksdb_options_destroy(options);
  CHECK_EQ(rocksdb_options_get_keep_log_file_num(copy), 13);
  rocksdb_options_destroy(copy);
}

static void parallelism(void) {
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_increase_parallelism(options, 5);
  CHECK_EQ(rocksdb_options_get_max_background_jobs(options), 5);
  CHECK_EQ(rocksdb_env_get_low_priority_background_threads(env), 5);
  CHECK_EQ(rocksdb_env_get_high_priority_background_threads(env), 1);
  rocksdb_options_destroy(options);
  rocksdb_env_destroy(env);
}

static void from_string(void) {
  char* err = NULL;
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_num_levels(base, 5);
  rocksdb_get_options_from_string(base, "write_buffer_size=2M;max_write_buffer_number=6", options,
                                  &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_options_get_write_buffer_size(options), 2 << 20);
  CHECK_EQ(rocksdb_options_get_max_write_buffer_number(options), 6);
  CHECK_EQ(rocksdb_options_get_num_levels(options), 5);
  rocksdb_get_options_from_string(base, "no_such_option=1", options, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_get_options_from_string(NULL, "", options, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_options_destroy(base);
  rocksdb_options_destroy(options);
}

static void null_is_harmless(void) {
  rocksdb_options_set_create_if_missing(NULL, 1);
  CHECK_EQ(rocksdb_options_get_create_if_missing(NULL), 0);
  CHECK(rocksdb_options_get_wal_dir(NULL, NULL) == NULL);
  CHECK(rocksdb_options_create_copy(NULL) == NULL);
  rocksdb_options_destroy(NULL);
}

/* Several options at once. */
static void optimized(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_optimize_level_style_compaction(options, 64 << 20);
  CHECK_EQ(rocksdb_options_get_write_buffer_size(options), 16 << 20);
  CHECK_EQ(rocksdb_options_get_min_write_buffer_number_to_merge(options), 2);
  CHECK_EQ(rocksdb_options_get_max_write_buffer_number(options), 6);
  rocksdb_options_destroy(options);
}

/* The folder of the only table of a new database with these options. */
static void check_folder(const rocksdb_options_t* options, const char* path, const char* expected) {
  char* err = NULL;
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  put(db, "a", "1");
  flush(db);
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  CHECK_EQ(rocksdb_livefiles_count(files), 1);
  CHECK(strcmp(rocksdb_livefiles_directory(files, 0), expected) == 0);
  rocksdb_livefiles_destroy(files);
  CHECK_VALUE(db, "a", "1");
  rocksdb_close(db);
}

static void folders(char** argv) {
  const char* names[2] = {in_folder(argv, "fast"), in_folder(argv, "slow")};
  rocksdb_dbpath_t* paths[2] = {rocksdb_dbpath_create(names[0], 1 << 20),
                                rocksdb_dbpath_create(names[1], 1 << 20)};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_db_paths(options, (const rocksdb_dbpath_t**)paths, 2);
  check_folder(options, in_folder(argv, "db"), names[0]);
  rocksdb_options_set_cf_paths(options, (const rocksdb_dbpath_t**)paths + 1, 1);
  check_folder(options, in_folder(argv, "other"), names[1]);
  rocksdb_dbpath_destroy(paths[0]);
  rocksdb_dbpath_destroy(paths[1]);
  rocksdb_dbpath_destroy(NULL);
  rocksdb_options_set_db_paths(NULL, NULL, 0);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  folders(argv);
  optimized();
  values();
  parallelism();
  from_string();
  null_is_harmless();
  return 0;
}
