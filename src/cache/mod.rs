//! Row 4: the block cache.

mod block;
mod key;
mod lru;
mod object;
mod shard;
#[cfg(test)]
mod tests;

pub use block::CachedBlock;
pub use key::{CacheKey, FileCacheKeys};
pub use lru::{Cache, Priority};
pub use object::CachedObject;
