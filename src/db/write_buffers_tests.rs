use crate::base::status::{Code, Result};
use crate::base::sync::{Arc, thread};
use crate::batch::WriteBatch;
use crate::cache::{Cache, WriteBufferManager};
use crate::db::db_tests::TestDb;
use crate::db::internal_stats::DbCounter;
use crate::db::stalls::Stall;
use crate::options::WriteOptions;
use crate::options::compact::WaitForCompactOptions;
use std::time::Duration;

const LIMIT: usize = 256 << 10;

/// A database whose memtables are never full, and flushed one file each.
fn database(manager: Option<&Arc<WriteBufferManager>>) -> TestDb {
    let mut db = TestDb::new();
    db.cf.write_buffer_size = 64 << 20;
    db.cf.arena_block_size = 4 << 10;
    db.cf.disable_auto_compactions = true;
    db.db.write_buffer_manager = manager.cloned();
    db
}

fn manager(allow_stall: bool) -> Arc<WriteBufferManager> {
    Arc::new(WriteBufferManager::new(LIMIT, None, allow_stall))
}

/// Writes about 1 KiB to a column family.
fn write(db: &TestDb, family: usize, key: usize, no_slowdown: bool) -> Result<()> {
    let options = WriteOptions { no_slowdown, ..WriteOptions::default() };
    let id = db.family(family).id();
    let key = format!("{key:06}");
    db.db().write_lone(&options, |batch| batch.put(id, key.as_bytes(), &[b'v'; 1000]))
}

/// Writes so many KiB.
fn fill(db: &TestDb, family: usize, count: usize) {
    (0..count).for_each(|key| write(db, family, key, false).unwrap());
}

/// How many tables a column family has once background work is over.
fn tables(db: &TestDb, family: usize) -> usize {
    db.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    db.family(family).persistent.current().files(0).len()
}

#[test]
fn the_family_with_the_oldest_data_is_flushed() {
    let mut db = database(None);
    db.db.db_write_buffer_size = LIMIT;
    db.names = vec!["default", "old", "empty"];
    db.try_open().unwrap();
    let manager = db.db().options().write_buffer_manager.clone().unwrap();
    fill(&db, 1, 20);
    assert!((20 << 10..40 << 10).contains(&manager.memory_usage()), "{manager:?}");
    fill(&db, 0, 120);
    assert_eq!([0, 1, 2].map(|family| tables(&db, family)), [0, 0, 0]);
    while manager.mutable_memory_usage() <= LIMIT / 8 * 7 {
        write(&db, 0, 1, false).unwrap();
    }
    assert_eq!([0, 1, 2].map(|family| tables(&db, family)), [0, 0, 0]);
    write(&db, 0, 1, false).unwrap();
    assert_eq!([0, 1, 2].map(|family| tables(&db, family)), [0, 1, 0]);
    fill(&db, 0, 400);
    // A flush under way lets more through; the first write behind it sees to that.
    tables(&db, 0);
    write(&db, 0, 1, false).unwrap();
    assert!((1..5).contains(&tables(&db, 0)), "{}", tables(&db, 0));
    assert!(manager.memory_usage() <= LIMIT, "{manager:?}");
    db.close();
    assert_eq!((manager.memory_usage(), manager.mutable_memory_usage()), (0, 0));
}

#[test]
fn databases_share_the_limit() {
    let manager = manager(false);
    let (mut one, mut other) = (database(Some(&manager)), database(Some(&manager)));
    // What a manager limits is not limited again.
    one.db.db_write_buffer_size = 1;
    one.try_open().unwrap();
    other.try_open().unwrap();
    fill(&one, 0, 130);
    assert_eq!(tables(&one, 0), 0);
    fill(&other, 0, 100);
    assert_eq!((tables(&one, 0), tables(&other, 0) >= 1), (0, true));
    let before = manager.memory_usage();
    one.flush();
    assert_eq!(tables(&one, 0), 1);
    assert!(manager.memory_usage() + (130 << 10) <= before);
    fill(&other, 0, 100);
    one.close();
    other.close();
    assert_eq!((manager.memory_usage(), manager.mutable_memory_usage()), (0, 0));
}

#[test]
fn writes_wait_until_memory_is_free() {
    let manager = manager(true);
    let mut db = database(Some(&manager));
    db.try_open().unwrap();
    db.db().pause_background_work().unwrap();
    let full = (0..1000).find_map(|key| write(&db, 0, key, true).err()).unwrap();
    assert_eq!((full.code(), full.to_string().contains("Write stall")), (Code::Incomplete, true));
    assert!(manager.memory_usage() >= LIMIT);
    let stalls = |db: &TestDb| db.db().counters.get(DbCounter::WriteBufferManagerStops);
    assert_eq!(stalls(&db), 1);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| write(&db, 0, 1001, false));
        while stalls(&db) < 2 {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(20));
        assert!(!waiting.is_finished());
        assert_eq!(write(&db, 0, 1002, true).unwrap_err().code(), Code::Incomplete);
        db.db().continue_background_work().unwrap();
        waiting.join().unwrap().unwrap();
    });
    assert!(db.get("001001").is_some());
    assert_eq!(db.get("001002"), None);
    assert!(manager.memory_usage() < LIMIT);
    let text = db.db().property(db.family(0), "rocksdb.db-write-stall-stats").unwrap();
    let expected = format!("limit-stops: {}\n", stalls(&db));
    assert!(text.ends_with(&expected), "{text}");
    // Without leave to stall, the limit is passed.
    db.db().pause_background_work().unwrap();
    manager.set_allow_stall(false);
    fill(&db, 0, 300);
    assert!(manager.memory_usage() > LIMIT);
    db.close();
}

#[test]
fn the_end_of_work_ends_the_wait() {
    let manager = manager(true);
    let mut db = database(Some(&manager));
    db.try_open().unwrap();
    db.db().pause_background_work().unwrap();
    while write(&db, 0, 1, true).is_ok() {}
    thread::scope(|scope| {
        let waiting = scope.spawn(|| write(&db, 0, 2, false));
        while db.db().counters.get(DbCounter::WriteBufferManagerStops) < 2 {
            thread::sleep(Duration::from_millis(1));
        }
        db.db().cancel_all_background_work(false).unwrap();
        assert_eq!(waiting.join().unwrap().unwrap_err().code(), Code::ShutdownInProgress);
    });
    db.close();
}

#[test]
fn nobody_waits_for_a_database_that_nobody_writes() {
    let manager = manager(true);
    let (mut idle, mut db) = (database(Some(&manager)), database(Some(&manager)));
    idle.try_open().unwrap();
    db.try_open().unwrap();
    let mut batch = WriteBatch::new();
    for key in 0..300 {
        batch.put(0, format!("{key}").as_bytes(), &[b'v'; 1000]).unwrap();
    }
    idle.db().write(&WriteOptions::default(), &mut batch).unwrap();
    assert!(manager.should_stall());
    fill(&db, 0, 3);
    assert_eq!(tables(&idle, 0), 0);
    write(&idle, 0, 0, false).unwrap();
    assert_eq!(tables(&idle, 0), 1);
    assert!(!manager.should_stall());
    idle.close();
    db.close();
}

#[test]
fn recovery_keeps_the_limit_unless_told_not_to() {
    for (enforce, expected) in [(true, 3..6), (false, 1..2)] {
        let mut db = database(None);
        db.try_open().unwrap();
        fill(&db, 0, 900);
        db.db.db_write_buffer_size = LIMIT;
        db.db.enforce_write_buffer_manager_during_recovery = enforce;
        db.reopen();
        assert!(expected.contains(&tables(&db, 0)), "{}", tables(&db, 0));
        assert_eq!(db.contents(0).len(), 900);
        db.close();
    }
}

#[test]
fn a_dropped_family_is_not_flushed_for_memory() {
    let manager = manager(false);
    let mut db = database(Some(&manager));
    db.names = vec!["default", "dropped"];
    db.try_open().unwrap();
    fill(&db, 1, 200);
    db.db().drop_family(db.family(1)).unwrap();
    assert!(manager.mutable_memory_usage() < 10 << 10);
    fill(&db, 0, 100);
    assert_eq!(tables(&db, 0), 0);
    db.close();
}

#[test]
fn memtables_count_in_the_block_cache() {
    let cache = Cache::lru(64 << 20, 0, false, 0.5);
    let manager = Arc::new(WriteBufferManager::new(0, Some(cache.clone()), false));
    let mut db = database(Some(&manager));
    db.try_open().unwrap();
    fill(&db, 0, 600);
    assert!((3 * LIMIT..=4 * LIMIT).contains(&cache.pinned_usage()), "{}", cache.pinned_usage());
    assert_eq!(tables(&db, 0), 0);
    db.flush();
    assert_eq!(tables(&db, 0), 1);
    assert!(cache.pinned_usage() <= LIMIT);
    db.close();
    assert_eq!(cache.usage(), 0);
}

#[test]
fn memtables_that_wait_slow_writes_down_before_they_stop_them() {
    let mut db = database(None);
    db.cf.write_buffer_size = 64 << 10;
    db.cf.max_write_buffer_number = 4;
    db.try_open().unwrap();
    db.db().pause_background_work().unwrap();
    let waiting = |db: &TestDb| db.db().state.lock().families[&0].imm.len();
    let mut key = 0;
    let mut stalls = Vec::new();
    while waiting(&db) < 3 {
        let before = waiting(&db);
        write(&db, 0, key, false).unwrap();
        key += 1;
        if waiting(&db) > before {
            stalls.push(db.db().state.lock().stall());
        }
    }
    assert_eq!(stalls, [Stall::None, Stall::None, Stall::Slow]);
    // The fourth has room, until it is full.
    let error = loop {
        match write(&db, 0, key, true) {
            Ok(()) => key += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.to_string(), "Result incomplete: Write stall");
    db.db().continue_background_work().unwrap();
    tables(&db, 0);
    assert_eq!(db.db().state.lock().stall(), Stall::None);
    db.close();
}
