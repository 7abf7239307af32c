//! [`State`]: what the database mutex guards.

use super::compaction::Compactions;
use super::family::Family;
use super::flush_reason::FlushReason;
use super::snapshots::Snapshots;
use super::stalls::{Stall, WriteController};
use crate::base::key::SequenceNumber;
use crate::base::status::{Result, Severity, Status};
use crate::base::sync::{Arc, Weak};
use crate::compaction::marked::next_reclaimable;
use crate::compaction::running::RunningCompactions;
use crate::compaction::score::Scores;
use crate::memtable::MemTable;
use crate::read::super_version::SuperVersion;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;
use crate::version::version_set::VersionSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Everything that is changed under the database mutex. No file is read or written, and no user
/// code called, while it is held.
pub(super) struct State {
    pub versions: VersionSet,
    pub families: BTreeMap<u32, FamilyState>,
    pub snapshots: Snapshots,
    pub flushes: Flushes,
    pub compactions: Compactions,
    /// How many want no flush, and how many no compaction, to begin.
    pub flushes_paused: u32,
    pub compactions_paused: u32,
    pub controller: WriteController,
    /// Numbers of table files that are being written and in no version yet.
    pub pending_outputs: BTreeSet<u64>,
    /// Files that no current version holds; each is removed when no old version does, either.
    pub obsolete: Vec<Arc<FileMeta>>,
    /// How many want no file to be removed.
    pub deletions_disabled: u32,
    /// What went wrong in the background; unless its severity is low, why writes are refused.
    pub background_error: Option<Status>,
    /// `background_error` is that of a flush, and may pass: trying again is all that it takes.
    pub resumable: bool,
    /// Background work was ended for good.
    pub canceled: bool,
    pub closing: bool,
    /// Closing has ended.
    pub closed: bool,
}

/// Which column families are waiting to be flushed or are being flushed.
#[derive(Default)]
pub(super) struct Flushes {
    pub queue: VecDeque<u32>,
    pub running: usize,
    /// Jobs given to the env that have not begun or not ended.
    pub scheduled: usize,
}

/// What a column family has in common with those that it is flushed together with: their tables are
/// installed all or none, and up to its memtable `newest` of each.
#[derive(Clone, Copy)]
pub(super) struct FlushGroup {
    pub id: u64,
    /// The number of a memtable.
    pub newest: u64,
}

/// A full memtable.
pub(super) struct Immutable {
    pub table: Arc<MemTable>,
    /// The first log that holds records newer than this memtable's.
    pub next_log: u64,
    pub reason: FlushReason,
}

/// The part of a column family that writes and flushes change.
pub(super) struct FamilyState {
    pub family: Arc<Family>,
    pub mem: Arc<MemTable>,
    /// Oldest first.
    pub imm: VecDeque<Immutable>,
    /// The first log that may hold records which are in no table.
    pub log_number: u64,
    /// Whether it is in the flush queue.
    pub flush_pending: bool,
    /// Whether its immutable memtables are to be flushed however few they are.
    pub flush_forced: bool,
    /// Whether a job is flushing it.
    pub flush_running: bool,
    /// What it is to be flushed together with.
    pub flush_group: Option<FlushGroup>,
    pub next_memtable_id: u64,
    /// Whether it is in the compaction queue.
    pub compaction_pending: bool,
    pub running: RunningCompactions,
    /// Of the current version.
    pub scores: Option<Scores>,
    /// The oldest snapshot that was held when one was last released.
    pub oldest_snapshot: SequenceNumber,
    reclaimable: Option<(Weak<Version>, SequenceNumber)>,
    pub stall: Stall,
    /// Whether its compactions should run side by side.
    pub hurry: bool,
    /// The bytes that waited for compaction when that was last looked at.
    pub pending_before: u64,
}

impl FamilyState {
    pub fn new(family: Arc<Family>, mem: Arc<MemTable>, log_number: u64) -> FamilyState {
        FamilyState {
            next_memtable_id: mem.id() + 1,
            family,
            mem,
            imm: VecDeque::new(),
            log_number,
            flush_pending: false,
            flush_forced: false,
            flush_running: false,
            flush_group: None,
            compaction_pending: false,
            running: RunningCompactions::default(),
            scores: None,
            oldest_snapshot: 0,
            reclaimable: None,
            stall: Stall::None,
            hurry: false,
            pending_before: 0,
        }
    }

    /// The sequence number up to which snapshots must be released for more files to be worth
    /// cleaning than are so far.
    pub fn next_reclaimable(&mut self) -> SequenceNumber {
        let version = self.family.persistent.current();
        if let Some((of, next)) = &self.reclaimable
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(&version))
        {
            return *next;
        }
        let next = next_reclaimable(&version, self.oldest_snapshot).unwrap_or(SequenceNumber::MAX);
        self.reclaimable = Some((Arc::downgrade(&version), next));
        next
    }

    /// Notes that no snapshot older than `oldest` is held. Returns whether files may be worth
    /// cleaning now.
    pub fn raise_oldest_snapshot(&mut self, oldest: SequenceNumber) -> bool {
        if oldest <= self.oldest_snapshot || oldest <= self.next_reclaimable() {
            self.oldest_snapshot = self.oldest_snapshot.max(oldest);
            return false;
        }
        self.oldest_snapshot = oldest;
        self.reclaimable = None;
        true
    }

    /// Whether it may not have one memtable more.
    pub fn is_out_of_memtables(&self) -> bool {
        let most = self.family.live_options().max_write_buffer_number;
        self.imm.len() + 1 >= most.max(2) as usize
    }

    /// Whether everything it has is in tables.
    pub fn is_clean(&self) -> bool {
        self.mem.is_empty() && self.imm.is_empty()
    }

    /// Makes the current memtable immutable; the next one's records start in log `next_log`.
    /// Returns the view that this retires.
    pub fn seal(&mut self, next_log: u64, reason: FlushReason) -> Arc<SuperVersion> {
        let fresh = self.family.new_memtable(self.next_memtable_id);
        self.next_memtable_id += 1;
        let table = std::mem::replace(&mut self.mem, fresh);
        table.retire();
        let reason = match reason {
            FlushReason::WriteBufferFull if table.is_out_of_range_deletions() => {
                FlushReason::MaxRangeDeletions
            }
            reason => reason,
        };
        self.imm.push_back(Immutable { table, next_log, reason });
        self.publish()
    }

    /// Gives readers the current memtables and tables. The old view is returned, so that it can
    /// go without the mutex being held.
    pub fn publish(&self) -> Arc<SuperVersion> {
        let view = SuperVersion {
            mem: self.mem.clone(),
            imm: self.imm.iter().rev().map(|imm| imm.table.clone()).collect(),
            version: self.family.persistent.current(),
        };
        self.family.publish(view)
    }
}

impl State {
    /// The error that refuses writes, if there is one.
    pub fn check_writable(&self) -> Result<()> {
        match &self.background_error {
            Some(error) if error.severity() >= Severity::Hard => Err(error.clone()),
            _ if self.closing => Err(Status::shutdown("Database is being closed")),
            _ => Ok(()),
        }
    }

    /// The column families whose memtable has reached its size.
    pub fn full_families(&self) -> Vec<u32> {
        // An empty one cannot be switched, however much its arena took in advance.
        let full =
            |f: &FamilyState| !f.mem.is_empty() && f.mem.should_flush(f.family.write_buffer_size());
        self.families.iter().filter(|(_, f)| full(f)).map(|(&id, _)| id).collect()
    }

    /// Whether one of the `full` column families has as many memtables as it may have, so that
    /// writes wait until one is flushed.
    pub fn must_wait_for_flush(&self, full: &[u32]) -> bool {
        full.iter().filter_map(|id| self.families.get(id)).any(FamilyState::is_out_of_memtables)
    }

    /// The column families whose memtable must be switched so that the oldest log becomes
    /// obsolete. Those that have immutable memtables need no switch: their flush is requested.
    pub fn families_of_oldest_log(&mut self) -> Vec<u32> {
        let unflushed = || self.families.iter().filter(|(_, f)| !f.is_clean());
        let Some(oldest) = unflushed().map(|(_, f)| f.log_number).min() else { return Vec::new() };
        let holding: Vec<_> = unflushed().filter(|(_, f)| f.log_number == oldest).collect();
        let (full, fresh): (Vec<_>, Vec<_>) =
            holding.into_iter().map(|(&id, f)| (id, f.imm.is_empty())).partition(|(_, e)| !e);
        for (id, _) in full {
            self.request_flush(id, true);
        }
        fresh.into_iter().map(|(id, _)| id).collect()
    }

    /// The column family whose memtable is to be flushed so that memory becomes free: the one
    /// with the oldest data, of those that have any and are not being flushed.
    pub fn family_of_oldest_memtable(&self) -> Option<u32> {
        let idle = |f: &FamilyState| !f.mem.is_empty() && !f.flush_pending && !f.flush_running;
        let candidates = self.families.iter().filter(|(_, f)| idle(f));
        candidates.min_by_key(|(_, f)| f.mem.earliest_sequence()).map(|(&id, _)| id)
    }

    /// Makes one group of these column families, of what they hold now, and of those that are in a
    /// group with them. `group` was never used.
    pub fn flush_together(&mut self, ids: &[u32], group: u64) {
        let groups: Vec<u64> = ids.iter().filter_map(|id| self.flush_group(*id)).collect();
        for (id, family) in &mut self.families {
            if ids.contains(id) {
                let sealed = family.imm.back().map(|imm| imm.table.id());
                let newest = if family.mem.is_empty() { sealed } else { Some(family.mem.id()) };
                if let Some(newest) = newest {
                    family.flush_group = Some(FlushGroup { id: group, newest });
                }
            } else if let Some(other) = &mut family.flush_group
                && groups.contains(&other.id)
            {
                other.id = group;
            }
        }
    }

    fn flush_group(&self, id: u32) -> Option<u64> {
        Some(self.families.get(&id)?.flush_group?.id)
    }

    /// The column families that are flushed together with `id`, itself among them.
    pub fn flushed_with(&self, id: u32) -> Vec<u32> {
        let Some(group) = self.flush_group(id) else { return vec![id] };
        self.families.keys().copied().filter(|id| self.flush_group(*id) == Some(group)).collect()
    }

    /// Whether the memtable of column family `id` holds records of an older log than every memtable
    /// that is not switched with those of `ids`.
    pub fn keeps_log_alone(&self, id: u32, ids: &[u32]) -> bool {
        let Some(family) = self.families.get(&id) else { return false };
        let stay = self.families.iter().filter(|(other, _)| **other != id && !ids.contains(other));
        !ids.contains(&id)
            && !family.mem.is_empty()
            && stay.into_iter().all(|(_, f)| f.is_clean() || f.log_number > family.log_number)
    }

    /// Queues flushes of all immutable memtables.
    pub fn request_all_flushes(&mut self) {
        let ids: Vec<u32> = self.families.keys().copied().collect();
        ids.into_iter().for_each(|id| self.request_flush(id, true));
    }

    /// Queues a flush of the column family's immutable memtables. Unless `forced`, only if there
    /// are as many as `min_write_buffer_number_to_merge`.
    pub fn request_flush(&mut self, id: u32, forced: bool) {
        let Some(family) = self.families.get_mut(&id) else { return };
        // Remembered, in case a job that is running does not take them all.
        family.flush_forced |= forced && !family.imm.is_empty();
        let wanted = family.family.options.min_write_buffer_number_to_merge.max(1) as usize;
        let enough = family.imm.len() >= if family.flush_forced { 1 } else { wanted };
        if enough && !family.flush_pending && !family.flush_running {
            family.flush_pending = true;
            self.flushes.queue.push_back(id);
        }
    }

    /// The oldest log that holds records which are in no table; `current_log` if none does.
    pub fn min_log_needed(&self, current_log: u64) -> u64 {
        let unflushed = self.families.values().filter(|f| !f.is_clean()).map(|f| f.log_number);
        unflushed.min().unwrap_or(current_log).min(current_log)
    }
}
