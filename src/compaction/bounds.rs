//! Ranges of keys and of files: which files of a level belong together.
//!
//! A user key whose versions spread over several files of a level must be compacted as a whole,
//! else an older version could stay above a newer one. Files that share a user key at their
//! boundary *touch*; a selection of files is *clean* if no file outside touches one inside. The
//! last key of a file that a range tombstone was cut at belongs to the next file: it touches
//! nothing.

use crate::base::comparator::{Comparator, Order};
use crate::base::key::{InternalKey, compare_internal};
use crate::base::sync::Arc;
use crate::rangedel::is_tombstone_end;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;
use std::cmp::Ordering;
use std::ops::Range;

/// Compares bounds by user key; the end of a tombstone comes before its user key.
pub(super) fn compare_bounds(order: &Comparator, a: &InternalKey, b: &InternalKey) -> Ordering {
    let is_end = |bound: &InternalKey| is_tombstone_end(bound.as_bytes());
    order.compare(a.user_key(), b.user_key()).then_with(|| is_end(b).cmp(&is_end(a)))
}

/// From the first key of some files to the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    pub first: &'a InternalKey,
    pub last: &'a InternalKey,
}

impl<'a> Span<'a> {
    /// The span of `files`; `None` if there are none.
    pub fn of(
        order: &Comparator,
        files: impl IntoIterator<Item = &'a Arc<FileMeta>>,
    ) -> Option<Span<'a>> {
        files
            .into_iter()
            .map(|file| Span { first: &file.smallest, last: &file.largest })
            .reduce(|a, b| a.union(order, b))
    }

    /// The span of both.
    pub fn union(self, order: &Comparator, other: Span<'a>) -> Span<'a> {
        let compare =
            |a: &InternalKey, b: &InternalKey| compare_internal(order, a.as_bytes(), b.as_bytes());
        Span {
            first: if compare(other.first, self.first).is_lt() { other.first } else { self.first },
            last: if compare(other.last, self.last).is_gt() { other.last } else { self.last },
        }
    }
}

/// The files of a sorted level that overlap `first..=last`; `None` is unbounded.
pub(super) fn overlapping(
    version: &Version,
    level: usize,
    first: Option<&InternalKey>,
    last: Option<&InternalKey>,
) -> Range<usize> {
    let (files, order) = (version.files(level), version.comparator());
    let from = first.map_or(0, |first| {
        files.partition_point(|file| compare_bounds(order, &file.largest, first).is_lt())
    });
    let to = last.map_or(files.len(), |last| {
        files.partition_point(|file| compare_bounds(order, &file.smallest, last).is_le())
    });
    from..to.max(from)
}

/// The files of a sorted level that overlap `span`.
pub(super) fn overlapping_span(version: &Version, level: usize, span: Span<'_>) -> Range<usize> {
    overlapping(version, level, Some(span.first), Some(span.last))
}

/// Whether the file at `at` of a sorted level shares a user key with the next one.
pub(super) fn touches_next(version: &Version, level: usize, at: usize) -> bool {
    let files = version.files(level);
    let (Some(file), Some(next)) = (files.get(at), files.get(at + 1)) else { return false };
    compare_bounds(version.comparator(), &file.largest, &next.smallest).is_ge()
}

/// The smallest clean selection of a sorted level that holds `range`.
pub(super) fn clean_cut(version: &Version, level: usize, range: Range<usize>) -> Range<usize> {
    if range.is_empty() {
        return range;
    }
    let (mut from, mut to) = (range.start, range.end);
    while from > 0 && touches_next(version, level, from - 1) {
        from -= 1;
    }
    while touches_next(version, level, to - 1) {
        to += 1;
    }
    from..to
}

/// The largest clean selection of a sorted level that lies within `first..=last`.
pub(super) fn clean_within(
    version: &Version,
    level: usize,
    first: Option<&InternalKey>,
    last: Option<&InternalKey>,
) -> Range<usize> {
    let (files, order) = (version.files(level), version.comparator());
    let mut from = first.map_or(0, |first| {
        files.partition_point(|file| compare_bounds(order, &file.smallest, first).is_lt())
    });
    let mut to = last.map_or(files.len(), |last| {
        files.partition_point(|file| compare_bounds(order, &file.largest, last).is_le())
    });
    while from > 0 && from < to && touches_next(version, level, from - 1) {
        from += 1;
    }
    while from < to && touches_next(version, level, to - 1) {
        to -= 1;
    }
    from..to.max(from)
}

/// Whether a compaction has one of `files`.
pub(super) fn any_being_compacted<'a>(files: impl IntoIterator<Item = &'a Arc<FileMeta>>) -> bool {
    files.into_iter().any(|file| file.is_being_compacted())
}
