//! [`FilterWriter`]: what of a table's keys goes into its filter, and where that is cut.

use super::builder::TableBuilderOptions;
use super::filter::{FilterBuilder, FilterContext};
use super::index::IndexBuilder;
use crate::base::key::TRAILER_LEN;
use crate::base::status::Result;
use crate::plug::slice_transform::SliceTransform;

/// A finished partition of a filter.
pub(super) struct FilterPartition {
    /// An internal key at or behind all keys of the partition, and before those of the next.
    pub(super) separator: Vec<u8>,
    pub(super) block: Vec<u8>,
}

/// How a filter is cut into partitions.
struct Cutting {
    /// A partition is full with so many entries.
    entries: usize,
    /// Cut where the filter is full; else where the index is cut.
    decoupled: bool,
    finished: Vec<FilterPartition>,
    /// The entries of `finished`.
    finished_entries: usize,
    /// The key added last, without timestamp.
    last_key: Vec<u8>,
    timestamp_size: usize,
}

/// Collects the filter of a table being written.
pub(super) struct FilterWriter {
    filter: FilterBuilder,
    whole_keys: bool,
    prefixes: Option<SliceTransform>,
    cutting: Option<Cutting>,
}

impl FilterWriter {
    /// The writer for these options, or `None` where there is to be no filter.
    pub(super) fn new(options: &TableBuilderOptions) -> Option<FilterWriter> {
        let context = FilterContext {
            format_version: options.format_version,
            level: options.filter_level,
            optimize_for_memory: options.optimize_filters_for_memory,
            detect_corruption: options.detect_filter_corruption,
        };
        let filter = FilterBuilder::new(options.filter_policy.as_ref()?, &context)?;
        let partitioned = options.partition_filters && options.is_two_level();
        let cutting = partitioned.then(|| {
            let kept = 100 - options.block_size_deviation.min(100) as usize;
            let bytes = options.metadata_block_size.saturating_mul(kept).div_ceil(100).max(1);
            // One entry less leaves room for the next partition's prefix.
            let spare = usize::from(options.prefix_extractor.is_some());
            let entries = filter.entries_in(bytes).saturating_sub(spare).max(1);
            Cutting {
                entries,
                timestamp_size: options.comparator.timestamp_size(),
                decoupled: options.decouple_partitioned_filters,
                finished: Vec::new(),
                finished_entries: 0,
                last_key: Vec::new(),
            }
        });
        Some(FilterWriter {
            filter,
            whole_keys: options.whole_key_filtering,
            prefixes: options.prefix_extractor.clone(),
            cutting,
        })
    }

    /// Adds `key`, a user key without timestamp, whose data block follows all those in `index`.
    #[inline]
    pub(super) fn add(&mut self, key: &[u8], index: &mut IndexBuilder) -> Result<()> {
        let prefix = self.prefixes.as_ref().and_then(|transform| transform.prefix(key));
        if let Some(cutting) = &mut self.cutting {
            if cutting.is_due(&self.filter, index) {
                cutting.cut(&mut self.filter, index, prefix, self.whole_keys)?;
                let transform = self.prefixes.as_ref();
                if let Some(last) = transform.and_then(|t| t.prefix(&cutting.last_key)) {
                    // A seek for the key before this one may come here.
                    self.filter.add(last);
                }
            }
            cutting.last_key.clear();
            cutting.last_key.extend_from_slice(key);
        }
        match prefix {
            Some(prefix) if self.whole_keys => self.filter.add_with_prefix(key, prefix),
            Some(prefix) => self.filter.add(prefix),
            None if self.whole_keys => self.filter.add(key),
            None => {}
        }
        Ok(())
    }

    /// The entries added so far.
    pub(super) fn num_entries(&self) -> usize {
        self.filter.num_entries() + self.cutting.as_ref().map_or(0, |c| c.finished_entries)
    }

    /// About the length of all filter blocks, in bytes.
    pub(super) fn size_estimate(&self) -> usize {
        let finished = self.cutting.iter().flat_map(|cutting| &cutting.finished);
        let finished = finished.map(|p| p.block.len() + p.separator.len() + 16);
        self.filter.block_len() + finished.sum::<usize>()
    }

    /// The filter as one block, if it was not to be cut, or its partitions.
    pub(super) fn finish(mut self, index: &IndexBuilder) -> Result<FilterBlocks> {
        let Some(mut cutting) = self.cutting else {
            return self.filter.finish().map(FilterBlocks::Whole);
        };
        if self.filter.num_entries() > 0 {
            cutting.cut(&mut self.filter, index, None, self.whole_keys)?;
        }
        Ok(FilterBlocks::Partitions(cutting.finished))
    }
}

/// What a filter was made into.
pub(super) enum FilterBlocks {
    Whole(Vec<u8>),
    Partitions(Vec<FilterPartition>),
}

impl Cutting {
    /// Whether the partition ends before the next key.
    fn is_due(&self, filter: &FilterBuilder, index: &mut IndexBuilder) -> bool {
        let full = filter.num_entries() >= self.entries;
        if self.decoupled {
            return full;
        }
        if full {
            index.request_cut();
        }
        index.take_cut() && filter.num_entries() > 0
    }

    /// Ends the partition. The prefix of the next key goes into it too: a seek to a key between
    /// the two partitions may come here, and must not miss that key.
    fn cut(
        &mut self,
        filter: &mut FilterBuilder,
        index: &IndexBuilder,
        next_prefix: Option<&[u8]>,
        whole_keys: bool,
    ) -> Result<()> {
        match next_prefix {
            Some(prefix) if whole_keys => filter.add_with_prefix(prefix, prefix),
            Some(prefix) => filter.add(prefix),
            None => {}
        }
        let separator = match index.last_separator().filter(|_| !self.decoupled) {
            Some(separator) => separator.to_vec(),
            None => {
                let mut separator = self.last_key.clone();
                // The oldest possible record of the key, at the lowest timestamp, sorts behind all
                // others of it.
                separator.resize(separator.len() + self.timestamp_size + TRAILER_LEN, 0);
                separator
            }
        };
        self.finished_entries += filter.num_entries();
        let block = filter.take().finish()?;
        self.finished.push(FilterPartition { separator, block });
        Ok(())
    }
}
