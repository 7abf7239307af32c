//! Options that are refused at open, with RocksDB's texts, and those that need what this library
//! does not do.

use crate::base::status::{Result, Status};
use crate::codec::{CompressionOptions, CompressionType};
use crate::options::block_based::BlockBasedTableOptions;
use crate::options::cf::CfOptions;
use crate::options::db::DbOptions;
use crate::options::enums::{
    CompactionStyle, DataBlockIndexType, IndexType, PrepopulateBlockCache,
};
use crate::options::offpeak::parse_time_range;
use crate::options::paths::MAX_PATHS;
use crate::options::table::Table;
use crate::options::table_factory::TableFactory;

/// More of them would be memory without a use.
const MAX_LEVELS: i32 = 1 << 16;

/// The first rule whose condition holds is the error.
fn refuse(rules: &[(bool, &str)], make: fn(String) -> Status) -> Result<()> {
    match rules.iter().find(|(holds, _)| *holds) {
        Some((_, text)) => Err(make((*text).to_string())),
        None => Ok(()),
    }
}

fn refuse_invalid(rules: &[(bool, &str)]) -> Result<()> {
    refuse(rules, Status::invalid_argument)
}

fn refuse_unsupported(rules: &[(bool, &str)]) -> Result<()> {
    refuse(rules, Status::not_supported)
}

impl DbOptions {
    /// The error for the first contradiction, or the first value that makes no sense.
    pub fn validate(&self) -> Result<()> {
        self.rejected.check()?;
        self.check_rows()?;
        refuse_invalid(&[(
            self.read_io_executor_threads <= 0,
            "read_io_executor_threads must be greater than zero",
        )])?;
        self.validate_io()?;
        refuse_unsupported(&[(
            self.db_paths.len() > MAX_PATHS,
            "More than four DB paths are not supported yet. ",
        )])?;
        refuse_invalid(&[
            (self.keep_log_file_num == 0, "keep_log_file_num must be greater than 0"),
            (
                self.unordered_write && !self.allow_concurrent_memtable_write,
                "unordered_write is incompatible with !allow_concurrent_memtable_write",
            ),
            (
                self.unordered_write && self.enable_pipelined_write,
                "unordered_write is incompatible with enable_pipelined_write",
            ),
            (
                self.atomic_flush && self.enable_pipelined_write,
                "atomic_flush is incompatible with enable_pipelined_write",
            ),
            (
                self.use_direct_io_for_flush_and_compaction
                    && self.writable_file_max_buffer_size == 0,
                "writes in direct IO require writable_file_max_buffer_size > 0",
            ),
            (
                !self.write_dbid_to_manifest && !self.write_identity_file,
                "write_dbid_to_manifest and write_identity_file cannot both be false",
            ),
        ])?;
        self.validate_offpeak()
    }

    fn validate_io(&self) -> Result<()> {
        refuse_unsupported(&[
            (
                self.allow_mmap_reads && self.use_direct_reads,
                "If memory mapped reads (allow_mmap_reads) are enabled then direct I/O reads \
                 (use_direct_reads) must be disabled. ",
            ),
            (
                self.allow_mmap_reads && self.use_direct_io_for_compaction_reads,
                "If memory mapped reads (allow_mmap_reads) are enabled then compaction-only \
                 direct I/O reads (use_direct_io_for_compaction_reads) must be disabled. ",
            ),
            (
                self.allow_mmap_writes && self.use_direct_io_for_flush_and_compaction,
                "If memory mapped writes (allow_mmap_writes) are enabled then direct I/O writes \
                 (use_direct_io_for_flush_and_compaction) must be disabled. ",
            ),
        ])
    }

    fn validate_offpeak(&self) -> Result<()> {
        if self.daily_offpeak_time_utc.is_empty() {
            return Ok(());
        }
        let Some((start, end)) = parse_time_range(&self.daily_offpeak_time_utc) else {
            return Err(Status::invalid_argument(
                "daily_offpeak_time_utc should be set in the format HH:mm-HH:mm (e.g. \
                 04:30-07:30)",
            ));
        };
        refuse_invalid(&[(start == end, "start_time and end_time cannot be the same")])
    }

    /// The error for what this library does not do and could not leave out silently.
    pub fn check_supported(&self) -> Result<()> {
        refuse_unsupported(&[(self.best_efforts_recovery, "best_efforts_recovery")])
    }
}

impl CfOptions {
    /// The error for the first contradiction within these options, or with those of the database.
    pub fn validate(&self, db: &DbOptions) -> Result<()> {
        self.rejected.check()?;
        self.compaction_options_universal.rejected.check()?;
        self.compaction_options_fifo.rejected.check()?;
        self.check_rows()?;
        self.validate_compression()?;
        self.validate_writes(db)?;
        self.validate_ages(db)?;
        self.validate_paths(db)?;
        refuse_invalid(&[
            // Every version has a list of each level's files.
            (self.num_levels > MAX_LEVELS, "num_levels must not be greater than 65536"),
            (
                self.enable_blob_garbage_collection
                    && !(0.0..=1.0).contains(&self.blob_garbage_collection_age_cutoff),
                "The age cutoff for blob garbage collection should be in the range [0.0, 1.0].",
            ),
            (
                self.enable_blob_garbage_collection
                    && !(0.0..=1.0).contains(&self.blob_garbage_collection_force_threshold),
                "The garbage ratio threshold for forcing blob garbage collection should be in \
                 the range [0.0, 1.0].",
            ),
            (
                !(0.0..f64::INFINITY).contains(&self.read_triggered_compaction_threshold),
                "read_triggered_compaction_threshold must be >= 0.0 and finite. Use 0.0 to \
                 disable.",
            ),
        ])?;
        self.validate_style()?;
        match self.table_factory.block_based() {
            Some(options) => options.validate(self),
            None => Ok(()),
        }
    }

    fn validate_paths(&self, db: &DbOptions) -> Result<()> {
        let has_one =
            !matches!(self.compaction_style, CompactionStyle::Level | CompactionStyle::Universal);
        refuse_unsupported(&[
            (self.cf_paths.len() > MAX_PATHS, "More than four CF paths are not supported yet. "),
            (
                has_one && self.cf_paths.len() > 1,
                "More than one CF paths are only supported in universal and level compaction \
                 styles. ",
            ),
            (
                has_one && self.cf_paths.is_empty() && db.db_paths.len() > 1,
                "More than one DB paths are only supported in universal and level compaction \
                 styles. ",
            ),
        ])
    }

    /// The parameters of universal and FIFO compaction.
    fn validate_style(&self) -> Result<()> {
        let ages = &self.compaction_options_fifo.file_temperature_age_thresholds;
        let is_universal = self.compaction_style == CompactionStyle::Universal;
        let max_read_amp = self.compaction_options_universal.max_read_amp;
        refuse_unsupported(&[
            (
                !ages.is_empty() && self.compaction_style != CompactionStyle::Fifo,
                "Option file_temperature_age_thresholds only supports FIFO compaction.",
            ),
            (
                !ages.is_empty() && self.num_levels > 1,
                "Option file_temperature_age_thresholds is only supported when num_levels = 1.",
            ),
            (
                ages.windows(2).any(|pair| pair[0].age >= pair[1].age),
                "Option file_temperature_age_thresholds requires elements to be sorted in \
                 increasing order with respect to `age` field.",
            ),
            (
                is_universal && max_read_amp < -1,
                "CompactionOptionsUniversal::max_read_amp should be at least -1.",
            ),
            (
                is_universal
                    && (1..self.level0_file_num_compaction_trigger).contains(&max_read_amp),
                "CompactionOptionsUniversal::max_read_amp limits the number of sorted runs but is \
                 smaller than the compaction trigger level0_file_num_compaction_trigger.",
            ),
        ])
    }

    /// The codecs of the tables that are written.
    fn written_compressions(&self) -> &[CompressionType] {
        match self.compression_per_level.as_slice() {
            [] => std::slice::from_ref(&self.compression),
            per_level => per_level,
        }
    }

    fn validate_compression(&self) -> Result<()> {
        self.written_compressions()
            .iter()
            .try_for_each(|compression| check_compression(*compression))?;
        refuse_invalid(&[(
            self.compression_opts.zstd_max_train_bytes > 0
                && self.compression_opts.max_dict_bytes == 0,
            "The dictionary size limit (`CompressionOptions::max_dict_bytes`) should be nonzero \
             if we're using zstd's dictionary generator.",
        )])?;
        if !self.blob_compression_type.is_supported() {
            return Err(Status::invalid_argument(format!(
                "The specified blob compression type {} is not available.",
                self.blob_compression_type
            )));
        }
        Ok(())
    }

    fn validate_writes(&self, db: &DbOptions) -> Result<()> {
        let is_size = |bytes: u32| matches!(bytes, 0 | 1 | 2 | 4 | 8);
        refuse_invalid(&[
            (
                db.allow_concurrent_memtable_write && self.inplace_update_support,
                "In-place memtable updates (inplace_update_support) is not compatible with \
                 concurrent writes (allow_concurrent_memtable_write)",
            ),
            (
                db.unordered_write && self.max_successive_merges != 0,
                "max_successive_merges > 0 is incompatible with unordered_write",
            ),
        ])?;
        refuse_unsupported(&[
            (
                !is_size(self.memtable_protection_bytes_per_key),
                "Memtable per key-value checksum protection only supports 0, 1, 2, 4 or 8 bytes \
                 per key.",
            ),
            (
                !is_size(u32::from(self.block_protection_bytes_per_key)),
                "Block per key-value checksum protection only supports 0, 1, 2, 4 or 8 bytes per \
                 key.",
            ),
        ])
    }

    fn validate_ages(&self, db: &DbOptions) -> Result<()> {
        let is_set = |seconds: u64| seconds > 0 && seconds != u64::MAX - 1;
        let is_fifo = self.compaction_style == CompactionStyle::Fifo;
        let is_block_based = self.table_factory.block_based().is_some();
        refuse_unsupported(&[
            (
                is_set(self.ttl) && !is_block_based,
                "TTL is only supported in Block-Based Table format. ",
            ),
            (
                is_set(self.periodic_compaction_seconds) && !is_block_based,
                "Periodic Compaction is only supported in Block-Based Table format. ",
            ),
            (
                is_fifo && db.max_open_files != -1 && self.ttl > 0,
                "FIFO compaction only supported with max_open_files = -1.",
            ),
            (
                is_fifo && db.open_files_async,
                "FIFO compaction is not supported with open_files_async = true.",
            ),
        ])?;
        refuse_invalid(&[(
            db.open_files_async && !db.skip_stats_update_on_db_open,
            "open_files_async requires skip_stats_update_on_db_open = true.",
        )])
    }

    /// The error for what this library does not do and could not leave out silently.
    pub fn check_supported(&self) -> Result<()> {
        refuse_unsupported(&[
            (untrained(&self.compression_opts), "compression_opts.use_zstd_dict_trainer=false"),
            (
                self.bottommost_compression_opts.enabled
                    && untrained(&self.bottommost_compression_opts),
                "bottommost_compression_opts.use_zstd_dict_trainer=false",
            ),
            (matches!(self.table_factory, TableFactory::Plain(_)), "table_factory=PlainTable"),
            (matches!(self.table_factory, TableFactory::Cuckoo(_)), "table_factory=CuckooTable"),
        ])?;
        match self.table_factory.block_based() {
            Some(options) => options.check_supported(),
            None => Ok(()),
        }
    }
}

/// Whether Zstandard is to make dictionaries of samples without its trainer.
fn untrained(options: &CompressionOptions) -> bool {
    options.zstd_max_train_bytes > 0 && options.max_dict_bytes > 0 && !options.use_zstd_dict_trainer
}

fn check_compression(compression: CompressionType) -> Result<()> {
    if compression.is_supported() {
        return Ok(());
    }
    Err(Status::invalid_argument(format!(
        "Compression type {compression} is not linked with the binary."
    )))
}

impl BlockBasedTableOptions {
    /// The error for the first contradiction within these options, or with those of the column
    /// family.
    pub fn validate(&self, cf: &CfOptions) -> Result<()> {
        self.rejected.check()?;
        refuse_invalid(&[
            (
                self.index_type == IndexType::HashSearch && cf.prefix_extractor.is_none(),
                "Hash index is specified for block-based table, but prefix_extractor is not given",
            ),
            (
                self.cache_index_and_filter_blocks && self.no_block_cache,
                "Enable cache_index_and_filter_blocks, , but block cache is disabled",
            ),
            (
                self.pin_l0_filter_and_index_blocks_in_cache && self.no_block_cache,
                "Enable pin_l0_filter_and_index_blocks_in_cache, , but block cache is disabled",
            ),
        ])?;
        self.check_rows()?;
        self.validate_sizes(cf)
    }

    fn validate_sizes(&self, cf: &CfOptions) -> Result<()> {
        let compresses = |compression: &CompressionType| *compression != CompressionType::None;
        let is_power = |size: u64| size & size.wrapping_sub(1) == 0;
        refuse_invalid(&[
            (
                self.block_align && compresses(&cf.compression),
                "Enable block_align, but compression enabled",
            ),
            (
                self.block_align && cf.bottommost_compression.as_ref().is_some_and(compresses),
                "Enable block_align, but bottommost_compression enabled",
            ),
            (
                self.block_align && cf.compression_per_level.iter().any(compresses),
                "Enable block_align, but compression_per_level enabled",
            ),
            (
                self.block_align && !is_power(self.block_size),
                "Block alignment requested but block size is not a power of 2",
            ),
            (
                self.block_size > u64::from(u32::MAX),
                "block size exceeds maximum number (4GiB) allowed",
            ),
            (
                !is_power(self.super_block_alignment_size as u64),
                "Super Block alignment requested but super block alignment size is not a power \
                 of 2",
            ),
            (
                self.super_block_alignment_size as u64 > u64::from(u32::MAX),
                "Super block alignment size exceeds maximum number (4GiB) allowed",
            ),
            (
                (1..4).contains(&self.super_block_alignment_space_overhead_ratio),
                "Super block alignment space overhead is too high",
            ),
            (
                self.data_block_index_type == DataBlockIndexType::BinaryAndHash
                    && self.data_block_hash_table_util_ratio <= 0.0,
                "data_block_hash_table_util_ratio should be greater than 0 when \
                 data_block_index_type is set to kDataBlockBinaryAndHash",
            ),
        ])
    }

    /// The error for what this library does not do and could not leave out silently.
    fn check_supported(&self) -> Result<()> {
        if !matches!(self.index_type, IndexType::BinarySearch | IndexType::TwoLevelIndexSearch) {
            let text = format!("index_type={}", self.index_type.name());
            return Err(Status::not_supported(text));
        }
        refuse_unsupported(&[(
            self.prepopulate_block_cache == PrepopulateBlockCache::FlushAndCompaction,
            "prepopulate_block_cache=kFlushAndCompaction",
        )])
    }
}
