//! What writers of tables count for statistics.

use crate::stats::activity::Activity;
use crate::stats::{Histogram, Stats, StatsLevel, Ticker, Timer, count};
use std::time::Instant;

/// A block is being packed.
pub(super) struct Packing {
    /// When that began, if it is timed.
    start: Option<Instant>,
}

impl Packing {
    pub(super) fn begin(stats: &Stats) -> Packing {
        let timed = stats.as_ref().is_some_and(|s| s.collects(StatsLevel::ExceptTimeForMutex));
        Packing { start: timed.then(Instant::now) }
    }

    /// The block, of `from` bytes, has become one of `packed` bytes, or stays as it is, since
    /// packing did not pay or was not even `tried`.
    pub(super) fn end(self, stats: &Stats, tried: bool, from: usize, packed: Option<usize>) {
        let Some(statistics) = stats else { return };
        if let (true, Some(start)) = (tried, self.start) {
            let nanos = start.elapsed().as_nanos() as u64;
            statistics.record_time(Histogram::CompressionTimesNanos, nanos);
        }
        let from = from as u64;
        match (packed, tried) {
            (Some(to), _) => {
                count(stats, Ticker::NumberBlockCompressed, 1);
                count(stats, Ticker::BytesCompressedFrom, from);
                count(stats, Ticker::BytesCompressedTo, to as u64);
            }
            (None, true) => {
                count(stats, Ticker::NumberBlockCompressionRejected, 1);
                count(stats, Ticker::BytesCompressionRejected, from);
            }
            (None, false) => {
                count(stats, Ticker::NumberBlockCompressionBypassed, 1);
                count(stats, Ticker::BytesCompressionBypassed, from);
            }
        }
    }
}

/// Measures how long a block takes from its final form to the file's buffer.
pub(super) fn raw_block(stats: &Stats) -> Timer<'_> {
    Timer::start(stats, Histogram::WriteRawBlockMicros)
}

/// Measures an append to a table file, by itself and by what the table is written for.
pub(super) fn append(stats: &Stats) -> (Timer<'_>, Option<Timer<'_>>) {
    let own = stats.as_ref().and_then(|_| writes_for(Activity::current()));
    (Timer::start(stats, Histogram::SstWriteMicros), own.map(|own| Timer::start(stats, own)))
}

/// The histogram of appends to tables for an activity.
fn writes_for(activity: Activity) -> Option<Histogram> {
    match activity {
        Activity::Flush => Some(Histogram::FileWriteFlushMicros),
        Activity::Compaction => Some(Histogram::FileWriteCompactionMicros),
        Activity::Open => Some(Histogram::FileWriteDbOpenMicros),
        _ => None,
    }
}

/// Measures how long a table takes to become durable.
pub(super) fn sync(stats: &Stats) -> Timer<'_> {
    let histogram = match Activity::current() {
        Activity::Compaction => Histogram::CompactionOutfileSyncMicros,
        _ => Histogram::TableSyncMicros,
    };
    Timer::start(stats, histogram)
}
