#include "check.h"

/* What the functions below were called with, as text. */
static char seen[1024];

static void note(const char* what, const char* k, size_t klen, const char* v, size_t vlen) {
  size_t used = strlen(seen);
  snprintf(seen + used, sizeof(seen) - used, "%s(%.*s%s%.*s) ", what, (int)klen, k,
           v == NULL ? "" : ",", (int)vlen, v == NULL ? "" : v);
}

static void on_put(void* state, const char* k, size_t klen, const char* v, size_t vlen) {
  CHECK(state == seen);
  note("put", k, klen, v, vlen);
}
static void on_deleted(void* state, const char* k, size_t klen) {
  CHECK(state == seen);
  note("deleted", k, klen, NULL, 0);
}
static void on_log_data(void* state, const char* blob, size_t len) {
  CHECK(state == seen);
  note("log_data", blob, len, NULL, 0);
}
static void on_put_cf(void* state, uint32_t id, const char* k, size_t klen, const char* v,
                      size_t vlen) {
  CHECK(state == seen);
  note(id == 0 ? "put 0 " : "put 1 ", k, klen, v, vlen);
}
static void on_deleted_cf(void* state, uint32_t id, const char* k, size_t klen) {
  CHECK(state == seen);
  note(id == 0 ? "deleted 0 " : "deleted 1 ", k, klen, NULL, 0);
}
static void on_merge_cf(void* state, uint32_t id, const char* k, size_t klen, const char* v,
                        size_t vlen) {
  CHECK(state == seen);
  note(id == 0 ? "merge 0 " : "merge 1 ", k, klen, v, vlen);
}

static void check_seen(int line, const char* expected) {
  if (strcmp(seen, expected) != 0) {
    fprintf(stderr, "%s:%d: seen \"%s\", not \"%s\"\n", __FILE__, line, seen, expected);
    exit(1);
  }
  seen[0] = 0;
}

static void check_iterate(int line, rocksdb_writebatch_t* batch, const char* expected) {
  rocksdb_writebatch_iterate_cf_ld(batch, seen, on_put_cf, on_deleted_cf, on_merge_cf, on_log_data);
  check_seen(line, expected);
}
#define CHECK_BATCH(batch, expected) check_iterate(__LINE__, batch, expected)

static void single_family(void) {
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  CHECK_EQ(rocksdb_writebatch_count(batch), 0);
  rocksdb_writebatch_put(batch, "a", 1, "1", 1);
  rocksdb_writebatch_put_log_data(batch, "log", 3);
  rocksdb_writebatch_delete(batch, "b", 1);
  rocksdb_writebatch_singledelete(batch, "c", 1);
  rocksdb_writebatch_merge(batch, "d", 1, "4", 1);
  CHECK_EQ(rocksdb_writebatch_count(batch), 4);
  rocksdb_writebatch_iterate(batch, seen, on_put, on_deleted);
  check_seen(__LINE__, "put(a,1) deleted(b) ");
  rocksdb_writebatch_iterate_ld(batch, seen, on_put, on_deleted, on_log_data);
  check_seen(__LINE__, "put(a,1) log_data(log) deleted(b) ");
  rocksdb_writebatch_iterate_cf(batch, seen, on_put_cf, on_deleted_cf, on_merge_cf);
  check_seen(__LINE__, "put 0 (a,1) deleted 0 (b) merge 0 (d,4) ");
  rocksdb_writebatch_iterate(batch, seen, NULL, on_deleted);
  check_seen(__LINE__, "deleted(b) ");

  /* A range ends it. */
  rocksdb_writebatch_delete_range(batch, "e", 1, "f", 1);
  rocksdb_writebatch_put(batch, "g", 1, "7", 1);
  CHECK_EQ(rocksdb_writebatch_count(batch), 6);
  rocksdb_writebatch_iterate(batch, seen, on_put, on_deleted);
  check_seen(__LINE__, "put(a,1) deleted(b) ");
  rocksdb_writebatch_clear(batch);
  CHECK_EQ(rocksdb_writebatch_count(batch), 0);
  CHECK_BATCH(batch, "");
  rocksdb_writebatch_destroy(batch);
}

static void in_pieces(void) {
  const char* keys[] = {"k", "e", "y"};
  const char* values[] = {"va", "", "lue"};
  const char* ends[] = {"l", "", ""};
  const size_t ones[] = {1, 1, 1};
  const size_t sizes[] = {2, 0, 3};
  const size_t end_sizes[] = {1, 0, 0};
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_putv(batch, 3, keys, ones, 3, values, sizes);
  rocksdb_writebatch_mergev(batch, 2, keys, ones, 1, values, sizes);
  rocksdb_writebatch_deletev(batch, 3, keys, ones);
  CHECK_BATCH(batch, "put 0 (key,value) merge 0 (ke,va) deleted 0 (key) ");
  rocksdb_writebatch_delete_rangev(batch, 3, keys, ones, ends, end_sizes);
  CHECK_EQ(rocksdb_writebatch_count(batch), 4);

  /* The same as with the keys whole. */
  rocksdb_writebatch_t* whole = rocksdb_writebatch_create();
  rocksdb_writebatch_put(whole, "key", 3, "value", 5);
  rocksdb_writebatch_merge(whole, "ke", 2, "va", 2);
  rocksdb_writebatch_delete(whole, "key", 3);
  rocksdb_writebatch_delete_range(whole, "key", 3, "l", 1);
  size_t size = 0, whole_size = 0;
  const char* data = rocksdb_writebatch_data(batch, &size);
  const char* whole_data = rocksdb_writebatch_data(whole, &whole_size);
  CHECK(size == whole_size && memcmp(data, whole_data, size) == 0);
  rocksdb_writebatch_putv(batch, -1, keys, ones, 3, values, sizes);
  CHECK_EQ(rocksdb_writebatch_count(batch), 4);
  rocksdb_writebatch_destroy(whole);
  rocksdb_writebatch_destroy(batch);
}

static void families(rocksdb_t* db) {
  char* err = NULL;
  const char* keys[] = {"k", "e", "y"};
  const size_t ones[] = {1, 1, 1};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_column_family_handle_t* family = rocksdb_create_column_family(db, options, "one", &err);
  CHECK_OK(err);
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "a", 1, "0", 1);
  rocksdb_writebatch_put_cf(batch, family, "a", 1, "1", 1);
  rocksdb_writebatch_putv_cf(batch, family, 3, keys, ones, 1, keys, ones);
  rocksdb_writebatch_delete_cf(batch, family, "b", 1);
  rocksdb_writebatch_deletev_cf(batch, family, 2, keys, ones);
  CHECK_BATCH(batch, "put 0 (a,0) put 1 (a,1) put 1 (key,k) deleted 1 (b) deleted 1 (ke) ");
  rocksdb_writebatch_iterate(batch, seen, on_put, on_deleted);
  check_seen(__LINE__, "put(a,0) ");

  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_write(db, write, batch, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "a", "0");
  CHECK_VALUE_CF(db, family, "a", "1");
  CHECK_VALUE_CF(db, family, "key", "k");
  rocksdb_writebatch_clear(batch);
  rocksdb_writebatch_singledelete_cf(batch, family, "a", 1);
  rocksdb_write(db, write, batch, &err);
  CHECK_OK(err);
  CHECK_VALUE_CF(db, family, "a", NULL);

  rocksdb_writebatch_clear(batch);
  rocksdb_writebatch_merge_cf(batch, family, "c", 1, "3", 1);
  rocksdb_writebatch_mergev_cf(batch, family, 1, keys, ones, 1, keys, ones);
  CHECK_BATCH(batch, "merge 1 (c,3) merge 1 (k,k) ");
  rocksdb_writebatch_delete_range_cf(batch, family, "a", 1, "b", 1);
  rocksdb_writebatch_delete_rangev_cf(batch, family, 1, keys, ones, keys, ones);
  CHECK_EQ(rocksdb_writebatch_count(batch), 4);
  rocksdb_writebatch_put_cf(batch, NULL, "x", 1, "x", 1);
  CHECK_EQ(rocksdb_writebatch_count(batch), 4);
  rocksdb_writebatch_destroy(batch);
  rocksdb_writeoptions_destroy(write);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_options_destroy(options);
}

static void save_points(void) {
  char* err = NULL;
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_rollback_to_save_point(batch, &err);
  CHECK_ERROR(err, "NotFound: ");
  rocksdb_writebatch_put(batch, "a", 1, "1", 1);
  rocksdb_writebatch_set_save_point(batch);
  rocksdb_writebatch_put(batch, "b", 1, "2", 1);
  rocksdb_writebatch_set_save_point(batch);
  rocksdb_writebatch_put(batch, "c", 1, "3", 1);
  rocksdb_writebatch_pop_save_point(batch, &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_writebatch_count(batch), 3);
  rocksdb_writebatch_rollback_to_save_point(batch, &err);
  CHECK_OK(err);
  CHECK_BATCH(batch, "put 0 (a,1) ");
  rocksdb_writebatch_pop_save_point(batch, &err);
  CHECK_ERROR(err, "NotFound: ");
  rocksdb_writebatch_destroy(batch);
}

static void as_bytes(void) {
  size_t size = 0;
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "a", 1, "1", 1);
  const char* data = rocksdb_writebatch_data(batch, &size);
  /* Sequence number, count, one record: its type, the key, the value. */
  CHECK_BYTES(data, size, "\0\0\0\0\0\0\0\0" "\1\0\0\0" "\1" "\1a" "\1" "1");
  rocksdb_writebatch_t* copy = rocksdb_writebatch_create_from(data, size);
  rocksdb_writebatch_destroy(batch);
  CHECK_EQ(rocksdb_writebatch_count(copy), 1);
  CHECK_BATCH(copy, "put 0 (a,1) ");
  rocksdb_writebatch_destroy(copy);
}

static void numbered_by_writing(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "a", 1, "1", 1);
  rocksdb_writebatch_put(batch, "b", 1, "2", 1);
  for (int i = 0; i < 2; i++) {
    uint64_t before = rocksdb_get_latest_sequence_number(db);
    rocksdb_write(db, options, batch, &err);
    CHECK_OK(err);
    size_t size;
    const unsigned char* data = (const unsigned char*)rocksdb_writebatch_data(batch, &size);
    /* The first number is at the front, little-endian. */
    CHECK_EQ(data[0] | data[1] << 8, before + 1);
    CHECK_EQ(rocksdb_get_latest_sequence_number(db), before + 2);
  }
  rocksdb_writebatch_destroy(batch);
  rocksdb_writeoptions_destroy(options);
}

/* The byte of the batch at `at`, which a program has no business to change. */
static char* byte_of(rocksdb_writebatch_t* batch, size_t at) {
  size_t size;
  char* data = (char*)(uintptr_t)rocksdb_writebatch_data(batch, &size);
  CHECK(at < size);
  return data + at;
}

/* A batch that was damaged in memory is noticed, and not written. */
static void protected_batch(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_writebatch_t* batch = rocksdb_writebatch_create_with_params(100, 0, 8, 0);
  rocksdb_writebatch_put(batch, "guarded", 7, "1", 1);
  rocksdb_writebatch_put(batch, "other", 5, "1", 1);
  rocksdb_writebatch_verify_checksum(batch, &err);
  CHECK_OK(err);
  /* Behind the header, the type and the length of the key. */
  *byte_of(batch, 14) ^= 1;
  rocksdb_writebatch_verify_checksum(batch, &err);
  CHECK_ERROR(err, "Corruption: ProtectionInfo mismatch");
  rocksdb_write(db, options, batch, &err);
  CHECK_ERROR(err, "Corruption: ProtectionInfo mismatch");
  CHECK_VALUE(db, "other", NULL);
  *byte_of(batch, 14) ^= 1;
  rocksdb_write(db, options, batch, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "guarded", "1");
  rocksdb_writebatch_destroy(batch);

  /* Without checksums nobody knows better. */
  batch = rocksdb_writebatch_create_with_params(0, 0, 0, 0);
  rocksdb_writebatch_put(batch, "plain", 5, "1", 1);
  *byte_of(batch, 14) ^= 1;
  rocksdb_writebatch_verify_checksum(batch, &err);
  CHECK_OK(err);
  *byte_of(batch, 14) ^= 1;

  /* Writing may give them to a batch, which keeps them. */
  rocksdb_writeoptions_set_protection_bytes_per_key(options, 8);
  rocksdb_write(db, options, batch, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "plain", "1");
  *byte_of(batch, 14) ^= 1;
  rocksdb_writebatch_verify_checksum(batch, &err);
  CHECK_ERROR(err, "Corruption: ProtectionInfo mismatch");
  rocksdb_put(db, options, "single", 6, "1", 1, &err);
  CHECK_OK(err);
  rocksdb_writebatch_destroy(batch);

  rocksdb_writeoptions_set_protection_bytes_per_key(options, 4);
  rocksdb_put(db, options, "single", 6, "2", 1, &err);
  CHECK_ERROR(err, "Not implemented: WriteBatch protection info must be zero or eight bytes/key");
  CHECK_VALUE(db, "single", "1");
  rocksdb_writeoptions_destroy(options);

  /* Beyond the limit nothing is added. */
  batch = rocksdb_writebatch_create_with_params(0, 30, 0, 0);
  rocksdb_writebatch_put(batch, "a", 1, "1", 1);
  rocksdb_writebatch_put(batch, "a key that is too long", 22, "1", 1);
  CHECK_EQ(rocksdb_writebatch_count(batch), 1);
  rocksdb_writebatch_destroy(batch);
  CHECK(rocksdb_writebatch_create_with_params(0, 0, 0, 8) == NULL);
  /* Room is reserved if there is some. */
  batch = rocksdb_writebatch_create_with_params((size_t)1 << 60, 0, 0, 0);
  CHECK(batch != NULL);
  rocksdb_writebatch_destroy(batch);
}

static void null_is_harmless(void) {
  char* err = NULL;
  size_t size = 9;
  rocksdb_writebatch_put(NULL, "a", 1, "1", 1);
  CHECK_EQ(rocksdb_writebatch_count(NULL), 0);
  CHECK(rocksdb_writebatch_data(NULL, &size) == NULL);
  CHECK_EQ(size, 0);
  rocksdb_writebatch_pop_save_point(NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_writebatch_verify_checksum(NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_writebatch_iterate(NULL, seen, on_put, on_deleted);
  rocksdb_writebatch_destroy(NULL);
}

int main(int argc, char** argv) {
  (void)argc;
  rocksdb_t* db = open_new(in_folder(argv, "db"));
  single_family();
  in_pieces();
  families(db);
  save_points();
  as_bytes();
  numbered_by_writing(db);
  protected_batch(db);
  null_is_harmless();
  rocksdb_close(db);
  return 0;
}
