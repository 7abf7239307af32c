//! [`TableIter`]: a cursor over all records of a table.

use super::block::BlockIter;
use super::options::TableReadOptions;
use super::read_ahead::ReadAhead;
use super::reader::TableReader;
use super::value::BlockValue;
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::user_key;
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
    /// The block that `records` is in, if it is in one.
    at: Option<usize>,
    read_ahead: ReadAhead,
    error: Option<Status>,
}

impl<O: Order> TableIter<O> {
    /// See [`TableReader::iter`].
    pub(super) fn new(table: Arc<TableReader>, order: O, options: TableReadOptions) -> Self {
        let records = BlockIter::empty(order.clone(), table.global_sequence());
        let read_ahead = ReadAhead::default();
        TableIter { table, order, options, records, at: None, read_ahead, error: None }
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
        if self.table.may_hold(user_key(target), seek) {
            return self.seek(target);
        }
        self.error = None;
        self.leave();
    }

    /// Enters block `at`; false when there is none or it cannot be read. Does not move within a
    /// block it is in already.
    fn enter(&mut self, at: usize) -> bool {
        if self.at == Some(at) {
            return true;
        }
        self.leave();
        if at >= self.table.index().len() {
            return false;
        }
        let block = self.table.block_ahead(at, &self.options, &mut self.read_ahead);
        match block.and_then(|block| self.records.set_block(block)) {
            Ok(()) => {
                self.at = Some(at);
                true
            }
            Err(error) => {
                self.fail(error);
                false
            }
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
            let Some(at) = self.at else { return };
            if !self.enter(at + 1) {
                return;
            }
            self.records.seek_to_first();
        }
    }

    /// From the start of a block to the last record before it.
    fn skip_backward(&mut self) {
        while self.ran_out() {
            let Some(before) = self.at.and_then(|at| at.checked_sub(1)) else {
                return self.leave();
            };
            if !self.enter(before) {
                return;
            }
            self.records.seek_to_last();
        }
    }
}

impl<O: Order> InternalIterator for TableIter<O> {
    #[inline]
    fn valid(&self) -> bool {
        self.records.valid()
    }

    fn seek_to_first(&mut self) {
        self.error = None;
        if self.enter(0) {
            self.records.seek_to_first();
            self.skip_forward();
        }
    }

    fn seek_to_last(&mut self) {
        self.error = None;
        let Some(last) = self.table.index().len().checked_sub(1) else { return };
        if self.enter(last) {
            self.records.seek_to_last();
            self.skip_backward();
        }
    }

    fn seek(&mut self, target: &[u8]) {
        self.error = None;
        let at = self.table.index().seek(&self.order, target);
        if self.enter(at) {
            self.records.seek(target);
            self.skip_forward();
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.error = None;
        let at = self.table.index().seek(&self.order, target);
        if at == self.table.index().len() {
            return self.seek_to_last();
        }
        if self.enter(at) {
            self.records.seek_for_prev(target);
            self.skip_backward();
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
