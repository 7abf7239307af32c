//! [`MemRep`]: the ordered index of a memtable, compiled for bytewise order and for any other.

use super::btree::BTree;
use super::entry::EntryPtr;
use super::order::SharedOrder;
use crate::base::arena::Arena;
use crate::base::comparator::{Bytewise, Comparator};

/// The index over a memtable's entries.
pub(super) enum MemRep {
    /// In bytewise order.
    Bytewise(BTree<Bytewise>),
    /// In another order.
    Other(BTree<SharedOrder>),
}

impl MemRep {
    /// An empty index.
    ///
    /// # Safety
    /// `comparator` must stay where it is until the index is gone.
    pub(super) unsafe fn new(comparator: &Comparator) -> MemRep {
        if comparator.is_bytewise() {
            return MemRep::Bytewise(BTree::new(Bytewise));
        }
        // SAFETY: promised by the caller.
        MemRep::Other(BTree::new(unsafe { SharedOrder::new(comparator) }))
    }

    /// Adds `entry`, unless its user key and sequence number are there already.
    ///
    /// # Safety
    /// The entry must lie in `arena`, which must be the same one each time, and outlive the index
    /// and all that is found in it.
    #[inline]
    pub(super) unsafe fn insert(&self, arena: &Arena, entry: EntryPtr) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            match self {
                MemRep::Bytewise(tree) => tree.insert(arena, entry),
                MemRep::Other(tree) => tree.insert(arena, entry),
            }
        }
    }

    /// Whether nothing was inserted.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            MemRep::Bytewise(tree) => tree.is_empty(),
            MemRep::Other(tree) => tree.is_empty(),
        }
    }
}
