//! Filters: what a table's keys hash to, so that most look-ups of absent keys stop before the index.

mod bloom;
mod builder;
mod legacy;
mod reader;
mod ribbon;
mod simd;
#[cfg(test)]
mod tests;

pub use builder::{FilterBuilder, FilterContext};
pub use reader::FilterReader;

use crate::base::xxph3::xxph3_64;

/// The bytes behind the bits of every built-in full filter: kind, and what the kind needs.
const METADATA_LEN: usize = 5;

/// The hash of a user key without timestamp. Made once a look-up and passed to every table's
/// filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHash(pub u64);

impl KeyHash {
    /// The hash of `key`, a user key without timestamp.
    #[inline]
    pub fn of(key: &[u8]) -> KeyHash {
        KeyHash(xxph3_64(key))
    }
}
