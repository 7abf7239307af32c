#include "check.h"

static void callback(void* state, unsigned level, char* text, size_t len) {
  (void)level;
  CHECK_EQ(strlen(text), len);
  *(int*)state += 1;
}

int main(void) {
  int messages = 0;
  rocksdb_logger_t* logger = rocksdb_logger_create_callback_logger(0, callback, &messages);
  CHECK(logger != NULL);
  CHECK_EQ(messages, 0);
  rocksdb_logger_destroy(logger);

  logger = rocksdb_logger_create_stderr_logger(2, "prefix ");
  CHECK(logger != NULL);
  rocksdb_logger_destroy(logger);
  logger = rocksdb_logger_create_stderr_logger(-5, NULL);
  CHECK(logger != NULL);
  rocksdb_logger_destroy(logger);
  rocksdb_logger_destroy(NULL);
  return 0;
}
