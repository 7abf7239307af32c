#include "check.h"

#include <dirent.h>

/* How many files are in the folder whose names hold `part`. */
static int files(const char* path, const char* part) {
  int count = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    count += strstr(entry->d_name, part) != NULL;
  }
  closedir(dir);
  return count;
}

/* What the newest OPTIONS file says. */
static void check_stored(const char* path, size_t wal, size_t buffer, size_t other) {
  char* err = NULL;
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_options_t *db, **families;
  char** names;
  size_t count;
  rocksdb_load_latest_options(path, env, false, NULL, &db, &count, &names, &families, &err);
  CHECK_OK(err);
  CHECK_EQ(count, 2);
  CHECK_EQ(rocksdb_options_get_max_total_wal_size(db), wal);
  CHECK_EQ(rocksdb_options_get_write_buffer_size(families[0]), buffer);
  CHECK_EQ(rocksdb_options_get_write_buffer_size(families[1]), other);
  rocksdb_load_latest_options_destroy(db, names, families, count);
  rocksdb_env_destroy(env);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char* path = in_folder(argv, "db");
  rocksdb_t* db = open_new(path);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_column_family_handle_t* other = rocksdb_create_column_family(db, options, "other", &err);
  CHECK_OK(err);
  const char* keys[] = {"write_buffer_size", "max_write_buffer_number"};
  const char* values[] = {"100000", "4"};
  rocksdb_set_options(db, 2, keys, values, &err);
  CHECK_OK(err);
  values[0] = "200000";
  rocksdb_set_options_cf(db, other, 1, keys, values, &err);
  CHECK_OK(err);
  const char* db_keys[] = {"max_total_wal_size"};
  const char* db_values[] = {"300000"};
  rocksdb_set_db_options(db, 1, db_keys, db_values, &err);
  CHECK_OK(err);
  check_stored(path, 300000, 100000, 200000);
  /* The memtable is flushed at its new size. */
  static char value[1001];
  memset(value, 'v', 1000);
  for (int i = 0; i < 200; i++) {
    char key[8];
    snprintf(key, sizeof(key), "%d", i);
    put(db, key, value);
  }
  flush(db);
  CHECK(files(path, ".sst") >= 2);

  const char* fixed[] = {"num_levels"};
  rocksdb_set_options(db, 1, fixed, values, &err);
  CHECK_ERROR(err, "Invalid argument: Option not changeable: num_levels");
  rocksdb_set_options_cf(db, other, 1, fixed, values, &err);
  CHECK_ERROR(err, "Invalid argument: Option not changeable: num_levels");
  rocksdb_set_db_options(db, 1, fixed, values, &err);
  CHECK_ERROR(err, "NotFound: Unrecognized option: num_levels");
  rocksdb_set_options(db, 0, NULL, NULL, &err);
  CHECK_ERROR(err, "Invalid argument: empty input");
  rocksdb_set_options(db, 1, NULL, values, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_set_options(NULL, 1, keys, values, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_set_options_cf(db, NULL, 1, keys, values, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_set_db_options(NULL, 1, db_keys, db_values, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_column_family_handle_destroy(other);
  rocksdb_options_destroy(options);
  rocksdb_close(db);
  return 0;
}
