//! [`Sources`]: what the output files inherit from the input files.

use super::plan::CompactionPlan;
use crate::base::comparator::Comparator;
use crate::base::key::{SequenceNumber, compare_internal};
use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::rangedel::FragmentsBuilder;
use crate::rewrite::tombstones::Tombstones;
use crate::version::file_meta::FileMeta;
use crate::version::table_cache::TableCache;

struct Source {
    file: Arc<FileMeta>,
    /// 0 is unknown.
    oldest_ancester_time: u64,
}

/// A summary of a compaction's input files.
pub(super) struct Sources {
    comparator: Comparator,
    files: Vec<Source>,
    newest_key_time: u64,
    /// Records in all files, range tombstones apart; `None` if a file does not tell.
    pub(super) num_records: Option<u64>,
    /// The range tombstones of all files.
    pub(super) tombstones: Option<Tombstones>,
}

impl Sources {
    /// Asks every input file of `plan`.
    pub(super) fn new(
        plan: &CompactionPlan,
        tables: &TableCache,
        snapshots: &[SequenceNumber],
    ) -> Result<Sources> {
        let comparator = plan.version.comparator();
        let mut tombstones = FragmentsBuilder::new();
        let mut sources = Sources {
            comparator: comparator.clone(),
            files: Vec::new(),
            newest_key_time: 0,
            num_records: Some(0),
            tombstones: None,
        };
        for (_, file) in plan.input_files() {
            let reader = tables.get(file)?;
            let properties = reader.properties();
            if let Some(fragments) = reader.range_tombstones() {
                tombstones.add_file(fragments, comparator, file.bounds());
            }
            let mut oldest_ancester_time = file.oldest_ancester_time;
            if oldest_ancester_time == 0 {
                oldest_ancester_time = properties.creation_time;
            }
            sources.newest_key_time = sources.newest_key_time.max(properties.newest_key_time);
            // Very old files do not count their records.
            let count = properties.num_entries.checked_sub(properties.num_range_deletions);
            let count = count.filter(|_| properties.num_entries > 0);
            sources.num_records =
                sources.num_records.zip(count).map(|(sum, n)| sum.saturating_add(n));
            sources.files.push(Source { file: file.clone(), oldest_ancester_time });
        }
        sources.tombstones = Tombstones::new(tombstones, comparator, snapshots)?;
        Ok(sources)
    }

    /// The earliest time that any input (or any that overlaps `output`) knows.
    pub(super) fn oldest_ancester_time(&self, output: Option<&FileMeta>) -> Option<u64> {
        let overlaps = |file: &FileMeta| {
            let before = |a: &[u8], b: &[u8]| compare_internal(&self.comparator, a, b).is_lt();
            output.is_none_or(|output| {
                !before(file.largest.as_bytes(), output.smallest.as_bytes())
                    && !before(output.largest.as_bytes(), file.smallest.as_bytes())
            })
        };
        let known = self.files.iter().filter(|s| s.oldest_ancester_time != 0);
        known.filter(|s| overlaps(&s.file)).map(|s| s.oldest_ancester_time).min()
    }

    /// The write time of the newest key, as far as tables tell; 0 is unknown.
    pub(super) fn newest_key_time(&self) -> u64 {
        self.newest_key_time
    }

    /// The output is as old as the oldest input.
    pub(super) fn epoch_number(&self) -> u64 {
        self.files.iter().map(|s| s.file.epoch_number).min().unwrap_or(0)
    }

    /// The oldest blob file that an output may refer to; 0 is none.
    pub(super) fn oldest_blob_file_number(&self) -> u64 {
        let numbers = self.files.iter().map(|s| s.file.oldest_blob_file_number);
        numbers.filter(|&number| number != 0).min().unwrap_or(0)
    }
}
