//! What is plugged into both libraries: an order of keys, a merge operator.

use super::library::{Library, Object};
use std::cmp::Ordering;
use std::ffi::{c_char, c_int};

/// # Safety
/// `bytes` points to `len` bytes.
unsafe fn slice<'a>(bytes: *const c_char, len: usize) -> &'a [u8] {
    match len {
        0 => &[],
        // SAFETY: the caller's promise.
        _ => unsafe { std::slice::from_raw_parts(bytes.cast(), len) },
    }
}

unsafe extern "C" fn nothing(_: Object) {}

unsafe extern "C" fn compare_reversed(
    _: Object,
    a: *const c_char,
    a_len: usize,
    b: *const c_char,
    b_len: usize,
) -> c_int {
    // SAFETY: the library's promise.
    let (a, b) = unsafe { (slice(a, a_len), slice(b, b_len)) };
    match b.cmp(a) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

unsafe extern "C" fn order_name(_: Object) -> *const c_char {
    c"oracle.Reverse".as_ptr()
}

/// The bytewise order backwards, as a user's own.
pub fn reverse_order(library: &Library) -> Object {
    // SAFETY: the functions have the types that the header asks for, and no state.
    unsafe {
        (library.call.comparator_create)(
            std::ptr::null_mut(),
            nothing,
            compare_reversed,
            order_name,
        )
    }
}
