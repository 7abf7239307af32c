use super::*;
use crate::base::random::Random;
use crate::base::status::{Code, SubCode};
use crate::base::sync::{Arc, thread};
use std::collections::VecDeque;

fn key(n: u64) -> CacheKey {
    FileCacheKeys::new(1, n / 100).unwrap().block(n % 100 * 4096).unwrap()
}

fn block(n: u64, len: usize) -> CachedBlock {
    let mut bytes = vec![n as u8; len.max(8)];
    bytes[..8].copy_from_slice(&n.to_le_bytes());
    CachedBlock::from(bytes)
}

fn number(block: &CachedBlock) -> u64 {
    u64::from_le_bytes(*block.bytes.first_chunk().unwrap())
}

/// What is in the cache, coldest first, and who is held. The plainest program that follows the
/// rules in [`Cache`]'s documentation.
struct Model {
    hot: VecDeque<Entry>,
    cold: VecDeque<Entry>,
    capacity: usize,
    hot_ratio: f64,
    strict: bool,
    /// Held blocks: number, version, charge.
    held: Vec<(u64, u64, usize)>,
}

#[derive(Clone)]
struct Entry {
    number: u64,
    version: u64,
    charge: usize,
    high: bool,
    hit: bool,
}

impl Model {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.cold.iter().chain(&self.hot)
    }

    fn is_held(&self, entry: &Entry) -> bool {
        self.held.iter().any(|h| (h.0, h.1) == (entry.number, entry.version))
    }

    fn usage(&self) -> usize {
        let mut live: Vec<_> = self.held.clone();
        live.extend(self.entries().map(|e| (e.number, e.version, e.charge)));
        live.sort();
        live.dedup();
        live.iter().map(|l| l.2).sum()
    }

    fn pinned(&self) -> usize {
        let mut live = self.held.clone();
        live.sort();
        live.dedup();
        live.iter().map(|l| l.2).sum()
    }

    fn put(&mut self, entry: Entry) {
        if self.hot_ratio > 0.0 && (entry.high || entry.hit) {
            self.hot.push_back(entry);
            self.drain();
        } else {
            self.cold.push_back(entry);
        }
    }

    fn drain(&mut self) {
        let limit = (self.capacity as f64 * self.hot_ratio) as usize;
        while self.hot.iter().map(|e| e.charge).sum::<usize>() > limit {
            let entry = self.hot.pop_front().unwrap();
            self.cold.push_back(entry);
        }
    }

    fn remove(&mut self, number: u64) -> Option<Entry> {
        for list in [&mut self.cold, &mut self.hot] {
            if let Some(at) = list.iter().position(|e| e.number == number) {
                return list.remove(at);
            }
        }
        None
    }

    fn lookup(&mut self, number: u64) -> Option<u64> {
        let mut entry = self.remove(number)?;
        entry.hit = true;
        let version = entry.version;
        self.put(entry);
        Some(version)
    }

    fn evict(&mut self, charge: usize) {
        for hot in [false, true] {
            let rounds = self.cold.len() + self.hot.len();
            for _ in 0..rounds {
                if self.usage() + charge <= self.capacity {
                    return;
                }
                let list = if hot { &mut self.hot } else { &mut self.cold };
                let Some(entry) = list.pop_front() else { break };
                if self.is_held(&entry) {
                    let list = if hot { &mut self.hot } else { &mut self.cold };
                    list.push_back(entry);
                }
            }
        }
    }

    fn insert(&mut self, number: u64, version: u64, charge: usize, high: bool) -> bool {
        self.evict(charge);
        if self.strict && self.usage() + charge > self.capacity {
            return false;
        }
        self.remove(number);
        if charge <= self.capacity {
            self.put(Entry { number, version, charge, high, hit: false });
        }
        true
    }
}

fn check_against_model(seed: u64, strict: bool, hot_ratio: f64) {
    let mut random = Random::from_env(seed);
    let mut capacity = 20_000;
    let cache = Cache::lru(capacity, 0, strict, hot_ratio);
    let mut model = Model {
        hot: VecDeque::new(),
        cold: VecDeque::new(),
        capacity,
        hot_ratio,
        strict,
        held: Vec::new(),
    };
    let mut held: Vec<Arc<CachedBlock>> = Vec::new();
    let (mut refused, mut hits) = (0, 0);
    for version in 0..30_000u64 {
        let n = random.below(60);
        match random.below(20) {
            0..=8 => {
                let found = cache.lookup(&key(n));
                let expected = model.lookup(n);
                assert_eq!(found.is_some(), expected.is_some(), "block {n}");
                if let Some(found) = found {
                    hits += 1;
                    assert_eq!(number(&found), expected.unwrap());
                    if random.one_in(6) {
                        model.held.push((n, number(&found), found.charge()));
                        held.push(found);
                    }
                }
            }
            9..=15 => {
                let limit = if random.one_in(50) { 30_000 } else { 1500 };
                let len = random.below(limit) as usize;
                let block = block(version, len);
                let charge = block.charge();
                let high = random.one_in(4);
                let priority = if high { Priority::High } else { Priority::Low };
                let result = cache.insert(key(n), block, priority);
                assert_eq!(result.is_ok(), model.insert(n, version, charge, high));
                match result {
                    Ok(block) if random.one_in(8) => {
                        model.held.push((n, version, charge));
                        held.push(block);
                    }
                    Ok(_) => {}
                    Err(status) => {
                        refused += 1;
                        assert_eq!(status.subcode(), SubCode::MemoryLimit);
                        assert_eq!(status.code(), Code::Aborted);
                    }
                }
            }
            16 => {
                cache.erase(&key(n));
                model.remove(n);
            }
            17 | 18 if !held.is_empty() => {
                let at = random.below(held.len() as u64) as usize;
                held.remove(at);
                model.held.remove(at);
            }
            _ if random.one_in(100) => {
                capacity = random.below(30_000) as usize;
                cache.set_capacity(capacity);
                model.capacity = capacity;
                model.drain();
                model.evict(0);
            }
            _ => {}
        }
        if held.len() > 12 {
            held.clear();
            model.held.clear();
        }
        assert_eq!(cache.usage(), model.usage());
        assert_eq!(cache.pinned_usage(), model.pinned());
        assert_eq!(cache.occupancy_count(), model.entries().count());
    }
    assert!(hits > 1000);
    assert_eq!(refused > 0, strict);
    drop(held);
    cache.erase_unpinned();
    assert_eq!((cache.usage(), cache.occupancy_count()), (0, 0));
}

#[test]
fn one_shard_follows_the_model() {
    check_against_model(11, false, 0.0);
    check_against_model(12, false, 0.5);
    check_against_model(13, true, 0.3);
}

#[test]
fn strict_limit_fails_with_the_known_text() {
    let cache = Cache::lru(1000, 0, true, 0.0);
    let pinned = cache.insert(key(1), block(1, 600), Priority::Low).unwrap();
    let status = cache.insert(key(2), block(2, 600), Priority::Low).err().unwrap();
    assert_eq!(
        status.to_string(),
        "Operation aborted: Memory limit reached: Insert failed due to LRU cache being full."
    );
    drop(pinned);
    assert!(cache.insert(key(2), block(2, 600), Priority::Low).is_ok());
    assert!(cache.lookup(&key(1)).is_none(), "made room");
}

#[test]
fn memory_stays_charged_while_somebody_holds_it() {
    let cache = Cache::lru(1 << 20, 2, false, 0.5);
    let held = cache.insert(key(1), block(1, 5000), Priority::High).unwrap();
    let charge = held.charge();
    cache.erase(&key(1));
    assert!(cache.lookup(&key(1)).is_none());
    assert_eq!((cache.usage(), cache.pinned_usage()), (charge, charge));
    drop(held);
    assert_eq!((cache.usage(), cache.pinned_usage()), (0, 0));
    let outlives = cache.insert(key(2), block(2, 100), Priority::Low).unwrap();
    drop(cache);
    assert_eq!(number(&outlives), 2);
}

#[test]
fn a_block_that_takes_the_place_of_another_says_so() {
    let cache = Cache::lru(1 << 20, 0, false, 0.5);
    for (number, has_replaced) in [(1, false), (2, false), (1, true)] {
        let inserted = cache.insert_or_replace(key(number), block(9, 100), Priority::Low).unwrap();
        assert_eq!(inserted.1, has_replaced, "{number}");
    }
    cache.erase(&key(1));
    assert!(!cache.insert_or_replace(key(1), block(9, 100), Priority::Low).unwrap().1);
}

#[test]
fn a_cache_without_room_hands_blocks_through() {
    let cache = Cache::lru(0, -1, false, 0.5);
    assert_eq!(number(&cache.insert(key(1), block(1, 100), Priority::Low).unwrap()), 1);
    assert!(cache.lookup(&key(1)).is_none());
    assert_eq!(cache.usage(), 0);
}

#[test]
fn shards_are_chosen_by_capacity() {
    let shards = |capacity, bits| Cache::lru(capacity, bits, false, 0.5).table_address_count() / 16;
    assert_eq!(shards(0, -1), 1);
    assert_eq!(shards((1 << 20) - 1, -1), 1);
    assert_eq!(shards(8 << 20, -1), 16);
    assert_eq!(shards(32 << 20, -1), 64);
    assert_eq!(shards(1 << 40, -1), 64);
    assert_eq!(shards(8 << 20, 3), 8);
}

#[test]
fn blocks_spread_evenly_over_shards_and_keys_never_meet() {
    let cache = Cache::lru(64 << 20, 6, false, 0.0);
    for file in 0..50 {
        for at in 0..100 {
            let key = FileCacheKeys::new(7, file).unwrap().block(at * 4113).unwrap();
            cache.insert(key, block(at, 8000), Priority::Low).unwrap();
        }
    }
    // 5000 blocks in 64 shards of 1 MiB, room for 129 each: an uneven hash would evict.
    assert_eq!(cache.occupancy_count(), 5000);
    let keys = |session, file| FileCacheKeys::new(session, file).unwrap();
    assert_ne!(keys(1, 2).block(0), keys(2, 1).block(0));
    assert_ne!(keys(0, 1).block(0), keys(0, 0).block((1 << 48) - 1));
    assert_ne!(keys(1, 0).block(0), keys(0, (1 << 52) - 1).block(0));
    assert!(FileCacheKeys::new(1 << 28, 0).is_none());
    assert!(FileCacheKeys::new(0, 1 << 52).is_none());
    assert!(keys(0, 0).block(1 << 48).is_none());
    assert_ne!(Cache::new_id(), Cache::new_id());
}

#[test]
fn threads_see_whole_blocks_and_usage_comes_out_even() {
    let cache = Cache::lru(300_000, 1, false, 0.4);
    let seed = Random::from_env(14).next_u64();
    let work = |thread: u64| {
        let cache = cache.clone();
        move || {
            let mut random = Random::new(seed ^ thread);
            let mut held = VecDeque::new();
            for _ in 0..30_000 {
                let n = random.below(200);
                let found = match cache.lookup(&key(n)) {
                    Some(found) => found,
                    None => cache.insert(key(n), block(n, 3000), Priority::Low).unwrap(),
                };
                assert_eq!(number(&found), n);
                assert!(found.bytes[8..].iter().all(|&b| b == n as u8));
                held.push_back(found);
                if held.len() > 8 {
                    held.pop_front();
                }
                match random.below(2000) {
                    0 => cache.erase(&key(n)),
                    1 => cache.set_capacity(random.below(600_000) as usize),
                    // Both change meanwhile, so that nothing is known of either.
                    2 => drop((cache.pinned_usage(), cache.usage())),
                    _ => {}
                }
            }
        }
    };
    thread::scope(|scope| (0..4).for_each(|t| drop(scope.spawn(work(t)))));
    cache.set_capacity(100_000);
    assert!(cache.usage() <= 100_000);
    assert_eq!(cache.pinned_usage(), 0);
    cache.erase_unpinned();
    assert_eq!((cache.usage(), cache.occupancy_count()), (0, 0));
}
