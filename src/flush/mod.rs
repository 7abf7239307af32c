//! Row 10: memtables to tables.

pub mod job;
pub mod retention;
pub mod table_options;
