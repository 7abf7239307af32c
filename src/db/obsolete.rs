//! Removing files that are not needed any more.

use super::Db;
use super::errors::read_only_error;
use crate::base::status::Result;
use crate::base::sync::{Arc, Ordering};
use crate::env::names::{FileType, parse_file_name};
use crate::log_at;
use crate::version::file_meta::FileMeta;
use std::collections::HashSet;
use std::path::PathBuf;

/// How many OPTIONS files are kept, as by RocksDB.
const KEPT_OPTIONS_FILES: usize = 2;

impl Db {
    /// Removes the tables that no version holds any more.
    pub fn remove_obsolete_files(&self) {
        let mut numbers = Vec::new();
        {
            let mut state = self.state.lock();
            if state.deletions_disabled > 0 {
                return;
            }
            // The list's own reference is the last one, and the file is not held as one of
            // another level, where it was before.
            let unheld = |file: &mut Arc<FileMeta>| {
                Arc::strong_count(file) == 1 && !file.has_other_objects()
            };
            numbers.extend(state.obsolete.extract_if(.., unheld).map(|file| file.number));
            if !state.obsolete.is_empty() {
                // Whoever lets go of them from here on has them removed; and if someone did just
                // before, they go now.
                self.purge_wanted.store(true, Ordering::SeqCst);
                let late = state.obsolete.extract_if(.., unheld).map(|file| file.number);
                numbers.extend(late);
            }
        }
        self.context.remove_tables(&numbers);
    }

    /// Looks through the folders for files that an earlier process left behind: tables of flushes
    /// that did not end, old logs, manifests and temporary files.
    pub(super) fn remove_unknown_files(&self) -> Result<()> {
        let (mut keep_tables, min_manifest) = {
            let state = self.state.lock();
            let live = state.versions.live_files();
            let tables: HashSet<u64> =
                live.tables.iter().chain(&state.pending_outputs).copied().collect();
            (tables, state.versions.manifest_number())
        };
        keep_tables.extend(self.state.lock().obsolete.iter().map(|file| file.number));
        let keep_logs: HashSet<u64> = self.wals()?.live().into_iter().collect();
        let unneeded = |name: &str| match parse_file_name(name) {
            Some((number, FileType::Table)) => !keep_tables.contains(&number),
            Some((number, FileType::Wal)) => !keep_logs.contains(&number),
            Some((number, FileType::Descriptor)) => number < min_manifest,
            Some((_, FileType::Temp)) => true,
            _ => false,
        };
        for dir in [&self.context.dir, &self.context.wal_dir] {
            let names = self.context.list(dir)?;
            let paths: Vec<PathBuf> =
                names.iter().filter(|name| unneeded(name)).map(|name| dir.join(name)).collect();
            self.context.remove_files(paths);
        }
        Ok(())
    }

    pub(super) fn remove_old_options_files(&self) -> Result<()> {
        if self.state.lock().deletions_disabled > 0 {
            return Ok(());
        }
        let dir = &self.context.dir;
        let mut found: Vec<(u64, String)> = Vec::new();
        for name in self.context.list(dir)? {
            if let Some((number, FileType::Options)) = parse_file_name(&name) {
                found.push((number, name));
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        let old = found.iter().skip(KEPT_OPTIONS_FILES).map(|(_, name)| dir.join(name));
        self.context.remove_files(old);
        Ok(())
    }
}

impl Db {
    /// Lets every file stay that is there now or comes to be, until
    /// [`enable_file_deletions`](Db::enable_file_deletions) was called as often as this.
    pub fn disable_file_deletions(&self) -> Result<()> {
        if self.context.read_only {
            return Err(read_only_error());
        }
        let count = {
            let mut state = self.state.lock();
            state.deletions_disabled += 1;
            state.deletions_disabled
        };
        log_at!(self.context.logger, Info, "File deletions disabled by {count}");
        Ok(())
    }

    /// Takes one [`disable_file_deletions`](Db::disable_file_deletions) back. With the last one
    /// goes what became obsolete meanwhile.
    pub fn enable_file_deletions(&self) -> Result<()> {
        if self.context.read_only {
            return Err(read_only_error());
        }
        let count = {
            let mut state = self.state.lock();
            state.deletions_disabled = state.deletions_disabled.saturating_sub(1);
            state.deletions_disabled
        };
        log_at!(self.context.logger, Info, "File deletions disabled by {count}");
        if count > 0 {
            return Ok(());
        }
        self.remove_obsolete_files();
        self.release_logs()?;
        self.remove_old_options_files()
    }

    /// [`disable_file_deletions`](Db::disable_file_deletions) until the result is dropped. In a
    /// database that is open for reading only it does nothing: who writes to it may remove files
    /// at any time.
    pub fn hold_files(&self) -> HeldFiles<'_> {
        HeldFiles { db: self, held: self.disable_file_deletions().is_ok() }
    }
}

/// While it lives, the database removes no file.
pub struct HeldFiles<'a> {
    db: &'a Db,
    held: bool,
}

impl HeldFiles<'_> {
    /// The database whose files stay.
    pub fn db(&self) -> &Db {
        self.db
    }
}

impl Drop for HeldFiles<'_> {
    fn drop(&mut self) {
        if self.held
            && let Err(error) = self.db.enable_file_deletions()
        {
            log_at!(self.db.context.logger, Warn, "Cannot remove old files: {error}");
        }
    }
}
