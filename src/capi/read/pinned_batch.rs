//! Reads of several keys whose results have one owner.

use std::ffi::{CString, c_char, c_int, c_uchar};

use crate::base::status::{Result, Status};
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db};
use crate::capi::handle::{get, give, handles, take};
use crate::capi::iterator::rocksdb_slice_t;
use crate::capi::read::Read;
use crate::capi::read_options::rocksdb_readoptions_t;
use crate::db::BatchKey;
use crate::read::get::FoundValue;

/// What `rocksdb_pinnable_multi_get_result` says about a key.
#[repr(C)]
pub enum rocksdb_pinnable_multi_get_state {
    /// It has no value.
    rocksdb_pinnable_multi_get_not_found = 0,
    /// It has one.
    rocksdb_pinnable_multi_get_found = 1,
    /// It could not be read.
    rocksdb_pinnable_multi_get_error = 2,
    /// There are fewer keys.
    rocksdb_pinnable_multi_get_out_of_bounds = 3,
}

use rocksdb_pinnable_multi_get_state::*;

/// The results of a batch of keys, which stay in memory until it is given back, without copies
/// where that can be.
pub struct rocksdb_pinnable_multi_get_t {
    results: Vec<PinnedResult>,
}

enum PinnedResult {
    NotFound,
    Found(FoundValue),
    Failed(CString),
}

handles! { Boxed: rocksdb_pinnable_multi_get_t; }

impl PinnedResult {
    fn failed(status: &Status) -> PinnedResult {
        let mut text = status.to_string().into_bytes();
        // C sees the text up to its first NUL.
        text.retain(|&byte| byte != 0);
        PinnedResult::Failed(CString::new(text).unwrap_or_default())
    }

    fn new(result: Result<Option<FoundValue>>) -> PinnedResult {
        match result {
            Ok(Some(value)) => PinnedResult::Found(value),
            Ok(None) => PinnedResult::NotFound,
            Err(status) => PinnedResult::failed(&status),
        }
    }
}

/// Reads `keys` into `results`, which has a place for each.
///
/// # Safety
/// Each key has its size.
unsafe fn read_all(
    read: &Read<'_>,
    keys: &[rocksdb_slice_t],
    sorted: bool,
    results: &mut [PinnedResult],
) {
    let mut batch = Vec::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        // SAFETY: the caller's promise.
        match unsafe { buffer::bytes(&key.data, key.size) } {
            Ok(key) => batch.push(BatchKey { index, family: read.family, key }),
            Err(status) => results[index] = PinnedResult::failed(&status),
        }
    }
    read.db.db.multi_get(read.options, batch, sorted, |index, result| {
        results[index] = PinnedResult::new(result);
    });
}

/// Reads `num_keys` keys of a column family as of one moment. The results, in the order of the
/// keys, are given back by `rocksdb_pinnable_multi_get_destroy`. `sorted_input` says that the keys
/// are in order, which may help. An error that concerns all keys is that of each; NULL stands for
/// no memory for the results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_batched_multi_get_pinned_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: usize,
    keys: *const rocksdb_slice_t,
    sorted_input: c_uchar,
) -> *mut rocksdb_pinnable_multi_get_t {
    guard_db(db, || {
        let mut results = Vec::new();
        let reserved = results.try_reserve_exact(num_keys);
        reserved.map_err(|_| Status::aborted(format!("no memory for {num_keys} results")))?;
        results.resize_with(num_keys, || PinnedResult::NotFound);
        let mut call = || -> Result<()> {
            let read = Read::in_family(&db, &options, &column_family)?;
            let keys = buffer::array(&keys, num_keys)?;
            read_all(&read, keys, sorted_input != 0, &mut results);
            Ok(())
        };
        if let Err(status) = call() {
            results.fill_with(|| PinnedResult::failed(&status));
        }
        Ok(give(rocksdb_pinnable_multi_get_t { results }))
    })
}

/// How many keys the batch has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnable_multi_get_count(
    multi_get: *const rocksdb_pinnable_multi_get_t,
) -> usize {
    guard(|| Ok(get(&multi_get)?.results.len()))
}

/// What became of key `index`, as a `rocksdb_pinnable_multi_get_state`. The value is `*value_size`
/// bytes at `*value`; the error's text has `*error_size` bytes without its NUL at `*error`. Both
/// are valid until the batch is given back; NULL and 0 where there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnable_multi_get_result(
    multi_get: *const rocksdb_pinnable_multi_get_t,
    index: usize,
    value: *mut *const c_char,
    value_size: *mut usize,
    error: *mut *const c_char,
    error_size: *mut usize,
) -> c_int {
    guard(|| {
        buffer::put(value, std::ptr::null());
        buffer::put(value_size, 0);
        buffer::put(error, std::ptr::null());
        buffer::put(error_size, 0);
        let state = match get(&multi_get)?.results.get(index) {
            None => rocksdb_pinnable_multi_get_out_of_bounds,
            Some(PinnedResult::NotFound) => rocksdb_pinnable_multi_get_not_found,
            Some(PinnedResult::Found(found)) => {
                let found = found.as_slice();
                buffer::put(value, found.as_ptr().cast());
                buffer::put(value_size, found.len());
                rocksdb_pinnable_multi_get_found
            }
            Some(PinnedResult::Failed(text)) => {
                buffer::put(error, text.as_ptr());
                buffer::put(error_size, text.as_bytes().len());
                rocksdb_pinnable_multi_get_error
            }
        };
        Ok(state as c_int)
    })
}

/// Gives the batch back, and with it all of its values and texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnable_multi_get_destroy(
    multi_get: *mut rocksdb_pinnable_multi_get_t,
) {
    guard(|| {
        take(multi_get);
        Ok(())
    })
}
