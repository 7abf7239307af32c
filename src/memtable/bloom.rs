//! [`MemBloom`]: rules out that a memtable holds a key.

use crate::base::sync::{AtomicU64, Ordering};
use crate::base::xxph3::xxph3_64;
use crate::plug::slice_transform::SliceTransform;
use crate::stats::{Metric, perf};

/// The largest filter, as in RocksDB, which numbers its bits with 32 bits.
const MAX_BYTES: usize = 512 << 20;

/// A Bloom filter that many threads add to: each hash sets bits of one cache line.
pub struct MemBloom {
    lines: Box<[Line]>,
    /// Whose prefixes are in it.
    prefixes: Option<SliceTransform>,
    /// Whether whole keys are in it.
    whole_keys: bool,
    timestamp_size: usize,
}

#[repr(align(64))]
#[derive(Default)]
struct Line([AtomicU64; 8]);

impl MemBloom {
    /// Bits that a hash sets.
    const PROBES: u32 = 6;

    /// A filter of about `bytes`, or `None` if nothing would be in it. User keys end with
    /// `timestamp_size` bytes of timestamp.
    pub fn new(
        bytes: usize,
        prefixes: Option<SliceTransform>,
        whole_keys: bool,
        timestamp_size: usize,
    ) -> Option<MemBloom> {
        if bytes == 0 || (prefixes.is_none() && !whole_keys) {
            return None;
        }
        let lines = bytes.min(MAX_BYTES).div_ceil(size_of::<Line>());
        let lines = (0..lines).map(|_| Line::default()).collect();
        Some(MemBloom { lines, prefixes, whole_keys, timestamp_size })
    }

    pub(super) fn memory_usage(&self) -> usize {
        size_of_val(&*self.lines)
    }

    /// Adds a user key, before its record can be found.
    pub(super) fn add(&self, user_key: &[u8]) {
        let key = self.without_timestamp(user_key);
        if let Some(prefix) = self.prefixes.as_ref().and_then(|p| p.prefix(key)) {
            self.set(xxph3_64(prefix));
        }
        if self.whole_keys {
            self.set(xxph3_64(key));
        }
    }

    /// Whether a record of the user key may have been added; false is certain.
    pub(super) fn may_contain(&self, user_key: &[u8]) -> bool {
        let key = self.without_timestamp(user_key);
        if self.whole_keys {
            return self.asked(xxph3_64(key));
        }
        let prefix = self.prefixes.as_ref().and_then(|p| p.prefix(key));
        prefix.is_none_or(|prefix| self.asked(xxph3_64(prefix)))
    }

    /// [`has`](MemBloom::has) for a reader, whose thread may count.
    fn asked(&self, hash: u64) -> bool {
        let has = self.has(hash);
        if perf::is_on() {
            let metric = match has {
                true => Metric::BloomMemtableHitCount,
                false => Metric::BloomMemtableMissCount,
            };
            perf::add(metric, 1);
        }
        has
    }

    fn without_timestamp<'a>(&self, user_key: &'a [u8]) -> &'a [u8] {
        &user_key[..user_key.len().saturating_sub(self.timestamp_size)]
    }

    fn line(&self, hash: u64) -> &Line {
        &self.lines[(((hash & 0xffff_ffff) * self.lines.len() as u64) >> 32) as usize]
    }

    /// The words and bits of a hash within its line.
    fn bits(hash: u64) -> impl Iterator<Item = (usize, u64)> {
        let mut high = (hash >> 32) as u32;
        (0..Self::PROBES).map(move |_| {
            let bit = high >> 23;
            high = high.wrapping_mul(0x9e37_79b9);
            ((bit >> 6) as usize, 1 << (bit & 63))
        })
    }

    fn set(&self, hash: u64) {
        let line = self.line(hash);
        for (word, bit) in Self::bits(hash) {
            // Most bits of common prefixes are set already; looking costs less than writing.
            if line.0[word].load(Ordering::Relaxed) & bit == 0 {
                line.0[word].fetch_or(bit, Ordering::Relaxed);
            }
        }
    }

    fn has(&self, hash: u64) -> bool {
        let line = self.line(hash);
        Self::bits(hash).all(|(word, bit)| line.0[word].load(Ordering::Relaxed) & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found_and_little_else() {
        let keys = |from: u32| (from..from + 2000).map(|n| n.to_be_bytes());
        for (prefixes, whole) in [(None, true), (Some(SliceTransform::Fixed(4)), false)] {
            let bloom = MemBloom::new(4000, prefixes, whole, 0).unwrap();
            keys(0).for_each(|key| bloom.add(&key));
            assert!(keys(0).all(|key| bloom.may_contain(&key)));
            assert!(keys(10_000).filter(|key| bloom.may_contain(key)).count() < 200);
            // Keys without a prefix are not in the filter, so nothing is known of them.
            assert_eq!(bloom.may_contain(b"abc"), !whole);
        }
        assert!(MemBloom::new(0, None, true, 0).is_none());
        assert!(MemBloom::new(1000, None, false, 0).is_none());
    }
}
