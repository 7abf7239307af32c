#include "check.h"

#include <time.h>
#include <unistd.h>

static void count_steps(void* state) { ++*(int*)state; }

/* Leaves shared files out. */
static unsigned char exclude_shared(void* state, const char* name, size_t len) {
  ++*(int*)state;
  return len > 16 && memcmp(name, "shared_checksum/", 16) == 0;
}

/* Restores a backup, or the newest one if `id` is 0, and opens it. */
static rocksdb_t* restored(char** argv, rocksdb_backup_engine_t* be, uint32_t id) {
  char* err = NULL;
  const char* path = in_folder(argv, "restored");
  rocksdb_restore_options_t* restore = rocksdb_restore_options_create();
  if (id == 0) {
    rocksdb_backup_engine_restore_db_from_latest_backup(be, path, path, restore, &err);
  } else {
    rocksdb_backup_engine_restore_db_from_backup(be, path, path, restore, id, &err);
  }
  CHECK_OK(err);
  rocksdb_restore_options_destroy(restore);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  return db;
}

static void test_plain(char** argv) {
  char* err = NULL;
  rocksdb_t* db = open_new(in_folder(argv, "db"));
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_backup_engine_t* be =
      rocksdb_backup_engine_open(options, in_folder(argv, "backups"), &err);
  CHECK_OK(err);
  put(db, "a", "1");
  rocksdb_backup_engine_create_new_backup(be, db, &err);
  CHECK_OK(err);
  put(db, "a", "2");
  rocksdb_backup_engine_create_new_backup_flush(be, db, 1, &err);
  CHECK_OK(err);
  uint32_t id = 77;
  put(db, "a", "3");
  rocksdb_backup_engine_create_new_backup_with_options(be, db, NULL, &id, &err);
  CHECK_OK(err);
  CHECK_EQ(id, 3);
  rocksdb_backup_engine_create_new_backup_with_metadata(be, db, NULL, "x\0y", 3, &id, &err);
  CHECK_OK(err);
  CHECK_EQ(id, 4);

  const rocksdb_backup_engine_info_t* info = rocksdb_backup_engine_get_backup_info(be);
  CHECK_EQ(rocksdb_backup_engine_info_count(info), 4);
  size_t len = 7;
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(rocksdb_backup_engine_info_backup_id(info, i), i + 1);
    CHECK(rocksdb_backup_engine_info_timestamp(info, i) > 1600000000);
    CHECK(rocksdb_backup_engine_info_size(info, i) > 1000);
    CHECK(rocksdb_backup_engine_info_number_files(info, i) >= 4);
    const char* metadata = rocksdb_backup_engine_info_app_metadata(info, i, &len);
    CHECK(metadata != NULL);
    if (i < 3) {
      CHECK_EQ(len, 0);
    } else {
      CHECK_BYTES(metadata, len, "x\0y");
    }
  }
  CHECK_EQ(rocksdb_backup_engine_info_backup_id(info, 4), 0);
  rocksdb_backup_engine_info_destroy(info);

  const char* values[] = {"3", "1", "2", "3"};
  for (uint32_t i = 0; i < 4; i++) {
    rocksdb_t* copy = restored(argv, be, i);
    CHECK_VALUE(copy, "a", values[i]);
    rocksdb_close(copy);
  }
  rocksdb_backup_engine_verify_backup(be, 4, &err);
  CHECK_OK(err);
  rocksdb_backup_engine_verify_backup(be, 5, &err);
  CHECK_ERROR(err, "NotFound: ");
  rocksdb_backup_engine_purge_old_backups(be, 1, &err);
  CHECK_OK(err);
  rocksdb_backup_engine_verify_backup(be, 1, &err);
  CHECK_ERROR(err, "NotFound: ");
  rocksdb_backup_engine_stop_backup(be);
  rocksdb_backup_engine_create_new_backup(be, db, &err);
  CHECK_ERROR(err, "Result incomplete: Backup stopped");

  CHECK(rocksdb_backup_engine_open(options, NULL, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_backup_engine_open(NULL, "x", &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_backup_engine_create_new_backup(NULL, db, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_backup_engine_create_new_backup(be, NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_backup_engine_close(be);
  rocksdb_backup_engine_close(NULL);
  rocksdb_options_destroy(options);
  rocksdb_close(db);
}

static void test_options(char** argv) {
  char* err = NULL;
  rocksdb_t* db = open_new(in_folder(argv, "second"));
  rocksdb_env_t *memory = rocksdb_create_mem_env(), *env = rocksdb_create_default_env();
  const char* backups = in_folder(argv, "backups in memory");
  rocksdb_backup_engine_options_t* options = rocksdb_backup_engine_options_create(backups);
  rocksdb_backup_engine_options_set_env(options, memory);
  rocksdb_backup_engine_options_set_schema_version(options, 2);
  rocksdb_backup_engine_options_set_callback_trigger_interval_size(options, 100);
  rocksdb_backup_engine_t* be = rocksdb_backup_engine_open_opts(options, env, &err);
  CHECK_OK(err);
  rocksdb_create_backup_options_t* create = rocksdb_create_backup_options_create();
  int steps = 0, asked = 0;
  rocksdb_create_backup_options_set_progress_callback(create, &steps, count_steps);
  rocksdb_create_backup_options_set_flush_before_backup(create, 1);
  put(db, "a", "1");
  rocksdb_backup_engine_create_new_backup_with_options(be, db, create, NULL, &err);
  CHECK_OK(err);
  CHECK(steps > 0);
  rocksdb_t* copy = restored(argv, be, 0);
  CHECK_VALUE(copy, "a", "1");
  rocksdb_close(copy);
  put(db, "b", "2");
  rocksdb_create_backup_options_set_exclude_files_callback(create, &asked, exclude_shared);
  rocksdb_backup_engine_create_new_backup_with_options(be, db, create, NULL, &err);
  CHECK_OK(err);
  CHECK_EQ(asked, 1);
  rocksdb_restore_options_t* restore = rocksdb_restore_options_create();
  const char* path = in_folder(argv, "second");
  rocksdb_backup_engine_restore_db_from_latest_backup(be, path, path, restore, &err);
  CHECK_ERROR(err, "IO error: "); /* it is open */
  rocksdb_close(db);
  rocksdb_backup_engine_restore_db_from_latest_backup(be, path, path, restore, &err);
  CHECK_ERROR(err, "Invalid argument: Excluded file ");
  rocksdb_restore_options_set_mode(restore, 1);
  rocksdb_backup_engine_restore_db_from_latest_backup(be, path, path, restore, &err);
  CHECK_OK(err);
  rocksdb_restore_options_set_mode(restore, 3);
  rocksdb_backup_engine_restore_db_from_latest_backup(be, path, path, restore, &err);
  CHECK_ERROR(err, "Invalid argument: mode");
  db = open_new(path);
  CHECK_VALUE(db, "b", "2");
  rocksdb_close(db);
  rocksdb_restore_options_destroy(restore);
  rocksdb_create_backup_options_destroy(create);
  rocksdb_create_backup_options_destroy(NULL);
  rocksdb_backup_engine_close(be);
  /* All of it was in memory. */
  CHECK(access(in_folder(argv, "backups in memory"), F_OK) != 0);
  rocksdb_backup_engine_options_destroy(options);
  rocksdb_backup_engine_options_destroy(NULL);
  rocksdb_restore_options_destroy(NULL);
  rocksdb_env_destroy(memory);
  rocksdb_env_destroy(env);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 300 kB at 500 kB a second. */
static void test_slow(char** argv) {
  enum { size = 300000, rate = 500000 };
  char* err = NULL;
  rocksdb_t* db = open_new(in_folder(argv, "slow"));
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  char* value = malloc(size);
  CHECK(value != NULL);
  unsigned random = 1;
  for (int i = 0; i < size; i++) {
    random = random * 1664525u + 1013904223u;
    value[i] = (char)(random >> 24);
  }
  rocksdb_put(db, write, "k", 1, value, size, &err);
  CHECK_OK(err);
  free(value);
  rocksdb_writeoptions_destroy(write);

  rocksdb_backup_engine_options_t* options =
      rocksdb_backup_engine_options_create(in_folder(argv, "slow backups"));
  rocksdb_ratelimiter_t* limiter = rocksdb_ratelimiter_create(rate, 10000, 10);
  rocksdb_backup_engine_options_set_backup_rate_limiter(options, limiter);
  rocksdb_backup_engine_options_set_restore_rate_limiter(options, limiter);
  rocksdb_backup_engine_options_set_backup_rate_limiter(options, NULL);
  rocksdb_backup_engine_options_set_restore_rate_limiter(options, NULL);
  rocksdb_ratelimiter_destroy(limiter);
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_backup_engine_t* be = rocksdb_backup_engine_open_opts(options, env, &err);
  CHECK_OK(err);
  rocksdb_backup_engine_options_destroy(options);
  rocksdb_create_backup_options_t* create = rocksdb_create_backup_options_create();
  double start = seconds();
  rocksdb_backup_engine_create_new_backup_with_options(be, db, create, NULL, &err);
  CHECK_OK(err);
  CHECK(seconds() - start > 0.4);
  rocksdb_close(db);
  start = seconds();
  db = restored(argv, be, 0);
  CHECK(seconds() - start > 0.4);
  rocksdb_close(db);
  rocksdb_create_backup_options_destroy(create);
  rocksdb_backup_engine_close(be);
  rocksdb_env_destroy(env);
}

int main(int argc, char** argv) {
  (void)argc;
  test_plain(argv);
  test_options(argv);
  test_slow(argv);
  return 0;
}
