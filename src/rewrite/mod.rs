//! Row 10: what is written to tables by flushes and compactions alike.

mod counts;
mod operands;
pub mod output_table;
pub mod stop;
pub mod stream;
mod stream_merge;
pub mod table_options;
pub mod timed_filter;
pub mod tombstones;

pub use self::counts::StreamCounts;
