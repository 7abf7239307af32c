//! `memtable::btree`: insertions, splits and reads at once. Whatever was there before is found,
//! walks meet it in order, and an entry that is found is visible (see `memtable::Index`).

use hematite_model_tests::base::sync::{Arc, thread};
use hematite_model_tests::check;
use hematite_model_tests::memtable::Index;

/// Runs `work` on a tree of `keys` beside each other; then the tree must hold `all`, ascending.
fn run(keys: &'static [u8], work: &'static [fn(&Index)], all: &'static [u8], preemptions: usize) {
    check(preemptions, move || {
        let index = Index::of(keys);
        let others: Vec<_> = work[1..]
            .iter()
            .map(|work| {
                let index = index.clone();
                thread::spawn(move || work(&index))
            })
            .collect();
        work[0](&index);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(index.ascending(), all);
        let descending = index.descending();
        assert!(descending.iter().rev().eq(all), "{descending:?}");
        assert!(all.iter().all(|&key| index.has(key)));
    });
}

/// Whether `met`, in this order, has all of `must`.
fn check_walk(met: &[u8], must: &[u8], is_ordered: fn(&u8, &u8) -> bool) {
    assert!(met.is_sorted_by(is_ordered), "{met:?}");
    assert!(must.iter().all(|key| met.contains(key)), "{met:?}");
}

#[test]
fn two_threads_insert_first() {
    let work: &[fn(&Index)] = &[|index| assert!(index.insert(3)), |index| assert!(index.insert(2))];
    run(&[], work, &[2, 3], 2);
}

#[test]
fn one_of_two_same_keys_wins() {
    check(2, || {
        let index = Index::of(&[5, 7]);
        index.make(6);
        let other = {
            let index = index.clone();
            thread::spawn(move || index.insert_made(6))
        };
        let won = index.insert_made(6);
        assert_ne!(won, other.join().unwrap());
        assert_eq!(index.ascending(), [5, 6, 7]);
    });
}

#[test]
fn two_threads_insert_into_one_leaf() {
    let work: &[fn(&Index)] = &[|index| assert!(index.insert(3)), |index| assert!(index.insert(2))];
    run(&[1, 5], work, &[1, 2, 3, 5], 2);
}

#[test]
fn two_threads_append() {
    let work: &[fn(&Index)] = &[|index| assert!(index.insert(8)), |index| assert!(index.insert(9))];
    run(&[1, 2, 3], work, &[1, 2, 3, 8, 9], 2);
}

#[test]
fn two_threads_split_one_leaf() {
    let work: &[fn(&Index)] = &[|index| assert!(index.insert(5)), |index| assert!(index.insert(3))];
    run(&[2, 4, 6, 8], work, &[2, 3, 4, 5, 6, 8], 1);
}

#[test]
fn two_threads_split_neighbours_whose_parent_is_full() {
    // Leaves of ascending keys stay full: four of them, below one root.
    const KEYS: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let work: &[fn(&Index)] = &[|index| assert!(index.insert(7)), |index| assert!(index.has(13))];
    run(KEYS, work, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], 2);
}

#[test]
fn a_reader_meets_an_insertion() {
    let work: &[fn(&Index)] = &[
        |index| assert!(index.insert(2)),
        |index| {
            assert!(index.has(3));
            index.has(2);
        },
    ];
    run(&[1, 3, 5], work, &[1, 2, 3, 5], 1);
}

#[test]
fn a_reader_meets_a_split() {
    let work: &[fn(&Index)] = &[
        |index| assert!(index.insert(5)),
        |index| assert!([8, 4, 2, 6].iter().all(|&key| index.has(key))),
    ];
    run(&[2, 4, 6, 8], work, &[2, 4, 5, 6, 8], 2);
}

#[test]
fn a_walk_meets_a_split() {
    let work: &[fn(&Index)] = &[
        |index| assert!(index.insert(5)),
        |index| check_walk(&index.ascending(), &[2, 4, 6, 8], |a, b| a < b),
    ];
    run(&[2, 4, 6, 8], work, &[2, 4, 5, 6, 8], 2);
}

#[test]
fn a_walk_back_meets_a_split() {
    let work: &[fn(&Index)] = &[
        |index| assert!(index.insert(5)),
        |index| check_walk(&index.descending(), &[2, 4, 6, 8, 10], |a, b| a > b),
    ];
    run(&[2, 4, 6, 8, 10], work, &[2, 4, 5, 6, 8, 10], 2);
}

#[test]
fn what_another_thread_was_told_of_is_found() {
    check(2, || {
        let index = Index::of(&[2, 4, 6]);
        let told = Arc::new(hematite_model_tests::base::sync::AtomicBool::new(false));
        let writer = {
            let (index, told) = (index.clone(), told.clone());
            thread::spawn(move || {
                use hematite_model_tests::base::sync::Ordering;
                assert!(index.insert(3) && index.insert(5));
                told.store(true, Ordering::Release);
            })
        };
        use hematite_model_tests::base::sync::Ordering;
        if told.load(Ordering::Acquire) {
            assert!(index.has(5) && index.has(3));
            assert_eq!(index.ascending(), [2, 3, 4, 5, 6]);
        }
        writer.join().unwrap();
    });
}
