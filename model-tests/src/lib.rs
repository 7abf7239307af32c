//! Sources of the main crate, compiled against loom's atomics, locks and threads instead of the
//! real ones, so that the tests beside this can run them through every interleaving (up to a
//! bound on preemptions) that the memory model allows.
//!
//! Nothing is copied: the modules are the main crate's own files, and `base::sync`, through which
//! they take everything that synchronises, is the one module that differs.

// Their unit tests belong to the main crate.
#![cfg(not(test))]
#![allow(
    clippy::unnecessary_min_or_max,
    clippy::absurd_extreme_comparisons,
    reason = "`SPIN_LIMIT` is 0 here"
)]

pub mod base;
pub mod db;
pub mod memtable;

/// Runs `test` under the model checker, with at most `preemptions` forced switches a run.
pub fn check(preemptions: usize, test: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(test);
}
