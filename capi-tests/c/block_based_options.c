#include "check.h"

int main(void) {
  rocksdb_block_based_table_options_t* options = rocksdb_block_based_options_create();
  CHECK_OPTION(rocksdb_block_based_options, block_size, 4 << 10, 16 << 10);
  CHECK_OPTION(rocksdb_block_based_options, block_size_deviation, 10, 11);
  CHECK_OPTION(rocksdb_block_based_options, block_restart_interval, 16, 17);
  CHECK_OPTION(rocksdb_block_based_options, index_block_restart_interval, 1, 2);
  CHECK_OPTION(rocksdb_block_based_options, use_delta_encoding, 1, 0);
  CHECK_OPTION(rocksdb_block_based_options, format_version, 7, 5);
  CHECK_OPTION(rocksdb_block_based_options, checksum, 4, 1);
  CHECK_OPTION(rocksdb_block_based_options, verify_compression, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, index_type, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, index_shortening, 1, 2);
  CHECK_OPTION(rocksdb_block_based_options, enable_index_compression, 1, 0);
  CHECK_OPTION(rocksdb_block_based_options, data_block_index_type, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, whole_key_filtering, 1, 0);
  CHECK_OPTION(rocksdb_block_based_options, no_block_cache, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, prepopulate_block_cache, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, metadata_block_size, 4096, 512);
  CHECK_OPTION(rocksdb_block_based_options, partition_filters, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, optimize_filters_for_memory, 1, 0);
  CHECK_OPTION(rocksdb_block_based_options, detect_filter_construct_corruption, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, decouple_partitioned_filters, 1, 0);
  CHECK_OPTION(rocksdb_block_based_options, cache_index_and_filter_blocks, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, cache_index_and_filter_blocks_with_high_priority, 1, 0);
  CHECK_OPTION(rocksdb_block_based_options, pin_l0_filter_and_index_blocks_in_cache, 0, 1);
  CHECK_OPTION(rocksdb_block_based_options, pin_top_level_index_and_filter, 1, 0);
  CHECK_OPTION(rocksdb_block_based_options, max_auto_readahead_size, 256 << 10, 1 << 20);
  CHECK_OPTION(rocksdb_block_based_options, initial_auto_readahead_size, 8 << 10, 16 << 10);
  CHECK_OPTION(rocksdb_block_based_options, num_file_reads_for_auto_readahead, 2, 3);
  rocksdb_block_based_options_destroy(options);
  rocksdb_block_based_options_destroy(NULL);
  return 0;
}
