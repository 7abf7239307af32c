//! The snapshots that are held: which old versions of keys must be kept.

use crate::base::clock::unix_seconds;
use crate::base::key::SequenceNumber;
use std::collections::BTreeMap;

/// The multiset of sequence numbers that snapshots stand on.
#[derive(Debug, Default)]
pub struct Snapshots {
    held: BTreeMap<SequenceNumber, Held>,
}

#[derive(Debug)]
struct Held {
    count: usize,
    /// Unix seconds when it was first held.
    since: u64,
}

impl Snapshots {
    /// Holds `sequence` once more.
    pub fn acquire(&mut self, sequence: SequenceNumber) {
        let held = self.held.entry(sequence);
        held.or_insert_with(|| Held { count: 0, since: unix_seconds() }).count += 1;
    }

    /// Gives back one hold of `sequence`.
    pub fn release(&mut self, sequence: SequenceNumber) {
        if let Some(held) = self.held.get_mut(&sequence) {
            held.count -= 1;
            if held.count == 0 {
                self.held.remove(&sequence);
            }
        }
    }

    /// How many snapshots there are.
    pub fn count(&self) -> u64 {
        self.held.values().map(|held| held.count as u64).sum()
    }

    /// Unix seconds of the oldest snapshot; 0 without snapshots.
    pub fn oldest_time(&self) -> u64 {
        self.held.first_key_value().map_or(0, |(_, held)| held.since)
    }

    /// The lowest sequence number held.
    pub fn oldest(&self) -> Option<SequenceNumber> {
        self.held.first_key_value().map(|(&sequence, _)| sequence)
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
        assert_eq!(snapshots.count(), 3);
        assert!(snapshots.oldest_time() > 0);
        snapshots.release(5);
        assert_eq!(snapshots.sequences(), [3, 5]);
        snapshots.release(5);
        snapshots.release(3);
        assert!(snapshots.sequences().is_empty());
        assert_eq!((snapshots.count(), snapshots.oldest_time()), (0, 0));
    }
}
