//! Folding merge operands while they are inserted, so that a key that is merged again and again
//! does not pile operands up in memory (`max_successive_merges`).

use super::family::Family;
use crate::base::key::{LookupKey, SequenceNumber, ValueType};
use crate::plug::merge_operator::merge_fully;
use crate::read::get::{FoundValue, PointRead, get};
use crate::read::super_version::SuperVersion;
use crate::table::TableReadOptions;

/// The value to insert instead of `operand`, if the memtable has as many operands of `key` as it
/// may have. `None` says that the operand is to be inserted as it is: it need not be folded, or
/// what it applies to cannot be had (unless the option is strict, without reading a file).
///
/// Everything that was written before `sequence` must be in the memtable.
#[cold]
pub(super) fn fold(
    family: &Family,
    view: &SuperVersion,
    key: &[u8],
    sequence: SequenceNumber,
    operand: &[u8],
) -> Option<Vec<u8>> {
    let options = &family.options;
    let limit = options.max_successive_merges;
    let operator = options.merge_operator.as_deref().filter(|_| limit > 0)?;
    let versions = view.mem.get(&LookupKey::new(key, sequence));
    let operands = versions.take(limit).take_while(|(_, kind, _)| *kind == ValueType::Merge);
    if operands.count() < limit {
        return None;
    }
    let read = PointRead {
        view,
        tables: &family.tables,
        options: &TableReadOptions {
            cache_only: !options.strict_max_successive_merges,
            ..TableReadOptions::default()
        },
        merge_operator: &options.merge_operator,
        skip_memtables: false,
        ignore_tombstones: false,
    };
    let mut existing = FoundValue::default();
    // A failure is met again, and told, by whoever reads the key.
    if !get(&read, key, sequence, &mut existing).unwrap_or(false) {
        return None;
    }
    let mut folded = Vec::new();
    merge_fully(operator, key, Some(existing.as_slice()), &[operand], &mut folded).ok()?;
    Some(folded)
}
