//! [`Uint64Add`]: sums.

use crate::plug::merge_operator::MergeOperator;

/// Adds 64-bit little-endian numbers, modulo 2^64. What is not 8 bytes long counts as 0.
pub struct Uint64Add;

impl Uint64Add {
    pub(super) const NAME: &'static str = "UInt64AddOperator";
    pub(super) const NICKNAME: &'static str = "uint64add";
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

fn sum(operands: &[&[u8]]) -> u64 {
    operands.iter().map(|operand| number(operand)).fold(0, u64::wrapping_add)
}

impl MergeOperator for Uint64Add {
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
        let sum = existing.map_or(0, number).wrapping_add(sum(operands));
        out.extend_from_slice(&sum.to_le_bytes());
        true
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(&sum(operands).to_le_bytes());
        true
    }
}
