/*
 * The C interface of Hematite: that of RocksDB 11.8, with the same names, prototypes, constants
 * and ownership, on the same files. Made from the sources by cbindgen; not edited by hand.
 *
 * Conventions
 *
 * - Handles are pointers to types that only the library knows. What `..._create` or another
 *   function returns is given back by the function that its documentation names; destroying NULL
 *   is harmless.
 * - Keys and values are bytes with a length, and may hold zeros.
 * - A function that can fail has a last parameter `errptr`. It points to NULL or to a text from
 *   `malloc`. On success it stays as it is; on failure the old text is freed and `*errptr` is a
 *   new one, which the caller frees. The text starts with the kind of error, as in RocksDB:
 *   "NotFound: ", "Corruption: ", "Not implemented: ", "Invalid argument: ", "IO error: ",
 *   "Result incomplete: ", "Shutdown in progress: ", "Operation timed out: ",
 *   "Operation aborted: ", "Resource busy: ", "Operation expired: ",
 *   "Operation failed. Try again.: ", "Column family dropped: ".
 * - What the caller has to free comes from `malloc`: `free` and `rocksdb_free` both do.
 * - Flags are of type `unsigned char`: 0 is false, all else is true.
 * - A `rocksdb_t` may be used by any number of threads at once. Other objects may be read by
 *   several threads at once, and changed by one while no other uses them.
 * - NULL where a handle or text is asked for is an error, or has no effect where the function
 *   cannot report one.
 */


#ifndef HEMATITE_ROCKSDB_C_H
#define HEMATITE_ROCKSDB_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(ROCKSDB_DLL)
#define ROCKSDB_LIBRARY_API __declspec(dllimport)
#else
#define ROCKSDB_LIBRARY_API
#endif


// How a block is compressed.
typedef enum {
  // Stored as it is.
  rocksdb_no_compression = 0,
  // Snappy.
  rocksdb_snappy_compression = 1,
  // zlib.
  rocksdb_zlib_compression = 2,
  // bzip2.
  rocksdb_bz2_compression = 3,
  // LZ4.
  rocksdb_lz4_compression = 4,
  // LZ4's slow, tighter form.
  rocksdb_lz4hc_compression = 5,
  // Windows' Xpress; not available here.
  rocksdb_xpress_compression = 6,
  // Zstandard.
  rocksdb_zstd_compression = 7,
} rocksdb_compression;

// What opening a database does with a write-ahead log whose end or middle is damaged.
typedef enum {
  // Drops an incomplete record at the end of a log; refuses any other damage.
  rocksdb_tolerate_corrupted_tail_records_recovery = 0,
  // Refuses any damage.
  rocksdb_absolute_consistency_recovery = 1,
  // Stops at the first damage: the database is as it was at some moment before.
  rocksdb_point_in_time_recovery = 2,
  // Skips damaged records and keeps whatever else can be read.
  rocksdb_skip_any_corrupted_records_recovery = 3,
} rocksdb_wal_recovery;

// An order of keys that the caller defines. It is borrowed by the options and databases that use
// it: destroy it after them. (What still uses it when it is destroyed keeps it alive.)
typedef struct rocksdb_comparator_t rocksdb_comparator_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* ---- Comparators: orders of keys that the caller defines ---- */

// Makes an order of keys from the caller's functions, each of which receives `state` and may be
// called by any thread at any time. `compare` returns a number below, at or above zero for a
// before, equal to or behind b. `name` returns the order's name, which is stored in a database
// and must be the same whenever that is opened. `destructor` is called once, in the end.
extern ROCKSDB_LIBRARY_API
rocksdb_comparator_t *rocksdb_comparator_create(void *state,
                                                void (*destructor)(void*),
                                                int (*compare)(void*,
                                                               const char *a,
                                                               size_t alen,
                                                               const char *b,
                                                               size_t blen),
                                                const char *(*name)(void*));

// Gives the comparator up; its destructor is called as soon as nothing uses it.
extern ROCKSDB_LIBRARY_API void rocksdb_comparator_destroy(rocksdb_comparator_t *comparator);

/* ---- Memory that the library hands to the caller ---- */

// Frees a value, list or error text that this library returned. It is `free`, so that a program
// may call either; NULL is harmless.
extern ROCKSDB_LIBRARY_API void rocksdb_free(void *ptr);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HEMATITE_ROCKSDB_C_H */
