use super::Snapshot;
use super::db_tests::TestDb;
use crate::base::comparator::{Comparator, Order};
use crate::base::random::Random;
use crate::base::status::Code;
use crate::base::sync::Arc;
use crate::batch::WriteBatch;
use crate::options::compact::CompactRangeOptions;
use crate::options::{ReadOptions, WriteOptions};
use std::collections::BTreeMap;

/// What is in the database, in bytewise order.
type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// A database, what must be in it, and what its snapshots must see.
struct Pair {
    test: TestDb,
    model: Model,
    snapshots: Vec<(Snapshot, Model)>,
}

fn random_key(random: &mut Random) -> Vec<u8> {
    format!("key-{:03}", random.below(300)).into_bytes()
}

impl Pair {
    fn new(comparator: Comparator) -> Pair {
        let mut test = TestDb::new();
        test.cf.comparator = comparator;
        // So that levels have many files, some of which end with a tombstone.
        test.cf.target_file_size_base = 3000;
        test.reopen();
        Pair { test, model: Model::new(), snapshots: Vec::new() }
    }

    fn order(&self) -> &Comparator {
        &self.test.cf.comparator
    }

    fn delete_range(&mut self, batch: &mut WriteBatch, a: Vec<u8>, b: Vec<u8>) {
        let ascending = self.order().compare(&a, &b).is_le();
        let (begin, end) = if ascending { (a, b) } else { (b, a) };
        batch.delete_range(0, &begin, &end).unwrap();
        let order = self.order().clone();
        let covered =
            |key: &Vec<u8>| order.compare(&begin, key).is_le() && order.compare(key, &end).is_lt();
        self.model.retain(|key, _| !covered(key));
    }

    fn write(&mut self, random: &mut Random) {
        let mut batch = WriteBatch::new();
        for _ in 0..1 + random.below(5) {
            let key = random_key(random);
            match random.below(12) {
                0 => {
                    // Mostly short ranges, else little would ever be there.
                    let number: u64 = std::str::from_utf8(&key[4..]).unwrap().parse().unwrap();
                    let len = if random.one_in(8) { 150 } else { 12 };
                    let end = format!("key-{:03}", number + random.below(len)).into_bytes();
                    self.delete_range(&mut batch, key, end);
                }
                1 => {
                    batch.delete(0, &key).unwrap();
                    self.model.remove(&key);
                }
                _ => {
                    let len = random.below(150) as usize;
                    let value = random.bytes(len);
                    batch.put(0, &key, &value).unwrap();
                    self.model.insert(key, value);
                }
            }
        }
        self.test.db().write(&WriteOptions::default(), &mut batch).unwrap();
    }

    /// Flushes, compacts, reopens, takes and releases snapshots now and then.
    fn disturb(&mut self, random: &mut Random) {
        match random.below(120) {
            0 | 1 => self.test.flush(),
            6 | 7 => {
                let mut bound = || random.one_in(2).then(|| random_key(random));
                let (begin, end) = (bound(), bound());
                let (db, family) = (self.test.db(), self.test.family(0));
                let options = CompactRangeOptions::default();
                db.compact_range(family, &options, begin.as_deref(), end.as_deref()).unwrap();
            }
            2 => {
                self.release_all();
                self.test.reopen();
            }
            3 | 4 => self.snapshots.push((self.test.db().snapshot(), self.model.clone())),
            5 if !self.snapshots.is_empty() => {
                let at = random.below(self.snapshots.len() as u64) as usize;
                self.test.db().release_snapshot(self.snapshots.swap_remove(at).0);
            }
            _ => {}
        }
    }

    fn release_all(&mut self) {
        for (snapshot, _) in self.snapshots.drain(..) {
            self.test.db().release_snapshot(snapshot);
        }
    }

    fn check(&self, random: &mut Random) {
        self.check_view(random, &ReadOptions::default(), &self.model);
        if !self.snapshots.is_empty() {
            let at = random.below(self.snapshots.len() as u64) as usize;
            let (snapshot, model) = &self.snapshots[at];
            let options =
                ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
            self.check_view(random, &options, model);
        }
    }

    fn check_view(&self, random: &mut Random, options: &ReadOptions, model: &Model) {
        for _ in 0..20 {
            let key = random_key(random);
            let found = self.test.db().get_pinned(self.test.family(0), options, &key).unwrap();
            assert_eq!(found.as_ref().map(|v| v.as_slice()), model.get(&key).map(|v| &v[..]));
        }
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
            ..options.clone()
        };
        self.walk(random, &options, &rows);
    }

    /// Moves an iterator about, beside an index into `rows`.
    fn walk(&self, random: &mut Random, options: &ReadOptions, rows: &[(&[u8], &[u8])]) {
        let order = self.order();
        let mut iter = self.test.db().iter(self.test.family(0), options).unwrap();
        let mut at: Option<usize> = None;
        for _ in 0..40 {
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
                    at = at.filter(|&at| at < rows.len()).map(|at| at + 1);
                }
                _ => {
                    iter.prev();
                    at = at.filter(|&at| at < rows.len()).and_then(|at| at.checked_sub(1));
                }
            }
            let expected = at.and_then(|at| rows.get(at));
            iter.status().unwrap();
            assert_eq!(iter.valid().then(|| (iter.key(), iter.value())), expected.copied());
            at = at.filter(|_| iter.valid());
        }
    }
}

#[test]
fn range_deletions_agree_with_a_model() {
    for comparator in [Comparator::Bytewise, Comparator::ReverseBytewise] {
        let mut random = Random::from_env(81);
        let mut pair = Pair::new(comparator);
        for step in 0..1500 {
            pair.write(&mut random);
            pair.disturb(&mut random);
            if step % 10 == 0 {
                pair.check(&mut random);
            }
        }
        pair.release_all();
        pair.test.close();
    }
}

#[test]
fn a_range_without_keys_is_written_and_an_inverted_one_refused() {
    let mut test = TestDb::new();
    test.reopen();
    test.put("b", "1").unwrap();
    let range = |test: &TestDb, begin: &[u8], end: &[u8]| {
        test.db().write_lone(&WriteOptions::default(), |batch| batch.delete_range(0, begin, end))
    };
    let before = test.db().latest_sequence();
    range(&test, b"b", b"b").unwrap();
    assert_eq!(test.db().latest_sequence(), before + 1);
    let error = range(&test, b"c", b"a").unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.text(), "end key comes before start key");
    assert_eq!(test.db().latest_sequence(), before + 1);
    assert_eq!(test.get("b").as_deref(), Some("1"));
    range(&test, b"a", b"c").unwrap();
    assert_eq!(test.get("b"), None);
    test.reopen();
    assert_eq!(test.get("b"), None);
    assert_eq!(test.contents(0), []);
    test.close();
}

#[test]
fn deeply_nested_ranges_do_not_keep_a_memtable_from_being_flushed() {
    let mut test = TestDb::new();
    test.cf.write_buffer_size = 64 << 20;
    test.reopen();
    let key = |n: u32| format!("{n:08}");
    test.put(&key(50_000), "gone").unwrap();
    test.put(&key(200_000), "stays").unwrap();
    let mut batch = WriteBatch::new();
    for n in 0..9000 {
        batch.delete_range(0, key(n).as_bytes(), key(100_000 - n).as_bytes()).unwrap();
    }
    test.db().write(&WriteOptions::default(), &mut batch).unwrap();
    // More than fragments for reads at any sequence number may hold.
    assert!(test.family(0).pin().mem.range_tombstones().is_err());
    test.flush();
    assert_eq!(test.get(&key(50_000)), None);
    assert_eq!(test.contents(0), [(key(200_000).into_bytes(), b"stays".to_vec())]);
    test.close();
}

#[test]
fn readers_may_ignore_range_deletions() {
    let mut test = TestDb::new();
    test.reopen();
    test.put("b", "1").unwrap();
    let ignoring = ReadOptions { ignore_range_deletions: true, ..ReadOptions::default() };
    test.db()
        .write_lone(&WriteOptions::default(), |batch| batch.delete_range(0, b"a", b"c"))
        .unwrap();
    assert!(test.db().get_pinned(test.family(0), &ignoring, b"b").unwrap().is_some());
    let mut iter = test.db().iter(test.family(0), &ignoring).unwrap();
    iter.seek_to_first();
    assert_eq!(iter.key(), b"b");
    drop(iter);
    test.close();
}

#[test]
fn many_range_deletions_fill_a_memtable() {
    let mut test = TestDb::new();
    test.cf.memtable_max_range_deletions = 3;
    test.cf.disable_auto_compactions = true;
    test.reopen();
    for n in 0..10u8 {
        test.put("k", "v").unwrap();
        test.db()
            .write_lone(&WriteOptions::default(), |batch| batch.delete_range(0, &[n], &[n + 1]))
            .unwrap();
    }
    test.close();
    test.reopen();
    let version = test.family(0).pin();
    let tables = version.version.num_files();
    assert!((3..=4).contains(&tables), "{tables}");
    assert_eq!(test.get("k").as_deref(), Some("v"));
    test.close();
}
