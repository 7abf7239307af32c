//! Compactions that a program asks for.

use std::ffi::{CStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::compact_options::{rocksdb_compaction_options_t, rocksdb_compactoptions_t};
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db_err};
use crate::capi::handle::{get, get_optional, handles};
use crate::db::Family;
use crate::options::compact::{CompactFilesOptions, CompactRangeOptions};

/// What a compaction tells of itself. There is none yet.
pub struct rocksdb_compactionjobinfo_t;

handles! { Boxed: rocksdb_compactionjobinfo_t; }

/// A key, or None for NULL.
///
/// # Safety
/// `*key` is NULL or points to `len` bytes.
unsafe fn bound(key: &*const c_char, len: usize) -> Result<Option<&[u8]>> {
    if key.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { buffer::bytes(key, len) }.map(Some)
}

/// Makes a function of the keys from `start_key` to `limit_key`. Some report errors.
macro_rules! on_keys {
    ($(
        $(#[$doc:meta])*
        $name:ident($($target:ident: $type:ty),*; $($errptr:ident)?) =
            |$handle:ident, $start:ident, $limit:ident| $body:expr;
    )+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            db: *mut rocksdb_t,
            $($target: $type,)*
            start_key: *const c_char,
            start_key_len: usize,
            limit_key: *const c_char,
            limit_key_len: usize,
            $($errptr: *mut *mut c_char,)?
        ) {
            // Where there is no `errptr`, NULL.
            guard_db_err(db, [$($errptr,)? ptr::null_mut()][0], || {
                let $start = bound(&start_key, start_key_len)?;
                let $limit = bound(&limit_key, limit_key_len)?;
                let $handle = get(&db)?;
                $body
            })
        }
    )+};
}
on_keys! {
    /// Compacts the keys from `start_key` to `limit_key` (NULL is unbounded) of the default column
    /// family, and waits for it.
    rocksdb_compact_range(;) = |db, start, limit|
        db.db.compact_range(&db.default, &CompactRangeOptions::default(), start, limit);

    /// `rocksdb_compact_range` of a column family.
    rocksdb_compact_range_cf(column_family: *mut rocksdb_column_family_handle_t;) =
        |db, start, limit| {
            let family = &get(&column_family)?.family;
            db.db.compact_range(family, &CompactRangeOptions::default(), start, limit)
        };

    /// `rocksdb_compact_range` with options.
    rocksdb_compact_range_opt(opt: *mut rocksdb_compactoptions_t;) = |db, start, limit|
        db.db.compact_range(&db.default, &get(&opt)?.options, start, limit);

    /// `rocksdb_compact_range` of a column family, with options.
    rocksdb_compact_range_cf_opt(
        column_family: *mut rocksdb_column_family_handle_t,
        opt: *mut rocksdb_compactoptions_t;
    ) = |db, start, limit| {
        db.db.compact_range(&get(&column_family)?.family, &get(&opt)?.options, start, limit)
    };

    /// Has the files with keys from `start_key` to `limit_key` compacted in the background.
    rocksdb_suggest_compact_range(; errptr) = |db, start, limit|
        db.db.suggest_compact_range(&db.default, start, limit);

    /// `rocksdb_suggest_compact_range` of a column family.
    rocksdb_suggest_compact_range_cf(
        column_family: *mut rocksdb_column_family_handle_t; errptr
    ) = |db, start, limit|
        db.db.suggest_compact_range(&get(&column_family)?.family, start, limit);

    /// Drops the files of the default column family whose keys are all from `start_key` to
    /// `limit_key` (NULL is unbounded), except those of level 0. Other keys of the range stay.
    rocksdb_delete_file_in_range(; errptr) = |db, start, limit|
        db.db.delete_files_in_range(&db.default, start, limit);

    /// `rocksdb_delete_file_in_range` of a column family.
    rocksdb_delete_file_in_range_cf(
        column_family: *mut rocksdb_column_family_handle_t; errptr
    ) = |db, start, limit|
        db.db.delete_files_in_range(&get(&column_family)?.family, start, limit);
}

/// What C gives to a compaction of files.
struct FilesRequest {
    options: *const rocksdb_compaction_options_t,
    names: *const *const c_char,
    num_names: usize,
    output_level: c_int,
    output_path_id: c_int,
    output_names: *mut *mut *mut c_char,
    num_output_names: *mut usize,
    job_info: *mut rocksdb_compactionjobinfo_t,
}

impl FilesRequest {
    /// # Safety
    /// The pointers are those that C gave, under the contract of `rocksdb_compact_files`.
    unsafe fn run(&self, db: &rocksdb_t, family: &Arc<Family>) -> Result<()> {
        if !self.job_info.is_null() {
            return Err(Status::not_supported("compaction job info"));
        }
        // SAFETY: the caller's promise.
        let (names, options) = unsafe {
            let names = buffer::array(&self.names, self.num_names)?;
            let text = |name: &*const c_char| -> Result<String> {
                let name: &CStr = buffer::c_str(name)?;
                Ok(name.to_string_lossy().into_owned())
            };
            let options = get_optional(&self.options).map(|options| options.options.clone());
            (names.iter().map(text).collect::<Result<Vec<_>>>()?, options)
        };
        let options = options.unwrap_or_else(CompactFilesOptions::default);
        let written = db.db.compact_files(
            family,
            &options,
            &names,
            self.output_level,
            self.output_path_id,
        )?;
        // SAFETY: the caller's promise.
        unsafe {
            buffer::put(self.num_output_names, written.len());
            if !self.output_names.is_null() {
                let copies =
                    written.iter().map(|path| buffer::malloc_copy(path.as_os_str().as_bytes()));
                let copies: Vec<*mut c_char> = copies.collect();
                buffer::put(self.output_names, buffer::malloc_array(&copies));
            }
        }
        Ok(())
    }
}

/// Compacts the named files of the default column family into `output_level` and waits for it.
/// `options` may be NULL. If `output_file_names` is not NULL it gets the names of the files that
/// were written, which `rocksdb_compact_files_output_file_names_destroy` gives back.
/// `compaction_job_info` must be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_files(
    db: *mut rocksdb_t,
    options: *const rocksdb_compaction_options_t,
    input_file_names: *const *const c_char,
    num_input_file_names: usize,
    output_level: c_int,
    output_path_id: c_int,
    output_file_names: *mut *mut *mut c_char,
    num_output_file_names: *mut usize,
    compaction_job_info: *mut rocksdb_compactionjobinfo_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let handle = get(&db)?;
        let request = FilesRequest {
            options,
            names: input_file_names,
            num_names: num_input_file_names,
            output_level,
            output_path_id,
            output_names: output_file_names,
            num_output_names: num_output_file_names,
            job_info: compaction_job_info,
        };
        request.run(handle, &handle.default)
    })
}

/// `rocksdb_compact_files` of a column family; NULL is the default one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_files_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    options: *const rocksdb_compaction_options_t,
    input_file_names: *const *const c_char,
    num_input_file_names: usize,
    output_level: c_int,
    output_path_id: c_int,
    output_file_names: *mut *mut *mut c_char,
    num_output_file_names: *mut usize,
    compaction_job_info: *mut rocksdb_compactionjobinfo_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let handle = get(&db)?;
        let family = get_optional(&column_family).map_or(&handle.default, |cf| &cf.family);
        let request = FilesRequest {
            options,
            names: input_file_names,
            num_names: num_input_file_names,
            output_level,
            output_path_id,
            output_names: output_file_names,
            num_output_names: num_output_file_names,
            job_info: compaction_job_info,
        };
        request.run(handle, family)
    })
}

/// Gives back the names that `rocksdb_compact_files` handed out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_files_output_file_names_destroy(
    output_file_names: *mut *mut c_char,
    num_output_file_names: usize,
) {
    guard(|| {
        if output_file_names.is_null() {
            return Ok(());
        }
        let names = output_file_names.cast_const();
        for name in buffer::array(&names, num_output_file_names)? {
            libc::free(name.cast());
        }
        libc::free(output_file_names.cast());
        Ok(())
    })
}
