//! The write-ahead logs as files.

use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db_err};
use crate::capi::handle::{get, give, handles, take};
use crate::db::wal_files::WalFile;

/// A write-ahead log.
pub struct rocksdb_wal_file_t {
    file: WalFile,
    path: CString,
}

/// Write-ahead logs, the oldest first. Pointers into it are good until it is destroyed.
pub struct rocksdb_wal_files_t {
    files: Vec<rocksdb_wal_file_t>,
}

handles! { Boxed: rocksdb_wal_file_t, rocksdb_wal_files_t; }

impl rocksdb_wal_file_t {
    fn new(file: WalFile) -> rocksdb_wal_file_t {
        let path = [b"/", file.path().as_os_str().as_bytes()].concat();
        rocksdb_wal_file_t { file, path: CString::new(path).unwrap_or_default() }
    }
}

/// The write-ahead logs that hold writes, the oldest first; given back by
/// `rocksdb_wal_files_destroy`. They stay there only while `rocksdb_disable_file_deletions` is in
/// effect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_sorted_wal_files(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_wal_files_t {
    guard_db_err(db, errptr, || {
        let files = get(&db)?.db.sorted_wal_files()?;
        let files = files.into_iter().map(rocksdb_wal_file_t::new).collect();
        Ok(give(rocksdb_wal_files_t { files }))
    })
}

/// The write-ahead log that is being written; given back by `rocksdb_wal_file_destroy`. An error
/// if the database is open for reading only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_current_wal_file(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_wal_file_t {
    guard_db_err(db, errptr, || Ok(give(rocksdb_wal_file_t::new(get(&db)?.db.current_wal_file()?))))
}

/// Where the log is in the folder of the logs, with a slash before it: `/000007.log`, or
/// `/archive/000007.log`. Good as long as the log's handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_file_path_name(
    file: *const rocksdb_wal_file_t,
) -> *const c_char {
    guard(|| Ok(get(&file)?.path.as_ptr()))
}

/// The number of the log; newer logs have higher ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_file_log_number(file: *const rocksdb_wal_file_t) -> u64 {
    guard(|| Ok(get(&file)?.file.number))
}

/// Whether the log is archived (0) or alive (1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_file_type(file: *const rocksdb_wal_file_t) -> c_int {
    guard(|| Ok(c_int::from(!get(&file)?.file.is_archived)))
}

/// The sequence number of the first write in the log; 0 for one that came from
/// `rocksdb_get_current_wal_file`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_file_start_sequence(file: *const rocksdb_wal_file_t) -> u64 {
    guard(|| Ok(get(&file)?.file.start_sequence.unwrap_or(0)))
}

/// The bytes of the log that its file has, without writes that are held back in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_file_size_file_bytes(file: *const rocksdb_wal_file_t) -> u64 {
    guard(|| Ok(get(&file)?.file.size))
}

/// Gives a log back that came from `rocksdb_get_current_wal_file`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_file_destroy(file: *mut rocksdb_wal_file_t) {
    guard(|| {
        take(file);
        Ok(())
    })
}

/// How many logs there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_files_count(files: *const rocksdb_wal_files_t) -> usize {
    guard(|| Ok(get(&files)?.files.len()))
}

/// A log, which belongs to the list; NULL if there is no such log.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_files_get_wal_file(
    files: *const rocksdb_wal_files_t,
    index: usize,
) -> *const rocksdb_wal_file_t {
    guard(|| Ok(get(&files)?.files.get(index).map_or(std::ptr::null(), std::ptr::from_ref)))
}

/// Gives the list back, and the logs in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_files_destroy(files: *mut rocksdb_wal_files_t) {
    guard(|| {
        take(files);
        Ok(())
    })
}
