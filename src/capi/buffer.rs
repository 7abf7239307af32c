//! Bytes and text that cross the C boundary: slices and strings in, `malloc`ed memory out.

use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::base::status::{Result, Status};

/// The `len` bytes at `*data`. NULL stands for no bytes. The slice lives as long as the borrow of
/// the pointer, so it cannot outlast the call that received it.
///
/// # Safety
/// `*data` is NULL or points to `len` bytes that nobody changes during the borrow.
pub unsafe fn bytes(data: &*const c_char, len: usize) -> Result<&[u8]> {
    // SAFETY: the caller's promise, and a `c_char` is a byte.
    unsafe { array(&*std::ptr::from_ref(data).cast::<*const u8>(), len) }
}

/// The `len` elements at `*data`. NULL stands for no elements.
///
/// # Safety
/// `*data` is NULL or points to `len` elements that nobody changes during the borrow.
pub unsafe fn array<T>(data: &*const T, len: usize) -> Result<&[T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(Status::invalid_argument(format!("NULL for {len} elements")));
    }
    if len > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Status::invalid_argument(format!("a length of {len} is impossible")));
    }
    // SAFETY: not NULL, fits in an `isize`; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(*data, len) })
}

/// The C string at `*text` without its NUL.
///
/// # Safety
/// `*text` is NULL or points to text that ends in NUL and that nobody changes during the borrow.
pub unsafe fn c_str(text: &*const c_char) -> Result<&CStr> {
    if text.is_null() {
        return Err(Status::invalid_argument("NULL for a text"));
    }
    // SAFETY: not NULL; the rest is the caller's promise.
    Ok(unsafe { CStr::from_ptr(*text) })
}

/// The C string at `*text` as UTF-8, which option texts and names of column families are.
///
/// # Safety
/// As for [`c_str`].
pub unsafe fn utf8(text: &*const c_char) -> Result<&str> {
    // SAFETY: the caller's promise.
    let text = unsafe { c_str(text)? };
    text.to_str().map_err(|_| {
        Status::invalid_argument(format!("not valid UTF-8: {}", text.to_string_lossy()))
    })
}

/// The C string at `*text` as the name of a file or folder: any bytes.
///
/// # Safety
/// As for [`c_str`].
pub unsafe fn path(text: &*const c_char) -> Result<&Path> {
    // SAFETY: the caller's promise.
    let text = unsafe { c_str(text)? };
    Ok(Path::new(OsStr::from_bytes(text.to_bytes())))
}

/// Stores `value` in `*out`, unless `out` is NULL because the caller does not want it.
///
/// # Safety
/// `out` is NULL or can be written.
pub unsafe fn put<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: not NULL; the rest is the caller's promise.
        unsafe { out.write(value) };
    }
}

/// A copy of `bytes` in memory from `malloc`, which the caller of the export frees. Never NULL:
/// no bytes are a valid pointer too, as NULL means "not found".
///
/// One more byte holds a NUL, so that a caller who takes the value for text stays inside it.
pub fn malloc_copy(bytes: &[u8]) -> *mut c_char {
    // SAFETY: the memory holds `len + 1` bytes; a slice is never as long as `usize::MAX`.
    unsafe {
        let copy = libc::malloc(bytes.len() + 1).cast::<u8>();
        if copy.is_null() {
            out_of_memory(bytes.len() + 1);
        }
        copy.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        copy.add(bytes.len()).write(0);
        copy.cast()
    }
}

/// `text` as a C string in memory from `malloc`, which the caller of the export frees.
pub fn c_string(text: &str) -> *mut c_char {
    malloc_copy(text.as_bytes())
}

/// An array of `items` in memory from `malloc`, which the caller of the export frees. Never NULL.
pub fn malloc_array<T: Copy>(items: &[T]) -> *mut T {
    const { assert!(align_of::<T>() <= align_of::<libc::max_align_t>()) };
    let size = size_of_val(items).max(1);
    // SAFETY: the memory holds `size` bytes, aligned for every type up to `max_align_t`.
    unsafe {
        let copy = libc::malloc(size).cast::<T>();
        if copy.is_null() {
            out_of_memory(size);
        }
        copy.copy_from_nonoverlapping(items.as_ptr(), items.len());
        copy
    }
}

/// What Rust does when its own allocator fails: the process ends with a message.
#[cold]
fn out_of_memory(size: usize) -> ! {
    match std::alloc::Layout::array::<u8>(size) {
        Ok(layout) => std::alloc::handle_alloc_error(layout),
        Err(_) => std::process::abort(),
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn null_stands_for_nothing_only() {
        let none: *const c_char = ptr::null();
        // SAFETY: NULL is allowed.
        unsafe {
            assert_eq!(bytes(&none, 0).unwrap(), b"");
            assert!(bytes(&none, 3).unwrap_err().to_string().starts_with("Invalid argument: "));
            assert!(utf8(&none).is_err());
            assert!(path(&none).is_err());
            put(ptr::null_mut::<usize>(), 3);
        }
        let some = c"abc".as_ptr();
        // SAFETY: three bytes and a NUL.
        unsafe {
            assert_eq!(bytes(&some, 2).unwrap(), b"ab");
            assert!(bytes(&some, usize::MAX).is_err());
            assert_eq!(utf8(&some).unwrap(), "abc");
        }
    }

    #[test]
    fn copies_belong_to_malloc_and_are_never_null() {
        let copy = malloc_copy(b"a\0b");
        let empty = malloc_copy(b"");
        let array = malloc_array(&[1usize, 2]);
        // SAFETY: all three come from malloc and have the sizes given.
        unsafe {
            assert_eq!(std::slice::from_raw_parts(copy.cast::<u8>(), 4), b"a\0b\0");
            assert_eq!(*empty, 0);
            assert_eq!(std::slice::from_raw_parts(array, 2), [1, 2]);
            for memory in [copy.cast(), empty.cast(), array.cast()] {
                libc::free(memory);
            }
        }
    }
}
