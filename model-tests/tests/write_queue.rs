//! `db::write_queue`: one leader at a time, every writer gets its own outcome, nobody waits for
//! ever (loom reports a deadlock), and memory written before a hand-over is seen after it.

use hematite_model_tests::base::sync::{Arc, AtomicU64, Ordering, thread};
use hematite_model_tests::check;
use hematite_model_tests::db::write_queue::{Request, Role, WriteQueue};
use loom::cell::UnsafeCell;

/// A request to write one slot of the table.
struct Write {
    sequence: u64,
}

type Outcome = Result<u64, &'static str>;

impl Request for Write {
    type Outcome = Outcome;

    fn bytes(&self) -> usize {
        1
    }

    fn fits(&self, _leader: &Write) -> bool {
        true
    }

    fn abandoned() -> Outcome {
        Err("abandoned")
    }
}

#[derive(Clone, Copy)]
enum Mode {
    Serial,
    Parallel,
    /// The turn is passed on before members insert.
    PassedOn,
    /// Leaders let go in the middle, as a panic would make them.
    LeaderDrops,
    /// As before, but after the members were told to insert.
    InserterDrops,
}

/// A database in miniature. The cells check that accesses are ordered, not merely atomic.
struct Store {
    queue: WriteQueue<Write>,
    /// The last sequence number that was given out: leaders only.
    allocated: UnsafeCell<u64>,
    /// What a reader may see.
    published: AtomicU64,
    table: Vec<UnsafeCell<u64>>,
    mode: Mode,
}

impl Store {
    fn new(mode: Mode) -> Arc<Store> {
        Arc::new(Store {
            queue: WriteQueue::new(),
            allocated: UnsafeCell::new(0),
            published: AtomicU64::new(0),
            table: (0..4).map(|_| UnsafeCell::new(0)).collect(),
            mode,
        })
    }

    fn allocate(&self) -> u64 {
        self.allocated.with_mut(|allocated| {
            // SAFETY: the model checker reports overlapping accesses.
            unsafe {
                *allocated += 1;
                *allocated
            }
        })
    }

    fn insert(&self, write: &mut Write) -> Outcome {
        // SAFETY: as in `allocate`.
        self.table[write.sequence as usize].with_mut(|cell| unsafe { *cell = write.sequence });
        Ok(write.sequence)
    }

    fn write(&self) -> Outcome {
        match self.queue.join(Write { sequence: 0 }) {
            Role::Leader(mut leader) => {
                leader.form_group(100);
                let mut last = 0;
                for write in leader.requests_mut() {
                    last = self.allocate();
                    write.sequence = last;
                }
                if matches!(self.mode, Mode::PassedOn) {
                    leader.pass_on();
                }
                match self.mode {
                    Mode::Serial => leader.run(|write| self.insert(write)),
                    Mode::LeaderDrops => return Err("let go"),
                    Mode::Parallel | Mode::PassedOn | Mode::InserterDrops => {
                        leader.run_parallel(|write| self.insert(write));
                    }
                }
                if leader.outcomes().all(|noted| noted.is_some_and(|noted| noted.is_ok())) {
                    self.published.store(last, Ordering::Release);
                }
                leader.finish(|noted| noted.unwrap()).1
            }
            Role::Insert(inserter) => match self.mode {
                Mode::InserterDrops => Err("let go"),
                _ => inserter.run(|write| self.insert(write)).1,
            },
            Role::Done(write, outcome) => {
                assert!(outcome.is_err() || outcome == Ok(write.sequence));
                outcome
            }
        }
    }

    /// Reads everything that is published.
    fn read(&self) -> u64 {
        let published = self.published.load(Ordering::Acquire);
        for sequence in 1..=published {
            // SAFETY: as in `allocate`.
            let found = self.table[sequence as usize].with(|cell| unsafe { *cell });
            assert_eq!(found, sequence, "published, but not there");
        }
        published
    }
}

fn spawn(store: &Arc<Store>) -> thread::JoinHandle<Outcome> {
    let store = store.clone();
    thread::spawn(move || store.write())
}

fn writers(mode: Mode, count: u64, preemptions: usize) {
    check(preemptions, move || {
        let store = Store::new(mode);
        let others: Vec<_> = (1..count).map(|_| spawn(&store)).collect();
        let mut outcomes = vec![store.write()];
        outcomes.extend(others.into_iter().map(|other| other.join().unwrap()));
        match mode {
            Mode::Serial | Mode::Parallel | Mode::PassedOn => {
                outcomes.sort();
                assert!(outcomes.into_iter().eq((1..=count).map(Ok)));
                assert_eq!(store.read(), count);
            }
            Mode::LeaderDrops => {
                assert!(outcomes.contains(&Err("let go")));
                assert!(outcomes.iter().all(|outcome| outcome.is_err()));
            }
            Mode::InserterDrops => {
                // Whoever led has an outcome; members that let go have their own error.
                assert!(outcomes.iter().any(|outcome| outcome.is_ok()));
            }
        }
        // The turn is free again.
        assert!(store.queue.try_exclusive().is_some());
    });
}

#[test]
fn two_writers_that_overlap() {
    writers(Mode::PassedOn, 2, 3);
}

#[test]
fn three_writers_that_overlap() {
    writers(Mode::PassedOn, 3, 2);
}

#[test]
fn two_writers_one_after_the_other_or_grouped() {
    writers(Mode::Serial, 2, 3);
}

#[test]
fn three_writers_one_after_the_other_or_grouped() {
    writers(Mode::Serial, 3, 2);
}

#[test]
fn two_writers_insert_in_parallel() {
    writers(Mode::Parallel, 2, 3);
}

#[test]
fn three_writers_insert_in_parallel() {
    writers(Mode::Parallel, 3, 2);
}

#[test]
fn a_lost_leader_wakes_its_followers() {
    writers(Mode::LeaderDrops, 2, 3);
    writers(Mode::LeaderDrops, 3, 2);
}

#[test]
fn a_lost_inserter_does_not_hold_up_its_leader() {
    writers(Mode::InserterDrops, 2, 3);
    writers(Mode::InserterDrops, 3, 2);
}

#[test]
fn an_exclusive_entrant_meets_no_writer() {
    [Mode::Parallel, Mode::PassedOn].into_iter().for_each(meet_no_writer);
}

fn meet_no_writer(mode: Mode) {
    check(2, move || {
        let store = Store::new(mode);
        let writer = spawn(&store);
        let other = store.clone();
        let exclusive = thread::spawn(move || {
            let _turn = other.queue.exclusive();
            let last = other.allocate();
            // Nothing is under way: what is allocated is published.
            assert_eq!(other.read(), last - 1);
            other.insert(&mut Write { sequence: last }).unwrap();
            other.published.store(last, Ordering::Release);
        });
        store.write().unwrap();
        writer.join().unwrap().unwrap();
        exclusive.join().unwrap();
        assert_eq!(store.read(), 3);
    });
}

#[test]
fn readers_see_no_gap_in_what_is_published() {
    for mode in [Mode::Serial, Mode::Parallel, Mode::PassedOn] {
        check(2, move || {
            let store = Store::new(mode);
            let writer = spawn(&store);
            let reading = store.clone();
            let reader = thread::spawn(move || {
                let first = reading.read();
                assert!(reading.read() >= first);
            });
            store.write().unwrap();
            writer.join().unwrap().unwrap();
            reader.join().unwrap();
        });
    }
}
