//! A sub-compaction: the part of a compaction in one range of user keys.

use super::inputs::Input;
use super::job::CompactionJob;
use super::outputs::{AllFiles, Outputs};
use crate::base::comparator::Order;
use crate::base::status::{Result, Status};
use crate::env::posix_clock::thread_cpu_nanos;
use crate::plug::compaction_filter::{CompactionFilter, CompactionFilterContext};
use crate::rewrite::StreamCounts;
use crate::rewrite::stream::{RecordStream, StreamOptions};
use crate::rewrite::timed_filter::TimedFilter;
use crate::table::TableReadOptions;

/// The user keys from `start` on and before `end`; `None` is unbounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyRange {
    pub(super) start: Option<Vec<u8>>,
    pub(super) end: Option<Vec<u8>>,
}

/// What came of a range.
pub(super) struct RangeOutput<'a> {
    pub(super) output: AllFiles<'a>,
    pub(super) counts: StreamCounts,
    /// The processor time that it took, in nanoseconds.
    pub(super) cpu_nanos: u64,
}

/// What all inputs of a range read ahead together, in bytes: level 0 may have so many files that
/// the wanted size for each would come to more than a memtable.
const TOTAL_READ_AHEAD: usize = 16 << 20;

/// Below this a read costs more than the bytes it brings.
const MIN_READ_AHEAD: usize = 256 << 10;

/// How far each of `runs` inputs reads ahead, of which one alone would read `wanted` bytes.
fn read_ahead(wanted: usize, runs: usize) -> usize {
    wanted.min((TOTAL_READ_AHEAD / runs.max(1)).max(MIN_READ_AHEAD))
}

impl CompactionJob<'_> {
    /// Carries out the part of the compaction within `range`.
    pub(super) fn run_range<'s, O: Order>(
        &'s self,
        order: O,
        range: &'s KeyRange,
    ) -> Result<RangeOutput<'s>> {
        let start = thread_cpu_nanos();
        let own_filter = self.filter_of_factory();
        let filter = match &self.owner.cf_options.compaction_filter {
            Some(filter) => Some(&**filter),
            None => own_filter.as_deref(),
        };
        let timed = filter.and_then(|filter| TimedFilter::new(filter, self.stats()));
        let filter = timed.as_ref().map(|timed| timed as &dyn CompactionFilter).or(filter);
        if filter.is_some_and(|filter| !filter.ignore_snapshots()) {
            return Err(Status::not_supported(
                "CompactionFilter::IgnoreSnapshots() = false is not supported anymore.",
            ));
        }
        let options = self.read_options();
        let input = Input::new(order.clone(), self.plan, self.tables, options, range);
        let mut deeper = self.plan.deeper_levels();
        let behind = self.reserves_last_level();
        let below = |key: &[u8]| behind || deeper.may_hold(&order, key);
        let options = StreamOptions {
            tombstones: self.sources.tombstones.as_ref().map(|all| all.coverage(order.clone())),
            ..self.stream_options(filter)
        };
        let mut stream = RecordStream::new(order.clone(), input, below, options);
        let mut outputs = Outputs::new(self, order.clone(), range);
        while let Some(record) = stream.next()? {
            outputs.add(&record)?;
        }
        let mut counts = *stream.counts();
        let output = outputs.finish()?;
        counts.obsolete_range_tombstones += output.dropped_tombstones;
        counts.dropped_obsolete += output.dropped_tombstones;
        let cpu_nanos = thread_cpu_nanos().saturating_sub(start);
        Ok(RangeOutput { output, counts, cpu_nanos })
    }

    fn filter_of_factory(&self) -> Option<Box<dyn CompactionFilter>> {
        let options = self.owner.cf_options;
        let factory = options.compaction_filter_factory.as_ref()?;
        if options.compaction_filter.is_some() {
            return None;
        }
        factory.create(&CompactionFilterContext {
            is_full_compaction: self.plan.is_full,
            is_manual_compaction: self.plan.is_manual,
            column_family_id: self.owner.family_id,
        })
    }

    fn read_options(&self) -> TableReadOptions {
        TableReadOptions {
            verify_checksums: true,
            fill_cache: false,
            limited_as: self.reads_as,
            readahead_size: read_ahead(
                self.owner.db_options.compaction_readahead_size,
                self.plan.sorted_runs(),
            ),
            ..TableReadOptions::default()
        }
    }

    /// Whether files may be ingested behind all data, so that the last level is none for them.
    pub(super) fn reserves_last_level(&self) -> bool {
        self.owner.cf_options.reserves_last_level
    }

    fn stream_options<'s>(&'s self, filter: Option<&'s dyn CompactionFilter>) -> StreamOptions<'s> {
        StreamOptions {
            snapshots: self.snapshots,
            write_conflict_snapshot: self.write_conflict_snapshot,
            bottommost: self.plan.bottommost && !self.reserves_last_level(),
            level: i32::try_from(self.plan.start_level()).unwrap_or(i32::MAX),
            enforce_single_del_contracts: self.owner.db_options.enforce_single_del_contracts,
            merge_operator: self.owner.cf_options.merge_operator.as_deref(),
            filter,
            tombstones: None,
            stop: self.stop,
            timestamp_size: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_inputs_share_what_is_read_ahead() {
        const MIB: usize = 1 << 20;
        assert_eq!(read_ahead(2 * MIB, 0), 2 * MIB);
        assert_eq!(read_ahead(2 * MIB, 8), 2 * MIB);
        assert_eq!(read_ahead(2 * MIB, 16), MIB);
        assert_eq!(read_ahead(2 * MIB, 1000), MIN_READ_AHEAD);
        assert_eq!(read_ahead(4096, 1000), 4096);
        assert_eq!(read_ahead(0, 3), 0);
    }
}
