//! Merge operators as users of a database see them.

use super::Snapshot;
use super::db_tests::TestDb;
use crate::base::random::Random;
use crate::base::status::Result;
use crate::base::sync::{Arc, AtomicUsize, Ordering, thread};
use crate::batch::WriteBatch;
use crate::options::{FlushOptions, ReadOptions, WriteOptions};
use crate::plug::merge_operator::MergeOperator;
use crate::plug::merge_operators::{StringAppend, Uint64Add};
use crate::read::iterator::DbIterator;
use std::collections::BTreeMap;

/// What is known of a key: the value that was put, and the operands behind it.
#[derive(Clone, Default)]
struct History {
    base: Option<Vec<u8>>,
    operands: Vec<Vec<u8>>,
}

type Model = BTreeMap<Vec<u8>, History>;
type Rows = Vec<(Vec<u8>, Vec<u8>)>;

fn rows(model: &Model, operator: &dyn MergeOperator) -> Rows {
    let value = |key: &[u8], history: &History| {
        if history.operands.is_empty() {
            return history.base.clone();
        }
        let operands: Vec<&[u8]> = history.operands.iter().map(|o| &o[..]).collect();
        let mut merged = Vec::new();
        assert!(operator.full_merge(key, history.base.as_deref(), &operands, &mut merged));
        Some(merged)
    };
    model.iter().filter_map(|(key, h)| Some((key.clone(), value(key, h)?))).collect()
}

/// Compares gets and iteration both ways with the rows.
fn check(test: &TestDb, rows: &Rows, options: &ReadOptions) {
    for number in 0..60 {
        let key = format!("key{number:02}").into_bytes();
        let found = test.db().get_pinned(test.family(0), options, &key).unwrap();
        let expected = rows.iter().find(|row| row.0 == key).map(|row| &row.1[..]);
        assert_eq!(found.as_ref().map(|f| f.as_slice()), expected, "{number}");
    }
    let read = |reverse: bool| {
        let mut iter = test.db().iter(test.family(0), options).unwrap();
        let mut found = Rows::new();
        if reverse {
            iter.seek_to_last()
        } else {
            iter.seek_to_first()
        }
        while iter.valid() {
            found.push((iter.key().to_vec(), iter.value().to_vec()));
            if reverse { iter.prev() } else { iter.next() }
        }
        iter.status().unwrap();
        found
    };
    assert_eq!(read(false), *rows);
    assert_eq!(read(true).into_iter().rev().collect::<Rows>(), *rows);
}

fn random_batch(random: &mut Random, model: &mut Model) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for _ in 0..1 + random.below(3) {
        // Some keys more often than others.
        let range = if random.one_in(2) { 5 } else { 60 };
        let key = format!("key{:02}", random.below(range)).into_bytes();
        let limit = if random.one_in(300) { 3000 } else { 9 };
        let len = random.below(limit) as usize;
        let value = random.bytes(len);
        let history = model.entry(key.clone()).or_default();
        match random.below(7) {
            0 => {
                batch.delete(0, &key).unwrap();
                *history = History::default();
            }
            1 => {
                batch.put(0, &key, &value).unwrap();
                *history = History { base: Some(value), operands: Vec::new() };
            }
            _ => {
                batch.merge(0, &key, &value).unwrap();
                history.operands.push(value);
            }
        }
    }
    batch
}

fn agrees_with_a_model(operator: Arc<dyn MergeOperator>, max_successive_merges: usize) {
    let mut random = Random::from_env(77);
    let mut test = TestDb::new();
    test.cf.merge_operator = Some(operator.clone());
    test.cf.max_successive_merges = max_successive_merges;
    test.cf.strict_max_successive_merges = max_successive_merges == 2;
    test.reopen();
    let mut model = Model::new();
    let mut snapshots: Vec<(Snapshot, Rows)> = Vec::new();
    for _ in 0..1200 {
        let mut batch = random_batch(&mut random, &mut model);
        test.db().write(&WriteOptions::default(), &mut batch).unwrap();
        match random.below(60) {
            0 => test.flush(),
            1 if snapshots.is_empty() => test.reopen(),
            2 => snapshots.push((test.db().snapshot(), rows(&model, &*operator))),
            3 if !snapshots.is_empty() => {
                let at = random.below(snapshots.len() as u64) as usize;
                test.db().release_snapshot(snapshots.swap_remove(at).0);
            }
            4 => check(&test, &rows(&model, &*operator), &ReadOptions::default()),
            5 => {
                for (snapshot, rows) in &snapshots {
                    let snapshot = Some(snapshot.sequence());
                    check(&test, rows, &ReadOptions { snapshot, ..ReadOptions::default() });
                }
            }
            _ => {}
        }
    }
    check(&test, &rows(&model, &*operator), &ReadOptions::default());
    test.close();
}

#[test]
fn sums_agree_with_a_model() {
    agrees_with_a_model(Arc::new(Uint64Add), 0);
    agrees_with_a_model(Arc::new(Uint64Add), 2);
}

#[test]
fn lists_agree_with_a_model() {
    agrees_with_a_model(Arc::new(StringAppend::new(",")), 0);
    agrees_with_a_model(Arc::new(StringAppend::new(",")), 3);
}

#[test]
fn an_operator_without_partial_merge_agrees_with_a_model() {
    agrees_with_a_model(Arc::new(StringAppend::for_tests("")), 0);
    agrees_with_a_model(Arc::new(StringAppend::for_tests("")), 2);
}

fn merge(test: &TestDb, key: &str, operand: &str) -> Result<()> {
    let (key, operand) = (key.as_bytes(), operand.as_bytes());
    test.db().merge(&WriteOptions::default(), test.family(0), key, operand)
}

fn get_error(test: &TestDb, key: &str) -> String {
    let found = test.db().get_pinned(test.family(0), &ReadOptions::default(), key.as_bytes());
    found.err().unwrap().to_string()
}

fn first(test: &TestDb) -> DbIterator {
    let mut iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    iter.seek_to_first();
    iter
}

/// Fails where an operand is `bad`, and counts its calls.
#[derive(Default)]
struct Picky {
    calls: AtomicUsize,
}

impl MergeOperator for Picky {
    fn name(&self) -> &str {
        "Picky"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed);
        out.extend_from_slice(existing.unwrap_or(b"-"));
        out.extend(operands.iter().copied().flatten());
        !operands.contains(&&b"bad"[..])
    }

    fn partial_merge(&self, _: &[u8], _: &[&[u8]], _: &mut Vec<u8>) -> bool {
        false
    }
}

#[test]
fn a_failure_concerns_its_key_alone() {
    let mut test = TestDb::new();
    test.cf.merge_operator = Some(Arc::new(Picky::default()));
    test.reopen();
    merge(&test, "a", "1").unwrap();
    merge(&test, "b", "bad").unwrap();
    merge(&test, "b", "2").unwrap();
    for _ in 0..2 {
        assert_eq!(test.get("a").as_deref(), Some("-1"));
        assert_eq!(get_error(&test, "b"), "Corruption: Merge operator failed");
        let mut iter = first(&test);
        assert_eq!(iter.value(), b"-1");
        iter.next();
        assert!(!iter.valid());
        assert_eq!(iter.status().unwrap_err().to_string(), "Corruption: Merge operator failed");
        test.flush();
    }
    test.put("b", "3").unwrap();
    merge(&test, "b", "4").unwrap();
    assert_eq!(test.get("b").as_deref(), Some("34"));
}

#[test]
fn without_an_operator_operands_are_neither_taken_nor_lost() {
    let mut test = TestDb::new();
    test.db.avoid_flush_during_shutdown = true;
    test.db.avoid_flush_during_recovery = true;
    test.cf.merge_operator = Some(Arc::new(StringAppend::new(",")));
    test.reopen();
    merge(&test, "a", "1").unwrap();
    test.flush();
    test.cf.merge_operator = None;
    test.reopen();
    let not_set = "Invalid argument: merge_operator is not properly initialized.";
    assert_eq!(get_error(&test, "a"), not_set);
    let iter = first(&test);
    assert!(!iter.valid());
    let text = "Invalid argument: merge_operator_ must be set.";
    assert_eq!(iter.status().unwrap_err().to_string(), text);
    let error = merge(&test, "a", "2").unwrap_err().to_string();
    assert_eq!(error, "Not implemented: Provide a merge_operator when opening DB");
    let mut batch = WriteBatch::new();
    batch.put(0, b"b", b"1").unwrap();
    batch.merge(0, b"a", b"2").unwrap();
    let error = test.db().write(&WriteOptions::default(), &mut batch).unwrap_err().to_string();
    let refused =
        "Invalid argument: Merge requires `ColumnFamilyOptions::merge_operator != nullptr`";
    assert_eq!(error, refused);
    assert_eq!(test.get("b"), None);
    // Writing goes on.
    test.put("b", "1").unwrap();
    test.cf.merge_operator = Some(Arc::new(StringAppend::new(",")));
    test.reopen();
    merge(&test, "a", "3").unwrap();
    test.cf.merge_operator = None;
    test.close();
    assert_eq!(test.try_open().unwrap_err().to_string(), refused);
    test.cf.merge_operator = Some(Arc::new(StringAppend::new(",")));
    test.reopen();
    assert_eq!(test.get("a").as_deref(), Some("1,3"));
}

#[test]
fn operands_are_folded_while_they_are_inserted() {
    let picky = Arc::new(Picky::default());
    let mut test = TestDb::new();
    test.cf.merge_operator = Some(picky.clone());
    test.cf.max_successive_merges = 2;
    test.reopen();
    let calls = || picky.calls.swap(0, Ordering::Relaxed);
    merge(&test, "k", "1").unwrap();
    merge(&test, "k", "2").unwrap();
    assert_eq!(calls(), 0);
    // Once for what is there, once to add the operand.
    merge(&test, "k", "3").unwrap();
    assert_eq!(calls(), 2);
    assert_eq!(test.get("k").as_deref(), Some("-123"));
    assert_eq!(calls(), 0);
    // What cannot be folded is kept as it is.
    for operand in ["bad", "4", "5", "6"] {
        merge(&test, "k", operand).unwrap();
    }
    assert_eq!(get_error(&test, "k"), "Corruption: Merge operator failed");
}

#[test]
fn a_fold_reads_tables_only_if_it_is_strict() {
    for strict in [false, true] {
        let mut test = TestDb::new();
        test.cf = test.cf.with_string("table_factory={no_block_cache=true}").unwrap();
        test.cf.merge_operator = Some(Arc::new(StringAppend::new(",")));
        test.cf.max_successive_merges = 1;
        test.cf.strict_max_successive_merges = strict;
        test.reopen();
        test.put("k", "0").unwrap();
        test.flush();
        merge(&test, "k", "1").unwrap();
        merge(&test, "k", "2").unwrap();
        assert_eq!(test.get("k").as_deref(), Some("0,1,2"));
        let options = ReadOptions {
            read_tier: crate::options::ReadTier::BlockCache,
            ..ReadOptions::default()
        };
        // The folded value is all that a reader needs.
        let found = test.db().get_pinned(test.family(0), &options, b"k");
        assert_eq!(found.is_ok(), strict);
    }
}

#[test]
fn no_write_is_lost_to_a_fold_of_another_thread() {
    let mut test = TestDb::new();
    test.cf.write_buffer_size = 1 << 20;
    test.cf.merge_operator = Some(Arc::new(Uint64Add));
    test.cf.max_successive_merges = 2;
    test.reopen();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..500u64 {
                    let (db, family) = (test.db(), test.family(0));
                    let key = [b"ab"[n as usize % 2]];
                    db.merge(&WriteOptions::default(), family, &key, &1u64.to_le_bytes()).unwrap();
                    if n % 200 == 0 {
                        db.flush(std::slice::from_ref(family), &FlushOptions::default()).unwrap();
                    }
                }
            });
        }
    });
    for key in ["a", "b"] {
        let found =
            test.db().get_pinned(test.family(0), &ReadOptions::default(), key.as_bytes()).unwrap();
        assert_eq!(found.unwrap().as_slice(), 1000u64.to_le_bytes());
    }
}
