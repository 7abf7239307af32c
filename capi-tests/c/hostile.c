/* What the outside world does to a database: folders that are missing, locked, not a folder, not
 * writable, and a full disk. The error texts are RocksDB's. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static rocksdb_options_t* creating(void) {
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  return options;
}

static void missing_parent(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = creating();
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "IO error: No such file or directory: While mkdir if missing: ");
  rocksdb_options_destroy(options);
}

static void not_a_folder(const char* path) {
  char* err = NULL;
  FILE* file = fopen(path, "w");
  CHECK(file != NULL);
  fclose(file);
  rocksdb_options_t* options = creating();
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "IO error: ");
  rocksdb_options_destroy(options);
}

/* Runs `body` in a process of its own; what fails there fails here. */
static void in_child(void (*body)(const char*), const char* path) {
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    body(path);
    _exit(0);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void is_locked_elsewhere(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = creating();
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "IO error: While lock file: ");
  rocksdb_options_destroy(options);
}

static void in_two_processes(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = creating();
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "IO error: lock hold by current process");
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  /* The holder is a child, since a forked process believes that it has its parent's locks. */
  int ready[2], done[2];
  CHECK(pipe(ready) == 0 && pipe(done) == 0);
  fflush(NULL);
  pid_t holder = fork();
  CHECK(holder >= 0);
  char byte = 0;
  /* Each keeps its own ends, so that neither waits for one that is gone. */
  close(holder == 0 ? ready[0] : ready[1]);
  close(holder == 0 ? done[1] : done[0]);
  if (holder == 0) {
    rocksdb_options_t* mine = creating();
    rocksdb_t* held = rocksdb_open(mine, path, &err);
    CHECK_OK(err);
    CHECK_EQ(write(ready[1], &byte, 1), 1);
    CHECK_EQ(read(done[0], &byte, 1), 1);
    rocksdb_close(held);
    rocksdb_options_destroy(mine);
    _exit(0);
  }
  CHECK_EQ(read(ready[0], &byte, 1), 1);
  is_locked_elsewhere(path);
  CHECK_EQ(write(done[1], &byte, 1), 1);
  int status;
  CHECK_EQ(waitpid(holder, &status, 0), holder);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void fill(rocksdb_t* db, int first, int count, char** err) {
  static char value[1000];
  rocksdb_writeoptions_t* options = rocksdb_writeoptions_create();
  for (int i = first; i < first + count && *err == NULL; ++i) {
    char key[16];
    snprintf(key, sizeof(key), "key%06d", i);
    for (size_t at = 0; at < sizeof(value); ++at) value[at] = (char)(i * 31 + at * 17 * i);
    rocksdb_put(db, options, key, 9, value, sizeof(value), err);
  }
  rocksdb_writeoptions_destroy(options);
}

static void cannot_write_but_read(const char* path) {
  char* err = NULL;
  /* Root may write anywhere. */
  if (geteuid() == 0) CHECK(setgid(65534) == 0 && setuid(65534) == 0);
  rocksdb_options_t* options = rocksdb_options_create();
  CHECK(rocksdb_open(options, path, &err) == NULL);
  CHECK_ERROR(err, "IO error: ");
  rocksdb_t* db = rocksdb_open_for_read_only(options, path, 0, &err);
  CHECK_OK(err);
  rocksdb_readoptions_t* read = rocksdb_readoptions_create();
  size_t len;
  char* value = rocksdb_get(db, read, "key000003", 9, &len, &err);
  CHECK_OK(err);
  CHECK_EQ(len, 1000);
  rocksdb_free(value);
  fill(db, 0, 1, &err);
  CHECK_ERROR(err, "Not implemented: Not supported operation in read only mode.");
  rocksdb_readoptions_destroy(read);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static void folder_not_writable(const char* parent, const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = creating();
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  fill(db, 0, 10, &err);
  CHECK_OK(err);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  CHECK(chmod(parent, 0755) == 0 && chmod(path, 0555) == 0);
  in_child(cannot_write_but_read, path);
  CHECK(chmod(path, 0755) == 0);
}

/* On a file system of 2 MiB: what was acknowledged stays readable, also after closing. */
static void disk_full(const char* path) {
  char* err = NULL;
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", path, "tmpfs", 0, "size=2m") != 0) {
    fprintf(stderr, "skipped: a full disk, since nothing can be mounted here\n");
    return;
  }
  rocksdb_options_t* options = creating();
  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_OK(err);
  int acknowledged = 0;
  while (err == NULL && acknowledged < 10000) {
    fill(db, acknowledged, 1, &err);
    acknowledged += err == NULL;
  }
  CHECK_ERROR(err, "IO error: No space left on device: ");
  fill(db, acknowledged, 1, &err);
  CHECK(err != NULL);
  free(err);
  err = NULL;
  CHECK(acknowledged > 100);
  for (int closed = 0; closed < 2; ++closed) {
    rocksdb_readoptions_t* read = rocksdb_readoptions_create();
    for (int i = 0; i < acknowledged; ++i) {
      char key[16];
      size_t len;
      snprintf(key, sizeof(key), "key%06d", i);
      char* value = rocksdb_get(db, read, key, 9, &len, &err);
      CHECK_OK(err);
      CHECK_EQ(len, 1000);
      rocksdb_free(value);
    }
    rocksdb_readoptions_destroy(read);
    rocksdb_close(db);
    db = closed ? NULL : rocksdb_open_for_read_only(options, path, 0, &err);
    CHECK_OK(err);
  }
  rocksdb_options_destroy(options);
}

int main(int argc, char** argv) {
  (void)argc;
  missing_parent(in_folder(argv, "no/such/parent"));
  not_a_folder(in_folder(argv, "file"));
  in_two_processes(in_folder(argv, "locked"));
  folder_not_writable(argv[1], in_folder(argv, "read-only"));
  const char* small = in_folder(argv, "small");
  CHECK(mkdir(small, 0755) == 0);
  in_child(disk_full, small);
  return 0;
}
