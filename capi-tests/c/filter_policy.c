#include "check.h"

int main(void) {
  rocksdb_filterpolicy_t* bloom = rocksdb_filterpolicy_create_bloom(10);
  rocksdb_filterpolicy_t* full = rocksdb_filterpolicy_create_bloom_full(9.5);
  CHECK(bloom != NULL && full != NULL && bloom != full);
  rocksdb_filterpolicy_destroy(bloom);
  rocksdb_filterpolicy_destroy(full);
  rocksdb_filterpolicy_destroy(NULL);
  return 0;
}
