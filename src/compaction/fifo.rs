//! FIFO compaction: tables stay on level 0 as they were flushed, and the oldest are dropped when all
//! together are too large, or their time is up. The rules are RocksDB's.
//!
//! A column family that was kept in another style may have files on other levels; they are dropped
//! before those of level 0, the deepest level first.

use super::picker::Picker;
use super::plan::{CompactionPlan, CompactionReason, CompactionWork, LevelInputs, total_bytes};
use super::score::Scores;
use crate::base::sync::Arc;
use crate::options::compaction::CompactionOptionsFifo;
use crate::options::enums::Temperature;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;
use std::ops::Range;

/// Smaller tiers than this are not worth a look.
const MIN_TIER: u64 = 10 << 10;

/// What the data may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// Bytes.
    pub max: u64,
    /// Whether blob files count.
    counts_blobs: bool,
}

impl Limit {
    pub fn of(options: &CompactionOptionsFifo) -> Limit {
        match options.max_data_files_size {
            0 => Limit { max: options.max_table_files_size, counts_blobs: false },
            max => Limit { max, counts_blobs: true },
        }
    }

    /// What counts besides tables of so many bytes.
    pub fn bytes(self, version: &Version, tables: u64) -> u64 {
        if self.counts_blobs { tables.saturating_add(blob_bytes(version)) } else { tables }
    }
}

fn blob_bytes(version: &Version) -> u64 {
    let sizes = version.blob_files().values().map(|file| file.file_size());
    sizes.fold(0, u64::saturating_add)
}

fn table_bytes(version: &Version) -> u64 {
    version.levels().iter().map(|level| level.bytes()).fold(0, u64::saturating_add)
}

/// When the newest key of the file at `at` of level 0 was written, or a bound: what is known of the
/// next newer file. Seconds since 1970; 0 is unknown.
fn newest_key_time(files: &[Arc<FileMeta>], at: usize) -> u64 {
    match files[at].key_times().map_or(0, |times| times.newest) {
        0 => at.checked_sub(1).map_or(0, |newer| files[newer].oldest_key_time()),
        time => time,
    }
}

/// The oldest file of level 0 that has reached the age of another temperature, and that.
pub(super) fn next_temperature(
    version: &Version,
    options: &CompactionOptionsFifo,
    now: u64,
) -> Option<(usize, Temperature)> {
    let ages = &options.file_temperature_age_thresholds;
    let youngest = ages.first()?.age;
    if version.num_levels() > 1 || now <= youngest {
        return None;
    }
    let files = version.files(0);
    for (at, file) in files.iter().enumerate().rev() {
        let time = newest_key_time(files, at);
        if file.is_being_compacted() || time == 0 {
            continue;
        }
        if time > now - youngest {
            return None;
        }
        let reached = ages.iter().rev().find(|age| now >= age.age && time <= now - age.age);
        let temperature = reached.map_or(ages[0].temperature, |age| age.temperature);
        if file.temperature != temperature as u8 {
            return Some((at, temperature));
        }
    }
    None
}

impl Picker<'_> {
    /// What is to be dropped, or compacted within level 0.
    pub(super) fn pick_fifo(&self, scores: &Scores) -> Option<CompactionPlan> {
        let mut plan = self
            .drop_expired(scores)
            .or_else(|| self.drop_oldest(scores))
            .or_else(|| self.merge_small(scores))
            .or_else(|| self.change_temperature(scores))?;
        plan.score = scores.of(0);
        Some(plan)
    }

    fn fifo(&self) -> &CompactionOptionsFifo {
        &self.options.compaction_options_fifo
    }

    fn drop_files(
        &self,
        scores: &Scores,
        level: usize,
        files: &[Arc<FileMeta>],
        reason: CompactionReason,
    ) -> Option<CompactionPlan> {
        if files.is_empty() {
            return None;
        }
        let inputs = vec![LevelInputs { level, files: files.to_vec() }];
        let mut plan = self.rewrite(scores, inputs, level, reason, Vec::new());
        plan.work = CompactionWork::Delete;
        Some(plan)
    }

    /// The oldest files, as far as even their newest key is older than option `ttl`. If what then
    /// stays is still too much, size decides what goes.
    fn drop_expired(&self, scores: &Scores) -> Option<CompactionPlan> {
        let (version, ttl) = (self.version, self.options.ttl);
        if ttl == 0 || self.now <= ttl || self.running.takes_level0() {
            return None;
        }
        let files = version.files(0);
        let is_expired = |file: &&Arc<FileMeta>| {
            let Some(times) = file.key_times() else { return false };
            let newest = if times.newest == 0 { times.oldest } else { times.newest };
            newest != 0 && newest < self.now - ttl
        };
        let kept = files.len() - files.iter().rev().take_while(is_expired).count();
        let (dropped, limit) = (&files[kept..], Limit::of(self.fifo()));
        let stays = match limit.counts_blobs {
            false => total_bytes(&files[..kept]),
            // Blobs go with the tables, about as much for each byte of these.
            true => {
                let all = table_bytes(version);
                let tables = all.saturating_sub(total_bytes(dropped));
                let blobs = tables as f64 / all.max(1) as f64 * blob_bytes(version) as f64;
                tables.saturating_add(blobs as u64)
            }
        };
        if stays > limit.max {
            return None;
        }
        self.drop_files(scores, 0, dropped, CompactionReason::FifoTtl)
    }

    /// The oldest files, as many as make the rest small enough. Below level 0 nobody knows which
    /// those are; there the first keys go.
    fn drop_oldest(&self, scores: &Scores) -> Option<CompactionPlan> {
        let version = self.version;
        let last = (0..version.num_levels()).rev().find(|&l| version.levels()[l].bytes() > 0)?;
        let limit = Limit::of(self.fifo());
        let mut bytes = limit.bytes(version, table_bytes(version));
        if bytes <= limit.max || self.running.takes_level0() {
            return None;
        }
        let files = version.files(last);
        if last > 0 {
            // They are on their way out.
            let busy = files.iter().filter(|file| file.is_being_compacted());
            bytes = bytes.saturating_sub(busy.map(|file| file.file_size).sum());
        }
        let each = (bytes / files.len().max(1) as u64).max(1);
        let mut goes = |file: &&Arc<FileMeta>| {
            let too_many = bytes > limit.max;
            let size = if limit.counts_blobs { each } else { file.file_size };
            bytes = bytes.saturating_sub(size);
            too_many
        };
        let reason = CompactionReason::FifoMaxSize;
        if last == 0 {
            let kept = files.len() - files.iter().rev().take_while(&mut goes).count();
            return self.drop_files(scores, 0, &files[kept..], reason);
        }
        let idle = files.iter().filter(|file| !file.is_being_compacted());
        let dropped: Vec<_> = idle.take_while(goes).cloned().collect();
        self.drop_files(scores, last, &dropped, reason)
    }

    /// Small files as one, if option `allow_compaction` lets them.
    fn merge_small(&self, scores: &Scores) -> Option<CompactionPlan> {
        let fifo = self.fifo();
        if !fifo.allow_compaction {
            return None;
        }
        let by_tiers = fifo.use_kv_ratio_compaction
            && fifo.max_data_files_size > 0
            && fifo.max_data_files_size >= fifo.max_table_files_size;
        let files = if by_tiers {
            self.version.files(0)[self.tier_to_merge()?].to_vec()
        } else {
            // Larger than a memtable it has been compacted before, and would at last never expire.
            let most = (self.options.write_buffer_size as f64 * 1.1) as u64;
            let least = usize::try_from(self.options.level0_file_num_compaction_trigger);
            self.cheap_newest(least.unwrap_or(usize::MAX), most)?
        };
        Some(self.within_level0(scores, files, CompactionReason::FifoReduceNumFiles))
    }

    fn within_level0(
        &self,
        scores: &Scores,
        files: Vec<Arc<FileMeta>>,
        reason: CompactionReason,
    ) -> CompactionPlan {
        let inputs = vec![LevelInputs { level: 0, files }];
        let mut plan = self.rewrite(scores, inputs, 0, reason, Vec::new());
        plan.output.compression = self.options.compression;
        plan.output.compression_opts = self.options.compression_opts.clone();
        plan
    }

    /// With option `use_kv_ratio_compaction`, neighbouring files that are below a tier and make a
    /// file of it. A tier is as many times the one below as level 0 may have files; the highest is
    /// the size of files with which level 0, with its blobs, would be full.
    fn tier_to_merge(&self) -> Option<Range<usize>> {
        let version = self.version;
        let trigger = u64::try_from(self.options.level0_file_num_compaction_trigger).ok()?;
        let files = version.files(0);
        let has_others = version.num_files() > files.len();
        if has_others
            || self.running.takes_level0()
            || trigger <= 1
            || (files.len() as u64) < trigger
        {
            return None;
        }
        let mut tiers = Vec::new();
        let highest = self.full_size(trigger);
        let mut tier = highest;
        while tier >= MIN_TIER {
            tiers.push(tier);
            tier /= trigger;
        }
        if tiers.is_empty() && highest > 0 {
            tiers.push(highest);
        }
        tiers.into_iter().rev().find_map(|tier| mergeable(files, tier))
    }

    /// The bytes of each of `number` tables that, with their blobs, fill the space.
    fn full_size(&self, number: u64) -> u64 {
        if self.options.max_compaction_bytes > 0 {
            return self.options.max_compaction_bytes;
        }
        let tables = table_bytes(self.version);
        let all = tables.saturating_add(blob_bytes(self.version));
        let share = tables as f64 / all.max(1) as f64;
        (self.fifo().max_data_files_size as f64 * share) as u64 / number
    }

    /// A file that has reached the age of another temperature is written anew.
    fn change_temperature(&self, scores: &Scores) -> Option<CompactionPlan> {
        let busy = |file: &Arc<FileMeta>| file.is_being_compacted();
        if self.running.takes_level0() || self.version.files(0).iter().any(busy) {
            return None;
        }
        let (at, temperature) = next_temperature(self.version, self.fifo(), self.now)?;
        let files = vec![self.version.files(0)[at].clone()];
        let mut plan = self.within_level0(scores, files, CompactionReason::ChangeTemperature);
        plan.output.temperature = Some(temperature);
        Some(plan)
    }
}

/// The oldest neighbouring files below `tier` that make a file of it, but no more than twice that.
fn mergeable(files: &[Arc<FileMeta>], tier: u64) -> Option<Range<usize>> {
    let is_small = |file: &Arc<FileMeta>| file.file_size < tier && !file.is_being_compacted();
    let mut end = files.len();
    while end > 0 {
        if !is_small(&files[end - 1]) {
            end -= 1;
            continue;
        }
        let (mut start, mut bytes) = (end, 0u64);
        while start > 0 && is_small(&files[start - 1]) {
            let more = bytes.saturating_add(files[start - 1].file_size);
            if bytes >= tier && more > tier.saturating_mul(2) {
                break;
            }
            bytes = more;
            start -= 1;
        }
        if end - start >= 2 && bytes >= tier {
            return Some(start..end);
        }
        end = start;
    }
    None
}
