//! [`SortedRun`]: what universal compaction chooses from. A run is in the order of keys; a file of
//! level 0 is one, and so is any other level.

use super::levels::last_output_level;
use super::plan::{LevelInputs, total_bytes};
use super::score::Scores;
use crate::base::sync::Arc;
use crate::options::CfOptions;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;

/// A sorted run of a version.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortedRun<'a> {
    /// The level that it is on.
    pub level: usize,
    /// One file of level 0, or all of another level.
    pub files: &'a [Arc<FileMeta>],
    /// Bytes.
    pub size: u64,
    /// Bytes, where deletions count for more.
    pub compensated_size: u64,
    /// A compaction has some of its files.
    pub is_busy: bool,
}

/// The runs of `version`, the newest first.
pub(super) fn sorted_runs<'a>(
    version: &'a Version,
    options: &CfOptions,
    scores: &Scores,
) -> Vec<SortedRun<'a>> {
    let run = |level, files: &'a [Arc<FileMeta>]| SortedRun {
        level,
        files,
        size: total_bytes(files),
        compensated_size: files
            .iter()
            .map(|file| scores.compensated_size(file))
            .fold(0, u64::saturating_add),
        is_busy: files.iter().any(|file| file.is_being_compacted()),
    };
    let level0 = version.files(0).iter().map(|file| run(0, std::slice::from_ref(file)));
    let below = 1..last_output_level(version, options) + 1;
    let below = below.map(|level| run(level, version.files(level)));
    level0.chain(below.filter(|run| !run.files.is_empty())).collect()
}

/// The inputs of a compaction of neighbouring runs, by level.
pub(super) fn inputs_of(runs: &[SortedRun<'_>]) -> Vec<LevelInputs> {
    let mut inputs: Vec<LevelInputs> = Vec::new();
    for run in runs {
        match inputs.last_mut().filter(|last| last.level == run.level) {
            Some(last) => last.files.extend_from_slice(run.files),
            None => inputs.push(LevelInputs { level: run.level, files: run.files.to_vec() }),
        }
    }
    inputs
}
