//! [`FlushReason`]: why a memtable became immutable, as far as statistics tell reasons apart.

use crate::stats::{Histogram, Stats, Ticker, count, record};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlushReason {
    /// It reached its size.
    WriteBufferFull,
    /// It holds as many range tombstones as it may.
    MaxRangeDeletions,
    /// Memtables, of this database or others, take too much memory together.
    WriteBufferManager,
    /// Another one: a user asked for it, or there is too much log.
    Other,
}

impl FlushReason {
    /// Counts a flush of memtables that take `memory` bytes.
    pub fn count(self, stats: &Stats, memory: u64) {
        match self {
            FlushReason::WriteBufferFull => {
                count(stats, Ticker::FlushReasonWriteBufferFull, 1);
                record(stats, Histogram::FlushWriteBufferFullMemtableMemoryBytes, memory);
            }
            FlushReason::WriteBufferManager => {
                count(stats, Ticker::FlushReasonWriteBufferManager, 1);
                record(stats, Histogram::FlushWriteBufferManagerMemtableMemoryBytes, memory);
            }
            FlushReason::MaxRangeDeletions => {
                count(stats, Ticker::FlushReasonMemtableMaxRangeDeletions, 1);
            }
            FlushReason::Other => {}
        }
    }
}
