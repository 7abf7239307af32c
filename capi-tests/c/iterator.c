#include <dirent.h>

#include "check.h"

#define CHECK_AT(iter, key, value)                                          \
  do {                                                                      \
    size_t len_ = 0;                                                        \
    CHECK_EQ(rocksdb_iter_valid(iter), 1);                                  \
    const char* data_ = rocksdb_iter_key(iter, &len_);                      \
    CHECK_BYTES(data_, len_, key);                                          \
    data_ = rocksdb_iter_value(iter, &len_);                                \
    CHECK_BYTES(data_, len_, value);                                        \
    CHECK_BYTES(rocksdb_iter_key_slice(iter).data,                          \
                rocksdb_iter_key_slice(iter).size, key);                    \
    CHECK_BYTES(rocksdb_iter_value_slice(iter).data,                        \
                rocksdb_iter_value_slice(iter).size, value);                \
  } while (0)

static void check_end(rocksdb_iterator_t* iter) {
  char* err = NULL;
  size_t len = 9;
  CHECK_EQ(rocksdb_iter_valid(iter), 0);
  rocksdb_iter_get_error(iter, &err);
  CHECK_OK(err);
  CHECK(rocksdb_iter_key(iter, &len) == NULL);
  CHECK_EQ(len, 0);
  CHECK(rocksdb_iter_value(iter, NULL) == NULL);
  CHECK_EQ(rocksdb_iter_key_slice(iter).size, 0);
  CHECK_EQ(rocksdb_iter_value_slice(iter).size, 0);
}

static void both_ways(rocksdb_iterator_t* iter) {
  CHECK_EQ(rocksdb_iter_valid(iter), 0);
  rocksdb_iter_seek_to_first(iter);
  CHECK_AT(iter, "b", "2");
  rocksdb_iter_next(iter);
  CHECK_AT(iter, "d", "4");
  rocksdb_iter_next(iter);
  CHECK_AT(iter, "f", "6");
  rocksdb_iter_prev(iter);
  CHECK_AT(iter, "d", "4");
  rocksdb_iter_next(iter);
  rocksdb_iter_next(iter);
  check_end(iter);
  rocksdb_iter_seek_to_last(iter);
  CHECK_AT(iter, "f", "6");
  rocksdb_iter_seek(iter, "c", 1);
  CHECK_AT(iter, "d", "4");
  rocksdb_iter_seek(iter, "d", 1);
  CHECK_AT(iter, "d", "4");
  rocksdb_iter_seek_for_prev(iter, "c", 1);
  CHECK_AT(iter, "b", "2");
  rocksdb_iter_seek_for_prev(iter, "d", 1);
  CHECK_AT(iter, "d", "4");
  rocksdb_iter_prev(iter);
  rocksdb_iter_prev(iter);
  check_end(iter);
  rocksdb_iter_seek(iter, "g", 1);
  check_end(iter);
  rocksdb_iter_next(iter);
  rocksdb_iter_prev(iter);
  check_end(iter);
  rocksdb_iter_seek_for_prev(iter, "a", 1);
  check_end(iter);
}

static void bounds(rocksdb_t* db) {
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  char low[] = "c", high[] = "f";
  rocksdb_readoptions_set_iterate_lower_bound(options, low, 1);
  rocksdb_readoptions_set_iterate_upper_bound(options, high, 1);
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  low[0] = high[0] = 'x';
  rocksdb_readoptions_destroy(options);
  rocksdb_iter_seek_to_first(iter);
  CHECK_AT(iter, "d", "4");
  rocksdb_iter_next(iter);
  check_end(iter);
  rocksdb_iter_seek_to_last(iter);
  CHECK_AT(iter, "d", "4");
  rocksdb_iter_prev(iter);
  check_end(iter);
  rocksdb_iter_destroy(iter);

  options = rocksdb_readoptions_create();
  rocksdb_readoptions_set_iterate_upper_bound(options, "c", 1);
  rocksdb_readoptions_set_iterate_upper_bound(options, NULL, 0);
  iter = rocksdb_create_iterator(db, options);
  rocksdb_iter_seek_to_last(iter);
  CHECK_AT(iter, "f", "6");
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(options);
}

static void keeps_its_view(rocksdb_t* db, rocksdb_readoptions_t* options) {
  char* err = NULL;
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  put(db, "a", "1");
  flush(db);
  rocksdb_iter_seek_to_first(iter);
  CHECK_AT(iter, "b", "2");
  rocksdb_iter_refresh(iter, &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_iter_valid(iter), 0);
  rocksdb_iter_seek_to_first(iter);
  CHECK_AT(iter, "a", "1");
  rocksdb_iter_destroy(iter);
}

static void follows_writes(rocksdb_t* db) {
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_readoptions_set_tailing(options, 1);
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  put(db, "tail", "1");
  rocksdb_iter_seek(iter, "tail", 4);
  CHECK_AT(iter, "tail", "1");
  put(db, "tail", "2");
  flush(db);
  rocksdb_iter_seek(iter, "tail", 4);
  CHECK_AT(iter, "tail", "2");
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(options);
}

static void several(rocksdb_t* db, rocksdb_readoptions_t* options) {
  char* err = NULL;
  rocksdb_options_t* family_options = rocksdb_options_create();
  rocksdb_column_family_handle_t* families[2] = {
      rocksdb_get_default_column_family_handle(db),
      rocksdb_create_column_family(db, family_options, "other", &err)};
  CHECK_OK(err);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_put_cf(db, write, families[1], "z", 1, "26", 2, &err);
  CHECK_OK(err);
  rocksdb_iterator_t* iters[2];
  rocksdb_create_iterators(db, options, families, iters, 2, &err);
  CHECK_OK(err);
  rocksdb_put_cf(db, write, families[1], "y", 1, "25", 2, &err);
  rocksdb_iter_seek_to_first(iters[0]);
  CHECK_AT(iters[0], "a", "1");
  rocksdb_iter_seek_to_first(iters[1]);
  CHECK_AT(iters[1], "z", "26");
  rocksdb_iterator_t* one = rocksdb_create_iterator_cf(db, options, families[1]);
  rocksdb_iter_seek_to_first(one);
  CHECK_AT(one, "y", "25");
  rocksdb_iter_destroy(one);
  families[1] = (rocksdb_column_family_handle_destroy(families[1]), NULL);
  rocksdb_create_iterators(db, options, families, iters + 1, 2, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_iter_destroy(iters[0]);
  rocksdb_iter_destroy(iters[1]);
  rocksdb_column_family_handle_destroy(families[0]);
  rocksdb_writeoptions_destroy(write);
  rocksdb_options_destroy(family_options);
}

static void hostile_calls(rocksdb_t* db, rocksdb_readoptions_t* options) {
  char* err = NULL;
  CHECK(rocksdb_create_iterator(NULL, options) == NULL);
  CHECK(rocksdb_create_iterator(db, NULL) == NULL);
  CHECK(rocksdb_create_iterator_cf(db, options, NULL) == NULL);
  CHECK_EQ(rocksdb_iter_valid(NULL), 0);
  rocksdb_iter_next(NULL);
  rocksdb_iter_seek(NULL, "a", 1);
  CHECK(rocksdb_iter_key(NULL, NULL) == NULL);
  CHECK(rocksdb_iter_key_slice(NULL).data == NULL);
  rocksdb_iter_get_error(NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_iter_destroy(NULL);
}

/* How many tables are in the folder. */
static int tables(const char* path) {
  int count = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    count += strstr(entry->d_name, ".sst") != NULL;
  }
  closedir(dir);
  return count;
}

/* The tables that only an iterator kept go with it, or by a thread in the background. */
static void removes_files(const char* path, int in_background) {
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_t* db = open_new(path);
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_readoptions_set_background_purge_on_iterator_cleanup(options, (unsigned char)in_background);
  put(db, "a", "1");
  flush(db);
  put(db, "a", "2");
  flush(db);
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  CHECK_EQ(tables(path), 3);
  int threads = rocksdb_env_get_high_priority_background_threads(env);
  rocksdb_env_set_high_priority_background_threads(env, 0);
  rocksdb_iter_destroy(iter);
  CHECK_EQ(tables(path), in_background ? 3 : 1);
  rocksdb_env_set_high_priority_background_threads(env, threads);
  rocksdb_env_join_all_threads(env);
  CHECK_EQ(tables(path), 1);
  rocksdb_readoptions_destroy(options);
  rocksdb_close(db);
  rocksdb_env_destroy(env);
}

/* An iterator with a snapshot keeps the tables that it began with, unless it is to let go of them;
   it shows the same either way. */
static void lets_go(const char* path, int auto_refresh) {
  rocksdb_t* db = open_new(path);
  put(db, "a", "1");
  flush(db);
  put(db, "b", "1");
  put(db, "c", "1");
  flush(db);
  const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_readoptions_set_snapshot(options, snapshot);
  rocksdb_readoptions_set_auto_refresh_iterator_with_snapshot(options, (unsigned char)auto_refresh);
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  rocksdb_iter_seek_to_first(iter);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  CHECK_EQ(tables(path), 3);
  put(db, "a", "2");
  put(db, "c", "2");
  put(db, "bb", "2");
  rocksdb_iter_next(iter);
  CHECK_EQ(tables(path), auto_refresh ? 1 : 3);
  CHECK_AT(iter, "b", "1");
  rocksdb_iter_next(iter);
  CHECK_AT(iter, "c", "1");
  rocksdb_iter_prev(iter);
  CHECK_AT(iter, "b", "1");
  rocksdb_iter_next(iter);
  rocksdb_iter_next(iter);
  CHECK(!rocksdb_iter_valid(iter));
  flush(db);
  rocksdb_iter_seek(iter, "bb", 2);
  CHECK_AT(iter, "c", "1");
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(options);
  rocksdb_release_snapshot(db, snapshot);
  rocksdb_close(db);
}

/* What RocksDB 7.8 still has a function for, but refuses. */
static void managed(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_readoptions_set_managed(options, 1);
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  rocksdb_iter_seek_to_first(iter);
  CHECK(!rocksdb_iter_valid(iter));
  rocksdb_iter_get_error(iter, &err);
  CHECK_ERROR(err, "Not implemented: Managed iterator is not supported anymore.");
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  rocksdb_t* db = open_new(in_folder(argv, "db"));
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  put(db, "b", "2");
  put(db, "d", "3");
  put(db, "e", "5");
  flush(db);
  put(db, "d", "4");
  put(db, "f", "6");
  char* err = NULL;
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_delete(db, write, "e", 1, &err);
  CHECK_OK(err);
  rocksdb_writeoptions_destroy(write);

  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  both_ways(iter);
  rocksdb_iter_destroy(iter);
  bounds(db);
  keeps_its_view(db, options);
  several(db, options);
  hostile_calls(db, options);
  follows_writes(db);
  removes_files(in_folder(argv, "removed"), 0);
  removes_files(in_folder(argv, "purged"), 1);
  lets_go(in_folder(argv, "kept"), 0);
  lets_go(in_folder(argv, "let_go"), 1);
  managed(db);

  /* An iterator outlives the database. */
  iter = rocksdb_create_iterator(db, options);
  rocksdb_readoptions_destroy(options);
  rocksdb_close(db);
  rocksdb_iter_seek_to_first(iter);
  CHECK_AT(iter, "a", "1");
  rocksdb_iter_destroy(iter);
  return 0;
}
