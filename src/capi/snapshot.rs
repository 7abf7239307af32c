//! Snapshots: the database as it was at one moment.

use crate::base::sync::Arc;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db};
use crate::capi::handle::{get, get_mut, get_optional, give, handles, take};
use crate::capi::read_options::rocksdb_readoptions_t;
use crate::db::{Db, Snapshot};

/// The database as it was at one moment.
pub struct rocksdb_snapshot_t {
    db: Arc<Db>,
    /// None once it is released.
    snapshot: Option<Snapshot>,
    sequence: u64,
}

handles! { Boxed: rocksdb_snapshot_t; }

impl Drop for rocksdb_snapshot_t {
    fn drop(&mut self) {
        if let Some(snapshot) = self.snapshot.take() {
            self.db.release_snapshot(snapshot);
        }
    }
}

/// Holds on to the database as it is now; given back by `rocksdb_release_snapshot`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_snapshot(db: *mut rocksdb_t) -> *const rocksdb_snapshot_t {
    guard_db(db, || {
        let db = get(&db)?.db.clone();
        let snapshot = db.snapshot();
        let sequence = snapshot.sequence();
        let snapshot = rocksdb_snapshot_t { db, snapshot: Some(snapshot), sequence };
        Ok(give(snapshot).cast_const())
    })
}

/// Gives a snapshot of the database back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_release_snapshot(
    db: *mut rocksdb_t,
    snapshot: *const rocksdb_snapshot_t,
) {
    guard_db(db, || {
        take(snapshot.cast_mut());
        Ok(())
    })
}

/// The sequence number of the newest write that the snapshot sees.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_snapshot_get_sequence_number(
    snapshot: *const rocksdb_snapshot_t,
) -> u64 {
    guard(|| Ok(get(&snapshot)?.sequence))
}

/// Makes reads see the database as the snapshot does; NULL means as it is now. The snapshot must
/// not be released before the last of these reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_snapshot(
    options: *mut rocksdb_readoptions_t,
    snapshot: *const rocksdb_snapshot_t,
) {
    guard(|| {
        let sequence = get_optional(&snapshot).map(|snapshot| snapshot.sequence);
        get_mut(&options)?.options.snapshot = sequence;
        Ok(())
    })
}
