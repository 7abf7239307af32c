//! [`VersionBuilder`]: a version plus edits makes the next version.

use super::blob::BlobFileMeta;
use super::consistency;
use super::edit::{BlobFileAddition, BlobFileGarbage, VersionEdit};
use super::file_meta::{FileMeta, UNKNOWN_EPOCH};
use super::version::Version;
use crate::base::key::{InternalKey, compare_internal};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use std::cmp;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Collects edits on top of a base version. Texts of errors are RocksDB's `VersionBuilder`'s.
pub struct VersionBuilder {
    base: Arc<Version>,
    /// The level of every file that is in the tree now, levels beyond the last one included.
    locations: HashMap<u64, u32>,
    added: HashMap<u64, Arc<FileMeta>>,
    /// Base files that left, or that `added` replaces.
    removed: HashSet<u64>,
    blob_files: BTreeMap<u64, Arc<BlobFileMeta>>,
    compact_cursors: Vec<InternalKey>,
    /// An edit tried something impossible on a level that does not exist.
    bad_level: bool,
}

fn corrupt(text: String) -> Status {
    Status::corruption(format!("VersionBuilder: {text}"))
}

impl VersionBuilder {
    /// Starts from `base`.
    pub fn new(base: Arc<Version>) -> VersionBuilder {
        let locations = base.all_files().map(|(level, file)| (file.number, level as u32)).collect();
        VersionBuilder {
            locations,
            added: HashMap::new(),
            removed: HashSet::new(),
            blob_files: base.blob_files.clone(),
            compact_cursors: base.compact_cursors.clone(),
            bad_level: false,
            base,
        }
    }

    /// Applies an edit: blob files, then removed tables, then added ones. After an error the
    /// builder is good for nothing.
    pub fn apply(&mut self, edit: &VersionEdit) -> Result<()> {
        for addition in &edit.blob_file_additions {
            self.add_blob_file(addition)?;
        }
        for garbage in &edit.blob_file_garbages {
            self.add_blob_garbage(garbage)?;
        }
        for &(level, number) in &edit.deleted_files {
            self.delete_file(level, number)?;
        }
        for (level, file) in &edit.new_files {
            self.add_file(*level, file)?;
        }
        for (level, key) in &edit.compact_cursors {
            // Cursors of levels that are no more are dropped, as RocksDB does.
            if let Some(cursor) = self.compact_cursors.get_mut(*level as usize) {
                *cursor = key.clone();
            }
        }
        Ok(())
    }

    fn add_blob_file(&mut self, addition: &BlobFileAddition) -> Result<()> {
        let meta = Arc::new(BlobFileMeta::new(addition.clone()));
        match self.blob_files.insert(addition.number, meta) {
            None => Ok(()),
            Some(_) => Err(corrupt(format!("Blob file #{} already added", addition.number))),
        }
    }

    fn add_blob_garbage(&mut self, garbage: &BlobFileGarbage) -> Result<()> {
        match self.blob_files.get_mut(&garbage.number) {
            Some(meta) => Arc::make_mut(meta).add_garbage(garbage),
            None => Err(corrupt(format!("Blob file #{} not found", garbage.number))),
        }
    }

    fn is_level(&self, level: u32) -> bool {
        (level as usize) < self.base.num_levels()
    }

    fn delete_file(&mut self, level: u32, number: u64) -> Result<()> {
        let current = self.locations.get(&number).copied();
        if current != Some(level) {
            self.bad_level |= !self.is_level(level);
            let place = match current {
                None => "not in the LSM tree".to_string(),
                Some(current) => format!("on level {current}"),
            };
            return Err(corrupt(format!(
                "Cannot delete table file #{number} from level {level} since it is {place}"
            )));
        }
        self.locations.remove(&number);
        self.added.remove(&number);
        self.removed.insert(number);
        Ok(())
    }

    fn add_file(&mut self, level: u32, file: &Arc<FileMeta>) -> Result<()> {
        if let Some(current) = self.locations.get(&file.number) {
            self.bad_level |= !self.is_level(level);
            return Err(corrupt(format!(
                "Cannot add table file #{} to level {level} since it is already in the LSM tree \
                 on level {current}",
                file.number
            )));
        }
        self.locations.insert(file.number, level);
        if self.is_level(level) {
            self.added.insert(file.number, file.clone());
        }
        Ok(())
    }

    /// Whether no file stands on a level that the column family does not have.
    pub fn fits_levels(&self) -> bool {
        !self.bad_level && self.locations.values().all(|&level| self.is_level(level))
    }

    /// The new version. With `check`, files out of order or overlapping are a corruption.
    ///
    /// Files without an epoch number (written before RocksDB 7.10) make level 0 sort by sequence
    /// number; [`infer_epochs`] then gives them one.
    pub fn finish(self, check: bool) -> Result<Version> {
        let mut levels: Vec<Vec<Arc<FileMeta>>> = Vec::new();
        for level in self.base.levels() {
            let stays = |file: &&Arc<FileMeta>| !self.removed.contains(&file.number);
            levels.push(level.files().iter().filter(stays).cloned().collect());
        }
        for file in self.added.into_values() {
            let level = self.locations.get(&file.number).copied().unwrap_or(u32::MAX);
            if let Some(files) = levels.get_mut(level as usize) {
                files.push(file);
            }
        }
        let comparator = self.base.comparator().clone();
        let has_epochs = levels.iter().flatten().all(|file| file.epoch_number != UNKNOWN_EPOCH);
        for (level, files) in levels.iter_mut().enumerate() {
            if level > 0 {
                files.sort_by(|a, b| {
                    compare_internal(&comparator, a.smallest.as_bytes(), b.smallest.as_bytes())
                        .then(a.number.cmp(&b.number))
                });
            } else if has_epochs {
                files.sort_by(|a, b| newest_by_epoch(a, b));
            } else {
                files.sort_by(|a, b| newest_by_sequence(a, b));
            }
        }
        let mut version = Version::new(comparator, levels);
        version.compact_cursors = self.compact_cursors;
        version.blob_files = keep_useful_blobs(self.blob_files, &version);
        if check {
            consistency::check(&version, has_epochs)?;
        }
        Ok(version)
    }
}

/// The order of level 0: larger epoch numbers first.
pub(super) fn newest_by_epoch(a: &FileMeta, b: &FileMeta) -> cmp::Ordering {
    b.epoch_number.cmp(&a.epoch_number).then_with(|| newest_by_sequence(a, b))
}

/// The order of level 0 where epoch numbers are missing.
pub(super) fn newest_by_sequence(a: &FileMeta, b: &FileMeta) -> cmp::Ordering {
    b.largest_seqno
        .cmp(&a.largest_seqno)
        .then(b.smallest_seqno.cmp(&a.smallest_seqno))
        .then(b.number.cmp(&a.number))
}

/// Drops blob files older than all that tables refer to, and those that are all garbage.
fn keep_useful_blobs(
    mut blobs: BTreeMap<u64, Arc<BlobFileMeta>>,
    version: &Version,
) -> BTreeMap<u64, Arc<BlobFileMeta>> {
    if blobs.is_empty() {
        return blobs;
    }
    let linked: BTreeSet<u64> =
        version.all_files().map(|(_, file)| file.oldest_blob_file_number).collect();
    let oldest = blobs.keys().find(|number| linked.contains(number)).copied();
    blobs.retain(|number, blob| {
        oldest.is_some_and(|oldest| *number >= oldest)
            && (linked.contains(number) || !blob.is_all_garbage())
    });
    blobs
}

/// Gives every file of `version` an epoch number if any has none, in the order that RocksDB
/// 7.10 and later infer: one for each level from the last one up, then one for each file of level
/// 0, oldest first. `next` is the first number to use and ends as the first unused one.
pub fn infer_epochs(version: Version, next: &mut u64) -> Version {
    let mut max = 0;
    let mut missing = false;
    for (_, file) in version.all_files() {
        max = max.max(file.epoch_number);
        missing |= file.epoch_number == UNKNOWN_EPOCH;
    }
    if !missing {
        *next = (*next).max(max.saturating_add(1));
        return version;
    }
    let mut levels: Vec<Vec<Arc<FileMeta>>> =
        version.levels().iter().map(|level| level.files().to_vec()).collect();
    let mut take = || {
        *next += 1;
        *next - 1
    };
    for files in levels.iter_mut().skip(1).rev().filter(|files| !files.is_empty()) {
        let epoch = take();
        for file in files.iter_mut() {
            Arc::make_mut(file).epoch_number = epoch;
        }
    }
    if let Some(files) = levels.first_mut() {
        for file in files.iter_mut().rev() {
            Arc::make_mut(file).epoch_number = take();
        }
    }
    let mut inferred = Version::new(version.comparator().clone(), levels);
    inferred.compact_cursors = version.compact_cursors;
    inferred.blob_files = version.blob_files;
    inferred
}
