//! The tables of a database, and its identity.

use std::ffi::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use crate::capi::buffer;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db};
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::db::LiveTable;

/// Tables: those of all column families at one moment, or those that were added. Pointers into it are good until it is
/// destroyed.
pub struct rocksdb_livefiles_t {
    files: Vec<rocksdb_livefile_t>,
}

/// A table, for a list of tables that a program makes.
pub struct rocksdb_livefile_t {
    table: LiveTable,
    /// Texts, each with a NUL behind it.
    family: Vec<u8>,
    name: Vec<u8>,
    directory: Vec<u8>,
}

impl rocksdb_livefile_t {
    fn new(table: LiveTable, directory: &[u8]) -> rocksdb_livefile_t {
        let family = with_nul(&table.family);
        let name = with_nul(format!("/{}", table.file_name).as_bytes());
        rocksdb_livefile_t { table, family, name, directory: with_nul(directory) }
    }
}

handles! { Boxed: rocksdb_livefiles_t, rocksdb_livefile_t; }

fn with_nul(text: &[u8]) -> Vec<u8> {
    [text, b"\0"].concat()
}

impl rocksdb_livefiles_t {
    fn file(&self, index: c_int) -> Option<&rocksdb_livefile_t> {
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
        let tables = get(&db)?.db.live_tables().into_iter();
        let place = |table: LiveTable| {
            let directory = table.directory.as_os_str().as_bytes().to_vec();
            rocksdb_livefile_t::new(table, &directory)
        };
        let files = tables.map(place).collect();
        Ok(give(rocksdb_livefiles_t { files }).cast_const())
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
    guard(|| Ok(address(get(&lf)?.file(index).map(|file| &file.directory))))
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

/// Makes a list without tables; given back by `rocksdb_livefiles_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_create() -> *mut rocksdb_livefiles_t {
    guard(|| Ok(give(rocksdb_livefiles_t { files: Vec::new() })))
}

/// Adds a table to the list, which owns it from now on: it must not be used or destroyed again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_add(
    lf: *mut rocksdb_livefiles_t,
    livefile: *mut rocksdb_livefile_t,
) {
    guard(|| {
        let files = &mut get_mut(&lf)?.files;
        files.extend(take(livefile).map(|file| *file));
        Ok(())
    })
}

/// Makes a table of which nothing is known; given to `rocksdb_livefiles_add`, or back by
/// `rocksdb_livefile_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_create() -> *mut rocksdb_livefile_t {
    guard(|| {
        let mut file = rocksdb_livefile_t::new(LiveTable::default(), b"");
        file.name = with_nul(b"");
        Ok(give(file))
    })
}

/// Gives a table back that was not added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_destroy(lf: *mut rocksdb_livefile_t) {
    guard(|| {
        take(lf);
        Ok(())
    })
}

/// Texts of a table, copied.
macro_rules! set_texts {
    ($($(#[$doc:meta])* $name:ident($argument:ident) = $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lf: *mut rocksdb_livefile_t, $argument: *const c_char) {
            guard(|| {
                get_mut(&lf)?.$field = with_nul(buffer::c_str(&$argument)?.to_bytes());
                Ok(())
            })
        }
    )+};
}
set_texts! {
    /// Sets the name of the column family.
    rocksdb_livefile_set_column_family_name(column_family_name) = family;
    /// Sets the name of the file.
    rocksdb_livefile_set_name(name) = name;
    /// Sets the folder of the file.
    rocksdb_livefile_set_directory(directory) = directory;
}

/// Keys of a table, copied.
macro_rules! set_keys {
    ($($(#[$doc:meta])* $name:ident($key:ident, $len:ident) = $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            lf: *mut rocksdb_livefile_t,
            $key: *const c_char,
            $len: usize,
        ) {
            guard(|| {
                get_mut(&lf)?.table.$field = buffer::bytes(&$key, $len)?.to_vec();
                Ok(())
            })
        }
    )+};
}
set_keys! {
    /// Sets the first user key.
    rocksdb_livefile_set_smallest_key(smallest_key, smallest_key_len) = smallest;
    /// Sets the last user key.
    rocksdb_livefile_set_largest_key(largest_key, largest_key_len) = largest;
}

/// Numbers of a table.
macro_rules! set_numbers {
    ($($(#[$doc:meta])* $name:ident($argument:ident: $type:ty) = $field:ident as $to:ty;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(lf: *mut rocksdb_livefile_t, $argument: $type) {
            guard(|| {
                get_mut(&lf)?.table.$field = $argument as $to;
                Ok(())
            })
        }
    )+};
}
set_numbers! {
    /// Sets the level.
    rocksdb_livefile_set_level(level: c_int) = level as usize;
    /// Sets the bytes of the file.
    rocksdb_livefile_set_size(size: usize) = size as u64;
    /// Sets the lowest sequence number.
    rocksdb_livefile_set_smallest_seqno(smallest_seqno: u64) = smallest_seqno as u64;
    /// Sets the highest sequence number.
    rocksdb_livefile_set_largest_seqno(largest_seqno: u64) = largest_seqno as u64;
    /// Sets the number of entries.
    rocksdb_livefile_set_num_entries(num_entries: u64) = entries as u64;
    /// Sets the number of entries that delete something.
    rocksdb_livefile_set_num_deletions(num_deletions: u64) = deletions as u64;
}
