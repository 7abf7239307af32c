#include "check.h"

/* The batches up to the end: their first sequence numbers, one behind the other in decimal. */
static void check_rest(rocksdb_wal_iterator_t* iter, const char* expected) {
  char* err = NULL;
  char found[256] = "";
  for (; rocksdb_wal_iter_valid(iter); rocksdb_wal_iter_next(iter)) {
    uint64_t seq = 0;
    rocksdb_writebatch_t* batch = rocksdb_wal_iter_get_batch(iter, &seq);
    CHECK(batch != NULL);
    char text[64];
    snprintf(text, sizeof(text), "%llu:%d ", (unsigned long long)seq, rocksdb_writebatch_count(batch));
    CHECK(strlen(found) + strlen(text) < sizeof(found));
    strcat(found, text);
    rocksdb_writebatch_destroy(batch);
  }
  if (strcmp(found, expected) != 0) {
    fprintf(stderr, "batches are \"%s\", not \"%s\"\n", found, expected);
    exit(1);
  }
  CHECK(rocksdb_wal_iter_get_batch(iter, NULL) == NULL);
  rocksdb_wal_iter_status(iter, &err);
  CHECK_OK(err);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_WAL_ttl_seconds(options, 3600);
  rocksdb_t* db = rocksdb_open(options, in_folder(argv, "db"), &err);
  CHECK_OK(err);
  CHECK(rocksdb_get_updates_since(db, 1, NULL, &err) == NULL);
  CHECK_ERROR(err, "NotFound: ");
  put(db, "a", "1");
  flush(db);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "b", 1, "2", 1);
  rocksdb_writebatch_delete(batch, "a", 1);
  rocksdb_write(db, write, batch, &err);
  CHECK_OK(err);

  rocksdb_wal_readoptions_t* read = rocksdb_wal_readoptions_create();
  CHECK_EQ(rocksdb_wal_readoptions_get_verify_checksums(read), 1);
  rocksdb_wal_readoptions_set_verify_checksums(read, 0);
  CHECK_EQ(rocksdb_wal_readoptions_get_verify_checksums(read), 0);
  rocksdb_wal_iterator_t* iter = rocksdb_get_updates_since(db, 1, read, &err);
  CHECK_OK(err);
  check_rest(iter, "1:1 2:2 ");
  put(db, "c", "3");
  rocksdb_wal_iter_next(iter);
  check_rest(iter, "4:1 ");
  rocksdb_wal_iter_destroy(iter);
  iter = rocksdb_get_updates_since(db, 3, NULL, &err);
  CHECK_OK(err);
  check_rest(iter, "2:2 4:1 ");

  /* Without its log there is nothing to be seen of a write. */
  rocksdb_writeoptions_disable_WAL(write, 1);
  rocksdb_put(db, write, "d", 1, "4", 1, &err);
  CHECK_OK(err);
  rocksdb_wal_iter_next(iter);
  CHECK_EQ(rocksdb_wal_iter_valid(iter), 0);
  rocksdb_wal_iter_status(iter, &err);
  CHECK_ERROR(err, "Corruption: ");

  rocksdb_wal_readoptions_destroy(read);
  rocksdb_wal_readoptions_destroy(NULL);
  rocksdb_writebatch_destroy(batch);
  rocksdb_writeoptions_destroy(write);
  rocksdb_options_destroy(options);
  rocksdb_close(db);
  rocksdb_wal_iter_destroy(iter);
  rocksdb_wal_iter_destroy(NULL);
  CHECK_EQ(rocksdb_wal_iter_valid(NULL), 0);
  rocksdb_wal_iter_next(NULL);
  rocksdb_wal_iter_status(NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  return 0;
}
