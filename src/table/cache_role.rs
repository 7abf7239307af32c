//! What tables keep in the block cache.

use super::filter::FilterReader;
use super::flat_index::FlatIndex;
use crate::cache::{CachedBlock, EntryRole};

/// What a block in the cache is for.
pub fn cache_role(block: &CachedBlock) -> EntryRole {
    if block.holds_bytes() {
        EntryRole::DataBlock
    } else if block.holds::<FlatIndex>() {
        EntryRole::IndexBlock
    } else if block.holds::<FilterReader>() {
        EntryRole::FilterBlock
    } else if block.is_reservation() {
        EntryRole::WriteBuffer
    } else {
        EntryRole::Misc
    }
}
