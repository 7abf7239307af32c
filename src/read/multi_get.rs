//! Point look-ups of several keys together: each memtable, table and level is gone through once
//! for all keys that are still looked for.

use super::cover::Cover;
use super::get::{PointRead, Sink};
use super::search::Search;
use crate::base::comparator::{Bytewise, Order};
use crate::base::key::{LookupKey, ParsedKey, SequenceNumber, compare_internal};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::memtable::MemTable;
use crate::plug::merge_operator::SharedMergeOperator;
use crate::stats::{Metric, PerfTimer, perf};
use crate::table::filter::KeyHash;
use crate::table::{BatchKey, BatchVisitor, BlockValue, KeySet};
use crate::version::file_meta::FileMeta;
use crate::version::version::Level;
use std::ops::ControlFlow;

/// Where keys of a batch were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// In memtables, deleted ones included.
    pub memtables: u64,
    /// Not in memtables, which were searched.
    pub not_in_memtables: u64,
    /// Values in tables of level 0, of level 1, and of the levels below.
    pub levels: [u64; 3],
}

impl Hits {
    /// Adds `others`.
    pub fn add(&mut self, others: Hits) {
        self.memtables += others.memtables;
        self.not_in_memtables += others.not_in_memtables;
        for (sum, other) in self.levels.iter_mut().zip(others.levels) {
            *sum += other;
        }
    }
}

/// Up to [`KeySet::MAX`] keys that are looked up together, in the order of the column family.
///
/// Its memory is used again for the next keys.
pub struct Batch<'v, S> {
    keys: Vec<BatchKey>,
    answers: Answers<'v, S>,
}

/// What is known of the keys of a batch.
struct Answers<'v, S> {
    of: Vec<Answer<'v, S>>,
    /// The keys that are still looked for.
    pending: KeySet,
    /// The bytes of all values found, those of earlier batches included.
    value_bytes: u64,
    /// When there are more, the other keys are given up.
    value_limit: u64,
    /// How many keys have been answered, and not given up.
    answered: u64,
    /// How many values were found in tables since this was last taken.
    found_in_tables: u64,
}

struct Answer<'v, S> {
    search: Search<'v>,
    cover: Cover,
    sink: Measured<S>,
    /// Set when the key is no longer pending.
    result: Result<bool>,
}

/// A sink that knows the length of its value.
#[derive(Default)]
struct Measured<S> {
    sink: S,
    len: usize,
}

impl<S: Sink> Sink for Measured<S> {
    #[inline]
    fn take_slice(&mut self, value: &[u8]) {
        self.len = value.len();
        self.sink.take_slice(value);
    }

    #[inline]
    fn take_block(&mut self, value: BlockValue<'_>, len: usize) {
        self.len = len;
        self.sink.take_block(value, len);
    }

    fn take_merged(&mut self, value: Vec<u8>) {
        self.len = value.len();
        self.sink.take_merged(value);
    }
}

impl<'v, S: Sink + Default> Batch<'v, S> {
    /// An empty batch with memory for `count` keys, or for as many as there can be. Keys are
    /// given up when there are more than `value_limit` bytes of values; `value_bytes` were found
    /// before.
    pub fn new(count: usize, value_bytes: u64, value_limit: u64) -> Batch<'v, S> {
        let count = count.min(KeySet::MAX);
        Batch {
            keys: Vec::with_capacity(count),
            answers: Answers {
                of: Vec::with_capacity(count),
                pending: KeySet::default(),
                value_bytes,
                value_limit,
                answered: 0,
                found_in_tables: 0,
            },
        }
    }

    /// The bytes of all values found, those before this batch included.
    pub fn value_bytes(&self) -> u64 {
        self.answers.value_bytes
    }

    /// Looks `keys` up as of `sequence`, and passes the answer of each to `done` by its place
    /// among them: its value, if it has one. The keys must be in order.
    pub fn get(
        &mut self,
        read: &PointRead<'v>,
        keys: impl Iterator<Item = &'v [u8]>,
        sequence: SequenceNumber,
        mut done: impl FnMut(usize, Result<Option<S>>),
    ) -> Hits {
        self.keys.clear();
        for key in keys.take(KeySet::MAX) {
            self.keys.push(BatchKey { key: LookupKey::new(key, sequence), hash: KeyHash::of(key) });
            self.answers.of.push(Answer::new(key, read.merge_operator));
        }
        self.answers.pending = KeySet::up_to(self.keys.len());
        self.answers.answered = 0;
        let hits = self.search(read);
        for (at, Answer { sink, result, .. }) in self.answers.of.drain(..).enumerate() {
            done(at, result.map(|found| found.then_some(sink.sink)));
        }
        hits
    }

    fn search(&mut self, read: &PointRead<'v>) -> Hits {
        let mut hits = Hits::default();
        if !read.skip_memtables {
            let _time = PerfTimer::start(Metric::GetFromMemtableTime);
            for mem in std::iter::once(&read.view.mem).chain(&read.view.imm) {
                self.search_memtable(read, mem);
                if self.answers.pending.is_empty() {
                    break;
                }
            }
            hits.memtables = self.answers.answered;
            hits.not_in_memtables = self.answers.pending.len() as u64;
        }
        if self.answers.pending.is_empty() {
            return hits;
        }
        let _time = PerfTimer::start(Metric::GetFromOutputFilesTime);
        let comparator = read.view.version.comparator();
        match comparator.is_bytewise() {
            true => self.search_tables(read, &Bytewise, &mut hits),
            false => self.search_tables(read, comparator, &mut hits),
        }
        self.answers.end_where(|_| true);
        hits
    }

    fn search_memtable(&mut self, read: &PointRead<'v>, mem: &'v Arc<MemTable>) {
        if mem.is_empty() {
            return;
        }
        perf::add(Metric::GetFromMemtableCount, 1);
        let tombstones = match read.ignore_tombstones {
            true => Ok(None),
            false => mem.range_tombstones(),
        };
        let tombstones = match tombstones {
            Ok(tombstones) => tombstones,
            Err(error) => return self.answers.fail_all(self.answers.pending, &error),
        };
        for at in self.answers.pending {
            if !self.answers.wants(at) {
                return;
            }
            let key = &self.keys[at].key;
            let Answer { search, cover, sink, .. } = &mut self.answers.of[at];
            if let Some(tombstones) = &tombstones {
                cover.meet(mem.comparator(), key, tombstones);
            }
            let checked = if mem.is_guarded() { mem.verify(key) } else { Ok(()) };
            let mut result = match checked {
                Ok(()) => search.memtable(mem, key, *cover, sink),
                Err(error) => Some(Err(error)),
            };
            if result.is_none() && cover.hides_the_rest() {
                result = Some(search.end(sink));
            }
            if let Some(result) = result {
                self.answers.settle(at, result);
            }
        }
    }

    fn search_tables<O: Order>(&mut self, read: &PointRead<'v>, order: &O, hits: &mut Hits) {
        for (number, level) in read.view.version.levels().iter().enumerate() {
            match number {
                0 => self.search_level_0(read, order, level),
                _ => self.search_level(read, order, level),
            }
            hits.levels[number.min(2)] += std::mem::take(&mut self.answers.found_in_tables);
            if self.answers.pending.is_empty() {
                return;
            }
        }
    }

    fn search_level_0<O: Order>(&mut self, read: &PointRead<'v>, order: &O, level: &Level) {
        for file in level.files() {
            let (smallest, largest) = (file.smallest.user_key(), file.largest.user_key());
            let mut run = KeySet::default();
            for at in self.answers.pending {
                let key = self.keys[at].key.user_key();
                if order.compare(key, largest).is_gt() {
                    break;
                }
                if order.compare(key, smallest).is_ge() {
                    run.insert(at);
                }
            }
            if !run.is_empty() {
                self.search_file(read, order, file, run);
                self.answers.end_where(Cover::hides_the_rest);
            }
        }
    }

    /// Searches a level whose files do not overlap, but for records of one key that may go on in
    /// the next file.
    fn search_level<O: Order>(&mut self, read: &PointRead<'v>, order: &O, level: &Level) {
        // The keys whose file is not known yet, and those that go on in the file at `next`.
        let (mut ahead, mut going_on) = (self.answers.pending, KeySet::default());
        let mut next = 0;
        loop {
            if going_on.is_empty() {
                let Some(first) = ahead.first() else { break };
                next = level.find_file(order, self.keys[first].key.internal_key());
            }
            let Some(file) = level.files().get(next) else { break };
            let mut run = std::mem::take(&mut going_on);
            for at in ahead {
                let key = self.keys[at].key.internal_key();
                if compare_internal(order, file.largest.as_bytes(), key).is_lt() {
                    break;
                }
                ahead.remove(at);
                run.insert(at);
            }
            let keys = &self.keys;
            let compare = |at: usize, bound: &[u8]| order.compare(keys[at].key.user_key(), bound);
            run.retain(|at| compare(at, file.smallest.user_key()).is_ge());
            let last = file.largest.user_key();
            let reach_end = run.filtered(|at| compare(at, last).is_ge());
            if !run.is_empty() {
                self.search_file(read, order, file, run);
            }
            going_on = reach_end.intersection(self.answers.pending);
            ahead = ahead.intersection(self.answers.pending);
            next += 1;
        }
        self.answers.end_where(Cover::hides_the_rest);
    }

    fn search_file<O: Order>(
        &mut self,
        read: &PointRead<'v>,
        order: &O,
        file: &FileMeta,
        run: KeySet,
    ) {
        let table = match read.tables.get(file) {
            Ok(table) => table,
            Err(error) => return self.answers.fail_all(run, &error),
        };
        if let Some(tombstones) = table.range_tombstones().filter(|_| !read.ignore_tombstones) {
            for at in run {
                self.answers.of[at].cover.meet(order, &self.keys[at].key, tombstones);
            }
        }
        table.multi_get(order, &self.keys, run, read.options, &mut self.answers);
    }
}

impl<'v, S: Default> Answer<'v, S> {
    fn new(user_key: &'v [u8], operator: &'v SharedMergeOperator) -> Answer<'v, S> {
        Answer {
            search: Search::new(user_key, operator),
            cover: Cover::default(),
            sink: Measured::default(),
            result: Ok(false),
        }
    }
}

impl<S: Sink> Answers<'_, S> {
    fn is_full(&self) -> bool {
        self.value_bytes > self.value_limit
    }

    /// The result of a key that is pending is known.
    fn settle(&mut self, key: usize, result: Result<bool>) {
        debug_assert!(self.pending.contains(key));
        self.pending.remove(key);
        self.answered += 1;
        let answer = &mut self.of[key];
        if matches!(result, Ok(true)) {
            self.value_bytes = self.value_bytes.saturating_add(answer.sink.len as u64);
        }
        answer.result = result;
        if self.is_full() {
            self.give_up();
        }
    }

    #[cold]
    fn give_up(&mut self) {
        for key in std::mem::take(&mut self.pending) {
            self.of[key].result = Err(Status::aborted(""));
        }
    }

    #[cold]
    fn fail_all(&mut self, keys: KeySet, error: &Status) {
        keys.into_iter().for_each(|key| self.fail(key, error.clone()));
    }

    /// Nothing older matters to the pending keys whose cover `ends` picks.
    fn end_where(&mut self, ends: impl Fn(Cover) -> bool) {
        for key in self.pending {
            let Answer { search, cover, sink, .. } = &mut self.of[key];
            // An earlier one may have used up the budget.
            if self.pending.contains(key) && ends(*cover) {
                let result = search.end(sink);
                self.settle(key, result);
            }
        }
    }
}

impl<S: Sink> BatchVisitor for Answers<'_, S> {
    #[inline]
    fn wants(&self, key: usize) -> bool {
        self.pending.contains(key)
    }

    #[inline]
    fn record(
        &mut self,
        key: usize,
        record: ParsedKey<'_>,
        value: BlockValue<'_>,
    ) -> ControlFlow<()> {
        let Answer { search, cover, sink, .. } = &mut self.of[key];
        let result = match cover.hides(record.sequence) {
            true => Some(search.end(sink)),
            false => search.in_block(record.value_type, value, sink),
        };
        let Some(result) = result else { return ControlFlow::Continue(()) };
        self.found_in_tables += u64::from(matches!(result, Ok(true)));
        self.settle(key, result);
        ControlFlow::Break(())
    }

    fn fail(&mut self, key: usize, error: Status) {
        if self.pending.contains(key) {
            self.settle(key, Err(error));
        }
    }
}
