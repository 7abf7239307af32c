//! [`MergeOperator`]: how the operands that were merged into a key become its value.

use crate::base::sync::Arc;

/// Joins merge operands (RocksDB's `MergeOperator`). Called by readers and by background work, on
/// any thread and at any time; equal input must give equal output.
pub trait MergeOperator: Send + Sync {
    /// The name, which tables and OPTIONS files record.
    fn name(&self) -> &str;

    /// Appends the value of `key` to `out`, which is empty: `operands`, oldest first, applied to
    /// `existing`, or to nothing if the key has no value. False is a failure, which the reader gets
    /// as a corruption.
    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool;

    /// Appends one operand to `out`, which is empty, that stands for `operands` (two or more,
    /// oldest first) whatever they are applied to. False says that there is none: the operands stay
    /// as they are.
    fn partial_merge(&self, key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool;
}

/// A merge operator as options hold it.
pub type SharedMergeOperator = Option<Arc<dyn MergeOperator>>;
