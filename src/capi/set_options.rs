//! Changing options of an open database.

use std::ffi::{c_char, c_int};

use crate::base::status::Result;
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::{count, rocksdb_t};
use crate::capi::guard::guard_db_err;
use crate::capi::handle::get;
use crate::options::text::Pairs;

/// The `n` options at `keys` with their `values`, as texts.
///
/// # Safety
/// Both lists have `n` elements.
unsafe fn pairs(
    n: c_int,
    keys: &*const *const c_char,
    values: &*const *const c_char,
) -> Result<Pairs> {
    let n = count(n)?;
    // SAFETY: the caller's promise.
    let (keys, values) = unsafe { (buffer::array(keys, n)?, buffer::array(values, n)?) };
    let pair = |(key, value): (&*const c_char, &*const c_char)| {
        // SAFETY: the elements are C strings.
        let (key, value) = unsafe { (buffer::utf8(key)?, buffer::utf8(value)?) };
        Ok((key.to_string(), value.to_string()))
    };
    keys.iter().zip(values).map(pair).collect::<Result<Vec<_>>>().map(Pairs::from_iter)
}

/// Changes options of the default column family, all or none, and stores them in a new OPTIONS
/// file. Only some can change while the database is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_options(
    db: *mut rocksdb_t,
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let db = get(&db)?;
        db.db.set_options(&db.default, &pairs(count, &keys, &values)?)
    })
}

/// `rocksdb_set_options` of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_options_cf(
    db: *mut rocksdb_t,
    handle: *mut rocksdb_column_family_handle_t,
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        get(&db)?.db.set_options(&get(&handle)?.family, &pairs(count, &keys, &values)?)
    })
}

/// Changes options of the database as a whole, all or none, and stores them in a new OPTIONS file.
/// Only some can change while it is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_db_options(
    db: *mut rocksdb_t,
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || get(&db)?.db.set_db_options(&pairs(count, &keys, &values)?))
}
