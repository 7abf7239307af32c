//! [`CfOptions`]: what holds for one column family.

use crate::base::comparator::Comparator;
use crate::codec::{CompressionOptions, CompressionType};
use crate::options::compaction::{CompactionOptionsFifo, CompactionOptionsUniversal};
use crate::options::enums::{CompactionPri, CompactionStyle, PrepopulateBlobCache, Temperature};
use crate::options::paths::DbPath;
use crate::options::rejected::Rejected;
use crate::options::table::define_options;
use crate::options::table_factory::TableFactory;
use crate::options::text::ObjectName;
use crate::plug::compact_on_deletion::CompactOnDeletion;
use crate::plug::compaction_filter::{SharedCompactionFilter, SharedCompactionFilterFactory};
use crate::plug::merge_operator::SharedMergeOperator;
use crate::plug::slice_transform::SliceTransform;

/// Hands the rows of [`CfOptions`] to the macro `$apply`.
macro_rules! cf_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of a column family.
    struct CfOptions;
    rows {
        /// The order of keys.
        comparator: Comparator = Comparator::Bytewise, fixed;
        /// Joins values that were merged.
        merge_operator: SharedMergeOperator = None, fixed;
        /// Drops or changes entries during compaction.
        compaction_filter: SharedCompactionFilter = None, fixed;
        /// Makes a compaction filter for each compaction.
        compaction_filter_factory: SharedCompactionFilterFactory = None, fixed;
        /// How sorted tables are written and read.
        table_factory: TableFactory = TableFactory::default(), live;
        /// How memtables order their entries.
        memtable_factory: ObjectName = ObjectName::new("SkipListFactory"), fixed idle;
        /// The prefix of a key, for prefix filters and prefix seeks.
        prefix_extractor: Option<SliceTransform> = None, live;
        /// Splits compaction outputs at chosen keys.
        sst_partitioner_factory: ObjectName = ObjectName::null(), fixed idle;

        /// Bytes that a memtable takes before it is flushed. Not less than 64 KiB.
        write_buffer_size: usize = 64 << 20, live,
            c(rocksdb_options_set_write_buffer_size(usize),
              rocksdb_options_get_write_buffer_size -> usize);
        /// How many memtables, the active one included, may wait in memory before writes stop. At
        /// least 2.
        max_write_buffer_number: i32 = 2, live,
            c(rocksdb_options_set_max_write_buffer_number(c_int),
              rocksdb_options_get_max_write_buffer_number -> c_int);
        /// How many memtables are merged into one table when they are flushed.
        min_write_buffer_number_to_merge: i32 = 1, fixed,
            c(rocksdb_options_set_min_write_buffer_number_to_merge(c_int),
              rocksdb_options_get_min_write_buffer_number_to_merge -> c_int);
        /// Bytes of flushed memtables that are kept for conflict checks; -1 means all write
        /// buffers.
        max_write_buffer_size_to_maintain: i64 = 0, fixed idle;
        /// Bytes that a memtable takes from the allocator at once; 0 means an eighth of
        /// `write_buffer_size`, 1 MiB at most.
        arena_block_size: usize = 0, live,
            c(rocksdb_options_set_arena_block_size(usize),
              rocksdb_options_get_arena_block_size -> usize);
        /// Bytes of the huge pages that memtables use; 0 means none.
        memtable_huge_page_size: usize = 0, live,
            c(rocksdb_options_set_memtable_huge_page_size(usize),
              rocksdb_options_get_memtable_huge_page_size -> usize);
        /// The memtable's prefix Bloom filter, as a part of `write_buffer_size`; 0 means none.
        memtable_prefix_bloom_size_ratio: f64 = 0.0, live,
            c(rocksdb_options_set_memtable_prefix_bloom_size_ratio(f64),
              rocksdb_options_get_memtable_prefix_bloom_size_ratio -> f64);
        /// Put whole keys into the memtable's Bloom filter.
        memtable_whole_key_filtering: bool = false, live,
            c(rocksdb_options_set_memtable_whole_key_filtering(c_uchar),
              rocksdb_options_get_memtable_whole_key_filtering -> c_uchar);
        /// The prefix that chooses where in the memtable an insertion starts to look.
        memtable_insert_with_hint_prefix_extractor: ObjectName = ObjectName::null(), fixed idle;
        /// How the memtable's Bloom filter groups its probes by cache line.
        bloom_locality: u32 = 0, fixed idle;
        /// Overwrite values in the memtable where they fit.
        inplace_update_support: bool = false, fixed idle;
        /// The number of locks of in-place updates.
        inplace_update_num_locks: usize = 10_000, live idle;
        /// How many merge operands of a key the memtable holds before it merges them; 0 means any
        /// number.
        max_successive_merges: usize = 0, live,
            c(rocksdb_options_set_max_successive_merges(usize),
              rocksdb_options_get_max_successive_merges -> usize);
        /// Keep to `max_successive_merges` even where that must read tables.
        strict_max_successive_merges: bool = false, live,
            c(rocksdb_options_set_strict_max_successive_merges(c_uchar),
              rocksdb_options_get_strict_max_successive_merges -> c_uchar);
        /// Entries of range deletions after which the memtable is flushed; 0 means any number.
        memtable_max_range_deletions: u32 = 0, live,
            c(rocksdb_options_set_memtable_max_range_deletions(u32),
              rocksdb_options_get_memtable_max_range_deletions -> u32);
        /// Bytes of checksum that memtables keep for each record, by which readers notice damage in
        /// memory: 0 (none), 1, 2, 4 or 8. Memtables that there are already stay as they are. Range
        /// deletions have none.
        memtable_protection_bytes_per_key: u32 = 0, live,
            c(rocksdb_options_set_memtable_protection_bytes_per_key(u32),
              rocksdb_options_get_memtable_protection_bytes_per_key -> u32);
        /// Compare the keys of a memtable that readers come to with those beside them: what is out
        /// of order is damage in memory.
        paranoid_memory_checks: bool = false, live,
            c(rocksdb_options_set_paranoid_memory_checks(c_uchar),
              rocksdb_options_get_paranoid_memory_checks -> c_uchar);
        /// Check not only the checksum of the record that a seek in a memtable ends on, but also
        /// that of its neighbour, without which it may be the wrong one. Needs
        /// `memtable_protection_bytes_per_key`.
        memtable_verify_per_key_checksum_on_seek: bool = false, live,
            c(rocksdb_options_set_memtable_verify_per_key_checksum_on_seek(c_uchar),
              rocksdb_options_get_memtable_verify_per_key_checksum_on_seek -> c_uchar);
        /// Hidden entries that one step of an iterator may pass before the memtable is flushed; 0
        /// means any number.
        memtable_op_scan_flush_trigger: u32 = 0, live idle;
        /// As `memtable_op_scan_flush_trigger`, on average over an iterator's steps.
        memtable_avg_op_scan_flush_trigger: u32 = 0, live idle;
        /// Tombstones in a row from which an iterator makes a range deletion; 0 means never.
        min_tombstones_for_range_conversion: u32 = 0, live idle;
        /// Look keys of a batch up in the memtable together.
        memtable_batch_lookup_optimization: bool = false, fixed idle;
        /// The part of a memtable that may be garbage for a flush to stay in memory; 0 means never.
        experimental_mempurge_threshold: f64 = 0.0, live idle;
        /// Refuse writes: the column family takes only files that are ingested.
        disallow_memtable_writes: bool = false, fixed,
            c(rocksdb_options_set_disallow_memtable_writes(c_uchar),
              rocksdb_options_get_disallow_memtable_writes -> c_uchar);

        /// The compression of tables. Without `compression_per_level` it holds for all levels but
        /// the last, which `bottommost_compression` may change.
        compression: CompressionType = CompressionType::Lz4, live,
            c(rocksdb_options_set_compression(c_int), rocksdb_options_get_compression -> c_int);
        /// The compression of the last level with files; `kDisableCompressionOption` means as the
        /// others.
        bottommost_compression: Option<CompressionType> = None, live,
            c(rocksdb_options_set_bottommost_compression(c_int),
              rocksdb_options_get_bottommost_compression -> c_int);
        /// The parameters of `compression`.
        compression_opts: CompressionOptions = CompressionOptions::default(), live;
        /// The parameters of `bottommost_compression`, where they are `enabled`.
        bottommost_compression_opts: CompressionOptions = CompressionOptions::default(), live;
        /// The compression of each level; empty means `compression` for all.
        compression_per_level: Vec<CompressionType> = Vec::new(), live;
        /// One block in so many is compressed with two algorithms for the statistics; 0 means none.
        sample_for_compression: u64 = 0, live idle;
        /// Chooses compressors.
        compression_manager: ObjectName = ObjectName::null(), live idle;

        /// The number of levels.
        num_levels: i32 = 7, fixed,
            c(rocksdb_options_set_num_levels(c_int), rocksdb_options_get_num_levels -> c_int);
        /// Files of level 0 that start a compaction.
        level0_file_num_compaction_trigger: i32 = 4, live,
            c(rocksdb_options_set_level0_file_num_compaction_trigger(c_int),
              rocksdb_options_get_level0_file_num_compaction_trigger -> c_int);
        /// Files of level 0 that slow writes down.
        level0_slowdown_writes_trigger: i32 = 20, live,
            c(rocksdb_options_set_level0_slowdown_writes_trigger(c_int),
              rocksdb_options_get_level0_slowdown_writes_trigger -> c_int);
        /// Files of level 0 that stop writes.
        level0_stop_writes_trigger: i32 = 36, live,
            c(rocksdb_options_set_level0_stop_writes_trigger(c_int),
              rocksdb_options_get_level0_stop_writes_trigger -> c_int);
        /// Bytes of a table in level 1.
        target_file_size_base: u64 = 64 << 20, live,
            c(rocksdb_options_set_target_file_size_base(u64),
              rocksdb_options_get_target_file_size_base -> u64);
        /// How much larger a level's tables are than those of the level above.
        target_file_size_multiplier: i32 = 1, live,
            c(rocksdb_options_set_target_file_size_multiplier(c_int),
              rocksdb_options_get_target_file_size_multiplier -> c_int);
        /// Never exceed the target size of a table.
        target_file_size_is_upper_bound: bool = false, live,
            c(rocksdb_options_set_target_file_size_is_upper_bound(c_uchar),
              rocksdb_options_get_target_file_size_is_upper_bound -> c_uchar);
        /// Bytes of level 1.
        max_bytes_for_level_base: u64 = 256 << 20, live,
            c(rocksdb_options_set_max_bytes_for_level_base(u64),
              rocksdb_options_get_max_bytes_for_level_base -> u64);
        /// Choose the levels' sizes from the last level's.
        level_compaction_dynamic_level_bytes: bool = true, fixed,
            c(rocksdb_options_set_level_compaction_dynamic_level_bytes(c_uchar),
              rocksdb_options_get_level_compaction_dynamic_level_bytes -> c_uchar);
        /// How much larger a level is than the one above.
        max_bytes_for_level_multiplier: f64 = 10.0, live,
            c(rocksdb_options_set_max_bytes_for_level_multiplier(f64),
              rocksdb_options_get_max_bytes_for_level_multiplier -> f64);
        /// A further factor for each level.
        max_bytes_for_level_multiplier_additional: Vec<i32> = vec![1; 7], live;
        /// Bytes that one compaction may take; 0 means 25 times `target_file_size_base`.
        max_compaction_bytes: u64 = 0, live,
            c(rocksdb_options_set_max_compaction_bytes(u64),
              rocksdb_options_get_max_compaction_bytes -> u64);
        /// Bytes that wait for compaction from which writes are slowed.
        soft_pending_compaction_bytes_limit: u64 = 64 << 30, live,
            c(rocksdb_options_set_soft_pending_compaction_bytes_limit(usize),
              rocksdb_options_get_soft_pending_compaction_bytes_limit -> usize);
        /// Bytes that wait for compaction from which writes are stopped.
        hard_pending_compaction_bytes_limit: u64 = 256 << 30, live,
            c(rocksdb_options_set_hard_pending_compaction_bytes_limit(usize),
              rocksdb_options_get_hard_pending_compaction_bytes_limit -> usize);
        /// Compact only when the caller asks.
        disable_auto_compactions: bool = false, live,
            c(rocksdb_options_set_disable_auto_compactions(c_int),
              rocksdb_options_get_disable_auto_compactions -> c_uchar);
        /// How files are chosen for compaction.
        compaction_style: CompactionStyle = CompactionStyle::Level, fixed,
            c(rocksdb_options_set_compaction_style(c_int),
              rocksdb_options_get_compaction_style -> c_int);
        /// Which file of a level is compacted first.
        compaction_pri: CompactionPri = CompactionPri::MinOverlappingRatio, fixed,
            c(rocksdb_options_set_compaction_pri(c_int),
              rocksdb_options_get_compaction_pri -> c_int);
        /// The parameters of universal compaction.
        compaction_options_universal: CompactionOptionsUniversal
            = CompactionOptionsUniversal::default(), live;
        /// The parameters of FIFO compaction.
        compaction_options_fifo: CompactionOptionsFifo
            = CompactionOptionsFifo::default(), live;
        /// Seconds after which a file is compacted again, or deleted in FIFO style; the largest
        /// number but one lets the compaction style choose.
        ttl: u64 = u64::MAX - 1, live,
            c(rocksdb_options_set_ttl(u64),
              rocksdb_options_get_ttl -> u64);
        /// Seconds after which a file is rewritten; the largest number but one means the default of
        /// the compaction style.
        periodic_compaction_seconds: u64 = u64::MAX - 1, live,
            c(rocksdb_options_set_periodic_compaction_seconds(u64),
              rocksdb_options_get_periodic_compaction_seconds -> u64);
        /// Reads for each byte of a file from which it is compacted; 0 means never.
        read_triggered_compaction_threshold: f64 = 0.0, live idle;
        /// Seconds for which a file of the last level that can be cleaned waits.
        bottommost_file_compaction_delay: u32 = 0, live,
            c(rocksdb_options_set_bottommost_file_compaction_delay(c_uint),
              rocksdb_options_get_bottommost_file_compaction_delay -> c_uint);
        /// Read the tables that flushes and compactions write back.
        paranoid_file_checks: bool = false, live,
            c(rocksdb_options_set_paranoid_file_checks(c_uchar),
              rocksdb_options_get_paranoid_file_checks -> c_uchar);
        /// What is verified of the tables that compactions write, as bits: the checksums of all
        /// blocks (1), and whether what is read is what was written (2); 1024 has to be added for
        /// either to be done.
        verify_output_flags: u32 = 0, live,
            c(rocksdb_options_set_verify_output_flags(c_int),
              rocksdb_options_get_verify_output_flags -> c_int);
        /// Check the order of files in each new version.
        force_consistency_checks: bool = true, fixed,
            c(rocksdb_options_set_force_consistency_checks(c_uchar),
              rocksdb_options_get_force_consistency_checks -> c_uchar);
        /// Measure the I/O of flushes and compactions.
        report_bg_io_stats: bool = false, live idle;
        /// Leave filters out of the last level.
        optimize_filters_for_hits: bool = false, fixed,
            c(rocksdb_options_set_optimize_filters_for_hits(c_int),
              rocksdb_options_get_optimize_filters_for_hits -> c_uchar);
        /// How eagerly blocks of obsolete files leave the cache.
        uncache_aggressiveness: u32 = 0, live idle;
        /// Guard data blocks in the cache against damage in memory: 0 (no), 1, 2, 4 or 8. RocksDB
        /// keeps so many bytes of checksum for each key; here a block has one of 8 bytes, which is
        /// compared each time that the block is found. A damaged block is an error, and is read
        /// from its file when it is next wanted.
        block_protection_bytes_per_key: u8 = 0, live,
            c(rocksdb_options_set_block_protection_bytes_per_key(u8),
              rocksdb_options_get_block_protection_bytes_per_key -> u8);
        /// Hidden entries that an iterator passes one by one before it seeks.
        max_sequential_skip_in_iterations: u64 = 8, live,
            c(rocksdb_options_set_max_sequential_skip_in_iterations(u64),
              rocksdb_options_get_max_sequential_skip_in_iterations -> u64);
        /// Reserve the last level for files that are ingested behind all others.
        cf_allow_ingest_behind: bool = false, fixed idle;
        /// Keep user-defined timestamps in tables.
        persist_user_defined_timestamps: bool = true, fixed idle;

        /// The temperature of files in the last level.
        last_level_temperature: Temperature = Temperature::Unknown, live,
            c(rocksdb_options_set_last_level_temperature(c_int),
              rocksdb_options_get_last_level_temperature -> c_int);
        /// The temperature of files that are written.
        default_write_temperature: Temperature = Temperature::Unknown, live,
            c(rocksdb_options_set_default_write_temperature(c_int),
              rocksdb_options_get_default_write_temperature -> c_int);
        /// The temperature of files whose own is unknown.
        default_temperature: Temperature = Temperature::Unknown, fixed idle;
        /// Seconds for which new data stay out of the last level.
        preclude_last_level_data_seconds: u64 = 0, live idle;
        /// Seconds for which write times are kept.
        preserve_internal_time_seconds: u64 = 0, live idle;

        /// Put large values into blob files.
        enable_blob_files: bool = false, live idle;
        /// Bytes from which a value goes into a blob file.
        min_blob_size: u64 = 0, live idle;
        /// Bytes of a blob file.
        blob_file_size: u64 = 256 << 20, live idle;
        /// The compression of blob files.
        blob_compression_type: CompressionType = CompressionType::None, live idle;
        /// The parameters of `blob_compression_type`.
        blob_compression_opts: CompressionOptions = CompressionOptions::default(), live idle;
        /// Move blobs out of old blob files during compaction.
        enable_blob_garbage_collection: bool = false, live idle;
        /// The oldest part of blob files that garbage collection takes.
        blob_garbage_collection_age_cutoff: f64 = 0.25, live idle;
        /// The part of garbage in the oldest blob files that forces a compaction.
        blob_garbage_collection_force_threshold: f64 = 1.0, live idle;
        /// Bytes of a blob file that compactions read ahead.
        blob_compaction_readahead_size: u64 = 0, live idle;
        /// The first level whose values go into blob files.
        blob_file_starting_level: i32 = 0, live idle;
        /// Put blobs into the blob cache when they are flushed.
        prepopulate_blob_cache: PrepopulateBlobCache = PrepopulateBlobCache::Disable, live idle;
        /// Write large values to blob files instead of the WAL.
        enable_blob_direct_write: bool = false, fixed idle;
        /// How many blob files direct writes share.
        blob_direct_write_partitions: u32 = 1, fixed idle;
    }
    memory {
        /// The folders of its tables; empty means those of the database.
        cf_paths: Vec<DbPath> = Vec::new();
        /// The tables that are compacted because they hold many deletions; one rule suffices.
        compact_on_deletion: Vec<CompactOnDeletion> = Vec::new();
        /// Nothing is compacted into the last level, which takes files that are ingested behind all
        /// others. Derived from this column family's and the database's options.
        reserves_last_level: bool = false;
        /// Values that are refused at open.
        rejected: Rejected = Rejected::default();
    }
    aliases {
        block_based_table_factory => table_factory;
        plain_table_factory => table_factory;
        memtable => memtable_factory;
        memtable_veirfy_per_key_checksum_on_seek => memtable_verify_per_key_checksum_on_seek;
    }
    deprecated {
        filter_deletes check_flush_compaction_key_order verify_checksums_in_compaction
        hard_rate_limit soft_rate_limit ignore_max_compaction_bytes_for_input
        expanded_compaction_factor max_grandparent_overlap_factor source_compaction_factor
        memtable_prefix_bloom_huge_page_tlb_size memtable_prefix_bloom_bits
        memtable_prefix_bloom_probes min_partial_merge_operands snap_refresh_nanos
        bottommost_temperature compaction_measure_io_stats purge_redundant_kvs_while_flush
        level_compaction_dynamic_file_size max_mem_compaction_level
        max_write_buffer_number_to_maintain rate_limit_delay_max_milliseconds
    }
    } };
}
pub(crate) use cf_options;

cf_options!(define_options);
