//! [`Version`]: one immutable state of a column family's tables.

use super::blob::BlobFileMeta;
use super::file_meta::FileMeta;
use super::tombstone_knowledge::TombstoneKnowledge;
use crate::base::comparator::{Comparator, Order};
use crate::base::key::{InternalKey, LookupKey, compare_internal, user_key};
use crate::base::status::Result;
use crate::base::sync::{Arc, OnceLock};
use std::cmp;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

/// The files of one level.
#[derive(Debug, Default)]
pub struct Level {
    files: Vec<Arc<FileMeta>>,
    /// `Order::prefix` of each file's last user key, so that a search touches the files
    /// themselves only where eight bytes do not decide.
    largest_prefixes: Vec<u64>,
    bytes: u64,
    tombstones: TombstoneKnowledge,
}

impl Level {
    pub(super) fn new(comparator: &Comparator, files: Vec<Arc<FileMeta>>) -> Level {
        let prefix = |f: &Arc<FileMeta>| comparator.prefix(f.largest.user_key());
        Level {
            largest_prefixes: files.iter().map(prefix).collect(),
            bytes: files.iter().map(|f| f.file_size).fold(0, u64::saturating_add),
            files,
            tombstones: TombstoneKnowledge::default(),
        }
    }

    /// Whether any of the files may hold range tombstones. Looks at each file once: if one was
    /// not opened by then, the answer stays yes for this level of this version.
    pub fn may_have_tombstones(&self) -> bool {
        self.tombstones.get().unwrap_or_else(|| {
            let any = self.files.iter().any(|file| file.has_tombstones() != Some(false));
            self.tombstones.set(any);
            any
        })
    }

    /// The files: level 0 newest first, other levels in key order.
    pub fn files(&self) -> &[Arc<FileMeta>] {
        &self.files
    }

    /// The sum of the file sizes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The index of the first file whose last key is at or behind `ikey`; the number of files if
    /// there is none. Not for level 0. `order` must be that of the column family.
    #[inline]
    pub fn find_file<O: Order>(&self, order: &O, ikey: &[u8]) -> usize {
        let prefix = order.prefix(user_key(ikey));
        let from = self.largest_prefixes.partition_point(|&p| p < prefix);
        let undecided = self.largest_prefixes[from..].partition_point(|&p| p == prefix);
        from + self.files[from..from + undecided].partition_point(|f| {
            compare_internal(order, f.largest.as_bytes(), ikey) == cmp::Ordering::Less
        })
    }
}

/// The tables (and blob files) of a column family at one moment.
#[derive(Debug)]
pub struct Version {
    comparator: Comparator,
    levels: Vec<Level>,
    pub(super) blob_files: BTreeMap<u64, Arc<BlobFileMeta>>,
    /// By level; unset where there is none.
    pub(super) compact_cursors: Vec<InternalKey>,
    /// The last field, so that the files are let go before it is called.
    released: Released,
}

/// Called when a version ends. It may be called by any thread, under any lock.
pub type OnRelease = Arc<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Released(OnceLock<OnRelease>);

impl Drop for Released {
    fn drop(&mut self) {
        if let Some(call) = self.0.get() {
            call();
        }
    }
}

impl fmt::Debug for Released {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Released({})", self.0.get().is_some())
    }
}

impl Version {
    /// No files on `num_levels` levels.
    pub fn empty(comparator: Comparator, num_levels: usize) -> Version {
        Version::new(comparator, (0..num_levels).map(|_| Vec::new()).collect())
    }

    /// The files of each level, already in order.
    pub(super) fn new(comparator: Comparator, levels: Vec<Vec<Arc<FileMeta>>>) -> Version {
        for (level, files) in levels.iter().enumerate() {
            files.iter().for_each(|file| file.set_level(level));
        }
        Version {
            compact_cursors: vec![InternalKey::default(); levels.len()],
            levels: levels.into_iter().map(|files| Level::new(&comparator, files)).collect(),
            blob_files: BTreeMap::new(),
            comparator,
            released: Released::default(),
        }
    }

    /// Has `call` called when this version ends. The first one stays.
    pub fn on_release(&self, call: &OnRelease) {
        self.released.0.get_or_init(|| call.clone());
    }

    /// The order of the keys.
    pub fn comparator(&self) -> &Comparator {
        &self.comparator
    }

    /// The levels, empty ones included.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// How many levels there are, empty ones included.
    pub fn num_levels(&self) -> usize {
        self.levels.len()
    }

    /// The files of `level`: level 0 newest first, other levels in key order. A level beyond the
    /// last one has none.
    pub fn files(&self, level: usize) -> &[Arc<FileMeta>] {
        self.levels.get(level).map_or(&[], Level::files)
    }

    /// Every file with its level, from level 0 on.
    pub fn all_files(&self) -> impl Iterator<Item = (usize, &Arc<FileMeta>)> {
        let numbered = self.levels.iter().enumerate();
        numbered.flat_map(|(number, level)| level.files.iter().map(move |file| (number, file)))
    }

    /// The number of files on all levels.
    pub fn num_files(&self) -> usize {
        self.levels.iter().map(|level| level.files.len()).sum()
    }

    /// The sum of the file sizes on all levels.
    pub fn bytes(&self) -> u64 {
        self.levels.iter().map(Level::bytes).fold(0, u64::saturating_add)
    }

    /// The blob files by number.
    pub fn blob_files(&self) -> &BTreeMap<u64, Arc<BlobFileMeta>> {
        &self.blob_files
    }

    /// Where the next compaction of `level` starts; `None` is at its first key.
    pub fn compact_cursor(&self, level: usize) -> Option<&InternalKey> {
        self.compact_cursors.get(level).filter(|key| !key.is_unset())
    }

    /// Calls `visit` with each (level, file) that may hold `key`, newest data first, until it
    /// breaks or fails: level 0 files whose range holds the user key, then of each level the file
    /// where the key would be, and the ones behind it that start with the same user key.
    #[inline]
    pub fn files_for_get<'a, O: Order>(
        &'a self,
        order: &O,
        key: &LookupKey,
        mut visit: impl FnMut(usize, &'a Arc<FileMeta>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let wanted = key.user_key();
        let Some((first, rest)) = self.levels.split_first() else { return Ok(()) };
        for file in &first.files {
            if order.compare(wanted, file.smallest.user_key()).is_ge()
                && order.compare(wanted, file.largest.user_key()).is_le()
                && visit(0, file)?.is_break()
            {
                return Ok(());
            }
        }
        for (below, level) in rest.iter().enumerate() {
            if level.files.is_empty() {
                continue;
            }
            let mut at = level.find_file(order, key.internal_key());
            while let Some(file) = level.files.get(at) {
                if order.compare(wanted, file.smallest.user_key()).is_lt() {
                    break;
                }
                if visit(below + 1, file)?.is_break() {
                    return Ok(());
                }
                // Versions of one user key may continue in the next file.
                if order.compare(wanted, file.largest.user_key()).is_lt() {
                    break;
                }
                at += 1;
            }
        }
        Ok(())
    }

    /// The files of `level` whose user keys overlap `begin..=end`, where `None` is unbounded. On
    /// level 0 the range grows by each file found until nothing more overlaps it, since moving a
    /// file below an older one that overlaps it would reorder writes.
    pub fn overlapping_files(
        &self,
        level: usize,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Vec<Arc<FileMeta>> {
        let files = self.files(level);
        if level > 0 {
            return files[self.overlapping_range(level, begin, end)].to_vec();
        }
        let (mut begin, mut end) = (begin, end);
        let mut found = vec![false; files.len()];
        loop {
            let mut grown = false;
            for (file, found) in files.iter().zip(&mut found) {
                if *found || !self.overlaps(file, begin, end) {
                    continue;
                }
                (*found, grown) = (true, true);
                let (first, last) = (file.smallest.user_key(), file.largest.user_key());
                begin = begin
                    .map(|b| if self.comparator.compare(first, b).is_lt() { first } else { b });
                end = end.map(|e| if self.comparator.compare(last, e).is_gt() { last } else { e });
            }
            if !grown {
                break;
            }
        }
        files.iter().zip(found).filter(|(_, found)| *found).map(|(file, _)| file.clone()).collect()
    }

    /// Whether any file of `level` overlaps the user keys `begin..=end`; `None` is unbounded.
    pub fn overlaps_level(&self, level: usize, begin: Option<&[u8]>, end: Option<&[u8]>) -> bool {
        match level {
            0 => self.files(0).iter().any(|file| self.overlaps(file, begin, end)),
            _ => !self.overlapping_range(level, begin, end).is_empty(),
        }
    }

    fn overlaps(&self, file: &FileMeta, begin: Option<&[u8]>, end: Option<&[u8]>) -> bool {
        let compare = |a, b| self.comparator.compare(a, b);
        begin.is_none_or(|b| compare(file.largest.user_key(), b).is_ge())
            && end.is_none_or(|e| compare(file.smallest.user_key(), e).is_le())
    }

    /// The indexes of the files of a sorted level that overlap.
    fn overlapping_range(
        &self,
        level: usize,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> std::ops::Range<usize> {
        let files = self.files(level);
        let compare = |a: &[u8], b: &[u8]| self.comparator.compare(a, b);
        let from = begin
            .map_or(0, |b| files.partition_point(|f| compare(f.largest.user_key(), b).is_lt()));
        let to = end.map_or(files.len(), |e| {
            files.partition_point(|f| compare(f.smallest.user_key(), e).is_le())
        });
        from..to.max(from)
    }
}
