//! The statistics in the LOG, time and again.

use super::Db;
use super::properties::Probe;
use super::stats_text;
use crate::env::posix::allocator_report;
use crate::log_at;

impl Db {
    /// Writes to the LOG what the database, each column family and the statistics count.
    pub(super) fn dump_stats(&self) {
        let mut text = stats_text::db_text(self);
        for family in self.families.load().iter() {
            if family.stats.lock().is_told() {
                let probe = Probe { db: self, family, view: family.pin() };
                text += &stats_text::periodic_cf_text(&probe);
            }
        }
        log_at!(self.context.logger, Info, "------- DUMPING STATS -------");
        log_at!(self.context.logger, Info, "{text}");
        if let Some(statistics) = self.statistics() {
            log_at!(self.context.logger, Info, "STATISTICS:\n {statistics}");
        }
        if self.context.options.dump_malloc_stats {
            let report = allocator_report();
            log_at!(self.context.logger, Info, "------- Malloc STATS -------\n{report}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use crate::base::sync::{Arc, Mutex};
    use crate::options::text::Pairs;
    use crate::plug::logger::{InfoLogLevel, Logger};
    use crate::stats::Statistics;
    use std::fmt;
    use std::time::Duration;

    #[derive(Default)]
    struct Kept(Mutex<String>);

    impl Logger for Kept {
        fn level(&self) -> InfoLogLevel {
            InfoLogLevel::Info
        }

        fn set_level(&self, _: InfoLogLevel) {}

        fn log(&self, _: InfoLogLevel, message: fmt::Arguments<'_>) {
            *self.0.lock() += &format!("{message}\n");
        }
    }

    #[test]
    fn the_log_tells_what_was_counted() {
        let mut test = TestDb::new();
        let log = Arc::new(Kept::default());
        test.db.info_log = Some(log.clone());
        test.db.statistics = Some(Arc::new(Statistics::default()));
        test.try_open().unwrap();
        test.put("a", "1").unwrap();
        let dump = || {
            log.0.lock().clear();
            test.db().dump_stats();
            log.0.lock().clone()
        };
        let first = dump();
        assert!(first.starts_with("------- DUMPING STATS -------\n\n** DB Stats **\n"), "{first}");
        assert!(first.contains("\nInterval writes: 1 writes, "));
        assert!(first.contains("\n** Compaction Stats [default] **\n"));
        assert!(first.contains("\nSTATISTICS:\n rocksdb.block.cache.miss COUNT : "));
        assert!(!first.contains("Malloc STATS"));
        // A column family without work is left out, but not for ever.
        for _ in 0..8 {
            assert!(!dump().contains("** Compaction Stats"));
        }
        assert!(dump().contains("** Compaction Stats"));
        test.flush();
        let changed = dump();
        assert!(changed.contains("\nFlush(GB): cumulative 0.000, interval 0.000\n"), "{changed}");
        assert!(changed.contains("** Compaction Stats"));
    }

    #[test]
    fn the_allocator_is_told_of_if_that_is_wanted() {
        let mut test = TestDb::new();
        let log = Arc::new(Kept::default());
        test.db.info_log = Some(log.clone());
        test.db.dump_malloc_stats = true;
        test.try_open().unwrap();
        test.db().dump_stats();
        let text = log.0.lock().clone();
        let (_, report) = text.split_once("------- Malloc STATS -------\n").unwrap();
        assert_eq!(report.contains(" bytes in use, "), cfg!(target_env = "gnu"), "{report}");
    }

    #[test]
    fn a_period_repeats_the_dump_until_the_database_is_closed() {
        let mut test = TestDb::new();
        let log = Arc::new(Kept::default());
        test.db.info_log = Some(log.clone());
        test.db.stats_dump_period_sec = 1;
        test.try_open().unwrap();
        let dumps = || log.0.lock().matches("DUMPING STATS").count();
        let start = std::time::Instant::now();
        while dumps() < 1 {
            assert!(start.elapsed().as_secs() < 30);
            crate::base::sync::thread::sleep(Duration::from_millis(10));
        }
        let set = |period: &str| {
            let change = Pairs::parse(&format!("stats_dump_period_sec={period}")).unwrap();
            test.db().set_db_options(&change).unwrap();
        };
        set("0");
        let before = dumps();
        set("1");
        let start = std::time::Instant::now();
        while dumps() < before + 1 {
            assert!(start.elapsed().as_secs() < 30);
            crate::base::sync::thread::sleep(Duration::from_millis(10));
        }
        test.close();
    }
}
