#include "check.h"

#include <dirent.h>
#include <sys/stat.h>

/* The bytes of all table files in the folder. */
static long table_bytes(const char* path) {
  long bytes = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strstr(entry->d_name, ".sst") != NULL) {
      struct stat data;
      char file[2048];
      snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
      CHECK_EQ(stat(file, &data), 0);
      bytes += data.st_size;
    }
  }
  closedir(dir);
  return bytes;
}

/* Writes 4000 keys with a policy, which the table options take over; `compact` rewrites them. */
static long with_policy_on(const char* path, rocksdb_filterpolicy_t* policy, int compact) {
  char* err = NULL;
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_optimize_filters_for_memory(table, 0);
  rocksdb_block_based_options_set_filter_policy(table, policy);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  for (int i = 0; i < 4000; i++) {
    char key[16];
    snprintf(key, sizeof(key), "%06d", i * 2);
    put(db, key, "v");
  }
  flush(db);
  if (compact) {
    rocksdb_compact_range(db, NULL, 0, "001000", 6);
    rocksdb_compactoptions_t* how = rocksdb_compactoptions_create();
    rocksdb_compactoptions_set_bottommost_level_compaction(how, 2);
    rocksdb_compact_range_opt(db, how, NULL, 0, NULL, 0);
    rocksdb_compactoptions_destroy(how);
  }
  CHECK_VALUE(db, "000002", "v");
  CHECK_VALUE(db, "000003", NULL);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  rocksdb_block_based_options_destroy(table);
  return table_bytes(path);
}

static long with_policy(const char* path, rocksdb_filterpolicy_t* policy) {
  return with_policy_on(path, policy, 0);
}

static rocksdb_filterpolicy_t* ribbon(double bits) {
  return rocksdb_filterpolicy_create_ribbon(bits);
}

static rocksdb_filterpolicy_t* hybrid(double bits, int bloom_before_level) {
  return rocksdb_filterpolicy_create_ribbon_hybrid(bits, bloom_before_level);
}

int main(int argc, char** argv) {
  (void)argc;
  rocksdb_filterpolicy_t* bloom = rocksdb_filterpolicy_create_bloom(10);
  rocksdb_filterpolicy_t* full = rocksdb_filterpolicy_create_bloom_full(9.5);
  CHECK(bloom != NULL && full != NULL && bloom != full);
  rocksdb_filterpolicy_destroy(bloom);
  rocksdb_filterpolicy_destroy(full);
  rocksdb_filterpolicy_destroy(NULL);

  /* 4000 keys of 8 bits more each are 4000 bytes. */
  long none = with_policy(in_folder(argv, "none"), NULL);
  long ten = with_policy(in_folder(argv, "ten"), rocksdb_filterpolicy_create_bloom(10));
  long eighteen = with_policy(in_folder(argv, "18"), rocksdb_filterpolicy_create_bloom_full(18));
  CHECK(ten - none > 4500 && ten - none < 6500);
  CHECK(eighteen - ten > 3500 && eighteen - ten < 4500);

  /* A flush writes Ribbon filters only if that is asked for; compactions write them sooner. */
  rocksdb_filterpolicy_destroy(ribbon(10));
  rocksdb_filterpolicy_destroy(hybrid(10, 2));
  long flushed = with_policy(in_folder(argv, "ribbon"), ribbon(10));
  CHECK(flushed - ten > -100 && flushed - ten < 100);
  long everywhere = with_policy(in_folder(argv, "hybrid"), hybrid(10, -1));
  CHECK(ten - everywhere > 1000 && ten - everywhere < 2000);
  long bloom_below = with_policy_on(in_folder(argv, "bloom"), hybrid(10, 2147483647), 1);
  long ribbon_below = with_policy_on(in_folder(argv, "ribbon below"), ribbon(10), 1);
  CHECK(bloom_below - ribbon_below > 1000 && bloom_below - ribbon_below < 2000);
  return 0;
}
