//! Internal keys: the user key, then 8 bytes holding the sequence number and the value type
//! (RocksDB's `dbformat`). With a timestamp-carrying comparator the timestamp is the tail of the
//! user key.

use super::coding::{encode_varint, fixed64};
use super::comparator::Order;
use super::status::{Result, Status};
use std::cmp;

/// Orders writes: a larger number is newer. 56 bits.
pub type SequenceNumber = u64;

/// The largest sequence number that fits an internal key.
pub const MAX_SEQUENCE: SequenceNumber = (1 << 56) - 1;

/// Fails for a value that is longer than tables and memtables take; `what` is its name in the
/// error text.
pub fn check_value_len(value: &[u8], what: &str) -> Result<()> {
    match u32::try_from(value.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(Status::corruption(format!("{what} exceeds 4GB limit"))),
    }
}

/// The bytes behind the user key in an internal key.
pub const TRAILER_LEN: usize = 8;

/// What a record means. The numbers are part of the file formats (RocksDB's `ValueType`); those
/// with a column family occur in write batches only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum ValueType {
    Deletion = 0x0,
    Value = 0x1,
    Merge = 0x2,
    LogData = 0x3,
    ColumnFamilyDeletion = 0x4,
    ColumnFamilyValue = 0x5,
    ColumnFamilyMerge = 0x6,
    SingleDeletion = 0x7,
    ColumnFamilySingleDeletion = 0x8,
    BeginPrepare = 0x9,
    EndPrepare = 0xa,
    Commit = 0xb,
    Rollback = 0xc,
    Noop = 0xd,
    ColumnFamilyRangeDeletion = 0xe,
    RangeDeletion = 0xf,
    ColumnFamilyBlobIndex = 0x10,
    BlobIndex = 0x11,
    BeginPersistedPrepare = 0x12,
    BeginUnprepare = 0x13,
    DeletionWithTimestamp = 0x14,
    CommitWithTimestamp = 0x15,
    WideColumnEntity = 0x16,
    ColumnFamilyWideColumnEntity = 0x17,
    ValuePreferredSeqno = 0x18,
    ColumnFamilyValuePreferredSeqno = 0x19,
}

impl ValueType {
    /// The type that makes a seek key sort before every record of the same user key and sequence.
    pub const FOR_SEEK: ValueType = ValueType::ValuePreferredSeqno;
    /// The type that makes a seek key sort behind every record of the same user key and sequence.
    pub const FOR_SEEK_FOR_PREV: ValueType = ValueType::Deletion;

    /// The type with number `byte`.
    #[inline]
    pub fn from_u8(byte: u8) -> Option<ValueType> {
        use ValueType::*;
        const ALL: [ValueType; 26] = [
            Deletion,
            Value,
            Merge,
            LogData,
            ColumnFamilyDeletion,
            ColumnFamilyValue,
            ColumnFamilyMerge,
            SingleDeletion,
            ColumnFamilySingleDeletion,
            BeginPrepare,
            EndPrepare,
            Commit,
            Rollback,
            Noop,
            ColumnFamilyRangeDeletion,
            RangeDeletion,
            ColumnFamilyBlobIndex,
            BlobIndex,
            BeginPersistedPrepare,
            BeginUnprepare,
            DeletionWithTimestamp,
            CommitWithTimestamp,
            WideColumnEntity,
            ColumnFamilyWideColumnEntity,
            ValuePreferredSeqno,
            ColumnFamilyValuePreferredSeqno,
        ];
        ALL.get(usize::from(byte)).copied()
    }

    /// Whether records of this type stand in memtables and data blocks.
    pub fn is_stored(self) -> bool {
        use ValueType::*;
        matches!(
            self,
            Deletion
                | Value
                | Merge
                | SingleDeletion
                | BlobIndex
                | DeletionWithTimestamp
                | WideColumnEntity
                | ValuePreferredSeqno
        )
    }

    /// Whether a record of this type says that the key is gone.
    pub fn is_deletion(self) -> bool {
        use ValueType::*;
        matches!(self, Deletion | SingleDeletion | DeletionWithTimestamp)
    }
}

/// The trailer of an internal key as an integer: greater is newer.
#[inline]
pub fn pack_trailer(sequence: SequenceNumber, value_type: ValueType) -> u64 {
    debug_assert!(sequence <= MAX_SEQUENCE);
    (sequence << 8) | value_type as u64
}

/// The user key of an internal key. `ikey` must be at least [`TRAILER_LEN`] long; block iterators
/// and the memtable guarantee that of every key they hand out.
#[inline]
pub fn user_key(ikey: &[u8]) -> &[u8] {
    &ikey[..ikey.len() - TRAILER_LEN]
}

/// The trailer of an internal key, under the same condition as [`user_key`].
#[inline]
pub fn trailer(ikey: &[u8]) -> u64 {
    fixed64(&ikey[ikey.len() - TRAILER_LEN..])
}

/// The sequence number of an internal key, under the same condition as [`user_key`].
#[inline]
pub fn sequence(ikey: &[u8]) -> SequenceNumber {
    trailer(ikey) >> 8
}

/// Internal-key order: user keys ascending, then newest first. Both keys must be at least
/// [`TRAILER_LEN`] long.
#[inline]
pub fn compare_internal<O: Order>(order: &O, a: &[u8], b: &[u8]) -> cmp::Ordering {
    order.compare(user_key(a), user_key(b)).then_with(|| trailer(b).cmp(&trailer(a)))
}

/// An internal key taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedKey<'a> {
    /// The user key, with its timestamp if the comparator has one.
    pub user_key: &'a [u8],
    /// When it was written.
    pub sequence: SequenceNumber,
    /// What it means.
    pub value_type: ValueType,
}

impl<'a> ParsedKey<'a> {
    /// Takes `ikey` apart; too short a key or an unknown type is a corruption.
    #[inline]
    pub fn parse(ikey: &'a [u8]) -> Result<ParsedKey<'a>> {
        if ikey.len() < TRAILER_LEN {
            return Err(Status::corruption(format!(
                "Corrupted Key: Internal Key too small. Size={}. ",
                ikey.len()
            )));
        }
        let trailer = trailer(ikey);
        match ValueType::from_u8(trailer as u8) {
            Some(value_type) => {
                Ok(ParsedKey { user_key: user_key(ikey), sequence: trailer >> 8, value_type })
            }
            None => Err(Status::corruption(format!(
                "Corrupted Key: unknown value type {} at sequence {}",
                trailer as u8,
                trailer >> 8
            ))),
        }
    }

    /// Appends the internal key to `out`.
    pub fn encode_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.user_key);
        out.extend_from_slice(&pack_trailer(self.sequence, self.value_type).to_le_bytes());
    }
}

/// An owned internal key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InternalKey(Vec<u8>);

impl InternalKey {
    /// The key made of these parts.
    pub fn new(user_key: &[u8], sequence: SequenceNumber, value_type: ValueType) -> InternalKey {
        let mut bytes = Vec::with_capacity(user_key.len() + TRAILER_LEN);
        ParsedKey { user_key, sequence, value_type }.encode_to(&mut bytes);
        InternalKey(bytes)
    }

    /// Checks that `bytes` is an internal key, and keeps a copy.
    pub fn decode(bytes: &[u8]) -> Result<InternalKey> {
        ParsedKey::parse(bytes)?;
        Ok(InternalKey(bytes.to_vec()))
    }

    /// A copy of `bytes`, which the caller knows to be an internal key.
    pub fn copy_of(bytes: &[u8]) -> InternalKey {
        debug_assert!(bytes.len() >= TRAILER_LEN);
        InternalKey(bytes.to_vec())
    }

    /// The encoded key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its user key.
    pub fn user_key(&self) -> &[u8] {
        user_key(&self.0)
    }

    /// Its sequence number.
    pub fn sequence(&self) -> SequenceNumber {
        sequence(&self.0)
    }

    /// Whether this is the default value, which is no key.
    pub fn is_unset(&self) -> bool {
        self.0.is_empty()
    }

    /// Becomes the key made of these parts, in the memory it already has.
    pub fn set(&mut self, user_key: &[u8], sequence: SequenceNumber, value_type: ValueType) {
        self.0.clear();
        self.0.reserve(user_key.len() + TRAILER_LEN);
        ParsedKey { user_key, sequence, value_type }.encode_to(&mut self.0);
    }

    /// Becomes the key in `bytes`, which the caller knows to be an internal key.
    pub fn assign(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.len() >= TRAILER_LEN);
        self.0.clear();
        self.0.extend_from_slice(bytes);
    }
}

/// A key to look up at a sequence number: `varint32 length, user key, trailer`, which is a
/// memtable entry's key part; its tail is the internal key. Short keys need no allocation.
pub struct LookupKey {
    inline: [u8; LookupKey::INLINE],
    spill: Vec<u8>,
    /// Where the internal key begins.
    key_start: usize,
    len: usize,
}

impl LookupKey {
    const INLINE: usize = 128;

    /// The key that finds the newest record of `user_key` at or below `sequence`.
    #[inline]
    pub fn new(user_key: &[u8], sequence: SequenceNumber) -> LookupKey {
        let key_len = user_key.len() + TRAILER_LEN;
        let mut key = LookupKey {
            inline: [0; LookupKey::INLINE],
            spill: Vec::new(),
            key_start: 0,
            len: key_len + super::coding::varint_len(key_len as u64),
        };
        if key.len > LookupKey::INLINE {
            key.spill = vec![0; key.len];
        }
        let out = if key.len > LookupKey::INLINE { &mut key.spill[..] } else { &mut key.inline };
        let start = encode_varint(out, key_len as u64);
        out[start..start + user_key.len()].copy_from_slice(user_key);
        let trailer = pack_trailer(sequence, ValueType::FOR_SEEK).to_le_bytes();
        out[start + user_key.len()..start + key_len].copy_from_slice(&trailer);
        key.key_start = start;
        key
    }

    /// The length-prefixed internal key.
    #[inline]
    pub fn memtable_key(&self) -> &[u8] {
        if self.len > LookupKey::INLINE { &self.spill } else { &self.inline[..self.len] }
    }

    /// The internal key.
    #[inline]
    pub fn internal_key(&self) -> &[u8] {
        &self.memtable_key()[self.key_start..]
    }

    /// The user key.
    #[inline]
    pub fn user_key(&self) -> &[u8] {
        user_key(self.internal_key())
    }

    /// The newest sequence number that the look-up may see.
    #[inline]
    pub fn sequence(&self) -> SequenceNumber {
        sequence(self.internal_key())
    }
}

#[cfg(test)]
mod tests {
    use super::super::comparator::Bytewise;
    use super::*;
    use std::cmp::Ordering;

    #[test]
    fn newer_records_of_a_key_come_first() {
        let key = |k: &str, s, t| InternalKey::new(k.as_bytes(), s, t);
        let cmp = |a: &InternalKey, b: &InternalKey| {
            compare_internal(&Bytewise, a.as_bytes(), b.as_bytes())
        };
        let old = key("a", 1, ValueType::Value);
        let new = key("a", 2, ValueType::Deletion);
        assert_eq!(cmp(&new, &old), Ordering::Less);
        assert_eq!(cmp(&old, &key("b", 9, ValueType::Value)), Ordering::Less);
        assert_eq!(cmp(&key("", 1, ValueType::Value), &new), Ordering::Less);
        assert_eq!(cmp(&old, &old.clone()), Ordering::Equal);
    }

    #[test]
    fn parse_refuses_short_keys_and_unknown_types() {
        assert!(ParsedKey::parse(b"1234567").is_err());
        let mut bytes = InternalKey::new(b"k", 5, ValueType::Value).as_bytes().to_vec();
        assert_eq!(ParsedKey::parse(&bytes).unwrap().sequence, 5);
        bytes[1] = 0x7e;
        assert!(ParsedKey::parse(&bytes).is_err());
        for byte in 0..=0x19 {
            assert_eq!(ValueType::from_u8(byte).unwrap() as u8, byte);
        }
        assert_eq!(ValueType::from_u8(0x1a), None);
    }

    #[test]
    fn lookup_key_holds_short_and_long_keys() {
        for len in [0, 1, 118, 119, 120, 121, 128, 5000] {
            let user = vec![b'k'; len];
            let key = LookupKey::new(&user, 77);
            assert_eq!(key.user_key(), user);
            assert_eq!(key.sequence(), 77);
            assert_eq!(
                key.internal_key(),
                InternalKey::new(&user, 77, ValueType::FOR_SEEK).as_bytes()
            );
            let (prefix, at) = super::super::coding::decode_varint32(key.memtable_key()).unwrap();
            assert_eq!(prefix as usize, key.memtable_key().len() - at);
        }
    }
}
