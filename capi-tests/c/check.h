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

#endif
