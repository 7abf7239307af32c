//! [`Family`]: an open column family, and [`FamilySet`], all that are open.

use super::family_stats::FamilyStats;
use crate::base::comparator::Comparator;
use crate::base::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, Weak};
use crate::cache::WriteBufferManager;
use crate::memtable::{Guard, MemBloom, MemTable, MemTableOptions};
use crate::options::CfOptions;
use crate::read::super_version::SuperVersion;
use crate::table::TableReadOptions;
use crate::version::column_family::ColumnFamily as PersistentFamily;
use crate::version::table_cache::TableCache;
use crate::version::version::Version;
use arc_swap::ArcSwap;

/// A column family: its options, and the view of its data that readers pin.
///
/// Handles keep it alive after it was dropped, and its data with it.
pub struct Family {
    /// The part that the MANIFEST stores.
    pub persistent: Arc<PersistentFamily>,
    /// Its options as they were at open, for those that do not change meanwhile.
    pub options: Arc<CfOptions>,
    /// What reads of tables do unless the read's options say otherwise.
    pub(super) table_reads: TableReadOptions,
    /// Its options now.
    live_options: ArcSwap<CfOptions>,
    /// Of those, what every write asks for.
    write_buffer_size: AtomicUsize,
    /// And what every iterator asks for.
    max_sequential_skip: AtomicU64,
    /// Opens its tables.
    pub tables: Arc<TableCache>,
    /// Counts its memtables.
    write_buffers: Option<Arc<WriteBufferManager>>,
    /// Loaded without a lock; replaced under the database mutex.
    pub(super) super_version: ArcSwap<SuperVersion>,
    dropped: AtomicBool,
    /// What flushes and compactions did to it. Held for a moment, and no lock is taken meanwhile.
    pub(super) stats: Mutex<FamilyStats>,
    views: Mutex<Views>,
}

/// The views that readers were given since the database was opened.
#[derive(Default)]
struct Views {
    published: u64,
    /// Versions that somebody may hold, with their numbers.
    versions: Vec<(u64, Weak<Version>)>,
    last_version: u64,
}

impl Views {
    fn publish(&mut self, version: &Arc<Version>) {
        self.published += 1;
        if self.number(version).is_none() {
            self.versions.retain(|(_, held)| held.strong_count() > 0);
            self.last_version += 1;
            self.versions.push((self.last_version, Arc::downgrade(version)));
        }
    }

    fn number(&self, version: &Arc<Version>) -> Option<u64> {
        let same = |held: &Weak<Version>| std::ptr::eq(held.as_ptr(), Arc::as_ptr(version));
        self.versions.iter().rev().find(|(_, held)| same(held)).map(|(number, _)| *number)
    }
}

impl Family {
    /// A family with an empty memtable over its persistent state.
    pub fn new(
        persistent: Arc<PersistentFamily>,
        options: Arc<CfOptions>,
        tables: Arc<TableCache>,
        write_buffers: Option<Arc<WriteBufferManager>>,
    ) -> Family {
        let comparator = persistent.comparator().clone();
        let mem = new_memtable(1, comparator, &options, write_buffers.as_ref());
        let view = SuperVersion { mem, imm: Vec::new(), version: persistent.current() };
        let mut views = Views::default();
        views.publish(&view.version);
        Family {
            persistent,
            table_reads: table_reads(&options),
            live_options: ArcSwap::new(options.clone()),
            write_buffer_size: options.write_buffer_size.into(),
            max_sequential_skip: options.max_sequential_skip_in_iterations.into(),
            options,
            tables,
            write_buffers,
            super_version: ArcSwap::from_pointee(view),
            dropped: AtomicBool::new(false),
            stats: Mutex::default(),
            views: Mutex::new(views),
        }
    }

    /// Its options as they are now.
    pub fn live_options(&self) -> Arc<CfOptions> {
        self.live_options.load_full()
    }

    pub(super) fn set_live_options(&self, options: CfOptions) {
        self.write_buffer_size.store(options.write_buffer_size, Ordering::Relaxed);
        let skip = options.max_sequential_skip_in_iterations;
        self.max_sequential_skip.store(skip, Ordering::Relaxed);
        self.live_options.store(Arc::new(options));
    }

    /// The size at which a memtable is full.
    #[inline]
    pub(super) fn write_buffer_size(&self) -> usize {
        self.write_buffer_size.load(Ordering::Relaxed)
    }

    /// How many versions of a key iterators step over before they seek.
    #[inline]
    pub(super) fn max_sequential_skip(&self) -> u64 {
        self.max_sequential_skip.load(Ordering::Relaxed)
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

    /// Up once it was dropped.
    pub(super) fn dropped_flag(&self) -> &AtomicBool {
        &self.dropped
    }

    pub(super) fn set_dropped(&self) {
        self.dropped.store(true, Ordering::Release);
    }

    /// Gives readers another view; the old one is returned.
    pub(super) fn publish(&self, view: SuperVersion) -> Arc<SuperVersion> {
        self.views.lock().publish(&view.version);
        self.super_version.swap(Arc::new(view))
    }

    /// How many views readers were given since the database was opened.
    pub(super) fn super_version_number(&self) -> u64 {
        self.views.lock().published
    }

    /// The number of a version that is held; 0 if it is none of this family's.
    pub(super) fn version_number(&self, version: &Arc<Version>) -> u64 {
        self.views.lock().number(version).unwrap_or(0)
    }

    /// The versions that somebody holds, the current one among them.
    pub(super) fn live_versions(&self) -> Vec<Arc<Version>> {
        self.views.lock().versions.iter().filter_map(|(_, held)| held.upgrade()).collect()
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
        self.publish(SuperVersion { mem, imm: Vec::new(), version });
    }

    /// A memtable fit for this family.
    pub(super) fn new_memtable(&self, id: u64) -> Arc<MemTable> {
        let (comparator, options) = (self.comparator().clone(), self.live_options());
        new_memtable(id, comparator, &options, self.write_buffers.as_ref())
    }
}

fn table_reads(options: &CfOptions) -> TableReadOptions {
    let Some(table) = options.table_factory.block_based() else { return Default::default() };
    TableReadOptions {
        initial_auto_readahead_size: table.initial_auto_readahead_size,
        max_auto_readahead_size: table.max_auto_readahead_size,
        num_file_reads_for_auto_readahead: table.num_file_reads_for_auto_readahead,
        ..TableReadOptions::default()
    }
}

/// A memtable with the options of a column family.
fn new_memtable(
    id: u64,
    comparator: Comparator,
    options: &CfOptions,
    manager: Option<&Arc<WriteBufferManager>>,
) -> Arc<MemTable> {
    let bytes = options.write_buffer_size as f64 * options.memtable_prefix_bloom_size_ratio;
    let bloom = MemBloom::new(
        bytes as usize,
        options.prefix_extractor.clone(),
        options.memtable_whole_key_filtering,
        comparator.timestamp_size(),
    );
    // The buffer size may have shrunk since the block size was derived from it.
    let least = (options.write_buffer_size / 8).next_multiple_of(4096);
    let fits = options.arena_block_size <= options.write_buffer_size;
    let arena_block_size = if fits { options.arena_block_size } else { least };
    let options = MemTableOptions {
        arena_block_size,
        huge_page_size: options.memtable_huge_page_size,
        max_range_deletions: options.memtable_max_range_deletions,
        guard: Guard {
            // Validated to be 8 at most.
            bytes_per_key: options.memtable_protection_bytes_per_key as u8,
            order: options.paranoid_memory_checks,
            neighbours: options.memtable_verify_per_key_checksum_on_seek,
        },
    };
    Arc::new(MemTable::new(id, comparator, &options).with_bloom(bloom).with_manager(manager))
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
