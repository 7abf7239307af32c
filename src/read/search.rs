//! [`Search`]: what is known of one key on the way from the newest source to the oldest.

use super::cover::Cover;
use super::get::Sink;
use super::value::{Resolved, resolve};
use crate::base::key::{LookupKey, ValueType};
use crate::base::status::Result;
use crate::memtable::MemTable;
use crate::plug::merge_operator::{
    MergeOperator, SharedMergeOperator, merge_fully, missing_operator,
};
use crate::stats::{Metric, perf};
use crate::table::{BlockValue, PinnedValue};

/// A merge operand, where it stands.
enum Operand<'v> {
    /// In a memtable.
    Memory(&'v [u8]),
    /// In a block.
    Block(PinnedValue),
}

impl Operand<'_> {
    fn as_slice(&self) -> &[u8] {
        match self {
            Operand::Memory(slice) => slice,
            Operand::Block(pinned) => pinned,
        }
    }
}

/// The search for one key, which is shown the key's visible records, newest first, and answers
/// whether the key has a value as soon as that is known: at once for all but merge operands, which
/// it collects.
///
/// The answer `None` means that older records matter.
pub struct Search<'v> {
    user_key: &'v [u8],
    operator: &'v SharedMergeOperator,
    /// Newest first.
    operands: Vec<Operand<'v>>,
}

impl<'v> Search<'v> {
    /// A search for `user_key`, whose operands `operator` joins.
    #[inline]
    pub fn new(user_key: &'v [u8], operator: &'v SharedMergeOperator) -> Search<'v> {
        Search { user_key, operator, operands: Vec::new() }
    }

    /// Goes through what `mem` has of `key`; what `cover` hides is deleted.
    #[inline]
    pub fn memtable(
        &mut self,
        mem: &'v MemTable,
        key: &LookupKey,
        cover: Cover,
        sink: &mut impl Sink,
    ) -> Option<Result<bool>> {
        mem.get(key).find_map(|(sequence, value_type, stored)| match cover.hides(sequence) {
            true => Some(self.end(sink)),
            false => self.in_memory(value_type, stored, sink),
        })
    }

    /// Takes the next record, which stands in a memtable.
    #[inline]
    pub fn in_memory(
        &mut self,
        value_type: ValueType,
        stored: &'v [u8],
        sink: &mut impl Sink,
    ) -> Option<Result<bool>> {
        match resolve(value_type, stored) {
            Ok(Resolved::Value(value)) if self.operands.is_empty() => {
                sink.take_slice(value);
                Some(Ok(true))
            }
            Ok(Resolved::Operand(operand)) => self.collect(Operand::Memory(operand)),
            base => Some(self.base(base, sink)),
        }
    }

    /// Takes the next record, which stands in a block.
    #[inline]
    pub fn in_block(
        &mut self,
        value_type: ValueType,
        stored: BlockValue<'_>,
        sink: &mut impl Sink,
    ) -> Option<Result<bool>> {
        match resolve(value_type, &stored) {
            Ok(Resolved::Value(value)) if self.operands.is_empty() => {
                let len = value.len();
                sink.take_block(stored, len);
                Some(Ok(true))
            }
            Ok(Resolved::Operand(_)) => self.collect(Operand::Block(stored.pin())),
            base => Some(self.base(base, sink)),
        }
    }

    /// There is no older record, or none that counts, since a range tombstone covers it: the same as
    /// meeting a deletion.
    #[inline]
    pub fn end(&mut self, sink: &mut impl Sink) -> Result<bool> {
        self.base(Ok(Resolved::Deleted), sink)
    }

    #[cold]
    fn collect(&mut self, operand: Operand<'v>) -> Option<Result<bool>> {
        if let Err(error) = self.operator() {
            return Some(Err(error));
        }
        self.operands.push(operand);
        perf::add(Metric::InternalMergePointLookupCount, 1);
        None
    }

    fn operator(&self) -> Result<&'v dyn MergeOperator> {
        self.operator.as_deref().ok_or_else(missing_operator)
    }

    /// What the operands apply to is known.
    #[inline]
    fn base(&mut self, base: Result<Resolved<'_>>, sink: &mut impl Sink) -> Result<bool> {
        match base {
            Ok(Resolved::Deleted) if self.operands.is_empty() => Ok(false),
            Ok(Resolved::Value(value)) => self.merge(Some(value), sink),
            Ok(_) => self.merge(None, sink),
            Err(error) => Err(error),
        }
    }

    #[cold]
    fn merge(&self, existing: Option<&[u8]>, sink: &mut impl Sink) -> Result<bool> {
        let operands: Vec<&[u8]> = self.operands.iter().rev().map(Operand::as_slice).collect();
        let (operator, mut merged) = (self.operator()?, Vec::new());
        operator.note_operands_read(operands.len());
        merge_fully(operator, self.user_key, existing, &operands, &mut merged)?;
        sink.take_merged(merged);
        Ok(true)
    }
}
