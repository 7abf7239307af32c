//! [`SortList`]: sorted lists of numbers.

use crate::plug::merge_operator::MergeOperator;
use std::io::Write;

/// Merges sorted lists of 32-bit numbers in decimal, `1,5,7`, into one. As in RocksDB, what was
/// put before the first operand does not count. Operands that hold no numbers are a failure.
pub struct SortList;

impl SortList {
    pub(super) const NAME: &'static str = "MergeSortOperator";
    pub(super) const NICKNAME: &'static str = "sortlist";
}

/// The number at the front of `text`; what follows it is ignored.
fn number(text: &[u8]) -> Option<i32> {
    let text = text.trim_ascii_start();
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..sign + digits]).ok()?.parse().ok()
}

/// Two lists as one; if both are sorted, so is it.
fn merge(left: &[i32], right: &[i32]) -> Vec<i32> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left, right);
    while let (Some(l), Some(r)) = (left.first(), right.first()) {
        if l < r {
            merged.push(*l);
            left = &left[1..];
        } else {
            merged.push(*r);
            right = &right[1..];
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    merged
}

impl MergeOperator for SortList {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn full_merge(
        &self,
        _key: &[u8],
        _existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        let mut all = Vec::new();
        for operand in operands {
            let numbers: Option<Vec<i32>> =
                operand.split(|&byte| byte == b',').map(number).collect();
            let Some(numbers) = numbers else { return false };
            all = merge(&all, &numbers);
        }
        for (i, number) in all.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            // Writing to memory does not fail.
            let _ = write!(out, "{comma}{number}");
        }
        true
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        self.full_merge(key, None, operands, out)
    }
}
