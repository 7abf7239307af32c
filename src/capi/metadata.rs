//! What the levels and tables of a column family are.

use std::ffi::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db};
use crate::capi::handle::{get, get_mut, get_optional, give, give_or_null, handles, take};
use crate::db::{Family, LiveLevel, LiveTable};

/// A column family at one moment.
pub struct rocksdb_column_family_metadata_t {
    family: Arc<Metadata>,
}

/// Which levels and tables of a column family are wanted.
pub struct rocksdb_column_family_metadata_options_t {
    /// Negative means all.
    level: c_int,
    start: Option<Vec<u8>>,
    end: Option<Vec<u8>>,
}

/// A level of it. It keeps alive what it is a part of.
pub struct rocksdb_level_metadata_t {
    family: Arc<Metadata>,
    /// Where it is among the levels that are there.
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
    levels: Vec<LiveLevel>,
}

handles! {
    Boxed: rocksdb_column_family_metadata_t, rocksdb_column_family_metadata_options_t,
        rocksdb_level_metadata_t, rocksdb_sst_file_metadata_t;
}

fn size(tables: &[LiveTable]) -> u64 {
    tables.iter().map(|table| table.size).sum()
}

impl rocksdb_level_metadata_t {
    fn tables(&self) -> &[LiveTable] {
        &self.family.levels[self.level].tables
    }
}

impl rocksdb_sst_file_metadata_t {
    fn table(&self) -> &LiveTable {
        &self.family.levels[self.level].tables[self.index]
    }
}

fn metadata(family: &Family, levels: Vec<LiveLevel>) -> *mut rocksdb_column_family_metadata_t {
    let metadata = Metadata { name: family.name().to_vec(), levels };
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
        Ok(metadata(&db.default, db.default.live_levels()))
    })
}

/// The levels and tables of a column family; given back by
/// `rocksdb_column_family_metadata_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_column_family_metadata_t {
    guard_db(db, || {
        get(&db)?;
        let family = &get(&column_family)?.family;
        Ok(metadata(family, family.live_levels()))
    })
}

/// The levels and tables of a family that the options ask for; NULL asks for all that have tables.
///
/// # Safety
/// `*options` is NULL or a live handle.
unsafe fn chosen(
    family: &Family,
    options: &*const rocksdb_column_family_metadata_options_t,
) -> Vec<LiveLevel> {
    // SAFETY: the caller's promise.
    match unsafe { get_optional(options) } {
        None => family.live_levels_within(None, None, None),
        Some(options) => family.live_levels_within(
            usize::try_from(options.level).ok(),
            options.start.as_deref(),
            options.end.as_deref(),
        ),
    }
}

/// `rocksdb_get_column_family_metadata` of the levels and tables that the options ask for, NULL
/// of all. Levels without such tables are left out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata_with_options(
    db: *mut rocksdb_t,
    options: *const rocksdb_column_family_metadata_options_t,
) -> *mut rocksdb_column_family_metadata_t {
    guard_db(db, || {
        let db = get(&db)?;
        Ok(metadata(&db.default, chosen(&db.default, &options)))
    })
}

/// `rocksdb_get_column_family_metadata_with_options` of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata_cf_with_options(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    options: *const rocksdb_column_family_metadata_options_t,
) -> *mut rocksdb_column_family_metadata_t {
    guard_db(db, || {
        get(&db)?;
        let family = &get(&column_family)?.family;
        Ok(metadata(family, chosen(family, &options)))
    })
}

/// Makes options that ask for everything; given back by
/// `rocksdb_column_family_metadata_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_options_create()
-> *mut rocksdb_column_family_metadata_options_t {
    guard(|| {
        let options =
            rocksdb_column_family_metadata_options_t { level: -1, start: None, end: None };
        Ok(give(options))
    })
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_options_destroy(
    options: *mut rocksdb_column_family_metadata_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Asks for one level; a negative number asks for all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_options_set_level(
    opt: *mut rocksdb_column_family_metadata_options_t,
    v: c_int,
) {
    guard(|| {
        get_mut(&opt)?.level = v;
        Ok(())
    })
}

/// The level that is asked for; negative means all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_options_get_level(
    opt: *mut rocksdb_column_family_metadata_options_t,
) -> c_int {
    guard(|| Ok(get(&opt)?.level))
}

/// The key at `*key`, copied; NULL is none.
///
/// # Safety
/// `*key` is NULL or points to `len` bytes.
unsafe fn bound(key: &*const c_char, len: usize) -> Result<Option<Vec<u8>>> {
    if key.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    Ok(Some(unsafe { buffer::bytes(key, len)? }.to_vec()))
}

/// The address of a bound, NULL for none, and its length in `*len`.
///
/// # Safety
/// `len` is NULL or can be written.
unsafe fn lend_bound(bound: Option<&Vec<u8>>, len: *mut usize) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { buffer::put(len, bound.map_or(0, Vec::len)) };
    bound.map_or(std::ptr::null(), |bound| bound.as_ptr().cast())
}

/// Asks for tables that reach this user key or beyond. The key is copied; NULL means no bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_options_set_start_key(
    options: *mut rocksdb_column_family_metadata_options_t,
    key: *const c_char,
    key_len: usize,
) {
    guard(|| {
        get_mut(&options)?.start = bound(&key, key_len)?;
        Ok(())
    })
}

/// What was set, its length in `*key_len`; NULL if nothing is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_options_get_start_key(
    options: *const rocksdb_column_family_metadata_options_t,
    key_len: *mut usize,
) -> *const c_char {
    guard(|| Ok(lend_bound(get(&options)?.start.as_ref(), key_len)))
}

/// Asks for tables that begin at this user key or before. The key is copied; NULL means no bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_options_set_end_key(
    options: *mut rocksdb_column_family_metadata_options_t,
    key: *const c_char,
    key_len: usize,
) {
    guard(|| {
        get_mut(&options)?.end = bound(&key, key_len)?;
        Ok(())
    })
}

/// What was set, its length in `*key_len`; NULL if nothing is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_options_get_end_key(
    options: *const rocksdb_column_family_metadata_options_t,
    key_len: *mut usize,
) -> *const c_char {
    guard(|| Ok(lend_bound(get(&options)?.end.as_ref(), key_len)))
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
    guard(|| Ok(get(&cf_meta)?.family.levels.iter().map(|level| size(&level.tables)).sum()))
}

/// How many tables there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_file_count(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> usize {
    guard(|| Ok(get(&cf_meta)?.family.levels.iter().map(|level| level.tables.len()).sum()))
}

/// The column family's name, which the caller frees.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_name(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> *mut c_char {
    guard(|| Ok(buffer::malloc_copy(&get(&cf_meta)?.family.name)))
}

/// How many levels there are: with options only those that have tables.
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
    guard(|| {
        let of = get(&level_meta)?;
        Ok(of.family.levels[of.level].level as c_int)
    })
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
    guard(|| {
        let directory = &get(&file_meta)?.table().directory;
        Ok(buffer::malloc_copy(directory.as_os_str().as_bytes()))
    })
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
