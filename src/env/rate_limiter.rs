//! [`RateLimiter`]: bounds how many bytes a second background work reads and writes.

use crate::base::random::Random;
use crate::base::sync::{Condvar, Mutex, MutexGuard};
use crate::stats::{Histogram, Stats, Ticker, count, record};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Whose request goes first. The discriminants are RocksDB's `Env::IOPriority`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum IoPriority {
    /// Compactions.
    Low = 0,
    /// In between.
    Mid = 1,
    /// Flushes.
    High = 2,
    /// What a user waits for; always first.
    User = 3,
}

/// What is limited. The discriminants are RocksDB's `RateLimiter::Mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RateLimiterMode {
    /// Reads.
    ReadsOnly = 0,
    /// Writes.
    WritesOnly = 1,
    /// Both.
    All = 2,
}

impl RateLimiterMode {
    /// The mode with RocksDB's number.
    pub fn from_number(number: i32) -> Option<RateLimiterMode> {
        match number {
            0 => Some(RateLimiterMode::ReadsOnly),
            1 => Some(RateLimiterMode::WritesOnly),
            2 => Some(RateLimiterMode::All),
            _ => None,
        }
    }
}

/// How a limiter works.
#[derive(Clone, Copy, Debug)]
pub struct RateLimiterOptions {
    /// Bytes a second; with `auto_tuned` the most.
    pub rate: u64,
    /// How often there is new credit.
    pub refill_period: Duration,
    /// Lower priorities go first once in so many periods.
    pub fairness: u32,
    /// What is limited.
    pub mode: RateLimiterMode,
    /// Choose the rate by how much is asked for, down to a twentieth.
    pub auto_tuned: bool,
}

/// Tunes the rate after so many periods.
const PERIODS_PER_TUNE: u32 = 100;
/// The lowest tuned rate, as a part of the highest.
const TUNED_RANGE: u64 = 20;
/// The rate changes by so many per cent at a time.
const TUNE_PERCENT: u64 = 5;
/// Per cent of periods with requests that had to wait: below, the rate falls; above, it rises.
const LOW_WATERMARK: u64 = 50;
const HIGH_WATERMARK: u64 = 90;

/// Shared by all whom it limits, also by several databases.
pub struct RateLimiter {
    options: RateLimiterOptions,
    state: Mutex<State>,
    /// Told when credit was handed out.
    refilled: Condvar,
}

struct State {
    rate: u64,
    available: u64,
    refill_at: Instant,
    /// By priority: those who wait, in order, and how many bytes each still wants.
    waiting: [VecDeque<(u64, u64)>; 4],
    next_ticket: u64,
    granted: [u64; 4],
    random: Random,
    /// Periods in which someone had to wait, since the last tuning.
    drained: u64,
    drained_at: Option<Instant>,
    tuned_at: Instant,
}

impl RateLimiter {
    /// A limiter that nobody has used.
    pub fn new(options: RateLimiterOptions) -> RateLimiter {
        let now = Instant::now();
        let options = RateLimiterOptions {
            rate: options.rate.max(1),
            refill_period: options.refill_period.max(Duration::from_micros(1)),
            fairness: options.fairness.clamp(1, 100),
            ..options
        };
        RateLimiter {
            state: Mutex::new(State {
                rate: if options.auto_tuned { (options.rate / 2).max(1) } else { options.rate },
                available: 0,
                refill_at: now,
                waiting: std::array::from_fn(|_| VecDeque::new()),
                next_ticket: 0,
                granted: [0; 4],
                random: Random::new(u64::from(options.fairness)),
                drained: 0,
                drained_at: None,
                tuned_at: now,
            }),
            options,
            refilled: Condvar::new(),
        }
    }

    /// Bytes a second, now.
    pub fn rate(&self) -> u64 {
        self.state.lock().rate
    }

    /// A limiter of writes to `rate` bytes a second, with RocksDB's defaults for everything else.
    pub fn of_writes(rate: u64) -> RateLimiter {
        RateLimiter::new(RateLimiterOptions {
            rate,
            refill_period: Duration::from_millis(100),
            fairness: 10,
            mode: RateLimiterMode::WritesOnly,
            auto_tuned: false,
        })
    }

    /// The bytes that may be written or read at once.
    pub fn burst(&self) -> u64 {
        let seconds = self.options.refill_period.as_secs_f64();
        ((self.rate() as f64 * seconds) as u64).max(1)
    }

    /// The bytes granted so far to a priority.
    pub fn granted(&self, priority: IoPriority) -> u64 {
        self.state.lock().granted[priority as usize]
    }

    /// Waits until `bytes` may be written; at once if writes are not limited. What was granted, and
    /// how long that took, is counted in `stats`.
    pub fn request_write(&self, bytes: u64, priority: IoPriority, stats: &Stats) {
        if self.options.mode != RateLimiterMode::ReadsOnly {
            self.request(bytes, priority, stats, &Counters::WRITES);
        }
    }

    /// Waits until `bytes` may be read; at once if reads are not limited. Counts as
    /// [`request_write`](RateLimiter::request_write) does.
    pub fn request_read(&self, bytes: u64, priority: IoPriority, stats: &Stats) {
        if self.options.mode != RateLimiterMode::WritesOnly {
            self.request(bytes, priority, stats, &Counters::READS);
        }
    }

    /// Asks for `bytes` in bursts, so that others come in between.
    fn request(&self, bytes: u64, priority: IoPriority, stats: &Stats, counters: &Counters) {
        let mut left = bytes;
        while left > 0 {
            let (granted, waited) = self.request_burst(left, priority, stats);
            counters.count(stats, granted, waited);
            left -= granted;
        }
    }

    /// Waits until some of `wanted` are granted, at most what a period brings. Returns how many that
    /// were, and how long this waited for new credit, if it did.
    fn request_burst(
        &self,
        wanted: u64,
        priority: IoPriority,
        stats: &Stats,
    ) -> (u64, Option<Duration>) {
        let mut state = self.state.lock();
        self.tune(&mut state);
        let bytes = wanted.min(self.credit(&state));
        state.granted[priority as usize] += bytes;
        let taken = state.available.min(bytes);
        state.available -= taken;
        if taken == bytes {
            return (bytes, None);
        }
        let mut waited_since = None;
        state.next_ticket += 1;
        let ticket = state.next_ticket;
        state.waiting[priority as usize].push_back((ticket, bytes - taken));
        while state.waiting[priority as usize].iter().any(|(other, _)| *other == ticket) {
            let (refill_at, now) = (state.refill_at, Instant::now());
            if now < refill_at {
                waited_since.get_or_insert(now);
                if state.drained_at != Some(refill_at) {
                    state.drained_at = Some(refill_at);
                    state.drained += 1;
                    count(stats, Ticker::NumberRateLimiterDrains, 1);
                }
                self.refilled.wait_until(&mut state, refill_at);
            } else {
                self.refill(&mut state);
            }
        }
        (bytes, waited_since.map(|since| since.elapsed()))
    }

    /// The bytes that a period brings.
    fn credit(&self, state: &State) -> u64 {
        let credit = state.rate as f64 * self.options.refill_period.as_secs_f64();
        (credit as u64).max(1)
    }

    fn refill(&self, state: &mut MutexGuard<'_, State>) {
        state.refill_at = Instant::now() + self.options.refill_period;
        state.available = self.credit(state);
        for priority in self.order(state) {
            while let Some((_, wanted)) = state.waiting[priority as usize].front().copied() {
                let granted = wanted.min(state.available);
                state.available -= granted;
                if granted < wanted {
                    if let Some(front) = state.waiting[priority as usize].front_mut() {
                        front.1 -= granted;
                    }
                    break;
                }
                state.waiting[priority as usize].pop_front();
            }
        }
        self.refilled.notify_all();
    }

    /// Higher priorities first, with exceptions so that nobody starves.
    fn order(&self, state: &mut State) -> [IoPriority; 4] {
        let fairness = u64::from(self.options.fairness);
        let high_last = state.random.one_in(fairness);
        let low_first = state.random.one_in(fairness);
        let (second, third) = match low_first {
            true => (IoPriority::Low, IoPriority::Mid),
            false => (IoPriority::Mid, IoPriority::Low),
        };
        match high_last {
            true => [IoPriority::User, second, third, IoPriority::High],
            false => [IoPriority::User, IoPriority::High, second, third],
        }
    }

    fn tune(&self, state: &mut State) {
        let now = Instant::now();
        let elapsed = now.duration_since(state.tuned_at);
        if !self.options.auto_tuned || elapsed < self.options.refill_period * PERIODS_PER_TUNE {
            return;
        }
        let period = self.options.refill_period.as_nanos().max(1);
        let periods = u64::try_from(elapsed.as_nanos().div_ceil(period)).unwrap_or(u64::MAX).max(1);
        let drained = state.drained.saturating_mul(100) / periods;
        let (max, min) = (self.options.rate, (self.options.rate / TUNED_RANGE).max(1));
        state.rate = match drained {
            0 => min,
            percent if percent < LOW_WATERMARK => {
                (state.rate.saturating_mul(100) / (100 + TUNE_PERCENT)).max(min)
            }
            percent if percent > HIGH_WATERMARK => {
                (state.rate.saturating_mul(100 + TUNE_PERCENT) / 100).max(state.rate + 1).min(max)
            }
            _ => state.rate,
        };
        state.drained = 0;
        state.tuned_at = now;
    }
}

/// What requests of one kind are counted by.
struct Counters {
    requests: Ticker,
    bytes: Ticker,
    delayed: Ticker,
    wait_micros: Ticker,
    waits: Histogram,
}

impl Counters {
    const READS: Counters = Counters {
        requests: Ticker::RateLimiterRequestsRead,
        bytes: Ticker::RateLimiterBytesRead,
        delayed: Ticker::RateLimiterDelayedRequestsRead,
        wait_micros: Ticker::RateLimiterTotalWaitMicrosRead,
        waits: Histogram::RateLimiterWaitMicrosRead,
    };

    const WRITES: Counters = Counters {
        requests: Ticker::RateLimiterRequestsWrite,
        bytes: Ticker::RateLimiterBytesWrite,
        delayed: Ticker::RateLimiterDelayedRequestsWrite,
        wait_micros: Ticker::RateLimiterTotalWaitMicrosWrite,
        waits: Histogram::RateLimiterWaitMicrosWrite,
    };

    fn count(&self, stats: &Stats, bytes: u64, waited: Option<Duration>) {
        count(stats, self.requests, 1);
        count(stats, self.bytes, bytes);
        if let Some(waited) = waited {
            let micros = waited.as_micros() as u64;
            count(stats, self.delayed, 1);
            count(stats, self.wait_micros, micros);
            record(stats, self.waits, micros);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::{Arc, thread};
    use crate::stats::Statistics;

    fn options(rate: u64) -> RateLimiterOptions {
        RateLimiterOptions {
            rate,
            refill_period: Duration::from_millis(10),
            fairness: 10,
            mode: RateLimiterMode::WritesOnly,
            auto_tuned: false,
        }
    }

    #[test]
    fn several_writers_share_the_rate() {
        let limiter = Arc::new(RateLimiter::new(options(1 << 20)));
        let start = Instant::now();
        let threads: Vec<_> = [IoPriority::Low, IoPriority::High, IoPriority::Mid]
            .into_iter()
            .map(|priority| {
                let limiter = limiter.clone();
                thread::spawn(move || {
                    for _ in 0..20 {
                        limiter.request_write(5000, priority, &None);
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        // 300,000 bytes at a MiB a second.
        assert!(start.elapsed() > Duration::from_millis(200), "{:?}", start.elapsed());
        assert_eq!(limiter.granted(IoPriority::Low), 100_000);
    }

    #[test]
    fn requests_are_counted_by_their_kind() {
        let writes = [
            Ticker::RateLimiterRequestsWrite,
            Ticker::RateLimiterBytesWrite,
            Ticker::RateLimiterDelayedRequestsWrite,
            Ticker::RateLimiterTotalWaitMicrosWrite,
        ];
        let reads = [
            Ticker::RateLimiterRequestsRead,
            Ticker::RateLimiterBytesRead,
            Ticker::RateLimiterDelayedRequestsRead,
            Ticker::RateLimiterTotalWaitMicrosRead,
        ];
        for (mode, tickers, waits, others) in [
            (RateLimiterMode::WritesOnly, writes, Histogram::RateLimiterWaitMicrosWrite, reads),
            (RateLimiterMode::ReadsOnly, reads, Histogram::RateLimiterWaitMicrosRead, writes),
        ] {
            let statistics = Arc::new(Statistics::default());
            let stats = Some(statistics.clone());
            let limiter = RateLimiter::new(RateLimiterOptions { mode, ..options(1 << 20) });
            // A period's credit is about 10 KiB, and so is a burst.
            for bytes in [0, 100, 100_000] {
                limiter.request_write(bytes, IoPriority::Low, &stats);
                limiter.request_read(bytes, IoPriority::Low, &stats);
            }
            let [requests, bytes, delayed, waited] = tickers.map(|t| statistics.ticker(t));
            assert_eq!((requests, bytes), (1 + 10, 100_100));
            assert!((7..=10).contains(&delayed), "{delayed}");
            assert!(waited > 60_000, "{waited} us");
            let waits = statistics.histogram(waits);
            assert_eq!((waits.count, waits.sum), (delayed, waited));
            let drains = statistics.ticker(Ticker::NumberRateLimiterDrains);
            assert!((7..12).contains(&drains), "{drains}");
            assert_eq!(others.map(|t| statistics.ticker(t)), [0; 4]);
        }
    }

    #[test]
    fn what_is_not_limited_does_not_wait() {
        let writes = RateLimiter::new(options(1));
        writes.request_read(1 << 30, IoPriority::Low, &None);
        let mode = RateLimiterMode::ReadsOnly;
        let reads = RateLimiter::new(RateLimiterOptions { mode, ..options(1) });
        reads.request_write(1 << 30, IoPriority::Low, &None);
        assert_eq!(reads.granted(IoPriority::Low) + writes.granted(IoPriority::Low), 0);
    }

    #[test]
    fn a_request_may_be_larger_than_a_period_s_credit() {
        let limiter = RateLimiter::new(options(1 << 20));
        let start = Instant::now();
        limiter.request_write(100_000, IoPriority::User, &None);
        assert!(start.elapsed() > Duration::from_millis(60), "{:?}", start.elapsed());
    }

    #[test]
    fn the_rate_follows_the_demand() {
        let limiter = RateLimiter::new(RateLimiterOptions {
            refill_period: Duration::from_millis(1),
            auto_tuned: true,
            ..options(1 << 20)
        });
        assert_eq!(limiter.rate(), 1 << 19);
        // Nobody asks for anything.
        thread::sleep(Duration::from_millis(110));
        limiter.request_write(1, IoPriority::Low, &None);
        assert_eq!(limiter.rate(), (1 << 20) / 20);
        // Someone always waited.
        let mut state = limiter.state.lock();
        state.tuned_at = Instant::now().checked_sub(Duration::from_millis(200)).unwrap();
        state.drained = 1000;
        limiter.tune(&mut state);
        assert!(state.rate > (1 << 20) / 20);
    }
}
