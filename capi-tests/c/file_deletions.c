#include "check.h"

#include <dirent.h>

/* How many write-ahead logs are in the folder. */
static int logs(const char* path) {
  int count = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    count += strstr(entry->d_name, ".log") != NULL;
  }
  closedir(dir);
  return count;
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char* path = in_folder(argv, "db");
  rocksdb_t* db = open_new(path);
  rocksdb_disable_file_deletions(db, &err);
  CHECK_OK(err);
  rocksdb_disable_file_deletions(db, &err);
  CHECK_OK(err);
  for (int i = 0; i < 3; i++) {
    /* The files of the flush before are gone when the next one begins, if they go. */
    put(db, "a", "1");
    flush(db);
  }
  CHECK_EQ(logs(path), 4);
  rocksdb_enable_file_deletions(db, &err);
  CHECK_OK(err);
  CHECK_EQ(logs(path), 4);
  rocksdb_enable_file_deletions(db, &err);
  CHECK_OK(err);
  CHECK_EQ(logs(path), 1);
  rocksdb_disable_file_deletions(NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_enable_file_deletions(NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_close(db);

  rocksdb_options_t* options = rocksdb_options_create();
  db = rocksdb_open_for_read_only(options, path, 0, &err);
  CHECK_OK(err);
  rocksdb_disable_file_deletions(db, &err);
  CHECK_ERROR(err, "Not implemented: ");
  rocksdb_enable_file_deletions(db, &err);
  CHECK_ERROR(err, "Not implemented: ");
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  return 0;
}
