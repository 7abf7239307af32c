//! Row 10: what is written to tables by flushes and compactions alike.

pub mod retention;
pub mod table_options;
