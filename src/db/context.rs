//! [`Context`]: what stays the same from the first step of opening to the end.

use super::family::Family;
use crate::base::status::Result;
use crate::base::sync::{Arc, Mutex};
use crate::env::Env;
use crate::env::file_system::FileSystem;
use crate::env::names::{log_file_name, table_file_name};
use crate::flush::job::FlushJob;
use crate::log_at;
use crate::options::{CfOptions, DbOptions, DbPath};
use crate::plug::logger::Logger;
use crate::rewrite::table_options::TableOwner;
use crate::stats::{Ticker, count};
use crate::version::open_tables::OpenTables;
use std::path::{Path, PathBuf};

/// Where a database is, and what it works with.
pub(super) struct Context {
    pub env: Env,
    /// The database's folder.
    pub dir: PathBuf,
    /// The folder of its logs.
    pub wal_dir: PathBuf,
    pub options: DbOptions,
    pub logger: Arc<dyn Logger>,
    /// The database's identity, the same at every opening.
    pub db_id: String,
    /// This opening's identity.
    pub session_id: String,
    /// Tells this opening's blocks from others' in a shared block cache.
    pub cache_session: u64,
    /// The limit on open tables, if there is one.
    pub open_tables: Option<OpenTables>,
    pub read_only: bool,
    /// Folders of tables beside `dir`.
    pub table_dirs: Mutex<Vec<PathBuf>>,
}

impl Context {
    pub fn fs(&self) -> &dyn FileSystem {
        &**self.env.fs()
    }

    /// What tables of `family` are written with.
    pub fn table_owner<'a>(&'a self, family: &'a Family) -> TableOwner<'a> {
        self.table_owner_with(family, (&self.options, &family.options))
    }

    /// The same with the options as they are now.
    pub fn table_owner_with<'a>(
        &'a self,
        family: &'a Family,
        (db_options, cf_options): (&'a DbOptions, &'a CfOptions),
    ) -> TableOwner<'a> {
        TableOwner {
            db_options,
            cf_options,
            family_id: family.id(),
            family_name: family.name(),
            db_id: &self.db_id,
            session_id: &self.session_id,
        }
    }

    /// A flush with the options as they were at open.
    pub fn flush_job<'a>(&'a self, family: &'a Family, file_number: u64) -> FlushJob<'a> {
        FlushJob {
            fs: self.fs(),
            dir: family.tables.options().dir(0),
            owner: self.table_owner(family),
            comparator: family.comparator(),
            tables: &family.tables,
            file_number,
            throttle: None,
            reads_as: None,
            logger: &*self.logger,
        }
    }

    /// A flush with the options as they are now.
    pub fn flush_job_with<'a>(
        &'a self,
        family: &'a Family,
        file_number: u64,
        options: (&'a DbOptions, &'a CfOptions),
    ) -> FlushJob<'a> {
        let owner = self.table_owner_with(family, options);
        FlushJob { owner, ..self.flush_job(family, file_number) }
    }

    /// The folders that the path ids of a column family's tables stand for.
    pub fn table_paths(&self, options: &CfOptions) -> Vec<PathBuf> {
        match options.cf_paths.as_slice() {
            [] => vec![self.dir.clone()],
            paths => paths.iter().map(|path| path.path.clone()).collect(),
        }
    }

    /// Remembers the folders of a column family.
    pub fn note_table_dirs(&self, options: &CfOptions) {
        let mut dirs = self.table_dirs.lock();
        for DbPath { path, .. } in &options.cf_paths {
            if *path != self.dir && !dirs.contains(path) {
                dirs.push(path.clone());
            }
        }
    }

    /// Every folder beside the database's own that may hold tables.
    pub fn other_table_dirs(&self) -> Vec<PathBuf> {
        self.table_dirs.lock().clone()
    }

    /// Removes files that nothing refers to any more. What cannot be removed now is removed at
    /// the next opening. Returns how many went.
    pub fn remove_files(&self, paths: impl IntoIterator<Item = PathBuf>) -> u64 {
        let mut removed = 0;
        for path in paths {
            match self.fs().remove_file(&path) {
                Ok(()) => {
                    removed += 1;
                    log_at!(self.logger, Info, "Removed {}", path.display());
                }
                Err(error) if error.is_path_not_found() => {}
                Err(error) => log_at!(self.logger, Warn, "Cannot remove a file: {error}"),
            }
        }
        removed
    }

    /// Removes files that hold or held data, which are counted.
    pub fn remove_data_files(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let removed = self.remove_files(paths);
        count(&self.options.statistics, Ticker::FilesDeletedImmediately, removed);
    }

    pub fn remove_tables(&self, numbers: &[u64]) {
        if let Some(open) = &self.open_tables {
            numbers.iter().for_each(|&number| open.forget(number));
        }
        self.remove_data_files(numbers.iter().map(|&n| table_file_name(&self.dir, n)));
        // No two tables of the database have the same number.
        for dir in self.other_table_dirs() {
            self.remove_data_files(numbers.iter().map(|&n| table_file_name(&dir, n)));
        }
    }

    /// Removes obsolete logs, or moves them to the archive if the options say so.
    pub fn remove_logs(&self, numbers: &[u64]) {
        if self.options.archives_logs() {
            return self.archive_logs(numbers);
        }
        self.remove_data_files(numbers.iter().map(|&n| log_file_name(&self.wal_dir, n)));
    }

    /// The names in a folder, none if there is no such folder.
    pub fn list(&self, dir: &Path) -> Result<Vec<String>> {
        match self.fs().list(dir) {
            Err(error) if error.is_not_found() => Ok(Vec::new()),
            result => result,
        }
    }
}
