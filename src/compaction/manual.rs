//! Compactions that users ask for: of a range of keys, or of named files.

use super::bounds::{
    Span, any_being_compacted, clean_cut, clean_within, overlapping, overlapping_span,
};
use super::levels::last_output_level;
use super::picker::Picker;
use super::plan::{CompactionPlan, CompactionReason, CompactionWork, LevelInputs, total_bytes};
use super::runs::{inputs_of, sorted_runs};
use super::score::Scores;
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::options::enums::CompactionStyle;
use crate::version::file_meta::FileMeta;
use std::collections::BTreeSet;
use std::ops::Range;

/// Where the files of a range go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeOutput {
    /// To this level.
    Level(usize),
    /// From level 0 to the base level.
    Base,
}

/// A part of the key range that a user wants compacted.
#[derive(Clone, Copy, Debug)]
pub struct RangeRequest<'a> {
    /// The level whose files are to go.
    pub level: usize,
    /// Where they go.
    pub output: RangeOutput,
    /// From here; `None` is from the first key.
    pub begin: Option<&'a InternalKey>,
    /// To here; `None` is to the last key.
    pub end: Option<&'a InternalKey>,
    /// Files with this number and larger ones are new enough.
    pub newest_file: Option<u64>,
    /// Move no file as it is.
    pub rewrite: bool,
}

/// What there is to do for a [`RangeRequest`].
#[derive(Debug)]
pub enum RangePick {
    /// Nothing.
    Nothing,
    /// Something, but not before a compaction that is under way has ended.
    Conflict,
    /// This, and then the rest from the key on, if there is one.
    Plan(Box<CompactionPlan>, Option<InternalKey>),
}

impl Picker<'_> {
    /// The first part of a range, of about `max_compaction_bytes`. Universal style takes all runs
    /// whatever the range is, and FIFO style what it would take by itself.
    pub fn pick_range(&self, request: &RangeRequest<'_>) -> RangePick {
        match self.options.compaction_style {
            CompactionStyle::Level => self.pick_leveled_range(request),
            CompactionStyle::Universal => self.pick_all_runs(),
            CompactionStyle::Fifo => match self.pick() {
                Some(plan) => RangePick::Plan(Box::new(plan), None),
                None => RangePick::Nothing,
            },
            CompactionStyle::None => RangePick::Nothing,
        }
    }

    fn pick_all_runs(&self) -> RangePick {
        let scores = self.scores();
        let runs = sorted_runs(self.version, self.options, &scores);
        let Some(newest) = runs.first() else { return RangePick::Nothing };
        let output_level = last_output_level(self.version, self.options);
        let inputs = inputs_of(&runs);
        if runs.iter().any(|run| run.is_busy)
            || (newest.level == 0 && self.level0_is_taken())
            || (output_level > 0 && self.conflicts(&inputs, output_level))
        {
            return RangePick::Conflict;
        }
        let reason = CompactionReason::ManualCompaction;
        let plan = self.rewrite(&scores, inputs, output_level, reason, Vec::new());
        RangePick::Plan(Box::new(plan), None)
    }

    fn pick_leveled_range(&self, request: &RangeRequest<'_>) -> RangePick {
        let scores = self.scores();
        let output_level = match request.output {
            RangeOutput::Level(level) => level,
            RangeOutput::Base => scores.targets.base_level(),
        };
        let level = request.level;
        if level == 0 {
            let begin = request.begin.map(InternalKey::user_key);
            let end = request.end.map(InternalKey::user_key);
            let files = self.version.overlapping_files(0, begin, end);
            if files.is_empty() {
                return RangePick::Nothing;
            }
            if self.running.takes_level0() {
                return RangePick::Conflict;
            }
            return self.range_plan(&scores, request, files, output_level, None);
        }
        let mut range = overlapping(self.version, level, request.begin, request.end);
        let files = self.version.files(level);
        let is_old = |at: &usize| request.newest_file.is_none_or(|n| files[*at].number < n);
        let Some(from) = range.clone().find(is_old) else { return RangePick::Nothing };
        range.start = from;
        range.end = range.clone().find(|at| !is_old(at)).unwrap_or(range.end);
        let whole = overlapping(self.version, level, request.begin, request.end).end;
        let fitting = self.fitting(level, range, output_level);
        let range = clean_cut(self.version, level, fitting);
        // What is left: files that were left out for their size, or old ones behind new ones.
        let rest = (range.end..whole).find(is_old).map(|at| files[at].smallest.clone());
        self.range_plan(&scores, request, files[range].to_vec(), output_level, rest)
    }

    /// The first files of `range` such that the compaction does not become too large; at least
    /// one.
    fn fitting(&self, level: usize, range: Range<usize>, output_level: usize) -> Range<usize> {
        let files = self.version.files(level);
        let mut bytes = files[range.start].file_size;
        for at in range.start + 1..range.end {
            let file = &files[at];
            bytes = bytes.saturating_add(file.file_size);
            let span = Span { first: &files[range.start].smallest, last: &file.largest };
            let below = match output_level == level {
                true => 0,
                false => {
                    let below = overlapping_span(self.version, output_level, span);
                    total_bytes(&self.version.files(output_level)[below])
                }
            };
            if bytes.saturating_add(below) > self.options.max_compaction_bytes {
                return range.start..at;
            }
        }
        range
    }

    fn range_plan(
        &self,
        scores: &Scores,
        request: &RangeRequest<'_>,
        files: Vec<Arc<FileMeta>>,
        output_level: usize,
        rest: Option<InternalKey>,
    ) -> RangePick {
        let mut inputs = vec![LevelInputs { level: request.level, files }];
        if any_being_compacted(&inputs[0].files) {
            return RangePick::Conflict;
        }
        match self.add_output_level(&mut inputs[0], output_level, false) {
            None => return RangePick::Conflict,
            Some(below) => inputs.extend(below),
        }
        let busy = inputs.iter().any(|inputs| any_being_compacted(&inputs.files));
        if busy || self.conflicts(&inputs, output_level) {
            return RangePick::Conflict;
        }
        let reason = CompactionReason::ManualCompaction;
        let mut plan = self.plan(scores, inputs, output_level, reason, 0.0, false);
        if request.rewrite {
            plan.work = CompactionWork::Rewrite;
        }
        RangePick::Plan(Box::new(plan), rest)
    }

    /// The compaction of the files with these numbers into `output_level`, with all that must come
    /// along. `family_name` is for error texts, which are RocksDB's.
    pub fn pick_files(
        &self,
        wanted: &BTreeSet<u64>,
        output_level: usize,
        family_name: &str,
    ) -> Result<CompactionPlan> {
        if wanted.is_empty() {
            return Err(Status::invalid_argument("A compaction must contain at least one file."));
        }
        let inputs = self.close_over(wanted, output_level)?;
        self.check_wanted(wanted, &inputs, output_level, family_name)?;
        let inputs: Vec<_> = inputs.into_iter().filter(|i| !i.files.is_empty()).collect();
        if output_level > 0 && self.conflicts(&inputs, output_level) {
            return Err(Status::aborted(
                "A running compaction is writing to the same output level(s) in an overlapping \
                 key range",
            ));
        }
        let scores = self.scores();
        let reason = CompactionReason::ManualCompaction;
        Ok(self.plan(&scores, inputs, output_level, reason, 0.0, false))
    }

    /// The files below level 0 that lie wholly within the user keys `begin..=end`, to be dropped;
    /// `None` if there are none that are free.
    pub fn pick_whole_files(
        &self,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Option<CompactionPlan> {
        let first = begin.map(|key| InternalKey::new(key, MAX_SEQUENCE, ValueType::FOR_SEEK));
        let last = end.map(|key| InternalKey::new(key, 0, ValueType::Deletion));
        let levels = (1..self.version.num_levels()).map(|level| {
            let range = clean_within(self.version, level, first.as_ref(), last.as_ref());
            let files = self.version.files(level)[range].iter();
            let free = files.filter(|file| !file.is_being_compacted()).cloned();
            LevelInputs { level, files: free.collect() }
        });
        let inputs: Vec<_> = levels.filter(|inputs| !inputs.files.is_empty()).collect();
        let output_level = inputs.last()?.level;
        let scores = self.scores();
        let reason = CompactionReason::Unknown;
        let mut plan = self.plan(&scores, inputs, output_level, reason, 0.0, false);
        plan.work = CompactionWork::Delete;
        Some(plan)
    }

    /// The move of all files of `level` to `target` over empty levels; negative means as far up as
    /// they fit. `None` if they are there. Error texts are RocksDB's.
    pub fn pick_refit(&self, level: usize, target: i32) -> Result<Option<CompactionPlan>> {
        let scores = self.scores();
        let files = self.version.files(level).to_vec();
        let target = match usize::try_from(target) {
            Ok(target) if target >= self.version.num_levels() => {
                return Err(Status::invalid_argument("Target level exceeds number of levels"));
            }
            Ok(target) => target,
            Err(_) => self.highest_fitting(&scores, level),
        };
        if files.is_empty() || target == level {
            return Ok(None);
        }
        if level == 0 {
            return Err(Status::not_supported("Cannot change from level 0 to other levels."));
        }
        if target == 0 && files.len() > 1 {
            return Err(Status::aborted(
                "Moving more than 1 file from non-L0 to L0 is not allowed as it does not bring \
                 any benefit to read nor write throughput.",
            ));
        }
        let inputs = vec![LevelInputs { level, files }];
        let between = if target > level { level + 1..target + 1 } else { target..level };
        for other in between {
            if !self.version.files(other).is_empty() {
                return Err(Status::not_supported(
                    "Levels between source and target are not empty for a move.",
                ));
            }
            if self.conflicts(&inputs, other) {
                return Err(Status::not_supported(
                    "Levels between source and target will have some ongoing compaction's output.",
                ));
            }
        }
        if any_being_compacted(&inputs[0].files) {
            return Err(Status::busy("the level is being compacted"));
        }
        let mut plan = self.plan(&scores, inputs, target, CompactionReason::RefitLevel, 0.0, false);
        plan.work = CompactionWork::Move;
        Ok(Some(plan))
    }

    /// The highest level, up to `level`, over empty ones that are large enough.
    fn highest_fitting(&self, scores: &Scores, level: usize) -> usize {
        let bytes = self.version.levels()[level].bytes();
        let fits = |&higher: &usize| {
            self.version.files(higher).is_empty() && scores.targets.max_bytes(higher) >= bytes
        };
        (1..level).rev().take_while(fits).last().unwrap_or(level)
    }

    /// From level to level, the files that overlap what is wanted there and what was taken of the
    /// levels above, from the first key of all that to the last: the output may span it.
    fn close_over(&self, wanted: &BTreeSet<u64>, output_level: usize) -> Result<Vec<LevelInputs>> {
        let is_wanted = |file: &&Arc<FileMeta>| wanted.contains(&file.number);
        let mut inputs: Vec<LevelInputs> = Vec::new();
        for level in 0..=output_level {
            let files = self.version.files(level);
            let range = if level == 0 {
                self.wanted_of_level0(wanted, output_level)
            } else {
                let above = inputs.iter().flat_map(|inputs| &inputs.files);
                let span = Span::of(self.order(), above.chain(files.iter().filter(is_wanted)));
                span.map_or(0..0, |span| {
                    clean_cut(self.version, level, overlapping_span(self.version, level, span))
                })
            };
            if let Some(busy) = files[range.clone()].iter().find(|file| file.is_being_compacted()) {
                return Err(Status::aborted(format!(
                    "Necessary compaction input file /{:06}.sst is currently being compacted.",
                    busy.number
                )));
            }
            if !range.is_empty() {
                inputs.push(LevelInputs { level, files: files[range].to_vec() });
            }
        }
        Ok(inputs)
    }

    /// The files wanted of level 0 and those between them. Of what goes down from there, older
    /// files must not stay above.
    fn wanted_of_level0(&self, wanted: &BTreeSet<u64>, output_level: usize) -> Range<usize> {
        let files = self.version.files(0);
        let is_wanted = |file: &Arc<FileMeta>| wanted.contains(&file.number);
        let Some(from) = files.iter().position(is_wanted) else { return 0..0 };
        match output_level {
            0 => from..files.iter().rposition(is_wanted).unwrap_or(from) + 1,
            _ => from..files.len(),
        }
    }

    fn check_wanted(
        &self,
        wanted: &BTreeSet<u64>,
        inputs: &[LevelInputs],
        output_level: usize,
        family_name: &str,
    ) -> Result<()> {
        for number in wanted {
            if inputs.iter().flat_map(|i| &i.files).any(|file| file.number == *number) {
                continue;
            }
            let level = self.version.all_files().find(|(_, file)| file.number == *number);
            return Err(Status::invalid_argument(match level {
                None => format!(
                    "Specified compaction input file /{number:06}.sst does not exist in column \
                     family {family_name}."
                ),
                Some((level, _)) => format!(
                    "Cannot compact file to up level, input file: /{number:06}.sst level {level} \
                     > output level {output_level}"
                ),
            }));
        }
        Ok(())
    }
}
