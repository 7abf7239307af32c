#include "check.h"

/* Numbers of RocksDB 11.8's tickers and histograms. */
enum { KEYS_WRITTEN = 58, KEYS_READ = 59, BYTES_READ = 62 };
enum { DB_GET = 0, BYTES_PER_READ = 31 };

static rocksdb_t* open_counting(rocksdb_options_t* options, const char* path) {
  char* err = NULL;
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  return db;
}

static void nothing_without_statistics(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK(rocksdb_options_statistics_get_string(options) == NULL);
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(options, KEYS_READ), 0);
  rocksdb_options_set_statistics_level(options, rocksdb_statistics_level_all);
  CHECK_EQ(rocksdb_options_get_statistics_level(options), rocksdb_statistics_level_disable_all);
  rocksdb_options_destroy(options);
}

static void levels(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_enable_statistics(options);
  CHECK_EQ(rocksdb_options_get_statistics_level(options),
           rocksdb_statistics_level_except_detailed_timers);
  rocksdb_options_set_statistics_level(options, rocksdb_statistics_level_except_timers);
  CHECK_EQ(rocksdb_options_get_statistics_level(options), rocksdb_statistics_level_except_timers);
  rocksdb_options_set_statistics_level(options, 99);
  CHECK_EQ(rocksdb_options_get_statistics_level(options), rocksdb_statistics_level_all);
  CHECK_EQ(rocksdb_statistics_level_except_tickers, rocksdb_statistics_level_disable_all);
  rocksdb_options_set_statistics_level(options, -1);
  CHECK_EQ(rocksdb_options_get_statistics_level(options), rocksdb_statistics_level_disable_all);
  rocksdb_options_destroy(options);
}

static void counts(const char* path) {
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_enable_statistics(options);
  rocksdb_t* db = open_counting(options, path);
  put(db, "a", "1");
  put(db, "b", "1234567");
  CHECK_VALUE(db, "a", "1");
  CHECK_VALUE(db, "b", "1234567");
  CHECK_VALUE(db, "b", "1234567");
  CHECK_VALUE(db, "c", NULL);
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(options, KEYS_WRITTEN), 2);
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(options, KEYS_READ), 4);
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(options, BYTES_READ), 15);
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(options, 100000), 0);

  rocksdb_statistics_histogram_data_t* data = rocksdb_statistics_histogram_data_create();
  CHECK(data != NULL);
  CHECK_EQ(rocksdb_statistics_histogram_data_get_count(data), 0);
  rocksdb_options_statistics_get_histogram_data(options, BYTES_PER_READ, data);
  CHECK_EQ(rocksdb_statistics_histogram_data_get_count(data), 4);
  CHECK_EQ(rocksdb_statistics_histogram_data_get_sum(data), 15);
  CHECK(rocksdb_statistics_histogram_data_get_max(data) == 7);
  CHECK(rocksdb_statistics_histogram_data_get_min(data) == 0);
  CHECK(rocksdb_statistics_histogram_data_get_average(data) == 3.75);
  /* 0, 1, 7, 7: half are in the bucket [0, 1]. */
  CHECK(rocksdb_statistics_histogram_data_get_median(data) == 1);
  CHECK(rocksdb_statistics_histogram_data_get_p95(data) == 7);
  CHECK(rocksdb_statistics_histogram_data_get_median(data) == 1);
  CHECK(rocksdb_statistics_histogram_data_get_p99(data) == 7);
  double deviation = rocksdb_statistics_histogram_data_get_std_dev(data);
  CHECK(deviation > 3.26 && deviation < 3.27);
  rocksdb_options_statistics_get_histogram_data(options, DB_GET, data);
  CHECK_EQ(rocksdb_statistics_histogram_data_get_count(data), 4);
  /* An empty one has no smallest value yet. */
  rocksdb_options_statistics_get_histogram_data(options, 1 + 78, data);
  CHECK(rocksdb_statistics_histogram_data_get_min(data) > 1e19);

  char* text = rocksdb_options_statistics_get_string(options);
  CHECK(text != NULL);
  CHECK(strstr(text, "rocksdb.number.keys.read COUNT : 4\n") != NULL);
  CHECK(strstr(text, "rocksdb.bytes.per.read P50 : 1.000000 P95 : 7.000000 P99 : 7.000000 "
                     "P100 : 7.000000 COUNT : 4 SUM : 15\n") != NULL);
  rocksdb_free(text);

  /* A second database on a copy of the options counts along. */
  rocksdb_options_t* copy = rocksdb_options_create_copy(options);
  char other[1100];
  snprintf(other, sizeof(other), "%s-other", path);
  rocksdb_t* second = open_counting(copy, other);
  put(second, "a", "1");
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(options, KEYS_WRITTEN), 3);
  rocksdb_close(second);
  rocksdb_options_destroy(copy);
  rocksdb_close(db);
  /* What was counted outlives the databases. */
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(options, KEYS_WRITTEN), 3);
  rocksdb_options_enable_statistics(options);
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(options, KEYS_WRITTEN), 0);
  rocksdb_statistics_histogram_data_destroy(data);
  rocksdb_options_destroy(options);
}

static void null_is_harmless(void) {
  rocksdb_options_enable_statistics(NULL);
  rocksdb_options_set_statistics_level(NULL, 1);
  CHECK_EQ(rocksdb_options_get_statistics_level(NULL), 0);
  CHECK(rocksdb_options_statistics_get_string(NULL) == NULL);
  CHECK_EQ(rocksdb_options_statistics_get_ticker_count(NULL, 1), 0);
  rocksdb_options_statistics_get_histogram_data(NULL, 1, NULL);
  CHECK_EQ(rocksdb_statistics_histogram_data_get_count(NULL), 0);
  rocksdb_statistics_histogram_data_destroy(NULL);
}

int main(int argc, char** argv) {
  (void)argc;
  nothing_without_statistics();
  levels();
  counts(in_folder(argv, "db"));
  null_is_harmless();
  return 0;
}
