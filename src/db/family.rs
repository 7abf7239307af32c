//! [`Family`]: an open column family, and [`FamilySet`], all that are open.

use crate::base::comparator::Comparator;
use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::memtable::{MemTable, MemTableOptions};
use crate::options::CfOptions;
use crate::read::super_version::SuperVersion;
use crate::version::column_family::ColumnFamily as PersistentFamily;
use crate::version::table_cache::TableCache;
use arc_swap::ArcSwap;

/// A column family: its options, and the view of its data that readers pin.
///
/// Handles keep it alive after it was dropped, and its data with it.
pub struct Family {
    /// The part that the MANIFEST stores.
    pub persistent: Arc<PersistentFamily>,
    /// Its options, as they were at open.
    pub options: Arc<CfOptions>,
    /// Opens its tables.
    pub tables: Arc<TableCache>,
    /// Loaded without a lock; replaced under the database mutex.
    pub(super) super_version: ArcSwap<SuperVersion>,
    dropped: AtomicBool,
}

impl Family {
    /// A family with an empty memtable over its persistent state.
    pub fn new(
        persistent: Arc<PersistentFamily>,
        options: Arc<CfOptions>,
        tables: Arc<TableCache>,
        mem: Arc<MemTable>,
    ) -> Family {
        let view = SuperVersion { mem, imm: Vec::new(), version: persistent.current() };
        Family {
            persistent,
            options,
            tables,
            super_version: ArcSwap::from_pointee(view),
            dropped: AtomicBool::new(false),
        }
    }

    /// The id that the log and the MANIFEST know it by.
    pub fn id(&self) -> u32 {
        self.persistent.id()
    }

    /// Its name, which may be any bytes.
    pub fn name(&self) -> &[u8] {
        self.persistent.name()
    }

    /// The order of its keys.
    pub fn comparator(&self) -> &Comparator {
        self.persistent.comparator()
    }

    /// The current view, held for as long as it is wanted.
    pub fn pin(&self) -> Arc<SuperVersion> {
        self.super_version.load_full()
    }

    /// Whether it was dropped: it can be read through handles that exist, but not written.
    pub fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    pub(super) fn set_dropped(&self) {
        self.dropped.store(true, Ordering::Release);
    }

    /// Shows readers an empty memtable with this id instead of the current one.
    pub(super) fn replace_memtable(&self, id: u64) {
        self.republish_with(self.new_memtable(id));
    }

    /// Shows readers the current tables. Only while the database opens: there are no immutable
    /// memtables yet.
    pub(super) fn republish(&self) {
        self.republish_with(self.super_version.load().mem.clone());
    }

    fn republish_with(&self, mem: Arc<MemTable>) {
        let version = self.persistent.current();
        self.super_version.store(Arc::new(SuperVersion { mem, imm: Vec::new(), version }));
    }

    /// A memtable fit for this family.
    pub(super) fn new_memtable(&self, id: u64) -> Arc<MemTable> {
        new_memtable(id, self.comparator().clone(), &self.options)
    }
}

/// A memtable with the options of a column family.
pub(super) fn new_memtable(id: u64, comparator: Comparator, options: &CfOptions) -> Arc<MemTable> {
    let options = MemTableOptions { arena_block_size: options.arena_block_size };
    Arc::new(MemTable::new(id, comparator, &options))
}

/// The open column families. Immutable; a change makes a new set.
#[derive(Clone, Default)]
pub struct FamilySet {
    /// Ascending by id, so that the default family is the first.
    families: Vec<Arc<Family>>,
}

impl FamilySet {
    /// The family with this id.
    #[inline]
    pub fn get(&self, id: u32) -> Option<&Arc<Family>> {
        match self.families.first() {
            Some(first) if first.id() == id => Some(first),
            _ => self.families.get(self.find(id).ok()?),
        }
    }

    fn find(&self, id: u32) -> Result<usize, usize> {
        self.families.binary_search_by_key(&id, |family| family.id())
    }

    /// All families, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Family>> {
        self.families.iter()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.families.len()
    }

    pub(super) fn insert(&mut self, family: Arc<Family>) {
        match self.find(family.id()) {
            Ok(at) => self.families[at] = family,
            Err(at) => self.families.insert(at, family),
        }
    }

    pub(super) fn remove(&mut self, id: u32) {
        if let Ok(at) = self.find(id) {
            self.families.remove(at);
        }
    }
}
