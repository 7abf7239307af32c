//! [`FilterBuilder`]: collects the hashes of a table's keys and makes its filter block.

use super::bloom::{self, Line};
use super::ribbon::{Banding, Sizing};
use super::{FilterReader, KeyHash, METADATA_LEN, legacy};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::cache::allocated_len;
use crate::plug::filter_policy::{FilterBalance, FilterPolicy};

/// What besides the policy decides about a filter.
#[derive(Clone, Copy, Debug)]
pub struct FilterContext {
    /// The table's format version: before 5, Bloom filters are of the older kind.
    pub format_version: u32,
    /// The level that the table is written for; -1 is a flush.
    pub level: i32,
    /// Fit the size to what the allocator hands out, so that filters in memory waste less.
    pub optimize_for_memory: bool,
    /// Check that hashes did not change in memory, and that the filter has all of them.
    pub detect_corruption: bool,
}

impl FilterContext {
    /// The level of tables that are written for none.
    pub const NO_LEVEL: i32 = i32::MAX - 1;
}

impl Default for FilterContext {
    fn default() -> Self {
        FilterContext {
            format_version: 7,
            level: Self::NO_LEVEL,
            optimize_for_memory: false,
            detect_corruption: false,
        }
    }
}

/// The kinds of filter that are written. Each describes itself, so that readers know it whatever
/// the policy.
#[derive(Clone, Copy)]
enum Kind {
    Bloom,
    Ribbon(Sizing),
    Legacy { bits_per_key: u32 },
}

/// Builds one full filter, equal bit for bit to RocksDB's.
pub struct FilterBuilder {
    kind: Kind,
    millibits_per_key: u32,
    balance: Option<Arc<FilterBalance>>,
    detect_corruption: bool,
    hashes: Vec<u64>,
    /// The hash of the prefix that came with the key added last.
    last_prefix: Option<u64>,
    /// All hashes, exclusively or-ed.
    sum: u64,
}

impl FilterBuilder {
    /// A builder for `policy`, or `None` when the policy writes no filters.
    pub fn new(policy: &FilterPolicy, context: &FilterContext) -> Option<FilterBuilder> {
        let millibits_per_key = policy.millibits_per_key();
        let kind = if policy.wants_ribbon(context.level) {
            Kind::Ribbon(Sizing::new(policy.bits_per_key(), millibits_per_key))
        } else if context.format_version < 5 && !policy.is_ribbon() {
            Kind::Legacy { bits_per_key: policy.whole_bits_per_key() }
        } else {
            Kind::Bloom
        };
        (millibits_per_key > 0).then(|| FilterBuilder {
            kind,
            millibits_per_key,
            balance: context.optimize_for_memory.then(|| policy.balance().clone()),
            detect_corruption: context.detect_corruption,
            hashes: Vec::new(),
            last_prefix: None,
            sum: 0,
        })
    }

    /// How many keys a filter of at most `bytes` holds.
    pub fn entries_in(&self, bytes: usize) -> usize {
        let len = bytes.saturating_sub(METADATA_LEN);
        let bloom = bloom::keys_in(len, self.millibits_per_key);
        match self.kind {
            Kind::Bloom => bloom,
            Kind::Legacy { bits_per_key } => legacy::keys_in(bytes, bits_per_key),
            // Small filters become Bloom filters where that is better.
            Kind::Ribbon(sizing) => match sizing.keys_in(len) {
                keys if keys < 1024 => keys.max(bloom),
                keys => keys,
            },
        }
    }

    /// What was added so far; this builder starts anew.
    pub fn take(&mut self) -> FilterBuilder {
        FilterBuilder {
            hashes: std::mem::take(&mut self.hashes),
            last_prefix: self.last_prefix.take(),
            sum: std::mem::take(&mut self.sum),
            balance: self.balance.clone(),
            ..*self
        }
    }

    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        match self.kind {
            Kind::Legacy { .. } => legacy::hash(key).into(),
            _ => KeyHash::of(key).0,
        }
    }

    #[inline]
    fn push(&mut self, hash: u64) {
        self.sum ^= hash;
        self.hashes.push(hash);
    }

    /// Adds a user key without its timestamp, or a prefix alone. Repeating what was just added
    /// costs nothing.
    #[inline]
    pub fn add(&mut self, key: &[u8]) {
        let hash = self.hash(key);
        if self.hashes.last() != Some(&hash) {
            self.push(hash);
        }
    }

    /// Adds a key and its prefix. A run of keys with one prefix adds that once; a key that is its
    /// own prefix counts once.
    pub fn add_with_prefix(&mut self, key: &[u8], prefix: &[u8]) {
        let (key, prefix) = (self.hash(key), self.hash(prefix));
        let last_key = self.hashes.last().copied();
        let last_prefix = self.last_prefix.replace(prefix);
        if Some(prefix) != last_prefix && Some(prefix) != last_key && prefix != key {
            self.push(prefix);
        }
        // The key comes last, so that the next one is compared with it.
        if Some(key) != last_key && Some(key) != last_prefix {
            self.push(key);
        }
    }

    /// How many keys were added, those repeated in a row counted once: the table property
    /// `num_filter_entries`.
    pub fn num_entries(&self) -> usize {
        self.hashes.len()
    }

    /// The length of the block that [`finish`](FilterBuilder::finish) would make now, in bytes, if
    /// its size is not fitted to the allocator.
    pub fn block_len(&self) -> usize {
        let keys = self.hashes.len();
        if keys == 0 {
            return 0;
        }
        let bits = match self.kind {
            Kind::Legacy { bits_per_key } => legacy::bits_len(keys, bits_per_key),
            Kind::Ribbon(sizing) => self
                .ribbon_space(sizing)
                .map_or_else(|| bloom::bits_len(keys, self.millibits_per_key), |(_, len)| len),
            Kind::Bloom => bloom::bits_len(keys, self.millibits_per_key),
        };
        bits + METADATA_LEN
    }

    fn ribbon_space(&self, sizing: Sizing) -> Option<(u32, usize)> {
        sizing.space(self.hashes.len(), *self.hashes.first()?)
    }

    /// The filter block: empty when no key was added, which readers take for "never".
    pub fn finish(self) -> Result<Vec<u8>> {
        if self.hashes.is_empty() {
            return Ok(Vec::new());
        }
        if self.detect_corruption && self.hashes.iter().fold(0, |sum, hash| sum ^ hash) != self.sum
        {
            return Err(Status::corruption("Filter's hash entries checksum mismatched"));
        }
        let block = match self.kind {
            Kind::Bloom => self.finish_bloom()?,
            Kind::Legacy { bits_per_key } => self.finish_legacy(bits_per_key)?,
            Kind::Ribbon(sizing) => match self.finish_ribbon(sizing)? {
                Some(block) => block,
                None => self.finish_bloom()?,
            },
        };
        self.check(&block)?;
        Ok(block)
    }

    fn finish_bloom(&self) -> Result<Vec<u8>> {
        let keys = self.hashes.len();
        let wanted = bloom::bits_len(keys, self.millibits_per_key);
        let probes = |len: usize| match self.balance {
            Some(_) => bloom::probes((len as u64 * 8000 / keys as u64).min(200_000) as u32),
            None => bloom::probes(self.millibits_per_key),
        };
        let rate = |len: usize| bloom::false_positives(keys, len, probes(len));
        let len = self.fitted_len(wanted, Line::LEN, rate).min(bloom::MAX_LEN as usize);
        let mut block = zeroed(len + METADATA_LEN)?;
        let (bits, metadata) = block.split_at_mut(len);
        let probes = probes(len);
        let (lines, _) = bits.as_chunks_mut::<{ Line::LEN }>();
        for &hash in &self.hashes {
            let line = &mut lines[bloom::line_of(hash as u32, lines.len())];
            bloom::add(line, (hash >> 32) as u32, probes);
        }
        // -1: a newer Bloom filter; 0: this kind of it; 64-byte lines and the probes; 2 reserved.
        metadata[..3].copy_from_slice(&[0xff, 0, probes as u8]);
        Ok(block)
    }

    fn finish_legacy(&self, bits_per_key: u32) -> Result<Vec<u8>> {
        let len = legacy::bits_len(self.hashes.len(), bits_per_key);
        let mut block = zeroed(len + METADATA_LEN)?;
        if let Some((bits, metadata)) = block.split_last_chunk_mut() {
            legacy::write(&self.hashes, bits_per_key, bits, metadata);
        }
        Ok(block)
    }

    /// `None` where a Bloom filter is better, or the only one that there is.
    fn finish_ribbon(&self, sizing: Sizing) -> Result<Option<Vec<u8>>> {
        let Some((slots, wanted)) = self.ribbon_space(sizing) else { return Ok(None) };
        let Some(banding) = Banding::solve(slots, &self.hashes)? else { return Ok(None) };
        let rate = |len: usize| sizing.false_positives(self.hashes.len(), len);
        let len = self.fitted_len(wanted, size_of::<u128>(), rate);
        let mut block = zeroed(len + METADATA_LEN)?;
        if let Some((bits, metadata)) = block.split_last_chunk_mut() {
            banding.write(bits, metadata);
        }
        Ok(Some(block))
    }

    /// The length, a multiple of `unit`, that is taken instead of `wanted` so that less of what the
    /// allocator hands out for a filter in memory is wasted. What is handed out beyond `wanted` is
    /// used, and lowers the rate of false positives; if those of earlier filters are that much
    /// better than was asked for, this one may be smaller.
    fn fitted_len(&self, wanted: usize, unit: usize, rate: impl Fn(usize) -> f64) -> usize {
        let Some(balance) = &self.balance else { return wanted };
        let target = rate(wanted);
        let allowed = target - balance.excess();
        let mut len = wanted;
        if allowed > target {
            let smaller = [12, 13, 14, 15].map(|part| wanted / 16 * part / unit * unit);
            len = smaller.into_iter().find(|len| *len > 0 && rate(*len) <= allowed).unwrap_or(len);
        }
        let usable = allocated_len(len, unit);
        // An allocator that rounds up by more than a third is better left alone: so many more bits
        // would hardly help.
        if usable > len && usable - usable / 4 <= len {
            len = usable / unit * unit;
        }
        balance.add(rate(len) - target);
        len
    }

    /// What a fault of the memory does to a hash.
    #[cfg(test)]
    pub(super) fn flip_a_bit(&mut self) {
        self.hashes[7] ^= 1 << 40;
    }

    /// With `detect_corruption`, the error for a filter that lacks a key.
    fn check(&self, block: &[u8]) -> Result<()> {
        if !self.detect_corruption || matches!(self.kind, Kind::Legacy { .. }) {
            return Ok(());
        }
        let reader = FilterReader::new(block)?;
        match self.hashes.iter().all(|hash| reader.may_match(KeyHash(*hash))) {
            true => Ok(()),
            false => Err(Status::corruption("Corrupted filter content")),
        }
    }
}

fn zeroed(len: usize) -> Result<Vec<u8>> {
    let mut block = Vec::new();
    block
        .try_reserve_exact(len)
        .map_err(|_| Status::aborted(format!("no memory for a filter of {len} bytes")))?;
    block.resize(len, 0);
    Ok(block)
}
