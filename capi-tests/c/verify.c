#include <dirent.h>

#include "check.h"

/* Turns a bit around in the first data block of every table in the folder. */
static void damage(const char* path) {
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strstr(entry->d_name, ".sst") != NULL) {
      char name[1400];
      snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
      FILE* file = fopen(name, "r+");
      CHECK(file != NULL);
      CHECK_EQ(fseek(file, 5, SEEK_SET), 0);
      int byte = fgetc(file);
      CHECK_EQ(fseek(file, 5, SEEK_SET), 0);
      fputc(byte ^ 4, file);
      CHECK_EQ(fclose(file), 0);
    }
  }
  closedir(dir);
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char* path = in_folder(argv, "db");
  rocksdb_t* db = open_new(path);
  rocksdb_readoptions_t* options = rocksdb_readoptions_create();
  rocksdb_verify_checksum(db, &err);
  CHECK_OK(err);
  put(db, "a", "1");
  flush(db);
  /* The block is in the cache, and verified on the disk nevertheless. */
  CHECK_VALUE(db, "a", "1");
  rocksdb_verify_checksum(db, &err);
  CHECK_OK(err);
  rocksdb_verify_checksum_with_options(db, options, &err);
  CHECK_OK(err);
  rocksdb_verify_checksum_with_options(db, NULL, &err);
  CHECK_OK(err);
  damage(path);
  CHECK_VALUE(db, "a", "1");
  rocksdb_verify_checksum(db, &err);
  CHECK_ERROR(err, "Corruption: ");
  rocksdb_verify_checksum_with_options(db, NULL, &err);
  CHECK_ERROR(err, "Corruption: ");
  rocksdb_readoptions_set_readahead_size(options, 1 << 20);
  rocksdb_readoptions_set_read_tier(options, 1);
  rocksdb_verify_checksum_with_options(db, options, &err);
  CHECK_ERROR(err, "Corruption: ");
  rocksdb_readoptions_set_verify_checksums(options, 0);
  rocksdb_verify_checksum_with_options(db, options, &err);
  CHECK_OK(err);
  rocksdb_readoptions_set_deadline(options, 1);
  rocksdb_verify_checksum_with_options(db, options, &err);
  CHECK_ERROR(err, "Operation timed out: ");

  const char* none =
      "Invalid argument: Cannot verify file checksum if options.file_checksum_gen_factory is null";
  rocksdb_verify_file_checksums(db, &err);
  CHECK_ERROR(err, none);
  rocksdb_verify_file_checksums_with_options(db, NULL, &err);
  CHECK_ERROR(err, none);
  rocksdb_readoptions_set_read_tier(options, 99);
  rocksdb_verify_file_checksums_with_options(db, options, &err);
  CHECK_ERROR(err, "Invalid argument: read_tier: ");

  /* Each function takes the activity that it is, and no other. */
  rocksdb_readoptions_t* other = rocksdb_readoptions_create();
  rocksdb_readoptions_set_io_activity(other, 3);
  rocksdb_verify_checksum_with_options(db, other, &err);
  CHECK_ERROR(err, "Invalid argument: Can only call VerifyChecksum with `ReadOptions::io_activity` is "
                   "`Env::IOActivity::kUnknown` or `Env::IOActivity::kVerifyDBChecksum`");
  rocksdb_verify_file_checksums_with_options(db, other, &err);
  CHECK_ERROR(err, "Invalid argument: Can only call VerifyFileChecksums with ");
  rocksdb_iterator_t* iter = rocksdb_create_iterator(db, other);
  rocksdb_iter_get_error(iter, &err);
  CHECK_ERROR(err, "Invalid argument: Can only call NewIterator with ");
  rocksdb_iter_destroy(iter);
  size_t len;
  char* value = rocksdb_get(db, other, "a", 1, &len, &err);
  CHECK_OK(err);
  CHECK_BYTES(value, len, "1");
  rocksdb_free(value);
  rocksdb_readoptions_set_io_activity(other, 5);
  CHECK(rocksdb_get(db, other, "a", 1, &len, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: Can only call Get with ");
  rocksdb_readoptions_set_io_activity(other, 255);
  rocksdb_readoptions_set_io_activity(other, 11);
  CHECK(rocksdb_get(db, other, "a", 1, &len, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: io_activity: ");
  rocksdb_readoptions_destroy(other);

  rocksdb_verify_checksum(NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_readoptions_destroy(options);
  rocksdb_close(db);
  return 0;
}
