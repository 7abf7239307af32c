//! [`MemRep`]: the ordered index of a memtable, one of several representations.

use super::entry::EntryPtr;
use super::skiplist::{SharedOrder, SkipListRep};
use crate::base::comparator::{Bytewise, Comparator};

/// The index over a memtable's entries. Each representation comes compiled for bytewise order
/// and for any other.
///
/// A new representation adds its variants here, and one arm each to
/// [`Versions`](super::Versions) and [`MemTableIter`](super::MemTableIter).
pub(super) enum MemRep {
    /// A skip list in bytewise order.
    SkipListBytewise(SkipListRep<Bytewise>),
    /// A skip list in another order.
    SkipListOther(SkipListRep<SharedOrder>),
}

impl MemRep {
    /// An empty skip list.
    ///
    /// # Safety
    /// `comparator` must stay where it is until the index is gone.
    pub(super) unsafe fn skip_list(comparator: &Comparator) -> MemRep {
        if comparator.is_bytewise() {
            return MemRep::SkipListBytewise(SkipListRep::new(Bytewise));
        }
        // SAFETY: promised by the caller.
        MemRep::SkipListOther(SkipListRep::new(unsafe { SharedOrder::new(comparator) }))
    }

    /// Adds `entry`, unless its user key and sequence number are there already.
    ///
    /// # Safety
    /// The entry must outlive the index.
    #[inline]
    pub(super) unsafe fn insert(&self, entry: EntryPtr) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            match self {
                MemRep::SkipListBytewise(list) => list.insert(entry),
                MemRep::SkipListOther(list) => list.insert(entry),
            }
        }
    }

    /// The number of records; approximate while others insert.
    pub(super) fn len(&self) -> usize {
        match self {
            MemRep::SkipListBytewise(list) => list.len(),
            MemRep::SkipListOther(list) => list.len(),
        }
    }

    /// An estimate of the memory that the index takes beside the arena, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        match self {
            MemRep::SkipListBytewise(list) => list.memory_usage(),
            MemRep::SkipListOther(list) => list.memory_usage(),
        }
    }
}
