//! Row 7: sorted string tables.

mod anchors;
pub mod block;
pub mod block_builder;
pub mod builder;
mod cache_role;
pub mod checksum;
mod deletion_counter;
pub mod fetch;
pub mod filter;
mod filter_writer;
mod flat_index;
pub mod footer;
mod get;
pub mod handle;
mod hash_index;
mod held_blocks;
pub mod index;
mod index_reader;
pub mod iter;
mod key_buf;
mod key_set;
pub mod meta;
mod meta_place;
mod multi_get;
pub mod options;
mod output;
pub mod properties;
mod range_del;
mod read_ahead;
pub mod reader;
mod scan_end;
mod separated;
mod table_filter;
pub mod unique_id;
pub mod value;
mod watch;
mod write_watch;

#[cfg(test)]
mod reader_tests;

pub use anchors::Anchor;
pub use cache_role::cache_role;
pub use iter::TableIter;
pub use key_set::KeySet;
pub use multi_get::{BatchKey, BatchVisitor};
pub use options::{MetadataCaching, TableReadOptions, TableReaderOptions};
pub use reader::TableReader;
pub use scan_end::ScanEnd;
pub use value::{BlockValue, PinnedValue};
