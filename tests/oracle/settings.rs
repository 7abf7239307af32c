//! [`Settings`]: the options of one round, the same for both libraries.

use super::library::{Library, Object};
use super::operators;
use hematite::base::random::Random;
use std::ptr::null_mut;

/// Codecs by their numbers in the interface.
const CODECS: [i32; 4] = [0, 1, 4, 7];

#[derive(Clone, Debug)]
pub struct Settings {
    pub reverse_order: bool,
    write_buffer_size: usize,
    codec: i32,
    max_sequential_skip: u64,
    block_size: usize,
    restart_interval: i32,
    format_version: i32,
    bloom_bits: Option<f64>,
    /// Bytes of a partition of index and filter; none without partitions.
    partition_size: Option<u64>,
    cache_metadata: bool,
    prefix_len: Option<usize>,
    whole_key_filtering: bool,
}

impl Settings {
    pub fn random(random: &mut Random) -> Settings {
        Settings {
            reverse_order: random.one_in(4),
            // Small ones flush by themselves, now and then; large ones when told.
            write_buffer_size: if random.one_in(2) { 64 << 10 } else { 64 << 20 },
            codec: CODECS[random.below(4) as usize],
            max_sequential_skip: random.below(10),
            block_size: 64 << random.below(8),
            restart_interval: 1 + random.below(16) as i32,
            format_version: 2 + random.below(4) as i32,
            bloom_bits: random.one_in(2).then_some(10.0),
            partition_size: random.one_in(3).then(|| 32 << random.below(8)),
            cache_metadata: random.one_in(3),
            prefix_len: random.one_in(3).then(|| random.below(4) as usize),
            whole_key_filtering: !random.one_in(3),
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
            let table = (call.block_based_options_create)();
            (call.block_based_options_set_block_size)(table, self.block_size);
            (call.block_based_options_set_block_restart_interval)(table, self.restart_interval);
            (call.block_based_options_set_format_version)(table, self.format_version);
            if let Some(bits) = self.bloom_bits {
                let policy = (call.filterpolicy_create_bloom)(bits);
                (call.block_based_options_set_filter_policy)(table, policy);
            }
            if let Some(size) = self.partition_size {
                (call.block_based_options_set_index_type)(table, 2);
                (call.block_based_options_set_metadata_block_size)(table, size);
                (call.block_based_options_set_partition_filters)(table, 1);
            }
            let cached = self.cache_metadata.into();
            (call.block_based_options_set_cache_index_and_filter_blocks)(table, cached);
            let whole = self.whole_key_filtering.into();
            (call.block_based_options_set_whole_key_filtering)(table, whole);
            if let Some(len) = self.prefix_len {
                let prefix = (call.slicetransform_create_fixed_prefix)(len);
                (call.options_set_prefix_extractor)(options, prefix);
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
