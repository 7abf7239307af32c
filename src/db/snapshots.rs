//! The snapshots that are held: which old versions of keys must be kept.

use crate::base::key::SequenceNumber;
use std::collections::BTreeMap;

/// The multiset of sequence numbers that snapshots stand on.
#[derive(Debug, Default)]
pub struct Snapshots {
    held: BTreeMap<SequenceNumber, usize>,
}

impl Snapshots {
    /// Holds `sequence` once more.
    pub fn acquire(&mut self, sequence: SequenceNumber) {
        *self.held.entry(sequence).or_default() += 1;
    }

    /// Gives back one hold of `sequence`.
    pub fn release(&mut self, sequence: SequenceNumber) {
        if let Some(count) = self.held.get_mut(&sequence) {
            *count -= 1;
            if *count == 0 {
                self.held.remove(&sequence);
            }
        }
    }

    /// The distinct sequence numbers held, ascending.
    pub fn sequences(&self) -> Vec<SequenceNumber> {
        self.held.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_held_until_all_its_snapshots_go() {
        let mut snapshots = Snapshots::default();
        for sequence in [5, 3, 5] {
            snapshots.acquire(sequence);
        }
        assert_eq!(snapshots.sequences(), [3, 5]);
        snapshots.release(5);
        assert_eq!(snapshots.sequences(), [3, 5]);
        snapshots.release(5);
        snapshots.release(3);
        assert_eq!(snapshots.sequences(), []);
    }
}
