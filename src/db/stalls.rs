//! Write stalls: writes are slowed down, and at last stopped, when flushes and compactions do not
//! keep up with them.

use super::Db;
use super::state::{FamilyState, State};
use super::write::WriteRequest;
use super::write_queue::Leader;
use crate::base::clock::micros_since;
use crate::base::status::{Result, Status};
use crate::base::sync::{MutexGuard, Ordering};
use crate::compaction::levels::runs_that_stall;
use crate::env::rate_limiter::IoPriority;
use crate::log_at;
use crate::options::WriteOptions;
use crate::stats::{Metric, PerfLevel, perf};
use crate::version::version::Version;
use std::time::{Duration, Instant};

/// A write that is slowed down waits at least so long, and may write what comes in within it.
const REFILL: Duration = Duration::from_millis(1);

/// What writes of low priority have together while compactions lag, in bytes a second.
pub(super) const LOW_PRIORITY_RATE: u64 = 1 << 20;

/// Slower than this, in bytes a second, the rate does not become by itself.
const MIN_RATE: u64 = 16 << 10;

/// How often a stalled write looks whether others that do not want to wait came behind it.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// By what the rate changes: when compactions fall further behind, when they catch up, when a stop
/// is near, and when it is over.
const SLOWER: f64 = 0.8;
const FASTER: f64 = 1.25;
const NEAR_STOP: f64 = 0.6;
const RECOVERED: f64 = 1.4;

/// What a column family demands of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stall {
    /// Nothing.
    #[default]
    None,
    /// That they be slow.
    Slow,
    /// That they wait.
    Stop,
}

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Memtables,
    Level0Files,
    PendingBytes,
}

impl Cause {
    fn text(self) -> &'static str {
        match self {
            Cause::Memtables => "memtables wait to be flushed",
            Cause::Level0Files => "files are on level 0",
            Cause::PendingBytes => "bytes wait for compaction",
        }
    }
}

/// The rate of writes while they are slow.
#[derive(Debug)]
pub(super) struct WriteController {
    max_rate: u64,
    /// Bytes a second.
    rate: u64,
    /// Bytes that may be written at once.
    credit: u64,
    /// When there is new credit; `None` before the first slow write.
    refill_at: Option<Instant>,
}

impl WriteController {
    /// With the option `delayed_write_rate`.
    pub fn new(max_rate: u64) -> WriteController {
        let max_rate = max_rate.max(1);
        WriteController { max_rate, rate: max_rate, credit: 0, refill_at: None }
    }

    /// Bytes a second while writes are slow.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    fn scale(&mut self, factor: f64) {
        let low = MIN_RATE.min(self.max_rate);
        self.rate = ((self.rate as f64 * factor) as u64).clamp(low, self.max_rate);
    }

    /// How long a write of so many bytes must wait from `now` on.
    fn delay(&mut self, bytes: u64, now: Instant) -> Duration {
        if self.credit >= bytes {
            self.credit -= bytes;
            return Duration::ZERO;
        }
        let refill_at = *self.refill_at.get_or_insert(now);
        if refill_at <= now {
            let elapsed = now.duration_since(refill_at) + REFILL;
            let earned = (elapsed.as_secs_f64() * self.rate as f64).ceil() as u64;
            self.credit = self.credit.saturating_add(earned);
            self.refill_at = Some(now + REFILL);
            if self.credit >= bytes {
                self.credit -= bytes;
                return Duration::ZERO;
            }
        }
        let missing = bytes - self.credit;
        self.credit = 0;
        let wait = Duration::from_secs_f64(missing as f64 / self.rate as f64);
        let until = self.refill_at.unwrap_or(now) + wait;
        self.refill_at = Some(until);
        until.saturating_duration_since(now).max(REFILL)
    }
}

/// What a column family with so many full memtables and files on level 0 (or what counts like them)
/// demands.
fn stall_of(family: &FamilyState, memtables: usize, level0: usize) -> (Stall, Cause) {
    let options = &family.family.live_options();
    let at_least = |count: usize, limit: i32| usize::try_from(limit).is_ok_and(|l| count >= l);
    if at_least(memtables, options.max_write_buffer_number) {
        return (Stall::Stop, Cause::Memtables);
    }
    let compacts = family.compacts_itself();
    let pending = family.scores.as_ref().map_or(0, |scores| scores.pending_bytes);
    let beyond = |limit: u64| limit > 0 && pending >= limit;
    if compacts && at_least(level0, options.level0_stop_writes_trigger) {
        return (Stall::Stop, Cause::Level0Files);
    }
    if compacts && beyond(options.hard_pending_compaction_bytes_limit) {
        return (Stall::Stop, Cause::PendingBytes);
    }
    if options.max_write_buffer_number > 3
        && at_least(memtables, options.max_write_buffer_number - 1)
        && at_least(memtables - 1, options.min_write_buffer_number_to_merge)
    {
        return (Stall::Slow, Cause::Memtables);
    }
    if compacts && at_least(level0, options.level0_slowdown_writes_trigger) {
        return (Stall::Slow, Cause::Level0Files);
    }
    if compacts && beyond(options.soft_pending_compaction_bytes_limit) {
        return (Stall::Slow, Cause::PendingBytes);
    }
    (Stall::None, Cause::Memtables)
}

/// Whether a full stop is so near that the rate falls faster.
fn is_near_stop(family: &FamilyState, cause: Cause, level0: usize) -> bool {
    let options = &family.family.live_options();
    match cause {
        Cause::Memtables => false,
        Cause::Level0Files => level0 as i64 >= i64::from(options.level0_stop_writes_trigger) - 2,
        Cause::PendingBytes => {
            let pending = family.scores.as_ref().map_or(0, |scores| scores.pending_bytes);
            let soft = options.soft_pending_compaction_bytes_limit;
            let hard = options.hard_pending_compaction_bytes_limit;
            hard > 0 && pending.saturating_sub(soft) > hard.saturating_sub(soft) / 4 * 3
        }
    }
}

/// Whether compactions of the column family should run side by side before writes must wait.
fn needs_hurry(family: &FamilyState, version: &Version) -> bool {
    let options = &family.family.live_options();
    let trigger = i64::from(options.level0_file_num_compaction_trigger);
    let slowdown = i64::from(options.level0_slowdown_writes_trigger);
    let enough = (2 * trigger).min(trigger + (slowdown - trigger) / 4);
    let pending = family.scores.as_ref().map_or(0, |scores| scores.pending_bytes);
    let soft = options.soft_pending_compaction_bytes_limit;
    let last = version.levels().last().map_or(0, |level| level.bytes());
    let debt = match last {
        0 => soft / 4,
        bytes => {
            let base = options.max_bytes_for_level_base.saturating_mul(2);
            (bytes / 8).max(base).min(soft / 4)
        }
    };
    let suggested = version.all_files().filter(|(_, file)| file.is_suggested()).take(2).count();
    runs_that_stall(version, options) as i64 >= enough
        || soft == 0
        || pending >= debt
        || suggested >= 2
}

impl State {
    /// What the column families demand together.
    pub fn stall(&self) -> Stall {
        self.families.values().map(|family| family.stall).max().unwrap_or_default()
    }

    /// Whether several compactions may run at a time.
    pub fn in_a_hurry(&self) -> bool {
        self.families.values().any(|family| family.hurry || family.stall > Stall::None)
    }

    /// What the rate limiter is asked as by background work that usually has this priority: writes
    /// that are held up wait for it.
    pub fn io_priority(&self, usual: IoPriority) -> IoPriority {
        if self.stall() > Stall::None { IoPriority::User } else { usual }
    }

    /// Whether one more full memtable, and the file that it becomes, would stall writes.
    pub fn flush_would_stall(&self, id: u32) -> bool {
        let Some(family) = self.families.get(&id) else { return false };
        if family.mem.is_empty() {
            return false;
        }
        if family.is_out_of_memtables() {
            return true;
        }
        let options = &family.family.live_options();
        let level0 = runs_that_stall(&family.family.persistent.current(), options);
        let idle = (family.imm.len() as i64) < i64::from(options.min_write_buffer_number_to_merge)
            && (level0 as i64) < i64::from(options.level0_file_num_compaction_trigger);
        !idle && stall_of(family, family.imm.len() + 1, level0 + 1).0 > Stall::None
    }
}

impl Db {
    /// Looks again at what the column family demands of writes.
    pub(super) fn update_stall(&self, state: &mut State, id: u32) {
        let before = state.stall();
        let Some(family) = state.families.get_mut(&id) else { return };
        let version = family.family.persistent.current();
        let level0 = runs_that_stall(&version, &family.family.live_options());
        // One memtable less than RocksDB has when it stops: `make_room` waits for that itself.
        let (stall, cause) = stall_of(family, family.imm.len(), level0);
        let stall = if cause == Cause::Memtables { stall.min(Stall::Slow) } else { stall };
        let near_stop = is_near_stop(family, cause, level0);
        family.hurry = needs_hurry(family, &version);
        let pending = family.scores.as_ref().map_or(0, |scores| scores.pending_bytes);
        let earlier = std::mem::replace(&mut family.pending_before, pending);
        let changed = std::mem::replace(&mut family.stall, stall) != stall;
        let controller = &mut state.controller;
        match stall {
            Stall::Slow if before == Stall::None => {
                controller.credit = 0;
                controller.refill_at = None;
            }
            Stall::Slow if before == Stall::Stop || near_stop => controller.scale(NEAR_STOP),
            Stall::Slow if earlier > 0 && earlier <= pending => controller.scale(SLOWER),
            Stall::Slow if earlier > pending => controller.scale(FASTER),
            Stall::None if before == Stall::Slow => controller.scale(RECOVERED),
            _ => {}
        }
        if stall > Stall::None {
            self.attention.store(true, Ordering::Release);
        }
        if changed {
            let family = &state.families[&id].family;
            family.stats.lock().stalls.set_in(stall, cause);
            self.log_stall(state, id, stall, cause);
        }
    }

    fn log_stall(&self, state: &State, id: u32, stall: Stall, cause: Cause) {
        let Some(family) = state.families.get(&id) else { return };
        let name = String::from_utf8_lossy(family.family.name());
        let count = match cause {
            Cause::Memtables => family.imm.len() as u64,
            Cause::Level0Files => {
                let options = family.family.live_options();
                runs_that_stall(&family.family.persistent.current(), &options) as u64
            }
            Cause::PendingBytes => family.pending_before,
        };
        let (logger, cause) = (&*self.context.logger, cause.text());
        match stall {
            Stall::None => log_at!(logger, Info, "[{name}] Writes are not stalled any more"),
            Stall::Slow => {
                let rate = state.controller.rate;
                log_at!(logger, Warn, "[{name}] Slowing writes to {rate}/s: {count} {cause}");
            }
            Stall::Stop => log_at!(logger, Warn, "[{name}] Stopping writes: {count} {cause}"),
        }
    }

    /// Counts the time that a write has waited since `start` for flushes or compactions. The caller
    /// has the turn in the write queue.
    pub(super) fn count_stall(&self, start: Instant) {
        self.counters.stalled(self.statistics(), micros_since(start));
        if perf::collects(PerfLevel::EnableWait) {
            perf::add(Metric::WriteDelayTime, start.elapsed().as_nanos() as u64);
        }
    }

    /// Waits for something to change while the caller, who has the turn in the write queue, must
    /// not write. Those in line that do not want to wait are sent away.
    pub(super) fn stall_until_change(&self, state: &mut MutexGuard<'_, State>, at_most: Duration) {
        self.stalled.store(true, Ordering::SeqCst);
        let end = Instant::now() + at_most;
        loop {
            MutexGuard::unlocked(state, || {
                self.writers.turn_away(|request| request.no_slowdown(), || Err(stall_error()));
            });
            let now = Instant::now();
            let until = end.min(now + LOOK_INTERVAL);
            let timed_out = self.changed.wait_until(state, until).timed_out();
            if !timed_out || until == end {
                break;
            }
        }
        self.stalled.store(false, Ordering::SeqCst);
    }

    /// Makes a group wait as long as its bytes demand while writes are to be slow.
    #[cold]
    pub(super) fn slow_down(&self, leader: &Leader<'_, WriteRequest>) -> Result<()> {
        let mut state = self.state.lock();
        if state.stall() != Stall::Slow {
            return Ok(());
        }
        // The next leader must come here, too.
        self.attention.store(true, Ordering::Release);
        let bytes = leader.requests().map(WriteRequest::len).sum::<usize>() as u64;
        let now = Instant::now();
        let delay = state.controller.delay(bytes, now);
        if delay.is_zero() {
            return Ok(());
        }
        if leader.request().no_slowdown() {
            return Err(stall_error());
        }
        let end = now + delay;
        let result = self.wait_until(&mut state, end);
        self.count_stall(now);
        result
    }

    /// Waits until `end`, unless writes need not be slow before.
    fn wait_until(&self, state: &mut MutexGuard<'_, State>, end: Instant) -> Result<()> {
        while state.stall() == Stall::Slow && !state.work_ended() {
            state.check_writable()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.stall_until_change(state, left);
        }
        Ok(())
    }
}

impl Db {
    /// Makes a write of low priority wait for its share while compactions lag. It is a share
    /// rather than a stop, so that such writes come about however long that takes.
    #[cold]
    pub(super) fn hold_low_priority(&self, options: &WriteOptions, bytes: u64) -> Result<()> {
        if !self.state.lock().in_a_hurry() {
            return Ok(());
        }
        if options.no_slowdown {
            return Err(Status::incomplete("Low priority write stall"));
        }
        self.low_priority_writes.request_write(bytes, IoPriority::High, &None);
        Ok(())
    }
}

/// What a write gets that does not want to wait.
pub(super) fn stall_error() -> Status {
    Status::incomplete("Write stall")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_writes_keep_the_rate() {
        let mut controller = WriteController::new(1 << 20);
        let start = Instant::now();
        let (mut now, mut written) = (start, 0);
        while written < 4 << 20 {
            now += controller.delay(10_000, now);
            written += 10_000;
        }
        let seconds = now.duration_since(start).as_secs_f64();
        assert!((3.8..4.2).contains(&seconds), "{seconds} s for 4 MiB at 1 MiB/s");
    }

    #[test]
    fn a_rate_without_bounds_is_no_overflow() {
        let start = Instant::now();
        let mut controller = WriteController::new(u64::MAX);
        controller.delay(1, start);
        let later = controller.delay(u64::MAX / 2, start + Duration::from_secs(3600));
        assert_eq!(later, Duration::ZERO);
    }

    #[test]
    fn the_rate_stays_within_its_bounds() {
        let mut controller = WriteController::new(1 << 20);
        for _ in 0..100 {
            controller.scale(NEAR_STOP);
        }
        assert_eq!(controller.rate, MIN_RATE);
        for _ in 0..100 {
            controller.scale(FASTER);
        }
        assert_eq!(controller.rate, 1 << 20);
        let mut slow = WriteController::new(1000);
        slow.scale(SLOWER);
        assert_eq!(slow.rate, 1000);
    }
}
