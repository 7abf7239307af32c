//! Destroying a database: removing its files.

use crate::base::status::Result;
use crate::env::file_system::FileSystem;
use crate::env::names::{FileType, archive_dir, lock_file_name, parse_file_name};
use crate::options::{DbOptions, DbPath};
use std::path::{Path, PathBuf};

/// Removes the files of the database in `dir`, and the folder if nothing else is in it. Files that
/// are not a database's stay. A folder that does not exist is no error; a database that is open
/// is.
pub fn destroy(options: &DbOptions, dir: &Path) -> Result<()> {
    let fs = &**options.env.fs();
    if !fs.exists(dir)? {
        return Ok(());
    }
    let lock = fs.lock(&lock_file_name(dir))?;
    let names = fs.list(dir)?;
    let mut result = Ok(());
    for name in &names {
        if let Some((_, kind)) = parse_file_name(name)
            && kind != FileType::Lock
        {
            keep_first(&mut result, fs.remove_file(&dir.join(name)));
        }
    }
    let wal_dir: PathBuf = options.wal_path(dir);
    for dir in [archive_dir(dir), wal_dir.clone(), archive_dir(&wal_dir)] {
        remove_logs(fs, &dir, &mut result);
    }
    for DbPath { path, .. } in &options.db_paths {
        remove_tables(fs, path, &mut result);
    }
    drop(lock);
    let _ = fs.remove_file(&lock_file_name(dir));
    for DbPath { path, .. } in &options.db_paths {
        let _ = fs.remove_dir(path);
    }
    for dir in [&archive_dir(&wal_dir), &archive_dir(dir), &wal_dir, dir] {
        // Fails where something else is in it, which is as it should be.
        let _ = fs.remove_dir(dir);
    }
    result
}

fn remove_tables(fs: &dyn FileSystem, dir: &Path, result: &mut Result<()>) {
    remove_kind(fs, dir, FileType::Table, result);
}

fn remove_logs(fs: &dyn FileSystem, dir: &Path, result: &mut Result<()>) {
    remove_kind(fs, dir, FileType::Wal, result);
}

fn remove_kind(fs: &dyn FileSystem, dir: &Path, wanted: FileType, result: &mut Result<()>) {
    for name in fs.list(dir).unwrap_or_default() {
        if parse_file_name(&name).is_some_and(|(_, kind)| kind == wanted) {
            keep_first(result, fs.remove_file(&dir.join(name)));
        }
    }
}

fn keep_first(result: &mut Result<()>, next: Result<()>) {
    match next {
        Err(error) if error.is_path_not_found() => {}
        next => {
            if result.is_ok() {
                *result = next;
            }
        }
    }
}
