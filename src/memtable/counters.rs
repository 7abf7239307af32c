//! The numbers that a memtable keeps about its records.

use super::entry::EntryLen;
use crate::base::key::{SequenceNumber, ValueType};
use crate::base::sync::{AtomicU64, Ordering};

/// Shared by all adders. Relaxed: the numbers steer flushes and estimates, nothing reads memory
/// on their word.
pub(super) struct Counters {
    num_entries: AtomicU64,
    num_deletes: AtomicU64,
    data_size: AtomicU64,
    raw_key_size: AtomicU64,
    raw_value_size: AtomicU64,
    /// The smallest sequence number; `u64::MAX` at first.
    first_sequence: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        Counters {
            num_entries: AtomicU64::new(0),
            num_deletes: AtomicU64::new(0),
            data_size: AtomicU64::new(0),
            raw_key_size: AtomicU64::new(0),
            raw_value_size: AtomicU64::new(0),
            first_sequence: AtomicU64::new(u64::MAX),
        }
    }
}

/// What was added to a memtable and is not counted there yet.
pub struct Tally {
    num_entries: u64,
    num_deletes: u64,
    data_size: u64,
    raw_key_size: u64,
    raw_value_size: u64,
    first_sequence: SequenceNumber,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            num_entries: 0,
            num_deletes: 0,
            data_size: 0,
            raw_key_size: 0,
            raw_value_size: 0,
            first_sequence: u64::MAX,
        }
    }
}

impl Tally {
    #[inline]
    pub(super) fn count(
        &mut self,
        len: &EntryLen,
        sequence: SequenceNumber,
        value_type: ValueType,
    ) {
        self.num_entries += 1;
        self.num_deletes += u64::from(value_type.is_deletion());
        self.data_size += len.total as u64;
        self.raw_key_size += u64::from(len.ikey);
        self.raw_value_size += u64::from(len.value);
        self.first_sequence = self.first_sequence.min(sequence);
    }
}

impl Counters {
    pub(super) fn post(&self, tally: &Tally) {
        if tally.num_entries == 0 {
            return;
        }
        self.num_entries.fetch_add(tally.num_entries, Ordering::Relaxed);
        if tally.num_deletes > 0 {
            self.num_deletes.fetch_add(tally.num_deletes, Ordering::Relaxed);
        }
        self.data_size.fetch_add(tally.data_size, Ordering::Relaxed);
        self.raw_key_size.fetch_add(tally.raw_key_size, Ordering::Relaxed);
        self.raw_value_size.fetch_add(tally.raw_value_size, Ordering::Relaxed);
        // Sequence numbers grow, so this is almost always a load.
        if tally.first_sequence < self.first_sequence.load(Ordering::Relaxed) {
            self.first_sequence.fetch_min(tally.first_sequence, Ordering::Relaxed);
        }
    }

    pub(super) fn num_entries(&self) -> u64 {
        self.num_entries.load(Ordering::Relaxed)
    }

    pub(super) fn num_deletes(&self) -> u64 {
        self.num_deletes.load(Ordering::Relaxed)
    }

    pub(super) fn data_size(&self) -> u64 {
        self.data_size.load(Ordering::Relaxed)
    }

    pub(super) fn raw_key_size(&self) -> u64 {
        self.raw_key_size.load(Ordering::Relaxed)
    }

    pub(super) fn raw_value_size(&self) -> u64 {
        self.raw_value_size.load(Ordering::Relaxed)
    }

    pub(super) fn first_sequence(&self) -> Option<SequenceNumber> {
        Some(self.first_sequence.load(Ordering::Relaxed)).filter(|&s| s != u64::MAX)
    }
}
