//! [`SuperVersion`]: one consistent view of a column family's data.

use crate::base::sync::Arc;
use crate::memtable::MemTable;
use crate::version::version::Version;

/// The memtables and tables that together hold a column family's data at one moment.
///
/// Whoever holds it keeps all of them alive. A record written before the view was taken is in it,
/// so a reader takes the view first and its sequence number second.
pub struct SuperVersion {
    /// The memtable that takes new records.
    pub mem: Arc<MemTable>,
    /// Full memtables on their way to tables, newest first.
    pub imm: Vec<Arc<MemTable>>,
    /// The tables.
    pub version: Arc<Version>,
}
