#include "check.h"

static void check_under(rocksdb_t* db, rocksdb_readoptions_t* options, const char* expected) {
  char* err = NULL;
  size_t len = 0;
  char* value = rocksdb_get(db, options, "k", 1, &len, &err);
  CHECK_OK(err);
  CHECK(value != NULL);
  check_bytes(__FILE__, __LINE__, value, len, expected, strlen(expected));
  rocksdb_free(value);
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  rocksdb_iter_seek(iter, "k", 1);
  const char* data = rocksdb_iter_value(iter, &len);
  check_bytes(__FILE__, __LINE__, data, len, expected, strlen(expected));
  rocksdb_iter_destroy(iter);
}

int main(int argc, char** argv) {
  (void)argc;
  rocksdb_t* db = open_new(in_folder(argv, "db"));
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  put(db, "k", "old");
  const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
  CHECK_EQ(rocksdb_snapshot_get_sequence_number(snapshot), 1);
  put(db, "k", "new");
  put(db, "other", "new");

  for (int flushed = 0; flushed < 2; flushed++) {
    rocksdb_readoptions_set_snapshot(options, snapshot);
    check_under(db, options, "old");
    size_t len = 9;
    char* err = NULL;
    CHECK(rocksdb_get(db, options, "other", 5, &len, &err) == NULL);
    CHECK_OK(err);
    rocksdb_readoptions_set_snapshot(options, NULL);
    check_under(db, options, "new");
    flush(db);
  }

  const rocksdb_snapshot_t* later = rocksdb_create_snapshot(db);
  CHECK_EQ(rocksdb_snapshot_get_sequence_number(later), 3);
  rocksdb_release_snapshot(db, snapshot);
  rocksdb_readoptions_set_snapshot(options, later);
  check_under(db, options, "new");
  rocksdb_release_snapshot(db, later);

  CHECK(rocksdb_create_snapshot(NULL) == NULL);
  CHECK_EQ(rocksdb_snapshot_get_sequence_number(NULL), 0);
  rocksdb_release_snapshot(db, NULL);
  rocksdb_readoptions_destroy(options);
  rocksdb_close(db);
  return 0;
}
