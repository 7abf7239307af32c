//! [`TablePredicate`]: which tables an iterator reads (RocksDB's `ReadOptions::table_filter`).

use super::table_properties::TableProperties;
use crate::base::sync::Arc;

/// Decides by a table's properties whether an iterator shows its records. Any thread that moves an
/// iterator may ask, once each time that it comes to a table.
pub trait TablePredicate: Send + Sync {
    /// Whether the records of the table with these properties are wanted.
    fn accepts(&self, properties: &Arc<TableProperties>) -> bool;
}

/// A shared predicate; without one every table is read.
pub type SharedTablePredicate = Option<Arc<dyn TablePredicate>>;
