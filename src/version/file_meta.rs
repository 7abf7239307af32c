//! [`FileMeta`]: what the MANIFEST says about one table file, and its state in this process.

use crate::base::comparator::Comparator;
use crate::base::key::{InternalKey, MAX_SEQUENCE, SequenceNumber, ValueType, compare_internal};
use crate::base::sync::{Arc, AtomicBool, AtomicU8, AtomicU64, OnceLock, Ordering};
use crate::plug::table_properties::TableProperties;
use crate::rangedel::FileBounds;
use crate::table::reader::TableReader;
use std::fmt;

/// The largest file number; its two high bits hold the path id where both are packed together.
pub const MAX_FILE_NUMBER: u64 = (1 << 62) - 1;

/// The epoch number of a file whose writer recorded none (before RocksDB 7.10).
pub const UNKNOWN_EPOCH: u64 = 0;

/// The epoch number kept for files that were ingested behind all others.
pub const INGESTED_BEHIND_EPOCH: u64 = 1;

/// The checksum function name of a file that has no checksum of its own.
pub const UNKNOWN_CHECKSUM_FUNC: &[u8] = b"Unknown";

/// One table file. Shared by every version that contains it; what is `pub` never changes after
/// the file became part of a version.
#[derive(Debug)]
pub struct FileMeta {
    /// The number in the file's name.
    pub number: u64,
    /// The index into the paths of the column family, 0 to 3.
    pub path_id: u32,
    /// Bytes.
    pub file_size: u64,
    /// The first internal key. Like `largest` it can lie outside the keys that are stored: range
    /// tombstones and truncated boundaries count too.
    pub smallest: InternalKey,
    /// The last internal key.
    pub largest: InternalKey,
    /// The lowest sequence number in the file; [`MAX_SEQUENCE`] in files that LevelDB recorded.
    pub smallest_seqno: SequenceNumber,
    /// The highest sequence number in the file; 0 in files that LevelDB recorded.
    pub largest_seqno: SequenceNumber,
    /// Whether the writer asked for this file to be compacted.
    pub marked_for_compaction: bool,
    /// RocksDB's `Temperature` number; 0 is unknown.
    pub temperature: u8,
    /// The oldest blob file that values refer to; 0 is none.
    pub oldest_blob_file_number: u64,
    /// Unix seconds of the oldest key, through compactions; 0 is unknown.
    pub oldest_ancester_time: u64,
    /// Unix seconds when the file was made; 0 is unknown.
    pub file_creation_time: u64,
    /// The order of flushes and ingestions: of two overlapping L0 files the one with the larger
    /// number is newer. [`UNKNOWN_EPOCH`] until recovery has inferred it.
    pub epoch_number: u64,
    /// The checksum of the whole file, empty if there is none.
    pub file_checksum: Vec<u8>,
    /// The name of the function that made `file_checksum`, else [`UNKNOWN_CHECKSUM_FUNC`].
    pub file_checksum_func_name: Vec<u8>,
    /// The table's internal unique id; both 0 where it is not known.
    pub unique_id: [u64; 2],
    /// An estimate of the bytes in lower levels that the file's range tombstones cover.
    pub compensated_range_deletion_size: u64,
    /// Bytes from the end of the data blocks to the end of the file; 0 is unknown.
    pub tail_size: u64,
    /// Whether user keys in the file carry their timestamps.
    pub user_defined_timestamps_persisted: bool,
    /// The lowest user timestamp, empty if there is none.
    pub min_timestamp: Vec<u8>,
    /// The highest user timestamp, empty if there is none.
    pub max_timestamp: Vec<u8>,
    /// What the file system that wrote the file wants to be told at open; opaque.
    pub file_open_metadata: Vec<u8>,
    /// State in this process; nothing of it is stored.
    pub state: FileState,
}

/// What this process knows about a file beyond its record.
#[derive(Default)]
pub struct FileState {
    being_compacted: AtomicBool,
    /// The level that it was last seen on.
    level: AtomicU8,
    reader: OnceLock<Arc<TableReader>>,
    counts: OnceLock<EntryCounts>,
    times: OnceLock<KeyTimes>,
    cleaned_at: AtomicU64,
    suggested: AtomicBool,
    /// Shared by all objects that stand for one file.
    alive: Arc<()>,
}

/// How many entries a table has, and of which kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntryCounts {
    /// All entries, deletions included.
    pub entries: u64,
    /// Deletions of single keys.
    pub deletions: u64,
    /// Range tombstones.
    pub range_deletions: u64,
    /// Bytes of all keys, uncompressed.
    pub raw_key_bytes: u64,
    /// Bytes of all values, uncompressed.
    pub raw_value_bytes: u64,
}

/// What a table's properties say about when its keys were written, in seconds since 1970; 0 is
/// unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyTimes {
    /// Of the oldest key, through compactions.
    pub oldest: u64,
    /// Of the newest key, which writers tell since RocksDB 9.9.
    pub newest: u64,
}

impl EntryCounts {
    fn new(properties: &TableProperties) -> EntryCounts {
        EntryCounts {
            entries: properties.num_entries,
            deletions: properties.num_deletions.saturating_sub(properties.num_range_deletions),
            range_deletions: properties.num_range_deletions,
            raw_key_bytes: properties.raw_key_size,
            raw_value_bytes: properties.raw_value_size,
        }
    }
}

impl fmt::Debug for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.reader.get().is_some();
        write!(f, "FileState {{ compacting: {:?}, open: {open} }}", self.being_compacted)
    }
}

impl Default for FileMeta {
    fn default() -> FileMeta {
        FileMeta {
            number: 0,
            path_id: 0,
            file_size: 0,
            smallest: InternalKey::default(),
            largest: InternalKey::default(),
            smallest_seqno: MAX_SEQUENCE,
            largest_seqno: 0,
            marked_for_compaction: false,
            temperature: 0,
            oldest_blob_file_number: 0,
            oldest_ancester_time: 0,
            file_creation_time: 0,
            epoch_number: UNKNOWN_EPOCH,
            file_checksum: Vec::new(),
            file_checksum_func_name: UNKNOWN_CHECKSUM_FUNC.to_vec(),
            unique_id: [0; 2],
            compensated_range_deletion_size: 0,
            tail_size: 0,
            user_defined_timestamps_persisted: true,
            min_timestamp: Vec::new(),
            max_timestamp: Vec::new(),
            file_open_metadata: Vec::new(),
            state: FileState::default(),
        }
    }
}

impl Clone for FileMeta {
    /// The same file as a new object, e.g. for another level: not being compacted, and with the
    /// same open table.
    fn clone(&self) -> FileMeta {
        FileMeta {
            smallest: self.smallest.clone(),
            largest: self.largest.clone(),
            file_checksum: self.file_checksum.clone(),
            file_checksum_func_name: self.file_checksum_func_name.clone(),
            min_timestamp: self.min_timestamp.clone(),
            max_timestamp: self.max_timestamp.clone(),
            file_open_metadata: self.file_open_metadata.clone(),
            state: FileState {
                being_compacted: AtomicBool::new(false),
                level: AtomicU8::new(self.state.level.load(Ordering::Relaxed)),
                reader: self.state.reader.clone(),
                counts: self.state.counts.clone(),
                times: self.state.times.clone(),
                cleaned_at: AtomicU64::new(self.cleaned_at()),
                suggested: AtomicBool::new(self.is_suggested()),
                alive: self.state.alive.clone(),
            },
            ..*self
        }
    }
}

impl FileMeta {
    /// Widens the boundaries and sequence range by the range tombstone `[start, end)`, which the
    /// caller has cut to the keys that the file may hold. Tombstones come after all records.
    ///
    /// The end is recorded as its key with the highest sequence number, which sorts before every
    /// record of that key: the next file of the level may begin with it.
    pub fn extend_by_tombstone(
        &mut self,
        comparator: &Comparator,
        start: &[u8],
        end: &[u8],
        sequence: SequenceNumber,
    ) {
        let before = |a: &InternalKey, b: &InternalKey| {
            compare_internal(comparator, a.as_bytes(), b.as_bytes()).is_lt()
        };
        let first = InternalKey::new(start, sequence, ValueType::RangeDeletion);
        let last = InternalKey::new(end, MAX_SEQUENCE, ValueType::RangeDeletion);
        if self.smallest.is_unset() || before(&first, &self.smallest) {
            self.smallest = first;
        }
        if self.largest.is_unset() || before(&self.largest, &last) {
            self.largest = last;
        }
        self.smallest_seqno = self.smallest_seqno.min(sequence);
        self.largest_seqno = self.largest_seqno.max(sequence);
    }

    /// The user keys that it stands for.
    #[inline]
    pub fn bounds(&self) -> FileBounds<'_> {
        FileBounds::new(self.smallest.as_bytes(), self.largest.as_bytes())
    }

    /// Whether another object stands for the same file: the file stood on another level before,
    /// and some version has it there.
    pub fn has_other_objects(&self) -> bool {
        Arc::strong_count(&self.state.alive) > 1
    }

    /// The open table, if it is pinned here.
    #[inline]
    pub fn reader(&self) -> Option<&Arc<TableReader>> {
        self.state.reader.get()
    }

    /// Keeps the open table of this file for as long as the file is part of any version. The
    /// first one stays.
    pub fn pin_reader(&self, reader: Arc<TableReader>) -> &Arc<TableReader> {
        self.note_properties(reader.properties());
        self.state.reader.get_or_init(|| reader)
    }

    /// How many entries the table has, if it was opened or written by this process.
    pub fn counts(&self) -> Option<&EntryCounts> {
        self.state.counts.get()
    }

    /// Remembers how many entries the table has, and how old they are.
    pub fn note_properties(&self, properties: &TableProperties) {
        self.state.counts.get_or_init(|| EntryCounts::new(properties));
        self.state.times.get_or_init(|| KeyTimes {
            oldest: properties.creation_time,
            newest: properties.newest_key_time,
        });
    }

    /// How old the table's keys are, if it was opened or written by this process.
    pub fn key_times(&self) -> Option<&KeyTimes> {
        self.state.times.get()
    }

    /// When the oldest key was written, by the MANIFEST or else the table, in seconds since 1970;
    /// 0 is unknown.
    pub fn oldest_key_time(&self) -> u64 {
        match self.oldest_ancester_time {
            0 => self.key_times().map_or(0, |times| times.oldest),
            time => time,
        }
    }

    /// Whether the table holds range tombstones, if that is known.
    pub fn has_tombstones(&self) -> Option<bool> {
        self.counts().map(|counts| counts.range_deletions > 0)
    }

    /// The oldest snapshot when a compaction rewrote the file for no other reason than to clean
    /// it; 0 if none did.
    pub fn cleaned_at(&self) -> SequenceNumber {
        self.state.cleaned_at.load(Ordering::Relaxed)
    }

    /// Remembers that the file was cleaned as far as a snapshot of this number allows.
    pub fn set_cleaned_at(&self, oldest_snapshot: SequenceNumber) {
        self.state.cleaned_at.store(oldest_snapshot, Ordering::Relaxed);
    }

    /// Notes that this file is, or is about to be, on `level`.
    pub fn set_level(&self, level: usize) {
        self.state.level.store(u8::try_from(level).unwrap_or(u8::MAX), Ordering::Relaxed);
    }

    /// The level on which the newest version that has this file has it.
    pub fn level(&self) -> usize {
        self.state.level.load(Ordering::Relaxed).into()
    }

    /// Whether the newest version that has this file has it on level 0.
    pub fn is_on_level_0(&self) -> bool {
        self.state.level.load(Ordering::Relaxed) == 0
    }

    /// Whether the file is to be compacted to the last level, since its writer or a user wants
    /// that.
    pub fn is_suggested(&self) -> bool {
        self.marked_for_compaction || self.state.suggested.load(Ordering::Relaxed)
    }

    /// Has the file compacted to the last level in the background.
    pub fn suggest_compaction(&self) {
        self.state.suggested.store(true, Ordering::Relaxed);
    }

    /// Whether a compaction has this file as input.
    pub fn is_being_compacted(&self) -> bool {
        self.state.being_compacted.load(Ordering::Relaxed)
    }

    /// Claims the file for a compaction, or gives it back. The caller holds the database mutex.
    pub fn set_being_compacted(&self, value: bool) {
        self.state.being_compacted.store(value, Ordering::Relaxed);
    }

    /// Whether everything that the MANIFEST can say about the two files is the same.
    pub fn same_record(&self, other: &FileMeta) -> bool {
        self.number == other.number
            && self.path_id == other.path_id
            && self.file_size == other.file_size
            && self.smallest == other.smallest
            && self.largest == other.largest
            && self.smallest_seqno == other.smallest_seqno
            && self.largest_seqno == other.largest_seqno
            && self.marked_for_compaction == other.marked_for_compaction
            && self.temperature == other.temperature
            && self.oldest_blob_file_number == other.oldest_blob_file_number
            && self.oldest_ancester_time == other.oldest_ancester_time
            && self.file_creation_time == other.file_creation_time
            && self.epoch_number == other.epoch_number
            && self.file_checksum == other.file_checksum
            && self.file_checksum_func_name == other.file_checksum_func_name
            && self.unique_id == other.unique_id
            && self.compensated_range_deletion_size == other.compensated_range_deletion_size
            && self.tail_size == other.tail_size
            && self.user_defined_timestamps_persisted == other.user_defined_timestamps_persisted
            && self.min_timestamp == other.min_timestamp
            && self.max_timestamp == other.max_timestamp
            && self.file_open_metadata == other.file_open_metadata
    }
}
