//! Row 13: what works on whole databases: checkpoints, backups.

pub mod backup;
pub mod checkpoint;
mod copy;

#[cfg(test)]
#[path = "sample_tests.rs"]
mod sample;
