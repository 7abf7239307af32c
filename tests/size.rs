//! A database that is much larger than its cache: filled, overwritten twice in random order, deleted
//! by half. Every read is right, memory and disk stay within what the options promise, no write
//! waits long, and nothing but live files is left.
//!
//! `HEMATITE_SIZE_MIB` sets the amount of data (24 by default; 20480 for the proof at size), and the
//! buffers with it; `HEMATITE_SEED` the seed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

#[path = "support/watchdog.rs"]
mod watchdog;

use hematite::base::random::Random;
use hematite::base::sync::{Arc, AtomicBool, Ordering};
use hematite::cache::Cache;
use hematite::db::{Db, Family, FamilyOptions, OpenRequest, open};
use hematite::options::compact::{CompactRangeOptions, WaitForCompactOptions};
use hematite::options::{
    BlockBasedTableOptions, CfOptions, DbOptions, FlushOptions, ReadOptions, TableFactory,
    WriteOptions,
};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use watchdog::Watchdog;

const MIN_VALUE: u64 = 100;
const MAX_VALUE: u64 = 4000;
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What each key should hold: the round in which it was written, 0 for nothing.
struct Model {
    rounds: Vec<u8>,
}

fn key(number: u64) -> [u8; 16] {
    // Spread, so that the order of numbers says nothing about that of keys.
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut key = [0; 16];
    key[..8].copy_from_slice(&spread.to_be_bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The value of a key follows from its number and round, half of it incompressible.
fn value(number: u64, round: u8, out: &mut Vec<u8>) {
    let mut random = Random::new(number * 256 + u64::from(round));
    let len = MIN_VALUE + random.below(MAX_VALUE - MIN_VALUE + 1);
    out.clear();
    while (out.len() as u64) < len / 2 {
        out.extend_from_slice(&random.next_u64().to_le_bytes());
    }
    out.resize(len as usize, round);
}

struct Setup {
    keys: u64,
    cache: u64,
    write_buffer: u64,
}

impl Setup {
    fn of(mib: u64) -> Setup {
        let bytes = mib << 20;
        Setup {
            keys: bytes / (16 + (MIN_VALUE + MAX_VALUE) / 2),
            cache: (bytes / 80).clamp(1 << 20, 256 << 20),
            write_buffer: (bytes / 320).clamp(256 << 10, 64 << 20),
        }
    }

    fn open(&self, dir: &Path) -> (Arc<Db>, Arc<Family>) {
        let table = BlockBasedTableOptions {
            block_cache: Some(Cache::lru(self.cache as usize, -1, false, 0.5)),
            ..BlockBasedTableOptions::default()
        };
        let options = CfOptions {
            write_buffer_size: self.write_buffer as usize,
            target_file_size_base: self.write_buffer,
            max_bytes_for_level_base: 4 * self.write_buffer,
            table_factory: TableFactory::BlockBased(Arc::new(table)),
            ..CfOptions::default()
        };
        let families = vec![FamilyOptions { name: b"default".to_vec(), options }];
        let (db, families) = open(OpenRequest {
            path: dir.to_path_buf(),
            options: DbOptions { create_if_missing: true, ..DbOptions::default() },
            families,
            read_only: false,
            error_if_wal_file_exists: false,
        })
        .unwrap();
        (db, families[0].clone())
    }
}

/// Every number below `count` once, in an order that looks random: a full-period generator.
fn shuffled(count: u64, random: &mut Random) -> impl Iterator<Item = u64> {
    let size = count.next_power_of_two();
    // Hull and Dobell: 1 modulo 4 to multiply with, odd to add.
    let (factor, mut at) = (random.next_u64() & !7 | 5, random.below(size));
    (0..size)
        .map(move |_| {
            at = at.wrapping_mul(factor).wrapping_add(12_345) & (size - 1);
            at
        })
        .filter(move |&number| number < count)
}

fn timed(longest: &mut Duration, write: impl FnOnce()) {
    let start = Instant::now();
    write();
    *longest = (*longest).max(start.elapsed());
}

fn write_round(db: &Db, model: &mut Model, round: u8, random: &mut Random) -> Duration {
    let options = WriteOptions::default();
    let (mut longest, mut bytes) = (Duration::ZERO, Vec::new());
    for number in shuffled(model.rounds.len() as u64, random) {
        value(number, round, &mut bytes);
        timed(&mut longest, || {
            db.write_lone(&options, |batch| batch.put(0, &key(number), &bytes)).unwrap();
        });
        model.rounds[number as usize] = round;
    }
    longest
}

fn delete_half(db: &Db, model: &mut Model, random: &mut Random) -> Duration {
    let options = WriteOptions::default();
    let mut longest = Duration::ZERO;
    for number in shuffled(model.rounds.len() as u64, random).filter(|number| number % 2 == 0) {
        timed(&mut longest, || {
            db.write_lone(&options, |batch| batch.delete(0, &key(number))).unwrap();
        });
        model.rounds[number as usize] = 0;
    }
    longest
}

/// All keys in order, then some at random.
fn check_reads(db: &Db, family: &Arc<Family>, model: &Model, random: &mut Random) {
    let options = ReadOptions::default();
    let mut iter = db.iter(family, &options).unwrap();
    let (mut seen, mut expected) = (0, Vec::new());
    iter.seek_to_first();
    while iter.valid() {
        let number = u64::from_be_bytes(iter.key()[8..].try_into().unwrap());
        value(number, model.rounds[number as usize], &mut expected);
        assert!(iter.value() == expected, "key {number} has another value");
        assert_ne!(model.rounds[number as usize], 0, "key {number} was deleted");
        seen += 1;
        iter.next();
    }
    iter.status().unwrap();
    assert_eq!(seen, model.rounds.iter().filter(|&&round| round != 0).count());
    for _ in 0..model.rounds.len() / 20 {
        let number = random.below(model.rounds.len() as u64);
        let found = db.get_pinned(family, &options, &key(number)).unwrap();
        let round = model.rounds[number as usize];
        assert_eq!(found.is_some(), round != 0, "key {number}");
        if let Some(found) = found {
            value(number, round, &mut expected);
            assert!(found.as_slice() == expected, "key {number} has another value");
        }
    }
}

fn settle(db: &Db, family: &Arc<Family>) {
    db.flush(std::slice::from_ref(family), &FlushOptions::default()).unwrap();
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
}

/// The most memory that this process has had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib << 10
}

/// The memory of the open tables' indexes and filters, in bytes.
fn metadata_bytes(family: &Family) -> u64 {
    let version = &family.pin().version;
    let readers = version.all_files().filter_map(|(_, file)| file.reader());
    readers.map(|reader| reader.memory_usage() as u64).sum()
}

/// Looks again and again how much metadata there is, for there is most of it while compactions are
/// behind; `stop` returns the most that was seen.
struct MetadataPeak {
    stopped: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl MetadataPeak {
    fn watch(family: &Arc<Family>) -> MetadataPeak {
        let stopped = Arc::new(AtomicBool::new(false));
        let (stop, family) = (stopped.clone(), family.clone());
        let thread = std::thread::spawn(move || {
            let mut most = 0;
            while !stop.load(Ordering::Relaxed) {
                most = most.max(metadata_bytes(&family));
                std::thread::sleep(Duration::from_millis(100));
            }
            most
        });
        MetadataPeak { stopped, thread }
    }

    fn stop(self) -> u64 {
        self.stopped.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Peak memory is at most that of write buffers, cache and open tables (`metadata`, when there was
/// most of it), and a tenth. Small data say nothing: what a process takes anyway is more than a
/// tenth of theirs.
fn check_memory(setup: &Setup, metadata: u64, before: u64) {
    let allowed = (2 * setup.write_buffer + setup.cache + metadata) * 11 / 10;
    let taken = peak_memory() - before;
    println!("peak memory {taken} of {allowed}, {metadata} of them of open tables");
    assert!(taken <= allowed || setup.cache < 64 << 20, "{taken} bytes, {allowed} allowed");
}

/// The bytes of all table files in the folder.
fn table_bytes(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let tables = files.filter(|file| file.path().extension().is_some_and(|e| e == "sst"));
    tables.map(|file| file.metadata().unwrap().len()).sum()
}

/// The folder holds the tables of the current version and no other.
fn check_files(dir: &Path, family: &Family) {
    let version = &family.pin().version;
    let mut live: Vec<String> =
        version.all_files().map(|(_, file)| format!("{:06}.sst", file.number)).collect();
    live.sort();
    let names = std::fs::read_dir(dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut found: Vec<String> = names.filter(|name| name.ends_with(".sst")).collect();
    found.sort();
    assert_eq!(found, live);
}

#[test]
fn a_database_larger_than_its_cache_keeps_its_promises() {
    let mib = std::env::var("HEMATITE_SIZE_MIB").ok().and_then(|mib| mib.parse().ok());
    let setup = Setup::of(mib.unwrap_or(24));
    let _watchdog = Watchdog::new("the size test", 600 + 20 * mib.unwrap_or(24));
    let mut random = Random::from_env(41);
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("db");
    let (db, family) = setup.open(&dir);
    // Not zero, which would leave the memory to be taken later.
    let mut model = Model { rounds: vec![u8::MAX; setup.keys as usize] };
    let memory_before = peak_memory();
    let metadata = MetadataPeak::watch(&family);
    let mut longest = Duration::ZERO;
    for round in 1..=3 {
        let start = Instant::now();
        longest = longest.max(write_round(&db, &mut model, round, &mut random));
        println!("round {round}: {:?}, longest wait {longest:?}", start.elapsed());
    }
    settle(&db, &family);
    check_reads(&db, &family, &model, &mut random);
    check_space(&db, &family, &dir);
    longest = longest.max(delete_half(&db, &mut model, &mut random));
    settle(&db, &family);
    check_reads(&db, &family, &model, &mut random);
    check_files(&dir, &family);
    check_memory(&setup, metadata.stop(), memory_before);
    println!("longest wait {longest:?}");
    assert!(longest < LONGEST_WAIT, "a write waited {longest:?}");
    db.close().unwrap();
}

/// Settled tables take at most so much more room, in per cent, than the same data fully compacted.
const SPACE_AMPLIFICATION: u64 = 130;

fn check_space(db: &Db, family: &Arc<Family>, dir: &Path) {
    let settled = table_bytes(dir);
    db.compact_range(family, &CompactRangeOptions::default(), None, None).unwrap();
    settle(db, family);
    let compact = table_bytes(dir);
    println!("{settled} bytes of tables, {compact} when fully compacted");
    assert!(settled * 100 <= compact * SPACE_AMPLIFICATION, "{settled} bytes for {compact}");
}
