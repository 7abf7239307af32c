//! Reading several keys as of one moment.

use super::Db;
use super::family::Family;
use super::read::{check, table_options};
use crate::base::clock::unix_micros;
use crate::base::comparator::Order;
use crate::base::key::SequenceNumber;
use crate::base::status::{Code, Result, Status};
use crate::base::sync::Arc;
use crate::env::posix_clock::PerfCpuTimer;
use crate::options::ReadOptions;
use crate::options::enums::IoActivity;
use crate::read::get::Sink;
use crate::read::multi_get::{Batch, Hits};
use crate::read::super_version::SuperVersion;
use crate::stats::activity::Activity;
use crate::stats::{
    Histogram, Metric, PerfTimer, Stats, Ticker, Timer, count, is_watched, perf, record,
};
use crate::table::KeySet;
use std::cmp::Ordering;

/// One key of a batch.
pub struct BatchKey<'a> {
    /// What the caller calls it.
    pub index: usize,
    /// Its column family.
    pub family: &'a Family,
    /// The key.
    pub key: &'a [u8],
}

impl BatchKey<'_> {
    /// By family, then in its order.
    fn order(&self, other: &BatchKey<'_>) -> Ordering {
        let by_family = self.family.id().cmp(&other.family.id());
        by_family.then_with(|| self.family.comparator().compare(self.key, other.key))
    }

    fn is_in_family_of(&self, other: &BatchKey<'_>) -> bool {
        self.family.id() == other.family.id()
    }
}

/// A held view.
type View = arc_swap::Guard<Arc<SuperVersion>>;

/// What a call has read so far.
struct Tally<'a> {
    options: &'a ReadOptions,
    hits: Hits,
    found: u64,
    /// Bytes of values.
    bytes: u64,
    /// Why the keys that are left are not looked up.
    ended: Option<Status>,
}

impl Tally<'_> {
    /// The error of all further keys, if there is one.
    fn end(&mut self) -> Option<Status> {
        if self.ended.is_none() {
            let deadline = self.options.deadline;
            if self.bytes > self.options.value_size_soft_limit {
                self.ended = Some(Status::aborted(""));
            } else if deadline > 0 && unix_micros() >= deadline {
                self.ended = Some(Status::new(Code::TimedOut, ""));
            }
        }
        self.ended.clone()
    }

    #[cold]
    fn report(&self, stats: &Stats, keys: usize) {
        count(stats, Ticker::NumberMultigetCalls, 1);
        count(stats, Ticker::NumberMultigetKeysRead, keys as u64);
        count(stats, Ticker::NumberMultigetKeysFound, self.found);
        count(stats, Ticker::NumberMultigetBytesRead, self.bytes);
        record(stats, Histogram::BytesPerMultiget, self.bytes);
        perf::add(Metric::MultigetReadBytes, self.bytes);
        count(stats, Ticker::MemtableHit, self.hits.memtables);
        count(stats, Ticker::MemtableMiss, self.hits.not_in_memtables);
        let [level_0, level_1, below] = self.hits.levels;
        count(stats, Ticker::GetHitL0, level_0);
        count(stats, Ticker::GetHitL1, level_1);
        count(stats, Ticker::GetHitL2AndUp, below);
    }
}

impl Db {
    /// Reads `keys` as of one moment, and calls `done` once for each with its index and value.
    /// With `sorted` the caller believes the keys of each family to be in its order, and those of
    /// a family beside each other, families ascending by id.
    ///
    /// Keys are looked up together, [`KeySet::MAX`] at a time, so that each block that they share
    /// is fetched once. An error is that of a key: the others are read all the same, unless the
    /// options' limit on the bytes of values or their deadline ends the call.
    pub fn multi_get<S: Sink + Default>(
        &self,
        options: &ReadOptions,
        mut keys: Vec<BatchKey<'_>>,
        sorted: bool,
        mut done: impl FnMut(usize, Result<Option<S>>),
    ) {
        if let Err(error) = check(options, IoActivity::MULTI_GET, "MultiGet") {
            return keys.iter().for_each(|key| done(key.index, Err(error.clone())));
        }
        // Keys that are not in order would not be found.
        if !sorted || !keys.is_sorted_by(|a, b| a.order(b).is_le()) {
            keys.sort_unstable_by(BatchKey::order);
        }
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return };
        let stats = self.statistics();
        let _time = Timer::start(stats, Histogram::DbMultiget);
        let _cpu = PerfCpuTimer::start(Metric::GetCpuNanos);
        let _reads = is_watched(stats).then(|| Activity::MultiGet.enter());
        let mut tally = Tally { options, hits: Hits::default(), found: 0, bytes: 0, ended: None };
        if first.is_in_family_of(last) {
            let snapshot_time = PerfTimer::start(Metric::GetSnapshotTime);
            // The view first: what it holds can only be older than the sequence number.
            let view = first.family.super_version.load();
            let sequence = options.snapshot.unwrap_or_else(|| self.latest_sequence());
            drop(snapshot_time);
            self.get_group(&keys, &view, sequence, &mut tally, &mut done);
        } else {
            let (views, sequence) = self.views_of(&keys, options.snapshot);
            for (group, view) in keys.chunk_by(BatchKey::is_in_family_of).zip(&views) {
                self.get_group(group, view, sequence, &mut tally, &mut done);
            }
        }
        if is_watched(stats) {
            tally.report(stats, keys.len());
        }
    }

    /// The views of the families of `keys`, as they come there, and the sequence number to read
    /// them at, which is `at` if that is given.
    fn views_of(
        &self,
        keys: &[BatchKey<'_>],
        at: Option<SequenceNumber>,
    ) -> (Vec<View>, SequenceNumber) {
        const ATTEMPTS: usize = 3;
        let _time = PerfTimer::start(Metric::GetSnapshotTime);
        let families = || {
            let groups = keys.chunk_by(BatchKey::is_in_family_of);
            groups.filter_map(|group| group.first()).map(|key| key.family)
        };
        let load = || families().map(|family| family.super_version.load()).collect::<Vec<View>>();
        if let Some(sequence) = at {
            return (load(), sequence);
        }
        // Views that are still current when the number is known were all current at that moment:
        // each has all that is published up to there, and has dropped nothing that counts there.
        for _ in 0..ATTEMPTS {
            let views = load();
            let sequence = self.latest_sequence();
            let is_current =
                |(family, view): (&Family, &View)| Arc::ptr_eq(&family.super_version.load(), view);
            if families().zip(&views).all(is_current) {
                return (views, sequence);
            }
        }
        // Views change under this mutex alone.
        let _state = self.state.lock();
        (load(), self.latest_sequence())
    }

    /// Reads keys of one family.
    fn get_group<S: Sink + Default>(
        &self,
        keys: &[BatchKey<'_>],
        view: &SuperVersion,
        sequence: SequenceNumber,
        tally: &mut Tally<'_>,
        done: &mut impl FnMut(usize, Result<Option<S>>),
    ) {
        let Some(first) = keys.first() else { return };
        let options = table_options(first.family, tally.options);
        let read = self.point_read(view, first.family, tally.options, &options);
        let limit = tally.options.value_size_soft_limit;
        let mut batch = Batch::new(keys.len(), tally.bytes, limit);
        for slice in keys.chunks(KeySet::MAX) {
            if let Some(error) = tally.end() {
                slice.iter().for_each(|key| done(key.index, Err(error.clone())));
                continue;
            }
            let user_keys = slice.iter().map(|key| key.key);
            let hits = batch.get(&read, user_keys, sequence, |at, result| {
                tally.found += u64::from(matches!(result, Ok(Some(_))));
                done(slice[at].index, result);
            });
            tally.hits.add(hits);
            tally.bytes = batch.value_bytes();
        }
    }
}
