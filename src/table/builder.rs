//! [`TableBuilder`]: writes a table file (SST) from records in order.
//!
//! The file: data blocks, filter block, index block, dictionary, range-deletion block, properties
//! block, metaindex block, footer; behind every block its trailer.

use super::block::BlockIter;
use super::block_builder::BlockBuilder;
use super::checksum::ChecksumType;
use super::deletion_counter::DeletionCounter;
use super::filter::FilterContext;
use super::filter_writer::{FilterBlocks, FilterPartition, FilterWriter};
use super::footer::FORMAT_VERSIONS;
use super::handle::{BLOCK_TRAILER_LEN, BlockHandle};
use super::held_blocks::{HeldBlock, HeldBlocks};
use super::index::{IndexBlockBuilder, IndexBuilder, IndexFormat, IndexShortening, IndexType};
use super::meta::{
    COMPRESSION_DICT_BLOCK, FULL_FILTER_PREFIX, INDEX_BLOCK, MetaIndex, PARTITIONED_FILTER_PREFIX,
    PROPERTIES_BLOCK, RANGE_DEL_BLOCK,
};
use super::output::Output;
use super::properties::{self, INDEX_TYPE, PREFIX_FILTERING, WHOLE_KEY_FILTERING};
use super::unique_id::unique_id_of;
use crate::base::comparator::{Bytewise, Comparator};
use crate::base::iterator::InternalIterator;
use crate::base::key::{
    InternalKey, ParsedKey, SequenceNumber, ValueType, compare_internal, user_key,
};
use crate::base::status::{Result, Status};
use crate::codec::{CompressionOptions, CompressionType, make_dictionary};
use crate::env::buffered::BufferedWriterOptions;
use crate::env::file_system::WritableFile;
use crate::plug::compact_on_deletion::CompactOnDeletion;
use crate::plug::filter_policy::FilterPolicy;
use crate::plug::slice_transform::SliceTransform;
use crate::plug::table_properties::TableProperties;
use crate::stats::Stats;

/// What a table file is to be like. Names are RocksDB's; the defaults are those of RocksDB 11.8.
#[derive(Clone, Debug)]
pub struct TableBuilderOptions {
    /// The order of user keys.
    pub comparator: Comparator,
    /// 2 to 7.
    pub format_version: u32,
    /// How blocks are summed.
    pub checksum: ChecksumType,
    /// The uncompressed size at which a data block ends, in bytes.
    pub block_size: usize,
    /// A block may end this many percent early if the next record would make it too large.
    pub block_size_deviation: u32,
    /// Entries between restarts in data blocks.
    pub block_restart_interval: usize,
    /// Entries between restarts in the index block.
    pub index_block_restart_interval: usize,
    /// Whether keys in data blocks are prefix-compressed.
    pub use_delta_encoding: bool,
    /// Whether data blocks are padded so that none that is smaller than the smaller of block and
    /// page size lies in two of them. They must not be compressed.
    pub block_align: bool,
    /// The keys for each bucket of the data blocks' hash indexes; `None` is no hash index. Orders
    /// of users have none, since keys of different bytes may be equal in them.
    pub data_block_hash_ratio: Option<f64>,
    /// The kind of index.
    pub index_type: IndexType,
    /// About the bytes of a partition of an index in two levels, or of its filter.
    pub metadata_block_size: usize,
    /// Whether the filter of a table with such an index is partitioned too.
    pub partition_filters: bool,
    /// Whether the filter is cut where its partitions are full, rather than where the index is.
    pub decouple_partitioned_filters: bool,
    /// How far index keys are shortened.
    pub index_shortening: IndexShortening,
    /// Whether the index block is compressed like data blocks.
    pub enable_index_compression: bool,
    /// Whether every packed block is unpacked again and compared.
    pub verify_compression: bool,
    /// The filter, if there is to be one.
    pub filter_policy: Option<FilterPolicy>,
    /// The level that the table is for, as far as the filter policy goes by that: -1 is a flush,
    /// [`FilterContext::NO_LEVEL`] none.
    pub filter_level: i32,
    /// Whether the filter's size is fitted to what the allocator hands out for it.
    pub optimize_filters_for_memory: bool,
    /// Whether finished filters are checked for what was added to them.
    pub detect_filter_corruption: bool,
    /// Whether whole keys go into the filter.
    pub whole_key_filtering: bool,
    /// Whose prefixes go into the filter.
    pub prefix_extractor: Option<SliceTransform>,
    /// The codec for data blocks.
    pub compression: CompressionType,
    /// How hard it packs, and with what dictionary.
    pub compression_opts: CompressionOptions,
    /// Where the table is going to end, about, in bytes; 0 is unknown. Not more than that is held
    /// back to make a dictionary from.
    pub target_file_size: u64,
    /// The column family, or [`TableProperties::UNKNOWN_COLUMN_FAMILY`].
    pub column_family_id: u64,
    /// Its name.
    pub column_family_name: String,
    /// The database's id.
    pub db_id: String,
    /// The session's id.
    pub db_session_id: String,
    /// The machine's name.
    pub db_host_id: String,
    /// The file's number; 0 outside a database.
    pub file_number: u64,
    /// When the oldest ancestor of the data was written, in seconds since 1970; 0 is unknown.
    pub creation_time: u64,
    /// The write time of the oldest key, in seconds since 1970; 0 is unknown.
    pub oldest_key_time: u64,
    /// The write time of the newest key, in seconds since 1970; 0 is unknown.
    pub newest_key_time: u64,
    /// Now, in seconds since 1970; 0 is unknown.
    pub file_creation_time: u64,
    /// The merge operator's name, if there is one.
    pub merge_operator_name: Option<String>,
    /// When the table wants to be compacted because of its deletions; one rule suffices.
    pub compact_on_deletion: Vec<CompactOnDeletion>,
    /// Further properties.
    pub user_properties: Vec<(String, Vec<u8>)>,
    /// How the file is written.
    pub writer: BufferedWriterOptions,
    /// Counts what is packed and written.
    pub stats: Stats,
}

impl Default for TableBuilderOptions {
    fn default() -> Self {
        TableBuilderOptions {
            comparator: Comparator::Bytewise,
            format_version: 7,
            checksum: ChecksumType::Xxh3,
            block_size: 4096,
            block_size_deviation: 10,
            block_restart_interval: 16,
            index_block_restart_interval: 1,
            use_delta_encoding: true,
            block_align: false,
            data_block_hash_ratio: None,
            index_type: IndexType::BinarySearch,
            metadata_block_size: 4096,
            partition_filters: false,
            decouple_partitioned_filters: true,
            index_shortening: IndexShortening::ShortenSeparators,
            enable_index_compression: true,
            verify_compression: false,
            filter_policy: None,
            filter_level: FilterContext::NO_LEVEL,
            optimize_filters_for_memory: false,
            detect_filter_corruption: false,
            whole_key_filtering: true,
            prefix_extractor: None,
            compression: CompressionType::Lz4,
            compression_opts: CompressionOptions::default(),
            target_file_size: 0,
            column_family_id: TableProperties::UNKNOWN_COLUMN_FAMILY,
            column_family_name: String::new(),
            db_id: String::new(),
            db_session_id: String::new(),
            db_host_id: String::new(),
            file_number: 0,
            creation_time: 0,
            oldest_key_time: 0,
            newest_key_time: 0,
            file_creation_time: 0,
            merge_operator_name: None,
            compact_on_deletion: Vec::new(),
            user_properties: Vec::new(),
            writer: BufferedWriterOptions::default(),
            stats: None,
        }
    }
}

impl TableBuilderOptions {
    fn data_block_builder(&self) -> BlockBuilder {
        let builder = BlockBuilder::new(self.block_restart_interval, self.use_delta_encoding);
        match (self.data_block_hash_ratio, &self.comparator) {
            (Some(ratio), Comparator::Bytewise | Comparator::ReverseBytewise) => {
                builder.with_hash_index(ratio)
            }
            _ => builder,
        }
    }

    /// The blocks to make a dictionary from, if there is to be one.
    fn held_blocks(&self) -> Option<HeldBlocks> {
        let options = &self.compression_opts;
        if options.dictionary_sample_bytes(self.compression) == 0 {
            return None;
        }
        let limits = [self.target_file_size, options.max_dict_buffer_bytes];
        let limit = limits.into_iter().filter(|&limit| limit > 0).min();
        Some(HeldBlocks::new(limit.unwrap_or(0)))
    }

    /// Whether the index has two levels.
    pub fn is_two_level(&self) -> bool {
        self.index_type == IndexType::TwoLevelIndexSearch
    }
}

/// What a finished table file is like.
#[derive(Clone, Debug)]
pub struct TableSummary {
    /// The file's length in bytes.
    pub file_size: u64,
    /// The bytes behind the data blocks.
    pub tail_size: u64,
    /// The first internal key; empty without records (range deletions apart).
    pub smallest: Vec<u8>,
    /// The last internal key; empty without records (range deletions apart).
    pub largest: Vec<u8>,
    /// The unique id for the MANIFEST; `[0, 0]` if the ids it is made of are missing.
    pub unique_id: [u64; 2],
    /// Whether it should be compacted soon.
    pub wants_compaction: bool,
    /// What the file's properties block says.
    pub properties: TableProperties,
}

/// Writes one table file. Dropping it unfinished leaves a useless file, which the caller removes.
pub struct TableBuilder {
    options: TableBuilderOptions,
    /// `block_size` less `block_size_deviation` percent.
    early_end: usize,
    output: Output,
    data: BlockBuilder,
    /// While there is no dictionary yet, the blocks that it is made from.
    held: Option<HeldBlocks>,
    /// The first key of the current data block.
    first_key: Vec<u8>,
    /// The last point record's key, also across blocks.
    last_key: Vec<u8>,
    smallest: Vec<u8>,
    index: IndexBuilder,
    filter: Option<FilterWriter>,
    timestamp_size: usize,
    deletions: Vec<DeletionCounter>,
    range_deletions: BlockBuilder,
    properties: TableProperties,
    failure: Option<Status>,
}

impl TableBuilder {
    /// Starts a table in `file`, which is empty.
    pub fn new(options: TableBuilderOptions, file: Box<dyn WritableFile>) -> Result<TableBuilder> {
        if !FORMAT_VERSIONS.contains(&options.format_version) {
            return Err(Status::invalid_argument(format!(
                "Unsupported BlockBasedTable format_version: {}",
                options.format_version
            )));
        }
        let index = IndexBuilder::new(
            options.comparator.clone(),
            options.index_type,
            options.index_shortening,
            options.index_block_restart_interval,
            options.format_version,
            options.metadata_block_size,
        )?;
        // Between blocks that are padded handles do not follow from each other.
        let index = if options.block_align { index.with_whole_handles() } else { index };
        let kept = 100 - options.block_size_deviation.min(100) as usize;
        let output = Output::new(&options, file)?;
        let rules = options.compact_on_deletion.iter().copied();
        Ok(TableBuilder {
            early_end: (options.block_size.saturating_mul(kept)).div_ceil(100),
            held: options.held_blocks().filter(|_| output.compressor.is_some()),
            output,
            data: options.data_block_builder(),
            first_key: Vec::new(),
            last_key: Vec::new(),
            smallest: Vec::new(),
            index,
            filter: FilterWriter::new(&options),
            timestamp_size: options.comparator.timestamp_size(),
            deletions: rules.map(DeletionCounter::new).collect(),
            range_deletions: BlockBuilder::new(1, true),
            properties: initial_properties(&options),
            failure: None,
            options,
        })
    }

    /// Adds a record. Point records come in order of their internal keys; range deletions (the
    /// value is the end key) in an order of their own. Keys out of order are a corruption. After
    /// an error every call returns it.
    pub fn add(&mut self, ikey: &[u8], value: &[u8]) -> Result<()> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let result = self.try_add(ikey, value);
        self.keep(result)
    }

    /// Adds the range tombstone `[start, end)`; in any order, and beside the records.
    pub fn add_tombstone(
        &mut self,
        start: &[u8],
        end: &[u8],
        sequence: SequenceNumber,
    ) -> Result<()> {
        let start = InternalKey::new(start, sequence, ValueType::RangeDeletion);
        self.add(start.as_bytes(), end)
    }

    fn keep<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result {
            self.failure.get_or_insert_with(|| error.clone());
        }
        result
    }

    #[inline]
    fn try_add(&mut self, ikey: &[u8], value: &[u8]) -> Result<()> {
        let key = ParsedKey::parse(ikey)?;
        if u32::try_from(value.len()).is_err() || u32::try_from(ikey.len()).is_err() {
            return Err(Status::corruption(format!(
                "a record of 4 GiB or more: key {}, value {} bytes",
                ikey.len(),
                value.len()
            )));
        }
        if key.value_type.is_stored() {
            self.add_point(ikey, &key, value)?;
        } else if key.value_type == ValueType::RangeDeletion {
            self.range_deletions.add(ikey, value);
        } else {
            return Err(Status::invalid_argument(format!(
                "BlockBasedBuilder::Add() received a key with invalid value type {}",
                key.value_type as u8
            )));
        }
        self.count(&key, ikey.len(), value.len());
        Ok(())
    }

    fn add_point(&mut self, ikey: &[u8], key: &ParsedKey<'_>, value: &[u8]) -> Result<()> {
        if self.last_key.is_empty() {
            self.smallest.extend_from_slice(ikey);
        } else if compare_internal(&self.options.comparator, &self.last_key, ikey).is_ge() {
            return Err(Status::corruption("Compaction sees out-of-order keys."));
        }
        if self.data.is_empty() {
            self.start_block(ikey);
        } else if self.block_is_full(ikey, value) {
            self.flush_block(Some(ikey))?;
            self.start_block(ikey);
        }
        if let Some(filter) = self.filter.as_mut().filter(|_| self.held.is_none()) {
            let len = key.user_key.len().saturating_sub(self.timestamp_size);
            filter.add(&key.user_key[..len], &mut self.index)?;
        }
        self.data.add(ikey, value);
        self.last_key.clear();
        self.last_key.extend_from_slice(ikey);
        Ok(())
    }

    fn start_block(&mut self, ikey: &[u8]) {
        self.first_key.clear();
        self.first_key.extend_from_slice(ikey);
    }

    /// Whether the current block ends before this record (RocksDB's `FlushBlockBySizePolicy`).
    fn block_is_full(&self, ikey: &[u8], value: &[u8]) -> bool {
        let size = self.data.size_estimate();
        if size >= self.options.block_size || self.early_end == 0 {
            return size >= self.options.block_size;
        }
        let size_after = || self.data.size_estimate_after(ikey, value);
        match self.options.block_align {
            true => size_after() + BLOCK_TRAILER_LEN > self.options.block_size,
            false => size > self.early_end && size_after() > self.options.block_size,
        }
    }

    fn count(&mut self, key: &ParsedKey<'_>, key_len: usize, value_len: usize) {
        let p = &mut self.properties;
        p.num_entries += 1;
        p.raw_key_size += key_len as u64;
        p.raw_value_size += value_len as u64;
        p.key_largest_seqno = p.key_largest_seqno.max(key.sequence);
        p.key_smallest_seqno = p.key_smallest_seqno.min(key.sequence);
        for counter in &mut self.deletions {
            counter.add(key.value_type.is_deletion(), self.output.writer.size());
        }
        if key.value_type.is_deletion() {
            p.num_deletions += 1;
        } else if key.value_type == ValueType::RangeDeletion {
            p.num_deletions += 1;
            p.num_range_deletions += 1;
        } else if key.value_type == ValueType::Merge {
            p.num_merge_operands += 1;
        }
    }

    /// Writes the current data block; `next` is the key that begins the next one.
    fn flush_block(&mut self, next: Option<&[u8]>) -> Result<()> {
        if self.data.is_empty() {
            return Ok(());
        }
        if self.data.is_too_large() {
            return Err(Status::not_supported("a data block of more than 4 GiB"));
        }
        let bytes = self.data.finish();
        if let Some(held) = &mut self.held {
            let (first_key, last_key) = (self.first_key.clone(), self.last_key.clone());
            held.push(HeldBlock { first_key, last_key, bytes: bytes.clone() });
            self.data.reset();
            return if held.is_full() { self.release_held(next) } else { Ok(()) };
        }
        let handle = self.output.write_data_block(bytes, &mut self.properties)?;
        self.data.reset();
        self.index.add(&self.first_key, &self.last_key, next, handle);
        Ok(())
    }

    /// Makes the dictionary and writes the blocks that were held back for it; `next` is the key
    /// behind them.
    fn release_held(&mut self, next: Option<&[u8]>) -> Result<()> {
        let Some(held) = self.held.take() else { return Ok(()) };
        let (codec, options) = (self.options.compression, &self.options.compression_opts);
        let (samples, lens) = held.samples(options.dictionary_sample_bytes(codec));
        if let Some(dictionary) = make_dictionary(codec, options, samples, &lens) {
            self.output.set_dictionary(dictionary)?;
        }
        let mut blocks = held.into_blocks().into_iter().peekable();
        while let Some(mut block) = blocks.next() {
            self.add_to_filter(&block)?;
            let next = blocks.peek().map(|block| block.first_key.as_slice()).or(next);
            let handle = self.output.write_data_block(&mut block.bytes, &mut self.properties)?;
            self.index.add(&block.first_key, &block.last_key, next, handle);
        }
        Ok(())
    }

    /// Adds the keys of a block to the filter, as if they came now: where the filter is cut may
    /// depend on the index.
    fn add_to_filter(&mut self, block: &HeldBlock) -> Result<()> {
        let Some(filter) = &mut self.filter else { return Ok(()) };
        let mut records = BlockIter::new(Bytewise, block.bytes.as_slice(), None)?;
        records.seek_to_first();
        while records.valid() {
            let key = user_key(records.key());
            let len = key.len().saturating_sub(self.timestamp_size);
            filter.add(&key[..len], &mut self.index)?;
            records.next();
        }
        records.status()
    }

    /// Writes what is left, syncs and closes the file.
    pub fn finish(mut self) -> Result<TableSummary> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.flush_block(None)?;
        self.release_held(None)?;
        self.properties.tail_start_offset = self.output.writer.size();
        let dictionary = self.output.take_dictionary()?;
        let mut metaindex = MetaIndex::default();
        self.write_filter(&mut metaindex)?;
        let index = self.write_index(&mut metaindex)?;
        if let Some(dictionary) = dictionary {
            let (handle, _) = self.output.write_block(&mut dictionary.raw().to_vec(), false)?;
            metaindex.insert(COMPRESSION_DICT_BLOCK, handle);
        }
        if !self.range_deletions.is_empty() {
            let (handle, _) = self.output.write_block(self.range_deletions.finish(), false)?;
            metaindex.insert(RANGE_DEL_BLOCK, handle);
        }
        self.write_properties(&mut metaindex)?;
        let (handle, _) = self.output.write_block(&mut metaindex.encode(), false)?;
        self.output.write_footer(&self.options, handle, index)?;
        let file_size = self.output.writer.size();
        self.output.sync()?;
        self.output.writer.close()?;
        Ok(TableSummary {
            file_size,
            tail_size: file_size - self.properties.tail_start_offset,
            smallest: self.smallest,
            largest: self.last_key,
            unique_id: unique_id_of(&self.properties).unwrap_or_default(),
            wants_compaction: self.deletions.iter().any(DeletionCounter::is_met),
            properties: self.properties,
        })
    }

    fn write_filter(&mut self, metaindex: &mut MetaIndex) -> Result<()> {
        let (Some(filter), Some(policy)) = (self.filter.take(), self.options.filter_policy.clone())
        else {
            return Ok(());
        };
        let entries = filter.num_entries();
        if entries == 0 {
            return Ok(());
        }
        self.properties.num_filter_entries = entries as u64;
        let (handle, prefix) = match filter.finish(&self.index)? {
            FilterBlocks::Whole(block) => (self.write_filter_block(block)?, FULL_FILTER_PREFIX),
            FilterBlocks::Partitions(partitions) => {
                (self.write_filter_partitions(partitions)?, PARTITIONED_FILTER_PREFIX)
            }
        };
        metaindex.insert(&format!("{prefix}{}", policy.compatibility_name()), handle);
        Ok(())
    }

    fn write_filter_block(&mut self, mut block: Vec<u8>) -> Result<BlockHandle> {
        self.properties.filter_size += block.len() as u64;
        Ok(self.output.write_block(&mut block, false)?.0)
    }

    /// Writes the partitions and the index of them, whose keys are like those of the table's index.
    fn write_filter_partitions(&mut self, partitions: Vec<FilterPartition>) -> Result<BlockHandle> {
        let format = self.index.format();
        let mut top = IndexBlockBuilder::new(self.options.index_block_restart_interval, format);
        for FilterPartition { separator, block } in partitions {
            let handle = self.write_filter_block(block)?;
            top.add(&separator, handle, &[]);
        }
        self.write_filter_block(top.finish()?)
    }

    fn write_index(&mut self, metaindex: &mut MetaIndex) -> Result<BlockHandle> {
        let format = self.index.format();
        self.properties.index_size = super::handle::BLOCK_TRAILER_LEN as u64;
        self.properties.index_key_is_user_key = format.user_keys.into();
        self.properties.index_value_is_delta_encoded = format.delta_handles.into();
        let mut block = match self.options.is_two_level() {
            true => self.write_index_partitions(format)?,
            false => self.index.finish()?.0,
        };
        self.properties.index_size += block.len() as u64;
        let pack = self.options.enable_index_compression;
        let (handle, _) = self.output.write_block(&mut block, pack)?;
        if self.options.format_version >= 6 {
            metaindex.insert(INDEX_BLOCK, handle);
        }
        Ok(handle)
    }

    /// Writes the partitions of the index; returns its upper level.
    fn write_index_partitions(&mut self, format: IndexFormat) -> Result<Vec<u8>> {
        let ranges = self.index.partitions().filter(|range| !range.is_empty());
        let mut partitions = Vec::new();
        for range in ranges.collect::<Vec<_>>() {
            let mut block = self.index.encode(range.clone(), format)?;
            self.properties.index_size += block.len() as u64;
            let pack = self.options.enable_index_compression;
            let (handle, _) = self.output.write_block(&mut block, pack)?;
            partitions.push((range, handle));
        }
        let top = self.index.encode_top(&partitions, format)?;
        self.properties.index_partitions = partitions.len() as u64;
        self.properties.top_level_index_size = top.len() as u64;
        Ok(top)
    }

    fn write_properties(&mut self, metaindex: &mut MetaIndex) -> Result<()> {
        self.properties.compression_name = self.compression_name();
        let mut block = properties::encode(&self.properties);
        let (handle, _) = self.output.write_block(&mut block, false)?;
        metaindex.insert(PROPERTIES_BLOCK, handle);
        Ok(())
    }

    /// From format version 7 on the compression manager and the codecs used; before, the codec.
    fn compression_name(&self) -> String {
        let codec = self.options.compression;
        if self.options.format_version < 7 {
            let active = self.output.compressor.is_some();
            return if active { codec } else { CompressionType::None }.property_name().into();
        }
        match (&self.output.compressor, self.output.packed_any) {
            (None, _) => ";;".into(),
            (Some(_), false) => "BuiltinV2;;".into(),
            (Some(compressor), true) => format!("BuiltinV2;{:02X};", compressor.codec() as u8),
        }
    }

    /// Gives up: closes the file, whose contents are useless.
    pub fn abandon(mut self) {
        // The file is about to be removed, so it does not matter whether closing it fails.
        let _ = self.output.writer.close();
    }

    /// The bytes of blocks written so far.
    pub fn file_size(&self) -> u64 {
        self.output.writer.size()
    }

    /// About the bytes that [`finish`](TableBuilder::finish) would add now.
    pub fn estimated_tail_size(&self) -> u64 {
        const PROPERTIES_METAINDEX_FOOTER: usize = 3 << 10;
        let filter = self.filter.as_ref().map_or(0, FilterWriter::size_estimate);
        (self.data.size_estimate()
            + self.index.size_estimate()
            + filter
            + self.range_deletions.size_estimate()
            + PROPERTIES_METAINDEX_FOOTER) as u64
    }

    /// The records added so far, range deletions included.
    pub fn num_entries(&self) -> u64 {
        self.properties.num_entries
    }

    /// The user key of the point record added last, if there is one.
    pub fn last_user_key(&self) -> Option<&[u8]> {
        (!self.last_key.is_empty()).then(|| user_key(&self.last_key))
    }
}

fn initial_properties(options: &TableBuilderOptions) -> TableProperties {
    let flag = |on: bool| if on { b"1".to_vec() } else { b"0".to_vec() };
    let mut user: std::collections::BTreeMap<Vec<u8>, Vec<u8>> =
        options.user_properties.iter().map(|(n, v)| (n.clone().into_bytes(), v.clone())).collect();
    user.insert(INDEX_TYPE.into(), (options.index_type as u32).to_le_bytes().to_vec());
    user.insert(WHOLE_KEY_FILTERING.into(), flag(options.whole_key_filtering));
    user.insert(PREFIX_FILTERING.into(), flag(options.prefix_extractor.is_some()));
    let prefix_extractor = options.prefix_extractor.as_ref();
    TableProperties {
        orig_file_number: options.file_number,
        format_version: options.format_version.into(),
        column_family_id: options.column_family_id,
        column_family_name: options.column_family_name.clone(),
        creation_time: options.creation_time,
        oldest_key_time: options.oldest_key_time,
        newest_key_time: options.newest_key_time,
        file_creation_time: options.file_creation_time,
        // Raised by every record; files without records say 0, as RocksDB's do.
        key_largest_seqno: 0,
        data_block_restart_interval: options.block_restart_interval as u64,
        index_block_restart_interval: options.index_block_restart_interval as u64,
        db_id: options.db_id.clone(),
        db_session_id: options.db_session_id.clone(),
        db_host_id: options.db_host_id.clone(),
        filter_policy_name: options.filter_policy.as_ref().map_or("", |p| p.name()).into(),
        comparator_name: options.comparator.name().into(),
        merge_operator_name: options.merge_operator_name.clone().unwrap_or("nullptr".into()),
        prefix_extractor_name: prefix_extractor.map_or_else(|| "nullptr".into(), |p| p.id()),
        property_collectors_names: format!(
            "[{}]",
            vec![CompactOnDeletion::NAME; options.compact_on_deletion.len()].join(",")
        ),
        compression_options: format!(
            "{}_type={}; ",
            options.compression_opts.property_text(),
            options.compression as u8
        ),
        user_collected_properties: user,
        ..TableProperties::default()
    }
}

#[cfg(test)]
#[path = "builder_tests.rs"]
mod tests;
