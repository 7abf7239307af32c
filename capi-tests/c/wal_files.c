#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

/* The file of a log has the size that is told. */
static void check_size(const char* path, const rocksdb_wal_file_t* log) {
  char name[1400];
  struct stat info;
  snprintf(name, sizeof(name), "%s%s", path, rocksdb_wal_file_path_name(log));
  CHECK_EQ(stat(name, &info), 0);
  CHECK(info.st_size > 0);
  CHECK_EQ(rocksdb_wal_file_size_file_bytes(log), info.st_size);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char* path = in_folder(argv, "db");
  rocksdb_t* db = open_new(path);
  rocksdb_wal_files_t* logs = rocksdb_get_sorted_wal_files(db, &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_wal_files_count(logs), 0);
  CHECK(rocksdb_wal_files_get_wal_file(logs, 0) == NULL);
  rocksdb_wal_files_destroy(logs);
  put(db, "a", "1");
  flush(db);
  put(db, "b", "2");
  put(db, "c", "3");

  rocksdb_wal_file_t* current = rocksdb_get_current_wal_file(db, &err);
  CHECK_OK(err);
  CHECK(current != NULL);
  uint64_t number = rocksdb_wal_file_log_number(current);
  char name[32];
  snprintf(name, sizeof(name), "/%06llu.log", (unsigned long long)number);
  CHECK(strcmp(rocksdb_wal_file_path_name(current), name) == 0);
  CHECK_EQ(rocksdb_wal_file_type(current), rocksdb_wal_file_type_alive_log);
  CHECK_EQ(rocksdb_wal_file_start_sequence(current), 0);
  check_size(path, current);
  rocksdb_wal_file_destroy(current);
  rocksdb_wal_file_destroy(NULL);

  /* What was flushed is in the log before, which goes soon after the flush. */
  logs = rocksdb_get_sorted_wal_files(db, &err);
  for (int i = 0; i < 1000 && err == NULL && rocksdb_wal_files_count(logs) > 1; i++) {
    rocksdb_wal_files_destroy(logs);
    usleep(10 * 1000);
    logs = rocksdb_get_sorted_wal_files(db, &err);
  }
  CHECK_OK(err);
  CHECK_EQ(rocksdb_wal_files_count(logs), 1);
  const rocksdb_wal_file_t* log = rocksdb_wal_files_get_wal_file(logs, 0);
  CHECK_EQ(rocksdb_wal_file_log_number(log), number);
  CHECK_EQ(rocksdb_wal_file_type(log), rocksdb_wal_file_type_alive_log);
  CHECK_EQ(rocksdb_wal_file_start_sequence(log), 2);
  check_size(path, log);
  rocksdb_wal_files_destroy(logs);
  rocksdb_wal_files_destroy(NULL);
  rocksdb_close(db);

  rocksdb_options_t* options = rocksdb_options_create();
  db = rocksdb_open_for_read_only(options, path, 0, &err);
  CHECK_OK(err);
  CHECK(rocksdb_get_current_wal_file(db, &err) == NULL);
  CHECK_ERROR(err, "NotFound: ");
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  CHECK(rocksdb_get_sorted_wal_files(NULL, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  return 0;
}
