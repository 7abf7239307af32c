//! Merge operators: how values that are merged into a key become its value.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::sync::{Arc, Weak};

use crate::base::status::{Result, Status};
use crate::base::sync::{AtomicUsize, Mutex, Ordering};
use crate::capi::guard::guard;
use crate::plug::merge_operator::MergeOperator;

/// Calls the caller's function when nothing of the library uses its state any more.
type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;
type FullMerge = unsafe extern "C" fn(
    *mut c_void,
    key: *const c_char,
    key_length: usize,
    existing_value: *const c_char,
    existing_value_length: usize,
    operands_list: *const *const c_char,
    operands_list_length: *const usize,
    num_operands: c_int,
    success: *mut c_uchar,
    new_value_length: *mut usize,
) -> *mut c_char;
type PartialMerge = unsafe extern "C" fn(
    *mut c_void,
    key: *const c_char,
    key_length: usize,
    operands_list: *const *const c_char,
    operands_list_length: *const usize,
    num_operands: c_int,
    success: *mut c_uchar,
    new_value_length: *mut usize,
) -> *mut c_char;
type DeleteValue =
    Option<unsafe extern "C" fn(*mut c_void, value: *const c_char, value_length: usize)>;

/// A merge operator that the caller defines. `rocksdb_options_set_merge_operator` takes it over;
/// one that was not handed over is given back by `rocksdb_mergeoperator_destroy`. Destroying one
/// that was handed over does nothing, whenever it is done.
// What C holds is a number that finds the operator in `HANDLES`, not an address: it may be looked
// up, in vain, when the operator is long gone.
pub struct rocksdb_mergeoperator_t {
    _opaque: [u8; 0],
}

/// What a number stands for.
struct Entry {
    operator: Weak<CMergeOperator>,
    /// C's share, until the operator is handed over.
    owned: Option<Arc<CMergeOperator>>,
}

/// The operators that live, by number.
static HANDLES: Mutex<BTreeMap<usize, Entry>> = Mutex::new(BTreeMap::new());

/// The next number. They differ by more than 1 so that they look like pointers to debuggers.
static NEXT: AtomicUsize = AtomicUsize::new(STEP);
const STEP: usize = 16;

/// The caller's functions and what they work on.
struct CMergeOperator {
    number: usize,
    state: *mut c_void,
    destructor: Destructor,
    full_merge: FullMerge,
    partial_merge: Option<PartialMerge>,
    delete_value: DeleteValue,
    name: String,
}

// SAFETY: the header asks that the caller's functions can be called by any thread at any time.
unsafe impl Send for CMergeOperator {}
// SAFETY: as for `Send`.
unsafe impl Sync for CMergeOperator {}

impl Drop for CMergeOperator {
    fn drop(&mut self) {
        HANDLES.lock().remove(&self.number);
        if let Some(destructor) = self.destructor {
            // SAFETY: the caller gave this function for this state, to be called once, last.
            unsafe { destructor(self.state) };
        }
    }
}

/// Operands as C lists them.
struct List {
    operands: Vec<*const c_char>,
    lengths: Vec<usize>,
    count: c_int,
}

impl List {
    fn new(operands: &[&[u8]]) -> Option<List> {
        Some(List {
            operands: operands.iter().map(|operand| operand.as_ptr().cast()).collect(),
            lengths: operands.iter().map(|operand| operand.len()).collect(),
            count: c_int::try_from(operands.len()).ok()?,
        })
    }
}

impl CMergeOperator {
    /// Appends the value that the caller's function made to `out`, and gives it back. False if
    /// there is none.
    ///
    /// # Safety
    /// `value` is NULL or points to `len` bytes, to be given back by `delete_value` or `free`.
    unsafe fn take(
        &self,
        value: *mut c_char,
        len: usize,
        success: c_uchar,
        out: &mut Vec<u8>,
    ) -> bool {
        if value.is_null() {
            // An empty value needs no memory.
            return success != 0 && len == 0;
        }
        if success != 0 {
            // SAFETY: the caller's promise.
            out.extend_from_slice(unsafe { std::slice::from_raw_parts(value.cast(), len) });
        }
        // SAFETY: the caller's promise; nobody else gives the value back.
        unsafe {
            match self.delete_value {
                Some(delete) => delete(self.state, value, len),
                None => libc::free(value.cast()),
            }
        }
        success != 0
    }
}

impl MergeOperator for CMergeOperator {
    fn name(&self) -> &str {
        &self.name
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        let Some(list) = List::new(operands) else { return false };
        let existing_data = existing.map_or(std::ptr::null(), |value| value.as_ptr().cast());
        let existing_len = existing.map_or(0, <[u8]>::len);
        let (mut success, mut len) = (0, 0);
        // SAFETY: the caller gave these functions for this state; what is passed lives during the
        // call.
        unsafe {
            let value = (self.full_merge)(
                self.state,
                key.as_ptr().cast(),
                key.len(),
                existing_data,
                existing_len,
                list.operands.as_ptr(),
                list.lengths.as_ptr(),
                list.count,
                &raw mut success,
                &raw mut len,
            );
            self.take(value, len, success, out)
        }
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        let (Some(partial_merge), Some(list)) = (self.partial_merge, List::new(operands)) else {
            return false;
        };
        let (mut success, mut len) = (0, 0);
        // SAFETY: as in `full_merge`.
        unsafe {
            let value = partial_merge(
                self.state,
                key.as_ptr().cast(),
                key.len(),
                list.operands.as_ptr(),
                list.lengths.as_ptr(),
                list.count,
                &raw mut success,
                &raw mut len,
            );
            self.take(value, len, success, out)
        }
    }
}

/// Takes the operator over that `handle` stands for, for options. None for NULL.
pub(super) fn hand_over(
    handle: *mut rocksdb_mergeoperator_t,
) -> Result<Option<Arc<dyn MergeOperator>>, String> {
    if handle.is_null() {
        return Ok(None);
    }
    let mut handles = HANDLES.lock();
    let entry = handles.get_mut(&handle.addr());
    match entry.and_then(|entry| entry.owned.take().or_else(|| entry.operator.upgrade())) {
        Some(operator) => Ok(Some(operator)),
        None => Err("it was destroyed".to_string()),
    }
}

/// Makes a merge operator from the caller's functions, each of which receives `state` and may be
/// called by any thread at any time.
///
/// `full_merge` returns the value of `key`: the operands, oldest first, applied to the existing
/// value, which is NULL if there is none. `partial_merge` returns one operand that stands for
/// several, if there is such a one; it may be NULL. Both set the length of what they return, and
/// `*success` to 0 if they fail. What they return is given back by `delete_value`, or by `free` if
/// that is NULL. `name` returns the operator's name, which tables record. `destructor` is called
/// once, in the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_mergeoperator_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    full_merge: Option<
        unsafe extern "C" fn(
            *mut c_void,
            key: *const c_char,
            key_length: usize,
            existing_value: *const c_char,
            existing_value_length: usize,
            operands_list: *const *const c_char,
            operands_list_length: *const usize,
            num_operands: c_int,
            success: *mut c_uchar,
            new_value_length: *mut usize,
        ) -> *mut c_char,
    >,
    partial_merge: Option<
        unsafe extern "C" fn(
            *mut c_void,
            key: *const c_char,
            key_length: usize,
            operands_list: *const *const c_char,
            operands_list_length: *const usize,
            num_operands: c_int,
            success: *mut c_uchar,
            new_value_length: *mut usize,
        ) -> *mut c_char,
    >,
    delete_value: Option<
        unsafe extern "C" fn(*mut c_void, value: *const c_char, value_length: usize),
    >,
    name: Option<unsafe extern "C" fn(*mut c_void) -> *const c_char>,
) -> *mut rocksdb_mergeoperator_t {
    guard(|| {
        let (Some(full_merge), Some(name)) = (full_merge, name) else {
            return Err(Status::invalid_argument("a merge operator needs full_merge and name"));
        };
        let name = name(state);
        let name = match name.is_null() {
            true => String::new(),
            false => CStr::from_ptr(name).to_string_lossy().into_owned(),
        };
        let number = NEXT.fetch_add(STEP, Ordering::Relaxed);
        let operator = Arc::new(CMergeOperator {
            number,
            state,
            destructor,
            full_merge,
            partial_merge,
            delete_value,
            name,
        });
        let entry = Entry { operator: Arc::downgrade(&operator), owned: Some(operator) };
        HANDLES.lock().insert(number, entry);
        Ok(std::ptr::without_provenance_mut(number))
    })
}

/// Gives back a merge operator that was not handed over. One that was is not touched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_mergeoperator_destroy(
    merge_operator: *mut rocksdb_mergeoperator_t,
) {
    guard(|| {
        let mut handles = HANDLES.lock();
        let owned = handles.get_mut(&merge_operator.addr()).and_then(|entry| entry.owned.take());
        // The destructor is the caller's, and the operator takes itself out of the list.
        drop(handles);
        drop(owned);
        Ok(())
    })
}
