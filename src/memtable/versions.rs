//! [`Versions`]: what a point look-up reads of a memtable.

use super::rep::MemRep;
use super::skiplist::{KeyOrder, Node, SharedOrder, SkipListRep};
use crate::base::comparator::Bytewise;
use crate::base::key::{LookupKey, SequenceNumber, ValueType, trailer, user_key};
use std::cmp::Ordering;

/// The records of one user key at or below a sequence number, newest first.
///
/// A record that is added while this is read may or may not be seen; it has a sequence number
/// that is not published yet, so a reader at a published one never asks for it.
pub struct Versions<'a>(Inner<'a>);

enum Inner<'a> {
    Bytewise(NodeVersions<'a, Bytewise>),
    Other(NodeVersions<'a, SharedOrder>),
    Nothing,
}

/// The nodes from `node` on that hold `user_key`.
struct NodeVersions<'a, R> {
    node: Option<Node<'a, R>>,
    user_key: &'a [u8],
    order: R,
}

impl<'a> Versions<'a> {
    /// No records.
    pub(super) fn none() -> Versions<'a> {
        Versions(Inner::Nothing)
    }

    #[inline]
    pub(super) fn new(rep: &'a MemRep, key: &LookupKey) -> Versions<'a> {
        Versions(match rep {
            MemRep::SkipListBytewise(list) => Inner::Bytewise(NodeVersions::new(list, key)),
            MemRep::SkipListOther(list) => Inner::Other(NodeVersions::new(list, key)),
        })
    }
}

impl<'a> Iterator for Versions<'a> {
    type Item = (SequenceNumber, ValueType, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Inner::Bytewise(nodes) => nodes.next(),
            Inner::Other(nodes) => nodes.next(),
            Inner::Nothing => None,
        }
    }
}

impl<'a, R: KeyOrder> NodeVersions<'a, R> {
    #[inline]
    fn new(list: &'a SkipListRep<R>, key: &LookupKey) -> Self {
        let order = list.order();
        let node = list.lower_bound(key.memtable_key());
        // SAFETY: entries live as long as the memtable, which is borrowed for `'a`.
        let found = node.as_ref().map(|n| user_key(unsafe { n.key().entry().ikey::<'a>() }));
        match found {
            Some(found) if order.compare(found, key.user_key()) == Ordering::Equal => {
                NodeVersions { node, user_key: found, order }
            }
            _ => NodeVersions { node: None, user_key: &[], order },
        }
    }

    #[inline]
    fn next(&mut self) -> Option<(SequenceNumber, ValueType, &'a [u8])> {
        let node = self.node.take()?;
        let entry = node.key().entry();
        // SAFETY: entries live as long as the memtable, which is borrowed for `'a`.
        let (ikey, value) = unsafe { (entry.ikey::<'a>(), entry.value::<'a>()) };
        let found = user_key(ikey);
        // The first node was compared already, and it is where `user_key` comes from.
        if !std::ptr::eq(found, self.user_key)
            && self.order.compare(found, self.user_key) != Ordering::Equal
        {
            return None;
        }
        // Entries are made from a `ValueType`, so the number is always known.
        let value_type = ValueType::from_u8(trailer(ikey) as u8)?;
        self.node = node.next();
        Some((trailer(ikey) >> 8, value_type, value))
    }
}
