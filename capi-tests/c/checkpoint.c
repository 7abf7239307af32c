#include "check.h"

/* The database that the folder holds. */
static rocksdb_t* open_existing(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  return db;
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char *flushed = in_folder(argv, "flushed"), *logged = in_folder(argv, "logged");
  rocksdb_t* db = open_new(in_folder(argv, "db"));
  rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &err);
  CHECK_OK(err);
  CHECK(checkpoint != NULL);
  put(db, "a", "1");
  rocksdb_checkpoint_create(checkpoint, logged, (uint64_t)-1, &err);
  CHECK_OK(err);
  rocksdb_checkpoint_create(checkpoint, flushed, 0, &err);
  CHECK_OK(err);
  put(db, "b", "2");
  rocksdb_checkpoint_create(checkpoint, flushed, 0, &err);
  CHECK_ERROR(err, "Invalid argument: Directory exists");
  rocksdb_checkpoint_create(checkpoint, in_folder(argv, "none/copy"), 0, &err);
  CHECK_ERROR(err, "IO error: ");
  rocksdb_checkpoint_create(checkpoint, NULL, 0, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_checkpoint_create(NULL, in_folder(argv, "copy"), 0, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_checkpoint_object_create(NULL, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");

  const char* folders[] = {flushed, logged};
  for (int i = 0; i < 2; i++) {
    rocksdb_t* copy = open_existing(folders[i]);
    CHECK_VALUE(copy, "a", "1");
    CHECK_VALUE(copy, "b", NULL);
    put(copy, "a", "3");
    rocksdb_close(copy);
  }
  CHECK_VALUE(db, "a", "1");
  CHECK_VALUE(db, "b", "2");
  rocksdb_checkpoint_object_destroy(checkpoint);
  rocksdb_checkpoint_object_destroy(NULL);
  rocksdb_close(db);
  return 0;
}
