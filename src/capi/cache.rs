//! Caches: blocks of table files in memory, shared by databases.

use std::ffi::c_int;
use std::sync::Arc;

use crate::base::sync::Mutex;
use crate::cache::Cache;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};

/// A cache for blocks of table files. Options and databases that use it share it, so it may be
/// destroyed as soon as it was handed to them.
pub struct rocksdb_cache_t {
    /// What the options take their share of.
    pub cache: Arc<Cache>,
}

/// How an LRU cache is to be. The capacity has to be set.
pub struct rocksdb_lru_cache_options_t {
    capacity: usize,
    num_shard_bits: c_int,
}

/// Caches that nobody frees.
static DISOWNED: Mutex<Vec<Arc<Cache>>> = Mutex::new(Vec::new());

handles! { Boxed: rocksdb_cache_t, rocksdb_lru_cache_options_t; }

/// RocksDB's default: as many shards as the capacity warrants.
const AUTOMATIC_SHARDS: c_int = -1;
/// RocksDB's default share of the capacity for index and filter blocks.
const HIGH_PRI_POOL_RATIO: f64 = 0.5;

fn lru(capacity: usize, num_shard_bits: c_int, strict: bool) -> rocksdb_cache_t {
    rocksdb_cache_t { cache: Cache::lru(capacity, num_shard_bits, strict, HIGH_PRI_POOL_RATIO) }
}

/// Makes options for an LRU cache; given back by `rocksdb_lru_cache_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_lru_cache_options_create() -> *mut rocksdb_lru_cache_options_t {
    guard(|| {
        let options = rocksdb_lru_cache_options_t { capacity: 0, num_shard_bits: AUTOMATIC_SHARDS };
        Ok(give(options))
    })
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_lru_cache_options_destroy(
    options: *mut rocksdb_lru_cache_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Sets the capacity in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_lru_cache_options_set_capacity(
    options: *mut rocksdb_lru_cache_options_t,
    capacity: usize,
) {
    guard(|| {
        get_mut(&options)?.capacity = capacity;
        Ok(())
    })
}

/// Sets the number of shards, as a power of two; -1 lets the capacity decide.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_lru_cache_options_set_num_shard_bits(
    options: *mut rocksdb_lru_cache_options_t,
    num_shard_bits: c_int,
) {
    guard(|| {
        get_mut(&options)?.num_shard_bits = num_shard_bits;
        Ok(())
    })
}

/// Makes an LRU cache of `capacity` bytes; given back by `rocksdb_cache_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru(capacity: usize) -> *mut rocksdb_cache_t {
    guard(|| Ok(give(lru(capacity, AUTOMATIC_SHARDS, false))))
}

/// Makes an LRU cache in which reads fail rather than let blocks in use exceed `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru_with_strict_capacity_limit(
    capacity: usize,
) -> *mut rocksdb_cache_t {
    guard(|| Ok(give(lru(capacity, AUTOMATIC_SHARDS, true))))
}

/// Makes an LRU cache as the options say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru_opts(
    options: *const rocksdb_lru_cache_options_t,
) -> *mut rocksdb_cache_t {
    guard(|| {
        let options = get(&options)?;
        Ok(give(lru(options.capacity, options.num_shard_bits, false)))
    })
}

/// Gives the cache up; it lives on in what uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_destroy(cache: *mut rocksdb_cache_t) {
    guard(|| {
        take(cache);
        Ok(())
    })
}

/// Keeps what the cache holds until the process ends, even if the cache is given up: for a process
/// that is about to end, which need not wait until all of it is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_disown_data(cache: *mut rocksdb_cache_t) {
    guard(|| {
        let cache = &get(&cache)?.cache;
        let mut disowned = DISOWNED.lock();
        if !disowned.iter().any(|known| Arc::ptr_eq(known, cache)) {
            disowned.push(cache.clone());
        }
        Ok(())
    })
}

/// Changes the capacity, in bytes, and evicts what is too much.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_set_capacity(cache: *mut rocksdb_cache_t, capacity: usize) {
    guard(|| {
        get(&cache)?.cache.set_capacity(capacity);
        Ok(())
    })
}

/// The capacity in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_capacity(cache: *const rocksdb_cache_t) -> usize {
    guard(|| Ok(get(&cache)?.cache.capacity()))
}

/// The bytes that the blocks take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_usage(cache: *const rocksdb_cache_t) -> usize {
    guard(|| Ok(get(&cache)?.cache.usage()))
}

/// The bytes of the blocks that are in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_pinned_usage(cache: *const rocksdb_cache_t) -> usize {
    guard(|| Ok(get(&cache)?.cache.pinned_usage()))
}

/// The size of the cache's hash tables, in entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_table_address_count(
    cache: *const rocksdb_cache_t,
) -> usize {
    guard(|| Ok(get(&cache)?.cache.table_address_count()))
}

/// How many blocks are in the cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_occupancy_count(cache: *const rocksdb_cache_t) -> usize {
    guard(|| Ok(get(&cache)?.cache.occupancy_count()))
}
