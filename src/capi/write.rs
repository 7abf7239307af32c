//! Writes.

use std::ffi::c_char;

use crate::base::status::Result;
use crate::batch::WriteBatch;
use crate::capi::buffer;
use crate::capi::column_family::{family_id, rocksdb_column_family_handle_t};
use crate::capi::db::rocksdb_t;
use crate::capi::guard::guard_db_err;
use crate::capi::handle::{get, get_mut};
use crate::capi::write_batch::rocksdb_writebatch_t;
use crate::capi::write_options::rocksdb_writeoptions_t;

/// Writes what `fill` puts into an empty batch.
///
/// # Safety
/// The pointers are NULL or live handles.
unsafe fn write(
    db: &*mut rocksdb_t,
    options: &*const rocksdb_writeoptions_t,
    fill: impl FnOnce(&mut WriteBatch, u32) -> Result<()>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let (db, options) = unsafe { (get(db)?, get(options)?) };
    db.db.write_lone(&options.options, |batch| fill(batch, db.default.id()))
}

/// Sets a key to a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_put(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let key = buffer::bytes(&key, keylen)?;
        let value = buffer::bytes(&val, vallen)?;
        write(&db, &options, |batch, family| batch.put(family, key, value))
    })
}

/// `rocksdb_put` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_put_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let key = buffer::bytes(&key, keylen)?;
        let value = buffer::bytes(&val, vallen)?;
        let family = family_id(&column_family)?;
        write(&db, &options, |batch, _| batch.put(family, key, value))
    })
}

/// Deletes a key. It is no error if it does not exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let key = buffer::bytes(&key, keylen)?;
        write(&db, &options, |batch, family| batch.delete(family, key))
    })
}

/// `rocksdb_delete` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let key = buffer::bytes(&key, keylen)?;
        let family = family_id(&column_family)?;
        write(&db, &options, |batch, _| batch.delete(family, key))
    })
}

/// Deletes a key that was put at most once since it was last deleted, and never merged. What is
/// left of another key is undefined.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_singledelete(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let key = buffer::bytes(&key, keylen)?;
        write(&db, &options, |batch, family| batch.single_delete(family, key))
    })
}

/// `rocksdb_singledelete` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_singledelete_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let key = buffer::bytes(&key, keylen)?;
        let family = family_id(&column_family)?;
        write(&db, &options, |batch, _| batch.single_delete(family, key))
    })
}

/// Merges a value into a key, by the merge operator of the options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_merge(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let (db, options) = (get(&db)?, &get(&options)?.options);
        let (key, value) = (buffer::bytes(&key, keylen)?, buffer::bytes(&val, vallen)?);
        db.db.merge(options, &db.default, key, value)
    })
}

/// `rocksdb_merge` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_merge_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let (db, options) = (get(&db)?, &get(&options)?.options);
        let (key, value) = (buffer::bytes(&key, keylen)?, buffer::bytes(&val, vallen)?);
        db.db.merge(options, &get(&column_family)?.family, key, value)
    })
}

/// Deletes all keys of a column family from `start_key` up to `end_key`, which is not deleted
/// itself. An `end_key` before `start_key` is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_range_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let start = buffer::bytes(&start_key, start_key_len)?;
        let end = buffer::bytes(&end_key, end_key_len)?;
        let family = family_id(&column_family)?;
        write(&db, &options, |batch, _| batch.delete_range(family, start, end))
    })
}

/// Applies the writes of a batch, together or not at all. The batch stays as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    batch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        get(&db)?.db.write(&get(&options)?.options, &mut get_mut(&batch)?.batch)
    })
}
