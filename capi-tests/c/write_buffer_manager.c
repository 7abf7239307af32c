#define _DEFAULT_SOURCE
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static rocksdb_t* open_with(rocksdb_write_buffer_manager_t* manager, size_t db_buffer,
                            const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_arena_block_size(options, 4096);
  rocksdb_options_set_db_write_buffer_size(options, db_buffer);
  if (manager != NULL) {
    rocksdb_options_set_write_buffer_manager(options, manager);
  }
  rocksdb_options_set_write_buffer_manager(options, NULL);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_destroy(options);
  return db;
}

/* Writes so many KiB. */
static void fill(rocksdb_t* db, int count) {
  static char value[1001];
  memset(value, 'v', 1000);
  for (int i = 0; i < count; i++) {
    char key[16];
    snprintf(key, sizeof(key), "%d", i);
    put(db, key, value);
  }
}

/* How many tables were flushed so far, of all levels. */
static int tables(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_wait_for_compact_options_t* options = rocksdb_wait_for_compact_options_create();
  rocksdb_wait_for_compact(db, options, &err);
  CHECK_OK(err);
  rocksdb_wait_for_compact_options_destroy(options);
  int count = 0;
  for (int level = 0; level < 7; level++) {
    char name[40];
    snprintf(name, sizeof(name), "rocksdb.num-files-at-level%d", level);
    char* text = rocksdb_property_value(db, name);
    count += atoi(text);
    rocksdb_free(text);
  }
  return count;
}

static void values(void) {
  rocksdb_write_buffer_manager_t* manager = rocksdb_write_buffer_manager_create(1000, false);
  CHECK(rocksdb_write_buffer_manager_enabled(manager));
  CHECK(!rocksdb_write_buffer_manager_cost_to_cache(manager));
  CHECK_EQ(rocksdb_write_buffer_manager_buffer_size(manager), 1000);
  rocksdb_write_buffer_manager_set_buffer_size(manager, 2000);
  CHECK_EQ(rocksdb_write_buffer_manager_buffer_size(manager), 2000);
  CHECK_EQ(rocksdb_write_buffer_manager_memory_usage(manager), 0);
  CHECK_EQ(rocksdb_write_buffer_manager_mutable_memtable_memory_usage(manager), 0);
  CHECK_EQ(rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(manager), 0);
  rocksdb_write_buffer_manager_destroy(manager);
  manager = rocksdb_write_buffer_manager_create(0, true);
  CHECK(!rocksdb_write_buffer_manager_enabled(manager));
  rocksdb_write_buffer_manager_destroy(manager);

  rocksdb_options_t* options = rocksdb_options_create();
  CHECK_OPTION(rocksdb_options, db_write_buffer_size, 0, 7);
  CHECK_OPTION(rocksdb_options, enforce_write_buffer_manager_during_recovery, 1, 0);
  rocksdb_options_destroy(options);
}

static void null_is_harmless(void) {
  CHECK(rocksdb_write_buffer_manager_create_with_cache(1, NULL, false) == NULL);
  CHECK(!rocksdb_write_buffer_manager_enabled(NULL));
  CHECK_EQ(rocksdb_write_buffer_manager_memory_usage(NULL), 0);
  rocksdb_write_buffer_manager_set_buffer_size(NULL, 1);
  rocksdb_write_buffer_manager_set_allow_stall(NULL, true);
  rocksdb_write_buffer_manager_destroy(NULL);
}

/* Two databases flush when both together near the limit, and take room in the cache. */
static void shared(const char* path, const char* other_path) {
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(64 << 20);
  rocksdb_write_buffer_manager_t* manager =
      rocksdb_write_buffer_manager_create_with_cache(512 << 10, cache, false);
  CHECK(rocksdb_write_buffer_manager_cost_to_cache(manager));
  rocksdb_t* db = open_with(manager, 0, path);
  rocksdb_t* other = open_with(manager, 0, other_path);
  fill(db, 100);
  fill(other, 100);
  size_t used = rocksdb_write_buffer_manager_memory_usage(manager);
  CHECK(used > (200 << 10) && used < (300 << 10));
  CHECK_EQ(rocksdb_write_buffer_manager_mutable_memtable_memory_usage(manager), used);
  CHECK_EQ(rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(manager), 256 << 10);
  CHECK_EQ(rocksdb_cache_get_pinned_usage(cache), 256 << 10);
  CHECK_EQ(tables(db) + tables(other), 0);
  fill(other, 400);
  CHECK_EQ(tables(db), 0);
  CHECK(tables(other) > 0);
  /* A smaller limit holds for the next write. */
  rocksdb_write_buffer_manager_set_buffer_size(manager, 64 << 10);
  fill(db, 2);
  CHECK_EQ(tables(db), 1);
  rocksdb_close(db);
  rocksdb_close(other);
  CHECK_EQ(rocksdb_write_buffer_manager_memory_usage(manager), 0);
  rocksdb_write_buffer_manager_destroy(manager);
  CHECK_EQ(rocksdb_cache_get_usage(cache), 0);
  rocksdb_cache_destroy(cache);
}

static void limit_of_one_database(const char* path) {
  rocksdb_t* db = open_with(NULL, 256 << 10, path);
  fill(db, 100);
  CHECK_EQ(tables(db), 0);
  fill(db, 200);
  CHECK(tables(db) > 0);
  rocksdb_close(db);
}

/* Whether a write that does not want to wait would have to. */
static int is_stalled(rocksdb_t* db) {
  char* err = NULL;
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_no_slowdown(options, 1);
  rocksdb_put(db, options, "key", 3, "value", 5, &err);
  rocksdb_writeoptions_destroy(options);
  if (err == NULL) {
    return 0;
  }
  CHECK_ERROR(err, "Result incomplete: Write stall");
  return 1;
}

static volatile int written = 0;

static void* writer(void* db) {
  put(db, "waiting", "written");
  written = 1;
  return NULL;
}

static void stalled_writes_wait(const char* path) {
  rocksdb_write_buffer_manager_t* manager = rocksdb_write_buffer_manager_create(1 << 20, true);
  rocksdb_t* db = open_with(manager, 0, path);
  fill(db, 300);
  /* What an iterator holds is not free, flushed or not. */
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  rocksdb_iterator_t* held = rocksdb_create_iterator(db, read);
  flush(db);
  CHECK(rocksdb_write_buffer_manager_memory_usage(manager) > (300 << 10));
  CHECK(rocksdb_write_buffer_manager_mutable_memtable_memory_usage(manager) < (100 << 10));
  CHECK(!is_stalled(db));
  rocksdb_write_buffer_manager_set_buffer_size(manager, 200 << 10);
  CHECK(is_stalled(db));
  rocksdb_write_buffer_manager_set_allow_stall(manager, false);
  CHECK(!is_stalled(db));
  rocksdb_write_buffer_manager_set_allow_stall(manager, true);
  CHECK(is_stalled(db));

  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, writer, db) == 0);
  usleep(100 * 1000);
  CHECK(!written);
  rocksdb_iter_destroy(held);
  pthread_join(thread, NULL);
  CHECK(written);
  CHECK_VALUE(db, "waiting", "written");
  CHECK(!is_stalled(db));
  rocksdb_readoptions_destroy(read);
  rocksdb_close(db);
  rocksdb_write_buffer_manager_destroy(manager);
}

int main(int argc, char** argv) {
  (void)argc;
  values();
  null_is_harmless();
  shared(in_folder(argv, "one"), in_folder(argv, "other"));
  limit_of_one_database(in_folder(argv, "db"));
  stalled_writes_wait(in_folder(argv, "stalls"));
  return 0;
}
