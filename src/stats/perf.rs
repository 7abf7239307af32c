//! The perf context: what single threads count and measure, if they ask for it.
//!
//! A thread sets its level and reads its own counters. Until some thread of the process has set a
//! level, asking whether anything is to be counted reads one shared byte that never changes.

use std::cell::Cell;
use std::fmt::Write as _;
use std::time::Instant;

use crate::base::sync::{Arc, AtomicBool, AtomicU64, Ordering};
use crate::stats::metric::Metric;

/// How much a thread counts and measures. Each level does all that the levels before it do. The
/// numbers are those of RocksDB's `PerfLevel`, which `rocksdb_set_perf_level` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum PerfLevel {
    /// Nothing.
    Disable = 1,
    /// Counts and bytes.
    EnableCount = 2,
    /// And the time that a thread waits for the database.
    EnableWait = 3,
    /// And times, except those of mutexes.
    EnableTimeExceptForMutex = 4,
    /// And processor time.
    EnableTimeAndCpuTimeExceptForMutex = 5,
    /// Everything.
    EnableTime = 6,
}

impl PerfLevel {
    /// The level with this number.
    pub fn from_number(number: i64) -> Option<PerfLevel> {
        const LEVELS: [PerfLevel; 6] = [
            PerfLevel::Disable,
            PerfLevel::EnableCount,
            PerfLevel::EnableWait,
            PerfLevel::EnableTimeExceptForMutex,
            PerfLevel::EnableTimeAndCpuTimeExceptForMutex,
            PerfLevel::EnableTime,
        ];
        LEVELS.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
    }
}

/// Whether any thread ever set a level.
static EVER_ON: AtomicBool = AtomicBool::new(false);

thread_local! {
    static LEVEL: Cell<u8> = const { Cell::new(PerfLevel::Disable as u8) };
    static COUNTERS: Arc<PerfContext> = Arc::default();
}

/// Sets how much this thread counts and measures from now on.
pub fn set_level(level: PerfLevel) {
    if level > PerfLevel::Disable {
        EVER_ON.store(true, Ordering::Relaxed);
    }
    LEVEL.set(level as u8);
}

/// Whether this thread collects what `level` adds.
#[inline]
pub fn collects(level: PerfLevel) -> bool {
    EVER_ON.load(Ordering::Relaxed) && LEVEL.get() >= level as u8
}

/// Whether this thread collects anything.
#[inline]
pub fn is_on() -> bool {
    collects(PerfLevel::EnableCount)
}

/// Adds `count` to a metric of this thread, if it counts.
#[inline]
pub fn add(metric: Metric, count: u64) {
    if is_on() {
        add_always(metric, count);
    }
}

/// Adds the nanoseconds since `start` to a metric of this thread, if it measures times.
pub fn add_time(metric: Metric, start: Instant) {
    if collects(PerfLevel::EnableTimeExceptForMutex) {
        add_always(metric, start.elapsed().as_nanos() as u64);
    }
}

#[cold]
fn add_always(metric: Metric, count: u64) {
    // A thread that is ending counts nothing.
    let _ = COUNTERS.try_with(|counters| counters.add(metric, count));
}

/// The counters of one thread. It alone adds to them; whoever holds them may look.
pub struct PerfContext {
    values: [AtomicU64; Metric::COUNT],
}

impl Default for PerfContext {
    fn default() -> PerfContext {
        PerfContext { values: std::array::from_fn(|_| AtomicU64::new(0)) }
    }
}

impl PerfContext {
    /// The counters of this thread, which outlive it while they are held.
    pub fn of_this_thread() -> Arc<PerfContext> {
        COUNTERS.with(Arc::clone)
    }

    fn add(&self, metric: Metric, count: u64) {
        self.values[metric as usize].fetch_add(count, Ordering::Relaxed);
    }

    /// The value of a metric.
    pub fn get(&self, metric: Metric) -> u64 {
        self.values[metric as usize].load(Ordering::Relaxed)
    }

    /// Sets all metrics to 0.
    pub fn reset(&self) {
        self.values.iter().for_each(|value| value.store(0, Ordering::Relaxed));
    }

    /// All metrics as text: `name = value, name = value`.
    pub fn report(&self, exclude_zero_counters: bool) -> String {
        let mut text = String::new();
        for metric in Metric::ALL {
            let value = self.get(*metric);
            if value > 0 || !exclude_zero_counters {
                let separator = if text.is_empty() { "" } else { ", " };
                let _ = write!(text, "{separator}{} = {value}", metric.name());
            }
        }
        text
    }
}

/// Adds the nanoseconds of its life to a metric of this thread. Reads no clock where the thread
/// measures nothing.
pub struct PerfTimer {
    running: Option<(Metric, Instant)>,
}

impl PerfTimer {
    /// Starts to measure if this thread measures times.
    #[inline]
    pub fn start(metric: Metric) -> PerfTimer {
        PerfTimer::start_at(PerfLevel::EnableTimeExceptForMutex, metric)
    }

    /// Starts to measure if this thread collects what `level` adds.
    #[inline]
    pub fn start_at(level: PerfLevel, metric: Metric) -> PerfTimer {
        PerfTimer { running: collects(level).then(|| (metric, Instant::now())) }
    }
}

impl Drop for PerfTimer {
    #[inline]
    fn drop(&mut self) {
        if let Some((metric, start)) = self.running {
            add_always(metric, start.elapsed().as_nanos() as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::thread;

    #[test]
    fn a_thread_counts_for_itself_as_much_as_it_asks() {
        let context = PerfContext::of_this_thread();
        add(Metric::GetReadBytes, 1);
        set_level(PerfLevel::EnableCount);
        add(Metric::GetReadBytes, 5);
        drop(PerfTimer::start(Metric::WriteWalTime));
        let other = thread::spawn(|| {
            add(Metric::GetReadBytes, 7);
            set_level(PerfLevel::EnableTime);
            add(Metric::BlockReadCount, 2);
            PerfContext::of_this_thread()
        });
        let other = other.join().unwrap();
        assert_eq!((other.get(Metric::GetReadBytes), other.get(Metric::BlockReadCount)), (0, 2));
        assert_eq!(context.report(true), "get_read_bytes = 5");
        set_level(PerfLevel::EnableTimeExceptForMutex);
        let timer = PerfTimer::start(Metric::WriteWalTime);
        thread::sleep(std::time::Duration::from_micros(50));
        drop(timer);
        drop(PerfTimer::start_at(PerfLevel::EnableTime, Metric::DbMutexLockNanos));
        assert!(context.get(Metric::WriteWalTime) >= 50_000);
        assert_eq!(context.get(Metric::DbMutexLockNanos), 0);
        set_level(PerfLevel::Disable);
        add(Metric::GetReadBytes, 1);
        assert_eq!(context.get(Metric::GetReadBytes), 5);
        context.reset();
        let all = context.report(false);
        assert!(all.starts_with("user_key_comparison_count = 0, block_cache_hit_count = 0, "));
        assert!(all.ends_with(", multiscan_io_coalesced_nonadjacent = 0"));
        assert_eq!(context.report(true), "");
    }

    #[test]
    fn levels_have_rocksdbs_numbers() {
        assert_eq!(PerfLevel::from_number(0), None);
        assert_eq!(PerfLevel::from_number(7), None);
        for number in 1..7 {
            assert_eq!(PerfLevel::from_number(number).unwrap() as i64, number);
        }
    }
}
