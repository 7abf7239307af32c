//! The main crate's `db`, as far as it is under test.

#[path = "../../../src/db/write_queue.rs"]
pub mod write_queue;
