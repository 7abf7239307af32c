#include "check.h"

enum { KEYS = 200, VALUE = 1000 };

static void fill(rocksdb_t* db) {
  char key[16], value[VALUE + 1];
  unsigned random = 1;
  for (int i = 0; i < KEYS; i++) {
    /* Not to be compressed. */
    for (int j = 0; j < VALUE; j++) {
      random = random * 1103515245 + 12345;
      value[j] = (char)(1 + (random >> 16) % 255);
    }
    value[VALUE] = 0;
    snprintf(key, sizeof(key), "%04d", i);
    put(db, key, value);
  }
}

static uint64_t number(rocksdb_t* db, const char* name) {
  uint64_t value = 987654321;
  CHECK_EQ(rocksdb_property_int(db, name, &value), 0);
  CHECK(value != 987654321);
  return value;
}

static void properties(rocksdb_t* db, rocksdb_column_family_handle_t* other) {
  CHECK_EQ(number(db, "rocksdb.num-entries-active-mem-table"), KEYS);
  flush(db);
  CHECK_EQ(number(db, "rocksdb.num-entries-active-mem-table"), 0);
  CHECK_EQ(number(db, "rocksdb.estimate-num-keys"), KEYS);
  uint64_t value = 7;
  CHECK_EQ(rocksdb_property_int_cf(db, other, "rocksdb.estimate-num-keys", &value), 0);
  CHECK_EQ(value, 0);
  CHECK_EQ(rocksdb_property_int_cf(db, other, "rocksdb.none", &value), -1);
  CHECK_EQ(rocksdb_property_int(db, "rocksdb.stats", &value), -1);
  CHECK_EQ(rocksdb_property_int(db, "rocksdb.none", &value), -1);
  CHECK_EQ(value, 0);

  char* text = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
  CHECK_BYTES(text, strlen(text), "1");
  rocksdb_free(text);
  text = rocksdb_property_value_cf(db, other, "rocksdb.num-files-at-level0");
  CHECK_BYTES(text, strlen(text), "0");
  rocksdb_free(text);
  text = rocksdb_property_value_cf(db, other, "rocksdb.stats");
  CHECK(strstr(text, "** Compaction Stats [other] **") != NULL);
  CHECK(strstr(text, "** DB Stats **") != NULL);
  rocksdb_free(text);
  CHECK(rocksdb_property_value(db, "rocksdb.none") == NULL);
  CHECK(rocksdb_property_value(db, NULL) == NULL);
}

static void about(uint64_t size, uint64_t expected) {
  CHECK(size > expected * 8 / 10);
  CHECK(size < expected * 12 / 10);
}

static void sizes(rocksdb_t* db, rocksdb_column_family_handle_t* other) {
  char* err = NULL;
  const char* starts[] = {"0000", "0050", "x"};
  const char* limits[] = {"9", "0150", "y"};
  size_t lens[] = {4, 4, 1}, limit_lens[] = {1, 4, 1};
  uint64_t all = KEYS * VALUE, sizes[3] = {9, 9, 9};
  rocksdb_approximate_sizes(db, 3, starts, lens, limits, limit_lens, sizes, &err);
  CHECK_OK(err);
  about(sizes[0], all);
  about(sizes[1], all / 2);
  CHECK_EQ(sizes[2], 0);
  rocksdb_approximate_sizes_cf(db, other, 3, starts, lens, limits, limit_lens, sizes, &err);
  CHECK_OK(err);
  CHECK_EQ(sizes[0], 0);

  /* In the other column family everything is in the memtable. */
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  char value[VALUE];
  memset(value, 'v', sizeof(value));
  rocksdb_put_cf(db, write, other, "0001", 4, value, sizeof(value), &err);
  CHECK_OK(err);
  rocksdb_writeoptions_destroy(write);
  rocksdb_approximate_sizes_cf_with_flags(
      db, other, 1, starts, lens, limits, limit_lens,
      rocksdb_size_approximation_flags_include_memtable, sizes, &err);
  CHECK_OK(err);
  about(sizes[0], VALUE);
  rocksdb_approximate_sizes_cf_with_flags(db, other, 1, starts, lens, limits, limit_lens,
                                          rocksdb_size_approximation_flags_include_files, sizes,
                                          &err);
  CHECK_OK(err);
  CHECK_EQ(sizes[0], 0);
  rocksdb_approximate_sizes_cf_with_flags(db, other, 1, starts, lens, limits, limit_lens,
                                          rocksdb_size_approximation_flags_none, sizes, &err);
  CHECK_ERROR(err, "Invalid argument: Invalid options");

  rocksdb_size_approximation_options_t* options = rocksdb_size_approximation_options_create();
  CHECK_OPTION(rocksdb_size_approximation_options, include_memtables, 0, 1);
  CHECK_OPTION(rocksdb_size_approximation_options, include_files, 1, 0);
  CHECK_OPTION(rocksdb_size_approximation_options, include_blob_files, 0, 1);
  CHECK(rocksdb_size_approximation_options_get_files_size_error_margin(options) == -1);
  rocksdb_size_approximation_options_set_files_size_error_margin(options, 0.5);
  /* The other number comes between, so that the register of results holds it. */
  rocksdb_options_t* others = rocksdb_options_create();
  rocksdb_options_set_max_bytes_for_level_multiplier(others, 10);
  rocksdb_options_destroy(others);
  CHECK(rocksdb_size_approximation_options_get_files_size_error_margin(options) == 0.5);
  sizes[0] = 7;
  rocksdb_approximate_sizes_with_options(db, options, 1, starts, lens, limits, limit_lens, sizes,
                                         &err);
  CHECK_OK(err);
  CHECK_EQ(sizes[0], 0);
  rocksdb_approximate_sizes_cf_with_options(db, other, options, 1, starts, lens, limits,
                                            limit_lens, sizes, &err);
  CHECK_OK(err);
  about(sizes[0], VALUE);
  rocksdb_approximate_sizes_with_options(db, NULL, 1, starts, lens, limits, limit_lens, sizes,
                                         &err);
  CHECK_OK(err);
  about(sizes[0], all);
  rocksdb_size_approximation_options_destroy(options);
  rocksdb_approximate_sizes(db, -1, starts, lens, limits, limit_lens, sizes, &err);
  CHECK_ERROR(err, "Invalid argument: ");
}

static void memory(rocksdb_t* db, rocksdb_cache_t* cache) {
  char* err = NULL;
  char value[VALUE + 1];
  snprintf(value, sizeof(value), "%d", 1);
  put(db, "fresh", value);
  size_t len;
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  free(rocksdb_get(db, read, "0001", 4, &len, &err));
  CHECK_OK(err);
  rocksdb_readoptions_destroy(read);

  rocksdb_memory_consumers_t* consumers = rocksdb_memory_consumers_create();
  rocksdb_memory_usage_t* usage = rocksdb_approximate_memory_usage_create(consumers, &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_approximate_memory_usage_get_mem_table_total(usage), 0);
  CHECK_EQ(rocksdb_approximate_memory_usage_get_cache_total(usage), 0);
  rocksdb_approximate_memory_usage_destroy(usage);

  rocksdb_memory_consumers_add_db(consumers, db);
  rocksdb_memory_consumers_add_cache(consumers, cache);
  rocksdb_memory_consumers_add_cache(consumers, cache);
  usage = rocksdb_approximate_memory_usage_create(consumers, &err);
  CHECK_OK(err);
  uint64_t memtables = rocksdb_approximate_memory_usage_get_mem_table_total(usage);
  CHECK(memtables >= number(db, "rocksdb.size-all-mem-tables"));
  CHECK(memtables > 0);
  CHECK_EQ(rocksdb_approximate_memory_usage_get_mem_table_unflushed(usage), memtables);
  CHECK(rocksdb_approximate_memory_usage_get_mem_table_readers_total(usage) > 0);
  CHECK_EQ(rocksdb_approximate_memory_usage_get_cache_total(usage),
           rocksdb_cache_get_usage(cache));
  CHECK(rocksdb_cache_get_usage(cache) > VALUE);
  rocksdb_approximate_memory_usage_destroy(usage);
  rocksdb_memory_consumers_destroy(consumers);
}

static void null_is_harmless(void) {
  char* err = NULL;
  uint64_t value = 5;
  CHECK(rocksdb_property_value(NULL, "rocksdb.stats") == NULL);
  CHECK(rocksdb_property_value_cf(NULL, NULL, "rocksdb.stats") == NULL);
  CHECK_EQ(rocksdb_property_int(NULL, "rocksdb.num-snapshots", &value), -1);
  CHECK_EQ(rocksdb_property_int_cf(NULL, NULL, "rocksdb.num-snapshots", &value), -1);
  CHECK(rocksdb_approximate_memory_usage_create(NULL, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_approximate_memory_usage_destroy(NULL);
  rocksdb_memory_consumers_destroy(NULL);
  rocksdb_size_approximation_options_destroy(NULL);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(8 << 20);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(table, cache);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(options, in_folder(argv, "db"), &err);
  CHECK_OK(err);
  rocksdb_column_family_handle_t* other =
      rocksdb_create_column_family(db, options, "other", &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);

  fill(db);
  properties(db, other);
  sizes(db, other);
  memory(db, cache);
  null_is_harmless();

  rocksdb_column_family_handle_destroy(other);
  rocksdb_close(db);
  rocksdb_cache_destroy(cache);
  return 0;
}
