//! Background errors: failures after which writes are refused.

use super::Db;
use super::state::State;
use super::wals::Wals;
use crate::base::status::{Code, Result, Severity, Status, SubCode};
use crate::base::sync::{MutexGuard, Ordering};
use crate::log_at;
use crate::stats::{Ticker, count};

pub(super) fn read_only_error() -> Status {
    Status::not_supported("Not supported operation in read only mode.")
}

/// How far an error of a compaction stops the database, by RocksDB's rules.
pub(super) fn compaction_severity(error: &Status, paranoid: bool) -> Severity {
    let is_io = error.code() == Code::IoError;
    match error.subcode() {
        SubCode::NoSpace if is_io && paranoid => Severity::Soft,
        SubCode::SpaceLimit if is_io && paranoid => Severity::Hard,
        _ if error.severity() >= Severity::Hard => error.severity(),
        _ if !paranoid => Severity::None,
        _ if error.code() == Code::Corruption => Severity::Unrecoverable,
        _ => Severity::Fatal,
    }
}

impl Db {
    /// Refuses writes from now on with `error`, unless a graver one does already. Reads go on.
    pub(super) fn set_background_error(&self, error: Status) {
        log_at!(self.context.logger, Error, "Background error: {error}");
        let mut state = self.state.lock();
        self.set_background_error_in(&mut state, error);
    }

    pub(super) fn set_background_error_in(&self, state: &mut State, error: Status) {
        self.count_background_error();
        if error.severity() >= Severity::Hard {
            state.resumable = false;
        }
        if state.background_error.as_ref().is_none_or(|e| e.severity() < error.severity()) {
            state.background_error = Some(error);
        }
        self.attention.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    /// Counts an error of background work or of the log. As in RocksDB, all of them count as errors
    /// of input and output, too.
    pub(super) fn count_background_error(&self) {
        count(self.statistics(), Ticker::ErrorHandlerBgErrorCount, 1);
        count(self.statistics(), Ticker::ErrorHandlerBgIoErrorCount, 1);
    }

    /// Called when a panic was caught that may have left the database's memory in any state.
    pub fn poison(&self, text: &str) {
        self.set_background_error(Status::aborted(text).with_severity(Severity::Fatal));
    }

    /// Runs what must not be left half done: if `body` panics, writes are refused from then on,
    /// before anything that the caller holds is passed on to others.
    #[inline]
    pub(super) fn critically<T>(&self, what: &'static str, body: impl FnOnce() -> T) -> T {
        let unfinished = FatalWhenDropped { db: self, what };
        let value = body();
        std::mem::forget(unfinished);
        value
    }

    /// Whether writes are accepted.
    pub(super) fn check_writable(&self) -> Result<()> {
        self.writable_state().map(|_| ())
    }

    pub(super) fn writable_state(&self) -> Result<MutexGuard<'_, State>> {
        if self.context.read_only {
            return Err(read_only_error());
        }
        let state = self.state.lock();
        state.check_writable()?;
        Ok(state)
    }

    /// The logs; an error in a database that is open for reading only.
    pub(super) fn wals(&self) -> Result<&Wals> {
        self.wals.as_ref().ok_or_else(read_only_error)
    }
}

/// Turns a panic that unwinds through it into the database's fatal error. To be forgotten at the
/// end of what it guards.
struct FatalWhenDropped<'a> {
    db: &'a Db,
    what: &'static str,
}

impl Drop for FatalWhenDropped<'_> {
    fn drop(&mut self) {
        self.db.poison(self.what);
    }
}
