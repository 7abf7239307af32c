//! The Bloom filter of tables before format version 5 (RocksDB's `LegacyLocalityBloom`): a 32-bit
//! hash chooses one cache line and, with itself rotated added again and again, bits in it.

use super::METADATA_LEN;
use crate::base::hash::hash32_legacy;
use crate::base::status::{Result, Status};

/// The cache lines of filters that are written here.
const LINE_LEN: usize = 64;
/// More bits than this have no 32-bit number.
const MAX_BITS: u64 = 0xffff_0000;

/// What a key hashes to.
#[inline]
pub(super) fn hash(key: &[u8]) -> u32 {
    hash32_legacy(key, 0xbc9f_1d34)
}

/// How many bits a key sets.
fn probes(bits_per_key: u32) -> u32 {
    ((f64::from(bits_per_key) * 0.69) as u32).clamp(1, 30)
}

/// The lines for `keys` keys: an odd number, so that all bits of the hash choose one.
fn lines(keys: usize, bits_per_key: u32) -> u32 {
    let bits = (keys as u64).saturating_mul(bits_per_key.into()).min(MAX_BITS);
    bits.div_ceil(8 * LINE_LEN as u64) as u32 | 1
}

/// The length of the filter's bits for `keys` keys, in bytes.
pub(super) fn bits_len(keys: usize, bits_per_key: u32) -> usize {
    lines(keys, bits_per_key) as usize * LINE_LEN
}

/// The most keys whose filter, with its metadata, has at most `bytes` bytes.
pub(super) fn keys_in(bytes: usize, bits_per_key: u32) -> usize {
    let bits = (bytes as u64).saturating_mul(8).min(MAX_BITS);
    let most = (bits / u64::from(bits_per_key.max(1)) + 1) as usize;
    let fits = |keys: &usize| bits_len(*keys, bits_per_key) + METADATA_LEN <= bytes;
    // A step of two lines has at most 1024 bits, so the search is short.
    (1..=most).rev().take(2048).find(fits).unwrap_or(0)
}

/// Sets the bits of `hashes` in `bits` and writes the metadata.
pub(super) fn write(
    hashes: &[u64],
    bits_per_key: u32,
    bits: &mut [u8],
    metadata: &mut [u8; METADATA_LEN],
) {
    let lines = (bits.len() / LINE_LEN) as u32;
    let probes = probes(bits_per_key);
    for &hash in hashes {
        let hash = hash as u32;
        let start = (hash % lines) as usize * LINE_LEN;
        for bit in bits_of(hash, 8 * LINE_LEN, probes) {
            bits[start + bit / 8] |= 1 << (bit % 8);
        }
    }
    let [a, b, c, d] = lines.to_le_bytes();
    *metadata = [probes as u8, a, b, c, d];
}

/// The bits of a hash in its line of `line_bits` bits, a power of two.
#[inline]
fn bits_of(hash: u32, line_bits: usize, probes: u32) -> impl Iterator<Item = usize> {
    let delta = hash.rotate_right(17);
    (0..probes).map(move |i| hash.wrapping_add(i.wrapping_mul(delta)) as usize & (line_bits - 1))
}

/// A filter in memory.
pub(super) struct LegacyBloom {
    bits: Box<[u8]>,
    lines: u32,
    /// A power of two; other than 64 where the filter comes from a machine with other cache lines.
    line_len: usize,
    probes: u32,
}

impl LegacyBloom {
    /// The filter of these bits, if its metadata is understood.
    pub(super) fn new(bits: &[u8], metadata: [u8; METADATA_LEN]) -> Result<Option<LegacyBloom>> {
        let [probes, lines @ ..] = metadata;
        let lines = u32::from_le_bytes(lines);
        if !(1..=127).contains(&probes) || lines == 0 || bits.is_empty() {
            return Ok(None);
        }
        let line_len = bits.len() / lines as usize;
        if line_len * lines as usize != bits.len() || !line_len.is_power_of_two() {
            return Ok(None);
        }
        let mut copy = Vec::new();
        copy.try_reserve_exact(bits.len())
            .map_err(|_| Status::aborted(format!("no memory for a filter of {}", bits.len())))?;
        copy.extend_from_slice(bits);
        Ok(Some(LegacyBloom {
            bits: copy.into_boxed_slice(),
            lines,
            line_len,
            probes: probes.into(),
        }))
    }

    /// Whether `key` may have been added.
    #[inline]
    pub(super) fn may_match(&self, key: &[u8]) -> bool {
        let hash = hash(key);
        let start = (hash % self.lines) as usize * self.line_len;
        bits_of(hash, 8 * self.line_len, self.probes)
            .all(|bit| self.bits[start + bit / 8] & (1 << (bit % 8)) != 0)
    }

    /// The memory that it takes, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.bits.len()
    }
}
