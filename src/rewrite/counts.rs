//! [`StreamCounts`]: what went through a record stream, and what it left out and why.

/// Counts of records; the names of those left out follow RocksDB's statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamCounts {
    /// Records taken from the input, range tombstones not among them.
    pub input_records: u64,
    /// Of these, records that say a key is gone.
    pub input_deletions: u64,
    /// The bytes of their internal keys.
    pub input_key_bytes: u64,
    /// The bytes of their values.
    pub input_value_bytes: u64,
    /// Records handed out.
    pub output_records: u64,
    /// Values that the compaction filter removed.
    pub dropped_by_filter: u64,
    /// Records behind a newer one that every reader sees instead.
    pub dropped_hidden: u64,
    /// Deletions with nothing left to delete.
    pub dropped_obsolete: u64,
    /// Records under a range tombstone; they count as hidden, too.
    pub dropped_by_range_tombstone: u64,
    /// Range tombstones with nothing left to delete.
    pub obsolete_range_tombstones: u64,
    /// Deletions dropped above the bottommost level.
    pub obsolete_deletions_optimized: u64,
    /// Single deletions that met no value at the last place where there could be one.
    pub single_deletions_unmatched: u64,
    /// Single deletions that met something else than a value.
    pub single_deletions_mismatched: u64,
    /// Operands that went into a merge result.
    pub merged_operands: u64,
}

impl StreamCounts {
    /// Adds the counts of another stream.
    pub fn add(&mut self, other: &StreamCounts) {
        self.input_records += other.input_records;
        self.input_deletions += other.input_deletions;
        self.input_key_bytes += other.input_key_bytes;
        self.input_value_bytes += other.input_value_bytes;
        self.output_records += other.output_records;
        self.dropped_by_filter += other.dropped_by_filter;
        self.dropped_hidden += other.dropped_hidden;
        self.dropped_obsolete += other.dropped_obsolete;
        self.dropped_by_range_tombstone += other.dropped_by_range_tombstone;
        self.obsolete_range_tombstones += other.obsolete_range_tombstones;
        self.obsolete_deletions_optimized += other.obsolete_deletions_optimized;
        self.single_deletions_unmatched += other.single_deletions_unmatched;
        self.single_deletions_mismatched += other.single_deletions_mismatched;
        self.merged_operands += other.merged_operands;
    }
}
