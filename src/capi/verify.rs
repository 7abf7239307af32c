//! Checking what is on the disk.

use std::ffi::c_char;

use crate::capi::db::rocksdb_t;
use crate::capi::guard::guard_db_err;
use crate::capi::handle::{get, get_optional};
use crate::capi::read_options::rocksdb_readoptions_t;
use crate::options::ReadOptions;

/// Reads every table of every column family from the disk, and checks the checksum of every
/// block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_verify_checksum(db: *mut rocksdb_t, errptr: *mut *mut c_char) {
    guard_db_err(db, errptr, || get(&db)?.db.verify_checksums(&ReadOptions::default()))
}

/// `rocksdb_verify_checksum` with read options: `readahead_size`, `deadline` and
/// `verify_checksums` count. NULL means the defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_verify_checksum_with_options(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let options = get_optional(&options).map(|options| options.options.clone());
        get(&db)?.db.verify_checksums(&options.unwrap_or_default())
    })
}

/// Compares the checksums of whole files with those in the MANIFEST. An error, as in RocksDB,
/// while no generator of such checksums is set, and none can be set yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_verify_file_checksums(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || get(&db)?.db.verify_file_checksums(&ReadOptions::default()))
}

/// `rocksdb_verify_file_checksums` with read options, which may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_verify_file_checksums_with_options(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let options = get_optional(&options).map(|options| options.options.clone());
        get(&db)?.db.verify_file_checksums(&options.unwrap_or_default())
    })
}
