//! [`CachedBlock`]: the uncompressed bytes of one block, shared by the cache and its readers.

use crate::base::hash::hash64;
use crate::base::sync::{Arc, AtomicUsize, Ordering};
use std::any::Any;

/// A block in memory, ready to be read.
///
/// Handed around as `Arc<CachedBlock>`: holding one pins the block. Blocks that a
/// [`Cache`](super::Cache) adopted count towards its usage until the last holder lets go, also
/// after the cache forgot them.
pub struct CachedBlock {
    /// The uncompressed contents, without trailer. Empty if there is an object in their place.
    pub bytes: Box<[u8]>,
    /// What the contents were decoded to.
    object: Option<Box<dyn Any + Send + Sync>>,
    /// The checksum of `bytes`, 0 if there is none.
    sum: u64,
    charge: usize,
    /// The usage counter that holds this block's charge.
    ledger: Option<Arc<AtomicUsize>>,
}

/// Stands in the cache for memory that is used elsewhere.
pub(super) struct Reserved;

impl CachedBlock {
    /// What a block costs beyond its bytes: itself, its reference counts, the cache's slot and
    /// share of the hash table.
    pub const OVERHEAD: usize = size_of::<CachedBlock>() + 2 * size_of::<usize>() + 64 + 8;

    /// A block that no cache accounts for.
    pub fn new(bytes: Box<[u8]>) -> CachedBlock {
        let charge = bytes.len() + Self::OVERHEAD;
        CachedBlock { bytes, object: None, sum: 0, charge, ledger: None }
    }

    /// The same with a checksum of its bytes.
    pub fn guarded(mut self) -> CachedBlock {
        self.sum = sum(&self.bytes);
        self
    }

    /// A block in decoded form, which counts as `charge` bytes.
    pub fn from_object(object: Box<dyn Any + Send + Sync>, charge: usize) -> CachedBlock {
        CachedBlock { bytes: Box::default(), object: Some(object), sum: 0, charge, ledger: None }
    }

    /// Whether its bytes are what they were, as far as that is known.
    #[inline]
    pub fn is_sound(&self) -> bool {
        self.sum == 0 || self.has_sum()
    }

    #[cold]
    fn has_sum(&self) -> bool {
        self.sum == sum(&self.bytes)
    }

    /// Whether this is a `T` in decoded form.
    pub fn holds<T: Any>(&self) -> bool {
        self.object.as_ref().is_some_and(|object| object.is::<T>())
    }

    /// Whether this is undecoded bytes.
    pub fn holds_bytes(&self) -> bool {
        self.object.is_none()
    }

    /// Whether this is nothing but room for memory that is used elsewhere.
    pub fn is_reservation(&self) -> bool {
        self.holds::<Reserved>()
    }

    /// The decoded form, if this is one.
    pub(super) fn object(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.object.as_deref()
    }

    /// What this block counts as: for bytes the memory that it takes, bookkeeping included.
    pub fn charge(&self) -> usize {
        self.charge
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

/// XXH3, but for 0.
fn sum(bytes: &[u8]) -> u64 {
    hash64(bytes).max(1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guarded_block_knows_when_it_changed() {
        for len in [0, 1, 5000] {
            let plain = CachedBlock::from(vec![7; len]);
            let (charge, mut block) = (plain.charge(), plain.guarded());
            assert!(block.is_sound() && block.charge() == charge);
            for at in 0..len {
                block.bytes[at] ^= 4;
                assert!(!block.is_sound());
                block.bytes[at] ^= 4;
            }
        }
        let mut plain = CachedBlock::from(vec![7; 10]);
        plain.bytes[3] = 0;
        assert!(plain.is_sound(), "nothing is known of it");
    }
}
