#include "check.h"

static void test_engine_options(void) {
  rocksdb_backup_engine_options_t* options = rocksdb_backup_engine_options_create("/one");
  size_t len = 99;
  const char* dir = rocksdb_backup_engine_options_get_backup_dir(options, &len);
  CHECK_BYTES(dir, len, "/one");
  rocksdb_backup_engine_options_set_backup_dir(options, "/other");
  dir = rocksdb_backup_engine_options_get_backup_dir(options, &len);
  CHECK_BYTES(dir, len, "/other");
  CHECK_OPTION(rocksdb_backup_engine_options, share_table_files, 1, 0);
  CHECK_OPTION(rocksdb_backup_engine_options, sync, 1, 0);
  CHECK_OPTION(rocksdb_backup_engine_options, destroy_old_data, 0, 1);
  CHECK_OPTION(rocksdb_backup_engine_options, backup_log_files, 1, 0);
  CHECK_OPTION(rocksdb_backup_engine_options, max_background_operations, 1, 4);
  CHECK_OPTION(rocksdb_backup_engine_options, io_buffer_size, 0, 1 << 20);
  CHECK_OPTION(rocksdb_backup_engine_options, callback_trigger_interval_size, 4 << 20, 1000);
  CHECK_OPTION(rocksdb_backup_engine_options, share_files_with_checksum, 1, 0);
  CHECK_OPTION(rocksdb_backup_engine_options, share_files_with_checksum_naming, -2147483646, 1);
  CHECK_OPTION(rocksdb_backup_engine_options, schema_version, 1, 2);
  CHECK_OPTION(rocksdb_backup_engine_options, backup_rate_limit, 0, 1 << 20);
  CHECK_OPTION(rocksdb_backup_engine_options, restore_rate_limit, 0, 2 << 20);
  CHECK_OPTION(rocksdb_backup_engine_options, max_valid_backups_to_open, 2147483647, 3);
  rocksdb_backup_engine_options_destroy(options);
}

static void test_create_options(void) {
  rocksdb_create_backup_options_t* options = rocksdb_create_backup_options_create();
  CHECK_OPTION(rocksdb_create_backup_options, flush_before_backup, 0, 1);
  CHECK_OPTION(rocksdb_create_backup_options, atomic_flush, 0, 1);
  CHECK_OPTION(rocksdb_create_backup_options, decrease_background_thread_cpu_priority, 0, 1);
  CHECK_OPTION(rocksdb_create_backup_options, background_thread_cpu_priority, 2, 0);
  rocksdb_create_backup_options_destroy(options);
}

static void test_restore_options(void) {
  rocksdb_restore_options_t* options = rocksdb_restore_options_create();
  CHECK_OPTION(rocksdb_restore_options, keep_log_files, 0, 1);
  CHECK_OPTION(rocksdb_restore_options, mode, 65535, 2);
  rocksdb_restore_options_destroy(options);
}

int main(void) {
  test_engine_options();
  test_create_options();
  test_restore_options();
  return 0;
}
