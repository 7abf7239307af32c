//! Each event is made and then found in the statistics, exactly as often.

use super::db_tests::TestDb;
use super::internal_stats::DbCounter;
use crate::base::sync::{Arc, thread};
use crate::batch::WriteBatch;
use crate::options::{ReadOptions, WriteOptions};
use crate::stats::{
    Histogram, Metric, PerfContext, PerfLevel, Statistics, StatsLevel, Ticker, perf,
};

/// An open database that counts.
fn counting() -> (TestDb, Arc<Statistics>) {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.try_open().unwrap();
    (test, stats)
}

/// Checks that since the last reset exactly these tickers were counted, among those of `group`.
fn check(stats: &Statistics, expected: &[(Ticker, u64)]) {
    for (ticker, count) in expected {
        assert_eq!(stats.ticker(*ticker), *count, "{ticker:?}");
    }
}

fn count_of(stats: &Statistics, histogram: Histogram) -> (u64, u64) {
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
    test.db().flush_wal(true).unwrap();
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
