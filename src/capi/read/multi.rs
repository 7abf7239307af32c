//! Reads of several keys as of one moment.

use std::ffi::c_char;

use crate::base::status::{Result, Status};
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::guard_db;
use crate::capi::handle::{get, give};
use crate::capi::iterator::rocksdb_slice_t;
use crate::capi::pinnable_slice::rocksdb_pinnableslice_t;
use crate::capi::read::{Copied, Read};
use crate::capi::read_options::rocksdb_readoptions_t;
use crate::db::{BatchKey, Family};
use crate::read::get::{FoundValue, Sink};

/// The caller's lists that results go to, `count` elements each.
struct Results<V> {
    count: usize,
    values: *mut V,
    errs: *mut *mut c_char,
}

impl<V: Copy> Results<V> {
    /// Results that say "not found" for every key, so that none is left unset whatever happens.
    ///
    /// # Safety
    /// The lists have `count` elements that can be written.
    unsafe fn new(count: usize, none: V, values: *mut V, errs: *mut *mut c_char) -> Result<Self> {
        if count > 0 && (values.is_null() || errs.is_null()) {
            return Err(Status::invalid_argument("NULL for the results"));
        }
        for i in 0..count {
            // SAFETY: the caller's promise.
            unsafe {
                values.add(i).write(none);
                errs.add(i).write(std::ptr::null_mut());
            }
        }
        Ok(Results { count, values, errs })
    }

    /// Stores an error that concerns all keys for each of them.
    fn or_fail(&self, result: Result<()>) -> Result<()> {
        if let Err(status) = &result {
            (0..self.count).for_each(|i| self.set(i, Err(status.clone())));
        }
        result
    }

    fn set(&self, i: usize, result: Result<V>) {
        // SAFETY: `new` was promised that element `i` can be written.
        unsafe {
            match result {
                Ok(value) => self.values.add(i).write(value),
                Err(status) => self.errs.add(i).write(buffer::c_string(&status.to_string())),
            }
        }
    }
}

/// Keys as C lists them.
struct Keys<'a> {
    list: &'a [*const c_char],
    sizes: &'a [usize],
}

impl<'a> Keys<'a> {
    /// # Safety
    /// The lists have `count` elements, and each key has its size.
    unsafe fn new(
        list: &'a *const *const c_char,
        sizes: &'a *const usize,
        count: usize,
    ) -> Result<Keys<'a>> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(Keys { list: buffer::array(list, count)?, sizes: buffer::array(sizes, count)? })
        }
    }

    fn get(&self, i: usize) -> Result<&'a [u8]> {
        // SAFETY: `new` was promised that the key has its size.
        unsafe { buffer::bytes(&self.list[i], self.sizes[i]) }
    }
}

/// Reads keys, each in the family that `family` gives for it, as of one moment. `give` makes of a
/// value what goes to its result. With `sorted` the keys come in order.
fn read_all<'a, S: Sink + Default, V: Copy>(
    read: &Read<'_>,
    key: impl Fn(usize) -> Result<&'a [u8]>,
    family: impl Fn(usize) -> Result<&'a Family>,
    sorted: bool,
    results: &Results<V>,
    mut give: impl FnMut(usize, S) -> V,
) {
    let mut batch = Vec::with_capacity(results.count);
    for index in 0..results.count {
        match (family(index), key(index)) {
            (Ok(family), Ok(key)) => batch.push(BatchKey { index, family, key }),
            (Err(status), _) | (_, Err(status)) => results.set(index, Err(status)),
        }
    }
    read.db.db.multi_get(read.options, batch, sorted, |index, result: Result<Option<S>>| {
        match result {
            Ok(Some(value)) => results.set(index, Ok(give(index, value))),
            Ok(None) => {}
            Err(status) => results.set(index, Err(status)),
        }
    });
}

/// Reads keys, each in the family that `family` gives for it, into copies.
///
/// # Safety
/// `sizes` has as many elements as there are keys.
unsafe fn copy_all<'a>(
    read: &Read<'_>,
    keys: &Keys<'a>,
    family: impl Fn(usize) -> Result<&'a Family>,
    results: &Results<*mut c_char>,
    sizes: *mut usize,
) {
    read_all(
        read,
        |i| keys.get(i),
        family,
        false,
        results,
        |i, value: Copied| {
            let (value, len) = value.give();
            // SAFETY: the caller's promise.
            unsafe { sizes.add(i).write(len) };
            value
        },
    );
}

/// Reads `num_keys` keys as of one moment. For each, the value in `values_list`, which the caller
/// frees, and its length in `values_list_sizes`; NULL if there is none. Errors are in `errs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_multi_get(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    guard_db(db, || {
        let results = Results::new(num_keys, std::ptr::null_mut(), values_list, errs)?;
        zero(values_list_sizes, num_keys)?;
        let call = || -> Result<()> {
            let read = Read::new(&db, &options)?;
            let keys = Keys::new(&keys_list, &keys_list_sizes, num_keys)?;
            let family = |_| Ok(read.family);
            copy_all(&read, &keys, family, &results, values_list_sizes);
            Ok(())
        };
        results.or_fail(call())
    })
}

/// `rocksdb_multi_get` with a column family for each key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_multi_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_families: *const *const rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    guard_db(db, || {
        let results = Results::new(num_keys, std::ptr::null_mut(), values_list, errs)?;
        zero(values_list_sizes, num_keys)?;
        let call = || -> Result<()> {
            let read = Read::new(&db, &options)?;
            let keys = Keys::new(&keys_list, &keys_list_sizes, num_keys)?;
            let families = buffer::array(&column_families, num_keys)?;
            let family = |i: usize| Ok(&*get(&families[i])?.family);
            copy_all(&read, &keys, family, &results, values_list_sizes);
            Ok(())
        };
        results.or_fail(call())
    })
}

/// Reads `num_keys` keys of a column family as of one moment, without copies where that can be.
/// For each, the value in `values`, given back by `rocksdb_pinnableslice_destroy`; NULL if there is
/// none. Errors are in `errs`. `sorted_input` says that the keys are in order, which may help.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_batched_multi_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values: *mut *mut rocksdb_pinnableslice_t,
    errs: *mut *mut c_char,
    sorted_input: bool,
) {
    guard_db(db, || {
        let results = Results::new(num_keys, std::ptr::null_mut(), values, errs)?;
        let call = || -> Result<()> {
            let read = Read::in_family(&db, &options, &column_family)?;
            let keys = Keys::new(&keys_list, &keys_list_sizes, num_keys)?;
            pin_all(&read, |i| keys.get(i), sorted_input, &results);
            Ok(())
        };
        results.or_fail(call())
    })
}

/// `rocksdb_batched_multi_get_cf` with keys that carry their lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_batched_multi_get_cf_slice(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const rocksdb_slice_t,
    values: *mut *mut rocksdb_pinnableslice_t,
    errs: *mut *mut c_char,
    sorted_input: bool,
) {
    guard_db(db, || {
        let results = Results::new(num_keys, std::ptr::null_mut(), values, errs)?;
        let call = || -> Result<()> {
            let read = Read::in_family(&db, &options, &column_family)?;
            let keys = buffer::array(&keys_list, num_keys)?;
            let key = |i: usize| buffer::bytes(&keys[i].data, keys[i].size);
            pin_all(&read, key, sorted_input, &results);
            Ok(())
        };
        results.or_fail(call())
    })
}

/// Reads keys of one family without copies where that can be.
fn pin_all<'k>(
    read: &Read<'k>,
    key: impl Fn(usize) -> Result<&'k [u8]>,
    sorted: bool,
    results: &Results<*mut rocksdb_pinnableslice_t>,
) {
    let family = |_| Ok(read.family);
    read_all(read, key, family, sorted, results, |_, value: FoundValue| {
        give(rocksdb_pinnableslice_t { value })
    });
}

/// Sets `count` lengths to 0.
///
/// # Safety
/// `sizes` is NULL or has `count` elements that can be written.
unsafe fn zero(sizes: *mut usize, count: usize) -> Result<()> {
    if sizes.is_null() && count > 0 {
        return Err(Status::invalid_argument("NULL for the lengths"));
    }
    // SAFETY: not NULL unless `count` is 0; the rest is the caller's promise.
    (0..count).for_each(|i| unsafe { sizes.add(i).write(0) });
    Ok(())
}
