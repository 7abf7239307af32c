//! The main crate's index of memtables, and a small face of it for tests.

#[path = "../../../src/memtable/btree/mod.rs"]
#[allow(dead_code, reason = "iterators and look-ups use more")]
mod btree;
#[path = "../../../src/memtable/entry.rs"]
#[allow(dead_code, reason = "values are not looked at")]
mod entry;
#[path = "../../../src/memtable/order.rs"]
#[allow(dead_code, reason = "there is one order")]
mod order;

use self::btree::{BTree, Place, Side};
use self::entry::{EntryLen, EntryPtr};
use self::order::{Key, KeyOrder};
use crate::base::arena::Arena;
use crate::base::key::{InternalKey, ValueType, user_key};
use crate::base::sync::Arc;
use loom::cell::UnsafeCell;
use std::cmp::Ordering;

/// Keys are numbers below this.
const KEYS: usize = 16;

/// What an entry holds, as the model checker sees it: it cannot watch the bytes in the arena, so
/// each key has a cell that is written before the key is inserted and read whenever the key is
/// compared. An entry that is reached without having been made visible is an access at once.
struct Cells([UnsafeCell<u8>; KEYS]);

// SAFETY: the model checker reports accesses that are not ordered.
unsafe impl Send for Cells {}
// SAFETY: as above.
unsafe impl Sync for Cells {}

/// The order of numbers. Two neighbours share a prefix.
#[derive(Clone, Copy)]
struct Watched(*const Cells);

// SAFETY: as for `Cells`, which outlive the tree.
unsafe impl Send for Watched {}
// SAFETY: as above.
unsafe impl Sync for Watched {}

impl Watched {
    fn look(self, key: u8) {
        // SAFETY: the cells outlive the tree, and the model checker reports races.
        let written = unsafe { (*self.0).0[usize::from(key)].with(|cell| *cell) };
        assert_eq!(written, key, "read before it was there");
    }
}

impl KeyOrder for Watched {
    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        // The first one is what is searched for, which need not be in the tree.
        self.look(b[0]);
        a.cmp(b)
    }

    fn prefix(self, user_key: &[u8]) -> u64 {
        u64::from(user_key[0] / 2)
    }
}

/// A tree of numbers with nodes of four slots.
pub struct Index {
    tree: BTree<Watched, 4>,
    arena: Arena,
    cells: Arc<Cells>,
}

impl Index {
    /// A tree that has these keys.
    pub fn of(keys: &[u8]) -> Arc<Index> {
        let cells = Arc::new(Cells(std::array::from_fn(|_| UnsafeCell::new(u8::MAX))));
        let tree = BTree::new(Watched(&raw const *cells));
        let index = Index { tree, arena: Arena::new(64 << 10), cells };
        assert!(keys.iter().all(|&key| index.insert(key)));
        Arc::new(index)
    }

    /// Inserts a key that nobody else inserts meanwhile.
    pub fn insert(&self, key: u8) -> bool {
        self.make(key);
        self.insert_made(key)
    }

    /// Makes what a key's entry holds.
    pub fn make(&self, key: u8) {
        // SAFETY: the model checker reports races.
        self.cells.0[usize::from(key)].with_mut(|cell| unsafe { *cell = key });
    }

    /// Inserts a key that was made.
    pub fn insert_made(&self, key: u8) -> bool {
        let Ok(len) = EntryLen::of(&[key], b"") else { return false };
        let entry = EntryPtr::write(&self.arena, &len, 1, ValueType::Value, &[key], b"");
        // SAFETY: there is one arena, and it goes with the tree.
        unsafe { self.tree.insert(&self.arena, entry) }
    }

    /// Whether the key is found.
    pub fn has(&self, key: u8) -> bool {
        let ikey = InternalKey::new(&[key], 1, ValueType::Value);
        let sought = Key::new(self.tree.order(), ikey.as_bytes());
        self.tree.find(&sought, Side::AtOrAfter).is_some_and(|place| self.content(&place) == key)
    }

    /// All keys.
    pub fn ascending(&self) -> Vec<u8> {
        self.walk(self.tree.first(), |place| self.tree.advance(place))
    }

    /// All keys from the last one on.
    pub fn descending(&self) -> Vec<u8> {
        self.walk(self.tree.last(), |place| self.tree.retreat(place))
    }

    fn walk(
        &self,
        place: Option<Place<4>>,
        mut step: impl FnMut(&mut Place<4>) -> bool,
    ) -> Vec<u8> {
        let Some(mut place) = place else { return Vec::new() };
        let mut keys = vec![self.content(&place)];
        while step(&mut place) {
            keys.push(self.content(&place));
        }
        keys
    }

    fn content(&self, place: &Place<4>) -> u8 {
        // SAFETY: the arena is there.
        let key = user_key(unsafe { place.entry().ikey() })[0];
        self.tree.order().look(key);
        key
    }
}
