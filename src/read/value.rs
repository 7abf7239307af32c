//! Which records a reader sees, and what a record's value means to the user.

use crate::base::key::{SequenceNumber, ValueType};
use crate::base::status::{Result, Status};

/// Decides which records a read may see. The one place that the transaction layer's read
/// callbacks will extend.
#[derive(Clone, Copy, Debug)]
pub struct Visibility {
    /// The newest sequence number that is visible.
    pub sequence: SequenceNumber,
}

impl Visibility {
    /// Whether a record written at `sequence` is visible.
    #[inline]
    pub fn sees(&self, sequence: SequenceNumber) -> bool {
        sequence <= self.sequence
    }
}

/// What the newest visible record of a key says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved<'a> {
    /// The key has this value.
    Value(&'a [u8]),
    /// The key does not exist.
    Deleted,
    /// The key's value is this merge operand, applied to what older records say.
    Operand(&'a [u8]),
}

/// Turns the newest visible record of a key into the user's view of it.
///
/// Kinds of record that this version cannot resolve (blob references, wide columns) are errors:
/// they are never passed off as plain values.
#[inline]
pub fn resolve(value_type: ValueType, stored: &[u8]) -> Result<Resolved<'_>> {
    match value_type {
        ValueType::Value => Ok(Resolved::Value(stored)),
        ValueType::Deletion | ValueType::SingleDeletion | ValueType::DeletionWithTimestamp => {
            Ok(Resolved::Deleted)
        }
        _ => resolve_rare(value_type, stored),
    }
}

/// The bytes that a timed put (`ValuePreferredSeqno`) carries behind its value.
const PREFERRED_SEQNO_LEN: usize = 8;

#[cold]
fn resolve_rare(value_type: ValueType, stored: &[u8]) -> Result<Resolved<'_>> {
    match value_type {
        ValueType::ValuePreferredSeqno => match stored.len().checked_sub(PREFERRED_SEQNO_LEN) {
            Some(len) => Ok(Resolved::Value(&stored[..len])),
            None => Err(Status::corruption("Timed put too short to hold its write time")),
        },
        ValueType::Merge => Ok(Resolved::Operand(stored)),
        ValueType::BlobIndex => Err(Status::not_supported("Values in blob files")),
        ValueType::WideColumnEntity => Err(Status::not_supported("Wide-column values")),
        other => {
            Err(Status::corruption(format!("Unknown value type: {} in a stored key", other as u8)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_values_resolve_to_values() {
        assert_eq!(resolve(ValueType::Value, b"v").unwrap(), Resolved::Value(b"v"));
        assert_eq!(resolve(ValueType::SingleDeletion, b"").unwrap(), Resolved::Deleted);
        let timed = resolve(ValueType::ValuePreferredSeqno, b"v12345678").unwrap();
        assert_eq!(timed, Resolved::Value(b"v"));
        assert!(resolve(ValueType::ValuePreferredSeqno, b"short").is_err());
        assert_eq!(resolve(ValueType::Merge, b"v").unwrap(), Resolved::Operand(b"v"));
        for kind in [ValueType::BlobIndex, ValueType::WideColumnEntity] {
            assert!(resolve(kind, b"v").is_err());
        }
    }
}
