//! Reading OPTIONS files.

use std::ffi::c_char;
use std::ptr;

use crate::capi::buffer::{self, put};
use crate::capi::cache::rocksdb_cache_t;
use crate::capi::env::rocksdb_env_t;
use crate::capi::guard::{guard, guard_err};
use crate::capi::handle::{get_optional, give, take};
use crate::capi::options::rocksdb_options_t;
use crate::options::{CfOptions, DbOptions, Options, OptionsFile};

/// Reads the newest OPTIONS file of the database in the folder `db_path`: its database options,
/// and name and options of each column family. `cache`, if not NULL, becomes the block cache of
/// all. On failure the results are NULL and 0. `rocksdb_load_latest_options_destroy` gives all of
/// it back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_load_latest_options(
    db_path: *const c_char,
    env: *mut rocksdb_env_t,
    ignore_unknown_options: bool,
    cache: *mut rocksdb_cache_t,
    db_options: *mut *mut rocksdb_options_t,
    num_column_families: *mut usize,
    list_column_family_names: *mut *mut *mut c_char,
    list_column_family_options: *mut *mut *mut rocksdb_options_t,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || {
        put(db_options, ptr::null_mut());
        put(num_column_families, 0);
        put(list_column_family_names, ptr::null_mut());
        put(list_column_family_options, ptr::null_mut());
        let env = get_optional(&env).map(|env| env.env.clone()).unwrap_or_default();
        let path = buffer::path(&db_path)?;
        let mut file = OptionsFile::load_latest(env.fs().as_ref(), path, ignore_unknown_options)?;
        if let Some(cache) = get_optional(&cache) {
            file.set_block_cache(&cache.cache);
        }
        let (names, options): (Vec<_>, Vec<_>) = file
            .column_families
            .into_iter()
            .map(|(name, cf)| (buffer::c_string(&name), handle_of(DbOptions::default(), cf)))
            .unzip();
        put(db_options, handle_of(file.db, CfOptions::default()));
        put(num_column_families, names.len());
        put(list_column_family_names, buffer::malloc_array(&names));
        put(list_column_family_options, buffer::malloc_array(&options));
        Ok(())
    })
}

fn handle_of(db: DbOptions, cf: CfOptions) -> *mut rocksdb_options_t {
    give(Options { db, cf }.into())
}

/// Gives back what `rocksdb_load_latest_options` returned; `len` is the number of column
/// families.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_load_latest_options_destroy(
    db_options: *mut rocksdb_options_t,
    list_column_family_names: *mut *mut c_char,
    list_column_family_options: *mut *mut rocksdb_options_t,
    len: usize,
) {
    guard(|| {
        take(db_options);
        let names = list_column_family_names.cast_const();
        for name in buffer::array(&names, len).unwrap_or_default() {
            libc::free((*name).cast());
        }
        let options = list_column_family_options.cast_const();
        for options in buffer::array(&options, len).unwrap_or_default() {
            take(*options);
        }
        libc::free(list_column_family_names.cast());
        libc::free(list_column_family_options.cast());
        Ok(())
    })
}
