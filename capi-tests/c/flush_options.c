#include "check.h"

static void of_the_log(void) {
  rocksdb_flushwaloptions_t* options = rocksdb_flushwaloptions_create();
  CHECK_OPTION(rocksdb_flushwaloptions, sync, 0, 1);
  CHECK_OPTION(rocksdb_flushwaloptions, rate_limiter_priority, 4, 0);
  rocksdb_flushwaloptions_destroy(options);
  rocksdb_flushwaloptions_destroy(NULL);
}

int main(void) {
  rocksdb_flushoptions_t* options = rocksdb_flushoptions_create();
  CHECK_OPTION(rocksdb_flushoptions, wait, 1, 0);
  CHECK_OPTION(rocksdb_flushoptions, allow_write_stall, 0, 1);
  CHECK_OPTION(rocksdb_flushoptions, force_atomic_flush, 0, 1);
  rocksdb_flushoptions_destroy(options);
  rocksdb_flushoptions_destroy(NULL);
  of_the_log();
  return 0;
}
