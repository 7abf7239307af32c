//! [`ColumnFamily`]: what the MANIFEST keeps of a column family, and its current version.

use super::version::Version;
use crate::base::comparator::Comparator;
use crate::base::sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering};

/// The name of the column family that every database has.
pub const DEFAULT_NAME: &[u8] = b"default";

/// The column family in which RocksDB stores statistics. Opened even if nobody asks for it.
pub const PERSISTENT_STATS_NAME: &[u8] = b"___rocksdb_stats_history___";

/// The options of a column family that decide how its part of the MANIFEST is read and written.
#[derive(Clone, Debug)]
pub struct ColumnFamilyConfig {
    /// Any bytes; unique in the database.
    pub name: Vec<u8>,
    /// The order of its keys.
    pub comparator: Comparator,
    /// Option `num_levels`.
    pub num_levels: usize,
    /// Option `persist_user_defined_timestamps`.
    pub persist_user_defined_timestamps: bool,
    /// Option `force_consistency_checks`.
    pub force_consistency_checks: bool,
    /// Option `cf_allow_ingest_behind` (or the database's `allow_ingest_behind`).
    pub allow_ingest_behind: bool,
}

impl ColumnFamilyConfig {
    /// RocksDB's defaults under this name.
    pub fn new(name: &[u8], comparator: Comparator) -> ColumnFamilyConfig {
        ColumnFamilyConfig {
            name: name.to_vec(),
            comparator,
            num_levels: 7,
            persist_user_defined_timestamps: true,
            force_consistency_checks: true,
            allow_ingest_behind: false,
        }
    }
}

/// The persistent part of a column family. Changed by the version set only, under the database
/// mutex; readable at any time.
#[derive(Debug)]
pub struct ColumnFamily {
    id: u32,
    config: ColumnFamilyConfig,
    log_number: AtomicU64,
    next_epoch: AtomicU64,
    dropped: AtomicBool,
    full_history_ts_low: Mutex<Vec<u8>>,
    current: Mutex<Arc<Version>>,
}

impl ColumnFamily {
    pub(super) fn new(id: u32, config: ColumnFamilyConfig, version: Arc<Version>) -> ColumnFamily {
        ColumnFamily {
            id,
            config,
            log_number: AtomicU64::new(0),
            next_epoch: AtomicU64::new(1),
            dropped: AtomicBool::new(false),
            full_history_ts_low: Mutex::new(Vec::new()),
            current: Mutex::new(version),
        }
    }

    /// The number that stands for it in WALs and the MANIFEST; 0 is the default one.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Its name.
    pub fn name(&self) -> &[u8] {
        &self.config.name
    }

    /// The order of its keys.
    pub fn comparator(&self) -> &Comparator {
        &self.config.comparator
    }

    /// What it was opened or created with.
    pub fn config(&self) -> &ColumnFamilyConfig {
        &self.config
    }

    /// WALs with smaller numbers hold nothing that it still needs.
    pub fn log_number(&self) -> u64 {
        self.log_number.load(Ordering::Acquire)
    }

    /// Whether it was dropped; handles and readers may keep it alive.
    pub fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    /// Timestamps below this cannot be read any more; empty if there is no such bound.
    pub fn full_history_ts_low(&self) -> Vec<u8> {
        self.full_history_ts_low.lock().clone()
    }

    /// Its tables.
    pub fn current(&self) -> Arc<Version> {
        self.current.lock().clone()
    }

    /// The epoch number of the next flushed or ingested file. Taken in the order in which the
    /// files become visible, under the database mutex.
    pub fn new_epoch_number(&self) -> u64 {
        self.next_epoch.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn set_next_epoch(&self, next: u64) {
        self.next_epoch.store(next, Ordering::Relaxed);
    }

    pub(super) fn raise_log_number(&self, number: u64) {
        self.log_number.fetch_max(number, Ordering::AcqRel);
    }

    pub(super) fn set_dropped(&self) {
        self.dropped.store(true, Ordering::Release);
    }

    pub(super) fn set_full_history_ts_low(&self, timestamp: Vec<u8>) {
        *self.full_history_ts_low.lock() = timestamp;
    }

    pub(super) fn set_current(&self, version: Arc<Version>) {
        let old = std::mem::replace(&mut *self.current.lock(), version);
        // The old version may be the last one with some files; they close outside of the lock.
        drop(old);
    }
}
