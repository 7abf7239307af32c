//! A tree of small files under random flushes and the compactions that are picked, several under
//! way at a time: nothing newer ever gets below something older, nothing is lost, and in the end
//! every level has its size.

use super::super::levels::{LevelTargets, runs_that_stall};
use super::super::manual::{RangeOutput, RangePick, RangeRequest};
use super::super::picker::Picker;
use super::super::plan::{CompactionPlan, CompactionWork};
use super::super::running::RunningCompactions;
use super::super::score::Scores;
use super::options;
use crate::base::comparator::Comparator;
use crate::base::key::{InternalKey, SequenceNumber, ValueType};
use crate::base::random::Random;
use crate::base::sync::Arc;
use crate::options::compaction::CompactionOptionsUniversal;
use crate::options::enums::{CompactionPri, CompactionStopStyle, CompactionStyle};
use crate::options::{CfOptions, DbOptions};
use crate::version::builder::VersionBuilder;
use crate::version::edit::VersionEdit;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;
use std::collections::HashMap;

/// Newest first within a key.
type Records = Vec<(u16, SequenceNumber)>;

struct Tree {
    random: Random,
    options: CfOptions,
    version: Arc<Version>,
    contents: HashMap<u64, Records>,
    running: RunningCompactions,
    under_way: Vec<(u64, CompactionPlan)>,
    newest: HashMap<u16, SequenceNumber>,
    sequence: SequenceNumber,
    next_number: u64,
    epoch: u64,
}

fn ikey((key, sequence): (u16, SequenceNumber)) -> InternalKey {
    InternalKey::new(&key.to_be_bytes(), sequence, ValueType::Value)
}

impl Tree {
    fn new(seed: u64) -> Tree {
        let random = Random::from_env(seed);
        Tree::with_options(random, 5, Tree::leveled_options)
    }

    /// In universal style, with all that it can do.
    fn universal(seed: u64) -> Tree {
        let mut random = Random::from_env(seed);
        let num_levels = [1, 2, 5][random.below(3) as usize];
        Tree::with_options(random, num_levels, Tree::universal_options)
    }

    fn with_options(
        mut random: Random,
        num_levels: usize,
        make: fn(&mut Random) -> CfOptions,
    ) -> Tree {
        let mut options = make(&mut random);
        options.sanitize(&DbOptions::default());
        Tree {
            random,
            options,
            version: Arc::new(Version::empty(Comparator::Bytewise, num_levels)),
            contents: HashMap::new(),
            running: RunningCompactions::default(),
            under_way: Vec::new(),
            newest: HashMap::new(),
            sequence: 0,
            next_number: 1,
            epoch: 1,
        }
    }

    fn universal_options(random: &mut Random) -> CfOptions {
        CfOptions {
            compaction_style: CompactionStyle::Universal,
            level0_file_num_compaction_trigger: 2 + random.below(4) as i32,
            level0_stop_writes_trigger: [6, 36][random.below(2) as usize],
            max_compaction_bytes: [60, 200, 1000][random.below(3) as usize],
            compaction_options_universal: CompactionOptionsUniversal {
                size_ratio: [0, 1, 50][random.below(3) as usize],
                max_merge_width: [3, 35, u32::MAX][random.below(3) as usize],
                max_size_amplification_percent: [25, 200, 1000][random.below(3) as usize],
                stop_style: [CompactionStopStyle::TotalSize, CompactionStopStyle::SimilarSize]
                    [random.below(2) as usize],
                incremental: random.one_in(2),
                allow_trivial_move: random.one_in(2),
                ..CompactionOptionsUniversal::default()
            },
            ..options()
        }
    }

    fn leveled_options(random: &mut Random) -> CfOptions {
        let pri = [
            CompactionPri::ByCompensatedSize,
            CompactionPri::OldestLargestSeqFirst,
            CompactionPri::OldestSmallestSeqFirst,
            CompactionPri::MinOverlappingRatio,
            CompactionPri::RoundRobin,
        ];
        CfOptions {
            compaction_pri: pri[random.below(5) as usize],
            max_bytes_for_level_multiplier: [2.0, 4.0, 10.0][random.below(3) as usize],
            level_compaction_dynamic_level_bytes: random.one_in(2),
            level0_file_num_compaction_trigger: 1 + random.below(6) as i32,
            max_compaction_bytes: [60, 200, 1000][random.below(3) as usize],
            ..options()
        }
    }

    fn file(&mut self, records: Records, epoch: u64) -> Arc<FileMeta> {
        let number = self.next_number;
        self.next_number += 1;
        let file = FileMeta {
            number,
            file_size: records.len() as u64,
            smallest: ikey(records[0]),
            largest: ikey(records[records.len() - 1]),
            smallest_seqno: records.iter().map(|r| r.1).min().unwrap(),
            largest_seqno: records.iter().map(|r| r.1).max().unwrap(),
            epoch_number: epoch,
            marked_for_compaction: self.random.one_in(40),
            ..FileMeta::default()
        };
        self.contents.insert(number, records);
        Arc::new(file)
    }

    fn flush(&mut self) {
        let mut records = Records::new();
        let base = self.random.below(400) as u16;
        let spread = [20, 400][self.random.below(2) as usize];
        for _ in 0..1 + self.random.below(20) {
            self.sequence += 1;
            let key = base + self.random.below(spread) as u16;
            records.push((key, self.sequence));
            self.newest.insert(key, self.sequence);
        }
        records.sort_by_key(|&(key, sequence)| (key, std::cmp::Reverse(sequence)));
        self.epoch += 1;
        let file = self.file(records, self.epoch);
        let edit = VersionEdit { new_files: vec![(0, file)], ..VersionEdit::default() };
        self.install(edit);
    }

    fn install(&mut self, edit: VersionEdit) {
        let mut builder = VersionBuilder::new(self.version.clone());
        builder.apply(&edit).unwrap();
        self.version = Arc::new(builder.finish(true).unwrap());
        self.check();
    }

    /// Reads go from new to old, so what they meet of a key must get older.
    fn check(&self) {
        let mut last: HashMap<u16, SequenceNumber> = HashMap::new();
        for (_, file) in self.version.all_files() {
            for &(key, sequence) in &self.contents[&file.number] {
                if let Some(newer) = last.insert(key, sequence) {
                    assert!(newer > sequence, "key {key}: {newer} above {sequence}");
                } else {
                    assert_eq!(self.newest[&key], sequence, "the newest of key {key} is hidden");
                }
            }
        }
        assert_eq!(last.len(), self.newest.len(), "a key is lost");
    }

    fn picker(&self) -> Picker<'_> {
        Picker {
            version: &self.version,
            options: &self.options,
            running: &self.running,
            oldest_snapshot: 0,
            now: 0,
            offpeak_lead: 0,
            max_subcompactions: 1,
        }
    }

    /// Begins `plan`, after a look at what no two compactions may do.
    fn begin(&mut self, plan: CompactionPlan) {
        let range = plan.user_key_range().unwrap();
        for (_, other) in &self.under_way {
            let theirs = other.user_key_range().unwrap();
            let apart = range.end() < theirs.start() || range.start() > theirs.end();
            let same_level = plan.output.level == other.output.level && plan.output.level > 0;
            assert!(apart || !same_level, "two compactions write one range of one level");
        }
        assert!(plan.input_files().all(|(_, file)| !file.is_being_compacted()));
        plan.set_being_compacted(true);
        let id = self.running.add(&plan);
        self.under_way.push((id, plan));
    }

    fn pick(&mut self) -> bool {
        let Some(plan) = self.picker().pick() else { return false };
        self.begin(plan);
        true
    }

    fn pick_range(&mut self) {
        let deepest = self.version.num_levels() as u64 - 1;
        let level = self.random.below(deepest.max(1)) as usize;
        let (a, b) = (self.random.below(400) as u16, self.random.below(400) as u16);
        let (begin, end) = (ikey((a.min(b), 1)), ikey((a.max(b), 1)));
        let base = LevelTargets::new(&self.version, &self.options).base_level();
        let output = match level {
            0 => RangeOutput::Base,
            level if level < base => return,
            _ => RangeOutput::Level(level + self.random.below(2) as usize),
        };
        let request = RangeRequest {
            level,
            output,
            begin: Some(&begin),
            end: Some(&end),
            newest_file: None,
            rewrite: self.random.one_in(2),
        };
        if let RangePick::Plan(plan, _) = self.picker().pick_range(&request) {
            self.begin(*plan);
        }
    }

    /// Ends a compaction: with its result, or once in a while without one.
    fn end(&mut self) {
        let at = self.random.below(self.under_way.len() as u64) as usize;
        let (id, plan) = self.under_way.swap_remove(at);
        let mut edit = VersionEdit::default();
        if !self.random.one_in(10) {
            plan.delete_inputs(&mut edit);
            if self.options.compaction_pri == CompactionPri::RoundRobin {
                edit.compact_cursors.extend(plan.next_cursor());
            }
            let level = plan.output.level as u32;
            match plan.work {
                CompactionWork::Move => edit.new_files.extend(
                    plan.moved_inputs().map(|(_, file)| (level, Arc::new(FileMeta::clone(file)))),
                ),
                _ => {
                    let files = self.merge(&plan);
                    edit.new_files.extend(files.into_iter().map(|file| (level, file)));
                }
            }
        }
        plan.set_being_compacted(false);
        self.running.remove(id);
        self.install(edit);
    }

    fn merge(&mut self, plan: &CompactionPlan) -> Vec<Arc<FileMeta>> {
        let mut records: Records = Vec::new();
        for (_, file) in plan.input_files() {
            records.extend(&self.contents[&file.number]);
        }
        records.sort_by_key(|&(key, sequence)| (key, std::cmp::Reverse(sequence)));
        let keep_old = self.random.one_in(3);
        records.dedup_by(|next, first| next.0 == first.0 && !(keep_old && next.1 % 3 == 0));
        let epoch = plan.input_files().map(|(_, file)| file.epoch_number).min().unwrap();
        let mut files = Vec::new();
        if plan.output.level == 0 {
            files.push(self.file(records, epoch));
            return files;
        }
        // Anywhere, also between two versions of a key.
        while !records.is_empty() {
            let most = records.len().min(plan.output.max_file_size as usize);
            let rest = records.split_off(1 + self.random.below(most as u64) as usize);
            files.push(self.file(std::mem::replace(&mut records, rest), epoch));
        }
        files
    }
}

/// Flushes and compactions of all kinds, until nothing is left to do.
fn run(tree: &mut Tree, seed: u64) {
    for _ in 0..150 {
        match tree.random.below(8) {
            0..=2 => tree.flush(),
            3 if tree.under_way.len() < 6 => tree.pick_range(),
            4..=5 if tree.under_way.len() < 4 => {
                tree.pick();
            }
            _ if !tree.under_way.is_empty() => tree.end(),
            _ => {}
        }
    }
    let mut steps = 0;
    while !tree.under_way.is_empty() || tree.pick() {
        tree.end();
        steps += 1;
        assert!(steps < 5000, "seed {seed} does not settle");
    }
}

#[test]
fn universal_trees_stay_in_order_and_settle() {
    for seed in 0..60 {
        let mut tree = Tree::universal(seed);
        run(&mut tree, seed);
        let runs = runs_that_stall(&tree.version, &tree.options);
        let trigger = tree.options.level0_file_num_compaction_trigger as usize;
        assert!(runs <= trigger, "seed {seed}: {runs} runs");
    }
}

#[test]
fn trees_stay_in_order_and_settle() {
    for seed in 0..30 {
        let mut tree = Tree::new(seed);
        run(&mut tree, seed);
        let scores = Scores::new(&tree.version, &tree.options, 0);
        assert!(!scores.want_compaction(), "seed {seed}: {:?}", scores.by_urgency);
        assert!(!tree.picker().needs_compaction(), "seed {seed}");
    }
}
