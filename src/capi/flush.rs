//! Flushes: from memory to files.

use std::ffi::{c_char, c_int, c_uchar};

use crate::base::status::Result;
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::{count, rocksdb_t};
use crate::capi::flush_options::{rocksdb_flushoptions_t, rocksdb_flushwaloptions_t};
use crate::capi::guard::guard_db_err;
use crate::capi::handle::{get, get_optional};
use crate::options::FlushWalOptions;

/// Writes what the default column family holds in memory to files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let db = get(&db)?;
        db.db.flush(std::slice::from_ref(&db.default), &get(&options)?.options)
    })
}

/// `rocksdb_flush` of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let family = &get(&column_family)?.family;
        get(&db)?.db.flush(std::slice::from_ref(family), &get(&options)?.options)
    })
}

/// `rocksdb_flush` of several column families.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_cfs(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    column_family: *mut *mut rocksdb_column_family_handle_t,
    num_column_families: c_int,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let handles = column_family.cast_const();
        let handles = buffer::array(&handles, count(num_column_families)?)?;
        let families = handles.iter().map(|handle| Ok(get(handle)?.family.clone()));
        let families = families.collect::<Result<Vec<_>>>()?;
        get(&db)?.db.flush(&families, &get(&options)?.options)
    })
}

/// Hands the write-ahead log to the operating system and, with `sync`, makes it durable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_wal(
    db: *mut rocksdb_t,
    sync: c_uchar,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let options = FlushWalOptions { sync: sync != 0, ..FlushWalOptions::default() };
        get(&db)?.db.flush_wal(&options)
    })
}

/// `rocksdb_flush_wal` with options; NULL means the defaults, which do not sync.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_wal_with_options(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushwaloptions_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let options = get_optional(&options).map(|options| options.options.clone());
        get(&db)?.db.flush_wal(&options.unwrap_or_default())
    })
}
