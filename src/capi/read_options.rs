//! Options of reads.

use std::ffi::{c_char, c_int, c_uchar};

use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::options::read::{ReadOptions, read_options};

/// Options of a read or an iterator.
#[derive(Default)]
pub struct rocksdb_readoptions_t {
    /// The options.
    pub options: ReadOptions,
}

handles! { Boxed: rocksdb_readoptions_t; }

impl Holds<ReadOptions> for rocksdb_readoptions_t {
    fn part(&self) -> &ReadOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut ReadOptions {
        &mut self.options
    }
}

read_options!(accessors in rocksdb_readoptions_t;);

/// Makes read options with RocksDB's defaults; given back by `rocksdb_readoptions_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_create() -> *mut rocksdb_readoptions_t {
    guard(|| Ok(give(rocksdb_readoptions_t::default())))
}

/// Gives the read options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_destroy(options: *mut rocksdb_readoptions_t) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// The key at `*key` as a bound of iterators; NULL is none.
///
/// # Safety
/// `*key` is NULL or points to `keylen` bytes that nobody changes during the borrow.
unsafe fn bound(key: &*const c_char, keylen: usize) -> Result<Option<Arc<[u8]>>> {
    if key.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    Ok(Some(Arc::from(unsafe { buffer::bytes(key, keylen)? })))
}

/// Ends iterators at a key, which they do not return. The key is copied; NULL means no bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_iterate_upper_bound(
    options: *mut rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
) {
    guard(|| {
        get_mut(&options)?.options.iterate_upper_bound = bound(&key, keylen)?;
        Ok(())
    })
}

/// Starts iterators at a key. The key is copied; NULL means no bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_iterate_lower_bound(
    options: *mut rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
) {
    guard(|| {
        get_mut(&options)?.options.iterate_lower_bound = bound(&key, keylen)?;
        Ok(())
    })
}
