//! [`DbOptions`]: what holds for a database as a whole.

use crate::base::sync::Arc;
use crate::cache::WriteBufferManager;
use crate::codec::CompressionType;
use crate::env::Env;
use crate::env::rate_limiter::RateLimiter;
use crate::options::enums::{CacheTier, Temperature};
use crate::options::paths::DbPath;
use crate::options::rejected::Rejected;
use crate::options::table::define_options;
use crate::options::text::ObjectName;
use crate::plug::logger::{InfoLogLevel, Logger};
use crate::plug::recovery_mode::WalRecoveryMode;
use crate::stats::Stats;

/// Hands the rows of [`DbOptions`] to the macro `$apply`.
macro_rules! db_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of a database as a whole.
    struct DbOptions;
    rows {
        /// Create the database if it does not exist.
        create_if_missing: bool = false, fixed,
            c(rocksdb_options_set_create_if_missing(c_uchar),
              rocksdb_options_get_create_if_missing -> c_uchar);
        /// Create the column families that the open call names and the database lacks.
        create_missing_column_families: bool = false, fixed,
            c(rocksdb_options_set_create_missing_column_families(c_uchar),
              rocksdb_options_get_create_missing_column_families -> c_uchar);
        /// Refuse to open a database that exists.
        error_if_exists: bool = false, fixed,
            c(rocksdb_options_set_error_if_exists(c_uchar),
              rocksdb_options_get_error_if_exists -> c_uchar);
        /// Treat damage that is found at open as an error, and stop writing after a failed write,
        /// rather than carry on with what can be read.
        paranoid_checks: bool = true, fixed,
            c(rocksdb_options_set_paranoid_checks(c_uchar),
              rocksdb_options_get_paranoid_checks -> c_uchar);
        /// Compare the number of entries that a flush read from its memtables with the number
        /// inserted.
        flush_verify_memtable_count: bool = true, fixed,
            c(rocksdb_options_set_flush_verify_memtable_count(c_uchar),
              rocksdb_options_get_flush_verify_memtable_count -> c_uchar);
        /// Compare the number of entries that a compaction read with its input files' properties.
        compaction_verify_record_count: bool = true, fixed,
            c(rocksdb_options_set_compaction_verify_record_count(c_uchar),
              rocksdb_options_get_compaction_verify_record_count -> c_uchar);
        /// Record the WALs that are synced in the MANIFEST and compare at recovery.
        track_and_verify_wals_in_manifest: bool = false, fixed,
            c(rocksdb_options_set_track_and_verify_wals_in_manifest(c_uchar),
              rocksdb_options_get_track_and_verify_wals_in_manifest -> c_uchar);
        /// Record each WAL's predecessor in it and compare at recovery. RocksDB 7.8 and other versions
        /// that do not know such records take them for damage, and stop there.
        track_and_verify_wals: bool = false, fixed,
            c(rocksdb_options_set_track_and_verify_wals(c_uchar),
              rocksdb_options_get_track_and_verify_wals -> c_uchar);
        /// Compare each table's unique id with the MANIFEST's when it is opened.
        verify_sst_unique_id_in_manifest: bool = true, fixed,
            c(rocksdb_options_set_verify_sst_unique_id_in_manifest(c_uchar),
              rocksdb_options_get_verify_sst_unique_id_in_manifest -> c_uchar);
        /// Refuse to write an entry that a single delete and a delete both cover.
        enforce_single_del_contracts: bool = true, fixed,
            c(rocksdb_options_set_enforce_single_del_contracts(c_uchar),
              rocksdb_options_get_enforce_single_del_contracts -> c_uchar);
        /// Put user keys and values in error texts.
        allow_data_in_errors: bool = false, fixed idle;
        /// Open with the newest consistent state that the files which are left allow.
        best_efforts_recovery: bool = false, fixed idle;

        /// The lowest level of message that the LOG file takes.
        info_log_level: InfoLogLevel = InfoLogLevel::Info, fixed,
            c(rocksdb_options_set_info_log_level(c_int),
              rocksdb_options_get_info_log_level -> c_int);
        /// The size in bytes at which the LOG file is rolled; 0 means never.
        max_log_file_size: usize = 0, fixed,
            c(rocksdb_options_set_max_log_file_size(usize),
              rocksdb_options_get_max_log_file_size -> usize);
        /// The age in seconds at which the LOG file is rolled; 0 means never.
        log_file_time_to_roll: usize = 0, fixed,
            c(rocksdb_options_set_log_file_time_to_roll(usize),
              rocksdb_options_get_log_file_time_to_roll -> usize);
        /// How many LOG files are kept, the current one included. At least 1.
        keep_log_file_num: usize = 1000, fixed,
            c(rocksdb_options_set_keep_log_file_num(usize),
              rocksdb_options_get_keep_log_file_num -> usize);
        /// The folder of the LOG file; empty means the database's.
        db_log_dir: String = String::new(), fixed,
            c(rocksdb_options_set_db_log_dir(text), rocksdb_options_get_db_log_dir -> text);
        /// Print the allocator's statistics to the LOG with the others.
        dump_malloc_stats: bool = false, fixed,
            c(rocksdb_options_set_dump_malloc_stats(c_uchar),
              rocksdb_options_get_dump_malloc_stats -> c_uchar);

        /// How many files are kept open; -1 means all.
        max_open_files: i32 = -1, live,
            c(rocksdb_options_set_max_open_files(c_int),
              rocksdb_options_get_max_open_files -> c_int);
        /// How many threads open table files when the database opens.
        max_file_opening_threads: i32 = 16, fixed,
            c(rocksdb_options_set_max_file_opening_threads(c_int),
              rocksdb_options_get_max_file_opening_threads -> c_int);
        /// How many threads serve reads of the file system that is asynchronous.
        read_io_executor_threads: i32 = 1, fixed idle;
        /// Open table files in the background after the database opened.
        open_files_async: bool = false, fixed,
            c(rocksdb_options_set_open_files_async(c_uchar),
              rocksdb_options_get_open_files_async -> c_uchar);
        /// Open tables from what the MANIFEST knows, without reading their ends.
        fast_sst_open: bool = false, live idle;
        /// The number of shards of the table cache, as a power of two.
        table_cache_numshardbits: i32 = 6, fixed,
            c(rocksdb_options_set_table_cache_numshardbits(c_int),
              rocksdb_options_get_table_cache_numshardbits -> c_int);
        /// Do not open tables when the database opens for the sake of their counts of deletions,
        /// which guide compactions. It still does with `max_open_files` -1, to keep them open.
        skip_stats_update_on_db_open: bool = false, fixed,
            c(rocksdb_options_set_skip_stats_update_on_db_open(c_uchar),
              rocksdb_options_get_skip_stats_update_on_db_open -> c_uchar);
        /// Read tables through memory mappings.
        allow_mmap_reads: bool = false, fixed,
            c(rocksdb_options_set_allow_mmap_reads(c_uchar),
              rocksdb_options_get_allow_mmap_reads -> c_uchar);
        /// Write tables through memory mappings.
        allow_mmap_writes: bool = false, fixed,
            c(rocksdb_options_set_allow_mmap_writes(c_uchar),
              rocksdb_options_get_allow_mmap_writes -> c_uchar);
        /// Read past the page cache (O_DIRECT).
        use_direct_reads: bool = false, fixed,
            c(rocksdb_options_set_use_direct_reads(c_uchar),
              rocksdb_options_get_use_direct_reads -> c_uchar);
        /// Read compaction inputs past the page cache.
        use_direct_io_for_compaction_reads: bool = false, fixed,
            c(rocksdb_options_set_use_direct_io_for_compaction_reads(c_uchar),
              rocksdb_options_get_use_direct_io_for_compaction_reads -> c_uchar);
        /// Flush and compact past the page cache.
        use_direct_io_for_flush_and_compaction: bool = false, fixed,
            c(rocksdb_options_set_use_direct_io_for_flush_and_compaction(c_uchar),
              rocksdb_options_get_use_direct_io_for_flush_and_compaction -> c_uchar);
        /// Reserve disk space for WALs, MANIFESTs and the tables of compactions before it is written
        /// (fallocate).
        allow_fallocate: bool = true, fixed,
            c(rocksdb_options_set_allow_fallocate(c_uchar),
              rocksdb_options_get_allow_fallocate -> c_uchar);
        /// Close file descriptors when the process executes another program.
        is_fd_close_on_exec: bool = true, fixed,
            c(rocksdb_options_set_is_fd_close_on_exec(c_uchar),
              rocksdb_options_get_is_fd_close_on_exec -> c_uchar);
        /// Tell the operating system that tables are read at random.
        advise_random_on_open: bool = true, fixed,
            c(rocksdb_options_set_advise_random_on_open(c_uchar),
              rocksdb_options_get_advise_random_on_open -> c_uchar);
        /// Sync with fsync instead of fdatasync.
        use_fsync: bool = false, fixed,
            c(rocksdb_options_set_use_fsync(c_int), rocksdb_options_get_use_fsync -> c_int);
        /// Ask for write-back of a table file each time it grew by this many bytes; 0 leaves it to
        /// the operating system.
        bytes_per_sync: u64 = 0, live,
            c(rocksdb_options_set_bytes_per_sync(u64), rocksdb_options_get_bytes_per_sync -> u64);
        /// As `bytes_per_sync`, for the WAL.
        wal_bytes_per_sync: u64 = 0, live,
            c(rocksdb_options_set_wal_bytes_per_sync(u64),
              rocksdb_options_get_wal_bytes_per_sync -> u64);
        /// Wait for write-back so that no more than `bytes_per_sync` bytes are under way.
        strict_bytes_per_sync: bool = false, live,
            c(rocksdb_options_set_strict_bytes_per_sync(c_uchar),
              rocksdb_options_get_strict_bytes_per_sync -> c_uchar);
        /// The write buffer of a table file, in bytes.
        writable_file_max_buffer_size: usize = 1 << 20, live,
            c(rocksdb_options_set_writable_file_max_buffer_size(u64),
              rocksdb_options_get_writable_file_max_buffer_size -> u64);
        /// Bytes that a compaction reads ahead.
        compaction_readahead_size: usize = 2 << 20, live,
            c(rocksdb_options_compaction_readahead_size(usize),
              rocksdb_options_get_compaction_readahead_size -> usize);
        /// Bytes that opening reads ahead from the MANIFEST and the WALs; 0 means their own blocks of
        /// 32 KiB.
        log_readahead_size: usize = 0, fixed,
            c(rocksdb_options_set_log_readahead_size(usize),
              rocksdb_options_get_log_readahead_size -> usize);
        /// The temperature that the file system is told for MANIFEST and OPTIONS files.
        metadata_write_temperature: Temperature = Temperature::Unknown, fixed idle;
        /// The temperature that the file system is told for WALs.
        wal_write_temperature: Temperature = Temperature::Unknown, fixed idle;
        /// Makes the checksums of whole files that the MANIFEST keeps.
        file_checksum_gen_factory: ObjectName = ObjectName::null(), fixed idle;

        /// The folder of the WALs; empty means the database's.
        wal_dir: String = String::new(), fixed,
            c(rocksdb_options_set_wal_dir(text), rocksdb_options_get_wal_dir -> text);
        /// What recovery does with a WAL that is damaged.
        wal_recovery_mode: WalRecoveryMode = WalRecoveryMode::PointInTimeRecovery, fixed,
            c(rocksdb_options_set_wal_recovery_mode(c_int),
              rocksdb_options_get_wal_recovery_mode -> c_int);
        /// How many old WALs are kept to be written over by new ones.
        recycle_log_file_num: usize = 0, fixed,
            c(rocksdb_options_set_recycle_log_file_num(usize),
              rocksdb_options_get_recycle_log_file_num -> usize);
        /// Create the next WAL before it is needed.
        async_wal_precreate: bool = false, fixed idle;
        /// Flush column families when the live WALs exceed this many bytes; 0 means four times all
        /// write buffers together.
        max_total_wal_size: u64 = 0, live,
            c(rocksdb_options_set_max_total_wal_size(u64),
              rocksdb_options_get_max_total_wal_size -> u64);
        /// Seconds that obsolete WALs are archived.
        WAL_ttl_seconds: u64 = 0, fixed,
            c(rocksdb_options_set_WAL_ttl_seconds(u64), rocksdb_options_get_WAL_ttl_seconds -> u64);
        /// Mebibytes of obsolete WALs that are archived.
        WAL_size_limit_MB: u64 = 0, fixed,
            c(rocksdb_options_set_WAL_size_limit_MB(u64),
              rocksdb_options_get_WAL_size_limit_MB -> u64);
        /// Hold WAL records back until `rocksdb_flush_wal`, a write with `sync`, or
        /// `writable_file_max_buffer_size` bytes of them. Until then they are lost when the process
        /// ends without closing the database.
        manual_wal_flush: bool = false, fixed,
            c(rocksdb_options_set_manual_wal_flush(c_uchar),
              rocksdb_options_get_manual_wal_flush -> c_uchar);
        /// The compression of WAL records.
        wal_compression: CompressionType = CompressionType::None, fixed,
            c(rocksdb_options_set_wal_compression(c_int),
              rocksdb_options_get_wal_compression -> c_int);
        /// Sees each WAL record at recovery.
        wal_filter: ObjectName = ObjectName::null(), fixed idle;
        /// Close WALs that are no longer written in the background.
        background_close_inactive_wals: bool = false, fixed,
            c(rocksdb_options_set_background_close_inactive_wals(c_uchar),
              rocksdb_options_get_background_close_inactive_wals -> c_uchar);
        /// Do not flush the memtables that recovery filled.
        avoid_flush_during_recovery: bool = false, fixed,
            c(rocksdb_options_set_avoid_flush_during_recovery(c_uchar),
              rocksdb_options_get_avoid_flush_during_recovery -> c_uchar);
        /// Do not flush memtables when the database closes, whose entries the WAL then lacks if
        /// they were written without it.
        avoid_flush_during_shutdown: bool = false, live,
            c(rocksdb_options_set_avoid_flush_during_shutdown(c_uchar),
              rocksdb_options_get_avoid_flush_during_shutdown -> c_uchar);
        /// Keep the write buffer manager's limit while recovering.
        enforce_write_buffer_manager_during_recovery: bool = true, fixed,
            c(rocksdb_options_set_enforce_write_buffer_manager_during_recovery(c_uchar),
              rocksdb_options_get_enforce_write_buffer_manager_during_recovery -> c_uchar);
        /// Keep the WAL sections of transactions that are prepared.
        allow_2pc: bool = false, fixed idle;

        /// The size in bytes at which the MANIFEST is replaced by a new one.
        max_manifest_file_size: u64 = 1 << 30, live,
            c(rocksdb_options_set_max_manifest_file_size(usize),
              rocksdb_options_get_max_manifest_file_size -> usize);
        /// How far the MANIFEST may grow beyond its minimum before it is replaced, in per cent.
        max_manifest_space_amp_pct: i32 = 500, live,
            c(rocksdb_options_set_max_manifest_space_amp_pct(c_int),
              rocksdb_options_get_max_manifest_space_amp_pct -> c_int);
        /// Bytes reserved at once for the MANIFEST, if `allow_fallocate`; 0 means none.
        manifest_preallocation_size: usize = 4 << 20, live,
            c(rocksdb_options_set_manifest_preallocation_size(usize),
              rocksdb_options_get_manifest_preallocation_size -> usize);
        /// Read the MANIFEST back when the database closes.
        verify_manifest_content_on_close: bool = false, live,
            c(rocksdb_options_set_verify_manifest_content_on_close(c_uchar),
              rocksdb_options_get_verify_manifest_content_on_close -> c_uchar);
        /// Write what makes the MANIFEST faster to recover.
        optimize_manifest_for_recovery: bool = false, live idle;
        /// Append to the MANIFEST found at open instead of starting a new one.
        reuse_manifest_on_open: bool = false, fixed idle;
        /// Keep the database's id in the MANIFEST.
        write_dbid_to_manifest: bool = true, fixed,
            c(rocksdb_options_set_write_dbid_to_manifest(c_uchar),
              rocksdb_options_get_write_dbid_to_manifest -> c_uchar);
        /// Keep the database's id in the IDENTITY file.
        write_identity_file: bool = true, fixed,
            c(rocksdb_options_set_write_identity_file(c_uchar),
              rocksdb_options_get_write_identity_file -> c_uchar);
        /// What table properties name as the host that wrote them; `__hostname__` stands for the name of
        /// the machine.
        db_host_id: String = "__hostname__".to_string(), fixed,
            c(rocksdb_options_set_db_host_id(text), rocksdb_options_get_db_host_id -> text);

        /// How many flushes and compactions may run together.
        max_background_jobs: i32 = 2, live,
            c(rocksdb_options_set_max_background_jobs(c_int),
              rocksdb_options_get_max_background_jobs -> c_int);
        /// Deprecated: how many compactions may run together; -1 means derived from
        /// `max_background_jobs`.
        max_background_compactions: i32 = -1, live,
            c(rocksdb_options_set_max_background_compactions(c_int),
              rocksdb_options_get_max_background_compactions -> c_int);
        /// Deprecated: how many flushes may run together; -1 means derived from
        /// `max_background_jobs`.
        max_background_flushes: i32 = -1, live,
            c(rocksdb_options_set_max_background_flushes(c_int),
              rocksdb_options_get_max_background_flushes -> c_int);
        /// How many threads may share one compaction.
        max_subcompactions: u32 = 1, live,
            c(rocksdb_options_set_max_subcompactions(c_uint),
              rocksdb_options_get_max_subcompactions -> c_uint);
        /// Microseconds between searches for files that are no longer needed.
        delete_obsolete_files_period_micros: u64 = 21_600_000_000, live,
            c(rocksdb_options_set_delete_obsolete_files_period_micros(u64),
              rocksdb_options_get_delete_obsolete_files_period_micros -> u64);
        /// Delete files on a background thread when an iterator or a column family is released.
        avoid_unnecessary_blocking_io: bool = false, fixed,
            c(rocksdb_options_set_avoid_unnecessary_blocking_io(c_uchar),
              rocksdb_options_get_avoid_unnecessary_blocking_io -> c_uchar);
        /// Seconds between wake-ups that look for compactions which time makes due.
        max_compaction_trigger_wakeup_seconds: u64 = 43_200, live,
            c(rocksdb_options_set_max_compaction_trigger_wakeup_seconds(u64),
              rocksdb_options_get_max_compaction_trigger_wakeup_seconds -> u64);
        /// The hours of little load, as `HH:mm-HH:mm` in UTC; empty means none.
        daily_offpeak_time_utc: String = String::new(), live,
            c(rocksdb_options_set_daily_offpeak_time_utc(text),
              rocksdb_options_get_daily_offpeak_time_utc -> text);
        /// How often the database tries to resume after an error in the background that may pass.
        max_bgerror_resume_count: i32 = i32::MAX, fixed,
            c(rocksdb_options_set_max_bgerror_resume_count(c_int),
              rocksdb_options_get_max_bgerror_resume_count -> c_int);
        /// Microseconds between those tries.
        bgerror_resume_retry_interval: u64 = 1_000_000, fixed,
            c(rocksdb_options_set_bgerror_resume_retry_interval(u64),
              rocksdb_options_get_bgerror_resume_retry_interval -> u64);

        /// Bytes that all memtables of the database may take together; 0 means no limit.
        db_write_buffer_size: usize = 0, fixed,
            c(rocksdb_options_set_db_write_buffer_size(usize),
              rocksdb_options_get_db_write_buffer_size -> usize);
        /// Bytes a second that writes are slowed to when compaction lags; 0 means the rate
        /// limiter's, else 16 MiB.
        delayed_write_rate: u64 = 0, live,
            c(rocksdb_options_set_delayed_write_rate(u64),
              rocksdb_options_get_delayed_write_rate -> u64);
        /// Let the members of a write group insert into the memtable in parallel.
        allow_concurrent_memtable_write: bool = true, fixed,
            c(rocksdb_options_set_allow_concurrent_memtable_write(c_uchar),
              rocksdb_options_get_allow_concurrent_memtable_write -> c_uchar);
        /// Spin and yield before a waiting writer blocks.
        enable_write_thread_adaptive_yield: bool = true, fixed,
            c(rocksdb_options_set_enable_write_thread_adaptive_yield(c_uchar),
              rocksdb_options_get_enable_write_thread_adaptive_yield -> c_uchar);
        /// Bytes of batches that one write group may take.
        max_write_batch_group_size_bytes: u64 = 1 << 20, fixed,
            c(rocksdb_options_set_max_write_batch_group_size_bytes(u64),
              rocksdb_options_get_max_write_batch_group_size_bytes -> u64);
        /// Microseconds that a waiting writer yields before it blocks.
        write_thread_max_yield_usec: u64 = 100, fixed,
            c(rocksdb_options_set_write_thread_max_yield_usec(u64),
              rocksdb_options_get_write_thread_max_yield_usec -> u64);
        /// Microseconds a yield takes when the processor is wanted by others.
        write_thread_slow_yield_usec: u64 = 3, fixed,
            c(rocksdb_options_set_write_thread_slow_yield_usec(u64),
              rocksdb_options_get_write_thread_slow_yield_usec -> u64);
        /// Log one group of writes while the one before is put into the memtables. They become visible
        /// in order, as without.
        enable_pipelined_write: bool = false, fixed,
            c(rocksdb_options_set_enable_pipelined_write(c_uchar),
              rocksdb_options_get_enable_pipelined_write -> c_uchar);
        /// More throughput: as `enable_pipelined_write`, with which it cannot be combined. RocksDB gives
        /// up for it that a snapshot never changes; here snapshots keep that.
        unordered_write: bool = false, fixed,
            c(rocksdb_options_set_unordered_write(c_uchar),
              rocksdb_options_get_unordered_write -> c_uchar);
        /// Use a second queue for writes that touch only the WAL.
        two_write_queues: bool = false, fixed idle;
        /// Flush all column families together when one has to be, and make their tables count all or
        /// none, so that after a crash the families are of one moment even without WAL. A flush that
        /// a caller asks for is one of the families that it names.
        atomic_flush: bool = false, fixed,
            c(rocksdb_options_set_atomic_flush(c_uchar),
              rocksdb_options_get_atomic_flush -> c_uchar);
        /// Reserve the bottommost level for files that are ingested behind all others.
        allow_ingest_behind: bool = false, fixed idle;
        /// Use prefix filters and indexes only where a read asks for it.
        prefix_seek_opt_in_only: bool = false, fixed idle;
        /// Kept for compatibility: mutexes spin before they block.
        use_adaptive_mutex: bool = false, fixed,
            c(rocksdb_options_set_use_adaptive_mutex(c_uchar),
              rocksdb_options_get_use_adaptive_mutex -> c_uchar);

        /// Track what each thread does, for thread-status queries.
        enable_thread_tracking: bool = false, fixed idle;
        /// Seconds between dumps of statistics to the LOG; 0 means never.
        stats_dump_period_sec: u32 = 600, live,
            c(rocksdb_options_set_stats_dump_period_sec(c_uint),
              rocksdb_options_get_stats_dump_period_sec -> c_uint);
        /// Seconds between records of the statistics' history; 0 means never.
        stats_persist_period_sec: u32 = 600, live,
            c(rocksdb_options_set_stats_persist_period_sec(c_uint),
              rocksdb_options_get_stats_persist_period_sec -> c_uint);
        /// Keep the history of statistics in a hidden column family.
        persist_stats_to_disk: bool = false, fixed,
            c(rocksdb_options_set_persist_stats_to_disk(c_uchar),
              rocksdb_options_get_persist_stats_to_disk -> c_uchar);
        /// Bytes of the statistics' history in memory.
        stats_history_buffer_size: usize = 1 << 20, live,
            c(rocksdb_options_set_stats_history_buffer_size(usize),
              rocksdb_options_get_stats_history_buffer_size -> usize);
        /// The lowest cache tier that is used.
        lowest_used_cache_tier: CacheTier = CacheTier::NonVolatileBlock, fixed idle;
        /// Milliseconds between a follower's looks for the leader's changes.
        follower_refresh_catchup_period_ms: u64 = 10_000, fixed idle;
        /// How often a follower tries to catch up at a time.
        follower_catchup_retry_count: u64 = 10, fixed idle;
        /// Milliseconds between those tries.
        follower_catchup_retry_wait_ms: u64 = 100, fixed idle;
    }
    memory {
        /// The folders of tables; empty means the database's.
        db_paths: Vec<DbPath> = Vec::new();
        /// The file system and the threads.
        env: Env = Env::default();
        /// Where messages go; None means a LOG file in `db_log_dir`.
        info_log: Option<Arc<dyn Logger>> = None;
        /// Limits the memtables of all databases that share it, in place of
        /// `db_write_buffer_size`.
        write_buffer_manager: Option<Arc<WriteBufferManager>> = None;
        /// Counts what the database does; shared, and None costs nothing.
        statistics: Stats = None;
        /// Bounds the rate of background writes; None means no bound.
        rate_limiter: Option<Arc<RateLimiter>> = None;
        /// Values that are refused at open.
        rejected: Rejected = Rejected::default();
    }
    deprecated {
        allow_os_buffer base_background_compactions use_direct_writes disableDataSync
        disable_data_sync experimental_allow_mempurge experimental_mempurge_policy
        experimental_mempurge_threshold skip_log_error_on_recovery
        skip_checking_sst_file_sizes_on_db_open new_table_reader_for_compaction_inputs
        random_access_max_buffer_size fail_if_options_file_error access_hint_on_compaction_start
        preserve_deletes concurrent_prepare seq_per_batch rate_limiter
    }
    } };
}
pub(crate) use db_options;

db_options!(define_options);
