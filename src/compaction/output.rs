//! How a compaction's output is written: sizes and compression by level.

use super::levels::{LevelTargets, last_level_with_files};
use super::plan::OutputOptions;
use crate::codec::{CompressionOptions, CompressionType};
use crate::options::CfOptions;
use crate::options::enums::CompactionStyle;
use crate::version::version::Version;

/// The output of a compaction into `level`. `max_file_size` is still the target size.
pub(super) fn output_options(
    version: &Version,
    options: &CfOptions,
    targets: &LevelTargets,
    level: usize,
) -> OutputOptions {
    let target_file_size = target_file_size(options, targets, level);
    OutputOptions {
        level,
        path_id: options.path_of_level(level),
        max_file_size: target_file_size,
        target_file_size,
        compression: compression(version, options, targets, level),
        compression_opts: compression_opts(version, options, level).clone(),
        temperature: None,
    }
}

/// The size that files of `level` should have. With dynamic level sizes it grows from the base
/// level on. In universal style each file of level 0 is a whole run.
fn target_file_size(options: &CfOptions, targets: &LevelTargets, level: usize) -> u64 {
    if level == 0 && options.compaction_style == CompactionStyle::Universal {
        return u64::MAX;
    }
    let dynamic = options.level_compaction_dynamic_level_bytes;
    let steps = match level.checked_sub(targets.base_level()) {
        Some(below_base) if dynamic => below_base,
        _ => level,
    };
    let multiplier = u64::try_from(options.target_file_size_multiplier).unwrap_or(0);
    (1..steps).fold(options.target_file_size_base, |size, _| size.saturating_mul(multiplier))
}

/// The compression of blocks on `level`: that of the last level if nothing lies deeper, else that
/// of the level (where `compression_per_level` counts from the base level), else the common one.
pub(super) fn compression(
    version: &Version,
    options: &CfOptions,
    targets: &LevelTargets,
    level: usize,
) -> CompressionType {
    if let Some(bottommost) = options.bottommost_compression
        && level >= last_level_with_files(version)
    {
        return bottommost;
    }
    let per_level = &options.compression_per_level;
    let index = match level {
        0 => 0,
        _ => (level + 1).saturating_sub(targets.base_level()),
    };
    per_level.get(index).or(per_level.last()).copied().unwrap_or(options.compression)
}

fn compression_opts<'a>(
    version: &Version,
    options: &'a CfOptions,
    level: usize,
) -> &'a CompressionOptions {
    let bottommost = &options.bottommost_compression_opts;
    if bottommost.enabled && level >= last_level_with_files(version) {
        return bottommost;
    }
    &options.compression_opts
}
