use super::*;
use crate::base::random::Random;
use crate::base::sync::{AtomicU64, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Adds `amount`; what happens on the way is up to the fields.
struct Add {
    amount: u64,
    kind: u8,
    panic: bool,
    /// Where the leader numbered it.
    number: u64,
}

impl Add {
    fn new(amount: u64) -> Add {
        Add { amount, kind: 0, panic: false, number: 0 }
    }
}

type Outcome = Result<u64, &'static str>;

impl Request for Add {
    type Outcome = Outcome;

    fn bytes(&self) -> usize {
        10
    }

    fn fits(&self, leader: &Add) -> bool {
        self.kind == leader.kind
    }

    fn abandoned() -> Outcome {
        Err("abandoned")
    }
}

#[derive(Default)]
struct Shared {
    queue: WriteQueue<Add>,
    /// Touched by one leader at a time: read and written in two steps, to catch overlap.
    leader_only: AtomicU64,
    sum: AtomicU64,
    largest_group: AtomicU64,
}

impl Shared {
    fn insert(&self, add: &mut Add) -> Outcome {
        assert!(!add.panic, "as asked");
        self.sum.fetch_add(add.amount, Ordering::Relaxed);
        Ok(add.number)
    }

    fn write(&self, add: Add, parallel: bool) -> (Add, Outcome) {
        match self.queue.join(add) {
            Role::Leader(mut leader) => {
                let len = leader.form_group(1000) as u64;
                self.largest_group.fetch_max(len, Ordering::Relaxed);
                let kind = leader.request().kind;
                let mut number = self.leader_only.load(Ordering::Relaxed);
                for add in leader.requests_mut() {
                    assert_eq!(add.kind, kind);
                    number += 1;
                    add.number = number;
                }
                if number.is_multiple_of(16) {
                    thread::yield_now();
                }
                self.leader_only.store(number, Ordering::Relaxed);
                if parallel {
                    leader.run_parallel(|add| self.insert(add));
                } else {
                    leader.run(|add| self.insert(add));
                }
                leader.finish(|noted| noted.unwrap())
            }
            Role::Insert(inserter) => inserter.run(|add| self.insert(add)),
            Role::Done(add, outcome) => (add, outcome),
        }
    }
}

/// Whether the outcome is the one that the request earned.
fn check(add: &Add, outcome: Outcome) {
    assert_eq!(outcome, Ok(add.number));
    assert!(add.number > 0);
}

#[test]
fn alone_a_writer_leads_itself() {
    let shared = Shared::default();
    for i in 1..=3 {
        let (add, outcome) = shared.write(Add::new(5), i == 2);
        assert_eq!((add.number, outcome), (i, Ok(i)));
    }
    assert_eq!(shared.sum.load(Ordering::Relaxed), 15);
    assert!(shared.queue.line.lock().slots.is_empty(), "the short path makes nothing");
}

#[test]
fn many_writers_each_get_their_outcome() {
    const WRITERS: u64 = 8;
    const WRITES: u64 = 2000;
    for parallel in [false, true] {
        let shared = Arc::new(Shared::default());
        let threads: Vec<_> = (0..WRITERS)
            .map(|id| {
                let shared = shared.clone();
                thread::spawn(move || {
                    for i in 0..WRITES {
                        let add = Add { kind: (i % 7 == id) as u8, ..Add::new(i) };
                        let (add, outcome) = shared.write(add, parallel);
                        assert_eq!(add.amount, i);
                        check(&add, outcome);
                        if i % 500 == id {
                            let _turn = shared.queue.exclusive();
                            let before = shared.leader_only.load(Ordering::Relaxed);
                            thread::yield_now();
                            assert_eq!(before, shared.leader_only.load(Ordering::Relaxed));
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(shared.sum.load(Ordering::Relaxed), WRITERS * (WRITES * (WRITES - 1) / 2));
        assert_eq!(shared.leader_only.load(Ordering::Relaxed), WRITERS * WRITES);
        let line = shared.queue.line.lock();
        assert!(line.waiting.is_empty());
        assert!(line.slots.len() <= WRITERS as usize);
        println!("largest group: {}", shared.largest_group.load(Ordering::Relaxed));
    }
}

/// Waits until `count` stand in line.
fn wait_for_line(queue: &WriteQueue<Add>, count: usize) {
    while queue.line.lock().waiting.len() < count {
        thread::yield_now();
    }
}

/// Queues the requests one after the other behind a held turn; returns what became of them, each
/// with the size of the group that it led.
fn behind_a_turn(requests: Vec<Add>, max_bytes: usize) -> Vec<(Outcome, Option<usize>)> {
    let shared = Arc::new(Shared::default());
    let turn = shared.queue.exclusive();
    let mut threads = Vec::new();
    for add in requests {
        let worker = shared.clone();
        threads.push(thread::spawn(move || match worker.queue.join(add) {
            Role::Leader(mut leader) => {
                let len = leader.form_group(max_bytes);
                leader.run(|add| worker.insert(add));
                (leader.finish(|noted| noted.unwrap()).1, Some(len))
            }
            Role::Insert(_) => unreachable!(),
            Role::Done(_, outcome) => (outcome, None),
        }));
        wait_for_line(&shared.queue, threads.len());
    }
    drop(turn);
    threads.into_iter().map(|t| t.join().unwrap()).collect()
}

#[test]
fn groups_respect_kind_order_and_size() {
    let kind = |kind| Add { kind, ..Add::new(1) };
    let led = |requests, max_bytes| {
        let results = behind_a_turn(requests, max_bytes);
        assert!(results.iter().all(|(outcome, _)| outcome.is_ok()));
        results.into_iter().map(|(_, len)| len).collect::<Vec<_>>()
    };
    let kinds = vec![kind(0), kind(0), kind(1), kind(0)];
    assert_eq!(led(kinds, 1000), [Some(2), None, Some(1), Some(1)]);
    // Ten bytes each: a limit of 30 takes three.
    let five = || (0..5).map(|_| kind(0)).collect();
    assert_eq!(led(five(), 30), [Some(3), None, None, Some(2), None]);
    // A small leader takes an eighth of the limit beside its own.
    assert_eq!(led(five(), 160), [Some(3), None, None, Some(2), None]);
}

#[test]
fn a_panicking_leader_fails_its_group_and_the_next_one_leads() {
    let mut requests: Vec<_> = (0..4).map(|i| Add { kind: i / 3, ..Add::new(1) }).collect();
    requests[1].panic = true;
    let shared = Arc::new(Shared::default());
    let turn = shared.queue.exclusive();
    let mut threads = Vec::new();
    for add in requests {
        let worker = shared.clone();
        threads.push(thread::spawn(move || {
            catch_unwind(AssertUnwindSafe(|| worker.write(add, false).1)).ok()
        }));
        wait_for_line(&shared.queue, threads.len());
    }
    drop(turn);
    let outcomes: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    let abandoned = Some(Err("abandoned"));
    assert_eq!(outcomes, [None, abandoned, abandoned, Some(Ok(4))]);
    assert!(shared.queue.try_exclusive().is_some());
}

#[test]
fn a_panic_while_inserting_fails_only_its_own_request() {
    for victim in 0..4 {
        let shared = Arc::new(Shared::default());
        let turn = shared.queue.exclusive();
        let mut threads = Vec::new();
        for i in 0..4 {
            let worker = shared.clone();
            let add = Add { panic: i == victim, ..Add::new(1) };
            threads.push(thread::spawn(move || {
                catch_unwind(AssertUnwindSafe(|| worker.write(add, true).1)).ok()
            }));
            wait_for_line(&shared.queue, threads.len());
        }
        drop(turn);
        for (i, thread) in threads.into_iter().enumerate() {
            let expected = match (victim, i) {
                (victim, i) if victim == i => None,
                // The leader decides for all, so its panic is everyone's.
                (0, _) => Some(Err("abandoned")),
                _ => Some(Ok(i as u64 + 1)),
            };
            assert_eq!(thread.join().unwrap(), expected, "victim {victim}, writer {i}");
        }
        assert!(shared.queue.try_exclusive().is_some());
    }
}

#[test]
fn writers_survive_random_panics() {
    let mut random = Random::from_env(21);
    let shared = Arc::new(Shared::default());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (shared, mut random) = (shared.clone(), Random::new(random.next_u64()));
            thread::spawn(move || {
                for _ in 0..500 {
                    let add = Add { panic: random.one_in(10), ..Add::new(1) };
                    let (panics, parallel) = (add.panic, random.one_in(2));
                    let result = catch_unwind(AssertUnwindSafe(|| shared.write(add, parallel).1));
                    match result {
                        // Its own panic, or that of another in the group it led alone.
                        Err(_) => {}
                        Ok(outcome) => assert!(!panics || outcome.is_err()),
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert!(shared.queue.try_exclusive().is_some());
}

#[test]
fn waiters_spin_no_longer_than_they_may() {
    let spins = |at_most: u64, slow: u64| {
        let spins = Spins::new(Spinning {
            at_most: Duration::from_micros(at_most),
            slow: Duration::from_nanos(slow),
        });
        spins.budget.store(spins.limit, Ordering::Relaxed);
        let count = std::cell::Cell::new(0u32);
        spins.until(|| {
            count.set(count.get() + 1);
            false
        });
        count.get()
    };
    assert_eq!(spins(0, u64::MAX), 0);
    assert_eq!(spins(1, u64::MAX), SPINS_PER_MICRO);
    assert_eq!(spins(1_000_000, u64::MAX), SPIN_LIMIT);
    // Every step is slow.
    assert_eq!(spins(1_000_000, 0), MAX_SLOW_STEPS * SPINS_PER_MICRO / 2);
}

/// Numbers, passes the turn on, inserts, publishes.
fn pipelined(shared: &Shared, published: &AtomicU64, add: Add, parallel: bool) -> (Add, Outcome) {
    match shared.queue.join(add) {
        Role::Leader(mut leader) => {
            leader.form_group(1000);
            let mut number = shared.leader_only.load(Ordering::Relaxed);
            let first = number;
            for add in leader.requests_mut() {
                number += 1;
                add.number = number;
            }
            shared.leader_only.store(number, Ordering::Relaxed);
            leader.pass_on();
            // All groups before have ended, and no other one is here.
            assert_eq!(published.load(Ordering::Relaxed), first);
            if number.is_multiple_of(8) {
                thread::yield_now();
            }
            if parallel {
                leader.run_parallel(|add| shared.insert(add));
            } else {
                leader.run(|add| shared.insert(add));
            }
            assert_eq!(published.swap(number, Ordering::Relaxed), first);
            leader.finish(|noted| noted.unwrap())
        }
        Role::Insert(inserter) => inserter.run(|add| shared.insert(add)),
        Role::Done(add, outcome) => (add, outcome),
    }
}

#[test]
fn groups_that_pass_the_turn_on_end_in_order() {
    for parallel in [false, true] {
        let (shared, published) = (Arc::new(Shared::default()), Arc::new(AtomicU64::new(0)));
        let threads: Vec<_> = (0..6)
            .map(|id| {
                let (shared, published) = (shared.clone(), published.clone());
                thread::spawn(move || {
                    for i in 0..1500 {
                        let (add, outcome) = pipelined(&shared, &published, Add::new(1), parallel);
                        check(&add, outcome);
                        // Whoever was told sees it.
                        assert!(published.load(Ordering::Relaxed) >= add.number);
                        if id == 0 && i % 16 == 0 {
                            // Nobody is under way.
                            let turn = shared.queue.exclusive();
                            let numbered = shared.leader_only.load(Ordering::Relaxed);
                            assert_eq!(published.load(Ordering::Relaxed), numbered);
                            assert_eq!(shared.sum.load(Ordering::Relaxed), numbered);
                            drop(turn);
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(published.load(Ordering::Relaxed), 9000);
        assert!(shared.queue.try_exclusive().is_some());
    }
}

#[test]
fn the_next_leads_while_one_that_passed_the_turn_on_inserts() {
    let shared = Shared::default();
    let Role::Leader(mut first) = shared.queue.join(Add::new(1)) else { panic!("nobody else") };
    first.form_group(1000);
    first.pass_on();
    assert!(shared.queue.try_exclusive().is_none());
    let Role::Leader(second) = shared.queue.join(Add::new(1)) else { panic!("the turn is free") };
    // It numbers and logs now; then it would wait. A panic makes it wait, too.
    thread::scope(|scope| {
        let second = scope.spawn(move || {
            let mut second = second;
            second.pass_on();
            drop(second);
        });
        drop(first);
        second.join().unwrap();
    });
    assert!(shared.queue.try_exclusive().is_some());
}
