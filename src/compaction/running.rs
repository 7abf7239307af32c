//! [`RunningCompactions`]: those of a column family that were picked and have not ended.

use super::plan::CompactionPlan;
use crate::base::comparator::{Comparator, Order};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// What others must know of a compaction that is under way.
#[derive(Debug)]
struct Running {
    start_level: usize,
    output_level: usize,
    sorted_runs: u64,
    first_user_key: Vec<u8>,
    last_user_key: Vec<u8>,
}

/// The compactions under way. Two of them must not write overlapping ranges of one level, and at
/// most one takes files of level 0 down.
#[derive(Debug, Default)]
pub struct RunningCompactions {
    running: BTreeMap<u64, Running>,
    next_id: u64,
}

impl RunningCompactions {
    /// Adds a compaction; the number takes it out again.
    pub fn add(&mut self, plan: &CompactionPlan) -> u64 {
        self.next_id += 1;
        if let Some(range) = plan.user_key_range() {
            let running = Running {
                start_level: plan.start_level(),
                output_level: plan.output.level,
                sorted_runs: plan.sorted_runs() as u64,
                first_user_key: range.start().to_vec(),
                last_user_key: range.end().to_vec(),
            };
            self.running.insert(self.next_id, running);
        }
        self.next_id
    }

    /// Takes a compaction out.
    pub fn remove(&mut self, id: u64) {
        self.running.remove(&id);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.running.len()
    }

    /// How many sorted runs they read, each for itself: files of level 0, and other levels.
    pub fn sorted_runs(&self) -> u64 {
        self.running.values().map(|running| running.sorted_runs).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether one takes files of level 0.
    pub fn takes_level0(&self) -> bool {
        self.running.values().any(|running| running.start_level == 0)
    }

    /// Whether one writes user keys of `range` to `level`.
    pub fn writes(&self, order: &Comparator, level: usize, range: &RangeInclusive<&[u8]>) -> bool {
        self.running.values().any(|running| {
            running.output_level == level
                && order.compare(range.start(), &running.last_user_key).is_le()
                && order.compare(range.end(), &running.first_user_key).is_ge()
        })
    }
}
