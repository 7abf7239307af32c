//! The C functions that are called, looked up by name.

use super::library::Library;
use super::merge_operator::{FullMerge, Name, PartialMerge};
use super::{Object, Text};
use crate::failure::{Failure, Result};
use std::ffi::{c_char, c_double, c_int, c_uchar, c_void};
use std::ptr::NonNull;

type Bytes = *const c_char;

macro_rules! functions {
    (
        required { $($must:ident: fn($($must_arg:ty),*) $(-> $must_ret:ty)?;)* }
        optional { $($may:ident: fn($($may_arg:ty),*) $(-> $may_ret:ty)?;)* }
    ) => {
        /// The functions, without their prefix. What not every library has is reached by the method
        /// of that name.
        pub struct Functions {
            $(pub $must: unsafe extern "C" fn($($must_arg),*) $(-> $must_ret)?,)*
            $($may: Option<unsafe extern "C" fn($($may_arg),*) $(-> $may_ret)?>,)*
            prefix: &'static str,
        }

        impl Functions {
            pub fn load(library: &Library) -> Result<Functions> {
                $(let $must = {
                    type Function = unsafe extern "C" fn($($must_arg),*) $(-> $must_ret)?;
                    let name = stringify!($must);
                    let symbol = library.find(name)
                        .ok_or_else(|| Failure::Error(library.lacks(name).to_string()))?;
                    // SAFETY: the symbol is the C function of that name, whose prototype in both
                    // `c.h` files is the one written here.
                    unsafe { std::mem::transmute::<NonNull<c_void>, Function>(symbol) }
                };)*
                $(let $may = {
                    type Function = unsafe extern "C" fn($($may_arg),*) $(-> $may_ret)?;
                    library.find(stringify!($may)).map(|symbol| {
                        // SAFETY: as above, for the files that declare it.
                        unsafe { std::mem::transmute::<NonNull<c_void>, Function>(symbol) }
                    })
                };)*
                Ok(Functions { $($must,)* $($may,)* prefix: library.prefix })
            }

            $(pub fn $may(&self)
                -> Result<unsafe extern "C" fn($($may_arg),*) $(-> $may_ret)?> {
                self.$may.ok_or_else(|| {
                    let name = stringify!($may);
                    Failure::Unavailable(format!("the library has no function {}_{name}", self.prefix))
                })
            })*
        }
    };
}

functions! {
    required {
        options_create: fn() -> Object;
        options_destroy: fn(Object);
        options_set_create_if_missing: fn(Object, c_uchar);
        options_set_compression: fn(Object, c_int);
        cache_create_lru: fn(usize) -> Object;
        cache_destroy: fn(Object);
        open: fn(Object, Bytes, *mut Text) -> Object;
        close: fn(Object);
        destroy_db: fn(Object, Bytes, *mut Text);
        writeoptions_create: fn() -> Object;
        writeoptions_set_sync: fn(Object, c_uchar);
        writeoptions_destroy: fn(Object);
        readoptions_create: fn() -> Object;
        readoptions_set_verify_checksums: fn(Object, c_uchar);
        readoptions_destroy: fn(Object);
        put: fn(Object, Object, Bytes, usize, Bytes, usize, *mut Text);
        delete: fn(Object, Object, Bytes, usize, *mut Text);
        write: fn(Object, Object, Object, *mut Text);
        get: fn(Object, Object, Bytes, usize, *mut usize, *mut Text) -> Text;
        writebatch_create: fn() -> Object;
        writebatch_clear: fn(Object);
        writebatch_put: fn(Object, Bytes, usize, Bytes, usize);
        writebatch_delete: fn(Object, Bytes, usize);
        writebatch_destroy: fn(Object);
        create_iterator: fn(Object, Object) -> Object;
        iter_seek_to_first: fn(Object);
        iter_seek_to_last: fn(Object);
        iter_seek: fn(Object, Bytes, usize);
        iter_next: fn(Object);
        iter_prev: fn(Object);
        iter_valid: fn(Object) -> c_uchar;
        iter_key: fn(Object, *mut usize) -> Bytes;
        iter_value: fn(Object, *mut usize) -> Bytes;
        iter_get_error: fn(Object, *mut Text);
        iter_destroy: fn(Object);
        create_snapshot: fn(Object) -> Object;
        release_snapshot: fn(Object, Object);
        compact_range: fn(Object, Bytes, usize, Bytes, usize);
        property_value: fn(Object, Bytes) -> Text;
        free: fn(*mut c_void);
    }
    optional {
        open_for_read_only: fn(Object, Bytes, c_uchar, *mut Text) -> Object;
        flush: fn(Object, Object, *mut Text);
        wait_for_compact: fn(Object, Object, *mut Text);
        merge: fn(Object, Object, Bytes, usize, Bytes, usize, *mut Text);
        writebatch_delete_range: fn(Object, Bytes, usize, Bytes, usize);
        get_pinned: fn(Object, Object, Bytes, usize, *mut Text) -> Object;
        pinnableslice_value: fn(Object, *mut usize) -> Bytes;
        pinnableslice_destroy: fn(Object);
        multi_get: fn(Object, Object, usize, *const Bytes, *const usize, *mut Text, *mut usize,
            *mut Text);
        get_default_column_family_handle: fn(Object) -> Object;
        batched_multi_get_cf: fn(Object, Object, Object, usize, *const Bytes, *const usize,
            *mut Object, *mut Text, bool);
        set_perf_level: fn(c_int);
        perfcontext_create: fn() -> Object;
        perfcontext_reset: fn(Object);
        perfcontext_report: fn(Object, c_uchar) -> Text;
        perfcontext_destroy: fn(Object);
        options_statistics_get_string: fn(Object) -> Text;
        options_set_compression_options: fn(Object, c_int, c_int, c_int, c_int);
        cache_create_hyper_clock: fn(usize, usize) -> Object;
        filterpolicy_create_bloom_full: fn(c_double) -> Object;
        filterpolicy_create_ribbon: fn(c_double) -> Object;
        // LevelDB's; RocksDB has one of that name with another prototype, which is not called.
        filterpolicy_create_bloom: fn(c_int) -> Object;
        slicetransform_create_fixed_prefix: fn(usize) -> Object;
        mergeoperator_create: fn(Object, extern "C" fn(Object), FullMerge, PartialMerge, Object,
            Name) -> Object;
    }
}
