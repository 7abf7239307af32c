//! [`Put`]: merging as putting.

use crate::plug::merge_operator::MergeOperator;

/// The newest value counts.
pub struct Put;

impl Put {
    pub(super) const NAME: &'static str = "PutOperator";
    pub(super) const NICKNAME: &'static str = "put";
}

impl MergeOperator for Put {
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
        match operands.last() {
            Some(newest) => out.extend_from_slice(newest),
            None => return false,
        }
        true
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        self.full_merge(key, None, operands, out)
    }
}
