//! Every table file among the golden databases.

use super::*;
use crate::base::comparator::Order;
use crate::base::key::{LookupKey, compare_internal, user_key};
use crate::base::status::{Code, Status};
use crate::cache::Cache;
use crate::plug::filter_policy::FilterPolicy;
use crate::table::filter::{FilterBuilder, FilterContext, FilterReader, KeyHash};
use crate::table::meta::{FULL_FILTER_PREFIX, MetaIndex};
use std::ops::ControlFlow;

/// Where the golden databases are: `HEMATITE_GOLDEN`, or `shared/golden` beside this package or
/// beside a folder above it.
fn golden_dir() -> Option<PathBuf> {
    if let Some(dir) = std::env::var_os("HEMATITE_GOLDEN") {
        return Some(dir.into());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|dir| dir.join("shared/golden")).find(|dir| dir.is_dir())
}

fn table_files(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            table_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "sst") {
            found.push(path);
        }
    }
}

/// Opens a file in the order that its properties name.
fn open_any(bytes: &[u8], cache: &Arc<Cache>) -> Result<Arc<TableReader>> {
    let mut options = TableReaderOptions {
        cache: Some(cache.clone()),
        cache_session: Cache::new_id(),
        ..Default::default()
    };
    let first = open(bytes.to_vec(), options.clone());
    let Err(error) = &first else { return first };
    match error.text().split_once("does not match existing comparator ") {
        Some((_, rest)) => {
            let name = rest.split(" in ").next().unwrap();
            options.comparator = comparator(name).unwrap_or_else(|| panic!("comparator {name}"));
            open(bytes.to_vec(), options)
        }
        None => first,
    }
}

fn check_gets(table: &TableReader, records: &Records) {
    let order = table.comparator();
    for (at, (key, _)) in records.iter().enumerate() {
        let parsed = ParsedKey::parse(key).unwrap();
        let lookup = LookupKey::new(parsed.user_key, parsed.sequence);
        let stripped = &parsed.user_key[..parsed.user_key.len() - order.timestamp_size()];
        let mut seen = Vec::new();
        let visit = |record: ParsedKey<'_>, value: crate::table::value::BlockValue<'_>| {
            let mut key = Vec::new();
            record.encode_to(&mut key);
            seen.push((key, value.pin().to_vec()));
            ControlFlow::Continue(())
        };
        table.get(order, &lookup, KeyHash::of(stripped), &Default::default(), visit).unwrap();
        let same = |r: &&(Vec<u8>, Vec<u8>)| order.compare(user_key(&r.0), parsed.user_key).is_eq();
        let expected: Records = records[at..].iter().take_while(same).cloned().collect();
        assert!(seen == expected, "{at}: {} records, not {}", seen.len(), expected.len());
    }
}

fn check_seeks(table: &Arc<TableReader>, records: &Records) {
    let order = table.comparator().clone();
    let mut iter = table.iter(order.clone(), hasty());
    for (key, value) in records.iter().rev() {
        iter.seek(key);
        assert!(iter.valid() && (iter.key(), iter.value()) == (&key[..], &value[..]));
        iter.seek_for_prev(key);
        assert!(iter.valid() && (iter.key(), iter.value()) == (&key[..], &value[..]));
        let mut near = user_key(key).to_vec();
        if let Some(last) = near.last_mut().filter(|_| order.timestamp_size() == 0) {
            *last = last.wrapping_add(1);
        }
        let near = crate::base::key::InternalKey::new(&near, 3, crate::base::key::ValueType::Value);
        let below =
            |r: &(Vec<u8>, Vec<u8>)| compare_internal(&order, &r.0, near.as_bytes()).is_lt();
        let at = records.partition_point(below);
        iter.seek(near.as_bytes());
        assert_eq!(iter.valid().then(|| iter.key()), records.get(at).map(|r| &r.0[..]));
        assert!(table.approximate_offset_of(near.as_bytes()) <= table.properties().data_size);
        iter.seek_for_prev(near.as_bytes());
        let exact = records.get(at).is_some_and(|r| r.0 == near.as_bytes());
        let before = if exact { Some(at) } else { at.checked_sub(1) };
        assert_eq!(iter.valid().then(|| iter.key()), before.map(|b| &records[b].0[..]));
    }
}

fn stored_filter(bytes: &[u8], table: &TableReader) -> Option<Vec<u8>> {
    let file = Bytes { path: "filter".into(), bytes: bytes.to_vec(), reads: Arc::default() };
    let source = crate::table::fetch::BlockSource::open(
        Arc::new(file),
        bytes.len() as u64,
        Default::default(),
    )
    .unwrap();
    let kind = crate::table::fetch::BlockType::Filter;
    let block = source.read(table.footer().metaindex, kind, true).unwrap();
    let name = format!("{FULL_FILTER_PREFIX}rocksdb.BuiltinBloomFilter");
    let handle = MetaIndex::decode(&block).unwrap().get(&name)?;
    Some(source.read(handle, kind, true).unwrap().into_vec())
}

/// Whether the filter is one of whole keys, and equal to what our builder makes with some number of
/// bits a key.
fn check_filter(bytes: &[u8], table: &TableReader, records: &Records) -> Option<bool> {
    let stored = stored_filter(bytes, table)?;
    let reader = FilterReader::new(&stored).unwrap();
    let suffix = table.comparator().timestamp_size();
    let keys = || records.iter().map(|(k, _)| &k[..k.len() - 8 - suffix]);
    let property = |name: &str| table.properties().user_property(name).map(<[u8]>::to_vec);
    if property("rocksdb.block.based.table.whole.key.filtering") == Some(b"1".to_vec()) {
        let found = |key: &[u8]| reader.may_match_key(KeyHash::of(key), key);
        assert!(keys().all(found), "a key is not in the filter");
        if stored.len() > 300 {
            let absent = (0..1000u32).filter(|i| !found(&i.to_be_bytes())).count();
            assert!(absent > 500, "the filter hides only {absent} of 1000 keys that are not there");
        }
    }
    let prefixes = property("rocksdb.block.based.table.prefix.filtering") == Some(b"1".to_vec());
    if stored.len() <= 5 || prefixes {
        return None;
    }
    let context =
        FilterContext { format_version: table.footer().format_version, ..FilterContext::default() };
    let ribbon = table.properties().filter_policy_name == "ribbonfilter";
    let policies = (2..200).flat_map(|half_bits| {
        let bits = f64::from(half_bits) / 2.0;
        match ribbon {
            true => vec![FilterPolicy::ribbon(bits, -1), FilterPolicy::ribbon(bits, i32::MAX)],
            false => vec![FilterPolicy::bloom(bits)],
        }
    });
    Some(policies.into_iter().any(|policy| {
        let mut builder = FilterBuilder::new(&policy, &context).unwrap();
        keys().for_each(|key| builder.add(key));
        builder.finish().unwrap() == stored
    }))
}

/// Reads a whole table in every way, and returns its records.
fn check_table(table: &Arc<TableReader>) -> Result<Records> {
    let order = table.comparator().clone();
    let records = scan_forward(&mut table.iter(order.clone(), TableReadOptions::default()))?;
    let properties = table.properties();
    assert_eq!(records.len() as u64, properties.num_entries - properties.num_range_deletions);
    let tombstones = table.range_tombstones().map_or(0, |t| t.num_tombstones() as u64);
    assert_eq!(tombstones, properties.num_range_deletions);
    for pair in records.windows(2) {
        assert!(compare_internal(&order, &pair[0].0, &pair[1].0).is_lt());
    }
    assert!(records == scan_backward(&mut table.iter(order.clone(), hasty()))?);
    assert!(records == scan_forward(&mut table.iter(order.clone(), hasty()))?);
    if properties.user_property("rocksdb.external_sst_file.version").is_none() {
        check_gets(table, &records);
        check_seeks(table, &records);
    }
    table.verify_checksums(&hasty())?;
    assert!(table.memory_usage() > 0);
    Ok(records)
}

/// What this reader does not read yet. The list only shrinks.
fn is_known_gap(status: &Status) -> bool {
    const GAPS: [&str; 2] = ["range deletions with timestamps", "stripped user-defined timestamps"];
    status.code() == Code::NotSupported && GAPS.iter().any(|gap| status.text().starts_with(gap))
}

#[test]
fn tables_of_real_rocksdb_read_whole_and_their_filters_are_ours() {
    let Some(dir) = golden_dir() else {
        println!("skipped: no golden databases (HEMATITE_GOLDEN)");
        return;
    };
    let mut files = Vec::new();
    table_files(&dir, &mut files);
    let cache = Cache::lru(64 << 20, -1, false, 0.5);
    let (mut read, mut filters, mut same_filters) = (0, 0, 0);
    let mut gaps = std::collections::BTreeMap::<String, u32>::new();
    for path in &files {
        let name = path.strip_prefix(&dir).unwrap().display().to_string();
        let bytes = std::fs::read(path).unwrap();
        let damaged = name.contains("-bad-");
        let foreign = ["plain", "cuckoo", "cf-tables", "leveldb"].iter().any(|f| name.contains(f));
        let result = open_any(&bytes, &cache).and_then(|table| Ok((check_table(&table)?, table)));
        match result {
            Ok((records, table)) => {
                read += 1;
                if let Some(same) = check_filter(&bytes, &table, &records) {
                    filters += 1;
                    same_filters += u32::from(same);
                    assert!(same || !name.starts_with("r78-"), "{name}: another filter");
                }
            }
            Err(status) if damaged || foreign || is_known_gap(&status) => {
                let feature = status.to_string();
                let feature = feature.split(" in ").next().unwrap_or_default();
                *gaps.entry(feature.chars().take(90).collect()).or_default() += 1;
            }
            Err(status) => panic!("{name}: {status}"),
        }
    }
    println!("{read} of {} read; {same_filters} of {filters} filters equal", files.len());
    println!("{gaps:#?}");
    assert!(read > 500 && same_filters > 20);
}
