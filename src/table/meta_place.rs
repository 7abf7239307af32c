//! [`Place`]: where a reader has a part of its table's metadata.

use super::fetch::BlockType;
use super::handle::BlockHandle;
use super::options::TableReadOptions;
use super::reader::TableReader;
use crate::base::status::Result;
use crate::cache::CachedObject;
use std::any::Any;
use std::ops::Deref;

/// A decoded index or filter block.
pub(super) trait MetaBlock: Any + Send + Sync + Sized {
    /// What error messages call such blocks.
    const TYPE: BlockType;

    /// Decodes the block.
    fn decode(block: &[u8], table: &TableReader) -> Result<Self>;

    /// The memory that it takes, in bytes.
    fn memory_usage(&self) -> usize;
}

/// Where a `T` is.
pub(super) enum Place<T> {
    /// In the reader, for as long as that lives.
    Resident(T),
    /// Held, with its charge in a cache if it came from there.
    Held(CachedObject<T>),
    /// In the cache if that still has it, else to be read from the file.
    InFile(BlockHandle),
}

/// A `T` out of its place.
pub(super) enum Found<'a, T> {
    Borrowed(&'a T),
    Held(CachedObject<T>),
}

impl<T> Deref for Found<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Found::Borrowed(found) => found,
            Found::Held(found) => found,
        }
    }
}

impl<T: MetaBlock> Place<T> {
    /// What is here, for `table`.
    pub(super) fn get(
        &self,
        table: &TableReader,
        options: &TableReadOptions,
    ) -> Result<Found<'_, T>> {
        match self {
            Place::Resident(here) => Ok(Found::Borrowed(here)),
            Place::Held(here) => Ok(Found::Borrowed(here)),
            Place::InFile(handle) => table.meta_block(*handle, options).map(Found::Held),
        }
    }

    /// The memory that the reader alone answers for, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        match self {
            Place::Resident(here) => here.memory_usage(),
            Place::Held(_) | Place::InFile(_) => 0,
        }
    }
}
