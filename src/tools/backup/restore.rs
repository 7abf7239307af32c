//! Restoring a backup.
//!
//! CURRENT goes first and comes last, each time durably: what a crash leaves between is no
//! database, rather than one that is made up of two.

use super::layout::{self, database_name};
use super::meta::{BackupFile, BackupMeta};
use super::{BackupEngine, ask, hex};
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Mutex};
use crate::env::file_system::FileSystem;
use crate::env::names::{
    FileType, archive_dir, current_file_name, lock_file_name, parse_file_name,
};
use crate::log_at;
use crate::options::RestoreOptions;
use crate::options::backup::RestoreMode;
use crate::table::reader::TableReader;
use crate::tools::copy::{Copy, CopyOptions, checksum_file, copy_file, make_dir};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// CURRENT until everything else is there.
const TEMP_CURRENT: &str = "CURRENT.tmp";

/// A file to restore.
struct Target<'a> {
    file: &'a BackupFile,
    path: PathBuf,
}

/// Where a database is restored.
struct Place<'a> {
    fs: &'a dyn FileSystem,
    db_dir: &'a Path,
    wal_dir: &'a Path,
    sync: bool,
}

impl BackupEngine {
    /// Makes the folders `db_dir` and `wal_dir` (of the logs; the same one if there is no other)
    /// the database that a backup holds, the newest one if `id` is `None`. What of a database is
    /// there goes, except for what the options let stay. The database must not be open.
    pub fn restore(
        &self,
        id: Option<u32>,
        db_dir: &Path,
        wal_dir: &Path,
        options: &RestoreOptions,
    ) -> Result<()> {
        options.rejected.check()?;
        let state = self.state.read();
        let (id, meta) = state.backup(id)?;
        log_at!(self.logger, Info, "Restoring backup {id} to {}", db_dir.display());
        let fs = &**self.db_env.fs();
        make_dir(fs, db_dir, self.options.sync)?;
        make_dir(fs, wal_dir, self.options.sync)?;
        let _lock = fs.lock(&lock_file_name(db_dir))?;
        let place = Place { fs, db_dir, wal_dir, sync: self.options.sync };
        let kept = self.files_to_keep(&place, meta, options.mode)?;
        let targets = place.targets(meta, &kept)?;
        place.remove_current()?;
        place.clear(&kept, options.keep_log_files)?;
        self.copy_targets(fs, &targets)?;
        place.sync_dirs()?;
        if fs.exists(&db_dir.join(TEMP_CURRENT))? {
            fs.rename(&db_dir.join(TEMP_CURRENT), &current_file_name(db_dir))?;
        }
        place.sync_dirs()?;
        log_at!(self.logger, Info, "Backup {id} is restored");
        Ok(())
    }

    /// Numbers of the tables and blob files in the database's folder that are those of the
    /// backup. Files that the backup lacks must be among them.
    fn files_to_keep(
        &self,
        place: &Place<'_>,
        meta: &BackupMeta,
        mode: RestoreMode,
    ) -> Result<HashSet<u64>> {
        let mut missing: HashSet<&str> = meta.excluded.iter().map(String::as_str).collect();
        let mut kept = HashSet::new();
        if mode != RestoreMode::PurgeAllFiles {
            let mut wanted: HashMap<u64, &BackupFile> = HashMap::new();
            for file in &meta.files {
                if let Some((number, FileType::Table | FileType::Blob)) =
                    parse_file_name(&database_name(&file.name))
                {
                    wanted.insert(number, file);
                }
            }
            for name in place.fs.list(place.db_dir)? {
                let Some((number, kind)) = parse_file_name(&name) else { continue };
                let wanted = wanted.get(&number).copied();
                let path = place.db_dir.join(&name);
                let matches = match (mode, kind) {
                    (RestoreMode::KeepLatestDbSessionIdFiles, FileType::Table) => {
                        let found = shared_name(place.fs, &path, &name);
                        found.is_some_and(|found| {
                            wanted.is_some_and(|file| file.name == found)
                                || missing.remove(&found[..])
                        })
                    }
                    (RestoreMode::VerifyChecksum, FileType::Table | FileType::Blob) => wanted
                        .is_some_and(|file| {
                            database_name(&file.name) == name && self.is_same(place.fs, &path, file)
                        }),
                    _ => false,
                };
                if matches {
                    kept.insert(number);
                }
            }
        }
        match missing.into_iter().min() {
            Some(name) => Err(Status::invalid_argument(format!(
                "Excluded file {name} not found in any of 0 backup directories!"
            ))),
            None => Ok(kept),
        }
    }

    fn is_same(&self, fs: &dyn FileSystem, path: &Path, file: &BackupFile) -> bool {
        let limiter = self.restore_limiter.as_deref();
        let step = &mut |n| {
            ask(limiter, n, false);
            Ok(())
        };
        let found = checksum_file(fs, path, None, self.buffer_size(limiter), step);
        found.is_ok_and(|found| found.size == file.size && file.crc == Some(found.crc))
    }

    fn copy_targets(&self, fs: &dyn FileSystem, targets: &[Target<'_>]) -> Result<()> {
        let next = Mutex::new(targets.iter());
        let result = Mutex::new(Ok(()));
        self.in_parallel(targets.len(), || {
            loop {
                let Some(target) = next.lock().next() else { return };
                if result.lock().is_err() {
                    return;
                }
                if let Err(error) = self.copy_target(fs, target) {
                    *result.lock() = Err(error);
                    return;
                }
            }
        });
        result.into_inner()
    }

    fn copy_target(&self, fs: &dyn FileSystem, target: &Target<'_>) -> Result<()> {
        let from = self.dir.join(&target.file.name);
        let copy = Copy {
            from: (self.fs(), &from),
            to: (fs, &target.path),
            limit: Some(target.file.size),
        };
        let sync = self.options.sync;
        let limiter = self.restore_limiter.as_deref();
        let buffer_size = self.buffer_size(limiter);
        let options = CopyOptions { sync, use_fsync: false, buffer_size };
        let copied = copy_file(&copy, options, &mut |n| {
            ask(limiter, n, true);
            Ok(())
        })?;
        match target.file.crc {
            Some(expected) if expected != copied.crc => Err(Status::corruption(format!(
                "While restoring {} -> {}: expected checksum is {} while computed checksum is {}",
                target.file.name,
                target.path.display(),
                hex(expected),
                hex(copied.crc)
            ))),
            _ => Ok(()),
        }
    }
}

/// The name that the table at `path` has where it is shared by session; None if it does not tell.
fn shared_name(fs: &dyn FileSystem, path: &Path, name: &str) -> Option<String> {
    let size = fs.file_size(path).ok()?;
    let file = fs.open_random(path).ok()?;
    let session = TableReader::read_properties(file, size).ok()?.db_session_id;
    Some(layout::name_by_session_and_size(name, &session, size))
}

impl Place<'_> {
    /// Where the files of the backup go, but for those that are there.
    fn targets<'a>(&self, meta: &'a BackupMeta, kept: &HashSet<u64>) -> Result<Vec<Target<'a>>> {
        let mut targets = Vec::with_capacity(meta.files.len());
        for file in meta.files.iter().map(Arc::as_ref) {
            let name = database_name(&file.name);
            let Some((number, kind)) = parse_file_name(&name) else {
                let text = format!("Backup corrupted: Fail to parse filename {name}");
                return Err(Status::corruption(text));
            };
            let path = match kind {
                FileType::Table | FileType::Blob if kept.contains(&number) => continue,
                FileType::Wal => self.wal_dir.join(name),
                FileType::Current => self.db_dir.join(TEMP_CURRENT),
                _ => self.db_dir.join(name),
            };
            targets.push(Target { file, path });
        }
        Ok(targets)
    }

    fn remove_current(&self) -> Result<()> {
        match self.fs.remove_file(&current_file_name(self.db_dir)) {
            Err(error) if error.is_path_not_found() => Ok(()),
            Err(error) => Err(error),
            Ok(()) if self.sync => self.fs.open_dir(self.db_dir)?.sync(),
            Ok(()) => Ok(()),
        }
    }

    /// Removes what there is of a database.
    fn clear(&self, kept: &HashSet<u64>, keep_logs: bool) -> Result<()> {
        if keep_logs {
            self.remove_files(self.db_dir, kept, true)?;
            return self.move_archive();
        }
        self.remove_files(self.wal_dir, kept, false)?;
        self.remove_files(&archive_dir(self.wal_dir), kept, false)?;
        self.remove_files(self.db_dir, kept, false)
    }

    fn remove_files(&self, dir: &Path, kept: &HashSet<u64>, keep_logs: bool) -> Result<()> {
        if !self.fs.exists(dir)? {
            return Ok(());
        }
        for name in self.fs.list(dir)? {
            let stays = match parse_file_name(&name) {
                None => name != TEMP_CURRENT,
                Some((_, FileType::Lock)) => true,
                Some((_, FileType::Wal)) => keep_logs,
                Some((number, FileType::Table | FileType::Blob)) => kept.contains(&number),
                Some(_) => false,
            };
            if !stays {
                self.fs.remove_file(&dir.join(name))?;
            }
        }
        Ok(())
    }

    /// Puts archived logs back where recovery finds them. One that cannot be moved may hold data.
    fn move_archive(&self) -> Result<()> {
        let archive = archive_dir(self.wal_dir);
        if !self.fs.exists(&archive)? {
            return Ok(());
        }
        for name in self.fs.list(&archive)? {
            if let Some((_, FileType::Wal)) = parse_file_name(&name) {
                self.fs.rename(&archive.join(&name), &self.wal_dir.join(&name))?;
            }
        }
        Ok(())
    }

    fn sync_dirs(&self) -> Result<()> {
        if !self.sync {
            return Ok(());
        }
        self.fs.open_dir(self.db_dir)?.sync()?;
        if self.wal_dir != self.db_dir {
            self.fs.open_dir(self.wal_dir)?.sync()?;
        }
        Ok(())
    }
}
