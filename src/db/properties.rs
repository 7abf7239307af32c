//! Properties: what a database tells about itself, by name.
//!
//! One table names them all; a row says whether its answer is a number or a text. A name may end
//! in digits, which are the argument of those that take one, such as a level. Names that RocksDB
//! knows and that are not here are not known.

use super::Db;
use super::cache_text;
use super::family::Family;
use super::properties_text as text;
use super::stalls::Stall;
use super::state::{FamilyState, State};
use super::stats_text;
use crate::base::clock::unix_seconds;
use crate::base::comparator::Order;
use crate::base::sync::Arc;
use crate::cache::Cache;
use crate::compaction::score::Scores;
use crate::options::enums::CompactionStyle;
use crate::read::super_version::SuperVersion;
use crate::version::file_meta::{EntryCounts, FileMeta};
use crate::version::version::Version;
use std::collections::BTreeMap;

/// What a property is asked of: a column family, as it is at this moment. The database mutex is
/// taken where it is needed, and never while keys are compared.
pub(super) struct Probe<'a> {
    pub db: &'a Db,
    pub family: &'a Family,
    pub view: Arc<SuperVersion>,
}

enum Answer {
    Number(fn(&Probe<'_>) -> Option<u64>),
    Text(fn(&Probe<'_>) -> Option<String>),
    /// Of the number that the name ends in.
    TextOf(fn(&Probe<'_>, u64) -> Option<String>),
}

use Answer::{Number, Text, TextOf};

/// Every property that is known. Names stand for themselves; behind each, how it is answered.
const PROPERTIES: &[(&str, Answer)] = &[
    ("rocksdb.num-files-at-level", TextOf(num_files_at_level)),
    ("rocksdb.compression-ratio-at-level", TextOf(text::compression_ratio_at_level)),
    ("rocksdb.stats", Text(stats_text::stats)),
    ("rocksdb.sstables", Text(text::sstables)),
    ("rocksdb.cfstats", Text(stats_text::cf_stats)),
    ("rocksdb.cfstats-no-file-histogram", Text(stats_text::cf_stats_no_file_histogram)),
    ("rocksdb.cf-file-histogram", Text(stats_text::cf_file_histogram)),
    ("rocksdb.cf-write-stall-stats", Text(stats_text::cf_write_stall_stats)),
    ("rocksdb.dbstats", Text(stats_text::db_stats)),
    ("rocksdb.db-write-stall-stats", Text(stats_text::db_write_stall_stats)),
    ("rocksdb.levelstats", Text(text::level_stats)),
    ("rocksdb.num-immutable-mem-table", Number(|p| p.in_family(|f| f.imm.len() as u64))),
    ("rocksdb.num-immutable-mem-table-flushed", Number(|_| Some(0))),
    ("rocksdb.mem-table-flush-pending", Number(|p| p.in_family(|f| f.flush_pending.into()))),
    ("rocksdb.num-running-flushes", Number(|p| p.in_state(|s| s.flushes.running as u64))),
    ("rocksdb.num-running-compactions", Number(running_compactions)),
    ("rocksdb.num-running-compaction-sorted-runs", Number(running_sorted_runs)),
    ("rocksdb.compaction-pending", Number(|p| Some(p.scores().want_compaction().into()))),
    ("rocksdb.estimate-pending-compaction-bytes", Number(|p| Some(p.scores().pending_bytes))),
    ("rocksdb.base-level", Number(base_level)),
    ("rocksdb.background-errors", Number(background_errors)),
    ("rocksdb.cur-size-active-mem-table", Number(|p| Some(p.view.mem.memory_usage() as u64))),
    ("rocksdb.cur-size-all-mem-tables", Number(memtable_bytes)),
    ("rocksdb.size-all-mem-tables", Number(memtable_bytes)),
    ("rocksdb.num-entries-active-mem-table", Number(|p| Some(p.view.mem.num_entries()))),
    ("rocksdb.num-entries-imm-mem-tables", Number(|p| Some(p.sum_imm(|m| m.num_entries())))),
    ("rocksdb.num-deletes-active-mem-table", Number(|p| Some(p.view.mem.num_deletes()))),
    ("rocksdb.num-deletes-imm-mem-tables", Number(|p| Some(p.sum_imm(|m| m.num_deletes())))),
    ("rocksdb.estimate-num-keys", Number(estimate_num_keys)),
    ("rocksdb.estimate-table-readers-mem", Number(table_readers_memory)),
    ("rocksdb.is-file-deletions-enabled", Number(file_deletions_enabled)),
    ("rocksdb.num-snapshots", Number(|p| p.in_state(|s| s.snapshots.count()))),
    ("rocksdb.oldest-snapshot-time", Number(|p| p.in_state(|s| s.snapshots.oldest_time()))),
    ("rocksdb.oldest-snapshot-sequence", Number(oldest_snapshot_sequence)),
    ("rocksdb.num-live-versions", Number(|p| Some(p.family.live_versions().len() as u64))),
    ("rocksdb.current-super-version-number", Number(|p| Some(p.family.super_version_number()))),
    ("rocksdb.estimate-live-data-size", Number(|p| Some(live_data_size(&p.view.version)))),
    ("rocksdb.min-log-number-to-keep", Number(min_log_number_to_keep)),
    ("rocksdb.min-obsolete-sst-number-to-keep", Number(min_obsolete_sst_number)),
    ("rocksdb.total-sst-files-size", Number(total_sst_files_size)),
    ("rocksdb.live-sst-files-size", Number(|p| Some(p.view.version.bytes()))),
    ("rocksdb.live-sst-files-size-at-temperature", TextOf(sst_size_at_temperature)),
    ("rocksdb.obsolete-sst-files-size", Number(obsolete_sst_files_size)),
    ("rocksdb.aggregated-table-properties", Text(text::aggregated_table_properties)),
    (
        "rocksdb.aggregated-table-properties-at-level",
        TextOf(text::aggregated_table_properties_at_level),
    ),
    ("rocksdb.actual-delayed-write-rate", Number(delayed_write_rate)),
    ("rocksdb.is-write-stopped", Number(is_write_stopped)),
    ("rocksdb.block-cache-entry-stats", Text(cache_text::entry_stats)),
    ("rocksdb.fast-block-cache-entry-stats", Text(cache_text::fast_entry_stats)),
    ("rocksdb.block-cache-capacity", Number(|p| p.of_block_cache(Cache::capacity))),
    ("rocksdb.block-cache-usage", Number(|p| p.of_block_cache(Cache::usage))),
    ("rocksdb.block-cache-pinned-usage", Number(|p| p.of_block_cache(Cache::pinned_usage))),
    ("rocksdb.options-statistics", Text(options_statistics)),
    ("rocksdb.num-blob-files", Number(|p| Some(text::Blobs::of(p).files))),
    ("rocksdb.blob-stats", Text(text::blob_stats)),
    ("rocksdb.total-blob-file-size", Number(total_blob_file_size)),
    ("rocksdb.live-blob-file-size", Number(|p| Some(text::Blobs::of(p).bytes))),
    ("rocksdb.live-blob-file-garbage-size", Number(|p| Some(text::Blobs::of(p).garbage))),
];

/// The row of a property, and the digits that its name ends in.
fn find(name: &str) -> Option<(&'static Answer, &str)> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let (_, answer) = PROPERTIES.iter().find(|(known, _)| *known == plain)?;
    Some((answer, &name[plain.len()..]))
}

impl Db {
    /// A property as text; None if it is not known or has no answer.
    pub fn property(&self, family: &Family, name: &str) -> Option<String> {
        let (answer, argument) = find(name)?;
        let probe = Probe { db: self, family, view: family.pin() };
        match answer {
            Number(answer) => answer(&probe).map(|number| number.to_string()),
            Text(answer) => answer(&probe),
            TextOf(answer) => answer(&probe, argument.parse().ok()?),
        }
    }

    /// A property whose answer is a number; None if it is not, or not known.
    pub fn property_number(&self, family: &Family, name: &str) -> Option<u64> {
        match find(name)?.0 {
            Number(answer) => answer(&Probe { db: self, family, view: family.pin() }),
            _ => None,
        }
    }

    /// The sum of a number property over all column families.
    pub fn property_sum(&self, name: &str) -> u64 {
        let families = self.families.load();
        total(families.iter().filter_map(|family| self.property_number(family, name)))
    }
}

impl Probe<'_> {
    pub fn in_state<T>(&self, ask: impl FnOnce(&State) -> T) -> Option<T> {
        Some(ask(&self.db.state.lock()))
    }

    /// None if the column family was dropped.
    pub fn in_family<T>(&self, ask: impl FnOnce(&FamilyState) -> T) -> Option<T> {
        self.db.state.lock().families.get(&self.family.id()).map(ask)
    }

    /// How urgently the levels want compactions.
    pub fn scores(&self) -> Scores {
        Scores::new(&self.view.version, &self.family.live_options(), unix_seconds())
    }

    fn sum_imm(&self, count: impl Fn(&crate::memtable::MemTable) -> u64) -> u64 {
        self.view.imm.iter().map(|imm| count(imm)).sum()
    }

    fn of_block_cache(&self, ask: impl FnOnce(&Cache) -> usize) -> Option<u64> {
        let table = self.family.options.table_factory.block_based()?;
        Some(ask(table.block_cache.as_ref()?) as u64)
    }
}

/// The sum of numbers that files tell, which may be anything: at most `u64::MAX`.
pub(super) fn total(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

fn num_files_at_level(probe: &Probe<'_>, level: u64) -> Option<String> {
    let level = probe.view.version.levels().get(usize::try_from(level).ok()?)?;
    Some(level.files().len().to_string())
}

/// RocksDB's -1, as a number without a sign, where there are no levels of different sizes.
fn base_level(probe: &Probe<'_>) -> Option<u64> {
    match probe.family.options.compaction_style {
        CompactionStyle::Level => Some(probe.scores().targets.base_level() as u64),
        _ => Some(u64::MAX),
    }
}

fn sst_size_at_temperature(probe: &Probe<'_>, temperature: u64) -> Option<String> {
    let files = probe.view.version.all_files().map(|(_, file)| file);
    let sizes = files.filter(|file| u64::from(file.temperature) == temperature);
    Some(total(sizes.map(|file| file.file_size)).to_string())
}

/// RocksDB counts them for the default column family alone.
fn background_errors(probe: &Probe<'_>) -> Option<u64> {
    Some(if probe.family.id() == 0 { probe.db.counters.background_errors() } else { 0 })
}

fn memtable_bytes(probe: &Probe<'_>) -> Option<u64> {
    Some(probe.view.mem.memory_usage() as u64 + probe.sum_imm(|imm| imm.memory_usage() as u64))
}

/// Entries less twice the deletions, since each takes away a value as well; in tables, by those
/// whose counts are known.
fn estimate_num_keys(probe: &Probe<'_>) -> Option<u64> {
    let mem = &probe.view.mem;
    let entries = mem.num_entries() + probe.sum_imm(|imm| imm.num_entries());
    let deletions = mem.num_deletes() + probe.sum_imm(|imm| imm.num_deletes());
    let counts = probe.view.version.all_files().map(|(_, file)| file.counts());
    Some(entries.saturating_add(keys_in_tables(counts)).saturating_sub(2 * deletions))
}

/// By the counts of each table, which are unknown before it is opened.
fn keys_in_tables<'a>(tables: impl Iterator<Item = Option<&'a EntryCounts>>) -> u64 {
    let (mut files, mut known, mut values, mut deletions) = (0u64, 0u64, 0u64, 0u64);
    for counts in tables {
        files += 1;
        let Some(counts) = counts else { continue };
        known += 1;
        values = values.saturating_add(counts.entries.saturating_sub(counts.deletions));
        deletions = deletions.saturating_add(counts.deletions);
    }
    let keys = values.saturating_sub(deletions);
    if known == 0 || known == files {
        return keys;
    }
    (keys as f64 * (files as f64 / known as f64)) as u64
}

fn open_tables(version: &Version) -> impl Iterator<Item = &Arc<crate::table::reader::TableReader>> {
    version.all_files().filter_map(|(_, file)| file.reader())
}

fn table_readers_memory(probe: &Probe<'_>) -> Option<u64> {
    Some(open_tables(&probe.view.version).map(|reader| reader.memory_usage() as u64).sum())
}

fn file_deletions_enabled(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| u64::from(state.deletions_disabled == 0))
}

fn oldest_snapshot_sequence(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| state.snapshots.sequences().first().copied().unwrap_or(0))
}

/// The bytes of a largest set of tables in which none overlaps one below it.
fn live_data_size(version: &Version) -> u64 {
    let comparator = version.comparator();
    let before = |a: &[u8], b: &[u8]| comparator.compare(a, b).is_lt();
    // Disjoint, in the order of keys.
    let mut counted: Vec<&FileMeta> = Vec::new();
    for level in version.levels().iter().rev() {
        for file in level.files() {
            let (first, last) = (file.smallest.user_key(), file.largest.user_key());
            let at = counted.partition_point(|other| before(other.largest.user_key(), first));
            if counted.get(at).is_none_or(|other| before(last, other.smallest.user_key())) {
                counted.insert(at, file);
            }
        }
    }
    let tables = counted.iter().map(|file| file.file_size);
    let blobs = version.blob_files().values();
    let live = |bytes: u64, garbage| bytes.saturating_sub(garbage);
    total(tables.chain(blobs.map(|blob| live(blob.added.total_blob_bytes, blob.garbage_bytes))))
}

fn min_log_number_to_keep(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| state.versions.min_log_number_to_keep())
}

fn min_obsolete_sst_number(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| state.pending_outputs.first().copied().unwrap_or(u64::MAX))
}

/// Tables of every version that somebody still holds.
fn total_sst_files_size(probe: &Probe<'_>) -> Option<u64> {
    let versions = probe.family.live_versions();
    let mut files: Vec<(u64, u64)> = versions
        .iter()
        .flat_map(|version| version.all_files().map(|(_, file)| (file.number, file.file_size)))
        .collect();
    files.sort_unstable();
    files.dedup();
    Some(total(files.iter().map(|(_, size)| *size)))
}

/// Blob files of every version that somebody still holds.
fn total_blob_file_size(probe: &Probe<'_>) -> Option<u64> {
    let versions = probe.family.live_versions();
    let blobs = versions.iter().flat_map(|version| version.blob_files());
    let sizes: BTreeMap<u64, u64> =
        blobs.map(|(number, blob)| (*number, blob.file_size())).collect();
    Some(total(sizes.values().copied()))
}

fn obsolete_sst_files_size(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| total(state.obsolete.iter().map(|file| file.file_size)))
}

/// Whether the next write would wait.
fn is_write_stopped(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| {
        let stopped = state.stall() == Stall::Stop;
        u64::from(stopped || state.must_wait_for_flush(&state.full_families()))
    })
}

/// Bytes a second; 0 while writes need not be slow.
fn delayed_write_rate(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| match state.families.values().any(|f| f.stall == Stall::Slow) {
        true => state.controller.rate(),
        false => 0,
    })
}

fn running_sorted_runs(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| state.families.values().map(|f| f.running.sorted_runs()).sum())
}

fn running_compactions(probe: &Probe<'_>) -> Option<u64> {
    probe.in_state(|state| state.families.values().map(|family| family.running.len() as u64).sum())
}

fn options_statistics(probe: &Probe<'_>) -> Option<String> {
    probe.db.statistics().as_ref().map(|statistics| statistics.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(entries: u64, deletions: u64) -> EntryCounts {
        EntryCounts { entries, deletions, ..EntryCounts::default() }
    }

    #[test]
    fn tables_of_unknown_counts_are_like_the_others() {
        let (one, other) = (counts(10, 2), counts(5, 0));
        assert_eq!(keys_in_tables([Some(&one), Some(&other)].into_iter()), 11);
        assert_eq!(keys_in_tables([Some(&one), None, Some(&other), None].into_iter()), 22);
        assert_eq!(keys_in_tables([None].into_iter()), 0);
    }

    #[test]
    fn numbers_that_files_make_up_do_not_overflow() {
        let (values, deletions) = (counts(u64::MAX, 0), counts(0, u64::MAX));
        let keys = |counts: &EntryCounts| keys_in_tables([Some(counts), Some(counts)].into_iter());
        assert_eq!(keys(&values), u64::MAX);
        assert_eq!(keys(&deletions), 0);
        assert_eq!(keys_in_tables([Some(&values), None].into_iter()), u64::MAX);
        assert_eq!(total([u64::MAX, 1].into_iter()), u64::MAX);
    }
}
