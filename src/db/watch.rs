//! Look-ups and writes that somebody watches: with statistics, or in a thread with a perf level.

use super::Db;
use super::family::Family;
use crate::base::status::Result;
use crate::batch::WriteBatch;
use crate::env::posix_clock::PerfCpuTimer;
use crate::options::{ReadOptions, WriteOptions};
use crate::read::get::{Place, Sink};
use crate::stats::activity::Activity;
use crate::stats::{
    Histogram, Metric, PerfContext, PerfLevel, Stats, Ticker, Timer, count, perf, record,
};
use crate::table::BlockValue;
use std::time::Instant;

impl Db {
    /// What counts this database's work.
    #[inline]
    pub fn statistics(&self) -> &Stats {
        &self.context.options.statistics
    }

    /// [`Db::get`] for somebody who counts.
    #[cold]
    pub(super) fn get_watched(
        &self,
        family: &Family,
        options: &ReadOptions,
        key: &[u8],
        sink: &mut impl Sink,
    ) -> Result<bool> {
        let stats = self.statistics();
        let _time = Timer::start(stats, Histogram::DbGet);
        let _cpu = PerfCpuTimer::start(Metric::GetCpuNanos);
        let _reads = Activity::Get.enter();
        let mut watched = Watched::new(sink);
        let result = self.get_unwatched(family, options, key, &mut watched);
        watched.end();
        watched.report(stats, matches!(result, Ok(true)));
        result
    }
}

/// Writes.
impl Db {
    /// A write for somebody who counts.
    #[cold]
    pub(super) fn write_watched(
        &self,
        options: &WriteOptions,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let _time = Timer::start(self.statistics(), Histogram::DbWrite);
        let timed = perf::collects(PerfLevel::EnableTimeExceptForMutex);
        let start = timed.then(|| (Instant::now(), phases()));
        let result = self.write_request::<true>(options, batch);
        if let Some((start, before)) = start {
            let rest = (start.elapsed().as_nanos() as u64).saturating_sub(phases() - before);
            perf::add(Metric::WritePreAndPostProcessTime, rest);
        }
        result
    }
}

/// The time that this thread has spent in the phases of writes that are measured by themselves.
fn phases() -> u64 {
    let context = PerfContext::of_this_thread();
    let phases = [
        Metric::WriteWalTime,
        Metric::WriteMemtableTime,
        Metric::WriteDelayTime,
        Metric::WriteSchedulingFlushesCompactionsTime,
    ];
    phases.iter().map(|phase| context.get(*phase)).sum()
}

/// Notes where a look-up searches, for how long, and how much it finds.
pub(super) struct Watched<'a, S> {
    sink: &'a mut S,
    place: Option<Place>,
    bytes: usize,
    /// When the search at this place began, if the thread measures times.
    since: Option<Instant>,
}

impl<'a, S: Sink> Watched<'a, S> {
    pub(super) fn new(sink: &'a mut S) -> Self {
        let timed = perf::collects(PerfLevel::EnableTimeExceptForMutex);
        Watched { sink, place: None, bytes: 0, since: timed.then(Instant::now) }
    }

    /// What was searched until now, took that long.
    fn end(&mut self) {
        let Some(start) = self.since else { return };
        let now = Instant::now();
        let metric = match self.place {
            None => Metric::GetSnapshotTime,
            Some(Place::Memtable) => Metric::GetFromMemtableTime,
            Some(_) => Metric::GetFromOutputFilesTime,
        };
        perf::add(metric, (now - start).as_nanos() as u64);
        self.since = Some(now);
    }

    /// Counts where the look-up ended. False if it has not begun.
    pub(super) fn report_place(&self, stats: &Stats, found: bool) -> bool {
        match self.place {
            None => return false,
            Some(Place::Memtable) => count(stats, Ticker::MemtableHit, 1),
            Some(place) => {
                count(stats, Ticker::MemtableMiss, 1);
                if let (Place::Level(level), true) = (place, found) {
                    let hit = match level {
                        0 => Ticker::GetHitL0,
                        1 => Ticker::GetHitL1,
                        _ => Ticker::GetHitL2AndUp,
                    };
                    count(stats, hit, 1);
                }
            }
        }
        true
    }

    fn report(&self, stats: &Stats, found: bool) {
        if !self.report_place(stats, found) {
            return;
        }
        let bytes = if found { self.bytes as u64 } else { 0 };
        count(stats, Ticker::NumberKeysRead, 1);
        count(stats, Ticker::BytesRead, bytes);
        record(stats, Histogram::BytesPerRead, bytes);
        perf::add(Metric::GetReadBytes, bytes);
    }
}

impl<S: Sink> Sink for Watched<'_, S> {
    fn take_slice(&mut self, value: &[u8]) {
        self.bytes = value.len();
        self.sink.take_slice(value);
    }

    fn take_block(&mut self, value: BlockValue<'_>, len: usize) {
        self.bytes = len;
        self.sink.take_block(value, len);
    }

    fn take_merged(&mut self, value: Vec<u8>) {
        self.bytes = value.len();
        self.sink.take_merged(value);
    }

    fn searches(&mut self, place: Place) {
        self.end();
        if place == Place::Memtable {
            perf::add(Metric::GetFromMemtableCount, 1);
        }
        self.place = Some(place);
    }
}
