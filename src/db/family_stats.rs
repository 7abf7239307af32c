//! [`FamilyStats`]: what flushes and compactions have done to a column family since the database
//! was opened.

use super::stalls::{Cause, Stall};
use crate::env::pool::Priority;
use std::time::Instant;

/// The work that ended on one level, or that threads of one priority did. Sizes are in bytes.
/// Named as in RocksDB's statistics of compactions, of which flushes are some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    pub micros: u64,
    pub cpu_micros: u64,
    /// Read from tables of the levels above.
    pub read_from_above: u64,
    /// Read from tables of the level itself.
    pub read_from_level: u64,
    /// Written to tables.
    pub written: u64,
    /// Written to tables, before compression.
    pub written_uncompressed: u64,
    /// Moved to the level without being rewritten.
    pub moved: u64,
    /// Records read.
    pub records_in: u64,
    /// Records read and not written.
    pub records_dropped: u64,
    /// How many jobs.
    pub jobs: u64,
}

macro_rules! each_field {
    ($self:ident, $other:ident, $operation:ident) => {
        each_field! { @ $self, $other, $operation:
            micros cpu_micros read_from_above read_from_level written written_uncompressed moved
            records_in records_dropped jobs
        }
    };
    (@ $self:ident, $other:ident, $operation:ident: $($field:ident)+) => {
        Work { $($field: $self.$field.$operation($other.$field),)+ }
    };
}

impl Work {
    /// Both together.
    pub fn plus(&self, other: &Work) -> Work {
        each_field!(self, other, wrapping_add)
    }

    /// This without `other`, which is a part of it.
    pub fn minus(&self, other: &Work) -> Work {
        each_field!(self, other, saturating_sub)
    }

    /// Everything read.
    pub fn read(&self) -> u64 {
        self.read_from_above + self.read_from_level
    }
}

/// Why writes were slowed down or stopped; the numbers count how often that set in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stalls {
    pub level0_delays: u64,
    /// Of those, while level 0 was being compacted.
    pub level0_delays_in_compaction: u64,
    pub level0_stops: u64,
    /// Of those, while level 0 was being compacted.
    pub level0_stops_in_compaction: u64,
    pub memtable_delays: u64,
    pub memtable_stops: u64,
    pub pending_bytes_delays: u64,
    pub pending_bytes_stops: u64,
}

impl Stalls {
    /// Counts that a column family begins to demand this for that reason.
    pub fn set_in(&mut self, stall: Stall, cause: Cause) {
        let counter = match (stall, cause) {
            (Stall::None, _) => return,
            (Stall::Slow, Cause::Memtables) => &mut self.memtable_delays,
            (Stall::Slow, Cause::Level0Files) => &mut self.level0_delays,
            (Stall::Slow, Cause::PendingBytes) => &mut self.pending_bytes_delays,
            (Stall::Stop, Cause::Memtables) => &mut self.memtable_stops,
            (Stall::Stop, Cause::Level0Files) => &mut self.level0_stops,
            (Stall::Stop, Cause::PendingBytes) => &mut self.pending_bytes_stops,
        };
        *counter += 1;
    }

    pub fn delays(&self) -> u64 {
        self.level0_delays + self.memtable_delays + self.pending_bytes_delays
    }

    pub fn stops(&self) -> u64 {
        self.level0_stops + self.memtable_stops + self.pending_bytes_stops
    }
}

/// Totals at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub work: Work,
    pub flushed: u64,
    pub stalls: u64,
    pub at: Instant,
}

/// What has happened since the database was opened.
pub(super) struct FamilyStats {
    levels: Vec<Work>,
    /// By the numbers of [`Priority`].
    by_priority: [Work; 4],
    /// Bytes of tables that flushes wrote.
    pub flushed: u64,
    pub stalls: Stalls,
    /// When counting began.
    pub started: Instant,
    /// As of the last periodic dump.
    pub dumped: Option<Totals>,
    /// Whether there was work since then.
    pub changed: bool,
    /// How many dumps have left it out since then.
    pub left_out: u32,
}

impl Default for FamilyStats {
    fn default() -> FamilyStats {
        FamilyStats {
            levels: Vec::new(),
            by_priority: Default::default(),
            flushed: 0,
            stalls: Stalls::default(),
            started: Instant::now(),
            dumped: None,
            changed: true,
            left_out: 0,
        }
    }
}

impl FamilyStats {
    /// Counts work of a thread of this priority whose output is on `level`.
    pub fn add(&mut self, level: usize, priority: Priority, work: &Work) {
        self.changed = true;
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Work::default());
        }
        self.levels[level] = self.levels[level].plus(work);
        let place = &mut self.by_priority[priority as usize];
        *place = place.plus(work);
    }

    /// Counts a flush that wrote a table of so many bytes.
    pub fn flushed(&mut self, bytes: u64, micros: u64) {
        let work = Work { written: bytes, micros, jobs: 1, ..Work::default() };
        self.add(0, Priority::High, &work);
        self.flushed += bytes;
    }

    /// Whether a periodic dump tells about it: if something has changed, and else once in a while.
    pub fn is_told(&mut self) -> bool {
        /// After this many dumps without it, whatever happened.
        const MOST_LEFT_OUT: u32 = 8;
        let told = std::mem::take(&mut self.changed) || self.left_out == MOST_LEFT_OUT;
        self.left_out = if told { 0 } else { self.left_out + 1 };
        told
    }

    /// The work that ended on `level`.
    pub fn level(&self, level: usize) -> Work {
        self.levels.get(level).copied().unwrap_or_default()
    }

    /// The work of threads by priority, with RocksDB's names of them.
    pub fn by_priority(&self) -> [(&'static str, Work); 4] {
        let [bottom, low, high, user] = self.by_priority;
        [("Bottom", bottom), ("Low", low), ("High", high), ("User", user)]
    }
}
