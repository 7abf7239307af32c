//! [`BlobFileMeta`]: what a version knows about a blob file. Blobs are not read yet; the records
//! are kept whole so that rewriting the MANIFEST loses nothing.

use super::edit::{BlobFileAddition, BlobFileGarbage};
use crate::base::status::{Result, Status};

/// A blob file, and how much of it is garbage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFileMeta {
    /// The file as it was added.
    pub added: BlobFileAddition,
    /// The blobs that no table refers to any more.
    pub garbage_count: u64,
    /// Their bytes.
    pub garbage_bytes: u64,
}

impl BlobFileMeta {
    pub(super) fn new(added: BlobFileAddition) -> BlobFileMeta {
        BlobFileMeta { added, garbage_count: 0, garbage_bytes: 0 }
    }

    pub(super) fn add_garbage(&mut self, garbage: &BlobFileGarbage) -> Result<()> {
        let count = self.garbage_count.checked_add(garbage.garbage_blob_count);
        let bytes = self.garbage_bytes.checked_add(garbage.garbage_blob_bytes);
        match (count, bytes) {
            (Some(count), Some(bytes))
                if count <= self.added.total_blob_count && bytes <= self.added.total_blob_bytes =>
            {
                (self.garbage_count, self.garbage_bytes) = (count, bytes);
                Ok(())
            }
            _ => Err(Status::corruption(format!(
                "VersionBuilder: Garbage overflow for blob file #{}",
                garbage.number
            ))),
        }
    }

    /// Bytes of the file: its header, the blobs, its footer.
    pub fn file_size(&self) -> u64 {
        const HEADER: u64 = 30;
        const FOOTER: u64 = 32;
        HEADER.saturating_add(self.added.total_blob_bytes).saturating_add(FOOTER)
    }

    pub(super) fn is_all_garbage(&self) -> bool {
        self.garbage_count >= self.added.total_blob_count
    }
}
