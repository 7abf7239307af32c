//! `db_bench` from nothing: its folder does not exist, and it measures the library it was built with.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use std::process::Command;

const WORKLOADS: &str = "fillseq,fillrandom,fillbatch,fillsync,overwrite,deleteseq,deleterandom,\
                         readrandom,readmissing,readhot,readseq,readreverse,seekrandom,newiterator,\
                         readwhilewriting,flush";

#[test]
fn every_workload_runs_in_a_new_folder_and_again_in_the_old_one() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("bench");
    for _ in 0..2 {
        let run = Command::new(env!("CARGO_BIN_EXE_db_bench"))
            .args(["--num=2000", "--bloom_bits=10", &format!("--benchmarks={WORKLOADS}")])
            .arg(format!("--db={}", dir.display()))
            .output()
            .unwrap();
        let (out, err) =
            (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{out}{err}");
        for name in WORKLOADS.split(',') {
            let line = out.lines().find(|line| line.split_whitespace().next() == Some(name));
            assert!(line.is_some_and(|line| line.contains("micros/op")), "{name}: {out}{err}");
        }
    }
}
