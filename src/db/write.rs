//! Writing: one request, one group, one record in the log.

use super::Db;
use super::errors::read_only_error;
use super::family::Family;
use super::flush_reason::FlushReason;
use super::insert::{self, Missing};
use super::internal_stats::WrittenGroup;
use super::stalls::{Stall, stall_error};
use super::state::State;
use super::write_queue::{Leader, Request, Role};
use crate::base::key::{MAX_SEQUENCE, SequenceNumber};
use crate::base::status::{Result, Severity, Status};
use crate::base::sync::{AtomicU64, Ordering};
use crate::batch::{ContentFlags, HEADER_LEN, WriteBatch};
use crate::env::rate_limiter::IoPriority;
use crate::options::{FlushWalOptions, RateLimiterPriority, WriteOptions};
use crate::stats::{Histogram, Metric, PerfLevel, PerfTimer, Ticker, Timer, count, is_watched};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A batch on its way through the write queue.
pub(super) struct WriteRequest {
    batch: WriteBatch,
    sync: bool,
    disable_wal: bool,
    no_slowdown: bool,
    /// Whether the rate limiter is asked for the bytes of the log.
    rate_limited: bool,
    /// The sequence number of its first record, once the leader has allocated it.
    first: SequenceNumber,
}

impl WriteRequest {
    /// Whether it would rather fail than wait.
    pub fn no_slowdown(&self) -> bool {
        self.no_slowdown
    }

    /// The bytes of its batch.
    pub fn len(&self) -> usize {
        self.batch.data().len()
    }
}

impl Request for WriteRequest {
    type Outcome = Result<()>;

    fn bytes(&self) -> usize {
        self.len()
    }

    fn fits(&self, leader: &WriteRequest) -> bool {
        (leader.sync || !self.sync)
            && self.disable_wal == leader.disable_wal
            && self.no_slowdown == leader.no_slowdown
            && self.rate_limited == leader.rate_limited
    }

    fn abandoned() -> Result<()> {
        Err(Status::aborted("the write group was abandoned"))
    }
}

thread_local! {
    /// The batch of lone puts and deletes, so that they allocate nothing.
    static LONE: RefCell<WriteBatch> = RefCell::new(WriteBatch::new());
}

/// How long a writer waits for room before it looks again by itself.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// A lone write's batch that grew beyond this is not kept.
const LONE_BATCH_KEPT: usize = 1 << 20;

impl Db {
    /// Applies `batch` atomically. The batch comes back with the sequence number that its first
    /// record got.
    pub fn write(&self, options: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        batch.check()?;
        self.check_write_options(options)?;
        if options.protection_bytes_per_key > 0 {
            batch.protect()?;
        }
        self.check_batch(options, batch)?;
        if batch.count() == 0 && batch.data().len() == HEADER_LEN && !options.sync {
            // RocksDB logs an empty batch; nothing could tell.
            return self.check_writable();
        }
        self.write_taken(options, batch)
    }

    /// Applies one write that `fill` puts into an empty batch.
    pub fn write_lone(
        &self,
        options: &WriteOptions,
        fill: impl FnOnce(&mut WriteBatch) -> Result<()>,
    ) -> Result<()> {
        self.check_write_options(options)?;
        let protected = options.protection_bytes_per_key > 0;
        LONE.with(|lone| match lone.try_borrow_mut() {
            Ok(mut batch) => {
                batch.clear();
                batch.set_protected(protected);
                fill(&mut batch)?;
                self.check_batch(options, &batch)?;
                let result = self.write_taken(options, &mut batch);
                if batch.data().len() > LONE_BATCH_KEPT {
                    *batch = WriteBatch::new();
                }
                result
            }
            // A user's comparator that writes to a database while this thread writes.
            Err(_) => {
                let mut batch = WriteBatch::new();
                batch.set_protected(protected);
                fill(&mut batch)?;
                self.check_batch(options, &batch)?;
                self.write_taken(options, &mut batch)
            }
        })
    }

    /// Merges `operand` into the value of `key`.
    pub fn merge(
        &self,
        options: &WriteOptions,
        family: &Family,
        key: &[u8],
        operand: &[u8],
    ) -> Result<()> {
        if family.options.merge_operator.is_none() {
            return Err(Status::not_supported("Provide a merge_operator when opening DB"));
        }
        self.write_lone(options, |batch| batch.merge(family.id(), key, operand))
    }

    /// Hands the records that `manual_wal_flush` holds back to the system, and makes the log
    /// durable if `sync`.
    pub fn flush_wal(&self, options: &FlushWalOptions) -> Result<()> {
        options.rejected.check()?;
        self.check_writable()?;
        let wals = self.wals()?;
        if self.context.options.manual_wal_flush {
            if let Some(priority) = options.rate_limiter_priority.io_priority() {
                self.wait_for_rate(wals.held_back(), priority);
            }
            wals.flush().inspect_err(|error| self.log_failed(error))?;
        }
        if !options.sync {
            return Ok(());
        }
        wals.sync().inspect_err(|error| self.log_failed(error))?;
        self.track_synced_logs()?;
        count(self.statistics(), Ticker::WalFileSynced, 1);
        Ok(())
    }

    fn check_write_options(&self, options: &WriteOptions) -> Result<()> {
        if self.context.read_only {
            return Err(read_only_error());
        }
        options.rejected.check()?;
        if !matches!(options.protection_bytes_per_key, 0 | 8) {
            return Err(Status::not_supported(
                "WriteBatch protection info must be zero or eight bytes/key",
            ));
        }
        if options.rate_limiter_priority != RateLimiterPriority::Unlimited {
            self.check_rate_limited(options)?;
        }
        if options.disable_wal {
            if options.sync {
                return Err(Status::invalid_argument("Sync writes has to enable WAL."));
            }
            if self.context.options.recycle_log_file_num > 0 {
                return Err(Status::invalid_argument(
                    "WriteOptions::disableWAL option is not supported if \
                     DBOptions::recycle_log_file_num > 0",
                ));
            }
        }
        Ok(())
    }

    #[cold]
    fn check_rate_limited(&self, options: &WriteOptions) -> Result<()> {
        if options.rate_limiter_priority != RateLimiterPriority::User {
            return Err(Status::invalid_argument(
                "WriteOptions::rate_limiter_priority only allows Env::IO_TOTAL and Env::IO_USER \
                 due to implementation constraints",
            ));
        }
        if options.disable_wal || self.context.options.manual_wal_flush {
            return Err(Status::invalid_argument(
                "WriteOptions::rate_limiter_priority currently only supports rate-limiting \
                 automatic WAL flush, which requires `WriteOptions::disableWAL` and \
                 `DBOptions::manual_wal_flush` both set to false",
            ));
        }
        Ok(())
    }

    /// Refuses what could not be applied: once a batch is logged it must not fail any more.
    fn check_batch(&self, options: &WriteOptions, batch: &WriteBatch) -> Result<()> {
        batch.verify()?;
        let plain = ContentFlags::PUT | ContentFlags::DELETE | ContentFlags::SINGLE_DELETE;
        let any_closed = self.any_unwritable.load(Ordering::Relaxed);
        if plain.contains(batch.content()) && !any_closed {
            return Ok(());
        }
        let families = self.families.load();
        if !any_closed
            && (plain | ContentFlags::MERGE).contains(batch.content())
            && families.get(0).is_some_and(|family| family.options.merge_operator.is_some())
        {
            return Ok(());
        }
        let missing = match options.ignore_missing_column_families {
            true => Missing::Skip,
            false => Missing::Refuse,
        };
        insert::check(&families, &batch.view()?, missing)
    }

    #[inline]
    fn write_taken(&self, options: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        if is_watched(self.statistics()) {
            return self.write_watched(options, batch);
        }
        self.write_request::<false>(options, batch)
    }

    /// Whether somebody may watch is known when this is compiled, so that nobody else pays for it.
    pub(super) fn write_request<const WATCHED: bool>(
        &self,
        options: &WriteOptions,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        if options.low_pri {
            self.hold_low_priority(options, batch.data().len() as u64)?;
        }
        if options.no_slowdown && self.stalled.load(Ordering::SeqCst) {
            return Err(stall_error());
        }
        let (batch, home) = batch.lend();
        let request = WriteRequest {
            batch,
            sync: options.sync,
            disable_wal: options.disable_wal,
            no_slowdown: options.no_slowdown,
            rate_limited: options.rate_limiter_priority != RateLimiterPriority::Unlimited,
            first: 0,
        };
        let wait = phase::<WATCHED>(Metric::WriteThreadWaitNanos);
        let role = self.writers.join(request);
        drop(wait);
        let (request, outcome) = match role {
            Role::Leader(leader) => self.lead::<WATCHED>(leader),
            Role::Insert(inserter) => {
                let _time = phase::<WATCHED>(Metric::WriteMemtableTime);
                inserter.run(|request| self.insert_request(request))
            }
            Role::Done(request, outcome) => (request, outcome),
        };
        home.put_back(request.batch);
        outcome
    }

    fn lead<const WATCHED: bool>(
        &self,
        mut leader: Leader<'_, WriteRequest>,
    ) -> (WriteRequest, Result<()>) {
        let commit = || self.commit_group::<WATCHED>(&mut leader);
        // A panic leaves numbers, log and memtables at odds.
        match self.critically("a write group panicked", commit) {
            Ok(()) => leader.finish(|outcome| outcome.unwrap_or(Ok(()))),
            Err(error) => leader.finish(|_| Err(error.clone())),
        }
    }

    /// The stages of a group: room, sequence numbers, log, memtables, publication.
    fn commit_group<const WATCHED: bool>(
        &self,
        leader: &mut Leader<'_, WriteRequest>,
    ) -> Result<()> {
        let attention = self.attention.load(Ordering::Acquire) || self.is_memory_short();
        if attention {
            // What is switched below must not be inserted into.
            leader.wait_for_others();
            self.make_room(leader.request().no_slowdown)?;
        }
        leader.form_group(self.context.options.max_write_batch_group_size_bytes as usize);
        if attention {
            self.slow_down(leader)?;
        }
        self.apply_group::<WATCHED>(leader)
    }

    fn apply_group<const WATCHED: bool>(
        &self,
        leader: &mut Leader<'_, WriteRequest>,
    ) -> Result<()> {
        let end = self.allocate_sequences(leader)?;
        self.count_group(leader);
        if !leader.request().disable_wal {
            let _time = WATCHED.then(|| PerfTimer::start(Metric::WriteWalTime));
            self.log_group(leader, end).inspect_err(|error| self.log_failed(error))?;
        } else {
            self.unlogged_writes.store(true, Ordering::Release);
        }
        if self.pipelined {
            leader.pass_on();
        }
        let time = phase::<WATCHED>(Metric::WriteMemtableTime);
        if leader.len() > 1
            && self.context.options.allow_concurrent_memtable_write
            && !self.folds(leader)
        {
            leader.run_parallel(|request| self.insert_request(request));
        } else {
            leader.run(|request| self.insert_request(request));
        }
        drop(time);
        if let Some(error) = leader.outcomes().flatten().find_map(|o| o.as_ref().err()) {
            // What is in the log is not in the memtable: memory can no longer be trusted.
            self.set_background_error(error.clone().with_severity(Severity::Fatal));
        }
        self.sequences.publish(end - 1);
        Ok(())
    }

    /// Whether merge operands of the group may be folded, for which all that was written before
    /// must be in the memtable.
    fn folds(&self, leader: &Leader<'_, WriteRequest>) -> bool {
        leader.requests().any(|request| request.batch.content().contains(ContentFlags::MERGE))
            && self.families.load().iter().any(|family| family.options.max_successive_merges > 0)
    }

    /// Numbers the group's records; returns the number behind the last one.
    fn allocate_sequences(&self, leader: &mut Leader<'_, WriteRequest>) -> Result<SequenceNumber> {
        let count = leader.requests().map(|r| u64::from(r.batch.count())).sum();
        let first = self.sequences.allocate(count)?;
        let mut next = first;
        for request in leader.requests_mut() {
            request.first = next;
            // As in RocksDB, the caller's batch tells afterwards which numbers it got.
            request.batch.set_sequence(next);
            next += u64::from(request.batch.count());
        }
        Ok(next)
    }

    fn count_group(&self, leader: &Leader<'_, WriteRequest>) {
        let records = |r: &WriteRequest| (r.batch.data().len() - HEADER_LEN) as u64;
        self.counters.group(
            self.statistics(),
            &WrittenGroup {
                writes: leader.len() as u64,
                keys: leader.requests().map(|r| u64::from(r.batch.count())).sum(),
                bytes: HEADER_LEN as u64 + leader.requests().map(records).sum::<u64>(),
                logged: !leader.request().disable_wal,
            },
        );
    }

    /// Appends the group to the log as one record, and syncs it if the leader asks.
    fn log_group(&self, leader: &Leader<'_, WriteRequest>, end: SequenceNumber) -> Result<()> {
        let wals = self.wals()?;
        if leader.request().rate_limited {
            let bytes = leader.requests().map(|r| r.len() - HEADER_LEN).sum::<usize>();
            self.wait_for_rate((HEADER_LEN + bytes) as u64, IoPriority::User);
        }
        let first = leader.request().first;
        let mut header = [0; HEADER_LEN];
        header[..8].copy_from_slice(&first.to_le_bytes());
        header[8..].copy_from_slice(&((end - first) as u32).to_le_bytes());
        let total = if leader.len() == 1 {
            let records = &leader.request().batch.data()[HEADER_LEN..];
            wals.append(&[&header, records], first..=end - 1)?
        } else {
            let mut parts: Vec<&[u8]> = Vec::with_capacity(1 + leader.len());
            parts.push(&header);
            parts.extend(leader.requests().map(|r| &r.batch.data()[HEADER_LEN..]));
            wals.append(&parts, first..=end - 1)?
        };
        if total > self.max_total_wal_size.load(Ordering::Relaxed) {
            self.attention.store(true, Ordering::Release);
        }
        if leader.request().sync {
            let time = Timer::start(self.statistics(), Histogram::WalFileSyncMicros);
            wals.sync()?;
            drop(time);
            self.counters.wal_synced(self.statistics());
            self.track_synced_logs()?;
        }
        Ok(())
    }

    /// After a failed append or sync nobody knows what the log holds, so nothing more may be
    /// written behind it.
    #[cold]
    pub(super) fn log_failed(&self, error: &Status) {
        self.set_background_error(error.clone().with_severity(Severity::Hard));
    }

    fn insert_request(&self, request: &mut WriteRequest) -> Result<()> {
        let families = self.families.load();
        let (batch, sums) = (request.batch.view()?, request.batch.sums());
        let (first, full) = (request.first, &self.attention);
        insert::insert(&families, &batch, sums, first, Missing::Skip, full)?;
        Ok(())
    }

    /// Sees to what `attention` may be about: an error, a full memtable, too much log. Returns
    /// when the write may go on. The caller has the turn in the write queue.
    #[cold]
    fn make_room(&self, no_slowdown: bool) -> Result<()> {
        // One memtable a write makes room for the others, too.
        let mut relieves = true;
        loop {
            // Before looking, so that nothing which is set meanwhile is missed.
            self.attention.store(false, Ordering::SeqCst);
            let mut state = self.state.lock();
            if let Err(error) = state.check_writable() {
                self.attention.store(true, Ordering::Release);
                return Err(error);
            }
            let full = self.with_atomic_others(&state, state.full_families());
            if state.stall() == Stall::Stop || state.must_wait_for_flush(&full) {
                self.attention.store(true, Ordering::Release);
                if no_slowdown {
                    return Err(stall_error());
                }
                if state.work_ended() {
                    return Err(Status::shutdown("stalled writes"));
                }
                if let Some(error) = &state.background_error {
                    // It may be what the room does not come for.
                    return Err(Status::incomplete(error.to_string()));
                }
                let start = Instant::now();
                self.stall_until_change(&mut state, MAX_WAIT);
                self.count_stall(start);
                continue;
            }
            let slow = state.stall() == Stall::Slow;
            let (mut switching, mut forced) = (full, false);
            let mut reason = FlushReason::WriteBufferFull;
            if switching.is_empty() && self.is_log_too_large()? {
                switching = state.families_of_oldest_log();
                (forced, reason) = (true, FlushReason::Other);
                self.schedule_flushes(&mut state);
            }
            if switching.is_empty() && std::mem::take(&mut relieves) {
                switching.extend(self.pick_for_memory(&state));
                (forced, reason) = (true, FlushReason::WriteBufferManager);
            }
            let switching = self.with_atomic_others(&state, switching);
            drop(state);
            if slow {
                self.attention.store(true, Ordering::Release);
            }
            if switching.is_empty() && self.stall_for_memory(no_slowdown)? {
                continue;
            }
            if switching.is_empty() {
                return Ok(());
            }
            let _time = PerfTimer::start(Metric::WriteSchedulingFlushesCompactionsTime);
            self.switch_memtables(&switching, reason, forced)?;
        }
    }

    /// The column families whose memtables are switched when those of `ids` are to be: with
    /// `atomic_flush` all that hold anything, so that what is flushed together ends at one write.
    fn with_atomic_others(&self, state: &State, ids: Vec<u32>) -> Vec<u32> {
        if ids.is_empty() || !self.context.options.atomic_flush {
            return ids;
        }
        let holding = state.families.iter().filter(|(_, family)| !family.mem.is_empty());
        holding.map(|(&id, _)| id).collect()
    }

    fn is_log_too_large(&self) -> Result<bool> {
        Ok(self.wals()?.total_size() > self.max_total_wal_size.load(Ordering::Relaxed))
    }

    /// Makes the memtables of these column families immutable and starts a new log, so that the
    /// old ones become obsolete when the memtables are flushed. Unless `forced`, a column family
    /// is flushed only if it has as many as `min_write_buffer_number_to_merge`. The caller has the
    /// turn in the write queue.
    pub(super) fn switch_memtables(
        &self,
        ids: &[u32],
        reason: FlushReason,
        forced: bool,
    ) -> Result<()> {
        let number = self.file_numbers.allocate();
        let log = self.wals()?.switch(number).inspect_err(|error| self.log_failed(error))?;
        let stats = self.stats_family();
        let mut state = self.state.lock();
        let stats = stats.filter(|stats| state.keeps_log_alone(stats.id(), ids));
        let ids: Vec<u32> = ids.iter().copied().chain(stats.map(|stats| stats.id())).collect();
        let mut retired = Vec::new();
        for (id, family) in &mut state.families {
            if ids.contains(id) && !family.mem.is_empty() {
                retired.push(family.seal(log, reason));
            } else if family.is_clean() {
                family.log_number = log;
            }
        }
        for &id in &ids {
            state.request_flush(id, forced);
            self.update_stall(&mut state, id);
        }
        self.schedule_flushes(&mut state);
        drop(state);
        drop(retired);
        self.close_retired_logs();
        Ok(())
    }
}

/// Measures a phase of a write, if that is watched.
#[inline]
fn phase<const WATCHED: bool>(metric: Metric) -> Option<PerfTimer> {
    WATCHED.then(|| PerfTimer::start_at(PerfLevel::EnableWait, metric))
}

/// The two ends of the sequence numbers in use.
pub(super) struct Sequences {
    /// The newest number given to a write.
    allocated: AtomicU64,
    /// The newest number that readers see.
    published: AtomicU64,
}

impl Sequences {
    pub fn new(last: SequenceNumber) -> Sequences {
        Sequences { allocated: last.into(), published: last.into() }
    }

    /// The first of `count` new numbers. The caller has the turn in the write queue.
    fn allocate(&self, count: u64) -> Result<SequenceNumber> {
        let last = self.allocated.load(Ordering::Relaxed);
        if count > MAX_SEQUENCE - last {
            return Err(Status::aborted("all sequence numbers are used up"));
        }
        self.allocated.store(last + count, Ordering::Relaxed);
        Ok(last + 1)
    }

    /// Lets readers see everything up to `last`. The caller has the turn, and everything up to
    /// there is in memtables.
    fn publish(&self, last: SequenceNumber) {
        self.published.store(last, Ordering::Release);
    }

    /// The newest number that a reader may use. To be asked after the reader has its view.
    #[inline]
    pub fn published(&self) -> SequenceNumber {
        self.published.load(Ordering::Acquire)
    }
}
