//! [`TableIter`]: a cursor over all records of a table.

use super::block::BlockIter;
use super::flat_index::FlatIndex;
use super::index_reader::IndexCursor;
use super::options::TableReadOptions;
use super::read_ahead::{Ahead, ReadAhead};
use super::reader::TableReader;
use super::scan_end::ScanEnd;
use super::value::BlockValue;
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::cache::CachedBlock;
use crate::plug::prefix_seek::PrefixSeek;

/// A cursor over a table: the index says which block, a block iterator walks it.
///
/// A block is read when the cursor comes to it. After an error, [`status`] tells it until the next
/// seek and the cursor stands nowhere.
///
/// [`status`]: InternalIterator::status
pub struct TableIter<O: Order> {
    table: Arc<TableReader>,
    order: O,
    options: TableReadOptions,
    records: BlockIter<O, Arc<CachedBlock>>,
    index: IndexCursor,
    /// The block that `records` is in, if it is in one: the partition and the number within that.
    at: Option<(usize, usize)>,
    read_ahead: ReadAhead,
    end: ScanEnd,
    error: Option<Status>,
}

impl<O: Order> TableIter<O> {
    /// See [`TableReader::iter`].
    pub(super) fn new(table: Arc<TableReader>, order: O, options: TableReadOptions) -> Self {
        let records = BlockIter::empty(order.clone(), table.global_sequence());
        let (read_ahead, end) = Default::default();
        let index = IndexCursor::default();
        TableIter { table, order, options, records, index, at: None, read_ahead, end, error: None }
    }

    /// The same cursor, which is not asked for what lies behind `end`.
    pub fn up_to(mut self, end: ScanEnd) -> Self {
        self.end = end;
        self
    }

    /// To the first record, to go on with the scan of `before`, which came to its end.
    pub fn follow(&mut self, before: TableIter<O>) {
        self.end = before.end;
        if self.options.adaptive_read_ahead {
            self.read_ahead = before.read_ahead.into_next_file();
        }
        self.go_to_first();
    }

    /// The current value, which can be pinned. `None` when not valid.
    #[inline]
    pub fn block_value(&self) -> Option<BlockValue<'_>> {
        let block = self.records.block().filter(|_| self.records.valid())?;
        Some(BlockValue::new(block, self.records.value_range()))
    }

    /// To the first record at or behind `target`, or to an end if the filter says that a seek with
    /// `seek` needs nothing of this table.
    pub fn seek_prefix(&mut self, target: &[u8], seek: &PrefixSeek) {
        self.error = None;
        if !self.table.may_hold(&self.order, target, seek, &self.options) {
            return self.leave();
        }
        self.end.keep_to_prefix(target, seek);
        self.go_to(target);
    }

    /// Enters block `at` of the partition that the index cursor is in; false when there is none or
    /// it cannot be read. Does not move within a block it is in already.
    fn enter(&mut self, at: usize) -> bool {
        let place = (self.index.partition(), at);
        if self.at == Some(place) {
            return true;
        }
        self.leave();
        let blocks = self.index.blocks(&self.table);
        let Some(blocks) = blocks.filter(|blocks| at < blocks.len()) else { return false };
        let handle = blocks.handle(at);
        let (table, order, end, trims) =
            (&self.table, &self.order, &self.end, self.options.trim_read_ahead);
        let trim = |limit| match trims && end.is_known() {
            true => end.needed(table, order, blocks, at, limit),
            false => limit,
        };
        let ahead = Ahead { state: &mut self.read_ahead, trim: &trim };
        let block = table.block_ahead(handle, &self.options, ahead);
        match block.and_then(|block| self.records.set_block(block)) {
            Ok(()) => {
                self.at = Some(place);
                true
            }
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    /// What the index says, or nothing and its error.
    #[inline]
    fn found<T: Default>(&mut self, result: Result<T>) -> T {
        result.unwrap_or_else(|error| {
            self.fail(error);
            T::default()
        })
    }

    fn go_to_first(&mut self) {
        self.error = None;
        let moved = self.index.first(&self.table, &self.options);
        self.found(moved);
        if self.error.is_none() && self.enter(0) {
            self.records.seek_to_first();
            self.skip_forward();
        }
    }

    fn go_to(&mut self, target: &[u8]) {
        self.error = None;
        if self.enter_block_of(target) {
            self.records.seek(target);
            self.skip_forward();
        }
    }

    fn leave(&mut self) {
        self.at = None;
        self.records.clear();
    }

    #[cold]
    fn fail(&mut self, error: Status) {
        self.leave();
        self.error.get_or_insert(self.table.in_file(error));
    }

    /// Whether the block cursor is at an end of its block, and not for an error.
    #[inline]
    fn ran_out(&mut self) -> bool {
        if self.records.valid() {
            return false;
        }
        match self.records.status() {
            Ok(()) => true,
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    /// From the end of a block to the first record behind it. Blocks are never empty in a sound
    /// table, but may be in a damaged one.
    fn skip_forward(&mut self) {
        while self.ran_out() {
            let Some((_, at)) = self.at else { return };
            let len = self.index.blocks(&self.table).map_or(0, FlatIndex::len);
            if at + 1 < len {
                if !self.enter(at + 1) {
                    return;
                }
            } else {
                let moved = self.index.next(&self.table, &self.options);
                if !self.found(moved) {
                    return self.leave();
                }
                if !self.enter(0) {
                    return;
                }
            }
            self.records.seek_to_first();
        }
    }

    /// From the start of a block to the last record before it.
    fn skip_backward(&mut self) {
        while self.ran_out() {
            let Some((_, at)) = self.at else { return };
            let before = match at.checked_sub(1) {
                Some(before) => before,
                None => {
                    let moved = self.index.prev(&self.table, &self.options);
                    if !self.found(moved) {
                        return self.leave();
                    }
                    let len = self.index.blocks(&self.table).map_or(0, FlatIndex::len);
                    len.saturating_sub(1)
                }
            };
            if !self.enter(before) {
                return;
            }
            self.records.seek_to_last();
        }
    }

    /// Finds the block of `target`; false, standing nowhere, if there is none.
    #[inline]
    fn enter_block_of(&mut self, target: &[u8]) -> bool {
        let found = self.index.seek(&self.table, &self.order, target, &self.options);
        match self.found(found) {
            Some(at) => self.enter(at),
            None => {
                self.leave();
                false
            }
        }
    }
}

impl<O: Order> InternalIterator for TableIter<O> {
    #[inline]
    fn valid(&self) -> bool {
        self.records.valid()
    }

    fn seek_to_first(&mut self) {
        self.end.forget_prefix();
        self.go_to_first();
    }

    fn seek_to_last(&mut self) {
        self.error = None;
        let moved = self.index.last(&self.table, &self.options);
        self.found(moved);
        let len = self.index.blocks(&self.table).map_or(0, FlatIndex::len);
        let Some(last) = len.checked_sub(1).filter(|_| self.error.is_none()) else { return };
        if self.enter(last) {
            self.records.seek_to_last();
            self.skip_backward();
        }
    }

    fn seek(&mut self, target: &[u8]) {
        self.end.forget_prefix();
        self.go_to(target);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.error = None;
        if self.enter_block_of(target) {
            self.records.seek_for_prev(target);
            self.skip_backward();
        } else if self.error.is_none() {
            // Every block ends before the target.
            self.seek_to_last();
        }
    }

    #[inline]
    fn next(&mut self) {
        self.records.next();
        if !self.records.valid() {
            self.skip_forward();
        }
    }

    #[inline]
    fn prev(&mut self) {
        self.records.prev();
        if !self.records.valid() {
            self.skip_backward();
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.records.key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.records.value()
    }

    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }
}
