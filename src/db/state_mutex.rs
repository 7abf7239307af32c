//! [`StateMutex`]: the database mutex, with a watch on how long it is waited for.

use super::state::State;
use crate::base::sync::{Mutex, MutexGuard, SPIN_LIMIT, spin_loop};
use crate::stats::{Metric, PerfLevel, PerfTimer, Stats, StatsLevel, Ticker};
use std::time::Instant;

/// The mutex over [`State`].
pub(super) struct StateMutex {
    state: Mutex<State>,
    stats: Stats,
    /// Spin before blocking (`use_adaptive_mutex`).
    adaptive: bool,
}

impl StateMutex {
    /// Waits are counted in `stats`.
    pub fn new(state: State, stats: Stats, adaptive: bool) -> StateMutex {
        StateMutex { state: Mutex::new(state), stats, adaptive }
    }

    /// Waits for the mutex. Nothing is measured where it is free.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, State> {
        match self.state.try_lock() {
            Some(state) => state,
            None => self.wait(),
        }
    }

    #[cold]
    fn wait(&self) -> MutexGuard<'_, State> {
        let _time = PerfTimer::start_at(PerfLevel::EnableTime, Metric::DbMutexLockNanos);
        let Some(stats) = self.stats.as_ref().filter(|stats| stats.collects(StatsLevel::All))
        else {
            return self.block();
        };
        let start = Instant::now();
        let state = self.block();
        stats.add(Ticker::DbMutexWaitMicros, start.elapsed().as_micros() as u64);
        state
    }

    fn block(&self) -> MutexGuard<'_, State> {
        // A few microseconds: about as long as the mutex is mostly held.
        let spins = if self.adaptive { SPIN_LIMIT } else { 0 };
        for _ in 0..spins {
            if let Some(state) = self.state.try_lock() {
                return state;
            }
            spin_loop();
        }
        self.state.lock()
    }
}
