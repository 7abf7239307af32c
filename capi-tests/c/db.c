#include "check.h"

#include <unistd.h>

static void created_only_when_asked(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_close(db);

  rocksdb_options_set_error_if_exists(options, 1);
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_options_destroy(options);
}

static void destroyed_before_it_exists(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_destroy_db(options, path, &err);
  CHECK_OK(err);
  CHECK(access(path, F_OK) != 0);
  rocksdb_options_destroy(options);
}

static void one_at_a_time(const char* path) {
  char* err = NULL;
  rocksdb_t* db = open_new(path);
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "IO error: ");
  CHECK(rocksdb_get_latest_sequence_number(db) == 0);
  put(db, "a", "1");
  put(db, "b", "2");
  CHECK_EQ(rocksdb_get_latest_sequence_number(db), 2);
  rocksdb_close(db);

  /* What was written is there again. */
  db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "a", "1");
  CHECK_VALUE(db, "b", "2");
  CHECK_VALUE(db, "c", NULL);
  CHECK_EQ(rocksdb_get_latest_sequence_number(db), 2);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static void read_only(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  /* The log of a run that wrote holds data. */
  rocksdb_t* writer = open_new(path);
  put(writer, "logged", "1");
  rocksdb_close(writer);
  CHECK(rocksdb_open_for_read_only(options, path, 1, &err) == NULL);
  CHECK_ERROR(err, "Corruption: ");
  rocksdb_t* db = rocksdb_open_for_read_only(options, path, 0, &err);
  CHECK_OK(err);
  rocksdb_t* second = rocksdb_open_for_read_only(options, path, 0, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "a", "1");
  CHECK_VALUE(second, "b", "2");
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_put(db, write, "c", 1, "3", 1, &err);
  CHECK_ERROR(err, "Not implemented: Not supported operation in read only mode.");
  rocksdb_writeoptions_destroy(write);
  rocksdb_close(db);
  rocksdb_close(second);
  rocksdb_options_destroy(options);
}

static void destroyed(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_destroy_db(options, path, &err);
  CHECK_ERROR(err, "IO error: ");
  rocksdb_close(db);
  rocksdb_destroy_db(options, path, &err);
  CHECK_OK(err);
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_destroy_db(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
}

static void hostile_calls(void) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK(rocksdb_open(NULL, "/x", &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: NULL for a rocksdb_options_t");
  CHECK(rocksdb_open(options, NULL, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_open(options, "/no/such/folder", NULL) == NULL);
  CHECK(rocksdb_open_for_read_only(NULL, NULL, 0, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_open_for_read_only(options, "/no/such/folder", 0, &err) == NULL);
  CHECK_ERROR(err, "IO error: No such file or directory");
  rocksdb_destroy_db(NULL, "/x", &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_destroy_db(options, "/dev/null", &err);
  CHECK_ERROR(err, "IO error: while open a file for lock: /dev/null/LOCK: Not a directory");
  CHECK_EQ(rocksdb_get_latest_sequence_number(NULL), 0);
  rocksdb_close(NULL);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  destroyed_before_it_exists(in_folder(argv, "nowhere"));
  created_only_when_asked(in_folder(argv, "missing"));
  one_at_a_time(in_folder(argv, "db"));
  read_only(in_folder(argv, "db"));
  destroyed(in_folder(argv, "db"));
  hostile_calls();
  return 0;
}
