use super::db_tests::TestDb;
use super::{BatchKey, Family, Snapshot};
use crate::base::comparator::{Comparator, Order};
use crate::base::random::Random;
use crate::base::status::{Code, Result, Status};
use crate::base::sync::{Arc, AtomicBool, Ordering, thread};
use crate::batch::WriteBatch;
use crate::cache::Cache;
use crate::codec::CompressionType;
use crate::options::compact::CompactRangeOptions;
use crate::options::enums::ReadTier;
use crate::options::{BlockBasedTableOptions, IndexType, ReadOptions, TableFactory, WriteOptions};
use crate::plug::filter_policy::FilterPolicy;
use crate::plug::merge_operators::StringAppend;
use crate::plug::slice_transform::SliceTransform;
use crate::read::get::FoundValue;
use crate::stats::{Histogram, Metric, PerfContext, PerfLevel, Statistics, Ticker, perf};

type Answers = Vec<Result<Option<Vec<u8>>>>;

fn multi_get(
    test: &TestDb,
    options: &ReadOptions,
    keys: &[(&Family, Vec<u8>)],
    sorted: bool,
) -> Answers {
    let mut answers: Vec<Option<_>> = keys.iter().map(|_| None).collect();
    let batch = keys.iter().enumerate();
    let batch = batch.map(|(index, (family, key))| BatchKey { index, family, key });
    test.db().multi_get(options, batch.collect(), sorted, |index, found: Result<_>| {
        let bytes = |value: FoundValue| value.as_slice().to_vec();
        let found = found.map(|value| value.map(bytes));
        assert!(answers[index].replace(found).is_none());
    });
    answers.into_iter().map(Option::unwrap).collect()
}

fn single_gets(test: &TestDb, options: &ReadOptions, keys: &[(&Family, Vec<u8>)]) -> Answers {
    let get = |(family, key): &(&Family, Vec<u8>)| {
        let found = test.db().get_pinned(family, options, key)?;
        Ok(found.map(|value| value.as_slice().to_vec()))
    };
    keys.iter().map(get).collect()
}

fn assert_same(batch: Answers, singles: Answers, what: &str) {
    let text = |answer: Result<_>| answer.map_err(|status: Status| status.to_string());
    for (at, (batch, single)) in batch.into_iter().zip(singles).enumerate() {
        assert_eq!(text(batch), text(single), "{what}, key {at}");
    }
}

/// The key with this number; some are longer than what look-ups keep without allocating.
fn key_of(number: u64) -> Vec<u8> {
    let mut key = format!("k{number:03}").into_bytes();
    if number.is_multiple_of(7) {
        key.resize(150, b'x');
    }
    key
}

/// A key that is only put and deleted singly.
fn single_key_of(number: u64) -> Vec<u8> {
    format!("k{number:03}s").into_bytes()
}

fn random_table_options(random: &mut Random) -> BlockBasedTableOptions {
    let cache = random.below(3);
    BlockBasedTableOptions {
        block_size: [100, 300, 4096][random.below(3) as usize],
        index_type: match random.one_in(2) {
            true => IndexType::TwoLevelIndexSearch,
            false => IndexType::BinarySearch,
        },
        metadata_block_size: 100,
        partition_filters: random.one_in(2),
        cache_index_and_filter_blocks: cache > 0 && random.one_in(2),
        no_block_cache: cache == 0,
        // So small that nothing stays.
        block_cache: (cache == 1).then(|| Cache::lru(1, 0, false, 0.0)),
        filter_policy: (!random.one_in(3)).then(|| FilterPolicy::bloom(10.0)),
        whole_key_filtering: !random.one_in(3),
        ..BlockBasedTableOptions::default()
    }
}

fn random_test(random: &mut Random) -> TestDb {
    let mut test = TestDb::new();
    test.names = vec!["default", "other", "empty"];
    test.cf.comparator =
        if random.one_in(3) { Comparator::ReverseBytewise } else { Comparator::Bytewise };
    test.cf.merge_operator = (!random.one_in(4)).then(|| Arc::new(StringAppend::new(",")) as _);
    test.cf.table_factory = TableFactory::from(random_table_options(random));
    test.cf.prefix_extractor = random.one_in(2).then_some(SliceTransform::Fixed(3));
    test.cf.memtable_prefix_bloom_size_ratio = if random.one_in(2) { 0.1 } else { 0.0 };
    test.cf.memtable_whole_key_filtering = random.one_in(2);
    test.cf.compression = CompressionType::None;
    test.cf.disable_auto_compactions = true;
    test.cf.target_file_size_base = 1000;
    if random.one_in(2) {
        test.db.statistics = Some(Arc::new(Statistics::default()));
    }
    test.db.max_open_files = if random.one_in(3) { 10 } else { -1 };
    test.reopen();
    test
}

fn write_randomly(test: &TestDb, random: &mut Random, keys: u64) {
    let mut batch = WriteBatch::new();
    let id = test.family(random.below(2) as usize).id();
    for _ in 0..1 + random.below(4) {
        let number = random.below(keys);
        let key = key_of(number);
        let len = random.below(60) as usize;
        let value = random.bytes(len);
        match random.below(20) {
            0 => {
                let (mut a, mut b) = (key, key_of(random.below(keys)));
                let order = &test.cf.comparator;
                if order.compare(&a, &b).is_gt() {
                    std::mem::swap(&mut a, &mut b);
                }
                batch.delete_range(id, &a, &b).unwrap();
            }
            1..3 => batch.delete(id, &key).unwrap(),
            3 => batch.single_delete(id, &single_key_of(number)).unwrap(),
            // More than one single deletion takes back is no matter: batches and lone gets see
            // the same.
            4..6 => batch.put(id, &single_key_of(number), &value).unwrap(),
            6..10 => batch.merge(id, &key, &value).unwrap(),
            _ => batch.put(id, &key, &value).unwrap(),
        }
    }
    // Without an operator some merges are refused.
    let _ = test.db().write(&WriteOptions::default(), &mut batch);
}

/// Some keys, most near each other; in order, or with several families and repetitions.
fn random_keys<'a>(
    test: &'a TestDb,
    random: &mut Random,
    sorted: bool,
) -> Vec<(&'a Family, Vec<u8>)> {
    let count = [1, 5, 32, 33, 100][random.below(5) as usize];
    let family = random.below(3) as usize;
    let (first, width) = (random.below(200), 1 + random.below(120));
    let mut keys: Vec<(&Family, Vec<u8>)> = (0..count)
        .map(|_| {
            let family = if sorted || random.one_in(2) { family } else { random.below(3) as usize };
            let key_of = if random.one_in(6) { single_key_of } else { key_of };
            (&**test.family(family), key_of(first + random.below(width)))
        })
        .collect();
    if sorted {
        let order = &test.cf.comparator;
        keys.sort_by(|a, b| order.compare(&a.1, &b.1));
    }
    keys
}

#[test]
fn a_batch_answers_what_its_keys_would_alone() {
    let mut random = Random::from_env(911);
    for round in 0..12 {
        let test = random_test(&mut random);
        let mut snapshots: Vec<Snapshot> = Vec::new();
        for step in 0..500 {
            write_randomly(&test, &mut random, 200);
            match random.below(60) {
                0 => test.flush(),
                1 if random.one_in(2) => {
                    let options = CompactRangeOptions::default();
                    let family = test.family(random.below(2) as usize);
                    let _ = test.db().compact_range(family, &options, None, None);
                }
                2 => snapshots.push(test.db().snapshot()),
                _ => {}
            }
            if step % 20 < 18 {
                continue;
            }
            let at = snapshots.get(random.below(1 + snapshots.len() as u64) as usize);
            let options = ReadOptions {
                snapshot: at.map(Snapshot::sequence),
                ignore_range_deletions: random.one_in(5),
                fill_cache: !random.one_in(5),
                read_tier: if random.one_in(8) { ReadTier::Persisted } else { ReadTier::All },
                ..ReadOptions::default()
            };
            let sorted = random.one_in(2);
            let keys = random_keys(&test, &mut random, sorted);
            let batch = multi_get(&test, &options, &keys, sorted);
            let what = format!("round {round}, step {step}");
            assert_same(batch, single_gets(&test, &options, &keys), &what);
        }
        snapshots.into_iter().for_each(|snapshot| test.db().release_snapshot(snapshot));
    }
}

#[test]
fn keys_that_are_not_in_order_are_found_whatever_the_caller_says() {
    let mut random = Random::from_env(912);
    let test = random_test(&mut random);
    for number in 0..100_u64 {
        write_randomly(&test, &mut random, 200);
        if number.is_multiple_of(30) {
            test.flush();
        }
    }
    let keys = random_keys(&test, &mut random, false);
    let options = ReadOptions::default();
    let batch = multi_get(&test, &options, &keys, true);
    assert_same(batch, single_gets(&test, &options, &keys), "said to be sorted");
}

#[test]
fn a_batch_ends_with_its_budget() {
    let mut test = TestDb::new();
    test.reopen();
    for key in ["a", "b", "c", "d"] {
        test.put(key, "0123456789").unwrap();
    }
    let family = &**test.family(0);
    let keys: Vec<_> = ["d", "b", "x", "a", "c"].map(|key| (family, key.into())).into();
    for flushed in [false, true] {
        let limited = ReadOptions { value_size_soft_limit: 15, ..ReadOptions::default() };
        let answers = multi_get(&test, &limited, &keys, false);
        let codes = answers.iter().map(|a| a.as_ref().map_or_else(|e| Some(e.code()), |_| None));
        let full = Some(Code::Aborted);
        assert_eq!(codes.collect::<Vec<_>>(), [full, None, full, None, full], "{flushed}");
        let late = ReadOptions { deadline: 1, ..ReadOptions::default() };
        for answer in multi_get(&test, &late, &keys, false) {
            assert_eq!(answer.unwrap_err().code(), Code::TimedOut);
        }
        test.flush();
    }
}

#[test]
fn the_budget_spans_slices_and_families() {
    let mut test = TestDb::new();
    test.names = vec!["default", "other"];
    test.reopen();
    let mut batch = WriteBatch::new();
    for number in 0..50 {
        batch.put(0, &key_of(number), b"0123456789").unwrap();
        batch.put(test.family(1).id(), &key_of(number), b"0123456789").unwrap();
    }
    test.db().write(&WriteOptions::default(), &mut batch).unwrap();
    let keys: Vec<_> =
        (0..100).map(|at| (&**test.family((at / 50) as usize), key_of(at % 50))).collect();
    let found = |limit: u64| {
        let options = ReadOptions { value_size_soft_limit: limit, ..ReadOptions::default() };
        let answers = multi_get(&test, &options, &keys, true);
        answers.into_iter().filter(|answer| matches!(answer, Ok(Some(_)))).count()
    };
    // The value that exceeds the limit is the last one.
    assert_eq!(found(95), 10);
    assert_eq!(found(400), 41);
    assert_eq!(found(755), 76);
    assert_eq!(found(1000), 100);
}

#[test]
fn an_error_is_that_of_the_keys_it_concerns() {
    let mut test = TestDb::new();
    test.cf.disable_auto_compactions = true;
    test.cf.table_factory = TableFactory::from(BlockBasedTableOptions {
        no_block_cache: true,
        ..BlockBasedTableOptions::default()
    });
    test.cf.merge_operator = Some(Arc::new(StringAppend::new(",")));
    test.reopen();
    test.put("b", "old").unwrap();
    test.put("d", "old").unwrap();
    let merge = |batch: &mut WriteBatch| batch.merge(0, b"c", b"operand");
    test.db().write_lone(&WriteOptions::default(), merge).unwrap();
    test.flush();
    test.cf.merge_operator = None;
    test.reopen();
    test.put("a", "new").unwrap();
    let family = &**test.family(0);
    let keys: Vec<_> = ["a", "b", "c", "x"].map(|key| (family, key.into())).into();
    let read = |options: ReadOptions| {
        let answers = multi_get(&test, &options, &keys, true).into_iter();
        let brief = |answer: Result<Option<Vec<u8>>>| {
            let value = |value: Option<Vec<u8>>| value.map(|v| String::from_utf8(v).unwrap());
            answer.map(value).map_err(|error| error.code())
        };
        answers.map(brief).collect::<Vec<_>>()
    };
    let value = |text: &str| Ok(Some(text.to_string()));
    let unmerged = Err(Code::InvalidArgument);
    let expected = [value("new"), value("old"), unmerged, Ok(None)];
    assert_eq!(read(ReadOptions::default()), expected);
    // Without a cache nothing of a file can be read from it.
    let not_here = || Err(Code::Incomplete);
    let expected = [value("new"), not_here(), not_here(), Ok(None)];
    let cached = ReadOptions { read_tier: ReadTier::BlockCache, ..ReadOptions::default() };
    assert_eq!(read(cached), expected);
}

#[test]
fn families_are_read_as_of_one_moment() {
    let mut test = TestDb::new();
    test.names = vec!["default", "other"];
    test.cf.write_buffer_size = 64 << 10;
    test.reopen();
    let test = Arc::new(test);
    let stop = Arc::new(AtomicBool::new(false));
    let ids = [test.family(0).id(), test.family(1).id()];
    let writer = thread::spawn({
        let (test, stop) = (test.clone(), stop.clone());
        move || {
            let mut number = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                let value = [&number.to_be_bytes()[..], &[b'v'; 600]].concat();
                let mut batch = WriteBatch::new();
                ids.iter().for_each(|id| batch.put(*id, b"key", &value).unwrap());
                test.db().write(&WriteOptions::default(), &mut batch).unwrap();
            }
            number
        }
    });
    let keys: Vec<(&Family, Vec<u8>)> =
        (0..2).map(|family| (&**test.family(family), b"key".to_vec())).collect();
    for _ in 0..2000 {
        let answers = multi_get(&test, &ReadOptions::default(), &keys, false);
        let [a, b] = &answers[..] else { panic!() };
        assert!(a.as_ref().unwrap() == b.as_ref().unwrap());
    }
    stop.store(true, Ordering::Relaxed);
    assert!(writer.join().unwrap() > 0);
}

/// One table with many partitions and blocks on level 1, and a newer one on level 0.
fn partitioned(cache: bool) -> (TestDb, Arc<Statistics>) {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.disable_auto_compactions = true;
    test.cf.compression = CompressionType::None;
    test.cf.table_factory = TableFactory::from(BlockBasedTableOptions {
        block_size: 400,
        index_type: IndexType::TwoLevelIndexSearch,
        metadata_block_size: 200,
        partition_filters: true,
        no_block_cache: !cache,
        filter_policy: Some(FilterPolicy::bloom(10.0)),
        ..BlockBasedTableOptions::default()
    });
    test.reopen();
    for number in 0..2000 {
        test.put(&format!("{number:05}"), "a value of some bytes").unwrap();
    }
    test.flush();
    test.db().compact_range(test.family(0), &CompactRangeOptions::default(), None, None).unwrap();
    test.put("00500", "newer").unwrap();
    test.flush();
    (test, stats)
}

fn decimal_keys(test: &TestDb, numbers: impl Iterator<Item = u64>) -> Vec<(&Family, Vec<u8>)> {
    numbers.map(|number| (&**test.family(0), format!("{number:05}").into_bytes())).collect()
}

#[test]
fn each_block_and_partition_is_visited_once_a_batch() {
    let (test, stats) = partitioned(true);
    // Neighbours, among them keys that are not there and repetitions.
    let mut keys = decimal_keys(&test, (600..630).chain([610]));
    keys.push((test.family(0), b"00610a".to_vec()));
    let visits = |keys: &[_]| {
        stats.reset();
        let answers = multi_get(&test, &ReadOptions::default(), keys, false);
        let found = answers.iter().filter(|answer| answer.as_ref().unwrap().is_some()).count();
        let of = |hit, miss| stats.ticker(hit) + stats.ticker(miss);
        let data = of(Ticker::BlockCacheDataHit, Ticker::BlockCacheDataMiss);
        let index = of(Ticker::BlockCacheIndexHit, Ticker::BlockCacheIndexMiss);
        let filter = of(Ticker::BlockCacheFilterHit, Ticker::BlockCacheFilterMiss);
        (found, data, index, filter)
    };
    let together = visits(&keys);
    assert_eq!(together.0, 31);
    // As many as lone gets miss in another, equal database, where each block is missed once.
    let (alone, alone_stats) = partitioned(true);
    alone_stats.reset();
    let family = &**alone.family(0);
    let alone_keys: Vec<_> = keys.iter().map(|(_, key)| (family, key.clone())).collect();
    single_gets(&alone, &ReadOptions::default(), &alone_keys);
    assert_eq!(together.1, alone_stats.ticker(Ticker::BlockCacheDataMiss));
    assert!(together.1 < 8, "31 keys in {} blocks", together.1);
    // Neighbours are in one or two partitions of each kind.
    assert!((1..=2).contains(&together.2), "{} index partitions", together.2);
    assert!((1..=2).contains(&together.3), "{} filter partitions", together.3);
    // The second time all is in the cache, and visited as often.
    assert_eq!(visits(&keys), together);
    // A key on level 0 is not looked for below.
    let newer = decimal_keys(&test, [500].into_iter());
    stats.reset();
    multi_get(&test, &ReadOptions::default(), &newer, false);
    assert_eq!(stats.ticker(Ticker::GetHitL0), 1);
    assert_eq!(stats.histogram(Histogram::SstBatchSize).count, 1);
}

#[test]
fn without_a_cache_each_block_is_read_once_a_batch() {
    let (test, _) = partitioned(false);
    let keys = decimal_keys(&test, 600..630);
    let context = PerfContext::of_this_thread();
    let reads = |answers: &dyn Fn() -> Answers| {
        context.reset();
        perf::set_level(PerfLevel::EnableCount);
        let answers = answers();
        perf::set_level(PerfLevel::Disable);
        assert!(answers.iter().all(|answer| answer.as_ref().unwrap().is_some()));
        context.get(Metric::BlockReadCount)
    };
    let options = ReadOptions::default();
    let blocks = reads(&|| multi_get(&test, &options, &keys, true));
    assert!(blocks < 8, "{blocks} reads for 30 keys");
    assert_eq!(reads(&|| single_gets(&test, &options, &keys)), 30);
}

#[test]
fn batches_count_what_filters_do() {
    let (test, stats) = partitioned(true);
    stats.reset();
    let mut keys = decimal_keys(&test, 100..120);
    // Between keys of the table, so that only the filter rules them out.
    keys.extend((100..110).map(|n| (&**test.family(0), format!("{n:05}~").into_bytes())));
    multi_get(&test, &ReadOptions::default(), &keys, false);
    let positive = stats.ticker(Ticker::BloomFilterFullPositive);
    let useful = stats.ticker(Ticker::BloomFilterUseful);
    assert_eq!(positive + useful, 30);
    assert!((8..=10).contains(&useful), "{useful}");
    assert_eq!(stats.ticker(Ticker::BloomFilterFullTruePositive), 20);
    assert_eq!(stats.ticker(Ticker::GetHitL1) + stats.ticker(Ticker::GetHitL2AndUp), 20);
    assert_eq!(stats.ticker(Ticker::MemtableMiss), 30);
    assert_eq!(stats.ticker(Ticker::NumberMultigetKeysFound), 20);
    let batch = stats.histogram(Histogram::SstBatchSize);
    assert_eq!((batch.count, batch.sum), (1, 30));
}

#[test]
fn a_deadline_ends_reads_of_files() {
    let mut test = TestDb::new();
    test.reopen();
    test.put("a", "1").unwrap();
    let late = ReadOptions { deadline: 1, fill_cache: false, ..ReadOptions::default() };
    let get =
        |test: &TestDb| test.db().get_pinned(test.family(0), &late, b"a").map(|v| v.is_some());
    // Nothing is read from a file yet.
    assert!(get(&test).unwrap());
    test.flush();
    let error = get(&test).unwrap_err();
    assert!(error.to_string().starts_with("Operation timed out: Deadline exceeded"), "{error}");
    let mut iter = test.db().iter(test.family(0), &late).unwrap();
    iter.seek_to_first();
    assert!(!iter.valid());
    assert_eq!(iter.status().unwrap_err().code(), Code::TimedOut);
}
