use super::merging::MergingIter;
use super::tombstone_source::TombstoneSource;
use super::tombstones::Tombstones;
use super::vec_iter::{Records, VecIter};
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::iterator::InternalIterator;
use crate::base::key::{InternalKey, ParsedKey, ValueType};
use crate::base::random::Random;
use crate::base::sync::Arc;
use crate::rangedel::FragmentsBuilder;

type Tombstone = (Vec<u8>, Vec<u8>, u64);

/// The sequence numbers that one child uses.
const NUMBERS: u64 = 1000;

fn random_key(random: &mut Random) -> Vec<u8> {
    let mut key = if random.one_in(2) { b"longprefix".to_vec() } else { Vec::new() };
    let len = 1 + random.below(3) as usize;
    key.extend((0..len).map(|_| b'a' + random.below(5) as u8));
    key
}

/// One source of a merge, newer than the ones behind it.
struct Child {
    records: Records,
    tombstones: Vec<Tombstone>,
}

fn random_child(random: &mut Random, newer_than: u64) -> Child {
    let (records, tombstones) = (random.below(120), random.below(6));
    let mut numbers: Vec<u64> = (1..NUMBERS).collect();
    let mut take = |random: &mut Random| {
        let at = random.below(numbers.len() as u64) as usize;
        newer_than + numbers.swap_remove(at)
    };
    Child {
        records: (0..records)
            .map(|_| {
                let key = InternalKey::new(&random_key(random), take(random), ValueType::Value);
                (key.as_bytes().to_vec(), random.bytes(3))
            })
            .collect(),
        tombstones: (0..tombstones)
            .map(|_| (random_key(random), random_key(random), take(random)))
            .collect(),
    }
}

/// The records that a reader at `snapshot` is shown.
fn shown(order: &Comparator, children: &[Child], snapshot: u64) -> Records {
    let tombstones: Vec<&Tombstone> = children.iter().flat_map(|c| &c.tombstones).collect();
    let hidden = |ikey: &[u8]| {
        let record = ParsedKey::parse(ikey).unwrap();
        tombstones.iter().any(|t| {
            t.2 <= snapshot
                && t.2 > record.sequence
                && order.compare(&t.0, record.user_key).is_le()
                && order.compare(record.user_key, &t.1).is_lt()
        })
    };
    let all = children.iter().flat_map(|c| c.records.clone());
    all.filter(|(ikey, _)| !hidden(ikey)).collect()
}

fn merge<O: Order>(
    order: &O,
    comparator: &Comparator,
    children: &[Child],
    snapshot: u64,
) -> MergingIter<O, VecIter> {
    let mut sources = Vec::new();
    for child in children {
        let mut builder = FragmentsBuilder::new();
        child.tombstones.iter().for_each(|(start, end, s)| builder.add(start, end, *s));
        let fragments = builder.build(comparator).unwrap();
        let any = !fragments.is_empty();
        sources.push(TombstoneSource::memory(any.then(|| Arc::new(fragments))));
    }
    let tombstones = Tombstones::new(order.clone(), snapshot, sources);
    let records = |child: &Child| VecIter::new(comparator.clone(), child.records.clone());
    MergingIter::new(order.clone(), children.iter().map(records).collect())
        .with_tombstones(Some(Box::new(tombstones)))
}

fn check_against_model<O: Order>(order: O, comparator: Comparator) {
    let mut random = Random::from_env(71);
    for round in 0..150 {
        let count = 1 + round % 5;
        let children: Vec<Child> =
            (0..count).map(|c| random_child(&mut random, (count - c) * NUMBERS)).collect();
        let snapshot = random.below((count + 2) * NUMBERS);
        let records = shown(&comparator, &children, snapshot);
        let mut model = VecIter::new(comparator.clone(), records);
        let mut merged = merge(&order, &comparator, &children, snapshot);
        for _ in 0..250 {
            step_both(&mut random, &mut model, &mut merged);
            assert_eq!(model.valid(), merged.valid());
            if model.valid() {
                assert_eq!(model.key(), merged.key());
                assert_eq!(model.value(), merged.value());
            }
        }
        merged.status().unwrap();
    }
}

fn step_both(random: &mut Random, a: &mut impl InternalIterator, b: &mut impl InternalIterator) {
    let target = InternalKey::new(&random_key(random), random.below(6000), ValueType::Value);
    let target = target.as_bytes();
    match random.below(14) {
        0 => (a.seek_to_first(), b.seek_to_first()),
        1 => (a.seek_to_last(), b.seek_to_last()),
        2 => (a.seek(target), b.seek(target)),
        3 => (a.seek_for_prev(target), b.seek_for_prev(target)),
        n if a.valid() && n < 9 => (a.next(), b.next()),
        _ if a.valid() => (a.prev(), b.prev()),
        _ => ((), ()),
    };
}

#[test]
fn hide_what_a_model_says() {
    check_against_model(Bytewise, Comparator::Bytewise);
    check_against_model(Comparator::ReverseBytewise, Comparator::ReverseBytewise);
}

#[test]
fn older_sources_are_sought_over_what_newer_ones_cover() {
    let key = |n: u32| InternalKey::new(&n.to_be_bytes(), 1, ValueType::Value);
    let old = (0..100_000).map(|n| (key(n).as_bytes().to_vec(), Vec::new())).collect();
    let newest = Child {
        records: Vec::new(),
        tombstones: vec![(10u32.to_be_bytes().to_vec(), 99_990u32.to_be_bytes().to_vec(), 9)],
    };
    let children = [newest, Child { records: old, tombstones: Vec::new() }];
    let mut merged = merge(&Bytewise, &Comparator::Bytewise, &children, 10);
    let steps = |merged: &MergingIter<Bytewise, VecIter>| merged.children()[1].moves();
    merged.seek(key(5).as_bytes());
    let mut seen = 0;
    while merged.valid() {
        seen += 1;
        merged.next();
    }
    assert_eq!(seen, 5 + 10);
    assert!(steps(&merged) < 40);
    merged.seek_to_last();
    while merged.valid() {
        seen += 1;
        merged.prev();
    }
    assert_eq!(seen, 15 + 20);
    assert!(steps(&merged) < 80);
    merged.seek(key(500).as_bytes());
    assert_eq!(merged.key(), key(99_990).as_bytes());
    merged.seek_for_prev(key(500).as_bytes());
    assert_eq!(merged.key(), key(9).as_bytes());
    assert!(steps(&merged) < 90);
}
