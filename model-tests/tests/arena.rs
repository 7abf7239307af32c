//! `base::arena`: allocations never overlap, also where threads find a block full at once.

use hematite_model_tests::base::arena::Arena;
use hematite_model_tests::base::sync::{Arc, thread};
use hematite_model_tests::check;

/// Allocates `lens`; returns where each begins and ends.
fn allocate(arena: &Arena, lens: &[usize]) -> Vec<(usize, usize)> {
    lens.iter()
        .map(|&len| {
            let start = arena.allocate(len).as_ptr() as usize;
            assert_eq!(start % 8, 0);
            (start, start + len)
        })
        .collect()
}

fn run(lens: &'static [&'static [usize]], preemptions: usize) {
    check(preemptions, move || {
        let arena = Arc::new(Arena::new(4096));
        let others: Vec<_> = lens[1..]
            .iter()
            .map(|lens| {
                let arena = arena.clone();
                thread::spawn(move || allocate(&arena, lens))
            })
            .collect();
        let mut all = allocate(&arena, lens[0]);
        for other in others {
            all.extend(other.join().unwrap());
        }
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{all:?}");
        assert!(arena.reserved() >= lens.iter().flat_map(|l| l.iter()).sum());
        assert!(arena.unused() <= 4096);
    });
}

#[test]
fn two_threads_start_and_fill_a_block() {
    run(&[&[1000, 1000, 1000], &[1000, 1000, 1000]], 3);
}

#[test]
fn three_threads_race_for_the_first_block() {
    run(&[&[24], &[24], &[24]], 3);
}

#[test]
fn large_requests_race_with_small_ones() {
    run(&[&[1000, 5000, 1000], &[1000, 1000, 1000]], 3);
}
