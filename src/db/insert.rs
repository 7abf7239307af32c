//! Putting a batch's records into memtables.

use super::family::{Family, FamilySet};
use super::fold::fold;
use crate::base::comparator::Order;
use crate::base::key::{SequenceNumber, ValueType};
use crate::base::record_sum::{RecordSum, mismatch};
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::batch::{BatchView, Record};
use crate::memtable::Tally;
use crate::read::super_version::SuperVersion;
use arc_swap::Guard;

/// What the insertion does with records that have nowhere to go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Missing {
    /// A record of an unknown column family is an error.
    Refuse,
    /// Records of unknown column families are passed over.
    Skip,
    /// As `Skip`, and so are records that are in tables already: those of column families whose
    /// log number is beyond this log.
    Recovering {
        /// The number of the log that is replayed.
        log: u64,
    },
}

/// Checks that `batch` can be applied: that it decodes, holds only kinds of records that this
/// version knows, and names only column families in `families` (unless those may be missing).
/// To be called before the batch is logged: what was logged must not fail afterwards.
pub(super) fn check(families: &FamilySet, batch: &BatchView<'_>, missing: Missing) -> Result<()> {
    for record in batch.records() {
        let record = record?;
        let Some(id) = record.column_family() else {
            if !matches!(record, Record::LogData(_) | Record::Noop) {
                return Err(Status::not_supported("Transaction markers in a write batch"));
            }
            continue;
        };
        stored_form(&record)?;
        let Some(family) = destination(families, id, missing)? else { continue };
        if family.options.disallow_memtable_writes {
            return Err(Status::invalid_argument(
                "This column family has disallow_memtable_writes=true",
            ));
        }
        match record {
            Record::Merge { .. } if family.options.merge_operator.is_none() => {
                return Err(Status::invalid_argument(
                    "Merge requires `ColumnFamilyOptions::merge_operator != nullptr`",
                ));
            }
            Record::DeleteRange { begin, end, .. }
                if !matches!(missing, Missing::Recovering { .. }) =>
            {
                check_range(family, begin, end)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a range deletion that the column family cannot carry out.
#[cold]
fn check_range(family: &Family, begin: &[u8], end: &[u8]) -> Result<()> {
    if family.comparator().timestamp_size() > 0 {
        return Err(Status::invalid_argument(
            "Cannot call this method on column family enabling timestamp",
        ));
    }
    if family.options.table_factory.block_based().is_none() {
        return Err(Status::not_supported(format!(
            "CF {} reports it does not support DeleteRange",
            String::from_utf8_lossy(family.name())
        )));
    }
    if family.comparator().compare(begin, end).is_gt() {
        return Err(Status::invalid_argument("end key comes before start key"));
    }
    Ok(())
}

/// Whether the record deletes a range without keys. Such a record is logged and takes a number,
/// but does not go to the memtable. (RocksDB logs an inverted range, too, before it refuses it.)
#[inline]
fn is_empty_range(family: &Family, value_type: ValueType, key: &[u8], value: &[u8]) -> bool {
    value_type == ValueType::RangeDeletion && family.comparator().compare(key, value).is_ge()
}

/// How a counted record stands in a memtable.
fn stored_form<'a>(record: &Record<'a>) -> Result<(ValueType, &'a [u8], &'a [u8])> {
    Ok(match *record {
        Record::Put { key, value, .. } => (ValueType::Value, key, value),
        Record::Delete { key, .. } => (ValueType::Deletion, key, &[]),
        Record::SingleDelete { key, .. } => (ValueType::SingleDeletion, key, &[]),
        Record::Merge { key, value, .. } => (ValueType::Merge, key, value),
        Record::BlobIndex { key, value, .. } => (ValueType::BlobIndex, key, value),
        Record::PutEntity { key, entity, .. } => (ValueType::WideColumnEntity, key, entity),
        Record::DeleteRange { begin, end, .. } => (ValueType::RangeDeletion, begin, end),
        _ => return Err(Status::not_supported("Timed puts and transaction markers")),
    })
}

/// Inserts `batch`, whose first counted record gets number `first`. Returns the number behind its
/// last one. Sets `full` if a memtable has reached its size. With `sums`, a record that does not
/// have its checksum is an error.
///
/// The memtables cannot be switched meanwhile: the caller holds the write queue, or is a member of
/// the group of the one who does.
pub(super) fn insert(
    families: &FamilySet,
    batch: &BatchView<'_>,
    sums: Option<&[RecordSum]>,
    first: SequenceNumber,
    missing: Missing,
    full: &AtomicBool,
) -> Result<SequenceNumber> {
    let mut sequence = first;
    // That of the record before, which is mostly that of the next one, too.
    let mut target: Option<Target<'_>> = None;
    for record in batch.records() {
        let record = record?;
        let Some(id) = record.column_family() else { continue };
        let number = sequence;
        sequence += 1;
        if let Some(sums) = sums
            && record.sum().as_ref() != sums.get((number - first) as usize)
        {
            return Err(mismatch());
        }
        if target.as_ref().is_none_or(|target| target.id != id) {
            leave(target.take(), full);
            target = Some(Target::find(families, id, missing)?);
        }
        if let Some(Target { memory: Some(memory), .. }) = &mut target {
            let Memory { family, view, tally } = memory;
            let (value_type, key, value) = stored_form(&record)?;
            if is_empty_range(family, value_type, key, value) {
                continue;
            }
            if value_type == ValueType::Merge
                && !matches!(missing, Missing::Recovering { .. })
                && let Some(folded) = fold(family, view, key, number, value)
            {
                view.mem.add_to_tally(tally, number, ValueType::Value, key, &folded)?;
            } else {
                view.mem.add_to_tally(tally, number, value_type, key, value)?;
            }
        }
    }
    leave(target, full);
    Ok(sequence)
}

/// Where the records of one column family go.
struct Target<'a> {
    id: u32,
    /// `None` if they are passed over.
    memory: Option<Memory<'a>>,
}

impl<'a> Target<'a> {
    fn find(families: &'a FamilySet, id: u32, missing: Missing) -> Result<Target<'a>> {
        let family = destination(families, id, missing)?;
        let memory = family.map(|family| {
            let view = family.super_version.load();
            Memory { family, view, tally: Tally::default() }
        });
        Ok(Target { id, memory })
    }
}

/// A memtable, and what was added there. That is counted when this drops.
struct Memory<'a> {
    family: &'a Arc<Family>,
    view: Guard<Arc<SuperVersion>>,
    tally: Tally,
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        self.view.mem.post(&self.tally);
    }
}

/// The column family that records for `id` go to, if they go anywhere.
fn destination(families: &FamilySet, id: u32, missing: Missing) -> Result<Option<&Arc<Family>>> {
    match (families.get(id), missing) {
        (None, Missing::Refuse) => Err(unknown_family()),
        (Some(family), Missing::Recovering { log }) if family.persistent.log_number() > log => {
            Ok(None)
        }
        (family, _) => Ok(family),
    }
}

fn leave(target: Option<Target<'_>>, full: &AtomicBool) {
    let Some(Target { memory: Some(memory), .. }) = target else { return };
    let mem = &memory.view.mem;
    mem.report_memory();
    if mem.should_flush(memory.family.write_buffer_size()) {
        full.store(true, Ordering::Release);
    }
}

fn unknown_family() -> Status {
    Status::invalid_argument("Invalid column family specified in write batch")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::WriteBatch;
    use crate::db::db_tests::TestDb;

    #[test]
    fn a_record_that_changed_on_its_way_is_not_inserted() {
        let mut test = TestDb::new();
        test.reopen();
        let batch = |value: &[u8]| {
            let mut batch = WriteBatch::new();
            batch.set_protected(true);
            batch.put(0, b"a", b"1").unwrap();
            batch.put(0, b"b", value).unwrap();
            batch
        };
        let (batch, other) = (batch(b"2"), batch(b"3"));
        let (families, full) = (test.db().families.load(), AtomicBool::new(false));
        let insert = |sums, first| {
            insert(&families, &batch.view().unwrap(), sums, first, Missing::Refuse, &full)
        };
        assert_eq!(insert(batch.sums(), 10).unwrap(), 12);
        let error = insert(other.sums(), 20).unwrap_err();
        assert_eq!(error.to_string(), "Corruption: ProtectionInfo mismatch");
        assert!(insert(Some(&batch.sums().unwrap()[..1]), 30).is_err());
        assert_eq!(insert(None, 40).unwrap(), 42);
    }
}
