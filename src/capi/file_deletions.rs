//! Keeping files from being removed, for those who copy a database by hand.

use std::ffi::c_char;

use crate::capi::db::rocksdb_t;
use crate::capi::guard::guard_db_err;
use crate::capi::handle::get;

/// Lets every file stay, until `rocksdb_enable_file_deletions` was called as often as this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_disable_file_deletions(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || get(&db)?.db.disable_file_deletions())
}

/// Takes back one `rocksdb_disable_file_deletions`; with the last one goes what became obsolete
/// meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_enable_file_deletions(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || get(&db)?.db.enable_file_deletions())
}
