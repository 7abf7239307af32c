#include "check.h"

int main(void) {
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  CHECK_OPTION(rocksdb_readoptions, verify_checksums, 1, 0);
  CHECK_OPTION(rocksdb_readoptions, fill_cache, 1, 0);
  CHECK_OPTION(rocksdb_readoptions, read_tier, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, readahead_size, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, ignore_range_deletions, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, total_order_seek, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, async_io, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, tailing, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, pin_data, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, deadline, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, value_size_soft_limit, UINT64_MAX, 1);
  CHECK_OPTION(rocksdb_readoptions, max_skippable_internal_keys, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, auto_prefix_mode, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, prefix_same_as_start, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, background_purge_on_iterator_cleanup, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, rate_limiter_priority, 4, 2);
  CHECK_OPTION(rocksdb_readoptions, io_activity, 255, 3);
  rocksdb_readoptions_destroy(options);
  rocksdb_readoptions_destroy(NULL);
  return 0;
}
