//! Point look-ups: filter, index, block, records.

use super::block::BlockIter;
use super::filter::KeyHash;
use super::flat_index::FlatIndex;
use super::options::TableReadOptions;
use super::reader::TableReader;
use super::value::BlockValue;
use super::watch::{self, Asked};
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{LookupKey, ParsedKey, user_key};
use crate::base::status::Result;
use crate::stats::is_watched;
use std::ops::ControlFlow;

impl TableReader {
    /// Shows `visit` every record of `key`'s user key at or below its sequence number, newest
    /// first, until it breaks.
    ///
    /// `order` must be the table's ([`Bytewise`](crate::base::comparator::Bytewise) for a bytewise
    /// one); `hash` is [`KeyHash::of`] the user key without timestamp. A key that is not there
    /// shows nothing.
    #[inline]
    pub fn get<O: Order>(
        &self,
        order: &O,
        key: &LookupKey,
        hash: KeyHash,
        options: &TableReadOptions,
        visit: impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        if is_watched(self.statistics())
            && let Some(asked) = self.filter_asks(key.user_key())
        {
            return self.get_watched(order, key, (hash, asked), options, visit);
        }
        if !self.may_contain(order, key, hash, options) {
            return Ok(());
        }
        self.get_behind_filter(order, key, options, visit)
    }

    /// [`get`](TableReader::get) for somebody who counts how the filter does.
    #[cold]
    fn get_watched<O: Order>(
        &self,
        order: &O,
        key: &LookupKey,
        (hash, asked): (KeyHash, Asked),
        options: &TableReadOptions,
        mut visit: impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let may_match = self.may_contain(order, key, hash, options);
        watch::filtered(self.statistics(), asked, may_match);
        if !may_match {
            return Ok(());
        }
        let mut is_here = false;
        let result = self.get_behind_filter(order, key, options, |record, value| {
            is_here = true;
            visit(record, value)
        });
        if is_here {
            watch::found_behind_filter(self.statistics(), asked);
        }
        result
    }

    #[inline]
    fn get_behind_filter<O: Order>(
        &self,
        order: &O,
        key: &LookupKey,
        options: &TableReadOptions,
        mut visit: impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        match self.index_reader().resident() {
            Some(blocks) => self.get_in(blocks, order, key, options, &mut visit).map(drop),
            None => self.get_through_cache(order, key, options, &mut visit),
        }
    }

    /// The same, where the index is not resident.
    fn get_through_cache<O: Order>(
        &self,
        order: &O,
        key: &LookupKey,
        options: &TableReadOptions,
        visit: &mut impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let index = self.index_reader();
        let top = index.top.get(self, options).map_err(|e| self.in_file(e))?;
        if !index.two_level {
            return self.get_in(&top, order, key, options, visit).map(drop);
        }
        for at in top.seek(order, key.internal_key())..top.len() {
            let partition = index.partition(self, &top, at, options);
            let partition = partition.map_err(|e| self.in_file(e))?;
            if self.get_in(&partition, order, key, options, visit)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Looks `key` up in the data blocks of an index or a partition of one. Continues if its
    /// records may go on behind them.
    #[inline]
    fn get_in<O: Order>(
        &self,
        blocks: &FlatIndex,
        order: &O,
        key: &LookupKey,
        options: &TableReadOptions,
        visit: &mut impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let target = key.internal_key();
        let first = blocks.seek(order, target);
        if first == blocks.len() {
            return Ok(ControlFlow::Continue(()));
        }
        let mut records = BlockIter::empty(order.clone(), self.global_sequence());
        for at in first..blocks.len() {
            let block = self.block(blocks.handle(at), options);
            block.and_then(|block| records.set_block(block)).map_err(|e| self.in_file(e))?;
            if at == first {
                records.seek_for_get(target);
            } else {
                records.seek_to_first();
            }
            if self.visit_records(order, &mut records, key.user_key(), visit)?.is_break()
                || !goes_on(order, blocks, at, key.user_key())
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Shows the records of `user_key` from where `records` stands. Breaks when the visitor did,
    /// or when a record of a later key was met.
    #[inline]
    pub(super) fn visit_records<O: Order>(
        &self,
        order: &O,
        records: &mut BlockIter<O, Block>,
        user_key: &[u8],
        visit: &mut impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        while records.valid() {
            let record = ParsedKey::parse(records.key()).map_err(|e| self.in_file(e))?;
            if !order.equal(record.user_key, user_key) {
                return Ok(ControlFlow::Break(()));
            }
            if let Some(block) = records.block()
                && visit(record, BlockValue::new(block, records.value_range())).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
            records.next();
        }
        records.status().map_err(|e| self.in_file(e))?;
        Ok(ControlFlow::Continue(()))
    }
}

/// Whether records of `key` may go on behind block `at`: only if the separator, which is before
/// all of the next block, is one of that key.
#[cold]
pub(super) fn goes_on<O: Order>(order: &O, blocks: &FlatIndex, at: usize, key: &[u8]) -> bool {
    order.equal(user_key(blocks.separator(at)), key)
}

pub(super) type Block = crate::base::sync::Arc<crate::cache::CachedBlock>;
