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

// A cache for blocks of table files. Options and databases that use it share it, so it may be
// destroyed as soon as it was handed to them.
typedef struct rocksdb_cache_t rocksdb_cache_t;

// An order of keys that the caller defines. It is borrowed by the options and databases that use
// it: destroy it after them. (What still uses it when it is destroyed keeps it alive.)
typedef struct rocksdb_comparator_t rocksdb_comparator_t;

// Where files live, and the threads that work in the background. Options and databases that use
// it share it, so it may be destroyed as soon as it was handed to them.
typedef struct rocksdb_env_t rocksdb_env_t;

// A filter policy. `rocksdb_block_based_options_set_filter_policy` takes it over; one that was
// not handed over is given back by `rocksdb_filterpolicy_destroy`.
typedef struct rocksdb_filterpolicy_t rocksdb_filterpolicy_t;

// Where messages go. Options and databases that use it share it, so it may be destroyed as soon
// as it was handed to them.
typedef struct rocksdb_logger_t rocksdb_logger_t;

// How an LRU cache is to be. The capacity has to be set.
typedef struct rocksdb_lru_cache_options_t rocksdb_lru_cache_options_t;

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

/* ---- Filter policies: which filter a table gets against needless reads ---- */

// Gives back a policy that was not handed over.
extern ROCKSDB_LIBRARY_API void rocksdb_filterpolicy_destroy(rocksdb_filterpolicy_t *policy);

// Bloom filters of `bits_per_key` bits a key; 10 gives about 1 % of needless reads.
extern ROCKSDB_LIBRARY_API
rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_bloom(double bits_per_key);

// The same as `rocksdb_filterpolicy_create_bloom`: filters a block, as opposed to full ones, are
// no longer made.
extern ROCKSDB_LIBRARY_API
rocksdb_filterpolicy_t *rocksdb_filterpolicy_create_bloom_full(double bits_per_key);

/* ---- Caches: blocks of table files in memory, shared by databases ---- */

// Makes options for an LRU cache; given back by `rocksdb_lru_cache_options_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_lru_cache_options_t *rocksdb_lru_cache_options_create(void);

// Gives the options back.
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_destroy(rocksdb_lru_cache_options_t *options);

// Sets the capacity in bytes.
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_set_capacity(rocksdb_lru_cache_options_t *options,
                                            size_t capacity);

// Sets the number of shards, as a power of two; -1 lets the capacity decide.
extern ROCKSDB_LIBRARY_API
void rocksdb_lru_cache_options_set_num_shard_bits(rocksdb_lru_cache_options_t *options,
                                                  int num_shard_bits);

// Makes an LRU cache of `capacity` bytes; given back by `rocksdb_cache_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_cache_t *rocksdb_cache_create_lru(size_t capacity);

// Makes an LRU cache in which reads fail rather than let blocks in use exceed `capacity` bytes.
extern ROCKSDB_LIBRARY_API
rocksdb_cache_t *rocksdb_cache_create_lru_with_strict_capacity_limit(size_t capacity);

// Makes an LRU cache as the options say.
extern ROCKSDB_LIBRARY_API
rocksdb_cache_t *rocksdb_cache_create_lru_opts(const rocksdb_lru_cache_options_t *options);

// Gives the cache up; it lives on in what uses it.
extern ROCKSDB_LIBRARY_API void rocksdb_cache_destroy(rocksdb_cache_t *cache);

// Changes the capacity, in bytes, and evicts what is too much.
extern ROCKSDB_LIBRARY_API void rocksdb_cache_set_capacity(rocksdb_cache_t *cache, size_t capacity);

// The capacity in bytes.
extern ROCKSDB_LIBRARY_API size_t rocksdb_cache_get_capacity(const rocksdb_cache_t *cache);

// The bytes that the blocks take.
extern ROCKSDB_LIBRARY_API size_t rocksdb_cache_get_usage(const rocksdb_cache_t *cache);

// The bytes of the blocks that are in use.
extern ROCKSDB_LIBRARY_API size_t rocksdb_cache_get_pinned_usage(const rocksdb_cache_t *cache);

// The size of the cache's hash tables, in entries.
extern ROCKSDB_LIBRARY_API
size_t rocksdb_cache_get_table_address_count(const rocksdb_cache_t *cache);

// How many blocks are in the cache.
extern ROCKSDB_LIBRARY_API size_t rocksdb_cache_get_occupancy_count(const rocksdb_cache_t *cache);

/* ---- Environments: where files live, and the threads that work in the background ---- */

// The operating system's files, and threads shared by the whole process; given back by
// `rocksdb_env_destroy`.
extern ROCKSDB_LIBRARY_API rocksdb_env_t *rocksdb_create_default_env(void);

// Sets the number of threads for compactions, the same as
// `rocksdb_env_set_low_priority_background_threads`.
extern ROCKSDB_LIBRARY_API void rocksdb_env_set_background_threads(rocksdb_env_t *env, int n);

// The number of threads for compactions.
extern ROCKSDB_LIBRARY_API int rocksdb_env_get_background_threads(rocksdb_env_t *env);

// Sets the number of threads for compactions to the last level; while there are none, the other threads for compactions do them.
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_bottom_priority_background_threads(rocksdb_env_t *env,
                                                        int n);

// The number of threads for compactions to the last level.
extern ROCKSDB_LIBRARY_API
int rocksdb_env_get_bottom_priority_background_threads(rocksdb_env_t *env);

// Sets the number of threads for compactions.
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_low_priority_background_threads(rocksdb_env_t *env,
                                                     int n);

// The number of threads for compactions.
extern ROCKSDB_LIBRARY_API int rocksdb_env_get_low_priority_background_threads(rocksdb_env_t *env);

// Sets the number of threads for flushes.
extern ROCKSDB_LIBRARY_API
void rocksdb_env_set_high_priority_background_threads(rocksdb_env_t *env,
                                                      int n);

// The number of threads for flushes.
extern ROCKSDB_LIBRARY_API int rocksdb_env_get_high_priority_background_threads(rocksdb_env_t *env);

// Waits until the threads have nothing to do.
extern ROCKSDB_LIBRARY_API void rocksdb_env_join_all_threads(rocksdb_env_t *env);

// Gives the environment up; it lives on in what uses it.
extern ROCKSDB_LIBRARY_API void rocksdb_env_destroy(rocksdb_env_t *env);

/* ---- Loggers: where a database's messages go instead of into its LOG file ---- */

// A logger that writes messages of `log_level` (0 debug, 1 info, 2 warning, 3 error, 4 fatal,
// 5 header) and above to standard error, each with `prefix` before it unless that is NULL.
extern ROCKSDB_LIBRARY_API
rocksdb_logger_t *rocksdb_logger_create_stderr_logger(int log_level,
                                                      const char *prefix);

// A logger that calls `callback` with `priv`, the level, and the text with its length, for each
// message of `log_level` and above, from any thread. The text may be changed and is gone after
// the call.
extern ROCKSDB_LIBRARY_API
rocksdb_logger_t *rocksdb_logger_create_callback_logger(int log_level,
                                                        void (*callback)(void*,
                                                                         unsigned int lev,
                                                                         char *msg,
                                                                         size_t len),
                                                        void *priv);

// Gives the logger up; it lives on in what uses it.
extern ROCKSDB_LIBRARY_API void rocksdb_logger_destroy(rocksdb_logger_t *logger);

/* ---- Memory that the library hands to the caller ---- */

// Frees a value, list or error text that this library returned. It is `free`, so that a program
// may call either; NULL is harmless.
extern ROCKSDB_LIBRARY_API void rocksdb_free(void *ptr);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HEMATITE_ROCKSDB_C_H */
