//! [`OpenTables`]: a limit on how many tables of a database are open.

use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::cache::{Cache, CacheKey, CachedBlock, CachedObject, FileCacheKeys, Priority};
use crate::table::reader::TableReader;

/// The tables that are open, of which the least recently used are closed when there are too many.
/// A table that is read just then closes when that read ends.
///
/// A clone shares the tables.
#[derive(Clone)]
pub struct OpenTables {
    /// Each table counts as 1.
    cache: Arc<Cache>,
}

impl OpenTables {
    /// At most `limit` tables, in `2^num_shard_bits` parts.
    pub fn new(limit: usize, num_shard_bits: i32) -> OpenTables {
        OpenTables { cache: Cache::lru(limit, num_shard_bits, false, 0.0) }
    }

    /// How many tables are kept open.
    pub fn count(&self) -> usize {
        self.cache.occupancy_count()
    }

    pub(super) fn get(&self, number: u64) -> Option<Arc<TableReader>> {
        let block = self.cache.lookup(&key(number)?)?;
        CachedObject::<Arc<TableReader>>::of(block).map(|reader| Arc::clone(&reader))
    }

    pub(super) fn keep(&self, number: u64, reader: &Arc<TableReader>) -> Result<()> {
        if let Some(key) = key(number) {
            let table = CachedBlock::from_object(Box::new(reader.clone()), 1);
            self.cache.insert(key, table, Priority::Low)?;
        }
        Ok(())
    }

    /// Closes table `number`, whose file is to be removed.
    pub fn forget(&self, number: u64) {
        if let Some(key) = key(number) {
            self.cache.erase(&key);
        }
    }
}

/// The cache is the database's own, so that file numbers are enough.
fn key(number: u64) -> Option<CacheKey> {
    FileCacheKeys::new(0, number)?.block(0)
}
