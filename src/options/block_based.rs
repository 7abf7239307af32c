//! [`BlockBasedTableOptions`]: how block-based tables are written and read.

use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::cache::Cache;
use crate::options::enums::{
    BlockSearchType, ChecksumType, DataBlockIndexType, IndexShortening, IndexType, PinningTier,
    PrepopulateBlockCache,
};
use crate::options::rejected::Rejected;
use crate::options::table::{define_options, nested_text};
use crate::options::text::ObjectName;
use crate::plug::filter_policy::FilterPolicy;

/// Hands the rows of [`BlockBasedTableOptions`] to the macro `$apply`.
macro_rules! block_based_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of block-based tables.
    struct BlockBasedTableOptions;
    rows {
        /// Bytes of a data block before compression.
        block_size: u64 = 4096, live,
            c(rocksdb_block_based_options_set_block_size(usize),
              rocksdb_block_based_options_get_block_size -> u64);
        /// A block is closed early when it is within this many per cent of `block_size` and the
        /// next entry would exceed it. Values outside 0 to 100 count as 0.
        block_size_deviation: i32 = 10, live,
            c(rocksdb_block_based_options_set_block_size_deviation(c_int),
              rocksdb_block_based_options_get_block_size_deviation -> c_int);
        /// Entries between restart points of a data block.
        block_restart_interval: i32 = 16, live,
            c(rocksdb_block_based_options_set_block_restart_interval(c_int),
              rocksdb_block_based_options_get_block_restart_interval -> c_int);
        /// Entries between restart points of the index.
        index_block_restart_interval: i32 = 1, live,
            c(rocksdb_block_based_options_set_index_block_restart_interval(c_int),
              rocksdb_block_based_options_get_index_block_restart_interval -> c_int);
        /// Share key prefixes in data blocks.
        use_delta_encoding: bool = true, live,
            c(rocksdb_block_based_options_set_use_delta_encoding(c_uchar),
              rocksdb_block_based_options_get_use_delta_encoding -> c_uchar);
        /// The version of the table format. 2 to 7.
        format_version: u32 = 7, live, check(check_format_version),
            c(rocksdb_block_based_options_set_format_version(c_int),
              rocksdb_block_based_options_get_format_version -> u32);
        /// The checksum of blocks.
        checksum: ChecksumType = ChecksumType::Xxh3, live,
            c(rocksdb_block_based_options_set_checksum(c_char),
              rocksdb_block_based_options_get_checksum -> c_int);
        /// Decompress each block after it was compressed, and compare.
        verify_compression: bool = false, live,
            c(rocksdb_block_based_options_set_verify_compression(c_uchar),
              rocksdb_block_based_options_get_verify_compression -> c_uchar);
        /// Align blocks that are not compressed with the smaller of page and block size.
        block_align: bool = false, live,
            c(rocksdb_block_based_options_set_block_align(c_uchar),
              rocksdb_block_based_options_get_block_align -> c_uchar);
        /// Bytes of the unit that groups of blocks are aligned with; 0 means none.
        super_block_alignment_size: usize = 0, live idle;
        /// The space lost to that alignment is at most its size divided by this.
        super_block_alignment_space_overhead_ratio: usize = 128, live idle;
        /// Store keys and values of a block apart.
        separate_key_value_in_data_block: bool = false, live idle;
        /// Makes the decision where a data block ends.
        flush_block_policy_factory: ObjectName
            = ObjectName::new("FlushBlockBySizePolicyFactory"), live idle;

        /// The structure of the index.
        index_type: IndexType = IndexType::BinarySearch, live,
            c(rocksdb_block_based_options_set_index_type(c_int),
              rocksdb_block_based_options_get_index_type -> c_int);
        /// How a key is searched in the index.
        index_block_search_type: BlockSearchType = BlockSearchType::Binary, live idle;
        /// The spread of key distances up to which a block counts as uniform; negative means never.
        uniform_cv_threshold: f64 = -1.0, live idle;
        /// How far keys of the index are shortened.
        index_shortening: IndexShortening = IndexShortening::ShortenSeparators, live,
            c(rocksdb_block_based_options_set_index_shortening(c_int),
              rocksdb_block_based_options_get_index_shortening -> c_int);
        /// Compress the index.
        enable_index_compression: bool = true, live,
            c(rocksdb_block_based_options_set_enable_index_compression(c_uchar),
              rocksdb_block_based_options_get_enable_index_compression -> c_uchar);
        /// The index within data blocks.
        data_block_index_type: DataBlockIndexType = DataBlockIndexType::BinarySearch, live,
            c(rocksdb_block_based_options_set_data_block_index_type(c_int),
              rocksdb_block_based_options_get_data_block_index_type -> c_int);
        /// Keys for each bucket of the hash index within data blocks.
        data_block_hash_table_util_ratio: f64 = 0.75, live,
            c(rocksdb_block_based_options_set_data_block_hash_table_util_ratio(f64),
              rocksdb_block_based_options_get_data_block_hash_table_util_ratio -> f64);
        /// Bytes of a partition of the index or the filter.
        metadata_block_size: u64 = 4096, live,
            c(rocksdb_block_based_options_set_metadata_block_size(u64),
              rocksdb_block_based_options_get_metadata_block_size -> u64);
        /// Makes an index that the user defines.
        user_defined_index_factory: ObjectName = ObjectName::null(), live idle;
        /// Read through the user-defined index first.
        use_udi_as_primary_index: bool = false, live idle;
        /// Refuse tables without a user-defined index.
        fail_if_no_udi_on_open: bool = false, live idle;

        /// The filter that tables carry.
        filter_policy: Option<FilterPolicy> = None, live;
        /// Put whole keys into the filter.
        whole_key_filtering: bool = true, live,
            c(rocksdb_block_based_options_set_whole_key_filtering(c_uchar),
              rocksdb_block_based_options_get_whole_key_filtering -> c_uchar);
        /// Split the filter in partitions.
        partition_filters: bool = false, live,
            c(rocksdb_block_based_options_set_partition_filters(c_uchar),
              rocksdb_block_based_options_get_partition_filters -> c_uchar);
        /// Let filter partitions end where index partitions do not.
        decouple_partitioned_filters: bool = true, live,
            c(rocksdb_block_based_options_set_decouple_partitioned_filters(c_uchar),
              rocksdb_block_based_options_get_decouple_partitioned_filters -> c_uchar);
        /// Choose sizes of filters so that the allocator wastes little.
        optimize_filters_for_memory: bool = true, live,
            c(rocksdb_block_based_options_set_optimize_filters_for_memory(c_uchar),
              rocksdb_block_based_options_get_optimize_filters_for_memory -> c_uchar);
        /// Check each filter after it was made.
        detect_filter_construct_corruption: bool = false, live,
            c(rocksdb_block_based_options_set_detect_filter_construct_corruption(c_uchar),
              rocksdb_block_based_options_get_detect_filter_construct_corruption -> c_uchar);

        /// Read without a block cache.
        no_block_cache: bool = false, live,
            c(rocksdb_block_based_options_set_no_block_cache(c_uchar),
              rocksdb_block_based_options_get_no_block_cache -> c_uchar);
        /// Keep index and filter blocks in the block cache.
        cache_index_and_filter_blocks: bool = false, live,
            c(rocksdb_block_based_options_set_cache_index_and_filter_blocks(c_uchar),
              rocksdb_block_based_options_get_cache_index_and_filter_blocks -> c_uchar);
        /// Keep them there with high priority.
        cache_index_and_filter_blocks_with_high_priority: bool = true, live,
            c(rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(c_uchar),
              rocksdb_block_based_options_get_cache_index_and_filter_blocks_with_high_priority -> c_uchar);
        /// Pin those of level 0.
        pin_l0_filter_and_index_blocks_in_cache: bool = false, live,
            c(rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(c_uchar),
              rocksdb_block_based_options_get_pin_l0_filter_and_index_blocks_in_cache -> c_uchar);
        /// Pin the top levels of partitioned indexes and filters.
        pin_top_level_index_and_filter: bool = true, live,
            c(rocksdb_block_based_options_set_pin_top_level_index_and_filter(c_uchar),
              rocksdb_block_based_options_get_pin_top_level_index_and_filter -> c_uchar);
        /// Which index and filter blocks stay pinned.
        metadata_cache_options: MetadataCacheOptions = MetadataCacheOptions::default(), live;
        /// Put data blocks into the cache when they are written. That for compactions (2) is not
        /// supported yet.
        prepopulate_block_cache: PrepopulateBlockCache = PrepopulateBlockCache::Disable, live,
            c(rocksdb_block_based_options_set_prepopulate_block_cache(c_int),
              rocksdb_block_based_options_get_prepopulate_block_cache -> c_int);
        /// Bytes of a block for each bit that records which parts were read; 0 means none.
        read_amp_bytes_per_bit: u32 = 0, live idle;
        /// The most bytes that an iterator reads ahead by itself.
        max_auto_readahead_size: usize = 256 << 10, live,
            c(rocksdb_block_based_options_set_max_auto_readahead_size(usize),
              rocksdb_block_based_options_get_max_auto_readahead_size -> usize);
        /// The bytes that it reads ahead at first.
        initial_auto_readahead_size: usize = 8 << 10, live,
            c(rocksdb_block_based_options_set_initial_auto_readahead_size(usize),
              rocksdb_block_based_options_get_initial_auto_readahead_size -> usize);
        /// The reads in a row after which it starts to.
        num_file_reads_for_auto_readahead: u64 = 2, live,
            c(rocksdb_block_based_options_set_num_file_reads_for_auto_readahead(u64),
              rocksdb_block_based_options_get_num_file_reads_for_auto_readahead -> u64);
    }
    memory {
        /// The block cache. None means that opening makes one of 32 MiB, unless `no_block_cache`.
        block_cache: Option<Arc<Cache>> = None;
        /// Values that are refused at open.
        rejected: Rejected = Rejected::default();
    }
    deprecated {
        hash_index_allow_collision index_per_partition reserve_table_builder_memory
        reserve_table_reader_memory skip_table_builder_flush block_cache_compressed
    }
    } };
}
pub(crate) use block_based_options;

block_based_options!(define_options);

define_options! {
    /// Which index and filter blocks stay pinned in the block cache.
    struct MetadataCacheOptions;
    rows {
        /// The top level of partitioned indexes and filters.
        top_level_index_pinning: PinningTier = PinningTier::Fallback, live;
        /// The partitions.
        partition_pinning: PinningTier = PinningTier::Fallback, live;
        /// Indexes and filters without partitions.
        unpartitioned_pinning: PinningTier = PinningTier::Fallback, live;
    }
}

nested_text!(BlockBasedTableOptions, MetadataCacheOptions);

/// RocksDB 11 writes versions 2 to 7 and reads older ones.
fn check_format_version(version: &u32) -> Result<()> {
    if (2..=7).contains(version) {
        return Ok(());
    }
    Err(Status::invalid_argument(
        "Unsupported BlockBasedTable format_version. Please check include/rocksdb/table.h for \
         more info",
    ))
}
