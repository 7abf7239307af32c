//! [`ContentFlags`]: what kinds of records a batch holds.

use super::record::{PrepareKind, Record};

bitflags::bitflags! {
    /// The kinds of records in a batch. Log data and no-ops have no flag.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ContentFlags: u32 {
        /// A put.
        const PUT = 1 << 1;
        /// A delete.
        const DELETE = 1 << 2;
        /// A single delete.
        const SINGLE_DELETE = 1 << 3;
        /// A merge operand.
        const MERGE = 1 << 4;
        /// The start of a prepared section, of any kind.
        const BEGIN_PREPARE = 1 << 5;
        /// The end of a prepared section.
        const END_PREPARE = 1 << 6;
        /// The commit of a prepared section.
        const COMMIT = 1 << 7;
        /// The roll-back of a prepared section.
        const ROLLBACK = 1 << 8;
        /// A range delete.
        const DELETE_RANGE = 1 << 9;
        /// A blob reference.
        const BLOB_INDEX = 1 << 10;
        /// The start of an unprepared section; comes with [`ContentFlags::BEGIN_PREPARE`].
        const BEGIN_UNPREPARE = 1 << 11;
        /// A wide-column entity.
        const PUT_ENTITY = 1 << 12;
        /// A put that carries its write time.
        const TIMED_PUT = 1 << 13;
        /// A counted record of a column family other than the default one.
        const OTHER_FAMILY = 1 << 14;
    }
}

impl ContentFlags {
    /// The flags of one record.
    pub fn of(record: &Record<'_>) -> ContentFlags {
        let family = match record.column_family() {
            None | Some(0) => ContentFlags::empty(),
            Some(_) => ContentFlags::OTHER_FAMILY,
        };
        let kind = match record {
            Record::Put { .. } => ContentFlags::PUT,
            Record::Delete { .. } => ContentFlags::DELETE,
            Record::SingleDelete { .. } => ContentFlags::SINGLE_DELETE,
            Record::DeleteRange { .. } => ContentFlags::DELETE_RANGE,
            Record::Merge { .. } => ContentFlags::MERGE,
            Record::BlobIndex { .. } => ContentFlags::BLOB_INDEX,
            Record::PutEntity { .. } => ContentFlags::PUT_ENTITY,
            Record::TimedPut { .. } => ContentFlags::TIMED_PUT,
            Record::LogData(_) | Record::Noop => ContentFlags::empty(),
            Record::BeginPrepare(PrepareKind::Unprepared) => {
                ContentFlags::BEGIN_PREPARE | ContentFlags::BEGIN_UNPREPARE
            }
            Record::BeginPrepare(_) => ContentFlags::BEGIN_PREPARE,
            Record::EndPrepare { .. } => ContentFlags::END_PREPARE,
            Record::Commit { .. } => ContentFlags::COMMIT,
            Record::Rollback { .. } => ContentFlags::ROLLBACK,
        };
        kind | family
    }

    /// Whether the batch takes part in two-phase commit.
    pub fn has_markers(self) -> bool {
        self.intersects(
            ContentFlags::BEGIN_PREPARE
                | ContentFlags::END_PREPARE
                | ContentFlags::COMMIT
                | ContentFlags::ROLLBACK,
        )
    }
}
