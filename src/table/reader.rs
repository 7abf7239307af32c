//! [`TableReader`]: an open table file, with its index and filter in memory.

use super::fetch::{BlockSource, BlockType};
use super::filter::{FilterReader, KeyHash};
use super::flat_index::{FlatIndex, FlatIndexBuilder};
use super::footer::Footer;
use super::handle::BlockHandle;
use super::index::{IndexEntries, IndexFormat, IndexType};
use super::iter::TableIter;
use super::meta::{self, MetaIndex};
use super::options::{TableReadOptions, TableReaderOptions};
use super::properties::{self, INDEX_TYPE};
use super::range_del;
use super::read_ahead::ReadAhead;
use super::table_filter::TableFilter;
use super::unique_id::unique_id;
use crate::base::comparator::{Comparator, Order};
use crate::base::key::SequenceNumber;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::cache::{Cache, CacheKey, CachedBlock, FileCacheKeys, Priority};
use crate::codec::Dictionary;
use crate::env::file_system::RandomFile;
use crate::plug::filter_policy::BUILTIN_FILTER_NAME;
use crate::plug::prefix_seek::PrefixSeek;
use crate::plug::table_properties::TableProperties;
use crate::rangedel::Fragments;

/// An open table. Any number of threads may read it at once.
///
/// Index and filter are read at open and checked whatever the options say; only data blocks go
/// through the cache. What a table needs and this reader does not have (user-defined indexes) is an
/// error at open, so that no table is read wrongly.
pub struct TableReader {
    source: BlockSource,
    comparator: Comparator,
    properties: TableProperties,
    index_format: IndexFormat,
    index: FlatIndex,
    filter: Option<TableFilter>,
    cache: Option<(Arc<Cache>, FileCacheKeys)>,
    global_sequence: Option<SequenceNumber>,
    range_tombstones: Option<Arc<Fragments>>,
}

impl TableReader {
    /// Opens the table in `file`, which must be `file_size` bytes long.
    pub fn open(
        file: Arc<dyn RandomFile>,
        file_size: u64,
        options: TableReaderOptions,
    ) -> Result<TableReader> {
        let path = file.path().display().to_string();
        Self::open_file(file, file_size, options).map_err(|e| naming(e, &path))
    }

    /// What the table in `file` says about itself, whether or not it can be read here.
    pub fn read_properties(file: Arc<dyn RandomFile>, file_size: u64) -> Result<TableProperties> {
        let path = file.path().display().to_string();
        let read = || {
            let source = BlockSource::open(file, file_size)?;
            read_properties(&source, &read_meta_index(&source)?)
        };
        read().map_err(|e| naming(e, &path))
    }

    fn open_file(
        file: Arc<dyn RandomFile>,
        file_size: u64,
        options: TableReaderOptions,
    ) -> Result<TableReader> {
        let mut source = BlockSource::open(file, file_size)?;
        let meta = read_meta_index(&source)?;
        let mut properties = read_properties(&source, &meta)?;
        check_supported(&properties)?;
        check_comparator(&options.comparator, &properties)?;
        check_unique_id(options.expected_unique_id, options.file_number, &properties)?;
        let global_sequence = properties::global_sequence(&properties, options.largest_sequence)?;
        if let Some(handle) = meta.get(meta::COMPRESSION_DICT_BLOCK).filter(|h| h.size > 0) {
            let bytes = source.read(handle, BlockType::CompressionDictionary, true)?;
            source.set_dictionary(Dictionary::new(bytes)?);
        }
        let range_tombstones =
            range_del::read(&source, &meta, &options.comparator, global_sequence)?.map(Arc::new);
        if let Some(tombstones) =
            range_tombstones.as_ref().filter(|_| properties.num_range_deletions == 0)
        {
            // The first versions with range deletions did not count them.
            properties.num_range_deletions = tombstones.num_tombstones() as u64;
        }
        let index_format = index_format(&properties)?;
        let index = read_index(&source, &meta, &properties, index_format, &options.comparator)?;
        let filter = match options.skip_filters {
            true => None,
            false => read_filter(&source, &meta)?,
        };
        let filter = filter.map(|filter| TableFilter::new(filter, &properties, &options));
        let session = match options.cache_session {
            0 => Cache::new_id(),
            session => session,
        };
        let keys = FileCacheKeys::new(session, options.file_number);
        let cache = options.cache.zip(keys);
        let comparator = options.comparator;
        Ok(TableReader {
            source,
            comparator,
            properties,
            index_format,
            index,
            filter,
            cache,
            global_sequence,
            range_tombstones,
        })
    }

    /// A cursor over all records, standing nowhere. `order` must be the table's
    /// ([`Bytewise`](crate::base::comparator::Bytewise) for a bytewise one).
    pub fn iter<O: Order>(self: &Arc<Self>, order: O, options: TableReadOptions) -> TableIter<O> {
        TableIter::new(self.clone(), order, options)
    }

    /// What the table says about itself.
    pub fn properties(&self) -> &TableProperties {
        &self.properties
    }

    /// The file's footer.
    pub fn footer(&self) -> &Footer {
        self.source.footer()
    }

    /// The table's range tombstones; `None` if it has none. They may reach beyond the boundaries
    /// that the MANIFEST gives the file, and count only within.
    #[inline]
    pub fn range_tombstones(&self) -> Option<&Arc<Fragments>> {
        self.range_tombstones.as_ref()
    }

    /// The order of the table's keys.
    pub fn comparator(&self) -> &Comparator {
        &self.comparator
    }

    /// The memory that index, filter and range tombstones take, in bytes. Cached blocks are not among it.
    pub fn memory_usage(&self) -> usize {
        let filter = self.filter.as_ref().map_or(0, TableFilter::memory_usage);
        let tombstones = self.range_tombstones.as_ref().map_or(0, |t| t.memory_usage());
        size_of::<TableReader>() + self.index.memory_usage() + filter + tombstones
    }

    /// About where in the file the internal key `key` is, or would be: the start of its data
    /// block, or the end of all data blocks.
    pub fn approximate_offset_of(&self, key: &[u8]) -> u64 {
        let at = self.index.seek(&self.comparator, key);
        if at < self.index.len() {
            return self.index.handle(at).offset;
        }
        match self.index.len().checked_sub(1) {
            Some(last) => self.index.handle(last).end().unwrap_or(self.source.file_size()),
            None => 0,
        }
    }

    /// Reads the whole file past the cache, and checks every checksum.
    pub fn verify_checksums(&self) -> Result<()> {
        let path = self.source.file().path().display().to_string();
        self.verify_blocks().map_err(|e| naming(e, &path))
    }

    fn verify_blocks(&self) -> Result<()> {
        let meta = read_meta_index(&self.source)?;
        read_properties(&self.source, &meta)?;
        for (name, handle) in meta.iter() {
            match block_type(name) {
                BlockType::Properties => {}
                kind => drop(self.source.read(handle, kind, true)?),
            }
        }
        // A two-level index has blocks that the metaindex does not name.
        let format = self.index_format;
        read_index(&self.source, &meta, &self.properties, format, &self.comparator)?;
        let options = TableReadOptions { readahead_size: 256 << 10, ..Default::default() };
        let mut read_ahead = ReadAhead::default();
        for at in 0..self.index.len() {
            read_ahead.read(&self.source, self.index.handle(at), &options)?;
        }
        Ok(())
    }
}

/// What look-ups and iterators need.
impl TableReader {
    #[inline]
    pub(super) fn index(&self) -> &FlatIndex {
        &self.index
    }

    #[inline]
    pub(super) fn global_sequence(&self) -> Option<SequenceNumber> {
        self.global_sequence
    }

    /// Whether `user_key`, whose hash (without timestamp) is `hash`, may be here: false is certain.
    #[inline]
    pub fn may_contain(&self, user_key: &[u8], hash: KeyHash) -> bool {
        let Some(filter) = &self.filter else { return true };
        filter.may_contain(self.without_timestamp(user_key), hash)
    }

    /// Whether there may be a key here that a seek to the user key `target` must see.
    pub fn may_hold(&self, target: &[u8], seek: &PrefixSeek) -> bool {
        let Some(filter) = &self.filter else { return true };
        filter.may_hold(self.without_timestamp(target), seek)
    }

    #[inline]
    fn without_timestamp<'a>(&self, user_key: &'a [u8]) -> &'a [u8] {
        &user_key[..user_key.len().saturating_sub(self.comparator.timestamp_size())]
    }

    /// Data block `at`, from the cache or the file.
    #[inline]
    pub(super) fn block(&self, at: usize, options: &TableReadOptions) -> Result<Arc<CachedBlock>> {
        let handle = self.index.handle(at);
        match self.cached(handle) {
            Some(block) => Ok(block),
            None => self.load(handle, options, None),
        }
    }

    /// The same for an iterator, with read-ahead.
    pub(super) fn block_ahead(
        &self,
        at: usize,
        options: &TableReadOptions,
        read_ahead: &mut ReadAhead,
    ) -> Result<Arc<CachedBlock>> {
        let handle = self.index.handle(at);
        read_ahead.note(handle, options);
        match self.cached(handle) {
            Some(block) => Ok(block),
            None => self.load(handle, options, Some(read_ahead)),
        }
    }

    #[inline]
    fn cached(&self, handle: BlockHandle) -> Option<Arc<CachedBlock>> {
        let (cache, keys) = self.cache.as_ref()?;
        cache.lookup(&keys.block(handle.offset)?)
    }

    #[cold]
    fn load(
        &self,
        handle: BlockHandle,
        options: &TableReadOptions,
        read_ahead: Option<&mut ReadAhead>,
    ) -> Result<Arc<CachedBlock>> {
        if options.cache_only {
            return Err(Status::incomplete("no blocking io"));
        }
        let bytes = match read_ahead {
            Some(read_ahead) => read_ahead.read(&self.source, handle, options)?,
            None => self.source.read(handle, BlockType::Data, options.verify_checksums)?,
        };
        let block = CachedBlock::new(bytes);
        match self.cache_entry(handle).filter(|_| options.fill_cache) {
            Some((cache, key)) => cache.insert(key, block, Priority::Low),
            None => Ok(Arc::new(block)),
        }
    }

    fn cache_entry(&self, handle: BlockHandle) -> Option<(&Cache, CacheKey)> {
        let (cache, keys) = self.cache.as_ref()?;
        Some((cache, keys.block(handle.offset)?))
    }

    /// `status` with the file's name.
    #[cold]
    pub(super) fn in_file(&self, status: Status) -> Status {
        naming(status, &self.source.file().path().display().to_string())
    }
}

/// `status` with `path` behind its text, unless that names it already.
fn naming(status: Status, path: &str) -> Status {
    match status.text().contains(path) {
        true => status,
        false => status.append(&format!(" in {path}")),
    }
}

fn read_meta_index(source: &BlockSource) -> Result<MetaIndex> {
    MetaIndex::decode(&source.read(source.footer().metaindex, BlockType::MetaIndex, true)?)
}

fn read_properties(source: &BlockSource, meta: &MetaIndex) -> Result<TableProperties> {
    let handle = meta
        .properties()
        .ok_or_else(|| Status::corruption("Cannot find Properties block from file."))?;
    source.read_properties(handle)
}

/// Refuses tables that would be misread.
fn check_supported(properties: &TableProperties) -> Result<()> {
    let refuse = |what: &str| Err(Status::not_supported(format!("{what} of a table file")));
    if properties.udi_is_primary_index != 0 {
        return refuse("a user-defined index in place of the index");
    }
    if properties.user_defined_timestamps_persisted == 0 {
        return refuse("stripped user-defined timestamps");
    }
    Ok(())
}

/// Old tables do not tell their comparator.
fn check_comparator(comparator: &Comparator, properties: &TableProperties) -> Result<()> {
    let stored = &properties.comparator_name;
    if stored.is_empty() || stored == comparator.name() {
        return Ok(());
    }
    Err(Status::invalid_argument(format!(
        "{}: does not match existing comparator {stored}",
        comparator.name()
    )))
}

fn check_unique_id(
    expected: Option<[u64; 2]>,
    file_number: u64,
    properties: &TableProperties,
) -> Result<()> {
    let Some(expected) = expected.filter(|id| *id != [0, 0]) else { return Ok(()) };
    let (db, session) = (&properties.db_id, &properties.db_session_id);
    let actual = unique_id(db, session, properties.orig_file_number).ok();
    if actual == Some(expected) {
        return Ok(());
    }
    let text = |id: [u64; 2]| format!("{{{},{}}}", id[0], id[1]);
    Err(Status::corruption(format!(
        "Mismatch in unique ID on table file {file_number}. Expected: {} Actual: {}",
        text(expected),
        text(actual.unwrap_or_default())
    )))
}

fn index_format(properties: &TableProperties) -> Result<IndexFormat> {
    let kind = index_type(properties)?;
    Ok(IndexFormat {
        user_keys: properties.index_key_is_user_key != 0,
        delta_handles: properties.index_value_is_delta_encoded != 0,
        first_keys: kind == IndexType::BinarySearchWithFirstKey,
    })
}

fn index_type(properties: &TableProperties) -> Result<IndexType> {
    let property = properties
        .user_property(INDEX_TYPE)
        .ok_or_else(|| Status::corruption("Missing index type property"))?;
    IndexType::decode(property)
}

fn read_index(
    source: &BlockSource,
    meta: &MetaIndex,
    properties: &TableProperties,
    format: IndexFormat,
    comparator: &Comparator,
) -> Result<FlatIndex> {
    let handle = source
        .footer()
        .index
        .or_else(|| meta.get(meta::INDEX_BLOCK))
        .ok_or_else(|| Status::corruption("Cannot find the index block"))?;
    let block = source.read(handle, BlockType::Index, true)?;
    let mut index = FlatIndexBuilder::default();
    let mut entries = IndexEntries::new(&block, format)?;
    let two_level = index_type(properties)? == IndexType::TwoLevelIndexSearch;
    while entries.advance()? {
        if two_level {
            let partition = source.read(entries.handle(), BlockType::Index, true)?;
            let mut entries = IndexEntries::new(&partition, format)?;
            while entries.advance()? {
                index.push(entries.key(), format.user_keys, entries.handle())?;
            }
        } else {
            index.push(entries.key(), format.user_keys, entries.handle())?;
        }
    }
    index.finish(comparator)
}

fn read_filter(source: &BlockSource, meta: &MetaIndex) -> Result<Option<FilterReader>> {
    let name = format!("{}{BUILTIN_FILTER_NAME}", meta::FULL_FILTER_PREFIX);
    let Some(handle) = meta.get(&name) else { return Ok(None) };
    let block = source.read(handle, BlockType::Filter, true)?;
    FilterReader::new(&block).map(Some)
}

/// What a meta block is for, by its name.
fn block_type(name: &[u8]) -> BlockType {
    match std::str::from_utf8(name).unwrap_or_default() {
        meta::PROPERTIES_BLOCK | meta::PROPERTIES_BLOCK_OLD => BlockType::Properties,
        meta::INDEX_BLOCK => BlockType::Index,
        meta::COMPRESSION_DICT_BLOCK => BlockType::CompressionDictionary,
        meta::RANGE_DEL_BLOCK => BlockType::RangeDeletion,
        name if name.starts_with(meta::FULL_FILTER_PREFIX) => BlockType::Filter,
        name if name.starts_with(meta::PARTITIONED_FILTER_PREFIX) => {
            BlockType::FilterPartitionIndex
        }
        "rocksdb.hashindex.prefixes" => BlockType::HashIndexPrefixes,
        _ => BlockType::HashIndexMetadata,
    }
}
