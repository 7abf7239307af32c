#include "check.h"

static void sizes(void) {
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
  CHECK_EQ(rocksdb_cache_get_capacity(cache), 1 << 20);
  rocksdb_cache_set_capacity(cache, 3 << 20);
  CHECK_EQ(rocksdb_cache_get_capacity(cache), 3 << 20);
  CHECK_EQ(rocksdb_cache_get_usage(cache), 0);
  CHECK_EQ(rocksdb_cache_get_pinned_usage(cache), 0);
  CHECK_EQ(rocksdb_cache_get_occupancy_count(cache), 0);
  CHECK(rocksdb_cache_get_table_address_count(cache) > 0);
  rocksdb_cache_destroy(cache);
}

static void options(void) {
  rocksdb_lru_cache_options_t* options = rocksdb_lru_cache_options_create();
  rocksdb_lru_cache_options_set_capacity(options, 5 << 20);
  rocksdb_lru_cache_options_set_num_shard_bits(options, 0);
  rocksdb_cache_t* one = rocksdb_cache_create_lru_opts(options);
  rocksdb_lru_cache_options_set_num_shard_bits(options, 4);
  rocksdb_cache_t* many = rocksdb_cache_create_lru_opts(options);
  rocksdb_lru_cache_options_destroy(options);
  CHECK_EQ(rocksdb_cache_get_capacity(one), 5 << 20);
  /* Each shard has a table of its own. */
  size_t table = rocksdb_cache_get_table_address_count(one);
  CHECK_EQ(rocksdb_cache_get_table_address_count(many), 16 * table);
  rocksdb_cache_destroy(one);
  rocksdb_cache_destroy(many);
}

static void null_is_harmless(void) {
  CHECK(rocksdb_cache_create_lru_opts(NULL) == NULL);
  CHECK_EQ(rocksdb_cache_get_capacity(NULL), 0);
  CHECK_EQ(rocksdb_cache_get_usage(NULL), 0);
  rocksdb_cache_set_capacity(NULL, 1);
  rocksdb_lru_cache_options_set_capacity(NULL, 1);
  rocksdb_lru_cache_options_set_num_shard_bits(NULL, 1);
  rocksdb_lru_cache_options_destroy(NULL);
  rocksdb_cache_destroy(NULL);
}

int main(void) {
  sizes();
  options();
  null_is_harmless();
  rocksdb_cache_t* strict = rocksdb_cache_create_lru_with_strict_capacity_limit(4096);
  CHECK_EQ(rocksdb_cache_get_capacity(strict), 4096);
  rocksdb_cache_destroy(strict);
  return 0;
}
