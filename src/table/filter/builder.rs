//! [`FilterBuilder`]: collects the hashes of a table's keys and makes its filter block.

use super::bloom::{self, Line};
use super::{KeyHash, METADATA_LEN};
use crate::base::status::{Result, Status};
use crate::plug::filter_policy::FilterPolicy;

/// Builds one full filter, equal bit for bit to RocksDB's.
///
/// Every policy gets a Bloom filter of format version 5 for now. Such a filter describes itself:
/// all readers know it, whatever policy or format version the table has (readers older than it
/// take it for "maybe").
pub struct FilterBuilder {
    millibits_per_key: u32,
    hashes: Vec<u64>,
    /// The hash of the prefix that came with the key added last.
    last_prefix: Option<u64>,
}

impl FilterBuilder {
    /// A builder for `policy`, or `None` when the policy writes no filters.
    pub fn new(policy: &FilterPolicy) -> Option<FilterBuilder> {
        let millibits_per_key = policy.millibits_per_key();
        (millibits_per_key > 0).then(|| FilterBuilder {
            millibits_per_key,
            hashes: Vec::new(),
            last_prefix: None,
        })
    }

    /// How many keys a filter of at most `bytes` holds.
    pub fn entries_in(policy: &FilterPolicy, bytes: usize) -> usize {
        let bits = bytes.saturating_sub(METADATA_LEN).saturating_mul(8000);
        bits / policy.millibits_per_key().max(1) as usize
    }

    /// What was added so far; this builder starts anew.
    pub fn take(&mut self) -> FilterBuilder {
        let millibits_per_key = self.millibits_per_key;
        let fresh = FilterBuilder { millibits_per_key, hashes: Vec::new(), last_prefix: None };
        std::mem::replace(self, fresh)
    }

    /// Adds a user key without its timestamp, or a prefix alone. Repeating what was just added
    /// costs nothing.
    #[inline]
    pub fn add(&mut self, key: &[u8]) {
        let KeyHash(hash) = KeyHash::of(key);
        if self.hashes.last() != Some(&hash) {
            self.hashes.push(hash);
        }
    }

    /// Adds a key and its prefix. A run of keys with one prefix adds that once; a key that is its
    /// own prefix counts once.
    pub fn add_with_prefix(&mut self, key: &[u8], prefix: &[u8]) {
        let (KeyHash(key), KeyHash(prefix)) = (KeyHash::of(key), KeyHash::of(prefix));
        let last_key = self.hashes.last().copied();
        let last_prefix = self.last_prefix.replace(prefix);
        if Some(prefix) != last_prefix && Some(prefix) != last_key && prefix != key {
            self.hashes.push(prefix);
        }
        // The key comes last, so that the next one is compared with it.
        if Some(key) != last_key && Some(key) != last_prefix {
            self.hashes.push(key);
        }
    }

    /// How many keys were added, those repeated in a row counted once: the table property
    /// `num_filter_entries`.
    pub fn num_entries(&self) -> usize {
        self.hashes.len()
    }

    /// The length of the block that [`finish`](FilterBuilder::finish) would make now, in bytes.
    pub fn block_len(&self) -> usize {
        match self.hashes.len() {
            0 => 0,
            keys => bloom::bits_len(keys, self.millibits_per_key) + METADATA_LEN,
        }
    }

    /// The filter block: empty when no key was added, which readers take for "never".
    pub fn finish(self) -> Result<Vec<u8>> {
        let len = self.block_len();
        let mut block = Vec::new();
        if len == 0 {
            return Ok(block);
        }
        block
            .try_reserve_exact(len)
            .map_err(|_| Status::aborted(format!("no memory for a filter of {len} bytes")))?;
        block.resize(len, 0);
        let (bits, metadata) = block.split_at_mut(len - METADATA_LEN);
        let probes = bloom::probes(self.millibits_per_key);
        fill(bits, &self.hashes, probes);
        // -1: a newer Bloom filter; 0: this kind of it; 64-byte lines and the probes; 2 reserved.
        metadata[..3].copy_from_slice(&[0xff, 0, probes as u8]);
        Ok(block)
    }
}

fn fill(bits: &mut [u8], hashes: &[u64], probes: u32) {
    let (lines, _) = bits.as_chunks_mut::<{ Line::LEN }>();
    for &hash in hashes {
        let line = &mut lines[bloom::line_of(hash as u32, lines.len())];
        bloom::add(line, (hash >> 32) as u32, probes);
    }
}
