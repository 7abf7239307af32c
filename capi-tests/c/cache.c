#include <malloc.h>

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

/* Blocks that a database reads go into the cache that its table options name. */
static void used_by_a_database(const char* path) {
  char* err = NULL;
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(8 << 20);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(table, cache);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);

  put(db, "k", "value");
  flush(db);
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  rocksdb_pinnableslice_t* pinned = rocksdb_get_pinned(db, read, "k", 1, &err);
  CHECK_OK(err);
  CHECK(rocksdb_cache_get_occupancy_count(cache) > 0);
  CHECK(rocksdb_cache_get_usage(cache) > 5);
  CHECK(rocksdb_cache_get_pinned_usage(cache) > 5);
  rocksdb_pinnableslice_destroy(pinned);
  CHECK_EQ(rocksdb_cache_get_pinned_usage(cache), 0);
  rocksdb_cache_set_capacity(cache, 0);
  CHECK_EQ(rocksdb_cache_get_usage(cache), 0);
  CHECK_VALUE(db, "k", "value");

  /* The database holds a share of its own. */
  rocksdb_cache_destroy(cache);
  CHECK_VALUE(db, "k", "value");
  rocksdb_readoptions_destroy(read);
  rocksdb_close(db);
}

/* With a strict limit there is no room for a block, so it cannot be read. */
static void strict_limit(const char* path) {
  char* err = NULL;
  rocksdb_cache_t* strict = rocksdb_cache_create_lru_with_strict_capacity_limit(4096);
  CHECK_EQ(rocksdb_cache_get_capacity(strict), 4096);
  rocksdb_cache_set_capacity(strict, 1);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(table, strict);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  size_t len = 0;
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  CHECK(rocksdb_get(db, read, "k", 1, &len, &err) == NULL);
  CHECK(err != NULL);
  rocksdb_free(err);
  rocksdb_readoptions_destroy(read);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  rocksdb_block_based_options_destroy(table);
  rocksdb_cache_destroy(strict);
}

/* How much less memory is in use after a database with a full cache, and that, were given up. */
static long freed(const char* path, int disown) {
  enum { size = 2000, count = 2000 };
  char* err = NULL;
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(64 << 20);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(table, cache);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  char value[size + 1];
  memset(value, 'v', size);
  value[size] = 0;
  for (int i = 0; i < count; i++) {
    char key[16];
    snprintf(key, sizeof(key), "%d", i);
    put(db, key, value);
  }
  flush(db);
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, read);
  for (rocksdb_iter_seek_to_first(iter); rocksdb_iter_valid(iter); rocksdb_iter_next(iter)) {
  }
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(read);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  rocksdb_block_based_options_destroy(table);
  CHECK(rocksdb_cache_get_usage(cache) > (size_t)size * count / 2);
  if (disown) rocksdb_cache_disown_data(cache);
  size_t before = mallinfo2().uordblks;
  rocksdb_cache_destroy(cache);
  return (long)(before - mallinfo2().uordblks);
}

/* What was disowned is not freed. valgrind counts no memory. */
static void disowned(const char* path, const char* again) {
  rocksdb_cache_disown_data(NULL);
  if (mallinfo2().uordblks > 0) {
    CHECK(freed(path, 0) > 1000000);
    CHECK(freed(again, 1) < 100000);
  } else {
    freed(path, 1);
  }
}

int main(int argc, char** argv) {
  (void)argc;
  sizes();
  options();
  null_is_harmless();
  used_by_a_database(in_folder(argv, "db"));
  strict_limit(in_folder(argv, "db"));
  disowned(in_folder(argv, "freed"), in_folder(argv, "disowned"));
  return 0;
}
