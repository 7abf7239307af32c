//! [`CompactionJob`]: carries out a [`CompactionPlan`].

use super::boundaries;
use super::outputs::Verified;
use super::plan::CompactionPlan;
use super::sources::Sources;
use super::subcompaction::{KeyRange, RangeOutput};
use crate::base::comparator::{Bytewise, Order};
use crate::base::key::SequenceNumber;
use crate::base::status::{Result, Status};
use crate::base::sync::{AtomicUsize, Mutex, Ordering};
use crate::env::file_system::FileSystem;
use crate::env::parallel::in_parallel;
use crate::env::rate_limiter::IoPriority;
use crate::log_at;
use crate::plug::logger::Logger;
use crate::rewrite::StreamCounts;
use crate::rewrite::output_table::FinishedTable;
use crate::rewrite::stop::Stop;
use crate::rewrite::table_options::TableOwner;
use crate::stats::Stats;
use crate::table::TableReadOptions;
use crate::version::file_meta::FileMeta;
use crate::version::table_cache::TableCache;
use std::path::Path;
use std::time::Instant;

/// What a compaction works on and with.
#[derive(Clone, Copy)]
pub struct CompactionContext<'a> {
    /// What is to be done.
    pub plan: &'a CompactionPlan,
    /// The column family and its database.
    pub owner: TableOwner<'a>,
    /// Where the tables go.
    pub fs: &'a dyn FileSystem,
    /// The folder that `plan.output.path_id` stands for.
    pub dir: &'a Path,
    /// Opens the column family's tables.
    pub tables: &'a TableCache,
    /// What readers see besides the newest state; ascending.
    pub snapshots: &'a [SequenceNumber],
    /// The oldest snapshot that a transaction checks conflicts against;
    /// [`MAX_SEQUENCE`](crate::base::key::MAX_SEQUENCE) is none.
    pub write_conflict_snapshot: SequenceNumber,
    /// Ends the job early, with an error.
    pub stop: Stop<'a>,
    /// Takes the number of a new file. The caller keeps files with these numbers from being
    /// removed as unknown ones until it has made use of the output.
    pub new_file_number: &'a (dyn Fn() -> u64 + Sync),
    /// Told how many more bytes were written; may wait, to keep a rate.
    pub throttle: Option<&'a (dyn Fn(u64) + Sync)>,
    /// What the rate limiter is asked as before inputs are read.
    pub reads_as: Option<IoPriority>,
    /// Where to tell about it.
    pub logger: &'a dyn Logger,
}

/// A compaction under way.
pub(super) struct CompactionJob<'a> {
    context: CompactionContext<'a>,
    pub(super) sources: Sources,
}

impl<'a> std::ops::Deref for CompactionJob<'a> {
    type Target = CompactionContext<'a>;

    fn deref(&self) -> &CompactionContext<'a> {
        &self.context
    }
}

/// What a compaction did.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactionStats {
    /// What became of the records.
    pub counts: StreamCounts,
    /// The number of input files.
    pub input_files: usize,
    /// The sum of their sizes.
    pub bytes_read: u64,
    /// The number of output files.
    pub output_files: usize,
    /// The sum of their sizes.
    pub bytes_written: u64,
    /// How many parts it was done in.
    pub subcompactions: usize,
    /// How long it took.
    pub micros: u64,
    /// The processor time that its parts took, in microseconds.
    pub cpu_micros: u64,
}

/// A finished compaction.
pub struct CompactionOutput {
    /// The tables in key order, durable, but in no version yet.
    pub files: Vec<FileMeta>,
    /// What was done.
    pub stats: CompactionStats,
}

/// Carries out `context.plan`: writes its output, and leaves it to the caller to put that in place
/// of the input. After an error, or if a user's callback panics, nothing is left behind.
pub fn run(context: CompactionContext<'_>) -> Result<CompactionOutput> {
    let start = Instant::now();
    let order = context.plan.version.comparator();
    if order.timestamp_size() > 0 {
        return Err(Status::not_supported("Compaction of keys with timestamps"));
    }
    let sources = Sources::new(context.plan, context.tables, context.snapshots)?;
    let job = CompactionJob { context, sources };
    let result = match order.is_bytewise() {
        true => job.run(Bytewise, start),
        false => job.run(order.clone(), start),
    };
    if let Err(error) = &result {
        log_at!(context.logger, Error, "[{}] Compaction: {error}", job.family_name());
    }
    result
}

impl<'a> CompactionJob<'a> {
    fn family_name(&self) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.context.owner.family_name)
    }

    /// What counts the database's work.
    pub(super) fn stats(&self) -> &'a Stats {
        &self.context.owner.db_options.statistics
    }

    fn run<O: Order>(&self, order: O, start: Instant) -> Result<CompactionOutput> {
        self.stop.check()?;
        let style = self.owner.cf_options.compaction_style;
        let ranges = boundaries::ranges(self.plan, style, self.tables, &order, self.stats())?;
        let parts = self.run_ranges(order, &ranges)?;
        let mut stats = CompactionStats {
            input_files: self.plan.input_files().count(),
            bytes_read: self.plan.input_bytes(),
            subcompactions: parts.len(),
            cpu_micros: parts.iter().map(|part| part.cpu_nanos).sum::<u64>() / 1000,
            ..CompactionStats::default()
        };
        for part in &parts {
            stats.counts.add(&part.counts);
        }
        self.check_counts(&stats.counts, parts.iter().map(|part| part.output.records).sum())?;
        let tables: Vec<FinishedTable<'_>> =
            parts.into_iter().flat_map(|part| part.output.tables).collect();
        for table in &tables {
            table.check(self.tables, self.reads_as)?;
            if Verified::of(self.owner.cf_options).blocks {
                let options =
                    TableReadOptions { limited_as: self.reads_as, ..TableReadOptions::default() };
                self.tables.get(&table.file)?.verify_checksums(&options)?;
            }
        }
        if !tables.is_empty() {
            self.fs.open_dir(self.dir)?.sync()?;
        }
        let files: Vec<FileMeta> = tables.into_iter().map(FinishedTable::keep).collect();
        stats.output_files = files.len();
        stats.bytes_written = files.iter().map(|file| file.file_size).sum();
        stats.micros = start.elapsed().as_micros() as u64;
        self.log(&stats);
        Ok(CompactionOutput { files, stats })
    }

    /// Carries out all parts, in parallel if there are several. The result is in their order; of
    /// several errors the one of the first part comes back.
    fn run_ranges<'s, O: Order>(
        &'s self,
        order: O,
        ranges: &'s [KeyRange],
    ) -> Result<Vec<RangeOutput<'s>>> {
        if let [all] = ranges {
            return Ok(vec![self.run_range(order, all)?]);
        }
        let next = AtomicUsize::new(0);
        let results: Vec<_> = ranges.iter().map(|_| Mutex::new(None)).collect();
        in_parallel(ranges.len(), || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(range) = ranges.get(at) else { break };
                *results[at].lock() = Some(self.run_range(order.clone(), range));
            }
        });
        let missing = || Err(Status::aborted("a part of a compaction did not run"));
        results.into_iter().map(|result| result.into_inner().unwrap_or_else(missing)).collect()
    }

    fn check_counts(&self, counts: &StreamCounts, in_files: u64) -> Result<()> {
        if !self.owner.db_options.compaction_verify_record_count {
            return Ok(());
        }
        let (read, written) = (counts.input_records, counts.output_records);
        if let Some(expected) = self.sources.num_records.filter(|&expected| expected != read) {
            return Err(Status::corruption(format!(
                "Compaction number of input keys does not match number of keys processed. \
                 Expected {expected} but processed {read}. Compaction summary: {}",
                self.summary()
            )));
        }
        if written != in_files {
            return Err(Status::corruption(format!(
                "Number of keys in compaction output SST files does not match number of keys \
                 added. Expected {written} but there are {in_files} in output SST files. \
                 Compaction summary: {}",
                self.summary()
            )));
        }
        Ok(())
    }

    /// The input files by level, for messages.
    fn summary(&self) -> String {
        let levels = self.plan.inputs.iter().map(|inputs| {
            let numbers: Vec<String> = inputs.files.iter().map(|f| f.number.to_string()).collect();
            format!("L{} [{}]", inputs.level, numbers.join(" "))
        });
        format!("{} to L{}", levels.collect::<Vec<_>>().join(" + "), self.plan.output.level)
    }

    fn log(&self, stats: &CompactionStats) {
        log_at!(
            self.logger,
            Info,
            "[{}] Compacted {} ({}): {} files, {} of {} bytes, {} of {} records, {} parts, {} us",
            self.family_name(),
            self.summary(),
            self.plan.reason.name(),
            stats.output_files,
            stats.bytes_written,
            stats.bytes_read,
            stats.counts.output_records,
            stats.counts.input_records,
            stats.subcompactions,
            stats.micros
        );
        if stats.counts.single_deletions_mismatched > 0 {
            log_at!(
                self.logger,
                Warn,
                "[{}] {} single deletions met something else than one value",
                self.family_name(),
                stats.counts.single_deletions_mismatched
            );
        }
    }
}

#[cfg(test)]
#[path = "job_tests.rs"]
mod tests;
