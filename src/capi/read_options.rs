//! Options of reads.

use std::ffi::{c_char, c_int, c_uchar};

use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::capi::table_filter::Callbacks;
use crate::options::read::{ReadOptions, read_options};

/// Options of a read or an iterator.
#[derive(Default)]
pub struct rocksdb_readoptions_t {
    /// The options.
    pub options: ReadOptions,
    /// What was given to choose tables by, which is given back if it was no function, too.
    pub(super) table_filter: Option<Arc<Callbacks>>,
    /// With a NUL behind it.
    request_id: Option<Box<[u8]>>,
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

/// Has a get that joins more merge operands than `threshold` succeed with the sub-code
/// `kMergeOperandThresholdExceeded`. As in RocksDB, the functions here do not tell one success from
/// another: the threshold is for those who read it from the options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_merge_operand_count_threshold(
    options: *mut rocksdb_readoptions_t,
    threshold: usize,
) {
    guard(|| {
        get_mut(&options)?.options.merge_operand_count_threshold = Some(threshold);
        Ok(())
    })
}

/// Takes the threshold away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_clear_merge_operand_count_threshold(
    options: *mut rocksdb_readoptions_t,
) {
    guard(|| {
        get_mut(&options)?.options.merge_operand_count_threshold = None;
        Ok(())
    })
}

/// Whether there is a threshold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_has_merge_operand_count_threshold(
    options: *mut rocksdb_readoptions_t,
) -> c_uchar {
    guard(|| Ok(u8::from(get(&options)?.options.merge_operand_count_threshold.is_some())))
}

/// The threshold, 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_get_merge_operand_count_threshold(
    options: *mut rocksdb_readoptions_t,
) -> usize {
    guard(|| Ok(get(&options)?.options.merge_operand_count_threshold.unwrap_or(0)))
}

/// Names the request that reads are for, to those who follow it; reads do not depend on it. The
/// name, any bytes, is copied; NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_request_id(
    options: *mut rocksdb_readoptions_t,
    request_id: *const c_char,
    request_id_len: usize,
) {
    guard(|| {
        let id = match request_id.is_null() {
            true => None,
            false => Some([buffer::bytes(&request_id, request_id_len)?, b"\0"].concat().into()),
        };
        get_mut(&options)?.request_id = id;
        Ok(())
    })
}

/// Takes the name of the request away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_clear_request_id(options: *mut rocksdb_readoptions_t) {
    guard(|| {
        get_mut(&options)?.request_id = None;
        Ok(())
    })
}

/// The name of the request, with a NUL behind it, and its length in `*request_id_len`; NULL if it
/// has none. Valid until another is set, or the options end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_get_request_id(
    options: *mut rocksdb_readoptions_t,
    request_id_len: *mut usize,
) -> *const c_char {
    guard(|| {
        buffer::put(request_id_len, 0);
        let Some(id) = &get(&options)?.request_id else { return Ok(std::ptr::null()) };
        buffer::put(request_id_len, id.len() - 1);
        Ok(id.as_ptr().cast())
    })
}
