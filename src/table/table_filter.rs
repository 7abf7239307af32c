//! [`TableFilter`]: what a table's filter says about keys and prefixes.

use super::filter::{FilterReader, KeyHash};
use super::options::TableReaderOptions;
use super::properties::{PREFIX_FILTERING, WHOLE_KEY_FILTERING};
use crate::plug::prefix_seek::{PrefixSeek, StoredPrefixes};
use crate::plug::table_properties::TableProperties;

/// A filter, and what was put into it.
pub(super) struct TableFilter {
    filter: FilterReader,
    /// Every user key is in it.
    whole_keys: bool,
    /// The prefixes of all keys that have one are in it.
    prefixes: Option<StoredPrefixes>,
}

impl TableFilter {
    /// The filter of a table with these properties.
    pub(super) fn new(
        filter: FilterReader,
        properties: &TableProperties,
        options: &TableReaderOptions,
    ) -> TableFilter {
        let has = |property| properties.user_property(property) != Some(b"0");
        let name = &properties.prefix_extractor_name;
        let prefixes = StoredPrefixes::named(name, options.prefix_extractor.as_ref());
        TableFilter {
            filter,
            whole_keys: has(WHOLE_KEY_FILTERING),
            prefixes: prefixes.filter(|_| has(PREFIX_FILTERING)),
        }
    }

    /// Whether `key`, without timestamp, may be in the table; `hash` is its hash.
    #[inline]
    pub(super) fn may_contain(&self, key: &[u8], hash: KeyHash) -> bool {
        if self.whole_keys { self.filter.may_match(hash) } else { self.may_contain_prefix_of(key) }
    }

    #[cold]
    fn may_contain_prefix_of(&self, key: &[u8]) -> bool {
        let prefix = self.prefixes.as_ref().and_then(|p| p.transform.prefix(key));
        prefix.is_none_or(|prefix| self.filter.may_match(KeyHash::of(prefix)))
    }

    /// Whether the table may hold a key that a seek to `target`, a key without timestamp, must see.
    pub(super) fn may_hold(&self, target: &[u8], seek: &PrefixSeek) -> bool {
        let prefix = self.prefixes.as_ref().and_then(|stored| seek.required(stored, target));
        prefix.is_none_or(|prefix| self.filter.may_match(KeyHash::of(prefix)))
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.filter.memory_usage()
    }
}
