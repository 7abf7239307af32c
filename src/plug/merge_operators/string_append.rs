//! [`StringAppend`]: lists in the form of text.

use crate::plug::merge_operator::MergeOperator;

/// Puts values one behind the other, with a delimiter between them.
pub struct StringAppend {
    delimiter: String,
}

/// The same as [`StringAppend`], but operands are never joined before a value is asked for
/// (RocksDB's `StringAppendTESTOperator`).
pub struct StringAppendTest {
    delimiter: String,
}

impl StringAppend {
    pub(super) const NAME: &'static str = "StringAppendOperator";
    pub(super) const NICKNAME: &'static str = "stringappend";

    /// With this delimiter between values.
    pub fn new(delimiter: impl Into<String>) -> StringAppend {
        StringAppend { delimiter: delimiter.into() }
    }
}

impl StringAppendTest {
    pub(super) const NAME: &'static str = "StringAppendTESTOperator";
    pub(super) const NICKNAME: &'static str = "stringappendtest";

    /// With this delimiter between values.
    pub fn new(delimiter: impl Into<String>) -> StringAppendTest {
        StringAppendTest { delimiter: delimiter.into() }
    }
}

fn join(delimiter: &str, existing: Option<&[u8]>, operands: &[&[u8]], out: &mut Vec<u8>) {
    let parts = || existing.iter().chain(operands);
    out.reserve(parts().map(|part| part.len() + delimiter.len()).sum());
    for (i, part) in parts().enumerate() {
        if i > 0 {
            out.extend_from_slice(delimiter.as_bytes());
        }
        out.extend_from_slice(part);
    }
}

impl MergeOperator for StringAppend {
    fn name(&self) -> &str {
        Self::NAME
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
        join(&self.delimiter, existing, operands, out);
        true
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        join(&self.delimiter, None, operands, out);
        true
    }
}

impl MergeOperator for StringAppendTest {
    fn name(&self) -> &str {
        Self::NAME
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
        join(&self.delimiter, existing, operands, out);
        true
    }

    fn partial_merge(&self, _key: &[u8], _operands: &[&[u8]], _out: &mut Vec<u8>) -> bool {
        false
    }
}
