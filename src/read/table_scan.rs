//! [`TableScan`]: how an iterator reads tables, and which.

use crate::base::comparator::Order;
use crate::base::sync::Arc;
use crate::plug::table_predicate::SharedTablePredicate;
use crate::table::{ScanEnd, TableIter, TableReadOptions, TableReader};

/// How an iterator reads each of its tables.
#[derive(Clone)]
pub struct TableScan {
    /// How blocks are read.
    pub options: TableReadOptions,
    /// Where the iteration ends.
    pub end: ScanEnd,
    /// The tables whose records are shown. The range tombstones of all tables count.
    pub predicate: SharedTablePredicate,
}

impl TableScan {
    /// A cursor over `table`, standing nowhere; None if its records are not wanted.
    pub(super) fn open<O: Order>(
        &self,
        order: O,
        table: &Arc<TableReader>,
    ) -> Option<TableIter<O>> {
        if let Some(predicate) = &self.predicate
            && !predicate.accepts(table.properties())
        {
            return None;
        }
        Some(table.iter(order, self.options).up_to(self.end.clone()))
    }
}
