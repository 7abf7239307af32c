//! A database with compactions under way.

use super::super::db_tests::TestDb;
use crate::base::clock::unix_seconds;
use crate::base::key::SequenceNumber;
use crate::base::random::Random;
use crate::base::status::Code;
use crate::base::sync::{Arc, AtomicBool, thread};
use crate::batch::WriteBatch;
use crate::codec::CompressionType;
use crate::compaction::levels::runs_that_stall;
use crate::compaction::score::Scores;
use crate::db::Snapshot;
use crate::env::Env;
use crate::env::file_system::FileSystem;
use crate::env::names::{FileType, parse_file_name};
use crate::env::pool::Priority;
use crate::options::compact::{CompactFilesOptions, CompactRangeOptions, WaitForCompactOptions};
use crate::options::compaction::FileTemperatureAge;
use crate::options::enums::{
    BottommostLevelCompaction, CompactionPri, CompactionStyle, Temperature,
};
use crate::options::{CfOptions, FlushOptions, ReadOptions, WriteOptions};
use crate::read::iterator::DbIterator;
use crate::stats::Ticker;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// Small levels, so that a little data fills several.
fn small() -> CfOptions {
    CfOptions {
        write_buffer_size: 64 << 10,
        arena_block_size: 4096,
        target_file_size_base: 32 << 10,
        max_bytes_for_level_base: 128 << 10,
        max_bytes_for_level_multiplier: 4.0,
        level0_file_num_compaction_trigger: 2,
        compression: CompressionType::None,
        ..CfOptions::default()
    }
}

impl TestDb {
    fn small() -> TestDb {
        let mut test = TestDb::new();
        test.cf = small();
        test.db.max_background_jobs = 4;
        test
    }

    fn settle(&self) {
        let options = WaitForCompactOptions { wait_for_purge: true, ..Default::default() };
        self.db().wait_for_compact(&options).unwrap();
    }

    fn level_sizes(&self, family: usize) -> Vec<usize> {
        let version = self.family(family).persistent.current();
        (0..version.num_levels()).map(|level| version.files(level).len()).collect()
    }

    fn compact(&self, options: &CompactRangeOptions) {
        self.db().compact_range(self.family(0), options, None, None).unwrap();
    }

    /// The folder's tables are those of the current versions.
    fn check_folder(&self) {
        let fs = self.db().env().fs();
        let files = table_numbers(&**fs, self.db().dir());
        let families = self.names.len();
        let versions = (0..families).map(|at| self.family(at).persistent.current());
        let live: BTreeSet<u64> = versions
            .flat_map(|v| v.all_files().map(|(_, file)| file.number).collect::<Vec<_>>())
            .collect();
        assert_eq!(files, live);
    }

    fn check_levels(&self, family: usize) {
        let version = self.family(family).persistent.current();
        if self.cf.compaction_style == CompactionStyle::Universal {
            let trigger = self.cf.level0_file_num_compaction_trigger as usize;
            assert!(runs_that_stall(&version, &self.cf) <= trigger);
            return;
        }
        let scores = Scores::new(&version, &self.family(family).options, unix_seconds());
        assert!(!scores.want_compaction(), "{:?}", scores.by_urgency);
    }
}

fn table_numbers(fs: &dyn FileSystem, dir: &Path) -> BTreeSet<u64> {
    let names = fs.list(dir).unwrap();
    let tables = names.iter().filter_map(|name| match parse_file_name(name) {
        Some((number, FileType::Table)) => Some(number),
        _ => None,
    });
    tables.collect()
}

fn key(random: &mut Random, keys: u64) -> Vec<u8> {
    format!("{:08}", random.below(keys) * 7919 % keys).into_bytes()
}

/// Writes to all column families, and to a model of each.
fn write(test: &TestDb, random: &mut Random, models: &mut [Model], keys: u64) {
    let mut batch = WriteBatch::new();
    for (at, model) in models.iter_mut().enumerate() {
        let key = key(random, keys);
        if random.one_in(4) {
            batch.delete(test.family(at).id(), &key).unwrap();
            model.remove(&key);
        } else {
            let len = random.below(300) as usize;
            let value = random.bytes(len);
            batch.put(test.family(at).id(), &key, &value).unwrap();
            model.insert(key, value);
        }
    }
    test.db().write(&WriteOptions::default(), &mut batch).unwrap();
}

fn read_all(mut iter: DbIterator) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        found.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().unwrap();
    found
}

fn is_model(found: &[(Vec<u8>, Vec<u8>)], model: &Model) -> bool {
    found.iter().map(|(key, value)| (key, value)).eq(model.iter())
}

/// Overwrites, deletes, snapshots, iterators and reopenings while compactions run.
fn run_against_model(test: &mut TestDb, seed: u64, steps: u64) {
    let mut random = Random::from_env(seed);
    test.names = vec!["default", "second"];
    test.reopen();
    let mut models = vec![Model::new(); 2];
    let mut snapshots: Vec<(Snapshot, Model)> = Vec::new();
    let mut iters: Vec<(DbIterator, Model)> = Vec::new();
    for step in 0..steps {
        write(test, &mut random, &mut models, 600);
        match random.below(400) {
            0 => snapshots.push((test.db().snapshot(), models[0].clone())),
            1 if !snapshots.is_empty() => {
                let at = random.below(snapshots.len() as u64) as usize;
                let (snapshot, model) = snapshots.swap_remove(at);
                check_snapshot(test, &snapshot, &model);
                test.db().release_snapshot(snapshot);
            }
            2 => {
                let iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
                iters.push((iter, models[0].clone()));
            }
            3 if !iters.is_empty() => {
                let at = random.below(iters.len() as u64) as usize;
                let (iter, model) = iters.swap_remove(at);
                assert!(is_model(&read_all(iter), &model));
            }
            4 => {
                let (a, b) = (key(&mut random, 600), key(&mut random, 600));
                let range = (Some(&a.min(b.clone())[..]), Some(&b[..]));
                let options = CompactRangeOptions {
                    exclusive_manual_compaction: random.one_in(2),
                    ..CompactRangeOptions::default()
                };
                test.db().compact_range(test.family(0), &options, range.0, range.1).unwrap();
            }
            5 if step > steps / 2 && random.one_in(3) => {
                iters.clear();
                for (snapshot, _) in snapshots.drain(..) {
                    test.db().release_snapshot(snapshot);
                }
                test.reopen();
            }
            _ => {}
        }
    }
    drop(iters);
    for (snapshot, model) in snapshots {
        check_snapshot(test, &snapshot, &model);
        test.db().release_snapshot(snapshot);
    }
    test.settle();
    for (at, model) in models.iter().enumerate() {
        assert!(is_model(&test.contents(at), model));
        test.check_levels(at);
    }
    test.check_folder();
    test.reopen();
    test.settle();
    test.check_folder();
    for (at, model) in models.iter().enumerate() {
        assert!(is_model(&test.contents(at), model));
    }
}

fn check_snapshot(test: &TestDb, snapshot: &Snapshot, model: &Model) {
    let sequence: SequenceNumber = snapshot.sequence();
    let options = ReadOptions { snapshot: Some(sequence), ..ReadOptions::default() };
    let iter = test.db().iter(test.family(0), &options).unwrap();
    assert!(is_model(&read_all(iter), model));
}

#[test]
fn data_stays_right_while_compactions_run() {
    run_against_model(&mut TestDb::small(), 0xc0, 12_000);
}

#[test]
fn and_with_fixed_levels_and_several_threads() {
    let mut test = TestDb::small();
    test.cf.level_compaction_dynamic_level_bytes = false;
    test.cf.compaction_pri = CompactionPri::RoundRobin;
    test.db.max_subcompactions = 3;
    test.db.env.set_background_threads(1, Priority::Bottom);
    run_against_model(&mut test, 0xc1, 8_000);
}

#[test]
fn and_in_sorted_runs() {
    let mut test = TestDb::small();
    test.cf.compaction_style = CompactionStyle::Universal;
    test.db.max_subcompactions = 3;
    run_against_model(&mut test, 0xc3, 6_000);
}

#[test]
fn and_in_sorted_runs_with_all_that_universal_compaction_can_do() {
    let mut test = TestDb::small();
    test.cf.compaction_style = CompactionStyle::Universal;
    test.cf.max_compaction_bytes = 64 << 10;
    test.cf.compaction_options_universal.incremental = true;
    test.cf.compaction_options_universal.allow_trivial_move = true;
    test.cf.compaction_options_universal.compression_size_percent = 50;
    // Compactions into the last level wait there, with the oldest run only.
    test.db.env.set_background_threads(1, Priority::Bottom);
    run_against_model(&mut test, 0xc4, 6_000);
}

#[test]
fn and_in_sorted_runs_on_one_level() {
    let mut test = TestDb::small();
    test.cf.compaction_style = CompactionStyle::Universal;
    test.cf.num_levels = 1;
    run_against_model(&mut test, 0xc5, 4_000);
}

#[test]
fn the_oldest_tables_of_a_queue_go() {
    let mut test = TestDb::small();
    test.cf.compaction_style = CompactionStyle::Fifo;
    test.cf.compaction_options_fifo.max_table_files_size = 50_000;
    test.db.statistics = Some(Arc::default());
    test.reopen();
    for from in (0..600).step_by(50) {
        fill(&test, from, from + 50);
        test.db().flush(std::slice::from_ref(test.family(0)), &FlushOptions::default()).unwrap();
    }
    test.settle();
    let version = test.family(0).persistent.current();
    let bytes = version.levels()[0].bytes();
    assert!((30_000..=50_000).contains(&bytes), "{bytes}");
    drop(version);
    let kept = test.contents(0);
    assert_eq!(kept[kept.len() - 1].0, b"00000599");
    let first: usize = String::from_utf8_lossy(&kept[0].0).parse().unwrap();
    assert!(first > 0 && first.is_multiple_of(50) && kept.len() == 600 - first, "{first}");
    let dropped = test.db.statistics.as_ref().unwrap().ticker(Ticker::FifoMaxSizeCompactions);
    // One may drop several.
    assert!((1..=first as u64 / 50).contains(&dropped), "{dropped}");
    test.check_folder();
    let change = CompactRangeOptions { change_level: true, ..CompactRangeOptions::default() };
    let error = test.db().compact_range(test.family(0), &change, None, None).unwrap_err();
    assert_eq!(error.code(), Code::NotSupported);
    test.reopen();
    assert_eq!(test.contents(0), kept);
}

#[test]
fn tables_of_a_queue_change_their_temperature() {
    let mut test = TestDb::small();
    test.cf.compaction_style = CompactionStyle::Fifo;
    test.cf.num_levels = 1;
    let warm = FileTemperatureAge { temperature: Temperature::Warm, age: 0 };
    test.cf.compaction_options_fifo.file_temperature_age_thresholds = vec![warm];
    test.db.statistics = Some(Arc::default());
    test.reopen();
    fill(&test, 0, 50);
    test.db().flush(std::slice::from_ref(test.family(0)), &FlushOptions::default()).unwrap();
    test.settle();
    let changed = test.db.statistics.as_ref().unwrap();
    assert_eq!(changed.ticker(Ticker::FifoChangeTemperatureCompactions), 1);
    // The MANIFEST keeps it, so that nothing is left to do.
    test.reopen();
    test.settle();
    let version = test.family(0).persistent.current();
    let temperatures: Vec<u8> = version.files(0).iter().map(|file| file.temperature).collect();
    assert_eq!(temperatures, [Temperature::Warm as u8]);
    assert_eq!(test.contents(0).len(), 50);
    let changed = test.db.statistics.as_ref().unwrap();
    assert_eq!(changed.ticker(Ticker::FifoChangeTemperatureCompactions), 1);
}

#[test]
fn nothing_is_compacted_in_no_style_but_what_is_asked_for() {
    let mut test = TestDb::small();
    test.cf.compaction_style = CompactionStyle::None;
    test.reopen();
    for _ in 0..6 {
        fill(&test, 0, 50);
        test.db().flush(std::slice::from_ref(test.family(0)), &FlushOptions::default()).unwrap();
    }
    test.settle();
    test.compact(&CompactRangeOptions::default());
    assert_eq!(test.level_sizes(0)[0], 6);
    let names: Vec<String> = {
        let version = test.family(0).persistent.current();
        version.files(0).iter().map(|file| format!("{:06}.sst", file.number)).collect()
    };
    let options = CompactFilesOptions::default();
    test.db().compact_files(test.family(0), &options, &names, 3, -1).unwrap();
    assert_eq!(test.level_sizes(0)[..4], [0, 0, 0, 1]);
    assert_eq!(test.contents(0).len(), 50);
}

#[test]
fn and_on_a_real_file_system() {
    let dir = tempfile("compactions");
    let mut test = TestDb::small();
    test.db.env = Env::default();
    test.path.clone_from(&dir);
    run_against_model(&mut test, 0xc2, 6_000);
    test.close();
    std::fs::remove_dir_all(&dir).unwrap();
}

fn tempfile(name: &str) -> std::path::PathBuf {
    let dir = std::env::temp_dir().join(format!("hematite-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

fn fill(test: &TestDb, from: u64, to: u64) {
    for at in from..to {
        test.put(&format!("{at:08}"), &format!("{at:0>200}")).unwrap();
    }
}

#[test]
fn ascending_keys_are_moved_not_rewritten() {
    let mut test = TestDb::small();
    test.cf.level_compaction_dynamic_level_bytes = false;
    test.reopen();
    for part in 0..8 {
        fill(&test, part * 100, part * 100 + 100);
        test.flush();
        test.settle();
    }
    let sizes = test.level_sizes(0);
    assert!(sizes[1] > 0 && sizes[0] < 2, "{sizes:?}");
    // Flushes wrote every file there is, since a move keeps the number.
    let version = test.family(0).persistent.current();
    let files: Vec<_> = version.all_files().map(|(_, file)| file.clone()).collect();
    assert_eq!(files.len(), 8);
    assert!(files.iter().all(|file| file.largest_seqno > 0));
    test.check_folder();
    assert_eq!(test.contents(0).len(), 800);
}

#[test]
fn a_manual_compaction_goes_to_the_last_level_and_drops_deletions() {
    let mut test = TestDb::small();
    test.cf.disable_auto_compactions = true;
    test.reopen();
    for part in 0..5 {
        fill(&test, part * 60, part * 60 + 100);
        test.flush();
    }
    for at in 0..300 {
        test.db()
            .write_lone(&WriteOptions::default(), |batch| {
                batch.delete(0, format!("{at:08}").as_bytes())
            })
            .unwrap();
    }
    assert_eq!(test.level_sizes(0)[0], 5);
    test.compact(&CompactRangeOptions::default());
    let sizes = test.level_sizes(0);
    assert_eq!(sizes[..6], [0; 6], "{sizes:?}");
    let version = test.family(0).persistent.current();
    assert!(version.all_files().all(|(_, file)| file.largest_seqno == 0));
    assert_eq!(test.contents(0).len(), 40);
    drop(version);
    test.check_folder();
}

#[test]
fn the_last_level_is_rewritten_as_the_options_say() {
    let mut test = TestDb::small();
    test.reopen();
    fill(&test, 0, 300);
    test.compact(&CompactRangeOptions::default());
    let numbers = |test: &TestDb| table_numbers(&**test.db().env().fs(), test.db().dir());
    let before = numbers(&test);
    for (how, same) in [
        (BottommostLevelCompaction::Skip, true),
        (BottommostLevelCompaction::IfHaveCompactionFilter, true),
        (BottommostLevelCompaction::Force, false),
        (BottommostLevelCompaction::ForceOptimized, false),
    ] {
        let options = CompactRangeOptions {
            bottommost_level_compaction: how,
            ..CompactRangeOptions::default()
        };
        let before = numbers(&test);
        test.compact(&options);
        assert_eq!(numbers(&test) == before, same, "{how:?}");
        assert!(same || numbers(&test).is_disjoint(&before), "{how:?}");
    }
    assert!(numbers(&test).is_disjoint(&before));
}

#[test]
fn a_compacted_level_can_be_moved() {
    let mut test = TestDb::small();
    test.cf.level_compaction_dynamic_level_bytes = false;
    test.cf.max_bytes_for_level_base = 1 << 30;
    test.reopen();
    fill(&test, 0, 300);
    let options = CompactRangeOptions { change_level: true, target_level: 4, ..Default::default() };
    test.compact(&options);
    assert!(test.level_sizes(0)[4] > 0, "{:?}", test.level_sizes(0));
    // Back to the highest level with room.
    let options = CompactRangeOptions { change_level: true, ..Default::default() };
    test.compact(&options);
    assert!(test.level_sizes(0)[1] > 0, "{:?}", test.level_sizes(0));
    let options = CompactRangeOptions { change_level: true, target_level: 9, ..Default::default() };
    let error = test.db().compact_range(test.family(0), &options, None, None).unwrap_err();
    assert_eq!(error.to_string(), "Invalid argument: Target level exceeds number of levels");
    test.reopen();
    assert_eq!(test.contents(0).len(), 300);
    // Background work goes on.
    fill(&test, 300, 3000);
    test.settle();
    test.check_levels(0);
}

#[test]
fn manual_compactions_can_be_called_off() {
    let mut test = TestDb::small();
    test.cf.disable_auto_compactions = true;
    test.reopen();
    fill(&test, 0, 300);
    let compact = |options: &CompactRangeOptions| {
        test.db().compact_range(test.family(0), options, None, None)
    };
    let options = CompactRangeOptions {
        canceled: Some(Arc::new(AtomicBool::new(true))),
        ..CompactRangeOptions::default()
    };
    let error = compact(&options).unwrap_err();
    assert_eq!(error.to_string(), "Result incomplete: Manual compaction paused");
    test.db().disable_manual_compaction();
    let error = compact(&CompactRangeOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "Result incomplete: Manual compaction paused");
    test.db().enable_manual_compaction();
    compact(&CompactRangeOptions::default()).unwrap();
    assert_eq!(test.level_sizes(0)[0], 0);
}

#[test]
fn named_files_are_compacted() {
    let mut test = TestDb::small();
    test.cf.disable_auto_compactions = true;
    test.reopen();
    for _ in 0..3 {
        fill(&test, 0, 100);
        test.flush();
    }
    let files: Vec<u64> =
        test.family(0).persistent.current().files(0).iter().map(|file| file.number).collect();
    let name = |number: u64| format!("/{number:06}.sst");
    let options = CompactFilesOptions::default();
    let compact = |names: &[String], level| {
        test.db().compact_files(test.family(0), &options, names, level, -1)
    };
    let output = compact(&[name(files[1])], 3).unwrap();
    assert_eq!(output.len(), 1);
    assert_eq!(test.level_sizes(0), [1, 0, 0, 1, 0, 0, 0]);
    assert!(test.db().env().fs().exists(&output[0]).unwrap());
    let error = compact(&[name(files[1])], 3).unwrap_err();
    assert!(error.to_string().contains("does not exist in column family default"), "{error}");
    let error = compact(&[name(files[0])], 7).unwrap_err();
    assert!(error.to_string().contains("must between [0, 6]"), "{error}");
    assert_eq!(test.contents(0).len(), 100);
    test.check_folder();
}

#[test]
fn whole_files_of_a_range_are_dropped() {
    let mut test = TestDb::small();
    test.cf.level_compaction_dynamic_level_bytes = false;
    test.cf.disable_auto_compactions = true;
    test.reopen();
    fill(&test, 0, 1000);
    test.compact(&CompactRangeOptions::default());
    let before = test.level_sizes(0)[1];
    assert!(before > 4, "{before}");
    let range = (Some(&b"00000200"[..]), Some(&b"00000800"[..]));
    test.db().delete_files_in_range(test.family(0), range.0, range.1).unwrap();
    assert!(test.level_sizes(0)[1] < before);
    let left = test.contents(0);
    assert!(left.iter().any(|(key, _)| key[..] < b"00000200"[..]));
    assert_eq!(left.iter().filter(|(key, _)| key[..] < b"00000200"[..]).count(), 200);
    assert!(left.len() < 800, "{}", left.len());
    test.check_folder();
    test.db().delete_files_in_range(test.family(0), None, None).unwrap();
    assert_eq!(test.contents(0).len(), 0);
    test.check_folder();
}

#[test]
fn suggested_ranges_are_compacted_in_the_background() {
    let mut test = TestDb::small();
    test.cf.level_compaction_dynamic_level_bytes = false;
    test.cf.max_bytes_for_level_base = 1 << 30;
    test.cf.level0_file_num_compaction_trigger = 100;
    test.reopen();
    fill(&test, 0, 100);
    test.compact(&CompactRangeOptions::default());
    fill(&test, 50, 60);
    test.flush();
    test.db().suggest_compact_range(test.family(0), Some(b"00000055"), None).unwrap();
    test.settle();
    assert_eq!(test.level_sizes(0)[..2], [0, 1]);
    assert_eq!(test.contents(0).len(), 100);
}

#[test]
fn a_released_snapshot_lets_old_files_be_cleaned() {
    let mut test = TestDb::small();
    test.reopen();
    fill(&test, 0, 100);
    let snapshot = test.db().snapshot();
    fill(&test, 0, 100);
    test.compact(&CompactRangeOptions::default());
    let entries = |test: &TestDb| {
        let version = test.family(0).persistent.current();
        version.all_files().map(|(_, file)| file.counts().unwrap().entries).sum::<u64>()
    };
    assert_eq!(entries(&test), 200);
    // As in RocksDB, the newest sequence number itself does not count as readable by all.
    test.put("z", "").unwrap();
    test.db().release_snapshot(snapshot);
    test.settle();
    assert_eq!(entries(&test), 100);
    let version = test.family(0).persistent.current();
    assert!(version.all_files().all(|(_, file)| file.largest_seqno == 0));
}

#[test]
fn files_stay_as_long_as_an_iterator_reads_them() {
    let mut test = TestDb::small();
    test.cf.disable_auto_compactions = true;
    test.reopen();
    fill(&test, 0, 200);
    test.flush();
    let iter = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    let before = table_numbers(&**test.db().env().fs(), test.db().dir());
    test.compact(&CompactRangeOptions::default());
    let both = table_numbers(&**test.db().env().fs(), test.db().dir());
    assert!(both.is_superset(&before));
    assert_eq!(read_all(iter).len(), 200);
    // The end of the iterator has them removed.
    test.settle();
    test.check_folder();
}

#[test]
fn paused_work_does_not_begin() {
    let mut test = TestDb::small();
    test.reopen();
    test.db().pause_background_work().unwrap();
    let options = FlushOptions { wait: false, ..FlushOptions::default() };
    test.put("a", "1").unwrap();
    test.db().flush(&[test.family(0).clone()], &options).unwrap();
    thread::sleep(Duration::from_millis(50));
    assert_eq!(test.level_sizes(0)[0], 0);
    let abort = WaitForCompactOptions { abort_on_pause: true, ..Default::default() };
    assert_eq!(test.db().wait_for_compact(&abort).unwrap_err().code(), Code::Aborted);
    let timeout = WaitForCompactOptions { timeout: 20_000, ..Default::default() };
    assert_eq!(test.db().wait_for_compact(&timeout).unwrap_err().code(), Code::TimedOut);
    test.db().continue_background_work().unwrap();
    test.settle();
    assert_eq!(test.level_sizes(0).iter().sum::<usize>(), 1);
    let error = test.db().continue_background_work().unwrap_err();
    assert_eq!(error.to_string(), "Invalid argument: Background work already unpaused");
    // Closing ends a pause.
    test.db().pause_background_work().unwrap();
    test.reopen();
    assert_eq!(test.get("a").as_deref(), Some("1"));
}

#[test]
fn canceled_work_ends_and_stalled_writes_with_it() {
    let mut test = TestDb::small();
    test.reopen();
    fill(&test, 0, 100);
    test.db().cancel_all_background_work(true).unwrap();
    let mut at = 100;
    let error = loop {
        match test.put(&format!("{at:08}"), &"x".repeat(1000)) {
            Ok(()) => at += 1,
            Err(error) => break error,
        }
        assert!(at < 10_000);
    };
    assert_eq!(error.code(), Code::ShutdownInProgress);
    let error =
        test.db().compact_range(test.family(0), &CompactRangeOptions::default(), None, None);
    assert_eq!(error.unwrap_err().code(), Code::ShutdownInProgress);
    test.reopen();
    assert_eq!(test.contents(0).len() as u64, at);
}

#[test]
fn waiting_can_close_the_database() {
    let mut test = TestDb::small();
    test.reopen();
    fill(&test, 0, 2000);
    let options =
        WaitForCompactOptions { flush: true, close_db: true, ..WaitForCompactOptions::default() };
    test.db().wait_for_compact(&options).unwrap();
    let error = test.put("x", "y").unwrap_err();
    assert_eq!(error.code(), Code::ShutdownInProgress);
    test.reopen();
    assert_eq!(test.contents(0).len(), 2000);
}

/// Files pile up on level 0 until compaction may begin.
#[test]
fn writes_stop_and_go_on_with_level_0() {
    let mut test = TestDb::small();
    test.cf.level0_slowdown_writes_trigger = 3;
    test.cf.level0_stop_writes_trigger = 4;
    test.reopen();
    test.db().state.lock().compactions_paused += 1;
    let value = "x".repeat(1000);
    let no_slowdown = WriteOptions { no_slowdown: true, ..WriteOptions::default() };
    let start = Instant::now();
    let error = loop {
        let written = test.db().write_lone(&no_slowdown, |batch| {
            batch.put(0, format!("{:?}", start.elapsed()).as_bytes(), value.as_bytes())
        });
        match written {
            // The memtable that waits for its flush is no stall of level 0.
            Err(error) if test.level_sizes(0)[0] >= 3 => break error,
            _ => {}
        }
        assert!(start.elapsed() < Duration::from_secs(60));
    };
    assert_eq!(error.to_string(), "Result incomplete: Write stall");
    // Others wait.
    let db = test.db().clone();
    let writer = thread::spawn(move || {
        for at in 0..2000 {
            let key = format!("w{at:08}");
            let value = vec![b'x'; 1000];
            let fill = |batch: &mut WriteBatch| batch.put(0, key.as_bytes(), &value);
            db.write_lone(&WriteOptions::default(), fill).unwrap();
        }
    });
    while test.level_sizes(0)[0] < 4 {
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(Duration::from_millis(50));
    assert!(!writer.is_finished());
    {
        let mut state = test.db().state.lock();
        state.compactions_paused -= 1;
        test.db().schedule_compactions(&mut state);
    }
    writer.join().unwrap();
    test.settle();
    test.check_levels(0);
}

#[test]
fn a_pool_without_a_thread_for_it_ends_no_close() {
    let mut test = TestDb::small();
    test.reopen();
    test.db.env.set_background_threads(0, Priority::Low);
    fill(&test, 0, 1500);
    test.reopen();
    test.settle();
    assert_eq!(test.contents(0).len(), 1500);
}
