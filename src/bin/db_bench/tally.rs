//! What a workload's threads did.

use crate::latency::Latencies;
use std::time::{Duration, Instant};

/// What kind of operation took a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    Delete,
    Seek,
    Merge,
    Other,
}

impl Kind {
    pub const ALL: [Kind; 6] =
        [Kind::Read, Kind::Write, Kind::Delete, Kind::Seek, Kind::Merge, Kind::Other];

    pub fn name(self) -> &'static str {
        ["read", "write", "delete", "seek", "merge", "op"][self as usize]
    }
}

/// Counts of one thread, or of all.
#[derive(Clone)]
pub struct Tally {
    pub operations: u64,
    pub bytes: u64,
    /// Reads and seeks, and those that found their key.
    pub looked: u64,
    pub found: u64,
    /// Reads of keys outside the key space.
    pub outside: u64,
    pub merges: u64,
    pub writes: u64,
    /// Entries that scans went over.
    pub entries: u64,
    /// The longest value read.
    pub longest: usize,
    pub latencies: [Option<Box<Latencies>>; Kind::ALL.len()],
    pub start: Instant,
    pub finish: Instant,
    /// The threads' own times together.
    pub busy: Duration,
    /// The perf context's counts.
    pub perf: Option<String>,
}

impl Tally {
    pub fn new(start: Instant) -> Tally {
        Tally {
            operations: 0,
            bytes: 0,
            looked: 0,
            found: 0,
            outside: 0,
            merges: 0,
            writes: 0,
            entries: 0,
            longest: 0,
            latencies: [const { None }; Kind::ALL.len()],
            start,
            finish: start,
            busy: Duration::ZERO,
            perf: None,
        }
    }

    /// Adds another thread's counts.
    pub fn merge(&mut self, other: Tally) {
        self.operations += other.operations;
        self.bytes += other.bytes;
        self.looked += other.looked;
        self.found += other.found;
        self.outside += other.outside;
        self.merges += other.merges;
        self.writes += other.writes;
        self.entries += other.entries;
        self.longest = self.longest.max(other.longest);
        self.start = self.start.min(other.start);
        self.finish = self.finish.max(other.finish);
        self.busy += other.busy;
        // One thread's are shown, as in RocksDB.
        self.perf = self.perf.take().or(other.perf);
        for (mine, theirs) in self.latencies.iter_mut().zip(other.latencies) {
            match (mine, theirs) {
                (Some(mine), Some(theirs)) => mine.merge(&theirs),
                (mine @ None, theirs) => *mine = theirs,
                (Some(_), None) => {}
            }
        }
    }

    /// How long the workload took, from the first thread's start to the last one's end.
    pub fn elapsed(&self) -> Duration {
        (self.finish - self.start).max(Duration::from_nanos(1))
    }

    pub fn operations_per_second(&self) -> f64 {
        self.operations.max(1) as f64 / self.elapsed().as_secs_f64()
    }

    /// MiB.
    pub fn megabytes_per_second(&self) -> f64 {
        self.bytes as f64 / 1048576.0 / self.elapsed().as_secs_f64()
    }

    /// All kinds of operations together, if they were timed.
    pub fn all_latencies(&self) -> Option<Latencies> {
        self.latencies.iter().flatten().fold(None, |all: Option<Latencies>, some| match all {
            Some(mut all) => {
                all.merge(some);
                Some(all)
            }
            None => Some((**some).clone()),
        })
    }
}
