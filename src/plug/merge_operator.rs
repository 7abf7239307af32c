//! [`MergeOperator`]: how the operands that were merged into a key become its value.

use crate::base::key::check_value_len;
use crate::base::status::{Result, Status, SubCode};
use crate::base::sync::Arc;
use crate::stats::{Metric, PerfTimer};

/// Joins merge operands (RocksDB's `MergeOperator`). Called by readers and by background work, on
/// any thread and at any time; equal input must give equal output.
pub trait MergeOperator: Send + Sync {
    /// The name, which tables and OPTIONS files record.
    fn name(&self) -> &str;

    /// Its own options, as OPTIONS files keep them: (name, value).
    fn options(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

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

    /// Told by readers how many operands a key has, before they are merged.
    fn note_operands_read(&self, _operands: usize) {}
}

/// A merge operator as options hold it.
pub type SharedMergeOperator = Option<Arc<dyn MergeOperator>>;

/// The error where there are operands, but no operator.
pub fn missing_operator() -> Status {
    Status::invalid_argument("merge_operator is not properly initialized.")
}

/// Fills `out` with the value of `key`: `operands`, oldest first, applied to `existing`.
///
/// # Errors
/// `Corruption` if the operator fails or the value is too long; `out` then holds nothing of use.
pub fn merge_fully(
    operator: &dyn MergeOperator,
    key: &[u8],
    existing: Option<&[u8]>,
    operands: &[&[u8]],
    out: &mut Vec<u8>,
) -> Result<()> {
    out.clear();
    let _time = PerfTimer::start(Metric::MergeOperatorTimeNanos);
    if !operator.full_merge(key, existing, operands, out) {
        return Err(Status::corruption("").with_subcode(SubCode::MergeOperatorFailed));
    }
    check_value_len(out, "Merge result")
}
