//! Row 7: sorted string tables.

pub mod block;
pub mod block_builder;
pub mod checksum;
pub mod fetch;
pub mod footer;
pub mod handle;
mod key_buf;
