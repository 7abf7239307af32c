//! The order of a memtable's index: user keys, then newest first.

use super::entry::EntryPtr;
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::key::{sequence, trailer, user_key};
use std::cmp::Ordering;
use std::ptr::NonNull;

/// An order of user keys that is passed by value.
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

/// What is searched for: a place in the order.
///
/// Ordered by user key, then newest first; the value type does not count, so that a second record
/// with the same user key and sequence number is found out as a duplicate.
#[derive(Clone, Copy)]
pub(super) struct Key<'a> {
    pub(super) prefix: u64,
    user_key: &'a [u8],
    sequence: u64,
}

impl<'a> Key<'a> {
    /// The place of an internal key.
    #[inline]
    pub(super) fn new<R: KeyOrder>(order: R, ikey: &'a [u8]) -> Key<'a> {
        let user_key = user_key(ikey);
        Key { prefix: order.prefix(user_key), user_key, sequence: trailer(ikey) >> 8 }
    }

    /// How it stands to an entry.
    ///
    /// # Safety
    /// The entry must be readable.
    #[inline]
    pub(super) unsafe fn compare<R: KeyOrder>(&self, order: R, entry: EntryPtr) -> Ordering {
        // SAFETY: promised by the caller.
        let ikey = unsafe { entry.ikey() };
        let by_user_key = order.compare(self.user_key, user_key(ikey));
        by_user_key.then_with(|| sequence(ikey).cmp(&self.sequence))
    }
}
