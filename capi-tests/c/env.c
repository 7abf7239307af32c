#include "check.h"

#include <unistd.h>

static void threads(void) {
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_env_set_background_threads(env, 3);
  CHECK_EQ(rocksdb_env_get_background_threads(env), 3);
  CHECK_EQ(rocksdb_env_get_low_priority_background_threads(env), 3);
  rocksdb_env_set_low_priority_background_threads(env, 4);
  rocksdb_env_set_high_priority_background_threads(env, 5);
  rocksdb_env_set_bottom_priority_background_threads(env, 6);
  CHECK_EQ(rocksdb_env_get_background_threads(env), 4);
  CHECK_EQ(rocksdb_env_get_high_priority_background_threads(env), 5);
  CHECK_EQ(rocksdb_env_get_bottom_priority_background_threads(env), 6);
  rocksdb_env_set_background_threads(env, -1);
  CHECK_EQ(rocksdb_env_get_background_threads(env), 0);

  /* Every default environment is the same one. */
  rocksdb_env_t* again = rocksdb_create_default_env();
  CHECK_EQ(rocksdb_env_get_high_priority_background_threads(again), 5);
  rocksdb_env_join_all_threads(again);
  rocksdb_env_destroy(again);
  CHECK_EQ(rocksdb_env_get_bottom_priority_background_threads(env), 6);
  rocksdb_env_destroy(env);
}

static void null_is_harmless(void) {
  rocksdb_env_set_background_threads(NULL, 1);
  CHECK_EQ(rocksdb_env_get_background_threads(NULL), 0);
  rocksdb_env_join_all_threads(NULL);
  rocksdb_env_destroy(NULL);
}

/* A database in memory leaves nothing behind, and is there as long as its environment is. */
static void in_memory(const char* path) {
  char* err = NULL;
  rocksdb_env_t* env = rocksdb_create_mem_env();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_env(options, env);
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  put(db, "k", "v");
  flush(db);
  rocksdb_close(db);
  CHECK(access(path, F_OK) != 0);
  rocksdb_env_destroy(env);
  db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "k", "v");
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  threads();
  null_is_harmless();
  in_memory(in_folder(argv, "db"));
  return 0;
}
