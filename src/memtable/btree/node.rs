//! [`Node`]: up to `N` sorted slots under a version.

use crate::base::arena::Arena;
use crate::base::sync::{
    AtomicPtr, AtomicU32, AtomicU64, Ordering, SPIN_LIMIT, fence, spin_loop, thread,
};
use crate::memtable::entry::EntryPtr;
use crate::memtable::order::{Key, KeyOrder};
use std::cmp;
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};

/// Set in a version while the node is locked.
const LOCKED: u64 = 1;

/// How often a reader looks at a node that keeps changing before it locks it.
const TRIES: u32 = 16;

/// A leaf, whose slots are entries, or an inner node, whose slots are the children with the entry
/// that each one's subtree begins at.
///
/// # Memory model
///
/// Whoever changes a node holds its lock: the lowest bit of `version`, which has grown when the
/// lock is free again. Readers take no lock: they load the version, then what they want, then the
/// version again, and if it is the same one nothing changed between (a *sequence lock*). So that
/// such reads are no data races, every field that changes is atomic, loaded and stored without
/// order; a release fence behind locking and an acquire fence before the second look at the
/// version see to it that whoever read something of a change sees the changed version.
///
/// What is read may be out of date, or of two moments, until the version was seen to be the same;
/// but a pointer, once loaded, can be followed at once. Entries and nodes are complete before a
/// pointer to them is stored, stay as long as the tree, and pointers are loaded with `Acquire`.
/// What these loads pair with is the release fence behind locking, for entries (they were written,
/// or their pointer was found in a node that was locked, before that), and a store with `Release`
/// for nodes, which are made under the lock.
#[repr(C, align(64))]
pub(in crate::memtable) struct Node<const N: usize> {
    version: AtomicU64,
    /// How many slots are in use.
    count: AtomicU32,
    /// 0 is a leaf. Never changes.
    level: u32,
    /// The node of this level to the right; null for the last one.
    next: AtomicPtr<Node<N>>,
    /// Some node of this level to the left, mostly the next one; null for the first one. Is not
    /// protected by the version.
    prev: AtomicPtr<Node<N>>,
    /// Everything in the node and below comes before this entry, the first one in `next`; null
    /// for the last node. Its prefix, then where it is.
    high_prefix: AtomicU64,
    high: AtomicPtr<u8>,
    /// The children of an inner node; null in a leaf. Never changes.
    children: *const [AtomicPtr<Node<N>>; N],
    /// Where the last insertion was.
    last_insert: AtomicU32,
    prefixes: [AtomicU64; N],
    /// In the first node of each inner level, slot 0 has no entry: it stands before all.
    entries: [AtomicPtr<u8>; N],
}

/// An inner node as it lies in memory.
#[repr(C)]
struct InnerNode<const N: usize> {
    node: Node<N>,
    children: [AtomicPtr<Node<N>>; N],
}

/// Points to a node of a tree. Whoever has one holds, in some way, the arena that the node is in.
pub(in crate::memtable) struct NodeRef<const N: usize>(NonNull<Node<N>>);

impl<const N: usize> Clone for NodeRef<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const N: usize> Copy for NodeRef<N> {}

impl<const N: usize> PartialEq for NodeRef<N> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

// SAFETY: as good as a shared reference to a node, in which all that changes is atomic.
unsafe impl<const N: usize> Send for NodeRef<N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Sync for NodeRef<N> {}

impl<const N: usize> Deref for NodeRef<N> {
    type Target = Node<N>;

    #[inline]
    fn deref(&self) -> &Node<N> {
        // SAFETY: nodes are complete before a pointer to them is shared, and stay as long as the
        // arena, which `BTree::insert`'s caller promises to keep as long as the tree and whatever
        // was found in it are used.
        unsafe { self.0.as_ref() }
    }
}

impl<const N: usize> NodeRef<N> {
    #[inline]
    pub(super) fn load(pointer: &AtomicPtr<Node<N>>) -> Option<NodeRef<N>> {
        NonNull::new(pointer.load(Ordering::Acquire)).map(NodeRef)
    }

    #[inline]
    pub(super) fn store(self, pointer: &AtomicPtr<Node<N>>) {
        pointer.store(self.0.as_ptr(), Ordering::Release);
    }

    /// A new node without slots in `arena`.
    pub(super) fn new(arena: &Arena, level: u32) -> NodeRef<N> {
        if level == 0 {
            let memory = arena.allocate_aligned(size_of::<Node<N>>(), align_of::<Node<N>>());
            let node = memory.cast::<Node<N>>();
            // SAFETY: fresh memory of this size and alignment.
            unsafe { node.write(Node::new(0, std::ptr::null())) };
            return NodeRef(node);
        }
        let memory = arena.allocate_aligned(size_of::<InnerNode<N>>(), align_of::<InnerNode<N>>());
        let inner = memory.cast::<InnerNode<N>>().as_ptr();
        // SAFETY: fresh memory of this size and alignment; the two fields lie within it, and each
        // is pointed to apart from the other.
        unsafe {
            let children = &raw mut (*inner).children;
            children.write(std::array::from_fn(|_| AtomicPtr::new(null_mut())));
            let node = &raw mut (*inner).node;
            node.write(Node::new(level, children));
            NodeRef(NonNull::new_unchecked(node))
        }
    }

    /// Reads something of the node as it was at one moment, and says at which version. `read`
    /// may be called any number of times; `None` from it means that what it met cannot be.
    ///
    /// Takes no lock unless the node changes again and again meanwhile.
    #[inline]
    pub(super) fn read<T>(self, mut read: impl FnMut() -> Option<T>) -> (T, u64) {
        match self.try_read(&mut read) {
            Some(result) => result,
            None => self.read_again(read),
        }
    }

    /// [`read`](NodeRef::read), unless the node is locked or changes meanwhile.
    #[inline]
    pub(super) fn try_read<T>(self, read: impl FnOnce() -> Option<T>) -> Option<(T, u64)> {
        let version = self.version.load(Ordering::Acquire);
        if version & LOCKED != 0 {
            return None;
        }
        let result = read()?;
        self.is_still(version).then_some((result, version))
    }

    #[cold]
    fn read_again<T>(self, mut read: impl FnMut() -> Option<T>) -> (T, u64) {
        loop {
            for _ in 0..TRIES.min(SPIN_LIMIT) {
                spin_loop();
                if let Some(result) = self.try_read(&mut read) {
                    return result;
                }
            }
            let locked = self.lock();
            if let Some(result) = read() {
                return (result, locked.release());
            }
        }
    }

    /// Locks the node if it is still at `version`, at which it was not locked.
    #[inline]
    pub(super) fn try_lock(self, version: u64) -> Option<Locked<N>> {
        let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
        self.version.compare_exchange(version, version | LOCKED, success, failure).ok()?;
        // Behind it are the changes: see the memory model.
        fence(Ordering::Release);
        Some(Locked { node: self, version })
    }

    #[cold]
    fn lock(self) -> Locked<N> {
        let mut spins = 0;
        loop {
            let version = self.version.load(Ordering::Relaxed);
            if version & LOCKED == 0
                && let Some(locked) = self.try_lock(version)
            {
                return locked;
            }
            // A lock is held for a few hundred instructions, unless its thread lost the processor.
            if spins < SPIN_LIMIT {
                spins += 1;
                spin_loop();
            } else {
                thread::yield_now();
            }
        }
    }
}

impl<const N: usize> Node<N> {
    /// Slots of one cache line; a search looks at the first of each line first.
    const LINE: usize = if N < 8 { N } else { 8 };

    fn new(level: u32, children: *const [AtomicPtr<Node<N>>; N]) -> Node<N> {
        const { assert!(N >= 4 && N.is_multiple_of(Self::LINE)) };
        Node {
            version: AtomicU64::new(0),
            count: AtomicU32::new(0),
            level,
            next: AtomicPtr::new(null_mut()),
            prev: AtomicPtr::new(null_mut()),
            high_prefix: AtomicU64::new(0),
            high: AtomicPtr::new(null_mut()),
            children,
            last_insert: AtomicU32::new(0),
            prefixes: std::array::from_fn(|_| AtomicU64::new(u64::MAX)),
            entries: std::array::from_fn(|_| AtomicPtr::new(null_mut())),
        }
    }

    #[inline]
    pub(super) fn level(&self) -> u32 {
        self.level
    }

    /// Whether all that was read since the version was loaded was read of one moment.
    #[inline]
    pub(super) fn is_still(&self, version: u64) -> bool {
        fence(Ordering::Acquire);
        self.version.load(Ordering::Relaxed) == version
    }

    #[inline]
    pub(super) fn count(&self) -> usize {
        (self.count.load(Ordering::Relaxed) as usize).min(N)
    }

    /// The node to the right.
    #[inline]
    pub(super) fn next(&self) -> Option<NodeRef<N>> {
        NodeRef::load(&self.next)
    }

    /// Some node to the left.
    #[inline]
    pub(super) fn prev(&self) -> Option<NodeRef<N>> {
        NodeRef::load(&self.prev)
    }

    pub(super) fn set_prev(&self, prev: NodeRef<N>) {
        prev.store(&self.prev);
    }

    #[inline]
    pub(super) fn prefix(&self, slot: usize) -> u64 {
        self.prefixes[slot].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn entry(&self, slot: usize) -> Option<EntryPtr> {
        EntryPtr::from_raw(self.entries[slot].load(Ordering::Acquire))
    }

    /// A slot's prefix and entry.
    #[inline]
    pub(super) fn slot(&self, slot: usize) -> Option<(u64, EntryPtr)> {
        Some((self.prefix(slot), self.entry(slot)?))
    }

    /// Brings the entry in a slot into the cache, if there is one: its front, as far as a key and a
    /// short value.
    #[inline]
    pub(super) fn prefetch_entry(&self, slot: usize) {
        if let Some(entry) = self.entries.get(slot) {
            let entry = entry.load(Ordering::Relaxed);
            prefetch(entry);
            prefetch(entry.wrapping_add(64));
        }
    }

    /// The child in a slot of an inner node.
    #[inline]
    pub(super) fn child(&self, slot: usize) -> Option<NodeRef<N>> {
        NodeRef::load(self.children()?.get(slot)?)
    }

    #[inline]
    fn children(&self) -> Option<&[AtomicPtr<Node<N>>; N]> {
        // SAFETY: null, or the children of the inner node that this is part of.
        unsafe { self.children.as_ref() }
    }

    /// Whether the key's place is to the right of this node.
    #[inline]
    pub(super) fn ends_before<R: KeyOrder>(&self, order: R, key: &Key<'_>) -> bool {
        let Some(high) = EntryPtr::from_raw(self.high.load(Ordering::Acquire)) else {
            return false;
        };
        match key.prefix.cmp(&self.high_prefix.load(Ordering::Relaxed)) {
            // SAFETY: an entry of the tree.
            cmp::Ordering::Equal => unsafe { key.compare(order, high) }.is_ge(),
            unequal => unequal.is_ge(),
        }
    }

    /// How many slots come before the key's place, which is before its equal, or behind it if
    /// `or_equal`. Slots below `from` are taken to be before it.
    #[inline]
    pub(super) fn rank<R: KeyOrder>(
        &self,
        order: R,
        key: &Key<'_>,
        from: usize,
        or_equal: bool,
    ) -> Option<usize> {
        let count = self.count();
        let low = self.count_below(key.prefix).clamp(from.min(count), count);
        if low == count || self.prefix(low) != key.prefix {
            return Some(low);
        }
        // Only where prefixes are equal do entries have to be looked at.
        let mut range = low..match key.prefix.checked_add(1) {
            Some(above) => self.count_below(above).clamp(low, count),
            None => count,
        };
        while !range.is_empty() {
            let middle = range.start + range.len() / 2;
            // SAFETY: an entry of the tree.
            let to_middle = unsafe { key.compare(order, self.entry(middle)?) };
            if to_middle.is_gt() || (or_equal && to_middle.is_eq()) {
                range.start = middle + 1;
            } else {
                range.end = middle;
            }
        }
        Some(range.start)
    }

    /// How many slots have a prefix below this one. What stands behind the slots in use counts
    /// too, if it is below; but it never is: those are prefixes that were moved to the right.
    #[inline]
    fn count_below(&self, prefix: u64) -> usize {
        // Two rounds of loads that do not wait for each other cost two cache misses at most;
        // halving would cost one a step.
        let is_below = |slot: usize| usize::from(self.prefix(slot) < prefix);
        let lines: usize = (0..N / Self::LINE).map(|line| is_below(line * Self::LINE)).sum();
        let Some(line) = lines.checked_sub(1) else { return 0 };
        let start = line * Self::LINE;
        start + 1 + (start + 1..start + Self::LINE).map(is_below).sum::<usize>()
    }
}

/// A slot's content.
pub(super) struct Item<const N: usize> {
    pub(super) prefix: u64,
    /// Null in the first slot of a level's first inner node.
    pub(super) entry: *mut u8,
    /// `None` in leaves.
    pub(super) child: Option<NodeRef<N>>,
}

/// A locked node. Unlocked when it drops, as one that was changed.
pub(super) struct Locked<const N: usize> {
    node: NodeRef<N>,
    /// At which it was locked.
    version: u64,
}

impl<const N: usize> Drop for Locked<N> {
    #[inline]
    fn drop(&mut self) {
        self.node.version.store(self.version + 2, Ordering::Release);
    }
}

impl<const N: usize> Locked<N> {
    /// Unlocks the node; returns its version from then on.
    fn release(self) -> u64 {
        self.version + 2
    }

    /// Puts `item` into a slot of the node, which has room.
    #[inline]
    pub(super) fn insert(self, slot: usize, item: &Item<N>) {
        self.node.insert(slot, self.node.count(), item);
    }

    /// Puts `item` into a slot of the node, which is full: `right`, a new node of this level,
    /// takes a part and comes to stand to its right.
    #[cold]
    pub(super) fn split(self, right: NodeRef<N>, slot: usize, item: &Item<N>) {
        let left = self.node;
        let last_insert = left.last_insert.load(Ordering::Relaxed) as usize;
        // Where keys come in ascending order what is to the left of them stays full: nothing
        // more will come there.
        let ascending = slot == last_insert + 1;
        let cut = if slot == N || (ascending && slot > 1) { slot } else { N / 2 };
        right.take_from(&left, cut);
        if slot > cut || cut == N {
            right.insert(slot - cut, N - cut, item);
            left.count.store(cut as u32, Ordering::Relaxed);
        } else {
            left.insert(slot, cut, item);
        }
        right.high_prefix.store(left.high_prefix.load(Ordering::Relaxed), Ordering::Relaxed);
        right.high.store(left.high.load(Ordering::Relaxed), Ordering::Relaxed);
        right.next.store(left.next.load(Ordering::Relaxed), Ordering::Relaxed);
        right.set_prev(left);
        left.high_prefix.store(right.prefix(0), Ordering::Relaxed);
        left.high.store(right.entries[0].load(Ordering::Relaxed), Ordering::Relaxed);
        right.store(&left.next);
    }
}

/// Changes, by whoever has locked the node or has not shared it yet.
impl<const N: usize> Node<N> {
    /// Moves the slots from `slot` on, of `count`, one on, and fills the gap.
    #[inline]
    pub(super) fn insert(&self, slot: usize, count: usize, item: &Item<N>) {
        shift(&self.prefixes[slot..=count], |from, to| {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        });
        self.prefixes[slot].store(item.prefix, Ordering::Relaxed);
        shift(&self.entries[slot..=count], move_pointer);
        self.entries[slot].store(item.entry, Ordering::Relaxed);
        if let (Some(children), Some(child)) = (self.children(), item.child) {
            shift(&children[slot..=count], move_pointer);
            child.store(&children[slot]);
        }
        self.last_insert.store(slot as u32, Ordering::Relaxed);
        self.count.store(count as u32 + 1, Ordering::Relaxed);
    }

    /// Copies what `left` has from slot `cut` on into this empty node.
    fn take_from(&self, left: &Node<N>, cut: usize) {
        for (from, to) in left.prefixes[cut..].iter().zip(&self.prefixes) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        for (from, to) in left.entries[cut..].iter().zip(&self.entries) {
            move_pointer(from, to);
        }
        if let (Some(from), Some(to)) = (left.children(), self.children()) {
            from[cut..].iter().zip(to).for_each(|(from, to)| move_pointer(from, to));
        }
        self.count.store((N - cut) as u32, Ordering::Relaxed);
    }
}

/// Moves each element but the last one place on.
#[inline]
fn shift<T>(slots: &[T], mut copy: impl FnMut(&T, &T)) {
    for at in (1..slots.len()).rev() {
        copy(&slots[at - 1], &slots[at]);
    }
}

/// What is moved was found in a node that this thread has locked, and is stored behind the release
/// fence; so even a moved pointer to a node needs no `Release` of its own.
#[inline]
fn move_pointer<T>(from: &AtomicPtr<T>, to: &AtomicPtr<T>) {
    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Asks for the cache line at an address, whatever that is.
#[inline]
fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which reads nothing and so is never out of bounds.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
