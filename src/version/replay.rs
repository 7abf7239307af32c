//! [`Replay`]: rebuilds the persistent state from the edits of a MANIFEST, with RocksDB's checks
//! and texts.

use super::builder::{VersionBuilder, infer_epochs};
use super::column_family::{ColumnFamily, ColumnFamilyConfig, DEFAULT_NAME, PERSISTENT_STATS_NAME};
use super::edit::VersionEdit;
use super::file_meta::MAX_FILE_NUMBER;
use super::timestamps::{check_comparator, pad_boundaries};
use super::version::Version;
use super::wal_set::WalSet;
use crate::base::comparator::Comparator;
use crate::base::key::{MAX_SEQUENCE, SequenceNumber};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use std::collections::BTreeMap;

/// A column family while its edits come in.
struct Rebuilt {
    config: ColumnFamilyConfig,
    builder: VersionBuilder,
    log_number: u64,
    full_history_ts_low: Vec<u8>,
    /// Timestamps were turned on after these files were written.
    files_lack_timestamps: bool,
}

/// The state so far.
pub(super) struct Replay<'a> {
    configs: &'a [ColumnFamilyConfig],
    families: BTreeMap<u32, Rebuilt>,
    /// Column families that nobody asked for, in the order in which they were added.
    skipped: Vec<(u32, Vec<u8>)>,
    group: Vec<VersionEdit>,
    group_size: u64,
    log_number: Option<u64>,
    prev_log_number: u64,
    next_file_number: Option<u64>,
    max_column_family: u32,
    min_log_number_to_keep: u64,
    last_sequence: Option<SequenceNumber>,
    db_id: Option<Vec<u8>>,
    wals: WalSet,
    last_compacted_size: u64,
}

/// The state after the last edit.
pub(super) struct Recovered {
    pub families: Vec<Arc<ColumnFamily>>,
    pub prev_log_number: u64,
    pub next_file_number: u64,
    pub max_column_family: u32,
    pub min_log_number_to_keep: u64,
    pub last_sequence: SequenceNumber,
    pub db_id: Option<Vec<u8>>,
    pub wals: WalSet,
    pub last_compacted_size: u64,
}

impl<'a> Replay<'a> {
    /// Nothing but the default column family, which must be among `configs`.
    pub fn new(configs: &'a [ColumnFamilyConfig]) -> Result<Replay<'a>> {
        let Some(default) = configs.iter().find(|config| config.name == DEFAULT_NAME) else {
            return Err(Status::invalid_argument("Default column family not specified"));
        };
        let mut replay = Replay {
            configs,
            families: BTreeMap::new(),
            skipped: Vec::new(),
            group: Vec::new(),
            group_size: 0,
            log_number: None,
            prev_log_number: 0,
            next_file_number: None,
            max_column_family: 0,
            min_log_number_to_keep: 0,
            last_sequence: None,
            db_id: None,
            wals: WalSet::default(),
            last_compacted_size: 0,
        };
        replay.open_family(0, default.clone());
        Ok(replay)
    }

    fn open_family(&mut self, id: u32, config: ColumnFamilyConfig) {
        let empty = Version::empty(config.comparator.clone(), config.num_levels);
        let rebuilt = Rebuilt {
            builder: VersionBuilder::new(Arc::new(empty)),
            config,
            log_number: 0,
            full_history_ts_low: Vec::new(),
            files_lack_timestamps: false,
        };
        self.families.insert(id, rebuilt);
    }

    /// Takes the next record. The members of an atomic group wait until it is complete; a group
    /// that the MANIFEST's end cut off never takes effect.
    pub fn record(&mut self, record: &[u8]) -> Result<()> {
        let edit = VersionEdit::decode(record)?;
        match edit.atomic_group {
            Some(remaining) => self.add_to_group(edit, u64::from(remaining)),
            None if self.group.is_empty() => self.apply(edit),
            None => Err(Status::corruption("corrupted atomic group")),
        }
    }

    fn add_to_group(&mut self, edit: VersionEdit, remaining: u64) -> Result<()> {
        if self.group.is_empty() {
            self.group_size = remaining + 1;
        }
        self.group.push(edit);
        if self.group.len() as u64 + remaining != self.group_size {
            return Err(Status::corruption("corrupted atomic group"));
        }
        if remaining > 0 {
            return Ok(());
        }
        std::mem::take(&mut self.group).into_iter().try_for_each(|edit| self.apply(edit))
    }

    fn apply(&mut self, mut edit: VersionEdit) -> Result<()> {
        let id = edit.column_family;
        if let Some(name) = edit.column_family_add.take() {
            self.add_family(id, name)?;
        } else if edit.column_family_drop {
            self.drop_family(id)?;
        } else if !edit.wal_additions.is_empty() {
            edit.wal_additions.iter().try_for_each(|wal| self.wals.add(wal))?;
            return self.note_global(&edit);
        } else if let Some(number) = edit.wal_deletion {
            self.wals.delete_before(number);
            return self.note_global(&edit);
        } else if let Some(family) = self.families.get_mut(&id) {
            pad_boundaries(&mut edit, &family.config.comparator, family.files_lack_timestamps)?;
            family.builder.apply(&edit)?;
        } else if !self.skipped.iter().any(|(skipped, _)| *skipped == id) {
            return Err(Status::corruption("MANIFEST record referencing unknown column family"));
        }
        self.note_family(id, &edit)?;
        self.note_global(&edit)
    }

    fn add_family(&mut self, id: u32, name: Vec<u8>) -> Result<()> {
        let known = self.families.contains_key(&id)
            || self.families.values().any(|family| family.config.name == name)
            || self.skipped.iter().any(|(skipped, _)| *skipped == id);
        if known {
            return Err(Status::corruption(format!(
                "MANIFEST adding the same column family twice: {}",
                String::from_utf8_lossy(&name)
            )));
        }
        self.max_column_family = self.max_column_family.max(id);
        if let Some(config) = self.configs.iter().find(|config| config.name == name) {
            self.open_family(id, config.clone());
        } else if name == PERSISTENT_STATS_NAME {
            self.open_family(id, ColumnFamilyConfig::new(&name, Comparator::Bytewise));
        } else {
            self.skipped.push((id, name));
        }
        Ok(())
    }

    fn drop_family(&mut self, id: u32) -> Result<()> {
        if self.families.remove(&id).is_some() {
            return Ok(());
        }
        match self.skipped.iter().position(|(skipped, _)| *skipped == id) {
            Some(at) => {
                self.skipped.remove(at);
                Ok(())
            }
            None => Err(Status::corruption("MANIFEST - dropping non-existing column family")),
        }
    }

    /// What an edit says about an open column family apart from files.
    fn note_family(&mut self, id: u32, edit: &VersionEdit) -> Result<()> {
        let Some(family) = self.families.get_mut(&id) else { return Ok(()) };
        if let Some(number) = edit.log_number
            && number >= family.log_number
        {
            family.log_number = number;
            self.log_number = Some(number);
        }
        if let Some(name) = &edit.comparator {
            let persisted = edit.persist_user_defined_timestamps.unwrap_or(true);
            family.files_lack_timestamps |= check_comparator(&family.config, name, persisted)?;
        }
        if let Some(timestamp) = &edit.full_history_ts_low {
            family.full_history_ts_low = timestamp.clone();
        }
        Ok(())
    }

    fn note_global(&mut self, edit: &VersionEdit) -> Result<()> {
        if let Some(id) = &edit.db_id {
            self.db_id = Some(id.clone());
        }
        self.prev_log_number = edit.prev_log_number.unwrap_or(self.prev_log_number);
        self.next_file_number = edit.next_file_number.or(self.next_file_number);
        self.max_column_family = self.max_column_family.max(edit.max_column_family.unwrap_or(0));
        if let Some(number) = edit.min_log_number_to_keep {
            self.min_log_number_to_keep = self.min_log_number_to_keep.max(number);
            // Obsolete WALs may be gone already, tracked or not.
            self.wals.delete_before(number);
        }
        self.last_sequence = edit.last_sequence.or(self.last_sequence);
        if let Some(size) = edit.last_compacted_manifest_file_size {
            self.last_compacted_size = size;
        }
        Ok(())
    }

    /// Checks that the MANIFEST said all that it must, and builds the versions. Column families
    /// that were not asked for are an error unless `read_only`.
    pub fn finish(self, read_only: bool) -> Result<Recovered> {
        let (Some(_), Some(next_file), Some(last_sequence)) =
            (self.log_number, self.next_file_number, self.last_sequence)
        else {
            return Err(self.missing_entries());
        };
        if !read_only && !self.skipped.is_empty() {
            return Err(self.not_opened());
        }
        if self.families.values().any(|family| !family.builder.fits_levels()) {
            let text = "db has more levels than options.num_levels";
            return Err(Status::invalid_argument(text));
        }
        if next_file >= MAX_FILE_NUMBER || last_sequence > MAX_SEQUENCE {
            let text = format!(
                "MANIFEST entry out of range: next_file_number {next_file}, last_sequence \
                 {last_sequence}"
            );
            return Err(Status::corruption(text));
        }
        let logs = self.log_number.unwrap_or(0).max(self.prev_log_number);
        let families = self.families.into_iter().map(|(id, family)| family.finish(id));
        Ok(Recovered {
            families: families.collect::<Result<_>>()?,
            prev_log_number: self.prev_log_number,
            next_file_number: (next_file + 1).max(logs.saturating_add(1).min(MAX_FILE_NUMBER)),
            max_column_family: self.max_column_family,
            min_log_number_to_keep: self.min_log_number_to_keep,
            last_sequence,
            db_id: self.db_id,
            wals: self.wals,
            last_compacted_size: self.last_compacted_size,
        })
    }

    fn missing_entries(&self) -> Status {
        let entries = [
            (self.log_number.is_none(), "log_file_number"),
            (self.next_file_number.is_none(), "next_file_number"),
            (self.last_sequence.is_none(), "last_sequence"),
        ];
        let missing: Vec<&str> =
            entries.iter().filter(|(missing, _)| *missing).map(|(_, name)| *name).collect();
        Status::corruption(format!("no {} entry in MANIFEST", missing.join(", ")))
    }

    fn not_opened(&self) -> Status {
        // Newest first: the order in which RocksDB's hash table happens to give them.
        let names: Vec<_> =
            self.skipped.iter().rev().map(|(_, name)| String::from_utf8_lossy(name)).collect();
        Status::invalid_argument(format!("Column families not opened: {}", names.join(", ")))
    }
}

impl Rebuilt {
    fn finish(self, id: u32) -> Result<Arc<ColumnFamily>> {
        let version = self.builder.finish(self.config.force_consistency_checks)?;
        // Number 1 is kept for files ingested behind all others, where that is allowed.
        let mut next_epoch = if self.config.allow_ingest_behind { 2 } else { 1 };
        let version = infer_epochs(version, &mut next_epoch);
        let family = ColumnFamily::new(id, self.config, Arc::new(version));
        family.set_next_epoch(next_epoch);
        family.raise_log_number(self.log_number);
        family.set_full_history_ts_low(self.full_history_ts_low);
        Ok(Arc::new(family))
    }
}

/// Keeps only the names of the column families.
pub(super) struct FamilyLister {
    names: BTreeMap<u32, Vec<u8>>,
}

impl FamilyLister {
    /// Nothing but the default column family.
    pub fn new() -> FamilyLister {
        FamilyLister { names: BTreeMap::from([(0, DEFAULT_NAME.to_vec())]) }
    }

    /// Takes the next record.
    pub fn record(&mut self, record: &[u8]) -> Result<()> {
        let edit = VersionEdit::decode(record)?;
        if let Some(name) = edit.column_family_add {
            if self.names.insert(edit.column_family, name).is_some() {
                return Err(Status::corruption("Manifest adding the same column family twice"));
            }
        } else if edit.column_family_drop && self.names.remove(&edit.column_family).is_none() {
            return Err(Status::corruption("Manifest - dropping non-existing column family"));
        }
        Ok(())
    }

    /// The names by id.
    pub fn names(self) -> Vec<Vec<u8>> {
        self.names.into_values().collect()
    }
}
