//! The tag numbers of version edits, from RocksDB 11.8's `db/version_edit.h`, `db/wal_edit.h` and
//! `db/blob/`.

/// Tags of the fields of an edit.
pub(super) mod tag {
    pub const COMPARATOR: u32 = 1;
    pub const LOG_NUMBER: u32 = 2;
    pub const NEXT_FILE_NUMBER: u32 = 3;
    pub const LAST_SEQUENCE: u32 = 4;
    pub const COMPACT_CURSOR: u32 = 5;
    pub const DELETED_FILE: u32 = 6;
    pub const NEW_FILE: u32 = 7;
    pub const PREV_LOG_NUMBER: u32 = 9;
    pub const MIN_LOG_NUMBER_TO_KEEP: u32 = 10;
    pub const NEW_FILE2: u32 = 100;
    pub const NEW_FILE3: u32 = 102;
    pub const NEW_FILE4: u32 = 103;
    pub const COLUMN_FAMILY: u32 = 200;
    pub const COLUMN_FAMILY_ADD: u32 = 201;
    pub const COLUMN_FAMILY_DROP: u32 = 202;
    pub const MAX_COLUMN_FAMILY: u32 = 203;
    pub const IN_ATOMIC_GROUP: u32 = 300;
    pub const BLOB_FILE_ADDITION: u32 = 400;
    pub const BLOB_FILE_GARBAGE: u32 = 401;
    /// Tags with this bit are followed by a length and can be skipped.
    pub const SAFE_IGNORE: u32 = 1 << 13;
    pub const DB_ID: u32 = SAFE_IGNORE + 1;
    pub const BLOB_FILE_ADDITION_OLD: u32 = SAFE_IGNORE + 2;
    pub const BLOB_FILE_GARBAGE_OLD: u32 = SAFE_IGNORE + 3;
    pub const WAL_ADDITION: u32 = SAFE_IGNORE + 4;
    pub const WAL_DELETION: u32 = SAFE_IGNORE + 5;
    pub const FULL_HISTORY_TS_LOW: u32 = SAFE_IGNORE + 6;
    pub const WAL_ADDITION2: u32 = SAFE_IGNORE + 7;
    pub const WAL_DELETION2: u32 = SAFE_IGNORE + 8;
    pub const PERSIST_TIMESTAMPS: u32 = SAFE_IGNORE + 9;
    pub const SUBCOMPACTION_PROGRESS: u32 = SAFE_IGNORE + 10;
    pub const LAST_COMPACTED_SIZE: u32 = SAFE_IGNORE + 11;
}

/// Fields behind a `NEW_FILE4`, each with a length.
pub(super) mod file_tag {
    pub const TERMINATE: u32 = 1;
    pub const NEED_COMPACTION: u32 = 2;
    pub const MIN_LOG_NUMBER_TO_KEEP: u32 = 3;
    pub const OLDEST_BLOB_FILE: u32 = 4;
    pub const OLDEST_ANCESTER_TIME: u32 = 5;
    pub const FILE_CREATION_TIME: u32 = 6;
    pub const FILE_CHECKSUM: u32 = 7;
    pub const FILE_CHECKSUM_FUNC: u32 = 8;
    pub const TEMPERATURE: u32 = 9;
    pub const MIN_TIMESTAMP: u32 = 10;
    pub const MAX_TIMESTAMP: u32 = 11;
    pub const UNIQUE_ID: u32 = 12;
    pub const EPOCH_NUMBER: u32 = 13;
    pub const COMPENSATED_RANGE_DELETION: u32 = 14;
    pub const TAIL_SIZE: u32 = 15;
    pub const TIMESTAMPS_PERSISTED: u32 = 16;
    pub const FILE_OPEN_METADATA: u32 = 17;
    /// Unknown fields with this bit must not be skipped.
    pub const MUST_UNDERSTAND: u32 = 1 << 6;
    pub const PATH_ID: u32 = MUST_UNDERSTAND + 1;
}

/// Fields behind a `WAL_ADDITION`.
pub(super) mod wal_tag {
    pub const TERMINATE: u32 = 1;
    pub const SYNCED_SIZE: u32 = 2;
}

/// Ends the custom fields of a blob file record; unknown fields with the second bit are errors.
pub(super) const BLOB_END: u32 = 0;
pub(super) const BLOB_MUST_UNDERSTAND: u32 = 1 << 6;

/// RocksDB's `Temperature::kIce`, the largest one it knows; others read as unknown.
pub(super) const MAX_TEMPERATURE: u8 = 0x10;
