//! The properties block: a block of sorted names with varint or string values.

use super::block::MetaEntries;
use super::block_builder::BlockBuilder;
use crate::base::coding::{decode_varint64, fixed32, fixed64, put_varint64};
use crate::base::key::{MAX_SEQUENCE, SequenceNumber};
use crate::base::status::{Result, Status};
use crate::plug::table_properties::TableProperties;
use std::collections::BTreeMap;

/// Which index a table has (fixed32).
pub const INDEX_TYPE: &str = "rocksdb.block.based.table.index.type";
/// Whether whole keys are in the filter: `1` or `0`.
pub const WHOLE_KEY_FILTERING: &str = "rocksdb.block.based.table.whole.key.filtering";
/// Whether prefixes are in the filter: `1` or `0`.
pub const PREFIX_FILTERING: &str = "rocksdb.block.based.table.prefix.filtering";
/// Marks a file that was written outside a database (fixed32).
pub const EXTERNAL_VERSION: &str = "rocksdb.external_sst_file.version";
/// The sequence number of all keys of such a file (fixed64).
pub const GLOBAL_SEQNO: &str = "rocksdb.external_sst_file.global_seqno";

const DELETED_KEYS: &str = "rocksdb.deleted.keys";
const MERGE_OPERANDS: &str = "rocksdb.merge.operands";

/// When a number is written.
#[derive(Clone, Copy, PartialEq)]
enum Write {
    Always,
    /// Unless it is this value, which readers assume.
    Unless(u64),
    /// Like `index_partitions`: when there are any.
    IfPartitioned,
}

struct NumberRow {
    name: &'static str,
    write: Write,
    field: fn(&mut TableProperties) -> &mut u64,
}

struct TextRow {
    name: &'static str,
    field: fn(&mut TableProperties) -> &mut String,
}

macro_rules! number_rows {
    ($($name:literal $field:ident $write:expr;)*) => {
        &[$(NumberRow { name: $name, write: $write, field: |p| &mut p.$field }),*]
    };
}

macro_rules! text_rows {
    ($($name:literal $field:ident;)*) => {
        &[$(TextRow { name: $name, field: |p| &mut p.$field }),*]
    };
}

use Write::{Always, IfPartitioned, Unless};

const NUMBERS: &[NumberRow] = number_rows! {
    "rocksdb.original.file.number" orig_file_number Always;
    "rocksdb.data.size" data_size Always;
    "rocksdb.index.size" index_size Always;
    "rocksdb.index.partitions" index_partitions IfPartitioned;
    "rocksdb.top-level.index.size" top_level_index_size IfPartitioned;
    "rocksdb.index.key.is.user.key" index_key_is_user_key Always;
    "rocksdb.index.value.is.delta.encoded" index_value_is_delta_encoded Always;
    "rocksdb.udi.is.primary.index" udi_is_primary_index Unless(0);
    "rocksdb.filter.size" filter_size Always;
    "rocksdb.raw.key.size" raw_key_size Always;
    "rocksdb.raw.value.size" raw_value_size Always;
    "rocksdb.num.data.blocks" num_data_blocks Always;
    "rocksdb.num.data.blocks.compression.rejected" num_data_blocks_compression_rejected Unless(0);
    "rocksdb.num.data.blocks.compression.bypassed" num_data_blocks_compression_bypassed Unless(0);
    "rocksdb.num.uniform.blocks" num_uniform_blocks Always;
    "rocksdb.num.entries" num_entries Always;
    "rocksdb.num.filter_entries" num_filter_entries Always;
    "rocksdb.deleted.keys" num_deletions Always;
    "rocksdb.merge.operands" num_merge_operands Always;
    "rocksdb.num.range-deletions" num_range_deletions Always;
    "rocksdb.format.version" format_version Always;
    "rocksdb.fixed.key.length" fixed_key_len Always;
    "rocksdb.column.family.id" column_family_id Always;
    "rocksdb.creation.time" creation_time Always;
    "rocksdb.oldest.key.time" oldest_key_time Always;
    "rocksdb.newest.key.time" newest_key_time Always;
    "rocksdb.file.creation.time" file_creation_time Unless(0);
    "rocksdb.sample_for_compression.slow.data.size" slow_compression_estimated_data_size Unless(0);
    "rocksdb.sample_for_compression.fast.data.size" fast_compression_estimated_data_size Unless(0);
    "rocksdb.tail.start.offset" tail_start_offset Always;
    "rocksdb.user.defined.timestamps.persisted" user_defined_timestamps_persisted Unless(1);
    "rocksdb.key.largest.seqno" key_largest_seqno Unless(u64::MAX);
    "rocksdb.key.smallest.seqno" key_smallest_seqno Unless(u64::MAX);
    "rocksdb.data.block.restart.interval" data_block_restart_interval Unless(0);
    "rocksdb.index.block.restart.interval" index_block_restart_interval Unless(0);
    "rocksdb.separate.key.value.in.data.block" separate_key_value_in_data_block Unless(0);
};

const TEXTS: &[TextRow] = text_rows! {
    "rocksdb.creating.db.identity" db_id;
    "rocksdb.creating.session.identity" db_session_id;
    "rocksdb.creating.host.identity" db_host_id;
    "rocksdb.column.family.name" column_family_name;
    "rocksdb.filter.policy" filter_policy_name;
    "rocksdb.comparator" comparator_name;
    "rocksdb.merge.operator" merge_operator_name;
    "rocksdb.prefix.extractor.name" prefix_extractor_name;
    "rocksdb.property.collectors" property_collectors_names;
    "rocksdb.compression" compression_name;
    "rocksdb.compression_options" compression_options;
};

const SEQNO_TIME_MAP: &str = "rocksdb.seqno.time.map";

/// The properties block that holds `properties`.
pub fn encode(properties: &TableProperties) -> Vec<u8> {
    let mut all = properties.user_collected_properties.clone();
    let mut source = properties.clone();
    let partitioned = source.index_partitions != 0;
    for row in NUMBERS {
        let value = *(row.field)(&mut source);
        let wanted = match row.write {
            Always => true,
            Unless(default) => value != default,
            IfPartitioned => partitioned,
        };
        if wanted {
            let mut encoded = Vec::new();
            put_varint64(&mut encoded, value);
            all.insert(row.name.into(), encoded);
        }
    }
    for row in TEXTS {
        let value = std::mem::take((row.field)(&mut source));
        if !value.is_empty() {
            all.insert(row.name.into(), value.into_bytes());
        }
    }
    if !source.seqno_to_time_mapping.is_empty() {
        all.insert(SEQNO_TIME_MAP.into(), source.seqno_to_time_mapping);
    }
    encode_entries(&all)
}

/// Properties are read once and in order, so there is a single restart.
fn encode_entries(all: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<u8> {
    let mut builder = BlockBuilder::new(usize::MAX, true);
    for (name, value) in all {
        builder.add(name, value);
    }
    std::mem::take(builder.finish())
}

/// Decodes the properties block `block`, which begins at `offset` in its file. A number that does
/// not decode is passed over, as in RocksDB; names out of order are a corruption.
pub fn decode(block: &[u8], offset: u64) -> Result<TableProperties> {
    let mut properties = TableProperties::default();
    let mut entries = MetaEntries::new(block)?;
    let mut last: Option<Vec<u8>> = None;
    while let Some((name, value, value_at)) = entries.next_entry()? {
        if last.as_deref().is_some_and(|l| l >= name) {
            return Err(Status::corruption("properties unsorted"));
        }
        if name == GLOBAL_SEQNO.as_bytes() {
            properties.external_sst_file_global_seqno_offset = offset + value_at as u64;
        }
        decode_one(&mut properties, name, value);
        last = Some(name.to_vec());
    }
    Ok(properties)
}

fn decode_one(properties: &mut TableProperties, name: &[u8], value: &[u8]) {
    let is = |row_name: &str| row_name.as_bytes() == name;
    if let Some(row) = NUMBERS.iter().find(|row| is(row.name)) {
        if let Some((number, _)) = decode_varint64(value) {
            *(row.field)(properties) = number;
        }
        if !is(DELETED_KEYS) && !is(MERGE_OPERANDS) {
            return;
        }
    } else if let Some(row) = TEXTS.iter().find(|row| is(row.name)) {
        *(row.field)(properties) = String::from_utf8_lossy(value).into_owned();
        return;
    } else if is(SEQNO_TIME_MAP) {
        properties.seqno_to_time_mapping = value.to_vec();
        return;
    }
    properties.user_collected_properties.insert(name.to_vec(), value.to_vec());
}

/// The sequence number that all keys of the file carry if it was ingested, else `None`.
/// `largest_seqno` is what the MANIFEST says, if it is known.
pub fn global_sequence(
    properties: &TableProperties,
    largest_seqno: Option<SequenceNumber>,
) -> Result<Option<SequenceNumber>> {
    let stored = match properties.user_property(GLOBAL_SEQNO) {
        Some(bytes) if bytes.len() >= 8 => Some(fixed64(bytes)),
        Some(_) => return Err(Status::corruption("A global seqno property is cut short")),
        None => None,
    };
    let version = match properties.user_property(EXTERNAL_VERSION) {
        Some(bytes) if bytes.len() >= 4 => fixed32(bytes),
        Some(_) => return Err(Status::corruption("An external sst file's version is cut short")),
        None if stored.is_some() => {
            return Err(Status::corruption("A non-external sst file have global seqno property"));
        }
        None => return Ok(None),
    };
    match (version, stored) {
        (1, None) => return Ok(None),
        (1, Some(_)) => {
            return Err(Status::corruption(
                "An external sst file with version 1 has global seqno property",
            ));
        }
        (2, _) => {}
        _ => {
            return Err(Status::corruption(format!(
                "An external sst file has corrupted version {version}."
            )));
        }
    }
    let mut sequence = stored.unwrap_or(0);
    if let Some(largest) = largest_seqno.filter(|&l| l < MAX_SEQUENCE) {
        if sequence == 0 {
            sequence = largest;
        }
        if sequence != largest {
            return Err(Status::corruption(format!(
                "An external sst file with version {version} have global seqno property with \
                 value {sequence}, while largest seqno in the file is {largest}"
            )));
        }
    }
    if sequence > MAX_SEQUENCE {
        return Err(Status::corruption(format!(
            "An external sst file with version {version} have global seqno property with value \
             {sequence}, which is greater than kMaxSequenceNumber"
        )));
    }
    Ok(Some(sequence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> TableProperties {
        let mut properties = TableProperties {
            compression_name: "ZSTD".into(),
            db_id: "id".into(),
            seqno_to_time_mapping: vec![1, 0xff],
            index_partitions: 2,
            ..Default::default()
        };
        for (i, row) in NUMBERS.iter().enumerate() {
            *(row.field)(&mut properties) = 1000 + i as u64;
        }
        properties.user_collected_properties.insert(b"a.user".to_vec(), b"v".to_vec());
        properties.user_collected_properties.insert(INDEX_TYPE.into(), vec![0; 4]);
        properties
    }

    #[test]
    fn round_trips() {
        for properties in [TableProperties::default(), sample()] {
            let mut decoded = decode(&encode(&properties), 0).unwrap();
            for name in [DELETED_KEYS, MERGE_OPERANDS] {
                assert!(decoded.user_collected_properties.remove(name.as_bytes()).is_some());
            }
            assert_eq!(decoded, properties);
        }
    }

    #[test]
    fn disorder_is_a_corruption_and_bad_numbers_are_passed_over() {
        let mut builder = BlockBuilder::new(usize::MAX, true);
        builder.add(b"rocksdb.data.size", &[0x80]);
        builder.add(b"rocksdb.num.entries", &[7]);
        assert_eq!(decode(builder.finish(), 0).unwrap().num_entries, 7);
        builder.reset();
        builder.add(b"b", b"");
        builder.add(b"a", b"");
        assert_eq!(decode(builder.finish(), 0).unwrap_err().text(), "properties unsorted");
    }

    #[test]
    fn damage_never_panics() {
        let block = encode(&sample());
        for len in 0..block.len() {
            let _ = decode(&block[..len], 0);
        }
        for at in 0..block.len() * 8 {
            let mut bad = block.clone();
            bad[at / 8] ^= 1 << (at % 8);
            let _ = decode(&bad, 0);
        }
    }

    #[test]
    fn global_sequence_numbers() {
        let with = |version: Option<u32>, seqno: Option<u64>| {
            let mut p = TableProperties::default();
            let user = &mut p.user_collected_properties;
            if let Some(v) = version {
                user.insert(EXTERNAL_VERSION.into(), v.to_le_bytes().to_vec());
            }
            if let Some(s) = seqno {
                user.insert(GLOBAL_SEQNO.into(), s.to_le_bytes().to_vec());
            }
            p
        };
        let get = |p: TableProperties, largest| global_sequence(&p, largest).ok();
        assert_eq!(get(with(None, None), Some(9)), Some(None));
        assert_eq!(get(with(None, Some(1)), None), None);
        assert_eq!(get(with(Some(1), None), Some(9)), Some(None));
        assert_eq!(get(with(Some(2), Some(0)), Some(9)), Some(Some(9)));
        assert_eq!(get(with(Some(2), Some(9)), Some(9)), Some(Some(9)));
        assert_eq!(get(with(Some(2), Some(8)), Some(9)), None);
        assert_eq!(get(with(Some(2), Some(8)), None), Some(Some(8)));
        assert_eq!(get(with(Some(3), None), None), None);
        assert_eq!(get(with(Some(2), Some(1 << 60)), None), None);
    }
}
