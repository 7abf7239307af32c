//! [`Guard`]: what readers of a memtable check, so that damage in memory is an error and not an
//! answer. A memtable without one pays nothing for it.

use super::MemTable;
use super::entry::EntryPtr;
use super::iter::MemTableIter;
use crate::base::comparator::{Comparator, Order};
use crate::base::iterator::InternalIterator;
use crate::base::key::{LookupKey, ValueType, compare_internal, trailer, user_key};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use std::cmp::Ordering;

/// What readers of a memtable check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// The bytes of checksum of each entry, 8 at most (RocksDB's
    /// `memtable_protection_bytes_per_key`).
    pub bytes_per_key: u8,
    /// The order of the keys that a reader comes to (RocksDB's `paranoid_memory_checks`).
    pub order: bool,
    /// Also the checksum of the entry before the one that a seek goes to (RocksDB's
    /// `memtable_verify_per_key_checksum_on_seek`, which checks those that the search passes).
    pub neighbours: bool,
}

impl Guard {
    /// Whether there is something to check.
    #[inline]
    pub(super) fn is_on(self) -> bool {
        self.bytes_per_key > 0 || self.order
    }
}

impl MemTable {
    /// Whether [`verify`](MemTable::verify) checks anything.
    #[inline]
    pub fn is_guarded(&self) -> bool {
        self.guard.is_on()
    }

    /// Checks the entries that a look-up of `key` comes to; `Corruption` if one is damaged.
    pub fn verify(self: &Arc<Self>, key: &LookupKey) -> Result<()> {
        let mut iter = self.iter();
        iter.seek(key.internal_key());
        while iter.valid() {
            let found = iter.key();
            if self.comparator.compare(user_key(found), key.user_key()).is_ne()
                || trailer(found) as u8 != ValueType::Merge as u8
            {
                break;
            }
            iter.next();
        }
        iter.status()
    }
}

/// A cursor that checks what it comes to. At the first damage it ends with an error.
pub(super) struct GuardedCursor {
    iter: MemTableIter,
    guard: Guard,
    order: Comparator,
    error: Option<Status>,
}

impl GuardedCursor {
    /// `iter` is a cursor over `mem` that checks nothing.
    pub(super) fn new(iter: MemTableIter, mem: &MemTable) -> GuardedCursor {
        GuardedCursor { iter, guard: mem.guard, order: mem.comparator().clone(), error: None }
    }

    pub(super) fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// The entry under it.
    pub(super) fn entry(&self) -> Option<EntryPtr> {
        self.iter.entry().filter(|_| self.error.is_none())
    }

    pub(super) fn first(&mut self) {
        self.error = None;
        self.iter.seek_to_first();
        self.check_sum();
    }

    pub(super) fn last(&mut self) {
        self.error = None;
        self.iter.seek_to_last();
        self.check_sum();
    }

    pub(super) fn seek(&mut self, target: &[u8]) {
        self.error = None;
        if self.guard.order || self.guard.neighbours {
            self.go_before(target);
        }
        if self.error.is_none() {
            self.go_behind(target);
        }
    }

    pub(super) fn seek_for_prev(&mut self, target: &[u8]) {
        self.error = None;
        if self.guard.order || self.guard.neighbours {
            self.go_behind(target);
        }
        if self.error.is_none() {
            self.go_before(target);
        }
    }

    pub(super) fn next(&mut self) {
        self.step(Ordering::Greater, MemTableIter::next);
    }

    pub(super) fn prev(&mut self) {
        self.step(Ordering::Less, MemTableIter::prev);
    }

    /// To the first entry at or behind `target`.
    fn go_behind(&mut self, target: &[u8]) {
        self.iter.seek(target);
        self.check_sum();
        self.check_order(target, Ordering::Less);
    }

    /// To the last entry at or before `target`.
    fn go_before(&mut self, target: &[u8]) {
        self.iter.seek_for_prev(target);
        self.check_sum();
        self.check_order(target, Ordering::Greater);
    }

    /// A step to an entry that compares so with the one that it leaves.
    fn step(&mut self, expected: Ordering, step: impl FnOnce(&mut MemTableIter)) {
        let Some(left) = self.entry() else { return };
        step(&mut self.iter);
        self.check_sum();
        // SAFETY: entries live as long as the memtable, which `iter` holds.
        let left = unsafe { left.ikey::<'_>() };
        self.check_order(left, expected.reverse());
        self.check_order(left, Ordering::Equal);
    }

    fn check_sum(&mut self) {
        let bytes = self.guard.bytes_per_key.into();
        // SAFETY: all entries of the memtable, which `iter` holds, have this many bytes.
        let is_sound = |entry: EntryPtr| unsafe { entry.is_sound(bytes) };
        if bytes > 0 && self.entry().is_some_and(|entry| !is_sound(entry)) {
            self.error = Some(Status::corruption(
                "Corrupted memtable entry, per key-value checksum verification failed.",
            ));
        }
    }

    /// The current key must not compare as `wrong` with `other`.
    fn check_order(&mut self, other: &[u8], wrong: Ordering) {
        if self.guard.order
            && self.entry().is_some()
            && compare_internal(&self.order, self.iter.key(), other) == wrong
        {
            self.error = Some(Status::corruption("Out-of-order keys found in skiplist."));
        }
    }
}

#[cfg(test)]
impl MemTable {
    /// Flips a bit of the byte at `offset` behind the start of the entry of `key`, which has one.
    pub fn damage(self: &Arc<Self>, key: &[u8], offset: usize) {
        let mut iter = MemTableIter::unguarded(self.clone());
        iter.seek(LookupKey::new(key, crate::base::key::MAX_SEQUENCE).internal_key());
        let at = iter.entry().unwrap().to_raw();
        // SAFETY: tests stay within the entry, and hold no reference into it.
        unsafe { *at.add(offset) ^= 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::key::MAX_SEQUENCE;
    use crate::memtable::MemTableOptions;

    /// Keys of one byte from a to j, each with the value "value": the entry is a length, the key,
    /// the trailer, a length and the value.
    fn memtable(guard: Guard, comparator: Comparator) -> Arc<MemTable> {
        let options = MemTableOptions { guard, ..MemTableOptions::default() };
        let mem = Arc::new(MemTable::new(1, comparator, &options));
        for (at, key) in (b'a'..=b'j').enumerate() {
            mem.add(10 + at as u64, ValueType::Value, &[key], b"value").unwrap();
        }
        mem.add(100, ValueType::Merge, b"e", b"operand").unwrap();
        mem
    }

    fn sums(bytes_per_key: u8) -> Guard {
        Guard { bytes_per_key, ..Guard::default() }
    }

    const ORDER: Guard = Guard { bytes_per_key: 0, order: true, neighbours: false };

    /// What goes wrong on the way through all of it, in either direction.
    fn scans(mem: &Arc<MemTable>) -> [Result<usize>; 2] {
        let (mut iter, mut count) = (mem.iter(), [0; 2]);
        iter.seek_to_first();
        while iter.valid() {
            count[0] += 1;
            iter.next();
        }
        let forward = iter.status();
        iter.seek_to_last();
        while iter.valid() {
            count[1] += 1;
            iter.prev();
        }
        [forward.map(|()| count[0]), iter.status().map(|()| count[1])]
    }

    fn look_up(mem: &Arc<MemTable>, key: &[u8]) -> Result<()> {
        mem.verify(&LookupKey::new(key, MAX_SEQUENCE))
    }

    #[test]
    fn what_is_sound_passes() {
        for comparator in [Comparator::Bytewise, Comparator::ReverseBytewise] {
            for bytes in [0, 1, 2, 4, 8] {
                for bits in 0..4 {
                    let guard = Guard {
                        bytes_per_key: bytes,
                        order: bits & 1 != 0,
                        neighbours: bits & 2 != 0,
                    };
                    let mem = memtable(guard, comparator.clone());
                    assert_eq!(mem.is_guarded(), bytes > 0 || guard.order);
                    assert!(scans(&mem).into_iter().all(|count| count.unwrap() == 11));
                    for key in b'`'..=b'k' {
                        look_up(&mem, &[key]).unwrap();
                        let mut iter = mem.iter();
                        iter.seek(LookupKey::new(&[key], MAX_SEQUENCE).internal_key());
                        iter.status().unwrap();
                        iter.seek_for_prev(LookupKey::new(&[key], 0).internal_key());
                        iter.status().unwrap();
                    }
                }
            }
        }
    }

    #[test]
    fn damage_of_any_part_is_noticed_by_its_checksum() {
        let text = "Corruption: Corrupted memtable entry, per key-value checksum verification \
                    failed.";
        for bytes in [1, 2, 4, 8] {
            // Key, value, checksum.
            for offset in [1, 11, 15, 16] {
                let mem = memtable(sums(bytes), Comparator::Bytewise);
                mem.damage(b"d", offset);
                for result in scans(&mem) {
                    assert_eq!(result.unwrap_err().to_string(), text, "{bytes}, {offset}");
                }
                assert!(look_up(&mem, b"d").is_err() && look_up(&mem, b"c").is_ok());
            }
        }
        let mem = memtable(sums(8), Comparator::Bytewise);
        mem.damage(b"f", 15);
        assert!(look_up(&mem, b"e").is_ok() && look_up(&mem, b"f").is_err());
        let mut iter = mem.iter();
        iter.seek(LookupKey::new(b"f", MAX_SEQUENCE).internal_key());
        assert!(!iter.valid() && iter.status().is_err());
        iter.next();
        assert!(!iter.valid() && iter.status().is_err());
        iter.seek(LookupKey::new(b"g", MAX_SEQUENCE).internal_key());
        assert!(iter.valid() && iter.status().is_ok());
        let unguarded = memtable(Guard::default(), Comparator::Bytewise);
        unguarded.damage(b"d", 15);
        assert!(scans(&unguarded).into_iter().all(|count| count.is_ok()));
    }

    #[test]
    fn keys_out_of_order_are_noticed() {
        let mem = memtable(ORDER, Comparator::Bytewise);
        mem.damage(b"d", 15);
        assert!(scans(&mem).into_iter().all(|count| count.is_ok()), "values have no order");
        // d becomes e, c becomes b.
        for key in [b"d", b"c"] {
            let mem = memtable(ORDER, Comparator::Bytewise);
            mem.damage(key, 1);
            for result in scans(&mem) {
                let text = "Corruption: Out-of-order keys found in skiplist.";
                assert_eq!(result.unwrap_err().to_string(), text);
            }
        }
    }

    #[test]
    fn seeks_check_neighbours_if_they_are_to() {
        for neighbours in [false, true] {
            let guard = Guard { bytes_per_key: 8, order: false, neighbours };
            let mem = memtable(guard, Comparator::Bytewise);
            mem.damage(b"g", 15);
            let mut iter = mem.iter();
            iter.seek(LookupKey::new(b"h", MAX_SEQUENCE).internal_key());
            assert_eq!(iter.status().is_err(), neighbours);
            iter.seek_for_prev(LookupKey::new(b"f", 0).internal_key());
            assert_eq!(iter.status().is_err(), neighbours);
            assert_eq!(look_up(&mem, b"h").is_err(), neighbours);
        }
    }
}
