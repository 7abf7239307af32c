#include "check.h"

int main(int argc, char** argv) {
  (void)argc;
  rocksdb_t* db = open_new(in_folder(argv, "db"));
  put(db, "key", "12345");
  rocksdb_perfcontext_t* context = rocksdb_perfcontext_create();
  CHECK(context != NULL);
  CHECK_VALUE(db, "key", "12345");
  CHECK_EQ(rocksdb_perfcontext_metric(context, rocksdb_get_read_bytes), 0);

  rocksdb_set_perf_level(rocksdb_enable_count);
  CHECK_VALUE(db, "key", "12345");
  CHECK_VALUE(db, "key", "12345");
  CHECK_EQ(rocksdb_perfcontext_metric(context, rocksdb_get_read_bytes), 10);
  CHECK_EQ(rocksdb_perfcontext_metric(context, rocksdb_get_from_memtable_count), 2);
  CHECK_EQ(rocksdb_perfcontext_metric(context, rocksdb_get_from_memtable_time), 0);
  CHECK_EQ(rocksdb_perfcontext_metric(context, -1), 0);
  CHECK_EQ(rocksdb_perfcontext_metric(context, rocksdb_total_metric_count), 0);
  /* A level that is none changes nothing. */
  rocksdb_set_perf_level(77);
  CHECK_VALUE(db, "key", "12345");
  CHECK_EQ(rocksdb_perfcontext_metric(context, rocksdb_get_read_bytes), 15);

  char* report = rocksdb_perfcontext_report(context, 1);
  CHECK_BYTES(report, strlen(report), "get_read_bytes = 15, get_from_memtable_count = 3");
  rocksdb_free(report);
  report = rocksdb_perfcontext_report(context, 0);
  CHECK(strstr(report, "user_key_comparison_count = 0, block_cache_hit_count = ") == report);
  CHECK(strstr(report, ", get_read_bytes = 15, ") != NULL);
  rocksdb_free(report);

  rocksdb_set_perf_level(rocksdb_enable_time);
  CHECK_VALUE(db, "key", "12345");
  CHECK(rocksdb_perfcontext_metric(context, rocksdb_get_from_memtable_time) > 0);
  rocksdb_perfcontext_reset(context);
  rocksdb_set_perf_level(rocksdb_disable);
  CHECK_EQ(rocksdb_perfcontext_metric(context, rocksdb_get_read_bytes), 0);
  CHECK_VALUE(db, "key", "12345");
  CHECK_EQ(rocksdb_perfcontext_metric(context, rocksdb_get_read_bytes), 0);
  rocksdb_perfcontext_destroy(context);

  CHECK_EQ(rocksdb_perfcontext_metric(NULL, 1), 0);
  CHECK(rocksdb_perfcontext_report(NULL, 0) == NULL);
  rocksdb_perfcontext_reset(NULL);
  rocksdb_perfcontext_destroy(NULL);
  rocksdb_close(db);
  return 0;
}
