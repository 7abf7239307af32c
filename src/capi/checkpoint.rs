//! Checkpoints.

use std::ffi::c_char;

use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{Poison, guard, guard_db_err, guard_err};
use crate::capi::handle::{get, give, handles, take};
use crate::db::Db;
use crate::tools::checkpoint::create_checkpoint;

/// Makes checkpoints of a database.
pub struct rocksdb_checkpoint_t {
    db: Arc<Db>,
}

handles! { Boxed: rocksdb_checkpoint_t; }

impl Poison for rocksdb_checkpoint_t {
    fn poison(&self, text: &str) {
        self.db.poison(text);
    }
}

/// Makes what makes checkpoints of `db`; given back by `rocksdb_checkpoint_object_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_object_create(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_checkpoint_t {
    guard_err(errptr, || Ok(give(rocksdb_checkpoint_t { db: get(&db)?.db.clone() })))
}

/// Makes the folder `checkpoint_dir`, which must not exist but whose parent must, a database of
/// its own that holds what this one holds now. Files that never change are linked where the file
/// system can, else copied. Memory is first flushed to files if the write-ahead logs hold at least
/// `log_size_for_flush` bytes (0: always, the greatest number: never).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_create(
    checkpoint: *mut rocksdb_checkpoint_t,
    checkpoint_dir: *const c_char,
    log_size_for_flush: u64,
    errptr: *mut *mut c_char,
) {
    guard_db_err(checkpoint, errptr, || {
        let dir = buffer::path(&checkpoint_dir)?;
        create_checkpoint(&get(&checkpoint)?.db, dir, log_size_for_flush)?;
        Ok(())
    })
}

/// Gives it back; the checkpoints stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_object_destroy(checkpoint: *mut rocksdb_checkpoint_t) {
    guard(|| {
        take(checkpoint);
        Ok(())
    })
}
