//! What is plugged into both libraries: an order of keys, a merge operator.

use super::library::{Library, Object, Text};
use std::cmp::Ordering;
use std::ffi::{c_char, c_int, c_uchar};
use std::ptr::null_mut;

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
    unsafe { (library.call.comparator_create)(null_mut(), nothing, compare_reversed, order_name) }
}

/// The C string of `value`'s bytes, as `malloc` gave it, and its length.
///
/// # Safety
/// `len` and `success` can be written.
unsafe fn give(value: &[u8], success: *mut c_uchar, len: *mut usize) -> Text {
    // SAFETY: the caller's promise; the copy fits the memory that was taken for it.
    unsafe {
        let copy = libc::malloc(value.len().max(1)).cast::<u8>();
        std::ptr::copy_nonoverlapping(value.as_ptr(), copy, value.len());
        (*success, *len) = (1, value.len());
        copy.cast()
    }
}

/// # Safety
/// The arrays have `count` places, with as many bytes behind each as are said.
unsafe fn append(
    all: &mut Vec<u8>,
    operands: *const *const c_char,
    lens: *const usize,
    count: c_int,
) {
    for at in 0..count as usize {
        // SAFETY: the caller's promise.
        let operand = unsafe { slice(*operands.add(at), *lens.add(at)) };
        if at > 0 {
            all.push(b',');
        }
        all.extend_from_slice(operand);
    }
}

unsafe extern "C" fn full_merge(
    _: Object,
    _key: *const c_char,
    _key_len: usize,
    existing: *const c_char,
    existing_len: usize,
    operands: *const *const c_char,
    lens: *const usize,
    count: c_int,
    success: *mut c_uchar,
    len: *mut usize,
) -> Text {
    // SAFETY: the library's promise.
    unsafe {
        let mut all = Vec::new();
        if !existing.is_null() {
            all.extend_from_slice(slice(existing, existing_len));
            all.push(b',');
        }
        append(&mut all, operands, lens, count);
        give(&all, success, len)
    }
}

unsafe extern "C" fn partial_merge(
    _: Object,
    _key: *const c_char,
    _key_len: usize,
    operands: *const *const c_char,
    lens: *const usize,
    count: c_int,
    success: *mut c_uchar,
    len: *mut usize,
) -> Text {
    // SAFETY: the library's promise.
    unsafe {
        let mut all = Vec::new();
        append(&mut all, operands, lens, count);
        give(&all, success, len)
    }
}

unsafe extern "C" fn append_name(_: Object) -> *const c_char {
    c"oracle.Append".as_ptr()
}

/// Joins operands in their order.
pub fn append_operator(library: &Library) -> Object {
    // SAFETY: the functions have the types that the header asks for, and no state; without a
    // function that deletes values the library frees them.
    unsafe {
        (library.call.mergeoperator_create)(
            null_mut(),
            nothing,
            full_merge,
            partial_merge,
            None,
            append_name,
        )
    }
}
