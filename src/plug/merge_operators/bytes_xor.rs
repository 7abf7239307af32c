//! [`BytesXor`]: parity.

use crate::plug::merge_operator::MergeOperator;

/// The exclusive or of all values, byte by byte; it is as long as the longest.
pub struct BytesXor;

impl BytesXor {
    pub(super) const NAME: &'static str = "BytesXOR";
    pub(super) const NICKNAME: &'static str = "bytesxor";
}

impl MergeOperator for BytesXor {
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
        for value in existing.iter().chain(operands) {
            if out.len() < value.len() {
                out.resize(value.len(), 0);
            }
            out.iter_mut().zip(*value).for_each(|(out, byte)| *out ^= byte);
        }
        true
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        self.full_merge(key, None, operands, out)
    }
}
