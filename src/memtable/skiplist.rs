//! The first representation: a lock-free skip list over {order prefix, pointer to the entry}.
//!
//! Most comparisons of a search are decided by the 8-byte prefix in the node and do not touch the
//! entry's cache line. Nothing is ever removed from the list, so nodes live exactly as long as
//! the list does and no epoch needs to be pinned.

use super::entry::EntryPtr;
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::key::{sequence, user_key};
use crossbeam_epoch::{self as epoch, Guard};
use crossbeam_skiplist::base::{Entry as ListEntry, SkipList};
use std::cmp::Ordering;
use std::ops::Bound;
use std::ptr::NonNull;

/// An order that fits into every node of the index.
pub(super) trait KeyOrder: Copy + Send + Sync + 'static {
    /// Compares two user keys.
    fn compare(self, a: &[u8], b: &[u8]) -> Ordering;
    /// [`Order::prefix`].
    fn prefix(self, user_key: &[u8]) -> u64;
}

impl KeyOrder for Bytewise {
    #[inline]
    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        Order::compare(&self, a, b)
    }

    #[inline]
    fn prefix(self, user_key: &[u8]) -> u64 {
        Order::prefix(&self, user_key)
    }
}

/// Points to the memtable's comparator, which outlives its index.
#[derive(Clone, Copy)]
pub(super) struct SharedOrder(NonNull<Comparator>);

// SAFETY: a shared reference in all but name, and `Comparator` is `Sync`.
unsafe impl Send for SharedOrder {}
// SAFETY: as above.
unsafe impl Sync for SharedOrder {}

impl SharedOrder {
    /// # Safety
    /// The comparator must stay where it is until every copy of the result is out of use.
    pub(super) unsafe fn new(comparator: &Comparator) -> SharedOrder {
        SharedOrder(NonNull::from(comparator))
    }

    #[inline]
    fn get(&self) -> &Comparator {
        // SAFETY: promised to `new`.
        unsafe { self.0.as_ref() }
    }
}

impl KeyOrder for SharedOrder {
    #[inline]
    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        self.get().compare(a, b)
    }

    #[inline]
    fn prefix(self, user_key: &[u8]) -> u64 {
        self.get().prefix(user_key)
    }
}

/// What a node of the index holds.
///
/// Ordered by user key, then newest first; the value type does not count, so that a second record
/// with the same user key and sequence number is found out as a duplicate.
pub(super) struct IndexKey<R> {
    prefix: u64,
    entry: EntryPtr,
    order: R,
}

// SAFETY: entries are immutable once written, and shared freely.
unsafe impl<R: Send> Send for IndexKey<R> {}
// SAFETY: as above.
unsafe impl<R: Sync> Sync for IndexKey<R> {}

impl<R: KeyOrder> IndexKey<R> {
    /// # Safety
    /// The entry must live as long as the result is used.
    #[inline]
    pub(super) unsafe fn new(order: R, entry: EntryPtr) -> IndexKey<R> {
        // SAFETY: promised by the caller.
        let ikey = unsafe { entry.ikey() };
        IndexKey { prefix: order.prefix(user_key(ikey)), entry, order }
    }

    /// The entry.
    #[inline]
    pub(super) fn entry(&self) -> EntryPtr {
        self.entry
    }

    fn compare_entries(&self, other: &Self) -> Ordering {
        if self.entry == other.entry {
            return Ordering::Equal;
        }
        // SAFETY: promised to `new` for both.
        let (a, b) = unsafe { (self.entry.ikey(), other.entry.ikey()) };
        self.order.compare(user_key(a), user_key(b)).then_with(|| sequence(b).cmp(&sequence(a)))
    }
}

impl<R: KeyOrder> Ord for IndexKey<R> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match self.prefix.cmp(&other.prefix) {
            Ordering::Equal => self.compare_entries(other),
            unequal => unequal,
        }
    }
}

impl<R: KeyOrder> PartialOrd for IndexKey<R> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<R: KeyOrder> PartialEq for IndexKey<R> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<R: KeyOrder> Eq for IndexKey<R> {}

/// A place in the list.
pub(super) type Node<'a, R> = ListEntry<'a, 'a, IndexKey<R>, ()>;

/// The index.
pub(super) struct SkipListRep<R: KeyOrder> {
    list: SkipList<IndexKey<R>, ()>,
    order: R,
}

/// The guard that all calls use.
#[inline]
fn guard() -> &'static Guard {
    // SAFETY: a guard keeps removed nodes from being freed, and nothing is ever removed from
    // these lists: nodes go only when the list, which all calls borrow, is dropped.
    unsafe { epoch::unprotected() }
}

impl<R: KeyOrder> SkipListRep<R> {
    /// What a node costs on average: 16 or 24 bytes of key, 8 of height and count, 2 levels of 8
    /// each, and what the allocator adds.
    const NODE_BYTES: usize = 40 + size_of::<R>() + 12;

    pub(super) fn new(order: R) -> SkipListRep<R> {
        SkipListRep { list: SkipList::new(epoch::default_collector().clone()), order }
    }

    pub(super) fn order(&self) -> R {
        self.order
    }

    /// The number of records; approximate while others insert.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// An estimate of the nodes' memory, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.list.len() * Self::NODE_BYTES
    }

    /// Adds `entry`, unless its user key and sequence number are there already.
    ///
    /// # Safety
    /// The entry must outlive the list.
    #[inline]
    pub(super) unsafe fn insert(&self, entry: EntryPtr) -> bool {
        // SAFETY: promised by the caller.
        let key = unsafe { IndexKey::new(self.order, entry) };
        let found = self.list.get_or_insert(key, (), guard());
        let inserted = found.key().entry == entry;
        found.release(guard());
        inserted
    }

    /// The first node at or behind the look-up key.
    #[inline]
    pub(super) fn lower_bound(&self, memtable_key: &[u8]) -> Option<Node<'_, R>> {
        // SAFETY: the key is used during the call only.
        let key = unsafe { IndexKey::new(self.order, EntryPtr::to_lookup(memtable_key)) };
        self.list.lower_bound(Bound::Included(&key), guard())
    }

    /// The last node at or before the look-up key.
    pub(super) fn upper_bound(&self, memtable_key: &[u8]) -> Option<Node<'_, R>> {
        // SAFETY: the key is used during the call only.
        let key = unsafe { IndexKey::new(self.order, EntryPtr::to_lookup(memtable_key)) };
        self.list.upper_bound(Bound::Included(&key), guard())
    }

    pub(super) fn front(&self) -> Option<Node<'_, R>> {
        self.list.front(guard())
    }

    pub(super) fn back(&self) -> Option<Node<'_, R>> {
        self.list.back(guard())
    }
}
