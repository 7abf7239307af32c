//! Several options at once, for a purpose.

use crate::codec::CompressionType;
use crate::options::CfOptions;
use crate::options::enums::CompactionStyle;

impl CfOptions {
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
