//! What an open database does time and again: the dump of its statistics, their history, and the
//! search for compactions that only the passing of time makes due.

use super::Db;
use crate::base::status::Result;
use crate::base::sync::{Arc, Mutex};
use crate::env::timer::{Repeated, Timer};
use crate::log_at;
use crate::options::{CfOptions, DbOptions};
use std::time::Duration;

/// Files that are to be compacted at some age wait for that beyond it at most this part of it.
const LATENESS: u64 = 5;

/// Something that is done time and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Periodic {
    /// `stats_dump_period_sec`
    StatsDump,
    /// `stats_persist_period_sec`
    StatsHistory,
    /// `max_compaction_trigger_wakeup_seconds`
    CompactionTrigger,
}

/// Work of the timer, until it is stopped.
#[derive(Default)]
pub(super) struct PeriodicTasks {
    /// By [`Periodic`]: the period in seconds, and what ends it.
    tasks: [Mutex<Option<(u64, Repeated)>>; 3],
}

impl PeriodicTasks {
    /// Lets the timer do nothing more; waits for what it is doing.
    pub fn stop(&self) {
        for task in &self.tasks {
            // Without the lock: the work may be changing a period.
            let old = task.lock().take();
            drop(old);
        }
    }

    #[cfg(test)]
    pub fn period(&self, task: Periodic) -> Option<u64> {
        self.tasks[task as usize].lock().as_ref().map(|(period, _)| *period)
    }
}

impl Db {
    /// Starts what the options ask for.
    pub(super) fn start_periodic_tasks(&self) -> Result<()> {
        let options = self.live_options();
        self.repeat(Periodic::StatsDump, options.stats_dump_period_sec.into())?;
        self.repeat_stats_history(&options)?;
        self.repeat_compaction_trigger()
    }

    /// Goes on with the periods that changed.
    pub(super) fn change_periods(&self, old: &DbOptions, new: &DbOptions) -> Result<()> {
        if new.stats_dump_period_sec != old.stats_dump_period_sec {
            self.repeat(Periodic::StatsDump, new.stats_dump_period_sec.into())?;
        }
        self.repeat_stats_history(new)
    }

    fn repeat_stats_history(&self, options: &DbOptions) -> Result<()> {
        // There is nothing to keep otherwise.
        let period = self.statistics().as_ref().map_or(0, |_| options.stats_persist_period_sec);
        self.repeat(Periodic::StatsHistory, period.into())
    }

    /// Looks for compactions as often as the options and column families of now want it.
    pub(super) fn repeat_compaction_trigger(&self) -> Result<()> {
        let options = self.live_options();
        let families = self.families.load();
        let ages = families.iter().filter_map(|family| least_age(&family.live_options()));
        let period = match ages.min() {
            // Only time-based compactions need the timer.
            None => 0,
            Some(age) => trigger_period(&options, age),
        };
        self.repeat(Periodic::CompactionTrigger, period)
    }

    /// Does a task every so many seconds from now on; 0 means never. One that goes on at the same
    /// period is not disturbed.
    fn repeat(&self, task: Periodic, seconds: u64) -> Result<()> {
        let slot = &self.periodic.tasks[task as usize];
        let mut current = slot.lock();
        if current.as_ref().map_or(0, |(period, _)| *period) == seconds {
            return Ok(());
        }
        let db = self.me.clone();
        let work = Arc::new(move || {
            if let Some(db) = db.upgrade() {
                db.do_periodic(task);
            }
        });
        let next = match seconds {
            0 => None,
            _ => Some((seconds, Timer::shared().repeat(Duration::from_secs(seconds), work)?)),
        };
        let old = std::mem::replace(&mut *current, next);
        drop(current);
        // It may be at work, which takes other locks.
        drop(old);
        Ok(())
    }

    fn do_periodic(&self, task: Periodic) {
        match task {
            Periodic::StatsDump => self.dump_stats(),
            Periodic::StatsHistory => self.keep_stats(),
            Periodic::CompactionTrigger => self.trigger_compactions(),
        }
    }

    /// Looks at the column families whose files may have become old enough to be compacted.
    fn trigger_compactions(&self) {
        log_at!(self.context.logger, Info, "Looking for compactions that time makes due");
        let families = self.families.load();
        let timed = families.iter().filter(|family| least_age(&family.live_options()).is_some());
        let mut state = self.state.lock();
        for family in timed {
            self.tables_changed(&mut state, family.id());
        }
    }
}

/// The least age in seconds at which something of a column family is to be compacted.
fn least_age(options: &CfOptions) -> Option<u64> {
    let warm = options.compaction_options_fifo.file_temperature_age_thresholds.first();
    let ages = [
        options.ttl,
        options.periodic_compaction_seconds,
        u64::from(options.bottommost_file_compaction_delay),
        warm.map_or(0, |threshold| threshold.age),
    ];
    // The largest numbers stand for values that were left to the engine.
    ages.into_iter().filter(|&age| age > 0 && age <= u64::MAX / 2).min()
}

/// The seconds between looks for compactions, if the least age of a column family is `age`.
fn trigger_period(options: &DbOptions, age: u64) -> u64 {
    // Whoever wakes up for statistics can as well look at the tables.
    let others = [options.stats_dump_period_sec, options.stats_persist_period_sec];
    let others = others.into_iter().filter(|&period| period > 0).map(u64::from);
    let period = others.fold(options.max_compaction_trigger_wakeup_seconds, u64::min);
    period.min(age / LATENESS).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use super::*;
    use crate::base::sync::thread;
    use crate::options::text::Pairs;
    use std::time::Instant;

    fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed().as_secs() < 60, "{what}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn pairs(text: &str) -> Pairs {
        Pairs::parse(text).unwrap()
    }

    #[test]
    fn the_period_of_the_search_is_short_enough_for_every_age() {
        let mut options = DbOptions::default();
        assert_eq!(trigger_period(&options, 30 * 24 * 3600), 600);
        assert_eq!(trigger_period(&options, 1000), 200);
        assert_eq!(trigger_period(&options, 4), 1);
        (options.stats_dump_period_sec, options.stats_persist_period_sec) = (0, 700);
        assert_eq!(trigger_period(&options, 30 * 24 * 3600), 700);
        options.stats_persist_period_sec = 0;
        assert_eq!(trigger_period(&options, 30 * 24 * 3600), 43_200);
        options.max_compaction_trigger_wakeup_seconds = 0;
        assert_eq!(trigger_period(&options, 1000), 1);
        let mut cf = CfOptions { ttl: 0, ..CfOptions::default() };
        // Unset, and so no age.
        assert_eq!(least_age(&cf), None);
        cf.periodic_compaction_seconds = 50;
        assert_eq!(least_age(&cf), Some(50));
        (cf.ttl, cf.bottommost_file_compaction_delay) = (40, 30);
        assert_eq!(least_age(&cf), Some(30));
    }

    #[test]
    fn files_are_compacted_when_their_time_is_up() {
        for option in ["ttl=1", "periodic_compaction_seconds=1"] {
            let mut test = TestDb::new();
            test.db.stats_dump_period_sec = 0;
            (test.cf.ttl, test.cf.periodic_compaction_seconds) = (0, 0);
            test.try_open().unwrap();
            assert_eq!(test.db().periodic.period(Periodic::CompactionTrigger), None);
            test.put("a", "1").unwrap();
            test.flush();
            test.db().set_options(test.family(0), &pairs(option)).unwrap();
            assert_eq!(test.db().periodic.period(Periodic::CompactionTrigger), Some(1));
            let version = || test.family(0).persistent.current();
            // Nothing is written any more: only the timer can find the file.
            wait_until(option, || version().files(0).is_empty());
            assert_eq!(test.get("a").as_deref(), Some("1"));
            let db = test.db().clone();
            test.close();
            assert_eq!(db.periodic.period(Periodic::CompactionTrigger), None);
        }
    }

    #[test]
    fn periods_follow_the_options() {
        let mut test = TestDb::new();
        test.db.max_compaction_trigger_wakeup_seconds = 500;
        test.try_open().unwrap();
        let period = |task| test.db().periodic.period(task);
        assert_eq!(period(Periodic::StatsDump), Some(600));
        // Without statistics.
        assert_eq!(period(Periodic::StatsHistory), None);
        assert_eq!(period(Periodic::CompactionTrigger), Some(500));
        let set = |text| test.db().set_db_options(&pairs(text)).unwrap();
        set("max_compaction_trigger_wakeup_seconds=400;stats_dump_period_sec=0");
        assert_eq!(period(Periodic::StatsDump), None);
        assert_eq!(period(Periodic::CompactionTrigger), Some(400));
        set("stats_dump_period_sec=300");
        assert_eq!(period(Periodic::CompactionTrigger), Some(300));
        test.db().set_options(test.family(0), &pairs("ttl=50")).unwrap();
        assert_eq!(period(Periodic::CompactionTrigger), Some(10));
    }
}
