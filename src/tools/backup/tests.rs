use super::{BackupEngine, NewBackup};
use crate::base::random::Random;
use crate::base::status::Result;
use crate::base::sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering, thread};
use crate::db::{Db, Family};
use crate::env::Env;
use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
use crate::env::file_system::{FileSystem, read_file, write_file};
use crate::env::memory::{CrashPolicy, Event, MemoryFileSystem};
use crate::env::posix::CpuPriority;
use crate::env::rate_limiter::{IoPriority, RateLimiter, RateLimiterMode, RateLimiterOptions};
use crate::options::backup::{NAMING_CHECKSUM_AND_SIZE, RestoreMode};
use crate::options::{BackupOptions, FlushOptions, FlushWalOptions, RestoreOptions};
use crate::stats::{Statistics, Ticker};
use crate::tools::sample::*;
use std::path::Path;
use std::time::Duration;

const DIR: &str = "/backups";
const RESTORED: &str = "/restored";

fn engine_with(fs: &Arc<dyn FileSystem>, options: BackupOptions) -> Result<BackupEngine> {
    let env = Env::with_fs(fs.clone());
    BackupEngine::open(Path::new(DIR), options, env.clone(), env, None)
}

fn engine(fs: &Arc<dyn FileSystem>) -> BackupEngine {
    engine_with(fs, BackupOptions::default()).unwrap()
}

fn flushing() -> NewBackup<'static> {
    NewBackup { flush: true, ..NewBackup::default() }
}

/// Writes batches `from..=to`.
fn fill(db: &Db, families: &[Arc<Family>], from: u64, to: u64) {
    for number in from..=to {
        write(db, families, number).unwrap();
    }
}

fn restore(engine: &BackupEngine, id: Option<u32>) -> Result<()> {
    let dir = Path::new(RESTORED);
    engine.restore(id, dir, dir, &RestoreOptions::default())
}

/// How many batches a backup holds.
fn restored(fs: &Arc<dyn FileSystem>, engine: &BackupEngine, id: Option<u32>) -> u64 {
    restore(engine, id).unwrap();
    batches_at(fs, RESTORED)
}

fn count(fs: &Arc<dyn FileSystem>, folder: &str) -> usize {
    let folder = Path::new(DIR).join(folder);
    if fs.exists(&folder).unwrap() { fs.list(&folder).unwrap().len() } else { 0 }
}

fn ids(engine: &BackupEngine) -> Vec<u32> {
    engine.info().iter().map(|info| info.id).collect()
}

fn flip_byte(fs: &Arc<dyn FileSystem>, path: &Path) {
    let mut bytes = read_file(&**fs, path, 1 << 30).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    write_file(&**fs, path, &bytes, true).unwrap();
}

#[test]
fn backups_share_tables_and_are_restored_by_number() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    let first = engine(&fs);
    assert!(restore(&first, None).unwrap_err().to_string() == "NotFound: Backup not found");
    fill(&db, &families, 1, 10);
    assert_eq!(first.create(&db, &flushing()).unwrap(), 1);
    fill(&db, &families, 11, 20);
    let said = NewBackup { app_metadata: b"two\0", ..NewBackup::default() };
    assert_eq!(first.create(&db, &said).unwrap(), 2);
    assert_eq!(count(&fs, "shared_checksum"), 2);
    fill(&db, &families, 21, 30);
    assert_eq!(first.create(&db, &flushing()).unwrap(), 3);
    assert_eq!(count(&fs, "shared_checksum"), 4);
    // What another process finds there.
    for engine in [first, engine(&fs)] {
        let info = engine.info();
        assert_eq!(info.iter().map(|i| i.id).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(info[1].app_metadata, b"two\0");
        assert!(info.iter().all(|i| i.timestamp > 1_600_000_000 && i.size > 1000 && i.files > 4));
        for (id, expected) in [(Some(1), 10), (Some(3), 30), (Some(2), 20), (None, 30)] {
            assert_eq!(restored(&fs, &engine, id), expected);
        }
        for id in 1..=3 {
            engine.verify(id, true).unwrap();
        }
        assert_eq!(engine.verify(4, false).unwrap_err().to_string(), "NotFound: ");
        assert!(restore(&engine, Some(4)).unwrap_err().is_not_found());
    }
    let engine = engine(&fs);
    engine.purge(1).unwrap();
    assert_eq!(ids(&engine), [3]);
    assert_eq!((count(&fs, "private"), count(&fs, "meta")), (1, 1));
    assert_eq!(count(&fs, "shared_checksum"), 4);
    engine.purge(0).unwrap();
    assert_eq!((count(&fs, "shared_checksum"), count(&fs, "private")), (0, 0));
    assert!(engine.remove(3).unwrap_err().is_not_found());
    // Numbers are not used twice.
    assert_eq!(engine.create(&db, &NewBackup::default()).unwrap(), 4);
    assert_eq!(restored(&fs, &engine, None), 30);
    db.close().unwrap();
}

#[test]
fn options_change_layout_and_what_is_copied() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    fill(&db, &families, 1, 10);
    db.flush(&families, &FlushOptions::default()).unwrap();
    fill(&db, &families, 11, 12);
    let default = BackupOptions { destroy_old_data: true, ..BackupOptions::default() };
    let make = |options: BackupOptions| {
        let engine = engine_with(&fs, options).unwrap();
        engine.create(&db, &NewBackup::default()).unwrap();
        (restored(&fs, &engine, None), engine)
    };
    let by_checksum = BackupOptions {
        share_files_with_checksum_naming: NAMING_CHECKSUM_AND_SIZE,
        ..default.clone()
    };
    let (found, _) = make(by_checksum);
    assert_eq!(found, 12);
    let names = fs.list(&Path::new(DIR).join("shared_checksum")).unwrap();
    let crc = names[0].split('_').nth(1).unwrap().parse::<u32>();
    assert!(names.len() == 2 && crc.is_ok(), "{names:?}");
    let (found, _) = make(BackupOptions { share_files_with_checksum: false, ..default.clone() });
    assert_eq!((found, count(&fs, "shared"), count(&fs, "shared_checksum")), (12, 2, 0));
    let (found, engine) = make(BackupOptions { share_table_files: false, ..default.clone() });
    assert_eq!((found, count(&fs, "shared")), (12, 0));
    assert_eq!(count(&fs, "private/1"), engine.info()[0].files as usize);
    let (found, _) = make(BackupOptions { backup_log_files: false, ..default.clone() });
    assert_eq!(found, 10);
    let several =
        BackupOptions { max_background_operations: 4, io_buffer_size: 100, ..default.clone() };
    assert_eq!(make(several).0, 12);
    let (found, _) = make(BackupOptions { schema_version: 2, sync: false, ..default.clone() });
    assert_eq!(found, 12);
    let text = read_file(&*fs, &Path::new(DIR).join("meta/1"), 1 << 20).unwrap();
    assert!(text.starts_with(b"schema_version 2.1\n"));
    for (version, kind) in [(0, "Invalid argument: "), (3, "Not implemented: ")] {
        let options = BackupOptions { schema_version: version, ..default.clone() };
        let engine = engine_with(&fs, options).unwrap();
        let error = engine.create(&db, &NewBackup::default()).unwrap_err().to_string();
        assert!(error.starts_with(kind), "{error}");
        assert_eq!(ids(&engine), [0; 0]);
    }
    db.close().unwrap();
}

#[test]
fn a_backup_can_be_watched_stopped_and_leave_files_out() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    fill(&db, &families, 1, 40);
    let options = BackupOptions {
        schema_version: 2,
        callback_trigger_interval_size: 1000,
        io_buffer_size: 500,
        ..BackupOptions::default()
    };
    let engine = engine_with(&fs, options).unwrap();
    let calls = AtomicU64::new(0);
    let progress = || {
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let new = NewBackup { progress: Some(&progress), ..flushing() };
    engine.create(&db, &new).unwrap();
    let copied = engine.info()[0].size;
    let calls = calls.into_inner();
    assert!((copied / 1000 - 1..=copied / 1000).contains(&calls), "{calls} for {copied}");
    // The first table is known; the other one is left out.
    fill(&db, &families, 41, 50);
    let exclude = |name: &str| name.starts_with("shared_checksum/");
    engine.create(&db, &NewBackup { exclude: Some(&exclude), ..flushing() }).unwrap();
    let error = restore(&engine, Some(2)).unwrap_err().to_string();
    assert!(error.starts_with("Invalid argument: Excluded file shared_checksum/"), "{error}");
    // Where the database itself is, its own tables do.
    db.close().unwrap();
    let options = RestoreOptions {
        mode: RestoreMode::KeepLatestDbSessionIdFiles,
        ..RestoreOptions::default()
    };
    engine.restore(Some(2), Path::new("/db"), Path::new("/db"), &options).unwrap();
    assert_eq!(batches_at(&fs, "/db"), 50);
    let (db, _) = open_at(fs.clone(), "/db", 0).unwrap();
    let too_much = vec![0; (1 << 20) + 1];
    let new = NewBackup { app_metadata: &too_much, ..NewBackup::default() };
    let error = engine.create(&db, &new).unwrap_err().to_string();
    assert_eq!(error, "Invalid argument: App metadata too large");
    let old_schema = engine_with(&fs, BackupOptions::default()).unwrap();
    let new = NewBackup { exclude: Some(&exclude), ..NewBackup::default() };
    let error = old_schema.create(&db, &new).unwrap_err().to_string();
    assert!(error.starts_with("Invalid argument: exclude_files_callback"), "{error}");
    engine.stop();
    let error = engine.create(&db, &NewBackup::default()).unwrap_err().to_string();
    assert_eq!(error, "Result incomplete: Backup stopped");
    db.close().unwrap();
}

#[test]
fn restoring_keeps_what_it_is_told_to() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    let engine = engine(&fs);
    fill(&db, &families, 1, 10);
    engine.create(&db, &flushing()).unwrap();
    fill(&db, &families, 11, 15);
    db.close().unwrap();
    let dir = Path::new("/db");
    let with =
        |mode, keep_log_files| RestoreOptions { mode, keep_log_files, ..RestoreOptions::default() };
    // An open database is in nobody's reach.
    let (db, _) = open_at(fs.clone(), "/db", 0).unwrap();
    let all = with(RestoreMode::PurgeAllFiles, false);
    assert!(engine.restore(None, dir, dir, &all).is_err());
    db.close().unwrap();
    for mode in [RestoreMode::KeepLatestDbSessionIdFiles, RestoreMode::VerifyChecksum] {
        engine.restore(None, dir, dir, &all).unwrap();
        let before = names(&fs, "/db", ".sst");
        assert_eq!(before.len(), 2);
        // Only what is not kept is read from the backup, so it need not be there.
        let shared = Path::new(DIR).join("shared_checksum");
        let tables: Vec<_> = names(&fs, shared.to_str().unwrap(), ".sst");
        for table in &tables {
            fs.rename(&shared.join(table), &shared.join(format!("{table}.away"))).unwrap();
        }
        engine.restore(None, dir, dir, &with(mode, false)).unwrap();
        assert!(engine.restore(None, Path::new("/other"), Path::new("/other"), &all).is_err());
        for table in &tables {
            fs.rename(&shared.join(format!("{table}.away")), &shared.join(table)).unwrap();
        }
        assert_eq!(batches_at(&fs, "/db"), 10);
        // One that was damaged is replaced, at least by who looks.
        engine.restore(None, dir, dir, &all).unwrap();
        if mode == RestoreMode::VerifyChecksum {
            flip_byte(&fs, &dir.join(&before[0]));
            engine.restore(None, dir, dir, &with(mode, false)).unwrap();
            assert_eq!(batches_at(&fs, "/db"), 10);
        }
    }
    // Logs that are newer than the backup.
    engine.restore(None, dir, dir, &all).unwrap();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    fill(&db, &families, 11, 14);
    db.close().unwrap();
    engine.restore(None, dir, dir, &with(RestoreMode::PurgeAllFiles, true)).unwrap();
    assert_eq!(batches_at(&fs, "/db"), 14);
    engine.restore(None, dir, dir, &all).unwrap();
    assert_eq!(batches_at(&fs, "/db"), 10);
}

#[test]
fn damage_is_found_and_does_not_spread() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    let first = engine(&fs);
    fill(&db, &families, 1, 10);
    first.create(&db, &flushing()).unwrap();
    fill(&db, &families, 11, 20);
    first.create(&db, &flushing()).unwrap();
    let shared = Path::new(DIR).join("shared_checksum");
    let names = || {
        let mut names = fs.list(&shared).unwrap();
        names.sort();
        names
    };
    // The newest table, which only the second backup has.
    let newest = shared.join(names().pop().unwrap());
    flip_byte(&fs, &newest);
    first.verify(2, false).unwrap();
    let error = first.verify(2, true).unwrap_err().to_string();
    assert!(error.starts_with("Corruption: File corruption! Checksum mismatch for "), "{error}");
    let error = restore(&first, None).unwrap_err().to_string();
    assert!(error.starts_with("Corruption: While restoring shared_checksum/"), "{error}");
    assert!(!fs.exists(&Path::new(RESTORED).join("CURRENT")).unwrap());
    assert_eq!(restored(&fs, &first, Some(1)), 10);
    let size = fs.file_size(&newest).unwrap();
    fs.truncate(&newest, size - 1).unwrap();
    let error = first.verify(2, false).unwrap_err().to_string();
    assert!(error.starts_with("Corruption: File corrupted: File size mismatch for "), "{error}");
    fs.remove_file(&newest).unwrap();
    let error = first.verify(2, false).unwrap_err().to_string();
    assert!(error.starts_with("NotFound: File missing: "), "{error}");
    // Where it is looked at anew it is no backup; the next one has another number.
    let second = engine(&fs);
    assert_eq!((ids(&second), second.corrupt()), (vec![1], vec![2]));
    let error = restore(&second, Some(2)).unwrap_err().to_string();
    assert!(error.starts_with("Corruption: Pathname in meta file not found on disk: "), "{error}");
    assert_eq!(second.verify(2, false).unwrap_err().to_string(), error);
    assert_eq!(restored(&fs, &second, None), 10);
    assert_eq!(second.create(&db, &flushing()).unwrap(), 3);
    assert_eq!(restored(&fs, &second, None), 20);
    second.remove(2).unwrap();
    let third = engine(&fs);
    assert_eq!((ids(&third), third.corrupt()), (vec![1, 3], vec![]));
    // A shared file of another size is not taken for the one it should be.
    let oldest = shared.join(names().remove(0));
    let size = fs.file_size(&oldest).unwrap();
    fs.truncate(&oldest, size - 1).unwrap();
    let fourth = engine(&fs);
    let error = fourth.create(&db, &NewBackup::default()).unwrap_err().to_string();
    assert!(error.starts_with("Corruption: Size mismatch for existing backup file: "), "{error}");
    assert_eq!(ids(&fourth), [1, 3]);
    db.close().unwrap();
}

/// Some operation of a backup fails: an error, and nothing of it is left; older backups are as
/// they were.
#[test]
fn a_failed_backup_leaves_nothing_behind() {
    let fault = FaultFileSystem::new(memory());
    let fs: Arc<dyn FileSystem> = Arc::new(fault.clone());
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    let first = engine(&fs);
    fill(&db, &families, 1, 10);
    first.create(&db, &flushing()).unwrap();
    fill(&db, &families, 11, 20);
    db.flush(&families, &FlushOptions::default()).unwrap();
    let operations =
        Operations::ALL_WRITES.union(Operations::READ).union(Operations::OPEN) - Operations::HINT;
    let mut failures = 0;
    for nth in 0.. {
        let rule = fault.add(Rule::once(operations, "*", nth, Fault::Error(EIO)));
        let result = first.create(&db, &NewBackup::default());
        fault.remove(rule);
        match result {
            Ok(id) => {
                assert_eq!(id, 2);
                break;
            }
            Err(error) => assert!(error.to_string().starts_with("IO error: "), "{error}"),
        }
        failures += 1;
        assert_eq!((count(&fs, "private"), count(&fs, "meta")), (1, 1));
        assert_eq!(count(&fs, "shared_checksum"), 2);
        assert_eq!(ids(&first), [1]);
    }
    assert!(failures > 30, "{failures}");
    assert_eq!(restored(&fs, &first, Some(1)), 10);
    assert_eq!(restored(&fs, &engine(&fs), Some(2)), 20);
    db.close().unwrap();
}

#[test]
fn a_backup_under_writes_is_a_prefix() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 2).unwrap();
    let (written, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let engine = engine(&fs);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1.. {
                write(&db, &families, number).unwrap();
                written.store(number, Ordering::SeqCst);
                if stop.load(Ordering::SeqCst) {
                    return;
                }
            }
        });
        for flush in [false, true, false, true] {
            let before = written.load(Ordering::SeqCst);
            let id = engine.create(&db, &NewBackup { flush, ..NewBackup::default() }).unwrap();
            let after = written.load(Ordering::SeqCst) + 1;
            let found = restored(&fs, &engine, Some(id));
            assert!((before..=after).contains(&found), "{before} <= {found} <= {after}");
        }
        stop.store(true, Ordering::SeqCst);
    });
    db.close().unwrap();
}

/// Takes crash images of `fs` while `work` runs, and one behind it.
fn images(fs: &MemoryFileSystem, seed: u64, work: impl FnOnce()) -> Vec<Arc<dyn FileSystem>> {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let rng = Mutex::new(Random::from_env(seed));
    let sink = taken.clone();
    fs.set_hook(Some(Arc::new(move |fs: &MemoryFileSystem, _: &Path, event| {
        let mut rng = rng.lock();
        if event != Event::AfterChange || rng.one_in(2) {
            let policy = match rng.below(4) {
                0 => CrashPolicy::SYNCED_ONLY,
                1 => CrashPolicy::PROCESS_ONLY,
                _ => CrashPolicy::random(&mut rng),
            };
            sink.lock().push(fs.crash_image(&mut rng, policy));
        }
    })));
    work();
    fs.set_hook(None);
    let last = fs.crash_image(&mut Random::from_env(seed), CrashPolicy::SYNCED_ONLY);
    let images = std::mem::take(&mut *taken.lock());
    images.into_iter().chain([last]).map(|image| Arc::new(image) as _).collect()
}

/// Whatever a crash leaves while backups are made and removed: those that are listed are whole,
/// and the next one works.
#[test]
fn after_a_crash_every_backup_is_whole() {
    let fs = MemoryFileSystem::new();
    let shared: Arc<dyn FileSystem> = Arc::new(fs.clone());
    let (db, families) = open_at(shared.clone(), "/db", 0).unwrap();
    let first = engine(&shared);
    fill(&db, &families, 1, 10);
    first.create(&db, &flushing()).unwrap();
    fill(&db, &families, 11, 20);
    db.flush_wal(&FlushWalOptions { sync: true, ..FlushWalOptions::default() }).unwrap();
    let images = images(&fs, 91, || {
        first.create(&db, &NewBackup::default()).unwrap();
        first.create(&db, &flushing()).unwrap();
        first.remove(1).unwrap();
        first.purge(1).unwrap();
    });
    let (mut seen, last) = ([0; 4], images.len() - 1);
    for (at, image) in images.into_iter().enumerate() {
        let engine = engine(&image);
        assert!(engine.corrupt().is_empty());
        let found = ids(&engine);
        assert!(!found.is_empty());
        for &id in &found {
            seen[id as usize] += 1;
            assert_eq!(restored(&image, &engine, Some(id)), if id == 1 { 10 } else { 20 });
        }
        if at == last {
            assert_eq!(found, [3]);
        }
        if at % 5 == 0 {
            let (db, families) = open_at(image.clone(), "/db", 0).unwrap();
            assert_eq!(batches(&db, &families), 20);
            let id = engine.create(&db, &NewBackup::default()).unwrap();
            assert_eq!(restored(&image, &engine, Some(id)), 20);
            db.close().unwrap();
        }
    }
    assert!(seen[1..].iter().all(|n| *n > 0), "{seen:?}");
    db.close().unwrap();
}

/// Whatever a crash leaves of a restoring: no database, or the one from before, or the backup.
#[test]
fn after_a_crash_what_is_restored_is_whole_or_no_database() {
    let fs = MemoryFileSystem::new();
    let shared: Arc<dyn FileSystem> = Arc::new(fs.clone());
    let (db, families) = open_at(shared.clone(), "/db", 0).unwrap();
    let engine = engine(&shared);
    fill(&db, &families, 1, 10);
    engine.create(&db, &flushing()).unwrap();
    fill(&db, &families, 11, 20);
    engine.create(&db, &NewBackup::default()).unwrap();
    db.close().unwrap();
    restore(&engine, Some(1)).unwrap();
    let images = images(&fs, 92, || restore(&engine, Some(2)).unwrap());
    let (mut seen, last) = ([0; 3], images.len() - 1);
    for (at, image) in images.into_iter().enumerate() {
        if !image.exists(&Path::new(RESTORED).join("CURRENT")).unwrap() {
            seen[2] += 1;
            continue;
        }
        let found = batches_at(&image, RESTORED);
        assert!([10, 20].contains(&found) && (at < last || found == 20), "{found}");
        seen[found as usize / 10 - 1] += 1;
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

#[test]
fn what_a_backup_copies_is_counted() {
    let fs = memory();
    let stats = Arc::new(Statistics::default());
    let (db, families) = open_counting(fs.clone(), "/db", 0, &Some(stats.clone())).unwrap();
    fill(&db, &families, 1, 10);
    let engine = engine(&fs);
    engine.create(&db, &flushing()).unwrap();
    let ticker = |ticker| stats.ticker(ticker);
    let (read, written) = (ticker(Ticker::BackupReadBytes), ticker(Ticker::BackupWriteBytes));
    assert_eq!(written, engine.info()[0].size);
    // CURRENT is written without having been read.
    assert_eq!(written - read, "MANIFEST-000000\n".len() as u64);
    // Tables are known by now.
    engine.create(&db, &flushing()).unwrap();
    assert!(ticker(Ticker::BackupWriteBytes) - written < written);
    db.close().unwrap();
}

#[test]
fn limiters_are_asked_for_every_byte() {
    let limiter = || {
        Some(Arc::new(RateLimiter::new(RateLimiterOptions {
            rate: 1 << 40,
            refill_period: Duration::from_millis(1),
            fairness: 10,
            mode: RateLimiterMode::All,
            auto_tuned: false,
        })))
    };
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    fill(&db, &families, 1, 100);
    let options = BackupOptions {
        backup_rate_limiter: limiter(),
        restore_rate_limiter: limiter(),
        ..BackupOptions::default()
    };
    let engine = engine_with(&fs, options.clone()).unwrap();
    let granted =
        |limiter: &Option<Arc<RateLimiter>>| limiter.as_ref().unwrap().granted(IoPriority::Low);
    engine.create(&db, &flushing()).unwrap();
    let size = engine.info()[0].size;
    // Each is read, and written.
    assert_eq!(granted(&options.backup_rate_limiter), 2 * size);
    engine.verify(1, true).unwrap();
    assert_eq!(granted(&options.backup_rate_limiter), 3 * size);
    assert_eq!(granted(&options.restore_rate_limiter), 0);
    assert_eq!(restored(&fs, &engine, None), 100);
    assert_eq!(granted(&options.restore_rate_limiter), 2 * size);
    db.close().unwrap();
}

#[test]
fn a_rate_makes_a_limiter_unless_there_is_one() {
    let fs = memory();
    let made = engine_with(&fs, BackupOptions { backup_rate_limit: 77, ..Default::default() });
    let made = made.unwrap();
    assert_eq!(made.backup_limiter.as_ref().unwrap().rate(), 77);
    assert!(made.restore_limiter.is_none());
    let backup_rate_limiter = Some(Arc::new(RateLimiter::of_writes(5000)));
    let options = BackupOptions {
        backup_rate_limiter,
        backup_rate_limit: 77,
        restore_rate_limit: 88,
        ..Default::default()
    };
    let given = engine_with(&fs, options).unwrap();
    assert_eq!(given.backup_limiter.as_ref().unwrap().rate(), 5000);
    assert_eq!(given.restore_limiter.as_ref().unwrap().rate(), 88);
    // What is asked for at once is a tenth of a second.
    assert_eq!(given.buffer_size(given.backup_limiter.as_deref()), 500);
    assert_eq!(given.buffer_size(None), 5 << 20);
}

/// The nice value of this thread.
fn nice() -> i32 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1;
    fields.split_whitespace().nth(16).unwrap().parse().unwrap()
}

#[test]
fn threads_that_copy_may_be_of_low_priority() {
    let fs = memory();
    let (db, _) = open_at(fs.clone(), "/db", 0).unwrap();
    let engine = engine(&fs);
    let seen = Mutex::new(Vec::new());
    let look = |engine: &BackupEngine| {
        engine.in_parallel(1, || seen.lock().push(nice()));
        seen.lock().pop().unwrap()
    };
    let own = nice();
    assert_eq!(look(&engine), own);
    let lowered = |priority| NewBackup { cpu_priority: Some(priority), ..NewBackup::default() };
    engine.create(&db, &lowered(CpuPriority::High)).unwrap();
    assert_eq!(look(&engine), own);
    engine.create(&db, &lowered(CpuPriority::Low)).unwrap();
    assert_eq!(look(&engine), 19);
    // It does not rise again.
    engine.create(&db, &lowered(CpuPriority::Normal)).unwrap();
    assert_eq!(look(&engine), 19);
    assert_eq!(nice(), own);
    db.close().unwrap();
}
