//! The range-deletion block: entries of start key with sequence number, and end key.

use super::block::MetaEntries;
use super::fetch::{BlockSource, BlockType};
use super::meta::{self, MetaIndex};
use crate::base::comparator::Comparator;
use crate::base::key::{ParsedKey, SequenceNumber, ValueType};
use crate::base::status::{Result, Status};
use crate::rangedel::{Fragments, FragmentsBuilder};

/// The table's tombstones, if it has any. `global_sequence` stands for the sequence numbers that
/// an ingested file holds.
pub(super) fn read(
    source: &BlockSource,
    meta: &MetaIndex,
    comparator: &Comparator,
    global_sequence: Option<SequenceNumber>,
) -> Result<Option<Fragments>> {
    let Some(handle) = meta.get(meta::RANGE_DEL_BLOCK).filter(|h| h.size > 0) else {
        return Ok(None);
    };
    let block = source.read(handle, BlockType::RangeDeletion, true)?;
    let mut tombstones = FragmentsBuilder::new();
    let mut entries = MetaEntries::new(&block)?;
    while let Some((ikey, end, _)) = entries.next_entry()? {
        let key = ParsedKey::parse(ikey)?;
        if key.value_type != ValueType::RangeDeletion {
            return Err(Status::corruption("a record that is no range deletion among them"));
        }
        tombstones.add(key.user_key, end, global_sequence.unwrap_or(key.sequence));
    }
    if tombstones.is_empty() {
        return Ok(None);
    }
    if comparator.timestamp_size() > 0 {
        return Err(Status::not_supported("range deletions with timestamps in a table file"));
    }
    Ok(Some(tombstones.build(comparator)?).filter(|fragments| !fragments.is_empty()))
}
