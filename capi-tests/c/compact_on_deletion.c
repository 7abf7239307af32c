#include "check.h"

/* Deletes 20 of 40 keys, and returns how many tables level 0 has when nothing is left to be
   done. */
static char files(char** argv, rocksdb_options_t* options) {
  static int databases = 0;
  char name[16], *err = NULL;
  snprintf(name, sizeof(name), "db%d", databases++);
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, in_folder(argv, name), &err);
  CHECK_OK(err);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  char key[8];
  for (int i = 0; i < 40; ++i) {
    snprintf(key, sizeof(key), "k%02d", i);
    put(db, key, "value");
  }
  flush(db);
  for (int i = 0; i < 40; ++i) {
    snprintf(key, sizeof(key), "k%02d", i);
    if (i % 2 == 0) {
      rocksdb_delete(db, write, key, 3, &err);
      CHECK_OK(err);
    } else {
      put(db, key, "other");
    }
  }
  flush(db);
  rocksdb_wait_for_compact_options_t* wait = rocksdb_wait_for_compact_options_create();
  rocksdb_wait_for_compact(db, wait, &err);
  CHECK_OK(err);
  rocksdb_wait_for_compact_options_destroy(wait);
  CHECK_VALUE(db, "k00", NULL);
  CHECK_VALUE(db, "k01", "other");
  char* text = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
  CHECK(text != NULL && strlen(text) == 1);
  char count = text[0];
  rocksdb_free(text);
  rocksdb_writeoptions_destroy(write);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  return count;
}

int main(int argc, char** argv) {
  (void)argc;
  CHECK_EQ(files(argv, rocksdb_options_create()), '2');
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_add_compact_on_deletion_collector_factory(options, 128, 20);
  CHECK_EQ(files(argv, options), '0');
  options = rocksdb_options_create();
  rocksdb_options_add_compact_on_deletion_collector_factory(options, 128, 21);
  CHECK_EQ(files(argv, options), '2');
  options = rocksdb_options_create();
  rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(options, 128, 21, 0.5);
  CHECK_EQ(files(argv, options), '0');
  options = rocksdb_options_create();
  rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(options, 128, 21, 0.6);
  CHECK_EQ(files(argv, options), '2');
  /* One that wants it is enough, and files count from a size on. */
  options = rocksdb_options_create();
  rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(options, 128, 20, 0.5,
                                                                          1 << 20);
  CHECK_EQ(files(argv, options), '2');
  options = rocksdb_options_create();
  rocksdb_options_add_compact_on_deletion_collector_factory(options, 128, 21);
  rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(options, 128, 20, 0, 0);
  CHECK_EQ(files(argv, options), '0');
  rocksdb_options_add_compact_on_deletion_collector_factory(NULL, 128, 21);
  return 0;
}
