//! A process that writes is killed at a random moment, again and again, on one database: after
//! each kill every acknowledged write is there, each thread's in order, batches whole.
//!
//! `HEMATITE_KILL_ROUNDS` sets the number of rounds, `HEMATITE_SEED` the seed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

#[path = "support/numbered.rs"]
mod numbered;
#[path = "support/watchdog.rs"]
mod watchdog;

use hematite::base::random::Random;
use hematite::base::sync::Arc;
use hematite::db::{Db, Family, FamilyOptions, OpenRequest, open};
use hematite::options::{CfOptions, DbOptions, ReadOptions, WriteOptions};
use numbered::{batch, expected, marker_of, scan};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use watchdog::Watchdog;

const THREADS: u64 = 4;
const ROLE: &str = "HEMATITE_KILL_CHILD";

type Opened = (Arc<Db>, Vec<Arc<Family>>);

fn open_database(dir: &Path, rng: &mut Random) -> Opened {
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        recycle_log_file_num: if rng.one_in(3) { 2 } else { 0 },
        avoid_flush_during_recovery: rng.one_in(2),
        max_total_wal_size: if rng.one_in(2) { 200 << 10 } else { 0 },
        max_manifest_file_size: if rng.one_in(2) { 1000 } else { 1 << 30 },
        max_subcompactions: 1 + rng.below(3) as u32,
        ..DbOptions::default()
    };
    let cf = CfOptions {
        write_buffer_size: 64 << 10,
        arena_block_size: 4096,
        level0_file_num_compaction_trigger: 2,
        target_file_size_base: 8 << 10,
        max_bytes_for_level_base: 32 << 10,
        max_bytes_for_level_multiplier: 2.0,
        ..CfOptions::default()
    };
    let family = |name: &str| FamilyOptions { name: name.into(), options: cf.clone() };
    open(OpenRequest {
        path: dir.join("db"),
        options,
        families: vec![family("default"), family("second")],
        read_only: false,
        error_if_wal_file_exists: false,
    })
    .unwrap()
}

fn marker(db: &Db, family: &Family, thread: u64) -> u64 {
    marker_of(db, family, &ReadOptions::default(), thread)
}

/// Writes until it is killed.
fn child(dir: &Path) -> ! {
    let mut rng = Random::new(std::process::id().into());
    let (db, families) = open_database(dir, &mut rng);
    let acks = OpenOptions::new().append(true).open(dir.join("acks")).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (db, families, acks) = (&db, &families, &acks);
            let mut rng = Random::new(rng.next_u64());
            scope.spawn(move || write_forever(db, families, thread, acks, &mut rng));
        }
    });
    unreachable!("writers end only by a kill");
}

fn write_forever(
    db: &Db,
    families: &[Arc<Family>],
    thread: u64,
    mut acks: &File,
    rng: &mut Random,
) {
    let mut number = marker(db, &families[0], thread);
    loop {
        number += 1;
        let options = WriteOptions { sync: rng.one_in(20), ..WriteOptions::default() };
        db.write(&options, &mut batch(thread, number, families)).unwrap();
        // One write, so that a kill leaves all of it or nothing.
        let ack = [thread.to_le_bytes(), number.to_le_bytes()].concat();
        assert_eq!(acks.write(&ack).unwrap(), ack.len());
    }
}

/// The last number that each thread acknowledged.
fn acknowledged(dir: &Path) -> BTreeMap<u64, u64> {
    let mut last = BTreeMap::new();
    for ack in std::fs::read(dir.join("acks")).unwrap().chunks_exact(16) {
        let half = |at: usize| u64::from_le_bytes(ack[at..at + 8].try_into().unwrap());
        last.insert(half(0), half(8));
    }
    last
}

fn start_child(dir: &Path) -> Child {
    File::create(dir.join("acks")).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "acknowledged_writes_survive_kills", "--nocapture"])
        .env(ROLE, dir)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Lets a child write for a while.
fn write_and_kill(dir: &Path, rng: &mut Random) {
    let mut child = start_child(dir);
    while std::fs::metadata(dir.join("acks")).unwrap().len() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "the writing process failed");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_micros(10_000 + rng.below(50_000)));
    assert!(child.try_wait().unwrap().is_none(), "the writing process failed");
    child.kill().unwrap();
    child.wait().unwrap();
}

fn check_contents(db: &Db, families: &[Arc<Family>], markers: &[u64]) {
    for (at, family) in families.iter().enumerate() {
        let mut iter = db.iter(family, &ReadOptions::default()).unwrap();
        let same = scan(&mut iter) == expected(at, markers);
        assert!(same, "column family {at} is not as after batches {markers:?}");
    }
}

#[test]
fn acknowledged_writes_survive_kills() {
    if let Ok(dir) = std::env::var(ROLE) {
        child(&PathBuf::from(dir));
    }
    let mut rng = Random::from_env(31);
    let rounds = std::env::var("HEMATITE_KILL_ROUNDS").ok().and_then(|n| n.parse().ok());
    let rounds: u64 = rounds.unwrap_or(100);
    let _watchdog = Watchdog::new("the kill test", 120 + 5 * rounds);
    let dir = tempfile::tempdir().unwrap();
    let mut markers = vec![0; THREADS as usize];
    for round in 0..rounds {
        write_and_kill(dir.path(), &mut rng);
        let acks = acknowledged(dir.path());
        let (db, families) = open_database(dir.path(), &mut rng);
        for thread in 0..THREADS {
            let found: Vec<u64> = families.iter().map(|f| marker(&db, f, thread)).collect();
            let before = markers[thread as usize];
            let acked = acks.get(&thread).copied().unwrap_or(before);
            assert!(found[0] == found[1], "round {round}: half a batch: {found:?}");
            assert!(
                (acked..=acked + 1).contains(&found[0]),
                "round {round}: batch {acked} of thread {thread} was acknowledged, {} found",
                found[0]
            );
            markers[thread as usize] = found[0];
        }
        check_contents(&db, &families, &markers);
        db.close().unwrap();
    }
    println!("{rounds} rounds, {} batches", markers.iter().sum::<u64>());
}
