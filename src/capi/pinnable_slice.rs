//! Pinned values: values that stay where they are while they are looked at.

use std::ffi::c_char;

use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{get, handles, take};
use crate::read::get::FoundValue;

/// A value that stays in memory until it is given back, without a copy where it can be.
pub struct rocksdb_pinnableslice_t {
    /// The value.
    pub value: FoundValue,
}

/// The same, as `rocksdb_get_pinned_v2` returns it.
pub struct rocksdb_pinnable_handle_t {
    /// The value.
    pub value: FoundValue,
}

handles! { Boxed: rocksdb_pinnableslice_t, rocksdb_pinnable_handle_t; }

/// The bytes of the value, and their number in `*vlen`; valid until it is given back. NULL for
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnableslice_value(
    value: *const rocksdb_pinnableslice_t,
    vlen: *mut usize,
) -> *const c_char {
    guard(|| {
        buffer::put(vlen, 0);
        let value = get(&value)?.value.as_slice();
        buffer::put(vlen, value.len());
        Ok(value.as_ptr().cast())
    })
}

/// Gives the value back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnableslice_destroy(value: *mut rocksdb_pinnableslice_t) {
    guard(|| {
        take(value);
        Ok(())
    })
}

/// The bytes of the value, and their number in `*vallen`; valid until it is given back. NULL for
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnable_handle_get_value(
    handle: *const rocksdb_pinnable_handle_t,
    vallen: *mut usize,
) -> *const c_char {
    guard(|| {
        buffer::put(vallen, 0);
        let value = get(&handle)?.value.as_slice();
        buffer::put(vallen, value.len());
        Ok(value.as_ptr().cast())
    })
}

/// Gives the value back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnable_handle_destroy(handle: *mut rocksdb_pinnable_handle_t) {
    guard(|| {
        take(handle);
        Ok(())
    })
}
