/* What every program here uses: checks that say where they failed, and a folder to work in. */
#ifndef CHECK_H
#define CHECK_H

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program unless `condition` holds. */
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* Ends the program unless both numbers are equal. */
#define CHECK_EQ(actual, expected)                                                       \
  do {                                                                                   \
    long long a_ = (long long)(actual), e_ = (long long)(expected);                      \
    if (a_ != e_) {                                                                      \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, a_, \
              e_);                                                                       \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

/* Ends the program unless the bytes are those of the text `expected`. */
#define CHECK_BYTES(data, len, expected) \
  check_bytes(__FILE__, __LINE__, data, len, expected, sizeof(expected) - 1)

/* Ends the program if `err`, a `char*`, holds an error. */
#define CHECK_OK(err)                                                       \
  do {                                                                      \
    if ((err) != NULL) {                                                    \
      fprintf(stderr, "%s:%d: unexpected: %s\n", __FILE__, __LINE__, err); \
      exit(1);                                                              \
    }                                                                       \
  } while (0)

/* Ends the program unless `err` holds an error that starts with `prefix`; frees it. */
#define CHECK_ERROR(err, prefix)                    \
  do {                                              \
    check_error(__FILE__, __LINE__, err, prefix);   \
    free(err);                                      \
    (err) = NULL;                                   \
  } while (0)

/* Ends the program unless an option of `options` has the value `before`, and can be set. */
#define CHECK_PAIR(options, set, get, before, after) \
  do {                                               \
    CHECK_EQ(get(options), before);                  \
    set(options, after);                             \
    CHECK_EQ(get(options), after);                   \
  } while (0)

/* The same for the functions FAMILY_set_NAME and FAMILY_get_NAME. */
#define CHECK_OPTION(family, name, before, after) \
  CHECK_PAIR(options, family##_set_##name, family##_get_##name, before, after)

static inline void check_bytes(const char* file, int line, const char* data, size_t len,
                               const char* expected, size_t expected_len) {
  if (data == NULL || len != expected_len || memcmp(data, expected, len) != 0) {
    fprintf(stderr, "%s:%d: \"%.*s\" (%zu bytes) is not \"%s\" (%zu bytes)\n", file, line,
            data == NULL ? 0 : (int)len, data == NULL ? "" : data, len, expected, expected_len);
    exit(1);
  }
}

static inline void check_error(const char* file, int line, const char* err, const char* prefix) {
  if (err == NULL || strncmp(err, prefix, strlen(prefix)) != 0) {
    fprintf(stderr, "%s:%d: error \"%s\" does not start with \"%s\"\n", file, line,
            err == NULL ? "(none)" : err, prefix);
    exit(1);
  }
}

/* The path of `name` in the folder that the program was given. */
static inline const char* in_folder(char** argv, const char* name) {
  static char paths[8][1024];
  static unsigned next = 0;
  char* path = paths[next++ % 8];
  CHECK(argv[1] != NULL);
  snprintf(path, sizeof(paths[0]), "%s/%s", argv[1], name);
  return path;
}

/* A database with the default options, with `create_if_missing`. */
static inline rocksdb_t* open_new(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  CHECK(db != NULL);
  rocksdb_options_destroy(options);
  return db;
}

/* Sets a key to a value, both texts. */
static inline void put(rocksdb_t* db, const char* key, const char* value) {
  char* err = NULL;
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_put(db, options, key, strlen(key), value, strlen(value), &err);
  CHECK_OK(err);
  rocksdb_writeoptions_destroy(options);
}

/* Ends the program unless a key has the value `expected`, or no value if that is NULL. Reads the
   column family `family`, or the default one if that is NULL. */
static inline void check_value(const char* file, int line, rocksdb_t* db,
                               rocksdb_column_family_handle_t* family, const char* key,
                               const char* expected) {
  char* err = NULL;
  size_t len = 99;
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  char* value = family == NULL
                    ? rocksdb_get(db, options, key, strlen(key), &len, &err)
                    : rocksdb_get_cf(db, options, family, key, strlen(key), &len, &err);
  if (err != NULL || (value == NULL) != (expected == NULL)) {
    fprintf(stderr, "%s:%d: value of \"%s\": %s, error: %s\n", file, line, key,
            value == NULL ? "none" : "there", err == NULL ? "none" : err);
    exit(1);
  }
  if (expected == NULL) {
    CHECK_EQ(len, 0);
  } else {
    check_bytes(file, line, value, len, expected, strlen(expected));
  }
  rocksdb_free(value);
  rocksdb_readoptions_destroy(options);
}

#define CHECK_VALUE(db, key, expected) check_value(__FILE__, __LINE__, db, NULL, key, expected)
#define CHECK_VALUE_CF(db, family, key, expected) \
  check_value(__FILE__, __LINE__, db, family, key, expected)

/* Flushes the default column family and waits for it. */
static inline void flush(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_flushoptions_t* options = rocksdb_flushoptions_create();
  rocksdb_flush(db, options, &err);
  CHECK_OK(err);
  rocksdb_flushoptions_destroy(options);
}

#endif /* CHECK_H */
