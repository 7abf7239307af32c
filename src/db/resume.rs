//! Going on by itself after an error of a flush that may pass, such as a full disk
//! (`max_bgerror_resume_count`, `bgerror_resume_retry_interval`).

use super::Db;
use crate::base::status::{Severity, Status};
use crate::log_at;
use crate::stats::{Histogram, Ticker, count, record};
use std::time::{Duration, Instant};

impl Db {
    /// Refuses writes with the error of a flush. If it may pass, waits a while, lets writes go on,
    /// and returns true: the flush is to be tried again. It failed `tries` times in a row before.
    ///
    /// Nothing else than the flush is in doubt then: its memtables are still there, and so are the
    /// logs. An error of another kind that came before or meanwhile stays.
    pub(super) fn resume_after(&self, error: Status, tries: u64) -> bool {
        let options = &self.context.options;
        let most = u64::try_from(options.max_bgerror_resume_count).unwrap_or(0);
        let may_pass = error.is_retryable() && most > 0;
        log_at!(self.context.logger, Error, "Background error: {error}");
        let mut state = self.state.lock();
        let was_sound = state.stopping_error().is_none();
        self.set_background_error_in(&mut state, error.with_severity(Severity::Hard));
        if !may_pass || !was_sound {
            return false;
        }
        count(self.statistics(), Ticker::ErrorHandlerBgRetryableIoErrorCount, 1);
        if tries >= most {
            log_at!(self.context.logger, Error, "Tried {tries} times to resume; no more");
            return false;
        }
        let first = if tries == 0 { 1 } else { 0 };
        count(self.statistics(), Ticker::ErrorHandlerAutoresumeCount, first);
        count(self.statistics(), Ticker::ErrorHandlerAutoresumeRetryTotalCount, 1);
        state.resumable = true;
        let interval = Duration::from_micros(options.bgerror_resume_retry_interval);
        let Some(until) = Instant::now().checked_add(interval) else { return false };
        while state.resumable && !state.work_ended() {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        if !std::mem::take(&mut state.resumable) || state.work_ended() {
            return false;
        }
        log_at!(self.context.logger, Info, "Trying to resume");
        state.background_error = None;
        // The flush was wanted when it failed, whatever it takes.
        let waiting: Vec<u32> = state.families.keys().copied().collect();
        waiting.into_iter().for_each(|id| state.request_flush(id, true));
        drop(state);
        self.changed.notify_all();
        true
    }

    /// Counts a flush that succeeded after it was tried again `tries` times.
    pub(super) fn count_resumed(&self, tries: u64) {
        let stats = self.statistics();
        count(stats, Ticker::ErrorHandlerAutoresumeSuccessCount, 1);
        record(stats, Histogram::ErrorHandlerAutoresumeRetryCount, tries);
    }
}

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use crate::base::sync::{Arc, thread};
    use crate::env::Env;
    use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
    use crate::env::memory::MemoryFileSystem;
    use crate::options::FlushOptions;
    use crate::stats::{Histogram, Ticker};
    use std::time::{Duration, Instant};

    fn open(tries: i32) -> (TestDb, FaultFileSystem) {
        let fs = FaultFileSystem::new(Arc::new(MemoryFileSystem::volatile()));
        let mut test = TestDb::new();
        test.db.env = Env::with_fs(Arc::new(fs.clone()));
        test.db.statistics = Some(Arc::default());
        test.db.max_bgerror_resume_count = tries;
        test.db.bgerror_resume_retry_interval = 2000;
        test.try_open().unwrap();
        test.put("a", "1").unwrap();
        (test, fs)
    }

    fn full_disk(times: u64, operations: Operations, path: &str) -> Rule {
        let fault = Fault::Error(libc::ENOSPC);
        Rule { operations, path: path.into(), after: 0, times, fault }
    }

    #[test]
    fn a_flush_is_tried_again_until_the_disk_has_room() {
        for path in ["*.sst", "*/MANIFEST-*"] {
            let (mut test, fs) = open(100);
            fs.add(full_disk(3, Operations::APPEND, path));
            let no_wait = FlushOptions { wait: false, ..FlushOptions::default() };
            test.db().flush(std::slice::from_ref(test.family(0)), &no_wait).unwrap();
            let start = Instant::now();
            while test.db().live_tables().is_empty() {
                assert!(start.elapsed().as_secs() < 60, "{path}");
                thread::sleep(Duration::from_millis(1));
            }
            // Writes go on.
            test.put("b", "2").unwrap();
            test.flush();
            let stats = test.db.statistics.clone().unwrap();
            assert_eq!(stats.ticker(Ticker::ErrorHandlerAutoresumeCount), 1);
            assert_eq!(stats.ticker(Ticker::ErrorHandlerAutoresumeRetryTotalCount), 3);
            assert_eq!(stats.ticker(Ticker::ErrorHandlerAutoresumeSuccessCount), 1);
            assert_eq!(stats.ticker(Ticker::ErrorHandlerBgRetryableIoErrorCount), 3);
            let retries = stats.histogram(Histogram::ErrorHandlerAutoresumeRetryCount);
            assert_eq!((retries.count, retries.sum), (1, 3));
            test.reopen();
            assert_eq!(test.contents(0).len(), 2);
        }
    }

    #[test]
    fn it_is_tried_no_more_often_than_the_options_say() {
        for tries in [0, 2] {
            let (test, fs) = open(tries);
            fs.add(full_disk(u64::MAX, Operations::APPEND, "*.sst"));
            let no_wait = FlushOptions { wait: false, ..FlushOptions::default() };
            test.db().flush(std::slice::from_ref(test.family(0)), &no_wait).unwrap();
            let start = Instant::now();
            let stats = test.db.statistics.clone().unwrap();
            let errors = || stats.ticker(Ticker::ErrorHandlerBgErrorCount);
            while errors() < tries as u64 + 1 {
                assert!(start.elapsed().as_secs() < 60);
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(20));
            assert_eq!(errors(), tries as u64 + 1);
            assert!(test.put("b", "2").unwrap_err().to_string().contains("No space left"));
        }
    }
}
