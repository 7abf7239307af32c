//! In which order the files of a level are considered for compaction (option `compaction_pri`).

use super::levels::last_level_with_files;
use super::score::Scores;
use crate::base::comparator::Comparator;
use crate::base::key::{InternalKey, compare_internal};
use crate::options::CfOptions;
use crate::options::enums::CompactionPri;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;
use std::cmp::{Ordering, Reverse};

/// The indexes of the files of `level`, the first to compact first. `now` is in seconds since
/// 1970.
pub(super) fn picking_order(
    version: &Version,
    level: usize,
    options: &CfOptions,
    scores: &Scores,
    now: u64,
) -> Vec<usize> {
    let files = version.files(level);
    let mut order: Vec<usize> = (0..files.len()).collect();
    match options.compaction_pri {
        CompactionPri::ByCompensatedSize => {
            order.sort_by_cached_key(|&at| Reverse(scores.compensated_size(&files[at])));
        }
        CompactionPri::OldestLargestSeqFirst => order.sort_by_key(|&at| files[at].largest_seqno),
        CompactionPri::OldestSmallestSeqFirst => order.sort_by_key(|&at| files[at].smallest_seqno),
        CompactionPri::MinOverlappingRatio => {
            let ratios = overlapping_ratios(version, level, options, scores, now);
            let compare = |a: &usize, b: &usize| {
                let (x, y) = (&files[*a], &files[*b]);
                y.is_suggested()
                    .cmp(&x.is_suggested())
                    .then_with(|| ratios[*a].cmp(&ratios[*b]))
                    // Neighbours together, so that moves can take several at once.
                    .then_with(|| compare_smallest(version.comparator(), x, &y.smallest))
            };
            order.sort_by(compare);
        }
        CompactionPri::RoundRobin => {
            if level == 0 && !is_level0_disjoint(version) {
                order.sort_by_key(|&at| files[at].smallest_seqno);
            } else if let Some(cursor) = version.compact_cursor(level) {
                let before = |file: &FileMeta| compare_smallest(version.comparator(), file, cursor);
                let next = files.partition_point(|file| before(file).is_lt());
                order.rotate_left(if next < files.len() { next } else { 0 });
            }
        }
    }
    order
}

fn compare_smallest(order: &Comparator, file: &FileMeta, key: &InternalKey) -> Ordering {
    compare_internal(order, file.smallest.as_bytes(), key.as_bytes())
}

/// Whether no two files of level 0 overlap.
pub(super) fn is_level0_disjoint(version: &Version) -> bool {
    let order = version.comparator();
    let mut files: Vec<_> = version.files(0).iter().collect();
    files.sort_by(|a, b| compare_smallest(order, a, &b.smallest));
    files.windows(2).all(|pair| compare_smallest(order, pair[1], &pair[0].largest).is_gt())
}

/// The bytes of the next level that each file overlaps, for each KiB of its own.
fn overlapping_ratios(
    version: &Version,
    level: usize,
    options: &CfOptions,
    scores: &Scores,
    now: u64,
) -> Vec<u64> {
    let order = version.comparator();
    let compare =
        |a: &InternalKey, b: &InternalKey| compare_internal(order, a.as_bytes(), b.as_bytes());
    let boost = TtlBoost::new(version, level, options, now);
    let mut below = version.files(level + 1).iter().peekable();
    let mut ratios = Vec::with_capacity(version.files(level).len());
    for file in version.files(level) {
        while below.next_if(|next| compare(&next.largest, &file.smallest).is_lt()).is_some() {}
        let mut overlap = 0u64;
        while let Some(next) = below.peek() {
            if compare(&next.smallest, &file.largest).is_ge() {
                break;
            }
            overlap = overlap.saturating_add(next.file_size);
            if compare(&next.largest, &file.largest).is_gt() {
                // It may overlap the next file as well.
                break;
            }
            below.next();
        }
        let size = scores.compensated_size(file).max(1);
        ratios.push(overlap.saturating_mul(1024) / size / boost.of(file));
    }
    ratios
}

/// Makes files look cheaper when they come close to option `ttl`, so that they are compacted along
/// with others before they must be alone. Deeper levels begin later, and in each level the
/// boost reaches about 16 when the next one begins.
struct TtlBoost {
    now: u64,
    /// Seconds from which a file is boosted; `None` is never.
    start_age: Option<u64>,
    step: u64,
}

impl TtlBoost {
    fn new(version: &Version, level: usize, options: &CfOptions, now: u64) -> TtlBoost {
        let levels_below = last_level_with_files(version).saturating_sub(level);
        if options.ttl == 0 || level == 0 || levels_below == 0 {
            return TtlBoost { now, start_age: None, step: 1 };
        }
        let half = options.ttl / 2;
        let range = (options.ttl / 32 * 31).saturating_sub(half) >> levels_below.min(63);
        TtlBoost { now, start_age: half.checked_add(range), step: (range / 16).max(1) }
    }

    fn of(&self, file: &FileMeta) -> u64 {
        let age = self.now.saturating_sub(file.oldest_ancester_time);
        match self.start_age {
            Some(start) if file.oldest_ancester_time != 0 && age > start => {
                (age - start) / self.step + 1
            }
            _ => 1,
        }
    }
}
