#include "check.h"

static void one_by_one(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  rocksdb_put(db, options, "a", 1, "1", 1, &err);
  rocksdb_put_cf(db, options, family, "b", 1, "2", 1, &err);
  rocksdb_put(db, options, "c", 1, "", 0, &err);
  rocksdb_put(db, options, "", 0, NULL, 0, &err);
  rocksdb_put(db, options, "d", 1, "4", 1, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "a", "1");
  CHECK_VALUE(db, "b", "2");
  CHECK_VALUE(db, "c", "");
  CHECK_VALUE(db, "", "");
  rocksdb_put(db, options, "a", 1, "new", 3, &err);
  CHECK_VALUE(db, "a", "new");

  rocksdb_delete(db, options, "a", 1, &err);
  rocksdb_delete_cf(db, options, family, "b", 1, &err);
  rocksdb_singledelete(db, options, "c", 1, &err);
  rocksdb_singledelete_cf(db, options, family, "d", 1, &err);
  rocksdb_delete(db, options, "never there", 11, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "a", NULL);
  CHECK_VALUE(db, "b", NULL);
  CHECK_VALUE(db, "c", NULL);
  CHECK_VALUE(db, "d", NULL);
  CHECK_EQ(rocksdb_get_latest_sequence_number(db), 11);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_writeoptions_destroy(options);
}

static void with_sync_and_without_log(const char* path) {
  char* err = NULL;
  rocksdb_t* db = open_new(path);
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_sync(options, 1);
  rocksdb_put(db, options, "synced", 6, "1", 1, &err);
  CHECK_OK(err);
  rocksdb_writeoptions_disable_WAL(options, 1);
  rocksdb_put(db, options, "both", 4, "1", 1, &err);
  CHECK_ERROR(err, "Invalid argument: Sync writes has to enable WAL.");
  rocksdb_writeoptions_set_sync(options, 0);
  rocksdb_put(db, options, "unlogged", 8, "1", 1, &err);
  CHECK_OK(err);
  rocksdb_writeoptions_destroy(options);
  rocksdb_close(db);
  db = open_new(path);
  CHECK_VALUE(db, "synced", "1");
  CHECK_VALUE(db, "both", NULL);
  /* Closing flushed it. */
  CHECK_VALUE(db, "unlogged", "1");
  rocksdb_close(db);
}

static void batches(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  uint64_t before = rocksdb_get_latest_sequence_number(db);
  rocksdb_writebatch_put(batch, "x", 1, "1", 1);
  rocksdb_writebatch_put(batch, "y", 1, "2", 1);
  rocksdb_writebatch_delete(batch, "x", 1);
  rocksdb_write(db, options, batch, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "x", NULL);
  CHECK_VALUE(db, "y", "2");
  CHECK_EQ(rocksdb_get_latest_sequence_number(db), before + 3);

  /* The batch is as it was, and can be written again. */
  CHECK_EQ(rocksdb_writebatch_count(batch), 3);
  rocksdb_write(db, options, batch, &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_get_latest_sequence_number(db), before + 6);
  rocksdb_writebatch_destroy(batch);

  batch = rocksdb_writebatch_create_from("no batch", 8);
  rocksdb_write(db, options, batch, &err);
  CHECK_ERROR(err, "Corruption: ");
  CHECK_EQ(rocksdb_get_latest_sequence_number(db), before + 6);
  rocksdb_writebatch_destroy(batch);
  rocksdb_writeoptions_destroy(options);
}

static void hostile_calls(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_put(NULL, options, "a", 1, "1", 1, &err);
  CHECK_ERROR(err, "Invalid argument: NULL for a rocksdb_t");
  rocksdb_put(db, NULL, "a", 1, "1", 1, &err);
  CHECK_ERROR(err, "Invalid argument: NULL for a rocksdb_writeoptions_t");
  rocksdb_put(db, options, NULL, 3, "1", 1, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_put_cf(db, options, NULL, "a", 1, "1", 1, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_delete(db, options, "a", (size_t)-1, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_write(db, options, NULL, &err);
  CHECK_ERROR(err, "Invalid argument: NULL for a rocksdb_writebatch_t");
  rocksdb_put(NULL, NULL, NULL, 0, NULL, 0, NULL);
  rocksdb_writeoptions_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  rocksdb_t* db = open_new(in_folder(argv, "db"));
  one_by_one(db);
  batches(db);
  hostile_calls(db);
  rocksdb_close(db);
  with_sync_and_without_log(in_folder(argv, "log"));
  return 0;
}
