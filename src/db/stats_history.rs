//! How the statistics changed over time: kept in memory, or in a hidden column family
//! (`persist_stats_to_disk`) in RocksDB's form: under the key `SECONDS#TICKER`, with ten digits for
//! the seconds since 1970, by how much the ticker grew, as decimal text.

use super::Db;
use super::family::Family;
use super::open::FamilyOptions;
use crate::base::clock::unix_seconds;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Mutex};
use crate::batch::WriteBatch;
use crate::codec::CompressionType;
use crate::log_at;
use crate::options::{CfOptions, DbOptions, ReadOptions, WriteOptions};
use crate::stats::{Statistics, Ticker};
use crate::version::column_family::PERSISTENT_STATS_NAME;
use std::collections::BTreeMap;

/// The version of what the hidden column family holds, and the oldest that can read it.
const FORMAT_VERSION: u64 = 1;
const FORMAT_KEY: &[u8] = b"__persistent_stats_format_version__";
const COMPATIBLE_KEY: &[u8] = b"__persistent_stats_compatible_version__";

/// Bytes that a slice takes in memory.
const SLICE_BYTES: usize = Ticker::ALL.len() * size_of::<u64>() + 64;

/// By how much each ticker grew in a period, by name.
pub type StatsSlice = BTreeMap<String, u64>;

/// The history in memory.
#[derive(Default)]
pub(super) struct StatsHistory {
    /// What the tickers stood at when they were last looked at.
    last: Option<Vec<u64>>,
    /// By how much they grew, by the second in which that was found.
    slices: BTreeMap<u64, Vec<u64>>,
}

impl StatsHistory {
    /// By how much the tickers grew since the last call; nothing the first time.
    fn advance(&mut self, statistics: &Statistics) -> Option<Vec<u64>> {
        let now: Vec<u64> = Ticker::ALL.iter().map(|&ticker| statistics.ticker(ticker)).collect();
        let last = self.last.replace(now.clone())?;
        // They may have been reset meanwhile.
        Some(now.iter().zip(last).map(|(now, last)| now.saturating_sub(last)).collect())
    }

    /// Lets the oldest slices go until what is left takes no more than `limit` bytes.
    fn trim(&mut self, limit: usize) {
        while self.slices.len() * SLICE_BYTES > limit {
            self.slices.pop_first();
        }
    }
}

/// The options of the hidden column family.
pub(super) fn stats_family_options(db: &DbOptions) -> CfOptions {
    let mut options = CfOptions {
        write_buffer_size: 2 << 20,
        target_file_size_base: 2 << 20,
        max_bytes_for_level_base: 10 << 20,
        soft_pending_compaction_bytes_limit: 256 << 20,
        hard_pending_compaction_bytes_limit: 1 << 30,
        compression: CompressionType::None,
        ..CfOptions::default()
    };
    options.sanitize(db);
    options
}

impl Db {
    /// What the statistics grew by in each period that ended from second `start` on and before
    /// `end`, both since 1970.
    pub fn stats_history(&self, start: u64, end: u64) -> Result<BTreeMap<u64, StatsSlice>> {
        if let Some(family) = self.stats_family() {
            return self.stored_stats(&family, start, end);
        }
        let history = self.stats_history.lock();
        let slices = history.slices.range(start..end.max(start));
        let named = |deltas: &Vec<u64>| {
            Ticker::ALL.iter().zip(deltas).map(|(t, &d)| (t.name().to_string(), d)).collect()
        };
        Ok(slices.map(|(&second, deltas)| (second, named(deltas))).collect())
    }

    fn stored_stats(
        &self,
        family: &Arc<Family>,
        start: u64,
        end: u64,
    ) -> Result<BTreeMap<u64, StatsSlice>> {
        let mut slices: BTreeMap<u64, StatsSlice> = BTreeMap::new();
        let mut iter = self.iter(family, &ReadOptions::default())?;
        iter.seek(format!("{start:010}").as_bytes());
        while iter.valid() {
            let key = String::from_utf8_lossy(iter.key()).into_owned();
            let value = String::from_utf8_lossy(iter.value()).parse().unwrap_or(0);
            if let Some((second, ticker)) = key.split_once('#')
                && let Ok(second) = second.parse()
            {
                if second >= end {
                    break;
                }
                slices.entry(second).or_default().insert(ticker.to_string(), value);
            }
            iter.next();
        }
        iter.status()?;
        Ok(slices)
    }

    /// Adds to the history what the statistics grew by since the last time.
    pub(super) fn keep_stats(&self) {
        let Some(statistics) = self.statistics() else { return };
        let logger = &*self.context.logger;
        log_at!(logger, Info, "------- PERSISTING STATS -------");
        let now = unix_seconds();
        let mut history = self.stats_history.lock();
        let Some(deltas) = history.advance(statistics) else { return };
        let count = deltas.len();
        if let Some(family) = self.stats_family() {
            drop(history);
            let written = self.store_stats(&family, now, &deltas);
            match written {
                Ok(()) => log_at!(
                    logger,
                    Info,
                    "Writing {count} stats with timestamp {now} to persistent stats CF succeeded"
                ),
                Err(error) => {
                    log_at!(logger, Info, "Writing to persistent stats CF failed -- {error}");
                }
            }
            return;
        }
        log_at!(
            logger,
            Info,
            "Storing {count} stats with timestamp {now} to in-memory stats history"
        );
        history.slices.insert(now, deltas);
        history.trim(self.live_options().stats_history_buffer_size);
        log_at!(
            logger,
            Info,
            "In-memory stats history size: {} bytes, slice count: {}",
            history.slices.len() * SLICE_BYTES,
            history.slices.len()
        );
    }

    fn store_stats(&self, family: &Family, now: u64, deltas: &[u64]) -> Result<()> {
        let mut batch = WriteBatch::new();
        for (ticker, delta) in Ticker::ALL.iter().zip(deltas) {
            let key = format!("{now:010}#{}", ticker.name());
            batch.put(family.id(), key.as_bytes(), delta.to_string().as_bytes())?;
        }
        self.write(&quiet_write(), &mut batch)
    }

    /// The hidden column family, if the history is kept there.
    pub(super) fn stats_family(&self) -> Option<Arc<Family>> {
        let options = &self.context.options;
        options.persist_stats_to_disk.then(|| self.family_named(PERSISTENT_STATS_NAME)).flatten()
    }

    /// Makes the hidden column family ready, a new one in place of one that a later version wrote
    /// in a form of its own.
    pub(super) fn open_stats_family(&self) -> Result<()> {
        if self.context.read_only || !self.context.options.persist_stats_to_disk {
            return Ok(());
        }
        if let Some(family) = self.stats_family() {
            if self.can_read_stats(&family) {
                return Ok(());
            }
            log_at!(self.context.logger, Warn, "Recreating persistent stats column family");
            self.drop_family(&family)?;
        }
        let options = stats_family_options(&self.context.options);
        let name = PERSISTENT_STATS_NAME.to_vec();
        let family = self.add_family(&FamilyOptions { name, options })?;
        let mut batch = WriteBatch::new();
        let version = FORMAT_VERSION.to_string();
        batch.put(family.id(), FORMAT_KEY, version.as_bytes())?;
        batch.put(family.id(), COMPATIBLE_KEY, version.as_bytes())?;
        self.write(&quiet_write(), &mut batch)
    }

    fn can_read_stats(&self, family: &Family) -> bool {
        let version = |key: &[u8]| -> Result<u64> {
            let value = self.get_pinned(family, &ReadOptions::default(), key)?;
            let value = value.ok_or_else(|| Status::not_found("stats version"))?;
            let text = String::from_utf8_lossy(value.as_slice()).into_owned();
            text.parse().map_err(|_| Status::corruption("stats version"))
        };
        match (version(FORMAT_KEY), version(COMPATIBLE_KEY)) {
            (Ok(format), Ok(compatible)) => {
                format <= FORMAT_VERSION || compatible <= FORMAT_VERSION
            }
            _ => false,
        }
    }
}

/// Of writes that nobody waits for.
fn quiet_write() -> WriteOptions {
    WriteOptions { low_pri: true, no_slowdown: true, ..WriteOptions::default() }
}

/// The history of an open database.
pub(super) type SharedHistory = Mutex<StatsHistory>;

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use super::*;
    use crate::base::sync::thread;
    use crate::options::FlushOptions;
    use crate::options::text::Pairs;
    use std::time::{Duration, Instant};

    fn grown(test: &TestDb) -> u64 {
        let history = test.db().stats_history(0, u64::MAX).unwrap();
        let written = Ticker::NumberKeysWritten.name();
        history.values().map(|slice| slice[written]).sum()
    }

    fn open(on_disk: bool) -> TestDb {
        let mut test = TestDb::new();
        test.db.statistics = Some(Arc::default());
        test.db.persist_stats_to_disk = on_disk;
        test.db.stats_persist_period_sec = 0;
        test.try_open().unwrap();
        test
    }

    #[test]
    fn a_period_keeps_what_the_tickers_grew_by() {
        let test = open(false);
        let set = |text: &str| test.db().set_db_options(&Pairs::parse(text).unwrap()).unwrap();
        test.put("a", "1").unwrap();
        set("stats_persist_period_sec=1");
        let start = Instant::now();
        while test.db().stats_history.lock().last.is_none() {
            assert!(start.elapsed().as_secs() < 60);
            thread::sleep(Duration::from_millis(10));
        }
        set("stats_persist_period_sec=0");
        let before = grown(&test);
        test.put("a", "2").unwrap();
        test.put("b", "2").unwrap();
        test.db().keep_stats();
        assert_eq!(grown(&test), before + 2);
        // No more than fits.
        set("stats_history_buffer_size=5");
        test.db().keep_stats();
        assert_eq!(test.db().stats_history(0, u64::MAX).unwrap().len(), 0);
    }

    #[test]
    fn on_disk_the_history_is_there_after_reopening() {
        let mut test = open(true);
        test.db().keep_stats();
        test.put("a", "1").unwrap();
        test.db().keep_stats();
        let before = grown(&test);
        assert!(before >= 1);
        let history = test.db().stats_history(0, u64::MAX).unwrap();
        let second = *history.keys().next().unwrap();
        assert!(test.db().stats_history(0, second).unwrap().is_empty());
        test.flush();
        test.reopen();
        assert_eq!(grown(&test), before);
        let id = test.db().stats_family().unwrap().id();
        // A form that nobody knows yet goes.
        let mut batch = WriteBatch::new();
        batch.put(id, FORMAT_KEY, b"9").unwrap();
        batch.put(id, COMPATIBLE_KEY, b"9").unwrap();
        test.db().write(&WriteOptions::default(), &mut batch).unwrap();
        test.reopen();
        assert_ne!(test.db().stats_family().unwrap().id(), id);
        assert!(test.db().stats_history(0, u64::MAX).unwrap().is_empty());
        test.db.persist_stats_to_disk = false;
        test.reopen();
        assert!(test.db().stats_family().is_none());
        assert_eq!(test.get("a").as_deref(), Some("1"));
    }

    #[test]
    fn the_history_keeps_no_log_that_others_are_done_with() {
        let test = open(true);
        test.db().keep_stats();
        test.db().keep_stats();
        test.put("a", "1").unwrap();
        let family = test.family(0).clone();
        test.db().flush(std::slice::from_ref(&family), &FlushOptions::default()).unwrap();
        let start = Instant::now();
        while test.db().sorted_wal_files().unwrap().len() > 1 {
            assert!(start.elapsed().as_secs() < 60);
            thread::sleep(Duration::from_millis(10));
        }
        let stats = test.db().stats_family().unwrap();
        assert!(stats.super_version.load().mem.is_empty());
    }

    #[test]
    fn the_history_is_not_flushed_while_others_need_the_log_too() {
        let mut test = TestDb::new();
        test.db.statistics = Some(Arc::default());
        test.db.persist_stats_to_disk = true;
        test.names = vec!["default", "other"];
        test.try_open().unwrap();
        let mut batch = WriteBatch::new();
        batch.put(test.family(1).id(), b"a", b"1").unwrap();
        batch.put(0, b"a", b"1").unwrap();
        test.db().write(&WriteOptions::default(), &mut batch).unwrap();
        let family = test.family(0).clone();
        test.db().flush(std::slice::from_ref(&family), &FlushOptions::default()).unwrap();
        let stats = test.db().stats_family().unwrap();
        assert!(!stats.super_version.load().mem.is_empty());
    }
}
