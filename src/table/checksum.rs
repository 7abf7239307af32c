//! Block checksums: five kinds, and from format version 6 on mixed with the block's place, so that
//! a block that was written to a wrong place, or belongs to another file, is noticed.

use crate::base::checksum::{crc32c, crc32c_extend, mask_crc, unmask_crc};
use crate::base::hash::hash64;
pub use crate::options::ChecksumType;
use crate::options::enums::Numbered;
use xxhash_rust::xxh32::{Xxh32, xxh32};
use xxhash_rust::xxh64::{Xxh64, xxh64};

impl ChecksumType {
    /// The kind with number `byte`.
    pub fn from_u8(byte: u8) -> Option<ChecksumType> {
        ChecksumType::from_number(byte.into())
    }

    /// The sum of `bytes`.
    pub fn compute(self, bytes: &[u8]) -> u32 {
        match self {
            ChecksumType::None => 0,
            ChecksumType::Crc32c => mask_crc(crc32c(bytes)),
            ChecksumType::XxHash => xxh32(bytes, 0),
            ChecksumType::XxHash64 => xxh64(bytes, 0) as u32,
            ChecksumType::Xxh3 => match bytes.split_last() {
                None => 0,
                Some((&last, front)) => xxh3_with_last(front, last),
            },
        }
    }

    /// The sum of `bytes` followed by `last`.
    pub fn compute_with_last(self, bytes: &[u8], last: u8) -> u32 {
        match self {
            ChecksumType::None => 0,
            ChecksumType::Crc32c => mask_crc(crc32c_extend(crc32c(bytes), &[last])),
            ChecksumType::XxHash => {
                let mut state = Xxh32::new(0);
                state.update(bytes);
                state.update(&[last]);
                state.digest()
            }
            ChecksumType::XxHash64 => {
                let mut state = Xxh64::new(0);
                state.update(bytes);
                state.update(&[last]);
                state.digest() as u32
            }
            ChecksumType::Xxh3 => xxh3_with_last(bytes, last),
        }
    }

    /// A sum as error messages show it: CRCs without their mask.
    pub fn displayed(self, sum: u32) -> u32 {
        if self == ChecksumType::Crc32c { unmask_crc(sum) } else { sum }
    }
}

fn xxh3_with_last(front: &[u8], last: u8) -> u32 {
    const LAST_BYTE_FACTOR: u32 = 0x6b90_83d9;
    hash64(front) as u32 ^ u32::from(last).wrapping_mul(LAST_BYTE_FACTOR)
}

/// What a block at `offset` adds (wrapping) to its checksum in a file whose footer carries
/// `base_context`; nothing if that is 0, which older formats imply.
#[inline]
pub fn context_modifier(base_context: u32, offset: u64) -> u32 {
    if base_context == 0 {
        return 0;
    }
    base_context ^ (offset as u32).wrapping_add((offset >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn last_byte_may_be_given_apart() {
        let mut random = Random::from_env(21);
        for byte in 0..5 {
            let kind = ChecksumType::from_u8(byte).unwrap();
            for len in [0, 1, 3, 16, 240, 241, 5000] {
                let mut bytes = random.bytes(len);
                let split = kind.compute_with_last(&bytes, 4);
                bytes.push(4);
                assert_eq!(split, kind.compute(&bytes), "{kind:?} {len}");
            }
        }
        assert_eq!(ChecksumType::from_u8(5), None);
    }

    #[test]
    fn context_keeps_apart_places_and_files() {
        assert_eq!(context_modifier(0, 77), 0);
        assert_ne!(context_modifier(5, 0), context_modifier(5, 1));
        assert_ne!(context_modifier(5, 1 << 32), context_modifier(5, 2 << 32));
        assert_ne!(context_modifier(5, 9), context_modifier(6, 9));
    }
}
