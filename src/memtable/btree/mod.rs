//! The ordered index: a B+-tree over {order prefix, pointer to the entry} that any number of
//! threads insert into and read at once.
//!
//! Most comparisons of a search are decided by the 8-byte prefixes, of which a node has many in
//! few cache lines, and touch no entry.
//!
//! Readers take no locks: each node is read optimistically under its version (see
//! [`Node`](node::Node)). An inserter locks one node at a time, the one it changes, and only for
//! moving numbers; no comparison, and so no code of the user's, runs meanwhile.
//!
//! The tree is a *B-link tree* (Lehman and Yao 1981): each node knows the first key of the next
//! one on its level. A node is split in two steps, the second of which tells the parent; who comes
//! between, or read the parent before, finds the key beyond the node's end and moves to the right.
//! So a node need not be locked or compared together with its parent, and since nothing is ever
//! removed, a key that belonged into a node is there or to the right of it for ever.
//!
//! Nodes lie in the memtable's arena, like the entries.

mod cursor;
mod node;
#[cfg(test)]
mod tests;

pub(in crate::memtable) use self::cursor::{Place, Side};

use self::node::{Item, Node, NodeRef};
use super::entry::EntryPtr;
use super::order::{Key, KeyOrder};
use crate::base::arena::Arena;
use crate::base::sync::{AtomicPtr, Mutex};
use std::cmp;
use std::ptr::null_mut;

/// The slots of a node, in which a leaf takes about 1 KiB.
pub(super) const SLOTS: usize = 64;

/// Levels above the leaves for which an insertion remembers where it came down.
const PATH: usize = 8;

/// The index.
pub(super) struct BTree<R: KeyOrder, const N: usize = SLOTS> {
    /// The first node of the highest level; null as long as nothing was inserted.
    root: AtomicPtr<Node<N>>,
    /// The last leaf, or one that was it lately.
    last: AtomicPtr<Node<N>>,
    /// Held while the tree gets its first leaf or a new root.
    growing: Mutex<()>,
    order: R,
}

/// Where the search for a key's place on one level goes on.
enum Step<const N: usize> {
    /// In the node to the right.
    Right(NodeRef<N>),
    /// In this child.
    Down(NodeRef<N>),
    /// Nowhere: it belongs into this slot.
    Here { slot: usize, is_full: bool },
    /// Nowhere: it is there already.
    Duplicate,
}

/// What became of an insertion into one level.
enum Inserted<const N: usize> {
    Done,
    /// This node came to be, and the level above has to know.
    Split(NodeRef<N>),
    Duplicate,
}

/// The nodes of the levels from 1 on in which a search went down.
type Path<const N: usize> = [Option<NodeRef<N>>; PATH];

impl<R: KeyOrder, const N: usize> BTree<R, N> {
    pub(super) fn new(order: R) -> Self {
        BTree {
            root: AtomicPtr::new(null_mut()),
            last: AtomicPtr::new(null_mut()),
            growing: Mutex::new(()),
            order,
        }
    }

    pub(super) fn order(&self) -> R {
        self.order
    }

    pub(super) fn is_empty(&self) -> bool {
        self.root().is_none()
    }

    #[inline]
    fn root(&self) -> Option<NodeRef<N>> {
        NodeRef::load(&self.root)
    }

    /// Adds `entry`, unless its user key and sequence number are there already.
    ///
    /// # Safety
    /// The entry must lie in `arena`, which must be the same one each time, and outlive the tree
    /// and all that is found in it.
    #[inline]
    pub(super) unsafe fn insert(&self, arena: &Arena, entry: EntryPtr) -> bool {
        // SAFETY: the caller's entry is readable.
        let key = Key::new(self.order, unsafe { entry.ikey() });
        let item = Item { prefix: key.prefix, entry: entry.to_raw(), child: None };
        let Some(last) = NodeRef::load(&self.last) else { return self.start(arena, &key, item) };
        self.append(last, &key, &item) || self.insert_from_root(arena, &key, item)
    }

    #[cold]
    fn start(&self, arena: &Arena, key: &Key<'_>, item: Item<N>) -> bool {
        let growing = self.growing.lock();
        if !self.is_empty() {
            drop(growing);
            return self.insert_from_root(arena, key, item);
        }
        let leaf = NodeRef::new(arena, 0);
        leaf.insert(0, 0, &item);
        leaf.store(&self.root);
        // Behind it, so that who sees a last leaf sees a root.
        leaf.store(&self.last);
        true
    }

    /// Inserts a key that is behind all others, if `leaf` is the last one and has room: what keys
    /// that come in ascending order do most of the time. Returns whether it did.
    #[inline]
    fn append(&self, leaf: NodeRef<N>, key: &Key<'_>, item: &Item<N>) -> bool {
        let found = leaf.try_read(|| {
            let count = leaf.count();
            let at = count.checked_sub(1)?;
            let is_behind = match key.prefix.cmp(&leaf.prefix(at)) {
                // SAFETY: an entry of the tree.
                cmp::Ordering::Equal => unsafe { key.compare(self.order, leaf.entry(at)?) }.is_gt(),
                unequal => unequal.is_gt(),
            };
            (is_behind && count < N && leaf.next().is_none()).then_some(count)
        });
        let Some((count, version)) = found else { return false };
        let Some(locked) = leaf.try_lock(version) else { return false };
        locked.insert(count, item);
        true
    }

    fn insert_from_root(&self, arena: &Arena, key: &Key<'_>, item: Item<N>) -> bool {
        let mut path = [None; PATH];
        let found = self.descend(key, 0, |node| {
            if let Some(place) = path.get_mut(node.level() as usize - 1) {
                *place = Some(node);
            }
        });
        let Some(leaf) = found else { return false };
        match self.insert_at(arena, leaf, key, &item) {
            Inserted::Done => true,
            Inserted::Duplicate => false,
            Inserted::Split(right) => {
                self.tell_parents(arena, right, &path);
                true
            }
        }
    }

    /// Down to the node of `level` in whose subtree, or to the right of it, the key has its place;
    /// `None` if the tree is not as high. `pass` is shown the nodes above.
    #[inline]
    fn descend(
        &self,
        key: &Key<'_>,
        level: u32,
        mut pass: impl FnMut(NodeRef<N>),
    ) -> Option<NodeRef<N>> {
        let mut node = self.root().filter(|root| root.level() >= level)?;
        while node.level() > level {
            let (step, _) = node.read(|| {
                if node.ends_before(self.order, key) {
                    return node.next().map(Step::Right);
                }
                let behind = node.rank(self.order, key, 1, true)?;
                node.child(behind.checked_sub(1)?).map(Step::Down)
            });
            match step {
                Step::Down(child) => {
                    pass(node);
                    node = child;
                }
                Step::Right(next) => node = next,
                _ => unreachable!("inner nodes lead on"),
            }
        }
        Some(node)
    }

    /// Inserts into the level of `node`, there or to the right of it.
    #[inline]
    fn insert_at(
        &self,
        arena: &Arena,
        mut node: NodeRef<N>,
        key: &Key<'_>,
        item: &Item<N>,
    ) -> Inserted<N> {
        let mut spare = None;
        loop {
            let (step, version) = node.read(|| self.find_slot(node, key));
            let (slot, is_full) = match step {
                Step::Here { slot, is_full } => (slot, is_full),
                Step::Right(next) => {
                    node = next;
                    continue;
                }
                Step::Duplicate => return Inserted::Duplicate,
                Step::Down(_) => unreachable!("the search stays on its level"),
            };
            if !is_full {
                let Some(locked) = node.try_lock(version) else { continue };
                locked.insert(slot, item);
                return Inserted::Done;
            }
            // Before the node is locked, since the arena may have to ask the system.
            let right = *spare.get_or_insert_with(|| NodeRef::new(arena, node.level()));
            let Some(locked) = node.try_lock(version) else { continue };
            locked.split(right, slot, item);
            self.link_behind(right);
            return Inserted::Split(right);
        }
    }

    /// To be called under the node's version.
    #[inline]
    fn find_slot(&self, node: NodeRef<N>, key: &Key<'_>) -> Option<Step<N>> {
        if node.ends_before(self.order, key) {
            return node.next().map(Step::Right);
        }
        let count = node.count();
        let is_full = count == N;
        if node.level() > 0 {
            let slot = node.rank(self.order, key, 1, true)?;
            return Some(Step::Here { slot, is_full });
        }
        let slot = node.rank(self.order, key, 0, false)?;
        if slot < count
            && node.prefix(slot) == key.prefix
            // SAFETY: an entry of the tree.
            && unsafe { key.compare(self.order, node.entry(slot)?) }.is_eq()
        {
            return Some(Step::Duplicate);
        }
        Some(Step::Here { slot, is_full })
    }

    /// Lets what is to the right of a new node know of it, as far as that is good to know.
    fn link_behind(&self, node: NodeRef<N>) {
        match node.next() {
            Some(next) => next.set_prev(node),
            None if node.level() == 0 => node.store(&self.last),
            None => {}
        }
    }

    /// Inserts what a new node begins at into its parent, which may have to be split, too.
    #[cold]
    fn tell_parents(&self, arena: &Arena, mut child: NodeRef<N>, path: &Path<N>) {
        loop {
            let level = child.level() + 1;
            // A node that is not the first of its level keeps its first slot for ever: what comes
            // before that comes before the node.
            let (Some(entry), prefix) = (child.entry(0), child.prefix(0)) else { return };
            // SAFETY: an entry of the tree.
            let key = Key::new(self.order, unsafe { entry.ikey() });
            let item = Item { prefix, entry: entry.to_raw(), child: Some(child) };
            let parent = match path.get(level as usize - 1) {
                Some(Some(parent)) => *parent,
                _ => match self.descend(&key, level, |_| {}) {
                    Some(parent) => parent,
                    None if self.grow(arena, level, &item) => return,
                    None => continue,
                },
            };
            match self.insert_at(arena, parent, &key, &item) {
                Inserted::Split(right) => child = right,
                _ => return,
            }
        }
    }

    /// Puts a new root of `level`, with the old root and `item` in it, on top. Returns whether it
    /// did; the tree may be as high already.
    fn grow(&self, arena: &Arena, level: u32, item: &Item<N>) -> bool {
        let _growing = self.growing.lock();
        let Some(old) = self.root().filter(|root| root.level() < level) else { return false };
        let root = NodeRef::new(arena, level);
        root.insert(0, 0, &Item { prefix: 0, entry: null_mut(), child: Some(old) });
        root.insert(1, 1, item);
        root.store(&self.root);
        true
    }
}
