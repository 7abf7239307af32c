//! Backups: made, listed, restored, removed.

use std::ffi::{c_char, c_int};
use std::path::Path;

use crate::base::status::Result;
use crate::capi::backup_options::{
    rocksdb_backup_engine_options_t, rocksdb_create_backup_options_t, rocksdb_restore_options_t,
};
use crate::capi::buffer;
use crate::capi::db::rocksdb_t;
use crate::capi::env::rocksdb_env_t;
use crate::capi::guard::{guard, guard_db_err, guard_err};
use crate::capi::handle::{Pointer, get, get_optional, give, handles, take};
use crate::capi::options::rocksdb_options_t;
use crate::options::BackupOptions;
use crate::tools::backup::{BackupEngine, BackupInfo, NewBackup};

/// A folder of backups. It may be used by any number of threads at once.
pub struct rocksdb_backup_engine_t {
    engine: BackupEngine,
}

/// What is known of the backups in a folder, oldest first.
pub struct rocksdb_backup_engine_info_t {
    backups: Vec<BackupInfo>,
}

handles! { Boxed: rocksdb_backup_engine_t, rocksdb_backup_engine_info_t; }

/// Opens the folder of backups `path`, and makes it if there is none; given back by
/// `rocksdb_backup_engine_close`. The environment of `options` is where the folder and the
/// databases are, and its logger where messages go.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_open(
    options: *const rocksdb_options_t,
    path: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_backup_engine_t {
    guard_err(errptr, || {
        let db = &get(&options)?.options.db;
        let (env, logger) = (db.env.clone(), db.info_log.clone());
        let path = buffer::path(&path)?;
        let engine = BackupEngine::open(path, BackupOptions::default(), env.clone(), env, logger)?;
        Ok(give(rocksdb_backup_engine_t { engine }))
    })
}

/// `rocksdb_backup_engine_open` with options of its own. `env` is where databases are restored;
/// NULL means the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_open_opts(
    options: *const rocksdb_backup_engine_options_t,
    env: *mut rocksdb_env_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_backup_engine_t {
    guard_err(errptr, || {
        let handle = get(&options)?;
        let db_env = get_optional(&env).map(|env| env.env.clone()).unwrap_or_default();
        let env = handle.env.clone().unwrap_or_else(|| db_env.clone());
        let options = handle.options.clone();
        let dir = options.backup_dir.clone();
        let engine = BackupEngine::open(Path::new(&dir), options, env, db_env, None)?;
        Ok(give(rocksdb_backup_engine_t { engine }))
    })
}

/// Makes a backup; its number goes to `*backup_id`.
///
/// # Safety
/// The handles are NULL or live; `backup_id` is NULL or can be written.
unsafe fn create(
    be: &impl Pointer<rocksdb_backup_engine_t>,
    db: &impl Pointer<rocksdb_t>,
    options: &impl Pointer<rocksdb_create_backup_options_t>,
    app_metadata: &[u8],
    backup_id: *mut u32,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let (engine, db, options) = unsafe { (&get(be)?.engine, &get(db)?.db, get_optional(options)) };
    let default = rocksdb_create_backup_options_t::default();
    let options = options.unwrap_or(&default);
    options.options.rejected.check()?;
    let progress = options.progress.map(|callback| move || callback.call());
    let exclude = options.exclude.map(|callback| move |name: &str| callback.call(name));
    let id = engine.create(
        db,
        &NewBackup {
            flush: options.options.flush_before_backup,
            atomic_flush: options.options.atomic_flush,
            cpu_priority: (options.options.decrease_background_thread_cpu_priority)
                .then_some(options.options.background_thread_cpu_priority),
            app_metadata,
            progress: progress.as_ref().map(|call| call as _),
            exclude: exclude.as_ref().map(|call| call as _),
        },
    )?;
    // SAFETY: the caller's promise.
    unsafe { buffer::put(backup_id, id) };
    Ok(())
}

/// Makes a backup of the database. Memory is not flushed: the write-ahead logs are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_create_new_backup(
    be: *mut rocksdb_backup_engine_t,
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let none: *const rocksdb_create_backup_options_t = std::ptr::null();
        create(&be, &db, &none, b"", std::ptr::null_mut())
    })
}

/// Makes a backup of the database, whose memory is flushed first if `flush_before_backup`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_create_new_backup_flush(
    be: *mut rocksdb_backup_engine_t,
    db: *mut rocksdb_t,
    flush_before_backup: u8,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let mut options = rocksdb_create_backup_options_t::default();
        options.options.flush_before_backup = flush_before_backup != 0;
        create(&be, &db, &&raw const options, b"", std::ptr::null_mut())
    })
}

/// Makes a backup of the database. Its number goes to `*backup_id`, which may be NULL, as may the
/// options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_create_new_backup_with_options(
    be: *mut rocksdb_backup_engine_t,
    db: *mut rocksdb_t,
    options: *const rocksdb_create_backup_options_t,
    backup_id: *mut u32,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || create(&be, &db, &options, b"", backup_id))
}

/// `rocksdb_backup_engine_create_new_backup_with_options` with bytes that
/// `rocksdb_backup_engine_info_app_metadata` returns. At most 1 MiB.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_create_new_backup_with_metadata(
    be: *mut rocksdb_backup_engine_t,
    db: *mut rocksdb_t,
    options: *const rocksdb_create_backup_options_t,
    app_metadata: *const c_char,
    app_metadata_len: usize,
    backup_id: *mut u32,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || {
        let length = if app_metadata.is_null() { 0 } else { app_metadata_len };
        let metadata = buffer::bytes(&app_metadata, length)?;
        create(&be, &db, &options, metadata, backup_id)
    })
}

/// Removes all but the newest backups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_purge_old_backups(
    be: *mut rocksdb_backup_engine_t,
    num_backups_to_keep: u32,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || get(&be)?.engine.purge(num_backups_to_keep))
}

/// Checks that every file of a backup is there and has its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_verify_backup(
    be: *mut rocksdb_backup_engine_t,
    backup_id: u32,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || get(&be)?.engine.verify(backup_id, false))
}

/// Restores the newest backup to the folders `db_dir` and, for the write-ahead logs, `wal_dir`,
/// which is the same one unless the database has two. What of a database is in there is removed.
/// The database must not be open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_restore_db_from_latest_backup(
    be: *mut rocksdb_backup_engine_t,
    db_dir: *const c_char,
    wal_dir: *const c_char,
    restore_options: *const rocksdb_restore_options_t,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || {
        let (db_dir, wal_dir) = (buffer::path(&db_dir)?, buffer::path(&wal_dir)?);
        get(&be)?.engine.restore(None, db_dir, wal_dir, &get(&restore_options)?.options)
    })
}

/// `rocksdb_backup_engine_restore_db_from_latest_backup` with the backup of this number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_restore_db_from_backup(
    be: *mut rocksdb_backup_engine_t,
    db_dir: *const c_char,
    wal_dir: *const c_char,
    restore_options: *const rocksdb_restore_options_t,
    backup_id: u32,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || {
        let (db_dir, wal_dir) = (buffer::path(&db_dir)?, buffer::path(&wal_dir)?);
        get(&be)?.engine.restore(Some(backup_id), db_dir, wal_dir, &get(&restore_options)?.options)
    })
}

/// What is known of the backups that are whole, oldest first; given back by
/// `rocksdb_backup_engine_info_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_get_backup_info(
    be: *mut rocksdb_backup_engine_t,
) -> *const rocksdb_backup_engine_info_t {
    guard(|| {
        let backups = get(&be)?.engine.info();
        Ok(give(rocksdb_backup_engine_info_t { backups }).cast_const())
    })
}

/// How many backups there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_count(
    info: *const rocksdb_backup_engine_info_t,
) -> c_int {
    guard(|| Ok(get(&info)?.backups.len() as c_int))
}

/// The backup at `index`; None if there is none.
fn at(info: &rocksdb_backup_engine_info_t, index: c_int) -> Option<&BackupInfo> {
    info.backups.get(usize::try_from(index).ok()?)
}

/// When the backup at `index` was made, in seconds since 1970.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_timestamp(
    info: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> i64 {
    guard(|| Ok(at(get(&info)?, index).map_or(0, |backup| backup.timestamp)))
}

/// The number of the backup at `index`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_backup_id(
    info: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> u32 {
    guard(|| Ok(at(get(&info)?, index).map_or(0, |backup| backup.id)))
}

/// The bytes of the files of the backup at `index`, shared ones included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_size(
    info: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> u64 {
    guard(|| Ok(at(get(&info)?, index).map_or(0, |backup| backup.size)))
}

/// How many files the backup at `index` has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_number_files(
    info: *const rocksdb_backup_engine_info_t,
    index: c_int,
) -> u32 {
    guard(|| Ok(at(get(&info)?, index).map_or(0, |backup| backup.files)))
}

/// What the application said about the backup at `index`, and its length in `*len`. It is valid as
/// long as `info`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_app_metadata(
    info: *const rocksdb_backup_engine_info_t,
    index: c_int,
    len: *mut usize,
) -> *const c_char {
    guard(|| {
        let metadata = at(get(&info)?, index).map_or(&b""[..], |backup| &backup.app_metadata);
        buffer::put(len, metadata.len());
        Ok(metadata.as_ptr().cast())
    })
}

/// Gives it back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_info_destroy(
    info: *const rocksdb_backup_engine_info_t,
) {
    guard(|| {
        take(info.cast_mut());
        Ok(())
    })
}

/// Makes the backup that is being made fail, and every later one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_stop_backup(be: *mut rocksdb_backup_engine_t) {
    guard(|| {
        get(&be)?.engine.stop();
        Ok(())
    })
}

/// Gives the folder back; the backups stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_close(be: *mut rocksdb_backup_engine_t) {
    guard(|| {
        take(be);
        Ok(())
    })
}
