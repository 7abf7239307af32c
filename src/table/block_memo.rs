//! [`BlockMemo`]: lets look-ups that follow each other share the data blocks that they read.

use super::handle::BlockHandle;
use super::options::TableReadOptions;
use super::reader::TableReader;
use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::cache::CachedBlock;
use std::collections::HashMap;

/// Where a look-up gets data blocks.
pub trait BlockMemo {
    /// The data block at `handle` of `table`.
    fn block(
        &mut self,
        table: &TableReader,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<Arc<CachedBlock>>;
}

/// Remembers nothing: for lone look-ups.
pub struct NoMemo;

impl BlockMemo for NoMemo {
    #[inline]
    fn block(
        &mut self,
        table: &TableReader,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<Arc<CachedBlock>> {
        table.block(handle, options)
    }
}

/// Keeps the last block of each table. For look-ups in the order of keys, which come to a block
/// once each.
#[derive(Default)]
pub struct LastBlocks {
    /// By the table's id.
    blocks: HashMap<u64, (BlockHandle, Arc<CachedBlock>)>,
}

impl BlockMemo for LastBlocks {
    fn block(
        &mut self,
        table: &TableReader,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<Arc<CachedBlock>> {
        if let Some((last, block)) = self.blocks.get(&table.id())
            && *last == handle
        {
            return Ok(block.clone());
        }
        let block = table.block(handle, options)?;
        self.blocks.insert(table.id(), (handle, block.clone()));
        Ok(block)
    }
}
