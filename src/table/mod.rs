//! Row 7: sorted string tables.

mod anchors;
pub mod block;
pub mod block_builder;
pub mod builder;
pub mod checksum;
pub mod fetch;
pub mod filter;
mod flat_index;
pub mod footer;
mod get;
pub mod handle;
pub mod index;
pub mod iter;
mod key_buf;
pub mod meta;
pub mod options;
pub mod properties;
mod range_del;
mod read_ahead;
pub mod reader;
mod table_filter;
pub mod unique_id;
pub mod value;

#[cfg(test)]
mod reader_tests;

pub use anchors::Anchor;
pub use iter::TableIter;
pub use options::{TableReadOptions, TableReaderOptions};
pub use reader::TableReader;
pub use value::{BlockValue, PinnedValue};
