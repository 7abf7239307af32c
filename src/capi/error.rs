//! Errors on their way to C: text from `malloc`, stored through `errptr`.

use std::ffi::c_char;

use crate::base::status::{Result, Status};
use crate::capi::buffer;

/// Stores the text of `status` in `*errptr` and frees what was there before. An `errptr` of NULL
/// means that the caller does not want to know.
///
/// # Safety
/// `errptr` is NULL, or points to NULL or to memory from `malloc`.
pub unsafe fn set_error(errptr: *mut *mut c_char, status: &Status) {
    if errptr.is_null() {
        return;
    }
    let text = buffer::c_string(&status.to_string());
    // SAFETY: the caller's promise: `errptr` can be read and written, `*errptr` can be freed.
    unsafe {
        libc::free((*errptr).cast());
        *errptr = text;
    }
}

/// The value of `result`, or None after its error was stored through `errptr`.
///
/// # Safety
/// As for [`set_error`].
pub unsafe fn ok_or_store<T>(errptr: *mut *mut c_char, result: Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(status) => {
            // SAFETY: the caller's promise.
            unsafe { set_error(errptr, &status) };
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::ptr;

    use super::*;

    #[test]
    fn a_new_error_replaces_the_old_one() {
        let mut text = ptr::null_mut();
        // SAFETY: `text` starts as NULL and then holds memory from malloc.
        unsafe {
            set_error(&mut text, &Status::busy("first"));
            set_error(&mut text, &Status::corruption("second"));
            assert_eq!(CStr::from_ptr(text), c"Corruption: second");
            libc::free(text.cast());
            set_error(ptr::null_mut(), &Status::busy("nobody listens"));
        }
    }
}
