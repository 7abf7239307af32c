//! The cache-local Bloom filter of format version 5 (RocksDB's `FastLocalBloom`): the low half of
//! a key's hash chooses one 64-byte line, the high half is multiplied by the golden ratio again
//! and again, and the top nine bits of each product name a bit of that line.

/// 2^32 divided by the golden ratio.
const GOLDEN: u32 = 0x9e37_79b9;
/// The largest filter: lines are chosen with 32-bit arithmetic.
pub(super) const MAX_LEN: u64 = 0xffff_ffc0;

/// One cache line of bits.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) [u8; Line::LEN]);

impl Line {
    pub(super) const LEN: usize = 64;

    /// Whether all `probes` bits are set.
    #[inline]
    pub(super) fn contains(&self, high: u32, probes: u32) -> bool {
        let mut h = high;
        for _ in 0..probes {
            let bit = h >> 23;
            if self.0[(bit >> 3) as usize] & (1 << (bit & 7)) == 0 {
                return false;
            }
            h = h.wrapping_mul(GOLDEN);
        }
        true
    }
}

/// Sets the `probes` bits of a line for the high half of a hash.
#[inline]
pub(super) fn add(line: &mut [u8; Line::LEN], high: u32, probes: u32) {
    let mut h = high;
    for _ in 0..probes {
        let bit = h >> 23;
        line[(bit >> 3) as usize] |= 1 << (bit & 7);
        h = h.wrapping_mul(GOLDEN);
    }
}

/// The line, of `lines`, of a hash whose low half is `low` (Lemire's range reduction).
#[inline]
pub(super) fn line_of(low: u32, lines: usize) -> usize {
    ((u64::from(low) * lines as u64) >> 32) as usize
}

/// The most keys that `len` bytes of bits hold.
pub(super) fn keys_in(len: usize, millibits_per_key: u32) -> usize {
    let lines = len / Line::LEN * Line::LEN;
    lines.saturating_mul(8000) / millibits_per_key.max(1) as usize
}

/// The bytes of bits for `keys` keys, a multiple of the line's length.
pub(super) fn bits_len(keys: usize, millibits_per_key: u32) -> usize {
    let bits = keys as u128 * u128::from(millibits_per_key);
    let bytes = bits.div_ceil(8000).min(u128::from(MAX_LEN)) as u64;
    bytes.next_multiple_of(Line::LEN as u64) as usize
}

/// How many bits a key sets: the counts that gave the fewest false positives, with a lean towards
/// 8, since up to eight probes cost the same with wide registers. Part of what makes filters equal
/// to RocksDB's bit for bit.
pub(super) fn probes(millibits_per_key: u32) -> u32 {
    const UP_TO: [u32; 12] =
        [2080, 3580, 5100, 6640, 8300, 10_070, 11_720, 14_001, 16_050, 18_300, 22_001, 25_501];
    if let Some(at) = UP_TO.iter().position(|&limit| millibits_per_key <= limit) {
        return at as u32 + 1;
    }
    match millibits_per_key {
        ..=50_000 => (millibits_per_key - 1) / 2000 - 1,
        _ => 24,
    }
}

/// The rate of false positives of a Bloom filter with `bits_per_key` and all of a key's `probes`
/// in one line: about the mean of lines as crowded as the standard deviation makes them, and as
/// empty.
pub(super) fn cache_local_false_positives(bits_per_key: f64, probes: u32) -> f64 {
    if bits_per_key <= 0.0 {
        return 1.0;
    }
    let line_bits = 8.0 * Line::LEN as f64;
    let probes = f64::from(probes);
    let rate = |bits_per_key: f64| (1.0 - (-probes / bits_per_key).exp()).powf(probes);
    let keys = line_bits / bits_per_key;
    let deviation = keys.sqrt();
    (rate(line_bits / (keys + deviation)) + rate(line_bits / (keys - deviation))) / 2.0
}

/// The rate of false positives of a filter with `len` bytes of bits for `keys` keys.
pub(super) fn false_positives(keys: usize, len: usize, probes: u32) -> f64 {
    let filter = cache_local_false_positives(8.0 * len as f64 / keys as f64, probes);
    // Two keys may have one hash of 64 bits, too.
    let hash = keys as f64 * 0.5f64.powf(64.0);
    filter + hash - filter * hash
}
