//! Row 7: the in-memory table of recent writes.
//!
//! A record is copied once, into an arena, in the form of RocksDB's memtable entries, and never
//! moves or goes before the memtable does; an ordered index of {8-byte order prefix, pointer}
//! finds it. Many threads may add and read at once; readers take no lock.

mod bloom;
mod btree;
mod charge;
mod counters;
mod entry;
mod guard;
mod iter;
mod order;
mod rep;
mod tombstones;
mod versions;

pub use self::bloom::MemBloom;
pub use self::counters::Tally;
pub use self::guard::Guard;
pub use self::iter::MemTableIter;
pub use self::versions::Versions;

use self::charge::Charge;
use self::counters::Counters;
use self::entry::{EntryLen, EntryPtr};
use self::rep::MemRep;
use self::tombstones::TombstoneTable;
use crate::base::arena::Arena;
use crate::base::comparator::Comparator;
use crate::base::key::{LookupKey, MAX_SEQUENCE, SequenceNumber, ValueType};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::cache::WriteBufferManager;
use crate::rangedel::{Fragments, FragmentsBuilder};

/// What a memtable is made with.
#[derive(Clone, Debug)]
pub struct MemTableOptions {
    /// The bytes that the arena takes from the system at a time (RocksDB's `arena_block_size`,
    /// there by default an eighth of `write_buffer_size`, 1 MiB at most).
    pub arena_block_size: usize,
    /// The size of the pages that the arena asks for; 0 does not ask.
    pub huge_page_size: usize,
    /// After this many range tombstones it counts as full; 0 means any number.
    pub max_range_deletions: u32,
    /// What readers check.
    pub guard: Guard,
}

impl Default for MemTableOptions {
    fn default() -> Self {
        MemTableOptions {
            arena_block_size: 1 << 20,
            huge_page_size: 0,
            max_range_deletions: 0,
            guard: Guard::default(),
        }
    }
}

/// A memtable.
///
/// It takes every record as it is (any [`ValueType`]); what a record means is the readers'
/// business. Range tombstones ([`ValueType::RangeDeletion`], the value is the end key) are kept
/// beside the others: [`get`](MemTable::get) and [`iter`](MemTable::iter) do not show them.
pub struct MemTable {
    // Before the two that it points into.
    rep: MemRep,
    arena: Arena,
    comparator: Arc<Comparator>,
    counters: Counters,
    tombstones: TombstoneTable,
    bloom: Option<MemBloom>,
    max_range_deletions: u32,
    guard: Guard,
    /// The last field but plain ones: the memory is free when it is reported so.
    charge: Option<Charge>,
    id: u64,
    created_at: SequenceNumber,
}

impl MemTable {
    /// An empty memtable in the order of `comparator`. Ids grow from one memtable of a column
    /// family to the next.
    pub fn new(id: u64, comparator: Comparator, options: &MemTableOptions) -> MemTable {
        let comparator = Arc::new(comparator);
        MemTable {
            // SAFETY: the comparator's place on the heap outlives `rep`, by the order of the
            // fields; it is never replaced.
            rep: unsafe { MemRep::new(&comparator) },
            arena: Arena::with_huge_pages(options.arena_block_size, options.huge_page_size),
            comparator,
            counters: Counters::default(),
            tombstones: TombstoneTable::default(),
            bloom: None,
            max_range_deletions: options.max_range_deletions,
            guard: options.guard,
            charge: None,
            id,
            created_at: MAX_SEQUENCE,
        }
    }

    /// The same, still empty memtable, made when `sequence` was the newest number of the
    /// database: every record that it will hold is newer.
    pub fn with_creation_sequence(mut self, sequence: SequenceNumber) -> MemTable {
        self.created_at = sequence;
        self
    }

    /// The same, still empty memtable with a filter, if there is to be one.
    pub fn with_bloom(mut self, bloom: Option<MemBloom>) -> MemTable {
        self.bloom = bloom;
        self
    }

    /// The same, still empty memtable, whose memory `manager` counts, if there is one.
    pub fn with_manager(mut self, manager: Option<&Arc<WriteBufferManager>>) -> MemTable {
        self.charge = manager.cloned().map(Charge::new);
        self.report_memory();
        self
    }

    /// Tells the write buffer manager how much memory is taken now; to be called behind adding.
    #[inline]
    pub fn report_memory(&self) {
        if let Some(charge) = &self.charge {
            charge.raise_to(self.memory_usage());
        }
    }

    /// Tells the write buffer manager that nothing will be added any more.
    pub fn retire(&self) {
        if let Some(charge) = &self.charge {
            charge.retire();
        }
    }

    /// Adds a record. Any number of threads may add at once.
    ///
    /// # Errors
    /// `TryAgain` ("key+seq exists") if there is a record with this user key and sequence number,
    /// as in RocksDB; `InvalidArgument` for a key or value that does not fit 32 bits of length.
    pub fn add(
        &self,
        sequence: SequenceNumber,
        value_type: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        let mut tally = Tally::default();
        let result = self.add_to_tally(&mut tally, sequence, value_type, user_key, value);
        self.post(&tally);
        result
    }

    /// For adding many records: [`add`](MemTable::add), but the counters that all threads share
    /// are brought up to date only by [`post`](MemTable::post).
    #[inline]
    pub fn add_to_tally(
        &self,
        tally: &mut Tally,
        sequence: SequenceNumber,
        value_type: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        let len = EntryLen::of(user_key, value)?.with_sum(self.guard.bytes_per_key.into());
        if value_type == ValueType::RangeDeletion {
            self.tombstones.add(user_key, value, sequence);
            tally.count(&len, sequence, value_type);
            return Ok(());
        }
        if let Some(bloom) = &self.bloom {
            bloom.add(user_key);
        }
        let entry = EntryPtr::write(&self.arena, &len, sequence, value_type, user_key, value);
        // SAFETY: the entry lies in the arena, which outlives `rep`, by the order of the fields, and
        // what is found there borrows the memtable or holds it.
        if !unsafe { self.rep.insert(&self.arena, entry) } {
            return Err(Status::try_again("key+seq exists"));
        }
        tally.count(&len, sequence, value_type);
        Ok(())
    }

    /// Counts what was added, which is to be done before it can be read.
    #[inline]
    pub fn post(&self, tally: &Tally) {
        self.counters.post(tally);
    }

    /// The records of the key's user key at or below its sequence number, newest first.
    #[inline]
    pub fn get(&self, key: &LookupKey) -> Versions<'_> {
        match &self.bloom {
            Some(bloom) if !bloom.may_contain(key.user_key()) => Versions::none(),
            _ => Versions::new(&self.rep, key),
        }
    }

    /// A cursor over everything. It keeps the memtable alive.
    pub fn iter(self: &Arc<Self>) -> MemTableIter {
        MemTableIter::new(self.clone())
    }

    /// The id it was made with.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The order of its user keys.
    pub fn comparator(&self) -> &Comparator {
        &self.comparator
    }

    /// Whether no record was added.
    pub fn is_empty(&self) -> bool {
        self.rep.is_empty() && self.tombstones.len() == 0
    }

    /// The number of records, range tombstones included; approximate while others add.
    pub fn num_entries(&self) -> u64 {
        self.counters.num_entries()
    }

    /// The number of range tombstones.
    pub fn num_range_deletes(&self) -> u64 {
        self.tombstones.len() as u64
    }

    /// The range tombstones, `None` without any. Reading costs one load as long as there is none.
    ///
    /// # Errors
    /// As for [`FragmentsBuilder::build`](crate::rangedel::FragmentsBuilder::build).
    #[inline]
    pub fn range_tombstones(&self) -> Result<Option<Arc<Fragments>>> {
        self.tombstones.fragments(&self.comparator)
    }

    /// Adds the range tombstones to `builder`, as they came.
    pub fn add_tombstones_to(&self, builder: &mut FragmentsBuilder) {
        self.tombstones.add_to(builder);
    }

    /// The number of records that delete one key ([`ValueType::is_deletion`]).
    pub fn num_deletes(&self) -> u64 {
        self.counters.num_deletes()
    }

    /// The bytes of all entries, lengths included, without the index and rounding.
    pub fn data_size(&self) -> u64 {
        self.counters.data_size()
    }

    /// The bytes of all internal keys.
    pub fn raw_key_size(&self) -> u64 {
        self.counters.raw_key_size()
    }

    /// The bytes of all values.
    pub fn raw_value_size(&self) -> u64 {
        self.counters.raw_value_size()
    }

    /// The smallest sequence number of a record, or `None` if it is empty.
    pub fn first_sequence(&self) -> Option<SequenceNumber> {
        self.counters.first_sequence()
    }

    /// A number that no record's is below: that of its creation, if it was given, or the first
    /// record's; [`MAX_SEQUENCE`] if neither is known.
    pub fn earliest_sequence(&self) -> SequenceNumber {
        self.created_at.min(self.first_sequence().unwrap_or(MAX_SEQUENCE))
    }

    /// The memory taken from the system, in bytes: exact for the arena, which the index is in, too;
    /// estimated for the range tombstones.
    pub fn memory_usage(&self) -> usize {
        let bloom = self.bloom.as_ref().map_or(0, MemBloom::memory_usage);
        bloom + self.arena.reserved() + self.tombstones.memory_usage()
    }

    /// Whether it holds as many range tombstones as it may, if there is a limit.
    pub fn is_out_of_range_deletions(&self) -> bool {
        self.max_range_deletions > 0
            && self.num_range_deletes() >= u64::from(self.max_range_deletions)
    }

    /// Whether it has grown to `write_buffer_size`, give or take a part of an arena block, or
    /// holds as many range tombstones as it may.
    ///
    /// As in RocksDB (`MemTable::ShouldFlushNow`): as long as another block fits (with 60 % of one
    /// to spare), no; beyond that limit, yes; in between the last block is used up to three
    /// quarters.
    pub fn should_flush(&self, write_buffer_size: usize) -> bool {
        if self.is_out_of_range_deletions() {
            return true;
        }
        let block = self.arena.block_size();
        let limit = write_buffer_size.saturating_add(block * 6 / 10);
        let usage = self.memory_usage();
        if usage.saturating_add(block) < limit {
            return false;
        }
        usage > limit || self.arena.unused() < block / 4
    }

    fn rep(&self) -> &MemRep {
        &self.rep
    }
}

#[cfg(test)]
mod tests;
