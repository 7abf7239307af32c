//! [`Versions`]: what a point look-up reads of a memtable.

use super::btree::{BTree, Place, SLOTS, Side};
use super::order::{Key, KeyOrder, SharedOrder};
use super::rep::MemRep;
use crate::base::comparator::Bytewise;
use crate::base::key::{LookupKey, SequenceNumber, ValueType, trailer, user_key};
use std::cmp::Ordering;

/// The records of one user key at or below a sequence number, newest first.
///
/// A record that is added while this is read may or may not be seen; it has a sequence number
/// that is not published yet, so a reader at a published one never asks for it.
pub struct Versions<'a>(Inner<'a>);

enum Inner<'a> {
    Bytewise(Entries<'a, Bytewise>),
    Other(Entries<'a, SharedOrder>),
    Nothing,
}

/// The entries of `user_key` that are left.
struct Entries<'a, R: KeyOrder> {
    tree: &'a BTree<R>,
    /// The entry that was handed out last, or the first one, if none was yet.
    place: Place<SLOTS>,
    user_key: &'a [u8],
    started: bool,
}

impl<'a> Versions<'a> {
    /// No records.
    pub(super) fn none() -> Versions<'a> {
        Versions(Inner::Nothing)
    }

    #[inline]
    pub(super) fn new(rep: &'a MemRep, key: &LookupKey) -> Versions<'a> {
        let entries = match rep {
            MemRep::Bytewise(tree) => Entries::find(tree, key).map(Inner::Bytewise),
            MemRep::Other(tree) => Entries::find(tree, key).map(Inner::Other),
        };
        Versions(entries.unwrap_or(Inner::Nothing))
    }
}

impl<'a> Iterator for Versions<'a> {
    type Item = (SequenceNumber, ValueType, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let found = match &mut self.0 {
            Inner::Bytewise(entries) => entries.next(),
            Inner::Other(entries) => entries.next(),
            Inner::Nothing => None,
        };
        if found.is_none() {
            self.0 = Inner::Nothing;
        }
        found
    }
}

impl<'a, R: KeyOrder> Entries<'a, R> {
    #[inline]
    fn find(tree: &'a BTree<R>, key: &LookupKey) -> Option<Self> {
        let order = tree.order();
        let sought = Key::new(order, key.internal_key());
        let place = tree.find(&sought, Side::AtOrAfter)?;
        // Keys that are equal have equal prefixes; where they differ the entry is left alone.
        if place.prefix() != sought.prefix {
            return None;
        }
        // SAFETY: entries live as long as the memtable, which is borrowed for `'a`.
        let user_key = user_key(unsafe { place.entry().ikey::<'a>() });
        let is_found = order.compare(user_key, key.user_key()) == Ordering::Equal;
        is_found.then_some(Entries { tree, place, user_key, started: false })
    }

    #[inline]
    fn next(&mut self) -> Option<(SequenceNumber, ValueType, &'a [u8])> {
        if self.started && !self.tree.advance(&mut self.place) {
            return None;
        }
        let entry = self.place.entry();
        // SAFETY: entries live as long as the memtable, which is borrowed for `'a`.
        let (ikey, value) = unsafe { (entry.ikey::<'a>(), entry.value::<'a>()) };
        // The first one was compared already.
        if std::mem::replace(&mut self.started, true)
            && self.tree.order().compare(user_key(ikey), self.user_key) != Ordering::Equal
        {
            return None;
        }
        // Entries are made from a `ValueType`, so the number is always known.
        let value_type = ValueType::from_u8(trailer(ikey) as u8)?;
        Some((trailer(ikey) >> 8, value_type, value))
    }
}
