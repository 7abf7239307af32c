//! XXPH3: the preview of XXH3 (xxHash 0.7.2) on which RocksDB settled for the hashes in its
//! filters, before the final XXH3 came out different. Seed 0 only. (RocksDB's `Hash64` and
//! `GetSliceHash64`; the algorithm is Yann Collet's.)

use super::coding::{fixed32, fixed64};

const PRIME32_1: u64 = 0x9e37_79b1;
const PRIME32_2: u64 = 0x85eb_ca77;
const PRIME32_3: u64 = 0xc2b2_ae3d;
const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;

const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];
/// The part of the secret that middle-sized inputs use.
const SECRET_MIN: usize = 136;
const STRIPE: usize = 64;
/// Stripes between two scrambles: each starts 8 bytes further into the secret.
const ROUNDS: usize = (SECRET.len() - STRIPE) / 8;

/// The hash of `bytes`.
#[inline]
pub fn xxph3_64(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0..=16 => short(bytes),
        17..=128 => medium(bytes),
        129..=240 => long_medium(bytes),
        _ => long(bytes),
    }
}

#[inline]
fn secret(at: usize) -> u64 {
    fixed64(&SECRET[at..])
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn avalanche(mut hash: u64) -> u64 {
    hash ^= hash >> 37;
    hash = hash.wrapping_mul(PRIME64_3);
    hash ^ (hash >> 32)
}

#[inline]
fn short(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    match len {
        0 => fold(secret(0), PRIME64_2),
        1..=3 => {
            let (a, b, c) = (bytes[0], bytes[len >> 1], bytes[len - 1]);
            let all = u64::from(u32::from_le_bytes([a, b, c, len as u8]));
            avalanche((all ^ u64::from(fixed32(&SECRET))).wrapping_mul(PRIME64_1))
        }
        4..=8 => {
            let low = u64::from(fixed32(bytes));
            let high = u64::from(fixed32(&bytes[len - 4..]));
            let keyed = (low | (high << 32)) ^ secret(0);
            let mixed = (keyed ^ (keyed >> 51)).wrapping_mul(PRIME32_1).wrapping_add(len as u64);
            avalanche((mixed ^ (mixed >> 47)).wrapping_mul(PRIME64_2))
        }
        _ => {
            let low = fixed64(bytes) ^ secret(0);
            let high = fixed64(&bytes[len - 8..]) ^ secret(8);
            let sum = low.wrapping_add(high).wrapping_add(fold(low, high));
            avalanche(sum.wrapping_add(len as u64))
        }
    }
}

/// Mixes the 16 bytes at `at` with the secret's at `key`.
#[inline]
fn mix16(bytes: &[u8], at: usize, key: usize) -> u64 {
    let pair = &bytes[at..at + 16];
    fold(fixed64(pair) ^ secret(key), fixed64(&pair[8..]) ^ secret(key + 8))
}

#[inline]
fn medium(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let mut hash = (len as u64).wrapping_mul(PRIME64_1);
    // From both ends towards the middle, 16 bytes each.
    for step in 0..len.div_ceil(32) {
        hash = hash.wrapping_add(mix16(bytes, 16 * step, 32 * step)).wrapping_add(mix16(
            bytes,
            len - 16 * (step + 1),
            32 * step + 16,
        ));
    }
    avalanche(hash)
}

fn long_medium(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let mut hash = (len as u64).wrapping_mul(PRIME64_1);
    for i in 0..8 {
        hash = hash.wrapping_add(mix16(bytes, 16 * i, 16 * i));
    }
    hash = avalanche(hash);
    for i in 8..len / 16 {
        hash = hash.wrapping_add(mix16(bytes, 16 * i, 16 * (i - 8) + 3));
    }
    avalanche(hash.wrapping_add(mix16(bytes, len - 16, SECRET_MIN - 17)))
}

#[inline]
fn accumulate(lanes: &mut [u64; 8], stripe: &[u8], key: usize) {
    for (i, lane) in lanes.iter_mut().enumerate() {
        let data = fixed64(&stripe[8 * i..]);
        let keyed = data ^ secret(key + 8 * i);
        let product = (keyed & 0xffff_ffff).wrapping_mul(keyed >> 32);
        *lane = lane.wrapping_add(data).wrapping_add(product);
    }
}

fn scramble(lanes: &mut [u64; 8]) {
    for (i, lane) in lanes.iter_mut().enumerate() {
        let mixed = *lane ^ (*lane >> 47) ^ secret(SECRET.len() - STRIPE + 8 * i);
        *lane = mixed.wrapping_mul(PRIME32_1);
    }
}

#[inline(never)]
fn long(bytes: &[u8]) -> u64 {
    let mut lanes =
        [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1];
    let (stripes, tail) = bytes.as_chunks::<STRIPE>();
    for block in stripes.chunks(ROUNDS) {
        for (i, stripe) in block.iter().enumerate() {
            accumulate(&mut lanes, stripe, 8 * i);
        }
        if block.len() == ROUNDS {
            scramble(&mut lanes);
        }
    }
    if !tail.is_empty() {
        accumulate(&mut lanes, &bytes[bytes.len() - STRIPE..], SECRET.len() - STRIPE - 7);
    }
    let mut hash = (bytes.len() as u64).wrapping_mul(PRIME64_1);
    for i in 0..4 {
        let (a, b) = (lanes[2 * i] ^ secret(11 + 16 * i), lanes[2 * i + 1] ^ secret(19 + 16 * i));
        hash = hash.wrapping_add(fold(a, b));
    }
    avalanche(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::hash64;

    #[test]
    fn known_answers() {
        let cases: [(&[u8], u64); 8] = [
            (b"", 5_999_572_062_939_766_020),
            (b"\x08", 583_283_813_901_344_696),
            (b"\x4d\x76", 6_859_542_833_406_258_115),
            (b"\x6a\xb5\xf4", 16_863_488_758_399_383_382),
            (b"\x67\x53\x81\x1c", 9_010_661_983_527_562_386),
            (b"\x31\x1b\x98\x75\x96\x22\xd3\x9a", 9_844_314_944_338_447_628),
            (b"\x1a\xb5\xd0\xfe\xab\xc3\x61\xb2\x99", 13_253_403_748_084_181_481),
            (b"\xbd\x2c\x63\x38\xbf\xe9\x78\xb7\xbf\x15", 10_551_812_464_348_219_044),
        ];
        for (bytes, hash) in cases {
            assert_eq!(xxph3_64(bytes), hash, "{bytes:?}");
        }
    }

    /// Hashes of every length up to 429 of a repeated word, each modulo 61 as a character.
    #[test]
    fn known_answers_at_every_length() {
        const DIGITS: &[u8; 61] = b"abcdefghijklmnopqrstuvwxyz123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const ANSWER: &str = "\
            cRhyWsY67B6klRA1udmOuiYuX7IthyGBKqbeosz2hzVglWCmQx8nEdnpkvPfYX56Up2OWOTV\
            lTzfAoYwvtqKzjD8E9xttR2unelbXbIV67NUe6bOO23BxaSFRcA3njGu5cUWfgwOqNoTsszp\
            uPvKRP6qaUR5VdoBkJUCFIefd7edlNK5mv6JYWaGdwxehg65hTkTmjZoPKxTZo4PLyzbL9U4\
            xt12ITSfeP2MfBHuLI2z2pDlBb44UQKVMx27LEoAHsdLp3WfWfgH3sdRBRCHm33UxCM4QmE2\
            xJ7gqSvNwTeH7v9GlC8zWbGroyD3UVNeShMLx29O7tH1biemLULwAHyIw8zdtLMDpEJ8m2ic\
            l6Lb4fDuuFNAs1GCVUthjK8CV8SWI8Rsz5THSwn5CGhpqUwSZcFknjwWIl5rNCvDxXJqYr";
        let input = b"foo".repeat(150);
        let digit = |len| char::from(DIGITS[(xxph3_64(&input[..len]) % 61) as usize]);
        assert_eq!((0..430).map(digit).collect::<String>(), ANSWER);
    }

    #[test]
    fn is_not_the_final_version() {
        for len in [1, 5, 12, 50, 200, 3000] {
            assert_ne!(xxph3_64(&vec![b'x'; len]), hash64(&vec![b'x'; len]), "{len}");
        }
    }
}
