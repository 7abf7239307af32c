//! Choosing files of level 0, which may overlap each other: to the base level, or together into
//! one file of level 0.

use super::bounds::{Span, any_being_compacted, clean_cut, overlapping_span};
use super::order::picking_order;
use super::picker::{Picker, Start};
use super::plan::{CompactionReason, LevelInputs};
use super::score::Scores;
use crate::base::key::compare_internal;
use crate::base::sync::Arc;
use crate::version::file_meta::FileMeta;

/// The fewest files that are worth a compaction within level 0.
const MIN_INTRA_FILES: usize = 4;

impl Picker<'_> {
    pub(super) fn pick_level0(&self, scores: &Scores, score: f64) -> Option<Start> {
        let base = scores.targets.base_level();
        let start = |files, output_level, disjoint| Start {
            inputs: LevelInputs { level: 0, files },
            output_level,
            reason: CompactionReason::LevelL0FilesNum,
            score,
            disjoint,
        };
        if !self.running.takes_level0() {
            let moved = self.level0_move(base);
            if !moved.is_empty() {
                return Some(start(moved, base, true));
            }
        }
        if let Some(files) = self.intra_level0_by_size(scores, base) {
            return Some(start(files, 0, false));
        }
        if !self.running.takes_level0()
            && let Some(files) = self.level0_files(scores, base)
        {
            return Some(start(files, base, false));
        }
        Some(start(self.intra_level0_by_cost()?, 0, false))
    }

    /// Files that can go to the base level now.
    fn level0_files(&self, scores: &Scores, base: usize) -> Option<Vec<Arc<FileMeta>>> {
        let candidates = picking_order(self.version, 0, self.options, scores, self.now);
        candidates.into_iter().find_map(|at| self.grow_level0(at, base))
    }

    /// A file of level 0 and those that overlap it, directly or through others: a file must not
    /// go below an older one that overlaps it. `None` if the output level's files there are in
    /// use.
    pub(super) fn grow_level0(&self, at: usize, output_level: usize) -> Option<Vec<Arc<FileMeta>>> {
        let file = &self.version.files(0)[at];
        let (first, last) = (file.smallest.user_key(), file.largest.user_key());
        let files = self.version.overlapping_files(0, Some(first), Some(last));
        let span = Span::of(self.order(), &files)?;
        let keys = span.first.user_key()..=span.last.user_key();
        let below = overlapping_span(self.version, output_level, span);
        let below = clean_cut(self.version, output_level, below);
        let busy = any_being_compacted(&files)
            || any_being_compacted(&self.version.files(output_level)[below])
            || self.running.writes(self.order(), output_level, &keys);
        (!busy).then_some(files)
    }

    /// Files from the oldest on that overlap neither each other nor the base level, in key order.
    /// If the base level is empty nothing is gained: every file would qualify, however small.
    fn level0_move(&self, base: usize) -> Vec<Arc<FileMeta>> {
        let mut moved: Vec<Arc<FileMeta>> = Vec::new();
        if !self.options.compression_per_level.is_empty() || self.version.files(base).is_empty() {
            return moved;
        }
        let order = self.order();
        let mut span: Option<Span<'_>> = None;
        for file in self.version.files(0).iter().rev() {
            let own = Span { first: &file.smallest, last: &file.largest };
            let wider = match span {
                None => own,
                Some(span) => {
                    let apart = compare_internal(order, own.last.as_bytes(), span.first.as_bytes())
                        .is_lt()
                        || compare_internal(order, own.first.as_bytes(), span.last.as_bytes())
                            .is_gt();
                    if !apart {
                        break;
                    }
                    span.union(order, own)
                }
            };
            let keys = wider.first.user_key()..=wider.last.user_key();
            if file.is_being_compacted()
                || !overlapping_span(self.version, base, wider).is_empty()
                || self.running.writes(order, base, &keys)
            {
                break;
            }
            span = Some(wider);
            moved.push(file.clone());
        }
        moved.sort_by(|a, b| compare_internal(order, a.smallest.as_bytes(), b.smallest.as_bytes()));
        moved
    }

    /// All idle files of level 0 together, if they are so little against the base level that
    /// merging them into it would rewrite it for almost nothing.
    fn intra_level0_by_size(&self, scores: &Scores, base: usize) -> Option<Vec<Arc<FileMeta>>> {
        let files = self.version.files(0);
        let least = self.options.level0_file_num_compaction_trigger.max(2) as usize;
        if files.len() < least {
            return None;
        }
        let bytes = files.iter().map(|file| scores.compensated_size(file));
        let bytes = bytes.fold(0, u64::saturating_add);
        let factor = self.options.max_bytes_for_level_multiplier.max(10.0) * 2.0;
        if self.version.levels()[base].bytes() <= (bytes as f64 * factor) as u64 {
            return None;
        }
        let idle = files.iter().take_while(|file| !file.is_being_compacted());
        let idle: Vec<_> = idle.cloned().collect();
        (idle.len() >= least).then_some(idle)
    }

    /// The newest files of level 0, as many as make each file that goes away cheaper. For when
    /// the way to the base level is blocked.
    fn intra_level0_by_cost(&self) -> Option<Vec<Arc<FileMeta>>> {
        let trigger = self.options.level0_file_num_compaction_trigger.max(0) as usize;
        if self.version.files(0).len() < trigger + 2 {
            return None;
        }
        self.cheap_newest(MIN_INTRA_FILES, u64::MAX)
    }

    /// The newest files of level 0, while each makes a file that goes away cheaper; at least
    /// `least`, for less than `most` bytes to write for each that goes away.
    pub(super) fn cheap_newest(&self, least: usize, most: u64) -> Option<Vec<Arc<FileMeta>>> {
        let files = self.version.files(0);
        let newest = files.first().filter(|file| !file.is_being_compacted())?;
        let (mut bytes, mut cost) = (newest.file_size, u64::MAX);
        let mut taken = 1;
        for file in files[1..].iter().take_while(|file| !file.is_being_compacted()) {
            bytes = bytes.saturating_add(file.file_size);
            // One file stays.
            let new_cost = bytes / taken as u64;
            if new_cost > cost || bytes > self.options.max_compaction_bytes {
                break;
            }
            cost = new_cost;
            taken += 1;
        }
        (taken >= least && cost < most).then(|| files[..taken].to_vec())
    }
}
