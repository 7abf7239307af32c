#include "check.h"

/* What a filter saw, and which tables it hides. */
typedef struct {
  uint64_t hidden_entries;
  int calls;
  int destroyed;
} filter_state;

static unsigned char hides(void* state, const rocksdb_table_properties_t* properties) {
  filter_state* filter = state;
  filter->calls++;
  return rocksdb_table_properties_num_entries(properties) != filter->hidden_entries;
}

static void destroyed(void* state) { ((filter_state*)state)->destroyed++; }

static int shown(rocksdb_t* db, rocksdb_readoptions_t* options) {
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  int count = 0;
  for (rocksdb_iter_seek_to_first(iter); rocksdb_iter_valid(iter); rocksdb_iter_next(iter)) count++;
  char* err = NULL;
  rocksdb_iter_get_error(iter, &err);
  CHECK_OK(err);
  rocksdb_iter_destroy(iter);
  return count;
}

/* An iterator shows the tables that the filter wants; gets are not filtered. */
static void tables_are_hidden(char** argv) {
  rocksdb_t* db = open_new(in_folder(argv, "hidden"));
  put(db, "a", "1");
  flush(db);
  put(db, "b", "2");
  put(db, "c", "3");
  flush(db);
  filter_state filter = {2, 0, 0};
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  CHECK_EQ(rocksdb_readoptions_has_table_filter(options), 0);
  CHECK_EQ(shown(db, options), 3);
  rocksdb_readoptions_set_table_filter(options, &filter, destroyed, hides);
  CHECK_EQ(rocksdb_readoptions_has_table_filter(options), 1);
  CHECK_EQ(shown(db, options), 1);
  CHECK_EQ(filter.calls, 2);
  CHECK_VALUE(db, "b", "2");
  rocksdb_readoptions_clear_table_filter(options);
  CHECK_EQ(rocksdb_readoptions_has_table_filter(options), 0);
  CHECK_EQ(filter.destroyed, 1);
  CHECK_EQ(shown(db, options), 3);

  /* Without a function there is no filter, but a state to be given back. */
  rocksdb_readoptions_set_table_filter(options, &filter, destroyed, NULL);
  CHECK_EQ(rocksdb_readoptions_has_table_filter(options), 0);
  CHECK_EQ(filter.destroyed, 1);
  rocksdb_readoptions_set_table_filter(options, &filter, destroyed, hides);
  CHECK_EQ(filter.destroyed, 2);
  rocksdb_readoptions_destroy(options);
  CHECK_EQ(filter.destroyed, 3);
  rocksdb_close(db);
}

/* The sum of what numbers said. */
static uint64_t sums[64];

#define NUMBER(i, name) sums[i] += rocksdb_table_properties_##name(properties)
#define TEXT(name, expected)                                                \
  do {                                                                      \
    size_t len_ = 99;                                                       \
    const char* text_ = rocksdb_table_properties_##name(properties, &len_); \
    CHECK_EQ(strlen(text_), len_);                                          \
    CHECK(strstr(text_, expected) != NULL && len_ > 0);                     \
    CHECK(rocksdb_table_properties_##name(properties, NULL) == text_);      \
  } while (0)

static unsigned char look(void* state, const rocksdb_table_properties_t* properties) {
  (void)state;
  NUMBER(0, orig_file_number);
  NUMBER(1, data_size);
  NUMBER(2, index_size);
  NUMBER(3, index_partitions);
  NUMBER(4, top_level_index_size);
  NUMBER(5, index_key_is_user_key);
  NUMBER(6, index_value_is_delta_encoded);
  NUMBER(7, filter_size);
  NUMBER(8, raw_key_size);
  NUMBER(9, raw_value_size);
  NUMBER(10, num_data_blocks);
  NUMBER(11, num_data_blocks_compression_rejected);
  NUMBER(12, num_data_blocks_compression_bypassed);
  NUMBER(13, num_entries);
  NUMBER(14, num_filter_entries);
  NUMBER(15, num_deletions);
  NUMBER(16, num_merge_operands);
  NUMBER(17, num_range_deletions);
  NUMBER(18, format_version);
  NUMBER(19, column_family_id);
  NUMBER(20, creation_time);
  NUMBER(23, file_creation_time);
  NUMBER(24, tail_start_offset);
  NUMBER(25, user_defined_timestamps_persisted);
  NUMBER(26, key_largest_seqno);
  NUMBER(27, key_smallest_seqno);
  NUMBER(28, data_block_restart_interval);
  NUMBER(29, index_block_restart_interval);

  /* What only other tables have. */
  NUMBER(50, uncompressed_data_size);
  NUMBER(51, udi_is_primary_index);
  NUMBER(52, fixed_key_len);
  NUMBER(53, slow_compression_estimated_data_size);
  NUMBER(54, fast_compression_estimated_data_size);
  NUMBER(55, external_sst_file_global_seqno_offset);
  NUMBER(56, oldest_key_time);
  NUMBER(57, newest_key_time);
  NUMBER(58, separate_key_value_in_data_block);
  NUMBER(59, num_uniform_blocks);

  TEXT(db_id, "-");
  TEXT(db_session_id, "");
  TEXT(db_host_id, "");
  TEXT(column_family_name, "second");
  TEXT(filter_policy_name, "loom");
  TEXT(comparator_name, "leveldb.BytewiseComparator");
  TEXT(merge_operator_name, "UInt64Add");
  TEXT(prefix_extractor_name, "rocksdb.FixedPrefix.3");
  TEXT(property_collectors_names, "[]");
  TEXT(compression_name, ";");
  TEXT(compression_options, "window_bits=");
  size_t len = 9;
  CHECK(strcmp(rocksdb_table_properties_seqno_to_time_mapping(properties, &len), "") == 0);
  CHECK_EQ(len, 0);

  CHECK_EQ(rocksdb_table_properties_has_key_largest_seqno(properties), 1);
  CHECK_EQ(rocksdb_table_properties_has_key_smallest_seqno(properties), 1);

  size_t count = rocksdb_table_properties_user_collected_properties_count(properties);
  int found = 0;
  for (size_t i = 0; i < count; i++) {
    size_t key_len = 0, value_len = 0;
    const char* key =
        rocksdb_table_properties_user_collected_properties_key_at(properties, i, &key_len);
    const char* value =
        rocksdb_table_properties_user_collected_properties_value_at(properties, i, &value_len);
    CHECK(key != NULL && value != NULL);
    if (strcmp(key, "rocksdb.block.based.table.whole.key.filtering") == 0) {
      CHECK_EQ(key_len, strlen(key));
      CHECK_BYTES(value, value_len, "1");
      found = 1;
    }
  }
  CHECK(found);
  len = 9;
  CHECK(rocksdb_table_properties_user_collected_properties_key_at(properties, count, &len) == NULL);
  CHECK_EQ(len, 0);
  len = 9;
  CHECK(rocksdb_table_properties_user_collected_properties_value_at(properties, count, &len) == NULL);
  CHECK_EQ(len, 0);

  /* Files do not keep those for people. */
  CHECK_EQ(rocksdb_table_properties_readable_properties_count(properties), 0);
  len = 9;
  CHECK(rocksdb_table_properties_readable_properties_key_at(properties, 0, &len) == NULL);
  CHECK_EQ(len, 0);
  len = 9;
  CHECK(rocksdb_table_properties_readable_properties_value_at(properties, 0, &len) == NULL);
  CHECK_EQ(len, 0);
  return 1;
}

/* A table says what it is made of, with packed blocks or with others. */
static void properties_are_read(const char* path, int packed) {
  memset(sums, 0, sizeof(sums));
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_compression(
      options, packed ? rocksdb_snappy_compression : rocksdb_no_compression);
  rocksdb_options_set_uint64add_merge_operator(options);
  rocksdb_options_set_prefix_extractor(options, rocksdb_slicetransform_create_fixed_prefix(3));
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom(10));
  rocksdb_block_based_options_set_index_type(
      table, rocksdb_block_based_table_index_type_two_level_index_search);
  rocksdb_block_based_options_set_metadata_block_size(table, 256);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_column_family_handle_t* family =
      rocksdb_create_column_family(db, options, "second", &err);
  CHECK_OK(err);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  unsigned seed = 1;
  char value[2000];
  for (int i = 0; i < 200; i++) {
    char key[32];
    snprintf(key, sizeof(key), "key%06d", i);
    for (size_t j = 0; j < sizeof(value); j++) {
      seed = seed * 1103515245 + 12345;
      value[j] = i < 100 ? (char)(seed >> 16) : 'x';
    }
    rocksdb_put_cf(db, write, family, key, strlen(key), value, sizeof(value), &err);
    CHECK_OK(err);
  }
  rocksdb_delete_cf(db, write, family, "key1", 4, &err);
  rocksdb_merge_cf(db, write, family, "key2", 4, "12345678", 8, &err);
  rocksdb_delete_range_cf(db, write, family, "key3", 4, "key4", 4, &err);
  CHECK_OK(err);
  rocksdb_flushoptions_t* flushing = rocksdb_flushoptions_create();
  rocksdb_flush_cf(db, flushing, family, &err);
  CHECK_OK(err);
  rocksdb_flushoptions_destroy(flushing);

  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  rocksdb_readoptions_set_table_filter(read, NULL, NULL, look);
  rocksdb_iterator_t* iter = rocksdb_create_iterator_cf(db, read, family);
  rocksdb_iter_seek_to_first(iter);
  CHECK(rocksdb_iter_valid(iter));
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(read);

  for (int i = 0; i < 11; i++) CHECK(sums[i] > 0);
  CHECK_EQ(sums[11] > 0, packed);
  CHECK_EQ(sums[12], packed ? 0 : sums[10]);
  CHECK_EQ(sums[13], 203);
  CHECK(sums[14] > 0);
  CHECK_EQ(sums[15], 2);
  CHECK_EQ(sums[16], 1);
  CHECK_EQ(sums[17], 1);
  CHECK(sums[8] > 200 * 9 && sums[9] > 200 * sizeof(value));
  CHECK_EQ(sums[19], 1);
  CHECK(sums[20] > 1500000000 && sums[23] > 1500000000);
  CHECK(sums[24] >= sums[1]);
  CHECK_EQ(sums[25], 1);
  CHECK(sums[26] > sums[27] && sums[27] > 0);
  CHECK(sums[18] > 1);
  CHECK_EQ(sums[28], 16);
  CHECK_EQ(sums[29], 1);
  CHECK(sums[57] > 1500000000);
  for (int i = 50; i < 60; i++) CHECK(i == 57 || sums[i] == 0);

  rocksdb_writeoptions_destroy(write);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  tables_are_hidden(argv);
  properties_are_read(in_folder(argv, "packed"), 1);
  properties_are_read(in_folder(argv, "plain"), 0);
  return 0;
}
