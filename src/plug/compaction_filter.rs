//! [`CompactionFilter`]: drops or changes values while tables are compacted.

use crate::base::sync::Arc;

/// What happens to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterDecision {
    /// It stays.
    Keep,
    /// It goes; a deletion takes its place where older values may lie below.
    Remove,
    /// The new value takes its place.
    Change,
}

/// Decides about values during compaction (RocksDB's `CompactionFilter`). One that is set directly
/// in options is called by several threads at once.
pub trait CompactionFilter: Send + Sync {
    /// The name, which OPTIONS files record.
    fn name(&self) -> &str;

    /// Whether it may be shown values that a snapshot still needs. RocksDB 6 and later refuse a
    /// filter that says no.
    fn ignore_snapshots(&self) -> bool;

    /// Decides about the plain value of `key`, which comes from `level`. For
    /// [`FilterDecision::Change`] the value is in `new_value`, which is empty before.
    fn filter(
        &self,
        level: i32,
        key: &[u8],
        value: &[u8],
        new_value: &mut Vec<u8>,
    ) -> FilterDecision;
}

/// What a compaction tells of itself (RocksDB's `CompactionFilter::Context`).
#[derive(Clone, Copy, Debug)]
pub struct CompactionFilterContext {
    /// It takes all data of the column family.
    pub is_full_compaction: bool,
    /// A user asked for it.
    pub is_manual_compaction: bool,
    /// The column family's id.
    pub column_family_id: u32,
}

/// Makes a filter for each compaction, used by that alone.
pub trait CompactionFilterFactory: Send + Sync {
    /// The name, which OPTIONS files record.
    fn name(&self) -> &str;

    /// The filter for a compaction; none leaves all values alone.
    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>>;
}

/// A compaction filter as options hold it.
pub type SharedCompactionFilter = Option<Arc<dyn CompactionFilter>>;

/// A compaction filter factory as options hold it.
pub type SharedCompactionFilterFactory = Option<Arc<dyn CompactionFilterFactory>>;
