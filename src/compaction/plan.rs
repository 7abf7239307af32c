//! [`CompactionPlan`]: what a picker chose, and all that a job needs to know to carry it out.

use crate::base::comparator::Order;
use crate::base::key::InternalKey;
use crate::base::sync::Arc;
use crate::codec::{CompressionOptions, CompressionType};
use crate::options::enums::Temperature;
use crate::version::edit::VersionEdit;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// Why a compaction runs. The discriminants are those of RocksDB's `CompactionReason`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum CompactionReason {
    /// Nobody said.
    #[default]
    Unknown = 0,
    /// Level 0 has too many files.
    LevelL0FilesNum = 1,
    /// A level is larger than it should be.
    LevelMaxLevelSize = 2,
    /// Newer runs take too much space beside the oldest one.
    UniversalSizeAmplification = 3,
    /// Runs are of similar sizes.
    UniversalSizeRatio = 4,
    /// There are too many runs.
    UniversalSortedRunNum = 5,
    /// All tables together take too much space.
    FifoMaxSize = 6,
    /// There are many small files.
    FifoReduceNumFiles = 7,
    /// The newest data of files are older than option `ttl`.
    FifoTtl = 8,
    /// A user asked for it.
    ManualCompaction = 9,
    /// The writer of a file marked it.
    FilesMarkedForCompaction = 10,
    /// A file of the last level holds what no snapshot needs any more.
    BottommostFiles = 11,
    /// The data are older than option `ttl`.
    Ttl = 12,
    /// A file is older than option `periodic_compaction_seconds`.
    PeriodicCompaction = 15,
    /// A file has reached the age of another temperature.
    ChangeTemperature = 16,
    /// Files move to another level as they are.
    RefitLevel = 19,
}

impl CompactionReason {
    /// RocksDB's word for it, as logs have it.
    pub fn name(self) -> &'static str {
        match self {
            CompactionReason::Unknown => "Unknown",
            CompactionReason::LevelL0FilesNum => "LevelL0FilesNum",
            CompactionReason::LevelMaxLevelSize => "LevelMaxLevelSize",
            CompactionReason::UniversalSizeAmplification => "UniversalSizeAmplification",
            CompactionReason::UniversalSizeRatio => "UniversalSizeRatio",
            CompactionReason::UniversalSortedRunNum => "UniversalSortedRunNum",
            CompactionReason::FifoMaxSize => "FIFOMaxSize",
            CompactionReason::FifoReduceNumFiles => "FIFOReduceNumFiles",
            CompactionReason::FifoTtl => "FIFOTtl",
            CompactionReason::ManualCompaction => "ManualCompaction",
            CompactionReason::FilesMarkedForCompaction => "FilesMarkedForCompaction",
            CompactionReason::BottommostFiles => "BottommostFiles",
            CompactionReason::Ttl => "Ttl",
            CompactionReason::PeriodicCompaction => "PeriodicCompaction",
            CompactionReason::ChangeTemperature => "ChangeTemperature",
            CompactionReason::RefitLevel => "RefitLevel",
        }
    }
}

/// What is to be done with the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionWork {
    /// They are merged into new files.
    Rewrite,
    /// They are put on the output level as they are.
    Move,
    /// They are dropped.
    Delete,
}

/// The input files on one level.
#[derive(Clone, Debug, Default)]
pub struct LevelInputs {
    /// The level.
    pub level: usize,
    /// In the version's order: level 0 newest first, other levels in key order.
    pub files: Vec<Arc<FileMeta>>,
}

impl LevelInputs {
    /// The sum of the file sizes.
    pub fn bytes(&self) -> u64 {
        total_bytes(&self.files)
    }
}

/// The sum of the sizes of `files`.
pub fn total_bytes(files: &[Arc<FileMeta>]) -> u64 {
    files.iter().map(|file| file.file_size).fold(0, u64::saturating_add)
}

/// How the output files are written.
#[derive(Clone, Debug)]
pub struct OutputOptions {
    /// The level that they join.
    pub level: usize,
    /// The index of the folder in `cf_paths`.
    pub path_id: u32,
    /// Bytes at which a file ends, at the latest where the next user key begins.
    pub max_file_size: u64,
    /// The size that files should have: `max_file_size` or half of it. A job may end a file
    /// between the two where the grandparents' files suggest it.
    pub target_file_size: u64,
    /// The compression of blocks.
    pub compression: CompressionType,
    /// Its parameters.
    pub compression_opts: CompressionOptions,
    /// How often the files are expected to be read; `None` is as options say for their level.
    pub temperature: Option<Temperature>,
}

impl CompactionPlan {
    /// Has the output written to another folder. Files that lie elsewhere are then rewritten, not
    /// moved.
    pub fn set_output_path(&mut self, path_id: u32) {
        self.output.path_id = path_id;
        if self.work == CompactionWork::Move
            && self.input_files().any(|(_, file)| file.path_id != path_id)
        {
            self.work = CompactionWork::Rewrite;
        }
    }
}

/// A compaction that was chosen and not yet carried out.
#[derive(Clone, Debug)]
pub struct CompactionPlan {
    /// The version that it was chosen from.
    pub version: Arc<Version>,
    /// By ascending level; no level without files, except that a compaction which only moves or
    /// deletes may have a single one.
    pub inputs: Vec<LevelInputs>,
    /// What is to be done.
    pub work: CompactionWork,
    /// How the output is written.
    pub output: OutputOptions,
    /// The files below the output level that overlap the inputs: those of the first level that
    /// has any, in key order.
    pub grandparents: Vec<Arc<FileMeta>>,
    /// A file ends before it overlaps more bytes of `grandparents` than this.
    pub max_compaction_bytes: u64,
    /// How many threads may share the work, at least 1.
    pub max_subcompactions: usize,
    /// No deeper level (and for level 0 no older file) overlaps the inputs' range of keys.
    pub bottommost: bool,
    /// The inputs are all files there are.
    pub is_full: bool,
    /// A user asked for it.
    pub is_manual: bool,
    /// Why it runs.
    pub reason: CompactionReason,
    /// How urgent the level was; 0 where that was not asked.
    pub score: f64,
}

impl CompactionPlan {
    /// The first level with inputs.
    pub fn start_level(&self) -> usize {
        self.inputs.first().map_or(self.output.level, |inputs| inputs.level)
    }

    /// Every input file with its level.
    pub fn input_files(&self) -> impl Iterator<Item = (usize, &Arc<FileMeta>)> {
        self.inputs.iter().flat_map(|i| i.files.iter().map(move |file| (i.level, file)))
    }

    /// How many sequences in order the inputs are: each file of level 0, each other level.
    pub fn sorted_runs(&self) -> usize {
        let runs = self.inputs.iter().map(|inputs| match inputs.level {
            0 => inputs.files.len(),
            _ => usize::from(!inputs.files.is_empty()),
        });
        runs.sum()
    }

    /// The sum of the sizes of all inputs.
    pub fn input_bytes(&self) -> u64 {
        self.inputs.iter().map(LevelInputs::bytes).fold(0, u64::saturating_add)
    }

    /// The first and the last user key of all inputs; `None` if there are no inputs.
    pub fn user_key_range(&self) -> Option<RangeInclusive<&[u8]>> {
        user_key_range(self.version.comparator(), self.input_files().map(|(_, file)| file))
    }

    /// The same, of only the oldest of its sorted runs.
    pub fn oldest_run(&self) -> CompactionPlan {
        let mut plan = self.clone();
        plan.inputs.drain(..self.inputs.len().saturating_sub(1));
        for level0 in plan.inputs.iter_mut().filter(|inputs| inputs.level == 0) {
            level0.files.drain(..level0.files.len().saturating_sub(1));
        }
        plan
    }

    /// The input files that a move takes from another level to that of the output.
    pub fn moved_inputs(&self) -> impl Iterator<Item = (usize, &Arc<FileMeta>)> {
        self.input_files().filter(|(level, _)| *level != self.output.level)
    }

    /// Adds to `edit` that the inputs go from where they are.
    pub fn delete_inputs(&self, edit: &mut VersionEdit) {
        let stays = |level| self.work == CompactionWork::Move && level == self.output.level;
        for (level, file) in self.input_files().filter(|(level, _)| !stays(*level)) {
            edit.delete_file(level as u32, file.number);
        }
    }

    /// Claims the inputs, or gives them back. The caller holds the database mutex.
    pub fn set_being_compacted(&self, value: bool) {
        for (_, file) in self.input_files() {
            file.set_being_compacted(value);
        }
    }

    /// With [round-robin picking](crate::options::enums::CompactionPri::RoundRobin), where the
    /// next compaction of the start level begins: behind these inputs, or again at the first key.
    pub fn next_cursor(&self) -> Option<(u32, InternalKey)> {
        let level = self.start_level();
        let last = self.inputs.first().filter(|_| level > 0)?.files.last()?;
        let files = self.version.files(level);
        let at = files.iter().position(|file| Arc::ptr_eq(file, last))?;
        let next = files.get(at + 1).or(files.first())?;
        Some((level as u32, next.smallest.clone()))
    }

    /// Answers whether levels below the output hold a user key, for keys that ascend.
    pub fn deeper_levels(&self) -> DeeperLevels<'_> {
        DeeperLevels {
            version: &self.version,
            output_level: self.output.level,
            bottommost: self.bottommost,
            at: vec![0; self.version.num_levels()],
        }
    }
}

/// The first and the last user key of `files`; `None` if there are none.
pub fn user_key_range<'a>(
    order: &impl Order,
    files: impl Iterator<Item = &'a Arc<FileMeta>>,
) -> Option<RangeInclusive<&'a [u8]>> {
    let mut range: Option<(&[u8], &[u8])> = None;
    for file in files {
        let (first, last) = (file.smallest.user_key(), file.largest.user_key());
        range = Some(match range {
            None => (first, last),
            Some((low, high)) => (
                if order.compare(first, low).is_lt() { first } else { low },
                if order.compare(last, high).is_gt() { last } else { high },
            ),
        });
    }
    range.map(|(first, last)| first..=last)
}

/// A position in each level below the output, which moves ahead with the keys asked for.
#[derive(Clone, Debug)]
pub struct DeeperLevels<'a> {
    version: &'a Version,
    output_level: usize,
    bottommost: bool,
    /// By level: the first file that is not wholly before the last key asked for.
    at: Vec<usize>,
}

impl DeeperLevels<'_> {
    /// Whether data older than the inputs may hold `user_key`. A key must not be before the one
    /// asked for last.
    pub fn may_hold(&mut self, order: &impl Order, user_key: &[u8]) -> bool {
        self.may_hold_range(order, user_key, user_key)
    }

    /// Whether data older than the inputs may hold a key of `first..=last`. `first` must not be
    /// before that of the last call.
    pub fn may_hold_range(&mut self, order: &impl Order, first: &[u8], last: &[u8]) -> bool {
        if self.bottommost {
            return false;
        }
        if self.output_level == 0 {
            // Files of level 0 overlap each other; those older than the inputs are not looked at.
            return true;
        }
        let mut found = false;
        for level in self.output_level + 1..self.version.num_levels() {
            let files = self.version.files(level);
            let at = &mut self.at[level];
            while let Some(file) = files.get(*at) {
                if order.compare(file.largest.user_key(), first) != Ordering::Less {
                    found |= order.compare(file.smallest.user_key(), last) != Ordering::Greater;
                    break;
                }
                *at += 1;
            }
            if found {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
