//! Several options at once, for a purpose.

use crate::base::sync::Arc;
use crate::cache::Cache;
use crate::codec::CompressionType;
use crate::options::CfOptions;
use crate::options::block_based::BlockBasedTableOptions;
use crate::options::enums::{CompactionStyle, DataBlockIndexType};
use crate::plug::filter_policy::FilterPolicy;

impl CfOptions {
    /// Chooses options for gets, as RocksDB does: a hash index in data blocks, Bloom filters in
    /// tables and memtables, and a block cache of so many MiB. Table options are replaced.
    pub fn optimize_for_point_lookup(&mut self, block_cache_size_mb: u64) {
        let bytes = usize::try_from(block_cache_size_mb.saturating_mul(1 << 20));
        let bytes = bytes.unwrap_or(usize::MAX);
        let cache: Arc<Cache> = Cache::lru(bytes, -1, false, 0.5);
        self.table_factory = BlockBasedTableOptions {
            data_block_index_type: DataBlockIndexType::BinaryAndHash,
            filter_policy: Some(FilterPolicy::bloom(10.0)),
            block_cache: Some(cache),
            ..BlockBasedTableOptions::default()
        }
        .into();
        self.memtable_prefix_bloom_size_ratio = 0.02;
        self.memtable_whole_key_filtering = true;
    }

    /// Chooses options for universal compaction with so many bytes of memtables, as RocksDB does:
    /// flushes of two memtables at once, and compression of the oldest four fifths of the data.
    pub fn optimize_universal_style_compaction(&mut self, memtable_memory_budget: u64) {
        self.write_buffer_size = usize::try_from(memtable_memory_budget / 4).unwrap_or(usize::MAX);
        self.min_write_buffer_number_to_merge = 2;
        self.max_write_buffer_number = 6;
        self.compaction_style = CompactionStyle::Universal;
        self.compaction_options_universal.compression_size_percent = 80;
    }

    /// Chooses options for leveled compaction with so many bytes of memtables, as RocksDB does:
    /// flushes of two memtables at once, a first level as large as level 0, and compression from
    /// level 2 on.
    pub fn optimize_level_style_compaction(&mut self, memtable_memory_budget: u64) {
        self.write_buffer_size = usize::try_from(memtable_memory_budget / 4).unwrap_or(usize::MAX);
        self.min_write_buffer_number_to_merge = 2;
        self.max_write_buffer_number = 6;
        self.level0_file_num_compaction_trigger = 2;
        self.target_file_size_base = memtable_memory_budget / 8;
        self.max_bytes_for_level_base = memtable_memory_budget;
        self.compaction_style = CompactionStyle::Level;
        let levels = 0..usize::try_from(self.num_levels).unwrap_or(0);
        self.compression_per_level = levels
            .map(|level| if level < 2 { CompressionType::None } else { CompressionType::Lz4 })
            .collect();
    }
}
