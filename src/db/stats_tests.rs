//! Each event is made and then found in the statistics, exactly as often.

use super::db_tests::TestDb;
use super::internal_stats::DbCounter;
use super::multi_get::BatchKey;
use crate::base::sync::{Arc, thread};
use crate::batch::WriteBatch;
use crate::env::Env;
use crate::options::compact::CompactRangeOptions;
use crate::options::{
    BlockBasedTableOptions, FlushWalOptions, ReadOptions, TableFactory, WriteOptions,
};
use crate::plug::filter_policy::FilterPolicy;
use crate::plug::slice_transform::SliceTransform;
use crate::read::get::FoundValue;
use crate::stats::{
    Histogram, Metric, PerfContext, PerfLevel, Statistics, StatsLevel, Ticker, perf,
};
use crate::table::fetch::{BlockSource, ReadCounts};

/// An open database that counts.
pub(super) fn counting() -> (TestDb, Arc<Statistics>) {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.try_open().unwrap();
    (test, stats)
}

/// Checks that since the last reset exactly these tickers were counted, among those of `group`.
pub(super) fn check(stats: &Statistics, expected: &[(Ticker, u64)]) {
    for (ticker, count) in expected {
        assert_eq!(stats.ticker(*ticker), *count, "{ticker:?}");
    }
}

pub(super) fn count_of(stats: &Statistics, histogram: Histogram) -> (u64, u64) {
    let data = stats.histogram(histogram);
    (data.count, data.sum)
}

#[test]
fn writes_are_counted() {
    let (test, stats) = counting();
    stats.reset();
    test.put("key", "value").unwrap();
    // Header, tag, lengths, key, value.
    let lone = 12 + 1 + 1 + 3 + 1 + 5;
    check(
        &stats,
        &[
            (Ticker::NumberKeysWritten, 1),
            (Ticker::BytesWritten, lone),
            (Ticker::WriteDoneBySelf, 1),
            (Ticker::WriteDoneByOther, 0),
            (Ticker::WriteWithWal, 1),
            (Ticker::WalFileBytes, lone),
            (Ticker::WalFileSynced, 0),
        ],
    );
    assert_eq!(count_of(&stats, Histogram::DbWrite).0, 1);
    assert_eq!(count_of(&stats, Histogram::BytesPerWrite), (1, lone));
    let mut batch = WriteBatch::new();
    batch.put(0, b"a", b"1").unwrap();
    batch.delete(0, b"b").unwrap();
    let bytes = batch.data().len() as u64;
    let options = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    test.db().write(&options, &mut batch).unwrap();
    check(
        &stats,
        &[
            (Ticker::NumberKeysWritten, 3),
            (Ticker::BytesWritten, lone + bytes),
            (Ticker::WriteDoneBySelf, 2),
            (Ticker::WriteWithWal, 1),
            (Ticker::WalFileBytes, lone),
        ],
    );
    let options = WriteOptions { sync: true, ..WriteOptions::default() };
    test.db().write(&options, &mut batch).unwrap();
    check(&stats, &[(Ticker::WalFileSynced, 1), (Ticker::WalFileBytes, lone + bytes)]);
    assert_eq!(count_of(&stats, Histogram::WalFileSyncMicros).0, 1);
    test.db().flush_wal(&FlushWalOptions { sync: true, ..FlushWalOptions::default() }).unwrap();
    check(&stats, &[(Ticker::WalFileSynced, 2)]);
    let counters = &test.db().counters;
    // Of syncs the database itself counts those of writes.
    assert_eq!(counters.get(DbCounter::WalSynced), 1);
    assert_eq!(counters.get(DbCounter::KeysWritten), 5);
    assert_eq!(counters.get(DbCounter::BytesWritten), lone + 2 * bytes);
    assert_eq!(counters.get(DbCounter::WalBytes), lone + bytes);
    assert_eq!(counters.get(DbCounter::WritesBySelf), 3);
    assert_eq!(counters.get(DbCounter::WritesWithWal), 2);
}

#[test]
fn writes_of_a_group_are_done_by_its_leader() {
    let (test, stats) = counting();
    stats.reset();
    let (threads, writes) = (4, 500);
    let db = test.db();
    let writers: Vec<_> = (0..threads)
        .map(|t| {
            let db = db.clone();
            thread::spawn(move || {
                for i in 0..writes {
                    let key = format!("{t}-{i}");
                    let fill = |batch: &mut WriteBatch| batch.put(0, key.as_bytes(), b"v");
                    db.write_lone(&WriteOptions::default(), fill).unwrap();
                }
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let all = threads * writes;
    let (by_self, by_others) =
        (stats.ticker(Ticker::WriteDoneBySelf), stats.ticker(Ticker::WriteDoneByOther));
    assert_eq!(by_self + by_others, all);
    assert_eq!(db.counters.get(DbCounter::WritesByOthers), by_others);
    check(&stats, &[(Ticker::NumberKeysWritten, all), (Ticker::WriteWithWal, all)]);
    assert_eq!(count_of(&stats, Histogram::DbWrite).0, all);
    assert_eq!(count_of(&stats, Histogram::BytesPerWrite).0, by_self);
}

#[test]
fn gets_are_counted_by_where_they_end() {
    let (test, stats) = counting();
    test.put("deep", "12345").unwrap();
    test.flush();
    test.put("high", "1").unwrap();
    let options = WriteOptions::default();
    test.db().write_lone(&options, |batch| batch.delete(0, b"gone")).unwrap();
    stats.reset();
    assert!(test.get("deep").is_some());
    check(&stats, &[(Ticker::MemtableMiss, 1), (Ticker::GetHitL0, 1), (Ticker::BytesRead, 5)]);
    assert!(test.get("high").is_some());
    check(&stats, &[(Ticker::MemtableHit, 1), (Ticker::BytesRead, 6)]);
    // A memtable answers that it was deleted.
    assert!(test.get("gone").is_none());
    check(&stats, &[(Ticker::MemtableHit, 2), (Ticker::MemtableMiss, 1)]);
    assert!(test.get("never").is_none());
    check(
        &stats,
        &[
            (Ticker::MemtableHit, 2),
            (Ticker::MemtableMiss, 2),
            (Ticker::GetHitL0, 1),
            (Ticker::GetHitL1, 0),
            (Ticker::GetHitL2AndUp, 0),
            (Ticker::NumberKeysRead, 4),
            (Ticker::BytesRead, 6),
        ],
    );
    assert_eq!(count_of(&stats, Histogram::DbGet).0, 4);
    assert_eq!(count_of(&stats, Histogram::BytesPerRead), (4, 6));
}

#[test]
fn filters_are_counted() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    let policy = FilterPolicy::bloom(10.0);
    let table = BlockBasedTableOptions { filter_policy: Some(policy), ..Default::default() };
    test.cf.table_factory = TableFactory::from(table);
    test.try_open().unwrap();
    for i in 0..100 {
        test.put(&format!("{:03}", 2 * i), "v").unwrap();
    }
    test.flush();
    stats.reset();
    for i in 0..100 {
        test.get(&format!("{:03}", 2 * i));
    }
    let positive = Ticker::BloomFilterFullPositive;
    check(
        &stats,
        &[
            (positive, 100),
            (Ticker::BloomFilterFullTruePositive, 100),
            (Ticker::BloomFilterUseful, 0),
        ],
    );
    for i in 0..97 {
        test.get(&format!("{:03}", 2 * i + 1));
    }
    let wrong = stats.ticker(positive) - 100;
    assert!(wrong < 10, "{wrong}");
    check(
        &stats,
        &[
            (Ticker::BloomFilterUseful, 97 - wrong),
            (Ticker::BloomFilterFullTruePositive, 100),
            (Ticker::BloomFilterPrefixChecked, 0),
        ],
    );
    let context = PerfContext::of_this_thread();
    perf::set_level(PerfLevel::EnableCount);
    test.get("000");
    test.get("001");
    let hits = context.get(Metric::BloomSstHitCount);
    assert_eq!(hits + context.get(Metric::BloomSstMissCount), 2);
    assert!(hits >= 1);
    perf::set_level(PerfLevel::Disable);
}

#[test]
fn filters_of_prefixes_are_counted() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    let table = BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::bloom(10.0)),
        whole_key_filtering: false,
        ..Default::default()
    };
    test.cf.table_factory = TableFactory::from(table);
    test.cf.prefix_extractor = SliceTransform::parse("rocksdb.FixedPrefix.2");
    test.try_open().unwrap();
    test.put("aa1", "v").unwrap();
    test.put("zz1", "v").unwrap();
    test.flush();
    stats.reset();
    assert!(test.get("aa1").is_some());
    // The prefix is there.
    assert!(test.get("aa2").is_none());
    assert!(test.get("mm1").is_none());
    // Too short to have a prefix.
    assert!(test.get("b").is_none());
    check(
        &stats,
        &[
            (Ticker::BloomFilterPrefixChecked, 3),
            (Ticker::BloomFilterPrefixUseful, 1),
            (Ticker::BloomFilterPrefixTruePositive, 1),
            (Ticker::BloomFilterUseful, 0),
            (Ticker::BloomFilterFullPositive, 0),
        ],
    );
}

#[test]
fn blocks_are_counted() {
    let (test, stats) = counting();
    let value = "x".repeat(100);
    for i in 0..1000 {
        test.put(&format!("{i:04}"), &value).unwrap();
    }
    test.flush();
    stats.set_level(StatsLevel::All);
    stats.reset();
    let context = PerfContext::of_this_thread();
    perf::set_level(PerfLevel::EnableTime);
    assert!(test.get("0000").is_some());
    // The flush had opened the table, so that the block alone came from the file.
    check(
        &stats,
        &[
            (Ticker::BlockCacheMiss, 1),
            (Ticker::BlockCacheDataMiss, 1),
            (Ticker::BlockCacheHit, 0),
            (Ticker::BlockCacheAdd, 1),
            (Ticker::BlockCacheDataAdd, 1),
            (Ticker::BlockCacheAddFailures, 0),
        ],
    );
    let bytes = stats.ticker(Ticker::BlockCacheBytesWrite);
    assert!((3000..6000).contains(&bytes), "{bytes}");
    check(&stats, &[(Ticker::BlockCacheDataBytesInsert, bytes), (Ticker::BlockCacheBytesRead, 0)]);
    assert_eq!(count_of(&stats, Histogram::SstReadMicros).0, 1);
    assert_eq!(count_of(&stats, Histogram::FileReadGetMicros).0, 1);
    check(
        &stats,
        &[(Ticker::BlockChecksumComputeCount, 1), (Ticker::BlockChecksumMismatchCount, 0)],
    );
    let unpacked = stats.ticker(Ticker::NumberBlockDecompressed);
    assert!(unpacked >= 1);
    assert!(
        stats.ticker(Ticker::BytesDecompressedTo) > stats.ticker(Ticker::BytesDecompressedFrom)
    );
    let value = |metric| context.get(metric);
    assert_eq!((value(Metric::BlockReadCount), value(Metric::BlockCacheHitCount)), (1, 0));
    assert!(value(Metric::DataBlockReadByte) > 0);
    assert_eq!(value(Metric::BlockReadByte), value(Metric::DataBlockReadByte));
    assert_eq!(value(Metric::BlockDecompressCount), unpacked);
    assert!(value(Metric::BlockReadTime) > 0);
    perf::set_level(PerfLevel::EnableCount);
    assert!(test.get("0001").is_some());
    check(
        &stats,
        &[
            (Ticker::BlockCacheHit, 1),
            (Ticker::BlockCacheDataHit, 1),
            (Ticker::BlockCacheMiss, 1),
            (Ticker::BlockCacheBytesRead, bytes),
        ],
    );
    assert_eq!((value(Metric::BlockCacheHitCount), value(Metric::BlockCacheReadByte)), (1, bytes));
    perf::set_level(PerfLevel::Disable);
    assert_eq!(test.contents(0).len(), 1000);
    let data = stats.ticker(Ticker::BlockCacheDataMiss) + stats.ticker(Ticker::BlockCacheDataHit);
    assert_eq!(stats.ticker(Ticker::BlockCacheDataAdd), stats.ticker(Ticker::BlockCacheDataMiss));
    assert!(data > 20, "{data}");
    assert!(count_of(&stats, Histogram::FileReadDbIteratorMicros).0 > 2);
}

#[test]
fn index_and_filter_in_the_cache_are_told_apart() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    let table = BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::bloom(10.0)),
        cache_index_and_filter_blocks: true,
        ..Default::default()
    };
    test.cf.table_factory = TableFactory::from(table);
    test.try_open().unwrap();
    test.put("a", "1").unwrap();
    test.flush();
    test.get("a");
    let context = PerfContext::of_this_thread();
    perf::set_level(PerfLevel::EnableCount);
    context.reset();
    stats.reset();
    test.get("a");
    let one = [Ticker::BlockCacheIndexHit, Ticker::BlockCacheFilterHit, Ticker::BlockCacheDataHit];
    check(&stats, &one.map(|ticker| (ticker, 1)));
    check(&stats, &[(Ticker::BlockCacheHit, 3), (Ticker::BlockCacheMiss, 0)]);
    let value = |metric| context.get(metric);
    assert_eq!(value(Metric::BlockCacheIndexHitCount), 1);
    assert_eq!(value(Metric::BlockCacheFilterHitCount), 1);
    let parts = value(Metric::BlockCacheIndexReadByte) + value(Metric::BlockCacheFilterReadByte);
    assert!(parts > 0 && parts < value(Metric::BlockCacheReadByte));
    perf::set_level(PerfLevel::Disable);
    // A new opening finds nothing of the old one in the cache.
    stats.reset();
    test.reopen();
    test.get("a");
    let once = [
        Ticker::BlockCacheIndexMiss,
        Ticker::BlockCacheFilterMiss,
        Ticker::BlockCacheDataMiss,
        Ticker::BlockCacheIndexAdd,
        Ticker::BlockCacheFilterAdd,
        Ticker::BlockCacheDataAdd,
    ];
    check(&stats, &once.map(|ticker| (ticker, 1)));
    let bytes = [
        Ticker::BlockCacheIndexBytesInsert,
        Ticker::BlockCacheFilterBytesInsert,
        Ticker::BlockCacheDataBytesInsert,
    ];
    let sum: u64 = bytes.iter().map(|ticker| stats.ticker(*ticker)).sum();
    check(&stats, &[(Ticker::BlockCacheBytesWrite, sum), (Ticker::BlockCacheMiss, 3)]);
}

#[test]
fn batches_of_gets_are_counted() {
    let (test, stats) = counting();
    test.put("a", "1").unwrap();
    test.put("b", "22").unwrap();
    test.flush();
    test.put("c", "333").unwrap();
    stats.reset();
    let context = PerfContext::of_this_thread();
    perf::set_level(PerfLevel::EnableCount);
    let keys = ["a", "b", "c", "x"].iter().enumerate();
    let keys =
        keys.map(|(index, key)| BatchKey { index, family: test.family(0), key: key.as_bytes() });
    let options = ReadOptions::default();
    test.db().multi_get::<FoundValue>(&options, keys.collect(), false, |_, value| {
        value.unwrap();
    });
    perf::set_level(PerfLevel::Disable);
    check(
        &stats,
        &[
            (Ticker::NumberMultigetCalls, 1),
            (Ticker::NumberMultigetKeysRead, 4),
            (Ticker::NumberMultigetKeysFound, 3),
            (Ticker::NumberMultigetBytesRead, 6),
            (Ticker::NumberKeysRead, 0),
            (Ticker::MemtableHit, 1),
            (Ticker::MemtableMiss, 3),
            (Ticker::GetHitL0, 2),
        ],
    );
    assert_eq!(count_of(&stats, Histogram::DbMultiget).0, 1);
    assert_eq!(count_of(&stats, Histogram::BytesPerMultiget), (1, 6));
    assert_eq!(context.get(Metric::MultigetReadBytes), 6);
}

#[test]
fn compactions_are_counted() {
    let (test, stats) = counting();
    let mut sizes = 0;
    for value in ["old", "new"] {
        for key in ["a", "b", "c"] {
            test.put(key, value).unwrap();
        }
        test.flush();
    }
    let options = WriteOptions::default();
    test.db().write_lone(&options, |batch| batch.delete(0, b"c")).unwrap();
    test.flush();
    for file in test.family(0).pin().version.files(0) {
        sizes += file.file_size;
    }
    stats.reset();
    let range = CompactRangeOptions::default();
    test.db().compact_range(test.family(0), &range, None, None).unwrap();
    let written = test.family(0).pin().version.bytes();
    check(
        &stats,
        &[
            (Ticker::CompactReadBytes, sizes),
            (Ticker::CompactWriteBytes, written),
            // Three old values, and the newer one that was deleted.
            (Ticker::CompactionKeyDropNewerEntry, 4),
            (Ticker::CompactionKeyDropObsolete, 1),
            (Ticker::CompactionKeyDropUser, 0),
            (Ticker::CompactionKeyDropRangeDel, 0),
            (Ticker::CompactionRangeDelDropObsolete, 0),
            (Ticker::CompactionOptimizedDelDropObsolete, 0),
        ],
    );
    assert_eq!(count_of(&stats, Histogram::CompactionTime).0, 1);
    assert_eq!(count_of(&stats, Histogram::NumFilesInSingleCompaction), (1, 3));
    assert_eq!(count_of(&stats, Histogram::NumSubcompactionsScheduled), (1, 1));
    assert!(count_of(&stats, Histogram::FileReadCompactionMicros).0 >= 3);
    let text = test.db().property(test.family(0), "rocksdb.cfstats").unwrap();
    assert!(text.contains("\n Low      0/0 "), "{text}");
    let running = test.db().property_number(test.family(0), "rocksdb.num-running-compactions");
    assert!(running.is_some());
}

#[test]
fn stalls_are_counted() {
    let (test, stats) = counting();
    test.db().counters.stalled(&Some(stats.clone()), 7);
    test.db().counters.stalled(&Some(stats.clone()), 3);
    check(&stats, &[(Ticker::StallMicros, 10)]);
    assert_eq!(count_of(&stats, Histogram::WriteStall), (2, 10));
    assert_eq!(test.db().counters.get(DbCounter::StallMicros), 10);
}

#[test]
fn damaged_footers_are_counted() {
    let env = Env::memory();
    let path = std::path::Path::new("/000007.sst");
    let mut file = env.fs().create(path).unwrap();
    file.append(&[7; 200]).unwrap();
    file.close().unwrap();
    let stats = Arc::new(Statistics::default());
    let file = env.fs().open_random(path).unwrap();
    let counts = ReadCounts { stats: Some(stats.clone()), ..ReadCounts::default() };
    assert!(BlockSource::open(file, 200, counts).is_err());
    check(&stats, &[(Ticker::SstFooterCorruptionCount, 1)]);
}

#[test]
fn flushes_and_openings_are_counted() {
    let (mut test, stats) = counting();
    test.put("a", &"x".repeat(1000)).unwrap();
    let memory = test.db().property_number(test.family(0), "rocksdb.cur-size-active-mem-table");
    stats.reset();
    test.flush();
    let bytes = test.family(0).pin().version.bytes();
    check(&stats, &[(Ticker::FlushWriteBytes, bytes)]);
    assert_eq!(count_of(&stats, Histogram::FlushTime).0, 1);
    let memory = (1, memory.unwrap());
    assert_eq!(count_of(&stats, Histogram::FlushMemtableMemoryBytes), memory);
    let (flushes, data) = count_of(&stats, Histogram::FlushMemtableTotalDataSize);
    assert!(flushes == 1 && (1000..1100).contains(&data));
    // The table is opened before it comes into use: footer, metaindex, properties, index.
    check(&stats, &[(Ticker::NoFileOpens, 1), (Ticker::NoFileErrors, 0)]);
    assert_eq!(count_of(&stats, Histogram::TableOpenIoMicros).0, 1);
    assert_eq!(count_of(&stats, Histogram::FileReadFlushMicros).0, 4);
    stats.reset();
    test.reopen();
    check(&stats, &[(Ticker::NoFileOpens, 1)]);
    // Footer, metaindex, properties, index.
    assert_eq!(count_of(&stats, Histogram::FileReadDbOpenMicros).0, 4);
}

#[test]
fn iterators_are_counted() {
    let (test, stats) = counting();
    for key in ["a", "b", "c"] {
        test.put(key, "value").unwrap();
    }
    stats.reset();
    let mut iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    iter.seek_to_first();
    iter.next();
    iter.next();
    iter.next();
    // Not valid: nothing happens.
    iter.next();
    iter.seek(b"zzz");
    iter.seek(b"b");
    iter.prev();
    iter.prev();
    iter.seek_for_prev(b"b");
    iter.seek_to_last();
    check(
        &stats,
        &[
            (Ticker::NoIteratorCreated, 1),
            (Ticker::NoIteratorDeleted, 0),
            (Ticker::NumberDbSeek, 5),
            (Ticker::NumberDbSeekFound, 4),
            (Ticker::IterBytesRead, 4 * 6),
            (Ticker::NumberDbNext, 0),
        ],
    );
    // To a key; ends are not timed unless they are bounds.
    assert_eq!(count_of(&stats, Histogram::DbSeek).0, 3);
    drop(iter);
    check(
        &stats,
        &[
            (Ticker::NoIteratorDeleted, 1),
            (Ticker::NumberDbNext, 3),
            (Ticker::NumberDbNextFound, 2),
            (Ticker::NumberDbPrev, 2),
            (Ticker::NumberDbPrevFound, 1),
            (Ticker::IterBytesRead, (4 + 3) * 6),
        ],
    );
    let bounds = ReadOptions {
        iterate_lower_bound: Some(Arc::from(&b"a"[..])),
        iterate_upper_bound: Some(Arc::from(&b"c"[..])),
        ..ReadOptions::default()
    };
    let mut iter = test.db().iter(test.family(0), &bounds).unwrap();
    iter.seek_to_first();
    iter.seek_to_last();
    assert_eq!(count_of(&stats, Histogram::DbSeek).0, 5);
}

#[test]
fn levels_limit_what_is_counted() {
    let (test, stats) = counting();
    stats.set_level(StatsLevel::ExceptTimers);
    stats.reset();
    test.put("k", "v").unwrap();
    test.get("k");
    assert_eq!(count_of(&stats, Histogram::DbWrite).0, 0);
    assert_eq!(count_of(&stats, Histogram::DbGet).0, 0);
    assert_eq!(count_of(&stats, Histogram::BytesPerRead), (1, 1));
    stats.set_level(StatsLevel::DisableAll);
    test.get("k");
    check(&stats, &[(Ticker::NumberKeysRead, 1)]);
}

#[test]
fn a_thread_counts_its_own_reads() {
    let mut test = TestDb::new();
    test.try_open().unwrap();
    test.put("flushed", "12345").unwrap();
    test.flush();
    test.put("kept", "1").unwrap();
    let context = PerfContext::of_this_thread();
    perf::set_level(PerfLevel::EnableTime);
    context.reset();
    test.get("kept");
    test.get("flushed");
    let value = |metric| context.get(metric);
    assert_eq!(value(Metric::GetFromMemtableCount), 2);
    assert_eq!(value(Metric::GetReadBytes), 6);
    assert!(value(Metric::GetSnapshotTime) > 0);
    assert!(value(Metric::GetFromMemtableTime) > 0);
    assert!(value(Metric::GetFromOutputFilesTime) > 0);
    let mut iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    iter.seek_to_first();
    iter.next();
    iter.prev();
    iter.prev();
    let counts = [Metric::IterSeekCount, Metric::IterNextCount, Metric::IterPrevCount].map(value);
    assert_eq!(counts, [1, 1, 2]);
    assert_eq!(value(Metric::IterReadBytes), 12 + 5 + 12);
    perf::set_level(PerfLevel::Disable);
    test.get("kept");
    assert_eq!(value(Metric::GetReadBytes), 6);
}

#[test]
fn reads_for_verification_are_told_apart() {
    let (test, stats) = counting();
    test.put("a", "1").unwrap();
    test.flush();
    stats.set_level(StatsLevel::All);
    stats.reset();
    test.db().verify_checksums(&ReadOptions::default()).unwrap();
    let reads = count_of(&stats, Histogram::FileReadVerifyDbChecksumMicros).0;
    assert!(reads > 2, "{reads}");
    assert_eq!(count_of(&stats, Histogram::FileReadGetMicros).0, 0);
}
