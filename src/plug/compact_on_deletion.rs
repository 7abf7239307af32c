//! [`CompactOnDeletion`]: which tables are compacted because they hold many deletions.

/// A rule by which a table is compacted soon after it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactOnDeletion {
    /// How many records in a row are looked at, about (to 1/128 of that); 0 looks at none.
    pub window: usize,
    /// So many deletions among them suffice.
    pub trigger: usize,
    /// So do deletions that make up this part of all records; above 0 and up to 1, else it does not
    /// count.
    pub ratio: f64,
    /// Tables with fewer bytes are left alone.
    pub min_file_size: u64,
}

impl CompactOnDeletion {
    /// The name by which table properties list it.
    pub const NAME: &str = "CompactOnDeletionCollector";
}
