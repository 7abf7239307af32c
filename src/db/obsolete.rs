//! Removing files that are not needed any more.

use super::Db;
use super::errors::read_only_error;
use crate::base::clock::micros_since;
use crate::base::status::Result;
use crate::base::sync::{Arc, Ordering};
use crate::env::names::{FileType, parse_file_name};
use crate::log_at;
use crate::version::file_meta::FileMeta;
use std::collections::HashSet;
use std::time::Instant;

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

    /// What remains to be done now and then, behind flushes and compactions.
    pub(super) fn tidy_up(&self) {
        self.purge_archive_if_due();
        let period = self.live_options.load().delete_obsolete_files_period_micros;
        {
            let mut searched = self.searched.lock();
            if micros_since(*searched) < period || self.is_shutting_down() {
                return;
            }
            *searched = Instant::now();
        }
        if let Err(error) = self.remove_unknown_files(false) {
            log_at!(self.context.logger, Warn, "Cannot search for obsolete files: {error}");
        }
    }

    /// Looks through the folders for files that nobody needs: tables of flushes that did not end,
    /// old logs and manifests, which an earlier process left behind or which could not be removed
    /// in their time; and temporary files, if nobody can be writing them: `opening`.
    pub(super) fn remove_unknown_files(&self, opening: bool) -> Result<()> {
        let wals = self.wals()?;
        // Before the files are listed: what is newer may be about to be written.
        let newest_log = wals.current_number();
        let keep_logs: HashSet<u64> = wals.live().into_iter().collect();
        let state = self.state.lock();
        if state.deletions_disabled > 0 {
            return Ok(());
        }
        let live = state.versions.live_files();
        let tables = live.tables.iter().chain(&state.pending_outputs).copied();
        let keep_tables: HashSet<u64> =
            tables.chain(state.obsolete.iter().map(|file| file.number)).collect();
        let min_manifest = state.versions.manifest_number();
        let next_number = self.file_numbers.next();
        drop(state);
        let unneeded = |name: &str| match parse_file_name(name) {
            Some((number, FileType::Table)) => {
                !keep_tables.contains(&number) && (opening || number < next_number)
            }
            Some((number, FileType::Wal)) => {
                !keep_logs.contains(&number) && (opening || number < newest_log)
            }
            Some((number, FileType::Descriptor)) => number < min_manifest,
            Some((_, FileType::Temp)) => opening,
            _ => false,
        };
        let mut dirs = vec![self.context.dir.clone(), self.context.wal_dir.clone()];
        dirs.extend(self.context.other_table_dirs());
        for dir in &dirs {
            let names = self.context.list(dir)?;
            let (logs, others): (Vec<&String>, Vec<&String>) = names
                .iter()
                .filter(|name| unneeded(name))
                .partition(|name| matches!(parse_file_name(name), Some((_, FileType::Wal))));
            self.context.remove_files(others.iter().map(|name| dir.join(name)));
            if *dir == self.context.wal_dir && self.context.options.archives_logs() {
                let numbers = logs.iter().filter_map(|name| parse_file_name(name));
                let numbers: Vec<u64> = numbers.map(|(number, _)| number).collect();
                self.context.archive_logs(&numbers);
            } else {
                self.context.remove_files(logs.iter().map(|name| dir.join(name)));
            }
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

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use crate::env::file_system::write_file;
    use crate::options::text::Pairs;
    use std::time::Duration;

    #[test]
    fn files_that_nobody_needs_are_searched_for_in_periods() {
        let mut test = TestDb::new();
        test.db.wal_dir = "/logs".into();
        test.try_open().unwrap();
        test.put("a", "1").unwrap();
        test.flush();
        let fs = test.db.env.fs().clone();
        let strays = ["/db/000001.sst", "/logs/000001.log", "/db/MANIFEST-000000"];
        // Of a later number than any that was handed out: somebody may be about to need it.
        let others = ["/db/900001.sst", "/logs/900001.log", "/db/000001.dbtmp", "/db/notes.txt"];
        for path in strays.iter().chain(&others) {
            write_file(&*fs, path.as_ref(), b"x", false).unwrap();
        }
        let exist =
            |paths: &[&str]| paths.iter().filter(|path| fs.exists(path.as_ref()).unwrap()).count();
        test.put("b", "1").unwrap();
        test.flush();
        assert_eq!(exist(&strays), 3);
        let change = Pairs::parse("delete_obsolete_files_period_micros=0").unwrap();
        test.db().set_db_options(&change).unwrap();
        let held = test.db().hold_files();
        test.db().tidy_up();
        assert_eq!(exist(&strays), 3);
        drop(held);
        test.put("c", "1").unwrap();
        test.flush();
        let start = std::time::Instant::now();
        while exist(&strays) > 0 {
            assert!(start.elapsed().as_secs() < 60);
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(exist(&others), 4);
        for key in ["a", "b", "c"] {
            assert_eq!(test.get(key).as_deref(), Some("1"));
        }
        // Every table is still there when the database is opened anew.
        test.reopen();
        assert_eq!(test.contents(0).len(), 3);
    }
}
