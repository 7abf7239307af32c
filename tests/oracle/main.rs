//! The real RocksDB as an oracle: both libraries are loaded into this process and get the same
//! calls, chosen by a seed; every return, error kind and iterator position must agree. Now and
//! then each opens the files of the other.
//!
//! `HEMATITE_SEED` sets the seed, `HEMATITE_ORACLE_SECONDS` the time, `HEMATITE_ORACLE` the file
//! of the other library, and `HEMATITE_LIBRARY` that of ours: the real one on both sides checks the
//! checker.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

mod call;
mod library;
mod operators;
mod settings;
mod side;

use call::{Call, Chooser, Copy};
use hematite::base::random::Random;
use library::Library;
use settings::Settings;
use side::Side;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const CALLS_A_ROUND: usize = 3000;
/// How many of the last calls a failure shows.
const SHOWN: usize = 40;

/// Ours, as it was built with this test.
fn ours() -> Library {
    let built = || std::env::current_exe().unwrap().with_file_name("libhematite.so");
    let file = std::env::var_os("HEMATITE_LIBRARY").map_or_else(built, PathBuf::from);
    Library::load("Hematite", &file).unwrap()
}

/// The real library; `None`, with a line that says so, if there is none.
fn theirs() -> Option<Library> {
    let file = std::env::var_os("HEMATITE_ORACLE").unwrap_or_else(|| "librocksdb.so.7.8".into());
    match Library::load("RocksDB", &PathBuf::from(file)) {
        Ok(library) => Some(library),
        Err(missing) => {
            let required = std::env::var_os("HEMATITE_REQUIRE_PEERS");
            let required = required.is_some_and(|v| v != "0" && !v.is_empty());
            assert!(!required, "HEMATITE_REQUIRE_PEERS is set, but {missing}");
            println!("skipped: {missing}");
            None
        }
    }
}

#[test]
fn every_call_returns_what_rocksdb_returns() {
    let Some(theirs) = theirs() else { return };
    let ours = ours();
    let mut random = Random::from_env(21);
    let seconds = std::env::var("HEMATITE_ORACLE_SECONDS").ok().and_then(|s| s.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(30));
    let (mut rounds, mut calls) = (0, 0);
    while rounds == 0 || Instant::now() < end {
        let seed = random.next_u64();
        calls += round(&ours, &theirs, seed);
        rounds += 1;
    }
    println!("{rounds} rounds, {calls} calls");
}

/// One database with one set of options, in each library. Returns the number of calls.
fn round(ours: &Library, theirs: &Library, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let settings = Settings::random(&mut random);
    println!("round {seed}: {settings:?}");
    let dir = folder();
    let mut sides = [(ours, "a"), (theirs, "b")]
        .map(|(library, name)| Side::open(library, &settings, &dir.path().join(name)).unwrap());
    let mut chooser =
        Chooser::new(settings.prefix_len.is_some(), settings.reverse_order, settings.ranges);
    let mut last = VecDeque::new();
    for number in 0..CALLS_A_ROUND {
        let call = chooser.next(&mut random);
        last.push_back(call.clone());
        if last.len() > SHOWN {
            last.pop_front();
        }
        let returned = match call {
            Call::Reopen { swapped } => reopen(&mut sides, swapped),
            Call::Copy { ref how, of_other } => copies(&mut sides, how, of_other, dir.path()),
            _ => sides.each_mut().map(|side| side.run(&call)),
        };
        if returned[0] != returned[1] {
            for call in &last {
                println!("{call:?}");
            }
            println!("{settings:?}");
            for (side, returned) in sides.iter().zip(&returned) {
                println!("{}: {returned}", side.name());
            }
            panic!("call {number} of round {seed} returns different things");
        }
    }
    let families = sides.each_ref().map(Side::list_families);
    assert_eq!(families[0], families[1], "round {seed}");
    CALLS_A_ROUND
}

/// Copies both databases and shows what is in the copies, each opened by its own side or by the
/// other one.
fn copies(sides: &mut [Side<'_>; 2], how: &Copy, of_other: bool, dir: &Path) -> [String; 2] {
    let mut dirs = ["copy a", "copy b"].map(|name| dir.join(name));
    let copied = [0, 1].map(|at| sides[at].copy(how, &dirs[at]));
    if copied != ["ok", "ok"] {
        return copied;
    }
    if of_other {
        dirs.reverse();
    }
    let shown = [0, 1].map(|at| sides[at].contents_of(&dirs[at]));
    for dir in dirs {
        std::fs::remove_dir_all(dir).unwrap();
    }
    shown
}

/// In memory where there is such a place, since both sync much.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn reopen(sides: &mut [Side<'_>; 2], swapped: bool) -> [String; 2] {
    let newest = sides.each_mut().map(Side::put_newest);
    sides.iter_mut().for_each(Side::close);
    let mut dirs = sides.each_ref().map(|side| side.dir.clone());
    if swapped {
        dirs.reverse();
    }
    let [first, second] = dirs;
    let [ours, theirs] = sides;
    let opened = [ours.reopen_at(first), theirs.reopen_at(second)];
    [0, 1].map(|at| format!("{} {}", newest[at], opened[at]))
}
