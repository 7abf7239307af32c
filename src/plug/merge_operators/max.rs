//! [`Max`]: the largest value.

use crate::plug::merge_operator::MergeOperator;

/// Keeps the largest value in the order of bytes.
pub struct Max;

impl Max {
    pub(super) const NAME: &'static str = "MaxOperator";
    pub(super) const NICKNAME: &'static str = "max";
}

impl MergeOperator for Max {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        let largest = operands.iter().copied().chain(existing).max();
        out.extend_from_slice(largest.unwrap_or_default());
        true
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        self.full_merge(key, None, operands, out)
    }
}
