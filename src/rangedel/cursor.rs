//! [`Cursor`]: a place in [`Fragments`] for look-ups of keys that mostly ascend, or descend.

use super::fragments::{Fragments, Span};
use crate::base::comparator::Order;
use crate::base::key::SequenceNumber;

/// Remembers where the last look-up ended: the next one of a key in the same span costs at most
/// two comparisons, of a key nearby few more, and any other a binary search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    /// How many boundaries are at or before the key that was looked up last.
    passed: usize,
}

impl Cursor {
    /// How many spans a look-up steps over before it searches.
    const STEPS: usize = 4;

    /// The span of `fragments` that holds `user_key`. The cursor must be used with the same
    /// fragments all the time.
    #[inline]
    pub fn span<'a, O: Order>(
        &mut self,
        fragments: &'a Fragments,
        order: &O,
        user_key: &[u8],
    ) -> Span<'a> {
        let before = |at: usize| order.compare(user_key, fragments.boundary(at)).is_lt();
        for _ in 0..Self::STEPS {
            if self.passed > 0 && before(self.passed - 1) {
                self.passed -= 1;
            } else if self.passed < fragments.num_boundaries() && !before(self.passed) {
                self.passed += 1;
            } else {
                return fragments.span_behind(self.passed);
            }
        }
        self.passed = fragments.num_boundaries_up_to(order, user_key);
        fragments.span_behind(self.passed)
    }

    /// [`Fragments::covering`].
    #[inline]
    pub fn covering<O: Order>(
        &mut self,
        fragments: &Fragments,
        order: &O,
        user_key: &[u8],
        sequence: SequenceNumber,
    ) -> Option<SequenceNumber> {
        self.span(fragments, order, user_key).newest_at(sequence)
    }
}
