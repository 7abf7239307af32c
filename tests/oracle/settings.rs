//! [`Settings`]: the options of one round, the same for both libraries.

use super::library::{Library, Object};
use super::operators;
use hematite::base::random::Random;
use std::ptr::null_mut;

/// Codecs by their numbers in the interface.
const CODECS: [i32; 4] = [0, 1, 4, 7];

/// The interface's number of the index of two levels.
const TWO_LEVEL_INDEX: i32 = 2;

#[derive(Clone, Debug)]
pub struct Settings {
    pub reverse_order: bool,
    /// Whether ranges are deleted.
    pub ranges: bool,
    write_buffer_size: usize,
    codec: i32,
    max_sequential_skip: u64,
    block_size: usize,
    restart_interval: i32,
    format_version: i32,
    bloom_bits: Option<f64>,
    merges: bool,
    max_successive_merges: usize,
    pub prefix_len: Option<usize>,
    whole_keys: bool,
    /// Bytes of a partition of index and filter; none without partitions.
    partition_size: Option<u64>,
    cache_index: bool,
    level0_trigger: i32,
    target_file_size: u64,
    dynamic_levels: bool,
    automatic: bool,
    subcompactions: u32,
    max_open_files: i32,
}

impl Settings {
    pub fn random(random: &mut Random) -> Settings {
        Settings {
            reverse_order: random.one_in(4),
            ranges: random.one_in(2),
            // Small ones flush by themselves, now and then; large ones when told.
            write_buffer_size: if random.one_in(2) { 64 << 10 } else { 64 << 20 },
            codec: CODECS[random.below(4) as usize],
            max_sequential_skip: random.below(10),
            block_size: 64 << random.below(8),
            restart_interval: 1 + random.below(16) as i32,
            format_version: 2 + random.below(4) as i32,
            bloom_bits: random.one_in(2).then_some(10.0),
            merges: true,
            max_successive_merges: random.below(4) as usize,
            // Every key has a prefix of one byte; RocksDB asserts it of keys that are sought.
            prefix_len: random.one_in(3).then_some(1),
            whole_keys: !random.one_in(4),
            partition_size: random.one_in(3).then(|| 32 << random.below(8)),
            cache_index: random.one_in(3),
            level0_trigger: 2 + random.below(3) as i32,
            target_file_size: 4 << 10 << random.below(6),
            dynamic_levels: random.one_in(2),
            automatic: !random.one_in(4),
            subcompactions: 1 + random.below(3) as u32,
            max_open_files: if random.one_in(3) { 20 } else { -1 },
        }
    }

    /// # Safety
    /// `options` is one of the library's objects, alive.
    unsafe fn set_compaction(&self, library: &Library, options: Object) {
        let call = &library.call;
        let trigger = self.level0_trigger;
        // SAFETY: the caller's promise.
        unsafe {
            (call.options_set_level0_file_num_compaction_trigger)(options, trigger);
            (call.options_set_target_file_size_base)(options, self.target_file_size);
            (call.options_set_max_bytes_for_level_base)(options, 4 * self.target_file_size);
            let dynamic = self.dynamic_levels.into();
            (call.options_set_level_compaction_dynamic_level_bytes)(options, dynamic);
            (call.options_set_disable_auto_compactions)(options, (!self.automatic).into());
            (call.options_set_max_subcompactions)(options, self.subcompactions);
        }
    }

    /// The options for `library`.
    pub fn options(&self, library: &Library) -> Options {
        let call = &library.call;
        // SAFETY: objects of this library, alive; those handed over are not used again.
        unsafe {
            let options = (call.options_create)();
            (call.options_set_create_if_missing)(options, 1);
            (call.options_set_create_missing_column_families)(options, 1);
            (call.options_set_write_buffer_size)(options, self.write_buffer_size);
            (call.options_set_compression)(options, self.codec);
            let skip = self.max_sequential_skip;
            (call.options_set_max_sequential_skip_in_iterations)(options, skip);
            if self.merges {
                let operator = operators::append_operator(library);
                (call.options_set_merge_operator)(options, operator);
                (call.options_set_max_successive_merges)(options, self.max_successive_merges);
            }
            if let Some(len) = self.prefix_len {
                let extractor = (call.slicetransform_create_fixed_prefix)(len);
                (call.options_set_prefix_extractor)(options, extractor);
                (call.options_set_memtable_prefix_bloom_size_ratio)(options, 0.1);
            }
            self.set_compaction(library, options);
            (call.options_set_max_open_files)(options, self.max_open_files);
            let table = (call.block_based_options_create)();
            (call.block_based_options_set_whole_key_filtering)(table, self.whole_keys.into());
            if let Some(size) = self.partition_size {
                (call.block_based_options_set_index_type)(table, TWO_LEVEL_INDEX);
                (call.block_based_options_set_partition_filters)(table, 1);
                (call.block_based_options_set_metadata_block_size)(table, size);
            }
            let cached = self.cache_index.into();
            (call.block_based_options_set_cache_index_and_filter_blocks)(table, cached);
            (call.block_based_options_set_block_size)(table, self.block_size);
            (call.block_based_options_set_block_restart_interval)(table, self.restart_interval);
            (call.block_based_options_set_format_version)(table, self.format_version);
            if let Some(bits) = self.bloom_bits {
                let policy = (call.filterpolicy_create_bloom)(bits);
                (call.block_based_options_set_filter_policy)(table, policy);
            }
            (call.options_set_block_based_table_factory)(options, table);
            (call.block_based_options_destroy)(table);
            let comparator = match self.reverse_order {
                true => operators::reverse_order(library),
                false => null_mut(),
            };
            if !comparator.is_null() {
                (call.options_set_comparator)(options, comparator);
            }
            Options { options, comparator }
        }
    }
}

/// Options of one library.
pub struct Options {
    pub options: Object,
    comparator: Object,
}

impl Options {
    pub fn destroy(self, library: &Library) {
        // SAFETY: nothing is open with them any more.
        unsafe {
            (library.call.options_destroy)(self.options);
            if !self.comparator.is_null() {
                (library.call.comparator_destroy)(self.comparator);
            }
        }
    }
}
