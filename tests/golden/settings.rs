//! From `case.json` to options.

use super::case::FamilySpec;
use hematite::base::comparator::{Comparator, UserComparator};
use hematite::base::status::Result;
use hematite::db::FamilyOptions;
use hematite::options::{CfOptions, DbOptions};
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// `golden.ShorterFirst`: shorter keys first, then by bytes.
struct ShorterFirst;

impl UserComparator for ShorterFirst {
    fn name(&self) -> &str {
        "golden.ShorterFirst"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

/// RocksDB's bytewise order with a 64-bit timestamp behind the key, newest first.
struct BytewiseU64Ts;

impl UserComparator for BytewiseU64Ts {
    fn name(&self) -> &str {
        "leveldb.BytewiseComparator.u64ts"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let split = |key: &[u8]| -> (Vec<u8>, u64) {
            let (key, time) = key.split_at(key.len().saturating_sub(8));
            (key.to_vec(), time.try_into().map_or(0, u64::from_le_bytes))
        };
        let ((a, a_time), (b, b_time)) = (split(a), split(b));
        a.cmp(&b).then(b_time.cmp(&a_time))
    }

    fn timestamp_size(&self) -> usize {
        8
    }
}

fn comparator(name: &str) -> Comparator {
    match name {
        "bytewise" => Comparator::Bytewise,
        "reverse" => Comparator::ReverseBytewise,
        "shorter" => Comparator::Custom(Arc::new(ShorterFirst)),
        "u64ts" => Comparator::Custom(Arc::new(BytewiseU64Ts)),
        other => panic!("unknown comparator {other}"),
    }
}

/// Options that `case.json` lists for the database although RocksDB keeps them with the column
/// families.
const OF_FAMILIES: [&str; 2] = ["num_levels", "persist_user_defined_timestamps"];

/// Applies the pairs of `db_options`.
pub fn apply(
    mut db: DbOptions,
    families: &mut [FamilyOptions],
    pairs: &Map<String, Value>,
) -> Result<DbOptions> {
    const RECOVERY_MODES: [&str; 4] = [
        "kTolerateCorruptedTailRecords",
        "kAbsoluteConsistency",
        "kPointInTimeRecovery",
        "kSkipAnyCorruptedRecords",
    ];
    for (name, value) in pairs {
        let number = value.as_u64().expect("option values are numbers");
        if OF_FAMILIES.contains(&name.as_str()) {
            for family in families.iter_mut() {
                family.options = family.options.with_string(&format!("{name}={number}"))?;
            }
        } else if name == "wal_recovery_mode" {
            let mode = RECOVERY_MODES[number as usize];
            db = db.with_string(&format!("wal_recovery_mode={mode}"))?;
        } else {
            db = db.with_string(&format!("{name}={number}"))?;
        }
    }
    Ok(db)
}

/// The options of a column family.
pub fn family(spec: &FamilySpec) -> Result<FamilyOptions> {
    let mut options =
        CfOptions { comparator: comparator(&spec.comparator), ..CfOptions::default() };
    for (name, value) in &spec.settings {
        let value = value.as_str().unwrap_or_default();
        let text = match name.as_str() {
            "filter" => "block_based_table_factory={filter_policy=bloomfilter:10:false}".into(),
            "merge_operator" => match value.split_once(':') {
                Some((id, delimiter)) => {
                    format!("merge_operator={{id={id};delimiter={delimiter}}}")
                }
                None => format!("merge_operator={value}"),
            },
            "prefix_extractor" => {
                let (kind, length) = value.split_once(':').expect("kind:length");
                let class = if kind == "fixed" { "FixedPrefix" } else { "CappedPrefix" };
                format!("prefix_extractor=rocksdb.{class}.{length}")
            }
            "table" if value == "plain" => "table_factory=PlainTable".into(),
            "table" => "table_factory=CuckooTable".into(),
            "compaction_style" if value == "fifo" => "compaction_style=kCompactionStyleFIFO".into(),
            "compaction_style" => "compaction_style=kCompactionStyleUniversal".into(),
            other => panic!("unknown setting {other}"),
        };
        options = options.with_string(&text)?;
    }
    Ok(FamilyOptions { name: spec.name.as_bytes().to_vec(), options })
}
