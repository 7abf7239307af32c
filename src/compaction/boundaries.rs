//! Where a compaction is cut into sub-compactions.

use super::plan::CompactionPlan;
use super::subcompaction::KeyRange;
use crate::base::comparator::Order;
use crate::base::status::Result;
use crate::options::enums::CompactionStyle;
use crate::stats::{Histogram, Stats, Timer};
use crate::table::Anchor;
use crate::version::table_cache::TableCache;

/// How many parts of each input file are told apart.
const ANCHORS: usize = 128;

/// The ranges of user keys, ascending, that threads can work on by themselves; all keys together.
/// They hold about equal shares of the input, but no less than an output file.
pub(super) fn ranges<O: Order>(
    plan: &CompactionPlan,
    style: CompactionStyle,
    tables: &TableCache,
    order: &O,
    stats: &Stats,
) -> Result<Vec<KeyRange>> {
    if plan.max_subcompactions <= 1 || !may_be_cut(plan, style) {
        return Ok(vec![KeyRange::default()]);
    }
    let _time = Timer::start(stats, Histogram::SubcompactionSetupTime);
    let mut anchors = Vec::new();
    for (_, file) in plan.input_files() {
        let mut own = tables.get(file)?.anchors(ANCHORS);
        if own.is_empty() {
            let user_key = file.largest.user_key().to_vec();
            own.push(Anchor { user_key, bytes: file.file_size });
        }
        anchors.extend(own);
    }
    anchors.sort_by(|a, b| order.compare(&a.user_key, &b.user_key));
    let total = anchors.iter().map(|anchor| anchor.bytes).fold(0, u64::saturating_add);
    let share = (total / plan.max_subcompactions as u64).max(plan.output.target_file_size);
    Ok(cut(order, &anchors, share, plan.max_subcompactions))
}

/// Files of level 0 must stay whole. Of other levels automatic compactions take too little to
/// share it, except in universal style.
fn may_be_cut(plan: &CompactionPlan, style: CompactionStyle) -> bool {
    let is_large = plan.start_level() == 0 || plan.is_manual;
    plan.output.level > 0 && (is_large || style == CompactionStyle::Universal)
}

/// Cuts where the sum of the anchors' bytes passes a multiple of `share`.
fn cut<O: Order>(order: &O, anchors: &[Anchor], share: u64, most: usize) -> Vec<KeyRange> {
    let mut ranges = vec![KeyRange::default()];
    let (mut sum, mut limit) = (0u64, share);
    for anchor in anchors {
        sum = sum.saturating_add(anchor.bytes);
        if sum <= limit || ranges.len() >= most {
            continue;
        }
        let Some(last) = ranges.last_mut() else { break };
        let ascends = |start: &Vec<u8>| order.compare(start, &anchor.user_key).is_lt();
        if !last.start.as_ref().is_none_or(ascends) {
            continue;
        }
        limit = limit.saturating_add(share);
        last.end = Some(anchor.user_key.clone());
        ranges.push(KeyRange { start: Some(anchor.user_key.clone()), end: None });
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::comparator::Bytewise;

    fn cuts(anchors: &[(&str, u64)], share: u64, most: usize) -> String {
        let anchors: Vec<Anchor> = anchors
            .iter()
            .map(|(key, bytes)| Anchor { user_key: key.as_bytes().to_vec(), bytes: *bytes })
            .collect();
        let ranges = cut(&Bytewise, &anchors, share, most);
        assert_eq!(ranges[0].start, None);
        assert_eq!(ranges[ranges.len() - 1].end, None);
        for pair in ranges.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
        }
        let starts = ranges.iter().filter_map(|range| range.start.as_deref());
        starts.map(|start| String::from_utf8_lossy(start).into_owned()).collect()
    }

    #[test]
    fn shares_are_about_equal() {
        let all = [("a", 10), ("b", 10), ("c", 10), ("d", 10), ("e", 10), ("f", 10)];
        assert_eq!(cuts(&all, 20, 3), "ce");
        assert_eq!(cuts(&all, 30, 2), "d");
        assert_eq!(cuts(&all, 20, 2), "c");
        assert_eq!(cuts(&all, 60, 4), "");
        assert_eq!(cuts(&[], 60, 4), "");
    }

    #[test]
    fn one_key_is_one_boundary() {
        let all = [("a", 10), ("b", 10), ("b", 30), ("b", 30), ("c", 10)];
        assert_eq!(cuts(&all, 15, 5), "bc");
    }
}
