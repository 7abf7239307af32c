//! [`BlockValue`] and [`PinnedValue`]: values as they stand in their block.

use crate::base::sync::Arc;
use crate::cache::CachedBlock;
use std::ops::{Deref, Range};

/// A value lent by a table reader.
#[derive(Clone)]
pub struct BlockValue<'a> {
    block: &'a Arc<CachedBlock>,
    range: Range<usize>,
}

impl<'a> BlockValue<'a> {
    /// The bytes at `range` of `block`, which must be within it.
    #[inline]
    pub(super) fn new(block: &'a Arc<CachedBlock>, range: Range<usize>) -> BlockValue<'a> {
        BlockValue { block, range }
    }

    /// The value.
    #[inline]
    pub fn as_slice(&self) -> &'a [u8] {
        &self.block.bytes[self.range.clone()]
    }

    /// The value, kept for as long as it is wanted, without a copy.
    #[inline]
    pub fn pin(&self) -> PinnedValue {
        PinnedValue { block: self.block.clone(), range: self.range.clone() }
    }
}

impl Deref for BlockValue<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

/// A value that keeps its block in memory.
#[derive(Clone)]
pub struct PinnedValue {
    block: Arc<CachedBlock>,
    range: Range<usize>,
}

impl PinnedValue {
    /// The value.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.block.bytes[self.range.clone()]
    }
}

impl Deref for PinnedValue {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}
