//! Reading several keys as of one moment.

use super::Db;
use super::family::Family;
use super::read::{check, table_options};
use super::watch::Watched;
use crate::base::clock::unix_micros;
use crate::base::comparator::Order;
use crate::base::key::SequenceNumber;
use crate::base::status::{Code, Result, Status};
use crate::options::ReadOptions;
use crate::read::get::{Sink, get_with};
use crate::stats::activity::Activity;
use crate::stats::{Histogram, Metric, Ticker, Timer, count, is_watched, perf, record};
use crate::table::LastBlocks;

/// One key of a batch.
pub struct BatchKey<'a> {
    /// What the caller calls it.
    pub index: usize,
    /// Its column family.
    pub family: &'a Family,
    /// The key.
    pub key: &'a [u8],
}

/// What is spent on a batch so far.
struct Budget<'a> {
    options: &'a ReadOptions,
    value_bytes: u64,
}

impl Budget<'_> {
    /// The error of every further key, once there is nothing left.
    fn check(&self) -> Result<()> {
        if self.value_bytes > self.options.value_size_soft_limit {
            return Err(Status::aborted(""));
        }
        if self.options.deadline > 0 && unix_micros() >= self.options.deadline {
            return Err(Status::new(Code::TimedOut, ""));
        }
        Ok(())
    }
}

impl Db {
    /// Reads `keys` as of one moment, and calls `done` once for each with its value; that returns
    /// the value's length. With `sorted` the keys of each family come in its order.
    ///
    /// Keys are looked up in their order, so that what they share of a table is read once.
    pub fn multi_get<S: Sink + Default>(
        &self,
        options: &ReadOptions,
        mut keys: Vec<BatchKey<'_>>,
        sorted: bool,
        mut done: impl FnMut(usize, Result<Option<S>>) -> usize,
    ) {
        keys.sort_by(|a, b| {
            let order = a.family.id().cmp(&b.family.id());
            if sorted {
                order
            } else {
                order.then_with(|| a.family.comparator().compare(a.key, b.key))
            }
        });
        let stats = self.statistics();
        let _time = Timer::start(stats, Histogram::DbMultiget);
        let _reads = is_watched(stats).then(|| Activity::MultiGet.enter());
        let (mut found, mut bytes) = (0, 0);
        let mut done = |index, result: Result<Option<S>>| {
            let is_found = matches!(result, Ok(Some(_)));
            let len = done(index, result);
            if is_found {
                found += 1;
                bytes += len as u64;
            }
            len
        };
        if let Err(error) = check(options) {
            for key in &keys {
                done(key.index, Err(error.clone()));
            }
            return;
        }
        let mut budget = Budget { options, value_bytes: 0 };
        let several =
            keys.first().map(|key| key.family.id()) != keys.last().map(|key| key.family.id());
        // One view of one family is one moment; the views of several are taken at different ones.
        let snapshot = (several && options.snapshot.is_none()).then(|| self.snapshot());
        let at = options.snapshot.or(snapshot.as_ref().map(|snapshot| snapshot.sequence()));
        for group in keys.chunk_by(|a, b| a.family.id() == b.family.id()) {
            self.get_group(group, at, &mut budget, &mut done);
        }
        if let Some(snapshot) = snapshot {
            self.release_snapshot(snapshot);
        }
        if is_watched(stats) {
            count(stats, Ticker::NumberMultigetCalls, 1);
            count(stats, Ticker::NumberMultigetKeysRead, keys.len() as u64);
            count(stats, Ticker::NumberMultigetKeysFound, found);
            count(stats, Ticker::NumberMultigetBytesRead, bytes);
            record(stats, Histogram::BytesPerMultiget, bytes);
            perf::add(Metric::MultigetReadBytes, bytes);
        }
    }

    /// Reads keys of one family.
    fn get_group<S: Sink + Default>(
        &self,
        keys: &[BatchKey<'_>],
        at: Option<SequenceNumber>,
        budget: &mut Budget<'_>,
        done: &mut impl FnMut(usize, Result<Option<S>>) -> usize,
    ) {
        let Some(first) = keys.first() else { return };
        let family = first.family;
        // The view first: what it holds can only be older than the sequence number.
        let view = family.super_version.load();
        let sequence = at.unwrap_or_else(|| self.latest_sequence());
        let options = table_options(family, budget.options);
        let read = self.point_read(&view, family, budget.options, &options);
        let mut blocks = LastBlocks::default();
        for key in keys {
            let result = budget.check().and_then(|()| {
                let mut value = S::default();
                if !is_watched(self.statistics()) {
                    let found = get_with(&read, key.key, sequence, &mut blocks, &mut value)?;
                    return Ok(found.then_some(value));
                }
                let mut watched = Watched::new(&mut value);
                let found = get_with(&read, key.key, sequence, &mut blocks, &mut watched)?;
                watched.report_place(self.statistics(), found);
                Ok(found.then_some(value))
            });
            let len = done(key.index, result);
            budget.value_bytes = budget.value_bytes.saturating_add(len as u64);
        }
    }
}
