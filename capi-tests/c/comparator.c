#include "check.h"

static void destroyed(void* state) { *(int*)state += 1; }

static int compare(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  (void)state;
  size_t shared = alen < blen ? alen : blen;
  int order = memcmp(b, a, shared);
  return order != 0 ? order : (int)blen - (int)alen;
}

static const char* name(void* state) {
  (void)state;
  return "capi-tests.Descending";
}

static const char* another_name(void* state) {
  (void)state;
  return "capi-tests.Another";
}

static void orders_a_database(const char* path) {
  char* err = NULL;
  int count = 0;
  rocksdb_comparator_t* comparator = rocksdb_comparator_create(&count, destroyed, compare, name);
  rocksdb_comparator_t* another = rocksdb_comparator_create(NULL, NULL, compare, another_name);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_comparator(options, comparator);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  put(db, "a", "1");
  put(db, "c", "3");
  flush(db);
  put(db, "b", "2");

  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, read);
  const char* expected = "cba";
  rocksdb_iter_seek_to_first(iter);
  for (int i = 0; i < 3; i++) {
    size_t len = 0;
    const char* key = rocksdb_iter_key(iter, &len);
    CHECK(key != NULL && len == 1 && key[0] == expected[i]);
    rocksdb_iter_next(iter);
  }
  CHECK_EQ(rocksdb_iter_valid(iter), 0);
  CHECK_VALUE(db, "a", "1");
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(read);
  rocksdb_close(db);

  /* The name is checked, and it is not the default. */
  rocksdb_options_set_comparator(options, another);
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_options_destroy(options);
  CHECK_EQ(count, 0);
  rocksdb_comparator_destroy(comparator);
  CHECK_EQ(count, 1);
  rocksdb_comparator_destroy(another);
}

/* Destroyed first, which RocksDB does not survive: what uses it keeps it. */
static void destroyed_too_early(const char* path) {
  char* err = NULL;
  int count = 0;
  rocksdb_comparator_t* comparator = rocksdb_comparator_create(&count, destroyed, compare, name);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_comparator(options, comparator);
  rocksdb_comparator_destroy(comparator);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  put(db, "a", "1");
  CHECK_VALUE(db, "a", "1");
  CHECK_EQ(count, 0);
  rocksdb_close(db);
  CHECK_EQ(count, 1);
}

int main(int argc, char** argv) {
  (void)argc;
  int count = 0;
  rocksdb_comparator_t* comparator = rocksdb_comparator_create(&count, destroyed, compare, name);
  CHECK(comparator != NULL);
  CHECK_EQ(count, 0);
  rocksdb_comparator_destroy(comparator);
  CHECK_EQ(count, 1);

  CHECK(rocksdb_comparator_create(&count, destroyed, NULL, name) == NULL);
  CHECK(rocksdb_comparator_create(&count, destroyed, compare, NULL) == NULL);
  CHECK_EQ(count, 1);
  rocksdb_comparator_destroy(rocksdb_comparator_create(NULL, NULL, compare, name));
  rocksdb_comparator_destroy(NULL);
  orders_a_database(in_folder(argv, "db"));
  destroyed_too_early(in_folder(argv, "early"));
  return 0;
}
