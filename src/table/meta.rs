//! [`MetaIndex`]: the block that names the other meta blocks.

use super::block::MetaEntries;
use super::block_builder::BlockBuilder;
use super::handle::BlockHandle;
use crate::base::coding::Decoder;
use crate::base::status::Result;
use std::collections::BTreeMap;

/// The properties block.
pub const PROPERTIES_BLOCK: &str = "rocksdb.properties";
/// What the properties block was called long ago.
pub const PROPERTIES_BLOCK_OLD: &str = "rocksdb.stats";
/// The index block, from format version 6 on.
pub const INDEX_BLOCK: &str = "rocksdb.index";
/// The compression dictionary.
pub const COMPRESSION_DICT_BLOCK: &str = "rocksdb.compression_dict";
/// The range deletions.
pub const RANGE_DEL_BLOCK: &str = "rocksdb.range_del";
/// In front of the filter policy's compatibility name: a filter in one block.
pub const FULL_FILTER_PREFIX: &str = "fullfilter.";
/// In front of the filter policy's compatibility name: a partitioned filter.
pub const PARTITIONED_FILTER_PREFIX: &str = "partitionedfilter.";

/// Names and places of a file's meta blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetaIndex {
    blocks: BTreeMap<Vec<u8>, BlockHandle>,
}

impl MetaIndex {
    /// Decodes the metaindex block.
    pub fn decode(block: &[u8]) -> Result<MetaIndex> {
        let mut blocks = BTreeMap::new();
        let mut entries = MetaEntries::new(block)?;
        while let Some((name, value, _)) = entries.next_entry()? {
            blocks.insert(name.to_vec(), BlockHandle::decode(&mut Decoder::new(value))?);
        }
        Ok(MetaIndex { blocks })
    }

    /// Adds the block `name`.
    pub fn insert(&mut self, name: &str, handle: BlockHandle) {
        self.blocks.insert(name.into(), handle);
    }

    /// Where the block `name` is.
    pub fn get(&self, name: &str) -> Option<BlockHandle> {
        self.blocks.get(name.as_bytes()).copied()
    }

    /// The properties block, under either name.
    pub fn properties(&self) -> Option<BlockHandle> {
        self.get(PROPERTIES_BLOCK).or_else(|| self.get(PROPERTIES_BLOCK_OLD))
    }

    /// Every name with its place, in order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], BlockHandle)> {
        self.blocks.iter().map(|(name, handle)| (name.as_slice(), *handle))
    }

    /// The metaindex block.
    pub fn encode(&self) -> Vec<u8> {
        let mut builder = BlockBuilder::new(1, true);
        let mut value = Vec::new();
        for (name, handle) in &self.blocks {
            value.clear();
            handle.encode_to(&mut value);
            builder.add(name, &value);
        }
        std::mem::take(builder.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_and_survives_damage() {
        let mut index = MetaIndex::default();
        index.insert(PROPERTIES_BLOCK, BlockHandle::new(100, 20));
        index.insert("fullfilter.rocksdb.BuiltinBloomFilter", BlockHandle::new(7, 1 << 40));
        let block = index.encode();
        assert_eq!(MetaIndex::decode(&block).unwrap(), index);
        assert_eq!(index.properties(), Some(BlockHandle::new(100, 20)));
        assert_eq!(index.get(INDEX_BLOCK), None);
        for at in 0..block.len() * 8 {
            let mut bad = block.clone();
            bad[at / 8] ^= 1 << (at % 8);
            let _ = MetaIndex::decode(&bad);
            let _ = MetaIndex::decode(&bad[..at / 8]);
        }
    }
}
