//! [`InternalIterator`]: what memtables, blocks, tables and merges have in common.

use super::status::Result;

/// A cursor over records sorted by internal key.
///
/// Used as a static bound, not as a trait object, on hot paths. After any positioning call the
/// cursor is valid, or at an end, or failed; only [`status`](InternalIterator::status) tells the
/// last two apart. Slices from `key` and `value` live until the next positioning call.
pub trait InternalIterator {
    /// Whether the cursor stands on a record.
    fn valid(&self) -> bool;
    /// To the first record.
    fn seek_to_first(&mut self);
    /// To the last record.
    fn seek_to_last(&mut self);
    /// To the first record at or behind the internal key `target`.
    fn seek(&mut self, target: &[u8]);
    /// To the last record at or before the internal key `target`.
    fn seek_for_prev(&mut self, target: &[u8]);
    /// To the next record. The cursor must be valid.
    fn next(&mut self);
    /// To the previous record. The cursor must be valid.
    fn prev(&mut self);
    /// The internal key, at least 8 bytes long. The cursor must be valid.
    fn key(&self) -> &[u8];
    /// The value. The cursor must be valid.
    fn value(&self) -> &[u8];
    /// The first error met since the last seek.
    fn status(&self) -> Result<()>;
}
