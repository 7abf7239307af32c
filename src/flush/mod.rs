//! Row 11: memtables to tables.

pub mod job;
