//! [`Outputs`]: puts the records of a compaction into files, and decides where one ends.

use super::grandparents::Grandparents;
use super::job::CompactionJob;
use super::old_files::OldFiles;
use super::plan::{CompactionPlan, DeeperLevels};
use super::subcompaction::KeyRange;
use crate::base::clock::unix_seconds;
use crate::base::comparator::Order;
use crate::base::key::{MAX_SEQUENCE, user_key};
use crate::base::status::Result;
use crate::options::CfOptions;
use crate::options::enums::CompactionStyle;
use crate::rangedel::Fragment;
use crate::rewrite::output_table::{FinishedTable, OutputTable};
use crate::rewrite::stream::Record;
use crate::rewrite::table_options::NewTable;
use crate::version::file_meta::FileMeta;

/// What is read of a file that was written, and verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verified {
    /// The checksums of all blocks.
    pub(super) blocks: bool,
    /// That the records are those which were written.
    pub(super) records: bool,
}

impl Verified {
    const BLOCKS: u32 = 1;
    const RECORDS: u32 = 1 << 1;
    /// The other flags hold for compactions in this process, as opposed to remote ones.
    const LOCAL: u32 = 1 << 10;

    /// What `verify_output_flags` and `paranoid_file_checks` ask for.
    pub(super) fn of(options: &CfOptions) -> Verified {
        let flags = options.verify_output_flags;
        let asks = |flag| flags & Self::LOCAL != 0 && flags & flag != 0;
        Verified {
            blocks: asks(Self::BLOCKS),
            records: options.paranoid_file_checks || asks(Self::RECORDS),
        }
    }
}

/// The files of one range of keys. A file always ends between two user keys.
pub(super) struct Outputs<'a, O> {
    job: &'a CompactionJob<'a>,
    current: Option<OutputTable<'a>>,
    finished: Vec<FinishedTable<'a>>,
    grandparents: Grandparents<'a, O>,
    old_files: OldFiles<O>,
    /// Where the current file's share of the range tombstones begins: where the file before ends.
    lower: Option<Vec<u8>>,
    /// Where the last file's share ends.
    end: Option<&'a [u8]>,
    /// Follows the range tombstones, which ascend, through the levels below.
    deeper: DeeperLevels<'a>,
    /// Records in the finished files, as their properties count them.
    records: u64,
    /// Range tombstones with nothing left to delete.
    dropped_tombstones: u64,
}

/// All files of one range of keys.
pub(super) struct AllFiles<'a> {
    pub(super) tables: Vec<FinishedTable<'a>>,
    /// Records in the files.
    pub(super) records: u64,
    pub(super) dropped_tombstones: u64,
}

impl<'a, O: Order> Outputs<'a, O> {
    pub(super) fn new(job: &'a CompactionJob<'a>, order: O, range: &'a KeyRange) -> Self {
        Outputs {
            job,
            current: None,
            finished: Vec::new(),
            grandparents: Grandparents::new(order.clone(), &job.plan.grandparents),
            old_files: OldFiles::new(order, job, unix_seconds()),
            lower: range.start.clone(),
            end: range.end.as_deref(),
            deeper: job.plan.deeper_levels(),
            records: 0,
            dropped_tombstones: 0,
        }
    }

    fn plan(&self) -> &'a CompactionPlan {
        self.job.plan
    }

    /// Writes a record.
    #[inline]
    pub(super) fn add(&mut self, record: &Record<'_>) -> Result<()> {
        if record.starts_user_key && self.plan().output.level > 0 {
            let key = user_key(record.key);
            if self.ends_before(key) {
                self.close(Some(key))?;
                self.grandparents.restart(key);
                self.lower = Some(key.to_vec());
            }
        }
        if self.current.is_none() {
            self.current = Some(self.open()?);
        }
        let Some(table) = &mut self.current else { return Ok(()) };
        table.add(record)
    }

    /// Whether the current file must end before `key`, by RocksDB's rules.
    #[inline]
    fn ends_before(&mut self, key: &[u8]) -> bool {
        let overlapped_before = self.grandparents.overlapped;
        let crossed = self.grandparents.advance(key);
        let old_file_ends = self.old_files.advance(key);
        let Some(table) = &self.current else { return false };
        let output = &self.plan().output;
        let size = table.file_size();
        let is_upper_bound = self.job.owner.cf_options.target_file_size_is_upper_bound;
        let full_size = if is_upper_bound { size + table.estimated_tail_size() } else { size };
        if old_file_ends || full_size >= output.max_file_size {
            return true;
        }
        crossed > 0 && self.ends_at_boundary(size, crossed, overlapped_before)
    }

    /// The same, where at least one file of the grandparents starts or ends.
    fn ends_at_boundary(&self, size: u64, crossed: usize, overlapped_before: u64) -> bool {
        let (plan, below) = (self.plan(), &self.grandparents);
        if below.overlapped.saturating_add(size) > plan.max_compaction_bytes {
            return true;
        }
        if self.job.owner.cf_options.compaction_style != CompactionStyle::Level {
            return false;
        }
        let target = plan.output.target_file_size;
        // The key lies behind a whole file below: two separate outputs can leave that alone.
        let skips_file = crossed >= if below.in_gap() { 2 } else { 3 };
        if skips_file && below.overlapped - overlapped_before > target / 8 {
            return true;
        }
        // A good place to end early, but the less so the more such places there are.
        let percent = 50 + (below.boundaries * 5).min(40) as u64;
        size >= target.div_ceil(100).saturating_mul(percent)
    }

    #[cold]
    fn open(&self) -> Result<OutputTable<'a>> {
        let (job, plan) = (self.job, self.plan());
        let now = unix_seconds();
        let new = NewTable {
            file_number: (job.new_file_number)(),
            oldest_ancester_time: job.sources.oldest_ancester_time(None).unwrap_or(now),
            newest_key_time: job.sources.newest_key_time(),
            now,
            level: i32::try_from(plan.output.level).unwrap_or(i32::MAX - 1),
            bottommost: plan.bottommost,
        };
        let mut options = job.owner.builder_options(&new)?;
        options.compression = plan.output.compression;
        options.compression_opts = plan.output.compression_opts.clone();
        options.target_file_size = plan.output.max_file_size;
        if job.owner.db_options.allow_fallocate {
            options.writer.preallocation_block_size = self.expected_size();
        }
        let verified = Verified::of(job.owner.cf_options);
        let mut table = OutputTable::create(job.fs, job.dir, options, verified.records)?
            .throttled_by(job.throttle.map(|throttle| throttle as _));
        let file = table.file_mut();
        file.path_id = plan.output.path_id;
        let is_last = plan.output.level + 1 == plan.version.num_levels();
        let usual = || job.owner.temperature(is_last);
        file.temperature = plan.output.temperature.map_or_else(usual, |chosen| chosen as u8);
        file.epoch_number = job.sources.epoch_number();
        file.oldest_blob_file_number = job.sources.oldest_blob_file_number();
        Ok(table)
    }

    /// About the size of a file, rather too large.
    fn expected_size(&self) -> u64 {
        let inputs = self.plan().input_files().map(|(_, file)| file.file_size);
        let all = inputs.fold(0, u64::saturating_add).min(self.plan().output.max_file_size);
        all.saturating_add(all / 10).min(1 << 30)
    }

    /// Ends the current file, if there is one, before `next`, the first key of the next file.
    #[cold]
    fn close(&mut self, next: Option<&[u8]>) -> Result<()> {
        let Some(mut table) = self.current.take() else { return Ok(()) };
        self.add_tombstones(&mut table, next)?;
        let Some(mut finished) = table.finish()? else { return Ok(()) };
        let (file, properties) = (&mut finished.file, &finished.properties);
        file.set_level(self.job.plan.output.level);
        self.records += properties.num_entries - properties.num_range_deletions;
        if let Some(time) = self.job.sources.oldest_ancester_time(Some(file)) {
            file.oldest_ancester_time = time;
        }
        self.finished.push(finished);
        Ok(())
    }

    /// Adds the file's share of the range tombstones, but for those with nothing left to delete.
    fn add_tombstones(&mut self, table: &mut OutputTable<'a>, next: Option<&[u8]>) -> Result<()> {
        let job = self.job;
        let Some(tombstones) = &job.sources.tombstones else { return Ok(()) };
        let oldest_snapshot = job.snapshots.first().copied().unwrap_or(MAX_SEQUENCE);
        let order = job.plan.version.comparator();
        for piece in tombstones.within(self.lower.as_deref(), next.or(self.end)) {
            // The last one, if any, is what the oldest snapshot sees: others are of newer stripes.
            let needed = |deeper: &mut DeeperLevels<'_>| {
                job.reserves_last_level() || deeper.may_hold_range(order, piece.start, piece.end)
            };
            let mut kept = false;
            for &sequence in piece.sequences {
                if sequence <= oldest_snapshot && !needed(&mut self.deeper) {
                    self.dropped_tombstones += 1;
                } else {
                    table.add_tombstone(piece.start, piece.end, sequence)?;
                    kept = true;
                }
            }
            if kept && !job.plan.bottommost {
                let covered = covered_bytes(job.plan, &piece);
                let size = &mut table.file_mut().compensated_range_deletion_size;
                *size = size.saturating_add(covered);
            }
        }
        Ok(())
    }

    /// Ends the last file.
    pub(super) fn finish(mut self) -> Result<AllFiles<'a>> {
        if self.current.is_none() && self.has_tombstones() {
            self.current = Some(self.open()?);
        }
        self.close(None)?;
        Ok(AllFiles {
            tables: self.finished,
            records: self.records,
            dropped_tombstones: self.dropped_tombstones,
        })
    }

    /// Whether there are range tombstones in the range of keys that no file covers yet.
    fn has_tombstones(&self) -> bool {
        let Some(tombstones) = &self.job.sources.tombstones else { return false };
        tombstones.within(self.lower.as_deref(), self.end).next().is_some()
    }
}

/// The bytes of the files below the output that a range tombstone makes useless, for the choice
/// of later compactions.
fn covered_bytes(plan: &CompactionPlan, piece: &Fragment<'_>) -> u64 {
    let (version, order) = (&plan.version, plan.version.comparator());
    let covers = |file: &FileMeta| {
        order.compare(piece.start, file.smallest.user_key()).is_le()
            && order.compare(file.largest.user_key(), piece.end).is_lt()
    };
    let below = plan.output.level + 1..version.num_levels();
    let covered = |level| {
        let files = version.overlapping_files(level, Some(piece.start), Some(piece.end));
        files.iter().filter(|file| covers(file)).map(|file| file.file_size).sum::<u64>()
    };
    below.map(covered).fold(0, u64::saturating_add)
}
