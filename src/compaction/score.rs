//! [`Scores`]: how urgently each level wants a compaction.

use super::fifo;
use super::levels::{LevelTargets, last_output_level};
use crate::base::sync::Arc;
use crate::options::CfOptions;
use crate::options::enums::CompactionStyle;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;

/// A score that asks for a compaction is spread by this factor with dynamic level sizes, so that
/// dividing it by what is about to come down leaves it above 1.
const SCORE_SCALE: f64 = 10.0;

/// How much more a deletion counts than the value that it takes away.
const DELETION_WEIGHT: u64 = 2;

/// What the levels of a version want.
#[derive(Clone, Debug)]
pub struct Scores {
    /// The targets that the scores are measured by.
    pub targets: LevelTargets,
    /// (level, score), the most urgent first. From 1 on a level wants a compaction. The last
    /// level is not among them. In other styles than the leveled one the score of level 0 is that
    /// of the whole column family, and there is no other.
    pub by_urgency: Vec<(usize, f64)>,
    /// An estimate of the bytes that compactions would rewrite until every level has its size.
    pub pending_bytes: u64,
    /// Bytes of an average value in a file; see [`compensated_size`](Scores::compensated_size).
    average_value: u64,
}

impl Scores {
    /// The scores of `version` at `now` (seconds since 1970), leaving out files that are being
    /// compacted.
    pub fn new(version: &Version, options: &CfOptions, now: u64) -> Scores {
        let targets = LevelTargets::new(version, options);
        let is_leveled = options.compaction_style == CompactionStyle::Level;
        let pending = if is_leveled { pending_bytes(version, options, &targets) } else { 0 };
        let mut scores = Scores {
            by_urgency: Vec::with_capacity(version.num_levels()),
            pending_bytes: pending,
            average_value: average_value(version),
            targets,
        };
        if !is_leveled {
            let score = match options.compaction_style {
                CompactionStyle::Fifo => scores.of_queue(version, options, now),
                _ => of_runs(version, options),
            };
            scores.by_urgency.push((0, score));
            return scores;
        }
        let mut coming_down = 0.0;
        for level in 0..version.num_levels() - 1 {
            let score = match level {
                0 => scores.level0(version, options, &mut coming_down),
                _ => scores.sorted_level(version, options, level, &mut coming_down),
            };
            scores.by_urgency.push((level, score));
        }
        // Stable, so that of equals the higher level goes first.
        scores.by_urgency.sort_by(|a, b| b.1.total_cmp(&a.1));
        scores
    }

    /// Whether any level wants a compaction.
    pub fn want_compaction(&self) -> bool {
        self.by_urgency.first().is_some_and(|(_, score)| *score >= 1.0)
    }

    /// The score of `level`; 0 for the last one.
    pub fn of(&self, level: usize) -> f64 {
        self.by_urgency.iter().find(|(l, _)| *l == level).map_or(0.0, |(_, score)| *score)
    }

    /// Level 0 counts its files, since each costs every reader, and its bytes.
    fn level0(&self, version: &Version, options: &CfOptions, coming_down: &mut f64) -> f64 {
        *coming_down += version.levels()[0].bytes() as f64;
        let (mut files, mut bytes) = (0u64, 0u64);
        for file in version.files(0).iter().filter(|file| !file.is_being_compacted()) {
            files += 1;
            bytes = bytes.saturating_add(self.compensated_size(file));
        }
        let trigger = f64::from(options.level0_file_num_compaction_trigger.max(1));
        let by_count = files as f64 / trigger;
        let base_bytes = options.max_bytes_for_level_base;
        if !options.level_compaction_dynamic_level_bytes {
            return by_count.max(bytes as f64 / base_bytes as f64);
        }
        let mut score = by_count;
        if bytes >= base_bytes {
            // The estimate of pending bytes counts level 0 from here on, so it must be eligible.
            score = score.max(1.01);
        }
        let base = self.targets.base_level();
        let target = self.targets.max_bytes(base);
        if bytes > target {
            // Ahead of the base level's own compaction if it is the larger of the two.
            let base_bytes = self.compensated_bytes(version.files(base));
            score = score.max(bytes as f64 / base_bytes.max(target) as f64);
        }
        if score > 1.0 { score * SCORE_SCALE } else { score }
    }

    /// In FIFO style level 0 has a limit of bytes; below that, files may be many or old.
    fn of_queue(&self, version: &Version, options: &CfOptions, now: u64) -> f64 {
        let fifo = &options.compaction_options_fifo;
        let files = version.files(0);
        let idle = || files.iter().filter(|file| !file.is_being_compacted());
        let tables = idle().map(|file| self.compensated_size(file)).fold(0, u64::saturating_add);
        let bytes = fifo::Limit::of(fifo).bytes(version, tables);
        let mut score = bytes as f64 / fifo::Limit::of(fifo).max.max(1) as f64;
        if score < 1.0 && fifo.allow_compaction {
            let trigger = f64::from(options.level0_file_num_compaction_trigger);
            score = score.max(idle().count() as f64 / trigger);
        }
        if score < 1.0 && options.ttl > 0 {
            let limit = now.saturating_sub(options.ttl);
            let is_old = |file: &&Arc<FileMeta>| (1..limit).contains(&file.oldest_key_time());
            score = score.max(idle().filter(is_old).count() as f64);
        }
        if score < 1.0 && fifo::next_temperature(version, fifo, now).is_some() {
            score = 1.1;
        }
        score
    }

    /// A sorted level compares its bytes with its target.
    fn sorted_level(
        &self,
        version: &Version,
        options: &CfOptions,
        level: usize,
        coming_down: &mut f64,
    ) -> f64 {
        let target = self.targets.max_bytes(level);
        let total = version.levels()[level].bytes();
        let idle = version.files(level).iter().filter(|file| !file.is_being_compacted());
        let bytes = idle.map(|file| self.compensated_size(file)).fold(0, u64::saturating_add);
        let mut score = bytes as f64 / target.max(1) as f64;
        if options.level_compaction_dynamic_level_bytes {
            if bytes >= target {
                // What is about to come down will be merged with this level's files anyway.
                score = bytes as f64 / (target as f64 + *coming_down) * SCORE_SCALE;
            }
            if let Some(lowest) = self.targets.lowest_unnecessary()
                && bytes > 0
                && level <= lowest
            {
                score = score.max(SCORE_SCALE * (1.001 + 0.001 * (lowest - level) as f64));
            }
        }
        if self.targets.is_unnecessary(level) {
            *coming_down += total as f64;
        } else {
            *coming_down += total.saturating_sub(target) as f64;
        }
        score
    }

    /// The file's size, and more if most of its entries are deletions: compacting them gives
    /// back space below.
    pub fn compensated_size(&self, file: &FileMeta) -> u64 {
        let mut size = file.file_size.saturating_add(file.compensated_range_deletion_size);
        if let Some(counts) = file.counts() {
            let twice = counts.deletions.saturating_mul(2);
            if let Some(surplus) = twice.checked_sub(counts.entries) {
                let weight = self.average_value.saturating_mul(DELETION_WEIGHT);
                size = size.saturating_add(surplus.saturating_mul(weight));
            }
        }
        size
    }

    fn compensated_bytes(&self, files: &[Arc<FileMeta>]) -> u64 {
        files.iter().map(|file| self.compensated_size(file)).fold(0, u64::saturating_add)
    }
}

/// Outside leveled and FIFO style what matters is how many sorted runs there are: files of level 0,
/// and in universal style other levels.
fn of_runs(version: &Version, options: &CfOptions) -> f64 {
    let idle = |file: &&Arc<FileMeta>| !file.is_being_compacted();
    let mut runs = version.files(0).iter().filter(idle).count();
    if options.compaction_style == CompactionStyle::Universal {
        let below = 1..last_output_level(version, options) + 1;
        runs += below.filter(|&level| version.files(level).first().filter(idle).is_some()).count();
    }
    runs as f64 / f64::from(options.level0_file_num_compaction_trigger)
}

/// The bytes that an average value takes in a file, after compression, as far as files are known.
fn average_value(version: &Version) -> u64 {
    let (mut values, mut value_bytes, mut raw_bytes, mut file_bytes) = (0u64, 0u64, 0u64, 0u64);
    for (_, file) in version.all_files() {
        let Some(counts) = file.counts() else { continue };
        values = values.saturating_add(counts.entries.saturating_sub(counts.deletions));
        value_bytes = value_bytes.saturating_add(counts.raw_value_bytes);
        raw_bytes =
            raw_bytes.saturating_add(counts.raw_value_bytes).saturating_add(counts.raw_key_bytes);
        file_bytes = file_bytes.saturating_add(file.file_size);
    }
    if values == 0 || raw_bytes == 0 {
        return 0;
    }
    let average = value_bytes as f64 / values as f64;
    (average * file_bytes as f64 / raw_bytes as f64) as u64
}

/// Follows the data down: what a level has beyond its target is merged into the next one, whose
/// surplus is then larger by that.
fn pending_bytes(version: &Version, options: &CfOptions, targets: &LevelTargets) -> u64 {
    let trigger = options.level0_file_num_compaction_trigger.max(0) as usize;
    let level0 = version.levels()[0].bytes();
    let level0_moves =
        version.files(0).len() >= trigger || level0 >= options.max_bytes_for_level_base;
    let (mut pending, mut arriving) = if level0_moves { (level0, level0) } else { (0, 0) };
    for level in targets.base_level()..version.num_levels() - 1 {
        let mut size = version.levels()[level].bytes();
        if level0_moves && level == targets.base_level() {
            pending = pending.saturating_add(size);
        }
        size = size.saturating_add(arriving);
        arriving = size.saturating_sub(targets.max_bytes(level));
        let next = version.levels()[level + 1].bytes();
        if arriving > 0 && next > 0 {
            let fan_out = next as f64 / size as f64 + 1.0;
            pending = pending.saturating_add((arriving as f64 * fan_out) as u64);
        }
    }
    pending
}
