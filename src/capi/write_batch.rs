//! Write batches: several writes, applied together or not at all.

use std::ffi::{c_char, c_int};

use crate::base::status::{Result, Status};
use crate::batch::WriteBatch;
use crate::capi::buffer;
use crate::capi::column_family::{family_id, rocksdb_column_family_handle_t};
use crate::capi::guard::{guard, guard_err};
use crate::capi::handle::{get, get_mut, give, handles, take};

mod iterate;

/// Several writes, applied in their order, together or not at all, by `rocksdb_write`. A write
/// that cannot be added (a key of 4 GiB, no memory) leaves the batch as it was.
pub struct rocksdb_writebatch_t {
    /// The writes.
    pub batch: WriteBatch,
}

handles! { Boxed: rocksdb_writebatch_t; }

/// The default column family.
const DEFAULT: u32 = 0;

/// A key or value that C passes in `count` pieces, which are one behind the other.
///
/// # Safety
/// `*list` and `*sizes` have `count` elements, and each piece has its size.
unsafe fn pieces<'a>(
    list: &'a *const *const c_char,
    sizes: &'a *const usize,
    count: c_int,
) -> Result<Vec<&'a [u8]>> {
    let count = usize::try_from(count)
        .map_err(|_| Status::invalid_argument(format!("{count} pieces of a key or value")))?;
    // SAFETY: the caller's promise.
    let (list, sizes) = unsafe { (buffer::array(list, count)?, buffer::array(sizes, count)?) };
    // SAFETY: the caller's promise.
    list.iter().zip(sizes).map(|(piece, size)| unsafe { buffer::bytes(piece, *size) }).collect()
}

/// Makes an empty batch; given back by `rocksdb_writebatch_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_create() -> *mut rocksdb_writebatch_t {
    guard(|| Ok(give(rocksdb_writebatch_t { batch: WriteBatch::new() })))
}

/// Makes an empty batch with room for `reserved_bytes` bytes, which refuses writes that would make
/// it longer than `max_bytes`, unless that is 0. With `protection_bytes_per_key` (8, or 0 for none)
/// each write is guarded by a checksum against damage in memory, from here into the log and the
/// memtable. `default_cf_ts_sz` is 0: timestamps are not supported, and with them no batch is made
/// (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_create_with_params(
    reserved_bytes: usize,
    max_bytes: usize,
    protection_bytes_per_key: usize,
    default_cf_ts_sz: usize,
) -> *mut rocksdb_writebatch_t {
    guard(|| {
        if default_cf_ts_sz > 0 {
            return Err(Status::not_supported("user-defined timestamps"));
        }
        let mut batch = WriteBatch::with_reserved(reserved_bytes);
        batch.set_max_bytes(max_bytes);
        batch.set_protected(protection_bytes_per_key > 0);
        Ok(give(rocksdb_writebatch_t { batch }))
    })
}

/// Compares the writes of the batch with their checksums: an error if something has changed since
/// they were added. A batch that has none is always right.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_verify_checksum(
    batch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || get(&batch)?.batch.verify())
}

/// Makes a batch from the bytes of another, as `rocksdb_writebatch_data` returns them. Bytes that
/// are no batch are refused when it is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_create_from(
    rep: *const c_char,
    size: usize,
) -> *mut rocksdb_writebatch_t {
    guard(|| {
        let batch = WriteBatch::from_data(buffer::bytes(&rep, size)?);
        Ok(give(rocksdb_writebatch_t { batch }))
    })
}

/// Gives the batch back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_destroy(batch: *mut rocksdb_writebatch_t) {
    guard(|| {
        take(batch);
        Ok(())
    })
}

/// Empties the batch and forgets its save points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_clear(batch: *mut rocksdb_writebatch_t) {
    guard(|| {
        get_mut(&batch)?.batch.clear();
        Ok(())
    })
}

/// How many writes are in the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_count(batch: *mut rocksdb_writebatch_t) -> c_int {
    guard(|| Ok(c_int::try_from(get(&batch)?.batch.count()).unwrap_or(c_int::MAX)))
}

/// The batch as bytes, and their number in `*size`; valid until the batch changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_data(
    batch: *mut rocksdb_writebatch_t,
    size: *mut usize,
) -> *const c_char {
    guard(|| {
        buffer::put(size, 0);
        let data = get(&batch)?.batch.data();
        buffer::put(size, data.len());
        Ok(data.as_ptr().cast())
    })
}

/// Adds: set a key to a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put(
    batch: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    guard(|| {
        let key = buffer::bytes(&key, klen)?;
        let value = buffer::bytes(&val, vlen)?;
        get_mut(&batch)?.batch.put(DEFAULT, key, value)
    })
}

/// `rocksdb_writebatch_put` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let key = buffer::bytes(&key, klen)?;
        let value = buffer::bytes(&val, vlen)?;
        get_mut(&batch)?.batch.put(family, key, value)
    })
}

/// `rocksdb_writebatch_put` with the key and the value in pieces, one behind the other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_putv(
    batch: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    guard(|| {
        let key = pieces(&keys_list, &keys_list_sizes, num_keys)?;
        let value = pieces(&values_list, &values_list_sizes, num_values)?;
        get_mut(&batch)?.batch.putv(DEFAULT, &key, &value)
    })
}

/// `rocksdb_writebatch_putv` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_putv_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let key = pieces(&keys_list, &keys_list_sizes, num_keys)?;
        let value = pieces(&values_list, &values_list_sizes, num_values)?;
        get_mut(&batch)?.batch.putv(family, &key, &value)
    })
}

/// Adds: merge a value into a key, by the merge operator of its column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_merge(
    batch: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    guard(|| {
        let key = buffer::bytes(&key, klen)?;
        let value = buffer::bytes(&val, vlen)?;
        get_mut(&batch)?.batch.merge(DEFAULT, key, value)
    })
}

/// `rocksdb_writebatch_merge` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_merge_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let key = buffer::bytes(&key, klen)?;
        let value = buffer::bytes(&val, vlen)?;
        get_mut(&batch)?.batch.merge(family, key, value)
    })
}

/// `rocksdb_writebatch_merge` with the key and the value in pieces, one behind the other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_mergev(
    batch: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    guard(|| {
        let key = pieces(&keys_list, &keys_list_sizes, num_keys)?;
        let value = pieces(&values_list, &values_list_sizes, num_values)?;
        get_mut(&batch)?.batch.mergev(DEFAULT, &key, &value)
    })
}

/// `rocksdb_writebatch_mergev` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_mergev_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let key = pieces(&keys_list, &keys_list_sizes, num_keys)?;
        let value = pieces(&values_list, &values_list_sizes, num_values)?;
        get_mut(&batch)?.batch.mergev(family, &key, &value)
    })
}

/// Adds: delete a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete(
    batch: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
) {
    guard(|| {
        let key = buffer::bytes(&key, klen)?;
        get_mut(&batch)?.batch.delete(DEFAULT, key)
    })
}

/// `rocksdb_writebatch_delete` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let key = buffer::bytes(&key, klen)?;
        get_mut(&batch)?.batch.delete(family, key)
    })
}

/// `rocksdb_writebatch_delete` with the key in pieces, one behind the other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_deletev(
    batch: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
) {
    guard(|| {
        let key = pieces(&keys_list, &keys_list_sizes, num_keys)?;
        get_mut(&batch)?.batch.deletev(DEFAULT, &key)
    })
}

/// `rocksdb_writebatch_deletev` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_deletev_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let key = pieces(&keys_list, &keys_list_sizes, num_keys)?;
        get_mut(&batch)?.batch.deletev(family, &key)
    })
}

/// Adds: delete a key that was put at most once since it was last deleted, and never merged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_singledelete(
    batch: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
) {
    guard(|| {
        let key = buffer::bytes(&key, klen)?;
        get_mut(&batch)?.batch.single_delete(DEFAULT, key)
    })
}

/// `rocksdb_writebatch_singledelete` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_singledelete_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let key = buffer::bytes(&key, klen)?;
        get_mut(&batch)?.batch.single_delete(family, key)
    })
}

/// Adds: delete the keys from `start_key` up to, not including, `end_key`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_range(
    batch: *mut rocksdb_writebatch_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
) {
    guard(|| {
        let start = buffer::bytes(&start_key, start_key_len)?;
        let end = buffer::bytes(&end_key, end_key_len)?;
        get_mut(&batch)?.batch.delete_range(DEFAULT, start, end)
    })
}

/// `rocksdb_writebatch_delete_range` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_range_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let start = buffer::bytes(&start_key, start_key_len)?;
        let end = buffer::bytes(&end_key, end_key_len)?;
        get_mut(&batch)?.batch.delete_range(family, start, end)
    })
}

/// `rocksdb_writebatch_delete_range` with both keys in pieces, one behind the other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_rangev(
    batch: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    start_keys_list: *const *const c_char,
    start_keys_list_sizes: *const usize,
    end_keys_list: *const *const c_char,
    end_keys_list_sizes: *const usize,
) {
    guard(|| {
        let start = pieces(&start_keys_list, &start_keys_list_sizes, num_keys)?;
        let end = pieces(&end_keys_list, &end_keys_list_sizes, num_keys)?;
        get_mut(&batch)?.batch.delete_rangev(DEFAULT, &start, &end)
    })
}

/// `rocksdb_writebatch_delete_rangev` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_rangev_cf(
    batch: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    start_keys_list: *const *const c_char,
    start_keys_list_sizes: *const usize,
    end_keys_list: *const *const c_char,
    end_keys_list_sizes: *const usize,
) {
    guard(|| {
        let family = family_id(&column_family)?;
        let start = pieces(&start_keys_list, &start_keys_list_sizes, num_keys)?;
        let end = pieces(&end_keys_list, &end_keys_list_sizes, num_keys)?;
        get_mut(&batch)?.batch.delete_rangev(family, &start, &end)
    })
}

/// Adds bytes that the write-ahead log carries and the database ignores.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put_log_data(
    batch: *mut rocksdb_writebatch_t,
    blob: *const c_char,
    len: usize,
) {
    guard(|| get_mut(&batch)?.batch.put_log_data(buffer::bytes(&blob, len)?))
}

/// Remembers the present state of the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_set_save_point(batch: *mut rocksdb_writebatch_t) {
    guard(|| {
        get_mut(&batch)?.batch.set_save_point();
        Ok(())
    })
}

/// Drops what was added since the last save point, and that save point. "NotFound: " if there is
/// none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_rollback_to_save_point(
    batch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || get_mut(&batch)?.batch.rollback_to_save_point())
}

/// Forgets the last save point and keeps what was added since. "NotFound: " if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_pop_save_point(
    batch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || get_mut(&batch)?.batch.pop_save_point())
}
