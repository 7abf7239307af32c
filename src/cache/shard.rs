//! One shard of the cache: a chained hash table over a slab of slots, and two recency lists
//! threaded through the slots by index.

use super::block::CachedBlock;
use super::key::CacheKey;
use super::lru::Priority;
use crate::base::status::{Code, Result, Status, SubCode};
use crate::base::sync::{Arc, AtomicUsize, Ordering};

/// No slot: the end of a chain.
const NIL: u32 = u32::MAX;
/// The slots that head the two lists.
const COLD: u32 = 0;
const HOT: u32 = 1;
const MIN_BUCKETS: usize = 16;
/// How many blocks in use one insertion may meet before it gives up evicting (without a strict
/// limit), so that a shard full of pinned blocks does not cost a full pass each time.
const MAX_PINNED_IN_A_ROW: usize = 32;

/// What a [`Shard`] is made with.
pub(super) struct ShardOptions {
    pub capacity: usize,
    pub strict_capacity_limit: bool,
    pub high_pri_pool_ratio: f64,
}

/// One cache line, so that a look-up misses once for it.
#[repr(align(64))]
struct Slot {
    key: CacheKey,
    /// `None` in list heads and free slots.
    block: Option<Arc<CachedBlock>>,
    /// The next slot of the bucket, or of the free list.
    chain: u32,
    /// The neighbour that was used before, and after, this one; circular through the head.
    older: u32,
    newer: u32,
    /// The list it is in, [`COLD`] or [`HOT`].
    list: u32,
    high_priority: bool,
    hit: bool,
}

/// See the module. Not thread-safe; the cache locks it.
///
/// Every slot in the table is in exactly one list. `HOT` is the high-priority pool, its charge
/// `hot_usage` at most `hot_capacity` between calls.
pub(super) struct Shard {
    slots: Vec<Slot>,
    free: u32,
    /// Heads of chains; the length is a power of two.
    buckets: Vec<u32>,
    len: usize,
    capacity: usize,
    strict: bool,
    hot_ratio: f64,
    hot_capacity: usize,
    hot_usage: usize,
    /// The charge of every block this shard adopted that is still alive.
    usage: Arc<AtomicUsize>,
}

impl Shard {
    pub(super) fn new(options: &ShardOptions) -> Shard {
        let mut shard = Shard {
            slots: Vec::new(),
            free: NIL,
            buckets: vec![NIL; MIN_BUCKETS],
            len: 0,
            capacity: options.capacity,
            strict: options.strict_capacity_limit,
            hot_ratio: options.high_pri_pool_ratio,
            hot_capacity: 0,
            hot_usage: 0,
            usage: Arc::default(),
        };
        for head in [COLD, HOT] {
            shard.slots.push(Slot::head(head));
        }
        shard.resize_pool();
        shard
    }

    fn resize_pool(&mut self) {
        self.hot_capacity = (self.capacity as f64 * self.hot_ratio) as usize;
    }

    pub(super) fn lookup(&mut self, key: &CacheKey, hash: u64) -> Option<Arc<CachedBlock>> {
        let at = self.find(key, hash)?;
        self.slot_mut(at).hit = true;
        let list = self.list_for(at);
        let slot = self.slot(at);
        let block = slot.block.clone();
        let freshest = slot.newer == list;
        if !freshest {
            self.unlink(at);
            self.link(at);
        }
        block
    }

    pub(super) fn insert(
        &mut self,
        key: CacheKey,
        hash: u64,
        mut block: CachedBlock,
        priority: Priority,
        evicted: &mut Vec<Arc<CachedBlock>>,
    ) -> Result<(Arc<CachedBlock>, bool)> {
        let charge = block.charge();
        self.evict(charge, evicted);
        let full = self.usage().saturating_add(charge) > self.capacity;
        if full && self.strict {
            return Err(Status::new(Code::Aborted, "Insert failed due to LRU cache being full.")
                .with_subcode(SubCode::MemoryLimit));
        }
        let replaced = self.erase(&key, hash);
        let has_replaced = replaced.is_some();
        evicted.extend(replaced);
        block.enter(&self.usage);
        let block = Arc::new(block);
        // Larger than the whole shard: it would push out everything and then itself.
        if charge <= self.capacity
            && let Some(at) = self.new_slot()
        {
            let slot = self.slot_mut(at);
            slot.key = key;
            slot.block = Some(block.clone());
            slot.high_priority = priority == Priority::High;
            slot.hit = false;
            self.link(at);
            self.add_to_table(at, hash);
        }
        Ok((block, has_replaced))
    }

    pub(super) fn erase(&mut self, key: &CacheKey, hash: u64) -> Option<Arc<CachedBlock>> {
        let at = self.find(key, hash)?;
        self.remove(at)
    }

    pub(super) fn erase_unpinned(&mut self, evicted: &mut Vec<Arc<CachedBlock>>) {
        for list in [COLD, HOT] {
            let mut at = self.slot(list).newer;
            while at != list {
                let next = self.slot(at).newer;
                self.evict_if_unpinned(at, evicted);
                at = next;
            }
        }
    }

    pub(super) fn set_capacity(&mut self, capacity: usize, evicted: &mut Vec<Arc<CachedBlock>>) {
        self.capacity = capacity;
        self.resize_pool();
        self.drain_pool();
        self.evict(0, evicted);
    }

    pub(super) fn set_strict_capacity_limit(&mut self, strict: bool) {
        self.strict = strict;
    }

    pub(super) fn usage(&self) -> usize {
        self.usage.load(Ordering::Relaxed)
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &Arc<CachedBlock>> {
        self.slots.iter().filter_map(|slot| slot.block.as_ref())
    }

    pub(super) fn pinned_usage(&self) -> usize {
        let unpinned = self.blocks().filter(|block| Arc::strong_count(block) == 1);
        self.usage().saturating_sub(unpinned.map(|block| block.charge()).sum())
    }

    pub(super) fn occupancy_count(&self) -> usize {
        self.len
    }

    pub(super) fn table_address_count(&self) -> usize {
        self.buckets.len()
    }

    /// Evicts, coldest first, until `charge` more bytes fit or nothing more can go.
    fn evict(&mut self, charge: usize, evicted: &mut Vec<Arc<CachedBlock>>) {
        let patience = if self.strict { self.len } else { MAX_PINNED_IN_A_ROW };
        for list in [COLD, HOT] {
            let mut pinned = 0;
            // A full pass: blocks that are in use move to the fresh end and may come round again.
            let mut left = self.len;
            while self.usage().saturating_add(charge) > self.capacity
                && pinned <= patience
                && left > 0
            {
                let at = self.slot(list).newer;
                if at == list {
                    break;
                }
                left -= 1;
                if self.evict_if_unpinned(at, evicted) {
                    pinned = 0;
                } else {
                    pinned += 1;
                    self.unlink(at);
                    self.link_to(at, list);
                }
            }
        }
    }

    /// Whether it went. Its charge is gone at once; the memory when `evicted` is dropped.
    fn evict_if_unpinned(&mut self, at: u32, evicted: &mut Vec<Arc<CachedBlock>>) -> bool {
        // No lookup can clone it meanwhile, since the shard is locked.
        match self.slot_mut(at).block.as_mut().and_then(Arc::get_mut) {
            None => return false,
            Some(block) => {
                let charge = block.charge();
                block.leave();
                if self.slot(at).list == HOT {
                    self.hot_usage -= charge;
                    self.slot_mut(at).list = COLD;
                }
            }
        }
        self.unlink_neighbours(at);
        evicted.extend(self.take(at));
        true
    }

    fn remove(&mut self, at: u32) -> Option<Arc<CachedBlock>> {
        self.unlink(at);
        self.take(at)
    }

    /// Takes an unlinked slot out of the table and frees it.
    fn take(&mut self, at: u32) -> Option<Arc<CachedBlock>> {
        self.remove_from_table(at);
        let free = self.free;
        let slot = self.slot_mut(at);
        slot.chain = free;
        let block = slot.block.take();
        self.free = at;
        block
    }

    fn slot(&self, at: u32) -> &Slot {
        &self.slots[at as usize]
    }

    fn slot_mut(&mut self, at: u32) -> &mut Slot {
        &mut self.slots[at as usize]
    }

    /// `None` when the index type is exhausted (4 billion blocks in one shard).
    fn new_slot(&mut self) -> Option<u32> {
        if self.free != NIL {
            let at = self.free;
            self.free = self.slot(at).chain;
            return Some(at);
        }
        let at = u32::try_from(self.slots.len()).ok().filter(|&at| at != NIL)?;
        self.slots.push(Slot::head(at));
        Some(at)
    }
}

/// The recency lists.
impl Shard {
    /// The list where `at` belongs when it is used.
    fn list_for(&self, at: u32) -> u32 {
        let slot = self.slot(at);
        if self.hot_ratio > 0.0 && (slot.high_priority || slot.hit) { HOT } else { COLD }
    }

    /// Puts `at` to the fresh end of its list.
    fn link(&mut self, at: u32) {
        let list = self.list_for(at);
        self.link_to(at, list);
        if list == HOT {
            self.drain_pool();
        }
    }

    fn link_to(&mut self, at: u32, list: u32) {
        let freshest = self.slot(list).older;
        let slot = self.slot_mut(at);
        slot.list = list;
        slot.newer = list;
        slot.older = freshest;
        let charge = slot.block.as_ref().map_or(0, |block| block.charge());
        self.slot_mut(freshest).newer = at;
        self.slot_mut(list).older = at;
        if list == HOT {
            self.hot_usage += charge;
        }
    }

    fn unlink(&mut self, at: u32) {
        let slot = self.slot(at);
        if slot.list == HOT {
            self.hot_usage -= slot.block.as_ref().map_or(0, |block| block.charge());
        }
        self.unlink_neighbours(at);
    }

    fn unlink_neighbours(&mut self, at: u32) {
        let (older, newer) = (self.slot(at).older, self.slot(at).newer);
        self.slot_mut(older).newer = newer;
        self.slot_mut(newer).older = older;
    }

    /// Moves the coldest of the high-priority pool to the fresh end of the others until the pool
    /// fits its share.
    fn drain_pool(&mut self) {
        while self.hot_usage > self.hot_capacity {
            let at = self.slot(HOT).newer;
            if at == HOT {
                break;
            }
            self.unlink(at);
            self.link_to(at, COLD);
        }
    }
}

/// The hash table.
impl Shard {
    fn bucket(&self, hash: u64) -> usize {
        hash as usize & (self.buckets.len() - 1)
    }

    #[inline]
    fn find(&self, key: &CacheKey, hash: u64) -> Option<u32> {
        let mut at = self.buckets[self.bucket(hash)];
        while at != NIL {
            let slot = self.slot(at);
            if slot.key == *key {
                return Some(at);
            }
            at = slot.chain;
        }
        None
    }

    fn add_to_table(&mut self, at: u32, hash: u64) {
        if self.len >= self.buckets.len() {
            self.grow();
        }
        let bucket = self.bucket(hash);
        self.slot_mut(at).chain = self.buckets[bucket];
        self.buckets[bucket] = at;
        self.len += 1;
    }

    fn remove_from_table(&mut self, at: u32) {
        let bucket = self.bucket(self.slot(at).key.hash());
        let next = self.slot(at).chain;
        if self.buckets[bucket] == at {
            self.buckets[bucket] = next;
        } else {
            let mut before = self.buckets[bucket];
            while self.slot(before).chain != at {
                before = self.slot(before).chain;
            }
            self.slot_mut(before).chain = next;
        }
        self.len -= 1;
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.buckets);
        self.buckets = vec![NIL; old.len() * 2];
        for head in old {
            let mut at = head;
            while at != NIL {
                let next = self.slot(at).chain;
                let bucket = self.bucket(self.slot(at).key.hash());
                self.slot_mut(at).chain = self.buckets[bucket];
                self.buckets[bucket] = at;
                at = next;
            }
        }
    }
}

impl Slot {
    /// A slot without a block whose list holds itself alone.
    fn head(at: u32) -> Slot {
        Slot {
            key: CacheKey::default(),
            block: None,
            chain: NIL,
            older: at,
            newer: at,
            list: at,
            high_priority: false,
            hit: false,
        }
    }
}
