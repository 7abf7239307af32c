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
  CHECK_OPTION(rocksdb_readoptions, io_timeout, 0, 7);
  CHECK_OPTION(rocksdb_readoptions, optimize_multiget_for_io, 1, 0);
  CHECK_OPTION(rocksdb_readoptions, adaptive_readahead, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, auto_readahead_size, 1, 0);
  CHECK_OPTION(rocksdb_readoptions, allow_unprepared_value, 0, 1);
  CHECK_OPTION(rocksdb_readoptions, auto_refresh_iterator_with_snapshot, 0, 1);

  CHECK_EQ(rocksdb_readoptions_has_merge_operand_count_threshold(options), 0);
  CHECK_EQ(rocksdb_readoptions_get_merge_operand_count_threshold(options), 0);
  rocksdb_readoptions_set_merge_operand_count_threshold(options, 12);
  CHECK_EQ(rocksdb_readoptions_has_merge_operand_count_threshold(options), 1);
  CHECK_EQ(rocksdb_readoptions_get_merge_operand_count_threshold(options), 12);
  rocksdb_readoptions_clear_merge_operand_count_threshold(options);
  CHECK_EQ(rocksdb_readoptions_has_merge_operand_count_threshold(options), 0);
  CHECK_EQ(rocksdb_readoptions_get_merge_operand_count_threshold(options), 0);

  size_t len = 9;
  CHECK(rocksdb_readoptions_get_request_id(options, &len) == NULL);
  CHECK_EQ(len, 0);
  rocksdb_readoptions_set_request_id(options, "request 1", 9);
  const char* id = rocksdb_readoptions_get_request_id(options, &len);
  CHECK_BYTES(id, len, "request 1");
  CHECK(strcmp(id, "request 1") == 0);
  CHECK(strcmp(rocksdb_readoptions_get_request_id(options, NULL), "request 1") == 0);
  rocksdb_readoptions_set_request_id(options, NULL, 0);
  CHECK(rocksdb_readoptions_get_request_id(options, &len) == NULL);
  rocksdb_readoptions_set_request_id(options, "", 0);
  id = rocksdb_readoptions_get_request_id(options, &len);
  CHECK_BYTES(id, len, "");
  rocksdb_readoptions_clear_request_id(options);
  CHECK(rocksdb_readoptions_get_request_id(options, &len) == NULL);
  rocksdb_readoptions_destroy(options);
  rocksdb_readoptions_destroy(NULL);
  return 0;
}
