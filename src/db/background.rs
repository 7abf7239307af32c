//! Background work as a whole: pausing, ending and awaiting it, and manual compactions that may
//! not be.

use super::Db;
use super::errors::read_only_error;
use super::state::State;
use crate::base::status::{Code, Result, Status};
use crate::base::sync::{Arc, MutexGuard, Ordering};
use crate::env::pool::Priority;
use crate::env::rate_limiter::IoPriority;
use crate::log_at;
use crate::options::FlushOptions;
use crate::options::compact::WaitForCompactOptions;
use std::time::{Duration, Instant};

impl State {
    /// Whether a flush or compaction has been given to the env.
    pub fn has_jobs(&self) -> bool {
        self.flushes.scheduled > 0 || self.compactions.scheduled > 0
    }

    /// Whether there is work that nobody has begun and that may begin.
    fn has_queued_work(&self) -> bool {
        !self.flushes.queue.is_empty() || !self.compactions.queue.is_empty()
    }
}

impl Db {
    /// Waits until no flush or compaction runs, and lets none begin until
    /// [`continue_background_work`](Db::continue_background_work) was called as often as this.
    pub fn pause_background_work(&self) -> Result<()> {
        if self.context.read_only {
            return Err(read_only_error());
        }
        let mut state = self.state.lock();
        state.compactions_paused += 1;
        while state.has_jobs() && !state.work_ended() {
            self.changed.wait(&mut state);
        }
        state.flushes_paused += 1;
        Ok(())
    }

    /// Takes one [`pause_background_work`](Db::pause_background_work) back.
    pub fn continue_background_work(&self) -> Result<()> {
        let mut state = self.state.lock();
        if state.flushes_paused == 0 {
            return Err(Status::invalid_argument("Background work already unpaused"));
        }
        state.flushes_paused -= 1;
        state.compactions_paused -= 1;
        self.schedule_all(&mut state);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    fn schedule_all(&self, state: &mut MutexGuard<'_, State>) {
        self.schedule_flushes(state);
        self.schedule_compactions(state);
    }

    /// Calls off the manual compactions that wait or run, waits until they ended, and refuses new
    /// ones until [`enable_manual_compaction`](Db::enable_manual_compaction) was called as often.
    pub fn disable_manual_compaction(&self) {
        let mut state = self.state.lock();
        state.compactions.manual_disabled += 1;
        for manual in &state.compactions.manual {
            manual.cancel();
        }
        self.changed.notify_all();
        while !state.compactions.manual.is_empty() {
            self.changed.wait(&mut state);
        }
    }

    /// Takes one [`disable_manual_compaction`](Db::disable_manual_compaction) back.
    pub fn enable_manual_compaction(&self) {
        let mut state = self.state.lock();
        let disabled = &mut state.compactions.manual_disabled;
        *disabled = disabled.saturating_sub(1);
    }

    /// No manual compaction runs while the result lives.
    pub(super) fn hold_manual_compactions(&self) -> impl Drop + '_ {
        self.disable_manual_compaction();
        OnDrop(Some(|| self.enable_manual_compaction()))
    }

    /// No background work runs while the result lives.
    pub(super) fn hold_background_work(&self) -> impl Drop + '_ {
        let paused = self.pause_background_work().is_ok();
        OnDrop(Some(move || {
            if paused {
                let _ = self.continue_background_work();
            }
        }))
    }

    /// Ends all background work for good: what runs is called off, and nothing more begins. With
    /// `wait`, returns when that is so. Writes go on as long as memtables have room.
    pub fn cancel_all_background_work(&self, wait: bool) -> Result<()> {
        log_at!(self.context.logger, Info, "Shutdown: canceling all background work");
        if !self.is_shutting_down()
            && let Err(error) = self.flush_before_close()
        {
            log_at!(self.context.logger, Warn, "Shutdown flush failed: {error}");
        }
        let mut state = self.state.lock();
        state.canceled = true;
        self.shutting_down.store(true, Ordering::Release);
        // Stalled writes must not wait for what does not come.
        self.attention.store(true, Ordering::Release);
        self.changed.notify_all();
        while wait && (state.has_jobs() || !state.compactions.manual.is_empty()) {
            self.changed.wait(&mut state);
        }
        Ok(())
    }

    /// Waits until the rate limiter, if there is one, lets background work write `bytes` more.
    pub(super) fn wait_for_rate(&self, bytes: u64, priority: IoPriority) {
        if let Some(limiter) = self.context.options.rate_limiter.as_deref() {
            limiter.request_write(bytes, priority, self.statistics());
        }
    }

    /// Takes back the jobs that the env has not begun. Not under the database mutex.
    pub(super) fn unschedule_jobs(&self) {
        for priority in [Priority::Low, Priority::Bottom] {
            self.context.env.unschedule(priority, self.job_tag());
        }
    }

    /// Waits until there is no background work left to do.
    pub fn wait_for_compact(&self, options: &WaitForCompactOptions) -> Result<()> {
        options.rejected.check()?;
        let start = Instant::now();
        if options.flush {
            self.flush_all(&FlushOptions::default())?;
        } else if options.close_db {
            self.flush_before_close()?;
        }
        let end = (options.timeout > 0)
            .then(|| start.checked_add(Duration::from_micros(options.timeout)))
            .flatten();
        self.wait_for_idle(options, end)?;
        if options.close_db { self.close() } else { Ok(()) }
    }

    fn wait_for_idle(&self, options: &WaitForCompactOptions, end: Option<Instant>) -> Result<()> {
        let mut state = self.state.lock();
        loop {
            if state.work_ended() {
                return Err(Status::shutdown(""));
            }
            if state.flushes_paused > 0 && options.abort_on_pause {
                return Err(Status::aborted(""));
            }
            if let Some(error) = &state.background_error {
                return Err(error.clone());
            }
            let purging = options.wait_for_purge && self.purges.load(Ordering::Acquire) > 0;
            if !state.has_jobs() && !state.has_queued_work() && !purging {
                return Ok(());
            }
            match end {
                None => self.changed.wait(&mut state),
                Some(end) if self.changed.wait_until(&mut state, end).timed_out() => {
                    return Err(Status::new(Code::TimedOut, ""));
                }
                Some(_) => {}
            }
        }
    }

    /// Has the obsolete files removed by a job of the env when a version ends that files which
    /// could not be removed earlier may have waited for. May be called under any lock.
    pub(super) fn version_released(&self) {
        if !self.purge_wanted.swap(false, Ordering::SeqCst) {
            return;
        }
        let Some(place) = self.jobs.try_enter() else { return };
        self.purges.fetch_add(1, Ordering::AcqRel);
        let db = self.me.clone();
        let job = Box::new(move || {
            if let Some(db) = db.upgrade() {
                db.critically("a removal of files panicked", || db.remove_obsolete_files());
                db.purges.fetch_sub(1, Ordering::AcqRel);
                // Whoever has looked at the number is waiting once the mutex is free.
                drop(db.state.lock());
                db.changed.notify_all();
            }
            drop(place);
        });
        if self.context.env.schedule(Priority::High, job).is_err() {
            self.purges.fetch_sub(1, Ordering::AcqRel);
            self.purge_wanted.store(true, Ordering::SeqCst);
        }
    }

    /// Has the column families looked at again whose last files could be cleaned, now that a
    /// snapshot is gone.
    pub(super) fn snapshot_released(&self, state: &mut MutexGuard<'_, State>) {
        let newest = self.sequences.published();
        let oldest = state.snapshots.oldest().unwrap_or(newest);
        let mut wanted = Vec::new();
        for (&id, family) in &mut state.families {
            if family.raise_oldest_snapshot(oldest) {
                wanted.push(id);
            }
        }
        for id in wanted {
            self.tables_changed(state, id);
        }
    }
}

/// Calls a function when it drops.
struct OnDrop<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        if let Some(call) = self.0.take() {
            call();
        }
    }
}

/// What [`Db::version_released`] is called by.
pub(super) fn release_hook(db: &Arc<Db>) -> Arc<dyn Fn() + Send + Sync> {
    let db = db.me.clone();
    Arc::new(move || {
        if let Some(db) = db.upgrade() {
            db.version_released();
        }
    })
}
