//! Tests of compaction plans.

use super::*;
use crate::base::comparator::{Bytewise, Comparator};
use crate::base::key::{InternalKey, ValueType};
use crate::base::random::Random;
use crate::compaction::running::RunningCompactions;
use crate::version::builder::VersionBuilder;

fn file(number: u64, first: &[u8], last: &[u8]) -> Arc<FileMeta> {
    Arc::new(FileMeta {
        number,
        file_size: 10 * number,
        smallest: InternalKey::new(first, number, ValueType::Value),
        largest: InternalKey::new(last, number, ValueType::Value),
        smallest_seqno: number,
        largest_seqno: number,
        epoch_number: number,
        ..FileMeta::default()
    })
}

fn version(files: &[(u32, Arc<FileMeta>)]) -> Arc<Version> {
    let empty = Arc::new(Version::empty(Comparator::Bytewise, 5));
    let mut builder = VersionBuilder::new(empty);
    builder.apply(&VersionEdit { new_files: files.to_vec(), ..VersionEdit::default() }).unwrap();
    Arc::new(builder.finish(true).unwrap())
}

fn plan(version: Arc<Version>, inputs: Vec<LevelInputs>, output_level: usize) -> CompactionPlan {
    CompactionPlan {
        version,
        inputs,
        work: CompactionWork::Rewrite,
        output: OutputOptions {
            level: output_level,
            path_id: 0,
            max_file_size: 100,
            target_file_size: 100,
            compression: CompressionType::None,
            compression_opts: CompressionOptions::default(),
            temperature: None,
        },
        grandparents: Vec::new(),
        max_compaction_bytes: 1000,
        max_subcompactions: 1,
        bottommost: false,
        is_full: false,
        is_manual: false,
        reason: CompactionReason::Unknown,
        score: 0.0,
    }
}

#[test]
fn sums_and_ranges_cover_all_inputs() {
    let files = [(0, file(1, b"c", b"f")), (0, file(2, b"b", b"d")), (1, file(3, b"d", b"x"))];
    let version = version(&files);
    let inputs = (0..2).map(|level| LevelInputs { level, files: version.files(level).to_vec() });
    let plan = plan(version.clone(), inputs.collect(), 1);
    assert_eq!(plan.start_level(), 0);
    assert_eq!(plan.input_bytes(), 60);
    assert_eq!(plan.user_key_range(), Some(&b"b"[..]..=&b"x"[..]));
    let mut edit = VersionEdit::new(0);
    plan.delete_inputs(&mut edit);
    assert_eq!(edit.deleted_files, [(0, 1), (0, 2), (1, 3)].into());
    plan.set_being_compacted(true);
    assert!(version.all_files().all(|(_, file)| file.is_being_compacted()));
    plan.set_being_compacted(false);
    assert!(!version.all_files().any(|(_, file)| file.is_being_compacted()));
}

#[test]
fn deeper_levels_are_seen_as_a_search_sees_them() {
    let mut random = Random::from_env(0xdee9);
    for _ in 0..200 {
        let mut files = Vec::new();
        for level in 1..5u32 {
            let mut key = 0u8;
            while key < 200 {
                let first = key + random.below(40) as u8;
                let last = first + random.below(10) as u8;
                files.push((level, file(files.len() as u64 + 1, &[first], &[last])));
                key = last + 1;
            }
        }
        let version = version(&files);
        let output_level = 1 + random.below(3) as usize;
        let plan = plan(version.clone(), Vec::new(), output_level);
        let mut deeper = plan.deeper_levels();
        let mut range = || {
            let first = random.below(250) as u8;
            (first, first.saturating_add(random.below(6) as u8))
        };
        let mut ranges: Vec<(u8, u8)> = (0..30).map(|_| range()).collect();
        ranges.sort_unstable();
        for (first, last) in ranges {
            let expected = files.iter().any(|(level, file)| {
                *level as usize > output_level
                    && file.smallest.user_key() <= &[last][..]
                    && file.largest.user_key() >= &[first][..]
            });
            assert_eq!(deeper.may_hold_range(&Bytewise, &[first], &[last]), expected);
        }
    }
}

#[test]
fn without_knowledge_of_older_files_every_key_may_be_there() {
    let version = version(&[(0, file(1, b"c", b"f"))]);
    let mut plan = plan(version, Vec::new(), 0);
    assert!(plan.deeper_levels().may_hold(&Bytewise, b"a"));
    plan.bottommost = true;
    assert!(!plan.deeper_levels().may_hold(&Bytewise, b"a"));
}

#[test]
fn the_sorted_runs_of_running_compactions_are_counted() {
    let files =
        [file(1, b"a", b"c"), file(2, b"a", b"c"), file(3, b"a", b"b"), file(4, b"c", b"d")];
    let [first, second, third, fourth] = files;
    let all = [(0, first.clone()), (0, second.clone()), (1, third.clone()), (1, fourth.clone())];
    let inputs = vec![
        LevelInputs { level: 0, files: vec![second, first] },
        LevelInputs { level: 1, files: vec![third, fourth] },
    ];
    let mut running = RunningCompactions::default();
    assert_eq!(running.sorted_runs(), 0);
    let id = running.add(&plan(version(&all), inputs, 1));
    assert_eq!(running.sorted_runs(), 3);
    running.remove(id);
    assert_eq!(running.sorted_runs(), 0);
}
