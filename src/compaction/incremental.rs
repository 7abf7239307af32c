//! Option `incremental` of universal compaction: a part of the run before the oldest one is merged
//! into that, rather than all of both.

use super::bounds::{Span, any_being_compacted, clean_cut, clean_within, overlapping_span};
use super::plan::{CompactionPlan, CompactionReason, LevelInputs};
use super::universal::Universal;
use crate::base::key::{InternalKey, compare_internal};
use crate::base::sync::Arc;
use crate::version::file_meta::FileMeta;
use std::cmp::Ordering;
use std::ops::Range;

/// Files that follow each other, and what they overlap in the oldest run.
struct Window<'f> {
    compare: &'f dyn Fn(&InternalKey, &InternalKey) -> Ordering,
    files: &'f [Arc<FileMeta>],
    oldest: &'f [Arc<FileMeta>],
    start: usize,
    bytes: u64,
    /// The files of the oldest run from the first that overlaps the window to the last one, which
    /// may reach beyond it.
    below: Range<usize>,
    /// The last of them is counted in `bytes_below`.
    end_is_counted: bool,
    bytes_below: u64,
}

impl Window<'_> {
    fn total(&self) -> u64 {
        self.bytes.saturating_add(self.bytes_below)
    }

    /// Bytes of the oldest run to rewrite for each byte of the window.
    fn fan_out(&self) -> f64 {
        self.bytes_below as f64 / self.bytes as f64
    }

    fn count_end(&mut self) {
        if !self.end_is_counted {
            let bytes = self.oldest[self.below.end].file_size;
            self.bytes_below = self.bytes_below.saturating_add(bytes);
        }
    }

    /// Grows the window by the file at `at`; begins it anew if the oldest run has whole files in
    /// the gap before that.
    fn take(&mut self, at: usize) {
        let file = &self.files[at];
        let mut skipped = 0;
        while let Some(below) = self.oldest.get(self.below.end)
            && (self.compare)(&below.largest, &file.smallest).is_lt()
        {
            self.count_end();
            self.below.end += 1;
            self.end_is_counted = false;
            skipped += 1;
        }
        if skipped > 1 {
            self.start = at;
        }
        if self.start == at {
            (self.bytes, self.bytes_below) = (0, 0);
            self.below.start = self.below.end;
            self.end_is_counted = false;
        }
        self.bytes = self.bytes.saturating_add(file.file_size);
        while let Some(below) = self.oldest.get(self.below.end)
            && (self.compare)(&below.smallest, &file.largest).is_lt()
        {
            self.count_end();
            self.end_is_counted = true;
            if (self.compare)(&below.largest, &file.largest).is_gt() {
                // It may overlap the next file as well.
                break;
            }
            self.below.end += 1;
            self.end_is_counted = false;
        }
    }

    /// Gives up files at the start until all together is `limit` at most. `last` is the last file.
    fn shrink(&mut self, limit: u64, last: usize) {
        while self.total() > limit && self.start <= last {
            self.bytes = self.bytes.saturating_sub(self.files[self.start].file_size);
            self.start += 1;
            let Some(first) = self.files.get(self.start) else { return };
            while self.below.start < self.below.end
                && (self.compare)(&self.oldest[self.below.start].largest, &first.smallest).is_lt()
            {
                let bytes = self.oldest[self.below.start].file_size;
                self.bytes_below = self.bytes_below.saturating_sub(bytes);
                self.below.start += 1;
            }
        }
    }
}

impl Universal<'_, '_> {
    /// The part of the second oldest run that is the cheapest to merge into the oldest one, of
    /// about half of `max_compaction_bytes`, with what lies above it; `None` if it is on level 0,
    /// or every part costs `most` bytes there for a byte, or more.
    pub(super) fn pick_incremental(&self, most: f64) -> Option<CompactionPlan> {
        let [.., second, oldest] = &self.runs[..] else { return None };
        if second.level == 0 || !self.is_wanted(oldest.level) {
            return None;
        }
        let picker = self.picker;
        let range = self.cheapest_part(second.files, oldest.files, most)?;
        let range = clean_cut(picker.version, second.level, range);
        let files = picker.files(second.level, range).to_vec();
        if any_being_compacted(&files) {
            return None;
        }
        let mut part = LevelInputs { level: second.level, files };
        let below = picker.add_output_level(&mut part, oldest.level, false)?;
        let mut inputs = self.above(&part)?;
        inputs.push(part);
        inputs.extend(below);
        if picker.conflicts(&inputs, oldest.level) {
            return None;
        }
        let reason = CompactionReason::UniversalSizeAmplification;
        Some(picker.rewrite(self.scores, inputs, oldest.level, reason, Vec::new()))
    }

    fn cheapest_part(
        &self,
        files: &[Arc<FileMeta>],
        oldest: &[Arc<FileMeta>],
        most: f64,
    ) -> Option<Range<usize>> {
        let order = self.picker.order();
        let compare =
            |a: &InternalKey, b: &InternalKey| compare_internal(order, a.as_bytes(), b.as_bytes());
        let limit = self.picker.options.max_compaction_bytes / 2;
        let mut window = Window {
            compare: &compare,
            files,
            oldest,
            start: 0,
            bytes: 0,
            below: 0..0,
            end_is_counted: false,
            bytes_below: 0,
        };
        let (mut best, mut best_fan_out) = (None, most);
        for at in 0..files.len() {
            window.take(at);
            if window.bytes > 0 && (window.total() > limit || at + 1 == files.len()) {
                if window.fan_out() < best_fan_out {
                    best_fan_out = window.fan_out();
                    best = Some(window.start..at + 1);
                }
                window.shrink(limit, at);
            }
        }
        best
    }

    /// The files of newer runs below level 0 that lie wholly above `part`, the newest first. None
    /// goes past a file that it overlaps.
    fn above(&self, part: &LevelInputs) -> Option<Vec<LevelInputs>> {
        let version = self.picker.version;
        let order = self.picker.order();
        let mut span = Span::of(order, &part.files)?;
        let mut inputs = Vec::new();
        let newer = self.runs[..self.runs.len() - 2].iter().rev();
        for run in newer.take_while(|run| run.level > 0) {
            let within = clean_within(version, run.level, Some(span.first), Some(span.last));
            let files = self.picker.files(run.level, within);
            if any_being_compacted(files) {
                return None;
            }
            match Span::of(order, files) {
                Some(own) => span = own,
                // What lies above such a file must not go below it.
                None if !overlapping_span(version, run.level, span).is_empty() => break,
                None => continue,
            }
            inputs.push(LevelInputs { level: run.level, files: files.to_vec() });
        }
        inputs.reverse();
        Some(inputs)
    }
}
