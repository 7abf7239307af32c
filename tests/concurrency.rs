//! Writers, readers, iterators and snapshots at the same time, while memtables are flushed, tables
//! are compacted and column families come and go. Every view holds exactly one prefix of each writer's history.
//!
//! `HEMATITE_SECONDS` sets for how long, `HEMATITE_SEED` the seed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

#[path = "support/numbered.rs"]
mod numbered;
#[path = "support/watchdog.rs"]
mod watchdog;

use hematite::base::random::Random;
use hematite::base::sync::{Arc, AtomicBool, AtomicU64, Ordering};
use hematite::batch::WriteBatch;
use hematite::db::{Db, Family, FamilyOptions, OpenRequest, open};
use hematite::env::Env;
use hematite::options::compact::CompactRangeOptions;
use hematite::options::enums::BottommostLevelCompaction;
use hematite::options::{CfOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions};
use hematite::plug::logger::NullLogger;
use hematite::read::iterator::DbIterator;
use numbered::{batch, expected, marker_of, scan};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use watchdog::Watchdog;

const WRITERS: usize = 3;

type Contents = BTreeMap<Vec<u8>, Vec<u8>>;

/// How far a writer is.
#[derive(Default)]
struct Progress {
    begun: AtomicU64,
    done: AtomicU64,
}

struct Stage {
    db: Arc<Db>,
    families: Vec<Arc<Family>>,
    cf: CfOptions,
    writers: [Progress; WRITERS],
    over: AtomicBool,
    views: AtomicU64,
}

impl Stage {
    fn open() -> Stage {
        let cf = CfOptions {
            write_buffer_size: 64 << 10,
            arena_block_size: 4096,
            level0_file_num_compaction_trigger: 2,
            target_file_size_base: 8 << 10,
            max_bytes_for_level_base: 32 << 10,
            max_bytes_for_level_multiplier: 2.0,
            ..CfOptions::default()
        };
        let family = |name: &str| FamilyOptions { name: name.into(), options: cf.clone() };
        let options = DbOptions {
            create_if_missing: true,
            create_missing_column_families: true,
            env: Env::memory(),
            info_log: Some(Arc::new(NullLogger)),
            max_subcompactions: 2,
            ..DbOptions::default()
        };
        let (db, families) = open(OpenRequest {
            path: PathBuf::from("/db"),
            options,
            families: vec![family("default"), family("second")],
            read_only: false,
            error_if_wal_file_exists: false,
        })
        .unwrap();
        let over = AtomicBool::new(false);
        Stage { db, families, cf, writers: Default::default(), over, views: AtomicU64::new(0) }
    }

    fn until_over(&self, mut work: impl FnMut()) {
        while !self.over.load(Ordering::Relaxed) {
            work();
        }
    }

    fn done(&self) -> Vec<u64> {
        self.writers.iter().map(|w| w.done.load(Ordering::SeqCst)).collect()
    }

    fn begun(&self) -> Vec<u64> {
        self.writers.iter().map(|w| w.begun.load(Ordering::SeqCst)).collect()
    }

    fn write(&self, thread: usize, rng: &mut Random) {
        let Progress { begun, done } = &self.writers[thread];
        let mut number = 0;
        self.until_over(|| {
            number += 1;
            begun.store(number, Ordering::SeqCst);
            let options = WriteOptions { sync: rng.one_in(20), ..WriteOptions::default() };
            let mut batch = batch(thread as u64, number, &self.families);
            self.db.write(&options, &mut batch).unwrap();
            done.store(number, Ordering::SeqCst);
        });
    }

    fn markers(&self, at: usize, options: &ReadOptions) -> Vec<u64> {
        let marker = |thread| marker_of(&self.db, &self.families[at], options, thread);
        (0..WRITERS as u64).map(marker).collect()
    }

    /// Checks that a view made between two moments holds neither too little nor too much.
    fn check_bounds(&self, done: &[u64], markers: &[u64], begun: &[u64]) {
        for ((done, marker), begun) in done.iter().zip(markers).zip(begun) {
            assert!(done <= marker, "{marker} seen, {done} was acknowledged before");
            assert!(marker <= begun, "{marker} seen, {begun} was not begun after");
        }
        self.views.fetch_add(1, Ordering::Relaxed);
    }

    fn read_snapshots(&self, rng: &mut Random) {
        self.until_over(|| {
            let done = self.done();
            let snapshot = self.db.snapshot();
            let begun = self.begun();
            let options =
                ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
            let markers = self.markers(0, &options);
            self.check_bounds(&done, &markers, &begun);
            for _ in 0..1 + rng.below(3) {
                assert_eq!(self.markers(1, &options), markers, "half a batch");
                for at in 0..2 {
                    self.check_gets(at, &options, &markers, rng);
                    let mut iter = self.db.iter(&self.families[at], &options).unwrap();
                    assert!(scan(&mut iter) == expected(at, &markers), "family {at}, {markers:?}");
                }
                // The memtables of this moment go meanwhile.
                std::thread::sleep(Duration::from_millis(rng.below(30)));
            }
            self.db.release_snapshot(snapshot);
        });
    }

    fn check_gets(&self, at: usize, options: &ReadOptions, markers: &[u64], rng: &mut Random) {
        let expected = expected(at, markers);
        for _ in 0..20 {
            let thread = rng.below(WRITERS as u64);
            let key = format!("t{thread}-{:02}", rng.below(40)).into_bytes();
            let found = self.db.get_pinned(&self.families[at], options, &key).unwrap();
            let found = found.as_ref().map(|value| value.as_slice());
            assert!(found == expected.get(&key).map(|v| &v[..]), "{key:?} after {markers:?}");
        }
    }

    /// Iterators over both families as of one moment.
    fn iterate(&self, rng: &mut Random) {
        self.until_over(|| {
            let done = self.done();
            let mut iters = self.db.iters(&self.families, &ReadOptions::default()).unwrap();
            let begun = self.begun();
            let first = scan(&mut iters[0]);
            let markers: Vec<u64> = (0..WRITERS).map(|t| marker_in(&first, t)).collect();
            self.check_bounds(&done, &markers, &begun);
            for (at, iter) in iters.iter_mut().enumerate() {
                let expected = expected(at, &markers);
                assert!(scan(iter) == expected, "family {at} after {markers:?}");
                walk(iter, &expected, rng);
                assert!(scan_back(iter) == expected, "family {at} backward after {markers:?}");
            }
        });
    }

    /// Flushes, and makes and drops column families.
    fn disturb(&self, rng: &mut Random) {
        let mut number = 0;
        self.until_over(|| {
            if rng.one_in(4) {
                number += 1;
                self.come_and_go(number);
            }
            let at = rng.below(2) as usize;
            let chosen = if rng.one_in(2) { &self.families[..] } else { &self.families[at..=at] };
            if rng.one_in(6) {
                self.compact(at, rng);
            }
            let wait = rng.one_in(2);
            self.db.flush(chosen, &FlushOptions { wait, ..FlushOptions::default() }).unwrap();
            std::thread::sleep(Duration::from_millis(rng.below(15)));
        });
    }

    /// Compacts what one or all writers have in a column family.
    fn compact(&self, at: usize, rng: &mut Random) {
        let begin = rng.one_in(2).then(|| format!("t{}", rng.below(WRITERS as u64)).into_bytes());
        let end = begin.as_ref().map(|begin| [&begin[..], b"~"].concat());
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            max_subcompactions: rng.below(4) as u32,
            ..CompactRangeOptions::default()
        };
        let family = &self.families[at];
        self.db.compact_range(family, &options, begin.as_deref(), end.as_deref()).unwrap();
    }

    fn come_and_go(&self, number: u64) {
        let name = format!("passing{number}").into_bytes();
        let asked = FamilyOptions { name, options: self.cf.clone() };
        let family = self.db.create_family(asked).unwrap();
        let mut batch = WriteBatch::new();
        batch.put(family.id(), b"key", b"value").unwrap();
        self.db.write(&WriteOptions::default(), &mut batch).unwrap();
        if number.is_multiple_of(2) {
            let options = FlushOptions { wait: false, ..FlushOptions::default() };
            self.db.flush(std::slice::from_ref(&family), &options).unwrap();
        }
        self.db.drop_family(&family).unwrap();
        let found = self.db.get_pinned(&family, &ReadOptions::default(), b"key").unwrap();
        assert_eq!(found.unwrap().as_slice(), b"value", "a dropped family can be read");
    }
}

fn marker_in(contents: &Contents, thread: usize) -> u64 {
    let found = contents.get(format!("t{thread}").as_bytes());
    found.map_or(0, |value| u64::from_le_bytes(value[..].try_into().unwrap()))
}

fn scan_back(iter: &mut DbIterator) -> Contents {
    let mut found = Contents::new();
    iter.seek_to_last();
    while iter.valid() {
        found.insert(iter.key().to_vec(), iter.value().to_vec());
        iter.prev();
    }
    iter.status().unwrap();
    found
}

/// Seeks, and steps back and forth.
fn walk(iter: &mut DbIterator, expected: &Contents, rng: &mut Random) {
    let entries: Vec<_> = expected.iter().collect();
    for _ in 0..10 {
        let target = format!("t{}-{:02}", rng.below(4), rng.below(44)).into_bytes();
        let behind = entries.partition_point(|(key, _)| **key < target);
        let mut at = if rng.one_in(2) {
            iter.seek(&target);
            Some(behind).filter(|&at| at < entries.len())
        } else {
            iter.seek_for_prev(&target);
            let exact = entries.get(behind).is_some_and(|(key, _)| **key == target);
            if exact { Some(behind) } else { behind.checked_sub(1) }
        };
        for _ in 0..8 {
            let found = iter.valid().then(|| (iter.key(), iter.value()));
            let entry = at.map(|at| (&entries[at].0[..], &entries[at].1[..]));
            assert!(
                found == entry,
                "{:?} in place of {:?}",
                found.map(|f| f.0),
                entry.map(|e| e.0)
            );
            let Some(here) = at else { break };
            at = if rng.one_in(2) {
                iter.next();
                Some(here + 1).filter(|&at| at < entries.len())
            } else {
                iter.prev();
                here.checked_sub(1)
            };
        }
    }
    iter.status().unwrap();
}

#[test]
fn every_view_holds_one_prefix_of_each_writers_history() {
    let mut rng = Random::from_env(53);
    let seconds = std::env::var("HEMATITE_SECONDS").ok().and_then(|n| n.parse().ok());
    let seconds: u64 = seconds.unwrap_or(3);
    let _watchdog = Watchdog::new("the concurrency test", 60 + seconds);
    let stage = Stage::open();
    std::thread::scope(|scope| {
        let stage = &stage;
        // Also when a thread fails, lest the others go on for ever.
        let guarded = |mut rng: Random, work: &dyn Fn(&mut Random)| {
            let _over = SetWhenPanicking(&stage.over);
            work(&mut rng);
        };
        for thread in 0..WRITERS {
            let rng = Random::new(rng.next_u64());
            scope.spawn(move || guarded(rng, &|rng| stage.write(thread, rng)));
        }
        for _ in 0..2 {
            let (one, two) = (Random::new(rng.next_u64()), Random::new(rng.next_u64()));
            scope.spawn(move || guarded(one, &|rng| stage.read_snapshots(rng)));
            scope.spawn(move || guarded(two, &|rng| stage.iterate(rng)));
        }
        let rng = Random::new(rng.next_u64());
        scope.spawn(move || guarded(rng, &|rng| stage.disturb(rng)));
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end && !stage.over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        stage.over.store(true, Ordering::Relaxed);
    });
    let mut iter = stage.db.iter(&stage.families[0], &ReadOptions::default()).unwrap();
    stage.db.close().unwrap();
    assert!(scan(&mut iter) == expected(0, &stage.done()), "an iterator outlives the database");
    let views = stage.views.load(Ordering::Relaxed);
    println!("{:?} batches, {views} views", stage.done());
    assert!(views > 0, "nothing was looked at");
}

struct SetWhenPanicking<'a>(&'a AtomicBool);

impl Drop for SetWhenPanicking<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
