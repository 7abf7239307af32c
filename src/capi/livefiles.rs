//! The tables of a database, and its identity.

use std::ffi::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use crate::capi::buffer;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db};
use crate::capi::handle::{get, give, handles, take};
use crate::db::LiveTable;

/// The tables of all column families at one moment. Pointers into it are good until it is
/// destroyed.
pub struct rocksdb_livefiles_t {
    files: Vec<File>,
    /// The database's folder, with a NUL behind it.
    directory: Vec<u8>,
}

struct File {
    table: LiveTable,
    /// Texts, each with a NUL behind it.
    family: Vec<u8>,
    name: Vec<u8>,
}

impl File {
    fn new(table: LiveTable) -> File {
        let family = with_nul(&table.family);
        let name = with_nul(format!("/{}", table.file_name).as_bytes());
        File { table, family, name }
    }
}

handles! { Boxed: rocksdb_livefiles_t; }

fn with_nul(text: &[u8]) -> Vec<u8> {
    [text, b"\0"].concat()
}

impl rocksdb_livefiles_t {
    fn file(&self, index: c_int) -> Option<&File> {
        self.files.get(usize::try_from(index).ok()?)
    }
}

/// The address of the bytes, NULL if there are none to look at.
fn address(bytes: Option<&Vec<u8>>) -> *const c_char {
    bytes.map_or(std::ptr::null(), |bytes| bytes.as_ptr().cast())
}

/// The tables of all column families; given back by `rocksdb_livefiles_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles(db: *mut rocksdb_t) -> *const rocksdb_livefiles_t {
    guard_db(db, || {
        let db = &get(&db)?.db;
        let files = db.live_tables().into_iter().map(File::new).collect();
        let directory = with_nul(db.dir().as_os_str().as_bytes());
        Ok(give(rocksdb_livefiles_t { files, directory }).cast_const())
    })
}

/// How many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_count(lf: *const rocksdb_livefiles_t) -> c_int {
    guard(|| Ok(c_int::try_from(get(&lf)?.files.len()).unwrap_or(c_int::MAX)))
}

/// The name of the column family of a table; NULL if there is no such table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_column_family_name(
    lf: *const rocksdb_livefiles_t,
    index: c_int,
) -> *const c_char {
    guard(|| Ok(address(get(&lf)?.file(index).map(|file| &file.family))))
}

/// The name of a table's file, with a slash before it; NULL if there is no such table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_name(
    lf: *const rocksdb_livefiles_t,
    index: c_int,
) -> *const c_char {
    guard(|| Ok(address(get(&lf)?.file(index).map(|file| &file.name))))
}

/// The folder of a table's file; NULL if there is no such table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_directory(
    lf: *const rocksdb_livefiles_t,
    index: c_int,
) -> *const c_char {
    guard(|| {
        let files = get(&lf)?;
        Ok(address(files.file(index).map(|_| &files.directory)))
    })
}

/// The first user key of a table, its length in `*size`; NULL if there is no such table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_smallestkey(
    lf: *const rocksdb_livefiles_t,
    index: c_int,
    size: *mut usize,
) -> *const c_char {
    guard(|| {
        let key = get(&lf)?.file(index).map(|file| &file.table.smallest);
        buffer::put(size, key.map_or(0, Vec::len));
        Ok(address(key))
    })
}

/// The last user key of a table, its length in `*size`; NULL if there is no such table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_largestkey(
    lf: *const rocksdb_livefiles_t,
    index: c_int,
    size: *mut usize,
) -> *const c_char {
    guard(|| {
        let key = get(&lf)?.file(index).map(|file| &file.table.largest);
        buffer::put(size, key.map_or(0, Vec::len));
        Ok(address(key))
    })
}

/// Numbers of a table, 0 if there is no such table.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident -> $type:ty = $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lf: *const rocksdb_livefiles_t, index: c_int) -> $type {
            guard(|| Ok(get(&lf)?.file(index).map_or(0, |file| file.table.$field as $type)))
        }
    )+};
}
numbers! {
    /// The level of a table.
    rocksdb_livefiles_level -> c_int = level;
    /// The bytes of a table's file.
    rocksdb_livefiles_size -> usize = size;
    /// The lowest sequence number in a table.
    rocksdb_livefiles_smallest_seqno -> u64 = smallest_seqno;
    /// The highest sequence number in a table.
    rocksdb_livefiles_largest_seqno -> u64 = largest_seqno;
    /// The number of entries in a table.
    rocksdb_livefiles_entries -> u64 = entries;
    /// The number of entries in a table that delete something.
    rocksdb_livefiles_deletions -> u64 = deletions;
}

/// Gives the list back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_destroy(lf: *const rocksdb_livefiles_t) {
    guard(|| {
        take(lf.cast_mut());
        Ok(())
    })
}

/// The identity of the database, which the caller frees, its length in `*id_len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_db_identity(
    db: *mut rocksdb_t,
    id_len: *mut usize,
) -> *mut c_char {
    guard_db(db, || {
        buffer::put(id_len, 0);
        let id = get(&db)?.db.id();
        buffer::put(id_len, id.len());
        Ok(buffer::malloc_copy(id.as_bytes()))
    })
}
