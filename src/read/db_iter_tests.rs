use super::db_iter::{DbIter, DbIterConfig};
use super::merging::MergingIter;
use super::value::Visibility;
use super::vec_iter::{Records, VecIter, rank};
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::key::{InternalKey, ValueType};
use crate::base::random::Random;
use crate::base::sync::Arc;
use crate::plug::merge_operator::{MergeOperator, SharedMergeOperator};
use crate::plug::merge_operators::{BytesXor, StringAppend, Uint64Add};
use std::collections::{HashMap, HashSet};

/// What a user sees: sorted keys and values.
type View = Vec<(Vec<u8>, Vec<u8>)>;

struct History {
    records: Records,
    /// (key, kind, value without what its kind adds)
    writes: Vec<(Vec<u8>, ValueType, Vec<u8>)>,
}

fn random_key(random: &mut Random) -> Vec<u8> {
    let len = 1 + random.below(3) as usize;
    (0..len).map(|_| b'a' + random.below(4) as u8).collect()
}

/// Writes numbered from 1 on.
fn random_history(random: &mut Random, writes: u64) -> History {
    let mut history = History { records: Vec::new(), writes: Vec::new() };
    let hot = random_key(random);
    for sequence in 1..=writes {
        let key = if random.one_in(3) { hot.clone() } else { random_key(random) };
        let kind = match random.below(8) {
            0 => ValueType::Deletion,
            1 => ValueType::SingleDeletion,
            2 => ValueType::Value,
            3 => ValueType::ValuePreferredSeqno,
            _ => ValueType::Merge,
        };
        let len = if kind.is_deletion() { 0 } else { random.below(9) as usize };
        let value = random.bytes(len);
        let mut stored = value.clone();
        if kind == ValueType::ValuePreferredSeqno {
            stored.extend_from_slice(b"when-put");
        }
        let ikey = InternalKey::new(&key, sequence, kind).as_bytes().to_vec();
        history.records.push((ikey, stored));
        history.writes.push((key, kind, value));
    }
    history
}

fn view(history: &History, snapshot: u64, order: &Comparator, config: &DbIterConfig) -> View {
    let operator = config.merge_operator.as_ref().unwrap();
    // What was put, and the operands behind it.
    type Known<'a> = (Option<Vec<u8>>, Vec<&'a [u8]>);
    let mut latest: HashMap<Vec<u8>, Known<'_>> = HashMap::new();
    for (key, kind, value) in history.writes.iter().take(snapshot as usize) {
        let (base, operands) = latest.entry(key.clone()).or_default();
        if *kind == ValueType::Merge {
            operands.push(value);
        } else {
            operands.clear();
            *base = (!kind.is_deletion()).then(|| value.clone());
        }
    }
    let value = |key: &[u8], base: Option<Vec<u8>>, operands: Vec<&[u8]>| {
        if operands.is_empty() {
            return base;
        }
        let mut merged = Vec::new();
        assert!(operator.full_merge(key, base.as_deref(), &operands, &mut merged));
        Some(merged)
    };
    let latest = latest.into_iter();
    let mut view: View = latest
        .filter_map(|(key, (base, operands))| Some((key.clone(), value(&key, base, operands)?)))
        .collect();
    view.retain(|(k, _)| {
        config.lower_bound.as_ref().is_none_or(|b| rank(order, k, b).is_ge())
            && config.upper_bound.as_ref().is_none_or(|b| rank(order, k, b).is_lt())
    });
    view.sort_by(|a, b| rank(order, &a.0, &b.0));
    view
}

fn random_operator(random: &mut Random) -> Arc<dyn MergeOperator> {
    match random.below(4) {
        0 => Arc::new(Uint64Add),
        1 => Arc::new(BytesXor),
        2 => Arc::new(StringAppend::for_tests("")),
        _ => Arc::new(StringAppend::new("--")),
    }
}

fn check_against_model<O: Order>(order: O, comparator: Comparator) {
    let mut random = Random::from_env(5);
    for _ in 0..150 {
        let history = random_history(&mut random, 120);
        let snapshot = random.below(122);
        let config = DbIterConfig {
            visibility: Visibility { sequence: snapshot },
            lower_bound: random.one_in(3).then(|| random_key(&mut random).into()),
            upper_bound: random.one_in(3).then(|| random_key(&mut random).into()),
            max_sequential_skip: random.below(6),
            prefix_seek: None,
            max_skippable_internal_keys: 0,
            pin_data: false,
            prefix_same_as_start: None,
            ignore_tombstones: false,
            merge_operator: Some(random_operator(&mut random)),
        };
        let view = view(&history, snapshot, &comparator, &config);
        let mut parts: Vec<Records> = vec![Vec::new(); 3];
        for record in history.records {
            parts[random.below(3) as usize].push(record);
        }
        let children = parts.into_iter().map(|r| VecIter::new(comparator.clone(), r)).collect();
        let inner = MergingIter::new(order.clone(), children);
        let mut iter = DbIter::new(order.clone(), inner, config);
        let mut at = usize::MAX;
        for _ in 0..120 {
            at = step(&mut random, &mut iter, at, &view, &comparator);
            match view.get(at) {
                Some((key, value)) => {
                    assert!(iter.valid());
                    assert_eq!((iter.key(), iter.value()), (&key[..], &value[..]));
                }
                None => assert!(!iter.valid(), "{:?}", iter.key()),
            }
            assert!(iter.status().is_ok());
        }
    }
}

/// Moves the iterator and the model's index alike; returns the index.
fn step<O: Order>(
    random: &mut Random,
    iter: &mut DbIter<O, MergingIter<O, VecIter>>,
    at: usize,
    view: &View,
    order: &Comparator,
) -> usize {
    let target = random_key(random);
    match random.below(12) {
        0 => {
            iter.seek_to_first();
            0
        }
        1 => {
            iter.seek_to_last();
            view.len().wrapping_sub(1)
        }
        2 => {
            iter.seek(&target);
            view.partition_point(|r| rank(order, &r.0, &target).is_lt())
        }
        3 => {
            iter.seek_for_prev(&target);
            view.partition_point(|r| rank(order, &r.0, &target).is_le()).wrapping_sub(1)
        }
        n if at < view.len() => {
            if n % 2 == 0 {
                iter.next();
                at + 1
            } else {
                iter.prev();
                at.wrapping_sub(1)
            }
        }
        _ => {
            iter.next();
            at
        }
    }
}

#[test]
fn agrees_with_a_model_under_snapshots_and_bounds() {
    check_against_model(Bytewise, Comparator::Bytewise);
    check_against_model(Comparator::ReverseBytewise, Comparator::ReverseBytewise);
}

fn config(merge_operator: SharedMergeOperator) -> DbIterConfig {
    DbIterConfig {
        visibility: Visibility { sequence: 900 },
        lower_bound: None,
        upper_bound: None,
        max_sequential_skip: 3,
        prefix_seek: None,
        max_skippable_internal_keys: 0,
        pin_data: false,
        prefix_same_as_start: None,
        ignore_tombstones: false,
        merge_operator,
    }
}

/// Fails for the keys in it.
struct FailsFor(HashSet<Vec<u8>>);

impl MergeOperator for FailsFor {
    fn name(&self) -> &str {
        "FailsFor"
    }

    fn full_merge(&self, key: &[u8], _: Option<&[u8]>, _: &[&[u8]], out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(b"value");
        !self.0.contains(key)
    }

    fn partial_merge(&self, _: &[u8], _: &[&[u8]], _: &mut Vec<u8>) -> bool {
        false
    }
}

#[test]
fn a_merge_that_fails_or_has_no_operator_ends_the_iteration() {
    let record = |key: &str, sequence, kind| {
        (InternalKey::new(key.as_bytes(), sequence, kind).as_bytes().to_vec(), b"1".to_vec())
    };
    // Few operands of `b`, and more than are passed one by one.
    for operands in [1, 9] {
        let mut records = vec![record("a", 1, ValueType::Value), record("c", 2, ValueType::Value)];
        records.extend((3..3 + operands).map(|n| record("b", n, ValueType::Merge)));
        let fails: SharedMergeOperator = Some(Arc::new(FailsFor(HashSet::from([b"b".to_vec()]))));
        for (operator, text) in [
            (None, "Invalid argument: merge_operator_ must be set."),
            (fails, "Corruption: Merge operator failed"),
        ] {
            let inner = VecIter::new(Comparator::Bytewise, records.clone());
            let mut iter = DbIter::new(Bytewise, inner, config(operator));
            for reverse in [false, true] {
                if reverse {
                    iter.seek_to_last();
                    assert_eq!(iter.key(), b"c");
                    iter.prev();
                } else {
                    iter.seek_to_first();
                    assert_eq!(iter.key(), b"a");
                    iter.next();
                }
                assert!(!iter.valid());
                assert_eq!(iter.status().unwrap_err().to_string(), text);
            }
            // It recovers.
            iter.seek(b"c");
            assert!(iter.valid() && iter.status().is_ok());
        }
    }
}

#[test]
fn steps_over_operands_use_the_same_memory() {
    let mut records = Vec::new();
    for n in 0..200u64 {
        let key = format!("{:03}", n / 4);
        let kind = if n % 4 == 0 { ValueType::Value } else { ValueType::Merge };
        let ikey = InternalKey::new(key.as_bytes(), n + 1, kind).as_bytes().to_vec();
        records.push((ikey, n.to_le_bytes().to_vec()));
    }
    for max_sequential_skip in [1, 100] {
        let inner = VecIter::new(Comparator::Bytewise, records.clone());
        let config = DbIterConfig { max_sequential_skip, ..config(Some(Arc::new(Uint64Add))) };
        let mut iter = DbIter::new(Bytewise, inner, config);
        let mut memory = None;
        for reverse in [true, false] {
            if reverse {
                iter.seek_to_last()
            } else {
                iter.seek_to_first()
            }
            let mut steps = 0;
            while iter.valid() {
                steps += 1;
                let now = iter.memory();
                // Two steps fill both of the buffers that are swapped.
                assert!(steps < 3 || memory.replace(now).is_none_or(|before| before == now));
                if reverse { iter.prev() } else { iter.next() }
            }
            assert_eq!(steps, 50);
        }
    }
}
