#include "check.h"

static void created_and_dropped(rocksdb_t* db) {
  char* err = NULL;
  size_t len = 0;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_column_family_handle_t* one = rocksdb_create_column_family(db, options, "one", &err);
  CHECK_OK(err);
  CHECK_EQ(rocksdb_column_family_handle_get_id(one), 1);
  char* name = rocksdb_column_family_handle_get_name(one, &len);
  CHECK_BYTES(name, len, "one");
  rocksdb_free(name);
  CHECK(rocksdb_create_column_family(db, options, "one", &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");

  rocksdb_column_family_handle_t* standard = rocksdb_get_default_column_family_handle(db);
  CHECK_EQ(rocksdb_column_family_handle_get_id(standard), 0);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  rocksdb_put_cf(db, write, one, "k", 1, "in one", 6, &err);
  CHECK_OK(err);
  rocksdb_put_cf(db, write, standard, "k", 1, "in default", 10, &err);
  CHECK_OK(err);
  CHECK_VALUE_CF(db, one, "k", "in one");
  CHECK_VALUE(db, "k", "in default");
  rocksdb_column_family_handle_destroy(standard);

  /* Dropped: read through its handle, not written. */
  rocksdb_drop_column_family(db, one, &err);
  CHECK_OK(err);
  CHECK_VALUE_CF(db, one, "k", "in one");
  rocksdb_put_cf(db, write, one, "k", 1, "x", 1, &err);
  CHECK(err != NULL);
  rocksdb_free(err);
  err = NULL;
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush_cf(db, flush, one, &err);
  CHECK_ERROR(err, "Column family dropped: ");
  rocksdb_flushoptions_destroy(flush);
  rocksdb_column_family_handle_destroy(one);
  rocksdb_writeoptions_destroy(write);
  rocksdb_options_destroy(options);
}

static void created_as_a_list(rocksdb_t* db) {
  char* err = NULL;
  const char* names[] = {"two", "three", "two"};
  size_t count = 0;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_column_family_handle_t** handles =
      rocksdb_create_column_families(db, options, 3, names, &count, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK_EQ(count, 2);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  for (size_t i = 0; i < count; i++) {
    CHECK_EQ(rocksdb_column_family_handle_get_id(handles[i]), 2 + i);
    rocksdb_put_cf(db, write, handles[i], "name", 4, names[i], strlen(names[i]), &err);
    CHECK_OK(err);
    rocksdb_column_family_handle_destroy(handles[i]);
  }
  rocksdb_writeoptions_destroy(write);
  rocksdb_create_column_families_destroy(handles);
  rocksdb_options_destroy(options);
}

static void listed(const char* path) {
  char* err = NULL;
  size_t count = 0;
  rocksdb_options_t* options = rocksdb_options_create();
  char** names = rocksdb_list_column_families(options, path, &count, &err);
  CHECK_OK(err);
  CHECK_EQ(count, 3);
  CHECK(strcmp(names[0], "default") == 0);
  CHECK(strcmp(names[1], "two") == 0);
  CHECK(strcmp(names[2], "three") == 0);
  rocksdb_list_column_families_destroy(names, count);
  names = rocksdb_list_column_families(options, "/no/such/folder", &count, &err);
  CHECK_ERROR(err, "IO error: ");
  CHECK_EQ(count, 0);
  rocksdb_list_column_families_destroy(names, count);
  rocksdb_options_destroy(options);
}

static void opened(const char* path) {
  char* err = NULL;
  const char* names[] = {"default", "three", "two"};
  rocksdb_options_t* options = rocksdb_options_create();
  const rocksdb_options_t* family_options[] = {options, options, options};
  rocksdb_column_family_handle_t* handles[3];

  /* All have to be named. */
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: Column families not opened: ");
  rocksdb_t* db = rocksdb_open_column_families(options, path, 3, names, family_options, handles, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "k", "in default");
  CHECK_VALUE_CF(db, handles[0], "k", "in default");
  CHECK_VALUE_CF(db, handles[1], "name", "three");
  CHECK_VALUE_CF(db, handles[2], "name", "two");
  for (int i = 0; i < 3; i++) {
    rocksdb_column_family_handle_destroy(handles[i]);
  }
  rocksdb_close(db);

  /* A reader may leave some out. */
  db = rocksdb_open_for_read_only_column_families(options, path, 2, names, family_options, handles, 0,
                                                  &err);
  CHECK_OK(err);
  CHECK_VALUE_CF(db, handles[1], "name", "three");
  rocksdb_close(db);
  /* Handles may be destroyed late. */
  rocksdb_column_family_handle_destroy(handles[0]);
  rocksdb_column_family_handle_destroy(handles[1]);
  rocksdb_options_destroy(options);
}

static void missing_are_created(const char* path) {
  char* err = NULL;
  const char* names[] = {"default", "new"};
  rocksdb_options_t* options = rocksdb_options_create();
  const rocksdb_options_t* family_options[] = {options, options};
  rocksdb_column_family_handle_t* handles[2];
  rocksdb_options_set_create_if_missing(options, 1);
  CHECK(rocksdb_open_column_families(options, path, 2, names, family_options, handles, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: Column family not found");
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_t* db = rocksdb_open_column_families(options, path, 2, names, family_options, handles, &err);
  CHECK_OK(err);
  rocksdb_column_family_handle_destroy(handles[0]);
  rocksdb_column_family_handle_destroy(handles[1]);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static void hostile_calls(rocksdb_t* db) {
  char* err = NULL;
  size_t count = 9;
  rocksdb_options_t* options = rocksdb_options_create();
  const char* names[] = {"default", NULL};
  const rocksdb_options_t* family_options[] = {options, NULL};
  rocksdb_column_family_handle_t* handles[2];
  CHECK(rocksdb_create_column_family(db, NULL, "x", &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_create_column_family(NULL, options, "x", &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_drop_column_family(db, NULL, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_create_column_families(db, options, -1, names, &count, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK_EQ(count, 0);
  CHECK(rocksdb_open_column_families(options, "/x", 2, names, family_options, handles, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_open_column_families(options, "/x", 1, names, family_options, NULL, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_open_column_families(options, "/x", -1, names, family_options, handles, &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: ");
  CHECK(rocksdb_get_default_column_family_handle(NULL) == NULL);
  CHECK(rocksdb_column_family_handle_get_name(NULL, &count) == NULL);
  CHECK_EQ(rocksdb_column_family_handle_get_id(NULL), 0);
  rocksdb_column_family_handle_destroy(NULL);
  rocksdb_list_column_families_destroy(NULL, 0);
  rocksdb_create_column_families_destroy(NULL);
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  const char* path = in_folder(argv, "db");
  rocksdb_t* db = open_new(path);
  created_and_dropped(db);
  created_as_a_list(db);
  hostile_calls(db);
  rocksdb_close(db);
  listed(path);
  opened(path);
  missing_are_created(in_folder(argv, "new"));
  return 0;
}
