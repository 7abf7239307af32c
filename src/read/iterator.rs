//! [`DbIterator`]: the user's iterator over a pinned view.

use super::db_iter::{DbIter, DbIterConfig};
use super::level_iter::LevelIter;
use super::merging::MergingIter;
use super::prefix_iterator::PrefixIterator;
use super::super_version::SuperVersion;
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::iterator::InternalIterator;
use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::memtable::MemTableIter;
use crate::plug::prefix_seek::PrefixSeek;
use crate::table::{TableIter, TableReadOptions};
use crate::version::table_cache::TableCache;

/// One source of a merge.
enum Source<O: Order> {
    Mem(MemTableIter),
    Table(TableIter<O>),
    Level(LevelIter<O>),
}

macro_rules! each_source {
    ($self:expr, $source:ident => $call:expr) => {
        match $self {
            Source::Mem($source) => $call,
            Source::Table($source) => $call,
            Source::Level($source) => $call,
        }
    };
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
    /// Keeps the files of the view from being removed.
    _view: Arc<SuperVersion>,
}

impl DbIterator {
    /// An iterator over `view` within `config`, with `memtables_only` without its tables.
    pub fn new(
        view: Arc<SuperVersion>,
        tables: &Arc<TableCache>,
        options: TableReadOptions,
        config: DbIterConfig,
        memtables_only: bool,
    ) -> Result<DbIterator> {
        let comparator = view.version.comparator().clone();
        let inner = if comparator.is_bytewise() {
            Inner::Bytewise(merged(Bytewise, &view, tables, options, config, memtables_only)?)
        } else {
            Inner::Other(merged(comparator, &view, tables, options, config, memtables_only)?)
        };
        Ok(DbIterator { inner, _view: view })
    }

    /// Whether it stands on a key.
    #[inline]
    pub fn valid(&self) -> bool {
        each_order!(&self.inner, iter => iter.valid())
    }

    /// To the first key.
    pub fn seek_to_first(&mut self) {
        each_order!(&mut self.inner, iter => iter.seek_to_first())
    }

    /// To the last key.
    pub fn seek_to_last(&mut self) {
        each_order!(&mut self.inner, iter => iter.seek_to_last())
    }

    /// To the first key at or behind `target`.
    pub fn seek(&mut self, target: &[u8]) {
        each_order!(&mut self.inner, iter => iter.seek(target))
    }

    /// To the last key at or before `target`.
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        each_order!(&mut self.inner, iter => iter.seek_for_prev(target))
    }

    /// To the next key; does nothing when not valid.
    #[inline]
    pub fn next(&mut self) {
        each_order!(&mut self.inner, iter => iter.next())
    }

    /// To the previous key; does nothing when not valid.
    #[inline]
    pub fn prev(&mut self) {
        each_order!(&mut self.inner, iter => iter.prev())
    }

    /// The current key; empty when not valid.
    #[inline]
    pub fn key(&self) -> &[u8] {
        each_order!(&self.inner, iter => iter.key())
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
}

fn merged<O: Order>(
    order: O,
    view: &SuperVersion,
    tables: &Arc<TableCache>,
    options: TableReadOptions,
    config: DbIterConfig,
    memtables_only: bool,
) -> Result<Merged<O>> {
    let version = &view.version;
    let mut sources = Vec::with_capacity(1 + view.imm.len() + version.files(0).len() + 6);
    sources.push(Source::Mem(view.mem.iter()));
    sources.extend(view.imm.iter().map(|imm| Source::Mem(imm.iter())));
    if memtables_only {
        return Ok(DbIter::new(order.clone(), MergingIter::new(order, sources), config));
    }
    for file in version.files(0) {
        sources.push(Source::Table(tables.get(file)?.iter(order.clone(), options)));
    }
    for (level, files) in version.levels().iter().enumerate().skip(1) {
        if !files.files().is_empty() {
            let level =
                LevelIter::new(order.clone(), version.clone(), level, tables.clone(), options);
            sources.push(Source::Level(level));
        }
    }
    Ok(DbIter::new(order.clone(), MergingIter::new(order, sources), config))
}
