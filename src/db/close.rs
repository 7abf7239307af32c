//! Closing.

use super::Db;
use super::wals::Wals;
use crate::base::status::Result;
use crate::base::sync::{MutexGuard, Ordering};
use crate::log_at;
use crate::options::FlushOptions;
use crate::version::edit::VersionEdit;

impl Db {
    /// Ends the database's work and releases its lock. What iterators, snapshots and pinned
    /// values hold stays readable through them. Calling it again only waits until the first
    /// call has ended.
    ///
    /// Writes that are in memtables alone are flushed, unless `avoid_flush_during_shutdown`.
    pub fn close(&self) -> Result<()> {
        self.resume_for_close();
        let flushed = self.flush_before_close();
        let mut state = self.state.lock();
        if state.closing {
            while !state.closed {
                self.changed.wait(&mut state);
            }
            return Ok(());
        }
        state.closing = true;
        self.shutting_down.store(true, Ordering::Release);
        self.attention.store(true, Ordering::Release);
        self.changed.notify_all();
        drop(state);
        self.unschedule_jobs();
        let mut state = self.state.lock();
        while state.has_jobs() || !state.compactions.manual.is_empty() {
            self.changed.wait(&mut state);
        }
        drop(state);
        self.periodic.stop();
        let handed_over = self.wals.as_ref().map_or(Ok(()), Wals::flush);
        drop(self.wals.as_ref().map(Wals::take_retired));
        // They have ended; now let them let go, so that nothing of the user's (a comparator, a
        // logger) is used behind the user's back afterwards.
        self.jobs.close();
        self.verify_manifest();
        self.remove_obsolete_files();
        log_at!(self.context.logger, Info, "Shutdown complete");
        self.context.logger.flush();
        *self.lock.lock() = None;
        self.state.lock().closed = true;
        self.changed.notify_all();
        flushed.and(handed_over)
    }

    /// Reads the MANIFEST back if the options want that, and writes another one in its place if it
    /// does not hold what was written. No job is left.
    fn verify_manifest(&self) {
        let wanted = self.live_options().verify_manifest_content_on_close;
        if !wanted || self.context.read_only {
            return;
        }
        let _turn = self.manifest_turn.lock();
        let check = self.state.lock().versions.manifest_check();
        let Err(error) = check() else { return };
        log_at!(self.context.logger, Error, "The MANIFEST is damaged and written anew: {error}");
        let mut state = self.state.lock();
        state.versions.abandon_manifest();
        let rewritten =
            state.versions.prepare(vec![VersionEdit::default()]).and_then(|mut write| {
                MutexGuard::unlocked(&mut state, || {
                    // The outcome is in `write`, and comes out of `install`.
                    let _ = write.write();
                });
                state.versions.install(write)
            });
        if let Err(error) = rewritten {
            log_at!(self.context.logger, Error, "Writing a MANIFEST at close failed: {error}");
        }
    }

    /// A pause must not keep the last flush from running.
    fn resume_for_close(&self) {
        let mut state = self.state.lock();
        if state.flushes_paused > 0 {
            (state.flushes_paused, state.compactions_paused) = (0, 0);
            self.schedule_flushes(&mut state);
        }
    }

    pub(super) fn flush_before_close(&self) -> Result<()> {
        let wanted = self.unlogged_writes.load(Ordering::Acquire)
            && !self.live_options().avoid_flush_during_shutdown;
        if !wanted || self.is_shutting_down() || self.check_writable().is_err() {
            return Ok(());
        }
        self.flush_all(&FlushOptions::default())
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        // Normally closed by its handle; this is for one whose opening failed half-way. No job
        // runs any more, since jobs hold the database while they do.
        *self.lock.lock() = None;
    }
}
