#include "check.h"

int main(void) {
  rocksdb_flushoptions_t* options = rocksdb_flushoptions_create();
  CHECK_OPTION(rocksdb_flushoptions, wait, 1, 0);
  CHECK_OPTION(rocksdb_flushoptions, allow_write_stall, 0, 1);
  rocksdb_flushoptions_destroy(options);
  rocksdb_flushoptions_destroy(NULL);
  return 0;
}
