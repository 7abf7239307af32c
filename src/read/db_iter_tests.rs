use super::db_iter::{DbIter, DbIterConfig};
use super::merging::MergingIter;
use super::value::Visibility;
use super::vec_iter::{Records, VecIter, rank};
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::key::{InternalKey, ValueType};
use crate::base::random::Random;
use std::collections::HashMap;

/// What a user sees: sorted keys and values.
type View = Vec<(Vec<u8>, Vec<u8>)>;

struct History {
    records: Records,
    /// (sequence, key, value or deletion)
    writes: Vec<(u64, Vec<u8>, Option<Vec<u8>>)>,
}

fn random_key(random: &mut Random) -> Vec<u8> {
    let len = 1 + random.below(3) as usize;
    (0..len).map(|_| b'a' + random.below(4) as u8).collect()
}

fn random_history(random: &mut Random, writes: u64) -> History {
    let mut history = History { records: Vec::new(), writes: Vec::new() };
    let hot = random_key(random);
    for sequence in 1..=writes {
        let key = if random.one_in(3) { hot.clone() } else { random_key(random) };
        let value = (!random.one_in(3)).then(|| random.bytes(5));
        let kind = if value.is_some() { ValueType::Value } else { ValueType::Deletion };
        let ikey = InternalKey::new(&key, sequence, kind).as_bytes().to_vec();
        history.records.push((ikey, value.clone().unwrap_or_default()));
        history.writes.push((sequence, key, value));
    }
    history
}

fn view(history: &History, snapshot: u64, order: &Comparator, config: &DbIterConfig) -> View {
    let mut latest = HashMap::new();
    for (_, key, value) in history.writes.iter().filter(|w| w.0 <= snapshot) {
        latest.insert(key.clone(), value.clone());
    }
    let mut view: View = latest.into_iter().filter_map(|(k, v)| Some((k, v?))).collect();
    view.retain(|(k, _)| {
        config.lower_bound.as_ref().is_none_or(|b| rank(order, k, b).is_ge())
            && config.upper_bound.as_ref().is_none_or(|b| rank(order, k, b).is_lt())
    });
    view.sort_by(|a, b| rank(order, &a.0, &b.0));
    view
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
            prefix_same_as_start: None,
            ignore_tombstones: false,
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

#[test]
fn a_merge_operand_is_an_error_not_a_value() {
    let record = (InternalKey::new(b"k", 1, ValueType::Merge).as_bytes().to_vec(), b"1".to_vec());
    let inner = VecIter::new(Comparator::Bytewise, vec![record]);
    let config = DbIterConfig {
        visibility: Visibility { sequence: 9 },
        lower_bound: None,
        upper_bound: None,
        max_sequential_skip: 8,
        prefix_seek: None,
        prefix_same_as_start: None,
        ignore_tombstones: false,
    };
    let mut iter = DbIter::new(Bytewise, inner, config);
    for reverse in [false, true] {
        if reverse {
            iter.seek_to_last()
        } else {
            iter.seek_to_first()
        }
        assert!(!iter.valid());
        let text = iter.status().unwrap_err().to_string();
        assert_eq!(text, "Invalid argument: merge_operator_ must be set.");
    }
}
