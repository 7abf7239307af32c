//! Compaction of a range of keys, because a user asks for it.

use super::super::Db;
use super::super::errors::read_only_error;
use super::super::family::Family;
use super::super::state::State;
use super::claim::Claim;
use crate::base::comparator::Order;
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType};
use crate::base::status::{Code, Result, Status, SubCode};
use crate::base::sync::{Arc, AtomicBool, Mutex, MutexGuard, Ordering};
use crate::compaction::levels::{last_level_with_files, last_output_level};
use crate::compaction::manual::{RangeOutput, RangePick, RangeRequest};
use crate::compaction::plan::CompactionPlan;
use crate::env::pool::Priority;
use crate::options::FlushOptions;
use crate::options::compact::CompactRangeOptions;
use crate::options::enums::{BottommostLevelCompaction, CompactionStyle};
use std::time::Duration;

/// How often a call that waits looks whether it was called off.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A part of a compaction that a user asked for: one level into another.
pub(in crate::db) struct ManualCompaction {
    id: u64,
    family_id: u32,
    pub exclusive: bool,
    begin: Option<InternalKey>,
    end: Option<InternalKey>,
    /// Whether a job works for it.
    under_way: AtomicBool,
    /// Set to call it off.
    canceled: Arc<AtomicBool>,
    /// What became of the job.
    outcome: Mutex<Option<Result<()>>>,
}

impl ManualCompaction {
    /// Calls it off.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Release);
    }
}

/// One level of a range, on its way to another.
struct Step {
    level: usize,
    output: RangeOutput,
    newest_file: Option<u64>,
    rewrite: bool,
}

impl Step {
    fn request<'a>(
        &self,
        begin: Option<&'a InternalKey>,
        end: Option<&'a InternalKey>,
    ) -> RangeRequest<'a> {
        let Step { level, output, newest_file, rewrite } = *self;
        RangeRequest { level, output, begin, end, newest_file, rewrite }
    }
}

/// That a manual compaction was called off.
pub(in crate::db) fn paused_error() -> Status {
    Status::new(Code::Incomplete, "").with_subcode(SubCode::ManualCompactionPaused)
}

/// Takes a manual compaction off the list, whatever ends it.
struct Listed<'a> {
    db: &'a Db,
    manual: Arc<ManualCompaction>,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        let mut state = self.db.state.lock();
        state.compactions.manual.retain(|other| other.id != self.manual.id);
        // What an exclusive one kept from running.
        self.db.schedule_compactions(&mut state);
        drop(state);
        self.db.changed.notify_all();
    }
}

/// Gives the outcome of a job, or that there is none, to the caller who waits for it.
struct Reported {
    manual: Arc<ManualCompaction>,
    outcome: Result<()>,
}

impl Drop for Reported {
    fn drop(&mut self) {
        let outcome = std::mem::replace(&mut self.outcome, Ok(()));
        *self.manual.outcome.lock() = Some(outcome);
    }
}

impl Db {
    /// Compacts the user keys `begin..=end` of a column family (`None` is unbounded) into the
    /// last level that has any of them, or as the options say.
    pub fn compact_range(
        &self,
        family: &Arc<Family>,
        options: &CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.check_compactable(family)?;
        options.rejected.check()?;
        if options.target_path_id as usize >= family.tables.options().paths.len() {
            return Err(Status::invalid_argument("Invalid target path ID"));
        }
        if options.change_level && family.options.compaction_style == CompactionStyle::Fifo {
            return Err(Status::not_supported("FIFO compaction does not support change_level."));
        }
        if !options.full_history_ts_low.is_empty() {
            return Err(Status::not_supported("full_history_ts_low"));
        }
        if options.is_canceled() || self.state.lock().compactions.manual_disabled > 0 {
            return Err(paused_error());
        }
        let flush = FlushOptions {
            allow_write_stall: options.allow_write_stall,
            ..FlushOptions::default()
        };
        self.flush(std::slice::from_ref(family), &flush)?;
        let Some(level) = self.compact_levels(family, options, begin, end)? else { return Ok(()) };
        if options.change_level {
            self.refit_alone(family, level, options.target_level)?;
        }
        Ok(())
    }

    /// Whether compactions of the column family can be asked for.
    pub(super) fn check_compactable(&self, family: &Family) -> Result<()> {
        if self.context.read_only {
            return Err(read_only_error());
        }
        if self.is_shutting_down() {
            return Err(Status::shutdown(""));
        }
        let state = self.state.lock();
        let Some(family) = state.families.get(&family.id()) else {
            return Err(Status::column_family_dropped(""));
        };
        if !family.can_compact() {
            return Err(Status::not_supported("Compaction of blob files or timestamps"));
        }
        Ok(())
    }

    /// Compacts the whole column family as its style has it; returns the level where its data are
    /// now.
    fn compact_runs(&self, family: &Arc<Family>, options: &CompactRangeOptions) -> Result<usize> {
        let last = match family.options.compaction_style {
            CompactionStyle::Fifo => 0,
            _ => last_output_level(&family.persistent.current(), &family.options),
        };
        let output = RangeOutput::Level(last);
        let step = Step { level: 0, output, newest_file: None, rewrite: false };
        self.compact_step(family, options, None, None, &step)
    }

    /// Compacts the range from level to level; returns the level where its data are now, if there
    /// are any.
    fn compact_levels(
        &self,
        family: &Arc<Family>,
        options: &CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<Option<usize>> {
        let version = family.persistent.current();
        match family.options.compaction_style {
            CompactionStyle::Level => {}
            // Files go where the user puts them.
            CompactionStyle::None => return Ok(Some(last_level_with_files(&version))),
            style => {
                let is_one_level = style == CompactionStyle::Universal && version.num_levels() == 1;
                if is_one_level && !version.overlaps_level(0, begin, end) {
                    return Ok(None);
                }
                drop(version);
                return self.compact_runs(family, options).map(Some);
            }
        }
        let first = (0..version.num_levels()).find(|&l| version.overlaps_level(l, begin, end));
        let num_levels = version.num_levels();
        drop(version);
        let Some(mut level) = first else { return Ok(None) };
        let first_new_file = self.file_numbers.next();
        let dynamic = family.options.level_compaction_dynamic_level_bytes;
        let last = || match dynamic {
            true => num_levels - 1,
            false => last_level_with_files(&family.persistent.current()),
        };
        // Level 0 always goes down.
        while level == 0 || level < last() {
            let output = match level {
                0 if dynamic => RangeOutput::Base,
                _ => RangeOutput::Level(level + 1),
            };
            let step = Step { level, output, newest_file: None, rewrite: false };
            level = self.compact_step(family, options, begin, end, &step)?;
        }
        let has_filter = family.options.compaction_filter.is_some()
            || family.options.compaction_filter_factory.is_some();
        let rewrite = match options.bottommost_level_compaction {
            BottommostLevelCompaction::Skip => None,
            BottommostLevelCompaction::IfHaveCompactionFilter if !has_filter => None,
            BottommostLevelCompaction::Force => Some(None),
            // What this call has written need not be written again.
            _ => Some(Some(first_new_file)),
        };
        if let Some(newest_file) = rewrite {
            let output = RangeOutput::Level(level);
            let step = Step { level, output, newest_file, rewrite: true };
            self.compact_step(family, options, begin, end, &step)?;
        }
        Ok(Some(level))
    }

    /// Compacts one level of the range, in as many parts as that takes. Returns the level that it
    /// is on then.
    fn compact_step(
        &self,
        family: &Arc<Family>,
        options: &CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
        step: &Step,
    ) -> Result<usize> {
        let lowest = |key: &[u8]| InternalKey::new(key, MAX_SEQUENCE, ValueType::FOR_SEEK);
        let highest = |key: &[u8]| InternalKey::new(key, 0, ValueType::Deletion);
        let (mut begin, end) = (begin.map(lowest), end.map(highest));
        let listed = self.list_manual(family, options, begin.clone(), end.clone())?;
        let manual = &listed.manual;
        let mut state = self.state.lock();
        loop {
            self.wait_for_turn(&mut state, manual)?;
            let Some(family_state) = state.families.get_mut(&family.id()) else {
                return Err(Status::column_family_dropped(""));
            };
            let request = step.request(begin.as_ref(), end.as_ref());
            let version = family.persistent.current();
            let subcompactions = self.max_subcompactions(options.max_subcompactions);
            let pick = self
                .picker(family_state, &version, subcompactions, &family_state.family.live_options())
                .pick_range(&request);
            drop(version);
            match pick {
                RangePick::Conflict => {
                    self.changed.wait_for(&mut state, LOOK_INTERVAL);
                }
                RangePick::Nothing => {
                    let scores = family_state.scores.as_ref();
                    let base = scores.map_or(1, |scores| scores.targets.base_level());
                    return Ok(match step.output {
                        RangeOutput::Base => base,
                        RangeOutput::Level(level) => level,
                    });
                }
                RangePick::Plan(mut plan, rest) => {
                    plan.set_output_path(options.target_path_id);
                    let level = plan.output.level;
                    self.run_manual(&mut state, manual, family, *plan)?;
                    match rest {
                        Some(key) => begin = Some(key),
                        None => return Ok(level),
                    }
                }
            }
        }
    }

    fn list_manual(
        &self,
        family: &Family,
        options: &CompactRangeOptions,
        begin: Option<InternalKey>,
        end: Option<InternalKey>,
    ) -> Result<Listed<'_>> {
        let mut state = self.state.lock();
        if state.compactions.manual_disabled > 0 {
            return Err(paused_error());
        }
        state.compactions.last_manual += 1;
        let manual = Arc::new(ManualCompaction {
            id: state.compactions.last_manual,
            family_id: family.id(),
            exclusive: options.exclusive_manual_compaction,
            begin,
            end,
            under_way: AtomicBool::new(false),
            canceled: options.canceled.clone().unwrap_or_default(),
            outcome: Mutex::new(None),
        });
        state.compactions.manual.push(manual.clone());
        Ok(Listed { db: self, manual })
    }

    /// Waits until `manual` may choose its next part.
    fn wait_for_turn(
        &self,
        state: &mut MutexGuard<'_, State>,
        manual: &ManualCompaction,
    ) -> Result<()> {
        loop {
            if state.work_ended() {
                return Err(Status::shutdown(""));
            }
            if let Some(error) = state.stopping_error() {
                return Err(error.clone());
            }
            if manual.canceled.load(Ordering::Acquire) {
                return Err(paused_error());
            }
            let busy = match manual.exclusive {
                true => state.compactions.scheduled > 0,
                false => self.is_behind(state, manual),
            };
            if !busy && state.compactions_paused == 0 {
                return Ok(());
            }
            self.changed.wait_for(state, LOOK_INTERVAL);
        }
    }

    /// Whether one that came earlier wants some of the same range, and waits as well.
    fn is_behind(&self, state: &State, manual: &ManualCompaction) -> bool {
        let earlier = state.compactions.manual.iter().take_while(|other| other.id != manual.id);
        let Some(family) = state.families.get(&manual.family_id) else { return false };
        let order = family.family.comparator();
        let before = |last: &Option<InternalKey>, first: &Option<InternalKey>| match (last, first) {
            (Some(last), Some(first)) => order.compare(last.user_key(), first.user_key()).is_lt(),
            _ => false,
        };
        earlier.filter(|other| other.family_id == manual.family_id).any(|other| {
            !other.under_way.load(Ordering::Relaxed)
                && !before(&other.end, &manual.begin)
                && !before(&manual.end, &other.begin)
        })
    }

    /// Has a job of the env carry out `plan`, and waits for it.
    fn run_manual(
        &self,
        state: &mut MutexGuard<'_, State>,
        manual: &Arc<ManualCompaction>,
        family: &Arc<Family>,
        plan: CompactionPlan,
    ) -> Result<()> {
        let Some(family_state) = state.families.get_mut(&family.id()) else {
            return Err(Status::column_family_dropped(""));
        };
        let priority =
            match plan.bottommost && self.context.env.background_threads(Priority::Bottom) > 0 {
                true => Priority::Bottom,
                false => Priority::Low,
            };
        let claim = Claim::new(self, family_state, plan);
        manual.under_way.store(true, Ordering::Relaxed);
        *manual.outcome.lock() = None;
        self.tables_changed(state, family.id());
        let slot = self.compaction_slot(state, false);
        // Reported even if the job never runs.
        let gone = Err(Status::aborted("the compaction did not run"));
        let mut reported = Reported { manual: manual.clone(), outcome: gone };
        let job = move |db: &Db| {
            reported.outcome = db.carry_out(claim, Some(&reported.manual.canceled)).map(|_| ());
            db.remove_obsolete_files();
            if let Err(error) = &reported.outcome {
                db.note_compaction_error(error.clone());
            }
        };
        self.schedule_compaction(state, priority, slot, job);
        loop {
            if let Some(outcome) = manual.outcome.lock().take() {
                manual.under_way.store(false, Ordering::Relaxed);
                if outcome.is_err() && state.work_ended() {
                    return Err(Status::shutdown(""));
                }
                return outcome;
            }
            self.changed.wait_for(state, LOOK_INTERVAL);
        }
    }

    /// Moves all files of `level` to `target` (negative: as far up as they fit), with nothing
    /// else going on.
    fn refit_alone(&self, family: &Arc<Family>, level: usize, target: i32) -> Result<()> {
        let _no_manual = self.hold_manual_compactions();
        let _paused = self.hold_background_work();
        self.refit(family, level, target)
    }

    fn refit(&self, family: &Arc<Family>, level: usize, target: i32) -> Result<()> {
        let mut state = self.state.lock();
        if state.compactions.refitting {
            return Err(Status::not_supported("another thread is refitting"));
        }
        if let Some(error) = state.stopping_error() {
            return Err(error.clone());
        }
        let Some(family_state) = state.families.get_mut(&family.id()) else {
            return Err(Status::column_family_dropped(""));
        };
        let version = family.persistent.current();
        let plan = self
            .picker(family_state, &version, 1, &family_state.family.live_options())
            .pick_refit(level, target)?;
        drop(version);
        let Some(plan) = plan else { return Ok(()) };
        let claim = Claim::new(self, family_state, plan);
        state.compactions.refitting = true;
        drop(state);
        let result = self.carry_out(claim, None);
        self.state.lock().compactions.refitting = false;
        result.map(|_| ())
    }

    /// Marks the files that overlap the user keys `begin..=end` to be compacted to the next level
    /// in the background, each level but the last one with files.
    pub fn suggest_compact_range(
        &self,
        family: &Arc<Family>,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.check_compactable(family)?;
        let mut state = self.state.lock();
        let Some(family_state) = state.families.get_mut(&family.id()) else {
            return Err(Status::column_family_dropped(""));
        };
        let version = family.persistent.current();
        for level in 0..last_level_with_files(&version) {
            for file in version.overlapping_files(level, begin, end) {
                file.suggest_compaction();
            }
        }
        drop(version);
        let id = family_state.family.id();
        self.tables_changed(&mut state, id);
        Ok(())
    }
}
