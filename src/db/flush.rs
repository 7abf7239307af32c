//! Flushing: which memtables are written to tables, when, and what follows from it.

use super::Db;
use super::errors::read_only_error;
use super::family::Family;
use super::flush_reason::FlushReason;
use super::jobs::JobPlace;
use super::state::{FlushGroup, State};
use crate::base::clock::micros_since;
use crate::base::key::SequenceNumber;
use crate::base::status::{Code, Result, Severity, Status};
use crate::base::sync::{Arc, MutexGuard, Ordering, Weak};
use crate::env::pool::Priority;
use crate::env::rate_limiter::IoPriority;
use crate::flush::job::FlushOutput;
use crate::memtable::MemTable;
use crate::options::FlushOptions;
use crate::stats::activity::Activity;
use crate::stats::{Histogram, Ticker, count, record};
use crate::version::edit::VersionEdit;
use std::time::Instant;

/// A place among the database's background jobs. When it goes, by whatever way, the place is
/// free and whoever waits for it is told.
struct FlushSlot {
    db: Weak<Db>,
    /// Whether the job ran. One that the env refused must not schedule the next, which would be
    /// refused, too, and so on.
    ran: bool,
    /// The last field, so that it goes last: whoever waits for it may end what the job used.
    _place: JobPlace,
}

impl Drop for FlushSlot {
    fn drop(&mut self) {
        if let Some(db) = self.db.upgrade() {
            let mut state = db.state.lock();
            state.flushes.scheduled -= 1;
            if self.ran {
                // What was queued while this job was ending.
                db.schedule_flushes(&mut state);
            }
            drop(state);
            db.changed.notify_all();
        }
    }
}

/// A flush job that has begun.
struct RunningFlush<'a> {
    db: &'a Db,
}

impl<'a> RunningFlush<'a> {
    fn start(db: &'a Db) -> RunningFlush<'a> {
        db.state.lock().flushes.running += 1;
        RunningFlush { db }
    }
}

impl Drop for RunningFlush<'_> {
    fn drop(&mut self) {
        self.db.state.lock().flushes.running -= 1;
    }
}

/// Memtables being flushed. When it goes without having been installed, they are flushable again.
struct FlushPick<'a> {
    db: &'a Db,
    family: Arc<Family>,
    /// Oldest first.
    tables: Vec<Arc<MemTable>>,
    /// Why the oldest of them is to be flushed.
    reason: FlushReason,
    snapshots: Vec<SequenceNumber>,
    file_number: u64,
    io_priority: IoPriority,
}

impl Drop for FlushPick<'_> {
    fn drop(&mut self) {
        let mut state = self.db.state.lock();
        state.pending_outputs.remove(&self.file_number);
        if let Some(family) = state.families.get_mut(&self.family.id()) {
            family.flush_running = false;
        }
        // Memtables may have become full meanwhile, and those of others may have been left to the
        // next flush of all of them together.
        let together = state.flushed_with(self.family.id());
        match together.len() {
            _ if self.db.context.options.atomic_flush => state.request_all_flushes(),
            1 => state.request_flush(self.family.id(), false),
            _ => together.into_iter().for_each(|id| state.request_flush(id, true)),
        }
        drop(state);
        self.db.changed.notify_all();
    }
}

impl Db {
    /// Gives the env as many jobs as there are queued flushes and places for them. Returns whether
    /// it let go of the mutex meanwhile, so that whoever would wait must look again first.
    pub(super) fn schedule_flushes(&self, state: &mut MutexGuard<'_, State>) -> bool {
        if state.stopping_error().is_some() || state.canceled || state.flushes_paused > 0 {
            return false;
        }
        let mut let_go = false;
        let limit = self.max_background_flushes.load(Ordering::Relaxed);
        while state.flushes.scheduled < limit
            && state.flushes.scheduled - state.flushes.running < state.flushes.queue.len()
        {
            state.flushes.scheduled += 1;
            let mut slot = FlushSlot { db: self.me.clone(), ran: false, _place: self.jobs.enter() };
            let job = Box::new(move || {
                slot.ran = true;
                if let Some(db) = slot.db.upgrade() {
                    db.run_flushes();
                }
                drop(slot);
            });
            let scheduled =
                MutexGuard::unlocked(state, || self.context.env.schedule(Priority::High, job));
            let_go = true;
            if let Err(error) = scheduled {
                self.set_background_error_in(state, error.with_severity(Severity::Hard));
                break;
            }
        }
        let_go
    }

    /// Flushes until nothing is queued. A panic (in a user's comparator, say) becomes a background
    /// error.
    fn run_flushes(&self) {
        self.critically("a flush panicked", || {
            let _running = RunningFlush::start(self);
            let mut tries = 0;
            while let Some(picks) = self.pick_flush() {
                if let Err(error) = self.flush_picked(picks) {
                    self.counters.failed_in_background();
                    if !self.resume_after(error, tries) {
                        break;
                    }
                    tries += 1;
                    continue;
                }
                if tries > 0 {
                    self.count_resumed(tries);
                    tries = 0;
                }
                self.tidy_up();
            }
        });
    }

    /// The column families that are flushed next, together: one, those of its group, or all with
    /// `atomic_flush`.
    fn pick_flush(&self) -> Option<Vec<FlushPick<'_>>> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        loop {
            let first = state.flushes.queue.pop_front()?;
            let ids = match self.context.options.atomic_flush {
                true => state.families.keys().copied().collect(),
                false => state.flushed_with(first),
            };
            state.flushes.queue.retain(|id| !ids.contains(id));
            let mut is_running = false;
            for id in &ids {
                let Some(family) = state.families.get_mut(id) else { continue };
                family.flush_pending = false;
                family.flush_forced = false;
                is_running |= family.flush_running;
            }
            if is_running {
                continue;
            }
            let picks: Vec<_> = ids.iter().filter_map(|&id| self.pick(state, id)).collect();
            if !picks.is_empty() {
                return Some(picks);
            }
        }
    }

    /// Takes the immutable memtables of a column family, unless there are none; of one in a group,
    /// those of the group.
    fn pick(&self, state: &mut State, id: u32) -> Option<FlushPick<'_>> {
        let io_priority = state.io_priority(IoPriority::High);
        let family = state.families.get_mut(&id)?;
        let newest = family.flush_group.map_or(u64::MAX, |group| group.newest);
        let tables = family.imm.iter().map(|imm| &imm.table).take_while(|t| t.id() <= newest);
        let tables: Vec<_> = tables.cloned().collect();
        let reason = family.imm.front().filter(|_| !tables.is_empty())?.reason;
        family.flush_running = true;
        let file_number = self.file_numbers.allocate();
        state.pending_outputs.insert(file_number);
        Some(FlushPick {
            db: self,
            family: family.family.clone(),
            tables,
            reason,
            snapshots: state.snapshots.sequences(),
            file_number,
            io_priority,
        })
    }

    fn flush_picked(&self, picks: Vec<FlushPick<'_>>) -> Result<()> {
        let numbers: Vec<u64> = picks.iter().map(|pick| pick.file_number).collect();
        let mut outputs: Vec<FlushOutput> = Vec::new();
        for pick in &picks {
            match self.write_table(pick) {
                Ok(output) => outputs.push(output),
                Err(error) => {
                    let written = outputs.iter().filter_map(|output| output.file.as_ref());
                    let written: Vec<u64> = written.map(|file| file.number).collect();
                    self.context.remove_tables(&written);
                    return Err(error);
                }
            }
        }
        if self.families.load().count() > 1 {
            // Else a crash could leave this family's newer data while another's older ones,
            // still in the page cache as part of a closed log, are lost.
            self.wals()?.sync_closed()?;
            self.track_synced_logs()?;
            self.close_retired_logs();
        }
        match self.install_flush(&picks, outputs) {
            Err(error) if error.code() == Code::ColumnFamilyDropped => {
                drop(picks);
                self.context.remove_tables(&numbers);
                Ok(())
            }
            result => result,
        }
    }

    fn write_table(&self, pick: &FlushPick<'_>) -> Result<FlushOutput> {
        let start = Instant::now();
        let _reads = Activity::Flush.enter();
        let limiter = self.context.options.rate_limiter.as_deref();
        let throttle = |bytes| self.wait_for_rate(bytes, pick.io_priority);
        let (db_options, cf_options) = (self.live_options(), pick.family.live_options());
        let live = (&*db_options, &*cf_options);
        let mut job = self.context.flush_job_with(&pick.family, pick.file_number, live);
        job.throttle = limiter.is_some().then_some(&throttle);
        job.reads_as = Some(pick.io_priority);
        let output = job.run(&pick.tables, &pick.snapshots)?;
        self.count_flush(pick, &output, micros_since(start));
        Ok(output)
    }

    fn count_flush(&self, pick: &FlushPick<'_>, output: &FlushOutput, micros: u64) {
        let stats = self.statistics();
        let sum = |size: fn(&MemTable) -> u64| pick.tables.iter().map(|table| size(table)).sum();
        let memory = sum(|table| table.memory_usage() as u64);
        record(stats, Histogram::FlushMemtableMemoryBytes, memory);
        record(stats, Histogram::FlushMemtableTotalDataSize, sum(MemTable::data_size));
        pick.reason.count(stats, memory);
        // What was merged or changed meanwhile may take more room than before.
        if let Some(garbage) = output.bytes_in.checked_sub(output.bytes_out) {
            count(stats, Ticker::MemtablePayloadBytesAtFlush, output.bytes_in);
            count(stats, Ticker::MemtableGarbageBytesAtFlush, garbage);
        }
        let bytes = output.file.as_ref().map_or(0, |file| file.file_size);
        count(stats, Ticker::FlushWriteBytes, bytes);
        if let Some(stats) = stats {
            stats.record_time(Histogram::FlushTime, micros);
        }
        pick.family.stats.lock().flushed(bytes, micros);
    }

    /// Puts the tables of a flush in place of their memtables, durably and all or none, and lets go
    /// of the logs that it makes obsolete. Families that were dropped meanwhile are left out.
    fn install_flush(&self, picks: &[FlushPick<'_>], outputs: Vec<FlushOutput>) -> Result<()> {
        let _turn = self.manifest_turn.lock();
        let mut state = self.state.lock();
        let dropped: Vec<u64> = picks
            .iter()
            .filter(|pick| !state.families.contains_key(&pick.family.id()))
            .map(|pick| pick.file_number)
            .collect();
        let edits = flush_edits(&state, picks, outputs);
        let next_logs: Vec<_> = edits.iter().map(|e| (e.column_family, e.log_number)).collect();
        let mut write = state.versions.prepare(edits)?;
        drop(state);
        // The outcome is in `write`, and comes out of `install`.
        let _ = write.write();
        let mut state = self.state.lock();
        state.versions.install(write)?;
        let (mut retired, mut retired_views) = (Vec::new(), Vec::new());
        for (id, next_log) in next_logs {
            let flushed = picks.iter().find(|pick| pick.family.id() == id);
            let flushed = flushed.map_or(0, |pick| pick.tables.len());
            if let Some(family) = state.families.get_mut(&id) {
                let last = flushed.checked_sub(1).map(|last| family.imm[last].table.id());
                let waits = |group: &FlushGroup| last.is_none_or(|last| group.newest > last);
                family.flush_group = family.flush_group.filter(waits);
                retired.extend(family.imm.drain(..flushed));
                family.log_number = family.log_number.max(next_log.unwrap_or(0));
                retired_views.push(family.publish());
            }
            self.tables_changed(&mut state, id);
        }
        drop(state);
        self.changed.notify_all();
        drop((retired, retired_views));
        self.context.remove_tables(&dropped);
        self.release_logs()?;
        self.remove_obsolete_files();
        Ok(())
    }

    /// Removes the logs whose writes are all in tables.
    pub(super) fn release_logs(&self) -> Result<()> {
        let wals = self.wals()?;
        // Before the mutex: a log that becomes current behind this one is not older.
        let current = wals.current_number();
        let min_log = {
            let state = self.state.lock();
            if state.deletions_disabled > 0 {
                return Ok(());
            }
            // Not beyond what the MANIFEST says is needed: recovery would miss those logs.
            state.min_log_needed(current).min(state.versions.min_log_number_to_keep())
        };
        self.context.remove_logs(&wals.release_below(min_log));
        Ok(())
    }

    /// Flushes the memtables of `families`, all or none of them with `force_atomic_flush`, and if
    /// the options say so waits until that is done. The first one that was dropped ends it with an
    /// error.
    pub fn flush(&self, families: &[Arc<Family>], options: &FlushOptions) -> Result<()> {
        if self.context.read_only {
            return Err(read_only_error());
        }
        let live = families.iter().take_while(|family| !family.is_dropped());
        let ids: Vec<u32> = live.map(|family| family.id()).collect();
        let turn = loop {
            if !options.allow_write_stall {
                self.wait_for_memtables(&ids)?;
            }
            let turn = self.writers.exclusive();
            let state = self.state.lock();
            state.check_writable()?;
            if options.allow_write_stall || !ids.iter().any(|&id| state.flush_would_stall(id)) {
                break turn;
            }
        };
        if options.force_atomic_flush && !self.context.options.atomic_flush {
            // Before a job can take what is switched.
            self.state.lock().flush_together(&ids, self.file_numbers.allocate());
        }
        self.critically("a log switch panicked", || {
            self.switch_memtables(&ids, FlushReason::Other, true)
        })?;
        drop(turn);
        if options.wait {
            self.wait_for_flush(&ids)?;
        }
        let may_be_dropped = options.allow_write_stall && !options.wait;
        if !may_be_dropped && families.iter().any(|family| family.is_dropped()) {
            return Err(Status::column_family_dropped(""));
        }
        Ok(())
    }

    /// Waits until one more memtable of these column families would not stall writes.
    fn wait_for_memtables(&self, ids: &[u32]) -> Result<()> {
        let mut state = self.state.lock();
        loop {
            state.check_writable()?;
            if !ids.iter().any(|&id| state.flush_would_stall(id)) {
                return Ok(());
            }
            if state.work_ended() {
                return Err(Status::shutdown(""));
            }
            self.changed.wait(&mut state);
        }
    }

    /// Waits until everything that is immutable now is in tables.
    fn wait_for_flush(&self, ids: &[u32]) -> Result<()> {
        let mut state = self.state.lock();
        let newest = |state: &State, id: &u32| {
            state.families.get(id).and_then(|f| f.imm.back()).map(|imm| (*id, imm.table.id()))
        };
        let goals: Vec<(u32, u64)> = ids.iter().filter_map(|id| newest(&state, id)).collect();
        loop {
            let waiting = goals.iter().any(|(id, goal)| {
                let family = state.families.get(id);
                family.and_then(|f| f.imm.front()).is_some_and(|imm| imm.table.id() <= *goal)
            });
            if !waiting {
                return Ok(());
            }
            state.check_writable()?;
            if state.work_ended() {
                return Err(Status::shutdown(""));
            }
            for (id, _) in &goals {
                state.request_flush(*id, true);
            }
            // What is waited for, and the notice of it, may have come while the mutex was free.
            if !self.schedule_flushes(&mut state) {
                self.changed.wait(&mut state);
            }
        }
    }
}

/// The changes that put `outputs` in place of the memtables of `picks`.
fn flush_edits(
    state: &State,
    picks: &[FlushPick<'_>],
    outputs: Vec<FlushOutput>,
) -> Vec<VersionEdit> {
    let mut edits = Vec::new();
    for (pick, output) in picks.iter().zip(outputs) {
        let id = pick.family.id();
        let Some(family) = state.families.get(&id) else { continue };
        let mut edit = VersionEdit::new(id);
        edit.log_number = Some(family.imm[pick.tables.len() - 1].next_log);
        edit.prev_log_number = Some(0);
        if let Some(mut file) = output.file {
            file.epoch_number = pick.family.persistent.new_epoch_number();
            edit.add_file(0, Arc::new(file));
        }
        edits.push(edit);
    }
    let is_flushed = |id: u32| edits.iter().any(|edit| edit.column_family == id);
    let others = state.families.iter().filter(|(id, f)| !is_flushed(**id) && !f.is_clean());
    let others = others.map(|(_, f)| f.log_number).min();
    let min_log = edits.iter().filter_map(|edit| edit.log_number).chain(others).min();
    for edit in &mut edits {
        edit.min_log_number_to_keep = min_log;
    }
    edits
}
