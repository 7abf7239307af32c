//! [`Snapshot`]: the whole persistent state, as the first records of a new MANIFEST.

use super::column_family::ColumnFamily;
use super::edit::{BlobFileGarbage, VersionEdit, WalAddition};
use super::version::Version;
use crate::base::key::SequenceNumber;
use crate::base::status::Result;
use crate::base::sync::Arc;

/// A copy of the state, taken under the database mutex and written without it.
pub(super) struct Snapshot {
    pub db_id: Option<String>,
    pub wals: Vec<WalAddition>,
    pub min_log_number_to_keep: u64,
    pub last_sequence: SequenceNumber,
    pub families: Vec<FamilyState>,
}

/// The part of a column family that can change while the snapshot is written.
pub(super) struct FamilyState {
    pub family: Arc<ColumnFamily>,
    pub version: Arc<Version>,
    pub log_number: u64,
    pub full_history_ts_low: Vec<u8>,
}

impl FamilyState {
    pub fn of(family: &Arc<ColumnFamily>) -> FamilyState {
        FamilyState {
            version: family.current(),
            log_number: family.log_number(),
            full_history_ts_low: family.full_history_ts_low(),
            family: family.clone(),
        }
    }
}

impl Snapshot {
    /// Hands each record to `write`, in the order and division that RocksDB 11.8 uses.
    pub fn write_to(&self, mut write: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut record = Vec::new();
        let mut put = |edit: &VersionEdit, timestamp_size: usize| {
            record.clear();
            edit.encode_to(timestamp_size, &mut record)?;
            write(&record)
        };
        if let Some(id) = &self.db_id {
            put(&VersionEdit { db_id: Some(id.clone().into_bytes()), ..Default::default() }, 0)?;
        }
        if !self.wals.is_empty() {
            put(&VersionEdit { wal_additions: self.wals.clone(), ..Default::default() }, 0)?;
        }
        // Without this an addition logged late would bring a deleted WAL back to life.
        let deletion = Some(self.min_log_number_to_keep);
        put(&VersionEdit { wal_deletion: deletion, ..Default::default() }, 0)?;
        for state in &self.families {
            put(&identity_edit(&state.family), 0)?;
            put(&self.state_edit(state), state.family.comparator().timestamp_size())?;
        }
        Ok(())
    }

    fn state_edit(&self, state: &FamilyState) -> VersionEdit {
        let mut edit = VersionEdit::new(state.family.id());
        let version = &state.version;
        edit.new_files =
            version.all_files().map(|(level, file)| (level as u32, file.clone())).collect();
        let cursors = version.compact_cursors.iter().enumerate().filter(|(_, key)| !key.is_unset());
        edit.compact_cursors = cursors.map(|(level, key)| (level as u32, key.clone())).collect();
        for blob in version.blob_files().values() {
            edit.blob_file_additions.push(blob.added.clone());
            if blob.garbage_count > 0 {
                edit.blob_file_garbages.push(BlobFileGarbage {
                    number: blob.added.number,
                    garbage_blob_count: blob.garbage_count,
                    garbage_blob_bytes: blob.garbage_bytes,
                });
            }
        }
        edit.log_number = Some(state.log_number);
        if state.family.id() == 0 && self.min_log_number_to_keep != 0 {
            // It concerns the whole database; the default column family is never dropped.
            edit.min_log_number_to_keep = Some(self.min_log_number_to_keep);
        }
        if !state.full_history_ts_low.is_empty() {
            edit.full_history_ts_low = Some(state.full_history_ts_low.clone());
        }
        edit.last_sequence = Some(self.last_sequence);
        edit
    }
}

/// The record that says who a column family is. The default one needs no adding.
fn identity_edit(family: &ColumnFamily) -> VersionEdit {
    VersionEdit {
        column_family_add: (family.id() != 0).then(|| family.name().to_vec()),
        comparator: Some(family.comparator().name().as_bytes().to_vec()),
        persist_user_defined_timestamps: Some(family.config().persist_user_defined_timestamps),
        ..VersionEdit::new(family.id())
    }
}
