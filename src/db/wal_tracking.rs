//! Logs that take no more records: the MANIFEST is told which of them are durable
//! (`track_and_verify_wals_in_manifest`), and their files are closed in the background
//! (`background_close_inactive_wals`).

use super::Db;
use crate::base::status::{Result, Severity};
use crate::env::pool::Priority;
use crate::version::edit::VersionEdit;

impl Db {
    /// Notes in the MANIFEST the closed logs that were synced, if the options want that. Not while
    /// the manifest turn is held.
    pub(super) fn track_synced_logs(&self) -> Result<()> {
        if !self.context.options.track_and_verify_wals_in_manifest {
            return Ok(());
        }
        let _turn = self.manifest_turn.lock();
        let wal_additions = self.wals()?.take_synced();
        if wal_additions.is_empty() {
            return Ok(());
        }
        let edit = VersionEdit { wal_additions, ..VersionEdit::default() };
        self.critically("noting synced logs panicked", || {
            let mut write = self.state.lock().versions.prepare(vec![edit])?;
            // The outcome is in `write`, and comes out of `install`.
            let _ = write.write();
            let installed = self.state.lock().versions.install(write);
            installed.inspect_err(|error| {
                self.set_background_error(error.clone().with_severity(Severity::Hard));
            })
        })
    }

    /// Has a job of the env close the files of logs that nobody writes any more.
    pub(super) fn close_retired_logs(&self) {
        if !self.context.options.background_close_inactive_wals {
            return;
        }
        let Some(wals) = &self.wals else { return };
        let Some(place) = self.jobs.try_enter() else { return };
        let retired = wals.take_retired();
        if retired.is_empty() {
            return;
        }
        // Should the env refuse the job, they are closed here.
        let _ = self.context.env.schedule(
            Priority::High,
            Box::new(move || {
                drop(retired);
                drop(place);
            }),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use crate::base::sync::Arc;
    use crate::batch::WriteBatch;
    use crate::codec::CompressionType;
    use crate::env::file_system::{read_file, write_file};
    use crate::env::names::log_file_name;
    use crate::options::{FlushOptions, WriteOptions};
    use crate::plug::recovery_mode::WalRecoveryMode;
    use std::time::{Duration, Instant};

    /// A database of two column families, of which the second keeps every log.
    fn with_two_logs(set: impl FnOnce(&mut TestDb)) -> TestDb {
        let mut test = TestDb::new();
        test.names = vec!["default", "other"];
        test.db.avoid_flush_during_recovery = true;
        set(&mut test);
        test.try_open().unwrap();
        let mut batch = WriteBatch::new();
        batch.put(test.family(1).id(), b"a", b"1").unwrap();
        batch.put(0, b"b", b"1").unwrap();
        test.db().write(&WriteOptions::default(), &mut batch).unwrap();
        let first = std::slice::from_ref(test.family(0));
        test.db().flush(first, &FlushOptions::default()).unwrap();
        test.put("c", "1").unwrap();
        assert_eq!(test.db().sorted_wal_files().unwrap().len(), 2);
        test
    }

    fn first_log(test: &TestDb) -> std::path::PathBuf {
        log_file_name(&test.path, test.db().sorted_wal_files().unwrap()[0].number)
    }

    #[test]
    fn a_log_that_the_manifest_knows_must_be_there() {
        let tracked =
            |test: &TestDb| test.db().state.lock().versions.wals().iter().collect::<Vec<_>>();
        let mut test = with_two_logs(|test| test.db.track_and_verify_wals_in_manifest = true);
        // The flush of one of two families made the closed log durable.
        let logs = test.db().sorted_wal_files().unwrap();
        let wals = tracked(&test);
        assert_eq!((wals[0].number, wals[0].synced_size), (logs[0].number, Some(logs[0].size)));
        assert_eq!(wals.len(), 1);
        let path = first_log(&test);
        let fs = test.db.env.fs().clone();
        test.close();
        let content = read_file(&*fs, &path, 1 << 20).unwrap();
        fs.truncate(&path, 5).unwrap();
        let error = test.try_open().unwrap_err().to_string();
        assert!(error.starts_with("Corruption: Size mismatch: WAL (log number: "), "{error}");
        fs.remove_file(&path).unwrap();
        let error = test.try_open().unwrap_err().to_string();
        assert!(error.starts_with("Corruption: Missing WAL with log number: "), "{error}");
        write_file(&*fs, &path, &content, false).unwrap();
        test.try_open().unwrap();
        assert_eq!(test.contents(1).len(), 1);
        assert!(!tracked(&test).is_empty());
        // What is obsolete is forgotten.
        test.flush();
        assert!(tracked(&test).is_empty());
        // Without the option nothing is known, and nothing is missed later.
        let mut test = with_two_logs(|test| test.db.track_and_verify_wals_in_manifest = true);
        test.db.track_and_verify_wals_in_manifest = false;
        test.reopen();
        assert!(tracked(&test).is_empty());
        test.db.track_and_verify_wals_in_manifest = true;
        test.reopen();
        assert_eq!(test.contents(1).len(), 1);
    }

    #[test]
    fn a_log_tells_how_the_one_before_ended() {
        for (recycled, codec) in [(0, CompressionType::None), (2, CompressionType::Zstd)] {
            let mut test = with_two_logs(|test| {
                test.db.track_and_verify_wals = true;
                test.db.recycle_log_file_num = recycled;
                test.db.wal_compression = codec;
                if recycled == 0 {
                    test.db.wal_recovery_mode = WalRecoveryMode::AbsoluteConsistency;
                }
            });
            test.reopen();
            assert_eq!((test.contents(0).len(), test.contents(1).len()), (2, 1));
            test.flush();
            test.reopen();
            assert_eq!((test.contents(0).len(), test.contents(1).len()), (2, 1));
            test.close();
        }
        let mut test = with_two_logs(|test| {
            test.db.track_and_verify_wals = true;
            test.db.wal_recovery_mode = WalRecoveryMode::AbsoluteConsistency;
        });
        let path = first_log(&test);
        let fs = test.db.env.fs().clone();
        test.close();
        fs.remove_file(&path).unwrap();
        let error = test.try_open().unwrap_err().to_string();
        assert!(error.starts_with("Corruption: Missing WAL of log number "), "{error}");
    }

    #[test]
    fn a_database_that_lost_all_logs_is_refused() {
        let mut test = TestDb::new();
        test.db.track_and_verify_wals = true;
        test.try_open().unwrap();
        let path = log_file_name(&test.path, test.db().current_wal_file().unwrap().number);
        test.reopen();
        test.close();
        let fs = test.db.env.fs().clone();
        for name in fs.list(&test.path).unwrap() {
            if name.ends_with(".log") {
                fs.remove_file(&test.path.join(name)).unwrap();
            }
        }
        let error = test.try_open().unwrap_err().to_string();
        assert_eq!(error, "Corruption: Opening an existing DB with no WAL files");
        write_file(&*fs, &path, b"", false).unwrap();
        test.try_open().unwrap();
    }

    #[test]
    fn compressed_logs_are_smaller_and_replayed() {
        let mut test = TestDb::new();
        test.db.wal_compression = CompressionType::Zstd;
        test.cf.write_buffer_size = 4 << 20;
        test.try_open().unwrap();
        for i in 0..50 {
            test.put(&format!("{i}"), &"v".repeat(5000)).unwrap();
        }
        assert!(test.db().current_wal_file().unwrap().size < 25_000);
        test.reopen();
        assert_eq!(test.contents(0).len(), 50);
        // Another codec is none.
        test.db.wal_compression = CompressionType::Lz4;
        test.reopen();
        assert_eq!(test.db().options().wal_compression, CompressionType::None);
        test.put("a", &"v".repeat(5000)).unwrap();
        assert!(test.db().current_wal_file().unwrap().size > 5000);
    }

    #[test]
    fn old_logs_are_closed_in_the_background() {
        for background in [false, true] {
            let mut test = TestDb::new();
            test.db.background_close_inactive_wals = background;
            test.try_open().unwrap();
            let wals = test.db().wals().unwrap();
            test.put("a", "1").unwrap();
            test.db().wals().unwrap().sync().unwrap();
            // As a switch does, without what it does then.
            let number = test.db().file_numbers.allocate();
            wals.switch(number).unwrap();
            let retired = wals.take_retired();
            assert_eq!(retired.len(), usize::from(background));
            drop(retired);
            test.put("b", "1").unwrap();
            test.flush();
            let start = Instant::now();
            while !wals.take_retired().is_empty() {
                assert!(start.elapsed().as_secs() < 60);
                crate::base::sync::thread::sleep(Duration::from_millis(1));
            }
            test.reopen();
            assert_eq!(test.contents(0).len(), 2);
        }
    }

    #[test]
    fn shared_envs_are_used() {
        // The job may outlive the handle, but not the database.
        let mut test = TestDb::new();
        test.db.background_close_inactive_wals = true;
        test.try_open().unwrap();
        for _ in 0..20 {
            test.put("a", "1").unwrap();
            test.flush();
        }
        let weak = Arc::downgrade(test.db());
        test.close();
        drop(test);
        assert!(weak.upgrade().is_none());
    }
}
