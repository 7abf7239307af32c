//! `db_bench`: every workload over our library, RocksDB's and LevelDB's, and comparisons of them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where Debian puts other libraries with one of the two interfaces.
const FOLDER: &str = "/usr/lib/x86_64-linux-gnu";

/// Workloads of RocksDB's interface alone.
const ROCKSDB_ONLY: &[&str] = &[
    "deleterange",
    "readpinned",
    "multireadrandom",
    "multireadwhilewriting",
    "mergerandom",
    "readwhilemerging",
    "seekrandomwhilemerging",
    "readrandommergerandom",
    "flush",
    "levelstats",
];

fn bench(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_db_bench"))
        .arg(format!("--db={}", dir.join("db").display()))
        .args(["--num=2000", "--bloom_bits=10"])
        .args(args)
        .output()
        .unwrap()
}

fn printed(run: &Output) -> String {
    let [out, err] = [&run.stdout, &run.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(run.status.success(), "{out}{err}");
    out.into_owned()
}

/// The first word of each line of help behind "Workloads:".
fn workloads() -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let help = printed(&bench(dir.path(), &["--help"]));
    let (_, list) = help.split_once("Workloads:\n").unwrap();
    list.lines().filter_map(|line| line.split_whitespace().next()).map(Into::into).collect()
}

/// The lines by workload.
fn lines(out: &str) -> HashMap<&str, &str> {
    out.lines().filter_map(|line| line.split_once(" : ").map(|(n, l)| (n.trim(), l))).collect()
}

/// A library of others, or none with a word about it.
fn peer(name: &str) -> Option<PathBuf> {
    let file = Path::new(FOLDER).join(name);
    if file.exists() {
        return Some(file);
    }
    assert!(std::env::var_os("HEMATITE_REQUIRE_PEERS").is_none(), "{name} is missing");
    println!("skipped: {name} is missing");
    None
}

#[test]
fn every_workload_runs_in_a_new_folder_and_again_in_the_old_one() {
    let dir = tempfile::tempdir().unwrap();
    let all = workloads();
    assert!(all.len() > 40, "{all:?}");
    let list = format!("--benchmarks={}", all.join(","));
    for _ in 0..2 {
        let out = printed(&bench(
            dir.path(),
            &["--merge_operator=put", "--batch_size=10", "--prefix_size=8", &list],
        ));
        let lines = lines(&out);
        for name in &all {
            if matches!(name.as_str(), "stats" | "levelstats" | "sstables") {
                continue;
            }
            assert!(lines[name.as_str()].contains("micros/op"), "{name}: {out}");
        }
        assert!(out.contains("** Compaction Stats [default] **"), "{out}");
    }
}

#[test]
fn what_is_read_is_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut libraries = vec![None];
    libraries.extend(["librocksdb.so", "libleveldb.so"].into_iter().filter_map(peer).map(Some));
    for library in libraries {
        let list = "--benchmarks=fillseq,readrandom,readmissing,readhot,seekrandom,readseq,\
                    readreverse,deleteseq,readrandom";
        let library = library.map(|file| format!("--library={}", file.display()));
        let args: Vec<&str> = [Some(list), library.as_deref()].into_iter().flatten().collect();
        let out = printed(&bench(dir.path(), &args));
        let found: Vec<&str> = out.lines().filter(|line| line.contains(" found)")).collect();
        let counts = ["2000", "0", "2000", "2000", "0"];
        assert_eq!(found.len(), counts.len(), "{out}");
        for (line, count) in found.iter().zip(counts) {
            assert!(line.contains(&format!("({count} of 2000 found)")), "{out}");
        }
        for name in ["readseq", "readreverse"] {
            assert!(lines(&out)[name].contains(" 2000 operations;"), "{out}");
        }
    }
}

#[test]
fn a_workload_that_a_library_lacks_is_left_out() {
    let Some(leveldb) = peer("libleveldb.so") else { return };
    let dir = tempfile::tempdir().unwrap();
    let library = format!("--library={}", leveldb.display());
    let list = format!("--benchmarks=fillseq,{},readrandom", ROCKSDB_ONLY.join(","));
    let out = printed(&bench(dir.path(), &[&library, &list]));
    let lines = lines(&out);
    for name in ROCKSDB_ONLY {
        assert!(lines[name].starts_with("not available ("), "{name}: {out}");
    }
    assert!(lines["readrandom"].contains("(2000 of 2000 found)"), "{out}");
}

#[test]
fn comparisons_write_a_table_figures_and_a_chart() {
    let dir = tempfile::tempdir().unwrap();
    let peers = ["librocksdb.so", "libleveldb.so"].map(peer);
    let [Some(rocksdb), Some(leveldb)] = peers else { return };
    let file = |flag: &str| format!("--{flag}={}", dir.path().join(flag).display());
    let compare = format!("--compare={},{}", rocksdb.display(), leveldb.display());
    let (csv, svg, disk) = (file("csv"), file("svg"), file("disk_db"));
    let args = [&*compare, "--rounds=2", &csv, &svg, &disk, "--markdown"];
    let out = printed(&bench(dir.path(), &[&args[..], &["--suite=core", "--num=1000"]].concat()));
    assert!(out.starts_with("| workload | to rocksdb | to leveldb |\n"), "{out}");
    let row = |name: &str| out.lines().find(|line| line.starts_with(&format!("| {name} |")));
    for name in ["fillbatch", "overwrite until settled", "seek + 50 next", "geometric mean"] {
        assert!(row(name).is_some(), "{name}: {out}");
    }
    assert!(row("mergerandom").unwrap().ends_with(" |  |"), "{out}");
    let read = |flag: &str| std::fs::read_to_string(dir.path().join(flag)).unwrap();
    let csv = read("csv");
    let rows = |start: &str| csv.lines().filter(|line| line.starts_with(start)).count();
    assert!(csv.starts_with("round,library,row,workload,"), "{csv}");
    assert_eq!(rows("1,rocksdb,"), rows("1,hematite,"), "{csv}");
    assert_eq!(rows("2,leveldb,"), rows("2,hematite,"), "{csv}");
    assert!(read("svg").contains("throughput to rocksdb"));
}

#[test]
fn a_process_that_fails_ends_the_comparison() {
    let dir = tempfile::tempdir().unwrap();
    let run = bench(dir.path(), &["--compare=x=/does/not/exist.so", "--benchmarks=fillseq"]);
    let err = String::from_utf8_lossy(&run.stderr);
    assert!(!run.status.success() && err.contains("x failed"), "{err}");
    assert!(err.contains("/does/not/exist.so"), "{err}");
}
