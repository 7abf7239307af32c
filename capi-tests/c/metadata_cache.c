#include "check.h"

typedef rocksdb_block_based_table_options_t table_options;

/* Opens a database in a new folder whose tables have partitioned indexes and filters, or whole
   ones, in `cache`; NULL with `*err` set if that fails. */
static rocksdb_t* open_with(const char* path, int partitioned, void (*adjust)(table_options*),
                            rocksdb_cache_t* cache, char** err) {
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  table_options* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(table, cache);
  rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom(10));
  rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1);
  rocksdb_block_based_options_set_metadata_block_size(table, 256);
  rocksdb_block_based_options_set_partition_filters(table, 1);
  rocksdb_block_based_options_set_index_type(
      table, partitioned ? rocksdb_block_based_table_index_type_two_level_index_search
                         : rocksdb_block_based_table_index_type_binary_search);
  adjust(table);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(options, path, err);
  rocksdb_options_destroy(options);
  return db;
}

/* The bytes of index and filter that stay in the cache while the database is open. */
static size_t pinned(const char* path, int partitioned, void (*adjust)(table_options*)) {
  char* err = NULL;
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(8 << 20);
  rocksdb_t* db = open_with(path, partitioned, adjust, cache, &err);
  CHECK_OK(err);
  for (int i = 0; i < 3000; i++) {
    char key[32];
    snprintf(key, sizeof(key), "key%06d", i);
    put(db, key, "a value that fills some blocks of the table");
  }
  flush(db);
  CHECK_VALUE(db, "key000007", "a value that fills some blocks of the table");
  CHECK_VALUE(db, "key002999", "a value that fills some blocks of the table");
  CHECK_VALUE(db, "key9", NULL);
  size_t usage = rocksdb_cache_get_pinned_usage(cache);
  CHECK(rocksdb_cache_get_usage(cache) > 0);
  rocksdb_close(db);
  rocksdb_cache_destroy(cache);
  return usage;
}

static void nothing(table_options* table) {
  rocksdb_block_based_options_set_pin_top_level_index_and_filter(table, 0);
}

static void the_default(table_options* table) { (void)table; }

static void level_0(table_options* table) {
  rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(table, 1);
}

static void whole(table_options* table) {
  rocksdb_block_based_options_set_unpartitioned_pinning_tier(
      table, rocksdb_block_based_k_all_pinning_tier);
}

static void no_top_level(table_options* table) {
  rocksdb_block_based_options_set_top_level_index_pinning_tier(
      table, rocksdb_block_based_k_none_pinning_tier);
}

static void partitions(table_options* table) {
  rocksdb_block_based_options_set_partition_pinning_tier(
      table, rocksdb_block_based_k_flush_and_similar_pinning_tier);
}

static void no_such_tier(table_options* table) {
  rocksdb_block_based_options_set_partition_pinning_tier(table, 9);
}

int main(int argc, char** argv) {
  (void)argc;
  CHECK_EQ(pinned(in_folder(argv, "a"), 0, nothing), 0);
  CHECK_EQ(pinned(in_folder(argv, "b"), 1, nothing), 0);
  CHECK_EQ(pinned(in_folder(argv, "c"), 0, the_default), 0);
  size_t top_level = pinned(in_folder(argv, "d"), 1, the_default);
  CHECK(top_level > 0);
  CHECK(pinned(in_folder(argv, "e"), 0, level_0) > 0);
  CHECK(pinned(in_folder(argv, "f"), 0, whole) > 0);
  CHECK_EQ(pinned(in_folder(argv, "g"), 1, no_top_level), 0);
  CHECK(pinned(in_folder(argv, "h"), 1, partitions) > top_level);

  char* err = NULL;
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(8 << 20);
  CHECK(open_with(in_folder(argv, "i"), 1, no_such_tier, cache, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_cache_destroy(cache);
  return 0;
}
