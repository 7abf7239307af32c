//! Row 9: reading through a pinned view.
//!
//! A [`SuperVersion`](super_version::SuperVersion) is one consistent set of memtables and tables.
//! Point gets ([`get`]) walk it from the newest source to the oldest until the value is known
//! ([`search`]), several at once in a batch ([`multi_get`]); iterators merge all of its sources ([`merging`]) and pick what is visible
//! ([`db_iter`]).

pub mod cover;
pub mod db_iter;
pub mod get;
mod iter_watch;
pub mod iterator;
pub mod level_iter;
pub mod merging;
pub mod multi_get;
mod operands;
pub mod prefix_iterator;
pub mod search;
pub mod super_version;
pub mod table_scan;
pub mod tombstone_source;
pub mod tombstones;
pub mod value;

#[cfg(test)]
mod db_iter_tests;
#[cfg(test)]
mod merging_tests;
#[cfg(test)]
mod tombstones_tests;
#[cfg(test)]
pub(crate) mod vec_iter;
