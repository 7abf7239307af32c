//! Merge operators that are the program's own: what RocksDB's `db_bench` has as `stringappend` and
//! `put`.

use super::Object;
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::ptr::null_mut;

/// `full_merge` of `rocksdb_mergeoperator_create`.
pub type FullMerge = unsafe extern "C" fn(
    Object,
    *const c_char,
    usize,
    *const c_char,
    usize,
    *const *const c_char,
    *const usize,
    c_int,
    *mut c_uchar,
    *mut usize,
) -> *mut c_char;

/// `partial_merge` of `rocksdb_mergeoperator_create`.
pub type PartialMerge = unsafe extern "C" fn(
    Object,
    *const c_char,
    usize,
    *const *const c_char,
    *const usize,
    c_int,
    *mut c_uchar,
    *mut usize,
) -> *mut c_char;

/// `name` of `rocksdb_mergeoperator_create`.
pub type Name = extern "C" fn(Object) -> *const c_char;

/// An operator's functions.
pub struct Operator {
    pub full: FullMerge,
    pub partial: PartialMerge,
    pub name: Name,
}

/// Operands joined by commas.
pub const STRING_APPEND: Operator =
    Operator { full: append_full, partial: append_partial, name: append_name };

/// The last operand.
pub const PUT: Operator = Operator { full: put_full, partial: put_partial, name: put_name };

/// They have no state.
pub extern "C" fn destroy(_: Object) {}

extern "C" fn append_name(_: Object) -> *const c_char {
    c"StringAppendOperator".as_ptr()
}

extern "C" fn put_name(_: Object) -> *const c_char {
    c"PutOperator".as_ptr()
}

/// The operands as slices.
///
/// # Safety
/// `list` and `lengths` hold `count` elements that describe live bytes.
unsafe fn operands<'a>(
    list: *const *const c_char,
    lengths: *const usize,
    count: c_int,
) -> impl Iterator<Item = &'a [u8]> {
    (0..usize::try_from(count).unwrap_or(0)).map(move |i| {
        // SAFETY: the caller's promise.
        unsafe { slice(*list.add(i), *lengths.add(i)) }
    })
}

/// Bytes of the library's; none for NULL.
///
/// # Safety
/// `data` is NULL or points to `len` live bytes.
unsafe fn slice<'a>(data: *const c_char, len: usize) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(data.cast(), len) }
}

/// Hands bytes over to the library, which frees them with `free`.
///
/// # Safety
/// `success` and `len` can be written.
unsafe fn give(bytes: &[u8], success: *mut c_uchar, len: *mut usize) -> *mut c_char {
    // SAFETY: allocates; never of size 0, so NULL means that there is no memory.
    let copy = unsafe { libc::malloc(bytes.len().max(1)) };
    // SAFETY: the caller's promise.
    unsafe {
        *success = c_uchar::from(!copy.is_null());
        *len = bytes.len();
    }
    if copy.is_null() {
        return null_mut();
    }
    // SAFETY: the new memory holds as many bytes and overlaps nothing.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().cast::<c_void>(), copy, bytes.len()) };
    copy.cast()
}

/// `full_merge` of [`STRING_APPEND`].
///
/// # Safety
/// The arguments are as `c.h` says.
unsafe extern "C" fn append_full(
    _: Object,
    _: *const c_char,
    _: usize,
    existing: *const c_char,
    existing_len: usize,
    list: *const *const c_char,
    lengths: *const usize,
    count: c_int,
    success: *mut c_uchar,
    len: *mut usize,
) -> *mut c_char {
    // SAFETY: the library's promise to a merge operator.
    unsafe {
        let first = (!existing.is_null()).then(|| slice(existing, existing_len));
        let parts: Vec<&[u8]> = first.into_iter().chain(operands(list, lengths, count)).collect();
        give(&parts.join(&b','), success, len)
    }
}

/// `partial_merge` of [`STRING_APPEND`].
///
/// # Safety
/// The arguments are as `c.h` says.
unsafe extern "C" fn append_partial(
    _: Object,
    _: *const c_char,
    _: usize,
    list: *const *const c_char,
    lengths: *const usize,
    count: c_int,
    success: *mut c_uchar,
    len: *mut usize,
) -> *mut c_char {
    // SAFETY: the library's promise to a merge operator.
    unsafe {
        let parts: Vec<&[u8]> = operands(list, lengths, count).collect();
        give(&parts.join(&b','), success, len)
    }
}

/// `full_merge` of [`PUT`].
///
/// # Safety
/// The arguments are as `c.h` says.
unsafe extern "C" fn put_full(
    _: Object,
    _: *const c_char,
    _: usize,
    existing: *const c_char,
    existing_len: usize,
    list: *const *const c_char,
    lengths: *const usize,
    count: c_int,
    success: *mut c_uchar,
    len: *mut usize,
) -> *mut c_char {
    // SAFETY: the library's promise to a merge operator.
    unsafe {
        let last = operands(list, lengths, count).last();
        give(last.unwrap_or_else(|| slice(existing, existing_len)), success, len)
    }
}

/// `partial_merge` of [`PUT`].
///
/// # Safety
/// The arguments are as `c.h` says.
unsafe extern "C" fn put_partial(
    _: Object,
    _: *const c_char,
    _: usize,
    list: *const *const c_char,
    lengths: *const usize,
    count: c_int,
    success: *mut c_uchar,
    len: *mut usize,
) -> *mut c_char {
    // SAFETY: the library's promise to a merge operator.
    unsafe { give(operands(list, lengths, count).last().unwrap_or_default(), success, len) }
}
