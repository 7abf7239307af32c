//! [`Cover`]: the range tombstones that a point look-up meets.

use crate::base::comparator::Order;
use crate::base::key::{LookupKey, SequenceNumber};
use crate::rangedel::Fragments;

/// The newest visible range tombstone that covers one key, in the sources gone through so far.
///
/// Sources are gone through from the newest to the oldest, each one's tombstones before its
/// records. Whatever lies behind a source with such a tombstone is older, and hidden.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cover {
    /// 0 without a tombstone.
    newest: SequenceNumber,
}

impl Cover {
    /// Takes the tombstones of the next source.
    #[cold]
    pub fn meet<O: Order>(&mut self, order: &O, key: &LookupKey, tombstones: &Fragments) {
        if let Some(newest) = tombstones.covering(order, key.user_key(), key.sequence()) {
            self.newest = self.newest.max(newest);
        }
    }

    /// Whether a record of the key is hidden.
    #[inline]
    pub fn hides(self, sequence: SequenceNumber) -> bool {
        sequence < self.newest
    }

    /// Whether all records of older sources are hidden.
    #[inline]
    pub fn hides_the_rest(self) -> bool {
        self.newest > 0
    }
}
