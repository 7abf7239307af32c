//! Reads: the value of one key, or of several.

use std::ffi::{c_char, c_uchar};

use crate::base::status::{Code, Result};
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard_db, guard_db_err};
use crate::capi::handle::{get, give_or_null};
use crate::capi::pinnable_slice::{rocksdb_pinnable_handle_t, rocksdb_pinnableslice_t};
use crate::capi::read_options::rocksdb_readoptions_t;
use crate::db::Family;
use crate::options::{ReadOptions, ReadTier};
use crate::read::get::{FoundValue, Sink};
use crate::table::BlockValue;

pub mod multi;
pub mod pinned_batch;

/// A value on its way to C: one copy, into memory from `malloc`.
#[derive(Default)]
struct Copied(Option<(*mut c_char, usize)>);

impl Copied {
    fn set(&mut self, value: &[u8]) {
        self.clear();
        self.0 = Some((buffer::malloc_copy(value), value.len()));
    }

    fn clear(&mut self) {
        if let Some((copy, _)) = self.0.take() {
            // SAFETY: it comes from `malloc`, and nobody else has it.
            unsafe { libc::free(copy.cast()) };
        }
    }

    /// Hands the copy and its length over; NULL if there is none.
    fn give(mut self) -> (*mut c_char, usize) {
        self.0.take().unwrap_or((std::ptr::null_mut(), 0))
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Sink for Copied {
    fn take_slice(&mut self, value: &[u8]) {
        self.set(value);
    }

    fn take_block(&mut self, value: BlockValue<'_>, len: usize) {
        self.set(&value[..len]);
    }

    fn take_merged(&mut self, value: Vec<u8>) {
        self.set(&value);
    }
}

/// A value on its way into the caller's memory.
struct IntoBuffer {
    buffer: *mut c_char,
    size: usize,
    /// The value's length, if there is one.
    len: Option<usize>,
}

impl IntoBuffer {
    fn set(&mut self, value: &[u8]) {
        self.len = Some(value.len());
        if value.len() <= self.size && !self.buffer.is_null() {
            // SAFETY: the caller of the export says that `size` bytes can be written there.
            unsafe { self.buffer.copy_from(value.as_ptr().cast(), value.len()) };
        }
    }

    fn fits(&self) -> bool {
        self.len.is_some_and(|len| len <= self.size && (len == 0 || !self.buffer.is_null()))
    }
}

impl Sink for IntoBuffer {
    fn take_slice(&mut self, value: &[u8]) {
        self.set(value);
    }

    fn take_block(&mut self, value: BlockValue<'_>, len: usize) {
        self.set(&value[..len]);
    }

    fn take_merged(&mut self, value: Vec<u8>) {
        self.set(&value);
    }
}

/// What a read needs, from C's pointers.
struct Read<'a> {
    db: &'a rocksdb_t,
    family: &'a Family,
    options: &'a ReadOptions,
}

impl<'a> Read<'a> {
    /// A read in the default column family.
    ///
    /// # Safety
    /// The pointers are NULL or live handles.
    unsafe fn new(
        db: &'a *mut rocksdb_t,
        options: &'a *const rocksdb_readoptions_t,
    ) -> Result<Read<'a>> {
        // SAFETY: the caller's promise.
        let (db, options) = unsafe { (get(db)?, get(options)?) };
        Ok(Read { db, family: &db.default, options: &options.options })
    }

    /// A read in a column family.
    ///
    /// # Safety
    /// As for [`Read::new`].
    unsafe fn in_family(
        db: &'a *mut rocksdb_t,
        options: &'a *const rocksdb_readoptions_t,
        family: &'a *mut rocksdb_column_family_handle_t,
    ) -> Result<Read<'a>> {
        // SAFETY: the caller's promise.
        unsafe { Ok(Read { family: &get(family)?.family, ..Read::new(db, options)? }) }
    }

    fn get(&self, key: &[u8], sink: &mut impl Sink) -> Result<bool> {
        self.db.db.get(self.family, self.options, key, sink)
    }

    /// The value in memory from `malloc`, and its length; NULL if there is none.
    fn copy(&self, key: &[u8]) -> Result<(*mut c_char, usize)> {
        let mut value = Copied::default();
        if !self.get(key, &mut value)? {
            value.clear();
        }
        Ok(value.give())
    }

    fn pin(&self, key: &[u8]) -> Result<Option<FoundValue>> {
        self.db.db.get_pinned(self.family, self.options, key)
    }

    /// Whether memory alone cannot rule out that the key has a value, and the value if memory
    /// alone holds it.
    fn may_exist(&self, key: &[u8]) -> Result<(bool, Option<FoundValue>)> {
        let options = ReadOptions { read_tier: ReadTier::BlockCache, ..self.options.clone() };
        match self.db.db.get_pinned(self.family, &options, key) {
            Ok(value) => Ok((value.is_some(), value)),
            Err(status) if status.code() == Code::Incomplete => Ok((true, None)),
            Err(status) => Err(status),
        }
    }
}

/// The value of a key, and its length in `*vallen`; the caller frees it. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    guard_db_err(db, errptr, || {
        buffer::put(vallen, 0);
        let (value, len) = Read::new(&db, &options)?.copy(buffer::bytes(&key, keylen)?)?;
        buffer::put(vallen, len);
        Ok(value)
    })
}

/// `rocksdb_get` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    guard_db_err(db, errptr, || {
        buffer::put(vallen, 0);
        let (value, len) =
            Read::in_family(&db, &options, &column_family)?.copy(buffer::bytes(&key, keylen)?)?;
        buffer::put(vallen, len);
        Ok(value)
    })
}

/// The value of a key, without a copy where it can be; given back by
/// `rocksdb_pinnableslice_destroy`. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    guard_db_err(db, errptr, || {
        let value = Read::new(&db, &options)?.pin(buffer::bytes(&key, keylen)?)?;
        Ok(give_or_null(value.map(|value| rocksdb_pinnableslice_t { value })))
    })
}

/// `rocksdb_get_pinned` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    guard_db_err(db, errptr, || {
        let value =
            Read::in_family(&db, &options, &column_family)?.pin(buffer::bytes(&key, keylen)?)?;
        Ok(give_or_null(value.map(|value| rocksdb_pinnableslice_t { value })))
    })
}

/// The value of a key, without a copy where it can be; given back by
/// `rocksdb_pinnable_handle_destroy`. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned_v2(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnable_handle_t {
    guard_db_err(db, errptr, || {
        let value = Read::new(&db, &options)?.pin(buffer::bytes(&key, keylen)?)?;
        Ok(give_or_null(value.map(|value| rocksdb_pinnable_handle_t { value })))
    })
}

/// `rocksdb_get_pinned_v2` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned_cf_v2(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnable_handle_t {
    guard_db_err(db, errptr, || {
        let value =
            Read::in_family(&db, &options, &column_family)?.pin(buffer::bytes(&key, keylen)?)?;
        Ok(give_or_null(value.map(|value| rocksdb_pinnable_handle_t { value })))
    })
}

/// Copies the value of a key to `buffer`, which has room for `buffer_size` bytes, and sets `*vallen` to
/// its length and `*found` to whether there is one. Returns 1 if it was copied; 0 if there is none, it
/// is too long, or on an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_into_buffer(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    buffer: *mut c_char,
    buffer_size: usize,
    vallen: *mut usize,
    found: *mut c_uchar,
    errptr: *mut *mut c_char,
) -> c_uchar {
    guard_db_err(db, errptr, || {
        buffer::put(vallen, 0);
        buffer::put(found, 0);
        let mut value = IntoBuffer { buffer, size: buffer_size, len: None };
        if !Read::new(&db, &options)?.get(buffer::bytes(&key, keylen)?, &mut value)? {
            return Ok(0);
        }
        buffer::put(found, 1);
        buffer::put(vallen, value.len.unwrap_or(0));
        Ok(c_uchar::from(value.fits()))
    })
}

/// `rocksdb_get_into_buffer` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_into_buffer_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    buffer: *mut c_char,
    buffer_size: usize,
    vallen: *mut usize,
    found: *mut c_uchar,
    errptr: *mut *mut c_char,
) -> c_uchar {
    guard_db_err(db, errptr, || {
        buffer::put(vallen, 0);
        buffer::put(found, 0);
        let mut value = IntoBuffer { buffer, size: buffer_size, len: None };
        if !Read::in_family(&db, &options, &column_family)?
            .get(buffer::bytes(&key, keylen)?, &mut value)?
        {
            return Ok(0);
        }
        buffer::put(found, 1);
        buffer::put(vallen, value.len.unwrap_or(0));
        Ok(c_uchar::from(value.fits()))
    })
}

/// Whether a key may have a value, without reading files: 0 if it has none for certain. If
/// `value_found` is not NULL, `*value_found` says whether the value was at hand as well; then `*value`
/// is the value, which the caller frees, and `*val_len` its length. `timestamp` is not used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_key_may_exist(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    key_len: usize,
    value: *mut *mut c_char,
    val_len: *mut usize,
    timestamp: *const c_char,
    timestamp_len: usize,
    value_found: *mut c_uchar,
) -> c_uchar {
    guard_db(db, || {
        let _ = (timestamp, timestamp_len);
        buffer::put(value_found, 0);
        let (may_exist, found) =
            Read::new(&db, &options)?.may_exist(buffer::bytes(&key, key_len)?)?;
        if let Some(found) = found
            && !value_found.is_null()
            && !value.is_null()
        {
            buffer::put(value, buffer::malloc_copy(found.as_slice()));
            buffer::put(val_len, found.as_slice().len());
            buffer::put(value_found, 1);
        }
        Ok(c_uchar::from(may_exist))
    })
}

/// `rocksdb_key_may_exist` in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_key_may_exist_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    key_len: usize,
    value: *mut *mut c_char,
    val_len: *mut usize,
    timestamp: *const c_char,
    timestamp_len: usize,
    value_found: *mut c_uchar,
) -> c_uchar {
    guard_db(db, || {
        let _ = (timestamp, timestamp_len);
        buffer::put(value_found, 0);
        let (may_exist, found) = Read::in_family(&db, &options, &column_family)?
            .may_exist(buffer::bytes(&key, key_len)?)?;
        if let Some(found) = found
            && !value_found.is_null()
            && !value.is_null()
        {
            buffer::put(value, buffer::malloc_copy(found.as_slice()));
            buffer::put(val_len, found.as_slice().len());
            buffer::put(value_found, 1);
        }
        Ok(c_uchar::from(may_exist))
    })
}
