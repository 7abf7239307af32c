#include "check.h"

/* What an operator was asked to do. */
typedef struct {
  int destroyed;
  int full_merges;
  int partial_merges;
  int deleted;
} Calls;

static void destroyed(void* state) { ((Calls*)state)->destroyed++; }

static const char* name(void* state) {
  (void)state;
  return "capi-tests.Join";
}

/* The parts with commas between them, in memory from malloc. */
static char* join(const char* existing, size_t existing_len, const char* const* operands,
                  const size_t* lengths, int count, size_t* len) {
  char* joined = malloc(4096);
  *len = 0;
  if (existing != NULL) {
    memcpy(joined, existing, existing_len);
    *len = existing_len;
  }
  for (int i = 0; i < count; i++) {
    if (i > 0 || existing != NULL) {
      joined[(*len)++] = ',';
    }
    memcpy(joined + *len, operands[i], lengths[i]);
    *len += lengths[i];
  }
  return joined;
}

/* Joins, except for some keys. */
static char* full_merge(void* state, const char* key, size_t key_length, const char* existing,
                        size_t existing_len, const char* const* operands, const size_t* lengths,
                        int count, unsigned char* success, size_t* len) {
  ((Calls*)state)->full_merges++;
  *success = 1;
  if (key_length == 5 && memcmp(key, "empty", 5) == 0) {
    *len = 0;
    return NULL;
  }
  if (key_length == 7 && memcmp(key, "nothing", 7) == 0) {
    *success = 0;
    *len = 77;
    return NULL;
  }
  *success = !(key_length == 7 && memcmp(key, "refused", 7) == 0);
  return join(existing, existing_len, operands, lengths, count, len);
}

static char* partial_merge(void* state, const char* key, size_t key_length,
                           const char* const* operands, const size_t* lengths, int count,
                           unsigned char* success, size_t* len) {
  (void)key;
  (void)key_length;
  ((Calls*)state)->partial_merges++;
  *success = 1;
  return join(NULL, 0, operands, lengths, count, len);
}

static void delete_value(void* state, const char* value, size_t value_length) {
  (void)value_length;
  CHECK(value != NULL);
  ((Calls*)state)->deleted++;
  free((void*)value);
}

static rocksdb_mergeoperator_t* create(Calls* calls) {
  return rocksdb_mergeoperator_create(calls, destroyed, full_merge, partial_merge, delete_value,
                                      name);
}

static void merge(rocksdb_t* db, const char* key, const char* operand) {
  char* err = NULL;
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_merge(db, options, key, strlen(key), operand, strlen(operand), &err);
  CHECK_OK(err);
  rocksdb_writeoptions_destroy(options);
}

static void needs_functions(void) {
  Calls calls = {0};
  CHECK(rocksdb_mergeoperator_create(&calls, destroyed, NULL, partial_merge, NULL, name) == NULL);
  CHECK(rocksdb_mergeoperator_create(&calls, destroyed, full_merge, NULL, NULL, NULL) == NULL);
  CHECK_EQ(calls.destroyed, 0);
}

/* Who destroys it, and when. */
static void ownership(void) {
  Calls calls = {0};
  rocksdb_mergeoperator_t* operator = create(&calls);
  CHECK(operator != NULL);
  CHECK_EQ(calls.destroyed, 0);
  rocksdb_mergeoperator_destroy(operator);
  CHECK_EQ(calls.destroyed, 1);
  rocksdb_mergeoperator_destroy(NULL);

  calls.destroyed = 0;
  rocksdb_options_t* options = rocksdb_options_create();
  operator = create(&calls);
  rocksdb_options_set_merge_operator(options, operator);
  rocksdb_options_t* copy = rocksdb_options_create_copy(options);
  rocksdb_options_destroy(options);
  CHECK_EQ(calls.destroyed, 0);
  rocksdb_options_destroy(copy);
  CHECK_EQ(calls.destroyed, 1);
  /* One more that lives at what might be the same address. */
  Calls others = {0};
  rocksdb_mergeoperator_t* other = create(&others);
  rocksdb_mergeoperator_destroy(operator);
  rocksdb_mergeoperator_destroy(operator);
  CHECK_EQ(calls.destroyed, 1);
  CHECK_EQ(others.destroyed, 0);

  /* Another one, or none, takes its place. */
  options = rocksdb_options_create();
  rocksdb_options_set_merge_operator(options, other);
  rocksdb_options_set_merge_operator(options, NULL);
  CHECK_EQ(others.destroyed, 1);

  /* One that is gone cannot be used. */
  rocksdb_options_set_merge_operator(options, other);
  char* err = NULL;
  rocksdb_options_set_create_if_missing(options, 1);
  CHECK(rocksdb_open(options, "/nowhere", &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: merge_operator: ");
  rocksdb_options_destroy(options);
}

/* The whole content of the database as text, forward or backward. */
static const char* contents(rocksdb_t* db, int forward) {
  static char text[4096];
  size_t at = 0;
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  forward ? rocksdb_iter_seek_to_first(iter) : rocksdb_iter_seek_to_last(iter);
  while (rocksdb_iter_valid(iter)) {
    size_t key_len = 0, len = 0;
    const char* key = rocksdb_iter_key(iter, &key_len);
    const char* value = rocksdb_iter_value(iter, &len);
    at += (size_t)snprintf(text + at, sizeof(text) - at, "%.*s=%.*s ", (int)key_len, key, (int)len,
                           value);
    forward ? rocksdb_iter_next(iter) : rocksdb_iter_prev(iter);
  }
  text[at] = 0;
  char* err = NULL;
  rocksdb_iter_get_error(iter, &err);
  CHECK_OK(err);
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(options);
  return text;
}

static void check_multi_get(rocksdb_t* db) {
  const char* keys[3] = {"a", "absent", "b"};
  size_t sizes[3] = {1, 6, 1}, lens[3];
  char *values[3], *errs[3];
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_multi_get(db, options, 3, keys, sizes, values, lens, errs);
  CHECK_BYTES(values[0], lens[0], "1,2");
  CHECK(values[1] == NULL);
  CHECK_BYTES(values[2], lens[2], "0,1,2,3");
  for (int i = 0; i < 3; i++) {
    CHECK_OK(errs[i]);
    rocksdb_free(values[i]);
  }
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  rocksdb_pinnableslice_t* pinned[3];
  rocksdb_batched_multi_get_cf(db, options, family, 3, keys, sizes, pinned, errs, true);
  const char* value = rocksdb_pinnableslice_value(pinned[2], &lens[2]);
  CHECK_BYTES(value, lens[2], "0,1,2,3");
  CHECK(pinned[1] == NULL);
  for (int i = 0; i < 3; i++) {
    CHECK_OK(errs[i]);
    rocksdb_pinnableslice_destroy(pinned[i]);
  }
  rocksdb_column_family_handle_destroy(family);
  rocksdb_readoptions_destroy(options);
}

static void check_contents(rocksdb_t* db) {
  CHECK_VALUE(db, "a", "1,2");
  CHECK_VALUE(db, "b", "0,1,2,3");
  CHECK_VALUE(db, "empty", "");
  CHECK(strcmp(contents(db, 1), "a=1,2 b=0,1,2,3 empty= ") == 0);
  CHECK(strcmp(contents(db, 0), "empty= b=0,1,2,3 a=1,2 ") == 0);
  check_multi_get(db);
}

static void merges(const char* path) {
  char* err = NULL;
  Calls calls = {0};
  rocksdb_mergeoperator_t* operator = create(&calls);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_merge_operator(options, operator);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  merge(db, "a", "1");
  put(db, "b", "0");
  merge(db, "b", "1");
  merge(db, "b", "2");
  flush(db);
  merge(db, "a", "2");
  merge(db, "b", "3");
  merge(db, "empty", "x");
  check_contents(db);
  flush(db);
  check_contents(db);
  CHECK(calls.full_merges > 0);
  /* All but the value of `empty` were given back. */
  CHECK(calls.deleted > 0 && calls.deleted < calls.full_merges + calls.partial_merges);

  /* It was handed over, so this does nothing, now or later. */
  rocksdb_mergeoperator_destroy(operator);
  check_contents(db);
  CHECK_EQ(calls.destroyed, 0);
  rocksdb_close(db);
  CHECK_EQ(calls.destroyed, 0);
  db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  check_contents(db);
  rocksdb_options_destroy(options);
  CHECK_EQ(calls.destroyed, 0);
  rocksdb_close(db);
  CHECK_EQ(calls.destroyed, 1);
  rocksdb_mergeoperator_destroy(operator);
  CHECK_EQ(calls.destroyed, 1);
}

static void in_a_column_family(const char* path) {
  char* err = NULL;
  rocksdb_t* db = open_new(path);
  Calls calls = {0};
  rocksdb_options_t* options = rocksdb_options_create();
  /* Without functions for what is optional. */
  rocksdb_options_set_merge_operator(
      options, rocksdb_mergeoperator_create(&calls, NULL, full_merge, NULL, NULL, name));
  rocksdb_column_family_handle_t* family = rocksdb_create_column_family(db, options, "joined", &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_merge_cf(db, write, family, "k", 1, "1", 1, &err);
  CHECK_OK(err);
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_merge_cf(batch, family, "k", 1, "2", 1);
  rocksdb_write(db, write, batch, &err);
  CHECK_OK(err);
  CHECK_VALUE_CF(db, family, "k", "1,2");
  CHECK_VALUE(db, "k", NULL);
  CHECK(calls.full_merges > 0);
  CHECK_EQ(calls.deleted, 0);

  /* The default column family has no operator. */
  rocksdb_merge(db, write, "k", 1, "1", 1, &err);
  CHECK_ERROR(err, "Not implemented: Provide a merge_operator when opening DB");
  rocksdb_writebatch_clear(batch);
  rocksdb_writebatch_put(batch, "other", 5, "1", 1);
  rocksdb_writebatch_merge(batch, "k", 1, "1", 1);
  rocksdb_write(db, write, batch, &err);
  CHECK_ERROR(err, "Invalid argument: Merge requires `ColumnFamilyOptions::merge_operator");
  CHECK_VALUE(db, "other", NULL);
  put(db, "other", "2");
  rocksdb_writebatch_destroy(batch);
  rocksdb_writeoptions_destroy(write);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
}

static void failures(const char* path) {
  char* err = NULL;
  Calls calls = {0};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_merge_operator(options, create(&calls));
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  const char* keys[2] = {"refused", "nothing"};
  for (int i = 0; i < 2; i++) {
    size_t len = 0;
    merge(db, keys[i], "1");
    CHECK(rocksdb_get(db, read, keys[i], 7, &len, &err) == NULL);
    CHECK_ERROR(err, "Corruption: Merge operator failed");
    rocksdb_iterator_t* iter = rocksdb_create_iterator(db, read);
    rocksdb_iter_seek(iter, keys[i], 7);
    CHECK_EQ(rocksdb_iter_valid(iter), 0);
    rocksdb_iter_get_error(iter, &err);
    CHECK_ERROR(err, "Corruption: Merge operator failed");
    rocksdb_iter_destroy(iter);
  }
  /* What was made in vain was given back, too. */
  CHECK_EQ(calls.deleted, 2);
  /* The database goes on. */
  merge(db, "a", "1");
  CHECK_VALUE(db, "a", "1");
  put(db, "refused", "1");
  CHECK_VALUE(db, "refused", "1");
  rocksdb_readoptions_destroy(read);
  rocksdb_close(db);
}

static void sums(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_uint64add_merge_operator(options);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  const char one[8] = {1, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 3; i++) {
    rocksdb_merge(db, write, "n", 1, one, 8, &err);
    CHECK_OK(err);
  }
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  size_t len = 0;
  char* value = rocksdb_get(db, read, "n", 1, &len, &err);
  CHECK_OK(err);
  CHECK_BYTES(value, len, "\3\0\0\0\0\0\0\0");
  rocksdb_free(value);
  rocksdb_readoptions_destroy(read);
  rocksdb_writeoptions_destroy(write);
  rocksdb_close(db);
}

/* Operands are merged while they are written, and tables are read for it only where that is said. */
static void successive(const char* path, unsigned char strict) {
  char* err = NULL;
  Calls calls = {0};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_merge_operator(options, create(&calls));
  CHECK_OPTION(rocksdb_options, max_successive_merges, 0, 2);
  CHECK_PAIR(options, rocksdb_options_set_strict_max_successive_merges,
             rocksdb_options_get_strict_max_successive_merges, 0, strict);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_no_block_cache(table, 1);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  merge(db, "a", "1");
  merge(db, "a", "2");
  CHECK_EQ(calls.full_merges, 0);
  merge(db, "a", "3");
  CHECK_EQ(calls.full_merges, 2);
  put(db, "b", "0");
  flush(db);
  calls.full_merges = 0;
  merge(db, "b", "1");
  merge(db, "b", "2");
  merge(db, "b", "3");
  CHECK_EQ(calls.full_merges, strict ? 2 : 0);
  CHECK_VALUE(db, "a", "1,2,3");
  CHECK_VALUE(db, "b", "0,1,2,3");
  rocksdb_close(db);
}

int main(int argc, char** argv) {
  (void)argc;
  needs_functions();
  ownership();
  merges(in_folder(argv, "merges"));
  in_a_column_family(in_folder(argv, "families"));
  failures(in_folder(argv, "failures"));
  sums(in_folder(argv, "sums"));
  successive(in_folder(argv, "successive"), 0);
  successive(in_folder(argv, "strict"), 1);
  return 0;
}
