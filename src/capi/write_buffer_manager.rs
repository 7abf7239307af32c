//! Write buffer managers: one limit on the memtables of several databases.

use crate::base::sync::Arc;
use crate::cache::WriteBufferManager;
use crate::capi::cache::rocksdb_cache_t;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::options::rocksdb_options_t;

/// A limit on memtables. Options and databases that use it share it, so it may be destroyed as
/// soon as it was handed to them.
pub struct rocksdb_write_buffer_manager_t {
    manager: Arc<WriteBufferManager>,
}

handles! { Boxed: rocksdb_write_buffer_manager_t; }

/// Makes a limit of `buffer_size` bytes, 0 for none; given back by
/// `rocksdb_write_buffer_manager_destroy`. With `allow_stall`, writes wait while memtables take
/// more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_create(
    buffer_size: usize,
    allow_stall: bool,
) -> *mut rocksdb_write_buffer_manager_t {
    guard(|| {
        let manager = Arc::new(WriteBufferManager::new(buffer_size, None, allow_stall));
        Ok(give(rocksdb_write_buffer_manager_t { manager }))
    })
}

/// The same, and what memtables take counts as used in the cache, which is shared, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_create_with_cache(
    buffer_size: usize,
    cache: *const rocksdb_cache_t,
    allow_stall: bool,
) -> *mut rocksdb_write_buffer_manager_t {
    guard(|| {
        let cache = get(&cache)?.cache.clone();
        let manager = Arc::new(WriteBufferManager::new(buffer_size, Some(cache), allow_stall));
        Ok(give(rocksdb_write_buffer_manager_t { manager }))
    })
}

/// Gives the manager up; it lives on in what uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_destroy(
    wbm: *mut rocksdb_write_buffer_manager_t,
) {
    guard(|| {
        take(wbm);
        Ok(())
    })
}

/// Makes databases that are opened with these options count their memtables there; the manager is
/// shared. NULL changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_write_buffer_manager(
    opt: *mut rocksdb_options_t,
    wbm: *mut rocksdb_write_buffer_manager_t,
) {
    guard(|| {
        let manager = get(&wbm)?.manager.clone();
        get_mut(&opt)?.options.db.write_buffer_manager = Some(manager);
        Ok(())
    })
}

/// Whether there is a limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_enabled(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> bool {
    guard(|| Ok(get(&wbm)?.manager.buffer_size() > 0))
}

/// Whether memtables count in a cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_cost_to_cache(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> bool {
    guard(|| Ok(get(&wbm)?.manager.costs_to_cache()))
}

/// The bytes of all memtables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_memory_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    guard(|| Ok(get(&wbm)?.manager.memory_usage()))
}

/// The bytes of the memtables that are not about to be flushed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_mutable_memtable_memory_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    guard(|| Ok(get(&wbm)?.manager.mutable_memory_usage()))
}

/// The bytes that memtables take up in the cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    guard(|| Ok(get(&wbm)?.manager.reserved_in_cache()))
}

/// The limit in bytes; 0 means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_buffer_size(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    guard(|| Ok(get(&wbm)?.manager.buffer_size()))
}

/// Changes the limit, from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_set_buffer_size(
    wbm: *mut rocksdb_write_buffer_manager_t,
    new_size: usize,
) {
    guard(|| {
        get(&wbm)?.manager.set_buffer_size(new_size);
        Ok(())
    })
}

/// Changes whether writes wait, from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_set_allow_stall(
    wbm: *mut rocksdb_write_buffer_manager_t,
    new_allow_stall: bool,
) {
    guard(|| {
        get(&wbm)?.manager.set_allow_stall(new_allow_stall);
        Ok(())
    })
}
