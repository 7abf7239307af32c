//! What the levels and tables of a column family are.

use std::ffi::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db};
use crate::capi::handle::{get, give, give_or_null, handles, take};
use crate::db::{Db, Family, LiveTable};

/// A column family at one moment.
pub struct rocksdb_column_family_metadata_t {
    family: Arc<Metadata>,
}

/// A level of it. It keeps alive what it is a part of.
pub struct rocksdb_level_metadata_t {
    family: Arc<Metadata>,
    level: usize,
}

/// A table on a level. It keeps alive what it is a part of.
pub struct rocksdb_sst_file_metadata_t {
    family: Arc<Metadata>,
    level: usize,
    index: usize,
}

struct Metadata {
    name: Vec<u8>,
    directory: Vec<u8>,
    levels: Vec<Vec<LiveTable>>,
}

handles! {
    Boxed: rocksdb_column_family_metadata_t, rocksdb_level_metadata_t, rocksdb_sst_file_metadata_t;
}

fn size(tables: &[LiveTable]) -> u64 {
    tables.iter().map(|table| table.size).sum()
}

impl rocksdb_level_metadata_t {
    fn tables(&self) -> &[LiveTable] {
        &self.family.levels[self.level]
    }
}

impl rocksdb_sst_file_metadata_t {
    fn table(&self) -> &LiveTable {
        &self.family.levels[self.level][self.index]
    }
}

fn metadata(db: &Db, family: &Family) -> *mut rocksdb_column_family_metadata_t {
    let metadata = Metadata {
        name: family.name().to_vec(),
        directory: db.dir().as_os_str().as_bytes().to_vec(),
        levels: family.live_levels(),
    };
    give(rocksdb_column_family_metadata_t { family: Arc::new(metadata) })
}

/// The levels and tables of the default column family; given back by
/// `rocksdb_column_family_metadata_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata(
    db: *mut rocksdb_t,
) -> *mut rocksdb_column_family_metadata_t {
    guard_db(db, || {
        let db = get(&db)?;
        Ok(metadata(&db.db, &db.default))
    })
}

/// The levels and tables of a column family; given back by
/// `rocksdb_column_family_metadata_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_column_family_metadata_t {
    guard_db(db, || Ok(metadata(&get(&db)?.db, &get(&column_family)?.family)))
}

/// Gives it back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_destroy(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) {
    guard(|| {
        take(cf_meta);
        Ok(())
    })
}

/// The bytes of all tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_size(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> u64 {
    guard(|| Ok(get(&cf_meta)?.family.levels.iter().map(|tables| size(tables)).sum()))
}

/// How many tables there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_file_count(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> usize {
    guard(|| Ok(get(&cf_meta)?.family.levels.iter().map(Vec::len).sum()))
}

/// The column family's name, which the caller frees.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_name(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> *mut c_char {
    guard(|| Ok(buffer::malloc_copy(&get(&cf_meta)?.family.name)))
}

/// How many levels there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_level_count(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> usize {
    guard(|| Ok(get(&cf_meta)?.family.levels.len()))
}

/// A level, or NULL if there is no such level; given back by `rocksdb_level_metadata_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_level_metadata(
    cf_meta: *mut rocksdb_column_family_metadata_t,
    i: usize,
) -> *mut rocksdb_level_metadata_t {
    guard(|| {
        let family = get(&cf_meta)?.family.clone();
        let exists = i < family.levels.len();
        Ok(give_or_null(exists.then_some(rocksdb_level_metadata_t { family, level: i })))
    })
}

/// Gives a level back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_destroy(level_meta: *mut rocksdb_level_metadata_t) {
    guard(|| {
        take(level_meta);
        Ok(())
    })
}

/// Its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_level(
    level_meta: *mut rocksdb_level_metadata_t,
) -> c_int {
    guard(|| Ok(get(&level_meta)?.level as c_int))
}

/// The bytes of its tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_size(
    level_meta: *mut rocksdb_level_metadata_t,
) -> u64 {
    guard(|| Ok(size(get(&level_meta)?.tables())))
}

/// How many tables it has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_file_count(
    level_meta: *mut rocksdb_level_metadata_t,
) -> usize {
    guard(|| Ok(get(&level_meta)?.tables().len()))
}

/// A table, or NULL if there is no such table; given back by `rocksdb_sst_file_metadata_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_sst_file_metadata(
    level_meta: *mut rocksdb_level_metadata_t,
    i: usize,
) -> *mut rocksdb_sst_file_metadata_t {
    guard(|| {
        let of = get(&level_meta)?;
        let (family, level) = (of.family.clone(), of.level);
        let exists = i < of.tables().len();
        Ok(give_or_null(exists.then_some(rocksdb_sst_file_metadata_t { family, level, index: i })))
    })
}

/// Gives a table back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_destroy(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) {
    guard(|| {
        take(file_meta);
        Ok(())
    })
}

/// The name of its file, which the caller frees.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_relative_filename(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> *mut c_char {
    guard(|| Ok(buffer::c_string(&get(&file_meta)?.table().file_name)))
}

/// The folder of its file, which the caller frees.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_directory(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> *mut c_char {
    guard(|| Ok(buffer::malloc_copy(&get(&file_meta)?.family.directory)))
}

/// The bytes of its file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_size(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> u64 {
    guard(|| Ok(get(&file_meta)?.table().size))
}

/// Its first user key, which the caller frees, the length in `*key_len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_smallestkey(
    file_meta: *mut rocksdb_sst_file_metadata_t,
    key_len: *mut usize,
) -> *mut c_char {
    guard(|| {
        let key = &get(&file_meta)?.table().smallest;
        buffer::put(key_len, key.len());
        Ok(buffer::malloc_copy(key))
    })
}

/// Its last user key, which the caller frees, the length in `*key_len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_largestkey(
    file_meta: *mut rocksdb_sst_file_metadata_t,
    key_len: *mut usize,
) -> *mut c_char {
    guard(|| {
        let key = &get(&file_meta)?.table().largest;
        buffer::put(key_len, key.len());
        Ok(buffer::malloc_copy(key))
    })
}
