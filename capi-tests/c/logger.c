#include "check.h"

#include <unistd.h>

struct messages {
  int count;
  unsigned least;
};

static void callback(void* state, unsigned level, char* text, size_t len) {
  struct messages* messages = state;
  CHECK_EQ(strlen(text), len);
  __atomic_fetch_add(&messages->count, 1, __ATOMIC_RELAXED);
  /* Headers come as information whatever is asked for. */
  CHECK(level == 1 || (level >= messages->least && level <= 4));
}

/* What a database says while it is opened with a logger. */
static void open_with(const char* path, rocksdb_logger_t* logger) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_info_log(options, logger);
  rocksdb_logger_t* same = rocksdb_options_get_info_log(options);
  CHECK(same != NULL);
  rocksdb_logger_destroy(same);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  put(db, "k", "v");
  flush(db);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static void to_a_function(const char* path) {
  struct messages all = {0, 0}, few = {0, 5};
  rocksdb_logger_t* logger = rocksdb_logger_create_callback_logger(0, callback, &all);
  open_with(path, logger);
  CHECK(all.count > 5);
  rocksdb_logger_destroy(logger);
  logger = rocksdb_logger_create_callback_logger(5, callback, &few);
  open_with(path, logger);
  CHECK(few.count < all.count);
  rocksdb_logger_destroy(logger);
}

/* Standard error goes into a file meanwhile. */
static void to_standard_error(const char* path, const char* file) {
  char text[4096];
  fflush(stderr);
  int saved = dup(2);
  FILE* log = freopen(file, "w+", stderr);
  CHECK(log != NULL);
  rocksdb_logger_t* logger = rocksdb_logger_create_stderr_logger(1, "a prefix ");
  open_with(path, logger);
  rocksdb_logger_destroy(logger);
  rewind(log);
  size_t len = fread(text, 1, sizeof(text) - 1, log);
  text[len] = 0;
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  /* Date, time, thread, prefix. */
  CHECK(len > 40 && text[4] == '/' && strstr(text, " a prefix ") != NULL);
}

int main(int argc, char** argv) {
  (void)argc;
  to_a_function(in_folder(argv, "db"));
  to_standard_error(in_folder(argv, "db"), in_folder(argv, "log"));
  rocksdb_logger_t* logger = rocksdb_logger_create_stderr_logger(-5, NULL);
  CHECK(logger != NULL);
  rocksdb_logger_destroy(logger);
  rocksdb_logger_destroy(NULL);
  return 0;
}
