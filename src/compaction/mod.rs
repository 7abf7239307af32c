//! Row 11: compaction: which tables are rewritten, into what, and the job that does it.

mod boundaries;
mod bounds;
mod fifo;
mod grandparents;
mod incremental;
mod inputs;
pub mod job;
mod level0;
pub mod levels;
mod making;
pub mod manual;
pub mod marked;
mod old_files;
mod order;
mod output;
mod outputs;
pub mod picker;
pub mod plan;
pub mod running;
mod runs;
pub mod score;
mod sources;
mod subcompaction;
mod universal;

#[cfg(test)]
mod picker_tests;
