//! [`EntryStats`]: what a cache holds, by what it is for.

use super::block::CachedBlock;
use super::lru::Cache;
use std::time::{Duration, Instant};

/// What an entry is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryRole {
    /// A data block.
    DataBlock,
    /// A filter, or a part of one.
    FilterBlock,
    /// An index, or a part of one.
    IndexBlock,
    /// Room for memtables.
    WriteBuffer,
    /// Something else.
    Misc,
}

impl EntryRole {
    const COUNT: usize = EntryRole::Misc as usize + 1;

    /// All roles, with RocksDB's names.
    pub const NAMES: [(EntryRole, &'static str); Self::COUNT] = [
        (EntryRole::DataBlock, "DataBlock"),
        (EntryRole::FilterBlock, "FilterBlock"),
        (EntryRole::IndexBlock, "IndexBlock"),
        (EntryRole::WriteBuffer, "WriteBuffer"),
        (EntryRole::Misc, "Misc"),
    ];
}

/// A look through all entries of a cache.
#[derive(Clone, Copy, Debug)]
pub struct EntryStats {
    /// The cache's capacity in bytes.
    pub capacity: usize,
    /// What was in use of it.
    pub usage: usize,
    /// The buckets of its hash tables.
    pub table_size: usize,
    /// How many entries it had.
    pub occupancy: usize,
    /// How many looks there have been, this one included.
    pub collections: u64,
    /// How often this one has been told again.
    pub copies: u64,
    /// How long it took.
    pub took: Duration,
    /// When it ended.
    pub ended: Instant,
    entries: [(u64, u64); EntryRole::COUNT],
}

impl EntryStats {
    /// How many entries have this role, and the bytes that they count as.
    pub fn of(&self, role: EntryRole) -> (u64, u64) {
        self.entries[role as usize]
    }

    fn collect(cache: &Cache, role: fn(&CachedBlock) -> EntryRole, collections: u64) -> EntryStats {
        let start = Instant::now();
        let (capacity, usage) = (cache.capacity(), cache.usage());
        let (table_size, occupancy) = (cache.table_address_count(), cache.occupancy_count());
        let mut entries = [(0, 0); EntryRole::COUNT];
        cache.each_entry(|block| {
            let (count, charge) = &mut entries[role(block) as usize];
            *count += 1;
            *charge += block.charge() as u64;
        });
        EntryStats {
            capacity,
            usage,
            table_size,
            occupancy,
            collections,
            copies: 0,
            took: start.elapsed(),
            ended: Instant::now(),
            entries,
        }
    }
}

impl Cache {
    /// What is in the cache, by role. A look through it that is not older than `max_age`, or than
    /// `factor` times what it took, is told again.
    pub fn entry_stats(
        &self,
        max_age: Duration,
        factor: u32,
        role: fn(&CachedBlock) -> EntryRole,
    ) -> EntryStats {
        let mut last = self.entry_stats.lock();
        if let Some(stats) = &mut *last
            && stats.ended.elapsed() <= max_age.max(stats.took.saturating_mul(factor))
        {
            stats.copies += 1;
            return *stats;
        }
        let collections = last.map_or(0, |stats| stats.collections) + 1;
        *last.insert(EntryStats::collect(self, role, collections))
    }
}
