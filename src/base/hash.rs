//! Hashes that the formats depend on.

/// XXH3, 64 bits, seed 0: block checksums. Filters hash with [`xxph3`](super::xxph3) instead.
#[inline]
pub fn hash64(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// XXH3, 64 bits, with a seed.
#[inline]
pub fn hash64_seeded(bytes: &[u8], seed: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed)
}

/// [`hash64_seeded`] of bytes that come in pieces.
pub fn hash64_of_pieces(pieces: &[&[u8]], seed: u64) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::with_seed(seed);
    pieces.iter().for_each(|piece| hasher.update(piece));
    hasher.digest()
}

/// LevelDB's 32-bit hash, which chooses shards and fills the filters of old tables.
///
/// Bytes beyond the last group of four are sign-extended, as a signed `char` was on the machines
/// that defined the format.
pub fn hash32_legacy(bytes: &[u8], seed: u32) -> u32 {
    const M: u32 = 0xc6a4_a793;
    let mut h = seed ^ (bytes.len() as u32).wrapping_mul(M);
    let (words, tail) = bytes.as_chunks::<4>();
    for word in words {
        h = h.wrapping_add(u32::from_le_bytes(*word)).wrapping_mul(M);
        h ^= h >> 16;
    }
    for (i, &byte) in tail.iter().enumerate().rev() {
        h = h.wrapping_add((i32::from(byte as i8) as u32) << (8 * i));
    }
    if !tail.is_empty() {
        h = h.wrapping_mul(M);
        h ^= h >> 24;
    }
    h
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legacy_hash_known_answers() {
        let cases: [(&[u8], u32); 6] = [
            (&[], 3_164_544_308),
            (&[0x08], 422_599_524),
            (&[0x9a], 3_195_034_349),
            (&[0x91, 0xf7], 31_066_776),
            (&[0x6a, 0xb5, 0xf4], 2_469_105_222),
            (&[0x86, 0x83, 0xd5, 0xa4, 0xd8], 2_390_603_402),
        ];
        for (bytes, expected) in cases {
            assert_eq!(hash32_legacy(bytes, 0xbc9f_1d34), expected, "{bytes:?}");
        }
    }

    #[test]
    fn xxh3_known_answer() {
        assert_eq!(hash64(b""), 0x2d06_8005_38d3_94c2);
    }
}
