//! Row 13: what works on whole databases: checkpoints, backups.

pub mod checkpoint;
mod copy;
