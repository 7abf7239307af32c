//! Compaction: which column families want one, and the jobs of the env that carry them out.
//!
//! A job picks under the mutex, claims what it picked ([`claim::Claim`]), works without the mutex,
//! and installs the result. Each job does one compaction, so that databases which share an env
//! take turns; when it ends it schedules the next.

mod claim;
pub mod files;
mod install;
pub mod range;

use self::claim::Claim;
use self::range::ManualCompaction;
use super::Db;
use super::errors::compaction_severity;
use super::family::Family;
use super::jobs::JobPlace;
use super::state::{FamilyState, State};
use crate::base::clock::unix_seconds;
use crate::base::key::MAX_SEQUENCE;
use crate::base::status::{Code, Result, Severity, Status};
use crate::base::sync::{Arc, AtomicBool, MutexGuard, Ordering, Weak};
use crate::compaction::job::{self, CompactionContext, CompactionOutput};
use crate::compaction::levels::last_output_level;
use crate::compaction::picker::Picker;
use crate::compaction::plan::CompactionWork;
use crate::compaction::score::Scores;
use crate::env::pool::Priority;
use crate::env::rate_limiter::IoPriority;
use crate::log_at;
use crate::options::CfOptions;
use crate::options::enums::CompactionStyle;
use crate::rewrite::stop::Stop;
use crate::stats::activity::Activity;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long a compaction waits that is to be tried again after an error.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The compactions that are wanted or under way.
#[derive(Default)]
pub(in crate::db) struct Compactions {
    /// Column families that may want an automatic compaction.
    pub queue: VecDeque<u32>,
    /// Jobs given to the env that have not ended.
    pub scheduled: usize,
    /// Of these, the ones that will take a column family from the queue.
    pub waiting: usize,
    /// Those that users ask for, in the order in which they came.
    pub manual: Vec<Arc<ManualCompaction>>,
    /// How many want no manual compactions.
    pub manual_disabled: usize,
    /// One call moves files between levels.
    pub refitting: bool,
    last_manual: u64,
}

impl Compactions {
    /// Whether a manual compaction wants to be alone.
    pub fn has_exclusive(&self) -> bool {
        self.manual.iter().any(|manual| manual.exclusive)
    }
}

/// A place among the database's background jobs. When it goes, by whatever way, the place is
/// free and whoever waits for it is told.
struct CompactionSlot {
    db: Weak<Db>,
    /// Whether it takes from the queue.
    automatic: bool,
    /// Whether the job ran. One that the env refused must not schedule the next, which would be
    /// refused, too, and so on.
    begun: bool,
    /// The last field, so that it goes last: whoever waits for it may end what the job used.
    _place: JobPlace,
}

impl CompactionSlot {
    fn begin(&mut self, db: &Db) {
        self.begun = true;
        if self.automatic {
            db.state.lock().compactions.waiting -= 1;
        }
    }
}

impl Drop for CompactionSlot {
    fn drop(&mut self) {
        if let Some(db) = self.db.upgrade() {
            let mut state = db.state.lock();
            state.compactions.scheduled -= 1;
            if self.automatic && !self.begun {
                state.compactions.waiting -= 1;
            }
            if self.begun {
                db.schedule_compactions(&mut state);
            }
            drop(state);
            db.changed.notify_all();
        }
    }
}

impl FamilyState {
    /// Whether the engine can rewrite its tables.
    pub fn can_compact(&self) -> bool {
        let version = self.family.persistent.current();
        version.blob_files().is_empty() && self.family.comparator().timestamp_size() == 0
    }

    /// Whether compactions begin by themselves.
    pub fn compacts_itself(&self) -> bool {
        !self.family.live_options().disable_auto_compactions && self.can_compact()
    }
}

impl State {
    /// Queues the column family for an automatic compaction, if it has them.
    pub fn request_compaction(&mut self, id: u32) {
        let Some(family) = self.families.get_mut(&id) else { return };
        if !family.compaction_pending && family.compacts_itself() {
            family.compaction_pending = true;
            self.compactions.queue.push_back(id);
        }
    }

    /// Whether no background work may begin any more.
    pub fn work_ended(&self) -> bool {
        self.closing || self.canceled
    }

    /// The error after which background work stops.
    pub fn stopping_error(&self) -> Option<&Status> {
        self.background_error.as_ref().filter(|error| error.severity() >= Severity::Hard)
    }
}

/// Scheduling.
impl Db {
    /// To be called when the tables of a column family changed, or what of them is being
    /// compacted: looks whether it wants a compaction, and whether writes must be slowed down.
    pub(in crate::db) fn tables_changed(&self, state: &mut MutexGuard<'_, State>, id: u32) {
        let max_subcompactions = self.max_subcompactions(0);
        if let Some(family) = state.families.get_mut(&id) {
            let version = family.family.persistent.current();
            family.scores =
                Some(Scores::new(&version, &family.family.live_options(), unix_seconds()));
            let wanted = self
                .picker(family, &version, max_subcompactions, &family.family.live_options())
                .needs_compaction();
            if wanted {
                state.request_compaction(id);
            }
            self.update_stall(state, id);
        }
        self.schedule_compactions(state);
    }

    /// Gives the env as many jobs as there are queued column families and places for them.
    pub(in crate::db) fn schedule_compactions(&self, state: &mut MutexGuard<'_, State>) {
        loop {
            let compactions = &state.compactions;
            // One at a time, unless there is a need to hurry.
            let limit = if state.in_a_hurry() {
                self.max_background_compactions.load(Ordering::Relaxed)
            } else {
                1
            };
            if state.stopping_error().is_some()
                || state.work_ended()
                || state.compactions_paused > 0
                || compactions.has_exclusive()
                || compactions.scheduled >= limit
                || compactions.waiting >= compactions.queue.len()
            {
                return;
            }
            let slot = self.compaction_slot(state, true);
            let job = |db: &Db| db.run_automatic_compaction();
            if !self.schedule_compaction(state, Priority::Low, slot, job) {
                return;
            }
        }
    }

    fn compaction_slot(&self, state: &mut State, automatic: bool) -> CompactionSlot {
        state.compactions.scheduled += 1;
        state.compactions.waiting += usize::from(automatic);
        let place = self.jobs.enter();
        CompactionSlot { db: self.me.clone(), automatic, begun: false, _place: place }
    }

    /// Gives a job to the env; if that refuses it, the database stops. Returns whether it took it.
    fn schedule_compaction(
        &self,
        state: &mut MutexGuard<'_, State>,
        priority: Priority,
        mut slot: CompactionSlot,
        work: impl FnOnce(&Db) + Send + 'static,
    ) -> bool {
        let job = Box::new(move || {
            if let Some(db) = slot.db.upgrade() {
                slot.begin(&db);
                db.critically("a compaction panicked", || work(&db));
            }
            drop(slot);
        });
        let tag = self.job_tag();
        let scheduled =
            MutexGuard::unlocked(state, || self.context.env.schedule_tagged(priority, tag, job));
        match scheduled {
            Ok(()) => true,
            Err(error) => {
                self.set_background_error_in(state, error.with_severity(Severity::Hard));
                false
            }
        }
    }

    /// What the database's compaction jobs are known by in the env.
    pub(in crate::db) fn job_tag(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// How many threads may share a compaction, if somebody wants `wanted`; 0 is as the options say.
    fn max_subcompactions(&self, wanted: u32) -> usize {
        let most = if wanted == 0 { self.context.options.max_subcompactions } else { wanted };
        most.max(1) as usize
    }

    /// The picker for a column family as it is now.
    fn picker<'a>(
        &self,
        family: &'a FamilyState,
        version: &'a Arc<crate::version::version::Version>,
        max_subcompactions: usize,
        options: &'a CfOptions,
    ) -> Picker<'a> {
        let now = unix_seconds();
        Picker {
            version,
            options,
            running: &family.running,
            oldest_snapshot: family.oldest_snapshot,
            now,
            offpeak_lead: self.live_options.load().offpeak_lead(now),
            max_subcompactions,
        }
    }
}

/// Carrying out.
impl Db {
    fn run_automatic_compaction(&self) {
        let Some(claim) = self.pick_compaction() else { return };
        let Some(claim) = self.forward_to_bottom(claim) else { return };
        self.run_claimed(claim);
    }

    /// Carries out an automatic compaction.
    fn run_claimed(&self, claim: Claim) {
        let id = claim.family.id();
        let result = self.carry_out(claim, None);
        self.remove_obsolete_files();
        self.tidy_up();
        match result {
            Ok(_) => self.clear_soft_error(),
            Err(error) => self.automatic_compaction_failed(id, error),
        }
    }

    /// Chooses a compaction for one of the queued column families.
    fn pick_compaction(&self) -> Option<Claim> {
        let mut guard = self.state.lock();
        loop {
            let state = &mut *guard;
            if state.stopping_error().is_some()
                || state.work_ended()
                || state.compactions_paused > 0
                || state.compactions.has_exclusive()
            {
                return None;
            }
            let id = state.compactions.queue.pop_front()?;
            let Some(family) = state.families.get_mut(&id) else { continue };
            family.compaction_pending = false;
            if !family.compacts_itself() {
                continue;
            }
            let version = family.family.persistent.current();
            let plan = self
                .picker(family, &version, self.max_subcompactions(0), &family.family.live_options())
                .pick();
            drop(version);
            let Some(plan) = plan else { continue };
            let claim = Claim::new(self, family, plan);
            // There may be work for another job beside this one.
            self.tables_changed(&mut guard, id);
            return Some(claim);
        }
    }

    /// Gives a rewrite of the last level to the env's pool for those, if that has threads, so
    /// that it does not hold up what writers wait for.
    fn forward_to_bottom(&self, claim: Claim) -> Option<Claim> {
        let options = claim.family.live_options();
        let last = last_output_level(&claim.plan().version, &options);
        let output_level = claim.plan().output.level;
        let belongs_there = claim.plan().work == CompactionWork::Rewrite
            && output_level > 0
            && output_level == last
            && self.context.env.background_threads(Priority::Bottom) > 0;
        if !belongs_there {
            return Some(claim);
        }
        let mut state = self.state.lock();
        let slot = self.compaction_slot(&mut state, false);
        if options.compaction_style == CompactionStyle::Universal
            && options.compaction_options_universal.reduce_file_locking
        {
            let place = self.hold_oldest_run(&mut state, claim);
            let job = move |db: &Db| db.run_in_place_of(place);
            self.schedule_compaction(&mut state, Priority::Bottom, slot, job);
        } else {
            let job = move |db: &Db| db.run_claimed(claim);
            self.schedule_compaction(&mut state, Priority::Bottom, slot, job);
        }
        None
    }

    /// Gives up a claim, but for the oldest of its runs: others may have what is newer while it
    /// waits.
    fn hold_oldest_run(
        &self,
        state: &mut MutexGuard<'_, State>,
        mut claim: Claim,
    ) -> Option<Claim> {
        claim.release(state);
        let id = claim.family.id();
        let family = state.families.get_mut(&id)?;
        let place = Claim::new(self, family, claim.plan().oldest_run());
        self.tables_changed(state, id);
        Some(place)
    }

    /// Chooses anew what goes to the last level with the run that was held, and carries it out.
    fn run_in_place_of(&self, place: Option<Claim>) {
        let Some(mut place) = place else { return };
        let mut state = self.state.lock();
        place.release(&mut state);
        let id = place.family.id();
        if state.stopping_error().is_some()
            || state.work_ended()
            || state.compactions_paused > 0
            || state.compactions.has_exclusive()
        {
            state.request_compaction(id);
            return;
        }
        let Some(family) = state.families.get_mut(&id).filter(|family| family.compacts_itself())
        else {
            return;
        };
        let version = family.family.persistent.current();
        let plan = self
            .picker(family, &version, self.max_subcompactions(0), &family.family.live_options())
            .pick_for_last_level();
        drop(version);
        let Some(plan) = plan else {
            self.tables_changed(&mut state, id);
            return;
        };
        let claim = Claim::new(self, family, plan);
        self.tables_changed(&mut state, id);
        drop(state);
        self.run_claimed(claim);
    }

    /// Does what the claim's plan says, and puts the result in place. Returns the numbers of the
    /// files that are there now.
    fn carry_out(&self, mut claim: Claim, canceled: Option<&AtomicBool>) -> Result<Vec<u64>> {
        let start = Instant::now();
        let files = match claim.plan().work {
            CompactionWork::Move => {
                self.count_move(&claim.family, claim.plan());
                self.moved_files(&claim)
            }
            CompactionWork::Delete => Vec::new(),
            CompactionWork::Rewrite => self.rewrite(&claim, canceled)?.files,
        };
        let numbers = files.iter().map(|file| file.number).collect();
        let summary = claim.summary();
        self.install_compaction(&mut claim, files)?;
        self.count_fifo(claim.plan().reason);
        if let Some(summary) = summary {
            let micros = start.elapsed().as_micros();
            log_at!(self.context.logger, Info, "{summary}, {micros} us");
        }
        Ok(numbers)
    }

    fn rewrite(&self, claim: &Claim, canceled: Option<&AtomicBool>) -> Result<CompactionOutput> {
        let family: &Family = &claim.family;
        let state = self.state.lock();
        let (snapshots, priority) =
            (state.snapshots.sequences(), state.io_priority(IoPriority::Low));
        drop(state);
        let limiter = self.context.options.rate_limiter.as_deref();
        let throttle = |bytes| self.wait_for_rate(bytes, priority);
        let (db_options, cf_options) = (self.live_options(), family.live_options());
        let _reads = Activity::Compaction.enter();
        let output = job::run(CompactionContext {
            plan: claim.plan(),
            owner: self.context.table_owner_with(family, (&db_options, &cf_options)),
            fs: self.context.fs(),
            dir: family.tables.options().dir(claim.plan().output.path_id),
            tables: &family.tables,
            snapshots: &snapshots,
            write_conflict_snapshot: MAX_SEQUENCE,
            stop: Stop {
                shutting_down: Some(&self.shutting_down),
                canceled,
                dropped: Some(family.dropped_flag()),
            },
            new_file_number: &|| claim.new_output(self),
            throttle: limiter.is_some().then_some(&throttle),
            reads_as: Some(priority),
            logger: &*self.context.logger,
        })?;
        self.count_compaction(family, claim.plan(), &output.stats);
        Ok(output)
    }

    fn automatic_compaction_failed(&self, id: u32, error: Status) {
        if !self.note_compaction_error(error) {
            return;
        }
        let mut state = self.state.lock();
        let until = Instant::now() + RETRY_DELAY;
        while !state.work_ended() && state.stopping_error().is_none() {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        state.request_compaction(id);
    }

    /// Stops the database after an error of a compaction, as far as the error demands. Returns
    /// whether trying again makes sense.
    pub(in crate::db) fn note_compaction_error(&self, error: Status) -> bool {
        match error.code() {
            Code::ColumnFamilyDropped | Code::ShutdownInProgress => return false,
            // Called off.
            Code::Incomplete => return false,
            _ => {}
        }
        let severity = compaction_severity(&error, self.context.options.paranoid_checks);
        log_at!(self.context.logger, Warn, "Compaction error: {error}");
        match severity {
            Severity::None => self.count_background_error(),
            severity => self.set_background_error(error.with_severity(severity)),
        }
        severity < Severity::Hard
    }

    /// Forgets an error that did not stop the database, now that a compaction succeeded.
    fn clear_soft_error(&self) {
        let mut state = self.state.lock();
        if state.background_error.as_ref().is_some_and(|e| e.severity() <= Severity::Soft) {
            state.background_error = None;
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Whether the database is closing or its background work was canceled.
    pub(in crate::db) fn is_shutting_down(&self) -> bool {
        self.shutting_down.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests;
