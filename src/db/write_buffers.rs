//! What a database does about the limit on memtables that it may share with others.

use super::Db;
use super::stalls::stall_error;
use super::state::{FamilyState, State};
use crate::base::status::{Result, Status};
use crate::base::sync::Ordering;
use crate::cache::WriteBufferManager;
use crate::log_at;
use std::time::{Duration, Instant};

/// How often a write that waits for memory looks whether the database still wants it to.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

impl Db {
    fn write_buffers(&self) -> Option<&WriteBufferManager> {
        self.context.options.write_buffer_manager.as_deref()
    }

    /// Whether memtables take so much memory that the next write has to see to it.
    #[inline]
    pub(super) fn is_memory_short(&self) -> bool {
        self.write_buffers().is_some_and(|manager| manager.should_flush() || manager.should_stall())
    }

    /// The column family to be flushed if memtables take too much memory.
    pub(super) fn pick_for_memory(&self, state: &State) -> Option<u32> {
        let manager = self.write_buffers().filter(|manager| manager.should_flush())?;
        let id = state.family_of_oldest_memtable()?;
        log_at!(
            self.context.logger,
            Info,
            "Flushing to alleviate the memory of write buffers: {} of {} bytes are used",
            manager.memory_usage(),
            manager.buffer_size()
        );
        Some(id)
    }

    /// Waits until memtables take less than the limit, if they do not and the limit is such that
    /// writes wait. Returns whether this waited. The caller has the turn in the write queue.
    pub(super) fn stall_for_memory(&self, no_slowdown: bool) -> Result<bool> {
        let Some(manager) = self.write_buffers().filter(|manager| manager.should_stall()) else {
            return Ok(false);
        };
        if self.is_up_to_others(manager, &self.state.lock()) {
            return Ok(false);
        }
        self.counters.stopped_for_memory();
        if no_slowdown {
            return Err(stall_error());
        }
        let start = Instant::now();
        self.stalled.store(true, Ordering::SeqCst);
        let result = self.wait_for_memory(manager);
        self.stalled.store(false, Ordering::SeqCst);
        self.count_stall(start);
        result.map(|()| true)
    }

    /// Whether it takes a flush of another database for memory to become free, and none is under
    /// way. The other one may never be written again, so nobody waits for that. (RocksDB does.)
    fn is_up_to_others(&self, manager: &WriteBufferManager, state: &State) -> bool {
        manager.should_flush() && state.families.values().all(FamilyState::is_clean)
    }

    fn wait_for_memory(&self, manager: &WriteBufferManager) -> Result<()> {
        loop {
            self.writers.turn_away(|request| request.no_slowdown(), || Err(stall_error()));
            if manager.wait_for_memory(LOOK_INTERVAL) {
                return Ok(());
            }
            let mut state = self.state.lock();
            state.check_writable()?;
            if state.work_ended() {
                return Err(Status::shutdown("stalled writes"));
            }
            if let Some(error) = &state.background_error {
                // It may be what the memory does not come for.
                return Err(Status::incomplete(error.to_string()));
            }
            if self.is_up_to_others(manager, &state) {
                return Ok(());
            }
            // Those that would otherwise wait for more to be merged with.
            state.request_all_flushes();
            self.schedule_flushes(&mut state);
        }
    }
}

#[cfg(test)]
#[path = "write_buffers_tests.rs"]
mod tests;
