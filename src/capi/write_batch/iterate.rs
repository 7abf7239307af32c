//! Looking at the writes in a batch.

use std::ffi::{c_char, c_void};

use crate::base::status::Result;
use crate::batch::{Record, WriteBatch};
use crate::capi::guard::guard;
use crate::capi::handle::get;
use crate::capi::write_batch::{DEFAULT, rocksdb_writebatch_t};

type Pair = unsafe extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize);
type Key = unsafe extern "C" fn(*mut c_void, *const c_char, usize);
type FamilyPair =
    unsafe extern "C" fn(*mut c_void, u32, *const c_char, usize, *const c_char, usize);
type FamilyKey = unsafe extern "C" fn(*mut c_void, u32, *const c_char, usize);

/// The caller's functions for writes to the default column family.
struct Plain {
    state: *mut c_void,
    put: Option<Pair>,
    deleted: Option<Key>,
    log_data: Option<Key>,
}

/// The caller's functions for writes to any column family.
struct ByFamily {
    state: *mut c_void,
    put: Option<FamilyPair>,
    deleted: Option<FamilyKey>,
    merge: Option<FamilyPair>,
    log_data: Option<Key>,
}

fn data(bytes: &[u8]) -> *const c_char {
    bytes.as_ptr().cast()
}

impl Plain {
    /// Visits the records in order. Ends, as RocksDB does, at the first that these functions
    /// cannot express: another column family, a range, an entity, a transaction's marker.
    ///
    /// # Safety
    /// The functions may be called with the state.
    unsafe fn visit(&self, batch: &WriteBatch) -> Result<()> {
        for record in batch.records()? {
            // SAFETY: the caller's promise.
            if !unsafe { self.call(record?) } {
                break;
            }
        }
        Ok(())
    }

    /// Calls the function for the record; whether to go on.
    ///
    /// # Safety
    /// As for [`Plain::visit`].
    unsafe fn call(&self, record: Record<'_>) -> bool {
        // SAFETY: the caller's promise; the slices live during the call.
        unsafe {
            match record {
                Record::Put { cf: DEFAULT, key, value } => {
                    if let Some(put) = self.put {
                        put(self.state, data(key), key.len(), data(value), value.len());
                    }
                }
                Record::Delete { cf: DEFAULT, key } => {
                    if let Some(deleted) = self.deleted {
                        deleted(self.state, data(key), key.len());
                    }
                }
                Record::LogData(blob) => {
                    if let Some(log_data) = self.log_data {
                        log_data(self.state, data(blob), blob.len());
                    }
                }
                Record::SingleDelete { cf: DEFAULT, .. }
                | Record::Merge { cf: DEFAULT, .. }
                | Record::Noop => {}
                _ => return false,
            }
        }
        true
    }
}

impl ByFamily {
    /// Like [`Plain::visit`], for every column family.
    ///
    /// # Safety
    /// As there.
    unsafe fn visit(&self, batch: &WriteBatch) -> Result<()> {
        for record in batch.records()? {
            // SAFETY: the caller's promise.
            if !unsafe { self.call(record?) } {
                break;
            }
        }
        Ok(())
    }

    /// Calls the function for the record; whether to go on.
    ///
    /// # Safety
    /// As for [`Plain::visit`].
    unsafe fn call(&self, record: Record<'_>) -> bool {
        // SAFETY: the caller's promise; the slices live during the call.
        unsafe {
            match record {
                Record::Put { cf, key, value } => {
                    if let Some(put) = self.put {
                        put(self.state, cf, data(key), key.len(), data(value), value.len());
                    }
                }
                Record::Merge { cf, key, value } => {
                    if let Some(merge) = self.merge {
                        merge(self.state, cf, data(key), key.len(), data(value), value.len());
                    }
                }
                Record::Delete { cf, key } => {
                    if let Some(deleted) = self.deleted {
                        deleted(self.state, cf, data(key), key.len());
                    }
                }
                Record::LogData(blob) => {
                    if let Some(log_data) = self.log_data {
                        log_data(self.state, data(blob), blob.len());
                    }
                }
                Record::SingleDelete { cf: DEFAULT, .. } | Record::Noop => {}
                _ => return false,
            }
        }
        true
    }
}

/// Calls `put` and `deleted` with `state` for each such write of the batch, in order. Ends at a write
/// to another column family than the default one, and at a deleted range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_iterate(
    batch: *mut rocksdb_writebatch_t,
    state: *mut c_void,
    put: Option<
        unsafe extern "C" fn(
            *mut c_void,
            k: *const c_char,
            klen: usize,
            v: *const c_char,
            vlen: usize,
        ),
    >,
    deleted: Option<unsafe extern "C" fn(*mut c_void, k: *const c_char, klen: usize)>,
) {
    guard(|| {
        let functions = Plain { state, put, deleted, log_data: None };
        functions.visit(&get(&batch)?.batch)
    })
}

/// `rocksdb_writebatch_iterate` with a function for log data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_iterate_ld(
    batch: *mut rocksdb_writebatch_t,
    state: *mut c_void,
    put: Option<
        unsafe extern "C" fn(
            *mut c_void,
            k: *const c_char,
            klen: usize,
            v: *const c_char,
            vlen: usize,
        ),
    >,
    deleted: Option<unsafe extern "C" fn(*mut c_void, k: *const c_char, klen: usize)>,
    log_data: Option<unsafe extern "C" fn(*mut c_void, blob: *const c_char, blob_len: usize)>,
) {
    guard(|| {
        let functions = Plain { state, put, deleted, log_data };
        functions.visit(&get(&batch)?.batch)
    })
}

/// Calls `put_cf`, `deleted_cf` and `merge_cf` with `state` and the column family's id for each such
/// write of the batch, in order. Ends at a deleted range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_iterate_cf(
    batch: *mut rocksdb_writebatch_t,
    state: *mut c_void,
    put_cf: Option<
        unsafe extern "C" fn(
            *mut c_void,
            cfid: u32,
            k: *const c_char,
            klen: usize,
            v: *const c_char,
            vlen: usize,
        ),
    >,
    deleted_cf: Option<unsafe extern "C" fn(*mut c_void, cfid: u32, k: *const c_char, klen: usize)>,
    merge_cf: Option<
        unsafe extern "C" fn(
            *mut c_void,
            cfid: u32,
            k: *const c_char,
            klen: usize,
            v: *const c_char,
            vlen: usize,
        ),
    >,
) {
    guard(|| {
        let functions =
            ByFamily { state, put: put_cf, deleted: deleted_cf, merge: merge_cf, log_data: None };
        functions.visit(&get(&batch)?.batch)
    })
}

/// `rocksdb_writebatch_iterate_cf` with a function for log data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_iterate_cf_ld(
    batch: *mut rocksdb_writebatch_t,
    state: *mut c_void,
    put_cf: Option<
        unsafe extern "C" fn(
            *mut c_void,
            cfid: u32,
            k: *const c_char,
            klen: usize,
            v: *const c_char,
            vlen: usize,
        ),
    >,
    deleted_cf: Option<unsafe extern "C" fn(*mut c_void, cfid: u32, k: *const c_char, klen: usize)>,
    merge_cf: Option<
        unsafe extern "C" fn(
            *mut c_void,
            cfid: u32,
            k: *const c_char,
            klen: usize,
            v: *const c_char,
            vlen: usize,
        ),
    >,
    log_data: Option<unsafe extern "C" fn(*mut c_void, blob: *const c_char, blob_len: usize)>,
) {
    guard(|| {
        let functions =
            ByFamily { state, put: put_cf, deleted: deleted_cf, merge: merge_cf, log_data };
        functions.visit(&get(&batch)?.batch)
    })
}
