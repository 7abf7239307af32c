//! [`MemTableIter`]: all records of a memtable in internal-key order.

use super::MemTable;
use super::btree::{BTree, Place, SLOTS, Side};
use super::entry::EntryPtr;
use super::guard::GuardedCursor;
use super::order::{Key, KeyOrder, SharedOrder};
use super::rep::MemRep;
use crate::base::comparator::Bytewise;
use crate::base::iterator::InternalIterator;
use crate::base::key::{trailer, user_key};
use crate::base::status::Result;
use crate::base::sync::Arc;
use std::cmp::Ordering;

/// A cursor over a memtable, for every order and representation: which one it is costs one
/// predictable branch a step.
///
/// It keeps the memtable alive. Records added meanwhile are met if they lie ahead; none is met
/// twice, and none that was there before is left out. Steps allocate nothing.
pub struct MemTableIter {
    cursor: Cursor,
    /// The entry under the cursor, and its internal key (decoded once a step).
    current: Option<(EntryPtr, &'static [u8])>,
    /// What all the pointers above lead into. Last, so that it goes last.
    _mem: Arc<MemTable>,
}

// SAFETY: the cursor holds shared references to a tree and entries, which are `Sync`.
unsafe impl Send for MemTableIter {}

enum Cursor {
    Bytewise(TreeCursor<Bytewise>),
    Other(TreeCursor<SharedOrder>),
    Guarded(Box<GuardedCursor>),
}

/// A place in a tree, which must live until the cursor is gone.
struct TreeCursor<R: KeyOrder> {
    tree: &'static BTree<R>,
    place: Option<Place<SLOTS>>,
}

impl<R: KeyOrder> TreeCursor<R> {
    /// # Safety
    /// The tree must outlive the cursor.
    unsafe fn new(tree: &BTree<R>) -> TreeCursor<R> {
        // SAFETY: promised by the caller.
        TreeCursor { tree: unsafe { &*std::ptr::from_ref(tree) }, place: None }
    }

    #[inline]
    fn entry(&self) -> Option<EntryPtr> {
        self.place.as_ref().map(Place::entry)
    }

    #[inline]
    fn next(&mut self) {
        if self.place.as_mut().is_some_and(|place| !self.tree.advance(place)) {
            self.place = None;
        }
    }

    #[inline]
    fn prev(&mut self) {
        if self.place.as_mut().is_some_and(|place| !self.tree.retreat(place)) {
            self.place = None;
        }
    }

    fn first(&mut self) {
        self.place = self.tree.first();
    }

    fn last(&mut self) {
        self.place = self.tree.last();
    }

    /// Whether the current record has the user key and sequence number of `target`, but a value
    /// type that sorts it to the other side (`wrong`). The tree's order leaves the type out.
    fn is_beyond(&self, target: &[u8], wrong: Ordering) -> bool {
        // SAFETY: the entry lives as long as the tree.
        let Some(ikey) = self.entry().map(|entry| unsafe { entry.ikey::<'_>() }) else {
            return false;
        };
        let (found, wanted) = (trailer(ikey), trailer(target));
        found >> 8 == wanted >> 8
            && wanted.cmp(&found) == wrong
            && self.tree.order().compare(user_key(ikey), user_key(target)) == Ordering::Equal
    }

    fn seek(&mut self, target: &[u8]) {
        self.place = self.tree.find(&Key::new(self.tree.order(), target), Side::AtOrAfter);
        if self.is_beyond(target, Ordering::Less) {
            self.next();
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.place = self.tree.find(&Key::new(self.tree.order(), target), Side::AtOrBefore);
        if self.is_beyond(target, Ordering::Greater) {
            self.prev();
        }
    }
}

/// Runs `$body` on the cursor that there is, then takes over where it stands.
macro_rules! step {
    ($self:ident, $cursor:ident => $body:expr) => {
        match &mut $self.cursor {
            Cursor::Bytewise($cursor) => {
                $body;
                let entry = $cursor.entry();
                $self.stand_on(entry);
            }
            Cursor::Other($cursor) => {
                $body;
                let entry = $cursor.entry();
                $self.stand_on(entry);
            }
            Cursor::Guarded($cursor) => {
                $body;
                let entry = $cursor.entry();
                $self.stand_on(entry);
            }
        }
    };
}

impl MemTableIter {
    pub(super) fn new(mem: Arc<MemTable>) -> MemTableIter {
        if !mem.is_guarded() {
            return MemTableIter::unguarded(mem);
        }
        let cursor = GuardedCursor::new(MemTableIter::unguarded(mem.clone()), &mem);
        let cursor = Cursor::Guarded(Box::new(cursor));
        MemTableIter { cursor, current: None, _mem: mem }
    }

    /// The entry under it.
    pub(super) fn entry(&self) -> Option<EntryPtr> {
        self.current.map(|(entry, _)| entry)
    }

    /// The same, which checks nothing.
    pub(super) fn unguarded(mem: Arc<MemTable>) -> MemTableIter {
        // SAFETY: the memtable, and the tree in it, stay where they are as long as `_mem`, and
        // that goes after the cursor.
        let cursor = unsafe {
            match mem.rep() {
                MemRep::Bytewise(tree) => Cursor::Bytewise(TreeCursor::new(tree)),
                MemRep::Other(tree) => Cursor::Other(TreeCursor::new(tree)),
            }
        };
        MemTableIter { cursor, current: None, _mem: mem }
    }

    #[inline]
    fn stand_on(&mut self, entry: Option<EntryPtr>) {
        // SAFETY: entries live as long as the memtable, which `_mem` holds; `key` and `value`
        // hand slices out for no longer than a borrow of the iterator.
        self.current = entry.map(|entry| (entry, unsafe { entry.ikey::<'static>() }));
    }
}

impl InternalIterator for MemTableIter {
    #[inline]
    fn valid(&self) -> bool {
        self.current.is_some()
    }

    fn seek_to_first(&mut self) {
        step!(self, cursor => cursor.first());
    }

    fn seek_to_last(&mut self) {
        step!(self, cursor => cursor.last());
    }

    fn seek(&mut self, target: &[u8]) {
        step!(self, cursor => cursor.seek(target));
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        step!(self, cursor => cursor.seek_for_prev(target));
    }

    #[inline]
    fn next(&mut self) {
        step!(self, cursor => cursor.next());
    }

    #[inline]
    fn prev(&mut self) {
        step!(self, cursor => cursor.prev());
    }

    #[inline]
    fn key(&self) -> &[u8] {
        debug_assert!(self.valid());
        self.current.map_or(&[], |(_, ikey)| ikey)
    }

    #[inline]
    fn value(&self) -> &[u8] {
        debug_assert!(self.valid());
        // SAFETY: as in `stand_on`.
        self.current.map_or(&[], |(entry, _)| unsafe { entry.value::<'_>() })
    }

    fn status(&self) -> Result<()> {
        match &self.cursor {
            Cursor::Guarded(cursor) => cursor.status(),
            Cursor::Bytewise(_) | Cursor::Other(_) => Ok(()),
        }
    }
}
