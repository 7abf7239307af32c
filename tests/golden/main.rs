//! Databases that RocksDB and LevelDB wrote, opened by Hematite: contents and errors must be what
//! RocksDB says they are.
//!
//! The collection lies beside the repository (`HEMATITE_GOLDEN`, else `../shared/golden`); without
//! it the test says so and passes. `waiting.txt` names the cases, or single checks of cases, that
//! need what is not built yet, and those where Hematite differs on purpose. It only shrinks: an
//! entry whose checks all pass fails the test. `HEMATITE_GOLDEN_ONLY` restricts the run to the
//! cases whose name contains it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod case;
mod check;
mod expected;
mod settings;
mod waiting;

use case::{Case, Check};
use check::Verdict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use waiting::Waiting;

fn collection() -> Option<PathBuf> {
    let dir = std::env::var_os("HEMATITE_GOLDEN").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/golden"),
        PathBuf::from,
    );
    dir.join("README.md").exists().then_some(dir)
}

/// Runs every check of every case on a few threads; results by `case/check`.
fn run(cases: &[Case]) -> BTreeMap<String, Verdict> {
    let jobs: Vec<(&Case, &Check)> =
        cases.iter().flat_map(|case| case.checks.iter().map(move |check| (case, check))).collect();
    let queue = Mutex::new(jobs.into_iter());
    let results = Mutex::new(BTreeMap::new());
    let work = || {
        loop {
            let Some((case, check)) = queue.lock().unwrap().next() else { return };
            let verdict = check::run(case, check);
            results.lock().unwrap().insert(format!("{}/{}", case.name, check.name), verdict);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get().min(8)) {
            scope.spawn(work);
        }
    });
    results.into_inner().unwrap()
}

#[test]
fn databases_by_real_rocksdb_open_with_the_same_contents() {
    let Some(dir) = collection() else {
        println!("skipped: no golden databases (HEMATITE_GOLDEN)");
        return;
    };
    let only = std::env::var("HEMATITE_GOLDEN_ONLY").unwrap_or_default();
    let cases: Vec<Case> =
        case::load_all(&dir).into_iter().filter(|case| case.name.contains(&only)).collect();
    assert!(!cases.is_empty(), "no cases in {}", dir.display());
    let waiting = Waiting::load();
    let verdicts = run(&cases);
    report(&cases, &verdicts, &waiting);
    let mut complaints: Vec<String> = verdicts
        .iter()
        .filter(|(name, _)| waiting.reason(name).is_none())
        .filter_map(|(name, verdict)| Some(format!("{name}: {}", verdict.as_ref().err()?)))
        .collect();
    complaints.extend(waiting.outlived(&verdicts, only.is_empty()));
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

fn report(cases: &[Case], verdicts: &BTreeMap<String, Verdict>, waiting: &Waiting) {
    let mut waits = BTreeMap::<&str, usize>::new();
    for reason in verdicts.keys().filter_map(|name| waiting.reason(name)) {
        *waits.entry(reason).or_default() += 1;
    }
    let waiting_checks: usize = waits.values().sum();
    let run = verdicts.len() - waiting_checks;
    println!(
        "{} cases, {} checks: {run} run, {waiting_checks} wait for",
        cases.len(),
        verdicts.len()
    );
    for (reason, count) in waits {
        println!("{count:6} {reason}");
    }
}
