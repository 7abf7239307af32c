//! [`StringAppend`]: lists in the form of text.

use crate::plug::merge_operator::MergeOperator;

/// Puts values one behind the other, with a delimiter between them.
pub struct StringAppend {
    delimiter: String,
    /// Operands are joined before a value is asked for.
    joins_operands: bool,
}

impl StringAppend {
    pub(super) const NAME: &'static str = "StringAppendOperator";
    pub(super) const NICKNAME: &'static str = "stringappend";
    pub(super) const TEST_NAME: &'static str = "StringAppendTESTOperator";
    pub(super) const TEST_NICKNAME: &'static str = "stringappendtest";

    /// With this delimiter between values.
    pub fn new(delimiter: impl Into<String>) -> StringAppend {
        StringAppend { delimiter: delimiter.into(), joins_operands: true }
    }

    /// The same, but operands are never joined before a value is asked for (RocksDB's
    /// `StringAppendTESTOperator`).
    pub fn for_tests(delimiter: impl Into<String>) -> StringAppend {
        StringAppend { delimiter: delimiter.into(), joins_operands: false }
    }

    fn join(&self, existing: Option<&[u8]>, operands: &[&[u8]], out: &mut Vec<u8>) {
        let parts = || existing.iter().chain(operands);
        out.reserve(parts().map(|part| part.len() + self.delimiter.len()).sum());
        for (i, part) in parts().enumerate() {
            if i > 0 {
                out.extend_from_slice(self.delimiter.as_bytes());
            }
            out.extend_from_slice(part);
        }
    }
}

impl MergeOperator for StringAppend {
    fn name(&self) -> &str {
        if self.joins_operands { Self::NAME } else { Self::TEST_NAME }
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        vec![("delimiter", self.delimiter.clone())]
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        self.join(existing, operands, out);
        true
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        if self.joins_operands {
            self.join(None, operands, out);
        }
        self.joins_operands
    }
}
