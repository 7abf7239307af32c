//! [`OperandBuffer`]: the merge operands of an iterator's current key.

use crate::base::status::{Result, Status};
use crate::plug::merge_operator::{SharedMergeOperator, merge_fully};

/// Which way operands were collected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Collected {
    NewestFirst,
    OldestFirst,
}

/// Merge operands of one key, copied into memory that is used again for the next key, since the
/// iterator that they come from moves on.
#[derive(Default)]
pub(super) struct OperandBuffer {
    bytes: Vec<u8>,
    /// Where each operand ends in `bytes`.
    ends: Vec<usize>,
    /// Empty between calls: only its memory is of interest.
    slices: Vec<&'static [u8]>,
}

impl OperandBuffer {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn push(&mut self, operand: &[u8]) {
        self.bytes.extend_from_slice(operand);
        self.ends.push(self.bytes.len());
    }

    /// The elements that fit without allocating.
    #[cfg(test)]
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() + self.slices.capacity()
    }

    /// Fills `out` with the value of `key`: the operands applied to `existing`.
    pub fn merge(
        &mut self,
        operator: &SharedMergeOperator,
        key: &[u8],
        existing: Option<&[u8]>,
        collected: Collected,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(operator) = operator else {
            return Err(Status::invalid_argument("merge_operator_ must be set."));
        };
        let mut slices: Vec<&[u8]> = std::mem::take(&mut self.slices);
        let mut start = 0;
        for &end in &self.ends {
            slices.push(&self.bytes[start..end]);
            start = end;
        }
        if collected == Collected::NewestFirst {
            slices.reverse();
        }
        operator.note_operands_read(slices.len());
        let result = merge_fully(&**operator, key, existing, &slices, out);
        self.slices = emptied(slices);
        result
    }
}

/// An empty vector in the memory of `slices`. (Collecting into elements of the same size keeps the
/// memory.)
fn emptied(mut slices: Vec<&[u8]>) -> Vec<&'static [u8]> {
    slices.clear();
    slices.into_iter().map(|_| -> &'static [u8] { &[] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::Arc;
    use crate::plug::merge_operators::StringAppend;

    #[test]
    fn order_and_memory_are_kept() {
        let operator: SharedMergeOperator = Some(Arc::new(StringAppend::new(",")));
        let (mut operands, mut out) = (OperandBuffer::default(), Vec::new());
        for operand in ["a", "", "c"] {
            operands.push(operand.as_bytes());
        }
        let mut merged = |collected, existing: Option<&[u8]>| {
            operands.merge(&operator, b"k", existing, collected, &mut out).unwrap();
            (String::from_utf8(out.clone()).unwrap(), operands.slices.capacity())
        };
        let (text, capacity) = merged(Collected::OldestFirst, Some(b"0"));
        assert_eq!(text, "0,a,,c");
        assert!(capacity >= 3);
        assert_eq!(merged(Collected::NewestFirst, None), ("c,,a".to_string(), capacity));
        operands.clear();
        assert!(operands.is_empty());
    }

    #[test]
    fn without_an_operator_there_is_no_value() {
        let mut operands = OperandBuffer::default();
        operands.push(b"1");
        let error = operands.merge(&None, b"k", None, Collected::NewestFirst, &mut Vec::new());
        let text = "Invalid argument: merge_operator_ must be set.";
        assert_eq!(error.unwrap_err().to_string(), text);
    }
}
