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
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
  CHECK_CALL(rocksdb_pinnableslice_value(slice, &len), len, "rock");
  rocksdb_pinnableslice_destroy(slice);
  rocksdb_readoptions_destroy(options);
  return 0;
}
