//! What iterators and reads of tables count beyond the entries that they show.

use super::db_tests::TestDb;
use super::multi_get::BatchKey;
use super::stats_tests::{check, count_of, counting};
use crate::base::sync::Arc;
use crate::codec::CompressionType;
use crate::options::compact::CompactRangeOptions;
use crate::options::{BlockBasedTableOptions, ReadOptions, TableFactory, WriteOptions};
use crate::plug::filter_policy::FilterPolicy;
use crate::plug::merge_operators::StringAppend;
use crate::read::get::FoundValue;
use crate::stats::{
    Histogram, Metric, PerfContext, PerfLevel, Statistics, StatsLevel, Ticker, perf,
};

fn delete(test: &TestDb, key: &str) {
    let options = WriteOptions::default();
    test.db().write_lone(&options, |batch| batch.delete(0, key.as_bytes())).unwrap();
}

/// The metrics of records that an iterator passes: values, deletions, newer ones, operands.
fn passed() -> [u64; 4] {
    let context = PerfContext::of_this_thread();
    let metrics = [
        Metric::InternalKeySkippedCount,
        Metric::InternalDeleteSkippedCount,
        Metric::InternalRecentSkippedCount,
        Metric::InternalMergeCount,
    ];
    let values = metrics.map(|metric| context.get(metric));
    context.reset();
    values
}

#[test]
fn records_that_are_passed_are_counted() {
    let (test, stats) = counting();
    test.put("a", "1").unwrap();
    test.put("a", "2").unwrap();
    test.put("b", "1").unwrap();
    delete(&test, "b");
    test.put("c", "1").unwrap();
    let snapshot = test.db().snapshot();
    test.put("a", "3").unwrap();
    let options = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
    stats.reset();
    perf::set_level(PerfLevel::EnableCount);
    PerfContext::of_this_thread().reset();
    let mut iter = test.db().iter(test.family(0), &options).unwrap();
    iter.seek_to_first();
    // The newest value of "a".
    assert_eq!((iter.value(), passed()), (&b"2"[..], [0, 0, 1, 0]));
    iter.next();
    // The value of "a" that it stood on, the oldest one, and what was deleted of "b".
    assert_eq!((iter.key(), passed()), (&b"c"[..], [3, 1, 0, 0]));
    iter.prev();
    // Two records of "b", and two of "a" that the snapshot sees.
    assert_eq!((iter.value(), passed()), (&b"2"[..], [4, 1, 0, 0]));
    perf::set_level(PerfLevel::Disable);
    drop(iter);
    test.db().release_snapshot(snapshot);
    // One on the way to "a", three to "c", and three back.
    check(&stats, &[(Ticker::NumberIterSkip, 7), (Ticker::NumberOfReseeksInIteration, 0)]);
}

#[test]
fn operands_that_iterators_merge_are_counted() {
    let mut test = TestDb::new();
    test.cf.merge_operator = Some(Arc::new(StringAppend::new(",")));
    test.try_open().unwrap();
    for operand in [b"1", b"2", b"3"] {
        test.db().merge(&WriteOptions::default(), test.family(0), b"k", operand).unwrap();
    }
    perf::set_level(PerfLevel::EnableCount);
    PerfContext::of_this_thread().reset();
    let mut iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    iter.seek_to_first();
    assert_eq!(passed()[3], 3);
    iter.seek_to_last();
    assert_eq!((iter.value(), passed()[3]), (&b"1,2,3"[..], 3));
    perf::set_level(PerfLevel::Disable);
}

#[test]
fn leaps_over_many_records_of_a_key_are_counted() {
    let (test, stats) = counting();
    for i in 0..20 {
        test.put("a", &i.to_string()).unwrap();
    }
    test.put("b", "1").unwrap();
    stats.reset();
    let mut iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    iter.seek_to_first();
    iter.next();
    iter.prev();
    drop(iter);
    check(&stats, &[(Ticker::NumberOfReseeksInIteration, 2)]);
}

/// A database with blocks that are packed and small.
fn tables(cache_metadata: bool) -> (TestDb, Arc<Statistics>) {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    let table = BlockBasedTableOptions {
        block_size: 1000,
        filter_policy: Some(FilterPolicy::bloom(10.0)),
        cache_index_and_filter_blocks: cache_metadata,
        ..Default::default()
    };
    test.cf.table_factory = TableFactory::from(table);
    test.cf.compression = CompressionType::Lz4;
    test.try_open().unwrap();
    for i in 0..300 {
        test.put(&format!("{i:03}"), &"x".repeat(100)).unwrap();
    }
    test.flush();
    (test, stats)
}

#[test]
fn loading_blocks_is_timed() {
    let (mut test, stats) = tables(true);
    stats.set_level(StatsLevel::ExceptTimeForMutex);
    test.close();
    stats.reset();
    perf::set_level(PerfLevel::EnableTime);
    let context = PerfContext::of_this_thread();
    context.reset();
    test.try_open().unwrap();
    assert!(test.get("000").is_some());
    perf::set_level(PerfLevel::Disable);
    // Index, filter and data.
    assert_eq!(count_of(&stats, Histogram::ReadBlockGetMicros).0, 3);
    let unpacked = stats.ticker(Ticker::NumberBlockDecompressed);
    assert_eq!(count_of(&stats, Histogram::DecompressionTimesNanos).0, unpacked);
    let metrics = [
        Metric::BlockChecksumTime,
        Metric::BlockDecompressTime,
        Metric::ReadIndexBlockNanos,
        Metric::ReadFilterBlockNanos,
    ];
    assert!(metrics.iter().all(|metric| context.get(*metric) > 0));
    // These, and before them footer, metaindex and properties.
    check(&stats, &[(Ticker::NonLastLevelReadCount, 6), (Ticker::LastLevelReadCount, 0)]);
    test.put("000", "new").unwrap();
    test.flush();
    stats.reset();
    let range = CompactRangeOptions::default();
    test.db().compact_range(test.family(0), &range, None, None).unwrap();
    assert!(count_of(&stats, Histogram::ReadBlockCompactionMicros).0 >= 30);
    let (reads, bytes) = count_of(&stats, Histogram::CompactionPrefetchBytes);
    assert!(reads >= 1 && bytes > 1000, "{reads}, {bytes}");
}

#[test]
fn reads_are_counted_by_level() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.num_levels = 2;
    test.try_open().unwrap();
    test.put("a", "1").unwrap();
    test.flush();
    stats.reset();
    assert!(test.get("a").is_some());
    let bytes = stats.ticker(Ticker::NonLastLevelReadBytes);
    assert!((20..60).contains(&bytes), "{bytes}");
    check(&stats, &[(Ticker::NonLastLevelReadCount, 1), (Ticker::LastLevelReadBytes, 0)]);
    test.put("a", "2").unwrap();
    test.flush();
    let range = CompactRangeOptions::default();
    test.db().compact_range(test.family(0), &range, None, None).unwrap();
    stats.reset();
    assert!(test.get("a").is_some());
    let bytes = stats.ticker(Ticker::LastLevelReadBytes);
    assert!((20..60).contains(&bytes), "{bytes}");
    check(&stats, &[(Ticker::LastLevelReadCount, 1), (Ticker::NonLastLevelReadCount, 0)]);
}

#[test]
fn read_ahead_is_counted_with_its_use() {
    let (test, stats) = tables(false);
    stats.reset();
    assert_eq!(test.contents(0).len(), 300);
    let ticker = |ticker| stats.ticker(ticker);
    let (read, useful) = (ticker(Ticker::PrefetchBytes), ticker(Ticker::PrefetchBytesUseful));
    assert!(useful > 0 && useful < read, "{useful} of {read}");
    // The first few blocks were read one by one, and one came with the read-ahead itself.
    let blocks = ticker(Ticker::BlockCacheDataMiss);
    let hits = ticker(Ticker::PrefetchHits);
    assert!(hits > 10 && hits < blocks - 2, "{hits} of {blocks}");
}

#[test]
fn opening_tables_that_are_not_kept_open_is_timed() {
    let mut test = TestDb::new();
    test.db.max_open_files = 1;
    test.db.table_cache_numshardbits = 0;
    test.try_open().unwrap();
    test.put("a", "1").unwrap();
    test.flush();
    perf::set_level(PerfLevel::EnableTime);
    let context = PerfContext::of_this_thread();
    context.reset();
    assert!(test.get("a").is_some());
    perf::set_level(PerfLevel::Disable);
    assert!(context.get(Metric::FindTableNanos) > 0);
}

#[test]
fn filters_of_memtables_are_counted() {
    let mut test = TestDb::new();
    test.cf.memtable_prefix_bloom_size_ratio = 0.1;
    test.cf.memtable_whole_key_filtering = true;
    test.try_open().unwrap();
    test.put("a", "1").unwrap();
    perf::set_level(PerfLevel::EnableCount);
    let context = PerfContext::of_this_thread();
    context.reset();
    assert!(test.get("a").is_some());
    assert!(test.get("b").is_none());
    perf::set_level(PerfLevel::Disable);
    let metrics = [Metric::BloomMemtableHitCount, Metric::BloomMemtableMissCount];
    assert_eq!(metrics.map(|metric| context.get(metric)), [1, 1]);
}

#[test]
fn the_processor_time_of_readers_is_measured() {
    let (mut test, _) = tables(false);
    test.reopen();
    perf::set_level(PerfLevel::EnableTime);
    let context = PerfContext::of_this_thread();
    context.reset();
    assert!(test.get("000").is_some());
    let nanos = |metric| context.get(metric);
    assert!(nanos(Metric::GetCpuNanos) > nanos(Metric::BlockReadCpuTime));
    assert!(nanos(Metric::BlockReadCpuTime) > 0);
    let mut iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    iter.seek(b"100");
    assert!(nanos(Metric::IterSeekCpuNanos) > 0);
    assert_eq!((nanos(Metric::IterNextCpuNanos), nanos(Metric::IterPrevCpuNanos)), (0, 0));
    iter.next();
    iter.prev();
    assert!(nanos(Metric::IterNextCpuNanos) > 0 && nanos(Metric::IterPrevCpuNanos) > 0);
    perf::set_level(PerfLevel::Disable);
}

#[test]
fn reads_of_batches_of_gets_are_told_apart() {
    let (test, stats) = tables(false);
    stats.set_level(StatsLevel::ExceptTimeForMutex);
    stats.reset();
    let key = BatchKey { index: 0, family: test.family(0), key: b"000" };
    let options = ReadOptions::default();
    test.db().multi_get::<FoundValue>(&options, vec![key], false, |_, value| {
        value.unwrap();
    });
    assert_eq!(count_of(&stats, Histogram::FileReadMultigetMicros).0, 1);
    assert_eq!(count_of(&stats, Histogram::FileReadGetMicros).0, 0);
}

#[test]
fn operands_of_look_ups_and_seeks_over_range_tombstones_are_counted() {
    let mut test = TestDb::new();
    test.cf.merge_operator = Some(Arc::new(StringAppend::new(",")));
    test.cf.disable_auto_compactions = true;
    test.try_open().unwrap();
    let options = WriteOptions::default();
    let merge = |operand: &[u8]| {
        test.db().write_lone(&options, |batch| batch.merge(0, b"m", operand)).unwrap();
    };
    for key in ["a", "b", "c", "d"] {
        test.put(key, "v").unwrap();
    }
    merge(b"1");
    test.flush();
    merge(b"2");
    test.db().write_lone(&options, |batch| batch.delete_range(0, b"b", b"d")).unwrap();
    perf::set_level(PerfLevel::EnableCount);
    let context = PerfContext::of_this_thread();
    context.reset();
    assert_eq!(test.get("m").as_deref(), Some("1,2"));
    assert_eq!(context.get(Metric::InternalMergePointLookupCount), 2);
    let mut iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    iter.seek(b"a");
    assert_eq!(context.get(Metric::InternalRangeDelReseekCount), 0);
    // The table is sought behind what the memtable's tombstone covers.
    iter.seek(b"b");
    perf::set_level(PerfLevel::Disable);
    assert_eq!(iter.key(), b"d");
    assert_eq!(context.get(Metric::InternalRangeDelReseekCount), 1);
}
