//! Handles: the opaque types of `rocksdb/c.h` and the only ways their pointers cross the boundary.
//!
//! A handle is a Rust type named as in C. [`Handle`] says how it is owned, and by that which of
//! the functions here apply to it:
//!
//! | [`Ownership`](Handle::Ownership) | made by | destroyed by | shared by |
//! |---|---|---|---|
//! | [`Boxed`]: C holds the one owner | [`give`] | [`take`] | - |
//! | [`Counted`]: C holds one of several owners | [`give_counted`] | [`release`] | [`share`] |
//! | [`Borrowed`]: C looks, someone else owns | [`lend`] | - | - |
//!
//! [`get`] and [`get_mut`] bind the reference to the borrow of the *argument* that holds the
//! pointer, so that it cannot outlast the call.

use std::sync::Arc;

use crate::base::status::{Result, Status};

/// C holds the only owner. The pointer is that of a `Box`.
pub enum Boxed {}

/// C holds one of several owners; the object dies with the last. The pointer is that of an `Arc`.
pub enum Counted {}

/// C may look while the owner lives, and never destroys.
pub enum Borrowed {}

/// An opaque type of the C ABI.
pub trait Handle: Sized {
    /// [`Boxed`], [`Counted`] or [`Borrowed`].
    type Ownership;
    /// The name in C, for error texts.
    const NAME: &'static str;
}

/// Declares how handles are owned: `handles! { Boxed: rocksdb_options_t, rocksdb_writebatch_t; }`.
macro_rules! handles {
    ($($ownership:ident: $($name:ident),+ $(,)?;)+) => {$($(
        impl $crate::capi::handle::Handle for $name {
            type Ownership = $crate::capi::handle::$ownership;
            const NAME: &'static str = stringify!($name);
        }
    )+)+};
}
pub(crate) use handles;

#[cold]
fn null<T: Handle>() -> Status {
    Status::invalid_argument(format!("NULL for a {}", T::NAME))
}

/// The object at `*handle`; NULL is an error.
///
/// # Safety
/// `*handle` is NULL or a live `T` that nobody changes during the borrow.
#[inline]
pub unsafe fn get<T: Handle, P: Pointer<T>>(handle: &P) -> Result<&T> {
    // SAFETY: the caller's promise.
    unsafe { handle.pointer().as_ref() }.ok_or_else(null::<T>)
}

/// The object at `*handle`, or None for NULL where the contract allows that.
///
/// # Safety
/// As for [`get`].
#[inline]
pub unsafe fn get_optional<T: Handle, P: Pointer<T>>(handle: &P) -> Option<&T> {
    // SAFETY: the caller's promise.
    unsafe { handle.pointer().as_ref() }
}

/// The object at `*handle`, to be changed; NULL is an error.
///
/// # Safety
/// `*handle` is NULL or a live `T` that nobody else uses during the borrow. Take the references
/// to other handles of the same type first as values: C may pass one pointer twice.
#[inline]
#[allow(clippy::mut_from_ref, reason = "the argument is a pointer; the object is elsewhere")]
pub unsafe fn get_mut<T: Handle<Ownership = Boxed>>(handle: &*mut T) -> Result<&mut T> {
    // SAFETY: the caller's promise.
    unsafe { handle.as_mut() }.ok_or_else(null::<T>)
}

/// A `*const T` or `*mut T`: C is not consistent about which it asks for.
pub trait Pointer<T> {
    /// The address.
    fn pointer(&self) -> *const T;
}

impl<T> Pointer<T> for *const T {
    #[inline]
    fn pointer(&self) -> *const T {
        *self
    }
}

impl<T> Pointer<T> for *mut T {
    #[inline]
    fn pointer(&self) -> *const T {
        *self
    }
}

/// Hands `object` to C, which destroys it by an export that calls [`take`].
pub fn give<T: Handle<Ownership = Boxed>>(object: T) -> *mut T {
    Box::into_raw(Box::new(object))
}

/// [`give`], or NULL if there is nothing to hand out.
pub fn give_or_null<T: Handle<Ownership = Boxed>>(object: Option<T>) -> *mut T {
    object.map_or(std::ptr::null_mut(), give)
}

/// Takes back what [`give`] handed out; None for NULL, which is harmless to destroy.
///
/// # Safety
/// `handle` is NULL, or came from [`give`] and is not used again.
pub unsafe fn take<T: Handle<Ownership = Boxed>>(handle: *mut T) -> Option<Box<T>> {
    // SAFETY: not NULL, so it came from a `Box`, and this is its last use.
    (!handle.is_null()).then(|| unsafe { Box::from_raw(handle) })
}

/// Hands one owner of `object` to C, which gives it up by an export that calls [`release`].
pub fn give_counted<T: Handle<Ownership = Counted>>(object: Arc<T>) -> *mut T {
    Arc::into_raw(object).cast_mut()
}

/// One more owner of the object at `*handle`; C keeps its own. NULL is an error.
///
/// # Safety
/// `*handle` is NULL, or came from [`give_counted`] and has not been released.
pub unsafe fn share<T: Handle<Ownership = Counted>, P: Pointer<T>>(handle: &P) -> Result<Arc<T>> {
    // SAFETY: the caller's promise.
    unsafe { share_optional(handle) }.ok_or_else(null::<T>)
}

/// Like [`share`], with None for NULL where the contract allows that.
///
/// # Safety
/// As for [`share`].
pub unsafe fn share_optional<T: Handle<Ownership = Counted>, P: Pointer<T>>(
    handle: &P,
) -> Option<Arc<T>> {
    let pointer = handle.pointer();
    // SAFETY: not NULL, so it came from an `Arc` of which C still holds one owner.
    (!pointer.is_null()).then(|| unsafe {
        Arc::increment_strong_count(pointer);
        Arc::from_raw(pointer)
    })
}

/// Gives up the owner that C holds; NULL is harmless.
///
/// # Safety
/// `handle` is NULL, or came from [`give_counted`] and is not used again.
pub unsafe fn release<T: Handle<Ownership = Counted>, P: Pointer<T>>(handle: P) {
    let pointer = handle.pointer();
    if !pointer.is_null() {
        // SAFETY: not NULL, so it came from an `Arc`, and this is the last use of that owner.
        drop(unsafe { Arc::from_raw(pointer) });
    }
}

/// Lets C look at `object` while its owner lives.
pub fn lend<T: Handle<Ownership = Borrowed>>(object: &T) -> *const T {
    object
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    struct rocksdb_box_t(u32);
    struct rocksdb_count_t(u32);
    struct rocksdb_lent_t(u32);
    handles! { Boxed: rocksdb_box_t; Counted: rocksdb_count_t; Borrowed: rocksdb_lent_t; }

    #[test]
    fn null_is_an_error_that_names_the_type_and_harmless_to_destroy() {
        // SAFETY: NULL is allowed.
        unsafe {
            let none: *mut rocksdb_box_t = ptr::null_mut();
            let text = get(&none).map(|object| object.0).unwrap_err().to_string();
            assert_eq!(text, "Invalid argument: NULL for a rocksdb_box_t");
            assert!(get_mut(&none).is_err());
            assert!(get_optional(&none).is_none());
            assert!(take(none).is_none());
            let none: *const rocksdb_count_t = ptr::null();
            assert!(share(&none).is_err());
            release(none);
        }
    }

    #[test]
    fn a_boxed_handle_goes_out_and_comes_back() {
        // SAFETY: the pointer comes from `give` and is taken once.
        unsafe {
            let handle = give(rocksdb_box_t(1));
            get_mut(&handle).unwrap().0 = 2;
            assert_eq!(take(handle).unwrap().0, 2);
        }
    }

    #[test]
    fn a_counted_handle_dies_with_its_last_owner() {
        let object = Arc::new(rocksdb_count_t(7));
        let handle = give_counted(object.clone());
        // SAFETY: the pointer comes from `give_counted` and is released once.
        unsafe {
            let shared = share(&handle).unwrap();
            assert_eq!((shared.0, Arc::strong_count(&object)), (7, 3));
            release(handle);
            assert_eq!(Arc::strong_count(&shared), 2);
        }
    }

    #[test]
    fn a_lent_handle_is_looked_at() {
        let object = rocksdb_lent_t(3);
        let handle = lend(&object);
        // SAFETY: the owner lives.
        assert_eq!(unsafe { get(&handle) }.unwrap().0, 3);
    }
}
