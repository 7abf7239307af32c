//! What a database counts about itself, whether or not statistics are on: the properties tell.

use super::Db;
use super::family::Family;
use super::family_stats::Work;
use crate::base::sync::{AtomicU64, Mutex, Ordering};
use crate::compaction::job::CompactionStats;
use crate::compaction::plan::{CompactionPlan, CompactionReason};
use crate::env::pool::Priority;
use crate::stats::{Histogram, Stats, Ticker, count, record};
use std::time::Instant;

/// A group of writes.
pub(super) struct WrittenGroup {
    /// How many writes, the leader's among them.
    pub writes: u64,
    /// Records.
    pub keys: u64,
    /// Their bytes, with one header.
    pub bytes: u64,
    /// Whether it goes to the log.
    pub logged: bool,
}

/// What writers count.
pub(super) struct DbCounters {
    /// When the database was opened.
    pub started: Instant,
    /// Failed flushes and compactions.
    background_errors: AtomicU64,
    /// Changed by whoever has the turn in the write queue, which saves locked instructions.
    cells: [AtomicU64; COUNTERS],
    /// As of when the text was asked for last.
    told: Mutex<Option<DbTotals>>,
}

/// All counters at one moment.
#[derive(Clone, Copy)]
pub(super) struct DbTotals {
    /// By [`DbCounter`].
    pub counts: [u64; COUNTERS],
    /// The moment.
    pub at: Instant,
}

/// The counters of [`DbCounters`].
#[derive(Clone, Copy, Debug)]
pub(super) enum DbCounter {
    WalBytes,
    WalSynced,
    BytesWritten,
    KeysWritten,
    WritesByOthers,
    WritesBySelf,
    WritesWithWal,
    StallMicros,
    WriteBufferManagerStops,
}

const COUNTERS: usize = DbCounter::WriteBufferManagerStops as usize + 1;

impl Default for DbCounters {
    fn default() -> DbCounters {
        let cells = std::array::from_fn(|_| AtomicU64::new(0));
        DbCounters {
            started: Instant::now(),
            background_errors: AtomicU64::new(0),
            cells,
            told: Mutex::new(None),
        }
    }
}

impl DbCounters {
    /// The value of a counter.
    pub fn get(&self, counter: DbCounter) -> u64 {
        self.cells[counter as usize].load(Ordering::Relaxed)
    }

    /// The counters now, and as they were when this was called last: an interval ends.
    pub fn next_interval(&self) -> (DbTotals, DbTotals) {
        let counts = std::array::from_fn(|i| self.cells[i].load(Ordering::Relaxed));
        let now = DbTotals { counts, at: Instant::now() };
        let opened = DbTotals { counts: [0; COUNTERS], at: self.started };
        (now, self.told.lock().replace(now).unwrap_or(opened))
    }

    /// Counts a flush or compaction that failed.
    pub fn failed_in_background(&self) {
        self.background_errors.fetch_add(1, Ordering::Relaxed);
    }

    /// How many flushes and compactions have failed.
    pub fn background_errors(&self) -> u64 {
        self.background_errors.load(Ordering::Relaxed)
    }

    /// Adds to a counter. The caller has the turn in the write queue.
    #[inline]
    fn add(&self, counter: DbCounter, count: u64) {
        let cell = &self.cells[counter as usize];
        cell.store(cell.load(Ordering::Relaxed) + count, Ordering::Relaxed);
    }

    /// Counts a group of writes, before it is logged. The caller has the turn in the write queue.
    #[inline]
    pub fn group(&self, stats: &Stats, group: &WrittenGroup) {
        self.add(DbCounter::KeysWritten, group.keys);
        self.add(DbCounter::BytesWritten, group.bytes);
        self.add(DbCounter::WritesBySelf, 1);
        self.add(DbCounter::WritesByOthers, group.writes - 1);
        if group.logged {
            self.add(DbCounter::WritesWithWal, group.writes);
            self.add(DbCounter::WalBytes, group.bytes);
        }
        if stats.is_some() {
            Self::tell(stats, group);
        }
    }

    #[cold]
    fn tell(stats: &Stats, group: &WrittenGroup) {
        count(stats, Ticker::NumberKeysWritten, group.keys);
        count(stats, Ticker::BytesWritten, group.bytes);
        count(stats, Ticker::WriteDoneBySelf, 1);
        count(stats, Ticker::WriteDoneByOther, group.writes - 1);
        record(stats, Histogram::BytesPerWrite, group.bytes);
        if group.logged {
            count(stats, Ticker::WriteWithWal, group.writes);
            count(stats, Ticker::WalFileBytes, group.bytes);
        }
    }

    /// Counts a sync of the log for a write. The caller has the turn in the write queue.
    pub fn wal_synced(&self, stats: &Stats) {
        self.add(DbCounter::WalSynced, 1);
        count(stats, Ticker::WalFileSynced, 1);
    }

    /// Counts a write that must not go on since memtables take too much memory. The caller has the
    /// turn in the write queue.
    pub fn stopped_for_memory(&self) {
        self.add(DbCounter::WriteBufferManagerStops, 1);
    }

    /// Counts the time that a write waited for flushes or compactions. The caller has the turn in
    /// the write queue.
    pub fn stalled(&self, stats: &Stats, micros: u64) {
        self.add(DbCounter::StallMicros, micros);
        count(stats, Ticker::StallMicros, micros);
        record(stats, Histogram::WriteStall, micros);
    }
}

/// What counts the bytes that compactions for this reason read and write, if that is counted.
fn tickers_of(reason: CompactionReason) -> Option<(Ticker, Ticker)> {
    match reason {
        CompactionReason::FilesMarkedForCompaction => {
            Some((Ticker::CompactReadBytesMarked, Ticker::CompactWriteBytesMarked))
        }
        CompactionReason::PeriodicCompaction => {
            Some((Ticker::CompactReadBytesPeriodic, Ticker::CompactWriteBytesPeriodic))
        }
        CompactionReason::Ttl => Some((Ticker::CompactReadBytesTtl, Ticker::CompactWriteBytesTtl)),
        _ => None,
    }
}

/// What counts the compactions of FIFO style for this reason, if they are counted.
fn fifo_ticker_of(reason: CompactionReason) -> Option<Ticker> {
    match reason {
        CompactionReason::FifoMaxSize => Some(Ticker::FifoMaxSizeCompactions),
        CompactionReason::FifoTtl => Some(Ticker::FifoTtlCompactions),
        CompactionReason::ChangeTemperature => Some(Ticker::FifoChangeTemperatureCompactions),
        _ => None,
    }
}

impl Db {
    /// Counts a compaction that wrote tables.
    pub(super) fn count_compaction(
        &self,
        family: &Family,
        plan: &CompactionPlan,
        done: &CompactionStats,
    ) {
        let stats = self.statistics();
        let records = &done.counts;
        let counts = [
            (Ticker::CompactReadBytes, done.bytes_read),
            (Ticker::CompactWriteBytes, done.bytes_written),
            (Ticker::CompactionCpuTotalTime, done.cpu_micros),
            (Ticker::CompactionKeyDropUser, records.dropped_by_filter),
            (Ticker::CompactionKeyDropNewerEntry, records.dropped_hidden),
            (Ticker::CompactionKeyDropObsolete, records.dropped_obsolete),
            (Ticker::CompactionKeyDropRangeDel, records.dropped_by_range_tombstone),
            (Ticker::CompactionRangeDelDropObsolete, records.obsolete_range_tombstones),
            (Ticker::CompactionOptimizedDelDropObsolete, records.obsolete_deletions_optimized),
        ];
        counts.into_iter().for_each(|(ticker, n)| count(stats, ticker, n));
        if let Some((read, written)) = tickers_of(plan.reason) {
            count(stats, read, done.bytes_read);
            count(stats, written, done.bytes_written);
        }
        record(stats, Histogram::NumFilesInSingleCompaction, done.input_files as u64);
        record(stats, Histogram::NumSubcompactionsScheduled, done.subcompactions as u64);
        if let Some(stats) = stats {
            stats.record_time(Histogram::CompactionTime, done.micros);
            stats.record_time(Histogram::CompactionCpuTime, done.cpu_micros);
        }
        let level = plan.output.level;
        let own = plan.input_files().filter(|(from, _)| *from == level);
        let own: u64 = own.map(|(_, file)| file.file_size).sum();
        let work = Work {
            micros: done.micros,
            read_from_above: done.bytes_read.saturating_sub(own),
            read_from_level: own,
            written: done.bytes_written,
            records_in: records.input_records,
            records_dropped: records.input_records.saturating_sub(records.output_records),
            jobs: 1,
            ..Work::default()
        };
        family.stats.lock().add(level, Priority::Low, &work);
    }

    /// Counts what FIFO style does by itself, by reason.
    pub(super) fn count_fifo(&self, reason: CompactionReason) {
        if let Some(ticker) = fifo_ticker_of(reason) {
            count(self.statistics(), ticker, 1);
        }
    }

    /// Counts a compaction that moves tables to another level as they are.
    pub(super) fn count_move(&self, family: &Family, plan: &CompactionPlan) {
        let moved = plan.moved_inputs().map(|(_, file)| file.file_size).sum();
        let work = Work { moved, ..Work::default() };
        family.stats.lock().add(plan.output.level, Priority::Low, &work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_their_own_counts() {
        use CompactionReason::{FilesMarkedForCompaction, LevelL0FilesNum, PeriodicCompaction};
        let periodic = (Ticker::CompactReadBytesPeriodic, Ticker::CompactWriteBytesPeriodic);
        assert_eq!(tickers_of(PeriodicCompaction), Some(periodic));
        let ttl = (Ticker::CompactReadBytesTtl, Ticker::CompactWriteBytesTtl);
        assert_eq!(tickers_of(CompactionReason::Ttl), Some(ttl));
        assert!(tickers_of(FilesMarkedForCompaction).is_some());
        assert_eq!(tickers_of(LevelL0FilesNum), None);
        let expired = fifo_ticker_of(CompactionReason::FifoTtl);
        assert_eq!(expired, Some(Ticker::FifoTtlCompactions));
        assert_eq!(fifo_ticker_of(CompactionReason::FifoReduceNumFiles), None);
    }
}
