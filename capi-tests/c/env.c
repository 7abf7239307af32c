#include "check.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void threads(void) {
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_env_set_background_threads(env, 3);
  CHECK_EQ(rocksdb_env_get_background_threads(env), 3);
  CHECK_EQ(rocksdb_env_get_low_priority_background_threads(env), 3);
  rocksdb_env_set_low_priority_background_threads(env, 4);
  rocksdb_env_set_high_priority_background_threads(env, 5);
  rocksdb_env_set_bottom_priority_background_threads(env, 6);
  CHECK_EQ(rocksdb_env_get_background_threads(env), 4);
  CHECK_EQ(rocksdb_env_get_high_priority_background_threads(env), 5);
  CHECK_EQ(rocksdb_env_get_bottom_priority_background_threads(env), 6);
  rocksdb_env_set_background_threads(env, -1);
  CHECK_EQ(rocksdb_env_get_background_threads(env), 0);
  rocksdb_env_set_background_threads(env, 2);

  /* Every default environment is the same one. */
  rocksdb_env_t* again = rocksdb_create_default_env();
  CHECK_EQ(rocksdb_env_get_high_priority_background_threads(again), 5);
  rocksdb_env_join_all_threads(again);
  rocksdb_env_destroy(again);
  CHECK_EQ(rocksdb_env_get_bottom_priority_background_threads(env), 6);
  rocksdb_env_destroy(env);
}

/* What happens to the threads of the process. */
struct threads {
  int low;      /* threads for compactions */
  int high;     /* threads for flushes */
  int low_cpu;  /* how many have nice value 19 */
  int high_cpu;
  int low_io; /* how many have the idle class */
  int high_io;
};

static struct threads look(void) {
  struct threads found = {0, 0, 0, 0, 0, 0};
  DIR* dir = opendir("/proc/self/task");
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    int id = atoi(entry->d_name);
    char name[64] = "", path[300];
    snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
    FILE* file = fopen(path, "r");
    if (id == 0 || file == NULL) continue;
    CHECK(fgets(name, sizeof(name), file) != NULL);
    fclose(file);
    int cpu = getpriority(PRIO_PROCESS, (id_t)id) == 19;
    int io = syscall(SYS_ioprio_get, 1, id) >> 13 == 3;
    if (strcmp(name, "hematite:low\n") == 0) {
      found.low++, found.low_cpu += cpu, found.low_io += io;
    } else if (strcmp(name, "hematite:high\n") == 0) {
      found.high++, found.high_cpu += cpu, found.high_io += io;
    }
  }
  closedir(dir);
  return found;
}

/* Makes both kinds of threads work: the files of so many flushes are compacted. */
static void work(const char* path) {
  char* err = NULL;
  rocksdb_t* db = open_new(path);
  for (int i = 0; i < 5; i++) {
    put(db, "k", "v");
    flush(db);
  }
  rocksdb_wait_for_compact_options_t* options = rocksdb_wait_for_compact_options_create();
  rocksdb_wait_for_compact(db, options, &err);
  CHECK_OK(err);
  rocksdb_wait_for_compact_options_destroy(options);
  rocksdb_close(db);
}

/* The last of the process, since there is no way back. */
static void lowered(const char* path) {
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_env_set_background_threads(env, 1);
  rocksdb_env_set_high_priority_background_threads(env, 1);
  work(path);
  struct threads found = look();
  CHECK(found.high > 0 && found.high_cpu == 0 && found.high_io == 0);
  CHECK(found.low > 0 && found.low_cpu == 0 && found.low_io == 0);
  rocksdb_env_lower_high_priority_thread_pool_cpu_priority(env);
  work(path);
  found = look();
  CHECK(found.high_cpu > 0 && found.high_io == 0 && found.low_cpu == 0 && found.low_io == 0);
  rocksdb_env_lower_high_priority_thread_pool_io_priority(env);
  work(path);
  found = look();
  CHECK(found.high_io > 0 && found.low_io == 0);
  rocksdb_env_lower_thread_pool_cpu_priority(env);
  work(path);
  found = look();
  CHECK(found.low_cpu > 0 && found.low_io == 0);
  rocksdb_env_lower_thread_pool_io_priority(env);
  work(path);
  found = look();
  CHECK(found.low_io > 0);
  rocksdb_env_destroy(env);
}

static void folders(const char* path) {
  char* err = NULL;
  rocksdb_env_t* env = rocksdb_create_default_env();
  CHECK(access(path, F_OK) != 0);
  rocksdb_create_dir_if_missing(env, path, &err);
  CHECK_OK(err);
  CHECK_EQ(access(path, X_OK), 0);
  rocksdb_create_dir_if_missing(env, path, &err);
  CHECK_OK(err);
  char file[1100];
  snprintf(file, sizeof(file), "%s/file", path);
  fclose(fopen(file, "w"));
  rocksdb_create_dir_if_missing(env, file, &err);
  CHECK_ERROR(err, "IO error: ");
  rocksdb_create_dir_if_missing(NULL, path, &err);
  CHECK_ERROR(err, "Invalid argument: ");
  rocksdb_env_destroy(env);
}

static void null_is_harmless(void) {
  rocksdb_env_set_background_threads(NULL, 1);
  CHECK_EQ(rocksdb_env_get_background_threads(NULL), 0);
  rocksdb_env_join_all_threads(NULL);
  rocksdb_env_destroy(NULL);
}

/* A database in memory leaves nothing behind, and is there as long as its environment is. */
static void in_memory(const char* path) {
  char* err = NULL;
  rocksdb_env_t* env = rocksdb_create_mem_env();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_env(options, env);
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  put(db, "k", "v");
  flush(db);
  rocksdb_close(db);
  CHECK(access(path, F_OK) != 0);
  rocksdb_env_destroy(env);
  db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  CHECK_VALUE(db, "k", "v");
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

/* The bytes of all table files in the folder. */
static long table_bytes(const char* path) {
  long bytes = 0;
  DIR* dir = opendir(path);
  CHECK(dir != NULL);
  for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    if (strstr(entry->d_name, ".sst") != NULL) {
      struct stat data;
      char file[2048];
      snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
      bytes += stat(file, &data) == 0 ? data.st_size : 0;
    }
  }
  closedir(dir);
  return bytes;
}

/* Once the threads have nothing to do, a flush that nobody waited for is over. */
static void waited_for(const char* path) {
  enum { size = 1 << 20, count = 16 };
  char* err = NULL;
  char* value = malloc(size);
  CHECK(value != NULL);
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_t* db = open_new(path);
  rocksdb_writeoptions_t* write = rocksdb_writeoptions_create();
  unsigned random = 1;
  for (int i = 0; i < count; i++) {
    char key = (char)('a' + i);
    for (int j = 0; j < size; j++) {
      random = random * 1664525u + 1013904223u;
      value[j] = (char)(random >> 24);
    }
    rocksdb_put(db, write, &key, 1, value, size, &err);
    CHECK_OK(err);
  }
  rocksdb_flushoptions_t* options = rocksdb_flushoptions_create();
  rocksdb_flushoptions_set_wait(options, 0);
  rocksdb_flush(db, options, &err);
  CHECK_OK(err);
  rocksdb_env_join_all_threads(env);
  CHECK(table_bytes(path) > (long)size * count);
  rocksdb_flushoptions_destroy(options);
  rocksdb_writeoptions_destroy(write);
  rocksdb_close(db);
  rocksdb_env_destroy(env);
  free(value);
}

int main(int argc, char** argv) {
  (void)argc;
  threads();
  null_is_harmless();
  waited_for(in_folder(argv, "flushed"));
  in_memory(in_folder(argv, "db"));
  folders(in_folder(argv, "folder"));
  lowered(in_folder(argv, "lowered"));
  return 0;
}
