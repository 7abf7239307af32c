#include "check.h"

int main(void) {
  char* text = malloc(4);
  CHECK(text != NULL);
  memcpy(text, "abc", 4);
  rocksdb_free(text);
  rocksdb_free(NULL);
  return 0;
}
