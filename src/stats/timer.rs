//! Measuring how long something takes.

use std::time::Instant;

use crate::base::clock::micros_since;
use crate::stats::histogram::Histogram;
use crate::stats::level::StatsLevel;
use crate::stats::statistics::{Statistics, Stats};

/// Counts the microseconds of its life in a histogram. Reads no clock where statistics are off or
/// do not collect times.
pub struct Timer<'a> {
    running: Option<(&'a Statistics, Histogram, Instant)>,
}

impl<'a> Timer<'a> {
    /// Starts to measure if `stats` collects times.
    #[inline]
    pub fn start(stats: &'a Stats, histogram: Histogram) -> Timer<'a> {
        Timer::start_at(stats, StatsLevel::ExceptDetailedTimers, histogram)
    }

    /// Starts to measure if `stats` collects what `level` adds.
    #[inline]
    pub fn start_at(stats: &'a Stats, level: StatsLevel, histogram: Histogram) -> Timer<'a> {
        let running = match stats {
            Some(stats) if stats.collects(level) => Some((&**stats, histogram, Instant::now())),
            _ => None,
        };
        Timer { running }
    }

    /// Ends without having counted.
    pub fn cancel(mut self) {
        self.running = None;
    }
}

impl Drop for Timer<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some((stats, histogram, start)) = self.running {
            stats.record_time(histogram, micros_since(start));
        }
    }
}
