//! Row 5: range tombstones, the records of `DeleteRange`.
//!
//! A tombstone `[start, end)` at a sequence number hides every older record of the keys in its
//! range. Tombstones overlap as their writers pleased; [`Fragments`] is the same set cut at every
//! start and end key, so that one search finds all that cover a key. Memtables, tables and
//! compactions build theirs with a [`FragmentsBuilder`] and share them without a lock.

mod builder;
mod cursor;
mod fragments;

pub use self::builder::{FileBounds, FragmentsBuilder, is_tombstone_end};
pub use self::cursor::Cursor;
pub use self::fragments::{Fragment, Fragments, Span};

#[cfg(test)]
mod tests;
