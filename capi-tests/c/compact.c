#include "check.h"

#include <dirent.h>

static rocksdb_writeoptions_t* write_options;

/* How many table files are in the folder; the name of one of them goes to `name`. */
static int tables(const char* path, char* name) {
  int count = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strstr(entry->d_name, ".sst") != NULL) {
      ++count;
      snprintf(name, 300, "/%s", entry->d_name);
    }
  }
  closedir(dir);
  return count;
}

/* Puts the keys k00 to k49 in `files` tables of level 0 that overlap. */
static void fill(rocksdb_t* db, rocksdb_column_family_handle_t* family, int files) {
  char* err = NULL;
  rocksdb_flushoptions_t* flush_options = rocksdb_flushoptions_create();
  for (int file = 0; file < files; ++file) {
    for (int i = 0; i < 50; ++i) {
      char key[8];
      snprintf(key, sizeof(key), "k%02d", i);
      rocksdb_put_cf(db, write_options, family, key, 3, "value", 5, &err);
      CHECK_OK(err);
    }
    rocksdb_flush_cf(db, flush_options, family, &err);
    CHECK_OK(err);
  }
  rocksdb_flushoptions_destroy(flush_options);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  char name[300];
  const char* path = in_folder(argv, "db");
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_options_set_disable_auto_compactions(options, 1);
  const char* names[2] = {"default", "other"};
  const rocksdb_options_t* family_options[2] = {options, options};
  rocksdb_column_family_handle_t* families[2];
  rocksdb_t* db = rocksdb_open_column_families(options, path, 2, names, family_options, families, &err);
  CHECK_OK(err);
  write_options = rocksdb_writeoptions_create();
  rocksdb_compactoptions_t* compact = rocksdb_compactoptions_create();

  fill(db, families[0], 2);
  CHECK_EQ(tables(path, name), 2);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  CHECK_EQ(tables(path, name), 1);
  fill(db, families[0], 1);
  rocksdb_compact_range_cf(db, families[0], "k10", 3, "k20", 3);
  CHECK_EQ(tables(path, name), 1);
  fill(db, families[0], 1);
  rocksdb_compact_range_opt(db, compact, NULL, 0, NULL, 0);
  CHECK_EQ(tables(path, name), 1);
  fill(db, families[1], 2);
  rocksdb_compact_range_cf_opt(db, families[1], compact, NULL, 0, NULL, 0);
  CHECK_EQ(tables(path, name), 2);
  CHECK_VALUE(db, "k07", "value");

  /* A forced compaction writes the last level anew. */
  char before[300], after[300];
  rocksdb_delete_file_in_range_cf(db, families[1], NULL, 0, NULL, 0, &err);
  CHECK_OK(err);
  CHECK_EQ(tables(path, before), 1);
  CHECK_VALUE_CF(db, families[1], "k07", NULL);
  rocksdb_compactoptions_set_bottommost_level_compaction(compact, 2);
  rocksdb_compact_range_opt(db, compact, NULL, 0, NULL, 0);
  CHECK_EQ(tables(path, after), 1);
  CHECK(strcmp(before, after) != 0);

  /* Named files. */
  rocksdb_compaction_options_t* files = rocksdb_compaction_options_create();
  const char* input[1] = {after};
  char** output = NULL;
  size_t count = 99;
  rocksdb_compact_files(db, files, input, 1, 6, -1, &output, &count, NULL, &err);
  CHECK_OK(err);
  CHECK_EQ(count, 1);
  CHECK_EQ(tables(path, before), 1);
  CHECK(strstr(output[0], before) != NULL);
  CHECK(strcmp(before, after) != 0);
  rocksdb_compact_files_output_file_names_destroy(output, count);
  rocksdb_compact_files_output_file_names_destroy(NULL, 0);
  rocksdb_compact_files(db, NULL, input, 1, 6, -1, NULL, NULL, NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  input[0] = before;
  rocksdb_compact_files_cf(db, NULL, NULL, input, 1, 6, 0, NULL, &count, NULL, &err);
  CHECK_OK(err);
  CHECK_EQ(tables(path, after), 1);
  CHECK(strcmp(before, after) != 0);
  input[0] = after;
  unsigned char* canceled = rocksdb_compaction_options_canceled_create();
  rocksdb_compaction_options_set_canceled(files, canceled);
  rocksdb_compaction_options_canceled_set(canceled, 1);
  rocksdb_compact_files(db, files, input, 1, 6, -1, NULL, NULL, NULL, &err);
  CHECK_ERROR(err, "Result incomplete: Manual compaction paused");
  rocksdb_compaction_options_canceled_destroy(canceled);
  rocksdb_compact_files(db, files, input, 1, 6, -1, NULL, NULL, NULL, &err);
  CHECK_ERROR(err, "Result incomplete: Manual compaction paused");
  rocksdb_compaction_options_set_canceled(files, NULL);
  rocksdb_compact_files(db, files, input, 1, 6, -1, NULL, NULL, NULL, &err);
  CHECK_OK(err);

  /* Manual compactions can be forbidden. */
  fill(db, families[0], 1);
  CHECK_EQ(tables(path, name), 2);
  rocksdb_disable_manual_compaction(db);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  CHECK_EQ(tables(path, name), 2);
  rocksdb_enable_manual_compaction(db);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  CHECK_EQ(tables(path, name), 1);

  rocksdb_delete_file_in_range(db, "k00", 3, "k98", 3, &err);
  CHECK_OK(err);
  CHECK_EQ(tables(path, name), 0);
  CHECK_VALUE(db, "k07", NULL);

  rocksdb_suggest_compact_range(NULL, NULL, 0, NULL, 0, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_suggest_compact_range_cf(db, NULL, NULL, 0, NULL, 0, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(families[i]);
  rocksdb_close(db);

  /* What is suggested is compacted in the background. */
  rocksdb_options_set_disable_auto_compactions(options, 0);
  rocksdb_options_set_level0_file_num_compaction_trigger(options, 100);
  db = rocksdb_open_column_families(options, path, 2, names, family_options, families, &err);
  CHECK_OK(err);
  rocksdb_wait_for_compact_options_t* wait = rocksdb_wait_for_compact_options_create();
  for (int i = 0; i < 2; ++i) {
    int had = tables(path, name);
    fill(db, families[i], 1);
    rocksdb_compact_range_cf(db, families[i], NULL, 0, NULL, 0);
    fill(db, families[i], 1);
    CHECK_EQ(tables(path, name), had + 2);
    if (i == 0) {
      rocksdb_suggest_compact_range(db, "k05", 3, NULL, 0, &err);
    } else {
      rocksdb_suggest_compact_range_cf(db, families[i], NULL, 0, NULL, 0, &err);
    }
    CHECK_OK(err);
    rocksdb_wait_for_compact(db, wait, &err);
    CHECK_OK(err);
    CHECK_EQ(tables(path, name), had + 1);
  }

  /* Paused work is not waited for. */
  rocksdb_pause_background_work(db, &err);
  CHECK_OK(err);
  rocksdb_wait_for_compact_options_set_abort_on_pause(wait, 1);
  rocksdb_wait_for_compact(db, wait, &err);
  CHECK_ERROR(err, "Operation aborted: ");
  rocksdb_continue_background_work(db, &err);
  CHECK_OK(err);
  rocksdb_continue_background_work(db, &err);
  CHECK_ERROR(err, "Invalid argument: Background work already unpaused");
  rocksdb_wait_for_compact(db, wait, &err);
  CHECK_OK(err);
  rocksdb_cancel_all_background_work(db, 1);
  rocksdb_wait_for_compact(db, wait, &err);
  CHECK_ERROR(err, "Shutdown in progress: ");

  rocksdb_wait_for_compact_options_destroy(wait);
  rocksdb_wait_for_compact_options_destroy(NULL);
  rocksdb_compaction_options_destroy(files);
  rocksdb_compaction_options_destroy(NULL);
  rocksdb_compactoptions_destroy(compact);
  rocksdb_compactoptions_destroy(NULL);
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(families[i]);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  rocksdb_writeoptions_destroy(write_options);
  return 0;
}
