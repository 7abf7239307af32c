//! Searching and stepping.

use super::BTree;
use super::node::NodeRef;
use crate::memtable::entry::EntryPtr;
use crate::memtable::order::{Key, KeyOrder};

/// How many steps ahead of a cursor entries are brought into the cache.
const AHEAD: usize = 4;

/// Which entry is wanted, seen from a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::memtable) enum Side {
    /// The first one at or behind it.
    AtOrAfter,
    /// The first one behind it.
    After,
    /// The last one at or before it.
    AtOrBefore,
    /// The last one before it.
    Before,
}

/// An entry, and where it stood when it was found. Slots move, entries do not: once the leaf has
/// changed, the entry is looked for anew.
pub(in crate::memtable) struct Place<const N: usize> {
    entry: EntryPtr,
    prefix: u64,
    leaf: NodeRef<N>,
    version: u64,
    slot: usize,
    /// How many slots the leaf has at that version.
    count: usize,
}

impl<const N: usize> Place<N> {
    #[inline]
    pub(in crate::memtable) fn entry(&self) -> EntryPtr {
        self.entry
    }

    /// The prefix of its user key, found in the leaf.
    #[inline]
    pub(in crate::memtable) fn prefix(&self) -> u64 {
        self.prefix
    }

    /// Goes to another slot of the leaf, if that has not changed.
    #[inline]
    fn go_to(&mut self, slot: usize) -> bool {
        let Some((prefix, entry)) = self.leaf.slot(slot) else { return false };
        if !self.leaf.is_still(self.version) {
            return false;
        }
        (self.slot, self.prefix, self.entry) = (slot, prefix, entry);
        true
    }
}

/// What a leaf says about an entry that is wanted.
enum Found<const N: usize> {
    /// It has it, in this slot, of so many.
    Here(usize, usize, (u64, EntryPtr)),
    /// The leaf to the right has the key's place.
    Right(NodeRef<N>),
    /// It is the first one of the leaf to the right, if there is one.
    FirstOf(Option<NodeRef<N>>),
    /// It is the last one to the left.
    LastBefore,
}

impl<R: KeyOrder, const N: usize> BTree<R, N> {
    /// The entry on that side of the key.
    #[inline]
    pub(in crate::memtable) fn find(&self, key: &Key<'_>, side: Side) -> Option<Place<N>> {
        let leaf = self.descend(key, 0, |_| {})?;
        self.find_from(leaf, key, side)
    }

    /// The first entry.
    pub(in crate::memtable) fn first(&self) -> Option<Place<N>> {
        let mut node = self.root()?;
        // The first child of the first nodes never changes.
        while node.level() > 0 {
            node = node.child(0)?;
        }
        Some(first_of(node))
    }

    /// The last entry.
    pub(in crate::memtable) fn last(&self) -> Option<Place<N>> {
        let mut leaf = NodeRef::load(&self.last)?;
        loop {
            match last_of(leaf) {
                (place, None) => return Some(place),
                (_, Some(next)) => leaf = next,
            }
        }
    }

    /// To the next entry; returns whether there is one.
    #[inline]
    pub(in crate::memtable) fn advance(&self, place: &mut Place<N>) -> bool {
        let next = place.slot + 1;
        if next < place.count && place.go_to(next) {
            place.leaf.prefetch_entry(next + AHEAD);
            return true;
        }
        self.leave(place, Side::After)
    }

    /// To the previous entry; returns whether there is one.
    #[inline]
    pub(in crate::memtable) fn retreat(&self, place: &mut Place<N>) -> bool {
        if place.slot > 0 && place.go_to(place.slot - 1) {
            place.leaf.prefetch_entry(place.slot.saturating_sub(AHEAD));
            return true;
        }
        self.leave(place, Side::Before)
    }

    /// To the entry before or after the place's, in this leaf or another.
    #[inline(never)]
    fn leave(&self, place: &mut Place<N>, side: Side) -> bool {
        // SAFETY: an entry of the tree.
        let key = Key::new(self.order, unsafe { place.entry.ikey() });
        let Some(found) = self.find_from(place.leaf, &key, side) else { return false };
        *place = found;
        for ahead in 1..=AHEAD {
            place.leaf.prefetch_entry(match side {
                Side::After => place.slot + ahead,
                _ => place.slot.saturating_sub(ahead),
            });
        }
        true
    }

    /// The entry on that side of a key whose place is in `leaf` or to the right of it.
    #[inline]
    fn find_from(&self, mut leaf: NodeRef<N>, key: &Key<'_>, side: Side) -> Option<Place<N>> {
        loop {
            let (found, version) = leaf.read(|| self.look(leaf, key, side));
            match found {
                Found::Here(slot, count, (prefix, entry)) => {
                    return Some(Place { entry, prefix, leaf, version, slot, count });
                }
                Found::Right(next) => leaf = next,
                Found::FirstOf(next) => return next.map(first_of),
                Found::LastBefore => return last_before(leaf),
            }
        }
    }

    /// To be called under the leaf's version.
    #[inline]
    fn look(&self, leaf: NodeRef<N>, key: &Key<'_>, side: Side) -> Option<Found<N>> {
        if leaf.ends_before(self.order, key) {
            return leaf.next().map(Found::Right);
        }
        let count = leaf.count();
        let with_equal = matches!(side, Side::After | Side::AtOrBefore);
        let rank = leaf.rank(self.order, key, 0, with_equal)?;
        let slot = match side {
            Side::AtOrAfter | Side::After if rank == count => {
                return Some(Found::FirstOf(leaf.next()));
            }
            Side::AtOrAfter | Side::After => rank,
            Side::AtOrBefore | Side::Before if rank == 0 => return Some(Found::LastBefore),
            Side::AtOrBefore | Side::Before => rank - 1,
        };
        Some(Found::Here(slot, count, leaf.slot(slot)?))
    }
}

/// The first entry of a leaf; every leaf has one.
fn first_of<const N: usize>(leaf: NodeRef<N>) -> Place<N> {
    let (((prefix, entry), count), version) = leaf.read(|| Some((leaf.slot(0)?, leaf.count())));
    Place { entry, prefix, leaf, version, slot: 0, count }
}

/// The last entry of a leaf, and the leaf to its right.
fn last_of<const N: usize>(leaf: NodeRef<N>) -> (Place<N>, Option<NodeRef<N>>) {
    let (((prefix, entry), count, next), version) = leaf.read(|| {
        let count = leaf.count();
        Some((leaf.slot(count.checked_sub(1)?)?, count, leaf.next()))
    });
    (Place { entry, prefix, leaf, version, slot: count - 1, count }, next)
}

/// The last entry to the left of a leaf.
fn last_before<const N: usize>(leaf: NodeRef<N>) -> Option<Place<N>> {
    let mut left = leaf.prev()?;
    loop {
        match last_of(left) {
            (place, Some(next)) if next == leaf => return Some(place),
            (_, next) => left = next?,
        }
    }
}
