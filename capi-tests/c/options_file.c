#include "check.h"

#include <dirent.h>

/* Ends the program unless an OPTIONS file in the folder contains the text. */
static void check_written(const char* path, const char* expected) {
  static char text[1 << 16];
  int found = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strncmp(entry->d_name, "OPTIONS-", 8) == 0) {
      char name[2048];
      snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
      FILE* file = fopen(name, "r");
      CHECK(file != NULL);
      text[fread(text, 1, sizeof(text) - 1, file)] = 0;
      fclose(file);
      found |= strstr(text, expected) != NULL;
    }
  }
  closedir(dir);
  CHECK(found);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char* path = in_folder(argv, "db");
  rocksdb_options_t* options = rocksdb_options_create();
  const int levels[] = {rocksdb_no_compression, rocksdb_zstd_compression};
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_keep_log_file_num(options, 17);
  rocksdb_options_set_write_buffer_size(options, 3 << 20);
  rocksdb_options_set_compression_per_level(options, levels, 2);
  rocksdb_options_set_compression_options(options, -13, 9, 1, 4096);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  rocksdb_options_t* family_options = rocksdb_options_create();
  rocksdb_options_set_write_buffer_size(family_options, 5 << 20);
  rocksdb_column_family_handle_t* family =
      rocksdb_create_column_family(db, family_options, "other", &err);
  CHECK_OK(err);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
  rocksdb_options_destroy(family_options);
  rocksdb_options_destroy(options);

  /* The database wrote them down. */
  check_written(path, "compression_per_level=kNoCompression:kZSTD");
  check_written(path, "window_bits=-13;");
  check_written(path, "level=9;");
  check_written(path, "strategy=1;");
  check_written(path, "max_dict_bytes=4096;");
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
  size_t count = 0;
  char** names = NULL;
  rocksdb_options_t** families = NULL;
  rocksdb_load_latest_options(path, env, false, cache, &options, &count, &names, &families, &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_options_get_keep_log_file_num(options), 17);
  CHECK_EQ(count, 2);
  CHECK(strcmp(names[0], "default") == 0 && strcmp(names[1], "other") == 0);
  CHECK_EQ(rocksdb_options_get_write_buffer_size(families[0]), 3 << 20);
  CHECK_EQ(rocksdb_options_get_write_buffer_size(families[1]), 5 << 20);

  /* They open it again. */
  rocksdb_column_family_handle_t* handles[2];
  db = rocksdb_open_column_families(options, path, 2, (const char* const*)names,
                                    (const rocksdb_options_t* const*)families, handles, &err);
  CHECK_OK(err);
  put(db, "k", "v");
  flush(db);
  CHECK_VALUE(db, "k", "v");
  CHECK(rocksdb_cache_get_capacity(cache) == 1 << 20);
  rocksdb_column_family_handle_destroy(handles[0]);
  rocksdb_column_family_handle_destroy(handles[1]);
  rocksdb_close(db);
  rocksdb_load_latest_options_destroy(options, names, families, count);

  rocksdb_load_latest_options("/no/such/folder", env, false, cache, &options, &count, &names,
                              &families, &err);
  CHECK_ERROR(err, "NotFound: ");
  CHECK(options == NULL && count == 0 && names == NULL && families == NULL);
  rocksdb_load_latest_options_destroy(NULL, NULL, NULL, 0);
  rocksdb_cache_destroy(cache);
  rocksdb_env_destroy(env);
  return 0;
}
