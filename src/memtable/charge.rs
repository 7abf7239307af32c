//! [`Charge`]: a memtable's part of the memory that a write buffer manager counts.

use crate::base::sync::{Arc, AtomicBool, AtomicUsize, Ordering};
use crate::cache::WriteBufferManager;

/// Memory is reported in multiples of this, so that not every write reports.
const STEP: usize = 4 << 10;

/// What one memtable has reported to its manager. Taken back when it drops.
pub(super) struct Charge {
    manager: Arc<WriteBufferManager>,
    bytes: AtomicUsize,
    retired: AtomicBool,
}

impl Charge {
    pub(super) fn new(manager: Arc<WriteBufferManager>) -> Charge {
        Charge { manager, bytes: AtomicUsize::new(0), retired: AtomicBool::new(false) }
    }

    /// Reports that the memtable has grown to `bytes`. Any number of threads may at once.
    pub(super) fn raise_to(&self, bytes: usize) {
        let bytes = bytes.next_multiple_of(STEP);
        if bytes <= self.bytes.load(Ordering::Relaxed) {
            return;
        }
        let before = self.bytes.fetch_max(bytes, Ordering::Relaxed);
        if bytes > before {
            self.manager.reserve(bytes - before);
        }
    }

    /// Reports that it grows no more.
    pub(super) fn retire(&self) {
        if !self.retired.swap(true, Ordering::Relaxed) {
            self.manager.retire(self.bytes.load(Ordering::Relaxed));
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.retire();
        self.manager.free(self.bytes.load(Ordering::Relaxed));
    }
}
