//! Looking up several keys of one table: each filter partition, index partition and data block is
//! fetched once for all of them.

use super::block::BlockIter;
use super::filter::KeyHash;
use super::flat_index::FlatIndex;
use super::get::{Block, goes_on};
use super::handle::BlockHandle;
use super::index_reader::IndexReader;
use super::key_set::KeySet;
use super::options::TableReadOptions;
use super::reader::TableReader;
use super::value::BlockValue;
use super::watch;
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{LookupKey, ParsedKey};
use crate::base::status::{Result, Status};
use crate::cache::CachedObject;
use crate::stats::is_watched;
use std::ops::ControlFlow;

/// A key that is looked up together with others.
pub struct BatchKey {
    /// The key.
    pub key: LookupKey,
    /// [`KeyHash::of`] its user key without timestamp.
    pub hash: KeyHash,
}

/// Takes what is found of a batch.
pub trait BatchVisitor {
    /// Whether key number `key` of the batch is still looked for.
    fn wants(&self, key: usize) -> bool;

    /// The next record of a key, newest first. Breaks when older ones do not matter.
    fn record(
        &mut self,
        key: usize,
        record: ParsedKey<'_>,
        value: BlockValue<'_>,
    ) -> ControlFlow<()>;

    /// The records of a key could not be read.
    fn fail(&mut self, key: usize, error: Status);
}

impl TableReader {
    /// [`get`](TableReader::get) for the keys of `batch` that `keys` names. `batch` must be in the
    /// table's order; keys may be equal.
    pub fn multi_get<O: Order>(
        &self,
        order: &O,
        batch: &[BatchKey],
        keys: KeySet,
        options: &TableReadOptions,
        visitor: &mut impl BatchVisitor,
    ) {
        let passed = self.pass_filter(order, batch, keys, options);
        if passed.is_empty() {
            return self.count_batch(keys, 0, 0);
        }
        let (mut found, mut failed) = (0, 0);
        match self.index_reader().top.get(self, options).map_err(|e| self.in_file(e)) {
            Ok(index) => {
                let mut walk = Walk::new(self, order, options);
                for key in passed {
                    if !visitor.wants(key) {
                        continue;
                    }
                    let mut is_here = false;
                    let visit = |record: ParsedKey<'_>, value: BlockValue<'_>| {
                        is_here = true;
                        visitor.record(key, record, value)
                    };
                    let result = walk.get(&index, &batch[key].key, visit);
                    found += usize::from(is_here);
                    if let Err(error) = result {
                        failed += 1;
                        visitor.fail(key, error);
                    }
                }
            }
            Err(error) => {
                failed = passed.len();
                passed.into_iter().for_each(|key| visitor.fail(key, error.clone()));
            }
        }
        self.count_batch(keys, found, failed);
    }

    /// Those of `keys` that may be here.
    fn pass_filter<O: Order>(
        &self,
        order: &O,
        batch: &[BatchKey],
        keys: KeySet,
        options: &TableReadOptions,
    ) -> KeySet {
        match self.filter() {
            Some(filter) => filter.pass(self, order, batch, keys, options),
            None => keys,
        }
    }

    #[inline]
    fn count_batch(&self, keys: KeySet, found: usize, failed: usize) {
        if is_watched(self.statistics()) {
            let asked = self.filter().and_then(|filter| filter.asks_of_batch());
            watch::looked_up_batch(self.statistics(), keys.len() - failed, asked, found);
        }
    }
}

/// Goes through a table in the order of keys. What it has fetched it keeps until a key that lies
/// beyond.
struct Walk<'t, O: Order> {
    table: &'t TableReader,
    order: &'t O,
    options: &'t TableReadOptions,
    partition: Partition,
    blocks: Blocks<O>,
}

/// The partition of the index that was entered last, and its number.
type Partition = Option<(usize, CachedObject<FlatIndex>)>;

impl<'t, O: Order> Walk<'t, O> {
    fn new(table: &'t TableReader, order: &'t O, options: &'t TableReadOptions) -> Walk<'t, O> {
        Walk { table, order, options, partition: None, blocks: Blocks::new(table, order) }
    }

    /// Shows `visit` the records of `key`. `top` is the index or its upper level.
    fn get(
        &mut self,
        top: &FlatIndex,
        key: &LookupKey,
        mut visit: impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let (table, order, options) = (self.table, self.order, self.options);
        let index = table.index_reader();
        if !index.two_level {
            return self.blocks.get(table, order, top, key, options, &mut visit).map(drop);
        }
        for at in top.seek(order, key.internal_key())..top.len() {
            let leaf = enter(&mut self.partition, index, table, top, at, options)
                .map_err(|e| table.in_file(e))?;
            if self.blocks.get(table, order, leaf, key, options, &mut visit)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Partition `at` of the index.
fn enter<'p>(
    partition: &'p mut Partition,
    index: &IndexReader,
    table: &TableReader,
    top: &FlatIndex,
    at: usize,
    options: &TableReadOptions,
) -> Result<&'p FlatIndex> {
    let kept = partition.take_if(|(number, _)| *number == at);
    let leaf = match kept {
        Some((_, leaf)) => leaf,
        None => index.partition(table, top, at, options)?,
    };
    Ok(&partition.insert((at, leaf)).1)
}

/// The data block that the last key was in, and if its records went on behind that, the last of
/// those blocks: another key may begin there.
struct Blocks<O: Order> {
    near: Kept<O>,
    far: Option<Kept<O>>,
}

/// A data block and a cursor in it.
struct Kept<O: Order> {
    handle: Option<BlockHandle>,
    records: BlockIter<O, Block>,
}

impl<O: Order> Kept<O> {
    fn new(table: &TableReader, order: &O) -> Kept<O> {
        Kept { handle: None, records: BlockIter::empty(order.clone(), table.global_sequence()) }
    }

    /// A cursor in the block at `handle`, which is fetched unless it is here.
    fn fetch(
        &mut self,
        table: &TableReader,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<&mut BlockIter<O, Block>> {
        if self.handle != Some(handle) {
            self.handle = None;
            let block = table.block(handle, options);
            block.and_then(|block| self.records.set_block(block)).map_err(|e| table.in_file(e))?;
            self.handle = Some(handle);
        }
        Ok(&mut self.records)
    }
}

impl<O: Order> Blocks<O> {
    fn new(table: &TableReader, order: &O) -> Blocks<O> {
        Blocks { near: Kept::new(table, order), far: None }
    }

    /// Looks `key` up in the data blocks of an index or a partition of one. Continues if its
    /// records may go on behind them.
    fn get(
        &mut self,
        table: &TableReader,
        order: &O,
        blocks: &FlatIndex,
        key: &LookupKey,
        options: &TableReadOptions,
        visit: &mut impl FnMut(ParsedKey<'_>, BlockValue<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let target = key.internal_key();
        let first = blocks.seek(order, target);
        for at in first..blocks.len() {
            let handle = blocks.handle(at);
            let records = match at == first {
                true => self.nearest(handle).fetch(table, handle, options)?,
                false => {
                    let far = self.far.get_or_insert_with(|| Kept::new(table, order));
                    far.fetch(table, handle, options)?
                }
            };
            match at == first {
                true => records.seek(target),
                false => records.seek_to_first(),
            }
            if table.visit_records(order, records, key.user_key(), visit)?.is_break()
                || !goes_on(order, blocks, at, key.user_key())
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Where the block at `handle` is, or is to be put.
    fn nearest(&mut self, handle: BlockHandle) -> &mut Kept<O> {
        if let Some(far) = &mut self.far
            && far.handle == Some(handle)
        {
            std::mem::swap(&mut self.near, far);
        }
        &mut self.near
    }
}
