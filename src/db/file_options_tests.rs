//! Options of how files are written and read.

use super::db_tests::TestDb;
use crate::base::sync::Arc;
use crate::cache::WriteBufferManager;
use crate::env::Env;
use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
use crate::env::memory::MemoryFileSystem;
use crate::options::compact::CompactRangeOptions;
use crate::options::enums::PrepopulateBlockCache;
use crate::options::{BlockBasedTableOptions, ReadOptions};
use crate::stats::{Statistics, Ticker};

fn faulty() -> (TestDb, Arc<FaultFileSystem>) {
    let fs = Arc::new(FaultFileSystem::new(Arc::new(MemoryFileSystem::volatile())));
    let mut test = TestDb::new();
    test.db.env = Env::with_fs(fs.clone());
    (test, fs)
}

/// How often `run` reserves space for files whose paths match, which fails each time.
fn reservations(fs: &FaultFileSystem, path: &str, run: impl FnOnce()) -> u64 {
    let fault = Fault::Error(libc::ENOSPC);
    let rule =
        Rule { operations: Operations::HINT, path: path.into(), after: 0, times: u64::MAX, fault };
    let rule = fs.add(rule);
    run();
    fs.remove(rule)
}

#[test]
fn space_is_reserved_for_files_that_grow() {
    let value = "v".repeat(1000);
    for allow_fallocate in [true, false] {
        let (mut test, fs) = faulty();
        test.db.allow_fallocate = allow_fallocate;
        let expect = u64::from(allow_fallocate);
        let manifests = reservations(&fs, "*MANIFEST*", || test.try_open().unwrap());
        // One for the first MANIFEST, one for that of the opening.
        assert_eq!(manifests, 2 * expect);
        let logs = reservations(&fs, "*.log", || {
            (0..50).for_each(|i| test.put(&format!("{i:03}"), &value).unwrap());
        });
        // The first reservation is for a tenth more than a memtable.
        assert_eq!(logs, expect);
        test.flush();
        let logs = reservations(&fs, "*.log", || {
            (0..30).for_each(|i| test.put(&format!("{i:03}"), &value).unwrap());
        });
        assert_eq!(logs, expect);
        test.flush();
        let tables = reservations(&fs, "*.sst", || {
            let options = CompactRangeOptions::default();
            test.db().compact_range(test.family(0), &options, None, None).unwrap();
        });
        assert_eq!(tables, expect);
    }
    let (mut test, fs) = faulty();
    test.db.manifest_preallocation_size = 0;
    assert_eq!(reservations(&fs, "*MANIFEST*", || test.try_open().unwrap()), 0);
}

#[test]
fn limits_on_logs_and_memtables_limit_what_is_reserved() {
    let limits: [fn(&mut TestDb); 3] = [
        |test| test.db.max_total_wal_size = 10_000,
        |test| test.db.db_write_buffer_size = 10_000,
        |test| {
            let manager = WriteBufferManager::new(10_000, None, false);
            test.db.write_buffer_manager = Some(Arc::new(manager));
        },
    ];
    for limit in limits {
        let (mut test, fs) = faulty();
        limit(&mut test);
        test.try_open().unwrap();
        let logs = reservations(&fs, "*.log", || test.put("k", &"v".repeat(25_000)).unwrap());
        assert_eq!(logs, 1);
        // 30,000 bytes are reserved by now, unless a flush began another log.
        let logs = reservations(&fs, "*.log", || test.put("k", &"v".repeat(15_000)).unwrap());
        assert_eq!(logs, 1);
    }
}

#[test]
fn logs_and_manifests_are_read_ahead() {
    let (mut test, fs) = faulty();
    test.cf.write_buffer_size = 8 << 20;
    test.try_open().unwrap();
    (0..300).for_each(|i| test.put(&format!("{i:03}"), &"v".repeat(1000)).unwrap());
    test.db.avoid_flush_during_shutdown = true;
    let mut reads = |size| {
        test.db.log_readahead_size = size;
        test.db.avoid_flush_during_recovery = true;
        let before = fs.count(Operations::READ);
        test.reopen();
        let reads = fs.count(Operations::READ) - before;
        assert_eq!(test.get("299"), Some("v".repeat(1000)));
        reads
    };
    let (plain, ahead) = (reads(0), reads(1 << 20));
    // 300 KB of log in blocks of 32 KiB.
    assert!(plain >= ahead + 7, "{plain} {ahead}");
}

#[test]
fn opening_need_not_open_tables() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.cf.disable_auto_compactions = true;
    test.try_open().unwrap();
    for key in ["a", "b", "c"] {
        test.put(key, key).unwrap();
        test.flush();
    }
    for (max_open_files, skip, opened) in
        [(-1, false, 3), (-1, true, 3), (100, false, 3), (100, true, 0)]
    {
        test.db.max_open_files = max_open_files;
        test.db.skip_stats_update_on_db_open = skip;
        test.close();
        stats.reset();
        test.try_open().unwrap();
        assert_eq!(stats.ticker(Ticker::NoFileOpens), opened, "{max_open_files} {skip}");
        assert_eq!(test.get("b"), Some("b".to_string()));
    }
}

#[test]
fn flushes_fill_the_cache() {
    for prepopulate_block_cache in
        [PrepopulateBlockCache::Disable, PrepopulateBlockCache::FlushOnly]
    {
        let mut test = TestDb::new();
        let stats = Arc::new(Statistics::default());
        test.db.statistics = Some(stats.clone());
        test.cf.table_factory = BlockBasedTableOptions {
            prepopulate_block_cache,
            block_size: 1000,
            ..BlockBasedTableOptions::default()
        }
        .into();
        test.try_open().unwrap();
        (0..30).for_each(|i| test.put(&format!("{i:03}"), &"v".repeat(1000)).unwrap());
        stats.reset();
        test.flush();
        let warm = prepopulate_block_cache == PrepopulateBlockCache::FlushOnly;
        let added = stats.ticker(Ticker::BlockCacheDataAdd);
        assert_eq!(added > 20, warm, "{added}");
        stats.reset();
        let mut iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
        iter.seek_to_first();
        while iter.valid() {
            iter.next();
        }
        assert_eq!(stats.ticker(Ticker::BlockCacheDataMiss) == 0, warm);
    }
}
