//! The hash index of data blocks: finds the restart behind which a user key's records stand
//! without comparing keys.
//!
//! It stands between the restart array and the footer: a byte for each bucket, and the number of
//! buckets (fixed16). A bucket holds the number of the restart whose entries have all the keys
//! that hash to it, or says that there is no such key, or more than one such restart. It can only
//! tell keys apart by their bytes, so orders in which different bytes may be equal have none.

use crate::base::hash::hash32_legacy;

/// The bucket of no key.
const NO_ENTRY: u8 = 255;
/// The bucket of keys behind several restarts.
const COLLISION: u8 = 254;
/// The number of the last restart that a bucket can hold.
const MAX_RESTART: usize = 253;
/// Blocks longer than this have no hash index, and no hash index makes a block longer.
pub(super) const MAX_HASHED_LEN: usize = 1 << 16;
const SEED: u32 = 397;

#[inline]
fn bucket(user_key: &[u8], buckets: usize) -> usize {
    hash32_legacy(user_key, SEED) as usize % buckets
}

/// Where the records of a key can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hashed {
    /// In no entry of the block.
    Nowhere,
    /// Behind this restart and before the next one, if they are in the block.
    Behind(usize),
    /// Anywhere.
    Anywhere,
}

/// Where `buckets`, which are not none, say that the records of `user_key` are.
#[inline]
pub(super) fn find(buckets: &[u8], user_key: &[u8]) -> Hashed {
    match buckets[bucket(user_key, buckets.len())] {
        NO_ENTRY => Hashed::Nowhere,
        COLLISION => Hashed::Anywhere,
        restart => Hashed::Behind(restart.into()),
    }
}

/// Collects the keys of one block after another.
pub(super) struct HashIndexBuilder {
    buckets_per_key: f64,
    /// Hash and restart of each key.
    keys: Vec<(u32, u8)>,
    /// Whether a key stands behind a restart that no bucket can hold.
    overflowed: bool,
}

impl HashIndexBuilder {
    /// Makes about one bucket for each `util_ratio` keys.
    pub fn new(util_ratio: f64) -> HashIndexBuilder {
        let util_ratio = if util_ratio > 0.0 { util_ratio } else { 0.75 };
        HashIndexBuilder { buckets_per_key: 1.0 / util_ratio, keys: Vec::new(), overflowed: false }
    }

    /// Takes a key that stands behind restart `restart`.
    pub fn add(&mut self, user_key: &[u8], restart: usize) {
        if self.overflowed {
            return;
        }
        if restart > MAX_RESTART {
            self.overflowed = true;
            return;
        }
        self.keys.push((hash32_legacy(user_key, SEED), restart as u8));
    }

    /// The number of buckets: odd, since this hash spreads badly over powers of two.
    fn num_buckets(&self) -> usize {
        let wanted = self.keys.len() as f64 * self.buckets_per_key;
        (wanted as usize).min(usize::from(u16::MAX)) | 1
    }

    /// The bytes that the index adds to its block; 0 if the block cannot have one.
    pub fn size(&self) -> usize {
        if self.overflowed { 0 } else { self.num_buckets() + 2 }
    }

    /// Appends the index to `block`; returns false and does nothing if that would be too long or
    /// has too many restarts. `footer_len` bytes follow.
    pub fn finish(&self, block: &mut Vec<u8>, footer_len: usize) -> bool {
        if self.overflowed || block.len() + self.size() + footer_len > MAX_HASHED_LEN {
            return false;
        }
        let start = block.len();
        let buckets = self.num_buckets();
        block.resize(start + buckets, NO_ENTRY);
        for &(hash, restart) in &self.keys {
            let slot = &mut block[start + hash as usize % buckets];
            *slot = match *slot {
                NO_ENTRY => restart,
                same if same == restart => restart,
                _ => COLLISION,
            };
        }
        // Within `MAX_HASHED_LEN`, hence within 16 bits.
        block.extend_from_slice(&(buckets as u16).to_le_bytes());
        true
    }

    /// Forgets the keys.
    pub fn reset(&mut self) {
        self.keys.clear();
        self.overflowed = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_say_where_keys_are() {
        let mut builder = HashIndexBuilder::new(0.75);
        let keys: Vec<Vec<u8>> = (0..40_u8).map(|i| vec![b'k', i]).collect();
        for (i, key) in keys.iter().enumerate() {
            builder.add(key, i / 4);
            builder.add(key, i / 4);
        }
        let size = builder.size();
        let mut block = vec![7; 3];
        assert!(builder.finish(&mut block, 4));
        assert_eq!(block.len(), 3 + size);
        // 80 keys at 4 buckets for 3 keys, made odd.
        assert_eq!(block[block.len() - 2..], [107, 0]);
        let buckets = &block[3..block.len() - 2];
        let mut exact = 0;
        for (i, key) in keys.iter().enumerate() {
            match find(buckets, key) {
                Hashed::Behind(restart) => {
                    assert_eq!(restart, i / 4);
                    exact += 1;
                }
                Hashed::Anywhere => {}
                Hashed::Nowhere => panic!("{key:?} is lost"),
            }
        }
        assert!(exact > 20, "{exact}");
        let absent = (0..200_u8).filter(|i| find(buckets, &[*i]) == Hashed::Nowhere).count();
        assert!(absent > 100, "{absent}");
        builder.reset();
        let mut block = Vec::new();
        assert!(builder.finish(&mut block, 4));
        assert_eq!(block, [NO_ENTRY, 1, 0]);
    }

    #[test]
    fn limits() {
        let mut builder = HashIndexBuilder::new(1.0);
        builder.add(b"a", MAX_RESTART);
        let mut block = vec![0; MAX_HASHED_LEN - 7];
        assert!(builder.finish(&mut block.clone(), 4));
        assert!(!builder.finish(&mut block, 5));
        assert_eq!(block.len(), MAX_HASHED_LEN - 7);
        builder.add(b"b", MAX_RESTART + 1);
        assert_eq!(builder.size(), 0);
        assert!(!builder.finish(&mut Vec::new(), 4));
    }
}
