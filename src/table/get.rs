//! Point look-ups: filter, index, block, records.

use super::block::BlockIter;
use super::filter::KeyHash;
use super::options::TableReadOptions;
use super::reader::TableReader;
use super::value::BlockValue;
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{LookupKey, ParsedKey, user_key};
use crate::base::status::Result;
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
        mut visit: impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        if !self.may_contain(key.user_key(), hash) {
            return Ok(());
        }
        let target = key.internal_key();
        let first = self.index().seek(order, target);
        if first == self.index().len() {
            return Ok(());
        }
        let mut records = BlockIter::empty(order.clone(), self.global_sequence());
        for at in first..self.index().len() {
            records.set_block(self.block(at, options)?).map_err(|e| self.in_file(e))?;
            if at == first {
                records.seek(target);
            } else {
                records.seek_to_first();
            }
            if self.visit_records(order, &mut records, key.user_key(), &mut visit)?.is_break()
                || !self.goes_on(order, at, key.user_key())
            {
                break;
            }
        }
        Ok(())
    }

    /// Shows the records of `user_key` from where `records` stands. Breaks when the visitor did,
    /// or when a record of a later key was met.
    #[inline]
    fn visit_records<O: Order>(
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

    /// Whether records of `user_key` may go on behind block `at`: only if the separator, which is
    /// before all of the next block, is one of that key.
    #[cold]
    fn goes_on<O: Order>(&self, order: &O, at: usize, key: &[u8]) -> bool {
        order.equal(user_key(self.index().separator(at)), key)
    }
}

type Block = crate::base::sync::Arc<crate::cache::CachedBlock>;
