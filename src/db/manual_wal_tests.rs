//! `manual_wal_flush`: what is there after a crash, and when; and which writes ask rate limiters.

use super::db_tests::TestDb;
use super::{FamilyOptions, OpenRequest, open};
use crate::base::random::Random;
use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::batch::WriteBatch;
use crate::codec::CompressionType;
use crate::env::Env;
use crate::env::memory::{CrashPolicy, MemoryFileSystem};
use crate::env::rate_limiter::{IoPriority, RateLimiter, RateLimiterMode, RateLimiterOptions};
use crate::options::{DbOptions, FlushWalOptions, RateLimiterPriority, ReadOptions, WriteOptions};
use std::time::Duration;

fn held_back() -> (TestDb, MemoryFileSystem) {
    let fs = MemoryFileSystem::new();
    let mut test = TestDb::new();
    test.db.env = Env::with_fs(Arc::new(fs.clone()));
    test.db.manual_wal_flush = true;
    test.reopen();
    (test, fs)
}

/// How many of the keys 0, 1, … are there after a crash.
fn survivors(test: &TestDb, fs: &MemoryFileSystem, policy: CrashPolicy) -> usize {
    let image = fs.crash_image(&mut Random::new(1), policy);
    let env = Env::with_fs(Arc::new(image));
    let family = FamilyOptions { name: b"default".to_vec(), options: test.cf.clone() };
    let (db, families) = open(OpenRequest {
        path: test.path.clone(),
        options: DbOptions { env, ..test.db.clone() },
        families: vec![family],
        read_only: false,
        error_if_wal_file_exists: false,
    })
    .unwrap();
    let is_there = |i: &usize| {
        let key = i.to_string();
        db.get_pinned(&families[0], &ReadOptions::default(), key.as_bytes()).unwrap().is_some()
    };
    let count = (0..100).take_while(is_there).count();
    db.close().unwrap();
    count
}

fn flush_wal(test: &TestDb, sync: bool) {
    test.db().flush_wal(&FlushWalOptions { sync, ..FlushWalOptions::default() }).unwrap();
}

fn put(test: &TestDb, key: &str, options: &WriteOptions) -> Result<()> {
    test.db().write_lone(options, |batch: &mut WriteBatch| batch.put(0, key.as_bytes(), b"v"))
}

#[test]
fn a_crash_loses_what_was_held_back() {
    let (mut test, fs) = held_back();
    let after = |test: &TestDb| {
        let both = [CrashPolicy::PROCESS_ONLY, CrashPolicy::SYNCED_ONLY];
        both.map(|policy| survivors(test, &fs, policy))
    };
    test.put("0", "v").unwrap();
    assert_eq!(test.get("0").as_deref(), Some("v"));
    assert_eq!(after(&test), [0, 0]);
    flush_wal(&test, false);
    assert_eq!(after(&test), [1, 0]);
    test.put("1", "v").unwrap();
    flush_wal(&test, true);
    assert_eq!(after(&test), [2, 2]);
    test.put("2", "v").unwrap();
    assert_eq!(after(&test), [2, 2]);
    put(&test, "3", &WriteOptions { sync: true, ..WriteOptions::default() }).unwrap();
    assert_eq!(after(&test), [4, 4]);
    test.put("4", "v").unwrap();
    test.flush();
    test.put("5", "v").unwrap();
    assert_eq!(after(&test), [5, 5]);
    test.close();
    assert_eq!(survivors(&test, &fs, CrashPolicy::PROCESS_ONLY), 6);
}

#[test]
fn a_full_buffer_is_handed_over() {
    let (mut test, fs) = held_back();
    test.db.writable_file_max_buffer_size = 200;
    test.reopen();
    for i in 0..20 {
        test.put(&i.to_string(), "a value").unwrap();
    }
    let survivors = survivors(&test, &fs, CrashPolicy::PROCESS_ONLY);
    assert!((10..20).contains(&survivors), "{survivors}");
    test.close();
}

/// Reads, too.
fn limited(test: &mut TestDb) -> Arc<RateLimiter> {
    let limiter = Arc::new(RateLimiter::new(RateLimiterOptions {
        rate: 1 << 40,
        refill_period: Duration::from_millis(1),
        fairness: 10,
        mode: RateLimiterMode::All,
        auto_tuned: false,
    }));
    test.db.rate_limiter = Some(limiter.clone());
    test.reopen();
    limiter
}

#[test]
fn the_rate_limiter_is_asked_for_the_log() {
    let mut test = TestDb::new();
    let limiter = limited(&mut test);
    let mut options = WriteOptions::default();
    put(&test, "a", &options).unwrap();
    assert_eq!(limiter.granted(IoPriority::User), 0);
    options.rate_limiter_priority = RateLimiterPriority::User;
    put(&test, "a", &options).unwrap();
    assert_eq!(limiter.granted(IoPriority::User), 12 + 5);
    options.disable_wal = true;
    let error = put(&test, "a", &options).unwrap_err().to_string();
    assert!(error.contains("both set to false"), "{error}");
    options.rate_limiter_priority = RateLimiterPriority::High;
    let error = put(&test, "a", &options).unwrap_err().to_string();
    assert!(error.contains("only allows Env::IO_TOTAL and Env::IO_USER"), "{error}");
    test.close();
}

#[test]
fn the_rate_limiter_is_asked_for_what_was_held_back() {
    let (mut test, _) = held_back();
    let limiter = limited(&mut test);
    let options =
        WriteOptions { rate_limiter_priority: RateLimiterPriority::User, ..Default::default() };
    assert!(put(&test, "a", &options).is_err());
    test.put("a", "v").unwrap();
    flush_wal(&test, false);
    let rate_limiter_priority = RateLimiterPriority::Mid;
    let options = FlushWalOptions { rate_limiter_priority, ..FlushWalOptions::default() };
    test.db().flush_wal(&options).unwrap();
    assert_eq!(limiter.granted(IoPriority::Mid), 0);
    test.put("a", "v").unwrap();
    test.db().flush_wal(&options).unwrap();
    // A log record's header, a batch's header, and the put.
    assert_eq!(limiter.granted(IoPriority::Mid), 7 + 12 + 5);
    test.close();
}

#[test]
fn writes_of_low_priority_have_a_share_while_compactions_lag() {
    let mut test = TestDb::new();
    test.cf.disable_auto_compactions = true;
    test.cf.level0_file_num_compaction_trigger = 2;
    test.reopen();
    let low = WriteOptions { low_pri: true, ..WriteOptions::default() };
    let hasty = WriteOptions { no_slowdown: true, ..low.clone() };
    let granted = |test: &TestDb| test.db().low_priority_writes.granted(IoPriority::High);
    put(&test, "a", &hasty).unwrap();
    put(&test, "a", &low).unwrap();
    assert_eq!(granted(&test), 0);
    for _ in 0..4 {
        test.put("a", "v").unwrap();
        test.flush();
    }
    assert_eq!(
        put(&test, "a", &hasty).unwrap_err().to_string(),
        "Result incomplete: Low priority write stall"
    );
    put(&test, "a", &low).unwrap();
    assert_eq!(granted(&test), 12 + 5);
    test.put("a", "v").unwrap();
    assert_eq!(granted(&test), 12 + 5);
    test.close();
}

#[test]
fn reads_ask_the_rate_limiter_where_they_say_so() {
    let mut test = TestDb::new();
    test.cf.compression = CompressionType::None;
    let limiter = limited(&mut test);
    for i in 0..100 {
        test.put(&format!("{i:03}"), &"v".repeat(1000)).unwrap();
    }
    test.flush();
    test.reopen();
    let granted = || limiter.granted(IoPriority::Mid);
    let options = ReadOptions {
        rate_limiter_priority: RateLimiterPriority::Mid,
        fill_cache: false,
        ..ReadOptions::default()
    };
    let get = |test: &TestDb, options: &ReadOptions| {
        assert!(test.db().get_pinned(test.family(0), options, b"050").unwrap().is_some());
    };
    get(&test, &ReadOptions { fill_cache: false, ..ReadOptions::default() });
    assert_eq!(granted(), 0);
    get(&test, &options);
    // A block or so.
    assert!((100..10_000).contains(&granted()), "{}", granted());
    for readahead_size in [0, 50_000] {
        let before = granted();
        let options = ReadOptions { readahead_size, ..options.clone() };
        let mut iter = test.db().iter(test.family(0), &options).unwrap();
        iter.seek_to_first();
        while iter.valid() {
            iter.next();
        }
        let bytes = granted() - before;
        let table = test.family(0).persistent.current().bytes();
        assert!(bytes >= table / 2 && bytes < 3 * table, "{bytes} of {table}");
    }
    test.close();
}
