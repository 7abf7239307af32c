#include "check.h"

#include <dirent.h>

/* How many table files are in the folder. */
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

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char* path = in_folder(argv, "db");
  rocksdb_t* db = open_new(path);
  rocksdb_options_t* family_options = rocksdb_options_create();
  rocksdb_flushoptions_t* options = rocksdb_flushoptions_create();
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_column_family_handle_t* families[2] = {
      rocksdb_create_column_family(db, family_options, "one", &err),
      rocksdb_create_column_family(db, family_options, "two", &err)};
  CHECK_OK(err);

  rocksdb_flush(db, options, &err);
  CHECK_OK(err);
  CHECK_EQ(tables(path), 0);
  put(db, "a", "1");
  rocksdb_flush(db, options, &err);
  CHECK_OK(err);
  CHECK_EQ(tables(path), 1);
  CHECK_VALUE(db, "a", "1");

  rocksdb_put_cf(db, write, families[0], "b", 1, "2", 1, &err);
  rocksdb_flush(db, options, &err);
  CHECK_EQ(tables(path), 1);
  rocksdb_flush_cf(db, options, families[0], &err);
  CHECK_OK(err);
  CHECK_EQ(tables(path), 2);
  rocksdb_put_cf(db, write, families[0], "c", 1, "3", 1, &err);
  rocksdb_put_cf(db, write, families[1], "d", 1, "4", 1, &err);
  rocksdb_flush_cfs(db, options, families, 2, &err);
  CHECK_OK(err);
  CHECK_EQ(tables(path), 4);
  CHECK_VALUE_CF(db, families[0], "b", "2");
  CHECK_VALUE_CF(db, families[0], "c", "3");
  CHECK_VALUE_CF(db, families[1], "d", "4");

  rocksdb_flush_wal(db, 1, &err);
  CHECK_OK(err);
  rocksdb_flush_wal(NULL, 1, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_flush(NULL, options, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_flush(db, NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_flush_cf(db, options, NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_flush_cfs(db, options, NULL, 2, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_column_family_handle_destroy(families[0]);
  rocksdb_column_family_handle_destroy(families[1]);
  rocksdb_writeoptions_destroy(write);
  rocksdb_flushoptions_destroy(options);
  rocksdb_options_destroy(family_options);
  rocksdb_close(db);
  return 0;
}
