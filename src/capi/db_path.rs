//! Folders of tables.

use std::ffi::c_char;

use crate::base::status::Result;
use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::options::rocksdb_options_t;
use crate::options::DbPath;

/// A folder of tables.
pub struct rocksdb_dbpath_t {
    path: DbPath,
}

handles! { Boxed: rocksdb_dbpath_t; }

/// A folder for tables that takes about `target_size` bytes; given back by
/// `rocksdb_dbpath_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_dbpath_create(
    path: *const c_char,
    target_size: u64,
) -> *mut rocksdb_dbpath_t {
    guard(|| {
        let path = buffer::path(&path)?.to_path_buf();
        Ok(give(rocksdb_dbpath_t { path: DbPath { path, target_size } }))
    })
}

/// Ends it. Options that it was set in have their own copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_dbpath_destroy(path: *mut rocksdb_dbpath_t) {
    guard(|| {
        take(path);
        Ok(())
    })
}

/// Copies of `len` folders.
///
/// # Safety
/// `values` points to `len` pointers, each NULL or to a folder.
unsafe fn paths(values: *const *const rocksdb_dbpath_t, len: usize) -> Result<Vec<DbPath>> {
    // SAFETY: the caller's promise.
    let values = unsafe { buffer::array(&values, len)? };
    values.iter().map(|path| Ok(get(path)?.path.clone())).collect()
}

/// Puts tables into these folders, the newest into the first ones as long as they have room, the
/// rest into the last. At most 4; files that are there already must stay in theirs. The default is
/// the folder of the database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_db_paths(
    options: *mut rocksdb_options_t,
    path_values: *mut *const rocksdb_dbpath_t,
    num_paths: usize,
) {
    guard(|| {
        // SAFETY: the caller's promise.
        let paths = unsafe { paths(path_values.cast_const(), num_paths)? };
        get_mut(&options)?.options.db.db_paths = paths;
        Ok(())
    })
}

/// The same for a column family, in place of those of the database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_cf_paths(
    options: *mut rocksdb_options_t,
    path_values: *mut *const rocksdb_dbpath_t,
    num_paths: usize,
) {
    guard(|| {
        // SAFETY: the caller's promise.
        let paths = unsafe { paths(path_values.cast_const(), num_paths)? };
        get_mut(&options)?.options.cf.cf_paths = paths;
        Ok(())
    })
}
