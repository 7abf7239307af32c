//! Slice transforms: the prefix of a key, for prefix filters and prefix seeks.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_uchar, c_void};

use crate::base::status::Status;
use crate::base::sync::{Arc, OnceLock};
use crate::capi::guard::guard;
use crate::capi::handle::{get_mut, give, handles, take};
use crate::capi::options::rocksdb_options_t;
use crate::plug::slice_transform::{SliceTransform, Transform};

/// Says which prefix a key has. The options that receive it take it over.
pub struct rocksdb_slicetransform_t {
    transform: SliceTransform,
}

handles! { Boxed: rocksdb_slicetransform_t; }

/// A transformation out of the caller's functions.
struct Callbacks {
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    transform: unsafe extern "C" fn(
        *mut c_void,
        key: *const c_char,
        length: usize,
        dst_length: *mut usize,
    ) -> *mut c_char,
    in_domain: unsafe extern "C" fn(*mut c_void, key: *const c_char, length: usize) -> c_uchar,
    name: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    /// What `name` returned when it was first needed.
    cached_name: OnceLock<String>,
}

// SAFETY: the header asks that the caller's functions can be called by any thread at any time.
unsafe impl Send for Callbacks {}
// SAFETY: as for `Send`.
unsafe impl Sync for Callbacks {}

impl Drop for Callbacks {
    fn drop(&mut self) {
        if let Some(destructor) = self.destructor {
            // SAFETY: the caller gave this function for this state, to be called once, last.
            unsafe { destructor(self.state) };
        }
    }
}

impl Transform for Callbacks {
    fn name(&self) -> &str {
        self.cached_name.get_or_init(|| {
            // SAFETY: the caller gave this function for this state; it returns a C string.
            let name = unsafe { (self.name)(self.state).as_ref().map(|n| CStr::from_ptr(n)) };
            name.map_or(Cow::Borrowed(""), CStr::to_string_lossy).into_owned()
        })
    }

    /// A prefix begins where its key begins, so that its length says all.
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        let mut len = 0;
        // SAFETY: the caller gave this function for this state; key and length live during the
        // call.
        unsafe { (self.transform)(self.state, key.as_ptr().cast(), key.len(), &mut len) };
        &key[..len.min(key.len())]
    }

    fn in_domain(&self, key: &[u8]) -> bool {
        // SAFETY: the caller gave this function for this state; the key lives during the call.
        unsafe { (self.in_domain)(self.state, key.as_ptr().cast(), key.len()) != 0 }
    }
}

/// Makes a transformation from the caller's functions, each of which receives `state` and may be
/// called by any thread at any time. `transform` returns the start of `key` and stores how many
/// bytes of it are the prefix; it is called only for keys that `in_domain` (not 0) says have one.
/// `name` returns the transformation's name, which tables record: another transformation needs
/// another name. `destructor` is called once, in the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    transform: Option<
        unsafe extern "C" fn(
            *mut c_void,
            key: *const c_char,
            length: usize,
            dst_length: *mut usize,
        ) -> *mut c_char,
    >,
    in_domain: Option<
        unsafe extern "C" fn(*mut c_void, key: *const c_char, length: usize) -> c_uchar,
    >,
    name: Option<unsafe extern "C" fn(*mut c_void) -> *const c_char>,
) -> *mut rocksdb_slicetransform_t {
    guard(|| {
        let (Some(transform), Some(in_domain), Some(name)) = (transform, in_domain, name) else {
            return Err(Status::invalid_argument(
                "a slice transform needs transform, in_domain and name",
            ));
        };
        let cached_name = OnceLock::new();
        let callbacks = Callbacks { state, destructor, transform, in_domain, name, cached_name };
        let transform = SliceTransform::Custom(Arc::new(callbacks));
        Ok(give(rocksdb_slicetransform_t { transform }))
    })
}

/// The first so many bytes of a key; shorter keys have no prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_create_fixed_prefix(
    prefix_length: usize,
) -> *mut rocksdb_slicetransform_t {
    guard(|| Ok(give(rocksdb_slicetransform_t { transform: SliceTransform::Fixed(prefix_length) })))
}

/// The whole key as its own prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_create_noop() -> *mut rocksdb_slicetransform_t {
    guard(|| Ok(give(rocksdb_slicetransform_t { transform: SliceTransform::Noop })))
}

/// Gives a transformation back that no options have taken over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_destroy(transform: *mut rocksdb_slicetransform_t) {
    guard(|| {
        take(transform);
        Ok(())
    })
}

/// Sets which prefix keys have, and takes the transformation over: it is not destroyed by the
/// caller. NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_prefix_extractor(
    options: *mut rocksdb_options_t,
    prefix_extractor: *mut rocksdb_slicetransform_t,
) {
    guard(|| {
        let transform = take(prefix_extractor).map(|handle| handle.transform);
        get_mut(&options)?.options.cf.prefix_extractor = transform;
        Ok(())
    })
}
