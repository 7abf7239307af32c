//! [`TableFilter`]: what a table's filter says about keys and prefixes.

use super::fetch::BlockType;
use super::filter::{FilterReader, KeyHash};
use super::flat_index::FlatIndex;
use super::key_set::KeySet;
use super::meta_place::{MetaBlock, Place};
use super::multi_get::BatchKey;
use super::options::{TableReadOptions, TableReaderOptions};
use super::properties::{PREFIX_FILTERING, WHOLE_KEY_FILTERING};
use super::reader::TableReader;
use super::watch::{self, Asked};
use crate::base::comparator::Order;
use crate::base::key::{LookupKey, user_key};
use crate::base::status::Result;
use crate::cache::CachedObject;
use crate::plug::prefix_seek::{PrefixSeek, StoredPrefixes};
use crate::plug::table_properties::TableProperties;
use crate::stats::is_watched;

/// A filter, and what was put into it.
pub(super) struct TableFilter {
    pub(super) layout: FilterLayout,
    /// Every user key is in it.
    whole_keys: bool,
    /// The prefixes of all keys that have one are in it.
    prefixes: Option<StoredPrefixes>,
}

/// How a filter is cut.
pub(super) enum FilterLayout {
    /// One filter for the whole table.
    Whole(Place<FilterReader>),
    /// Filters for ranges of keys, and an index of them.
    Partitioned {
        top: Place<FlatIndex>,
        /// Every partition, if they are held; else they are read when they are needed.
        partitions: Vec<CachedObject<FilterReader>>,
    },
}

impl MetaBlock for FilterReader {
    const TYPE: BlockType = BlockType::Filter;

    fn decode(block: &[u8], _: &TableReader) -> Result<FilterReader> {
        FilterReader::new(block)
    }

    fn memory_usage(&self) -> usize {
        FilterReader::memory_usage(self)
    }
}

impl TableFilter {
    /// The filter of a table with these properties.
    pub(super) fn new(
        layout: FilterLayout,
        properties: &TableProperties,
        options: &TableReaderOptions,
    ) -> TableFilter {
        let has = |property| properties.user_property(property) != Some(b"0");
        let name = &properties.prefix_extractor_name;
        let prefixes = StoredPrefixes::named(name, options.prefix_extractor.as_ref());
        TableFilter {
            layout,
            whole_keys: has(WHOLE_KEY_FILTERING),
            prefixes: prefixes.filter(|_| has(PREFIX_FILTERING)),
        }
    }

    /// The filter, if all of it is in the reader, every key is in it, and hashes suffice for it.
    #[inline]
    pub(super) fn resident(&self) -> Option<&FilterReader> {
        match &self.layout {
            FilterLayout::Whole(Place::Resident(filter))
                if self.whole_keys && !filter.hashes_otherwise() =>
            {
                Some(filter)
            }
            _ => None,
        }
    }

    /// Whether `key`, whose hash is `hash`, may be in `table`.
    #[cold]
    pub(super) fn may_contain<O: Order>(
        &self,
        table: &TableReader,
        order: &O,
        key: &LookupKey,
        mut hash: KeyHash,
        options: &TableReadOptions,
    ) -> bool {
        let mut sought = table.without_timestamp(key.user_key());
        if !self.whole_keys {
            match self.prefixes.as_ref().and_then(|p| p.transform.prefix(sought)) {
                Some(prefix) => (hash, sought) = (KeyHash::of(prefix), prefix),
                None => return true,
            }
        }
        self.matches(table, order, key.internal_key(), (hash, sought), options)
    }

    /// What [`may_contain`](TableFilter::may_contain) asks about `key`, which is without
    /// timestamp; `None` if nothing.
    pub(super) fn asks(&self, key: &[u8]) -> Option<Asked> {
        if self.whole_keys {
            return Some(Asked::Key);
        }
        let prefixes = self.prefixes.as_ref()?;
        prefixes.transform.prefix(key).map(|_| Asked::Prefix)
    }

    /// Those of `keys` that may be in `table`. Each partition is fetched once.
    pub(super) fn pass<O: Order>(
        &self,
        table: &TableReader,
        order: &O,
        batch: &[BatchKey],
        keys: KeySet,
        options: &TableReadOptions,
    ) -> KeySet {
        if self.whole_keys {
            let hash = |key: usize| batch[key].hash;
            let bytes = |key: usize| table.without_timestamp(batch[key].key.user_key());
            let passed = self.pass_hashes(table, order, batch, keys, (hash, bytes), options);
            if is_watched(table.statistics()) {
                watch::filtered_batch(table.statistics(), Asked::Key, keys, (keys, passed));
            }
            return passed;
        }
        self.pass_prefixes(table, order, batch, keys, options)
    }

    /// The same for a filter of prefixes, which knows nothing of keys without one.
    #[cold]
    fn pass_prefixes<O: Order>(
        &self,
        table: &TableReader,
        order: &O,
        batch: &[BatchKey],
        keys: KeySet,
        options: &TableReadOptions,
    ) -> KeySet {
        let Some(stored) = &self.prefixes else { return keys };
        let mut hashes = [KeyHash(0); KeySet::MAX];
        let mut prefixes: [&[u8]; KeySet::MAX] = [&[]; KeySet::MAX];
        let (mut asked, mut others) = (KeySet::default(), KeySet::default());
        for key in keys {
            let user_key = table.without_timestamp(batch[key].key.user_key());
            match stored.transform.prefix(user_key) {
                Some(prefix) => {
                    (hashes[key], prefixes[key]) = (KeyHash::of(prefix), prefix);
                    asked.insert(key);
                }
                None => others.insert(key),
            }
        }
        let by = (|key: usize| hashes[key], |key: usize| prefixes[key]);
        let passed = self.pass_hashes(table, order, batch, asked, by, options);
        if is_watched(table.statistics()) {
            watch::filtered_batch(table.statistics(), Asked::Prefix, keys, (asked, passed));
        }
        passed.union(others)
    }

    /// Those of `keys` that, by hash and bytes, may be in the filter. One that cannot be read hides
    /// nothing.
    fn pass_hashes<'k, O: Order>(
        &self,
        table: &TableReader,
        order: &O,
        batch: &[BatchKey],
        keys: KeySet,
        (hash, bytes): (impl Fn(usize) -> KeyHash, impl Fn(usize) -> &'k [u8]),
        options: &TableReadOptions,
    ) -> KeySet {
        let (top, partitions) = match &self.layout {
            _ if keys.is_empty() => return keys,
            FilterLayout::Whole(filter) => {
                return filter.get(table, options).map_or(keys, |f| f.matching(keys, hash, bytes));
            }
            FilterLayout::Partitioned { top, partitions } => (top, partitions),
        };
        let Ok(top) = top.get(table, options) else { return keys };
        let Some(last) = top.len().checked_sub(1) else { return keys };
        let ask = |at: usize, run: KeySet| match partitions.get(at) {
            Some(partition) => partition.matching(run, &hash, &bytes),
            None => table
                .meta_block::<FilterReader>(top.handle(at), options)
                .map_or(run, |partition| partition.matching(run, &hash, &bytes)),
        };
        let (mut passed, mut run, mut run_at) = (KeySet::default(), KeySet::default(), 0);
        for key in keys {
            let at = top.seek(order, batch[key].key.internal_key()).min(last);
            if at != run_at && !run.is_empty() {
                passed = passed.union(ask(run_at, std::mem::take(&mut run)));
            }
            run_at = at;
            run.insert(key);
        }
        passed.union(ask(run_at, run))
    }

    /// What [`pass`](TableFilter::pass) asks about keys; `None` if nothing.
    pub(super) fn asks_of_batch(&self) -> Option<Asked> {
        match self.whole_keys {
            true => Some(Asked::Key),
            false => self.prefixes.as_ref().map(|_| Asked::Prefix),
        }
    }

    /// Whether `table` may hold a key that a seek to the internal key `target` must see.
    pub(super) fn may_hold<O: Order>(
        &self,
        table: &TableReader,
        order: &O,
        target: &[u8],
        seek: &PrefixSeek,
        options: &TableReadOptions,
    ) -> bool {
        let user_key = table.without_timestamp(user_key(target));
        let prefix = self.prefixes.as_ref().and_then(|stored| seek.required(stored, user_key));
        prefix.is_none_or(|prefix| {
            self.matches(table, order, target, (KeyHash::of(prefix), prefix), options)
        })
    }

    /// Whether `sought`, whose hash is `hash`, may be in the filter for the keys around `target`. A
    /// filter that cannot be read hides nothing.
    fn matches<O: Order>(
        &self,
        table: &TableReader,
        order: &O,
        target: &[u8],
        (hash, sought): (KeyHash, &[u8]),
        options: &TableReadOptions,
    ) -> bool {
        let answer = match &self.layout {
            FilterLayout::Whole(filter) => {
                filter.get(table, options).map(|f| f.may_match_key(hash, sought))
            }
            FilterLayout::Partitioned { top, partitions } => {
                top.get(table, options).and_then(|top| {
                    // Behind all keys there may still be a key with the prefix of the last ones.
                    let Some(last) = top.len().checked_sub(1) else { return Ok(true) };
                    let at = top.seek(order, target).min(last);
                    match partitions.get(at) {
                        Some(partition) => Ok(partition.may_match_key(hash, sought)),
                        None => table
                            .meta_block::<FilterReader>(top.handle(at), options)
                            .map(|partition| partition.may_match_key(hash, sought)),
                    }
                })
            }
        };
        answer.unwrap_or(true)
    }

    /// The memory that the reader alone answers for, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        match &self.layout {
            FilterLayout::Whole(filter) => filter.memory_usage(),
            FilterLayout::Partitioned { top, .. } => top.memory_usage(),
        }
    }
}
