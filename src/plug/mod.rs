//! Row 2: what users plug in, as traits and plain data.

pub mod compact_on_deletion;
pub mod compaction_filter;
pub mod counted_merge_operator;
pub mod filter_policy;
pub mod logger;
pub mod merge_operator;
pub mod merge_operators;
pub mod prefix_seek;
pub mod recovery_mode;
pub mod slice_transform;
pub mod table_predicate;
pub mod table_properties;
mod table_properties_text;
