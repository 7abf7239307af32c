#include "check.h"

#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The seconds that a flush of 300,000 bytes takes with this limiter. */
static double limited_flush(const char* path, rocksdb_ratelimiter_t* limiter) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_compression(options, 0);
  rocksdb_options_set_ratelimiter(options, limiter);
  rocksdb_options_set_ratelimiter(options, NULL);
  rocksdb_ratelimiter_destroy(limiter);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  static char value[3000];
  for (int i = 0; i < 100; ++i) {
    char key[8];
    snprintf(key, sizeof(key), "k%02d", i);
    rocksdb_put(db, write, key, 3, value, sizeof(value), &err);
    CHECK_OK(err);
  }
  double start = seconds();
  flush(db);
  double end = seconds();
  rocksdb_writeoptions_destroy(write);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  return end - start;
}

static void compact_options(void) {
  rocksdb_compactoptions_t* options = rocksdb_compactoptions_create();
  CHECK_OPTION(rocksdb_compactoptions, exclusive_manual_compaction, 0, 1);
  CHECK_OPTION(rocksdb_compactoptions, bottommost_level_compaction, 1, 3);
  CHECK_OPTION(rocksdb_compactoptions, change_level, 0, 1);
  CHECK_OPTION(rocksdb_compactoptions, target_level, -1, 4);
  CHECK_OPTION(rocksdb_compactoptions, target_path_id, 0, 2);
  CHECK_OPTION(rocksdb_compactoptions, allow_write_stall, 0, 1);
  CHECK_OPTION(rocksdb_compactoptions, max_subcompactions, 0, 5);
  rocksdb_compactoptions_destroy(options);
}

static void compaction_options(void) {
  rocksdb_compaction_options_t* options = rocksdb_compaction_options_create();
  CHECK_OPTION(rocksdb_compaction_options, compression, 255, 1);
  CHECK_OPTION(rocksdb_compaction_options, output_file_size_limit, -1, 1000);
  CHECK_OPTION(rocksdb_compaction_options, max_subcompactions, 0, 3);
  CHECK_OPTION(rocksdb_compaction_options, allow_trivial_move, 0, 1);
  rocksdb_compaction_options_destroy(options);
}

static void wait_options(void) {
  rocksdb_wait_for_compact_options_t* options = rocksdb_wait_for_compact_options_create();
  CHECK_OPTION(rocksdb_wait_for_compact_options, abort_on_pause, 0, 1);
  CHECK_OPTION(rocksdb_wait_for_compact_options, flush, 0, 1);
  CHECK_OPTION(rocksdb_wait_for_compact_options, wait_for_purge, 0, 1);
  CHECK_OPTION(rocksdb_wait_for_compact_options, close_db, 0, 1);
  CHECK_OPTION(rocksdb_wait_for_compact_options, timeout, 0, 77);
  rocksdb_wait_for_compact_options_destroy(options);
}

/* The timestamp is refused, so the compaction does nothing: a forced one keeps the file. */
static void timestamps_are_refused(const char* path) {
  rocksdb_t* db = open_new(path);
  put(db, "a", "1");
  rocksdb_compactoptions_t* options = rocksdb_compactoptions_create();
  char timestamp[8] = "1234567";
  rocksdb_compactoptions_set_full_history_ts_low(options, timestamp, 8);
  rocksdb_compact_range_opt(db, options, NULL, 0, NULL, 0);
  char* files = rocksdb_property_value(db, "rocksdb.num-files-at-level6");
  CHECK(files != NULL && strcmp(files, "0") == 0);
  rocksdb_free(files);
  rocksdb_compactoptions_set_full_history_ts_low(options, NULL, 0);
  rocksdb_compact_range_opt(db, options, NULL, 0, NULL, 0);
  files = rocksdb_property_value(db, "rocksdb.num-files-at-level6");
  CHECK(files != NULL && strcmp(files, "1") == 0);
  rocksdb_free(files);
  rocksdb_compactoptions_destroy(options);
  rocksdb_close(db);
}

static void settings(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK_OPTION(rocksdb_options, level0_file_num_compaction_trigger, 4, 2);
  CHECK_OPTION(rocksdb_options, level0_slowdown_writes_trigger, 20, 5);
  CHECK_OPTION(rocksdb_options, level0_stop_writes_trigger, 36, 7);
  CHECK_OPTION(rocksdb_options, target_file_size_base, 64 << 20, 1000);
  CHECK_OPTION(rocksdb_options, target_file_size_multiplier, 1, 2);
  CHECK_OPTION(rocksdb_options, target_file_size_is_upper_bound, 0, 1);
  CHECK_OPTION(rocksdb_options, max_bytes_for_level_base, 256 << 20, 1000);
  CHECK_OPTION(rocksdb_options, level_compaction_dynamic_level_bytes, 1, 0);
  CHECK_OPTION(rocksdb_options, max_bytes_for_level_multiplier, 10, 4);
  CHECK_OPTION(rocksdb_options, max_compaction_bytes, 0, 1000);
  CHECK_OPTION(rocksdb_options, soft_pending_compaction_bytes_limit, 64LL << 30, 1000);
  CHECK_OPTION(rocksdb_options, hard_pending_compaction_bytes_limit, 256LL << 30, 1000);
  CHECK_OPTION(rocksdb_options, disable_auto_compactions, 0, 1);
  CHECK_OPTION(rocksdb_options, compaction_style, 0, 1);
  CHECK_OPTION(rocksdb_options, compaction_pri, 3, 4);
  CHECK_OPTION(rocksdb_options, bottommost_compression, 255, 1);
  CHECK_OPTION(rocksdb_options, bottommost_file_compaction_delay, 0, 9);
  CHECK_OPTION(rocksdb_options, max_background_compactions, -1, 3);
  CHECK_OPTION(rocksdb_options, max_subcompactions, 1, 3);
  CHECK_OPTION(rocksdb_options, delayed_write_rate, 0, 1000);
  CHECK_EQ(rocksdb_options_get_ttl(options), -2);
  rocksdb_options_set_ttl(options, 7);
  CHECK_EQ(rocksdb_options_get_ttl(options), 7);
  CHECK_EQ(rocksdb_options_get_periodic_compaction_seconds(options), -2);
  rocksdb_options_set_periodic_compaction_seconds(options, 7);
  CHECK_EQ(rocksdb_options_get_periodic_compaction_seconds(options), 7);
  CHECK_EQ(rocksdb_options_get_compaction_readahead_size(options), 2 << 20);
  rocksdb_options_compaction_readahead_size(options, 99);
  CHECK_EQ(rocksdb_options_get_compaction_readahead_size(options), 99);
  rocksdb_options_destroy(options);

  options = rocksdb_options_create();
  rocksdb_options_prepare_for_bulk_load(options);
  CHECK_EQ(rocksdb_options_get_num_levels(options), 2);
  CHECK_EQ(rocksdb_options_get_disable_auto_compactions(options), 1);
  rocksdb_options_destroy(options);
  options = rocksdb_options_create();
  rocksdb_options_optimize_level_style_compaction(options, 64 << 20);
  CHECK_EQ(rocksdb_options_get_write_buffer_size(options), 16 << 20);
  CHECK_EQ(rocksdb_options_get_max_bytes_for_level_base(options), 64 << 20);
  rocksdb_options_destroy(options);
}

/* What has no getter stands in the OPTIONS file, which a database writes. */
static void stored_settings(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  int additional[2] = {1, 3};
  rocksdb_options_set_max_bytes_for_level_multiplier_additional(options, additional, 2);
  rocksdb_options_set_bottommost_compression_options(options, -14, 5, 0, 0, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_close(db);
  char command[1200];
  snprintf(command, sizeof(command),
           "grep -q 'max_bytes_for_level_multiplier_additional=1:3$' %s/OPTIONS-*", path);
  CHECK_EQ(system(command), 0);
  snprintf(command, sizeof(command),
           "grep 'bottommost_compression_opts={' %s/OPTIONS-* | grep 'enabled=true' | "
           "grep -q '[{;]level=5;'",
           path);
  CHECK_EQ(system(command), 0);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  compact_options();
  compaction_options();
  wait_options();
  settings();
  stored_settings(in_folder(argv, "stored"));
  timestamps_are_refused(in_folder(argv, "timestamps"));

  CHECK(limited_flush(in_folder(argv, "free"), rocksdb_ratelimiter_create(1LL << 40, 1000, 10)) < 0.4);
  CHECK(limited_flush(in_folder(argv, "slow"), rocksdb_ratelimiter_create(500000, 10000, 10)) > 0.4);
  CHECK(limited_flush(in_folder(argv, "tuned"),
                      rocksdb_ratelimiter_create_auto_tuned(1000000, 100000, 10)) > 0.4);
  CHECK(limited_flush(in_folder(argv, "both"),
                      rocksdb_ratelimiter_create_with_mode(500000, 10000, 10, 2, 0)) > 0.4);
  CHECK(rocksdb_ratelimiter_create_with_mode(500000, 10000, 10, 9, 0) == NULL);
  rocksdb_ratelimiter_destroy(NULL);
  return 0;
}
