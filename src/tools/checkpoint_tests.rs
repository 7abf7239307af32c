use super::create_checkpoint;
use crate::base::random::Random;
use crate::base::sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering, thread};
use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
use crate::env::file_system::FileSystem;
use crate::env::memory::{CrashPolicy, Event, MemoryFileSystem};
use crate::options::{FlushOptions, FlushWalOptions};
use crate::stats::{Statistics, Ticker};
use crate::tools::sample::*;
use std::path::Path;

#[test]
fn a_checkpoint_is_a_database_of_its_own() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    for number in 1..=50 {
        write(&db, &families, number).unwrap();
    }
    let sequence = create_checkpoint(&db, Path::new("/copy//"), 0).unwrap();
    assert_eq!(sequence, db.latest_sequence());
    for number in 51..=60 {
        write(&db, &families, number).unwrap();
    }
    assert_eq!(names(&fs, "/copy", ".sst"), names(&fs, "/db", ".sst"));
    assert_eq!(fs.list(Path::new("/")).unwrap().len(), 2);
    assert_eq!(batches_at(&fs, "/copy"), 50);
    assert_eq!(batches(&db, &families), 60);
    db.close().unwrap();
    assert_eq!(batches_at(&fs, "/db"), 60);
    // The copy is independent.
    let (copy, families) = open_at(fs.clone(), "/copy", 0).unwrap();
    write(&copy, &families, 51).unwrap();
    assert_eq!(batches(&copy, &families), 51);
    copy.close().unwrap();
}

#[test]
fn small_logs_are_copied_and_large_ones_flushed() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    for number in 1..=5 {
        write(&db, &families, number).unwrap();
    }
    for (dir, limit) in [("/never", u64::MAX), ("/small", 1 << 20)] {
        create_checkpoint(&db, Path::new(dir), limit).unwrap();
        assert!(names(&fs, dir, ".sst").is_empty());
        assert_eq!(batches_at(&fs, dir), 5);
    }
    create_checkpoint(&db, Path::new("/large"), 100).unwrap();
    assert_eq!(names(&fs, "/large", ".sst").len(), 2);
    assert_eq!(batches_at(&fs, "/large"), 5);
    db.close().unwrap();
}

#[test]
fn a_folder_that_exists_or_has_no_name_is_refused() {
    let fs = memory();
    let (db, _) = open_at(fs.clone(), "/db", 0).unwrap();
    let error = |dir| create_checkpoint(&db, Path::new(dir), 0).unwrap_err().to_string();
    assert_eq!(error("/db"), "Invalid argument: Directory exists");
    assert_eq!(error(""), "Invalid argument: invalid checkpoint directory name");
    assert!(error("/none/copy").starts_with("IO error: "));
    // What a crash left is in nobody's way.
    fs.create_dir(Path::new("/copy.tmp")).unwrap();
    fs.create(Path::new("/copy.tmp/000001.sst")).unwrap();
    create_checkpoint(&db, Path::new("/copy"), 0).unwrap();
    assert!(!fs.exists(Path::new("/copy.tmp")).unwrap());
    fs.create_dir(Path::new("/next.tmp")).unwrap();
    fs.create_dir(Path::new("/next.tmp/folder")).unwrap();
    assert!(error("/next").starts_with("Operation aborted: Failed to clean the temporary"));
    db.close().unwrap();
}

#[test]
fn files_stay_while_deletions_are_disabled() {
    let fs = memory();
    let (db, families) = open_at(fs.clone(), "/db", 0).unwrap();
    let logs = || names(&fs, "/db", ".log").len();
    db.disable_file_deletions().unwrap();
    let held = db.hold_files();
    for number in 1..=3 {
        write(&db, &families, number).unwrap();
        db.flush(&families, &FlushOptions::default()).unwrap();
    }
    assert_eq!(logs(), 4);
    drop(held);
    assert_eq!(logs(), 4);
    db.enable_file_deletions().unwrap();
    assert_eq!(logs(), 1);
    // Once too often is harmless.
    db.enable_file_deletions().unwrap();
    db.disable_file_deletions().unwrap();
    for number in 4..=6 {
        write(&db, &families, number).unwrap();
        db.flush(&families, &FlushOptions::default()).unwrap();
    }
    assert_eq!(logs(), 4);
    db.close().unwrap();
    assert_eq!(batches_at(&fs, "/db"), 6);
}

/// A writer flushes and switches logs all the while; each checkpoint is some prefix, between what
/// was written before and after it.
fn under_writes(fs: &Arc<dyn FileSystem>, base: &Path, recycle: usize) {
    let path = |name: &str| base.join(name).to_string_lossy().into_owned();
    let (db, families) = open_at(fs.clone(), &path("db"), recycle).unwrap();
    let (written, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let writer = {
        let (db, families) = (db.clone(), families.clone());
        let (written, stop) = (written.clone(), stop.clone());
        thread::spawn(move || {
            let mut rng = Random::from_env(17);
            for number in 1.. {
                write(&db, &families, number).unwrap();
                written.store(number, Ordering::SeqCst);
                if rng.one_in(40) {
                    let one = rng.below(2) as usize;
                    db.flush(&families[one..=one], &FlushOptions::default()).unwrap();
                }
                if stop.load(Ordering::SeqCst) {
                    return;
                }
            }
        })
    };
    let mut found = Vec::new();
    for (at, limit) in [0, u64::MAX, 20_000, u64::MAX, 0, 60_000].into_iter().enumerate() {
        let dir = path(&format!("copy{at}"));
        let before = written.load(Ordering::SeqCst);
        create_checkpoint(&db, Path::new(&dir), limit).unwrap();
        found.push((dir, before, written.load(Ordering::SeqCst) + 1));
    }
    stop.store(true, Ordering::SeqCst);
    writer.join().unwrap();
    db.close().unwrap();
    for (dir, before, after) in found {
        let count = batches_at(fs, &dir);
        assert!((before..=after).contains(&count), "{dir}: {before} <= {count} <= {after}");
    }
}

#[test]
fn checkpoints_under_writes_are_prefixes() {
    for recycle in [0, 3] {
        under_writes(&memory(), Path::new("/"), recycle);
    }
}

#[test]
fn checkpoints_on_the_operating_systems_files() {
    let dir = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(crate::env::posix::PosixFileSystem);
    under_writes(&fs, dir.path(), 0);
}

#[test]
fn without_links_files_are_copied_and_errors_leave_nothing_behind() {
    let fs = FaultFileSystem::new(memory());
    let (db, families) = open_at(Arc::new(fs.clone()), "/db", 0).unwrap();
    for number in 1..=20 {
        write(&db, &families, number).unwrap();
    }
    let fs_dyn: Arc<dyn FileSystem> = Arc::new(fs.clone());
    // Another device.
    let rule = fs.add(Rule::always(Operations::LINK, "*", Fault::Error(libc::EXDEV)));
    create_checkpoint(&db, Path::new("/copied"), 0).unwrap();
    assert_eq!(batches_at(&fs_dyn, "/copied"), 20);
    fs.remove(rule);
    let writes = Operations::ALL_WRITES - Operations::HINT - Operations::REMOVE;
    let mut failures = 0;
    for nth in 0.. {
        let rule = fs.add(Rule::once(writes, "/copy*", nth, Fault::Error(EIO)));
        let result = create_checkpoint(&db, Path::new("/copy"), u64::MAX);
        fs.remove(rule);
        match result {
            Ok(_) => break,
            Err(error) => assert!(error.to_string().starts_with("IO error: "), "{error}"),
        }
        failures += 1;
        assert!(!fs.exists(Path::new("/copy.tmp")).unwrap());
        assert!(!fs.exists(Path::new("/copy")).unwrap());
    }
    assert!(failures > 8, "{failures}");
    assert_eq!(batches_at(&fs_dyn, "/copy"), 20);
    assert_eq!(batches(&db, &families), 20);
    // Files go again: nothing holds them any more.
    db.flush(&families, &FlushOptions::default()).unwrap();
    db.close().unwrap();
    assert_eq!(names(&fs_dyn, "/db", ".log").len(), 1);
}

/// Whatever a crash leaves: a folder of the name that was asked for is the whole checkpoint.
#[test]
fn after_a_crash_a_checkpoint_is_whole_or_not_there() {
    let fs = MemoryFileSystem::new();
    let (db, families) = open_at(Arc::new(fs.clone()), "/db", 0).unwrap();
    for number in 1..=30 {
        write(&db, &families, number).unwrap();
    }
    db.flush(&families[..1], &FlushOptions::default()).unwrap();
    db.flush_wal(&FlushWalOptions { sync: true, ..FlushWalOptions::default() }).unwrap();
    let images = Arc::new(Mutex::new(Vec::new()));
    let rng = Mutex::new(Random::from_env(17));
    let taken = images.clone();
    fs.set_hook(Some(Arc::new(move |fs: &MemoryFileSystem, _: &Path, event| {
        let mut rng = rng.lock();
        if event != Event::AfterChange || rng.one_in(2) {
            let policy = match rng.below(4) {
                0 => CrashPolicy::SYNCED_ONLY,
                1 => CrashPolicy::PROCESS_ONLY,
                _ => CrashPolicy::random(&mut rng),
            };
            taken.lock().push(fs.crash_image(&mut rng, policy));
        }
    })));
    create_checkpoint(&db, Path::new("/one"), u64::MAX).unwrap();
    create_checkpoint(&db, Path::new("/two"), 0).unwrap();
    fs.set_hook(None);
    let last = fs.crash_image(&mut Random::from_env(17), CrashPolicy::SYNCED_ONLY);
    db.close().unwrap();
    let mut whole = 0;
    let images = std::mem::take(&mut *images.lock());
    for image in images.into_iter().chain([last]) {
        let image: Arc<dyn FileSystem> = Arc::new(image);
        for dir in ["/one", "/two"] {
            if image.exists(Path::new(dir)).unwrap() {
                assert_eq!(batches_at(&image, dir), 30);
                whole += 1;
            }
        }
        assert_eq!(batches_at(&image, "/db"), 30);
    }
    assert!(whole >= 2, "{whole}");
}

#[test]
fn what_a_checkpoint_copies_is_counted() {
    let fs = memory();
    let stats = Arc::new(Statistics::default());
    let (db, families) = open_counting(fs.clone(), "/db", 0, &Some(stats.clone())).unwrap();
    write(&db, &families, 1).unwrap();
    create_checkpoint(&db, Path::new("/copy"), 0).unwrap();
    let size = |name: &String| fs.file_size(&Path::new("/copy").join(name)).unwrap();
    // Tables are linked; the MANIFEST is copied, and so is the log; the rest is made.
    let sizes = |suffix: &str| names(&fs, "/copy", suffix).iter().map(size).sum::<u64>();
    let all = fs.list(Path::new("/copy")).unwrap();
    let linked = sizes(".sst") + sum_of(&all, "OPTIONS", size);
    let written = all.iter().map(size).sum::<u64>() - linked;
    assert_eq!(stats.ticker(Ticker::CheckpointWriteBytes), written);
    let made = sum_of(&all, "CURRENT", size);
    assert_eq!(stats.ticker(Ticker::CheckpointReadBytes), written - made);
    db.close().unwrap();
}

fn sum_of(names: &[String], prefix: &str, size: impl Fn(&String) -> u64) -> u64 {
    names.iter().filter(|name| name.starts_with(prefix)).map(size).sum()
}
