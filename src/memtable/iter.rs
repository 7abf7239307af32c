//! [`MemTableIter`]: all records of a memtable in internal-key order.

use super::MemTable;
use super::entry::EntryPtr;
use super::guard::GuardedCursor;
use super::rep::MemRep;
use super::skiplist::{KeyOrder, Node, SharedOrder, SkipListRep};
use crate::base::coding::{MAX_VARINT32_LEN, put_varint32};
use crate::base::comparator::Bytewise;
use crate::base::iterator::InternalIterator;
use crate::base::key::{TRAILER_LEN, trailer, user_key};
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
    /// The seek target in a look-up key's form; reused.
    target: Vec<u8>,
    /// What all the pointers above lead into. Last, so that it goes last.
    _mem: Arc<MemTable>,
}

// SAFETY: the cursor holds shared references to a list that is `Sync`, and to the unprotected
// epoch guard, a constant that belongs to no thread.
unsafe impl Send for MemTableIter {}

enum Cursor {
    Bytewise(ListCursor<Bytewise>),
    Other(ListCursor<SharedOrder>),
    Guarded(Box<GuardedCursor>),
}

/// A place in a skip list. The lifetimes are really those of the memtable that the iterator
/// around it holds.
struct ListCursor<R: KeyOrder> {
    list: &'static SkipListRep<R>,
    node: Option<Node<'static, R>>,
}

impl<R: KeyOrder> ListCursor<R> {
    /// # Safety
    /// The list must outlive the cursor.
    unsafe fn new(list: &SkipListRep<R>) -> ListCursor<R> {
        // SAFETY: promised by the caller.
        ListCursor { list: unsafe { &*std::ptr::from_ref(list) }, node: None }
    }

    #[inline]
    fn entry(&self) -> Option<EntryPtr> {
        self.node.as_ref().map(|node| node.key().entry())
    }

    #[inline]
    fn next(&mut self) {
        self.node = self.node.as_ref().and_then(|node| node.next());
    }

    fn prev(&mut self) {
        self.node = self.node.as_ref().and_then(|node| node.prev());
    }

    fn first(&mut self) {
        self.node = self.list.front();
    }

    fn last(&mut self) {
        self.node = self.list.back();
    }

    /// Whether the current record has the user key and sequence number of `target`, but a value
    /// type that sorts it to the other side (`wrong`). The list's order leaves the type out.
    fn is_beyond(&self, target: &[u8], wrong: Ordering) -> bool {
        // SAFETY: the entry lives as long as the list.
        let Some(ikey) = self.entry().map(|entry| unsafe { entry.ikey::<'_>() }) else {
            return false;
        };
        let (found, wanted) = (trailer(ikey), trailer(target));
        found >> 8 == wanted >> 8
            && wanted.cmp(&found) == wrong
            && self.list.order().compare(user_key(ikey), user_key(target)) == Ordering::Equal
    }

    fn seek(&mut self, memtable_key: &[u8], target: &[u8]) {
        self.node = self.list.lower_bound(memtable_key);
        if self.is_beyond(target, Ordering::Less) {
            self.next();
        }
    }

    fn seek_for_prev(&mut self, memtable_key: &[u8], target: &[u8]) {
        self.node = self.list.upper_bound(memtable_key);
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
        MemTableIter { cursor, current: None, target: Vec::new(), _mem: mem }
    }

    /// The entry under it.
    pub(super) fn entry(&self) -> Option<EntryPtr> {
        self.current.map(|(entry, _)| entry)
    }

    /// The same, which checks nothing.
    pub(super) fn unguarded(mem: Arc<MemTable>) -> MemTableIter {
        // SAFETY: the memtable, and the list in it, stay where they are as long as `_mem`, and
        // that goes after the cursor.
        let cursor = unsafe {
            match mem.rep() {
                MemRep::SkipListBytewise(list) => Cursor::Bytewise(ListCursor::new(list)),
                MemRep::SkipListOther(list) => Cursor::Other(ListCursor::new(list)),
            }
        };
        MemTableIter { cursor, current: None, target: Vec::new(), _mem: mem }
    }

    #[inline]
    fn stand_on(&mut self, entry: Option<EntryPtr>) {
        // SAFETY: entries live as long as the memtable, which `_mem` holds; `key` and `value`
        // hand slices out for no longer than a borrow of the iterator.
        self.current = entry.map(|entry| (entry, unsafe { entry.ikey::<'static>() }));
    }

    fn set_target(&mut self, ikey: &[u8]) {
        debug_assert!(ikey.len() >= TRAILER_LEN);
        self.target.clear();
        self.target.reserve(MAX_VARINT32_LEN + ikey.len());
        put_varint32(&mut self.target, ikey.len() as u32);
        self.target.extend_from_slice(ikey);
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
        self.set_target(target);
        step!(self, cursor => cursor.seek(&self.target, target));
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.set_target(target);
        step!(self, cursor => cursor.seek_for_prev(&self.target, target));
    }

    #[inline]
    fn next(&mut self) {
        step!(self, cursor => cursor.next());
    }

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
