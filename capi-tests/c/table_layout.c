#include "check.h"

#include <dirent.h>

/* All table files of a database, one behind the other, in a buffer that grows. */
static char* bytes;
static size_t size;

static void read_tables(const char* path) {
  size = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strstr(entry->d_name, ".sst") == NULL) continue;
    char name[2048];
    snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
    FILE* file = fopen(name, "rb");
    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    size_t len = (size_t)ftell(file);
    rewind(file);
    bytes = realloc(bytes, size + len);
    CHECK(bytes != NULL && fread(bytes + size, 1, len, file) == len);
    size += len;
    fclose(file);
  }
  closedir(dir);
}

/* Whether the table files hold this text. */
static int holds(const char* text, size_t len) {
  for (size_t i = 0; i + len <= size; ++i) {
    if (memcmp(bytes + i, text, len) == 0) return 1;
  }
  return 0;
}

static void options_of(rocksdb_options_t* options, rocksdb_block_based_table_options_t* table) {
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_block_based_table_factory(options, table);
}

/* Writes words that every block has anew, reads them back, and returns the bytes of the tables:
   flushed, or compacted to the last level. Their first blocks have words of their own. */
static size_t stored(char** argv, rocksdb_options_t* options, int compacts) {
  static int databases = 0;
  char name[16], *err = NULL;
  snprintf(name, sizeof(name), "db%d", databases++);
  const char* path = in_folder(argv, name);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  char key[16], value[400], expected[400];
  unsigned state = 1;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 600; ++i) {
      snprintf(key, sizeof(key), "key%05d", i);
      int at = 0;
      for (int word = 0; word < 12; ++word) {
        state = state * 1103515245u + 12345u;
        unsigned which = (state >> 16) % 100 + (i < 30 ? 1000 : 0);
        at += snprintf(value + at, sizeof(value) - (size_t)at, "%08x-%08x ", which * 2654435761u,
                       which * 40503u * 65537u);
      }
      if (round == 0) {
        put(db, key, value);
      } else {
        snprintf(expected, sizeof(expected), "%s", value);
        CHECK_VALUE(db, key, expected);
        snprintf(key, sizeof(key), "key%05dx", i);
        CHECK_VALUE(db, key, NULL);
      }
    }
    state = 1;
    if (round == 0) flush(db);
  }
  if (compacts) {
    rocksdb_compactoptions_t* how = rocksdb_compactoptions_create();
    rocksdb_compactoptions_set_bottommost_level_compaction(how, 2);
    rocksdb_compact_range_opt(db, how, NULL, 0, NULL, 0);
    rocksdb_compactoptions_destroy(how);
    rocksdb_wait_for_compact_options_t* wait = rocksdb_wait_for_compact_options_create();
    rocksdb_wait_for_compact_options_set_wait_for_purge(wait, 1);
    rocksdb_wait_for_compact(db, wait, &err);
    CHECK_OK(err);
    rocksdb_wait_for_compact_options_destroy(wait);
  }
  rocksdb_close(db);
  read_tables(path);
  return size;
}

#define FRESH                                                                            \
  rocksdb_options_t* options = rocksdb_options_create();                                 \
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();     \
  rocksdb_block_based_options_set_block_size(table, 2048)

#define GONE                                   \
  rocksdb_block_based_options_destroy(table);  \
  rocksdb_options_destroy(options)

static size_t with_ratio(char** argv, int type, double ratio, int old_name) {
  FRESH;
  rocksdb_options_set_compression(options, rocksdb_no_compression);
  rocksdb_block_based_options_set_data_block_index_type(table, type);
  if (old_name) {
    rocksdb_block_based_options_set_data_block_hash_ratio(table, ratio);
  } else {
    rocksdb_block_based_options_set_data_block_hash_table_util_ratio(table, ratio);
  }
  CHECK(rocksdb_block_based_options_get_data_block_hash_table_util_ratio(table) == ratio);
  options_of(options, table);
  size_t len = stored(argv, options, 0);
  GONE;
  return len;
}

static void hash_index(char** argv) {
  const int binary = rocksdb_block_based_table_data_block_index_type_binary_search;
  const int hash = rocksdb_block_based_table_data_block_index_type_binary_search_and_hash;
  size_t none = with_ratio(argv, binary, 0.5, 0);
  size_t one = with_ratio(argv, hash, 1, 0);
  size_t ten = with_ratio(argv, hash, 0.1, 0);
  CHECK(one > none + 600);
  CHECK(ten > one + 5000);
  CHECK_EQ(with_ratio(argv, hash, 0.1, 1), ten);

  /* A hash index is a part of these, too. */
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_optimize_for_point_lookup(options, 7);
  rocksdb_t* db = rocksdb_open(options, in_folder(argv, "points"), &err);
  CHECK_OK(err);
  put(db, "a", "1");
  flush(db);
  CHECK_VALUE(db, "a", "1");
  CHECK_VALUE(db, "b", NULL);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static void alignment(char** argv) {
  FRESH;
  CHECK_EQ(rocksdb_block_based_options_get_block_align(table), 0);
  rocksdb_block_based_options_set_block_align(table, 1);
  CHECK_EQ(rocksdb_block_based_options_get_block_align(table), 1);
  options_of(options, table);
  char* err = NULL;
  CHECK(rocksdb_open(options, in_folder(argv, "packed"), &err) == NULL);
  CHECK_ERROR(err, "Invalid argument: Enable block_align, but compression enabled");
  rocksdb_options_set_compression(options, rocksdb_no_compression);
  size_t aligned = stored(argv, options, 0);
  /* The trailer of the first block ends before 2048, and zeros follow. */
  CHECK(aligned > 2048 * 60 && bytes[2047] == 0 && bytes[2046] == 0);
  GONE;
}

static void host_id(char** argv) {
  FRESH;
  size_t len = 0;
  const char* id;
  id = rocksdb_options_get_db_host_id(options, &len);
  CHECK_BYTES(id, len, "__hostname__");
  rocksdb_options_set_db_host_id(options, "a-host-of-its-own");
  id = rocksdb_options_get_db_host_id(options, &len);
  CHECK_BYTES(id, len, "a-host-of-its-own");
  options_of(options, table);
  stored(argv, options, 0);
  CHECK(holds("a-host-of-its-own", 17));
  GONE;
}

static size_t from_level(char** argv, int level) {
  FRESH;
  options_of(options, table);
  rocksdb_options_set_min_level_to_compress(options, level);
  rocksdb_options_set_min_level_to_compress(options, -1);
  size_t len = stored(argv, options, 0);
  GONE;
  return len;
}

/* With which parameters; -1 leaves one as it is. */
struct dictionary {
  int bytes, train;
  long buffer;
  int last_level;
};

static size_t with_dictionary(char** argv, struct dictionary how) {
  FRESH;
  options_of(options, table);
  rocksdb_options_set_compression(options, rocksdb_zstd_compression);
  rocksdb_options_set_bottommost_compression(options, rocksdb_zstd_compression);
  if (how.last_level) {
    rocksdb_options_set_bottommost_compression_options(options, -14, 32767, 0, how.bytes, 1);
    if (how.train >= 0) {
      rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(options, how.train,
                                                                              1);
    }
    if (how.buffer >= 0) {
      rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(
          options, (uint64_t)how.buffer, 1);
    }
  } else {
    rocksdb_options_set_compression_options(options, -14, 32767, 0, how.bytes);
    if (how.train >= 0) {
      CHECK_OPTION(rocksdb_options, compression_options_zstd_max_train_bytes, 0, how.train);
    }
    if (how.buffer >= 0) {
      CHECK_OPTION(rocksdb_options, compression_options_max_dict_buffer_bytes, 0,
                   (uint64_t)how.buffer);
    }
  }
  size_t len = stored(argv, options, how.last_level);
  GONE;
  return len;
}

static void dictionaries(char** argv) {
  /* What a dictionary that Zstandard trained begins with. */
  const char magic[4] = {0x37, (char)0xa4, 0x30, (char)0xec};
  for (int last_level = 0; last_level < 2; ++last_level) {
    struct dictionary how = {0, -1, -1, last_level};
    size_t none = with_dictionary(argv, how);
    CHECK(!holds("rocksdb.compression_dict", 24));
    how.bytes = 4000;
    size_t raw = with_dictionary(argv, how);
    CHECK(holds("rocksdb.compression_dict", 24) && !holds(magic, 4));
    CHECK(raw + 5000 < none);
    /* The first blocks alone make a bad dictionary. */
    how.buffer = 2048;
    CHECK(with_dictionary(argv, how) > raw + 5000);
    how.buffer = -1;
    how.train = 100000;
    CHECK(with_dictionary(argv, how) + 5000 < none);
    CHECK(holds(magic, 4));
  }
}

/* Dictionaries from samples without the trainer. */
static void untrained(char** argv) {
  FRESH;
  options_of(options, table);
  char* err = NULL;
  CHECK_OPTION(rocksdb_options, compression_options_use_zstd_dict_trainer, 1, 0);
  rocksdb_options_set_compression_options(options, -14, 32767, 0, 1000);
  rocksdb_options_set_compression_options_zstd_max_train_bytes(options, 1000);
  CHECK(rocksdb_open(options, in_folder(argv, "untrained"), &err) == NULL);
  CHECK_ERROR(err, "Not implemented: compression_opts.use_zstd_dict_trainer=false");
  rocksdb_options_set_compression_options_use_zstd_dict_trainer(options, 1);
  CHECK_EQ(rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(options), 1);
  rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(options, 0, 1);
  CHECK_EQ(rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(options), 0);
  rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(options, 1000, 1);
  rocksdb_options_set_bottommost_compression_options(options, -14, 32767, 0, 1000, 1);
  CHECK(rocksdb_open(options, in_folder(argv, "untrained"), &err) == NULL);
  CHECK_ERROR(err, "Not implemented: bottommost_compression_opts.use_zstd_dict_trainer=false");
  GONE;
}

int main(int argc, char** argv) {
  (void)argc;
  hash_index(argv);
  alignment(argv);
  host_id(argv);
  CHECK(from_level(argv, 0) + 5000 < from_level(argv, 1));
  dictionaries(argv);
  untrained(argv);
  free(bytes);
  return 0;
}
