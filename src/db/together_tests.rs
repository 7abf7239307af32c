//! Everything that changes or moves records, at once, against a sorted map: all kinds of writes,
//! snapshots, flushes, compactions of both kinds, and reads in every way.

use super::db_tests::TestDb;
use super::{BatchKey, Snapshot};
use crate::base::comparator::{Comparator, Order};
use crate::base::random::Random;
use crate::base::status::{Code, Result};
use crate::base::sync::Arc;
use crate::batch::WriteBatch;
use crate::codec::CompressionType;
use crate::options::compact::{CompactFilesOptions, CompactRangeOptions, WaitForCompactOptions};
use crate::options::enums::{BottommostLevelCompaction, CompactionPri};
use crate::options::{
    BlockBasedTableOptions, FlushOptions, IndexType, ReadOptions, TableFactory, WriteOptions,
};
use crate::plug::filter_policy::FilterPolicy;
use crate::plug::merge_operators::StringAppend;
use crate::plug::slice_transform::SliceTransform;
use crate::read::get::FoundValue;
use crate::read::iterator::DbIterator;
use std::collections::{BTreeMap, BTreeSet};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

const FAMILIES: usize = 2;
const KEYS: u64 = 250;

/// Which keys may be single-deleted: those that were put once since they were.
type Once = BTreeSet<(usize, Vec<u8>)>;

fn data_key(number: u64) -> Vec<u8> {
    format!("key-{number:03}").into_bytes()
}

fn once_key(number: u64) -> Vec<u8> {
    format!("one-{number:03}").into_bytes()
}

fn random_key(random: &mut Random) -> Vec<u8> {
    match random.below(8) {
        0 => once_key(random.below(KEYS)),
        _ => data_key(random.below(KEYS)),
    }
}

/// A database, what must be in it, and what its snapshots must see.
struct Pair {
    test: TestDb,
    models: [Model; FAMILIES],
    /// Keys that have been put once and not been deleted since.
    once: Once,
    snapshots: Vec<(Snapshot, [Model; FAMILIES])>,
    /// Iterators that stay, with what they must see.
    iterators: Vec<(DbIterator, Model)>,
}

fn table_options(random: &mut Random) -> TableFactory {
    let partitioned = random.one_in(2);
    let no_block_cache = random.one_in(5);
    TableFactory::from(BlockBasedTableOptions {
        block_size: [64, 300, 4096][random.below(3) as usize],
        index_type: match partitioned {
            true => IndexType::TwoLevelIndexSearch,
            false => IndexType::BinarySearch,
        },
        metadata_block_size: 100,
        partition_filters: partitioned && random.one_in(2),
        cache_index_and_filter_blocks: !no_block_cache && random.one_in(2),
        no_block_cache,
        filter_policy: random.one_in(2).then(|| FilterPolicy::bloom(10.0)),
        whole_key_filtering: !random.one_in(3),
        format_version: 2 + random.below(6) as u32,
        ..BlockBasedTableOptions::default()
    })
}

/// Chooses again what may differ from one opening to the next.
fn vary(test: &mut TestDb, random: &mut Random) {
    test.db.max_subcompactions = 1 + random.below(4) as u32;
    test.db.max_background_jobs = 2 + random.below(3) as i32;
    test.db.max_open_files = if random.one_in(3) { 20 } else { -1 };
    test.db.avoid_flush_during_recovery = random.one_in(2);
    test.db.allow_concurrent_memtable_write = random.one_in(2);
    let cf = &mut test.cf;
    cf.merge_operator = Some(Arc::new(StringAppend::new(",")));
    cf.table_factory = table_options(random);
    cf.compression = [CompressionType::None, CompressionType::Lz4, CompressionType::Zstd]
        [random.below(3) as usize];
    cf.prefix_extractor = random.one_in(2).then_some(SliceTransform::Fixed(5));
    cf.memtable_prefix_bloom_size_ratio = if random.one_in(2) { 0.1 } else { 0.0 };
    cf.memtable_max_range_deletions = if random.one_in(3) { 20 } else { 0 };
    cf.max_write_buffer_number = 2 + random.below(3) as i32;
    cf.min_write_buffer_number_to_merge = 1 + random.below(2) as i32;
    cf.max_successive_merges = random.below(3) as usize;
    cf.level0_file_num_compaction_trigger = 2 + random.below(3) as i32;
    cf.target_file_size_base = [1500, 4000, 20_000][random.below(3) as usize];
    cf.max_bytes_for_level_base = [3000, 12_000][random.below(2) as usize];
    cf.max_bytes_for_level_multiplier = 2.0;
    cf.level_compaction_dynamic_level_bytes = random.one_in(2);
    cf.compaction_pri = [
        CompactionPri::RoundRobin,
        CompactionPri::ByCompensatedSize,
        CompactionPri::OldestSmallestSeqFirst,
        CompactionPri::MinOverlappingRatio,
    ][random.below(4) as usize];
    cf.paranoid_file_checks = random.one_in(4);
}

impl Pair {
    fn new(comparator: Comparator, random: &mut Random) -> Pair {
        let mut test = TestDb::new();
        test.names = vec!["default", "other"];
        test.cf.comparator = comparator;
        vary(&mut test, random);
        test.reopen();
        let (snapshots, iterators) = (Vec::new(), Vec::new());
        Pair { test, models: Default::default(), once: Once::new(), snapshots, iterators }
    }

    fn order(&self) -> &Comparator {
        &self.test.cf.comparator
    }

    fn write(&mut self, random: &mut Random) {
        let mut batch = WriteBatch::new();
        for _ in 0..1 + random.below(6) {
            let cf = random.below(FAMILIES as u64) as usize;
            self.add_random(random, &mut batch, cf);
        }
        self.test.db().write(&WriteOptions::default(), &mut batch).unwrap();
    }

    fn add_random(&mut self, random: &mut Random, batch: &mut WriteBatch, cf: usize) {
        let id = self.test.family(cf).id();
        // Some keys more often than others.
        let range = if random.one_in(3) { 8 } else { KEYS };
        let key = data_key(random.below(range));
        let limit = if random.one_in(100) { 5000 } else { 120 };
        let len = random.below(limit) as usize;
        let value = random.bytes(len);
        let model = &mut self.models[cf];
        match random.below(20) {
            0 => self.add_range(random, batch, cf),
            1..4 => {
                batch.delete(id, &key).unwrap();
                model.remove(&key);
            }
            4..8 => {
                batch.merge(id, &key, &value).unwrap();
                match model.get_mut(&key) {
                    Some(old) => {
                        old.push(b',');
                        old.extend(value);
                    }
                    None => drop(model.insert(key, value)),
                }
            }
            8..11 => {
                let key = once_key(random.below(KEYS));
                if self.once.remove(&(cf, key.clone())) {
                    batch.single_delete(id, &key).unwrap();
                    model.remove(&key);
                } else {
                    batch.put(id, &key, &value).unwrap();
                    self.once.insert((cf, key.clone()));
                    model.insert(key, value);
                }
            }
            _ => {
                batch.put(id, &key, &value).unwrap();
                model.insert(key, value);
            }
        }
    }

    /// Deletes a range; mostly a short one, else little would ever be there.
    fn add_range(&mut self, random: &mut Random, batch: &mut WriteBatch, cf: usize) {
        let id = self.test.family(cf).id();
        let named = if random.one_in(4) { once_key } else { data_key };
        let first = random.below(KEYS);
        let len = if random.one_in(10) { 120 } else { 10 };
        let (a, b) = (named(first), named(first + random.below(len)));
        let order = self.test.cf.comparator.clone();
        let (begin, end) = if order.compare(&a, &b).is_le() { (a, b) } else { (b, a) };
        batch.delete_range(id, &begin, &end).unwrap();
        let covered =
            |key: &[u8]| order.compare(&begin, key).is_le() && order.compare(key, &end).is_lt();
        self.models[cf].retain(|key, _| !covered(key));
    }

    /// Flushes, compacts, reopens, takes and releases snapshots now and then.
    fn disturb(&mut self, random: &mut Random) {
        match random.below(100) {
            0..4 => self.flush(random),
            4 => self.compact(random),
            5 => self.compact_files(random),
            6 => {
                self.release_all();
                self.test.close();
                vary(&mut self.test, random);
                self.test.reopen();
            }
            7..9 => self.snapshots.push((self.test.db().snapshot(), self.models.clone())),
            9 | 10 if !self.snapshots.is_empty() => {
                let at = random.below(self.snapshots.len() as u64) as usize;
                self.test.db().release_snapshot(self.snapshots.swap_remove(at).0);
            }
            11 => {
                let cf = random.below(FAMILIES as u64) as usize;
                let iter = self.test.db().iter(self.test.family(cf), &ReadOptions::default());
                self.iterators.push((iter.unwrap(), self.models[cf].clone()));
            }
            12 | 13 if !self.iterators.is_empty() => {
                let at = random.below(self.iterators.len() as u64) as usize;
                let (iter, model) = self.iterators.swap_remove(at);
                self.check_kept(iter, &model);
            }
            14 => {
                let family = self.test.family(random.below(FAMILIES as u64) as usize);
                let (begin, end) = (random_key(random), random_key(random));
                self.test.db().suggest_compact_range(family, Some(&begin), Some(&end)).unwrap();
            }
            _ => {}
        }
    }

    fn flush(&self, random: &mut Random) {
        let options = FlushOptions { wait: random.one_in(2), ..FlushOptions::default() };
        let family = self.test.family(random.below(FAMILIES as u64) as usize);
        self.test.db().flush(std::slice::from_ref(family), &options).unwrap();
    }

    fn compact(&self, random: &mut Random) {
        let mut bound = || random.one_in(2).then(|| random_key(random));
        let (begin, end) = (bound(), bound());
        let options = CompactRangeOptions {
            exclusive_manual_compaction: random.one_in(2),
            change_level: random.one_in(3),
            bottommost_level_compaction: [
                BottommostLevelCompaction::Skip,
                BottommostLevelCompaction::IfHaveCompactionFilter,
                BottommostLevelCompaction::Force,
                BottommostLevelCompaction::ForceOptimized,
            ][random.below(4) as usize],
            max_subcompactions: random.below(4) as u32,
            ..CompactRangeOptions::default()
        };
        let family = self.test.family(random.below(FAMILIES as u64) as usize);
        self.test.db().compact_range(family, &options, begin.as_deref(), end.as_deref()).unwrap();
    }

    /// Compacts some files of a column family into a level that is not above theirs.
    fn compact_files(&self, random: &mut Random) {
        let family = self.test.family(random.below(FAMILIES as u64) as usize);
        let levels = family.live_levels();
        let level = random.below(levels.len() as u64) as usize;
        let mut names = Vec::new();
        for table in levels[..=level].iter().flat_map(|level| &level.tables) {
            if random.one_in(3) {
                names.push(table.file_name.clone());
            }
        }
        let options = CompactFilesOptions {
            allow_trivial_move: random.one_in(2),
            output_file_size_limit: if random.one_in(2) { 2000 } else { u64::MAX },
            ..CompactFilesOptions::default()
        };
        // Other compactions may be at the files, or have removed them.
        if let Err(error) = self.test.db().compact_files(family, &options, &names, level as i32, -1)
        {
            let code = error.code();
            assert!(matches!(code, Code::Aborted | Code::InvalidArgument), "{error}");
        }
    }

    fn check_kept(&self, mut iter: DbIterator, model: &Model) {
        let mut rows: Vec<(&[u8], &[u8])> = model.iter().map(|(k, v)| (&k[..], &v[..])).collect();
        rows.sort_by(|a, b| self.order().compare(a.0, b.0));
        check_scan(&mut iter, &rows);
    }

    fn release_all(&mut self) {
        self.iterators.clear();
        for (snapshot, _) in self.snapshots.drain(..) {
            self.test.db().release_snapshot(snapshot);
        }
    }

    fn check(&self, random: &mut Random) {
        self.check_view(random, &ReadOptions::default(), &self.models);
        for (snapshot, models) in &self.snapshots {
            if random.one_in(2) {
                let snapshot = Some(snapshot.sequence());
                let options = ReadOptions { snapshot, ..ReadOptions::default() };
                self.check_view(random, &options, models);
            }
        }
    }

    fn check_view(&self, random: &mut Random, options: &ReadOptions, models: &[Model; FAMILIES]) {
        self.check_batch(random, options, models);
        for (cf, model) in models.iter().enumerate() {
            for _ in 0..10 {
                let key = random_key(random);
                let found = self.test.db().get_pinned(self.test.family(cf), options, &key).unwrap();
                let found = found.as_ref().map(|v| v.as_slice());
                assert_eq!(found, model.get(&key).map(|v| &v[..]), "{}", key.escape_ascii());
            }
            self.check_iterator(random, options, cf, model);
        }
    }

    fn check_batch(&self, random: &mut Random, options: &ReadOptions, models: &[Model; FAMILIES]) {
        let count = random.below(30) as usize;
        let both = random.one_in(2);
        let cf = |random: &mut Random| if both { random.below(2) as usize } else { 0 };
        let keys: Vec<(usize, Vec<u8>)> =
            (0..count).map(|_| (cf(random), random_key(random))).collect();
        let batch = keys.iter().enumerate();
        let batch =
            batch.map(|(index, (cf, key))| BatchKey { index, family: self.test.family(*cf), key });
        let mut answers = 0;
        self.test.db().multi_get(options, batch.collect(), false, |index, found: Result<_>| {
            let found: Option<FoundValue> = found.unwrap();
            let found = found.as_ref().map(|value| value.as_slice());
            let (cf, key) = &keys[index];
            assert_eq!(found, models[*cf].get(key).map(|v| &v[..]), "{}", key.escape_ascii());
            answers += 1;
        });
        assert_eq!(answers, count);
    }

    fn check_iterator(&self, random: &mut Random, options: &ReadOptions, cf: usize, model: &Model) {
        let mut bound = || random.one_in(3).then(|| random_key(random));
        let (lower, upper) = (bound(), bound());
        let order = self.order();
        let inside = |key: &[u8]| {
            lower.as_ref().is_none_or(|l| order.compare(l, key).is_le())
                && upper.as_ref().is_none_or(|u| order.compare(key, u).is_lt())
        };
        let mut rows: Vec<(&[u8], &[u8])> = model.iter().map(|(k, v)| (&k[..], &v[..])).collect();
        rows.retain(|(key, _)| inside(key));
        rows.sort_by(|a, b| order.compare(a.0, b.0));
        let options = ReadOptions {
            iterate_lower_bound: lower.clone().map(Arc::from),
            iterate_upper_bound: upper.clone().map(Arc::from),
            total_order_seek: true,
            pin_data: random.one_in(3),
            readahead_size: if random.one_in(3) { 1000 } else { 0 },
            ..options.clone()
        };
        self.walk(random, &options, cf, &rows);
        if random.one_in(4) {
            self.scan(&options, cf, &rows);
        }
    }

    /// Moves an iterator about, beside an index into `rows`.
    fn walk(&self, random: &mut Random, options: &ReadOptions, cf: usize, rows: &[(&[u8], &[u8])]) {
        let order = self.order();
        let mut iter = self.test.db().iter(self.test.family(cf), options).unwrap();
        let mut at: Option<usize> = None;
        for _ in 0..30 {
            let key = random_key(random);
            match random.below(10) {
                0 => {
                    iter.seek_to_first();
                    at = Some(0);
                }
                1 => {
                    iter.seek_to_last();
                    at = rows.len().checked_sub(1);
                }
                2 => {
                    iter.seek(&key);
                    at = Some(rows.partition_point(|row| order.compare(row.0, &key).is_lt()));
                }
                3 => {
                    iter.seek_for_prev(&key);
                    at = rows.partition_point(|r| order.compare(r.0, &key).is_le()).checked_sub(1);
                }
                n if n < 7 => {
                    iter.next();
                    at = at.map(|at| at + 1);
                }
                _ => {
                    iter.prev();
                    at = at.and_then(|at| at.checked_sub(1));
                }
            }
            let expected = at.and_then(|at| rows.get(at));
            iter.status().unwrap();
            assert_eq!(iter.valid().then(|| (iter.key(), iter.value())), expected.copied());
            at = at.filter(|_| iter.valid());
        }
    }

    fn scan(&self, options: &ReadOptions, cf: usize, rows: &[(&[u8], &[u8])]) {
        check_scan(&mut self.test.db().iter(self.test.family(cf), options).unwrap(), rows);
    }

    /// No table is left that no version has.
    fn check_files(&self) {
        let options = WaitForCompactOptions { wait_for_purge: true, ..Default::default() };
        self.test.db().wait_for_compact(&options).unwrap();
        let mut live = BTreeSet::new();
        for cf in 0..FAMILIES {
            let view = self.test.family(cf).pin();
            live.extend(view.version.all_files().map(|(_, f)| format!("{:06}.sst", f.number)));
        }
        let names = self.test.db().context.list(&self.test.path).unwrap();
        let found: BTreeSet<String> = names.into_iter().filter(|n| n.ends_with(".sst")).collect();
        assert_eq!(found, live);
    }
}

/// Goes through all rows, forwards and backwards.
fn check_scan(iter: &mut DbIterator, rows: &[(&[u8], &[u8])]) {
    iter.seek_to_first();
    for row in rows {
        assert_eq!(iter.valid().then(|| (iter.key(), iter.value())), Some(*row));
        iter.next();
    }
    assert!(!iter.valid());
    iter.seek_to_last();
    for row in rows.iter().rev() {
        assert_eq!(iter.valid().then(|| (iter.key(), iter.value())), Some(*row));
        iter.prev();
    }
    assert!(!iter.valid());
    iter.status().unwrap();
}

#[test]
fn everything_together_agrees_with_a_model() {
    let mut random = Random::from_env(1009);
    for comparator in [Comparator::Bytewise, Comparator::ReverseBytewise] {
        let mut pair = Pair::new(comparator, &mut random);
        for step in 0..1500 {
            pair.write(&mut random);
            pair.disturb(&mut random);
            if step % 15 == 0 {
                pair.check(&mut random);
            }
        }
        pair.check(&mut random);
        pair.release_all();
        pair.check_files();
        pair.test.reopen();
        pair.check(&mut random);
        pair.test.close();
    }
}
