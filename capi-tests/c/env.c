#include "check.h"

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

int main(void) {
  threads();
  null_is_harmless();
  return 0;
}
