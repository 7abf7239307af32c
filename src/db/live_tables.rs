//! The tables of a database, for those who want to know.

use super::Db;
use super::family::Family;
use crate::base::key::SequenceNumber;
use crate::env::names::table_file_name;
use crate::version::file_meta::FileMeta;
use std::path::Path;

/// What is known of one table.
#[derive(Clone, Debug)]
pub struct LiveTable {
    /// The column family's name, which may be any bytes.
    pub family: Vec<u8>,
    /// The name in its folder.
    pub file_name: String,
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

impl Family {
    /// The tables of each level at one moment.
    pub fn live_levels(&self) -> Vec<Vec<LiveTable>> {
        let version = self.persistent.current();
        let tables = |level| version.files(level).iter().map(move |file| (level, file));
        (0..version.num_levels())
            .map(|level| tables(level).map(|(l, file)| LiveTable::new(self, l, file)).collect())
            .collect()
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
