//! Recovering: from the files to the state in memory.

use super::context::Context;
use super::create::version_set_options;
use super::family::{Family, FamilySet};
use super::open::{FamilyOptions, OpenRequest};
use super::replay::Replay;
use super::stats_history::stats_family_options;
use crate::base::key::SequenceNumber;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::env::current::set_identity_file;
use crate::env::file_system::Access;
use crate::env::names::{FileType, identity_file_name, log_file_name, parse_file_name};
use crate::options::{BlockBasedTableOptions, CfOptions, PinningTier};
use crate::plug::counted_merge_operator::counted;
use crate::stats::activity::Activity;
use crate::table::fetch::ReadCounts;
use crate::table::{MetadataCaching, TableReaderOptions};
use crate::version::column_family::{ColumnFamily, ColumnFamilyConfig, PERSISTENT_STATS_NAME};
use crate::version::edit::VersionEdit;
use crate::version::table_cache::{MetadataPinning, TableCache, TableCacheOptions};
use crate::version::version_set::VersionSet;
use std::collections::BTreeMap;

/// The state that the files hold.
pub(super) struct Recovered {
    pub versions: VersionSet,
    pub families: FamilySet,
    /// Tables written from logs, by column family; in no version yet.
    edits: BTreeMap<u32, VersionEdit>,
    /// Logs that stay, since their writes are in memtables only, with their sizes.
    pub kept_logs: BTreeMap<u64, u64>,
    /// The newest write.
    pub last_sequence: SequenceNumber,
    /// The newest write in the logs. Tables may hold newer ones, which were not logged.
    pub last_logged: SequenceNumber,
    /// Logs below this number are not needed any more.
    min_log: u64,
}

pub(super) fn recover(
    context: &mut Context,
    request: &OpenRequest,
    is_new: bool,
) -> Result<Recovered> {
    let configs: Vec<_> = request.families.iter().map(config).collect();
    let mut versions = VersionSet::recover(
        context.env.fs().clone(),
        &context.dir,
        version_set_options(&context.options),
        &configs,
        request.read_only,
    )?;
    if !is_new {
        reconcile_identity(context, &mut versions)?;
    }
    let context: &Context = context;
    let mut families = FamilySet::default();
    let known: Vec<_> = versions.families().cloned().collect();
    for persistent in known {
        families.insert(open_family(context, request, persistent)?);
    }
    load_tables(context, &versions, &families)?;
    let logs = find_logs(context, &versions, is_new)?;
    if request.error_if_wal_file_exists {
        refuse_logs_with_data(context, &logs)?;
    }
    Recovery { context, versions, families, edits: BTreeMap::new(), flushed: false }.run(&logs)
}

/// The MANIFEST's identity counts before the IDENTITY file's, which is made anew if it is lost.
fn reconcile_identity(context: &mut Context, versions: &mut VersionSet) -> Result<()> {
    match versions.db_id() {
        "" => versions.set_db_id(&context.db_id),
        id => context.db_id = id.to_string(),
    }
    let wanted = context.options.write_identity_file && !context.read_only;
    if wanted && !context.fs().exists(&identity_file_name(&context.dir))? {
        set_identity_file(context.fs(), &context.dir, &context.db_id)?;
    }
    Ok(())
}

/// What the version set must know of a column family.
pub(super) fn config(family: &FamilyOptions) -> ColumnFamilyConfig {
    ColumnFamilyConfig {
        num_levels: family.options.num_levels.max(1) as usize,
        force_consistency_checks: family.options.force_consistency_checks,
        persist_user_defined_timestamps: family.options.persist_user_defined_timestamps,
        ..ColumnFamilyConfig::new(&family.name, family.options.comparator.clone())
    }
}

fn open_family(
    context: &Context,
    request: &OpenRequest,
    persistent: Arc<ColumnFamily>,
) -> Result<Arc<Family>> {
    let asked = request.families.iter().find(|f| f.name == persistent.name());
    let options = match asked {
        Some(family) => family.options.clone(),
        None if persistent.name() == PERSISTENT_STATS_NAME => {
            stats_family_options(&context.options)
        }
        None => CfOptions { comparator: persistent.comparator().clone(), ..CfOptions::default() },
    };
    new_family(context, persistent, options)
}

/// A column family with an empty memtable.
pub(super) fn new_family(
    context: &Context,
    persistent: Arc<ColumnFamily>,
    mut options: CfOptions,
) -> Result<Arc<Family>> {
    options.merge_operator = counted(options.merge_operator, &context.options.statistics);
    context.note_table_dirs(&options);
    let fs = context.env.fs().clone();
    let tables = Arc::new(TableCache::new(fs, table_cache_options(context, &options)?));
    let write_buffers = context.options.write_buffer_manager.clone();
    Ok(Arc::new(Family::new(persistent, Arc::new(options), tables, write_buffers)))
}

fn table_cache_options(context: &Context, options: &CfOptions) -> Result<TableCacheOptions> {
    let Some(table) = options.table_factory.block_based() else {
        let name = options.table_factory.name();
        return Err(Status::not_supported(format!("Tables of format {name}")));
    };
    let access = match (context.options.use_direct_reads, context.options.allow_mmap_reads) {
        (true, _) => Access::Direct,
        (false, true) => Access::Mapped,
        (false, false) => Access::Buffered,
    };
    Ok(TableCacheOptions {
        paths: context.table_paths(options),
        verify_sst_unique_id_in_manifest: context.options.verify_sst_unique_id_in_manifest,
        access,
        compaction_access: match context.options.use_direct_io_for_compaction_reads {
            true => Access::Direct,
            false => access,
        },
        advise_random_on_open: context.options.advise_random_on_open,
        open_tables: context.open_tables.clone(),
        read_micros: match &context.options.statistics {
            Some(_) => (0..options.num_levels).map(|_| Arc::default()).collect(),
            None => Vec::new(),
        },
        pinning: metadata_pinning(options, table),
        reader: TableReaderOptions {
            comparator: options.comparator.clone(),
            cache: if table.no_block_cache { None } else { table.block_cache.clone() },
            cache_session: context.cache_session,
            prefix_extractor: options.prefix_extractor.clone(),
            metadata: MetadataCaching {
                in_cache: table.cache_index_and_filter_blocks,
                high_priority: table.cache_index_and_filter_blocks_with_high_priority,
                ..MetadataCaching::default()
            },
            skip_filters: table.filter_policy.is_none(),
            counts: ReadCounts {
                stats: context.options.statistics.clone(),
                ..ReadCounts::default()
            },
            rate_limiter: context.options.rate_limiter.clone(),
            guard_blocks: Arc::new(AtomicBool::new(options.block_protection_bytes_per_key > 0)),
            ..TableReaderOptions::default()
        },
    })
}

/// The tiers that the options ask for, the older ones where the newer ones leave it to them.
fn metadata_pinning(cf: &CfOptions, table: &BlockBasedTableOptions) -> MetadataPinning {
    let tier = |tier, older: bool, then| match tier {
        PinningTier::Fallback if older => then,
        PinningTier::Fallback => PinningTier::None,
        tier => tier,
    };
    let new = &table.metadata_cache_options;
    let (top_level, level_0) =
        (table.pin_top_level_index_and_filter, table.pin_l0_filter_and_index_blocks_in_cache);
    let flushed = PinningTier::FlushedAndSimilar;
    MetadataPinning {
        top_level: tier(new.top_level_index_pinning, top_level, PinningTier::All),
        partitions: tier(new.partition_pinning, level_0, flushed),
        unpartitioned: tier(new.unpartitioned_pinning, level_0, flushed),
        max_flushed_size: (cf.write_buffer_size as u64 / 2).saturating_mul(3),
    }
}

/// Opens all tables, so that a missing or damaged one is found now, and compactions know how many
/// deletions each holds.
fn load_tables(context: &Context, versions: &VersionSet, families: &FamilySet) -> Result<()> {
    let options = &context.options;
    let is_wanted = options.paranoid_checks && !options.skip_stats_update_on_db_open;
    if options.open_files_async || options.max_open_files != -1 && !is_wanted {
        return Ok(());
    }
    let _reads = Activity::Open.enter();
    let threads = context.options.max_file_opening_threads.max(1) as usize;
    for family in families.iter() {
        let loaded = versions.load_tables(&family.persistent, &family.tables, threads);
        if context.options.paranoid_checks {
            loaded?;
        }
    }
    Ok(())
}

/// The logs to replay, ascending. All file numbers in use are marked as such.
fn find_logs(context: &Context, versions: &VersionSet, is_new: bool) -> Result<Vec<u64>> {
    let mut logs = Vec::new();
    let names = match context.fs().list(&context.wal_dir) {
        Err(error) if error.is_not_found() => {
            let dir = context.wal_dir.display();
            return Err(Status::invalid_argument(format!("wal_dir not found: {dir}")));
        }
        result => result?,
    };
    for name in names {
        if let Some((number, FileType::Wal)) = parse_file_name(&name) {
            logs.push(number);
            versions.file_numbers().mark_used(number);
        }
    }
    let mut names = context.list(&context.dir)?;
    for dir in context.other_table_dirs() {
        names.extend(context.list(&dir)?);
    }
    for name in names {
        if let Some((number, FileType::Table | FileType::Descriptor | FileType::Options)) =
            parse_file_name(&name)
        {
            versions.file_numbers().mark_used(number);
        }
    }
    check_tracked_logs(context, versions, &logs, is_new)?;
    logs.sort_unstable();
    let min = min_log(versions);
    logs.retain(|&log| log >= min || log == versions.prev_log_number());
    Ok(logs)
}

/// That the logs of the database are there, as far as the options had it remember them.
fn check_tracked_logs(
    context: &Context,
    versions: &VersionSet,
    found: &[u64],
    is_new: bool,
) -> Result<()> {
    let options = &context.options;
    if options.track_and_verify_wals && !is_new && found.is_empty() {
        return Err(Status::corruption("Opening an existing DB with no WAL files"));
    }
    if !options.track_and_verify_wals_in_manifest {
        return Ok(());
    }
    versions.wals().check(|number| {
        let path = log_file_name(&context.wal_dir, number);
        found.contains(&number).then(|| context.fs().file_size(&path)).transpose()
    })
}

/// The first log that is not obsolete for every column family.
fn min_log(versions: &VersionSet) -> u64 {
    versions.min_log_number_to_keep().max(versions.min_log_number_with_unflushed_data())
}

fn refuse_logs_with_data(context: &Context, logs: &[u64]) -> Result<()> {
    for &log in logs {
        if context.fs().file_size(&log_file_name(&context.wal_dir, log))? > 0 {
            return Err(Status::corruption(
                "The db was opened in readonly mode with error_if_wal_file_exists flag but a \
                 non-empty WAL file already exists",
            ));
        }
    }
    Ok(())
}

struct Recovery<'a> {
    context: &'a Context,
    versions: VersionSet,
    families: FamilySet,
    edits: BTreeMap<u32, VersionEdit>,
    flushed: bool,
}

impl Recovery<'_> {
    fn run(mut self, logs: &[u64]) -> Result<Recovered> {
        let families = self.families.clone();
        let mut replay = Replay::new(self.context, &families, min_log(&self.versions));
        for &log in logs {
            replay.log(log, |replay| {
                let full = replay.full.swap(false, Ordering::Relaxed);
                match self.context.read_only {
                    true => Ok(()),
                    false if self.is_memory_short() => self.flush_with_data(),
                    false if full => self.flush_full(),
                    false => Ok(()),
                }
            })?;
        }
        replay.check_consistency()?;
        let last_logged = replay.next_sequence.map_or(0, |next| next.saturating_sub(1));
        let last_sequence = self.versions.last_sequence().max(last_logged);
        let kept_logs = if self.context.read_only { BTreeMap::new() } else { self.settle(logs)? };
        let min_log = kept_logs.first_key_value().map_or(u64::MAX, |(&log, _)| log);
        let Recovery { versions, families, edits, .. } = self;
        Ok(Recovered { versions, families, edits, kept_logs, last_sequence, last_logged, min_log })
    }

    /// Flushes the memtables that have reached their size.
    fn flush_full(&mut self) -> Result<()> {
        for family in self.families.clone().iter() {
            let size = family.options.write_buffer_size;
            if family.super_version.load().mem.should_flush(size) {
                self.flush(family)?;
            }
        }
        Ok(())
    }

    fn is_memory_short(&self) -> bool {
        let options = &self.context.options;
        options.enforce_write_buffer_manager_during_recovery
            && options.write_buffer_manager.as_ref().is_some_and(|manager| manager.should_flush())
    }

    /// Flushes all memtables that hold anything.
    fn flush_with_data(&mut self) -> Result<()> {
        self.with_data().iter().try_for_each(|family| self.flush(family))
    }

    fn with_data(&self) -> Vec<Arc<Family>> {
        let has_data = |family: &&Arc<Family>| !family.super_version.load().mem.is_empty();
        self.families.iter().filter(has_data).cloned().collect()
    }

    /// Writes the memtable of `family` to a table and gives it an empty one.
    fn flush(&mut self, family: &Arc<Family>) -> Result<()> {
        let _writes = Activity::Open.enter();
        let mem = family.super_version.load().mem.clone();
        let number = self.versions.file_numbers().allocate();
        let output = self.context.flush_job(family, number).run(std::slice::from_ref(&mem), &[])?;
        let edit = self.edits.entry(family.id()).or_insert_with(|| VersionEdit::new(family.id()));
        if let Some(mut file) = output.file {
            file.epoch_number = family.persistent.new_epoch_number();
            edit.add_file(0, Arc::new(file));
        }
        family.replace_memtable(mem.id() + 1);
        self.flushed = true;
        Ok(())
    }

    /// Decides what becomes of the memtables and logs at the end of the replay; returns the logs
    /// that stay.
    fn settle(&mut self, logs: &[u64]) -> Result<BTreeMap<u64, u64>> {
        let Some(&newest) = logs.last() else { return Ok(BTreeMap::new()) };
        let with_data = self.with_data();
        let keep = self.context.options.avoid_flush_during_recovery && !self.flushed;
        if keep && !with_data.is_empty() {
            let size =
                |log| self.context.fs().file_size(&log_file_name(&self.context.wal_dir, log));
            return logs.iter().map(|&log| Ok((log, size(log)?))).collect();
        }
        for family in &with_data {
            self.flush(family)?;
        }
        // All logs found are obsolete: the next one has a larger number.
        for family in self.families.clone().iter() {
            if family.persistent.log_number() <= newest {
                let edit = self.edits.entry(family.id());
                edit.or_insert_with(|| VersionEdit::new(family.id())).log_number = Some(newest + 1);
            }
        }
        self.versions.file_numbers().mark_used(newest);
        Ok(BTreeMap::new())
    }
}

impl Recovered {
    /// Writes what recovery changed to a new MANIFEST, whether or not it is much: the opening
    /// must leave file numbers and identity behind.
    pub fn make_durable(&mut self, tracks_logs: bool) -> Result<()> {
        if !tracks_logs && self.versions.wals().iter().next().is_some() {
            // Else logs that go from now on would be missed once they are tracked again.
            let wal_deletion = Some(self.versions.file_numbers().next());
            let edit = VersionEdit { wal_deletion, ..VersionEdit::default() };
            self.versions.log_and_apply(vec![edit])?;
        }
        let mut edits = std::mem::take(&mut self.edits);
        let default = edits.entry(0).or_insert_with(|| VersionEdit::new(0));
        let log_numbers = self.families.iter().map(|f| f.persistent.log_number());
        let current_min = log_numbers.min().unwrap_or(0);
        if self.min_log == u64::MAX {
            let newest = default.log_number.unwrap_or(current_min).max(current_min);
            default.min_log_number_to_keep = Some(newest);
        }
        default.last_sequence = default.last_sequence.max(Some(self.versions.last_sequence()));
        self.versions.log_and_apply(edits.into_values().collect())?;
        for family in self.families.iter() {
            family.republish();
        }
        Ok(())
    }
}
