//! [`BackupOptions`], [`CreateBackupOptions`], [`RestoreOptions`]: how backups are made, kept and
//! restored.

use crate::base::sync::Arc;
use crate::env::posix::CpuPriority;
use crate::env::rate_limiter::RateLimiter;
use crate::options::enums::Numbered;
use crate::options::rejected::Rejected;
use crate::options::table::define_options;

/// In `share_files_with_checksum_naming`: table files are named by checksum and size.
pub const NAMING_CHECKSUM_AND_SIZE: u32 = 1;
/// In `share_files_with_checksum_naming`: table files are named by the session that wrote them.
pub const NAMING_SESSION: u32 = 2;
/// In `share_files_with_checksum_naming`: the size is in the names by session, too.
pub const NAMING_FLAG_SIZE: u32 = 1 << 31;

/// Which files a restoring may leave in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreMode {
    /// Tables that the same session wrote, with the same number and size.
    KeepLatestDbSessionIdFiles,
    /// Tables and blob files with the same checksum.
    VerifyChecksum,
    /// None.
    PurgeAllFiles,
}

impl Numbered for RestoreMode {
    const ALL: &'static [Self] = &[
        RestoreMode::KeepLatestDbSessionIdFiles,
        RestoreMode::VerifyChecksum,
        RestoreMode::PurgeAllFiles,
    ];

    fn number(self) -> i32 {
        match self {
            RestoreMode::KeepLatestDbSessionIdFiles => 1,
            RestoreMode::VerifyChecksum => 2,
            RestoreMode::PurgeAllFiles => 0xffff,
        }
    }
}

impl Numbered for CpuPriority {
    const ALL: &'static [Self] =
        &[CpuPriority::Idle, CpuPriority::Low, CpuPriority::Normal, CpuPriority::High];

    fn number(self) -> i32 {
        self as i32
    }
}

/// Hands the rows of [`BackupOptions`] to the macro `$apply`.
macro_rules! backup_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of a folder of backups.
    struct BackupOptions;
    rows {}
    memory {
        /// The folder.
        backup_dir: String = String::new(),
            c(rocksdb_backup_engine_options_set_backup_dir(text),
              rocksdb_backup_engine_options_get_backup_dir -> text);
        /// Let backups share table files that they have in common.
        share_table_files: bool = true,
            c(rocksdb_backup_engine_options_set_share_table_files(c_uchar),
              rocksdb_backup_engine_options_get_share_table_files -> c_uchar);
        /// Make every file of a backup durable before it counts.
        sync: bool = true,
            c(rocksdb_backup_engine_options_set_sync(c_uchar),
              rocksdb_backup_engine_options_get_sync -> c_uchar);
        /// Remove all backups when the folder is opened.
        destroy_old_data: bool = false,
            c(rocksdb_backup_engine_options_set_destroy_old_data(c_uchar),
              rocksdb_backup_engine_options_get_destroy_old_data -> c_uchar);
        /// Back up write-ahead logs. Without them a backup holds only what was flushed.
        backup_log_files: bool = true,
            c(rocksdb_backup_engine_options_set_backup_log_files(c_uchar),
              rocksdb_backup_engine_options_get_backup_log_files -> c_uchar);
        /// Bytes a second that backups may write; 0 is no limit. A limiter that was set goes before.
        backup_rate_limit: u64 = 0,
            c(rocksdb_backup_engine_options_set_backup_rate_limit(u64),
              rocksdb_backup_engine_options_get_backup_rate_limit -> u64);
        /// Bytes a second that restoring may write; 0 is no limit. A limiter that was set goes before.
        restore_rate_limit: u64 = 0,
            c(rocksdb_backup_engine_options_set_restore_rate_limit(u64),
              rocksdb_backup_engine_options_get_restore_rate_limit -> u64);
        /// Asked for what backups read and write.
        backup_rate_limiter: Option<Arc<RateLimiter>> = None;
        /// Asked for what restoring reads and writes.
        restore_rate_limiter: Option<Arc<RateLimiter>> = None;
        /// How many backups are opened, the newest ones. Only for folders that are opened for reading
        /// only: one that backups are made in has to know all of them, and says in its log that it
        /// does not go by this.
        max_valid_backups_to_open: i32 = i32::MAX,
            c(rocksdb_backup_engine_options_set_max_valid_backups_to_open(c_int),
              rocksdb_backup_engine_options_get_max_valid_backups_to_open -> c_int);
        /// How many files are copied at once. At least 1.
        max_background_operations: i32 = 1,
            c(rocksdb_backup_engine_options_set_max_background_operations(c_int),
              rocksdb_backup_engine_options_get_max_background_operations -> c_int);
        /// Bytes read at once when files are copied; 0 means 5 MiB.
        io_buffer_size: u64 = 0,
            c(rocksdb_backup_engine_options_set_io_buffer_size(u64),
              rocksdb_backup_engine_options_get_io_buffer_size -> u64);
        /// Bytes after which the progress callback is called.
        callback_trigger_interval_size: u64 = 4 << 20,
            c(rocksdb_backup_engine_options_set_callback_trigger_interval_size(u64),
              rocksdb_backup_engine_options_get_callback_trigger_interval_size -> u64);
        /// Name shared files so that those of several databases can stand side by side, and that a
        /// damaged one is not taken for another.
        share_files_with_checksum: bool = true,
            c(rocksdb_backup_engine_options_set_share_files_with_checksum(c_uchar),
              rocksdb_backup_engine_options_get_share_files_with_checksum -> c_uchar);
        /// How they are named: 1 by checksum and size, 2 by the session that wrote them, and
        /// 1 << 31 for the size behind the session.
        share_files_with_checksum_naming: u32 = NAMING_SESSION | NAMING_FLAG_SIZE,
            c(rocksdb_backup_engine_options_set_share_files_with_checksum_naming(c_int),
              rocksdb_backup_engine_options_get_share_files_with_checksum_naming -> c_int);
        /// The format of the files that list a backup's files: 1, or 2 (RocksDB 6.20 and later).
        schema_version: i32 = 1,
            c(rocksdb_backup_engine_options_set_schema_version(c_int),
              rocksdb_backup_engine_options_get_schema_version -> c_int);
        /// Values that are refused when the options are used.
        rejected: Rejected = Rejected::default();
    }
    } };
}
pub(crate) use backup_options;

/// Hands the rows of [`CreateBackupOptions`] to the macro `$apply`.
macro_rules! create_backup_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of one backup.
    struct CreateBackupOptions;
    rows {}
    memory {
        /// Copy by threads that have no more of the processor than `background_thread_cpu_priority`,
        /// in this backup and all that the engine does later.
        decrease_background_thread_cpu_priority: bool = false,
            c(rocksdb_create_backup_options_set_decrease_background_thread_cpu_priority(c_uchar),
              rocksdb_create_backup_options_get_decrease_background_thread_cpu_priority -> c_uchar);
        /// The priority of threads that copy, if it is to be decreased: 0 idle, 1 low, 2 normal,
        /// 3 high.
        background_thread_cpu_priority: CpuPriority = CpuPriority::Normal,
            c(rocksdb_create_backup_options_set_background_thread_cpu_priority(c_int),
              rocksdb_create_backup_options_get_background_thread_cpu_priority -> c_int);
        /// Flush memtables first. Else the logs are copied.
        flush_before_backup: bool = false,
            c(rocksdb_create_backup_options_set_flush_before_backup(c_uchar),
              rocksdb_create_backup_options_get_flush_before_backup -> c_uchar);
        /// With `flush_before_backup`: flush the column families together, so that the tables of all
        /// are of one moment. Then the logs need not be in the backup.
        atomic_flush: bool = false,
            c(rocksdb_create_backup_options_set_atomic_flush(c_uchar),
              rocksdb_create_backup_options_get_atomic_flush -> c_uchar);
        /// Values that are refused when the options are used.
        rejected: Rejected = Rejected::default();
    }
    } };
}
pub(crate) use create_backup_options;

/// Hands the rows of [`RestoreOptions`] to the macro `$apply`.
macro_rules! restore_options {
    ($apply:ident $($target:tt)*) => { $apply! {
    $($target)*
    /// Options of one restoring.
    struct RestoreOptions;
    rows {}
    memory {
        /// Keep the write-ahead logs that are there, archived ones included, and replay them on the
        /// restored tables.
        keep_log_files: bool = false,
            c(rocksdb_restore_options_set_keep_log_files(c_int),
              rocksdb_restore_options_get_keep_log_files -> c_uchar);
        /// Which of the files that are there may stay.
        mode: RestoreMode = RestoreMode::PurgeAllFiles;
        /// Values that are refused when the options are used.
        rejected: Rejected = Rejected::default();
    }
    } };
}
pub(crate) use restore_options;

backup_options!(define_options);
create_backup_options!(define_options);
restore_options!(define_options);
