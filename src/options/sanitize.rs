//! Values that are adjusted at open rather than refused, as RocksDB adjusts them.

use std::path::{Path, PathBuf};

use crate::base::sync::Arc;
use crate::cache::{Cache, WriteBufferManager};
use crate::codec::CompressionType;
use crate::options::block_based::BlockBasedTableOptions;
use crate::options::cf::CfOptions;
use crate::options::db::DbOptions;
use crate::options::enums::{CompactionStyle, IndexType, Temperature};
use crate::plug::recovery_mode::WalRecoveryMode;

/// Bytes of the block cache of tables that were given none.
const DEFAULT_BLOCK_CACHE: usize = 32 << 20;

/// `ttl` and `periodic_compaction_seconds` that let the engine choose.
const UNSET_SECONDS: u64 = u64::MAX - 1;

const THIRTY_DAYS: u64 = 30 * 24 * 60 * 60;

impl DbOptions {
    /// Adjusts the options for a database in `dir`.
    pub fn sanitize(&mut self, dir: &Path) {
        if self.delayed_write_rate == 0 {
            let limiter = self.rate_limiter.as_ref();
            self.delayed_write_rate = limiter.map_or(16 << 20, |limiter| limiter.rate());
        }
        if self.max_open_files != -1 {
            self.max_open_files = self.max_open_files.clamp(20, 0x40_0000);
        }
        if self.write_buffer_manager.is_none() && self.db_write_buffer_size > 0 {
            let manager = WriteBufferManager::new(self.db_write_buffer_size, None, false);
            self.write_buffer_manager = Some(Arc::new(manager));
        }
        self.sanitize_wal(dir);
    }

    /// How many tables may be open; `None` is any number. Some files stay for other purposes.
    pub fn max_open_tables(&self) -> Option<usize> {
        let tables = self.max_open_files.saturating_sub(10);
        (self.max_open_files != -1).then(|| usize::try_from(tables).unwrap_or(0).max(1))
    }

    fn sanitize_wal(&mut self, dir: &Path) {
        // These modes cannot tell the old end of a recycled log from damage, and archived logs
        // must not be written over.
        let mode_forbids = matches!(
            self.wal_recovery_mode,
            WalRecoveryMode::TolerateCorruptedTailRecords | WalRecoveryMode::AbsoluteConsistency
        );
        if mode_forbids || self.WAL_ttl_seconds > 0 || self.WAL_size_limit_MB > 0 {
            self.recycle_log_file_num = 0;
        }
        if self.recycle_log_file_num != 0 {
            self.async_wal_precreate = false;
        }
        if self.wal_compression != CompressionType::Zstd {
            // No other codec has streams.
            self.wal_compression = CompressionType::None;
        }
        if Path::new(&self.wal_dir) == dir {
            self.wal_dir.clear();
        }
        if self.wal_dir.len() > 1 && self.wal_dir.ends_with('/') {
            self.wal_dir.pop();
        }
        if self.allow_2pc {
            self.avoid_flush_during_recovery = false;
        }
    }

    /// The folder of the WALs of a database in `dir`.
    pub fn wal_path(&self, dir: &Path) -> PathBuf {
        if self.wal_dir.is_empty() { dir.to_path_buf() } else { PathBuf::from(&self.wal_dir) }
    }

    /// How many flushes and how many compactions may run at a time.
    pub fn background_limits(&self) -> (usize, usize) {
        let at_least_one = |n: i32| usize::try_from(n).unwrap_or(0).max(1);
        if self.max_background_flushes == -1 && self.max_background_compactions == -1 {
            let flushes = at_least_one(self.max_background_jobs / 4);
            let jobs = at_least_one(self.max_background_jobs);
            return (flushes, jobs.saturating_sub(flushes).max(1));
        }
        let flushes = at_least_one(self.max_background_flushes);
        (flushes, at_least_one(self.max_background_compactions))
    }
}

impl CfOptions {
    /// Adjusts the options for a database with the options `db`.
    pub fn sanitize(&mut self, db: &DbOptions) {
        self.sanitize_memtables(db);
        self.sanitize_levels(db);
        self.sanitize_ages();
        if !self.soft_limit_is_below_hard() {
            self.soft_pending_compaction_bytes_limit = self.hard_pending_compaction_bytes_limit;
        }
    }

    fn sanitize_memtables(&mut self, db: &DbOptions) {
        self.write_buffer_size = self.write_buffer_size.clamp(64 << 10, 64 << 30);
        if self.arena_block_size == 0 {
            let eighth = (self.write_buffer_size / 8).min(1 << 20);
            self.arena_block_size = eighth.next_multiple_of(4096);
        }
        self.min_write_buffer_number_to_merge = self
            .min_write_buffer_number_to_merge
            .min(self.max_write_buffer_number.saturating_sub(1))
            .max(1);
        if db.atomic_flush {
            self.min_write_buffer_number_to_merge = 1;
        }
        self.max_write_buffer_number = self.max_write_buffer_number.max(2);
        if self.max_write_buffer_size_to_maintain < 0 {
            let size = i64::try_from(self.write_buffer_size).unwrap_or(i64::MAX);
            self.max_write_buffer_size_to_maintain =
                size.saturating_mul(i64::from(self.max_write_buffer_number));
        }
        let ratio = self.memtable_prefix_bloom_size_ratio;
        self.memtable_prefix_bloom_size_ratio =
            if ratio.is_nan() { 0.0 } else { ratio.clamp(0.0, 0.25) };
    }

    fn sanitize_levels(&mut self, db: &DbOptions) {
        let least_levels = match self.compaction_style {
            CompactionStyle::Level => 2,
            CompactionStyle::Universal if db.allow_ingest_behind || self.cf_allow_ingest_behind => {
                3
            }
            _ => 1,
        };
        self.num_levels = self.num_levels.max(least_levels);
        self.reserves_last_level = db.allow_ingest_behind || self.cf_allow_ingest_behind;
        if self.compaction_style == CompactionStyle::Fifo {
            self.level0_slowdown_writes_trigger = i32::MAX;
            self.level0_stop_writes_trigger = i32::MAX;
        }
        if self.max_bytes_for_level_multiplier <= 0.0 {
            self.max_bytes_for_level_multiplier = 1.0;
        }
        if self.level0_file_num_compaction_trigger == 0 {
            self.level0_file_num_compaction_trigger = 1;
        }
        self.level0_slowdown_writes_trigger =
            self.level0_slowdown_writes_trigger.max(self.level0_file_num_compaction_trigger);
        self.level0_stop_writes_trigger =
            self.level0_stop_writes_trigger.max(self.level0_slowdown_writes_trigger);
        if self.cf_paths.is_empty() {
            self.cf_paths.clone_from(&db.db_paths);
        }
        if self.compaction_style != CompactionStyle::Level || self.cf_paths.len() > 1 {
            self.level_compaction_dynamic_level_bytes = false;
        }
        let fifo_chooses = self.compaction_style == CompactionStyle::Fifo
            && self.compaction_options_fifo.use_kv_ratio_compaction;
        if self.max_compaction_bytes == 0 && !fifo_chooses {
            self.max_compaction_bytes = self.target_file_size_base.saturating_mul(25);
        }
    }

    fn soft_limit_is_below_hard(&self) -> bool {
        let (soft, hard) =
            (self.soft_pending_compaction_bytes_limit, self.hard_pending_compaction_bytes_limit);
        soft != 0 && (hard == 0 || soft <= hard)
    }

    /// The ages from which files are compacted again.
    fn sanitize_ages(&mut self) {
        let is_block_based = self.table_factory.block_based().is_some();
        if self.ttl == UNSET_SECONDS {
            self.ttl = if is_block_based { THIRTY_DAYS } else { 0 };
        }
        let has_filter =
            self.compaction_filter.is_some() || self.compaction_filter_factory.is_some();
        let is_chosen = is_block_based
            && match self.compaction_style {
                CompactionStyle::Level => has_filter,
                style => style == CompactionStyle::Universal,
            };
        let periodic = match self.periodic_compaction_seconds {
            UNSET_SECONDS if is_chosen => THIRTY_DAYS,
            UNSET_SECONDS => 0,
            seconds => seconds,
        };
        self.periodic_compaction_seconds = match (self.compaction_style, periodic, self.ttl) {
            // There both mean the same; the stricter counts, and 0 is none.
            (CompactionStyle::Universal, 0, ttl) => ttl,
            (CompactionStyle::Universal, seconds, ttl) if ttl != 0 => seconds.min(ttl),
            (_, seconds, _) => seconds,
        };
        if self.compaction_style == CompactionStyle::Fifo {
            self.last_level_temperature = Temperature::Unknown;
        }
    }
}

impl BlockBasedTableOptions {
    /// Adjusts the options, and makes the block cache that they were not given. RocksDB does so
    /// when the options are handed over, so that all who share them share the cache.
    pub fn sanitize(&mut self) {
        if self.no_block_cache {
            self.block_cache = None;
        } else if self.block_cache.is_none() {
            self.block_cache = Some(default_block_cache());
        }
        if !(0..=100).contains(&self.block_size_deviation) {
            self.block_size_deviation = 0;
        }
        self.block_restart_interval = self.block_restart_interval.max(1);
        self.index_block_restart_interval = match self.index_type {
            IndexType::HashSearch => 1,
            _ => self.index_block_restart_interval.max(1),
        };
        if self.index_type != IndexType::TwoLevelIndexSearch {
            self.partition_filters = false;
        }
        // Versions 0 and 1 are read, but no longer written. What is too new is refused.
        self.format_version = self.format_version.max(2);
    }
}

fn default_block_cache() -> Arc<Cache> {
    Cache::lru(DEFAULT_BLOCK_CACHE, -1, false, 0.5)
}
