//! [`Picker`]: chooses compactions. A pure function of a version, the options and what is being
//! compacted; the caller claims what was chosen before it asks again.

use super::bounds::{
    Span, any_being_compacted, clean_cut, clean_within, overlapping_span, touches_next,
};
use super::levels::last_level_with_files;
use super::marked::{Destination, Marked, marked_files};
use super::order::picking_order;
use super::plan::{CompactionPlan, CompactionReason, LevelInputs, total_bytes, user_key_range};
use super::running::RunningCompactions;
use super::score::Scores;
use super::universal::Universal;
use crate::base::comparator::Comparator;
use crate::base::key::SequenceNumber;
use crate::base::sync::Arc;
use crate::options::CfOptions;
use crate::options::enums::{CompactionPri, CompactionStyle};
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;
use std::ops::Range;

/// How many files a move of one level's files takes at most.
const MAX_MOVED_FILES: usize = 4;

/// What there is to choose from.
#[derive(Clone, Copy)]
pub struct Picker<'a> {
    /// The current version.
    pub version: &'a Arc<Version>,
    /// The column family's options.
    pub options: &'a CfOptions,
    /// The compactions of the column family that are under way.
    pub running: &'a RunningCompactions,
    /// The oldest snapshot that was held when one was last released; 0 if none was yet.
    pub oldest_snapshot: SequenceNumber,
    /// Seconds since 1970.
    pub now: u64,
    /// How many seconds ahead of time periodic compactions are due, since load is low now.
    pub offpeak_lead: u64,
    /// Option `max_subcompactions`.
    pub max_subcompactions: usize,
}

/// The files of the start level, and where they go.
pub(super) struct Start {
    pub inputs: LevelInputs,
    pub output_level: usize,
    pub reason: CompactionReason,
    pub score: f64,
    /// The files overlap neither each other nor anything on the output level.
    pub disjoint: bool,
}

impl<'a> Picker<'a> {
    /// The most urgent compaction that does not conflict with those under way.
    pub fn pick(&self) -> Option<CompactionPlan> {
        let scores = self.scores();
        match self.options.compaction_style {
            CompactionStyle::Level => self.pick_leveled(scores),
            CompactionStyle::Universal => Universal::new(self, &scores, false).pick(),
            CompactionStyle::Fifo => self.pick_fifo(&scores),
            CompactionStyle::None => None,
        }
    }

    /// In universal style, the most urgent compaction into the last level.
    pub fn pick_for_last_level(&self) -> Option<CompactionPlan> {
        Universal::new(self, &self.scores(), true).pick()
    }

    fn pick_leveled(&self, scores: Scores) -> Option<CompactionPlan> {
        let mut start = self.pick_by_score(&scores).or_else(|| self.pick_marked(&scores))?;
        let mut inputs = vec![std::mem::take(&mut start.inputs)];
        if start.output_level != 0 {
            let round_robin = start.reason == CompactionReason::LevelMaxLevelSize
                && self.options.compaction_pri == CompactionPri::RoundRobin;
            if round_robin && self.expand_round_robin(&scores, &mut inputs[0], start.output_level) {
                start.disjoint = false;
            }
            if !start.disjoint {
                let below =
                    self.add_output_level(&mut inputs[0], start.output_level, round_robin)?;
                inputs.extend(below);
            }
            if self.conflicts(&inputs, start.output_level) {
                return None;
            }
        }
        Some(self.plan(
            &scores,
            inputs,
            start.output_level,
            start.reason,
            start.score,
            start.disjoint,
        ))
    }

    /// Whether [`pick`](Picker::pick) might find something.
    pub fn needs_compaction(&self) -> bool {
        self.options.compaction_style != CompactionStyle::None
            && (self.scores().want_compaction() || !self.marked().is_empty())
    }

    pub(super) fn scores(&self) -> Scores {
        Scores::new(self.version, self.options, self.now)
    }

    pub(super) fn marked(&self) -> Vec<Marked> {
        let (snapshot, now, lead) = (self.oldest_snapshot, self.now, self.offpeak_lead);
        marked_files(self.version, self.options, snapshot, now, lead)
    }

    /// Whether a compaction that takes files of level 0 down must wait for another one. In
    /// universal style that is any: it may be about to write to a level between.
    pub(super) fn level0_is_taken(&self) -> bool {
        match self.options.compaction_style {
            CompactionStyle::Universal => !self.running.is_empty(),
            _ => self.running.takes_level0(),
        }
    }

    pub(super) fn order(&self) -> &'a Comparator {
        self.version.comparator()
    }

    pub(super) fn files(&self, level: usize, range: Range<usize>) -> &'a [Arc<FileMeta>] {
        &self.version.files(level)[range]
    }

    /// Whether a compaction under way writes to the range of `inputs` on `output_level`.
    pub(super) fn conflicts(&self, inputs: &[LevelInputs], output_level: usize) -> bool {
        let files = inputs.iter().flat_map(|inputs| &inputs.files);
        user_key_range(self.order(), files)
            .is_some_and(|range| self.running.writes(self.order(), output_level, &range))
    }

    /// A compaction of a level that is too large, the most urgent first.
    fn pick_by_score(&self, scores: &Scores) -> Option<Start> {
        let base = scores.targets.base_level();
        let mut level0_waits = false;
        for &(level, score) in scores.by_urgency.iter().take_while(|(_, score)| *score >= 1.0) {
            if level == 0 {
                if let Some(start) = self.pick_level0(scores, score) {
                    return Some(start);
                }
                level0_waits = true;
            } else if !(level0_waits && level == base)
                // Else what comes down from level 0 would find its place taken again and again.
                && let Some(start) = self.pick_sorted(scores, level, score)
            {
                return Some(start);
            }
        }
        None
    }

    /// A file of a sorted level, and its neighbours where that costs nothing.
    fn pick_sorted(&self, scores: &Scores, level: usize, score: f64) -> Option<Start> {
        let round_robin = self.options.compaction_pri == CompactionPri::RoundRobin;
        let candidates = picking_order(self.version, level, self.options, scores, self.now);
        for at in candidates {
            if let Some((range, disjoint)) = self.try_file(level, at, level + 1) {
                return Some(Start {
                    inputs: LevelInputs { level, files: self.files(level, range).to_vec() },
                    output_level: level + 1,
                    reason: CompactionReason::LevelMaxLevelSize,
                    score,
                    disjoint,
                });
            }
            if round_robin {
                // Its turn comes before that of the others.
                return None;
            }
        }
        None
    }

    /// The clean selection around a file, if neither it nor what it overlaps below is in use, and
    /// whether it overlaps nothing below.
    fn try_file(
        &self,
        level: usize,
        at: usize,
        output_level: usize,
    ) -> Option<(Range<usize>, bool)> {
        let range = clean_cut(self.version, level, at..at + 1);
        let files = self.files(level, range.clone());
        let span = Span::of(self.order(), files)?;
        if any_being_compacted(files) {
            return None;
        }
        let keys = user_key_range(self.order(), files.iter())?;
        if self.running.writes(self.order(), output_level, &keys) {
            return None;
        }
        let below = overlapping_span(self.version, output_level, span);
        if below.is_empty() {
            return Some((self.extend_move(level, range, output_level), true));
        }
        let below = clean_cut(self.version, output_level, below);
        if any_being_compacted(self.files(output_level, below)) {
            return None;
        }
        Some((range, false))
    }

    /// Adds neighbours to a single file that overlaps nothing below, as long as that stays so.
    fn extend_move(&self, level: usize, range: Range<usize>, output_level: usize) -> Range<usize> {
        if range.len() != 1 || !self.options.compression_per_level.is_empty() {
            return range;
        }
        let files = self.version.files(level);
        let (mut from, mut to) = (range.start, range.end);
        let mut bytes = files[from].file_size;
        let mut may_take = |at: usize, from: usize, to: usize| {
            let file = &files[at];
            bytes = bytes.saturating_add(file.file_size);
            let span = Span { first: &files[from].smallest, last: &files[to].largest };
            !file.is_being_compacted()
                && bytes <= self.options.max_compaction_bytes
                && overlapping_span(self.version, output_level, span).is_empty()
                && user_key_range(self.order(), files[from..=to].iter())
                    .is_some_and(|r| !self.running.writes(self.order(), output_level, &r))
        };
        while to < files.len()
            && to - from < MAX_MOVED_FILES
            && !touches_next(self.version, level, to)
            && may_take(to, from, to)
        {
            to += 1;
        }
        let to_the_left = self.options.compaction_pri != CompactionPri::RoundRobin;
        while to_the_left
            && from > 0
            && to - from < MAX_MOVED_FILES
            && !(from > 1 && touches_next(self.version, level, from - 2))
            && may_take(from - 1, from - 1, to - 1)
        {
            from -= 1;
        }
        from..to
    }

    /// Takes the files that follow those chosen, up to the bytes that the level has too many.
    /// Returns whether there are any.
    fn expand_round_robin(
        &self,
        scores: &Scores,
        inputs: &mut LevelInputs,
        output_level: usize,
    ) -> bool {
        let before = inputs.files.len();
        self.add_followers(scores, inputs, output_level);
        inputs.files.len() > before
    }

    fn add_followers(&self, scores: &Scores, inputs: &mut LevelInputs, output_level: usize) {
        let level = inputs.level;
        let files = self.version.files(level);
        let idle = files.iter().filter(|file| !file.is_being_compacted());
        let idle_bytes = idle.map(|file| file.file_size).fold(0, u64::saturating_add);
        let surplus = idle_bytes.saturating_sub(scores.targets.max_bytes(level));
        let position = |file: &Arc<FileMeta>| files.iter().position(|f| Arc::ptr_eq(f, file));
        let (Some(from), Some(last)) =
            (inputs.files.first().and_then(position), inputs.files.last().and_then(position))
        else {
            return;
        };
        let Some(span) = Span::of(self.order(), &inputs.files) else { return };
        let is_move = overlapping_span(self.version, output_level, span).is_empty();
        let mut range = from..last + 1;
        if is_move && range.len() > 1 {
            return;
        }
        while total_bytes(&files[range.clone()]) < surplus && range.end < files.len() {
            let wider = clean_cut(self.version, level, range.start..range.end + 1);
            let taken = &files[wider.clone()];
            let Some(span) = Span::of(self.order(), taken) else { return };
            let below = overlapping_span(self.version, output_level, span);
            let below = self.files(output_level, clean_cut(self.version, output_level, below));
            let bytes = total_bytes(taken).saturating_add(total_bytes(below));
            let wanted = LevelInputs { level, files: taken.to_vec() };
            if any_being_compacted(taken)
                || any_being_compacted(below)
                || bytes > self.options.max_compaction_bytes
                || self.conflicts(std::slice::from_ref(&wanted), output_level)
            {
                return;
            }
            *inputs = wanted;
            range = wider;
        }
    }

    /// A file that wants a compaction for itself.
    fn pick_marked(&self, scores: &Scores) -> Option<Start> {
        let last = last_level_with_files(self.version);
        for Marked { reason, destination, files } in self.marked() {
            for (level, at) in files {
                let output_level = match destination {
                    Destination::SameLevel => level,
                    Destination::NextLevelIfAny if level > 0 && level >= last => continue,
                    Destination::NextLevel if level > 0 && level >= last => level,
                    _ if level == 0 => scores.targets.base_level(),
                    _ => level + 1,
                };
                if let Some(files) = self.try_marked(level, at, output_level) {
                    let inputs = LevelInputs { level, files };
                    return Some(Start {
                        inputs,
                        output_level,
                        reason,
                        score: 0.0,
                        disjoint: false,
                    });
                }
            }
        }
        None
    }

    fn try_marked(
        &self,
        level: usize,
        at: usize,
        output_level: usize,
    ) -> Option<Vec<Arc<FileMeta>>> {
        if level == 0 {
            let taken = self.running.takes_level0();
            return if taken { None } else { self.grow_level0(at, output_level) };
        }
        let files = self.files(level, clean_cut(self.version, level, at..at + 1)).to_vec();
        let inputs = LevelInputs { level, files };
        let free = !any_being_compacted(&inputs.files)
            && !self.conflicts(std::slice::from_ref(&inputs), output_level);
        free.then_some(inputs.files)
    }

    /// The files of the output level that `start` overlaps; grows `start` where that does not
    /// make them more. `None` if some of them are in use.
    pub(super) fn add_output_level(
        &self,
        start: &mut LevelInputs,
        output_level: usize,
        rightwards_only: bool,
    ) -> Option<Option<LevelInputs>> {
        if start.level == output_level {
            return Some(None);
        }
        let (order, version) = (self.order(), self.version);
        let start_files = start.files.clone();
        let span = Span::of(order, &start_files)?;
        let range = overlapping_span(version, output_level, span);
        if range.is_empty() {
            return Some(None);
        }
        let below = self.files(output_level, clean_cut(version, output_level, range));
        if any_being_compacted(below) {
            return None;
        }
        let mut all = span.union(order, Span::of(order, below)?);
        if rightwards_only {
            all.first = span.first;
        }
        // Files that come along save a later compaction; but not at any price.
        let limit = self.options.max_compaction_bytes.saturating_mul(2);
        let fits = |files: &[Arc<FileMeta>]| {
            files.len() > start_files.len()
                && !any_being_compacted(files)
                && total_bytes(files).saturating_add(total_bytes(below)) < limit
        };
        let expanded = match start.level {
            0 => {
                version.overlapping_files(0, Some(all.first.user_key()), Some(all.last.user_key()))
            }
            level => self
                .files(level, clean_cut(version, level, overlapping_span(version, level, all)))
                .to_vec(),
        };
        let keeps_below = || {
            let span = Span::of(order, &expanded)?;
            let wider = overlapping_span(version, output_level, span);
            Some(clean_cut(version, output_level, wider).len() == below.len())
        };
        if fits(&expanded) && keeps_below()? {
            start.files = expanded;
        } else if start.level > 0 {
            let within = clean_within(version, start.level, Some(all.first), Some(all.last));
            let within = self.files(start.level, within);
            if fits(within) {
                start.files = within.to_vec();
            }
        }
        Some(Some(LevelInputs { level: output_level, files: below.to_vec() }))
    }
}
