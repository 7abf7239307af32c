//! [`VersionEdit`]: one record of the MANIFEST, a change to the state of the database.

use super::file_meta::FileMeta;
use super::{edit_decode, edit_encode};
use crate::base::key::{InternalKey, SequenceNumber};
use crate::base::status::Result;
use crate::base::sync::Arc;
use std::collections::BTreeSet;

/// A new blob file. Blob files are not read yet; what the MANIFEST says of them is kept whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobFileAddition {
    /// The number in the file's name.
    pub number: u64,
    /// The blobs in the file.
    pub total_blob_count: u64,
    /// The bytes of all blobs in the file.
    pub total_blob_bytes: u64,
    /// The name of the checksum function, or empty.
    pub checksum_method: Vec<u8>,
    /// The checksum, or empty.
    pub checksum_value: Vec<u8>,
}

/// Blobs of an existing blob file that no table refers to any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobFileGarbage {
    /// The blob file's number.
    pub number: u64,
    /// The blobs that became garbage with this edit.
    pub garbage_blob_count: u64,
    /// Their bytes.
    pub garbage_blob_bytes: u64,
}

/// A WAL that exists, or that is known to be synced up to some size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalAddition {
    /// The number in the file's name.
    pub number: u64,
    /// The bytes that were synced when the WAL was closed or synced.
    pub synced_size: Option<u64>,
}

/// A change to the state of one column family, or of the database as a whole.
#[derive(Clone, Debug, Default)]
pub struct VersionEdit {
    /// The database's identity (normally also in the IDENTITY file).
    pub db_id: Option<Vec<u8>>,
    /// The name of the column family's comparator.
    pub comparator: Option<Vec<u8>>,
    /// Whether timestamps are stored in tables; goes with `comparator`.
    pub persist_user_defined_timestamps: Option<bool>,
    /// WALs with smaller numbers hold nothing that the column family still needs.
    pub log_number: Option<u64>,
    /// LevelDB's second live WAL; 0 since.
    pub prev_log_number: Option<u64>,
    /// File numbers from here on are unused.
    pub next_file_number: Option<u64>,
    /// The highest column family id ever used.
    pub max_column_family: Option<u32>,
    /// WALs with smaller numbers are obsolete for every column family (two-phase commit).
    pub min_log_number_to_keep: Option<u64>,
    /// The highest sequence number that tables hold.
    pub last_sequence: Option<SequenceNumber>,
    /// Where the next compaction of a level starts.
    pub compact_cursors: Vec<(u32, InternalKey)>,
    /// (level, file number) of files that leave the version.
    pub deleted_files: BTreeSet<(u32, u64)>,
    /// (level, file) of files that join the version.
    pub new_files: Vec<(u32, Arc<FileMeta>)>,
    /// Blob files that join the version.
    pub blob_file_additions: Vec<BlobFileAddition>,
    /// Blobs that become garbage.
    pub blob_file_garbages: Vec<BlobFileGarbage>,
    /// WALs to track.
    pub wal_additions: Vec<WalAddition>,
    /// WALs with smaller numbers are no longer tracked.
    pub wal_deletion: Option<u64>,
    /// The column family that the edit is about.
    pub column_family: u32,
    /// The edit creates the column family, under this name.
    pub column_family_add: Option<Vec<u8>>,
    /// The edit drops the column family.
    pub column_family_drop: bool,
    /// The edit takes effect together with its neighbours only: how many of the group follow.
    pub atomic_group: Option<u32>,
    /// Timestamps below this one can no longer be read.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// The progress of an interrupted compaction, encoded. RocksDB writes it to files of its own
    /// beside the MANIFEST; kept as it came.
    pub subcompaction_progress: Option<Vec<u8>>,
    /// The bytes of the MANIFEST when it was last written anew.
    pub last_compacted_manifest_file_size: Option<u64>,
}

impl VersionEdit {
    /// An empty edit of column family `id`.
    pub fn new(id: u32) -> VersionEdit {
        VersionEdit { column_family: id, ..VersionEdit::default() }
    }

    /// Adds `file` to `level`, and raises the edit's last sequence number to the file's.
    pub fn add_file(&mut self, level: u32, file: Arc<FileMeta>) {
        self.last_sequence = self.last_sequence.max(Some(file.largest_seqno));
        self.new_files.push((level, file));
    }

    /// Removes the file with `number` from `level`.
    pub fn delete_file(&mut self, level: u32, number: u64) {
        self.deleted_files.insert((level, number));
    }

    /// Whether the edit creates or drops a column family.
    pub fn is_column_family_manipulation(&self) -> bool {
        self.column_family_add.is_some() || self.column_family_drop
    }

    /// Appends the edit's MANIFEST record to `out`, as RocksDB 11.8 writes it. `timestamp_size`
    /// is that of the column family's comparator: it is cut out of the boundaries of files that
    /// hold no timestamps. Fails on a file without boundaries or epoch number.
    pub fn encode_to(&self, timestamp_size: usize, out: &mut Vec<u8>) -> Result<()> {
        edit_encode::encode(self, timestamp_size, out)
    }

    /// Decodes a MANIFEST record; the error texts are RocksDB's. Tags from the future that their
    /// number marks as ignorable are skipped.
    pub fn decode(record: &[u8]) -> Result<VersionEdit> {
        edit_decode::decode(record)
    }
}
