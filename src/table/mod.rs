//! Row 7: sorted string tables.

pub mod block;
pub mod block_builder;
pub mod checksum;
pub mod fetch;
pub mod filter;
pub mod footer;
pub mod handle;
pub mod index;
mod key_buf;
pub mod meta;
pub mod properties;
pub mod unique_id;
