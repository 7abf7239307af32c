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

int main(void) {
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
  return 0;
}
