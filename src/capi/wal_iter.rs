//! The writes of a database as its logs have them.

use std::ffi::{c_char, c_uchar};

use crate::capi::buffer;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db_err, guard_err};
use crate::capi::handle::{get, get_mut, get_optional, give, handles, take};
use crate::capi::write_batch::rocksdb_writebatch_t;
use crate::db::wal_iter::WalIterator;

/// Goes through the batches of the write-ahead logs.
pub struct rocksdb_wal_iterator_t {
    iter: WalIterator,
}

/// How write-ahead logs are read.
pub struct rocksdb_wal_readoptions_t {
    verify_checksums: bool,
}

handles! { Boxed: rocksdb_wal_iterator_t, rocksdb_wal_readoptions_t; }

/// The batches of the write-ahead logs, archived ones among them, from the one on that holds
/// sequence number `seq_number`; given back by `rocksdb_wal_iter_destroy`, before or after the
/// database is closed. NULL options are the defaults. An error if nothing has that number yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_updates_since(
    db: *mut rocksdb_t,
    seq_number: u64,
    options: *const rocksdb_wal_readoptions_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_wal_iterator_t {
    guard_db_err(db, errptr, || {
        let verify = get_optional(&options).is_none_or(|options| options.verify_checksums);
        let iter = get(&db)?.db.updates_since(seq_number, verify)?;
        Ok(give(rocksdb_wal_iterator_t { iter }))
    })
}

/// Goes to the next batch. At the end this finds what was written meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_next(iter: *mut rocksdb_wal_iterator_t) {
    guard(|| {
        get_mut(&iter)?.iter.next();
        Ok(())
    })
}

/// Whether it is at a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_valid(iter: *const rocksdb_wal_iterator_t) -> c_uchar {
    guard(|| Ok(c_uchar::from(get(&iter)?.iter.batch().is_some())))
}

/// The error that ended it, if one did. It is none if all that was written was seen.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_status(
    iter: *const rocksdb_wal_iterator_t,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || get(&iter)?.iter.status())
}

/// The batch where it is, given back by `rocksdb_writebatch_destroy`, and in `*seq`, unless that is
/// NULL, the sequence number of its first write. NULL if it is at none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_get_batch(
    iter: *const rocksdb_wal_iterator_t,
    seq: *mut u64,
) -> *mut rocksdb_writebatch_t {
    guard(|| {
        let Some(batch) = get(&iter)?.iter.batch() else { return Ok(std::ptr::null_mut()) };
        buffer::put(seq, batch.sequence());
        Ok(give(rocksdb_writebatch_t { batch: batch.clone() }))
    })
}

/// Ends it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_destroy(iter: *const rocksdb_wal_iterator_t) {
    guard(|| {
        take(iter.cast_mut());
        Ok(())
    })
}

/// Makes options with RocksDB's defaults; given back by `rocksdb_wal_readoptions_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_readoptions_create() -> *mut rocksdb_wal_readoptions_t {
    guard(|| Ok(give(rocksdb_wal_readoptions_t { verify_checksums: true })))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_readoptions_destroy(options: *mut rocksdb_wal_readoptions_t) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Compares the checksums of what is read; the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_readoptions_set_verify_checksums(
    options: *mut rocksdb_wal_readoptions_t,
    verify_checksums: c_uchar,
) {
    guard(|| {
        get_mut(&options)?.verify_checksums = verify_checksums != 0;
        Ok(())
    })
}

/// What `rocksdb_wal_readoptions_set_verify_checksums` set, or the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_readoptions_get_verify_checksums(
    options: *mut rocksdb_wal_readoptions_t,
) -> c_uchar {
    guard(|| Ok(c_uchar::from(get(&options)?.verify_checksums)))
}
