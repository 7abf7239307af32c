//! The tables of a database, for those who want to know.

use super::Db;
use super::family::Family;
use crate::base::key::SequenceNumber;
use crate::base::sync::Arc;
use crate::env::names::table_file_name;
use crate::version::file_meta::FileMeta;
use std::path::{Path, PathBuf};

/// What is known of one table.
#[derive(Clone, Debug, Default)]
pub struct LiveTable {
    /// The column family's name, which may be any bytes.
    pub family: Vec<u8>,
    /// The name in its folder.
    pub file_name: String,
    /// The folder.
    pub directory: PathBuf,
    /// The level that it is on.
    pub level: usize,
    /// Bytes.
    pub size: u64,
    /// The first user key.
    pub smallest: Vec<u8>,
    /// The last user key.
    pub largest: Vec<u8>,
    /// The lowest sequence number.
    pub smallest_seqno: SequenceNumber,
    /// The highest sequence number.
    pub largest_seqno: SequenceNumber,
    /// All entries; 0 if they were not counted yet.
    pub entries: u64,
    /// Deletions, those of ranges included.
    pub deletions: u64,
}

impl LiveTable {
    fn new(family: &Family, level: usize, file: &FileMeta) -> LiveTable {
        let counts = file.counts().copied().unwrap_or_default();
        let path = table_file_name(Path::new(""), file.number);
        LiveTable {
            family: family.name().to_vec(),
            file_name: path.to_string_lossy().into_owned(),
            directory: family.tables.options().dir(file.path_id).to_path_buf(),
            level,
            size: file.file_size,
            smallest: file.smallest.user_key().to_vec(),
            largest: file.largest.user_key().to_vec(),
            smallest_seqno: file.smallest_seqno,
            largest_seqno: file.largest_seqno,
            entries: counts.entries,
            deletions: counts.deletions + counts.range_deletions,
        }
    }
}

/// The tables of one level.
#[derive(Clone, Debug)]
pub struct LiveLevel {
    /// Its number.
    pub level: usize,
    /// Its tables: on level 0 newest first, on others in key order.
    pub tables: Vec<LiveTable>,
}

impl Family {
    /// The tables of every level at one moment, of empty ones, too.
    pub fn live_levels(&self) -> Vec<LiveLevel> {
        let version = self.persistent.current();
        let levels = 0..version.num_levels();
        levels.map(|level| self.live_level(level, version.files(level))).collect()
    }

    /// Of one level, or of all, the tables that overlap the user keys `begin..=end`, where `None`
    /// is unbounded. Levels without any are left out. On level 0 the range grows by each table
    /// that overlaps it.
    pub fn live_levels_within(
        &self,
        level: Option<usize>,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Vec<LiveLevel> {
        let version = self.persistent.current();
        let levels = (0..version.num_levels()).filter(|&l| level.is_none_or(|level| level == l));
        levels
            .map(|level| self.live_level(level, &version.overlapping_files(level, begin, end)))
            .filter(|level| !level.tables.is_empty())
            .collect()
    }

    fn live_level(&self, level: usize, files: &[Arc<FileMeta>]) -> LiveLevel {
        let tables = files.iter().map(|file| LiveTable::new(self, level, file)).collect();
        LiveLevel { level, tables }
    }
}

impl Db {
    /// The tables of all column families at one moment, by column family and level.
    pub fn live_tables(&self) -> Vec<LiveTable> {
        let state = self.state.lock();
        let mut tables = Vec::new();
        for family in state.families.values().map(|state| &state.family) {
            let version = family.persistent.current();
            let files = version.all_files();
            tables.extend(files.map(|(level, file)| LiveTable::new(family, level, file)));
        }
        tables
    }
}
