//! Row 1: what is counted and measured.
//!
//! A [`Statistics`] object belongs to the databases that were opened with it and counts
//! [`Ticker`]s and [`Histogram`]s. The engine holds it as [`Stats`], which costs one branch where
//! statistics are off. The perf context ([`perf`]) counts for single threads that ask for it.

pub mod activity;
pub mod buckets;
pub mod distribution;
pub mod histogram;
mod kind;
pub mod level;
pub mod metric;
pub mod perf;
pub mod shards;
pub mod statistics;
pub mod ticker;
pub mod timer;

#[cfg(test)]
mod tests;

pub use distribution::{Distribution, HistogramData};
pub use histogram::Histogram;
pub use level::StatsLevel;
pub use metric::Metric;
pub use perf::{PerfContext, PerfLevel, PerfTimer};
pub use statistics::{Statistics, Stats, count, is_watched, record};
pub use ticker::Ticker;
pub use timer::Timer;
