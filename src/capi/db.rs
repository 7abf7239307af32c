//! Databases: open, close, list, destroy.

use std::ffi::{c_char, c_int, c_uchar};
use std::path::Path;

use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::guard::{Poison, guard, guard_db, guard_err};
use crate::capi::handle::{get, give, handles, take};
use crate::capi::options::rocksdb_options_t;
use crate::db::destroy::destroy;
use crate::db::open::list_column_families;
use crate::db::{Db, Family, FamilyOptions, OpenRequest, open};

/// An open database. It may be used by any number of threads at once.
pub struct rocksdb_t {
    /// The database, which iterators and snapshots keep in memory too.
    pub db: Arc<Db>,
    /// The column family of the functions that name none.
    pub default: Arc<Family>,
}

handles! { Boxed: rocksdb_t; }

impl Poison for rocksdb_t {
    fn poison(&self, text: &str) {
        self.db.poison(text);
    }
}

const DEFAULT_NAME: &[u8] = b"default";

/// The number of elements that C passes as an `int`.
pub(super) fn count(n: c_int) -> Result<usize> {
    usize::try_from(n).map_err(|_| Status::invalid_argument(format!("a list of {n} elements")))
}

fn request(options: &rocksdb_options_t, path: &Path) -> OpenRequest {
    OpenRequest {
        path: path.to_path_buf(),
        options: options.options.db.clone(),
        families: Vec::new(),
        read_only: false,
        error_if_wal_file_exists: false,
    }
}

/// Opens with the default column family alone.
fn open_default(options: &rocksdb_options_t, mut request: OpenRequest) -> Result<*mut rocksdb_t> {
    let name = DEFAULT_NAME.to_vec();
    request.families.push(FamilyOptions { name, options: options.options.cf.clone() });
    let (db, families) = open(request)?;
    Ok(give(handle(db, &families)?))
}

fn handle(db: Arc<Db>, families: &[Arc<Family>]) -> Result<rocksdb_t> {
    let default = families.iter().find(|family| family.name() == DEFAULT_NAME);
    let default = match default {
        Some(family) => family.clone(),
        None => db.default_family()?,
    };
    Ok(rocksdb_t { db, default })
}

/// Column families as C lists them.
struct FamilyList {
    count: c_int,
    names: *const *const c_char,
    options: *const *const rocksdb_options_t,
    handles: *mut *mut rocksdb_column_family_handle_t,
}

impl FamilyList {
    /// Opens them and hands out their handles.
    ///
    /// # Safety
    /// The lists have `count` elements, of which those of `handles` can be written.
    unsafe fn open(&self, mut request: OpenRequest) -> Result<*mut rocksdb_t> {
        let count = count(self.count)?;
        if self.handles.is_null() && count > 0 {
            return Err(Status::invalid_argument("NULL for the column family handles"));
        }
        // SAFETY: the caller's promise.
        let (names, options) =
            unsafe { (buffer::array(&self.names, count)?, buffer::array(&self.options, count)?) };
        for (name, options) in names.iter().zip(options) {
            // SAFETY: the caller's promise.
            let (name, options) = unsafe { (buffer::c_str(name)?, get(options)?) };
            let name = name.to_bytes().to_vec();
            request.families.push(FamilyOptions { name, options: options.options.cf.clone() });
        }
        let (db, families) = open(request)?;
        let db = give(handle(db, &families)?);
        for (i, family) in families.into_iter().enumerate() {
            let handle = give(rocksdb_column_family_handle_t { family });
            // SAFETY: not NULL, and there is one family for each element.
            unsafe { self.handles.add(i).write(handle) };
        }
        Ok(db)
    }
}

/// Opens the database in the folder `name`, with the default column family; given back by
/// `rocksdb_close`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open(
    options: *const rocksdb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guard_err(errptr, || {
        let options = get(&options)?;
        open_default(options, request(options, buffer::path(&name)?))
    })
}

/// Opens a database for reading only, without a lock: another process may have it open. With
/// `error_if_wal_file_exists`, a write-ahead log with data is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_for_read_only(
    options: *const rocksdb_options_t,
    name: *const c_char,
    error_if_wal_file_exists: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guard_err(errptr, || {
        let options = get(&options)?;
        let mut request = request(options, buffer::path(&name)?);
        request.read_only = true;
        request.error_if_wal_file_exists = error_if_wal_file_exists != 0;
        open_default(options, request)
    })
}

/// Opens a database with all its column families, "default" among them. The handles are written
/// to `column_family_handles`, in the order of the names; each is given back by
/// `rocksdb_column_family_handle_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guard_err(errptr, || {
        let families = FamilyList {
            count: num_column_families,
            names: column_family_names,
            options: column_family_options,
            handles: column_family_handles,
        };
        families.open(request(get(&options)?, buffer::path(&name)?))
    })
}

/// `rocksdb_open_for_read_only` with some of the column families, "default" among them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_for_read_only_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    error_if_wal_file_exists: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guard_err(errptr, || {
        let families = FamilyList {
            count: num_column_families,
            names: column_family_names,
            options: column_family_options,
            handles: column_family_handles,
        };
        let mut request = request(get(&options)?, buffer::path(&name)?);
        request.read_only = true;
        request.error_if_wal_file_exists = error_if_wal_file_exists != 0;
        families.open(request)
    })
}

/// Closes the database: ends its background work and releases its lock. Handles of column
/// families, iterators, snapshots and pinned values that are still there stay safe to read and to
/// destroy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_close(db: *mut rocksdb_t) {
    guard(|| match take(db) {
        Some(db) => db.db.close(),
        None => Ok(()),
    })
}

/// Removes a database that is not open: its files, and its folder if nothing else is in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_destroy_db(
    options: *const rocksdb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || destroy(&get(&options)?.options.db, buffer::path(&name)?))
}

/// The names of a database's column families, and their number in `*lencf`; given back by
/// `rocksdb_list_column_families_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_list_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    lencf: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut *mut c_char {
    guard_err(errptr, || {
        buffer::put(lencf, 0);
        let names = list_column_families(&get(&options)?.options.db, buffer::path(&name)?)?;
        let names: Vec<*mut c_char> = names.iter().map(|name| buffer::malloc_copy(name)).collect();
        buffer::put(lencf, names.len());
        Ok(buffer::malloc_array(&names))
    })
}

/// Gives back a list of `len` names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_list_column_families_destroy(list: *mut *mut c_char, len: usize) {
    guard(|| {
        let list = list.cast_const();
        for name in buffer::array(&list, len)? {
            libc::free(name.cast());
        }
        libc::free(list.cast_mut().cast());
        Ok(())
    })
}

/// The sequence number of the newest write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_latest_sequence_number(db: *mut rocksdb_t) -> u64 {
    guard_db(db, || Ok(get(&db)?.db.latest_sequence()))
}
