//! What flushes, compactions and merges count.

use super::db_tests::TestDb;
use super::stats_tests::{check, count_of, counting};
use crate::base::random::Random;
use crate::base::status::{Severity, Status};
use crate::base::sync::Arc;
use crate::batch::WriteBatch;
use crate::cache::WriteBufferManager;
use crate::codec::CompressionType;
use crate::options::compact::{CompactRangeOptions, WaitForCompactOptions};
use crate::options::{ReadOptions, WriteOptions};
use crate::plug::compaction_filter::{CompactionFilter, FilterDecision};
use crate::plug::merge_operator::MergeOperator;
use crate::plug::merge_operators::StringAppend;
use crate::stats::{
    Histogram, Metric, PerfContext, PerfLevel, Statistics, StatsLevel, Ticker, perf,
};

fn compact(test: &TestDb) {
    let range = CompactRangeOptions::default();
    test.db().compact_range(test.family(0), &range, None, None).unwrap();
}

fn write(test: &TestDb, fill: impl FnOnce(&mut WriteBatch)) {
    let filled = |batch: &mut WriteBatch| {
        fill(batch);
        Ok(())
    };
    test.db().write_lone(&WriteOptions::default(), filled).unwrap();
}

#[test]
fn blocks_are_counted_by_what_packing_does_to_them() {
    let (test, stats) = counting();
    stats.set_level(StatsLevel::All);
    for i in 0..40 {
        test.put(&format!("{i:03}"), &"x".repeat(1000)).unwrap();
    }
    stats.reset();
    test.flush();
    let ticker = |ticker| stats.ticker(ticker);
    let packed = ticker(Ticker::NumberBlockCompressed);
    assert!(packed >= 10, "{packed}");
    let (from, to) = (ticker(Ticker::BytesCompressedFrom), ticker(Ticker::BytesCompressedTo));
    assert!(from > 40_000 && to < from / 5, "{from} to {to}");
    // The index block may be too small to pay.
    let tried = packed + ticker(Ticker::NumberBlockCompressionRejected);
    assert_eq!(count_of(&stats, Histogram::CompressionTimesNanos).0, tried);
    // Data, index, properties and metaindex; the footer is no block.
    assert_eq!(count_of(&stats, Histogram::WriteRawBlockMicros).0, tried + 2);
    check(&stats, &[(Ticker::NumberBlockCompressionBypassed, 0)]);
    stats.set_level(StatsLevel::ExceptDetailedTimers);
    let mut noise = vec![0; 3000];
    let mut random = Random::new(1);
    noise.iter_mut().for_each(|byte| *byte = random.below(256) as u8);
    write(&test, |batch| batch.put(0, b"noise", &noise).unwrap());
    stats.reset();
    test.flush();
    // The index block of one entry does not get smaller either.
    check(&stats, &[(Ticker::NumberBlockCompressionRejected, 2)]);
    let rejected = ticker(Ticker::BytesCompressionRejected);
    assert!((3000..3200).contains(&rejected), "{rejected}");
    assert_eq!(count_of(&stats, Histogram::CompressionTimesNanos).0, 0);
}

#[test]
fn blocks_that_nobody_packs_are_counted() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.compression = CompressionType::None;
    test.try_open().unwrap();
    test.put("a", &"x".repeat(1000)).unwrap();
    test.flush();
    check(
        &stats,
        &[(Ticker::NumberBlockCompressionBypassed, 2), (Ticker::NumberBlockCompressed, 0)],
    );
    let bytes = stats.ticker(Ticker::BytesCompressionBypassed);
    assert!((1000..1200).contains(&bytes), "{bytes}");
}

#[test]
fn writing_tables_is_timed_by_what_for() {
    let (mut test, stats) = counting();
    let times = |histogram| count_of(&stats, histogram).0;
    test.put("a", "1").unwrap();
    stats.reset();
    test.flush();
    let appends = times(Histogram::SstWriteMicros);
    assert_eq!(appends, 4);
    assert_eq!(times(Histogram::FileWriteFlushMicros), appends);
    assert_eq!(times(Histogram::TableSyncMicros), 1);
    assert_eq!(times(Histogram::ManifestFileSyncMicros), 1);
    test.put("a", "2").unwrap();
    test.flush();
    stats.reset();
    compact(&test);
    assert_eq!(times(Histogram::FileWriteCompactionMicros), times(Histogram::SstWriteMicros));
    assert!(times(Histogram::FileWriteCompactionMicros) > 0);
    assert_eq!(times(Histogram::CompactionOutfileSyncMicros), 1);
    let micros = stats.ticker(Ticker::CompactionCpuTotalTime);
    assert!(micros > 0);
    assert_eq!(count_of(&stats, Histogram::CompactionCpuTime), (1, micros));
    assert_eq!(times(Histogram::TableSyncMicros), 0);
    // One thread does it all.
    assert_eq!(times(Histogram::SubcompactionSetupTime), 0);
    // Both tables, by the job, which may end later.
    while stats.ticker(Ticker::FilesDeletedImmediately) < 2 {
        std::thread::yield_now();
    }
    test.put("b", "3").unwrap();
    stats.reset();
    test.reopen();
    assert_eq!(times(Histogram::FileWriteDbOpenMicros), 4);
}

#[test]
fn cutting_a_compaction_is_timed() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.db.max_subcompactions = 4;
    test.try_open().unwrap();
    for value in ["1", "2"] {
        test.put("a", value).unwrap();
        test.flush();
    }
    compact(&test);
    assert_eq!(count_of(&stats, Histogram::SubcompactionSetupTime).0, 1);
}

#[test]
fn compactions_of_marked_files_are_told_apart() {
    let (test, stats) = counting();
    test.put("a", "1").unwrap();
    test.flush();
    compact(&test);
    test.put("a", "2").unwrap();
    test.flush();
    stats.reset();
    test.db().suggest_compact_range(test.family(0), None, None).unwrap();
    test.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    let ticker = |ticker| stats.ticker(ticker);
    assert!(ticker(Ticker::CompactReadBytesMarked) > 0);
    assert_eq!(ticker(Ticker::CompactReadBytesMarked), ticker(Ticker::CompactReadBytes));
    assert_eq!(ticker(Ticker::CompactWriteBytesMarked), ticker(Ticker::CompactWriteBytes));
}

#[test]
fn flushes_tell_what_of_memtables_was_garbage() {
    let (test, stats) = counting();
    test.put("key", "old").unwrap();
    test.put("key", "newer").unwrap();
    write(&test, |batch| batch.delete_range(0, b"x", b"yy").unwrap());
    stats.reset();
    test.flush();
    // Keys carry 8 bytes more.
    let garbage = 11 + 3;
    let payload = garbage + 11 + 5 + 9 + 2;
    check(
        &stats,
        &[
            (Ticker::MemtablePayloadBytesAtFlush, payload),
            (Ticker::MemtableGarbageBytesAtFlush, garbage),
            // A user asked for it.
            (Ticker::FlushReasonWriteBufferFull, 0),
        ],
    );
}

#[test]
fn flushes_are_counted_by_reason() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.memtable_max_range_deletions = 2;
    test.cf.disable_auto_compactions = true;
    test.try_open().unwrap();
    let wait = |test: &TestDb| {
        test.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    };
    for i in 0..200 {
        test.put(&format!("{i:03}"), &"x".repeat(1000)).unwrap();
    }
    wait(&test);
    let full = stats.ticker(Ticker::FlushReasonWriteBufferFull);
    assert!(full >= 1);
    let (flushes, memory) = count_of(&stats, Histogram::FlushWriteBufferFullMemtableMemoryBytes);
    assert!(flushes == full && memory > 60_000, "{flushes} of {memory}");
    check(&stats, &[(Ticker::FlushReasonMemtableMaxRangeDeletions, 0)]);
    test.flush();
    for _ in 0..3 {
        write(&test, |batch| batch.delete_range(0, b"0", b"1").unwrap());
    }
    wait(&test);
    check(
        &stats,
        &[
            (Ticker::FlushReasonMemtableMaxRangeDeletions, 1),
            (Ticker::FlushReasonWriteBufferFull, full),
            (Ticker::FlushReasonWriteBufferManager, 0),
        ],
    );
}

#[test]
fn flushes_for_the_memory_of_all_are_counted() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.write_buffer_size = 64 << 20;
    test.cf.arena_block_size = 4 << 10;
    test.db.write_buffer_manager = Some(Arc::new(WriteBufferManager::new(256 << 10, None, false)));
    test.try_open().unwrap();
    for i in 0..400 {
        test.put(&format!("{i:03}"), &"x".repeat(1000)).unwrap();
    }
    test.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    let flushes = stats.ticker(Ticker::FlushReasonWriteBufferManager);
    assert!(flushes >= 1);
    let (count, memory) = count_of(&stats, Histogram::FlushWriteBufferManagerMemtableMemoryBytes);
    assert!(count == flushes && memory > 100_000, "{count} of {memory}");
}

/// Cannot merge what it is given if that is "bad".
struct Picky(StringAppend);

impl MergeOperator for Picky {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        std::thread::sleep(std::time::Duration::from_micros(1));
        !operands.contains(&&b"bad"[..]) && self.0.full_merge(key, existing, operands, out)
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        self.0.partial_merge(key, operands, out)
    }
}

#[test]
fn merges_are_counted() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.merge_operator = Some(Arc::new(Picky(StringAppend::new(","))));
    test.try_open().unwrap();
    let merge = |key: &[u8], operand: &[u8]| {
        let options = WriteOptions::default();
        test.db().merge(&options, test.family(0), key, operand).unwrap();
    };
    merge(b"a", b"1");
    merge(b"a", b"2");
    merge(b"b", b"3");
    stats.reset();
    let nanos = || stats.ticker(Ticker::MergeOperationTotalTime);
    assert_eq!(test.get("a").unwrap(), "1,2");
    let by_get = nanos();
    assert!(by_get >= 1000, "{by_get}");
    assert_eq!(count_of(&stats, Histogram::ReadNumMergeOperands), (1, 2));
    let context = PerfContext::of_this_thread();
    perf::set_level(PerfLevel::EnableTime);
    context.reset();
    assert_eq!(test.contents(0).len(), 2);
    perf::set_level(PerfLevel::Disable);
    assert!(context.get(Metric::MergeOperatorTimeNanos) >= 2000);
    assert!(nanos() >= by_get + 2000);
    assert_eq!(count_of(&stats, Histogram::ReadNumMergeOperands), (3, 5));
    check(&stats, &[(Ticker::NumberMergeFailures, 0)]);
    let by_readers = nanos();
    test.flush();
    compact(&test);
    assert!(nanos() > by_readers);
    // Those of a compaction are nobody's reads.
    assert_eq!(count_of(&stats, Histogram::ReadNumMergeOperands), (3, 5));
    merge(b"c", b"bad");
    assert!(test.db().get_pinned(test.family(0), &ReadOptions::default(), b"c").is_err());
    check(&stats, &[(Ticker::NumberMergeFailures, 1)]);
}

struct Slow;

impl CompactionFilter for Slow {
    fn name(&self) -> &str {
        "Slow"
    }

    fn ignore_snapshots(&self) -> bool {
        true
    }

    fn filter(&self, _: i32, _: &[u8], _: &[u8], _: &mut Vec<u8>) -> FilterDecision {
        std::thread::sleep(std::time::Duration::from_micros(10));
        FilterDecision::Keep
    }
}

#[test]
fn compaction_filters_are_timed_if_that_is_wanted() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.compaction_filter = Some(Arc::new(Slow));
    test.try_open().unwrap();
    for level in [StatsLevel::ExceptDetailedTimers, StatsLevel::ExceptTimeForMutex] {
        for value in ["1", "2"] {
            test.put("a", value).unwrap();
            test.flush();
        }
        stats.set_level(level);
        compact(&test);
        let nanos = stats.ticker(Ticker::FilterOperationTotalTime);
        assert_eq!(nanos >= 10_000, level == StatsLevel::ExceptTimeForMutex, "{nanos}");
    }
}

#[test]
fn background_errors_are_counted() {
    let (test, stats) = counting();
    let error = |severity| Status::io_error("disk").with_severity(severity);
    test.db().set_background_error(error(Severity::Soft));
    check(
        &stats,
        &[(Ticker::ErrorHandlerBgErrorCount, 1), (Ticker::ErrorHandlerBgIoErrorCount, 1)],
    );
    test.db().set_background_error(error(Severity::Hard));
    check(
        &stats,
        &[(Ticker::ErrorHandlerBgErrorCount, 2), (Ticker::ErrorHandlerBgIoErrorCount, 2)],
    );
}
