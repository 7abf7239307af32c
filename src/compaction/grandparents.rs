//! [`Grandparents`]: how much of the level below the output an output file overlaps.

use crate::base::comparator::Order;
use crate::base::sync::Arc;
use crate::rangedel::is_tombstone_end;
use crate::version::file_meta::FileMeta;
use std::cmp::Ordering;

/// Follows the user keys that are written through the files that a later compaction of the output
/// would have to rewrite, too.
pub(super) struct Grandparents<'a, O> {
    order: O,
    files: &'a [Arc<FileMeta>],
    /// The file that the last key is in, or the next one if it is between two.
    at: usize,
    in_gap: bool,
    /// Whether there was a key.
    seen: bool,
    /// The bytes of the files that the current output overlaps.
    pub(super) overlapped: u64,
    /// How many starts and ends of files lie within the current output.
    pub(super) boundaries: usize,
}

impl<'a, O: Order> Grandparents<'a, O> {
    pub(super) fn new(order: O, files: &'a [Arc<FileMeta>]) -> Self {
        Grandparents {
            order,
            files,
            at: 0,
            in_gap: true,
            seen: false,
            overlapped: 0,
            boundaries: 0,
        }
    }

    /// Whether the last key is in none of the files.
    pub(super) fn in_gap(&self) -> bool {
        self.in_gap
    }

    fn is_before(&self, key: &[u8], at: usize) -> bool {
        self.files.get(at).is_none_or(|f| self.order.compare(key, f.smallest.user_key()).is_lt())
    }

    /// `key` compared with the last key of a file; the end of a tombstone is outside the file.
    fn compare_to_last(&self, key: &[u8], file: &FileMeta) -> Ordering {
        let order = self.order.compare(key, file.largest.user_key());
        let is_end = || is_tombstone_end(file.largest.as_bytes());
        if order.is_eq() && is_end() { Ordering::Greater } else { order }
    }

    /// Goes on to `key`, and returns how many starts and ends of files lie between the last key
    /// and this one. Several files may hold one key: the last of them counts.
    pub(super) fn advance(&mut self, key: &[u8]) -> usize {
        let mut crossed = 0;
        while let Some(file) = self.files.get(self.at) {
            if self.in_gap {
                if self.is_before(key, self.at) {
                    break;
                }
                if self.seen {
                    crossed += 1;
                    self.overlapped = self.overlapped.saturating_add(file.file_size);
                }
                self.in_gap = false;
            } else {
                match self.compare_to_last(key, file) {
                    Ordering::Less => break,
                    Ordering::Equal if self.is_before(key, self.at + 1) => break,
                    _ => {}
                }
                crossed += usize::from(self.seen);
                self.in_gap = true;
                self.at += 1;
            }
        }
        if !self.seen {
            self.seen = true;
            self.overlapped = self.overlapped_at(key);
        }
        self.boundaries += crossed;
        crossed
    }

    /// The bytes of the files that hold `key`, which is the last key.
    fn overlapped_at(&self, key: &[u8]) -> u64 {
        if self.in_gap || self.at >= self.files.len() {
            return 0;
        }
        let before = self.files[..self.at].iter().rev();
        let others = before.take_while(|file| self.compare_to_last(key, file).is_eq());
        let others = others.map(|file| file.file_size).fold(0, u64::saturating_add);
        self.files[self.at].file_size.saturating_add(others)
    }

    /// A new output begins with `key`, which is the last key.
    pub(super) fn restart(&mut self, key: &[u8]) {
        self.boundaries = 0;
        self.overlapped = self.overlapped_at(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::comparator::Bytewise;
    use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType};

    fn file(first: &str, last: &str, size: u64) -> Arc<FileMeta> {
        Arc::new(FileMeta {
            file_size: size,
            smallest: InternalKey::new(first.as_bytes(), 5, ValueType::Value),
            largest: InternalKey::new(last.as_bytes(), 5, ValueType::Value),
            ..FileMeta::default()
        })
    }

    #[test]
    fn boundaries_and_bytes_are_counted() {
        let files = [file("b", "d", 10), file("f", "h", 100), file("h", "k", 1000)];
        let mut at = Grandparents::new(Bytewise, &files);
        let mut step = |key: &str| {
            let crossed = at.advance(key.as_bytes());
            (crossed, at.overlapped, at.in_gap())
        };
        assert_eq!(step("a"), (0, 0, true));
        assert_eq!(step("c"), (1, 10, false));
        assert_eq!(step("d"), (0, 10, false));
        assert_eq!(step("e"), (1, 10, true));
        // Past the end of one file into another that holds the same key.
        assert_eq!(step("h"), (3, 1110, false));
        at.restart(b"h");
        assert_eq!((at.overlapped, at.boundaries), (1100, 0));
        assert_eq!((at.advance(b"z"), at.overlapped, at.in_gap()), (1, 1100, true));
    }

    #[test]
    fn the_first_key_may_be_within_a_file() {
        let files = [file("b", "d", 10), file("f", "h", 100)];
        let mut at = Grandparents::new(Bytewise, &files);
        assert_eq!((at.advance(b"g"), at.overlapped, at.boundaries), (0, 100, 0));
        let ends_with_tombstone = FileMeta {
            largest: InternalKey::new(b"d", MAX_SEQUENCE, ValueType::RangeDeletion),
            ..FileMeta::clone(&files[0])
        };
        let files = [Arc::new(ends_with_tombstone)];
        let mut at = Grandparents::new(Bytewise, &files);
        at.advance(b"d");
        assert!(at.in_gap());
    }
}
