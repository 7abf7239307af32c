//! Options of backups.

use std::ffi::{c_char, c_int, c_uchar, c_void};

use crate::capi::background::rocksdb_ratelimiter_t;
use crate::capi::buffer;
use crate::capi::env::rocksdb_env_t;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, get_optional, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, LentTexts, accessors, store};
use crate::env::Env;
use crate::options::backup::{
    BackupOptions, CreateBackupOptions, RestoreOptions, backup_options, create_backup_options,
    restore_options,
};

/// Options of a folder of backups.
#[derive(Default)]
pub struct rocksdb_backup_engine_options_t {
    /// The options.
    pub options: BackupOptions,
    /// Where the folder is; None means where the databases are.
    pub env: Option<Env>,
    lent: LentTexts,
}

handles! { Boxed: rocksdb_backup_engine_options_t; }

impl Holds<BackupOptions> for rocksdb_backup_engine_options_t {
    fn part(&self) -> &BackupOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut BackupOptions {
        &mut self.options
    }
}

impl rocksdb_backup_engine_options_t {
    /// # Safety
    /// `size` is NULL or can be written.
    unsafe fn lend_text(
        &mut self,
        name: &'static str,
        text: &str,
        size: *mut usize,
    ) -> *const c_char {
        // SAFETY: the caller's promise.
        unsafe { self.lent.lend(name, text, size) }
    }
}

backup_options!(accessors in rocksdb_backup_engine_options_t;);

/// Makes options with RocksDB's defaults for the folder `backup_dir`; given back by
/// `rocksdb_backup_engine_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_create(
    backup_dir: *const c_char,
) -> *mut rocksdb_backup_engine_options_t {
    guard(|| {
        let mut handle = rocksdb_backup_engine_options_t::default();
        let dir = buffer::utf8(&backup_dir).map(str::to_string).map_err(|error| error.to_string());
        let options = &mut handle.options;
        store(&mut options.backup_dir, &mut options.rejected, "backup_dir", dir);
        Ok(give(handle))
    })
}

/// Sets where the folder is; the environment is shared. NULL means where the databases are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_set_env(
    options: *mut rocksdb_backup_engine_options_t,
    env: *mut rocksdb_env_t,
) {
    guard(|| {
        get_mut(&options)?.env = get_optional(&env).map(|env| env.env.clone());
        Ok(())
    })
}

/// Sets what backups ask before they read and write; it is shared. NULL changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_set_backup_rate_limiter(
    options: *mut rocksdb_backup_engine_options_t,
    limiter: *mut rocksdb_ratelimiter_t,
) {
    guard(|| {
        if let Some(limiter) = get_optional(&limiter) {
            get_mut(&options)?.options.backup_rate_limiter = Some(limiter.limiter.clone());
        }
        Ok(())
    })
}

/// Sets what restoring asks before it reads and writes; it is shared. NULL changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_set_restore_rate_limiter(
    options: *mut rocksdb_backup_engine_options_t,
    limiter: *mut rocksdb_ratelimiter_t,
) {
    guard(|| {
        if let Some(limiter) = get_optional(&limiter) {
            get_mut(&options)?.options.restore_rate_limiter = Some(limiter.limiter.clone());
        }
        Ok(())
    })
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_destroy(
    options: *mut rocksdb_backup_engine_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Called while a backup is made, by any thread.
pub type rocksdb_create_backup_options_progress_cb =
    Option<unsafe extern "C" fn(state: *mut c_void)>;

/// Decides about a file of a backup by its name, which ends by its length: not 0 leaves it out.
pub type rocksdb_create_backup_options_exclude_files_cb = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        relative_file: *const c_char,
        relative_file_len: usize,
    ) -> c_uchar,
>;

/// A function of the caller's with its state.
#[derive(Clone, Copy)]
pub(super) struct Callback<F> {
    state: *mut c_void,
    function: F,
}

// SAFETY: the header asks that the function can be called by any thread.
unsafe impl<F: Send> Send for Callback<F> {}
// SAFETY: as for `Send`.
unsafe impl<F: Sync> Sync for Callback<F> {}

type Progress = unsafe extern "C" fn(*mut c_void);
type Exclude = unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> c_uchar;

impl Callback<Progress> {
    pub(super) fn call(&self) {
        // SAFETY: the caller gave this function for this state.
        unsafe { (self.function)(self.state) }
    }
}

impl Callback<Exclude> {
    pub(super) fn call(&self, name: &str) -> bool {
        // SAFETY: the caller gave this function for this state; the name lives during the call.
        unsafe { (self.function)(self.state, name.as_ptr().cast(), name.len()) != 0 }
    }
}

/// Options of one backup.
#[derive(Default)]
pub struct rocksdb_create_backup_options_t {
    /// The options.
    pub options: CreateBackupOptions,
    pub(super) progress: Option<Callback<Progress>>,
    pub(super) exclude: Option<Callback<Exclude>>,
}

handles! { Boxed: rocksdb_create_backup_options_t; }

impl Holds<CreateBackupOptions> for rocksdb_create_backup_options_t {
    fn part(&self) -> &CreateBackupOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut CreateBackupOptions {
        &mut self.options
    }
}

create_backup_options!(accessors in rocksdb_create_backup_options_t;);

/// Makes options with RocksDB's defaults; given back by `rocksdb_create_backup_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_backup_options_create()
-> *mut rocksdb_create_backup_options_t {
    guard(|| Ok(give(rocksdb_create_backup_options_t::default())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_backup_options_destroy(
    options: *mut rocksdb_create_backup_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Sets a function that is called each time that another
/// `rocksdb_backup_engine_options_set_callback_trigger_interval_size` bytes were copied, by any
/// thread. NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_backup_options_set_progress_callback(
    options: *mut rocksdb_create_backup_options_t,
    state: *mut c_void,
    callback: rocksdb_create_backup_options_progress_cb,
) {
    guard(|| {
        get_mut(&options)?.progress = callback.map(|function| Callback { state, function });
        Ok(())
    })
}

/// Sets a function that decides which new shared files are left out of the backup. It asks for
/// schema version 2, and restoring for the files. NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_backup_options_set_exclude_files_callback(
    options: *mut rocksdb_create_backup_options_t,
    state: *mut c_void,
    callback: rocksdb_create_backup_options_exclude_files_cb,
) {
    guard(|| {
        get_mut(&options)?.exclude = callback.map(|function| Callback { state, function });
        Ok(())
    })
}

/// Options of one restoring.
#[derive(Default)]
pub struct rocksdb_restore_options_t {
    /// The options.
    pub options: RestoreOptions,
}

handles! { Boxed: rocksdb_restore_options_t; }

impl Holds<RestoreOptions> for rocksdb_restore_options_t {
    fn part(&self) -> &RestoreOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut RestoreOptions {
        &mut self.options
    }
}

restore_options!(accessors in rocksdb_restore_options_t;);

/// Makes options with RocksDB's defaults; given back by `rocksdb_restore_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_restore_options_create() -> *mut rocksdb_restore_options_t {
    guard(|| Ok(give(rocksdb_restore_options_t::default())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_restore_options_destroy(opt: *mut rocksdb_restore_options_t) {
    guard(|| {
        take(opt);
        Ok(())
    })
}

/// Sets which of the files that are there may stay: 1 tables that the same session wrote, 2
/// tables with the same checksum, 65535 none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_restore_options_set_mode(
    opt: *mut rocksdb_restore_options_t,
    v: c_int,
) {
    guard(|| {
        let options = &mut get_mut(&opt)?.options;
        store(&mut options.mode, &mut options.rejected, "mode", CValue::from_c(v));
        Ok(())
    })
}

/// What `rocksdb_restore_options_set_mode` set, or 65535.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_restore_options_get_mode(
    opt: *mut rocksdb_restore_options_t,
) -> c_int {
    guard(|| Ok(CValue::<c_int>::to_c(&get(&opt)?.options.mode)))
}
