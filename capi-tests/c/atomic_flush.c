#include "check.h"

#include <dirent.h>

/* How many groups of changes that count all or none begin in the MANIFEST of the database: records
   that end in the tag of a group and the number of those that follow. */
static int groups(const char* path) {
  static const char tag[] = {(char)0xac, 0x02, 0x01};
  static char content[1 << 16];
  char name[1400] = "";
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strncmp(entry->d_name, "MANIFEST-", 9) == 0) {
      snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
    }
  }
  closedir(dir);
  FILE* file = fopen(name, "r");
  CHECK(file != NULL);
  size_t len = fread(content, 1, sizeof(content), file);
  CHECK(len < sizeof(content));
  fclose(file);
  int count = 0;
  for (size_t at = 0; at + sizeof(tag) <= len; at++) {
    count += memcmp(content + at, tag, sizeof(tag)) == 0;
  }
  return count;
}

int main(int argc, char** argv) {
  (void)argc;
  char* err = NULL;
  const char *path = in_folder(argv, "db"), *backups = in_folder(argv, "backups");
  rocksdb_t* db = open_new(path);
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_column_family_handle_t* other =
      rocksdb_create_column_family(db, options, "other", &err);
  CHECK_OK(err);
  rocksdb_column_family_handle_t* both[] = {rocksdb_get_default_column_family_handle(db), other};
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_livefiles_storage_info_options_t* files =
      rocksdb_livefiles_storage_info_options_create();
  rocksdb_create_backup_options_t* backup = rocksdb_create_backup_options_create();
  rocksdb_create_backup_options_set_flush_before_backup(backup, 1);
  rocksdb_backup_engine_t* engine = rocksdb_backup_engine_open(options, backups, &err);
  CHECK_OK(err);

  int before = groups(path);
  for (int step = 0; step < 6; step++) {
    for (int i = 0; i < 2; i++) {
      rocksdb_put_cf(db, write, both[i], "key", 3, "value", 5, &err);
      CHECK_OK(err);
    }
    int atomic = step % 2;
    if (step < 2) {
      rocksdb_flushoptions_set_force_atomic_flush(flush, (unsigned char)atomic);
      rocksdb_flush_cfs(db, flush, both, 2, &err);
    } else if (step < 4) {
      rocksdb_livefiles_storage_info_options_set_atomic_flush(files, (unsigned char)atomic);
      rocksdb_livefiles_storage_info_destroy(
          rocksdb_get_livefiles_storage_info(db, files, &err));
    } else {
      rocksdb_create_backup_options_set_atomic_flush(backup, (unsigned char)atomic);
      rocksdb_backup_engine_create_new_backup_with_options(engine, db, backup, NULL, &err);
    }
    CHECK_OK(err);
    CHECK_EQ(groups(path) - before, atomic);
    before = groups(path);
  }

  rocksdb_backup_engine_close(engine);
  rocksdb_create_backup_options_destroy(backup);
  rocksdb_livefiles_storage_info_options_destroy(files);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_writeoptions_destroy(write);
  rocksdb_column_family_handle_destroy(both[0]);
  rocksdb_column_family_handle_destroy(other);
  rocksdb_options_destroy(options);
  rocksdb_close(db);
  return 0;
}
