//! [`Reservation`]: room in a cache for memory that is used elsewhere.

use super::block::{CachedBlock, Reserved};
use super::key::{CacheKey, FileCacheKeys};
use super::lru::{Cache, Priority};
use crate::base::sync::Arc;

/// Entries without contents that take up room in a cache, so that blocks and other memory share
/// one limit.
pub(super) struct Reservation {
    cache: Arc<Cache>,
    /// `None` when this process has made so many keys that there are no more.
    keys: Option<FileCacheKeys>,
    next_key: u64,
    /// Pinned, and so neither evicted nor given up by anyone else.
    entries: Vec<(CacheKey, Arc<CachedBlock>)>,
}

impl Reservation {
    /// What one entry counts as, in bytes.
    pub const ENTRY: usize = 256 << 10;

    pub fn new(cache: Arc<Cache>) -> Reservation {
        let keys = FileCacheKeys::new(Cache::new_id(), 0);
        Reservation { cache, keys, next_key: 0, entries: Vec::new() }
    }

    /// The bytes that are reserved.
    pub fn bytes(&self) -> usize {
        self.entries.len() * Self::ENTRY
    }

    /// Reserves `used` bytes or somewhat more. Room is given back late, below three quarters of
    /// what is reserved, since use that fell mostly grows again. A cache that has no room under a
    /// strict limit leaves the rest uncounted.
    pub fn adjust(&mut self, used: usize) {
        if used > self.bytes() {
            while used > self.bytes() && self.grow() {}
        } else if used < self.bytes() / 4 * 3 {
            self.shrink(used.div_ceil(Self::ENTRY));
        }
    }

    fn grow(&mut self) -> bool {
        let Some(key) = self.keys.and_then(|keys| keys.block(self.next_key)) else { return false };
        self.next_key += 1;
        let entry = CachedBlock::from_object(Box::new(Reserved), Self::ENTRY);
        let Ok(entry) = self.cache.insert(key, entry, Priority::Low) else { return false };
        self.entries.push((key, entry));
        true
    }

    fn shrink(&mut self, count: usize) {
        for (key, _) in self.entries.drain(count.min(self.entries.len())..) {
            self.cache.erase(&key);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shrink(0);
    }
}
