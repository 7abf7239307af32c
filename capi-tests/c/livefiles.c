#include "check.h"

static void check_key(const char* key, size_t len, const char* expected) {
  CHECK_EQ(len, strlen(expected));
  CHECK(memcmp(key, expected, len) == 0);
}

static void identity(rocksdb_t* db, const char* path) {
  size_t len = 0;
  char* id = rocksdb_get_db_identity(db, &len);
  CHECK(id != NULL && len > 8);
  char name[1100], stored[64];
  snprintf(name, sizeof(name), "%s/IDENTITY", path);
  FILE* file = fopen(name, "r");
  CHECK(file != NULL);
  CHECK_EQ(fread(stored, 1, sizeof(stored), file), len);
  fclose(file);
  CHECK(memcmp(id, stored, len) == 0);
  rocksdb_free(id);
  len = 9;
  CHECK(rocksdb_get_db_identity(NULL, &len) == NULL);
  CHECK_EQ(len, 0);
}

static void tables(rocksdb_t* db, const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_column_family_handle_t* other = rocksdb_create_column_family(db, options, "other", &err);
  CHECK_OK(err);
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  CHECK_EQ(rocksdb_livefiles_count(files), 0);
  CHECK(rocksdb_livefiles_name(files, 0) == NULL);
  rocksdb_livefiles_destroy(files);

  put(db, "a", "1");
  put(db, "last", "2");
  flush(db);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  rocksdb_flushoptions_t* flush_options = rocksdb_flushoptions_create();
  rocksdb_put_cf(db, write, other, "b", 1, "3", 1, &err);
  rocksdb_delete_cf(db, write, other, "c", 1, &err);
  rocksdb_put_cf(db, write, other, "d", 1, "4", 1, &err);
  CHECK_OK(err);
  rocksdb_flush_cf(db, flush_options, other, &err);
  CHECK_OK(err);
  rocksdb_flushoptions_destroy(flush_options);

  files = rocksdb_livefiles(db);
  CHECK_EQ(rocksdb_livefiles_count(files), 2);
  size_t len = 0;
  CHECK(strcmp(rocksdb_livefiles_column_family_name(files, 0), "default") == 0);
  CHECK(strcmp(rocksdb_livefiles_column_family_name(files, 1), "other") == 0);
  const char* key = rocksdb_livefiles_smallestkey(files, 0, &len);
  check_key(key, len, "a");
  key = rocksdb_livefiles_largestkey(files, 0, &len);
  check_key(key, len, "last");
  key = rocksdb_livefiles_smallestkey(files, 1, &len);
  check_key(key, len, "b");
  CHECK(rocksdb_livefiles_level(files, 0) > 0);
  CHECK_EQ(rocksdb_livefiles_level(files, 1), 0);
  CHECK_EQ(rocksdb_livefiles_smallest_seqno(files, 1), 3);
  CHECK_EQ(rocksdb_livefiles_largest_seqno(files, 1), 5);
  CHECK_EQ(rocksdb_livefiles_entries(files, 1), 3);
  CHECK_EQ(rocksdb_livefiles_deletions(files, 1), 1);
  CHECK_EQ(rocksdb_livefiles_deletions(files, 0), 0);
  CHECK(strcmp(rocksdb_livefiles_directory(files, 1), path) == 0);
  char name[1200];
  snprintf(name, sizeof(name), "%s%s", path, rocksdb_livefiles_name(files, 1));
  FILE* file = fopen(name, "r");
  CHECK(file != NULL);
  fseek(file, 0, SEEK_END);
  CHECK_EQ(rocksdb_livefiles_size(files, 1), ftell(file));
  fclose(file);

  CHECK(rocksdb_livefiles_directory(files, 2) == NULL);
  CHECK(rocksdb_livefiles_smallestkey(files, -1, &len) == NULL);
  CHECK_EQ(len, 0);
  CHECK_EQ(rocksdb_livefiles_size(files, 2), 0);
  rocksdb_livefiles_destroy(files);
  CHECK(rocksdb_livefiles(NULL) == NULL);
  CHECK_EQ(rocksdb_livefiles_count(NULL), 0);
  rocksdb_livefiles_destroy(NULL);
  rocksdb_column_family_handle_destroy(other);
  rocksdb_writeoptions_destroy(write);
  rocksdb_options_destroy(options);
}

/* A list that a program makes. */
static void made_by_hand(void) {
  rocksdb_livefiles_t* files = rocksdb_livefiles_create();
  CHECK_EQ(rocksdb_livefiles_count(files), 0);
  rocksdb_livefile_t* file = rocksdb_livefile_create();
  rocksdb_livefiles_add(files, file);
  file = rocksdb_livefile_create();
  char name[] = "/000007.sst";
  rocksdb_livefile_set_column_family_name(file, "other");
  rocksdb_livefile_set_name(file, name);
  name[1] = 'x';
  rocksdb_livefile_set_directory(file, "/folder");
  rocksdb_livefile_set_smallest_key(file, "a\0b", 3);
  rocksdb_livefile_set_largest_key(file, "z", 1);
  rocksdb_livefile_set_level(file, 3);
  rocksdb_livefile_set_size(file, 1234);
  rocksdb_livefile_set_smallest_seqno(file, 5);
  rocksdb_livefile_set_largest_seqno(file, 6);
  rocksdb_livefile_set_num_entries(file, 7);
  rocksdb_livefile_set_num_deletions(file, 2);
  rocksdb_livefiles_add(files, file);
  CHECK_EQ(rocksdb_livefiles_count(files), 2);
  size_t len = 9;
  CHECK(strcmp(rocksdb_livefiles_name(files, 0), "") == 0);
  CHECK_EQ(rocksdb_livefiles_size(files, 0), 0);
  CHECK(strcmp(rocksdb_livefiles_column_family_name(files, 1), "other") == 0);
  CHECK(strcmp(rocksdb_livefiles_name(files, 1), "/000007.sst") == 0);
  CHECK(strcmp(rocksdb_livefiles_directory(files, 1), "/folder") == 0);
  const char* key = rocksdb_livefiles_smallestkey(files, 1, &len);
  CHECK_BYTES(key, len, "a\0b");
  key = rocksdb_livefiles_largestkey(files, 1, &len);
  CHECK_BYTES(key, len, "z");
  CHECK_EQ(rocksdb_livefiles_level(files, 1), 3);
  CHECK_EQ(rocksdb_livefiles_size(files, 1), 1234);
  CHECK_EQ(rocksdb_livefiles_smallest_seqno(files, 1), 5);
  CHECK_EQ(rocksdb_livefiles_largest_seqno(files, 1), 6);
  CHECK_EQ(rocksdb_livefiles_entries(files, 1), 7);
  CHECK_EQ(rocksdb_livefiles_deletions(files, 1), 2);
  rocksdb_livefiles_add(files, NULL);
  CHECK_EQ(rocksdb_livefiles_count(files), 2);
  rocksdb_livefiles_destroy(files);
  rocksdb_livefile_destroy(rocksdb_livefile_create());
  rocksdb_livefile_destroy(NULL);
}

static void point_lookup(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK_EQ(rocksdb_options_get_memtable_whole_key_filtering(options), 0);
  rocksdb_options_optimize_for_point_lookup(options, 7);
  CHECK_EQ(rocksdb_options_get_memtable_whole_key_filtering(options), 1);
  CHECK(rocksdb_options_get_memtable_prefix_bloom_size_ratio(options) == 0.02);
  rocksdb_options_optimize_for_point_lookup(NULL, 7);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  const char* path = in_folder(argv, "db");
  rocksdb_t* db = open_new(path);
  identity(db, path);
  tables(db, path);
  rocksdb_close(db);
  made_by_hand();
  point_lookup();
  return 0;
}
