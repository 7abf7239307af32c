//! A database whose file system fails or panics, or whose comparator panics: calls return errors
//! and nobody waits for ever, reads go on, and once the trouble is over everything acknowledged is
//! there.
//!
//! `HEMATITE_FAULTS` sets at how many moments each kind of operation fails, `HEMATITE_SEED` the
//! seed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

#[path = "support/numbered.rs"]
mod numbered;
#[path = "support/watchdog.rs"]
mod watchdog;

use hematite::base::comparator::{Comparator, UserComparator};
use hematite::base::random::Random;
use hematite::base::status::Result;
use hematite::base::sync::{Arc, AtomicU64, Ordering};
use hematite::db::open::list_column_families;
use hematite::db::{Db, Family, FamilyOptions, OpenRequest, open};
use hematite::env::Env;
use hematite::env::fault::{Fault, FaultFileSystem, Operations, Rule};
use hematite::env::file_system::FileSystem;
use hematite::env::memory::{CrashPolicy, MemoryFileSystem};
use hematite::options::compact::{CompactRangeOptions, WaitForCompactOptions};
use hematite::options::enums::BottommostLevelCompaction;
use hematite::options::text::Pairs;
use hematite::options::{CfOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions};
use hematite::plug::logger::NullLogger;
use numbered::{batch, expected, marker_of, scan};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;
use watchdog::Watchdog;

const DIR: &str = "/db";
const EIO: i32 = 5;
const ENOSPC: i32 = 28;

type Opened = (Arc<Db>, Vec<Arc<Family>>);

/// Opens with the two column families that are written, and whichever else exists.
fn open_database(fs: &FaultFileSystem, comparator: &Comparator) -> Result<Opened> {
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        env: Env::with_fs(Arc::new(fs.clone())),
        info_log: Some(Arc::new(NullLogger)),
        ..DbOptions::default()
    };
    let cf = CfOptions {
        write_buffer_size: 64 << 10,
        arena_block_size: 4096,
        comparator: comparator.clone(),
        level0_file_num_compaction_trigger: 2,
        target_file_size_base: 8 << 10,
        max_bytes_for_level_base: 16 << 10,
        max_bytes_for_level_multiplier: 2.0,
        ..CfOptions::default()
    };
    let mut names: Vec<Vec<u8>> = vec![b"default".to_vec(), b"second".to_vec()];
    for name in list_column_families(&options, Path::new(DIR)).unwrap_or_default() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let family = |name| FamilyOptions { name, options: cf.clone() };
    let (db, mut families) = open(OpenRequest {
        path: PathBuf::from(DIR),
        options,
        families: names.into_iter().map(family).collect(),
        read_only: false,
        error_if_wal_file_exists: false,
    })?;
    families.truncate(2);
    Ok((db, families))
}

/// How far the writing thread is, and what went wrong.
#[derive(Clone, Debug, Default)]
struct Progress {
    durable: u64,
    acked: u64,
    begun: u64,
    errors: u64,
}

fn get_marker(db: &Db, family: &Family) -> Result<u64> {
    let found = db.get_pinned(family, &ReadOptions::default(), b"t0")?;
    Ok(found.map_or(0, |value| u64::from_le_bytes(value.as_slice().try_into().unwrap())))
}

/// Opens, writes, flushes, makes and drops a column family, reads, closes. An error is counted,
/// and must not lose anything.
fn session(fs: &FaultFileSystem, progress: &mut Progress) {
    let Ok((db, families)) = open_database(fs, &Comparator::Bytewise) else {
        progress.errors += 1;
        return;
    };
    if let Err(error) = work(&db, &families, progress) {
        progress.errors += 1;
        if progress.begun > progress.acked {
            // Nobody knows whether the batch will be found, so none may follow it.
            let refused = db.write(&WriteOptions::default(), &mut batch(0, u64::MAX, &families));
            assert!(refused.is_err(), "a write after {error} was taken");
        }
    }
    read(&db, &families, progress);
    progress.errors += u64::from(db.close().is_err());
}

fn work(db: &Db, families: &[Arc<Family>], progress: &mut Progress) -> Result<()> {
    let found = get_marker(db, &families[0])?;
    assert!((progress.acked..=progress.begun).contains(&found), "{found} found: {progress:?}");
    (progress.acked, progress.begun) = (found, found);
    for step in 0..110 {
        match step {
            30 => db.flush(families, &FlushOptions::default())?,
            40 => db.flush(&families[..1], &FlushOptions::default())?,
            45 => db.compact_range(&families[1], &CompactRangeOptions::default(), None, None)?,
            50 => db.flush(&families[..1], &FlushOptions { wait: false, ..Default::default() })?,
            60 => {
                let options = CfOptions::clone(&families[0].options);
                let extra = db.create_family(FamilyOptions { name: b"extra".into(), options })?;
                db.drop_family(&extra)?;
            }
            80 => db.flush(families, &FlushOptions::default())?,
            85 => {
                let options = CompactRangeOptions {
                    bottommost_level_compaction: BottommostLevelCompaction::Force,
                    max_subcompactions: 2,
                    ..CompactRangeOptions::default()
                };
                db.compact_range(&families[0], &options, None, None)?;
            }
            _ => {}
        }
        let sync = step % 8 == 0;
        progress.begun += 1;
        let mut batch = batch(0, progress.begun, families);
        db.write(&WriteOptions { sync, ..WriteOptions::default() }, &mut batch)?;
        progress.acked = progress.begun;
        if sync {
            progress.durable = progress.begun;
        }
    }
    Ok(())
}

/// Reads give what was acknowledged, or an error.
fn read(db: &Db, families: &[Arc<Family>], progress: &mut Progress) {
    for (at, family) in families.iter().enumerate() {
        let Ok(mut iter) = db.iter(family, &ReadOptions::default()) else {
            progress.errors += 1;
            continue;
        };
        let mut found = std::collections::BTreeMap::new();
        iter.seek_to_first();
        while iter.valid() {
            found.insert(iter.key().to_vec(), iter.value().to_vec());
            iter.next();
        }
        if iter.status().is_err() {
            progress.errors += 1;
        } else if get_marker(db, family).is_ok() {
            let marker = found.get(&b"t0"[..]);
            let marker = marker.map_or(0, |v| u64::from_le_bytes(v[..].try_into().unwrap()));
            assert!(
                (progress.acked..=progress.begun).contains(&marker),
                "family {at} shows {marker}: {progress:?}"
            );
            assert!(found == expected(at, &[marker]), "family {at}: {progress:?}");
        }
    }
}

/// Without faults, the database holds between `least` and `most` batches, and works.
fn check_survivors(fs: MemoryFileSystem, least: u64, most: u64, what: &str) {
    let fs = FaultFileSystem::new(Arc::new(fs));
    let (db, families) = open_database(&fs, &Comparator::Bytewise)
        .unwrap_or_else(|error| panic!("{what}: does not open afterwards: {error}"));
    let held = marker_of(&db, &families[0], &ReadOptions::default(), 0);
    assert!((least..=most).contains(&held), "{what}: {held} not in {least}..={most}");
    for (at, family) in families.iter().enumerate() {
        let mut iter = db.iter(family, &ReadOptions::default()).unwrap();
        assert!(scan(&mut iter) == expected(at, &[held]), "{what}: family {at}, {held} batches");
    }
    db.write(&WriteOptions::default(), &mut batch(0, held + 1, &families)).unwrap();
    db.flush(&families, &FlushOptions::default()).unwrap();
    let options = WaitForCompactOptions { wait_for_purge: true, ..Default::default() };
    db.wait_for_compact(&options).unwrap();
    assert_eq!(table_files(&fs), live_tables(&db), "{what}: tables that nobody needs");
    db.close().unwrap();
}

/// The tables in the folder.
fn table_files(fs: &FaultFileSystem) -> BTreeSet<String> {
    let names = fs.list(Path::new(DIR)).unwrap().into_iter();
    names.filter(|name| name.ends_with(".sst")).collect()
}

/// The tables of all column families.
fn live_tables(db: &Db) -> BTreeSet<String> {
    let mut live = BTreeSet::new();
    for name in list_column_families(db.options(), Path::new(DIR)).unwrap() {
        let view = db.family_named(&name).unwrap().pin();
        live.extend(view.version.all_files().map(|(_, file)| format!("{:06}.sst", file.number)));
    }
    live
}

fn run_with(rule: &Rule) -> (u64, u64) {
    let what = format!("{rule:?}");
    let _watchdog = Watchdog::new(&what, 60);
    let memory = MemoryFileSystem::new();
    let fs = FaultFileSystem::new(Arc::new(memory.clone()));
    fs.add(rule.clone());
    let mut progress = Progress::default();
    let ran = catch_unwind(AssertUnwindSafe(|| {
        session(&fs, &mut progress);
        session(&fs, &mut progress);
    }));
    assert!(ran.is_ok(), "failed under {what}");
    let Progress { durable, acked, begun, errors } = progress;
    let image = memory.crash_image(&mut Random::new(1), CrashPolicy::SYNCED_ONLY);
    check_survivors(image, durable, begun, &format!("{what}, then a crash"));
    check_survivors(memory, acked, begun, &what);
    (fs.injected(), errors)
}

/// How often each kind of operation happens without faults.
fn count_operations() -> Vec<(Operations, u64)> {
    let fs = FaultFileSystem::new(Arc::new(MemoryFileSystem::new()));
    let mut progress = Progress::default();
    session(&fs, &mut progress);
    session(&fs, &mut progress);
    assert_eq!((progress.errors, progress.acked), (0, 220));
    let counted = Operations::all().iter().map(|operation| (operation, fs.count(operation)));
    counted.filter(|&(_, count)| count > 0).collect()
}

fn faults_of(operation: Operations) -> &'static [(Fault, &'static str)] {
    match operation {
        Operations::APPEND => &[
            (Fault::Error(EIO), "*"),
            (Fault::ErrorAfter(EIO), "*"),
            (Fault::ShortWrite(ENOSPC), "*"),
            (Fault::ShortWrite(ENOSPC), "*.log"),
        ],
        Operations::SYNC => &[(Fault::Error(EIO), "*"), (Fault::Error(EIO), "*.log")],
        Operations::CREATE => &[(Fault::Error(ENOSPC), "*"), (Fault::ErrorAfter(EIO), "*")],
        Operations::RENAME => &[(Fault::Error(EIO), "*"), (Fault::ErrorAfter(EIO), "*")],
        // In a log, damage means that it ends there; in a table it must be found.
        Operations::READ => &[(Fault::Error(EIO), "*"), (Fault::FlipBit, "*.sst")],
        _ => &[(Fault::Error(EIO), "*")],
    }
}

#[test]
fn failing_operations_give_errors_and_lose_nothing() {
    let mut rng = Random::from_env(71);
    let moments = std::env::var("HEMATITE_FAULTS").ok().and_then(|n| n.parse().ok());
    let moments: u64 = moments.unwrap_or(3);
    let (mut runs, mut hits) = (0, 0);
    for (operation, count) in count_operations() {
        let mut with_errors = 0;
        for &(fault, path) in faults_of(operation) {
            for i in 0..moments {
                let after = if i == 0 { rng.below(4).min(count - 1) } else { rng.below(count) };
                for times in [1, u64::MAX] {
                    let path = path.to_string();
                    let rule = Rule { operations: operation, path, after, times, fault };
                    let (injected, errors) = run_with(&rule);
                    runs += 1;
                    hits += u64::from(injected > 0);
                    with_errors += u64::from(errors > 0);
                }
            }
        }
        println!("{operation:?}: {count} calls; {with_errors} runs had errors");
    }
    println!("{runs} runs, {hits} of them with faults");
}

/// A database with tables on level 0 that nothing but a call compacts.
fn uncompacted(fs: &FaultFileSystem) -> (Opened, u64) {
    let (db, families) = open_database(fs, &Comparator::Bytewise).unwrap();
    let off = Pairs::parse("disable_auto_compactions=true").unwrap();
    for family in &families {
        db.set_options(family, &off).unwrap();
    }
    for number in 1..=90 {
        db.write(&WriteOptions::default(), &mut batch(0, number, &families)).unwrap();
        if number % 20 == 0 {
            db.flush(&families, &FlushOptions::default()).unwrap();
        }
    }
    db.flush(&families, &FlushOptions::default()).unwrap();
    ((db, families), 90)
}

#[test]
fn a_compaction_that_fails_leaves_no_tables_behind() {
    let mut rng = Random::from_env(83);
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        max_subcompactions: 2,
        ..CompactRangeOptions::default()
    };
    let places = [
        (Operations::CREATE, 2, Fault::Error(ENOSPC)),
        (Operations::CREATE, 2, Fault::ErrorAfter(EIO)),
        (Operations::APPEND, 4, Fault::ShortWrite(ENOSPC)),
        (Operations::SYNC, 2, Fault::Error(EIO)),
        (Operations::READ, 4, Fault::Error(EIO)),
        (Operations::READ, 4, Fault::FlipBit),
    ];
    let mut failed = 0;
    for (operation, range, fault) in places {
        for _ in 0..3 {
            let what = format!("{fault:?} in {operation:?}");
            let _watchdog = Watchdog::new(&what, 60);
            let memory = MemoryFileSystem::new();
            let fs = FaultFileSystem::new(Arc::new(memory.clone()));
            let ((db, families), written) = uncompacted(&fs);
            let rule = fs.add(Rule::once(operation, "*.sst", rng.below(range), fault));
            let error = db.compact_range(&families[0], &options, None, None).err();
            failed += u64::from(error.is_some());
            // A flipped bit behind a table's data is read ahead, but nobody looks at it; one in the
            // data would show below.
            let matters = fs.remove(rule) > 0 && fault != Fault::FlipBit;
            assert!(!matters || error.is_some(), "{what} is hidden");
            assert_eq!(table_files(&fs), live_tables(&db), "{what}: {error:?}");
            for (at, family) in families.iter().enumerate() {
                let mut iter = db.iter(family, &ReadOptions::default()).unwrap();
                assert!(scan(&mut iter) == expected(at, &[written]), "{what}: family {at}");
            }
            let _ = db.close();
            drop((db, families));
            check_survivors(memory, written, written, &what);
        }
    }
    println!("{failed} compactions failed");
    assert!(failed > 8);
}

/// Keeps the panics that a test wants out of its output.
fn expect_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<&str>().copied().unwrap_or("");
            if !text.starts_with("injected panic") {
                usual(info);
            }
        }));
    });
}

/// What became of a call.
#[derive(Debug, PartialEq)]
enum Called {
    Fine,
    Failed,
    Panicked,
}

fn call(body: impl FnOnce() -> Result<()>) -> Called {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Called::Fine,
        Ok(Err(_)) => Called::Failed,
        Err(_) => Called::Panicked,
    }
}

const WRITERS: usize = 4;

/// Four threads write until a call does not succeed; another flushes, and makes column families.
/// Returns what each writer was told was written, and whether any call panicked.
fn write_together(db: &Db, families: &[Arc<Family>]) -> (Vec<u64>, bool) {
    let acked: [AtomicU64; WRITERS] = Default::default();
    let panics = AtomicU64::new(0);
    let failed = AtomicU64::new(0);
    let note = |called: &Called| {
        if *called == Called::Panicked {
            panics.fetch_add(1, Ordering::SeqCst);
        }
        if *called != Called::Fine {
            failed.fetch_add(1, Ordering::SeqCst);
        }
    };
    std::thread::scope(|scope| {
        for (thread, acked) in acked.iter().enumerate() {
            scope.spawn(move || {
                for number in 1..=120 {
                    let sync = number % 16 == 0;
                    let mut batch = batch(thread as u64, number, families);
                    let options = WriteOptions { sync, ..WriteOptions::default() };
                    let called = call(|| db.write(&options, &mut batch));
                    note(&called);
                    if called != Called::Fine {
                        return;
                    }
                    acked.store(number, Ordering::SeqCst);
                }
            });
        }
        scope.spawn(|| {
            for i in 0..12 {
                let at = i % 2;
                note(&call(|| db.flush(&families[at..=at], &FlushOptions::default())));
                note(&call(|| come_and_go(db, families, i)));
                if failed.load(Ordering::SeqCst) > 0 {
                    return;
                }
            }
        });
    });
    let acked = acked.iter().map(|acked| acked.load(Ordering::SeqCst)).collect();
    (acked, panics.load(Ordering::SeqCst) > 0)
}

fn come_and_go(db: &Db, families: &[Arc<Family>], number: usize) -> Result<()> {
    let options = CfOptions::clone(&families[0].options);
    let name = format!("passing{number}").into_bytes();
    let family = db.create_family(FamilyOptions { name, options })?;
    db.drop_family(&family)
}

/// Everything acknowledged is there, each thread's batches in order and whole.
fn check_acknowledged(fs: &FaultFileSystem, comparator: &Comparator, acked: &[u64], what: &str) {
    let (db, families) = open_database(fs, comparator)
        .unwrap_or_else(|error| panic!("{what}: does not open afterwards: {error}"));
    let marker = |thread| marker_of(&db, &families[0], &ReadOptions::default(), thread);
    let held: Vec<u64> = (0..WRITERS as u64).map(marker).collect();
    for (acked, held) in acked.iter().zip(&held) {
        assert!((*acked..=acked + 1).contains(held), "{what}: {acked:?} acknowledged, {held:?}");
    }
    for (at, family) in families.iter().enumerate() {
        let mut iter = db.iter(family, &ReadOptions::default()).unwrap();
        assert!(scan(&mut iter) == expected(at, &held), "{what}: family {at} after {held:?}");
    }
    db.close().unwrap();
}

/// After a panic in a writer or a background job nothing more is written, and closing works.
fn check_end(db: &Db, families: &[Arc<Family>], what: &str) {
    let refused = call(|| db.write(&WriteOptions::default(), &mut batch(0, u64::MAX, families)));
    assert_eq!(refused, Called::Failed, "{what}: a write after a panic");
    let refused = call(|| db.flush(families, &FlushOptions::default()));
    assert_eq!(refused, Called::Failed, "{what}: a flush after a panic");
    assert_ne!(call(|| db.close()), Called::Panicked, "{what}");
}

#[test]
fn a_panicking_file_system_stops_the_database_and_nobody_waits() {
    expect_panics();
    let mut rng = Random::from_env(73);
    let places = [
        (Operations::APPEND, "*.log", 200),
        (Operations::SYNC, "*.log", 12),
        (Operations::CREATE, "*.log", 4),
        (Operations::CREATE, "*.sst", 3),
        (Operations::APPEND, "*.sst", 6),
        (Operations::SYNC, "*.sst", 3),
        (Operations::APPEND, "*MANIFEST*", 8),
        (Operations::SYNC, "*MANIFEST*", 8),
        (Operations::CREATE, "*OPTIONS*", 4),
        (Operations::APPEND, "*.dbtmp", 4),
        (Operations::REMOVE, "*.log", 3),
    ];
    let mut runs = 0;
    for (operation, path, range) in places {
        for _ in 0..4 {
            let what = format!("panic in {operation:?} of {path}");
            let _watchdog = Watchdog::new(&what, 60);
            let fs = FaultFileSystem::new(Arc::new(MemoryFileSystem::new()));
            let order = Comparator::Bytewise;
            let (db, families) = open_database(&fs, &order).unwrap();
            let rule = Rule::once(operation, path, rng.below(range), Fault::Panic);
            let rule = fs.add(rule);
            let (acked, panicked) = write_together(&db, &families);
            let injected = fs.remove(rule);
            runs += injected;
            // What is not written by the database's own threads is the caller's to contain.
            if panicked && matches!(path, "*OPTIONS*" | "*.dbtmp" | "*.log") {
                db.poison("a call panicked");
            }
            if injected > 0 {
                check_end(&db, &families, &what);
            } else {
                db.close().unwrap();
            }
            drop((db, families));
            check_acknowledged(&fs, &order, &acked, &what);
        }
    }
    println!("{runs} panics");
    assert!(runs > 10);
}

/// Bytewise, and panics at the comparison that the countdown says.
struct Bomb {
    left: AtomicI64,
}

impl UserComparator for Bomb {
    fn name(&self) -> &str {
        "test.Bomb"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            panic!("injected panic: a comparator");
        }
        a.cmp(b)
    }
}

#[test]
fn a_panicking_comparator_stops_the_database_and_nobody_waits() {
    expect_panics();
    let mut rng = Random::from_env(79);
    let mut panics = 0;
    for round in 0..24 {
        let what = format!("panic of the comparator, round {round}");
        let _watchdog = Watchdog::new(&what, 60);
        let bomb = Arc::new(Bomb { left: AtomicI64::new(-1) });
        let order = Comparator::Custom(bomb.clone());
        let fs = FaultFileSystem::new(Arc::new(MemoryFileSystem::new()));
        let (db, families) = open_database(&fs, &order).unwrap();
        bomb.left.store(1 + rng.below(8000) as i64, Ordering::SeqCst);
        let (acked, panicked) = write_together(&db, &families);
        if bomb.left.swap(-1, Ordering::SeqCst) <= 0 {
            panics += 1;
            // A batch's ranges are compared before it concerns anyone else: the caller's to contain.
            if panicked {
                db.poison("a call panicked");
            }
            check_end(&db, &families, &what);
        } else {
            db.close().unwrap();
        }
        drop((db, families));
        check_acknowledged(&fs, &order, &acked, &what);
    }
    println!("{panics} panics");
    assert!(panics > 5);
}
