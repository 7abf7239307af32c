//! Reading a batch: [`BatchView`] over its bytes, [`Records`] over its records.

use super::HEADER_LEN;
use crate::base::coding::{Decoder, fixed32, fixed64};
use crate::base::key::{SequenceNumber, ValueType};
use crate::base::record_sum::RecordSum;
use crate::base::status::{Result, Status};

/// How the section behind a begin-prepare marker was written. Each write policy of transactions
/// has its own marker, so that one policy does not replay the log of another by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrepareKind {
    /// The section reaches the memtable at commit (write-committed).
    Committed,
    /// The section is in the memtable already (write-prepared).
    Persisted,
    /// The section is in the memtable, and more of the transaction may follow
    /// (write-unprepared).
    Unprepared,
}

/// One record of a batch. `cf` is a column family's id (0 is the default family).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Record<'a> {
    /// Sets a key.
    Put { cf: u32, key: &'a [u8], value: &'a [u8] },
    /// Deletes a key.
    Delete { cf: u32, key: &'a [u8] },
    /// Deletes a key that was put at most once.
    SingleDelete { cf: u32, key: &'a [u8] },
    /// Deletes the keys from `begin` up to, not including, `end`.
    DeleteRange { cf: u32, begin: &'a [u8], end: &'a [u8] },
    /// Adds a merge operand to a key.
    Merge { cf: u32, key: &'a [u8], value: &'a [u8] },
    /// Sets a key to a blob reference, still encoded.
    BlobIndex { cf: u32, key: &'a [u8], value: &'a [u8] },
    /// Sets a key to a wide-column entity, still encoded.
    PutEntity { cf: u32, key: &'a [u8], entity: &'a [u8] },
    /// Sets a key, as if written at `unix_time` (seconds).
    TimedPut { cf: u32, key: &'a [u8], value: &'a [u8], unix_time: u64 },
    /// Bytes for the WAL alone.
    LogData(&'a [u8]),
    /// Nothing; reserves the place of a marker.
    Noop,
    /// The start of a prepared section.
    BeginPrepare(PrepareKind),
    /// The end of the section prepared as transaction `xid`.
    EndPrepare { xid: &'a [u8] },
    /// Commits transaction `xid`, with a commit timestamp where the policy has one.
    Commit { xid: &'a [u8], timestamp: Option<&'a [u8]> },
    /// Rolls back transaction `xid`.
    Rollback { xid: &'a [u8] },
}

impl<'a> Record<'a> {
    /// Whether the record is part of the batch's count and takes a sequence number. Log data,
    /// no-ops and transaction markers do not.
    #[inline]
    pub fn is_counted(&self) -> bool {
        matches!(
            self,
            Record::Put { .. }
                | Record::Delete { .. }
                | Record::SingleDelete { .. }
                | Record::DeleteRange { .. }
                | Record::Merge { .. }
                | Record::BlobIndex { .. }
                | Record::PutEntity { .. }
                | Record::TimedPut { .. }
        )
    }

    /// The column family of a counted record.
    pub fn column_family(&self) -> Option<u32> {
        match *self {
            Record::Put { cf, .. }
            | Record::Delete { cf, .. }
            | Record::SingleDelete { cf, .. }
            | Record::DeleteRange { cf, .. }
            | Record::Merge { cf, .. }
            | Record::BlobIndex { cf, .. }
            | Record::PutEntity { cf, .. }
            | Record::TimedPut { cf, .. } => Some(cf),
            _ => None,
        }
    }
}

impl Record<'_> {
    /// The checksum of a counted record in its column family, without its sequence number.
    pub fn sum(&self) -> Option<RecordSum> {
        let sum = match *self {
            Record::Put { key, value, .. } => RecordSum::of(ValueType::Value, key, value),
            Record::Delete { key, .. } => RecordSum::of(ValueType::Deletion, key, &[]),
            Record::SingleDelete { key, .. } => RecordSum::of(ValueType::SingleDeletion, key, &[]),
            Record::DeleteRange { begin, end, .. } => {
                RecordSum::of(ValueType::RangeDeletion, begin, end)
            }
            Record::Merge { key, value, .. } => RecordSum::of(ValueType::Merge, key, value),
            Record::BlobIndex { key, value, .. } => RecordSum::of(ValueType::BlobIndex, key, value),
            Record::PutEntity { key, entity, .. } => {
                RecordSum::of(ValueType::WideColumnEntity, key, entity)
            }
            Record::TimedPut { key, value, unix_time, .. } => {
                RecordSum::of(ValueType::ValuePreferredSeqno, key, value).written_at(unix_time)
            }
            _ => return None,
        };
        self.column_family().map(|family| sum.in_family(family))
    }
}

/// The bytes of a batch, known to hold a header. Costs nothing to make: the records are decoded,
/// and the count compared, by [`BatchView::records`].
#[derive(Clone, Copy, Debug)]
pub struct BatchView<'a> {
    rep: &'a [u8],
}

impl<'a> BatchView<'a> {
    /// A view of `rep`, which must be as long as the header at least.
    pub fn new(rep: &'a [u8]) -> Result<BatchView<'a>> {
        if rep.len() < HEADER_LEN {
            return Err(Status::corruption("malformed WriteBatch (too small)"));
        }
        Ok(BatchView { rep })
    }

    /// The whole batch, header included.
    pub fn data(&self) -> &'a [u8] {
        self.rep
    }

    /// The sequence number of the first counted record.
    pub fn sequence(&self) -> SequenceNumber {
        fixed64(self.rep)
    }

    /// How many records the header says are counted: the sequence numbers the batch takes.
    pub fn count(&self) -> u32 {
        fixed32(&self.rep[8..])
    }

    /// Its records, first to last.
    pub fn records(&self) -> Records<'a> {
        Records {
            input: Decoder::new(&self.rep[HEADER_LEN..]),
            found: 0,
            count: self.count(),
            done: false,
        }
    }
}

/// An iterator over a batch's records. A record that cannot be decoded, and at the end a count
/// that contradicts the header, is an `Err`, after which nothing follows.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    input: Decoder<'a>,
    found: u32,
    count: u32,
    done: bool,
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Result<Record<'a>>> {
        if self.input.is_empty() {
            return self.finish().map(Err);
        }
        match decode(&mut self.input) {
            Ok(record) => {
                self.found = self.found.wrapping_add(u32::from(record.is_counted()));
                Some(Ok(record))
            }
            Err(status) => {
                self.input = Decoder::new(&[]);
                self.done = true;
                Some(Err(status))
            }
        }
    }
}

impl Records<'_> {
    /// The error to end with, once.
    fn finish(&mut self) -> Option<Status> {
        if std::mem::replace(&mut self.done, true) || self.found == self.count {
            return None;
        }
        Some(Status::corruption("WriteBatch has wrong count"))
    }
}

/// The record at the front of `input`.
#[inline]
fn decode<'a>(input: &mut Decoder<'a>) -> Result<Record<'a>> {
    let tag = input.get_u8().unwrap_or(u8::MAX);
    let Some(kind) = ValueType::from_u8(tag) else { return Err(unknown_tag(tag)) };
    decode_fields(kind, input).ok_or_else(|| malformed(kind))
}

/// The fields of a record of type `kind`; `None` if they are cut short or `kind` is no batch tag.
#[inline]
fn decode_fields<'a>(kind: ValueType, input: &mut Decoder<'a>) -> Option<Record<'a>> {
    use ValueType::*;
    let cf = match kind {
        ColumnFamilyValue
        | ColumnFamilyDeletion
        | ColumnFamilySingleDeletion
        | ColumnFamilyRangeDeletion
        | ColumnFamilyMerge
        | ColumnFamilyBlobIndex
        | ColumnFamilyWideColumnEntity
        | ColumnFamilyValuePreferredSeqno => input.get_varint32()?,
        _ => 0,
    };
    let mut field = || input.get_length_prefixed();
    Some(match kind {
        Value | ColumnFamilyValue => Record::Put { cf, key: field()?, value: field()? },
        Deletion | ColumnFamilyDeletion => Record::Delete { cf, key: field()? },
        SingleDeletion | ColumnFamilySingleDeletion => Record::SingleDelete { cf, key: field()? },
        RangeDeletion | ColumnFamilyRangeDeletion => {
            Record::DeleteRange { cf, begin: field()?, end: field()? }
        }
        Merge | ColumnFamilyMerge => Record::Merge { cf, key: field()?, value: field()? },
        BlobIndex | ColumnFamilyBlobIndex => {
            Record::BlobIndex { cf, key: field()?, value: field()? }
        }
        WideColumnEntity | ColumnFamilyWideColumnEntity => {
            Record::PutEntity { cf, key: field()?, entity: field()? }
        }
        ValuePreferredSeqno | ColumnFamilyValuePreferredSeqno => {
            // The write time is packed behind the value.
            let (key, packed) = (field()?, field()?);
            let (value, time) = packed.split_at_checked(packed.len().checked_sub(8)?)?;
            Record::TimedPut { cf, key, value, unix_time: fixed64(time) }
        }
        LogData => Record::LogData(field()?),
        Noop => Record::Noop,
        BeginPrepare => Record::BeginPrepare(PrepareKind::Committed),
        BeginPersistedPrepare => Record::BeginPrepare(PrepareKind::Persisted),
        BeginUnprepare => Record::BeginPrepare(PrepareKind::Unprepared),
        EndPrepare => Record::EndPrepare { xid: field()? },
        Commit => Record::Commit { xid: field()?, timestamp: None },
        CommitWithTimestamp => {
            let timestamp = field()?;
            Record::Commit { xid: field()?, timestamp: Some(timestamp) }
        }
        Rollback => Record::Rollback { xid: field()? },
        DeletionWithTimestamp => return None,
    })
}

#[cold]
fn unknown_tag(tag: u8) -> Status {
    Status::corruption(format!("unknown WriteBatch tag: {tag}"))
}

/// Why a record of type `kind` could not be decoded.
#[cold]
fn malformed(kind: ValueType) -> Status {
    use ValueType::*;
    Status::corruption(match kind {
        Value | ColumnFamilyValue => "bad WriteBatch Put",
        Deletion | ColumnFamilyDeletion | SingleDeletion | ColumnFamilySingleDeletion => {
            "bad WriteBatch Delete"
        }
        RangeDeletion | ColumnFamilyRangeDeletion => "bad WriteBatch DeleteRange",
        Merge | ColumnFamilyMerge => "bad WriteBatch Merge",
        BlobIndex | ColumnFamilyBlobIndex => "bad WriteBatch BlobIndex",
        WideColumnEntity | ColumnFamilyWideColumnEntity => "bad WriteBatch PutEntity",
        ValuePreferredSeqno | ColumnFamilyValuePreferredSeqno => "bad WriteBatch TimedPut",
        LogData => "bad WriteBatch Blob",
        EndPrepare => "bad EndPrepare XID",
        Commit => "bad Commit XID",
        CommitWithTimestamp => "bad commit timestamp",
        Rollback => "bad Rollback XID",
        Noop | BeginPrepare | BeginPersistedPrepare | BeginUnprepare | DeletionWithTimestamp => {
            return unknown_tag(kind as u8);
        }
    })
}
