//! [`LevelIter`]: the tables of one sorted level, one behind the other.

use super::prefix_iterator::PrefixIterator;
use super::table_scan::TableScan;
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::user_key;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::plug::prefix_seek::PrefixSeek;
use crate::table::TableIter;
use crate::version::file_meta::FileMeta;
use crate::version::table_cache::TableCache;
use crate::version::version::{Level, Version};

/// A cursor over a level whose tables do not overlap. A table is opened when the cursor reaches
/// it.
pub struct LevelIter<O: Order> {
    order: O,
    version: Arc<Version>,
    level: usize,
    tables: Arc<TableCache>,
    scan: TableScan,
    /// The index of the table that `table` reads.
    at: usize,
    table: Option<TableIter<O>>,
    /// Whether the table at `at` is one that nobody wants to see.
    passes_over: bool,
    error: Option<Status>,
}

impl<O: Order> LevelIter<O> {
    /// A cursor over `level` of `version`, standing nowhere.
    pub fn new(
        order: O,
        version: Arc<Version>,
        level: usize,
        tables: Arc<TableCache>,
        scan: TableScan,
    ) -> Self {
        LevelIter {
            order,
            version,
            level,
            tables,
            scan,
            at: 0,
            table: None,
            passes_over: false,
            error: None,
        }
    }

    fn level(&self) -> &Level {
        &self.version.levels()[self.level]
    }

    fn files(&self) -> &[Arc<FileMeta>] {
        self.level().files()
    }

    /// Opens table `at`, unless it is open. Without such a table the cursor is at an end, and
    /// without one that is wanted, [`exhausted`](LevelIter::exhausted).
    fn open(&mut self, at: usize) -> Option<&mut TableIter<O>> {
        if self.table.is_none() || self.at != at {
            self.table = None;
            self.passes_over = false;
            self.at = at;
            let file = self.files().get(at)?;
            let _reads = self.scan.options.enter_activity();
            match self.tables.get(file) {
                Ok(reader) => {
                    let table = self.scan.open(self.order.clone(), &reader);
                    self.passes_over = table.is_none();
                    self.table = table;
                }
                Err(error) => {
                    self.error = Some(error);
                    return None;
                }
            }
        }
        self.table.as_mut()
    }

    /// Whether the cursor must move on to another table: it left this one without an error, or
    /// nobody wants to see it.
    fn exhausted(&self) -> bool {
        match &self.table {
            Some(table) => !table.valid() && table.status().is_ok(),
            None => self.passes_over,
        }
    }

    fn skip_forward(&mut self) {
        while self.exhausted() {
            let before = self.table.take();
            match (self.open(self.at + 1), before) {
                (Some(table), Some(before)) => table.follow(before),
                (Some(table), None) => table.seek_to_first(),
                (None, _) => {}
            }
        }
    }

    fn skip_backward(&mut self) {
        while self.exhausted() {
            let Some(before) = self.at.checked_sub(1) else {
                self.table = None;
                self.passes_over = false;
                return;
            };
            if let Some(table) = self.open(before) {
                table.seek_to_last();
            }
        }
    }
}

impl<O: Order> PrefixIterator for LevelIter<O> {
    fn seek_prefix(&mut self, target: &[u8], seek: &PrefixSeek) {
        self.error = None;
        let at = self.level().find_file(&self.order, target);
        if let Some(table) = self.open(at) {
            table.seek_prefix(target, seek);
        }
        self.skip_forward();
        // Whoever merges this level is done sooner if it ends with the prefix.
        let passed = |key| !seek.has_prefix_of(user_key(target), user_key(key));
        if seek.is_prefix_mode() && self.at != at && self.valid() && passed(self.key()) {
            self.table = None;
        }
    }
}

impl<O: Order> InternalIterator for LevelIter<O> {
    #[inline]
    fn valid(&self) -> bool {
        self.table.as_ref().is_some_and(TableIter::valid)
    }

    fn seek_to_first(&mut self) {
        self.error = None;
        if let Some(table) = self.open(0) {
            table.seek_to_first();
        }
        self.skip_forward();
    }

    fn seek_to_last(&mut self) {
        self.error = None;
        match self.files().len().checked_sub(1) {
            Some(last) => {
                if let Some(table) = self.open(last) {
                    table.seek_to_last();
                }
                self.skip_backward();
            }
            None => self.table = None,
        }
    }

    fn seek(&mut self, target: &[u8]) {
        self.error = None;
        let at = self.level().find_file(&self.order, target);
        if let Some(table) = self.open(at) {
            table.seek(target);
        }
        self.skip_forward();
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.error = None;
        let at = self.level().find_file(&self.order, target);
        if at == self.files().len() {
            // Every table ends before the target.
            return self.seek_to_last();
        }
        if let Some(table) = self.open(at) {
            table.seek_for_prev(target);
        }
        self.skip_backward();
    }

    #[inline]
    fn next(&mut self) {
        if let Some(table) = &mut self.table {
            table.next();
            if !table.valid() {
                self.skip_forward();
            }
        }
    }

    #[inline]
    fn prev(&mut self) {
        if let Some(table) = &mut self.table {
            table.prev();
            if !table.valid() {
                self.skip_backward();
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
