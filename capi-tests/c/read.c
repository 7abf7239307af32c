#include "check.h"

/* Checks what a call returned, whose length it stored in `len`. */
#define CHECK_CALL(call, len, expected) \
  do {                                  \
    const char* data_ = call;           \
    CHECK_BYTES(data_, len, expected);  \
  } while (0)

static void pinned(rocksdb_t* db, rocksdb_readoptions_t* options,
                   rocksdb_column_family_handle_t* family) {
  char* err = NULL;
  size_t len = 99;
  rocksdb_pinnableslice_t* slice = rocksdb_get_pinned(db, options, "iron", 4, &err);
  CHECK_CALL(rocksdb_pinnableslice_value(slice, &len), len, "rock");
  rocksdb_pinnableslice_destroy(slice);
  slice = rocksdb_get_pinned_cf(db, options, family, "iron", 4, &err);
  CHECK_CALL(rocksdb_pinnableslice_value(slice, &len), len, "rock");
  rocksdb_pinnableslice_destroy(slice);
  CHECK(rocksdb_get_pinned(db, options, "gold", 4, &err) == NULL);
  CHECK(rocksdb_get_pinned_cf(db, options, family, "gold", 4, &err) == NULL);

  rocksdb_pinnable_handle_t* handle = rocksdb_get_pinned_v2(db, options, "iron", 4, &err);
  CHECK_CALL(rocksdb_pinnable_handle_get_value(handle, &len), len, "rock");
  rocksdb_pinnable_handle_destroy(handle);
  handle = rocksdb_get_pinned_cf_v2(db, options, family, "empty", 5, &err);
  CHECK(rocksdb_pinnable_handle_get_value(handle, &len) != NULL);
  CHECK_EQ(len, 0);
  rocksdb_pinnable_handle_destroy(handle);
  CHECK(rocksdb_get_pinned_v2(db, options, "gold", 4, &err) == NULL);
  CHECK_OK(err);
}

static void into_a_buffer(rocksdb_t* db, rocksdb_readoptions_t* options,
                          rocksdb_column_family_handle_t* family) {
  char* err = NULL;
  char buffer[5] = "....";
  size_t len = 99;
  unsigned char found = 9;
  CHECK_EQ(rocksdb_get_into_buffer(db, options, "iron", 4, buffer, 4, &len, &found, &err), 1);
  CHECK_BYTES(buffer, 4, "rock");
  CHECK(len == 4 && found == 1);
  memcpy(buffer, "....", 5);
  CHECK_EQ(rocksdb_get_into_buffer(db, options, "iron", 4, buffer, 3, &len, &found, &err), 0);
  CHECK_BYTES(buffer, 4, "....");
  CHECK(len == 4 && found == 1);
  CHECK_EQ(rocksdb_get_into_buffer_cf(db, options, family, "gold", 4, buffer, 4, &len, &found, &err),
           0);
  CHECK(len == 0 && found == 0);
  CHECK_EQ(rocksdb_get_into_buffer_cf(db, options, family, "iron", 4, buffer, 5, &len, &found, &err),
           1);
  CHECK_BYTES(buffer, 5, "rock\0");
  CHECK_OK(err);
}

static void several(rocksdb_t* db, rocksdb_readoptions_t* options,
                    rocksdb_column_family_handle_t* family) {
  const char* keys[] = {"iron", "gold", "empty"};
  const size_t sizes[] = {4, 4, 5};
  const rocksdb_column_family_handle_t* families[] = {family, family, family};
  for (int by_family = 0; by_family < 2; by_family++) {
    char* values[3];
    size_t lens[3];
    char* errs[3];
    if (by_family) {
      rocksdb_multi_get_cf(db, options, families, 3, keys, sizes, values, lens, errs);
    } else {
      rocksdb_multi_get(db, options, 3, keys, sizes, values, lens, errs);
    }
    CHECK_BYTES(values[0], lens[0], "rock");
    CHECK(values[1] == NULL && lens[1] == 0);
    CHECK(values[2] != NULL && lens[2] == 0);
    for (int i = 0; i < 3; i++) {
      CHECK_OK(errs[i]);
      rocksdb_free(values[i]);
    }
  }

  const rocksdb_slice_t slices[] = {{"iron", 4}, {"gold", 4}, {"empty", 5}};
  for (int by_slice = 0; by_slice < 2; by_slice++) {
    rocksdb_pinnableslice_t* values[3];
    char* errs[3];
    size_t len = 99;
    if (by_slice) {
      rocksdb_batched_multi_get_cf_slice(db, options, family, 3, slices, values, errs, false);
    } else {
      rocksdb_batched_multi_get_cf(db, options, family, 3, keys, sizes, values, errs, false);
    }
    CHECK_CALL(rocksdb_pinnableslice_value(values[0], &len), len, "rock");
    CHECK(values[1] == NULL);
    CHECK(rocksdb_pinnableslice_value(values[2], &len) != NULL);
    CHECK_EQ(len, 0);
    for (int i = 0; i < 3; i++) {
      CHECK_OK(errs[i]);
      rocksdb_pinnableslice_destroy(values[i]);
    }
  }

  /* An error is every key's. */
  char* values[3];
  size_t lens[3];
  char* errs[3];
  rocksdb_multi_get(NULL, options, 3, keys, sizes, values, lens, errs);
  for (int i = 0; i < 3; i++) {
    CHECK(values[i] == NULL);
    CHECK_ERROR(errs[i], "Invalid argument: ");
  }
}

static int same(const char* data, size_t len, const char* expected) {
  return data != NULL && len == strlen(expected) && memcmp(data, expected, len) == 0;
}

/* What the batch says about key `index`; `expected` is its value or the beginning of its error. */
static void check_result(const rocksdb_pinnable_multi_get_t* batch, size_t index, int state,
                         const char* expected) {
  const char* value = "unset";
  const char* error = "unset";
  size_t value_size = 99;
  size_t error_size = 99;
  CHECK_EQ(rocksdb_pinnable_multi_get_result(batch, index, &value, &value_size, &error, &error_size),
           state);
  if (state == rocksdb_pinnable_multi_get_found) {
    CHECK(same(value, value_size, expected));
  } else {
    CHECK(value == NULL && value_size == 0);
  }
  if (state == rocksdb_pinnable_multi_get_error) {
    CHECK(error != NULL && strncmp(error, expected, strlen(expected)) == 0);
    CHECK_EQ(error_size, strlen(error));
  } else {
    CHECK(error == NULL && error_size == 0);
  }
}

static void one_owner(rocksdb_t* db, rocksdb_readoptions_t* options,
                      rocksdb_column_family_handle_t* family) {
  const rocksdb_slice_t keys[] = {{"iron", 4}, {"gold", 4}, {"empty", 5}, {"iron", 4}, {NULL, 3}};
  rocksdb_pinnable_multi_get_t* batch =
      rocksdb_batched_multi_get_pinned_cf(db, options, family, 5, keys, 0);
  CHECK_EQ(rocksdb_pinnable_multi_get_count(batch), 5);
  check_result(batch, 0, rocksdb_pinnable_multi_get_found, "rock");
  check_result(batch, 1, rocksdb_pinnable_multi_get_not_found, NULL);
  check_result(batch, 2, rocksdb_pinnable_multi_get_found, "");
  check_result(batch, 3, rocksdb_pinnable_multi_get_found, "rock");
  check_result(batch, 4, rocksdb_pinnable_multi_get_error, "Invalid argument: ");
  check_result(batch, 5, rocksdb_pinnable_multi_get_out_of_bounds, NULL);
  CHECK_EQ(rocksdb_pinnable_multi_get_result(batch, 0, NULL, NULL, NULL, NULL),
           rocksdb_pinnable_multi_get_found);
  rocksdb_pinnable_multi_get_destroy(batch);

  /* In order, and what only looks so. */
  const rocksdb_slice_t sorted[] = {{"empty", 5}, {"gold", 4}, {"iron", 4}};
  const rocksdb_slice_t unsorted[] = {{"iron", 4}, {"gold", 4}, {"empty", 5}};
  for (int i = 0; i < 2; i++) {
    batch = rocksdb_batched_multi_get_pinned_cf(db, options, family, 3, i ? unsorted : sorted, 1);
    check_result(batch, i ? 0 : 2, rocksdb_pinnable_multi_get_found, "rock");
    check_result(batch, i ? 2 : 0, rocksdb_pinnable_multi_get_found, "");
    check_result(batch, 1, rocksdb_pinnable_multi_get_not_found, NULL);
    rocksdb_pinnable_multi_get_destroy(batch);
  }

  batch = rocksdb_batched_multi_get_pinned_cf(db, options, family, 0, NULL, 0);
  CHECK(batch != NULL);
  CHECK_EQ(rocksdb_pinnable_multi_get_count(batch), 0);
  check_result(batch, 0, rocksdb_pinnable_multi_get_out_of_bounds, NULL);
  rocksdb_pinnable_multi_get_destroy(batch);
  batch = rocksdb_batched_multi_get_pinned_cf(db, options, NULL, 1, keys, 0);
  check_result(batch, 0, rocksdb_pinnable_multi_get_error, "Invalid argument: ");
  rocksdb_pinnable_multi_get_destroy(batch);
}

/* More keys than are looked up at once, in every way, against what lone reads say. */
static void many(rocksdb_t* db, rocksdb_readoptions_t* options,
                 rocksdb_column_family_handle_t* family) {
  enum { COUNT = 100 };
  char texts[COUNT][8];
  const char* keys[COUNT];
  size_t sizes[COUNT];
  rocksdb_slice_t slices[COUNT];
  for (int i = 0; i < COUNT; i++) {
    /* Every second one exists. */
    snprintf(texts[i], sizeof(texts[i]), "k%03d", (i * 37) % COUNT);
    keys[i] = slices[i].data = texts[i];
    sizes[i] = slices[i].size = 4;
    if (texts[i][3] % 2 == 0) {
      put(db, texts[i], texts[i]);
    }
  }
  char* values[COUNT];
  size_t lens[COUNT];
  char* errs[COUNT];
  rocksdb_multi_get(db, options, COUNT, keys, sizes, values, lens, errs);
  rocksdb_pinnableslice_t* pinned_values[COUNT];
  char* pinned_errs[COUNT];
  rocksdb_batched_multi_get_cf(db, options, family, COUNT, keys, sizes, pinned_values, pinned_errs,
                               false);
  rocksdb_pinnable_multi_get_t* batch =
      rocksdb_batched_multi_get_pinned_cf(db, options, family, COUNT, slices, 0);
  for (int i = 0; i < COUNT; i++) {
    int exists = texts[i][3] % 2 == 0;
    CHECK_OK(errs[i]);
    CHECK_OK(pinned_errs[i]);
    if (exists) {
      CHECK(same(values[i], lens[i], texts[i]));
      size_t len = 0;
      const char* data = rocksdb_pinnableslice_value(pinned_values[i], &len);
      CHECK(same(data, len, texts[i]));
    } else {
      CHECK(values[i] == NULL && pinned_values[i] == NULL);
    }
    check_result(batch, (size_t)i,
                 exists ? rocksdb_pinnable_multi_get_found : rocksdb_pinnable_multi_get_not_found,
                 texts[i]);
    rocksdb_free(values[i]);
    rocksdb_pinnableslice_destroy(pinned_values[i]);
  }
  rocksdb_pinnable_multi_get_destroy(batch);

  /* A limit on the bytes of values ends the batch: the first five in order are what exceeds it. */
  rocksdb_readoptions_set_value_size_soft_limit(options, 17);
  batch = rocksdb_batched_multi_get_pinned_cf(db, options, family, COUNT, slices, 0);
  rocksdb_readoptions_set_value_size_soft_limit(options, UINT64_MAX);
  for (int i = 0; i < COUNT; i++) {
    if (strcmp(texts[i], "k008") > 0) {
      check_result(batch, (size_t)i, rocksdb_pinnable_multi_get_error, "Operation aborted: ");
    } else if (texts[i][3] % 2 == 0) {
      check_result(batch, (size_t)i, rocksdb_pinnable_multi_get_found, texts[i]);
    }
  }
  rocksdb_pinnable_multi_get_destroy(batch);
}

static void may_exist(rocksdb_t* db, rocksdb_readoptions_t* options,
                      rocksdb_column_family_handle_t* family) {
  char* value = NULL;
  size_t len = 0;
  unsigned char found = 9;
  CHECK_EQ(rocksdb_key_may_exist(db, options, "gold", 4, &value, &len, NULL, 0, &found), 0);
  CHECK_EQ(found, 0);
  CHECK_EQ(rocksdb_key_may_exist(db, options, "iron", 4, &value, &len, NULL, 0, &found), 1);
  CHECK_EQ(found, 1);
  CHECK_BYTES(value, len, "rock");
  rocksdb_free(value);
  CHECK_EQ(rocksdb_key_may_exist_cf(db, options, family, "iron", 4, NULL, NULL, NULL, 0, NULL), 1);
  CHECK_EQ(rocksdb_key_may_exist_cf(db, options, family, "gold", 4, NULL, NULL, NULL, 0, NULL), 0);
}

static void hostile_calls(rocksdb_t* db, rocksdb_readoptions_t* options) {
  char* err = NULL;
  size_t len = 9;
  CHECK(rocksdb_get(NULL, options, "a", 1, &len, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK_EQ(len, 0);
  CHECK(rocksdb_get(db, NULL, "a", 1, &len, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_get_cf(db, options, NULL, "a", 1, &len, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_get(db, options, NULL, 1, &len, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  char* value = rocksdb_get(db, options, "iron", 4, NULL, NULL);
  CHECK(value != NULL);
  rocksdb_free(value);
  len = 9;
  CHECK(rocksdb_pinnableslice_value(NULL, &len) == NULL);
  CHECK_EQ(len, 0);
  CHECK(rocksdb_pinnable_handle_get_value(NULL, NULL) == NULL);
  rocksdb_pinnableslice_destroy(NULL);
  rocksdb_pinnable_handle_destroy(NULL);
  CHECK_EQ(rocksdb_pinnable_multi_get_count(NULL), 0);
  CHECK_EQ(rocksdb_pinnable_multi_get_result(NULL, 0, NULL, NULL, NULL, NULL), 0);
  rocksdb_pinnable_multi_get_destroy(NULL);
  CHECK_EQ(rocksdb_key_may_exist(NULL, options, "a", 1, NULL, NULL, NULL, 0, NULL), 0);
}

int main(int argc, char** argv) {
  (void)argc;
  rocksdb_t* db = open_new(in_folder(argv, "db"));
  put(db, "iron", "rock");
  put(db, "empty", "");
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);

  /* From memory, then from a file. */
  for (int flushed = 0; flushed < 2; flushed++) {
    CHECK_VALUE(db, "iron", "rock");
    CHECK_VALUE_CF(db, family, "iron", "rock");
    CHECK_VALUE(db, "empty", "");
    CHECK_VALUE(db, "gold", NULL);
    pinned(db, options, family);
    into_a_buffer(db, options, family);
    several(db, options, family);
    one_owner(db, options, family);
    many(db, options, family);
    may_exist(db, options, family);
    hostile_calls(db, options);
    if (!flushed) {
      flush(db);
    }
  }

  /* A pinned value outlives the database. */
  char* err = NULL;
  size_t len = 0;
  rocksdb_pinnableslice_t* slice = rocksdb_get_pinned(db, options, "iron", 4, &err);
  CHECK_OK(err);
  const rocksdb_slice_t key = {"iron", 4};
  rocksdb_pinnable_multi_get_t* batch =
      rocksdb_batched_multi_get_pinned_cf(db, options, family, 1, &key, 1);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
  CHECK_CALL(rocksdb_pinnableslice_value(slice, &len), len, "rock");
  rocksdb_pinnableslice_destroy(slice);
  check_result(batch, 0, rocksdb_pinnable_multi_get_found, "rock");
  rocksdb_pinnable_multi_get_destroy(batch);
  rocksdb_readoptions_destroy(options);
  return 0;
}
