//! Removing files that are not needed any more.

use super::Db;
use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::env::names::{FileType, parse_file_name};
use crate::version::file_meta::FileMeta;
use std::collections::HashSet;
use std::path::PathBuf;

/// How many OPTIONS files are kept, as by RocksDB.
const KEPT_OPTIONS_FILES: usize = 2;

impl Db {
    /// Removes the tables that no version holds any more.
    pub fn remove_obsolete_files(&self) {
        let mut numbers = Vec::new();
        {
            let mut state = self.state.lock();
            // The list's own reference is the last one.
            let unheld = |file: &mut Arc<FileMeta>| Arc::strong_count(file) == 1;
            numbers.extend(state.obsolete.extract_if(.., unheld).map(|file| file.number));
        }
        self.context.remove_tables(&numbers);
    }

    /// Looks through the folders for files that an earlier process left behind: tables of flushes
    /// that did not end, old logs, manifests and temporary files.
    pub(super) fn remove_unknown_files(&self) -> Result<()> {
        let (mut keep_tables, min_manifest) = {
            let state = self.state.lock();
            let live = state.versions.live_files();
            let tables: HashSet<u64> =
                live.tables.iter().chain(&state.pending_outputs).copied().collect();
            (tables, state.versions.manifest_number())
        };
        keep_tables.extend(self.state.lock().obsolete.iter().map(|file| file.number));
        let keep_logs: HashSet<u64> = self.wals()?.live().into_iter().collect();
        let unneeded = |name: &str| match parse_file_name(name) {
            Some((number, FileType::Table)) => !keep_tables.contains(&number),
            Some((number, FileType::Wal)) => !keep_logs.contains(&number),
            Some((number, FileType::Descriptor)) => number < min_manifest,
            Some((_, FileType::Temp)) => true,
            _ => false,
        };
        for dir in [&self.context.dir, &self.context.wal_dir] {
            let names = self.context.list(dir)?;
            let paths: Vec<PathBuf> =
                names.iter().filter(|name| unneeded(name)).map(|name| dir.join(name)).collect();
            self.context.remove_files(paths);
        }
        Ok(())
    }

    pub(super) fn remove_old_options_files(&self) -> Result<()> {
        let dir = &self.context.dir;
        let mut found: Vec<(u64, String)> = Vec::new();
        for name in self.context.list(dir)? {
            if let Some((number, FileType::Options)) = parse_file_name(&name) {
                found.push((number, name));
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        let old = found.iter().skip(KEPT_OPTIONS_FILES).map(|(_, name)| dir.join(name));
        self.context.remove_files(old);
        Ok(())
    }
}
