//! Row 11: the database: open, recover, write, read, flush, close.

pub mod write_queue;
