//! [`IndexReader`]: a table's index, whole or in two levels, and [`IndexCursor`], a position in it.

use super::fetch::BlockType;
use super::flat_index::FlatIndex;
use super::index::IndexFormat;
use super::meta_place::{Found, MetaBlock, Place};
use super::options::TableReadOptions;
use super::reader::TableReader;
use crate::base::comparator::Order;
use crate::base::status::Result;
use crate::cache::CachedObject;

/// A table's index.
///
/// In two levels, the upper one names *partitions*, each the index of some neighbouring data
/// blocks. Without partitions the upper level is all there is.
pub(super) struct IndexReader {
    pub(super) format: IndexFormat,
    pub(super) two_level: bool,
    /// The whole index, or its upper level.
    pub(super) top: Place<FlatIndex>,
    /// Every partition, if they are held; else they are read when they are needed.
    pub(super) partitions: Vec<CachedObject<FlatIndex>>,
}

impl IndexReader {
    /// The index, if all of it is resident.
    #[inline]
    pub(super) fn resident(&self) -> Option<&FlatIndex> {
        match &self.top {
            Place::Resident(index) if !self.two_level => Some(index),
            _ => None,
        }
    }

    /// Partition `at` of `top`, which must have it.
    pub(super) fn partition(
        &self,
        table: &TableReader,
        top: &FlatIndex,
        at: usize,
        options: &TableReadOptions,
    ) -> Result<CachedObject<FlatIndex>> {
        match self.partitions.get(at) {
            Some(partition) => Ok(partition.clone()),
            None => table.meta_block(top.handle(at), options),
        }
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.top.memory_usage()
    }
}

impl MetaBlock for FlatIndex {
    const TYPE: BlockType = BlockType::Index;

    fn decode(block: &[u8], table: &TableReader) -> Result<FlatIndex> {
        FlatIndex::decode(block, table.index_reader().format, table.comparator())
    }

    fn memory_usage(&self) -> usize {
        FlatIndex::memory_usage(self)
    }
}

/// Where an iterator is in an index. Keeps what it needs of the index in memory.
#[derive(Default)]
pub(super) struct IndexCursor {
    /// The upper level, if the reader does not hold it.
    top: Option<CachedObject<FlatIndex>>,
    /// The partition that it is in, or the whole index if the reader does not hold that.
    leaf: Option<CachedObject<FlatIndex>>,
    /// The partition's number; 0 without partitions.
    partition: usize,
}

impl IndexCursor {
    /// The number of the partition that it is in.
    #[inline]
    pub(super) fn partition(&self) -> usize {
        self.partition
    }

    /// The data blocks of the partition that it is in, or all. `None` before the first move.
    #[inline]
    pub(super) fn blocks<'a>(&'a self, table: &'a TableReader) -> Option<&'a FlatIndex> {
        let index = table.index_reader();
        match &index.top {
            Place::Resident(whole) if !index.two_level => Some(whole),
            Place::Held(whole) if !index.two_level => Some(whole),
            _ => self.leaf.as_deref(),
        }
    }

    /// To the first data block that may hold a key at or behind `target`: its number within
    /// [`blocks`](IndexCursor::blocks). `None` if there is none.
    #[inline]
    pub(super) fn seek<O: Order>(
        &mut self,
        table: &TableReader,
        order: &O,
        target: &[u8],
        options: &TableReadOptions,
    ) -> Result<Option<usize>> {
        match table.index_reader().resident() {
            Some(index) => Ok(Some(index.seek(order, target)).filter(|&at| at < index.len())),
            None => self.seek_cached(table, order, target, options),
        }
    }

    fn seek_cached<O: Order>(
        &mut self,
        table: &TableReader,
        order: &O,
        target: &[u8],
        options: &TableReadOptions,
    ) -> Result<Option<usize>> {
        if !table.index_reader().two_level {
            self.hold_whole(table, options)?;
            let Some(blocks) = self.blocks(table) else { return Ok(None) };
            return Ok(Some(blocks.seek(order, target)).filter(|&at| at < blocks.len()));
        }
        let top = self.top(table, options)?;
        for partition in top.seek(order, target)..top.len() {
            let leaf = self.enter(table, &top, partition, options)?;
            let at = leaf.seek(order, target);
            if at < leaf.len() {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// To the first partition.
    pub(super) fn first(&mut self, table: &TableReader, options: &TableReadOptions) -> Result<()> {
        self.go(table, options, |_| Some(0)).map(drop)
    }

    /// To the last partition.
    pub(super) fn last(&mut self, table: &TableReader, options: &TableReadOptions) -> Result<()> {
        self.go(table, options, |count| count.checked_sub(1)).map(drop)
    }

    /// To the next partition; false at the end.
    pub(super) fn next(&mut self, table: &TableReader, options: &TableReadOptions) -> Result<bool> {
        let next = self.partition + 1;
        self.go_on(table, options, |count| (next < count).then_some(next))
    }

    /// To the previous partition; false at the start.
    pub(super) fn prev(&mut self, table: &TableReader, options: &TableReadOptions) -> Result<bool> {
        let before = self.partition.checked_sub(1);
        self.go_on(table, options, |_| before)
    }

    fn go_on(
        &mut self,
        table: &TableReader,
        options: &TableReadOptions,
        choose: impl FnOnce(usize) -> Option<usize>,
    ) -> Result<bool> {
        if table.index_reader().two_level { self.go(table, options, choose) } else { Ok(false) }
    }

    /// Enters the partition that `choose` picks of so many, if it picks one.
    fn go(
        &mut self,
        table: &TableReader,
        options: &TableReadOptions,
        choose: impl FnOnce(usize) -> Option<usize>,
    ) -> Result<bool> {
        if !table.index_reader().two_level {
            return self.hold_whole(table, options).map(|()| true);
        }
        let top = self.top(table, options)?;
        match choose(top.len()).filter(|&partition| partition < top.len()) {
            Some(partition) => self.enter(table, &top, partition, options).map(|_| true),
            None => Ok(false),
        }
    }

    /// Sees to it that an index without partitions is in memory.
    fn hold_whole(&mut self, table: &TableReader, options: &TableReadOptions) -> Result<()> {
        if let (Place::InFile(handle), None) = (&table.index_reader().top, &self.leaf) {
            self.leaf = Some(table.meta_block(*handle, options)?);
        }
        Ok(())
    }

    /// The upper level, which stays in memory from now on.
    fn top<'a>(
        &mut self,
        table: &'a TableReader,
        options: &TableReadOptions,
    ) -> Result<Found<'a, FlatIndex>> {
        if let Some(top) = &self.top {
            return Ok(Found::Held(top.clone()));
        }
        let found = table.index_reader().top.get(table, options)?;
        if let Found::Held(top) = &found {
            self.top = Some(top.clone());
        }
        Ok(found)
    }

    fn enter(
        &mut self,
        table: &TableReader,
        top: &FlatIndex,
        partition: usize,
        options: &TableReadOptions,
    ) -> Result<CachedObject<FlatIndex>> {
        if let Some(leaf) = self.leaf.as_ref().filter(|_| self.partition == partition) {
            return Ok(leaf.clone());
        }
        let leaf = table.index_reader().partition(table, top, partition, options)?;
        self.leaf = Some(leaf.clone());
        self.partition = partition;
        Ok(leaf)
    }
}
