//! Tables of our builder against sorted vectors.

use super::sample::{build, random_options, random_records, random_user_key};
use super::*;
use crate::base::comparator::{Bytewise, Order};
use crate::base::key::{InternalKey, LookupKey, ValueType, compare_internal};
use crate::base::random::Random;
use crate::base::status::{Code, SubCode};
use crate::base::sync::thread;
use crate::cache::Cache;
use crate::plug::prefix_seek::PrefixSeek;
use crate::plug::slice_transform::SliceTransform;
use crate::table::MetadataCaching;
use crate::table::filter::KeyHash;
use crate::table::index::IndexType;
use crate::table::value::BlockValue;
use std::ops::ControlFlow;

fn reader_options(comparator: &Comparator, cache: Option<Arc<Cache>>) -> TableReaderOptions {
    TableReaderOptions {
        comparator: comparator.clone(),
        cache,
        cache_session: Cache::new_id(),
        file_number: 7,
        ..Default::default()
    }
}

fn comparators() -> [Comparator; 3] {
    let custom = Comparator::Custom(Arc::new(ShorterFirst));
    [Comparator::Bytewise, Comparator::ReverseBytewise, custom]
}

/// What a get with room for `limit` records sees.
fn get<O: Order>(
    table: &TableReader,
    order: &O,
    key: &LookupKey,
    limit: usize,
    options: &TableReadOptions,
) -> Result<Records> {
    let mut seen = Records::new();
    let visit = |record: ParsedKey<'_>, value: BlockValue<'_>| {
        let mut key = Vec::new();
        record.encode_to(&mut key);
        seen.push((key, value.as_slice().to_vec()));
        if seen.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    table.get(order, key, KeyHash::of(key.user_key()), options, visit)?;
    Ok(seen)
}

fn check_get<O: Order>(random: &mut Random, table: &TableReader, order: &O, records: &Records) {
    let lookup = LookupKey::new(&random_user_key(random), random.below(45));
    let limit = 1 + random.below(5) as usize;
    let visible = |r: &&(Vec<u8>, Vec<u8>)| {
        let record = ParsedKey::parse(&r.0).unwrap();
        order.equal(record.user_key, lookup.user_key()) && record.sequence <= lookup.sequence()
    };
    let expected: Records = records.iter().filter(visible).take(limit).cloned().collect();
    assert!(get(table, order, &lookup, limit, &Default::default()).unwrap() == expected);
}

/// Moves an iterator at random, and a position in the vector with it.
fn walk<O: Order>(random: &mut Random, table: &Arc<TableReader>, order: &O, records: &Records) {
    let options = if random.one_in(2) { hasty() } else { TableReadOptions::default() };
    let mut iter = table.iter(order.clone(), options);
    let mut at: Option<usize> = None;
    for _ in 0..60 {
        let target = random_user_key(random);
        let target = InternalKey::new(&target, random.below(45), ValueType::FOR_SEEK);
        let before = |target: &[u8]| {
            records.partition_point(|r| compare_internal(order, &r.0, target).is_lt())
        };
        match (random.below(8), at) {
            (0, _) => {
                iter.seek_to_first();
                at = Some(0);
            }
            (1, _) => {
                iter.seek_to_last();
                at = records.len().checked_sub(1);
            }
            (2, _) => {
                iter.seek(target.as_bytes());
                at = Some(before(target.as_bytes()));
            }
            (3, _) => {
                iter.seek_for_prev(target.as_bytes());
                // No record has the type of the target, so none is equal to it.
                at = before(target.as_bytes()).checked_sub(1);
            }
            (4 | 5, Some(here)) => {
                iter.next();
                at = Some(here + 1);
            }
            (6 | 7, Some(here)) => {
                iter.prev();
                at = here.checked_sub(1);
            }
            _ => {}
        }
        at = at.filter(|&at| at < records.len());
        iter.status().unwrap();
        let here = iter.valid().then(|| (iter.key().to_vec(), iter.value().to_vec()));
        assert!(here.as_ref() == at.map(|at| &records[at]));
        assert_eq!(iter.block_value().map(|v| v.pin().to_vec()), here.map(|h| h.1));
    }
}

fn random_caching(random: &mut Random) -> MetadataCaching {
    MetadataCaching {
        in_cache: random.one_in(2),
        high_priority: random.one_in(2),
        pin_top_level: random.one_in(2),
        pin_partitions: random.one_in(2),
        pin_unpartitioned: random.one_in(2),
    }
}

/// A prefix seek shows every record with the prefix that lies behind the target.
fn check_prefix_seek(random: &mut Random, table: &Arc<TableReader>, records: &Records) {
    let transform = SliceTransform::Fixed(5);
    let user = random_user_key(random);
    let target = InternalKey::new(&user, random.below(45), ValueType::FOR_SEEK);
    let Some(prefix) = transform.prefix(&user) else { return };
    let seek = PrefixSeek::new(&transform, false, true, None);
    let mut iter = table.iter(Bytewise, TableReadOptions::default());
    iter.seek_prefix(target.as_bytes(), &seek);
    let mut shown = Vec::new();
    while iter.valid() && iter.key().starts_with(prefix) {
        shown.push(iter.key().to_vec());
        iter.next();
    }
    iter.status().unwrap();
    let behind = |key: &[u8]| compare_internal(&Bytewise, key, target.as_bytes()).is_ge();
    let keys = records.iter().map(|record| &record.0);
    let expected = keys.filter(|key| key.starts_with(prefix) && behind(key));
    assert!(shown.iter().eq(expected));
}

#[test]
fn metadata_is_kept_where_the_options_say() {
    let mut random = Random::from_env(55);
    let records = random_records(&mut random, 2000, &Comparator::Bytewise);
    let mut options = random_options(&mut random, &Comparator::Bytewise);
    options.index_type = IndexType::TwoLevelIndexSearch;
    (options.metadata_block_size, options.block_size) = (500, 300);
    let bytes = build(&records, options);
    let cache = Cache::lru(8 << 20, 0, false, 0.0);
    let open_with = |metadata| {
        cache.erase_unpinned();
        let mut options = reader_options(&Comparator::Bytewise, Some(cache.clone()));
        options.metadata = metadata;
        open(bytes.clone(), options).unwrap()
    };
    let resident = open_with(MetadataCaching::default());
    assert_eq!((cache.occupancy_count(), cache.pinned_usage()), (0, 0));
    assert!(resident.properties().index_partitions > 10);
    let in_cache = MetadataCaching { in_cache: true, ..MetadataCaching::default() };
    let evictable = open_with(in_cache);
    assert!(evictable.memory_usage() < resident.memory_usage());
    assert!(cache.occupancy_count() > 0 && cache.pinned_usage() == 0);
    let top = open_with(MetadataCaching { pin_top_level: true, ..in_cache });
    let pinned = cache.pinned_usage();
    assert!(pinned > 0);
    let all = open_with(MetadataCaching { pin_top_level: true, pin_partitions: true, ..in_cache });
    assert!(cache.pinned_usage() > 3 * pinned);
    for table in [&resident, &evictable, &top, &all] {
        cache.erase_unpinned();
        assert!(scan_forward(&mut table.iter(Bytewise, Default::default())).unwrap() == records);
        assert!(scan_backward(&mut table.iter(Bytewise, Default::default())).unwrap() == records);
    }
    drop((resident, evictable, top, all));
    assert_eq!(cache.pinned_usage(), 0);
}

#[test]
fn a_full_cache_with_a_strict_limit_fails_reads() {
    let mut random = Random::from_env(56);
    let records = random_records(&mut random, 2000, &Comparator::Bytewise);
    let mut options = random_options(&mut random, &Comparator::Bytewise);
    options.index_type = IndexType::TwoLevelIndexSearch;
    let bytes = build(&records, options);
    let cache = Cache::lru(10, 0, true, 0.0);
    let mut options = reader_options(&Comparator::Bytewise, Some(cache.clone()));
    options.metadata.in_cache = true;
    let table = open(bytes.clone(), options.clone()).unwrap();
    let error = scan_forward(&mut table.iter(Bytewise, Default::default())).unwrap_err();
    assert_eq!((error.code(), error.subcode()), (Code::Aborted, SubCode::MemoryLimit));
    let unfilled = TableReadOptions { fill_cache: false, ..Default::default() };
    assert!(scan_forward(&mut table.iter(Bytewise, unfilled)).unwrap() == records);
    options.metadata.pin_top_level = true;
    assert_eq!(open(bytes, options).err().unwrap().subcode(), SubCode::MemoryLimit);
}

#[test]
fn random_tables_read_as_they_were_written() {
    let mut random = Random::from_env(51);
    let small = Cache::lru(10_000, 0, false, 0.5);
    let large = Cache::lru(8 << 20, 2, false, 0.5);
    for round in 0..150 {
        let comparator = &comparators()[round % 3];
        let count = random.below(300);
        let records = random_records(&mut random, count, comparator);
        let bytes = build(&records, random_options(&mut random, comparator));
        let cache = [None, Some(&small), Some(&large)][random.below(3) as usize];
        let mut options = reader_options(comparator, cache.cloned());
        options.metadata = random_caching(&mut random);
        let table = open(bytes, options).unwrap();
        assert_eq!(table.properties().num_entries, records.len() as u64);
        for _ in 0..80 {
            check_get(&mut random, &table, comparator, &records);
            if comparator.is_bytewise() {
                check_get(&mut random, &table, &Bytewise, &records);
            }
        }
        if comparator.is_bytewise() {
            (0..20).for_each(|_| check_prefix_seek(&mut random, &table, &records));
        }
        for _ in 0..4 {
            walk(&mut random, &table, comparator, &records);
        }
        table.verify_checksums(&TableReadOptions::default()).unwrap();
    }
}

fn one_table(cache: &Arc<Cache>) -> (Arc<TableReader>, Records) {
    let mut random = Random::from_env(52);
    let records = random_records(&mut random, 400, &Comparator::Bytewise);
    let mut options = random_options(&mut random, &Comparator::Bytewise);
    options.block_size = 200;
    options.index_type = IndexType::BinarySearch;
    let bytes = build(&records, options);
    let options = reader_options(&Comparator::Bytewise, Some(cache.clone()));
    (open(bytes, options).unwrap(), records)
}

#[test]
fn cache_only_reads_what_is_cached_and_nothing_else() {
    let cache = Cache::lru(8 << 20, 0, false, 0.0);
    let (table, records) = one_table(&cache);
    let cache_only = TableReadOptions { cache_only: true, ..Default::default() };
    let error = scan_forward(&mut table.iter(Bytewise, cache_only)).unwrap_err();
    assert_eq!(error.code(), Code::Incomplete);
    let unfilled = TableReadOptions { fill_cache: false, ..Default::default() };
    scan_forward(&mut table.iter(Bytewise, unfilled)).unwrap();
    assert_eq!(cache.occupancy_count(), 0);
    scan_forward(&mut table.iter(Bytewise, Default::default())).unwrap();
    assert_eq!(cache.occupancy_count() as u64, table.properties().num_data_blocks);
    assert!(scan_forward(&mut table.iter(Bytewise, cache_only)).unwrap() == records);
    let lookup = LookupKey::new(&records[0].0[..records[0].0.len() - 8], 1000);
    assert!(!get(&table, &Bytewise, &lookup, 1, &cache_only).unwrap().is_empty());
}

#[test]
fn iterators_and_values_outlive_everything_they_came_from() {
    let cache = Cache::lru(8 << 20, 0, false, 0.0);
    let (table, records) = one_table(&cache);
    let mut iter = table.iter(Bytewise, Default::default());
    iter.seek_to_first();
    let pinned = iter.block_value().unwrap().pin();
    drop((table, cache));
    iter.seek_to_last();
    assert_eq!(iter.key(), records.last().unwrap().0);
    drop(iter);
    assert_eq!(pinned.as_slice(), records[0].1);
}

#[test]
fn reads_in_a_row_are_read_ahead() {
    let mut random = Random::from_env(53);
    let records = random_records(&mut random, 400, &Comparator::Bytewise);
    let mut options = random_options(&mut random, &Comparator::Bytewise);
    options.block_size = 100;
    let bytes = build(&records, options);
    let reads = Arc::new(AtomicUsize::new(0));
    let size = bytes.len() as u64;
    let file = Bytes { path: "/db/000007.sst".into(), bytes, reads: reads.clone() };
    let table = TableReader::open(Arc::new(file), size, Default::default()).map(Arc::new).unwrap();
    let blocks = table.properties().num_data_blocks as usize;
    assert!(blocks > 50);
    let count = |options: TableReadOptions| {
        let before = reads.load(Relaxed);
        assert!(scan_forward(&mut table.iter(Bytewise, options)).unwrap() == records);
        reads.load(Relaxed) - before
    };
    let never = TableReadOptions { max_auto_readahead_size: 0, ..Default::default() };
    assert_eq!(count(never), blocks);
    assert!(count(TableReadOptions::default()) < 12);
    let at_once = TableReadOptions { readahead_size: 1 << 20, ..Default::default() };
    assert_eq!(count(at_once), 1);
}

#[test]
fn many_threads_read_one_table() {
    let cache = Cache::lru(8_000, 0, false, 0.5);
    let (table, records) = one_table(&cache);
    thread::scope(|scope| {
        for seed in 0..4 {
            let (table, records) = (&table, &records);
            scope.spawn(move || {
                let mut random = Random::new(seed);
                for _ in 0..2000 {
                    check_get(&mut random, table, &Bytewise, records);
                }
                for _ in 0..20 {
                    walk(&mut random, table, &Bytewise, records);
                }
            });
        }
    });
    assert_eq!(cache.pinned_usage(), 0);
}

#[test]
fn a_table_of_another_order_or_another_file_is_refused() {
    let mut random = Random::from_env(54);
    let records = random_records(&mut random, 10, &Comparator::Bytewise);
    let bytes = build(&records, random_options(&mut random, &Comparator::Bytewise));
    let error = |options| open(bytes.clone(), options).err().unwrap().to_string();
    assert_eq!(
        error(reader_options(&Comparator::ReverseBytewise, None)),
        "Invalid argument: rocksdb.ReverseBytewiseComparator: does not match existing comparator \
         leveldb.BytewiseComparator in /db/000007.sst"
    );
    let mut options = reader_options(&Comparator::Bytewise, None);
    options.expected_unique_id = Some([1, 2]);
    assert!(error(options.clone()).starts_with(
        "Corruption: Mismatch in unique ID on table file 7. Expected: {1,2} Actual: {"
    ));
    let properties = open(bytes.clone(), reader_options(&Comparator::Bytewise, None))
        .map(|table| table.properties().clone())
        .unwrap();
    options.expected_unique_id = crate::table::unique_id::unique_id(
        &properties.db_id,
        &properties.db_session_id,
        properties.orig_file_number,
    )
    .ok();
    assert!(open(bytes, options).is_ok());
}
