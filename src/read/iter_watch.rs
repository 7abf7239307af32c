//! [`IterWatch`]: what an iterator counts for statistics and the perf context of its thread.

use super::db_iter::{DbIterConfig, Passed};
use crate::base::clock::micros_since;
use crate::env::posix_clock::PerfCpuTimer;
use crate::stats::activity::{Activity, Entered};
use crate::stats::{Histogram, Metric, Stats, StatsLevel, Ticker, count, is_watched, perf};
use std::time::Instant;

/// What a seek goes to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    First,
    Last,
    Key,
    KeyOrBefore,
}

/// A seek that is watched, and when it began if it is timed.
pub(super) struct Seek {
    target: Target,
    start: Option<Instant>,
    _cpu: PerfCpuTimer,
    _reads: Entered,
}

impl Seek {
    /// Which way it goes on from its target.
    pub(super) fn direction(&self) -> Step {
        match self.target {
            Target::First | Target::Key => Step::Forward,
            Target::Last | Target::KeyOrBefore => Step::Backward,
        }
    }
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
    skipped: u64,
}

#[derive(Default)]
struct Steps {
    taken: u64,
    found: u64,
}

impl Step {
    /// Measures the processor time of a step this way.
    pub(super) fn cpu_time(self) -> PerfCpuTimer {
        PerfCpuTimer::start(match self {
            Step::Forward => Metric::IterNextCpuNanos,
            Step::Backward => Metric::IterPrevCpuNanos,
        })
    }
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
            skipped: 0,
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
            Target::Key | Target::KeyOrBefore => true,
        };
        let collects = |stats: &Stats| {
            stats.as_ref().is_some_and(|stats| stats.collects(StatsLevel::ExceptDetailedTimers))
        };
        let start = (timed && collects(&self.stats)).then(Instant::now);
        let _cpu = PerfCpuTimer::start(Metric::IterSeekCpuNanos);
        Seek { target, start, _cpu, _reads: Activity::Iterator.enter() }
    }

    /// A seek ended, on an entry of so many bytes if it found one, and passed this.
    #[cold]
    pub(super) fn sought(&mut self, seek: Seek, found: Option<usize>, passed: Passed) {
        self.passed(passed, seek.direction(), false, found);
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
    #[inline]
    pub(super) fn stepped(&mut self, step: Step, found: Option<usize>) {
        let steps = &mut self.steps[step as usize];
        steps.taken += 1;
        if let Some(bytes) = found {
            steps.found += 1;
            self.bytes += bytes as u64;
        }
    }

    /// A move back ended that looked at so many records, and whether it found an entry.
    #[inline]
    pub(super) fn went_back(&mut self, looked_at: u64, found: bool) {
        self.skipped += looked_at.saturating_sub(found.into());
    }

    /// The same as [`stepped`](IterWatch::stepped) for a thread that counts. The step passed this,
    /// and `left` a record that was shown.
    #[cold]
    pub(super) fn stepped_in_detail(
        &mut self,
        step: Step,
        found: Option<usize>,
        passed: Passed,
        left: bool,
    ) {
        self.stepped(step, found);
        self.passed(passed, step, left, found);
        let metric = match step {
            Step::Forward => Metric::IterNextCount,
            Step::Backward => Metric::IterPrevCount,
        };
        perf::add(metric, 1);
        perf::add(Metric::IterReadBytes, found.unwrap_or(0) as u64);
    }

    /// Steps that were counted by themselves passed this, of which the rest was not told yet.
    pub(super) fn settle(&mut self, passed: Passed) {
        self.skipped += passed.stepped_over;
        if passed.leaps > 0 {
            count(&self.stats, Ticker::NumberOfReseeksInIteration, passed.leaps);
        }
    }

    /// A seek or step ended that went this way, and `left` a record that was shown; it passed this,
    /// and whether it `found` an entry.
    fn passed(&mut self, passed: Passed, way: Step, left: bool, found: Option<usize>) {
        self.settle(passed);
        if matches!(way, Step::Backward) {
            self.went_back(passed.looked_back_at, found.is_some());
        }
        if !perf::is_on() {
            return;
        }
        let keys = match way {
            Step::Forward => {
                let others = passed.deletions + passed.newer;
                passed.stepped_over.saturating_sub(others) + u64::from(left)
            }
            // As in RocksDB, going back all records count, also the one that is shown.
            Step::Backward => passed.looked_back_at,
        };
        perf::add(Metric::InternalKeySkippedCount, keys);
        perf::add(Metric::InternalDeleteSkippedCount, passed.deletions);
        perf::add(Metric::InternalRecentSkippedCount, passed.newer);
        perf::add(Metric::InternalMergeCount, passed.operands);
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
            (Ticker::NumberIterSkip, self.skipped),
        ];
        for (ticker, total) in totals {
            count(&self.stats, ticker, total);
        }
    }
}
