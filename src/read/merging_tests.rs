use super::merging::MergingIter;
use super::vec_iter::{Records, VecIter};
use crate::base::comparator::{Bytewise, Comparator};
use crate::base::iterator::InternalIterator;
use crate::base::key::{InternalKey, ValueType};
use crate::base::random::Random;

fn random_records(random: &mut Random, count: u64, first_seq: u64) -> Records {
    (0..count)
        .map(|i| {
            let len = 1 + random.below(10) as usize;
            let user: Vec<u8> = (0..len).map(|_| b'a' + random.below(3) as u8).collect();
            let key = InternalKey::new(&user, first_seq + i, ValueType::Value);
            (key.as_bytes().to_vec(), random.bytes(4))
        })
        .collect()
}

fn check_against_model<O: crate::base::comparator::Order>(order: O, comparator: Comparator) {
    let mut random = Random::from_env(11);
    for round in 0..60 {
        let children: Vec<Records> = (0..round % 6)
            .map(|c| {
                let count = random.below(30);
                random_records(&mut random, count, 1 + 1000 * c)
            })
            .collect();
        let mut model = VecIter::new(comparator.clone(), children.concat());
        let iters = children.into_iter().map(|r| VecIter::new(comparator.clone(), r)).collect();
        let mut merged = MergingIter::new(order.clone(), iters);
        for _ in 0..300 {
            step_both(&mut random, &mut model, &mut merged);
            assert_eq!(model.valid(), merged.valid());
            if model.valid() {
                assert_eq!(model.key(), merged.key());
                assert_eq!(model.value(), merged.value());
            }
        }
    }
}

fn step_both(random: &mut Random, a: &mut impl InternalIterator, b: &mut impl InternalIterator) {
    let target = random_records(random, 1, 2000).remove(0).0;
    match random.below(12) {
        0 => (a.seek_to_first(), b.seek_to_first()),
        1 => (a.seek_to_last(), b.seek_to_last()),
        2 => (a.seek(&target), b.seek(&target)),
        3 => (a.seek_for_prev(&target), b.seek_for_prev(&target)),
        n if a.valid() && n % 2 == 0 => (a.next(), b.next()),
        _ if a.valid() => (a.prev(), b.prev()),
        _ => ((), ()),
    };
}

#[test]
fn agrees_with_a_sorted_vector() {
    check_against_model(Bytewise, Comparator::Bytewise);
    check_against_model(Comparator::ReverseBytewise, Comparator::ReverseBytewise);
}

#[test]
fn an_error_of_one_child_ends_the_merge() {
    let mut random = Random::from_env(3);
    let good = VecIter::new(Comparator::Bytewise, random_records(&mut random, 20, 1));
    let mut bad = VecIter::new(Comparator::Bytewise, random_records(&mut random, 20, 100));
    bad.fail_at = Some(5);
    let mut merged = MergingIter::new(Bytewise, vec![good, bad]);
    merged.seek_to_first();
    let mut seen = 0;
    while merged.valid() {
        seen += 1;
        merged.next();
    }
    assert!(seen < 40);
    assert!(merged.status().unwrap_err().is_corruption());
    merged.seek_to_last();
    assert!(merged.valid());
    assert!(merged.status().is_ok());
}
