//! Guards: the first and only statement of every export.
//!
//! A guard runs the body, which returns a `Result`. An error goes to `errptr` where the function
//! has one, and is dropped where it cannot report; C then gets the neutral value ([`Neutral`]).
//! A panic never leaves the export: it counts as an error, and where a database is involved that
//! database is [poisoned](Poison), since its state can no longer be trusted.

use std::any::Any;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::panic;
use crate::base::status::{Result, Status};
use crate::capi::error::set_error;
use crate::capi::handle::Pointer;

/// What C gets from a function that failed: nothing, zero, NULL.
pub trait Neutral {
    /// That value.
    fn neutral() -> Self;
}

macro_rules! neutral {
    ($($type:ty => $value:expr),+ $(,)?) => {$(
        impl Neutral for $type {
            fn neutral() -> $type {
                $value
            }
        }
    )+};
}

neutral! {
    () => (), bool => false, u8 => 0, i8 => 0, u16 => 0, i16 => 0, u32 => 0, i32 => 0, u64 => 0,
    i64 => 0, usize => 0, isize => 0, f32 => 0.0, f64 => 0.0,
}

impl<T> Neutral for *mut T {
    fn neutral() -> *mut T {
        std::ptr::null_mut()
    }
}

impl<T> Neutral for *const T {
    fn neutral() -> *const T {
        std::ptr::null()
    }
}

/// A handle that reaches a database.
pub trait Poison {
    /// Puts the database into a fatal background error with this text.
    fn poison(&self, text: &str);
}

/// For exports that cannot report an error and reach no database.
#[inline]
pub fn guard<R: Neutral>(body: impl FnOnce() -> Result<R>) -> R {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(_)) => R::neutral(),
        Err(payload) => {
            panic_text(payload);
            R::neutral()
        }
    }
}

/// For exports that report through `errptr` and reach no database.
///
/// # Safety
/// `errptr` is NULL, or points to NULL or to memory from `malloc`.
#[inline]
pub unsafe fn guard_err<R: Neutral>(
    errptr: *mut *mut c_char,
    body: impl FnOnce() -> Result<R>,
) -> R {
    let status = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(status)) => status,
        Err(payload) => internal_error(&panic_text(payload)),
    };
    // SAFETY: the caller's promise.
    unsafe { set_error(errptr, &status) };
    R::neutral()
}

/// For exports that reach the database behind `handle` and cannot report an error.
///
/// # Safety
/// `handle` is NULL or a live `T`.
#[inline]
pub unsafe fn guard_db<T: Poison, P: Pointer<T>, R: Neutral>(
    handle: P,
    body: impl FnOnce() -> Result<R>,
) -> R {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(_)) => R::neutral(),
        Err(payload) => {
            // SAFETY: the caller's promise.
            poison(unsafe { handle.pointer().as_ref() }, &panic_text(payload));
            R::neutral()
        }
    }
}

/// For exports that reach the database behind `handle` and report through `errptr`.
///
/// # Safety
/// As for [`guard_err`] and [`guard_db`].
#[inline]
pub unsafe fn guard_db_err<T: Poison, P: Pointer<T>, R: Neutral>(
    handle: P,
    errptr: *mut *mut c_char,
    body: impl FnOnce() -> Result<R>,
) -> R {
    let status = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(status)) => status,
        Err(payload) => {
            let text = panic_text(payload);
            // SAFETY: the caller's promise.
            poison(unsafe { handle.pointer().as_ref() }, &text);
            internal_error(&text)
        }
    };
    // SAFETY: the caller's promise.
    unsafe { set_error(errptr, &status) };
    R::neutral()
}

/// The error that C sees for a panic.
#[cold]
pub fn internal_error(text: &str) -> Status {
    Status::aborted(format!("internal error: {text}"))
}

/// Poisoning must not let a second panic out.
#[cold]
fn poison<T: Poison>(handle: Option<&T>, text: &str) {
    if let Some(handle) = handle
        && let Err(payload) = catch_unwind(AssertUnwindSafe(|| handle.poison(text)))
    {
        panic_text(payload);
    }
}

/// The message of a panic, which ends here.
#[cold]
fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_string()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_string()
    };
    panic::discard(payload);
    text
}

#[cfg(test)]
mod tests {
    use std::ffi::{CStr, c_int};
    use std::ptr;

    use super::*;
    use crate::base::sync::Mutex;

    #[derive(Default)]
    struct Database(Mutex<Vec<String>>);

    impl Poison for Database {
        fn poison(&self, text: &str) {
            self.0.lock().push(text.to_string());
            panic!("even this is contained");
        }
    }

    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            panic!("in the destructor of a panic's payload");
        }
    }

    #[test]
    fn values_pass_and_failures_become_neutral() {
        assert_eq!(guard(|| Ok(5)), 5);
        assert_eq!(guard(|| Err::<c_int, _>(Status::busy("no"))), 0);
        assert!(guard(|| -> Result<*mut u8> { panic!("no") }).is_null());
        assert!(!guard(|| -> Result<bool> { std::panic::panic_any(Grenade) }));
    }

    #[test]
    fn errors_and_panics_reach_errptr() {
        let mut text = ptr::null_mut();
        // SAFETY: `text` is NULL or from malloc throughout.
        unsafe {
            guard_err(&mut text, || Err::<(), _>(Status::busy("taken")));
            assert_eq!(CStr::from_ptr(text), c"Resource busy: taken");
            let value: usize = guard_err(&mut text, || panic!("at {}", 7));
            assert_eq!(value, 0);
            assert_eq!(CStr::from_ptr(text), c"Operation aborted: internal error: at 7");
            libc::free(text.cast());
            guard_err(ptr::null_mut(), || Err::<(), _>(Status::busy("nobody listens")));
        }
    }

    #[test]
    fn a_panic_poisons_the_database_and_an_error_does_not() {
        let db = Database::default();
        let mut text = ptr::null_mut();
        // SAFETY: `db` lives; `text` is NULL or from malloc throughout.
        unsafe {
            guard_db_err(&raw const db, &mut text, || Err::<(), _>(Status::busy("x")));
            assert!(db.0.lock().is_empty());
            guard_db_err(&raw const db, &mut text, || -> Result<()> { panic!("one") });
            guard_db(&raw const db, || -> Result<()> { panic!("two") });
            guard_db(ptr::null::<Database>(), || -> Result<()> { panic!("nobody to poison") });
            assert_eq!(*db.0.lock(), ["one", "two"]);
            assert_eq!(CStr::from_ptr(text), c"Operation aborted: internal error: one");
            libc::free(text.cast());
        }
    }
}
