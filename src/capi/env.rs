//! Environments: where files live, and the threads that work in the background.

use std::ffi::{c_char, c_int};

use crate::base::status::Result;
use crate::capi::buffer;
use crate::capi::guard::{guard, guard_err};
use crate::capi::handle::{Pointer, get, give, handles, take};
use crate::env::Env;
use crate::env::pool::Priority;

/// Where files live, and the threads that work in the background. Options and databases that use
/// it share it, so it may be destroyed as soon as it was handed to them.
pub struct rocksdb_env_t {
    /// What the options take their share of.
    pub env: Env,
}

handles! { Boxed: rocksdb_env_t; }

/// # Safety
/// `*env` is NULL or a live handle.
unsafe fn set_threads(env: &impl Pointer<rocksdb_env_t>, n: c_int, pool: Priority) -> Result<()> {
    // SAFETY: the caller's promise.
    let env = unsafe { get(env)? };
    env.env.set_background_threads(usize::try_from(n).unwrap_or(0), pool);
    Ok(())
}

/// # Safety
/// `*env` is NULL or a live handle.
unsafe fn threads(env: &impl Pointer<rocksdb_env_t>, pool: Priority) -> Result<c_int> {
    // SAFETY: the caller's promise.
    let count = unsafe { get(env)? }.env.background_threads(pool);
    Ok(c_int::try_from(count).unwrap_or(c_int::MAX))
}

/// The operating system's files, and threads shared by the whole process; given back by
/// `rocksdb_env_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_default_env() -> *mut rocksdb_env_t {
    guard(|| Ok(give(rocksdb_env_t { env: Env::default() })))
}

/// Files in memory, and threads of its own; given back by `rocksdb_env_destroy`. Its databases are
/// gone with the last user of the environment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_mem_env() -> *mut rocksdb_env_t {
    guard(|| Ok(give(rocksdb_env_t { env: Env::memory() })))
}

/// Sets the number of threads for compactions, the same as
/// `rocksdb_env_set_low_priority_background_threads`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_background_threads(env: *mut rocksdb_env_t, n: c_int) {
    guard(|| set_threads(&env, n, Priority::Low))
}

/// The number of threads for compactions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_background_threads(env: *mut rocksdb_env_t) -> c_int {
    guard(|| threads(&env, Priority::Low))
}

/// Sets the number of threads for compactions to the last level; while there are none, the other threads for compactions do them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_bottom_priority_background_threads(
    env: *mut rocksdb_env_t,
    n: c_int,
) {
    guard(|| set_threads(&env, n, Priority::Bottom))
}

/// The number of threads for compactions to the last level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_bottom_priority_background_threads(
    env: *mut rocksdb_env_t,
) -> c_int {
    guard(|| threads(&env, Priority::Bottom))
}

/// Sets the number of threads for compactions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_low_priority_background_threads(
    env: *mut rocksdb_env_t,
    n: c_int,
) {
    guard(|| set_threads(&env, n, Priority::Low))
}

/// The number of threads for compactions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_low_priority_background_threads(
    env: *mut rocksdb_env_t,
) -> c_int {
    guard(|| threads(&env, Priority::Low))
}

/// Sets the number of threads for flushes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_high_priority_background_threads(
    env: *mut rocksdb_env_t,
    n: c_int,
) {
    guard(|| set_threads(&env, n, Priority::High))
}

/// The number of threads for flushes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_high_priority_background_threads(
    env: *mut rocksdb_env_t,
) -> c_int {
    guard(|| threads(&env, Priority::High))
}

/// Has the threads for compactions go on with the least of the processor: nice value 19.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_thread_pool_cpu_priority(env: *mut rocksdb_env_t) {
    guard(|| {
        get(&env)?.env.lower_cpu_priority(Priority::Low);
        Ok(())
    })
}

/// Has the threads for flushes go on with the least of the processor: nice value 19.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_high_priority_thread_pool_cpu_priority(
    env: *mut rocksdb_env_t,
) {
    guard(|| {
        get(&env)?.env.lower_cpu_priority(Priority::High);
        Ok(())
    })
}

/// Has the threads for compactions read and write only while nobody else wants to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_thread_pool_io_priority(env: *mut rocksdb_env_t) {
    guard(|| {
        get(&env)?.env.lower_io_priority(Priority::Low);
        Ok(())
    })
}

/// Has the threads for flushes read and write only while nobody else wants to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_high_priority_thread_pool_io_priority(
    env: *mut rocksdb_env_t,
) {
    guard(|| {
        get(&env)?.env.lower_io_priority(Priority::High);
        Ok(())
    })
}

/// Waits until the threads have nothing to do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_join_all_threads(env: *mut rocksdb_env_t) {
    guard(|| {
        get(&env)?.env.join_all_threads();
        Ok(())
    })
}

/// Makes a folder unless it is there. An error if the name is that of a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_dir_if_missing(
    env: *mut rocksdb_env_t,
    path: *const c_char,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || get(&env)?.env.fs().create_dir_if_missing(buffer::path(&path)?))
}

/// Gives the environment up; it lives on in what uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_destroy(env: *mut rocksdb_env_t) {
    guard(|| {
        take(env);
        Ok(())
    })
}
