//! Column families: separate sets of keys in one database, each with its own options.

use std::ffi::{c_char, c_int};

use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::db::{count, rocksdb_t};
use crate::capi::error;
use crate::capi::guard::{guard, guard_db, guard_db_err};
use crate::capi::handle::{Pointer, get, give, handles, take};
use crate::capi::options::rocksdb_options_t;
use crate::db::{Family, FamilyOptions};

/// A column family of an open database. The handle stays valid when the column family is dropped,
/// and when the database is closed; it has to be given back in any case.
pub struct rocksdb_column_family_handle_t {
    /// The column family.
    pub family: Arc<Family>,
}

handles! { Boxed: rocksdb_column_family_handle_t; }

/// The id of the column family behind the handle.
///
/// # Safety
/// `*handle` is NULL or a live handle.
#[inline]
pub(super) unsafe fn family_id(
    handle: &impl Pointer<rocksdb_column_family_handle_t>,
) -> Result<u32> {
    // SAFETY: the caller's promise.
    Ok(unsafe { get(handle)? }.family.id())
}

/// # Safety
/// `*name` is NULL or a text.
unsafe fn create(
    db: &rocksdb_t,
    options: &rocksdb_options_t,
    name: &*const c_char,
) -> Result<*mut rocksdb_column_family_handle_t> {
    // SAFETY: the caller's promise.
    let name = unsafe { buffer::c_str(name)? }.to_bytes().to_vec();
    let options = FamilyOptions { name, options: options.options.cf.clone() };
    Ok(give(rocksdb_column_family_handle_t { family: db.db.create_family(options)? }))
}

/// Creates a column family. Its handle is given back by `rocksdb_column_family_handle_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_family(
    db: *mut rocksdb_t,
    column_family_options: *const rocksdb_options_t,
    column_family_name: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_column_family_handle_t {
    guard_db_err(db, errptr, || {
        create(get(&db)?, get(&column_family_options)?, &column_family_name)
    })
}

/// Creates several column families. Their handles, `*lencfs` of them, are those that could be
/// created before the first error. The list is given back by
/// `rocksdb_create_column_families_destroy`, and each handle on its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_families(
    db: *mut rocksdb_t,
    column_family_options: *const rocksdb_options_t,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    lencfs: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut *mut rocksdb_column_family_handle_t {
    guard_db_err(db, errptr, || {
        buffer::put(lencfs, 0);
        let (db, options) = (get(&db)?, get(&column_family_options)?);
        let mut handles = Vec::new();
        for name in buffer::array(&column_family_names, count(num_column_families)?)? {
            match error::ok_or_store(errptr, create(db, options, name)) {
                Some(handle) => handles.push(handle),
                None => break,
            }
        }
        buffer::put(lencfs, handles.len());
        Ok(buffer::malloc_array(&handles))
    })
}

/// Gives back the list, not the handles in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_families_destroy(
    list: *mut *mut rocksdb_column_family_handle_t,
) {
    guard(|| {
        libc::free(list.cast());
        Ok(())
    })
}

/// Drops a column family. It can be read through handles and iterators that exist, and not be
/// written any more; its files go with the last of those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_drop_column_family(
    db: *mut rocksdb_t,
    handle: *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || get(&db)?.db.drop_family(&get(&handle)?.family))
}

/// A handle for the column family "default"; given back by
/// `rocksdb_column_family_handle_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_default_column_family_handle(
    db: *mut rocksdb_t,
) -> *mut rocksdb_column_family_handle_t {
    guard_db(db, || Ok(give(rocksdb_column_family_handle_t { family: get(&db)?.default.clone() })))
}

/// Gives the handle back. The column family stays as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_destroy(
    handle: *mut rocksdb_column_family_handle_t,
) {
    guard(|| {
        take(handle);
        Ok(())
    })
}

/// The id of the column family, which no other of this database ever had; 0 for "default".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_get_id(
    handle: *mut rocksdb_column_family_handle_t,
) -> u32 {
    guard(|| family_id(&handle))
}

/// The name of the column family, and its length in `*name_len`; the caller frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_get_name(
    handle: *mut rocksdb_column_family_handle_t,
    name_len: *mut usize,
) -> *mut c_char {
    guard(|| {
        buffer::put(name_len, 0);
        let name = get(&handle)?.family.name();
        buffer::put(name_len, name.len());
        Ok(buffer::malloc_copy(name))
    })
}
