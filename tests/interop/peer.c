/* What a program that knows only RocksDB's C interface does with a database. Linked to the real
 * library, it says how that one sees what Hematite wrote, and writes what Hematite is to read.
 *
 *   peer read  DIR          opens for reading only, prints everything
 *   peer open  DIR          opens for writing, prints everything
 *   peer write DIR CODEC    applies the commands on standard input, prints everything, and ends
 *                           without closing the database
 *   peer backup DIR FOLDER  adds a backup to a folder of them, without flushing, prints everything
 *   peer restore DIR FOLDER NUMBER   restores a backup (0 for the newest) after verifying all
 *   peer filter DIR bloom|ribbon BITS COUNT VERSION   writes a table with that filter
 *   peer checkpoint DIR FOLDER       makes a checkpoint without flushing, prints everything
 *
 * A command is a line: `put FAMILY KEY VALUE`, `delete FAMILY KEY`, `single FAMILY KEY`,
 * `merge FAMILY KEY OPERAND`, `range FAMILY BEGIN END`, `flush FAMILY`, `compact FAMILY`,
 * `create FAMILY`; numbers are added by `uint64add`; keys and values in hex behind an `x`. Rows are printed as
 * `FAMILY<TAB>KEY<TAB>VALUE` in hex, in the order of the keys. The library's statistics end up on
 * standard error. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FAMILIES = 16, LONGEST_LINE = 1 << 20 };

static char *names[MOST_FAMILIES];
static rocksdb_column_family_handle_t *families[MOST_FAMILIES];
static size_t num_families;
static rocksdb_t *db;
static rocksdb_options_t *options;

static void check(char *error, const char *what) {
  if (error != NULL) {
    fprintf(stderr, "%s: %s\n", what, error);
    exit(1);
  }
}

static void require(int condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "%s\n", what);
    exit(1);
  }
}

static void print_hex(const char *bytes, size_t len) {
  for (size_t i = 0; i < len; i++) printf("%02x", (unsigned char)bytes[i]);
}

/* Replaces the digits behind the `x` by their bytes; returns how many there are. */
static size_t from_hex(char *text) {
  size_t len = strlen(text + 1) / 2;
  for (size_t i = 0; i < len; i++) {
    unsigned byte;
    require(sscanf(text + 1 + 2 * i, "%2x", &byte) == 1, "bad hex");
    text[i] = (char)byte;
  }
  return len;
}

static void make_options(int codec) {
  options = rocksdb_options_create();
  rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10));
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_options_set_compression(options, codec);
  rocksdb_options_set_uint64add_merge_operator(options);
  /* Many small tables on several levels. */
  rocksdb_options_set_level0_file_num_compaction_trigger(options, 2);
  rocksdb_options_set_target_file_size_base(options, 8 << 10);
  rocksdb_options_set_max_bytes_for_level_base(options, 20 << 10);
  rocksdb_options_enable_statistics(options);
  rocksdb_options_set_create_if_missing(options, codec >= 0);
}

static void open_database(const char *dir, int read_only) {
  char *error = NULL;
  const rocksdb_options_t *each[MOST_FAMILIES];
  char **found = rocksdb_list_column_families(options, dir, &num_families, &error);
  if (error != NULL) { /* a new database */
    free(error);
    error = NULL;
    num_families = 1;
    found = malloc(sizeof *found);
    found[0] = strdup("default");
  }
  require(num_families < MOST_FAMILIES, "too many column families");
  for (size_t i = 0; i < num_families; i++) {
    names[i] = found[i];
    each[i] = options;
  }
  const char *const *all = (const char *const *)names;
  if (read_only) {
    db = rocksdb_open_for_read_only_column_families(options, dir, (int)num_families, all, each,
                                                    families, 0, &error);
  } else {
    db = rocksdb_open_column_families(options, dir, (int)num_families, all, each, families, &error);
  }
  check(error, "open");
}

/* Gets a key right behind `key` that nobody wrote. */
static void get_absent(size_t family, const rocksdb_readoptions_t *read, const char *key,
                       size_t len) {
  char *error = NULL;
  size_t got_len;
  char *absent = malloc(len + 2);
  memcpy(absent, key, len);
  memcpy(absent + len, "\0?", 2);
  require(rocksdb_get_cf(db, read, families[family], absent, len + 2, &got_len, &error) == NULL,
          "found a key that is not there");
  check(error, "get");
  free(absent);
}

static void dump_family(size_t family) {
  char *error = NULL;
  size_t forward = 0, backward = 0;
  rocksdb_readoptions_t *read = rocksdb_readoptions_create();
  rocksdb_iterator_t *iter = rocksdb_create_iterator_cf(db, read, families[family]);
  for (rocksdb_iter_seek_to_first(iter); rocksdb_iter_valid(iter); rocksdb_iter_next(iter)) {
    size_t key_len, value_len, got_len;
    const char *key = rocksdb_iter_key(iter, &key_len);
    const char *value = rocksdb_iter_value(iter, &value_len);
    printf("%s\t", names[family]);
    print_hex(key, key_len);
    printf("\t");
    print_hex(value, value_len);
    printf("\n");
    char *got = rocksdb_get_cf(db, read, families[family], key, key_len, &got_len, &error);
    check(error, "get");
    require(got != NULL && got_len == value_len && memcmp(got, value, value_len) == 0,
            "get and iterator disagree");
    free(got);
    get_absent(family, read, key, key_len);
    forward++;
  }
  rocksdb_iter_get_error(iter, &error);
  check(error, "forward");
  for (rocksdb_iter_seek_to_last(iter); rocksdb_iter_valid(iter); rocksdb_iter_prev(iter)) {
    backward++;
  }
  rocksdb_iter_get_error(iter, &error);
  check(error, "backward");
  require(forward == backward, "more keys one way than the other");
  rocksdb_iter_destroy(iter);
  rocksdb_readoptions_destroy(read);
}

static size_t family_named(const char *name) {
  for (size_t i = 0; i < num_families; i++) {
    if (strcmp(names[i], name) == 0) return i;
  }
  require(0, "no such column family");
  return 0;
}

static void run(char *line) {
  char *error = NULL;
  char *command = strtok(line, " \n"), *name = strtok(NULL, " \n");
  char *key = strtok(NULL, " \n"), *value = strtok(NULL, " \n");
  require(command != NULL && name != NULL, "bad command");
  if (strcmp(command, "create") == 0) {
    require(num_families < MOST_FAMILIES, "too many column families");
    names[num_families] = strdup(name);
    families[num_families] = rocksdb_create_column_family(db, options, name, &error);
    num_families++;
    check(error, "create");
    return;
  }
  rocksdb_column_family_handle_t *family = families[family_named(name)];
  rocksdb_writeoptions_t *write = rocksdb_writeoptions_create();
  size_t key_len = key == NULL ? 0 : from_hex(key);
  if (strcmp(command, "put") == 0) {
    require(value != NULL, "bad command");
    size_t value_len = from_hex(value);
    rocksdb_put_cf(db, write, family, key, key_len, value, value_len, &error);
  } else if (strcmp(command, "delete") == 0) {
    rocksdb_delete_cf(db, write, family, key, key_len, &error);
  } else if (strcmp(command, "single") == 0) {
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    rocksdb_writebatch_singledelete_cf(batch, family, key, key_len);
    rocksdb_write(db, write, batch, &error);
    rocksdb_writebatch_destroy(batch);
  } else if (strcmp(command, "merge") == 0) {
    require(value != NULL, "bad command");
    size_t value_len = from_hex(value);
    rocksdb_merge_cf(db, write, family, key, key_len, value, value_len, &error);
  } else if (strcmp(command, "range") == 0) {
    require(value != NULL, "bad command");
    size_t end_len = from_hex(value);
    rocksdb_delete_range_cf(db, write, family, key, key_len, value, end_len, &error);
  } else if (strcmp(command, "compact") == 0) {
    rocksdb_compact_range_cf(db, family, NULL, 0, NULL, 0);
  } else if (strcmp(command, "flush") == 0) {
    rocksdb_flushoptions_t *flush = rocksdb_flushoptions_create();
    rocksdb_flush_cf(db, flush, family, &error);
    rocksdb_flushoptions_destroy(flush);
  } else {
    require(0, "unknown command");
  }
  check(error, command);
  rocksdb_writeoptions_destroy(write);
}

static rocksdb_backup_engine_t *open_backups(const char *folder) {
  char *error = NULL;
  rocksdb_backup_engine_t *engine = rocksdb_backup_engine_open(options, folder, &error);
  check(error, "open backups");
  return engine;
}

static void backup(const char *folder) {
  char *error = NULL;
  rocksdb_backup_engine_t *engine = open_backups(folder);
  rocksdb_backup_engine_create_new_backup(engine, db, &error);
  check(error, "backup");
  rocksdb_backup_engine_close(engine);
}

static void restore(const char *dir, const char *folder, unsigned number) {
  char *error = NULL;
  rocksdb_backup_engine_t *engine = open_backups(folder);
  const rocksdb_backup_engine_info_t *info = rocksdb_backup_engine_get_backup_info(engine);
  for (int i = 0; i < rocksdb_backup_engine_info_count(info); i++) {
    rocksdb_backup_engine_verify_backup(engine, rocksdb_backup_engine_info_backup_id(info, i),
                                        &error);
    check(error, "verify");
  }
  rocksdb_backup_engine_info_destroy(info);
  rocksdb_restore_options_t *how = rocksdb_restore_options_create();
  if (number == 0) {
    rocksdb_backup_engine_restore_db_from_latest_backup(engine, dir, dir, how, &error);
  } else {
    rocksdb_backup_engine_restore_db_from_backup(engine, dir, dir, how, number, &error);
  }
  check(error, "restore");
  rocksdb_restore_options_destroy(how);
  rocksdb_backup_engine_close(engine);
}

static void make_checkpoint(const char *folder) {
  char *error = NULL;
  rocksdb_checkpoint_t *checkpoint = rocksdb_checkpoint_object_create(db, &error);
  check(error, "checkpoint object");
  rocksdb_checkpoint_create(checkpoint, folder, (uint64_t)-1, &error);
  check(error, "checkpoint");
  rocksdb_checkpoint_object_destroy(checkpoint);
}

/* Writes the keys `key0000000` and so on, as many as asked for, into one table. */
static void write_filter(char **argv) {
  char *error = NULL;
  double bits = atof(argv[4]);
  rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(
      table, strcmp(argv[3], "ribbon") == 0 ? rocksdb_filterpolicy_create_ribbon_hybrid(bits, -1)
                                            : rocksdb_filterpolicy_create_bloom_full(bits));
  rocksdb_block_based_options_set_format_version(table, atoi(argv[6]));
  options = rocksdb_options_create();
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_options_set_create_if_missing(options, 1);
  db = rocksdb_open(options, argv[2], &error);
  check(error, "open");
  rocksdb_writeoptions_t *write = rocksdb_writeoptions_create();
  rocksdb_writeoptions_disable_WAL(write, 1);
  for (int i = 0; i < atoi(argv[5]); i++) {
    char key[16];
    int len = snprintf(key, sizeof key, "key%07d", i);
    rocksdb_put(db, write, key, len, "v", 1, &error);
    check(error, "put");
  }
  rocksdb_flushoptions_t *flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  check(error, "flush");
  rocksdb_close(db);
}

int main(int argc, char **argv) {
  require(argc >= 3, "usage: peer read|open|write|filter|backup|restore|checkpoint DIR ...");
  if (strcmp(argv[1], "filter") == 0) {
    require(argc == 7, "filter needs a kind, bits, a number of keys, and a version");
    write_filter(argv);
    return 0;
  }
  if (strcmp(argv[1], "restore") == 0) {
    require(argc == 5, "restore needs a folder and a number");
    make_options(0);
    restore(argv[2], argv[3], (unsigned)atoi(argv[4]));
    return 0;
  }
  int writing = strcmp(argv[1], "write") == 0;
  require(!writing || argc == 4, "write needs a codec");
  make_options(writing ? atoi(argv[3]) : 0);
  /* What is backed up is what stays. */
  rocksdb_options_set_disable_auto_compactions(options, strcmp(argv[1], "backup") == 0);
  open_database(argv[2], strcmp(argv[1], "read") == 0);
  if (writing) {
    char *line = malloc(LONGEST_LINE);
    while (fgets(line, LONGEST_LINE, stdin) != NULL) run(line);
  }
  if (argc == 4 && strcmp(argv[1], "backup") == 0) backup(argv[3]);
  if (argc == 4 && strcmp(argv[1], "checkpoint") == 0) make_checkpoint(argv[3]);
  for (size_t i = 0; i < num_families; i++) dump_family(i);
  fflush(stdout);
  char *statistics = rocksdb_options_statistics_get_string(options);
  fputs(statistics, stderr);
  free(statistics);
  if (writing) _exit(0);
  for (size_t i = 0; i < num_families; i++) rocksdb_column_family_handle_destroy(families[i]);
  rocksdb_close(db);
  return 0;
}
