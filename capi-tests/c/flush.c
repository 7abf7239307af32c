#include "check.h"

#include <dirent.h>
#include <sys/stat.h>

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

/* The bytes of all logs in the folder. */
static long log_bytes(const char* path) {
  long bytes = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strstr(entry->d_name, ".log") != NULL) {
      char name[1400];
      struct stat info;
      snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
      CHECK_EQ(stat(name, &info), 0);
      bytes += info.st_size;
    }
  }
  closedir(dir);
  return bytes;
}

static void held_back(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_manual_wal_flush(options, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  put(db, "a", "1");
  CHECK_EQ(log_bytes(path), 0);
  rocksdb_flush_wal(db, 0, &err);
  CHECK_OK(err);
  long first = log_bytes(path);
  CHECK(first > 0);
  put(db, "b", "2");
  CHECK_EQ(log_bytes(path), first);
  rocksdb_flush_wal_with_options(db, NULL, &err);
  CHECK_OK(err);
  CHECK_EQ(log_bytes(path), 2 * first);
  rocksdb_flushwaloptions_t* flush = rocksdb_flushwaloptions_create();
  rocksdb_flushwaloptions_set_sync(flush, 1);
  put(db, "c", "3");
  rocksdb_flush_wal_with_options(db, flush, &err);
  CHECK_OK(err);
  CHECK_EQ(log_bytes(path), 3 * first);
  rocksdb_flushwaloptions_set_rate_limiter_priority(flush, 17);
  rocksdb_flush_wal_with_options(db, flush, &err);
  CHECK_ERROR(err, "Invalid argument: rate_limiter_priority: ");
  rocksdb_flush_wal_with_options(NULL, NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_flushwaloptions_destroy(flush);

  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_rate_limiter_priority(write, 3);
  rocksdb_put(db, write, "d", 1, "4", 1, &err);
  CHECK_ERROR(err, "Invalid argument: WriteOptions::rate_limiter_priority currently only");
  rocksdb_writeoptions_destroy(write);
  put(db, "d", "4");
  rocksdb_close(db);
  CHECK_EQ(log_bytes(path), 4 * first);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  held_back(in_folder(argv, "held"));
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
