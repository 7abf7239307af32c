//! Options of iterators: what is read ahead, which tables are shown, what is let go.

use super::db_tests::TestDb;
use crate::base::random::Random;
use crate::base::sync::{Arc, AtomicUsize, Ordering};
use crate::batch::WriteBatch;
use crate::codec::CompressionType;
use crate::options::compact::CompactRangeOptions;
use crate::options::{BlockBasedTableOptions, IndexType, ReadOptions, TableFactory, WriteOptions};
use crate::plug::slice_transform::SliceTransform;
use crate::plug::table_predicate::TablePredicate;
use crate::plug::table_properties::TableProperties;
use crate::read::iterator::DbIterator;
use crate::stats::{Statistics, Ticker};
use std::collections::BTreeMap;
use std::ops::Bound;

/// A database of blocks of some 4 KiB, each with about 4 values, and what counts its reads.
fn database(adjust: impl FnOnce(&mut TestDb, &mut BlockBasedTableOptions)) -> (TestDb, Counts) {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.compression = CompressionType::None;
    test.cf.write_buffer_size = 64 << 20;
    test.cf.disable_auto_compactions = true;
    let mut table = BlockBasedTableOptions::default();
    adjust(&mut test, &mut table);
    test.cf.table_factory = TableFactory::from(table);
    test.try_open().unwrap();
    (test, Counts(stats))
}

struct Counts(Arc<Statistics>);

impl Counts {
    /// The bytes that were read ahead since this was last asked, and how often less was than
    /// might have been.
    fn take(&self) -> (u64, u64) {
        let ticker = |ticker| self.0.ticker(ticker);
        let counts = (ticker(Ticker::PrefetchBytes), ticker(Ticker::ReadaheadTrimmed));
        self.0.reset();
        counts
    }
}

fn key(i: usize) -> String {
    format!("{:02}/{i:05}", i / 100)
}

fn fill(test: &TestDb, keys: impl Iterator<Item = usize>) {
    let mut random = Random::new(1);
    for i in keys {
        let value: String = random.bytes(500).iter().map(|b| format!("{b:02x}")).collect();
        test.put(&key(i), &value).unwrap();
    }
    test.flush();
}

fn compact(test: &TestDb) {
    let options = CompactRangeOptions::default();
    test.db().compact_range(test.family(0), &options, None, None).unwrap();
}

/// Fills tables of `table_size` bytes on one level.
fn level(keys: usize, table_size: u64) -> (TestDb, Counts) {
    let (test, counts) = database(|test, _| {
        test.cf.target_file_size_base = table_size;
        test.cf.compression_per_level = Vec::new();
    });
    for part in 0..2 {
        fill(&test, (part..keys).step_by(2));
    }
    compact(&test);
    let files = test.family(0).persistent.current().all_files().count();
    assert!(files > 4, "{files}");
    (test, counts)
}

fn iter(test: &TestDb, options: &ReadOptions) -> DbIterator {
    test.db().iter(test.family(0), options).unwrap()
}

/// Goes forward from `from` to the end; returns the keys.
fn scan(test: &TestDb, options: &ReadOptions, from: &str) -> Vec<String> {
    let mut iter = iter(test, options);
    iter.seek(from.as_bytes());
    let mut keys = Vec::new();
    while iter.valid() {
        keys.push(String::from_utf8(iter.key().to_vec()).unwrap());
        iter.next();
    }
    iter.status().unwrap();
    keys
}

fn up_to(bound: &str) -> ReadOptions {
    ReadOptions {
        iterate_upper_bound: Some(bound.as_bytes().into()),
        fill_cache: false,
        readahead_size: 1 << 20,
        ..ReadOptions::default()
    }
}

#[test]
fn nothing_behind_the_upper_bound_is_read_ahead() {
    for index_partitions in [false, true] {
        let (test, counts) = database(|_, table| {
            if index_partitions {
                table.index_type = IndexType::TwoLevelIndexSearch;
                table.metadata_block_size = 256;
            }
        });
        fill(&test, 0..1000);
        counts.take();
        let options = up_to(&key(100));
        assert_eq!(scan(&test, &options, &key(50)).len(), 50);
        let (read, trimmed) = counts.take();
        assert!((50_000..70_000).contains(&read), "{read}");
        assert!(trimmed > 0);
        let untrimmed = ReadOptions { auto_readahead_size: false, ..options };
        assert_eq!(scan(&test, &untrimmed, &key(50)).len(), 50);
        assert!(matches!(counts.take(), (900_000.., 0)));
        // Without an end there is nothing to go by.
        let open = ReadOptions { iterate_upper_bound: None, ..up_to("") };
        assert_eq!(scan(&test, &open, &key(900)).len(), 100);
        assert_eq!(counts.take().1, 0);
    }
}

#[test]
fn nothing_behind_the_prefix_is_read_ahead() {
    let (test, counts) = database(|test, _| {
        test.cf.prefix_extractor = Some(SliceTransform::Fixed(3));
    });
    fill(&test, 0..1000);
    counts.take();
    let options =
        ReadOptions { iterate_upper_bound: None, prefix_same_as_start: true, ..up_to("") };
    assert_eq!(scan(&test, &options, &key(250)).len(), 50);
    let (read, trimmed) = counts.take();
    assert!((50_000..70_000).contains(&read), "{read}");
    assert!(trimmed > 0);
    let whole = ReadOptions { prefix_same_as_start: false, ..options };
    assert_eq!(scan(&test, &whole, &key(250)).len(), 750);
    assert_eq!(counts.take().1, 0);
}

#[test]
fn cached_blocks_at_the_end_are_not_read_ahead() {
    let (test, counts) = database(|_, _| {});
    fill(&test, 0..1000);
    // The second half of what is going to be scanned.
    let cache = ReadOptions { fill_cache: true, readahead_size: 0, ..up_to(&key(200)) };
    assert_eq!(scan(&test, &cache, &key(100)).len(), 100);
    counts.take();
    assert_eq!(scan(&test, &up_to(&key(200)), &key(0)).len(), 200);
    let (read, _) = counts.take();
    assert!((95_000..110_000).contains(&read), "{read}");
}

#[test]
fn an_adaptive_read_ahead_goes_on_in_the_next_table() {
    let (test, counts) = level(1000, 100_000);
    let files = test.family(0).persistent.current().all_files().count();
    let options = ReadOptions { fill_cache: false, ..ReadOptions::default() };
    let reads = |options: &ReadOptions| {
        counts.take();
        assert_eq!(scan(&test, options, &key(0)).len(), 1000);
        counts.0.ticker(Ticker::PrefetchBytes)
    };
    // Each table begins anew with some blocks that are read alone.
    let anew = reads(&options);
    let adaptive = reads(&ReadOptions { adaptive_readahead: true, ..options });
    assert!(adaptive > anew + 4000 * files as u64, "{adaptive} and {anew} bytes");
}

#[test]
fn an_adaptive_read_ahead_shrinks_where_blocks_are_cached() {
    let (test, counts) = database(|_, _| {});
    fill(&test, 0..1000);
    let cache = ReadOptions { readahead_size: 0, fill_cache: true, ..ReadOptions::default() };
    for hundred in 2..10 {
        let bound = Some(key(hundred * 100 + 100).as_bytes().into());
        let options = ReadOptions { iterate_upper_bound: bound, ..cache.clone() };
        assert_eq!(scan(&test, &options, &key(hundred * 100 + 50)).len(), 50);
    }
    let reads = |adaptive_readahead| {
        let options =
            ReadOptions { adaptive_readahead, fill_cache: false, ..ReadOptions::default() };
        counts.take();
        assert_eq!(scan(&test, &options, &key(0)).len(), 1000);
        counts.0.ticker(Ticker::PrefetchBytes)
    };
    let (plain, adaptive) = (reads(false), reads(true));
    assert!(adaptive < plain, "{adaptive} and {plain} bytes");
}

/// Accepts tables with another number of entries, and counts how often it is asked.
struct Not(u64, AtomicUsize);

impl TablePredicate for Not {
    fn accepts(&self, properties: &Arc<TableProperties>) -> bool {
        self.1.fetch_add(1, Ordering::Relaxed);
        properties.num_entries != self.0
    }
}

fn without(entries: u64) -> (Arc<Not>, ReadOptions) {
    let predicate = Arc::new(Not(entries, AtomicUsize::new(0)));
    let table_filter: Option<Arc<dyn TablePredicate>> = Some(predicate.clone());
    (predicate, ReadOptions { table_filter, ..ReadOptions::default() })
}

#[test]
fn tables_that_are_not_wanted_are_not_shown_but_their_range_deletions_count() {
    let (test, _) = database(|_, _| {});
    for keys in [&["a", "b", "g"][..], &["c", "d"]] {
        for key in keys {
            test.put(key, "v").unwrap();
        }
        test.flush();
    }
    let range = |batch: &mut WriteBatch| batch.delete_range(0, b"a", b"b");
    test.db().write_lone(&WriteOptions::default(), range).unwrap();
    test.put("e", "v").unwrap();
    test.put("f", "v").unwrap();
    test.put("h", "v").unwrap();
    test.flush();
    test.put("m", "v").unwrap();
    let (predicate, options) = without(2);
    assert_eq!(scan(&test, &options, ""), ["b", "e", "f", "g", "h", "m"]);
    assert_eq!(predicate.1.load(Ordering::Relaxed), 3);
    // The table with the range deletion has 4 entries.
    assert_eq!(scan(&test, &without(4).1, ""), ["b", "c", "d", "g", "m"]);
    assert_eq!(test.get("c").as_deref(), Some("v"));
}

#[test]
fn a_level_is_gone_through_past_tables_that_are_not_wanted() {
    let (test, _) = level(200, 20_000);
    let version = test.family(0).persistent.current();
    let tables: Vec<_> = version.all_files().map(|(_, file)| file.clone()).collect();
    struct Only(Vec<u64>);
    impl TablePredicate for Only {
        fn accepts(&self, properties: &Arc<TableProperties>) -> bool {
            self.0.contains(&properties.orig_file_number)
        }
    }
    let mut random = Random::from_env(7);
    for _ in 0..30 {
        let wanted: Vec<_> = tables.iter().filter(|_| random.one_in(3)).collect();
        let numbers = wanted.iter().map(|file| file.number).collect();
        let table_filter: Option<Arc<dyn TablePredicate>> = Some(Arc::new(Only(numbers)));
        let options = ReadOptions { table_filter, ..ReadOptions::default() };
        let is_in = |key: &String| {
            wanted.iter().any(|file| {
                (file.smallest.user_key()..=file.largest.user_key()).contains(&key.as_bytes())
            })
        };
        let expected: Vec<String> = (0..200).map(key).filter(is_in).collect();
        assert_eq!(scan(&test, &options, ""), expected);
        let mut back = iter(&test, &options);
        let from = random.below(200) as usize;
        back.seek_for_prev(key(from).as_bytes());
        for key in expected.iter().rev().filter(|k| **k <= key(from)) {
            assert_eq!(back.key(), key.as_bytes());
            back.prev();
        }
        assert!(!back.valid());
        back.seek_to_last();
        assert_eq!(back.key(), expected.last().map_or(&b""[..], |key| key.as_bytes()));
    }
}

#[test]
fn an_iterator_that_lets_go_shows_its_snapshot_and_frees_what_is_old() {
    let (test, _) = database(|_, _| {});
    for i in 0..100 {
        test.put(&key(i), "old").unwrap();
    }
    let snapshot = test.db().snapshot();
    let options = ReadOptions {
        snapshot: Some(snapshot.sequence()),
        auto_refresh_iterator_with_snapshot: true,
        pin_data: true,
        ..ReadOptions::default()
    };
    assert!(super::lets_go(&options));
    assert!(!super::lets_go(&ReadOptions { snapshot: None, ..options.clone() }));
    let mut iter = iter(&test, &options);
    iter.seek_to_first();
    let first = iter.key();
    let (address, copy) = (first.as_ptr(), first.to_vec());
    let old_view = Arc::downgrade(&test.family(0).pin());
    for i in 0..100 {
        test.put(&key(i), "new").unwrap();
    }
    test.flush();
    assert!(old_view.upgrade().is_some());
    let step = |iter: &mut DbIterator, forward: bool| {
        match forward {
            true => iter.next(),
            false => iter.prev(),
        }
        test.db().let_go(test.family(0), &options, iter, forward).unwrap();
    };
    for i in 1..100 {
        step(&mut iter, true);
        assert_eq!((iter.key(), iter.value()), (key(i).as_bytes(), &b"old"[..]));
        assert!(old_view.upgrade().is_none());
    }
    compact(&test);
    for i in (0..99).rev() {
        step(&mut iter, false);
        assert_eq!((iter.key(), iter.value()), (key(i).as_bytes(), &b"old"[..]));
    }
    test.put("zz", "new").unwrap();
    test.flush();
    test.db().follow(test.family(0), &options, &mut iter).unwrap();
    assert!(iter.is_over(&test.family(0).pin()));
    iter.seek(b"zz");
    assert!(!iter.valid());
    // Keys are where they were.
    iter.seek_to_first();
    assert_eq!(iter.key(), copy);
    assert!(iter.pins(address));
    drop(iter);
    test.db().release_snapshot(snapshot);
}

/// An iterator beside what it is to show, which is `shown`.
struct Walk<'a> {
    test: &'a TestDb,
    options: &'a ReadOptions,
    iter: DbIterator,
    shown: &'a BTreeMap<Vec<u8>, Vec<u8>>,
    at: Option<Vec<u8>>,
}

impl Walk<'_> {
    fn seek(&mut self, key: &[u8], forward: bool) {
        let (db, family) = (self.test.db(), self.test.family(0));
        db.follow(family, self.options, &mut self.iter).unwrap();
        match forward {
            true => self.iter.seek(key),
            false => self.iter.seek_for_prev(key),
        }
        self.at = match forward {
            true => self.shown.range(key.to_vec()..).next(),
            false => self.shown.range(..=key.to_vec()).next_back(),
        }
        .map(|(key, _)| key.clone());
        self.check();
    }

    fn step(&mut self, forward: bool) {
        let Some(key) = self.at.take() else { return };
        match forward {
            true => self.iter.next(),
            false => self.iter.prev(),
        }
        let (db, family) = (self.test.db(), self.test.family(0));
        if super::lets_go(self.options) {
            db.let_go(family, self.options, &mut self.iter, forward).unwrap();
            assert!(self.iter.is_over(&family.pin()));
        }
        self.at = match forward {
            true => self.shown.range((Bound::Excluded(key), Bound::Unbounded)).next(),
            false => self.shown.range(..key).next_back(),
        }
        .map(|(key, _)| key.clone());
        self.check();
    }

    fn check(&self) {
        self.iter.status().unwrap();
        let found = self.iter.valid().then(|| (self.iter.key(), self.iter.value()));
        let expected = self.at.as_ref().map(|key| (&key[..], &self.shown[key][..]));
        assert_eq!(found, expected);
    }
}

#[test]
fn iterators_show_their_snapshot_whatever_happens_and_however_they_read() {
    let mut random = Random::from_env(29);
    for _ in 0..6 {
        let (test, _) = database(|test, table| {
            table.block_size = 200;
            test.cf.target_file_size_base = 4000;
            test.cf.level0_file_num_compaction_trigger = 2;
            test.cf.disable_auto_compactions = random.one_in(2);
            if random.one_in(2) {
                table.index_type = IndexType::TwoLevelIndexSearch;
                table.metadata_block_size = 200;
            }
        });
        let mut now = BTreeMap::new();
        let change = |random: &mut Random, now: &mut BTreeMap<Vec<u8>, Vec<u8>>| {
            let key = random.below(300) as usize;
            let end = key + random.below(20) as usize;
            let (first, last) = (self::key(key).into_bytes(), self::key(end).into_bytes());
            let value = random.bytes(30);
            let options = WriteOptions::default();
            match random.below(12) {
                0 => {
                    let range = |batch: &mut WriteBatch| batch.delete_range(0, &first, &last);
                    test.db().write_lone(&options, range).unwrap();
                    now.retain(|key, _| *key < first || *key >= last);
                }
                1..4 => {
                    test.db().write_lone(&options, |batch| batch.delete(0, &first)).unwrap();
                    now.remove(&first);
                }
                _ => {
                    let put = |batch: &mut WriteBatch| batch.put(0, &first, &value);
                    test.db().write_lone(&options, put).unwrap();
                    now.insert(first, value);
                }
            }
            match random.below(150) {
                0 | 1 => test.flush(),
                2 => compact(&test),
                _ => {}
            }
        };
        for _ in 0..600 {
            change(&mut random, &mut now);
        }
        let (snapshot, shown) = (test.db().snapshot(), now.clone());
        let options = ReadOptions {
            snapshot: Some(snapshot.sequence()),
            auto_refresh_iterator_with_snapshot: !random.one_in(4),
            adaptive_readahead: random.one_in(2),
            readahead_size: [0, 500, 5000][random.below(3) as usize],
            fill_cache: random.one_in(2),
            async_io: random.one_in(2),
            ..ReadOptions::default()
        };
        let iter = iter(&test, &options);
        let mut walk = Walk { test: &test, options: &options, iter, shown: &shown, at: None };
        for _ in 0..1500 {
            if random.one_in(3) {
                change(&mut random, &mut now);
            }
            let way = random.one_in(2);
            match random.below(30) {
                0 => walk.seek(key(random.below(310) as usize).as_bytes(), way),
                1..4 => (0..random.below(20)).for_each(|_| walk.step(way)),
                _ => walk.step(true),
            }
        }
        // Up to a bound, every key is there, whatever is read ahead.
        let from = random.below(200) as usize;
        let to = from + random.below(100) as usize;
        let bound = key(to).into_bytes();
        let mut options = options.clone();
        options.iterate_upper_bound = Some((&bound[..]).into());
        let expected = shown.range(key(from).into_bytes()..bound);
        let expected: Vec<_> = expected.map(|(k, _)| String::from_utf8(k.clone())).collect();
        let found = scan(&test, &options, &key(from));
        assert_eq!(found.into_iter().map(Ok).collect::<Vec<_>>(), expected);
        drop(walk);
        test.db().release_snapshot(snapshot);
    }
}

#[test]
fn managed_iterators_are_refused() {
    let (test, _) = database(|_, _| {});
    let options = ReadOptions { managed: true, ..ReadOptions::default() };
    let error = test.db().iter(test.family(0), &options).err().unwrap();
    assert_eq!(error.to_string(), "Not implemented: Managed iterator is not supported anymore.");
}
