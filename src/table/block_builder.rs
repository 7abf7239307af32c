//! [`BlockBuilder`]: makes blocks of sorted, prefix-compressed entries.
//!
//! An entry is `varint32 shared, varint32 unshared, varint32 value length, unshared key bytes,
//! value`; every `restart_interval`th entry shares nothing and its offset goes to the restart
//! array (fixed32 each), which ends the block together with its length (fixed32). Between the two
//! there may be a [hash index](super::hash_index).

use super::hash_index::HashIndexBuilder;
use crate::base::coding::{put_fixed32, put_varint32, varint_len};
use crate::base::key::user_key;

/// The flag in the footer of blocks that have a hash index.
pub(super) const HASH_INDEX: u32 = 1 << 31;

/// Builds one block after another in the same memory.
pub struct BlockBuilder {
    restart_interval: usize,
    delta_keys: bool,
    /// Index blocks of format version 4 on: entries have no value length, and the value of an
    /// entry that shares key bytes is given relative to the one before.
    delta_values: bool,
    hash_index: Option<HashIndexBuilder>,
    buffer: Vec<u8>,
    restarts: Vec<u32>,
    /// Entries since the last restart.
    counter: usize,
    last_key: Vec<u8>,
}

impl BlockBuilder {
    /// A builder of blocks whose values stand as they are; with `delta_keys` keys are
    /// prefix-compressed.
    pub fn new(restart_interval: usize, delta_keys: bool) -> BlockBuilder {
        BlockBuilder {
            restart_interval: restart_interval.max(1),
            delta_keys,
            delta_values: false,
            hash_index: None,
            buffer: Vec::new(),
            restarts: vec![0],
            counter: 0,
            last_key: Vec::new(),
        }
    }

    /// A builder of index blocks whose values are self-delimiting, and delta-encoded between
    /// restarts.
    pub fn with_delta_values(restart_interval: usize) -> BlockBuilder {
        BlockBuilder { delta_values: true, ..BlockBuilder::new(restart_interval, true) }
    }

    /// Adds a hash index of the user keys to each block that may have one; the keys are internal
    /// keys. `util_ratio` is the number of keys for a bucket.
    pub fn with_hash_index(mut self, util_ratio: f64) -> BlockBuilder {
        self.hash_index = Some(HashIndexBuilder::new(util_ratio));
        self
    }

    /// Appends an entry; its key must be behind the last one's. Key and value must be shorter
    /// than 4 GiB.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        debug_assert!(!self.delta_values);
        self.add_entry(key, value, None);
    }

    /// Appends an entry to a block with delta-encoded values: `delta` stands for `value` where
    /// the key shares bytes with the one before.
    pub fn add_delta(&mut self, key: &[u8], value: &[u8], delta: &[u8]) {
        debug_assert!(self.delta_values);
        self.add_entry(key, value, Some(delta));
    }

    fn add_entry(&mut self, key: &[u8], value: &[u8], delta: Option<&[u8]>) {
        let mut shared = 0;
        if self.counter >= self.restart_interval {
            self.restarts.push(self.buffer.len() as u32);
            self.counter = 0;
        } else if self.delta_keys {
            shared = shared_prefix(&self.last_key, key);
        }
        put_varint32(&mut self.buffer, shared as u32);
        put_varint32(&mut self.buffer, (key.len() - shared) as u32);
        if !self.delta_values {
            put_varint32(&mut self.buffer, value.len() as u32);
        }
        self.buffer.extend_from_slice(&key[shared..]);
        self.buffer.extend_from_slice(match delta {
            Some(delta) if shared > 0 => delta,
            _ => value,
        });
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&key[shared..]);
        self.counter += 1;
        if let Some(index) = &mut self.hash_index {
            index.add(user_key(key), self.restarts.len() - 1);
        }
    }

    /// Completes the block: appends the restart array and returns everything. Only
    /// [`reset`](BlockBuilder::reset) may follow.
    pub fn finish(&mut self) -> &mut Vec<u8> {
        for &restart in &self.restarts {
            put_fixed32(&mut self.buffer, restart);
        }
        let mut footer = self.restarts.len() as u32;
        if let Some(index) = &self.hash_index
            && index.finish(&mut self.buffer, size_of_val(&footer))
        {
            footer |= HASH_INDEX;
        }
        put_fixed32(&mut self.buffer, footer);
        &mut self.buffer
    }

    /// Starts the next block.
    pub fn reset(&mut self) {
        self.buffer.clear();
        self.restarts.truncate(1);
        self.counter = 0;
        self.last_key.clear();
        if let Some(index) = &mut self.hash_index {
            index.reset();
        }
    }

    /// The key added last; empty in an empty block.
    pub fn last_key(&self) -> &[u8] {
        &self.last_key
    }

    /// Whether the block has no entry.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The size of the block if it were completed now, with the hash index even where that makes
    /// it too long.
    pub fn size_estimate(&self) -> usize {
        let hash_index = self.hash_index.as_ref().map_or(0, HashIndexBuilder::size);
        self.buffer.len() + 4 * self.restarts.len() + 4 + hash_index
    }

    /// About the size of the block with one more entry. RocksDB's estimate, which ignores shared
    /// prefixes, so that blocks end where RocksDB ends them.
    pub fn size_estimate_after(&self, key: &[u8], value: &[u8]) -> usize {
        let restart = if self.counter >= self.restart_interval { 4 } else { 0 };
        self.size_estimate()
            + key.len()
            + value.len()
            + restart
            + 4
            + varint_len(key.len() as u64)
            + varint_len(value.len() as u64)
    }

    /// Whether the block has grown so large that restart offsets would not fit.
    pub fn is_too_large(&self) -> bool {
        self.buffer.len() > u32::MAX as usize
    }
}

/// The length of the longest common prefix of `a` and `b`.
#[inline]
pub(super) fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    let mut at = 0;
    let (a_words, _) = a.as_chunks::<8>();
    let (b_words, _) = b.as_chunks::<8>();
    for (x, y) in a_words.iter().zip(b_words) {
        let diff = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if diff != 0 {
            return at + diff.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_leveldbs() {
        let mut builder = BlockBuilder::new(2, true);
        assert!(builder.is_empty());
        builder.add(b"abc", b"1");
        builder.add(b"abd", b"");
        builder.add(b"abe", b"22");
        let estimate = builder.size_estimate();
        let block = builder.finish();
        assert_eq!(estimate, block.len());
        let expected = b"\0\x03\x01abc1\x02\x01\0d\0\x03\x02abe22\0\0\0\0\x0b\0\0\0\x02\0\0\0";
        assert_eq!(block, expected);
        builder.reset();
        assert_eq!(builder.finish(), b"\0\0\0\0\x01\0\0\0");
    }

    #[test]
    fn shared_prefix_counts_every_byte() {
        let a: Vec<u8> = (0..40).collect();
        for len in 0..a.len() {
            for diff in 0..=len {
                let mut b = a[..len].to_vec();
                if diff < len {
                    b[diff] ^= 0x80;
                }
                assert_eq!(shared_prefix(&a, &b), diff.min(len));
                assert_eq!(shared_prefix(&b, &a), diff.min(len));
            }
        }
    }
}
