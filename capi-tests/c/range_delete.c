#include "check.h"

static void delete_range(rocksdb_t* db, rocksdb_column_family_handle_t* family, const char* start,
                         const char* end, char** err) {
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_delete_range_cf(db, options, family, start, strlen(start), end, strlen(end), err);
  rocksdb_writeoptions_destroy(options);
}

static void check_keys(rocksdb_t* db, const rocksdb_readoptions_t* options, const char* expected) {
  char keys[64] = "", backwards[64] = "";
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, options);
  size_t len;
  for (rocksdb_iter_seek_to_first(it); rocksdb_iter_valid(it); rocksdb_iter_next(it)) {
    const char* key = rocksdb_iter_key(it, &len);
    strncat(keys, key, len);
  }
  for (rocksdb_iter_seek_to_last(it); rocksdb_iter_valid(it); rocksdb_iter_prev(it)) {
    const char* key = rocksdb_iter_key(it, &len);
    memmove(backwards + len, backwards, strlen(backwards) + 1);
    memcpy(backwards, key, len);
  }
  CHECK(strcmp(keys, expected) == 0);
  CHECK(strcmp(backwards, expected) == 0);
  rocksdb_iter_destroy(it);
}

static void deletes_what_is_older(const char* path) {
  char* err = NULL;
  rocksdb_t* db = open_new(path);
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  put(db, "a", "1");
  put(db, "b", "2");
  flush(db);
  put(db, "c", "3");
  put(db, "d", "4");
  const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
  delete_range(db, family, "b", "d", &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "a", "1");
  CHECK_VALUE(db, "b", NULL);
  CHECK_VALUE(db, "c", NULL);
  CHECK_VALUE(db, "d", "4");
  put(db, "c", "new");
  CHECK_VALUE(db, "c", "new");
  check_keys(db, read, "acd");
  rocksdb_readoptions_set_snapshot(read, snapshot);
  check_keys(db, read, "abcd");
  rocksdb_readoptions_set_snapshot(read, NULL);
  rocksdb_readoptions_set_ignore_range_deletions(read, 1);
  check_keys(db, read, "abcd");
  rocksdb_readoptions_set_ignore_range_deletions(read, 0);
  rocksdb_release_snapshot(db, snapshot);

  flush(db);
  check_keys(db, read, "acd");
  delete_range(db, family, "d", "a", &err);
  CHECK_ERROR(err, "Invalid argument: end key comes before start key");
  delete_range(db, family, "a", "a", &err);
  CHECK_OK(err);
  check_keys(db, read, "acd");
  delete_range(db, family, "", "zz", &err);
  CHECK_OK(err);
  rocksdb_close(db);
  db = open_new(path);
  check_keys(db, read, "");
  rocksdb_readoptions_destroy(read);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
}

static void in_batches(const char* path) {
  char* err = NULL;
  rocksdb_t* db = open_new(path);
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "a", 1, "1", 1);
  rocksdb_writebatch_put(batch, "b", 1, "2", 1);
  rocksdb_writebatch_delete_range(batch, "a", 1, "c", 1);
  rocksdb_writebatch_put(batch, "b", 1, "3", 1);
  rocksdb_write(db, options, batch, &err);
  CHECK_OK(err);
  check_keys(db, read, "b");
  CHECK_VALUE(db, "b", "3");
  rocksdb_writebatch_destroy(batch);
  rocksdb_readoptions_destroy(read);
  rocksdb_writeoptions_destroy(options);
  rocksdb_close(db);
}

/* Range deletions fill memtables up to a number of them. */
static void fill_memtables(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  CHECK_OPTION(rocksdb_options, memtable_max_range_deletions, 0, 2);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  for (int i = 0; i < 5; i++) {
    put(db, "a", "1");
    delete_range(db, family, "b", "c", &err);
    CHECK_OK(err);
  }
  flush(db);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_options_destroy(options);
  rocksdb_close(db);
}

int main(int argc, char** argv) {
  (void)argc;
  deletes_what_is_older(in_folder(argv, "db"));
  in_batches(in_folder(argv, "batches"));
  fill_memtables(in_folder(argv, "full"));
  return 0;
}
