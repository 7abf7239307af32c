//! `atomic_flush` and `force_atomic_flush`: column families that are written without a log are of one
//! moment after a crash.

use super::db_tests::TestDb;
use super::family::Family;
use crate::base::random::Random;
use crate::base::sync::{Arc, Mutex};
use crate::batch::WriteBatch;
use crate::env::Env;
use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
use crate::env::memory::{CrashPolicy, Event, MemoryFileSystem, Unsynced};
use crate::options::compact::WaitForCompactOptions;
use crate::options::{FlushOptions, ReadOptions, WriteOptions};

const NAMES: [&str; 3] = ["default", "one", "two"];

fn unlogged() -> WriteOptions {
    WriteOptions { disable_wal: true, ..WriteOptions::default() }
}

/// A database that is open on `fs`.
fn database(env: Env, atomic_flush: bool) -> TestDb {
    let mut test = TestDb::new();
    test.db.env = env;
    test.db.atomic_flush = atomic_flush;
    test.db.avoid_flush_during_shutdown = true;
    test.cf.disable_auto_compactions = true;
    test.cf.max_write_buffer_number = 10;
    test.names = NAMES.to_vec();
    test.try_open().unwrap();
    test
}

/// Writes `number` to every family, and filler to one, without a log.
fn write(test: &TestDb, number: u64, filled: usize, filler: &[u8]) {
    let mut batch = WriteBatch::new();
    for index in 0..NAMES.len() {
        let id = test.family(index).id();
        batch.put(id, b"number", number.to_string().as_bytes()).unwrap();
        if index == filled {
            batch.put(id, format!("filler{number}").as_bytes(), filler).unwrap();
        }
    }
    test.db().write(&unlogged(), &mut batch).unwrap();
}

/// The number that each family has.
fn numbers(test: &TestDb) -> Vec<u64> {
    let number = |index| {
        let found = test.db().get_pinned(test.family(index), &ReadOptions::default(), b"number");
        let found = found.unwrap().map(|value| value.as_slice().to_vec());
        found.map_or(0, |text| String::from_utf8(text).unwrap().parse().unwrap())
    };
    (0..NAMES.len()).map(number).collect()
}

/// What crashes may leave while families fill at different speeds: the numbers of each image.
fn crash(random: &mut Random, atomic_flush: bool) -> Vec<Vec<u64>> {
    crash_during(random, atomic_flush, |random, test| {
        for number in 1..150 {
            let filled = if random.one_in(3) { random.below(3) as usize } else { 0 };
            let len = random.below(4000) as usize;
            write(test, number, filled, &random.bytes(len));
        }
    })
}

/// What crashes may leave during `work`: the numbers of each image.
fn crash_during(
    random: &mut Random,
    atomic_flush: bool,
    work: impl FnOnce(&mut Random, &TestDb),
) -> Vec<Vec<u64>> {
    let fs = MemoryFileSystem::new();
    let test = database(Env::with_fs(Arc::new(fs.clone())), atomic_flush);
    let images = Arc::new(Mutex::new((Random::new(random.next_u64()), Vec::new())));
    let camera = images.clone();
    fs.set_hook(Some(Arc::new(move |fs: &MemoryFileSystem, _, event| {
        let mut guard = camera.lock();
        let (rng, images) = &mut *guard;
        if !rng.one_in(if event == Event::AfterChange { 20 } else { 3 }) {
            return;
        }
        let mut policy = CrashPolicy::random(rng);
        if policy.data == Unsynced::AnyOrder {
            policy.data = Unsynced::Prefix;
        }
        images.push(fs.crash_image(rng, policy));
    })));
    work(random, &test);
    test.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    fs.set_hook(None);
    let images = std::mem::take(&mut images.lock().1);
    drop(test);
    images
        .into_iter()
        .map(|image| numbers(&database(Env::with_fs(Arc::new(image)), atomic_flush)))
        .collect()
}

#[test]
fn families_are_of_one_moment_after_a_crash() {
    let mut random = Random::from_env(101);
    let (mut newest, mut torn) = (0, 0);
    for _ in 0..3 {
        for found in crash(&mut random, true) {
            assert!(found.iter().all(|number| *number == found[0]), "{found:?}");
            newest = newest.max(found[0]);
        }
        let without = crash(&mut random, false);
        torn += without.iter().filter(|found| found.iter().any(|n| *n != found[0])).count();
    }
    assert!(newest > 50, "{newest}");
    // What the option is for does happen without it.
    assert!(torn > 0);
}

#[test]
fn a_flush_takes_the_families_that_it_names() {
    let test = database(Env::memory(), true);
    write(&test, 1, 0, b"");
    let files = || {
        let count = |i| test.family(i).persistent.current().files(0).len();
        [count(0), count(1), count(2)]
    };
    let (one, two) = (test.family(1).clone(), test.family(2).clone());
    test.db().flush(std::slice::from_ref(&one), &FlushOptions::default()).unwrap();
    assert_eq!(files(), [0, 1, 0]);
    write(&test, 2, 0, b"");
    test.db().flush(&[one, two], &FlushOptions::default()).unwrap();
    assert_eq!(files(), [0, 2, 1]);
    // A full memtable takes the others along.
    (3..40).for_each(|number| write(&test, number, 0, &[7; 4000]));
    test.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    let [default, one, two] = files();
    assert!(default > 0 && (one, two) == (default + 2, default + 1), "{:?}", files());
}

#[test]
fn a_family_whose_table_fails_keeps_the_others_back() {
    let fs = Arc::new(FaultFileSystem::new(Arc::new(MemoryFileSystem::volatile())));
    let test = database(Env::with_fs(fs.clone()), true);
    write(&test, 1, 0, b"");
    // The sync of the second table fails.
    let rule = Rule::once(Operations::SYNC, "*.sst", 1, Fault::Error(libc::EIO));
    fs.add(rule);
    let families: Vec<_> = (0..3).map(|index| test.family(index).clone()).collect();
    test.db().flush(&families, &FlushOptions::default()).unwrap_err();
    for family in &families {
        assert_eq!(family.persistent.current().files(0).len(), 0);
    }
    let names = test.db.env.fs().list(&test.path).unwrap();
    assert!(!names.iter().any(|name| name.ends_with(".sst")), "{names:?}");
    assert_eq!(numbers(&test), [1, 1, 1]);
}

#[test]
fn a_family_that_is_dropped_holds_nobody_back() {
    let test = database(Env::memory(), true);
    write(&test, 1, 0, b"");
    test.db().drop_family(test.family(1)).unwrap();
    let families = [test.family(0).clone(), test.family(2).clone()];
    test.db().flush(&families, &FlushOptions::default()).unwrap();
    for family in &families {
        assert_eq!(family.persistent.current().files(0).len(), 1);
    }
}

fn families(test: &TestDb) -> Vec<Arc<Family>> {
    (0..NAMES.len()).map(|index| test.family(index).clone()).collect()
}

/// Numbers of the images of a database whose families are flushed together again and again.
fn crash_while_flushing(random: &mut Random, force_atomic_flush: bool) -> Vec<Vec<u64>> {
    crash_during(random, false, |random, test| {
        for number in 1..80 {
            write(test, number, 0, b"");
            if random.one_in(2) {
                let wait = random.one_in(3);
                let options = FlushOptions { force_atomic_flush, wait, ..FlushOptions::default() };
                test.db().flush(&families(test), &options).unwrap();
            }
        }
        test.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    })
}

#[test]
fn one_flush_may_be_atomic() {
    let mut random = Random::from_env(102);
    let (mut newest, mut torn) = (0, 0);
    for _ in 0..3 {
        for found in crash_while_flushing(&mut random, true) {
            assert!(found.iter().all(|number| *number == found[0]), "{found:?}");
            newest = newest.max(found[0]);
        }
        let without = crash_while_flushing(&mut random, false);
        torn += without.iter().filter(|found| found.iter().any(|n| *n != found[0])).count();
    }
    assert!(newest > 30, "{newest}");
    assert!(torn > 0);
}

#[test]
fn a_group_takes_along_what_was_to_be_flushed_alone() {
    let mut random = Random::from_env(103);
    let images = crash_during(&mut random, false, |_, test| {
        let later = FlushOptions { wait: false, ..FlushOptions::default() };
        let together = FlushOptions { force_atomic_flush: true, ..later.clone() };
        let db = test.db();
        db.pause_background_work().unwrap();
        write(test, 1, 0, b"");
        db.flush(&families(test)[..1], &later).unwrap();
        write(test, 2, 0, b"");
        db.flush(&families(test)[..2], &together).unwrap();
        write(test, 3, 0, b"");
        // Groups that share a family become one.
        db.flush(&families(test)[1..], &together).unwrap();
        db.continue_background_work().unwrap();
        db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
        let state = db.state.lock();
        assert!(state.families.values().all(|f| f.flush_group.is_none() && f.imm.is_empty()));
    });
    assert!(images.contains(&vec![2, 3, 3]), "{images:?}");
    assert!(
        images.iter().all(|n| [[0, 0, 0], [2, 3, 3]].contains(&[n[0], n[1], n[2]])),
        "{images:?}"
    );
}

#[test]
fn a_group_is_flushed_up_to_where_it_was_made() {
    let test = database(Env::memory(), false);
    let together =
        FlushOptions { force_atomic_flush: true, wait: false, ..FlushOptions::default() };
    let later = FlushOptions { wait: false, ..FlushOptions::default() };
    let db = test.db();
    db.pause_background_work().unwrap();
    write(&test, 1, 0, b"");
    db.flush(&families(&test), &together).unwrap();
    write(&test, 2, 0, b"");
    db.flush(&families(&test)[..1], &later).unwrap();
    db.continue_background_work().unwrap();
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    let files: Vec<usize> =
        families(&test).iter().map(|f| f.persistent.current().files(0).len()).collect();
    assert_eq!(files, [2, 1, 1]);
}
