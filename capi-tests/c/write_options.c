#include "check.h"

int main(void) {
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  CHECK_OPTION(rocksdb_writeoptions, sync, 0, 1);
  CHECK_PAIR(options, rocksdb_writeoptions_disable_WAL, rocksdb_writeoptions_get_disable_WAL, 0, 1);
  CHECK_OPTION(rocksdb_writeoptions, ignore_missing_column_families, 0, 1);
  CHECK_OPTION(rocksdb_writeoptions, no_slowdown, 0, 1);
  CHECK_OPTION(rocksdb_writeoptions, low_pri, 0, 1);
  CHECK_OPTION(rocksdb_writeoptions, rate_limiter_priority, 4, 3);
  CHECK_OPTION(rocksdb_writeoptions, memtable_insert_hint_per_batch, 0, 1);
  CHECK_OPTION(rocksdb_writeoptions, protection_bytes_per_key, 0, 8);
  CHECK_OPTION(rocksdb_writeoptions, io_activity, 255, 3);
  rocksdb_writeoptions_destroy(options);
  rocksdb_writeoptions_destroy(NULL);
  return 0;
}
