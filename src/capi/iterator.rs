//! Iterators: the keys of a column family in order, in both directions.

use std::ffi::c_char;

use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{Neutral, Poison, guard, guard_db, guard_db_err};
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::read_options::rocksdb_readoptions_t;
use crate::db::{Db, Family, lets_go};
use crate::options::ReadOptions;
use crate::read::iterator::DbIterator;

/// Stands on a key of a column family, or on none, in which case it is not valid: before it was
/// moved, beyond the ends, and after an error. It sees the database as it was when it was made.
pub struct rocksdb_iterator_t {
    /// Why it could not be made, where that could not be reported at once.
    iter: Result<DbIterator>,
    db: Arc<Db>,
    family: Arc<Family>,
    options: ReadOptions,
    /// Whether steps see to it that nothing outdated is held.
    lets_go: bool,
}

handles! { Boxed: rocksdb_iterator_t; }

impl Poison for rocksdb_iterator_t {
    fn poison(&self, text: &str) {
        self.db.poison(text);
    }
}

impl rocksdb_iterator_t {
    fn new(db: &rocksdb_t, family: &Arc<Family>, options: &ReadOptions) -> rocksdb_iterator_t {
        rocksdb_iterator_t {
            iter: db.db.iter(family, options),
            db: db.db.clone(),
            family: family.clone(),
            options: options.clone(),
            lets_go: lets_go(options),
        }
    }

    fn iter(&self) -> Result<&DbIterator> {
        self.iter.as_ref().map_err(Status::clone)
    }

    /// The iterator before a seek.
    fn before_seek(&mut self) -> Result<&mut DbIterator> {
        if let Ok(iter) = &mut self.iter {
            self.db.follow(&self.family, &self.options, iter)?;
        }
        self.iter_mut()
    }

    #[cold]
    fn let_go(&mut self, forward: bool) -> Result<()> {
        if let Ok(iter) = &mut self.iter
            && let Err(error) = self.db.let_go(&self.family, &self.options, iter, forward)
        {
            self.iter = Err(error);
        }
        Ok(())
    }

    fn iter_mut(&mut self) -> Result<&mut DbIterator> {
        self.iter.as_mut().map_err(|status| status.clone())
    }
}

/// Bytes that belong to the library.
#[repr(C)]
pub struct rocksdb_slice_t {
    /// The bytes.
    pub data: *const c_char,
    /// How many there are.
    pub size: usize,
}

impl Neutral for rocksdb_slice_t {
    fn neutral() -> rocksdb_slice_t {
        rocksdb_slice_t { data: std::ptr::null(), size: 0 }
    }
}

impl From<&[u8]> for rocksdb_slice_t {
    fn from(bytes: &[u8]) -> rocksdb_slice_t {
        rocksdb_slice_t { data: bytes.as_ptr().cast(), size: bytes.len() }
    }
}

/// Moves the iterator by a step.
///
/// # Safety
/// `*iter` is NULL or a live handle that nobody else uses.
#[inline]
unsafe fn step(
    iter: &*mut rocksdb_iterator_t,
    step: impl FnOnce(&mut DbIterator),
    forward: bool,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let handle = unsafe { get_mut(iter)? };
    step(handle.iter_mut()?);
    if handle.lets_go { handle.let_go(forward) } else { Ok(()) }
}

/// Moves the iterator to a place that does not depend on where it is.
///
/// # Safety
/// As for [`step`].
#[inline]
unsafe fn seek(iter: &*mut rocksdb_iterator_t, seek: impl FnOnce(&mut DbIterator)) -> Result<()> {
    // SAFETY: the caller's promise.
    seek(unsafe { get_mut(iter)? }.before_seek()?);
    Ok(())
}

/// What `part` finds at an iterator that is valid.
///
/// # Safety
/// `*iter` is NULL or a live handle that nobody moves meanwhile.
#[inline]
unsafe fn look<'a>(
    iter: &'a *const rocksdb_iterator_t,
    part: impl FnOnce(&'a DbIterator) -> &'a [u8],
) -> Result<&'a [u8]> {
    // SAFETY: the caller's promise.
    let iter = unsafe { get(iter)? }.iter()?;
    if iter.valid() { Ok(part(iter)) } else { Err(Status::invalid_argument("not valid")) }
}

/// Makes an iterator over the default column family; given back by `rocksdb_iter_destroy`. An
/// error shows in `rocksdb_iter_get_error`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterator(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
) -> *mut rocksdb_iterator_t {
    guard_db(db, || {
        let (db, options) = (get(&db)?, get(&options)?);
        Ok(give(rocksdb_iterator_t::new(db, &db.default, &options.options)))
    })
}

/// `rocksdb_create_iterator` over a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterator_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_iterator_t {
    guard_db(db, || {
        let (db, options) = (get(&db)?, get(&options)?);
        let family = &get(&column_family)?.family;
        Ok(give(rocksdb_iterator_t::new(db, family, &options.options)))
    })
}

/// Makes iterators over `size` column families that see the database at one moment, and writes
/// them to `iterators`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterators(
    db: *mut rocksdb_t,
    options: *mut rocksdb_readoptions_t,
    column_families: *mut *mut rocksdb_column_family_handle_t,
    iterators: *mut *mut rocksdb_iterator_t,
    size: usize,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let (db, options) = (get(&db)?, &get(&options)?.options);
        let handles = column_families.cast_const();
        let handles = buffer::array(&handles, size)?.iter();
        let families = handles.map(|handle| Ok(get(handle)?.family.clone()));
        let families = families.collect::<Result<Vec<_>>>()?;
        if iterators.is_null() && size > 0 {
            return Err(Status::invalid_argument("NULL for the iterators"));
        }
        let made = db.db.iters(&families, options)?;
        for (i, (iter, family)) in made.into_iter().zip(families).enumerate() {
            let (iter, db, options, lets_go) =
                (Ok(iter), db.db.clone(), options.clone(), lets_go(options));
            let handle = rocksdb_iterator_t { iter, db, family, options, lets_go };
            iterators.add(i).write(give(handle));
        }
        Ok(())
    })
}

/// Gives the iterator back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_destroy(iter: *mut rocksdb_iterator_t) {
    guard(|| {
        if let Some(handle) = take(iter) {
            let rocksdb_iterator_t { iter, db, options, .. } = *handle;
            db.end_iter(iter?, &options);
        }
        Ok(())
    })
}

/// Whether the iterator stands on a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_valid(iter: *const rocksdb_iterator_t) -> u8 {
    guard_db(iter, || Ok(u8::from(get(&iter)?.iter()?.valid())))
}

/// Moves to the first key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_to_first(iter: *mut rocksdb_iterator_t) {
    guard_db(iter, || seek(&iter, DbIterator::seek_to_first))
}

/// Moves to the last key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_to_last(iter: *mut rocksdb_iterator_t) {
    guard_db(iter, || seek(&iter, DbIterator::seek_to_last))
}

/// Moves to the first key at or behind `k`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek(
    iter: *mut rocksdb_iterator_t,
    k: *const c_char,
    klen: usize,
) {
    guard_db(iter, || {
        let key = buffer::bytes(&k, klen)?;
        seek(&iter, |iter| iter.seek(key))
    })
}

/// Moves to the last key at or before `k`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_for_prev(
    iter: *mut rocksdb_iterator_t,
    k: *const c_char,
    klen: usize,
) {
    guard_db(iter, || {
        let key = buffer::bytes(&k, klen)?;
        seek(&iter, |iter| iter.seek_for_prev(key))
    })
}

/// Moves to the next key. Does nothing to an iterator that is not valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_next(iter: *mut rocksdb_iterator_t) {
    guard_db(iter, || step(&iter, DbIterator::next, true))
}

/// Moves to the previous key. Does nothing to an iterator that is not valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_prev(iter: *mut rocksdb_iterator_t) {
    guard_db(iter, || step(&iter, DbIterator::prev, false))
}

/// The key, and its length in `*klen`; valid until the iterator moves. NULL where it is not valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_key(
    iter: *const rocksdb_iterator_t,
    klen: *mut usize,
) -> *const c_char {
    guard_db(iter, || {
        buffer::put(klen, 0);
        let key = look(&iter, DbIterator::key)?;
        buffer::put(klen, key.len());
        Ok(key.as_ptr().cast())
    })
}

/// The value, and its length in `*vlen`; valid until the iterator moves. NULL where it is not
/// valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_value(
    iter: *const rocksdb_iterator_t,
    vlen: *mut usize,
) -> *const c_char {
    guard_db(iter, || {
        buffer::put(vlen, 0);
        let value = look(&iter, DbIterator::value)?;
        buffer::put(vlen, value.len());
        Ok(value.as_ptr().cast())
    })
}

/// The key; valid until the iterator moves. No bytes at NULL where it is not valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_key_slice(
    iter: *const rocksdb_iterator_t,
) -> rocksdb_slice_t {
    guard_db(iter, || Ok(look(&iter, DbIterator::key)?.into()))
}

/// The value; valid until the iterator moves. No bytes at NULL where it is not valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_value_slice(
    iter: *const rocksdb_iterator_t,
) -> rocksdb_slice_t {
    guard_db(iter, || Ok(look(&iter, DbIterator::value)?.into()))
}

/// The error that made the iterator invalid, if it was one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_get_error(
    iter: *const rocksdb_iterator_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(iter, errptr, || get(&iter)?.iter()?.status())
}

/// Makes the iterator see the database as it is now, even if it was made with a snapshot. It
/// stands on no key afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_refresh(
    iter: *const rocksdb_iterator_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(iter, errptr, || {
        let iter = iter.cast_mut();
        let iter = get_mut(&iter)?;
        iter.options.snapshot = None;
        iter.lets_go = false;
        iter.iter = Ok(iter.db.iter(&iter.family, &iter.options)?);
        Ok(())
    })
}
