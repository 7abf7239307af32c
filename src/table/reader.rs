//! [`TableReader`]: an open table file, with its index and filter in memory.

use super::fetch::{BlockSource, BlockType, ReadCounts};
use super::filter::KeyHash;
use super::flat_index::{FlatIndex, FlatIndexBuilder};
use super::footer::Footer;
use super::handle::BlockHandle;
use super::index::{IndexEntries, IndexFormat, IndexType};
use super::index_reader::{IndexCursor, IndexReader};
use super::iter::TableIter;
use super::meta::{self, MetaIndex};
use super::meta_place::{MetaBlock, Place};
use super::options::{MetadataCaching, TableReadOptions, TableReaderOptions};
use super::properties::{self, INDEX_TYPE};
use super::range_del;
use super::read_ahead::{Ahead, ReadAhead};
use super::table_filter::{FilterLayout, TableFilter};
use super::unique_id::unique_id;
use super::watch::{self, Asked};
use crate::base::clock::unix_micros;
use crate::base::comparator::{Comparator, Order};
use crate::base::key::{LookupKey, SequenceNumber};
use crate::base::status::{Code, Result, Status, SubCode};
use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::cache::{Cache, CacheKey, CachedBlock, CachedObject, FileCacheKeys, Priority};
use crate::codec::Dictionary;
use crate::env::file_system::RandomFile;
use crate::plug::filter_policy::BUILTIN_FILTER_NAME;
use crate::plug::prefix_seek::PrefixSeek;
use crate::plug::table_properties::TableProperties;
use crate::rangedel::Fragments;
use crate::stats::{Stats, is_watched};

/// An open table. Any number of threads may read it at once.
///
/// Index and filter are read at open and checked whatever the options say, except for partitions,
/// which are read when they are needed. Data blocks go through the cache, and so do index and
/// filter if the options say so. What a table needs and this reader does not have (user-defined indexes) is an
/// error at open, so that no table is read wrongly.
pub struct TableReader {
    source: BlockSource,
    comparator: Comparator,
    properties: Arc<TableProperties>,
    index: IndexReader,
    filter: Option<TableFilter>,
    cache: Option<(Arc<Cache>, FileCacheKeys)>,
    /// Of index and filter in the cache.
    metadata_priority: Priority,
    global_sequence: Option<SequenceNumber>,
    range_tombstones: Option<Arc<Fragments>>,
    guard_blocks: Arc<AtomicBool>,
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
            let source = BlockSource::open(file, file_size, ReadCounts::default())?;
            read_properties(&source, &read_meta_index(&source)?)
        };
        read().map_err(|e| naming(e, &path))
    }

    fn open_file(
        file: Arc<dyn RandomFile>,
        file_size: u64,
        options: TableReaderOptions,
    ) -> Result<TableReader> {
        let mut source = BlockSource::open(file, file_size, options.counts.clone())?;
        source.set_rate_limiter(options.rate_limiter.clone());
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
        let index = IndexReader {
            format: index_format(&properties)?,
            two_level: index_type(&properties)? == IndexType::TwoLevelIndexSearch,
            top: Place::InFile(index_handle(&source, &meta)?),
            partitions: Vec::new(),
        };
        let filter = if options.skip_filters { None } else { find_filter(&meta) };
        let filter = filter.map(|layout| TableFilter::new(layout, &properties, &options));
        let session = match options.cache_session {
            0 => Cache::new_id(),
            session => session,
        };
        let keys = FileCacheKeys::new(session, options.file_number);
        let cache = options.cache.zip(keys);
        let comparator = options.comparator;
        let mut reader = TableReader {
            source,
            comparator,
            properties: Arc::new(properties),
            index,
            filter,
            cache,
            metadata_priority: match options.metadata.high_priority {
                true => Priority::High,
                false => Priority::Low,
            },
            global_sequence,
            range_tombstones,
            guard_blocks: options.guard_blocks,
        };
        reader.settle_index(options.metadata)?;
        reader.settle_filter(options.metadata)?;
        Ok(reader)
    }

    /// A cursor over all records, standing nowhere. `order` must be the table's
    /// ([`Bytewise`](crate::base::comparator::Bytewise) for a bytewise one).
    pub fn iter<O: Order>(self: &Arc<Self>, order: O, options: TableReadOptions) -> TableIter<O> {
        TableIter::new(self.clone(), order, options)
    }

    /// What the table says about itself.
    pub fn properties(&self) -> &Arc<TableProperties> {
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
        let options = TableReadOptions::default();
        let mut cursor = IndexCursor::default();
        let found = cursor.seek(self, &self.comparator, key, &options);
        let end = self.properties.data_size;
        match (found, cursor.blocks(self)) {
            (Ok(Some(at)), Some(blocks)) => blocks.handle(at).offset,
            (Ok(None), Some(blocks)) if !self.index.two_level => {
                let last = blocks.len().checked_sub(1).map(|last| blocks.handle(last));
                last.map_or(0, |last| last.end().unwrap_or(end))
            }
            _ => end,
        }
    }

    /// Reads the whole file past the cache, and checks every checksum. Data blocks are read as
    /// `options` say, which may leave their checksums out.
    pub fn verify_checksums(&self, options: &TableReadOptions) -> Result<()> {
        self.verify_blocks(options).map_err(|e| self.in_file(e))
    }

    /// Puts every data block into the cache.
    pub fn warm_cache(&self) -> Result<()> {
        let options = TableReadOptions { readahead_size: 256 << 10, ..Default::default() };
        let meta = read_meta_index(&self.source)?;
        let index = self.read_whole_index(index_handle(&self.source, &meta)?, &options)?;
        let mut read_ahead = ReadAhead::default();
        for at in 0..index.len() {
            let ahead = Ahead { state: &mut read_ahead, trim: &|until| until };
            self.load(index.handle(at), &options, Some(ahead))?;
        }
        Ok(())
    }

    fn verify_blocks(&self, options: &TableReadOptions) -> Result<()> {
        let ahead = match options.readahead_size {
            0 => options.max_auto_readahead_size,
            size => size,
        };
        let options = TableReadOptions { readahead_size: ahead, ..*options };
        let checked = TableReadOptions { verify_checksums: true, ..options };
        self.source.pace(self.source.footer().metaindex.size, &options);
        let meta = read_meta_index(&self.source)?;
        for (name, handle) in meta.iter() {
            match block_type(name) {
                BlockType::Properties => {
                    self.source.pace(handle.size, &options);
                    read_properties(&self.source, &meta)?;
                }
                kind => drop(self.source.read_with(handle, kind, &checked)?),
            }
        }
        // What is partitioned has blocks that the metaindex does not name.
        let index = self.read_whole_index(index_handle(&self.source, &meta)?, &checked)?;
        if let Some(handle) = meta.get(&filter_name(meta::PARTITIONED_FILTER_PREFIX)) {
            let top = self.read_meta_block::<FlatIndex>(handle, &checked)?;
            (0..top.len()).try_for_each(|at| {
                self.source.read_with(top.handle(at), BlockType::Filter, &checked).map(drop)
            })?;
        }
        let mut read_ahead = ReadAhead::default();
        for at in 0..index.len() {
            may_read_file(&options)?;
            read_ahead.read(&self.source, index.handle(at), &options, &|until| until)?;
        }
        Ok(())
    }
}

/// How index and filter come to where they are kept.
impl TableReader {
    fn settle_index(&mut self, caching: MetadataCaching) -> Result<()> {
        let Place::InFile(handle) = self.index.top else { return Ok(()) };
        if self.cache.is_none() {
            // Nothing would keep a partition, so all of them are one index.
            let whole = self.read_whole_index(handle, &TableReadOptions::default())?;
            self.index.top = Place::Resident(whole);
            self.index.two_level = false;
            return Ok(());
        }
        let two_level = self.index.two_level;
        self.index.top = self.settle(handle, caching, two_level)?;
        if two_level && caching.pin_partitions {
            let options = TableReadOptions::default();
            let top = self.index.top.get(self, &options)?;
            let partitions = (0..top.len()).map(|at| self.meta_block(top.handle(at), &options));
            let partitions = partitions.collect::<Result<Vec<_>>>()?;
            drop(top);
            self.index.partitions = partitions;
        }
        Ok(())
    }

    fn settle_filter(&mut self, caching: MetadataCaching) -> Result<()> {
        let Some(mut filter) = self.filter.take() else { return Ok(()) };
        match &mut filter.layout {
            FilterLayout::Whole(place) => {
                if let Place::InFile(handle) = *place {
                    *place = self.settle(handle, caching, false)?;
                }
            }
            FilterLayout::Partitioned { top, partitions } => {
                if let Place::InFile(handle) = *top {
                    *top = self.settle(handle, caching, true)?;
                }
                if caching.pin_partitions || self.cache.is_none() {
                    let options = TableReadOptions::default();
                    let top = top.get(self, &options)?;
                    let all = (0..top.len()).map(|at| self.meta_block(top.handle(at), &options));
                    *partitions = all.collect::<Result<Vec<_>>>()?;
                }
            }
        }
        self.filter = Some(filter);
        Ok(())
    }

    /// Reads and checks the block at `handle`, and puts it where the options want it.
    fn settle<T: MetaBlock>(
        &self,
        handle: BlockHandle,
        caching: MetadataCaching,
        is_top_level: bool,
    ) -> Result<Place<T>> {
        let options = TableReadOptions::default();
        if self.cache.is_none() || !caching.in_cache {
            return Ok(Place::Resident(self.read_meta_block(handle, &options)?));
        }
        let pin = if is_top_level { caching.pin_top_level } else { caching.pin_unpartitioned };
        match self.meta_block(handle, &options) {
            Ok(block) if pin => Ok(Place::Held(block)),
            Ok(_) => Ok(Place::InFile(handle)),
            // A cache that has no room now may have some when the block is needed.
            Err(error) if !pin && error.subcode() == SubCode::MemoryLimit => {
                Ok(Place::InFile(handle))
            }
            Err(error) => Err(error),
        }
    }

    /// The index that begins at `handle`, with all its partitions as one.
    fn read_whole_index(
        &self,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<FlatIndex> {
        let format = self.index.format;
        let _time = watch::load_metadata(self.statistics(), BlockType::Index);
        let block = self.source.read_with(handle, BlockType::Index, options)?;
        let two_level = index_type(&self.properties)? == IndexType::TwoLevelIndexSearch;
        if !two_level {
            return FlatIndex::decode(&block, format, &self.comparator);
        }
        let mut index = FlatIndexBuilder::default();
        let mut top = IndexEntries::new(&block, format)?;
        while top.advance()? {
            let partition = self.source.read_with(top.handle(), BlockType::Index, options)?;
            let mut entries = IndexEntries::new(&partition, format)?;
            while entries.advance()? {
                index.push(entries.key(), format.user_keys, entries.handle())?;
            }
        }
        index.finish(&self.comparator)
    }

    fn read_meta_block<T: MetaBlock>(
        &self,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<T> {
        let _time = watch::load_metadata(self.statistics(), T::TYPE);
        T::decode(&self.source.read_with(handle, T::TYPE, options)?, self)
    }

    /// The index or filter block at `handle`, from the cache or the file.
    pub(super) fn meta_block<T: MetaBlock>(
        &self,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<CachedObject<T>> {
        match self.cached(handle, T::TYPE).and_then(CachedObject::of) {
            Some(block) => Ok(block),
            None => self.load_meta_block(handle, options),
        }
    }

    #[cold]
    fn load_meta_block<T: MetaBlock>(
        &self,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<CachedObject<T>> {
        may_read_file(options)?;
        let _reads = options.enter_activity();
        let object: T = self.read_meta_block(handle, options)?;
        let charge = object.memory_usage() + size_of::<T>() + CachedBlock::OVERHEAD;
        let block = CachedBlock::from_object(Box::new(object), charge);
        let block = match self.cache_entry(handle).filter(|_| options.fill_cache) {
            Some(entry) => self.keep(entry, T::TYPE, block, self.metadata_priority)?,
            None => Arc::new(block),
        };
        CachedObject::of(block).ok_or_else(|| Status::corruption("another block in the cache"))
    }
}

/// What look-ups and iterators need.
impl TableReader {
    #[inline]
    pub(super) fn index_reader(&self) -> &IndexReader {
        &self.index
    }

    #[inline]
    pub(super) fn global_sequence(&self) -> Option<SequenceNumber> {
        self.global_sequence
    }

    /// Whether `key`, whose hash (without timestamp) is `hash`, may be here: false is certain.
    #[inline]
    pub fn may_contain<O: Order>(
        &self,
        order: &O,
        key: &LookupKey,
        hash: KeyHash,
        options: &TableReadOptions,
    ) -> bool {
        let Some(filter) = &self.filter else { return true };
        match filter.resident() {
            Some(filter) => filter.may_match(hash),
            None => filter.may_contain(self, order, key, hash, options),
        }
    }

    /// What counts the reads of this table.
    #[inline]
    pub(super) fn statistics(&self) -> &Stats {
        self.source.statistics()
    }

    #[inline]
    pub(super) fn filter(&self) -> Option<&TableFilter> {
        self.filter.as_ref()
    }

    /// What the filter is asked about keys; `None` if there is none, or it knows nothing of them.
    pub(super) fn filter_asks(&self, user_key: &[u8]) -> Option<Asked> {
        self.filter.as_ref()?.asks(self.without_timestamp(user_key))
    }

    /// Whether there may be a key here that a seek to the internal key `target` must see.
    pub fn may_hold<O: Order>(
        &self,
        order: &O,
        target: &[u8],
        seek: &PrefixSeek,
        options: &TableReadOptions,
    ) -> bool {
        let Some(filter) = &self.filter else { return true };
        filter.may_hold(self, order, target, seek, options)
    }

    #[inline]
    pub(super) fn without_timestamp<'a>(&self, user_key: &'a [u8]) -> &'a [u8] {
        &user_key[..user_key.len().saturating_sub(self.comparator.timestamp_size())]
    }

    /// The data block at `handle`, from the cache or the file.
    #[inline]
    pub(super) fn block(
        &self,
        handle: BlockHandle,
        options: &TableReadOptions,
    ) -> Result<Arc<CachedBlock>> {
        match self.cached(handle, BlockType::Data) {
            Some(block) if block.is_sound() => Ok(block),
            Some(_) => Err(self.damaged(handle)),
            None => self.load(handle, options, None),
        }
    }

    /// The same for an iterator, with read-ahead.
    pub(super) fn block_ahead(
        &self,
        handle: BlockHandle,
        options: &TableReadOptions,
        ahead: Ahead<'_>,
    ) -> Result<Arc<CachedBlock>> {
        ahead.state.note(handle, options);
        match self.cached(handle, BlockType::Data) {
            Some(block) if !block.is_sound() => Err(self.damaged(handle)),
            Some(block) => {
                if options.adaptive_read_ahead {
                    ahead.state.note_cached(options);
                }
                Ok(block)
            }
            None => self.load(handle, options, Some(ahead)),
        }
    }

    /// Whether the data block at `handle` is in the cache. Counts nothing.
    pub(super) fn is_cached(&self, handle: BlockHandle) -> bool {
        self.cache_entry(handle).is_some_and(|(cache, key)| cache.lookup(&key).is_some())
    }

    #[inline]
    fn cached(&self, handle: BlockHandle, kind: BlockType) -> Option<Arc<CachedBlock>> {
        let (cache, keys) = self.cache.as_ref()?;
        let found = cache.lookup(&keys.block(handle.offset)?);
        if is_watched(self.statistics()) {
            let bytes = found.as_ref().map(|block| block.charge());
            watch::looked_up(self.statistics(), kind, bytes);
        }
        found
    }

    /// Keeps a block of this kind in the cache.
    fn keep(
        &self,
        (cache, key): (&Cache, CacheKey),
        kind: BlockType,
        block: CachedBlock,
        priority: Priority,
    ) -> Result<Arc<CachedBlock>> {
        let bytes = block.charge();
        let kept = cache.insert_or_replace(key, block, priority);
        let has_replaced = kept.as_ref().ok().map(|(_, has_replaced)| *has_replaced);
        watch::inserted(self.statistics(), kind, bytes, has_replaced);
        kept.map(|(block, _)| block)
    }

    #[cold]
    fn load(
        &self,
        handle: BlockHandle,
        options: &TableReadOptions,
        ahead: Option<Ahead<'_>>,
    ) -> Result<Arc<CachedBlock>> {
        may_read_file(options)?;
        let _reads = options.enter_activity();
        let time = watch::load(self.statistics());
        let bytes = match ahead {
            Some(Ahead { state, trim }) => state.read(&self.source, handle, options, trim)?,
            None => self.source.read_with(handle, BlockType::Data, options)?,
        };
        drop(time);
        let block = CachedBlock::new(bytes);
        match self.cache_entry(handle).filter(|_| options.fill_cache) {
            Some(entry) => {
                let is_guarded = self.guard_blocks.load(Ordering::Relaxed);
                let block = if is_guarded { block.guarded() } else { block };
                self.keep(entry, BlockType::Data, block, Priority::Low)
            }
            None => Ok(Arc::new(block)),
        }
    }

    /// The error of a cached block that changed in memory. The cache gives it up, so that it is read
    /// from the file when it is next wanted.
    #[cold]
    fn damaged(&self, handle: BlockHandle) -> Status {
        if let Some((cache, key)) = self.cache_entry(handle) {
            cache.erase(&key);
        }
        Status::corruption(format!(
            "Corrupted block entry: per key-value checksum verification failed. Block offset: {}.",
            handle.offset
        ))
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

/// Fails where a read must not go to the file.
fn may_read_file(options: &TableReadOptions) -> Result<()> {
    if options.cache_only {
        return Err(Status::incomplete("no blocking io"));
    }
    if options.deadline > 0 && unix_micros() >= options.deadline {
        return Err(Status::new(Code::TimedOut, "Deadline exceeded"));
    }
    Ok(())
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

fn index_handle(source: &BlockSource, meta: &MetaIndex) -> Result<BlockHandle> {
    let handle = source.footer().index.or_else(|| meta.get(meta::INDEX_BLOCK));
    handle.ok_or_else(|| Status::corruption("Cannot find the index block"))
}

fn filter_name(prefix: &str) -> String {
    format!("{prefix}{BUILTIN_FILTER_NAME}")
}

fn find_filter(meta: &MetaIndex) -> Option<FilterLayout> {
    if let Some(handle) = meta.get(&filter_name(meta::FULL_FILTER_PREFIX)) {
        return Some(FilterLayout::Whole(Place::InFile(handle)));
    }
    let handle = meta.get(&filter_name(meta::PARTITIONED_FILTER_PREFIX))?;
    let top = Place::InFile(handle);
    Some(FilterLayout::Partitioned { top, partitions: Vec::new() })
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
