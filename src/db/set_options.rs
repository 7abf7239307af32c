//! Changing options of an open database: a new immutable snapshot of them each time, which work
//! that begins later goes by.

use super::Db;
use super::create::space_amp_pct;
use super::family::Family;
use super::open::max_total_wal_size;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Ordering};
use crate::env::pool::Priority;
use crate::log_at;
use crate::options::table::{Row, Table};
use crate::options::text::Pairs;
use crate::options::{CfOptions, DbOptions};

/// Options of column families whose new value is acted on.
const LIVE_FAMILY: &[&str] = &[
    "write_buffer_size",
    "max_write_buffer_number",
    "arena_block_size",
    "compression",
    "compression_opts",
    "compression_per_level",
    "max_sequential_skip_in_iterations",
    "table_factory",
    "memtable_prefix_bloom_size_ratio",
    "memtable_whole_key_filtering",
    "memtable_max_range_deletions",
    "memtable_protection_bytes_per_key",
    "paranoid_memory_checks",
    "memtable_verify_per_key_checksum_on_seek",
    "block_protection_bytes_per_key",
    "disable_auto_compactions",
    "level0_file_num_compaction_trigger",
    "level0_slowdown_writes_trigger",
    "level0_stop_writes_trigger",
    "soft_pending_compaction_bytes_limit",
    "hard_pending_compaction_bytes_limit",
    "max_bytes_for_level_base",
    "max_bytes_for_level_multiplier",
    "max_bytes_for_level_multiplier_additional",
    "max_compaction_bytes",
    "target_file_size_base",
    "target_file_size_multiplier",
    "target_file_size_is_upper_bound",
    "memtable_huge_page_size",
    "compaction_options_universal",
    "compaction_options_fifo",
    "ttl",
    "periodic_compaction_seconds",
    "bottommost_file_compaction_delay",
    "last_level_temperature",
    "default_write_temperature",
];

/// Options of the database whose new value is acted on.
const LIVE_DATABASE: &[&str] = &[
    "bytes_per_sync",
    "strict_bytes_per_sync",
    "writable_file_max_buffer_size",
    "compaction_readahead_size",
    "max_background_compactions",
    "wal_bytes_per_sync",
    "max_total_wal_size",
    "avoid_flush_during_shutdown",
    "max_manifest_file_size",
    "max_manifest_space_amp_pct",
    "verify_manifest_content_on_close",
    "max_background_jobs",
    "max_background_flushes",
    "stats_dump_period_sec",
    "stats_persist_period_sec",
    "stats_history_buffer_size",
    "max_compaction_trigger_wakeup_seconds",
    "daily_offpeak_time_utc",
    "delete_obsolete_files_period_micros",
];

/// Refuses a change that the engine would go on without: one of an option on which it acts, but
/// not anew.
fn check_acted_on<S: Table>(old: &S, new: &S, acted_on: &[&str]) -> Result<()> {
    let is_missed = |row: &&Row<S>| {
        !row.idle
            && !acted_on.contains(&row.name)
            && old.get_text(row.name) != new.get_text(row.name)
    };
    match S::ROWS.iter().find(is_missed) {
        Some(row) => {
            Err(Status::not_supported(format!("Changing {} of an open database", row.name)))
        }
        None => Ok(()),
    }
}

impl Db {
    /// The database's options as they are now.
    pub fn live_options(&self) -> Arc<DbOptions> {
        self.live_options.load_full()
    }

    /// Changes options of a column family, all or none, and stores them.
    pub fn set_options(&self, family: &Family, changes: &Pairs) -> Result<()> {
        self.check_changes(changes)?;
        let turn = self.options_turn.lock();
        if family.is_dropped() {
            return Err(Status::column_family_dropped(""));
        }
        let old = family.live_options();
        let new = old.with_live_changes(&self.live_options(), changes)?;
        check_acted_on(&*old, &new, LIVE_FAMILY)?;
        self.warn_of_idle(&old.idle_settings(), &new.idle_settings());
        let guard_blocks = &family.tables.options().reader.guard_blocks;
        guard_blocks.store(new.block_protection_bytes_per_key > 0, Ordering::Relaxed);
        family.set_live_options(new);
        self.repeat_compaction_trigger()?;
        // Memtables may be full now, or no longer too many.
        self.attention.store(true, Ordering::Release);
        self.tables_changed(&mut self.state.lock(), family.id());
        self.tell_waiters();
        log_at!(
            self.context.logger,
            Info,
            "Set options of column family [{}]: {changes:?}",
            String::from_utf8_lossy(family.name())
        );
        drop(turn);
        self.store_options()
    }

    /// Changes options of the database, all or none, and stores them.
    pub fn set_db_options(&self, changes: &Pairs) -> Result<()> {
        self.check_changes(changes)?;
        let turn = self.options_turn.lock();
        let old = self.live_options();
        let new = old.with_live_changes(changes)?;
        check_acted_on(&*old, &new, LIVE_DATABASE)?;
        for family in self.families.load().iter() {
            CfOptions::clone(&family.live_options()).validate(&new)?;
        }
        self.warn_of_idle(&old.idle_settings(), &new.idle_settings());
        self.apply_db_options(&old, &new)?;
        self.live_options.store(Arc::new(new));
        self.repeat_compaction_trigger()?;
        self.tell_waiters();
        log_at!(self.context.logger, Info, "Set options of the database: {changes:?}");
        drop(turn);
        self.store_options()
    }

    fn check_changes(&self, changes: &Pairs) -> Result<()> {
        if changes.into_iter().next().is_none() {
            return Err(Status::invalid_argument("empty input"));
        }
        self.wals().map(|_| ())
    }

    fn apply_db_options(&self, old: &DbOptions, new: &DbOptions) -> Result<()> {
        self.change_periods(old, new)?;
        let (flushes, compactions) = new.background_limits();
        let env = &self.context.env;
        env.inc_background_threads_if_needed(flushes, Priority::High);
        env.inc_background_threads_if_needed(compactions, Priority::Low);
        self.max_background_flushes.store(flushes, Ordering::Relaxed);
        self.max_background_compactions.store(compactions, Ordering::Relaxed);
        let wal_size = max_total_wal_size(new, &self.families.load());
        self.max_total_wal_size.store(wal_size, Ordering::Relaxed);
        self.wals()?.set_bytes_per_sync(new.wal_bytes_per_sync);
        // The log may be too large now.
        self.attention.store(true, Ordering::Release);
        let mut state = self.state.lock();
        state.versions.set_max_manifest_file_size(new.max_manifest_file_size);
        state.versions.set_max_manifest_space_amp_pct(space_amp_pct(new));
        self.schedule_flushes(&mut state);
        Ok(())
    }

    /// Wakes everyone, under the mutex, so that nobody looks before and waits after.
    fn tell_waiters(&self) {
        let state = self.state.lock();
        self.changed.notify_all();
        drop(state);
    }

    fn warn_of_idle(&self, old: &[(&str, String)], new: &[(&str, String)]) {
        for (name, value) in new.iter().filter(|setting| !old.contains(setting)) {
            log_at!(self.context.logger, Warn, "Option without effect yet: {name}={value}");
        }
    }

    fn store_options(&self) -> Result<()> {
        self.persist_options()
            .and_then(|()| self.remove_old_options_files())
            .map_err(|error| Status::io_error(format!("Unable to persist options.: {error}")))
    }
}

#[cfg(test)]
#[path = "set_options_tests.rs"]
mod tests;
