//! [`LevelTargets`]: how large each level should be.

use crate::options::CfOptions;
use crate::options::enums::CompactionStyle;
use crate::version::version::Version;

/// The sizes that a version's levels should have, and the level that level 0 is compacted into.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelTargets {
    base_level: usize,
    /// By level; the first entry means nothing.
    max_bytes: Vec<u64>,
    lowest_unnecessary: Option<usize>,
}

impl LevelTargets {
    /// The targets of `version` under the options.
    pub fn new(version: &Version, options: &CfOptions) -> LevelTargets {
        if options.level_compaction_dynamic_level_bytes {
            LevelTargets::dynamic(version, options)
        } else {
            LevelTargets::fixed(version.num_levels(), options)
        }
    }

    /// Each level is so many times as large as the one above it.
    fn fixed(num_levels: usize, options: &CfOptions) -> LevelTargets {
        let mut max_bytes = vec![options.max_bytes_for_level_base; num_levels];
        for level in 2..num_levels {
            let additional = &options.max_bytes_for_level_multiplier_additional;
            let additional = additional.get(level - 1).copied().unwrap_or(1).max(0);
            max_bytes[level] = scaled(
                scaled(max_bytes[level - 1], options.max_bytes_for_level_multiplier),
                f64::from(additional),
            );
        }
        LevelTargets { base_level: 1, max_bytes, lowest_unnecessary: None }
    }

    /// The largest level keeps its size, and those above it follow from that. Levels whose target
    /// would be too small to be worth a rewrite are left empty: level 0 goes below them.
    fn dynamic(version: &Version, options: &CfOptions) -> LevelTargets {
        let last = version.num_levels() - 1;
        let mut targets = LevelTargets {
            base_level: last,
            max_bytes: vec![u64::MAX; last + 1],
            lowest_unnecessary: None,
        };
        let bytes = |level: usize| version.levels()[level].bytes();
        let Some(first) = (1..=last).find(|&level| bytes(level) > 0) else { return targets };
        let largest = (1..=last).map(bytes).max().unwrap_or(0);
        let multiplier = options.max_bytes_for_level_multiplier;
        let base_max = options.max_bytes_for_level_base;
        let base_min = (base_max as f64 / multiplier) as u64;

        // The target of the first level with files, if the last one's is the largest's size.
        let mut size = largest;
        for level in (first..last).rev() {
            size = (size as f64 / multiplier) as u64;
            if targets.lowest_unnecessary.is_none() && size <= base_min {
                targets.lowest_unnecessary = Some(level);
            }
        }
        targets.base_level = first;
        let base_size = if size <= base_min {
            base_min.saturating_add(1)
        } else {
            while targets.base_level > 1 && size > base_max {
                targets.base_level -= 1;
                size = (size as f64 / multiplier) as u64;
            }
            size.clamp(1, base_max.max(1))
        };
        let mut size = base_size;
        for level in targets.base_level..=last {
            if level > targets.base_level {
                size = scaled(size, multiplier);
            }
            // A level that is smaller than level 0 may be would be compacted in its stead.
            targets.max_bytes[level] = size.max(base_max);
        }
        targets
    }

    /// The level that level 0 is compacted into.
    pub fn base_level(&self) -> usize {
        self.base_level
    }

    /// The bytes from which `level` is compacted. Without meaning for level 0.
    pub fn max_bytes(&self, level: usize) -> u64 {
        self.max_bytes.get(level).copied().unwrap_or(u64::MAX)
    }

    /// The deepest level that should be drained, because levels below it suffice.
    pub fn lowest_unnecessary(&self) -> Option<usize> {
        self.lowest_unnecessary
    }

    /// Whether `level` should be drained.
    pub fn is_unnecessary(&self, level: usize) -> bool {
        self.lowest_unnecessary.is_some_and(|lowest| level <= lowest)
    }
}

/// The deepest level with files; 0 if there is none.
pub fn last_level_with_files(version: &Version) -> usize {
    (0..version.num_levels()).rev().find(|&level| !version.files(level).is_empty()).unwrap_or(0)
}

/// The deepest level that compactions write to.
pub fn last_output_level(version: &Version, options: &CfOptions) -> usize {
    let reserved = usize::from(options.reserves_last_level && version.num_levels() > 1);
    version.num_levels() - 1 - reserved
}

/// What counts against the options `level0_slowdown_writes_trigger` and `level0_stop_writes_trigger`:
/// the files of level 0, and in universal style every other level with files, since that is a sorted
/// run like them.
pub fn runs_that_stall(version: &Version, options: &CfOptions) -> usize {
    let below = match options.compaction_style {
        CompactionStyle::Universal => 1..version.num_levels(),
        _ => 0..0,
    };
    version.files(0).len() + below.filter(|&level| !version.files(level).is_empty()).count()
}

/// Whether a key of `first..=last` may stand in data older than that on `level`. On level 0 that
/// is data older than `oldest`, a file of it; as in RocksDB, there any older file counts.
pub fn may_exist_below(
    version: &Version,
    first: &[u8],
    last: &[u8],
    level: usize,
    oldest: Option<u64>,
) -> bool {
    if level == 0 && version.files(0).last().map(|file| file.number) != oldest {
        return true;
    }
    (level + 1..version.num_levels()).any(|deeper| {
        !version.files(deeper).is_empty()
            && (level == 0 || version.overlaps_level(deeper, Some(first), Some(last)))
    })
}

/// `bytes * factor`, at most `u64::MAX`.
fn scaled(bytes: u64, factor: f64) -> u64 {
    (bytes as f64 * factor) as u64
}
