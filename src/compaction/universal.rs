//! Universal compaction: neighbouring sorted runs are merged, so that there are few of them and
//! newer ones take little space beside the oldest. The rules are RocksDB's.
//!
//! Runs stay in order of age: the output of a compaction goes to the deepest level above the next
//! older run, or to level 0 if that run is there.

use super::bounds::{any_being_compacted, clean_cut};
use super::levels::last_output_level;
use super::marked::Marked;
use super::picker::Picker;
use super::plan::{CompactionPlan, CompactionReason, CompactionWork, LevelInputs};
use super::runs::{SortedRun, inputs_of, sorted_runs};
use super::score::Scores;
use crate::base::sync::Arc;
use crate::codec::CompressionType;
use crate::options::compaction::CompactionOptionsUniversal;
use crate::options::enums::CompactionStopStyle;
use crate::version::file_meta::FileMeta;
use std::ops::Range;

/// Chooses among the sorted runs of a version.
pub(super) struct Universal<'p, 'a> {
    pub(super) picker: &'p Picker<'a>,
    pub(super) scores: &'p Scores,
    /// The newest first.
    pub(super) runs: Vec<SortedRun<'a>>,
    /// The deepest level that compactions write to.
    pub(super) last_level: usize,
    /// Only compactions into that level are wanted.
    only_last_level: bool,
}

impl<'p, 'a> Universal<'p, 'a> {
    pub(super) fn new(
        picker: &'p Picker<'a>,
        scores: &'p Scores,
        only_last_level: bool,
    ) -> Universal<'p, 'a> {
        Universal {
            picker,
            scores,
            runs: sorted_runs(picker.version, picker.options, scores),
            last_level: last_output_level(picker.version, picker.options),
            only_last_level,
        }
    }

    pub(super) fn options(&self) -> &'a CompactionOptionsUniversal {
        &self.picker.options.compaction_options_universal
    }

    /// How many runs make compactions necessary at all.
    fn trigger(&self) -> usize {
        let trigger = self.picker.options.level0_file_num_compaction_trigger;
        usize::try_from(trigger).unwrap_or(usize::MAX)
    }

    /// The most urgent compaction that does not conflict with those under way.
    pub(super) fn pick(&self) -> Option<CompactionPlan> {
        if self.runs.is_empty() {
            return None;
        }
        let marked = self.picker.marked();
        let mut plan = self
            .pick_periodic(&marked)
            .or_else(|| self.pick_when_many())
            .or_else(|| self.pick_marked(&marked))?;
        plan.score = self.scores.of(0);
        if self.options().allow_trivial_move && plan.output.level > 0 {
            let may_move = plan.reason != CompactionReason::PeriodicCompaction;
            let moves = may_move && self.picker.are_disjoint(&plan);
            plan.work = if moves { CompactionWork::Move } else { CompactionWork::Rewrite };
        }
        Some(plan)
    }

    fn pick_when_many(&self) -> Option<CompactionPlan> {
        if self.runs.len() < self.trigger() {
            return None;
        }
        self.pick_size_amplification()
            .or_else(|| {
                let runs = self.similar_runs(self.options().size_ratio, usize::MAX)?;
                self.merge(runs, CompactionReason::UniversalSizeRatio)
            })
            .or_else(|| {
                let runs = self.similar_runs(u32::MAX, self.too_many_runs()?)?;
                self.merge(runs, CompactionReason::UniversalSortedRunNum)
            })
    }

    /// The level for what is older than the runs before `next` and newer than that one.
    fn level_before(&self, next: usize) -> usize {
        self.runs.get(next).map_or(self.last_level, |run| run.level.saturating_sub(1))
    }

    pub(super) fn is_wanted(&self, output_level: usize) -> bool {
        !self.only_last_level || (output_level > 0 && output_level == self.last_level)
    }

    /// The merge of neighbouring runs into one.
    fn merge_all(
        &self,
        runs: Range<usize>,
        reason: CompactionReason,
        grandparents: Vec<Arc<FileMeta>>,
    ) -> Option<CompactionPlan> {
        let output_level = self.level_before(runs.end);
        if !self.is_wanted(output_level) {
            return None;
        }
        let inputs = inputs_of(&self.runs[runs]);
        if output_level > 0 && self.picker.conflicts(&inputs, output_level) {
            return None;
        }
        Some(self.picker.rewrite(self.scores, inputs, output_level, reason, grandparents))
    }

    /// The same, for runs that were taken because they are similar or many.
    fn merge(&self, runs: Range<usize>, reason: CompactionReason) -> Option<CompactionPlan> {
        let is_compressed = self.compresses(runs.end);
        let below = self.runs.get(runs.end).filter(|next| next.level > 1);
        let grandparents = match below.filter(|_| self.options().incremental) {
            // Only parts of runs will be taken, which is cheaper where files begin and end alike.
            Some(next) => next.files.to_vec(),
            None => Vec::new(),
        };
        let mut plan = self.merge_all(runs, reason, grandparents)?;
        if !is_compressed {
            plan.output.compression = CompressionType::None;
            plan.output.compression_opts = self.picker.options.compression_opts.clone();
        }
        Some(plan)
    }

    /// Whether runs from `next` on, which are older, are too little for option
    /// `compression_size_percent` to be kept.
    fn compresses(&self, next: usize) -> bool {
        let Ok(percent) = u128::try_from(self.options().compression_size_percent) else {
            return true;
        };
        let total: u128 = self.runs.iter().map(|run| u128::from(run.compensated_size)).sum();
        let older = &self.runs[next.min(self.runs.len())..];
        // Nothing older is too little, whatever the percentage.
        older.is_empty()
            || older.iter().map(|run| u128::from(run.size)).sum::<u128>() * 100 < total * percent
    }

    /// All runs from the newest one on behind which none is in use, if the whole data or some
    /// of these are to be rewritten for their age.
    fn pick_periodic(&self, marked: &[Marked]) -> Option<CompactionPlan> {
        let reason = CompactionReason::PeriodicCompaction;
        let old = &marked.iter().find(|marked| marked.reason == reason)?.files;
        let start = self.runs.iter().rposition(|run| run.is_busy).map_or(0, |busy| busy + 1);
        let last = self.runs.len() - 1;
        if start > last {
            return None;
        }
        let level = self.runs[last].level;
        let of_last_run = |&(on, at): &(usize, usize)| on == level && (level > 0 || at == last);
        if start == last && !old.iter().any(of_last_run) {
            return None;
        }
        self.merge_all(start..last + 1, reason, Vec::new())
    }

    /// All runs that are free, down to the oldest, if the newer ones are large beside that.
    fn pick_size_amplification(&self) -> Option<CompactionPlan> {
        let last = self.runs.len() - 1;
        let base = &self.runs[last];
        if base.is_busy {
            return None;
        }
        let busy = self.runs[..last].iter().rposition(|run| run.is_busy);
        let mut start = busy.map_or(0, |busy| busy + 1);
        if start == last {
            return None;
        }
        start += self.left_to_writers(start, last);
        let newer = self.bytes(start..last);
        if !self.amplifies(newer, base.size) {
            return None;
        }
        if self.options().incremental {
            // What is gained by a part must not cost much more than the whole.
            let fan_out = base.size as f64 / newer as f64 * 1.8;
            if let Some(plan) = self.pick_incremental(fan_out) {
                return Some(plan);
            }
        }
        let reason = CompactionReason::UniversalSizeAmplification;
        self.merge_all(start..last + 1, reason, Vec::new())
    }

    fn bytes(&self, runs: Range<usize>) -> u64 {
        self.runs[runs].iter().map(|run| run.compensated_size).fold(0, u64::saturating_add)
    }

    /// Whether so many bytes beside the oldest run are more than the options allow.
    fn amplifies(&self, newer: u64, oldest: u64) -> bool {
        let percent = u128::from(self.options().max_size_amplification_percent);
        u128::from(newer) * 100 >= u128::from(oldest) * percent
    }

    /// How many of the newest files of level 0 a merge of `start..=last` leaves out: while it runs
    /// its inputs still count as runs, and a few flushes more would stop writes. They are left
    /// for merges among themselves, as long as they are little.
    fn left_to_writers(&self, start: usize, last: usize) -> usize {
        let level0 = self.runs[start..last].iter().filter(|run| run.level == 0).count();
        if level0 == 0 {
            return 0;
        }
        let options = self.options();
        let stop = usize::try_from(self.picker.options.level0_stop_writes_trigger).unwrap_or(0);
        let room = stop.saturating_sub(last - start + 1);
        // One file of level 0 and two runs stay.
        let most = (level0 - 1).min(last - start - 1);
        let missing = |width: u32| (width as usize).saturating_sub(room).min(most);
        let (from, to) = (missing(options.min_merge_width), missing(options.max_merge_width));
        let all = self.bytes(start..last);
        let mut left_out = 0;
        for count in from..=to {
            let rest = self.bytes(start + count..last);
            if !self.amplifies(rest, self.runs[last].size) || rest < all.saturating_mul(9) / 10 {
                break;
            }
            left_out = count;
        }
        left_out
    }

    /// How many runs to merge, so that there are no more than the options allow.
    fn too_many_runs(&self) -> Option<usize> {
        let options = self.options();
        let most = match options.max_read_amp {
            0 if options.stop_style == CompactionStopStyle::TotalSize => self.expected_runs(),
            1.. => options.max_read_amp as usize,
            _ => self.trigger(),
        };
        let idle = self.runs.iter().filter(|run| !run.is_busy).count();
        (idle > most).then(|| idle - most + 1)
    }

    /// How many runs there are if each is as large as it can be without being merged with the
    /// newer ones, the newest is a flushed memtable, and the oldest has the size of the largest.
    fn expected_runs(&self) -> usize {
        let largest = self.runs.iter().map(|run| run.size).max().unwrap_or(0) as f64;
        let ratio = (100.0 + f64::from(self.options().size_ratio)) / 100.0;
        let mut size = self.picker.options.write_buffer_size as f64;
        let (mut total, mut runs) = (0.0, 1);
        while size < largest {
            total += size;
            size = ratio * total;
            runs += 1;
        }
        runs
    }

    /// The newest neighbouring runs, `most` at most, of which each but the first is no more than
    /// `ratio` per cent larger than those before it together, or than the one before it.
    fn similar_runs(&self, ratio: u32, most: usize) -> Option<Range<usize>> {
        let options = self.options();
        let most = most.min(options.max_merge_width as usize);
        let least = options.min_merge_width.max(2) as usize;
        let starts = (0..self.runs.len()).filter(|&start| !self.runs[start].is_busy);
        starts
            .map(|start| start..start + self.count_similar(start, ratio, most))
            .find(|runs| runs.len() >= least)
    }

    fn count_similar(&self, start: usize, ratio: u32, most: usize) -> usize {
        let enlarged = |bytes: u64| bytes as f64 * (100.0 + f64::from(ratio)) / 100.0;
        let mut taken = self.runs[start].compensated_size;
        let mut count = 1;
        for run in self.runs[start + 1..].iter().take_while(|run| !run.is_busy) {
            if count >= most || enlarged(taken) < run.size as f64 {
                break;
            }
            if self.options().stop_style == CompactionStopStyle::SimilarSize {
                if enlarged(run.size) < taken as f64 {
                    break;
                }
                taken = run.compensated_size;
            } else {
                taken = taken.saturating_add(run.compensated_size);
            }
            count += 1;
        }
        count
    }

    /// A file that wants a compaction for itself, with what it overlaps in the next run.
    fn pick_marked(&self, marked: &[Marked]) -> Option<CompactionPlan> {
        let reason = CompactionReason::FilesMarkedForCompaction;
        let files = &marked.iter().find(|marked| marked.reason == reason)?.files;
        if self.picker.version.num_levels() == 1 {
            return self.pick_marked_run(files, reason);
        }
        files.iter().find_map(|&(level, at)| self.merge_into_next(level, at, reason))
    }

    /// Where all runs are files of level 0: from the marked one to the oldest that is free.
    fn pick_marked_run(
        &self,
        files: &[(usize, usize)],
        reason: CompactionReason,
    ) -> Option<CompactionPlan> {
        let last = self.runs.len() - 1;
        let &(_, start) = files.iter().find(|(_, at)| *at < last)?;
        let busy = self.runs[start..].iter().position(|run| run.is_busy);
        let end = busy.map_or(self.runs.len(), |busy| start + busy);
        if end - start < 2 {
            return None;
        }
        self.merge_all(start..end, reason, Vec::new())
    }

    /// The file at `at` of `level` and those with its keys in the next deeper run.
    fn merge_into_next(
        &self,
        level: usize,
        at: usize,
        reason: CompactionReason,
    ) -> Option<CompactionPlan> {
        let (picker, version) = (self.picker, self.picker.version);
        let mut below = level + 1..self.last_level + 1;
        let output_level = match below.find(|&below| !version.files(below).is_empty()) {
            Some(level) => level,
            None if level == 0 => self.last_level,
            // A move would gain nothing.
            None => return None,
        };
        if !self.is_wanted(output_level) {
            return None;
        }
        let files = match level {
            0 if picker.level0_is_taken() => return None,
            0 => picker.grow_level0(at, output_level)?,
            _ => picker.files(level, clean_cut(version, level, at..at + 1)).to_vec(),
        };
        if any_being_compacted(&files) {
            return None;
        }
        let mut inputs = vec![LevelInputs { level, files }];
        let next = picker.add_output_level(&mut inputs[0], output_level, false)?;
        inputs.extend(next);
        if picker.conflicts(&inputs, output_level) {
            return None;
        }
        let grandparents = picker.grandparents_of(&inputs, output_level);
        let mut plan = picker.rewrite(self.scores, inputs, output_level, reason, grandparents);
        if picker.is_move(self.scores, &plan, false) {
            plan.work = CompactionWork::Move;
        }
        Some(plan)
    }
}
