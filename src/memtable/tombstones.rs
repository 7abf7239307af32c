//! [`TombstoneTable`]: a memtable's range tombstones.

use crate::base::comparator::Comparator;
use crate::base::key::SequenceNumber;
use crate::base::status::Result;
use crate::base::sync::{Arc, AtomicUsize, Mutex, Ordering};
use crate::rangedel::{Fragments, FragmentsBuilder};

/// Range tombstones as they came, and the fragments that readers were given last.
///
/// A memtable without any costs its readers one load. With some, a reader takes the lock for a
/// moment to share the fragments; they are built anew only when a tombstone came since.
#[derive(Default)]
pub(super) struct TombstoneTable {
    count: AtomicUsize,
    /// What all keys and the vector take, in bytes.
    memory: AtomicUsize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    tombstones: Vec<Tombstone>,
    /// Cut from the first so many tombstones.
    fragments: Option<(usize, Arc<Fragments>)>,
}

impl Inner {
    fn add_to(&self, builder: &mut FragmentsBuilder) {
        for tombstone in &self.tombstones {
            builder.add(&tombstone.start, &tombstone.end, tombstone.sequence);
        }
    }
}

struct Tombstone {
    start: Box<[u8]>,
    end: Box<[u8]>,
    sequence: SequenceNumber,
}

impl TombstoneTable {
    /// How many tombstones there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        // Pairs with the store in `add`: who sees a sequence number published sees its tombstone
        // counted, since the writer publishes behind adding.
        self.count.load(Ordering::Acquire)
    }

    /// An estimate of the memory taken, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, start: &[u8], end: &[u8], sequence: SequenceNumber) {
        let tombstone = Tombstone { start: start.into(), end: end.into(), sequence };
        let mut inner = self.inner.lock();
        inner.tombstones.push(tombstone);
        self.count.store(inner.tombstones.len(), Ordering::Release);
        let bytes = start.len() + end.len() + size_of::<Tombstone>();
        self.memory.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds all tombstones to `builder`.
    pub(super) fn add_to(&self, builder: &mut FragmentsBuilder) {
        self.inner.lock().add_to(builder);
    }

    /// All tombstones, cut; `None` if there is none.
    #[inline]
    pub(super) fn fragments(&self, comparator: &Comparator) -> Result<Option<Arc<Fragments>>> {
        if self.len() == 0 {
            return Ok(None);
        }
        self.share_fragments(comparator).map(Some)
    }

    #[cold]
    fn share_fragments(&self, comparator: &Comparator) -> Result<Arc<Fragments>> {
        let mut inner = self.inner.lock();
        let count = inner.tombstones.len();
        if let Some((cut, fragments)) = &inner.fragments
            && *cut == count
        {
            return Ok(fragments.clone());
        }
        let mut builder = FragmentsBuilder::new();
        inner.add_to(&mut builder);
        let fragments = Arc::new(builder.build(comparator)?);
        inner.fragments = Some((count, fragments.clone()));
        Ok(fragments)
    }
}
