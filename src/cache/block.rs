//! [`CachedBlock`]: the uncompressed bytes of one block, shared by the cache and its readers.

use crate::base::sync::{Arc, AtomicUsize, Ordering};

/// A block in memory, ready to be read.
///
/// Handed around as `Arc<CachedBlock>`: holding one pins the block. Blocks that a
/// [`Cache`](super::Cache) adopted count towards its usage until the last holder lets go, also
/// after the cache forgot them.
pub struct CachedBlock {
    /// The uncompressed contents, without trailer.
    pub bytes: Box<[u8]>,
    /// The usage counter that holds this block's charge.
    ledger: Option<Arc<AtomicUsize>>,
}

impl CachedBlock {
    /// What a block costs beyond its bytes: itself, its reference counts, the cache's slot and
    /// share of the hash table.
    const OVERHEAD: usize = size_of::<CachedBlock>() + 2 * size_of::<usize>() + 64 + 8;

    /// A block that no cache accounts for.
    pub fn new(bytes: Box<[u8]>) -> CachedBlock {
        CachedBlock { bytes, ledger: None }
    }

    /// The memory that this block takes, in bytes, bookkeeping included.
    pub fn charge(&self) -> usize {
        self.bytes.len() + Self::OVERHEAD
    }

    /// Adds the charge to `ledger`, and takes it off again when the block dies.
    pub(super) fn enter(&mut self, ledger: &Arc<AtomicUsize>) {
        debug_assert!(self.ledger.is_none());
        ledger.fetch_add(self.charge(), Ordering::Relaxed);
        self.ledger = Some(ledger.clone());
    }

    /// Takes the charge off now.
    pub(super) fn leave(&mut self) {
        if let Some(ledger) = self.ledger.take() {
            ledger.fetch_sub(self.charge(), Ordering::Relaxed);
        }
    }
}

impl Drop for CachedBlock {
    fn drop(&mut self) {
        self.leave();
    }
}

impl From<Vec<u8>> for CachedBlock {
    fn from(bytes: Vec<u8>) -> CachedBlock {
        CachedBlock::new(bytes.into_boxed_slice())
    }
}
