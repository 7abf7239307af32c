//! [`TimedFilter`]: measures how long a compaction filter takes.

use crate::base::sync::{AtomicU64, Ordering};
use crate::plug::compaction_filter::{CompactionFilter, FilterDecision};
use crate::stats::{Stats, StatsLevel, Ticker, count};
use std::time::Instant;

/// Passes everything on to a filter, and counts the time that it took when this goes.
pub struct TimedFilter<'a> {
    filter: &'a dyn CompactionFilter,
    stats: &'a Stats,
    nanos: AtomicU64,
}

impl<'a> TimedFilter<'a> {
    /// None if `stats` does not collect such times.
    pub fn new(filter: &'a dyn CompactionFilter, stats: &'a Stats) -> Option<TimedFilter<'a>> {
        let collects = stats.as_ref()?.collects(StatsLevel::ExceptTimeForMutex);
        collects.then(|| TimedFilter { filter, stats, nanos: AtomicU64::new(0) })
    }
}

impl CompactionFilter for TimedFilter<'_> {
    fn name(&self) -> &str {
        self.filter.name()
    }

    fn ignore_snapshots(&self) -> bool {
        self.filter.ignore_snapshots()
    }

    fn filter(
        &self,
        level: i32,
        key: &[u8],
        value: &[u8],
        new_value: &mut Vec<u8>,
    ) -> FilterDecision {
        let start = Instant::now();
        let decision = self.filter.filter(level, key, value, new_value);
        self.nanos.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        decision
    }
}

impl Drop for TimedFilter<'_> {
    fn drop(&mut self) {
        count(self.stats, Ticker::FilterOperationTotalTime, self.nanos.load(Ordering::Relaxed));
    }
}
