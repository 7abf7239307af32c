//! Row 11: compaction: which tables are rewritten, into what, and the job that does it.

pub mod plan;
