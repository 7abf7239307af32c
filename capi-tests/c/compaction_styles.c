#include "check.h"

/* Writes `count` tables with the same keys, and waits for the compactions that follow. */
static void write_tables(rocksdb_t* db, int count) {
  char* err = NULL;
  for (int table = 0; table < count; ++table) {
    put(db, "a", "some value that is the same in every table");
    put(db, "z", "some value that is the same in every table");
    flush(db);
  }
  rocksdb_wait_for_compact_options_t* wait = rocksdb_wait_for_compact_options_create();
  rocksdb_wait_for_compact(db, wait, &err);
  CHECK_OK(err);
  rocksdb_wait_for_compact_options_destroy(wait);
}

/* How many tables are on a level, or with -1 in all. */
static int tables(rocksdb_t* db, int level) {
  int count = 0;
  for (int at = 0; at < 7; ++at) {
    char name[64];
    snprintf(name, sizeof(name), "rocksdb.num-files-at-level%d", at);
    char* value = rocksdb_property_value(db, name);
    if (value != NULL && (level == -1 || level == at)) {
      count += atoi(value);
    }
    free(value);
  }
  return count;
}

static rocksdb_options_t* new_options(int style) {
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_compaction_style(options, style);
  CHECK_EQ(rocksdb_options_get_compaction_style(options), style);
  rocksdb_options_set_level0_file_num_compaction_trigger(options, 3);
  return options;
}

static void universal(const char* path, const char* idle_path) {
  char* err = NULL;
  rocksdb_options_t* options = new_options(rocksdb_universal_compaction);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  write_tables(db, 3);
  CHECK_EQ(tables(db, 6), 1);
  CHECK_EQ(tables(db, -1), 1);
  check_value(__FILE__, __LINE__, db, NULL, "z", "some value that is the same in every table");
  /* A range is compacted as a whole, and can be moved. */
  write_tables(db, 1);
  CHECK_EQ(tables(db, 0), 1);
  rocksdb_compactoptions_t* compact = rocksdb_compactoptions_create();
  rocksdb_compactoptions_set_change_level(compact, 1);
  rocksdb_compactoptions_set_target_level(compact, 2);
  rocksdb_compact_range_opt(db, compact, "a", 1, "b", 1);
  CHECK_EQ(tables(db, 2), 1);
  CHECK_EQ(tables(db, -1), 1);
  rocksdb_compactoptions_destroy(compact);
  rocksdb_close(db);

  /* Parameters by which nothing is merged. */
  rocksdb_universal_compaction_options_t* uco = rocksdb_universal_compaction_options_create();
  rocksdb_universal_compaction_options_set_min_merge_width(uco, 100);
  rocksdb_universal_compaction_options_set_max_size_amplification_percent(uco, 100000);
  rocksdb_options_set_universal_compaction_options(options, uco);
  rocksdb_universal_compaction_options_destroy(uco);
  db = rocksdb_open(options, idle_path, &err);
  CHECK_OK(err);
  write_tables(db, 5);
  CHECK_EQ(tables(db, 0), 5);
  const char* names[] = {"compaction_options_universal"};
  const char* values[] = {"{min_merge_width=2}"};
  rocksdb_set_options(db, 1, names, values, &err);
  CHECK_OK(err);
  write_tables(db, 1);
  CHECK(tables(db, -1) < 6);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static void fifo(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = new_options(rocksdb_fifo_compaction);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  write_tables(db, 5);
  CHECK_EQ(tables(db, 0), 5);
  rocksdb_compactoptions_t* compact = rocksdb_compactoptions_create();
  rocksdb_compact_range_opt(db, compact, NULL, 0, NULL, 0);
  CHECK_EQ(tables(db, 0), 5);
  rocksdb_compactoptions_destroy(compact);
  rocksdb_close(db);

  rocksdb_fifo_compaction_options_t* fifo = rocksdb_fifo_compaction_options_create();
  rocksdb_fifo_compaction_options_set_max_table_files_size(fifo, 1);
  rocksdb_options_set_fifo_compaction_options(options, fifo);
  rocksdb_fifo_compaction_options_destroy(fifo);
  db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  write_tables(db, 0);
  CHECK_EQ(tables(db, -1), 0);
  check_value(__FILE__, __LINE__, db, NULL, "a", NULL);
  rocksdb_close(db);
  /* Its tables must all be open. */
  rocksdb_options_set_max_open_files(options, 100);
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "Not implemented: FIFO compaction only supported with max_open_files = -1.");
  rocksdb_options_destroy(options);
}

static void universal_parameters(void) {
  rocksdb_universal_compaction_options_t* options = rocksdb_universal_compaction_options_create();
  CHECK_OPTION(rocksdb_universal_compaction_options, size_ratio, 1, 5);
  CHECK_OPTION(rocksdb_universal_compaction_options, min_merge_width, 2, 3);
  CHECK_OPTION(rocksdb_universal_compaction_options, max_merge_width, -1, 7);
  CHECK_OPTION(rocksdb_universal_compaction_options, max_size_amplification_percent, 200, 50);
  CHECK_OPTION(rocksdb_universal_compaction_options, compression_size_percent, -1, 60);
  CHECK_OPTION(rocksdb_universal_compaction_options, max_read_amp, -1, 9);
  CHECK_OPTION(rocksdb_universal_compaction_options, stop_style,
               rocksdb_total_size_compaction_stop_style, rocksdb_similar_size_compaction_stop_style);
  CHECK_OPTION(rocksdb_universal_compaction_options, incremental, 0, 1);
  CHECK_OPTION(rocksdb_universal_compaction_options, allow_trivial_move, 0, 1);
  CHECK_OPTION(rocksdb_universal_compaction_options, reduce_file_locking, 1, 0);
  rocksdb_universal_compaction_options_destroy(options);
}

static void fifo_parameters(void) {
  rocksdb_fifo_compaction_options_t* options = rocksdb_fifo_compaction_options_create();
  CHECK_OPTION(rocksdb_fifo_compaction_options, max_table_files_size, 1 << 30, 5);
  CHECK_OPTION(rocksdb_fifo_compaction_options, age_for_warm, 0, 6);
  CHECK_OPTION(rocksdb_fifo_compaction_options, allow_compaction, 0, 1);
  CHECK_OPTION(rocksdb_fifo_compaction_options, max_data_files_size, 0, 7);
  CHECK_OPTION(rocksdb_fifo_compaction_options, use_kv_ratio_compaction, 0, 1);
  rocksdb_fifo_compaction_options_destroy(options);
}

static void optimized(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_optimize_universal_style_compaction(options, 4 << 20);
  CHECK_EQ(rocksdb_options_get_compaction_style(options), rocksdb_universal_compaction);
  CHECK_EQ(rocksdb_options_get_write_buffer_size(options), 1 << 20);
  CHECK_EQ(rocksdb_options_get_max_write_buffer_number(options), 6);
  CHECK_EQ(rocksdb_options_get_min_write_buffer_number_to_merge(options), 2);
  rocksdb_options_destroy(options);
}

/* A parameter that is none is found when it is used. */
static void refused(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = new_options(rocksdb_universal_compaction);
  rocksdb_universal_compaction_options_t* uco = rocksdb_universal_compaction_options_create();
  rocksdb_universal_compaction_options_set_stop_style(uco, 17);
  rocksdb_options_set_universal_compaction_options(options, uco);
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: stop_style");
  rocksdb_universal_compaction_options_set_stop_style(uco, 0);
  rocksdb_universal_compaction_options_set_max_read_amp(uco, 2);
  rocksdb_options_set_universal_compaction_options(options, uco);
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "Not implemented: CompactionOptionsUniversal::max_read_amp limits");
  rocksdb_universal_compaction_options_destroy(uco);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  universal_parameters();
  fifo_parameters();
  optimized();
  universal(in_folder(argv, "universal"), in_folder(argv, "idle"));
  fifo(in_folder(argv, "fifo"));
  refused(in_folder(argv, "refused"));
  return 0;
}
