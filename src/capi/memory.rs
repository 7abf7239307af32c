//! Memory that the library hands to the caller.

use std::ffi::c_void;

use crate::capi::guard::guard;

/// Frees a value, list or error text that this library returned. It is `free`, so that a program
/// may call either; NULL is harmless.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_free(ptr: *mut c_void) {
    guard(|| {
        libc::free(ptr);
        Ok(())
    })
}
