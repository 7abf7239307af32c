#define _DEFAULT_SOURCE
#include "check.h"
#include <unistd.h>

/* How often a filter was called and destroyed, and the level of its first value. */
struct seen {
  int calls;
  int destroyed;
  int level;
};

static void destroyed(void* state) { ((struct seen*)state)->destroyed += 1; }

/* Removes "drop", turns "old" into "new" and "clear" into nothing, keeps the rest. */
static unsigned char filter(void* state, int level, const char* key, size_t key_length,
                            const char* existing_value, size_t value_length, char** new_value,
                            size_t* new_value_length, unsigned char* value_changed) {
  struct seen* seen = state;
  seen->level = seen->calls == 0 ? level : seen->level;
  seen->calls += 1;
  CHECK(key_length == 1 && *key >= 'a' && *key <= 'd');
  if (value_length == 4 && memcmp(existing_value, "drop", 4) == 0) {
    return 1;
  }
  if (value_length == 3 && memcmp(existing_value, "old", 3) == 0) {
    *new_value = "new";
    *new_value_length = 3;
    *value_changed = 1;
  }
  if (value_length == 5 && memcmp(existing_value, "clear", 5) == 0) {
    *value_changed = 1;
  }
  return 0;
}

static const char* name(void* state) {
  (void)state;
  return "capi-tests.Filter";
}

/* Whether level 0 has no files. */
static int is_compacted(rocksdb_t* db) {
  char* files = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
  CHECK(files != NULL);
  int none = strcmp(files, "0") == 0;
  rocksdb_free(files);
  return none;
}

/* Waits until level 0 was compacted, which several flushes start, or for some time. */
static int wait_for_compaction(rocksdb_t* db, int tenths) {
  for (int i = 0; i < tenths && !is_compacted(db); i++) {
    usleep(100 * 1000);
  }
  return is_compacted(db);
}

/* Writes so many files of level 0 that a compaction begins. */
static void fill(rocksdb_t* db) {
  for (int file = 0; file < 4; file++) {
    put(db, "a", "drop");
    put(db, "b", "old");
    put(db, "c", "clear");
    put(db, "d", "keep");
    flush(db);
  }
}

static rocksdb_t* open_with(rocksdb_options_t* options, const char* path) {
  char* err = NULL;
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  return db;
}

static void check_filtered(rocksdb_t* db) {
  CHECK_VALUE(db, "a", NULL);
  CHECK_VALUE(db, "b", "new");
  CHECK_VALUE(db, "c", "");
  CHECK_VALUE(db, "d", "keep");
}

static void values_are_removed_and_changed(const char* path) {
  struct seen seen = {0, 0, -1};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_compactionfilter_t* made = rocksdb_compactionfilter_create(&seen, destroyed, filter, name);
  rocksdb_options_set_compaction_filter(options, made);
  rocksdb_t* db = open_with(options, path);
  fill(db);
  CHECK(wait_for_compaction(db, 100));
  check_filtered(db);
  CHECK(seen.calls >= 4);
  CHECK_EQ(seen.level, 0);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  CHECK_EQ(seen.destroyed, 0);
  rocksdb_compactionfilter_destroy(made);
  CHECK_EQ(seen.destroyed, 1);
  rocksdb_compactionfilter_destroy(NULL);
}

static void a_filter_can_be_taken_away(const char* path) {
  struct seen seen = {0, 0, -1};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_compactionfilter_t* made = rocksdb_compactionfilter_create(&seen, destroyed, filter, name);
  rocksdb_options_set_compaction_filter(options, made);
  rocksdb_options_set_compaction_filter(options, NULL);
  rocksdb_t* db = open_with(options, path);
  fill(db);
  CHECK(wait_for_compaction(db, 100));
  CHECK_VALUE(db, "a", "drop");
  CHECK_EQ(seen.calls, 0);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  rocksdb_compactionfilter_destroy(made);
  CHECK_EQ(seen.destroyed, 1);
}

static void filters_that_want_snapshots_are_refused(const char* path) {
  struct seen seen = {0, 0, -1};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_compactionfilter_t* made = rocksdb_compactionfilter_create(&seen, destroyed, filter, name);
  rocksdb_compactionfilter_set_ignore_snapshots(made, 0);
  rocksdb_options_set_compaction_filter(options, made);
  rocksdb_t* db = open_with(options, path);
  fill(db);
  CHECK(!wait_for_compaction(db, 10));
  CHECK_EQ(seen.calls, 0);
  CHECK_VALUE(db, "a", "drop");
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  rocksdb_compactionfilter_destroy(made);
}

/* What a factory knows of the compactions it made filters for. */
struct made {
  struct seen filters;
  int count;
  int destroyed;
  int full;
  int manual;
  int none;
};

static rocksdb_compactionfilter_t* create(void* state, rocksdb_compactionfiltercontext_t* context) {
  struct made* made = state;
  made->count += 1;
  made->full += rocksdb_compactionfiltercontext_is_full_compaction(context);
  made->manual += rocksdb_compactionfiltercontext_is_manual_compaction(context);
  if (made->none) {
    return NULL;
  }
  return rocksdb_compactionfilter_create(&made->filters, destroyed, filter, name);
}

static void factory_destroyed(void* state) { ((struct made*)state)->destroyed += 1; }

static void a_factory_makes_a_filter_for_each_compaction(const char* path) {
  struct made made = {{0, 0, -1}, 0, 0, 0, 0, 0};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_compaction_filter_factory(
      options, rocksdb_compactionfilterfactory_create(&made, factory_destroyed, create, name));
  rocksdb_t* db = open_with(options, path);
  fill(db);
  CHECK(wait_for_compaction(db, 100));
  check_filtered(db);
  CHECK(made.count > 0);
  CHECK_EQ(made.filters.destroyed, made.count);
  CHECK_EQ(made.full, made.count);
  CHECK_EQ(made.manual, 0);
  put(db, "a", "drop");
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  CHECK(made.manual > 0);

  made.none = 1;
  fill(db);
  CHECK(wait_for_compaction(db, 100));
  CHECK_VALUE(db, "a", "drop");
  rocksdb_close(db);
  CHECK_EQ(made.destroyed, 0);
  rocksdb_options_destroy(options);
  CHECK_EQ(made.destroyed, 1);

  options = rocksdb_options_create();
  rocksdb_options_set_compaction_filter_factory(
      options, rocksdb_compactionfilterfactory_create(&made, factory_destroyed, create, name));
  rocksdb_options_set_compaction_filter_factory(options, NULL);
  CHECK_EQ(made.destroyed, 2);
  rocksdb_options_destroy(options);
  rocksdb_compactionfilterfactory_destroy(
      rocksdb_compactionfilterfactory_create(&made, factory_destroyed, create, name));
  CHECK_EQ(made.destroyed, 3);
  rocksdb_compactionfilterfactory_destroy(NULL);
}

int main(int argc, char** argv) {
  (void)argc;
  values_are_removed_and_changed(in_folder(argv, "db"));
  a_filter_can_be_taken_away(in_folder(argv, "none"));
  filters_that_want_snapshots_are_refused(in_folder(argv, "refused"));
  a_factory_makes_a_filter_for_each_compaction(in_folder(argv, "factory"));
  return 0;
}
