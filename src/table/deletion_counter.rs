//! [`DeletionCounter`]: applies a [`CompactOnDeletion`] to the table that is being written.

use crate::plug::compact_on_deletion::CompactOnDeletion;

/// The window moves on by buckets, of which it has so many.
const BUCKETS: usize = 128;

pub(super) struct DeletionCounter {
    rule: CompactOnDeletion,
    /// Records of a full bucket.
    bucket_size: usize,
    /// Deletions in each bucket of the window, a ring.
    buckets: [usize; BUCKETS],
    current: usize,
    /// Records in the current bucket.
    filled: usize,
    /// The sum of `buckets`, and the largest there was.
    in_window: usize,
    most: usize,
    records: u64,
    deletions: u64,
    file_size: u64,
    triggered: bool,
}

impl DeletionCounter {
    pub(super) fn new(rule: CompactOnDeletion) -> DeletionCounter {
        DeletionCounter {
            rule,
            bucket_size: rule.window.div_ceil(BUCKETS),
            buckets: [0; BUCKETS],
            current: 0,
            filled: 0,
            in_window: 0,
            most: 0,
            records: 0,
            deletions: 0,
            file_size: 0,
            triggered: false,
        }
    }

    /// Counts a record of a table that has grown to `file_size` bytes.
    pub(super) fn add(&mut self, is_deletion: bool, file_size: u64) {
        self.records += 1;
        self.deletions += u64::from(is_deletion);
        self.file_size = file_size;
        if self.bucket_size == 0 || self.triggered {
            return;
        }
        if self.filled == self.bucket_size {
            self.current = (self.current + 1) % BUCKETS;
            self.in_window -= std::mem::take(&mut self.buckets[self.current]);
            self.filled = 0;
        }
        self.filled += 1;
        if is_deletion {
            self.in_window += 1;
            self.buckets[self.current] += 1;
            self.most = self.most.max(self.in_window);
        }
        self.triggered = self.most >= self.rule.trigger && file_size >= self.rule.min_file_size;
    }

    /// Whether the table is to be compacted.
    pub(super) fn is_met(&self) -> bool {
        let CompactOnDeletion { ratio, min_file_size, .. } = self.rule;
        let by_ratio = ratio > 0.0 && ratio <= 1.0 && self.records > 0;
        self.triggered
            || (by_ratio
                && self.file_size >= min_file_size
                && self.deletions as f64 / self.records as f64 >= ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: CompactOnDeletion =
        CompactOnDeletion { window: 0, trigger: 0, ratio: 0.0, min_file_size: 0 };

    fn is_met(rule: CompactOnDeletion, deletions: impl Iterator<Item = bool>) -> bool {
        let mut counter = DeletionCounter::new(rule);
        deletions.enumerate().for_each(|(i, is_deletion)| counter.add(is_deletion, i as u64));
        counter.is_met()
    }

    #[test]
    fn deletions_count_within_the_window() {
        // One deletion in ten records, then 60 in a row.
        let sparse = || (0..10_000).map(|i| i % 10 == 0);
        let dense = || sparse().chain((0..60).map(|_| true)).chain(sparse());
        let rule = CompactOnDeletion { window: 128, trigger: 65, ..RULE };
        assert!(!is_met(rule, sparse()));
        assert!(is_met(rule, dense()));
        assert!(!is_met(CompactOnDeletion { trigger: 70, ..rule }, dense()));
        assert!(is_met(CompactOnDeletion { window: 1280, trigger: 170, ..rule }, dense()));
        assert!(!is_met(CompactOnDeletion { window: 1280, trigger: 200, ..rule }, dense()));
        assert!(!is_met(CompactOnDeletion { window: 0, ..rule }, dense()));
        // What comes before the table is large enough counts when it is.
        assert!(is_met(CompactOnDeletion { min_file_size: 20_000, ..rule }, dense()));
        assert!(!is_met(CompactOnDeletion { min_file_size: 20_060, ..rule }, dense()));
    }

    #[test]
    fn deletions_count_as_a_part_of_all() {
        let half = || (0..100).map(|i| i % 2 == 0);
        let rule = CompactOnDeletion { ratio: 0.5, ..RULE };
        assert!(is_met(rule, half()));
        assert!(!is_met(CompactOnDeletion { ratio: 0.51, ..rule }, half()));
        assert!(!is_met(CompactOnDeletion { ratio: 1.1, ..rule }, (0..9).map(|_| true)));
        assert!(!is_met(CompactOnDeletion { min_file_size: 100, ..rule }, half()));
        assert!(!is_met(rule, std::iter::empty()));
    }
}
