//! [`TombstoneKnowledge`]: whether files hold range tombstones, as far as that is known.

use crate::base::sync::{AtomicU8, Ordering};

/// Whether there are range tombstones: yes, no, or not known yet.
#[derive(Debug, Default)]
pub(super) struct TombstoneKnowledge(AtomicU8);

impl TombstoneKnowledge {
    const NONE: u8 = 1;
    const SOME: u8 = 2;

    /// Whether there are any; `None` if that is not known.
    #[inline]
    pub fn get(&self) -> Option<bool> {
        match self.0.load(Ordering::Relaxed) {
            Self::NONE => Some(false),
            Self::SOME => Some(true),
            _ => None,
        }
    }

    /// Remembers whether there are any.
    pub fn set(&self, any: bool) {
        self.0.store(if any { Self::SOME } else { Self::NONE }, Ordering::Relaxed);
    }
}
