#include "check.h"

enum { kind_log = 0, kind_table = 2, kind_manifest = 3, kind_current = 4, kind_options = 9 };

/* How many files hold this; the last one is in `*at`. */
static int count_of(const rocksdb_livefiles_storage_info_t* info, int kind, size_t* at) {
  int count = 0;
  for (size_t i = 0; i < rocksdb_livefiles_storage_info_count(info); i++) {
    if (rocksdb_livefiles_storage_info_file_type(info, i) == kind) {
      count++;
      *at = i;
    }
  }
  return count;
}

/* Copies the files by hand, as programs do. */
static void copy(const rocksdb_livefiles_storage_info_t* info, const char* to) {
  for (size_t i = 0; i < rocksdb_livefiles_storage_info_count(info); i++) {
    char from_name[1200], to_name[1200];
    const char* name = rocksdb_livefiles_storage_info_relative_filename(info, i);
    const char* dir = rocksdb_livefiles_storage_info_directory(info, i);
    snprintf(from_name, sizeof(from_name), "%s/%s", dir, name);
    snprintf(to_name, sizeof(to_name), "%s/%s", to, name);
    size_t len = 99, size = (size_t)rocksdb_livefiles_storage_info_size(info, i);
    const char* content = rocksdb_livefiles_storage_info_replacement_contents(info, i, &len);
    char* bytes = malloc(size + 1);
    CHECK(bytes != NULL);
    if (len > 0) {
      CHECK_EQ(len, size);
      memcpy(bytes, content, size);
    } else {
      FILE* file = fopen(from_name, "r");
      CHECK(file != NULL);
      CHECK_EQ(fread(bytes, 1, size, file), size);
      /* Where nothing is to be cut off, that was the whole file. */
      if (!rocksdb_livefiles_storage_info_trim_to_size(info, i)) {
        CHECK_EQ(fgetc(file), EOF);
      }
      fclose(file);
    }
    FILE* file = fopen(to_name, "w");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
  }
}

static void unflushed(rocksdb_t* db, const char* path, const char* to) {
  char* err = NULL;
  rocksdb_livefiles_storage_info_options_t* options =
      rocksdb_livefiles_storage_info_options_create();
  CHECK_OPTION(rocksdb_livefiles_storage_info_options, include_checksum_info, 0, 1);
  CHECK_OPTION(rocksdb_livefiles_storage_info_options, wal_size_for_flush, 0, UINT64_MAX);
  CHECK_OPTION(rocksdb_livefiles_storage_info_options, atomic_flush, 0, 1);
  rocksdb_livefiles_storage_info_t* info = rocksdb_get_livefiles_storage_info(db, options, &err);
  CHECK_OK(err);
  size_t at = 0;
  CHECK_EQ(count_of(info, kind_options, &at), 1);
  CHECK(count_of(info, kind_log, &at) > 0);
  CHECK(rocksdb_livefiles_storage_info_size(info, at) > 0);
  CHECK_EQ(count_of(info, kind_table, &at), 1);
  CHECK(rocksdb_livefiles_storage_info_file_number(info, at) > 0);
  CHECK_EQ(rocksdb_livefiles_storage_info_trim_to_size(info, at), 0);
  CHECK(strcmp(rocksdb_livefiles_storage_info_directory(info, at), path) == 0);
  CHECK(strcmp(rocksdb_livefiles_storage_info_file_checksum_func_name(info, at), "Unknown") == 0);
  CHECK(strcmp(rocksdb_livefiles_storage_info_file_checksum(info, at), "") == 0);
  CHECK_EQ(count_of(info, kind_manifest, &at), 1);
  CHECK_EQ(rocksdb_livefiles_storage_info_trim_to_size(info, at), 1);
  CHECK_EQ(count_of(info, kind_current, &at), 1);
  CHECK(strcmp(rocksdb_livefiles_storage_info_relative_filename(info, at), "CURRENT") == 0);
  CHECK_EQ(rocksdb_livefiles_storage_info_file_number(info, at), 0);

  copy(info, to);
  rocksdb_livefiles_storage_info_destroy(info);
  rocksdb_livefiles_storage_info_options_destroy(options);
  rocksdb_options_t* opened = rocksdb_options_create();
  rocksdb_t* other = rocksdb_open(opened, to, &err);
  CHECK_OK(err);
  CHECK_VALUE(other, "a", "1");
  CHECK_VALUE(other, "b", "2");
  rocksdb_close(other);
  rocksdb_options_destroy(opened);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char *path = in_folder(argv, "db"), *to = in_folder(argv, "copy");
  rocksdb_t* db = open_new(path);
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_create_dir_if_missing(env, to, &err);
  CHECK_OK(err);
  rocksdb_env_destroy(env);
  put(db, "a", "1");
  flush(db);
  put(db, "b", "2");
  unflushed(db, path, to);

  /* By default everything is in tables. */
  rocksdb_livefiles_storage_info_t* info = rocksdb_get_livefiles_storage_info(db, NULL, &err);
  CHECK_OK(err);
  size_t at = 0, len = 99, count = rocksdb_livefiles_storage_info_count(info);
  CHECK_EQ(count_of(info, kind_table, &at), 2);
  CHECK(strcmp(rocksdb_livefiles_storage_info_file_checksum_func_name(info, at), "") == 0);
  CHECK(rocksdb_livefiles_storage_info_relative_filename(info, count) == NULL);
  CHECK_EQ(rocksdb_livefiles_storage_info_size(info, count), 0);
  CHECK(rocksdb_livefiles_storage_info_replacement_contents(info, count, &len) == NULL);
  CHECK_EQ(len, 0);
  rocksdb_livefiles_storage_info_destroy(info);
  rocksdb_livefiles_storage_info_destroy(NULL);
  rocksdb_livefiles_storage_info_options_destroy(NULL);
  CHECK(rocksdb_get_livefiles_storage_info(NULL, NULL, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_close(db);
  return 0;
}
