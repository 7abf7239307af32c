//! Row 11: compaction: which tables are rewritten, into what, and the job that does it.

mod bounds;
mod level0;
pub mod levels;
pub mod manual;
pub mod marked;
mod order;
mod output;
pub mod picker;
pub mod plan;
pub mod running;
pub mod score;

#[cfg(test)]
mod picker_tests;
