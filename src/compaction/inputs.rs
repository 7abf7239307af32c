//! [`Input`]: the records of a compaction's files in a range of user keys, merged.

use super::plan::CompactionPlan;
use super::subcompaction::KeyRange;
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType, user_key};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::read::merging::MergingIter;
use crate::table::{TableIter, TableReadOptions};
use crate::version::file_meta::FileMeta;
use crate::version::table_cache::TableCache;

/// Files that do not overlap, in key order, read from front to back. A file is opened when the
/// cursor comes to it, and let go when the cursor leaves it.
pub(super) struct Run<'a, O: Order> {
    order: O,
    files: &'a [Arc<FileMeta>],
    tables: &'a TableCache,
    options: TableReadOptions,
    at: usize,
    table: Option<TableIter<O>>,
    error: Option<Status>,
}

impl<'a, O: Order> Run<'a, O> {
    fn new(
        order: O,
        files: &'a [Arc<FileMeta>],
        tables: &'a TableCache,
        options: TableReadOptions,
    ) -> Self {
        Run { order, files, tables, options, at: 0, table: None, error: None }
    }

    /// Opens file `at` and puts the cursor on it with `position`, or on the first record of a
    /// later file if that finds none.
    fn enter(&mut self, mut at: usize, position: impl Fn(&mut TableIter<O>)) {
        self.table = None;
        while let Some(file) = self.files.get(at) {
            self.at = at;
            let opened = self.tables.get_input(file);
            let table = match opened {
                Ok(reader) => self.table.insert(reader.iter(self.order.clone(), self.options)),
                Err(error) => {
                    self.error = Some(error);
                    return;
                }
            };
            position(table);
            if table.valid() || table.status().is_err() {
                return;
            }
            at += 1;
        }
        self.table = None;
    }
}

impl<O: Order> InternalIterator for Run<'_, O> {
    #[inline]
    fn valid(&self) -> bool {
        self.table.as_ref().is_some_and(TableIter::valid)
    }

    fn seek_to_first(&mut self) {
        self.error = None;
        self.enter(0, TableIter::seek_to_first);
    }

    fn seek(&mut self, target: &[u8]) {
        self.error = None;
        let wanted = user_key(target);
        // By user keys alone: the last key of a file may be the end of a tombstone.
        let at = self
            .files
            .partition_point(|f| self.order.compare(f.largest.user_key(), wanted).is_lt());
        self.enter(at, |table| table.seek(target));
    }

    /// Compactions only go forward.
    fn seek_to_last(&mut self) {
        self.error = Some(Status::not_supported("reading compaction inputs backwards"));
        self.table = None;
    }

    fn seek_for_prev(&mut self, _target: &[u8]) {
        self.seek_to_last();
    }

    fn prev(&mut self) {
        self.seek_to_last();
    }

    #[inline]
    fn next(&mut self) {
        if let Some(table) = &mut self.table {
            table.next();
            if !table.valid() && table.status().is_ok() {
                self.enter(self.at + 1, TableIter::seek_to_first);
            }
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.table.as_ref().map_or(&[], TableIter::key)
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.table.as_ref().map_or(&[], TableIter::value)
    }

    fn status(&self) -> Result<()> {
        match (&self.error, &self.table) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(table)) => table.status(),
            (None, None) => Ok(()),
        }
    }
}

/// All runs of a compaction as one, up to the end of a range.
pub(super) struct Input<'a, O: Order> {
    order: O,
    merged: MergingIter<O, Run<'a, O>>,
    /// The user key behind the last one.
    end: Option<&'a [u8]>,
    valid: bool,
}

impl<'a, O: Order> Input<'a, O> {
    /// The records of `plan`'s files within `range`, standing on the first.
    pub(super) fn new(
        order: O,
        plan: &'a CompactionPlan,
        tables: &'a TableCache,
        options: TableReadOptions,
        range: &'a KeyRange,
    ) -> Self {
        let mut runs = Vec::new();
        for inputs in &plan.inputs {
            if inputs.level == 0 {
                let alone = inputs.files.chunks(1);
                runs.extend(alone.map(|file| Run::new(order.clone(), file, tables, options)));
            } else {
                runs.push(Run::new(order.clone(), &inputs.files, tables, options));
            }
        }
        let merged = MergingIter::new(order.clone(), runs);
        let mut input = Input { order, merged, end: range.end.as_deref(), valid: false };
        match &range.start {
            Some(start) => {
                let key = InternalKey::new(start, MAX_SEQUENCE, ValueType::FOR_SEEK);
                input.merged.seek(key.as_bytes());
            }
            None => input.merged.seek_to_first(),
        }
        input.settle();
        input
    }

    #[inline]
    fn settle(&mut self) {
        self.valid = self.merged.valid()
            && match self.end {
                Some(end) => self.order.compare(user_key(self.merged.key()), end).is_lt(),
                None => true,
            };
    }
}

impl<O: Order> InternalIterator for Input<'_, O> {
    #[inline]
    fn valid(&self) -> bool {
        self.valid
    }

    fn seek_to_first(&mut self) {
        self.merged.seek_to_first();
        self.settle();
    }

    fn seek_to_last(&mut self) {
        self.merged.seek_to_last();
        self.settle();
    }

    fn seek(&mut self, target: &[u8]) {
        self.merged.seek(target);
        self.settle();
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.merged.seek_for_prev(target);
        self.settle();
    }

    #[inline]
    fn next(&mut self) {
        self.merged.next();
        self.settle();
    }

    fn prev(&mut self) {
        self.merged.prev();
        self.settle();
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.merged.key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.merged.value()
    }

    fn status(&self) -> Result<()> {
        self.merged.status()
    }
}
