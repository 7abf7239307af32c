//! Row 11: compaction: which tables are rewritten, into what, and the job that does it.

mod boundaries;
mod bounds;
mod grandparents;
mod inputs;
pub mod job;
mod level0;
pub mod levels;
pub mod manual;
pub mod marked;
mod old_files;
mod order;
mod output;
mod outputs;
pub mod picker;
pub mod plan;
pub mod running;
pub mod score;
mod sources;
mod subcompaction;

#[cfg(test)]
mod picker_tests;
