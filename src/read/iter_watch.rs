//! [`IterWatch`]: what an iterator counts for statistics and the perf context of its thread.

use super::db_iter::DbIterConfig;
use crate::base::clock::micros_since;
use crate::stats::activity::{Activity, Entered};
use crate::stats::{Histogram, Metric, Stats, StatsLevel, Ticker, count, is_watched, perf};
use std::time::Instant;

/// What a seek goes to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    First,
    Last,
    Key,
}

/// A seek that is watched, and when it began if it is timed.
pub(super) struct Seek {
    start: Option<Instant>,
    _reads: Entered,
}

/// Which way a step goes.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Forward,
    Backward,
}

/// Counts what one iterator does. Seeks are counted at once, steps when it goes, so that no shared
/// counter is touched at each step.
pub(super) struct IterWatch {
    stats: Stats,
    /// Whether going to the first or last key is a seek to a bound, which is timed, as in RocksDB.
    has_lower_bound: bool,
    has_upper_bound: bool,
    steps: [Steps; 2],
    bytes: u64,
}

#[derive(Default)]
struct Steps {
    taken: u64,
    found: u64,
}

impl IterWatch {
    pub(super) fn new(stats: Stats, config: &DbIterConfig) -> IterWatch {
        count(&stats, Ticker::NoIteratorCreated, 1);
        IterWatch {
            stats,
            has_lower_bound: config.lower_bound.is_some(),
            has_upper_bound: config.upper_bound.is_some(),
            steps: Default::default(),
            bytes: 0,
        }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        is_watched(&self.stats)
    }

    /// A seek begins; None if nobody watches.
    #[inline]
    pub(super) fn seek(&self, target: Target) -> Option<Seek> {
        self.is_on().then(|| self.begin(target))
    }

    #[cold]
    fn begin(&self, target: Target) -> Seek {
        let timed = match target {
            Target::First => self.has_lower_bound,
            Target::Last => self.has_upper_bound,
            Target::Key => true,
        };
        let collects = |stats: &Stats| {
            stats.as_ref().is_some_and(|stats| stats.collects(StatsLevel::ExceptDetailedTimers))
        };
        let start = (timed && collects(&self.stats)).then(Instant::now);
        Seek { start, _reads: Activity::Iterator.enter() }
    }

    /// A seek ended, on an entry of so many bytes if it found one.
    #[cold]
    pub(super) fn sought(&self, seek: Seek, found: Option<usize>) {
        perf::add(Metric::IterSeekCount, 1);
        count(&self.stats, Ticker::NumberDbSeek, 1);
        if let Some(bytes) = found {
            count(&self.stats, Ticker::NumberDbSeekFound, 1);
            count(&self.stats, Ticker::IterBytesRead, bytes as u64);
            perf::add(Metric::IterReadBytes, bytes as u64);
        }
        if let (Some(stats), Some(start)) = (&self.stats, seek.start) {
            stats.record_time(Histogram::DbSeek, micros_since(start));
        }
    }

    /// A step ended, on an entry of so many bytes if there was one.
    #[cold]
    pub(super) fn stepped(&mut self, step: Step, found: Option<usize>) {
        let metric = match step {
            Step::Forward => Metric::IterNextCount,
            Step::Backward => Metric::IterPrevCount,
        };
        perf::add(metric, 1);
        let steps = &mut self.steps[step as usize];
        steps.taken += 1;
        if let Some(bytes) = found {
            steps.found += 1;
            self.bytes += bytes as u64;
            perf::add(Metric::IterReadBytes, bytes as u64);
        }
    }
}

impl Drop for IterWatch {
    fn drop(&mut self) {
        let [next, prev] = &self.steps;
        let totals = [
            (Ticker::NoIteratorDeleted, 1),
            (Ticker::NumberDbNext, next.taken),
            (Ticker::NumberDbNextFound, next.found),
            (Ticker::NumberDbPrev, prev.taken),
            (Ticker::NumberDbPrevFound, prev.found),
            (Ticker::IterBytesRead, self.bytes),
        ];
        for (ticker, total) in totals {
            count(&self.stats, ticker, total);
        }
    }
}
