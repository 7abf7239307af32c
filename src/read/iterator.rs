//! [`DbIterator`]: the user's iterator over a pinned view.

use super::db_iter::{DbIter, DbIterConfig};
use super::iter_watch::{IterWatch, Seek, Step, Target};
use super::level_iter::LevelIter;
use super::merging::MergingIter;
use super::prefix_iterator::PrefixIterator;
use super::super_version::SuperVersion;
use super::table_scan::TableScan;
use super::tombstone_source::TombstoneSource;
use super::tombstones::Tombstones;
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::iterator::InternalIterator;
use crate::base::key::SequenceNumber;
use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::memtable::MemTableIter;
use crate::plug::prefix_seek::PrefixSeek;
use crate::stats::{Stats, perf};
use crate::table::TableIter;
use crate::version::table_cache::TableCache;

/// One source of a merge. Cursors of tables are boxed: they are large, and the allocator has
/// blocks of that size at hand, but not of a multiple of it.
enum Source<O: Order> {
    Mem(MemTableIter),
    Table(Box<TableIter<O>>),
    Level(Box<LevelIter<O>>),
    /// A table whose range tombstones count, but whose records nobody wants to see.
    Nothing(Nowhere),
}

macro_rules! each_source {
    ($self:expr, $source:ident => $call:expr) => {
        match $self {
            Source::Mem($source) => $call,
            Source::Table($source) => $call,
            Source::Level($source) => $call,
            Source::Nothing($source) => $call,
        }
    };
}

/// A cursor over no records.
struct Nowhere;

impl InternalIterator for Nowhere {
    fn valid(&self) -> bool {
        false
    }
    fn seek_to_first(&mut self) {}
    fn seek_to_last(&mut self) {}
    fn seek(&mut self, _: &[u8]) {}
    fn seek_for_prev(&mut self, _: &[u8]) {}
    fn next(&mut self) {}
    fn prev(&mut self) {}
    fn key(&self) -> &[u8] {
        &[]
    }
    fn value(&self) -> &[u8] {
        &[]
    }
    fn status(&self) -> Result<()> {
        Ok(())
    }
}

impl<O: Order> InternalIterator for Source<O> {
    #[inline]
    fn valid(&self) -> bool {
        each_source!(self, source => source.valid())
    }
    fn seek_to_first(&mut self) {
        each_source!(self, source => source.seek_to_first())
    }
    fn seek_to_last(&mut self) {
        each_source!(self, source => source.seek_to_last())
    }
    fn seek(&mut self, target: &[u8]) {
        each_source!(self, source => source.seek(target))
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        each_source!(self, source => source.seek_for_prev(target))
    }
    #[inline]
    fn next(&mut self) {
        each_source!(self, source => source.next())
    }
    #[inline]
    fn prev(&mut self) {
        each_source!(self, source => source.prev())
    }
    #[inline]
    fn key(&self) -> &[u8] {
        each_source!(self, source => source.key())
    }
    #[inline]
    fn value(&self) -> &[u8] {
        each_source!(self, source => source.value())
    }
    fn status(&self) -> Result<()> {
        each_source!(self, source => source.status())
    }
}

impl<O: Order> PrefixIterator for Source<O> {
    fn seek_prefix(&mut self, target: &[u8], seek: &PrefixSeek) {
        match self {
            Source::Mem(mem) => mem.seek(target),
            Source::Table(table) => table.seek_prefix(target, seek),
            Source::Level(level) => level.seek_prefix(target, seek),
            Source::Nothing(_) => {}
        }
    }
}

type Merged<O> = DbIter<O, MergingIter<O, Source<O>>>;

enum Inner {
    Bytewise(Merged<Bytewise>),
    Other(Merged<Comparator>),
}

macro_rules! each_order {
    ($self:expr, $iter:ident => $call:expr) => {
        match $self {
            Inner::Bytewise($iter) => $call,
            Inner::Other($iter) => $call,
        }
    };
}

/// The user's iterator. Keeps its view, and so every key and value that was in the database when
/// it was made. Not valid until it is positioned.
pub struct DbIterator {
    inner: Inner,
    watch: IterWatch,
    /// Copies of all keys that were shown, the last one that of the current key, if keys are to
    /// stay valid.
    pinned_keys: Option<Vec<Box<[u8]>>>,
    sequence: SequenceNumber,
    /// Keeps the files of the view from being removed.
    view: Arc<SuperVersion>,
}

impl DbIterator {
    /// An iterator over `view` within `config`, with `memtables_only` without its tables.
    pub fn new(
        view: Arc<SuperVersion>,
        tables: &Arc<TableCache>,
        scan: TableScan,
        config: DbIterConfig,
        memtables_only: bool,
        stats: Stats,
    ) -> Result<DbIterator> {
        let watch = IterWatch::new(stats, &config);
        let comparator = view.version.comparator().clone();
        let pinned_keys = config.pin_data.then(Vec::new);
        let sequence = config.visibility.sequence;
        let inner = if comparator.is_bytewise() {
            Inner::Bytewise(merged(Bytewise, &view, tables, scan, config, memtables_only)?)
        } else {
            Inner::Other(merged(comparator, &view, tables, scan, config, memtables_only)?)
        };
        let mut iter = DbIterator { inner, watch, pinned_keys, sequence, view };
        if iter.watch.is_on() {
            each_order!(&mut iter.inner, iter => iter.watch());
        }
        Ok(iter)
    }

    /// Whether it sees `view` as of `sequence`.
    pub fn sees(&self, view: &Arc<SuperVersion>, sequence: SequenceNumber) -> bool {
        self.sequence == sequence && self.is_over(view)
    }

    /// Whether `view` is its view.
    pub fn is_over(&self, view: &Arc<SuperVersion>) -> bool {
        Arc::ptr_eq(&self.view, view)
    }

    /// Puts `other` in its place, and returns what was there. Keys that are to stay valid do.
    pub fn replace_by(&mut self, other: DbIterator) -> DbIterator {
        let mut old = std::mem::replace(self, other);
        self.pinned_keys = old.pinned_keys.take();
        old
    }

    /// Whether a key that begins at `address` is kept.
    #[cfg(test)]
    pub fn pins(&self, address: *const u8) -> bool {
        self.pinned_keys.iter().flatten().any(|key| key.as_ptr() == address)
    }

    /// After each move.
    #[inline]
    fn pin_key(&mut self) {
        if self.pinned_keys.is_some() {
            self.pin_current_key();
        }
    }

    #[cold]
    fn pin_current_key(&mut self) {
        let key = each_order!(&self.inner, iter => iter.key());
        if let Some(keys) = &mut self.pinned_keys {
            keys.push(key.into());
        }
    }

    /// Whether it stands on a key.
    #[inline]
    pub fn valid(&self) -> bool {
        each_order!(&self.inner, iter => iter.valid())
    }

    /// To the first key.
    pub fn seek_to_first(&mut self) {
        let seek = self.begin_seek(Target::First);
        each_order!(&mut self.inner, iter => iter.seek_to_first());
        self.sought(seek);
    }

    /// To the last key.
    pub fn seek_to_last(&mut self) {
        let seek = self.begin_seek(Target::Last);
        each_order!(&mut self.inner, iter => iter.seek_to_last());
        self.sought(seek);
    }

    /// To the first key at or behind `target`.
    pub fn seek(&mut self, target: &[u8]) {
        let seek = self.begin_seek(Target::Key);
        each_order!(&mut self.inner, iter => iter.seek(target));
        self.sought(seek);
    }

    /// To the last key at or before `target`.
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        let seek = self.begin_seek(Target::KeyOrBefore);
        each_order!(&mut self.inner, iter => iter.seek_for_prev(target));
        self.sought(seek);
    }

    /// To the next key; does nothing when not valid.
    #[inline]
    pub fn next(&mut self) {
        if self.watch.is_on() {
            return self.next_counted();
        }
        each_order!(&mut self.inner, iter => iter.next());
        self.pin_key();
    }

    /// To the previous key; does nothing when not valid.
    #[inline]
    pub fn prev(&mut self) {
        if self.watch.is_on() {
            return self.prev_counted();
        }
        each_order!(&mut self.inner, iter => iter.prev());
        self.pin_key();
    }

    /// The current key; empty when not valid.
    #[inline]
    pub fn key(&self) -> &[u8] {
        match self.pinned_keys.as_ref().and_then(|keys| keys.last()) {
            Some(key) => key,
            None => each_order!(&self.inner, iter => iter.key()),
        }
    }

    /// The current value; empty when not valid.
    #[inline]
    pub fn value(&self) -> &[u8] {
        each_order!(&self.inner, iter => iter.value())
    }

    /// The error that ended the iteration, if one did.
    pub fn status(&self) -> Result<()> {
        each_order!(&self.inner, iter => iter.status())
    }

    #[inline]
    fn begin_seek(&mut self, target: Target) -> Option<Seek> {
        let seek = self.watch.seek(target);
        if seek.is_some() {
            self.count_moves_anew();
        }
        seek
    }

    /// What is passed from now on belongs to the next move.
    #[cold]
    fn count_moves_anew(&mut self) {
        let passed = each_order!(&mut self.inner, iter => {
            iter.watch();
            iter.take_passed()
        });
        self.watch.settle(passed);
    }

    #[inline]
    fn sought(&mut self, seek: Option<Seek>) {
        self.pin_key();
        if let Some(seek) = seek {
            self.end_seek(seek);
        }
    }

    #[cold]
    fn end_seek(&mut self, seek: Seek) {
        let (bytes, passed) =
            each_order!(&mut self.inner, iter => (iter.entry_bytes(), iter.take_passed()));
        self.watch.sought(seek, bytes, passed);
    }

    /// A step for statistics, which cost no more here than a few sums of the iterator's own.
    #[inline(never)]
    fn next_counted(&mut self) {
        if perf::is_on() {
            return self.step_in_detail(Step::Forward);
        }
        let found = each_order!(&mut self.inner, iter => {
            if !iter.valid() {
                return;
            }
            iter.next();
            iter.entry_bytes()
        });
        self.watch.stepped(Step::Forward, found);
        self.pin_key();
    }

    #[inline(never)]
    fn prev_counted(&mut self) {
        if perf::is_on() {
            return self.step_in_detail(Step::Backward);
        }
        let (found, looked_at) = each_order!(&mut self.inner, iter => {
            if !iter.valid() {
                return;
            }
            iter.prev();
            (iter.entry_bytes(), iter.looked_back_at())
        });
        self.watch.stepped(Step::Backward, found);
        self.watch.went_back(looked_at, found.is_some());
        self.pin_key();
    }

    /// A step in a thread that counts.
    #[cold]
    #[inline(never)]
    fn step_in_detail(&mut self, step: Step) {
        if !self.valid() {
            return;
        }
        self.count_moves_anew();
        let left = each_order!(&self.inner, iter => iter.is_on_record());
        let time = step.cpu_time();
        match step {
            Step::Forward => each_order!(&mut self.inner, iter => iter.next()),
            Step::Backward => each_order!(&mut self.inner, iter => iter.prev()),
        }
        drop(time);
        self.pin_key();
        let (bytes, passed) =
            each_order!(&mut self.inner, iter => (iter.entry_bytes(), iter.take_passed()));
        self.watch.stepped_in_detail(step, bytes, passed, left);
    }
}

impl Drop for DbIterator {
    fn drop(&mut self) {
        if self.watch.is_on() {
            let passed = each_order!(&mut self.inner, iter => iter.take_passed());
            self.watch.settle(passed);
        }
    }
}

/// The sources of a merge, newest first, and their range tombstones.
struct Sources<O: Order> {
    records: Vec<Source<O>>,
    /// By source; cut off behind the last source that has any.
    tombstones: Vec<TombstoneSource>,
}

impl<O: Order> Sources<O> {
    fn new(capacity: usize) -> Self {
        Sources { records: Vec::with_capacity(capacity), tombstones: Vec::new() }
    }

    fn push(&mut self, records: Source<O>, tombstones: TombstoneSource) {
        if !tombstones.is_nothing() {
            self.tombstones.resize_with(self.records.len(), || TombstoneSource::Nothing);
            self.tombstones.push(tombstones);
        }
        self.records.push(records);
    }

    fn merge(self, order: O, config: DbIterConfig) -> Merged<O> {
        let tombstones = (!self.tombstones.is_empty()).then(|| {
            let sequence = config.visibility.sequence;
            let tombstones = Tombstones::new(order.clone(), sequence, self.tombstones);
            let (lower, upper) = (config.lower_bound.clone(), config.upper_bound.clone());
            Box::new(tombstones.within(lower, upper))
        });
        let merging = MergingIter::new(order.clone(), self.records).with_tombstones(tombstones);
        DbIter::new(order, merging, config)
    }
}

fn merged<O: Order>(
    order: O,
    view: &SuperVersion,
    tables: &Arc<TableCache>,
    scan: TableScan,
    config: DbIterConfig,
    memtables_only: bool,
) -> Result<Merged<O>> {
    let version = &view.version;
    let mut sources = Sources::new(1 + view.imm.len() + version.files(0).len() + 6);
    for mem in std::iter::once(&view.mem).chain(&view.imm) {
        let tombstones = if config.ignore_tombstones { None } else { mem.range_tombstones()? };
        sources.push(Source::Mem(mem.iter()), TombstoneSource::memory(tombstones));
    }
    if memtables_only {
        return Ok(sources.merge(order, config));
    }
    for file in version.files(0) {
        let table = tables.get(file)?;
        let tombstones = match table.range_tombstones().filter(|_| !config.ignore_tombstones) {
            Some(fragments) => TombstoneSource::table(file.clone(), fragments.clone()),
            None => TombstoneSource::Nothing,
        };
        match scan.open(order.clone(), &table) {
            Some(records) => sources.push(Source::Table(Box::new(records)), tombstones),
            None => sources.push(Source::Nothing(Nowhere), tombstones),
        }
    }
    for (number, level) in version.levels().iter().enumerate().skip(1) {
        if level.files().is_empty() {
            continue;
        }
        let tombstones = match level.may_have_tombstones() && !config.ignore_tombstones {
            true => TombstoneSource::level(version.clone(), number, tables.clone()),
            false => TombstoneSource::Nothing,
        };
        let records =
            LevelIter::new(order.clone(), version.clone(), number, tables.clone(), scan.clone());
        sources.push(Source::Level(Box::new(records)), tombstones);
    }
    Ok(sources.merge(order, config))
}
