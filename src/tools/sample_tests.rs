//! A database for tests, that tells whether it is whole.

use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::batch::WriteBatch;
use crate::db::{Db, Family, FamilyOptions, OpenRequest, open};
use crate::env::Env;
use crate::env::file_system::FileSystem;
use crate::env::memory::MemoryFileSystem;
use crate::options::{CfOptions, DbOptions, ReadOptions, WriteOptions};
use crate::plug::logger::NullLogger;
use crate::stats::Stats;
use std::path::{Path, PathBuf};

pub const EIO: i32 = 5;

pub type Opened = (Arc<Db>, Vec<Arc<Family>>);

/// A database with two families and small memtables.
pub fn open_at(fs: Arc<dyn FileSystem>, path: &str, recycle: usize) -> Result<Opened> {
    open_counting(fs, path, recycle, &None)
}

/// The same, with statistics.
pub fn open_counting(
    fs: Arc<dyn FileSystem>,
    path: &str,
    recycle: usize,
    stats: &Stats,
) -> Result<Opened> {
    let options = DbOptions {
        statistics: stats.clone(),
        create_if_missing: true,
        create_missing_column_families: true,
        recycle_log_file_num: recycle,
        env: Env::with_fs(fs),
        info_log: Some(Arc::new(NullLogger)),
        ..DbOptions::default()
    };
    let cf =
        CfOptions { write_buffer_size: 64 << 10, arena_block_size: 4096, ..CfOptions::default() };
    let family = |name: &str| FamilyOptions { name: name.into(), options: cf.clone() };
    open(OpenRequest {
        path: PathBuf::from(path),
        options,
        families: vec![family("default"), family("other")],
        read_only: false,
        error_if_wal_file_exists: false,
    })
}

/// Batch `number` sets a key of its own and the newest number, in both families.
pub fn write(db: &Db, families: &[Arc<Family>], number: u64) -> Result<()> {
    let mut batch = WriteBatch::new();
    for family in families {
        let key = format!("key{number:06}");
        batch.put(family.id(), key.as_bytes(), &[b'v'; 200]).unwrap();
        batch.put(family.id(), b"newest", &number.to_le_bytes()).unwrap();
    }
    db.write(&WriteOptions::default(), &mut batch)
}

/// The number of batches that the database holds, none of them by half.
pub fn batches(db: &Db, families: &[Arc<Family>]) -> u64 {
    let mut newest = Vec::new();
    for family in families {
        let mut iter = db.iter(family, &ReadOptions::default()).unwrap();
        iter.seek_to_first();
        let (mut keys, mut last) = (0, 0);
        while iter.valid() {
            match iter.key() {
                b"newest" => last = u64::from_le_bytes(iter.value().try_into().unwrap()),
                key => {
                    keys += 1;
                    assert_eq!(key, format!("key{keys:06}").as_bytes());
                }
            }
            iter.next();
        }
        iter.status().unwrap();
        assert_eq!(keys, last);
        newest.push(last);
    }
    assert!(newest.iter().all(|n| *n == newest[0]), "{newest:?}");
    newest[0]
}

pub fn batches_at(fs: &Arc<dyn FileSystem>, path: &str) -> u64 {
    let (db, families) = open_at(fs.clone(), path, 0).unwrap();
    let found = batches(&db, &families);
    db.close().unwrap();
    found
}

pub fn names(fs: &Arc<dyn FileSystem>, dir: &str, suffix: &str) -> Vec<String> {
    let mut names = fs.list(Path::new(dir)).unwrap();
    names.retain(|name| name.ends_with(suffix));
    names.sort();
    names
}

pub fn memory() -> Arc<dyn FileSystem> {
    Arc::new(MemoryFileSystem::new())
}
