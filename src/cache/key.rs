//! [`CacheKey`]: which block of which file of which open database.

/// Bits for the cache session, the file number and the offset: 128 in all.
const SESSION_BITS: u32 = 28;
const FILE_BITS: u32 = 52;
const OFFSET_BITS: u32 = 48;

/// The key of a cached block.
///
/// It holds, without hashing, the *session* (an id that [`Cache::new_id`](super::Cache::new_id)
/// hands out once in a process, taken by each opening of a database), the file number (which an
/// open database never uses twice) and the block's offset. So two keys are equal only for the
/// same block: not for two databases that share a cache, not for a copy of a file that was damaged
/// since, not for a file that was deleted and made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheKey {
    high: u64,
    low: u64,
}

impl CacheKey {
    /// A hash with all bits well mixed (a folded multiplication, as in wyhash).
    #[inline]
    pub(super) fn hash(&self) -> u64 {
        let a = self.high ^ 0xa076_1d64_78bd_642f;
        let b = self.low ^ 0xe703_7ed1_a0b4_28db;
        let product = u128::from(a) * u128::from(b);
        let folded = product as u64 ^ (product >> 64) as u64;
        // The fold alone loses one factor when the other is 0.
        (folded ^ self.low).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.high.rotate_left(29)
    }
}

/// Makes the keys of one file's blocks.
#[derive(Clone, Copy, Debug)]
pub struct FileCacheKeys(u128);

impl FileCacheKeys {
    /// The keys of file `file_number` in cache session `session`, or `None` when one of them is
    /// too large for the key (2^28 sessions, 2^52 files); such a file goes without the cache.
    pub fn new(session: u64, file_number: u64) -> Option<FileCacheKeys> {
        if session >> SESSION_BITS != 0 || file_number >> FILE_BITS != 0 {
            return None;
        }
        let file = (u128::from(session) << FILE_BITS) | u128::from(file_number);
        Some(FileCacheKeys(file << OFFSET_BITS))
    }

    /// The key of the block at `offset`, or `None` beyond 2^48 bytes.
    #[inline]
    pub fn block(&self, offset: u64) -> Option<CacheKey> {
        if offset >> OFFSET_BITS != 0 {
            return None;
        }
        let all = self.0 | u128::from(offset);
        Some(CacheKey { high: (all >> 64) as u64, low: all as u64 })
    }
}
