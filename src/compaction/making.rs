//! From what a picker chose to a [`CompactionPlan`].

use super::bounds::{Span, overlapping_span};
use super::levels::may_exist_below;
use super::order::is_level0_disjoint;
use super::output::{compression, output_options};
use super::picker::Picker;
use super::plan::{
    CompactionPlan, CompactionReason, CompactionWork, LevelInputs, total_bytes, user_key_range,
};
use super::score::Scores;
use crate::base::comparator::Order;
use crate::base::sync::Arc;
use crate::options::enums::{CompactionPri, CompactionStyle};
use crate::version::file_meta::FileMeta;

impl Picker<'_> {
    /// The compaction of `inputs` into `output_level`.
    pub(super) fn plan(
        &self,
        scores: &Scores,
        inputs: Vec<LevelInputs>,
        output_level: usize,
        reason: CompactionReason,
        score: f64,
        disjoint: bool,
    ) -> CompactionPlan {
        let grandparents = self.grandparents_of(&inputs, output_level);
        let mut plan = self.rewrite(scores, inputs, output_level, reason, grandparents);
        plan.score = score;
        if self.is_move(scores, &plan, disjoint) {
            plan.work = CompactionWork::Move;
        }
        plan
    }

    /// The files below `output_level` that may decide where output files end.
    pub(super) fn grandparents_of(
        &self,
        inputs: &[LevelInputs],
        output_level: usize,
    ) -> Vec<Arc<FileMeta>> {
        let all_files = inputs.iter().flat_map(|inputs| &inputs.files);
        Span::of(self.order(), all_files)
            .filter(|_| output_level > 0)
            .map_or(Vec::new(), |span| self.grandparents(output_level, span))
    }

    /// The merge of `inputs` into new files on `output_level`.
    pub(super) fn rewrite(
        &self,
        scores: &Scores,
        inputs: Vec<LevelInputs>,
        output_level: usize,
        reason: CompactionReason,
        grandparents: Vec<Arc<FileMeta>>,
    ) -> CompactionPlan {
        let version = self.version;
        let all_files = || inputs.iter().flat_map(|inputs| &inputs.files);
        let bottommost = self.is_bottommost(&inputs, output_level);
        let mut output = output_options(version, self.options, &scores.targets, output_level);
        if !bottommost && !grandparents.is_empty() {
            // Files end where the grandparents suggest, somewhere about the target size.
            output.max_file_size = output.target_file_size.saturating_mul(2);
        }
        let is_manual = reason == CompactionReason::ManualCompaction;
        let start_level = inputs.first().map_or(0, |inputs| inputs.level);
        let may_split = output_level > 0
            && match self.options.compaction_style {
                CompactionStyle::Level => {
                    start_level == 0
                        || is_manual
                        || self.options.compaction_pri == CompactionPri::RoundRobin
                }
                style => style == CompactionStyle::Universal,
            };
        CompactionPlan {
            version: version.clone(),
            is_full: all_files().count() == version.num_files(),
            inputs,
            work: CompactionWork::Rewrite,
            output,
            grandparents,
            max_compaction_bytes: self.max_overlapped_bytes(),
            max_subcompactions: if may_split { self.max_subcompactions.max(1) } else { 1 },
            bottommost,
            is_manual,
            reason,
            score: 0.0,
        }
    }

    /// A file ends before it overlaps more bytes of the grandparents.
    fn max_overlapped_bytes(&self) -> u64 {
        if self.options.compaction_style != CompactionStyle::Universal {
            self.options.max_compaction_bytes
        } else if self.options.compaction_options_universal.incremental {
            // So that the next compaction finds files that begin and end where those below do.
            (self.options.target_file_size_base / 2).saturating_mul(3)
        } else {
            u64::MAX
        }
    }

    /// The files of the first level below the output that has any in `span`.
    fn grandparents(&self, output_level: usize, span: Span<'_>) -> Vec<Arc<FileMeta>> {
        (output_level + 1..self.version.num_levels())
            .map(|level| self.files(level, overlapping_span(self.version, level, span)))
            .find(|files| !files.is_empty())
            .map_or(Vec::new(), <[_]>::to_vec)
    }

    fn is_bottommost(&self, inputs: &[LevelInputs], output_level: usize) -> bool {
        let files = inputs.iter().flat_map(|inputs| &inputs.files);
        let Some(range) = user_key_range(self.order(), files) else { return false };
        let oldest = inputs.first().and_then(|inputs| inputs.files.last()).map(|file| file.number);
        !may_exist_below(self.version, range.start(), range.end(), output_level, oldest)
    }

    /// Whether the inputs can become files of the output level as they are.
    pub(super) fn is_move(&self, scores: &Scores, plan: &CompactionPlan, disjoint: bool) -> bool {
        let [inputs] = &plan.inputs[..] else { return false };
        let (level, output_level) = (inputs.level, plan.output.level);
        let has_filter = self.options.compaction_filter.is_some()
            || self.options.compaction_filter_factory.is_some();
        if level == output_level
            || output_level == 0
            || (plan.is_manual && has_filter)
            || (level == 0 && !disjoint && inputs.files.len() > 1)
            || inputs.files.iter().any(|file| file.path_id != plan.output.path_id)
            || compression(self.version, self.options, &scores.targets, level)
                != plan.output.compression
        {
            return false;
        }
        // A file over much of the next level would be expensive to compact from there.
        output_level + 1 >= self.version.num_levels()
            || inputs.files.iter().all(|file| {
                let span = Span { first: &file.smallest, last: &file.largest };
                let below = overlapping_span(self.version, output_level + 1, span);
                let below = total_bytes(self.files(output_level + 1, below));
                below.saturating_add(file.file_size) <= plan.max_compaction_bytes
            })
    }

    /// Whether no two inputs overlap, and they can become files of the output level side by side,
    /// as option `allow_trivial_move` of universal compaction wants it. Inputs may be on several
    /// levels.
    pub(super) fn are_disjoint(&self, plan: &CompactionPlan) -> bool {
        if plan.output.level == 0
            || plan.start_level() == plan.output.level
            || (plan.start_level() == 0 && !is_level0_disjoint(self.version))
        {
            return false;
        }
        let order = self.order();
        let mut files: Vec<_> = plan.input_files().map(|(_, file)| file).collect();
        files.sort_by(|a, b| order.compare(a.smallest.user_key(), b.smallest.user_key()));
        files.windows(2).all(|pair| {
            order.compare(pair[0].largest.user_key(), pair[1].smallest.user_key()).is_lt()
        })
    }
}
