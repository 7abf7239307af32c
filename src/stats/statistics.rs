//! The statistics object.

use std::fmt::Write as _;

use crate::base::sync::{Arc, AtomicU8, AtomicU64, Mutex, Ordering};
use crate::stats::distribution::{Cells, Distribution, HistogramData};
use crate::stats::histogram::Histogram;
use crate::stats::level::StatsLevel;
use crate::stats::perf;
use crate::stats::shards::Shards;
use crate::stats::ticker::Ticker;

/// Counters of one shard. Aligned, so that no two shards have a cache line in common (128 bytes:
/// processors fetch lines in pairs).
#[repr(align(128))]
struct Shard {
    tickers: [AtomicU64; Ticker::COUNT],
    histograms: [Cells; Histogram::COUNT],
}

impl Default for Shard {
    fn default() -> Shard {
        Shard {
            tickers: std::array::from_fn(|_| AtomicU64::new(0)),
            histograms: std::array::from_fn(|_| Cells::default()),
        }
    }
}

/// Counts what databases do. One object may serve several databases.
pub struct Statistics {
    level: AtomicU8,
    shards: Shards<Shard>,
    /// Makes operations over all shards, such as a reset, one after the other.
    aggregate: Mutex<()>,
}

impl Default for Statistics {
    fn default() -> Statistics {
        Statistics {
            level: AtomicU8::new(StatsLevel::ExceptDetailedTimers as u8),
            shards: Shards::new(),
            aggregate: Mutex::new(()),
        }
    }
}

impl std::fmt::Debug for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Statistics").field("level", &self.level()).finish_non_exhaustive()
    }
}

impl Statistics {
    /// How much is collected.
    #[inline]
    pub fn level(&self) -> StatsLevel {
        StatsLevel::nearest(self.level.load(Ordering::Relaxed).into())
    }

    /// Sets how much is collected, from now on.
    pub fn set_level(&self, level: StatsLevel) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    /// Whether `level` is collected.
    #[inline]
    pub fn collects(&self, level: StatsLevel) -> bool {
        self.level.load(Ordering::Relaxed) >= level as u8
    }

    /// Adds `count` to a ticker.
    #[inline]
    pub fn add(&self, ticker: Ticker, count: u64) {
        if self.collects(StatsLevel::ExceptHistogramOrTimers) {
            self.shards.own().tickers[ticker as usize].fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Counts a value that is no time in a histogram.
    #[inline]
    pub fn record(&self, histogram: Histogram, value: u64) {
        if self.collects(StatsLevel::ExceptTimers) {
            self.shards.own().histograms[histogram as usize].add(value);
        }
    }

    /// Counts a time in a histogram.
    #[inline]
    pub fn record_time(&self, histogram: Histogram, value: u64) {
        if self.collects(StatsLevel::ExceptDetailedTimers) {
            self.shards.own().histograms[histogram as usize].add(value);
        }
    }

    /// The count of a ticker.
    pub fn ticker(&self, ticker: Ticker) -> u64 {
        let _turn = self.aggregate.lock();
        self.sum(ticker)
    }

    fn sum(&self, ticker: Ticker) -> u64 {
        let counts = self.shards.all().map(|s| s.tickers[ticker as usize].load(Ordering::Relaxed));
        counts.fold(0, u64::wrapping_add)
    }

    /// Sets a ticker.
    pub fn set_ticker(&self, ticker: Ticker, count: u64) {
        let _turn = self.aggregate.lock();
        self.store(ticker, count);
    }

    fn store(&self, ticker: Ticker, count: u64) {
        for (i, shard) in self.shards.all().enumerate() {
            let count = if i == 0 { count } else { 0 };
            shard.tickers[ticker as usize].store(count, Ordering::Relaxed);
        }
    }

    /// Sets a ticker to 0 and returns what it was. What is counted meanwhile is in the returned
    /// count or stays.
    pub fn take_ticker(&self, ticker: Ticker) -> u64 {
        let _turn = self.aggregate.lock();
        let counts =
            self.shards.all().map(|s| s.tickers[ticker as usize].swap(0, Ordering::Relaxed));
        counts.fold(0, u64::wrapping_add)
    }

    /// The values of a histogram.
    pub fn distribution(&self, histogram: Histogram) -> Distribution {
        let _turn = self.aggregate.lock();
        self.merged(histogram)
    }

    fn merged(&self, histogram: Histogram) -> Distribution {
        let mut distribution = Distribution::default();
        self.shards.all().for_each(|s| distribution.merge(&s.histograms[histogram as usize]));
        distribution
    }

    /// A histogram in a few numbers.
    pub fn histogram(&self, histogram: Histogram) -> HistogramData {
        self.distribution(histogram).data()
    }

    /// Sets all tickers to 0 and empties all histograms.
    pub fn reset(&self) {
        let _turn = self.aggregate.lock();
        Ticker::ALL.iter().for_each(|ticker| self.store(*ticker, 0));
        self.shards.all().flat_map(|shard| &shard.histograms).for_each(Cells::reset);
    }
}

/// All tickers and histograms, a line each, as RocksDB prints them.
impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let _turn = self.aggregate.lock();
        let mut text = String::with_capacity(20_000);
        for ticker in Ticker::ALL {
            writeln!(text, "{} COUNT : {}", ticker.name(), self.sum(*ticker))?;
        }
        for histogram in Histogram::ALL {
            let data = self.merged(*histogram).data();
            writeln!(
                text,
                "{} P50 : {:.6} P95 : {:.6} P99 : {:.6} P100 : {:.6} COUNT : {} SUM : {}",
                histogram.name(),
                data.median,
                data.percentile95,
                data.percentile99,
                data.max,
                data.count,
                data.sum
            )?;
        }
        f.write_str(&text)
    }
}

/// What may be measured: the form in which the engine holds statistics. None costs one branch
/// where something would be counted.
pub type Stats = Option<Arc<Statistics>>;

/// Whether somebody wants to know: the owner of `stats`, or this thread.
#[inline]
pub fn is_watched(stats: &Stats) -> bool {
    stats.is_some() || perf::is_on()
}

/// Adds `count` to a ticker of what may be measured.
#[inline]
pub fn count(stats: &Stats, ticker: Ticker, count: u64) {
    if let Some(stats) = stats {
        stats.add(ticker, count);
    }
}

/// Counts a value that is no time in a histogram of what may be measured.
#[inline]
pub fn record(stats: &Stats, histogram: Histogram, value: u64) {
    if let Some(stats) = stats {
        stats.record(histogram, value);
    }
}
