//! One library behind `rocksdb/c.h`, loaded at run time beside another one.
//!
//! Every function is called through a pointer of the type that the header gives it; objects are
//! bare pointers. A call's errors come back as text.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{NonNull, null_mut};

/// Any of the library's opaque objects.
pub type Object = *mut c_void;
pub type Text = *mut c_char;
type Bytes = *const c_char;
/// The functions of a merge operator: state, key, …; see `rocksdb_mergeoperator_create`.
pub type FullMerge = unsafe extern "C" fn(
    Object,
    Bytes,
    usize,
    Bytes,
    usize,
    *const Bytes,
    *const usize,
    c_int,
    *mut c_uchar,
    *mut usize,
) -> Text;
pub type PartialMerge = unsafe extern "C" fn(
    Object,
    Bytes,
    usize,
    *const Bytes,
    *const usize,
    c_int,
    *mut c_uchar,
    *mut usize,
) -> Text;
type DeleteValue = unsafe extern "C" fn(Object, Bytes, usize);
pub type Compare = unsafe extern "C" fn(Object, Bytes, usize, Bytes, usize) -> c_int;
pub type Name = unsafe extern "C" fn(Object) -> *const c_char;
pub type Destructor = unsafe extern "C" fn(Object);

macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions, without `rocksdb_`.
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Functions {
            fn load(library: NonNull<c_void>) -> Result<Functions, String> {
                Ok(Functions {
                    $($name: {
                        let symbol = symbol(library, concat!("rocksdb_", stringify!($name)))?;
                        // SAFETY: the symbol is the C function of that name, which has this
                        // prototype in `rocksdb/c.h`.
                        unsafe {
                            std::mem::transmute::<
                                NonNull<c_void>,
                                unsafe extern "C" fn($($arg),*) $(-> $ret)?,
                            >(symbol)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    options_create: fn() -> Object;
    options_destroy: fn(Object);
    options_set_create_if_missing: fn(Object, c_uchar);
    options_set_create_missing_column_families: fn(Object, c_uchar);
    options_set_write_buffer_size: fn(Object, usize);
    options_set_compression: fn(Object, c_int);
    options_set_max_sequential_skip_in_iterations: fn(Object, u64);
    options_set_comparator: fn(Object, Object);
    options_set_block_based_table_factory: fn(Object, Object);
    options_set_merge_operator: fn(Object, Object);
    options_set_max_successive_merges: fn(Object, usize);
    options_set_prefix_extractor: fn(Object, Object);
    options_set_memtable_prefix_bloom_size_ratio: fn(Object, f64);
    options_set_level0_file_num_compaction_trigger: fn(Object, c_int);
    options_set_target_file_size_base: fn(Object, u64);
    options_set_max_bytes_for_level_base: fn(Object, u64);
    options_set_level_compaction_dynamic_level_bytes: fn(Object, c_uchar);
    options_set_disable_auto_compactions: fn(Object, c_int);
    options_set_max_subcompactions: fn(Object, u32);
    options_set_max_open_files: fn(Object, c_int);
    mergeoperator_create: fn(
        Object, Destructor, FullMerge, PartialMerge, Option<DeleteValue>, Name
    ) -> Object;
    slicetransform_create_fixed_prefix: fn(usize) -> Object;
    block_based_options_set_index_type: fn(Object, c_int);
    block_based_options_set_partition_filters: fn(Object, c_uchar);
    block_based_options_set_metadata_block_size: fn(Object, u64);
    block_based_options_set_cache_index_and_filter_blocks: fn(Object, c_uchar);
    block_based_options_set_whole_key_filtering: fn(Object, c_uchar);
    block_based_options_create: fn() -> Object;
    block_based_options_destroy: fn(Object);
    block_based_options_set_block_size: fn(Object, usize);
    block_based_options_set_block_restart_interval: fn(Object, c_int);
    block_based_options_set_format_version: fn(Object, c_int);
    block_based_options_set_filter_policy: fn(Object, Object);
    filterpolicy_create_bloom: fn(f64) -> Object;
    comparator_create: fn(Object, Destructor, Compare, Name) -> Object;
    comparator_destroy: fn(Object);
    list_column_families: fn(Object, *const c_char, *mut usize, *mut Text) -> *mut Text;
    list_column_families_destroy: fn(*mut Text, usize);
    open_column_families: fn(
        Object, *const c_char, c_int, *const *const c_char, *const Object, *mut Object, *mut Text
    ) -> Object;
    close: fn(Object);
    create_column_family: fn(Object, Object, *const c_char, *mut Text) -> Object;
    drop_column_family: fn(Object, Object, *mut Text);
    column_family_handle_destroy: fn(Object);
    get_latest_sequence_number: fn(Object) -> u64;
    writeoptions_create: fn() -> Object;
    writeoptions_destroy: fn(Object);
    put_cf: fn(Object, Object, Object, Bytes, usize, Bytes, usize, *mut Text);
    delete_cf: fn(Object, Object, Object, Bytes, usize, *mut Text);
    singledelete_cf: fn(Object, Object, Object, Bytes, usize, *mut Text);
    merge_cf: fn(Object, Object, Object, Bytes, usize, Bytes, usize, *mut Text);
    delete_range_cf: fn(Object, Object, Object, Bytes, usize, Bytes, usize, *mut Text);
    write: fn(Object, Object, Object, *mut Text);
    writebatch_create: fn() -> Object;
    writebatch_destroy: fn(Object);
    writebatch_clear: fn(Object);
    writebatch_count: fn(Object) -> c_int;
    writebatch_data: fn(Object, *mut usize) -> Bytes;
    writebatch_put_cf: fn(Object, Object, Bytes, usize, Bytes, usize);
    writebatch_delete_cf: fn(Object, Object, Bytes, usize);
    writebatch_merge_cf: fn(Object, Object, Bytes, usize, Bytes, usize);
    writebatch_delete_range_cf: fn(Object, Object, Bytes, usize, Bytes, usize);
    writebatch_put_log_data: fn(Object, Bytes, usize);
    writebatch_set_save_point: fn(Object);
    writebatch_rollback_to_save_point: fn(Object, *mut Text);
    writebatch_pop_save_point: fn(Object, *mut Text);
    readoptions_create: fn() -> Object;
    readoptions_destroy: fn(Object);
    readoptions_set_snapshot: fn(Object, Object);
    readoptions_set_iterate_upper_bound: fn(Object, Bytes, usize);
    readoptions_set_iterate_lower_bound: fn(Object, Bytes, usize);
    readoptions_set_fill_cache: fn(Object, c_uchar);
    readoptions_set_readahead_size: fn(Object, usize);
    readoptions_set_total_order_seek: fn(Object, c_uchar);
    readoptions_set_prefix_same_as_start: fn(Object, c_uchar);
    readoptions_set_tailing: fn(Object, c_uchar);
    readoptions_set_pin_data: fn(Object, c_uchar);
    get_cf: fn(Object, Object, Object, Bytes, usize, *mut usize, *mut Text) -> Text;
    get_pinned_cf: fn(Object, Object, Object, Bytes, usize, *mut Text) -> Object;
    pinnableslice_value: fn(Object, *mut usize) -> Bytes;
    pinnableslice_destroy: fn(Object);
    multi_get_cf: fn(
        Object, Object, *const Object, usize, *const Bytes, *const usize,
        *mut Text, *mut usize, *mut Text
    );
    batched_multi_get_cf: fn(
        Object, Object, Object, usize, *const Bytes, *const usize, *mut Object, *mut Text, bool
    );
    create_snapshot: fn(Object) -> Object;
    release_snapshot: fn(Object, Object);
    create_iterator_cf: fn(Object, Object, Object) -> Object;
    iter_destroy: fn(Object);
    iter_valid: fn(Object) -> c_uchar;
    iter_seek_to_first: fn(Object);
    iter_seek_to_last: fn(Object);
    iter_seek: fn(Object, Bytes, usize);
    iter_seek_for_prev: fn(Object, Bytes, usize);
    iter_next: fn(Object);
    iter_prev: fn(Object);
    iter_key: fn(Object, *mut usize) -> Bytes;
    iter_value: fn(Object, *mut usize) -> Bytes;
    iter_get_error: fn(Object, *mut Text);
    flushoptions_create: fn() -> Object;
    flushoptions_destroy: fn(Object);
    flush_cf: fn(Object, Object, Object, *mut Text);
    compact_range_cf: fn(Object, Object, Bytes, usize, Bytes, usize);
    property_int_cf: fn(Object, Object, *const c_char, *mut u64) -> c_int;
    checkpoint_object_create: fn(Object, *mut Text) -> Object;
    checkpoint_create: fn(Object, *const c_char, u64, *mut Text);
    checkpoint_object_destroy: fn(Object);
    backup_engine_open: fn(Object, *const c_char, *mut Text) -> Object;
    backup_engine_create_new_backup_flush: fn(Object, Object, c_uchar, *mut Text);
    backup_engine_restore_db_from_latest_backup: fn(
        Object, *const c_char, *const c_char, Object, *mut Text
    );
    backup_engine_close: fn(Object);
    restore_options_create: fn() -> Object;
    restore_options_destroy: fn(Object);
    free: fn(*mut c_void);
}

/// A loaded library. Never closed.
pub struct Library {
    pub name: &'static str,
    pub call: Functions,
}

fn symbol(library: NonNull<c_void>, name: &str) -> Result<NonNull<c_void>, String> {
    let c_name = CString::new(name).map_err(|e| e.to_string())?;
    // SAFETY: the library is never closed, and the name is NUL-terminated.
    let address = unsafe { libc::dlsym(library.as_ptr(), c_name.as_ptr()) };
    NonNull::new(address).ok_or_else(|| format!("there is no function {name}"))
}

impl Library {
    /// Loads `path`, whose symbols stay apart from those of other libraries.
    pub fn load(name: &'static str, path: &Path) -> Result<Library, String> {
        let c_path = CString::new(path.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
        // SAFETY: a NUL-terminated path.
        let handle = unsafe { libc::dlopen(c_path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let Some(handle) = NonNull::new(handle) else {
            // SAFETY: dlopen failed, so dlerror gives a NUL-terminated text.
            let text = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(text.to_string_lossy().into_owned());
        };
        let call = Functions::load(handle).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Library { name, call })
    }

    /// The result of `call`, which gets the place for an error text, or that text.
    pub fn checked<T>(&self, call: impl FnOnce(*mut Text) -> T) -> Result<T, String> {
        let mut error: Text = null_mut();
        let value = call(&mut error);
        match self.take_text(error) {
            Some(text) => Err(text),
            None => Ok(value),
        }
    }

    /// A text that the library allocated, if there is one.
    pub fn take_text(&self, text: Text) -> Option<String> {
        if text.is_null() {
            return None;
        }
        // SAFETY: the library's texts end with a NUL.
        let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        // SAFETY: the caller owns it, and it is not used any more.
        unsafe { (self.call.free)(text.cast()) };
        Some(copy)
    }

    /// Bytes that the library allocated, if there are any.
    pub fn take_bytes(&self, bytes: Text, len: usize) -> Option<Vec<u8>> {
        let copy = lent_bytes(bytes, len)?;
        // SAFETY: the caller owns them, and they are not used any more.
        unsafe { (self.call.free)(bytes.cast()) };
        Some(copy)
    }
}

/// A copy of bytes that the library lends, if there are any.
pub fn lent_bytes(bytes: Bytes, len: usize) -> Option<Vec<u8>> {
    if bytes.is_null() {
        return None;
    }
    // SAFETY: the library says that `len` bytes are there, and nobody changes them meanwhile.
    Some(unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), len) }.to_vec())
}
