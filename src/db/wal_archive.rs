//! The archive: logs that are obsolete stay there for a while, for those who follow the writes
//! (`WAL_ttl_seconds`, `WAL_size_limit_MB`).

use super::Db;
use super::context::Context;
use super::wals::LogExtent;
use crate::base::clock::unix_seconds;
use crate::base::status::Result;
use crate::base::sync::Ordering;
use crate::env::names::{archive_dir, archived_log_file_name, log_file_name};
use crate::log_at;
use crate::options::DbOptions;

/// The archive is looked through at most this often, in seconds.
const PURGE_INTERVAL: u64 = 600;

impl DbOptions {
    /// Whether obsolete logs are kept for a while.
    pub(super) fn archives_logs(&self) -> bool {
        self.WAL_ttl_seconds > 0 || self.WAL_size_limit_MB > 0
    }
}

impl Context {
    /// Moves obsolete logs to the archive. What cannot be moved now is moved at the next opening.
    pub(super) fn archive_logs(&self, numbers: &[u64]) {
        for &number in numbers {
            let (from, to) = (
                log_file_name(&self.wal_dir, number),
                archived_log_file_name(&self.wal_dir, number),
            );
            match self.fs().rename(&from, &to) {
                Ok(()) => log_at!(
                    self.logger,
                    Info,
                    "Moved log file {} to {}",
                    from.display(),
                    to.display()
                ),
                Err(error) if error.is_path_not_found() => {}
                Err(error) => log_at!(self.logger, Warn, "Cannot archive a log: {error}"),
            }
        }
    }

    /// Makes the folder of the archive if the options need it.
    pub(super) fn create_archive(&self) -> Result<()> {
        match self.options.archives_logs() {
            true => self.fs().create_dir_if_missing(&archive_dir(&self.wal_dir)),
            false => Ok(()),
        }
    }
}

impl Db {
    /// Removes from the archive what is too old or too much, unless that was done a little while
    /// ago.
    pub(super) fn purge_archive_if_due(&self) {
        let options = &self.context.options;
        if !options.archives_logs() {
            return;
        }
        let interval = match options.WAL_ttl_seconds {
            0 => PURGE_INTERVAL,
            ttl => PURGE_INTERVAL.min((ttl / 2).max(1)),
        };
        let now = unix_seconds();
        let due = |last: u64| (last.saturating_add(interval) <= now).then_some(now);
        let last = &self.archive_purged;
        if last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, due).is_ok()
            && let Err(error) = self.purge_archive(now)
        {
            log_at!(self.context.logger, Warn, "Cannot look through the archive: {error}");
        }
    }

    /// Removes the archived logs that were last written longer ago than `WAL_ttl_seconds` before
    /// `now`, and the oldest beyond `WAL_size_limit_MB`, each counted like the largest.
    fn purge_archive(&self, now: u64) -> Result<()> {
        if self.state.lock().deletions_disabled > 0 {
            return Ok(());
        }
        let context = &self.context;
        let (ttl, limit) = (context.options.WAL_ttl_seconds, context.options.WAL_size_limit_MB);
        let path = |number| archived_log_file_name(&context.wal_dir, number);
        let mut kept: Vec<LogExtent> = Vec::new();
        let mut removed = Vec::new();
        for log in self.logs_in_folder(&archive_dir(&context.wal_dir))? {
            let written = context.fs().modified_seconds(&path(log.number))?;
            let is_old = ttl > 0 && now.saturating_sub(written) > ttl;
            let is_empty = limit > 0 && log.size == 0;
            if is_old || is_empty {
                removed.push(log.number);
            } else {
                kept.push(log);
            }
        }
        if limit > 0
            && let Some(largest) = kept.iter().map(|log| log.size).max()
        {
            let most = limit.saturating_mul(1 << 20) / largest.max(1);
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let surplus = kept.len().saturating_sub(most);
            removed.extend(kept.iter().take(surplus).map(|log| log.number));
        }
        context.remove_data_files(removed.into_iter().map(path));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use super::*;

    fn archived(test: &TestDb) -> Vec<u64> {
        let logs = test.db().logs_in_folder(&archive_dir(&test.path)).unwrap();
        logs.iter().map(|log| log.number).collect()
    }

    /// Writes and flushes, so that a log becomes obsolete; returns its number.
    fn one_log(test: &TestDb, bytes: usize) -> u64 {
        let number = test.db().current_wal_file().unwrap().number;
        test.put("a", &"v".repeat(bytes)).unwrap();
        test.flush();
        number
    }

    #[test]
    fn obsolete_logs_stay_in_the_archive_until_their_time_is_up() {
        let mut test = TestDb::new();
        test.db.WAL_ttl_seconds = 1000;
        test.try_open().unwrap();
        assert!(archived(&test).is_empty());
        let mut logs = vec![one_log(&test, 10), one_log(&test, 10)];
        logs.push(test.db().current_wal_file().unwrap().number);
        test.close();
        test.try_open().unwrap();
        assert_eq!(archived(&test), logs);
        let files = test.db().sorted_wal_files().unwrap();
        assert!(files.iter().all(|file| file.is_archived));
        assert_eq!(files.iter().map(|f| f.start_sequence).collect::<Vec<_>>(), [Some(1), Some(2)]);
        let now = unix_seconds();
        test.db().purge_archive(now).unwrap();
        assert_eq!(archived(&test), logs);
        let held = test.db().hold_files();
        test.db().purge_archive(now + 1100).unwrap();
        assert_eq!(archived(&test), logs);
        drop(held);
        // As flushes and compactions do, but not all the time.
        test.db().purge_archive_if_due();
        assert!(test.db().archive_purged.load(Ordering::Relaxed) >= now);
        test.db().purge_archive(now + 1100).unwrap();
        assert!(archived(&test).is_empty());
    }

    #[test]
    fn logs_of_an_earlier_opening_are_archived() {
        let mut test = TestDb::new();
        test.db.WAL_size_limit_MB = 1;
        test.try_open().unwrap();
        let number = test.db().current_wal_file().unwrap().number;
        test.put("a", "1").unwrap();
        test.reopen();
        assert_eq!(archived(&test), [number]);
        assert_eq!(test.get("a").as_deref(), Some("1"));
    }

    #[test]
    fn the_oldest_go_when_the_archive_is_too_large() {
        let mut test = TestDb::new();
        test.db.WAL_size_limit_MB = 1;
        test.cf.write_buffer_size = 4 << 20;
        test.try_open().unwrap();
        let mut logs: Vec<u64> = (0..4).map(|_| one_log(&test, 400_000)).collect();
        logs.push(test.db().current_wal_file().unwrap().number);
        test.close();
        test.try_open().unwrap();
        test.db().purge_archive(unix_seconds()).unwrap();
        assert_eq!(archived(&test), logs[3..]);
    }
}
