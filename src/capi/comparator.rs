//! Comparators: orders of keys that the caller defines.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use crate::base::comparator::{Comparator, UserComparator};
use crate::base::status::{Result, Status};
use crate::base::sync::OnceLock;
use crate::capi::guard::guard;
use crate::capi::handle::{self, give_counted, handles, release};

/// Calls the caller's function when nothing of the library uses its state any more.
type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;
type Compare = unsafe extern "C" fn(
    *mut c_void,
    a: *const c_char,
    alen: usize,
    b: *const c_char,
    blen: usize,
) -> c_int;
type Name = unsafe extern "C" fn(*mut c_void) -> *const c_char;

/// An order of keys that the caller defines. It is borrowed by the options and databases that use
/// it: destroy it after them. (What still uses it when it is destroyed keeps it alive.)
pub struct rocksdb_comparator_t {
    state: *mut c_void,
    destructor: Destructor,
    compare: Compare,
    name: Name,
    /// What `name` returned when it was first needed.
    cached_name: OnceLock<String>,
}

handles! { Counted: rocksdb_comparator_t; }

// SAFETY: the header asks that the caller's functions can be called by any thread at any time.
unsafe impl Send for rocksdb_comparator_t {}
// SAFETY: as for `Send`.
unsafe impl Sync for rocksdb_comparator_t {}

impl Drop for rocksdb_comparator_t {
    fn drop(&mut self) {
        if let Some(destructor) = self.destructor {
            // SAFETY: the caller gave this function for this state, to be called once, last.
            unsafe { destructor(self.state) };
        }
    }
}

impl UserComparator for rocksdb_comparator_t {
    fn name(&self) -> &str {
        self.cached_name.get_or_init(|| {
            // SAFETY: the caller gave this function for this state; it returns a C string.
            let name = unsafe { (self.name)(self.state).as_ref().map(|n| CStr::from_ptr(n)) };
            name.map_or(Cow::Borrowed(""), CStr::to_string_lossy).into_owned()
        })
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let (a_data, b_data) = (a.as_ptr().cast(), b.as_ptr().cast());
        // SAFETY: the caller gave this function for this state; the slices live during the call.
        let order = unsafe { (self.compare)(self.state, a_data, a.len(), b_data, b.len()) };
        order.cmp(&0)
    }
}

/// The order that the handle at `*comparator` stands for, as options hold it.
///
/// # Safety
/// `*comparator` is NULL or a live handle.
pub unsafe fn comparator(comparator: &*mut rocksdb_comparator_t) -> Result<Comparator> {
    // SAFETY: the caller's promise.
    Ok(Comparator::Custom(unsafe { handle::share(comparator)? }))
}

/// Makes an order of keys from the caller's functions, each of which receives `state` and may be
/// called by any thread at any time. `compare` returns a number below, at or above zero for a
/// before, equal to or behind b. `name` returns the order's name, which is stored in a database
/// and must be the same whenever that is opened. `destructor` is called once, in the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_comparator_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    compare: Option<
        unsafe extern "C" fn(
            *mut c_void,
            a: *const c_char,
            alen: usize,
            b: *const c_char,
            blen: usize,
        ) -> c_int,
    >,
    name: Option<unsafe extern "C" fn(*mut c_void) -> *const c_char>,
) -> *mut rocksdb_comparator_t {
    guard(|| {
        let (Some(compare), Some(name)) = (compare, name) else {
            return Err(Status::invalid_argument("a comparator needs compare and name"));
        };
        let cached_name = OnceLock::new();
        Ok(give_counted(Arc::new(rocksdb_comparator_t {
            state,
            destructor,
            compare,
            name,
            cached_name,
        })))
    })
}

/// Gives the comparator up; its destructor is called as soon as nothing uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_comparator_destroy(comparator: *mut rocksdb_comparator_t) {
    guard(|| {
        release(comparator);
        Ok(())
    })
}
