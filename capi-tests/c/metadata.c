#include "check.h"

/* Ends the program unless the text, which is freed, is the expected one. */
static void check_text(char* text, const char* expected) {
  CHECK(text != NULL && strcmp(text, expected) == 0);
  rocksdb_free(text);
}

static void check_level(rocksdb_column_family_metadata_t* family, size_t at, const char* path) {
  rocksdb_level_metadata_t* level = rocksdb_column_family_metadata_get_level_metadata(family, at);
  CHECK(level != NULL);
  CHECK_EQ(rocksdb_level_metadata_get_level(level), at);
  if (rocksdb_level_metadata_get_file_count(level) == 0) {
    CHECK_EQ(rocksdb_level_metadata_get_size(level), 0);
    rocksdb_level_metadata_destroy(level);
    return;
  }
  CHECK_EQ(rocksdb_level_metadata_get_size(level), rocksdb_column_family_metadata_get_size(family));
  CHECK_EQ(rocksdb_level_metadata_get_file_count(level), 1);
  CHECK(rocksdb_level_metadata_get_sst_file_metadata(level, 1) == NULL);
  rocksdb_sst_file_metadata_t* table = rocksdb_level_metadata_get_sst_file_metadata(level, 0);
  CHECK(table != NULL);
  size_t len = 0;
  char* key = rocksdb_sst_file_metadata_get_smallestkey(table, &len);
  CHECK_BYTES(key, len, "b");
  rocksdb_free(key);
  key = rocksdb_sst_file_metadata_get_largestkey(table, &len);
  CHECK_BYTES(key, len, "last");
  rocksdb_free(key);
  check_text(rocksdb_sst_file_metadata_get_directory(table), path);
  char* relative = rocksdb_sst_file_metadata_get_relative_filename(table);
  CHECK(relative != NULL && relative[0] != '/');
  char name[1200];
  snprintf(name, sizeof(name), "%s/%s", path, relative);
  rocksdb_free(relative);
  FILE* file = fopen(name, "r");
  CHECK(file != NULL);
  fseek(file, 0, SEEK_END);
  CHECK_EQ(rocksdb_sst_file_metadata_get_size(table), ftell(file));
  fclose(file);
  rocksdb_sst_file_metadata_destroy(table);
  rocksdb_level_metadata_destroy(level);
}

/* How many tables and levels the options find. */
static void check_chosen(rocksdb_t* db, const rocksdb_column_family_metadata_options_t* options,
                         size_t tables, size_t levels) {
  rocksdb_column_family_metadata_t* family =
      rocksdb_get_column_family_metadata_with_options(db, options);
  CHECK(family != NULL);
  CHECK_EQ(rocksdb_column_family_metadata_get_file_count(family), tables);
  CHECK_EQ(rocksdb_column_family_metadata_get_level_count(family), levels);
  rocksdb_column_family_metadata_destroy(family);
}

/* The tables "b" to "last" on the last level, and "x" to "y" on level 0. */
static void chosen(rocksdb_t* db, rocksdb_column_family_handle_t* other) {
  put(db, "x", "3");
  put(db, "y", "4");
  flush(db);
  rocksdb_column_family_metadata_options_t* options =
      rocksdb_column_family_metadata_options_create();
  check_chosen(db, options, 2, 2);
  check_chosen(db, NULL, 2, 2);
  size_t len = 9;
  CHECK(rocksdb_column_family_metadata_options_get_start_key(options, &len) == NULL);
  CHECK_EQ(len, 0);
  char start[] = "m", end[] = "x";
  rocksdb_column_family_metadata_options_set_start_key(options, start, 1);
  check_chosen(db, options, 1, 1);
  start[0] = '?';
  const char* key = rocksdb_column_family_metadata_options_get_start_key(options, &len);
  CHECK_BYTES(key, len, "m");
  rocksdb_column_family_metadata_options_set_end_key(options, end, 1);
  end[0] = '?';
  check_chosen(db, options, 1, 1);
  key = rocksdb_column_family_metadata_options_get_end_key(options, &len);
  CHECK_BYTES(key, len, "x");
  rocksdb_column_family_metadata_options_set_end_key(options, "w", 1);
  check_chosen(db, options, 0, 0);
  rocksdb_column_family_metadata_options_set_start_key(options, NULL, 0);
  check_chosen(db, options, 1, 1);
  rocksdb_column_family_metadata_options_set_end_key(options, NULL, 0);
  CHECK(rocksdb_column_family_metadata_options_get_end_key(options, &len) == NULL);
  CHECK_OPTION(rocksdb_column_family_metadata_options, level, -1, 0);
  rocksdb_column_family_metadata_t* family =
      rocksdb_get_column_family_metadata_with_options(db, options);
  rocksdb_level_metadata_t* level = rocksdb_column_family_metadata_get_level_metadata(family, 0);
  CHECK_EQ(rocksdb_level_metadata_get_level(level), 0);
  rocksdb_level_metadata_destroy(level);
  rocksdb_column_family_metadata_destroy(family);
  rocksdb_column_family_metadata_options_set_level(options, 6);
  family = rocksdb_get_column_family_metadata_with_options(db, options);
  level = rocksdb_column_family_metadata_get_level_metadata(family, 0);
  CHECK_EQ(rocksdb_level_metadata_get_level(level), 6);
  rocksdb_level_metadata_destroy(level);
  rocksdb_column_family_metadata_destroy(family);
  rocksdb_column_family_metadata_options_set_level(options, 99);
  check_chosen(db, options, 0, 0);

  family = rocksdb_get_column_family_metadata_cf_with_options(db, other, NULL);
  CHECK_EQ(rocksdb_column_family_metadata_get_level_count(family), 0);
  check_text(rocksdb_column_family_metadata_get_name(family), "other");
  rocksdb_column_family_metadata_destroy(family);
  CHECK(rocksdb_get_column_family_metadata_with_options(NULL, options) == NULL);
  CHECK(rocksdb_get_column_family_metadata_cf_with_options(db, NULL, options) == NULL);
  rocksdb_column_family_metadata_options_destroy(options);
  rocksdb_column_family_metadata_options_destroy(NULL);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char* path = in_folder(argv, "db");
  rocksdb_t* db = open_new(path);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_column_family_handle_t* other = rocksdb_create_column_family(db, options, "other", &err);
  CHECK_OK(err);
  put(db, "b", "1");
  put(db, "last", "2");
  flush(db);
  rocksdb_column_family_metadata_t* family = rocksdb_get_column_family_metadata(db);
  CHECK_EQ(rocksdb_column_family_metadata_get_file_count(family), 1);
  CHECK_EQ(rocksdb_column_family_metadata_get_level_count(family), 7);
  CHECK(rocksdb_column_family_metadata_get_size(family) > 0);
  check_text(rocksdb_column_family_metadata_get_name(family), "default");
  for (size_t level = 0; level < 7; level++) {
    check_level(family, level, path);
  }
  CHECK(rocksdb_column_family_metadata_get_level_metadata(family, 7) == NULL);
  rocksdb_column_family_metadata_destroy(family);

  family = rocksdb_get_column_family_metadata_cf(db, other);
  CHECK_EQ(rocksdb_column_family_metadata_get_file_count(family), 0);
  check_text(rocksdb_column_family_metadata_get_name(family), "other");
  rocksdb_column_family_metadata_destroy(family);
  CHECK(rocksdb_get_column_family_metadata(NULL) == NULL);
  rocksdb_column_family_metadata_destroy(NULL);

  /* On another level its number tells. */
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  family = rocksdb_get_column_family_metadata(db);
  for (size_t level = 0; level < 7; level++) {
    check_level(family, level, path);
  }
  rocksdb_column_family_metadata_destroy(family);
  chosen(db, other);
  rocksdb_column_family_handle_destroy(other);
  rocksdb_options_destroy(options);
  rocksdb_close(db);
  return 0;
}
