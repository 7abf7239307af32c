#include "check.h"

#include <stdint.h>

/* A database with the keys a to d in its memtable, each with a value of its own. */
static rocksdb_t* open_with(const char* path, uint32_t protection, int order, int on_seek) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_memtable_protection_bytes_per_key(options, protection);
  rocksdb_options_set_paranoid_memory_checks(options, (unsigned char)order);
  rocksdb_options_set_memtable_verify_per_key_checksum_on_seek(options, (unsigned char)on_seek);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  put(db, "a", "1");
  put(db, "b", "2");
  put(db, "c", "3");
  put(db, "d", "4");
  return db;
}

/* Flips a bit of what the memtable has of a key, as a fault of memory would: an iterator that was
   made before shows where it is. */
static void damage(rocksdb_t* db, const char* key, int of_key) {
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  rocksdb_iter_seek(iter, key, 1);
  CHECK(rocksdb_iter_valid(iter));
  size_t len;
  const char* bytes = of_key ? rocksdb_iter_key(iter, &len) : rocksdb_iter_value(iter, &len);
  CHECK_EQ(len, 1);
  *(char*)(uintptr_t)bytes ^= 1;
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(options);
}

/* The error of a get, NULL for none. */
static char* get_error(rocksdb_t* db, const char* key) {
  char* err = NULL;
  size_t len;
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_free(rocksdb_get(db, options, key, 1, &len, &err));
  rocksdb_readoptions_destroy(options);
  return err;
}

/* That of going through all keys. */
static char* scan_error(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, options);
  rocksdb_iter_seek_to_first(iter);
  while (rocksdb_iter_valid(iter)) rocksdb_iter_next(iter);
  rocksdb_iter_get_error(iter, &err);
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(options);
  return err;
}

#define CORRUPTED "Corruption: Corrupted memtable entry, per key-value checksum verification failed."

static void checksums(char** argv) {
  char* err = NULL;
  rocksdb_t* db = open_with(in_folder(argv, "plain"), 0, 0, 1);
  damage(db, "b", 0);
  CHECK_VALUE(db, "b", "3");
  err = scan_error(db);
  CHECK_OK(err);
  rocksdb_close(db);

  db = open_with(in_folder(argv, "sums"), 4, 0, 0);
  damage(db, "b", 0);
  err = get_error(db, "b");
  CHECK_ERROR(err, CORRUPTED);
  err = get_error(db, "c");
  CHECK_OK(err);
  err = scan_error(db);
  CHECK_ERROR(err, CORRUPTED);
  rocksdb_close(db);

  /* A seek may look at what is before its target, too. */
  db = open_with(in_folder(argv, "seek"), 4, 0, 1);
  damage(db, "b", 0);
  err = get_error(db, "c");
  CHECK_ERROR(err, CORRUPTED);
  err = get_error(db, "d");
  CHECK_OK(err);
  rocksdb_close(db);
}

static void order(char** argv) {
  for (int checked = 0; checked < 2; checked++) {
    rocksdb_t* db = open_with(in_folder(argv, checked ? "order" : "any_order"), 0, checked, 0);
    damage(db, "c", 1);
    char* err = scan_error(db);
    if (checked) {
      CHECK_ERROR(err, "Corruption: Out-of-order keys found in skiplist.");
    } else {
      CHECK_OK(err);
    }
    rocksdb_close(db);
  }
}

/* A memtable has the guard that the options asked for when it was made. */
static void live(char** argv) {
  char* err = NULL;
  rocksdb_t* db = open_with(in_folder(argv, "live"), 0, 0, 0);
  const char* names[] = {"memtable_protection_bytes_per_key", "paranoid_memory_checks",
                         "memtable_verify_per_key_checksum_on_seek"};
  const char* values[] = {"8", "true", "true"};
  rocksdb_set_options(db, 3, names, values, &err);
  CHECK_OK(err);
  damage(db, "b", 0);
  CHECK_VALUE(db, "b", "3");
  flush(db);
  put(db, "b", "2");
  damage(db, "b", 0);
  err = get_error(db, "b");
  CHECK_ERROR(err, CORRUPTED);
  rocksdb_close(db);
}

/* A damaged block of the cache is noticed, and then read from its file again. */
static void blocks(char** argv) {
  char* err = NULL;
  for (int guarded = 0; guarded < 2; guarded++) {
    rocksdb_options_t* options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_compression(options, rocksdb_no_compression);
    CHECK_EQ(rocksdb_options_get_block_protection_bytes_per_key(options), 0);
    rocksdb_options_set_block_protection_bytes_per_key(options, guarded ? 4 : 0);
    CHECK_EQ(rocksdb_options_get_block_protection_bytes_per_key(options), guarded ? 4 : 0);
    rocksdb_t* db = rocksdb_open(options, in_folder(argv, guarded ? "guarded" : "blocks"), &err);
    CHECK_OK(err);
    put(db, "a", "1");
    put(db, "b", "2");
    flush(db);
    damage(db, "b", 0);
    if (guarded) {
      err = get_error(db, "a");
      CHECK_ERROR(err, "Corruption: Corrupted block entry: per key-value checksum verification");
      CHECK_VALUE(db, "b", "2");
      damage(db, "b", 0);
      err = scan_error(db);
      CHECK_ERROR(err, "Corruption: Corrupted block entry: per key-value checksum verification");
      CHECK_VALUE(db, "b", "2");
    } else {
      CHECK_VALUE(db, "b", "3");
      /* Blocks that are cached from now on are guarded. */
      const char* name = "block_protection_bytes_per_key";
      const char* value = "1";
      rocksdb_set_options(db, 1, &name, &value, &err);
      CHECK_OK(err);
      put(db, "c", "4");
      flush(db);
      damage(db, "c", 0);
      err = get_error(db, "c");
      CHECK_ERROR(err, "Corruption: Corrupted block entry: per key-value checksum verification");
    }
    rocksdb_close(db);
    rocksdb_options_set_block_protection_bytes_per_key(options, 5);
    CHECK(rocksdb_open(options, in_folder(argv, "refused"), &err) == NULL);
    CHECK_ERROR(err, "Not implemented: Block per key-value checksum protection only supports");
    rocksdb_options_destroy(options);
  }
}

static void accessors(char** argv) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK_OPTION(rocksdb_options, paranoid_memory_checks, 0, 1);
  CHECK_OPTION(rocksdb_options, memtable_verify_per_key_checksum_on_seek, 0, 1);
  CHECK_OPTION(rocksdb_options, memtable_protection_bytes_per_key, 0, 3);
  rocksdb_options_set_create_if_missing(options, 1);
  CHECK(rocksdb_open(options, in_folder(argv, "refused"), &err) == NULL);
  CHECK_ERROR(err, "Not implemented: Memtable per key-value checksum protection only supports");
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  accessors(argv);
  checksums(argv);
  order(argv);
  live(argv);
  blocks(argv);
  return 0;
}
