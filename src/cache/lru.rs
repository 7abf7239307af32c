//! [`Cache`]: a sharded LRU cache of blocks, with the semantics of RocksDB's `LRUCache`.

use super::block::CachedBlock;
use super::entry_stats::EntryStats;
use super::key::CacheKey;
use super::shard::{Shard, ShardOptions};
use crate::base::status::Result;
use crate::base::sync::{Arc, AtomicU64, Mutex, Ordering};

/// How long a block is to stay, beside how recently it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Index and filter blocks: kept in the high-priority pool from the start.
    High,
    /// Data blocks: enter the high-priority pool with their first hit.
    Low,
}

/// Keeps shards of different caches and cores out of each other's cache lines.
#[repr(align(128))]
struct Padded(Mutex<Shard>);

/// A cache of blocks with a limit on their memory.
///
/// The least recently used block goes first. With a high-priority pool, blocks in the pool (of
/// [`Priority::High`], or hit since they came) go after all others; what does not fit into the
/// pool's share flows back to the others. A block that somebody holds is never freed; an eviction
/// that meets one treats it as just used. Usage counts every block that was inserted and is still
/// held by the cache or by anyone else.
///
/// Shared as `Arc<Cache>` by databases, column families and the user.
pub struct Cache {
    shards: Box<[Padded]>,
    /// The shard is the top `shard_bits` bits of the key's hash.
    shard_bits: u32,
    capacity: Mutex<usize>,
    /// The last look at what it holds.
    pub(super) entry_stats: Mutex<Option<EntryStats>>,
}

impl Cache {
    const MAX_SHARD_BITS: i32 = 19;
    const MIN_SHARD_SIZE: usize = 512 * 1024;

    /// A cache of `capacity` bytes in `2^num_shard_bits` shards (-1: by capacity, 512 KiB a shard
    /// or more, at most 64; above 19 is taken as 19). With `strict_capacity_limit` an insertion
    /// fails rather than go over the capacity because everything else is in use.
    /// `high_pri_pool_ratio` (0 to 1) is the share of the high-priority pool.
    pub fn lru(
        capacity: usize,
        num_shard_bits: i32,
        strict_capacity_limit: bool,
        high_pri_pool_ratio: f64,
    ) -> Arc<Cache> {
        let shard_bits = match num_shard_bits {
            ..0 => Self::default_shard_bits(capacity),
            bits => bits.min(Self::MAX_SHARD_BITS) as u32,
        };
        let options = ShardOptions {
            capacity: Self::per_shard(capacity, shard_bits),
            strict_capacity_limit,
            high_pri_pool_ratio: high_pri_pool_ratio.clamp(0.0, 1.0),
        };
        let shards =
            (0..1usize << shard_bits).map(|_| Padded(Mutex::new(Shard::new(&options)))).collect();
        let capacity = Mutex::new(capacity);
        Arc::new(Cache { shards, shard_bits, capacity, entry_stats: Mutex::new(None) })
    }

    fn default_shard_bits(capacity: usize) -> u32 {
        (capacity / Self::MIN_SHARD_SIZE).max(1).ilog2().min(6)
    }

    fn per_shard(capacity: usize, shard_bits: u32) -> usize {
        capacity.div_ceil(1 << shard_bits)
    }

    #[inline]
    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        // Two shifts, since a shift by 64 (one shard) would overflow.
        let at = (hash >> 1) >> (63 - self.shard_bits);
        &self.shards[at as usize].0
    }

    /// The block under `key`, which becomes the most recently used one. Holding it pins it.
    #[inline]
    pub fn lookup(&self, key: &CacheKey) -> Option<Arc<CachedBlock>> {
        let hash = key.hash();
        self.shard(hash).lock().lookup(key, hash)
    }

    /// Keeps `block` under `key`, in place of what was there, evicting others as needed, and
    /// returns it pinned.
    ///
    /// A block that finds no room is returned all the same and counts while it is held, but is not
    /// kept; with a strict capacity limit that is an error.
    pub fn insert(
        &self,
        key: CacheKey,
        block: CachedBlock,
        priority: Priority,
    ) -> Result<Arc<CachedBlock>> {
        self.insert_or_replace(key, block, priority).map(|(block, _)| block)
    }

    /// [`insert`](Cache::insert), which also tells whether there was a block under the key.
    pub fn insert_or_replace(
        &self,
        key: CacheKey,
        block: CachedBlock,
        priority: Priority,
    ) -> Result<(Arc<CachedBlock>, bool)> {
        let hash = key.hash();
        let mut evicted = Vec::new();
        // `evicted` outlives the lock: freeing memory is slow.
        self.shard(hash).lock().insert(key, hash, block, priority, &mut evicted)
    }

    /// Forgets the block under `key`. Those who hold it keep it.
    pub fn erase(&self, key: &CacheKey) {
        let hash = key.hash();
        let erased = self.shard(hash).lock().erase(key, hash);
        drop(erased);
    }

    /// Forgets every block that nobody holds.
    pub fn erase_unpinned(&self) {
        self.each(|shard, evicted| shard.erase_unpinned(evicted));
    }

    /// Changes the capacity, in bytes, and evicts what is too much.
    pub fn set_capacity(&self, capacity: usize) {
        let mut current = self.capacity.lock();
        *current = capacity;
        let per_shard = Self::per_shard(capacity, self.shard_bits);
        self.each(|shard, evicted| shard.set_capacity(per_shard, evicted));
    }

    /// Changes whether insertions fail when everything is in use.
    pub fn set_strict_capacity_limit(&self, strict: bool) {
        self.each(|shard, _| shard.set_strict_capacity_limit(strict));
    }

    fn each(&self, mut change: impl FnMut(&mut Shard, &mut Vec<Arc<CachedBlock>>)) {
        for shard in &self.shards {
            let mut evicted = Vec::new();
            change(&mut shard.0.lock(), &mut evicted);
        }
    }

    /// Shows each block that is kept to `look`, which must not come back to the cache.
    pub(super) fn each_entry(&self, mut look: impl FnMut(&CachedBlock)) {
        for shard in &self.shards {
            shard.0.lock().blocks().for_each(|block| look(block));
        }
    }

    fn sum(&self, count: impl Fn(&Shard) -> usize) -> usize {
        self.shards.iter().map(|shard| count(&shard.0.lock())).sum()
    }

    /// The capacity in bytes.
    pub fn capacity(&self) -> usize {
        *self.capacity.lock()
    }

    /// The bytes of all blocks that were inserted and are still alive.
    pub fn usage(&self) -> usize {
        self.sum(Shard::usage)
    }

    /// The part of [`usage`](Cache::usage) that somebody holds. Visits every block.
    pub fn pinned_usage(&self) -> usize {
        self.sum(Shard::pinned_usage)
    }

    /// How many blocks are kept.
    pub fn occupancy_count(&self) -> usize {
        self.sum(Shard::occupancy_count)
    }

    /// How many buckets the hash tables have.
    pub fn table_address_count(&self) -> usize {
        self.sum(Shard::table_address_count)
    }

    /// A number that no other call in this process returns, on any cache: the session of
    /// [`CacheKey`]s.
    pub fn new_id() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }
}
