//! The OPTIONS file: what a database was last opened with, as RocksDB writes and reads it.
//!
//! Its format is an ini file: `[Version]`, `[DBOptions]`, and for each column family
//! `[CFOptions "name"]` and `[TableOptions/BlockBasedTable "name"]`; `name=value` lines; comments
//! from `#` to the end of the line, unless it is escaped.

mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};

use crate::base::status::{Result, Status, SubCode};
use crate::base::sync::Arc;
use crate::cache::Cache;
use crate::env::file_system::{FileSystem, read_file};
use crate::env::names::{FileType, parse_file_name};
use crate::options::cf::CfOptions;
use crate::options::db::DbOptions;
use crate::options::table_factory::TableFactory;

pub use writer::{options_text, write_options_file};

/// The release of RocksDB whose options ours are, as OPTIONS files name it.
pub const ROCKSDB_VERSION: [u32; 3] = [11, 8, 1];

/// The newest release all of whose options have rows. A file of this release or an older one
/// that names an unknown option is damaged, whatever the reader was told to ignore.
const KNOWN_VERSION: [u32; 3] = [11, 9, 0];

/// More than any OPTIONS file holds.
const MAX_LEN: usize = 1 << 30;

/// What an OPTIONS file says.
#[derive(Clone, Debug, Default)]
pub struct OptionsFile {
    /// The release of RocksDB that wrote it.
    pub rocksdb_version: [u32; 3],
    /// Options of the database.
    pub db: DbOptions,
    /// Name and options of each column family; the default one first.
    pub column_families: Vec<(String, CfOptions)>,
}

impl OptionsFile {
    /// Reads the text of an OPTIONS file. With `ignore_unknown`, options that a newer release may
    /// have added, or whose values it may have, are skipped.
    pub fn parse(text: &str, ignore_unknown: bool) -> Result<OptionsFile> {
        reader::parse(text, ignore_unknown)
    }

    /// Reads the OPTIONS file at `path`.
    pub fn load(fs: &dyn FileSystem, path: &Path, ignore_unknown: bool) -> Result<OptionsFile> {
        let bytes = read_file(fs, path, MAX_LEN)?;
        OptionsFile::parse(&String::from_utf8_lossy(&bytes), ignore_unknown)
    }

    /// Reads the newest OPTIONS file of the database in `dir`.
    pub fn load_latest(fs: &dyn FileSystem, dir: &Path, ignore_unknown: bool) -> Result<Self> {
        OptionsFile::load(fs, &latest_options_file(fs, dir)?, ignore_unknown)
    }

    /// Lets all block-based tables read through `cache`.
    pub fn set_block_cache(&mut self, cache: &Arc<Cache>) {
        for (_, options) in &mut self.column_families {
            if let TableFactory::BlockBased(options) = &mut options.table_factory {
                Arc::make_mut(options).block_cache = Some(cache.clone());
            }
        }
    }
}

/// The newest OPTIONS file of the database in `dir`.
pub fn latest_options_file(fs: &dyn FileSystem, dir: &Path) -> Result<PathBuf> {
    let none = || {
        let text = format!("No options files found in the DB directory.: {}", dir.display());
        Status::not_found(text).with_subcode(SubCode::PathNotFound)
    };
    let names = match fs.list(dir) {
        Err(error) if error.is_not_found() => return Err(none()),
        names => names?,
    };
    let numbers = names.iter().filter_map(|name| match parse_file_name(name) {
        Some((number, FileType::Options)) => Some((number, name)),
        _ => None,
    });
    let latest = numbers.max().ok_or_else(none)?;
    Ok(dir.join(latest.1))
}
