#include "check.h"

static void destroyed(void* state) { *(int*)state += 1; }

/* What comes before the first '/'. */
static char* transform(void* state, const char* key, size_t length, size_t* dst_length) {
  (void)state;
  const char* slash = memchr(key, '/', length);
  *dst_length = (size_t)(slash - key) + 1;
  return (char*)key;
}

static unsigned char in_domain(void* state, const char* key, size_t length) {
  (void)state;
  return memchr(key, '/', length) != NULL;
}

static const char* name(void* state) {
  (void)state;
  return "capi-tests.BeforeSlash";
}

/* Opens a new database whose tables have filters of prefixes alone. */
static rocksdb_t* open_with(rocksdb_slicetransform_t* prefix, const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_prefix_extractor(options, prefix);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom(20));
  rocksdb_block_based_options_set_whole_key_filtering(table, 0);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  return db;
}

/* Checks where a seek to `target` ends; no `expected` is nowhere. */
static void check_seek(rocksdb_t* db, rocksdb_readoptions_t* read, const char* target,
                       const char* expected) {
  char* err = NULL;
  size_t len = 0;
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, read);
  rocksdb_iter_seek(iter, target, strlen(target));
  rocksdb_iter_get_error(iter, &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_iter_valid(iter), expected != NULL);
  if (expected != NULL) {
    const char* key = rocksdb_iter_key(iter, &len);
    CHECK(len == strlen(expected) && memcmp(key, expected, len) == 0);
  }
  rocksdb_iter_destroy(iter);
}

static void seeks_by_prefix(const char* path) {
  rocksdb_t* db = open_with(rocksdb_slicetransform_create_fixed_prefix(3), path);
  put(db, "aaa1", "1");
  put(db, "aab1", "2");
  put(db, "ccc1", "3");
  flush(db);
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  check_seek(db, read, "aaa", "aaa1");
  check_seek(db, read, "bbb", NULL);
  check_seek(db, read, "bb", "ccc1");
  rocksdb_readoptions_set_total_order_seek(read, 1);
  check_seek(db, read, "bbb", "ccc1");
  rocksdb_readoptions_set_total_order_seek(read, 0);
  rocksdb_readoptions_set_auto_prefix_mode(read, 1);
  check_seek(db, read, "bbb", "ccc1");
  rocksdb_readoptions_set_auto_prefix_mode(read, 0);

  rocksdb_readoptions_set_prefix_same_as_start(read, 1);
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, read);
  rocksdb_iter_seek(iter, "aaa", 3);
  CHECK_EQ(rocksdb_iter_valid(iter), 1);
  rocksdb_iter_next(iter);
  CHECK_EQ(rocksdb_iter_valid(iter), 0);
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(read);
  CHECK_VALUE(db, "ccc1", "3");
  CHECK_VALUE(db, "ccd1", NULL);
  rocksdb_close(db);
}

static void whole_keys_as_prefixes(const char* path) {
  rocksdb_t* db = open_with(rocksdb_slicetransform_create_noop(), path);
  put(db, "a", "1");
  put(db, "c", "3");
  flush(db);
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  check_seek(db, read, "a", "a");
  check_seek(db, read, "b", NULL);
  rocksdb_readoptions_destroy(read);
  CHECK_VALUE(db, "c", "3");
  rocksdb_close(db);
}

static void the_callers_own(const char* path) {
  int count = 0;
  rocksdb_slicetransform_t* prefix =
      rocksdb_slicetransform_create(&count, destroyed, transform, in_domain, name);
  rocksdb_t* db = open_with(prefix, path);
  put(db, "a/1", "1");
  put(db, "none", "2");
  put(db, "z/1", "3");
  flush(db);
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  check_seek(db, read, "a/", "a/1");
  check_seek(db, read, "b/", NULL);
  check_seek(db, read, "b", "none");
  rocksdb_readoptions_destroy(read);
  CHECK_VALUE(db, "none", "2");
  CHECK_EQ(count, 0);
  rocksdb_close(db);
  CHECK_EQ(count, 1);
}

int main(int argc, char** argv) {
  (void)argc;
  seeks_by_prefix(in_folder(argv, "db"));
  the_callers_own(in_folder(argv, "own"));
  whole_keys_as_prefixes(in_folder(argv, "noop"));

  int count = 0;
  rocksdb_slicetransform_t* unused =
      rocksdb_slicetransform_create(&count, destroyed, transform, in_domain, name);
  rocksdb_slicetransform_destroy(unused);
  CHECK_EQ(count, 1);
  rocksdb_slicetransform_destroy(NULL);
  return 0;
}
