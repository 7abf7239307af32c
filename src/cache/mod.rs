//! Row 4: the block cache, and what limits the memory of memtables.

mod allocated;
mod block;
mod entry_stats;
mod key;
mod lru;
mod object;
mod reservation;
mod shard;
#[cfg(test)]
mod tests;
mod write_buffer_manager;

pub use allocated::allocated_len;
pub use block::CachedBlock;
pub use entry_stats::{EntryRole, EntryStats};
pub use key::{CacheKey, FileCacheKeys};
pub use lru::{Cache, Priority};
pub use object::CachedObject;
pub use write_buffer_manager::WriteBufferManager;
