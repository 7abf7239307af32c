//! About how many bytes ranges of keys take.

use super::Db;
use super::family::Family;
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType, compare_internal, user_key};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::memtable::MemTable;
use crate::version::file_meta::FileMeta;
use crate::version::table_cache::TableCache;
use crate::version::version::Version;
use std::ops::Range;

/// What is counted, and how exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeApproximation {
    /// Count what is in memtables.
    pub include_memtables: bool,
    /// Count table files.
    pub include_files: bool,
    /// Count blob files.
    pub include_blob_files: bool,
    /// If positive: how large a part of the result may be guessed from whole files at the ends of
    /// the range, without looking into them.
    pub files_size_error_margin: f64,
}

impl Default for SizeApproximation {
    fn default() -> SizeApproximation {
        SizeApproximation {
            include_memtables: false,
            include_files: true,
            include_blob_files: false,
            files_size_error_margin: -1.0,
        }
    }
}

impl Db {
    /// About how many bytes the keys of each range take.
    pub fn approximate_sizes(
        &self,
        family: &Family,
        options: &SizeApproximation,
        ranges: &[Range<&[u8]>],
    ) -> Result<Vec<u64>> {
        if !options.include_memtables && !options.include_files && !options.include_blob_files {
            return Err(Status::invalid_argument("Invalid options"));
        }
        let view = family.pin();
        let files = Files { version: &view.version, tables: &family.tables, options };
        let mut sizes = Vec::with_capacity(ranges.len());
        for range in ranges {
            let mut size = 0_u64;
            if options.include_files || options.include_blob_files {
                let in_files = files.size(range)?;
                if options.include_files {
                    size = size.saturating_add(in_files);
                }
                if options.include_blob_files {
                    let blobs = in_files as f64 * blobs_per_table_byte(&view.version);
                    size = size.saturating_add(blobs as u64);
                }
            }
            if options.include_memtables {
                let memtables = std::iter::once(&view.mem).chain(&view.imm);
                size = size.saturating_add(memtables.map(|mem| memtable_size(mem, range)).sum());
            }
            sizes.push(size);
        }
        Ok(sizes)
    }
}

/// Sizes that a MANIFEST claims may be beyond all bounds.
fn add_up(sizes: impl IntoIterator<Item = u64>) -> u64 {
    sizes.into_iter().fold(0, u64::saturating_add)
}

/// The bytes of blob files for each byte of tables.
fn blobs_per_table_byte(version: &Version) -> f64 {
    let blobs = add_up(version.blob_files().values().map(|blob| blob.file_size()));
    match version.bytes() {
        0 => 0.0,
        bytes => blobs as f64 / bytes as f64,
    }
}

/// The records in the range, each taken for an average one.
fn memtable_size(mem: &Arc<MemTable>, range: &Range<&[u8]>) -> u64 {
    let entries = mem.num_entries();
    if entries == 0 {
        return 0;
    }
    let mut records = mem.iter();
    records.seek(seek_key(range.start).as_bytes());
    let mut found = 0;
    while records.valid() && mem.comparator().compare(user_key(records.key()), range.end).is_lt() {
        found += 1;
        records.next();
    }
    found * (mem.data_size() / entries)
}

/// The first internal key that a user key can have.
fn seek_key(key: &[u8]) -> InternalKey {
    InternalKey::new(key, MAX_SEQUENCE, ValueType::FOR_SEEK)
}

struct Files<'a> {
    version: &'a Version,
    tables: &'a TableCache,
    options: &'a SizeApproximation,
}

impl Files<'_> {
    fn before(&self, a: &InternalKey, b: &InternalKey) -> bool {
        compare_internal(self.version.comparator(), a.as_bytes(), b.as_bytes()).is_lt()
    }

    fn size(&self, range: &Range<&[u8]>) -> Result<u64> {
        let (start, end) = (seek_key(range.start), seek_key(range.end));
        if !self.before(&start, &end) {
            return Ok(0);
        }
        // Files that lie within the range, and files that may lie there in part.
        let mut whole = 0_u64;
        let mut partial: Vec<&FileMeta> = Vec::new();
        for (number, level) in self.version.levels().iter().enumerate() {
            let files = level.files();
            if number == 0 {
                partial.extend(files.iter().map(|file| &**file));
                continue;
            }
            let from = files.partition_point(|file| self.before(&file.largest, &start));
            let to = files.partition_point(|file| self.before(&file.largest, &end));
            if let Some(first) = files.get(from) {
                partial.push(first);
            }
            if to > from {
                let inner = add_up(files[from + 1..to].iter().map(|file| file.file_size));
                whole = add_up([whole, inner]);
                partial.extend(files.get(to).map(|file| &**file));
            }
        }
        Ok(whole.saturating_add(self.partial_size(whole, &partial, &start, &end)?))
    }

    fn partial_size(
        &self,
        whole: u64,
        files: &[&FileMeta],
        start: &InternalKey,
        end: &InternalKey,
    ) -> Result<u64> {
        let bytes = add_up(files.iter().map(|file| file.file_size));
        let margin = self.options.files_size_error_margin;
        if margin > 0.0 && (bytes as f64) < whole as f64 * margin {
            return Ok(bytes / 2);
        }
        let mut size = 0_u64;
        for file in files {
            let part = self.offset(file, end)?.saturating_sub(self.offset(file, start)?);
            size = size.saturating_add(part);
        }
        Ok(size)
    }

    /// About where in the file the key is, or would be.
    fn offset(&self, file: &FileMeta, key: &InternalKey) -> Result<u64> {
        if self.before(&file.largest, key) {
            return Ok(file.file_size);
        }
        if self.before(key, &file.smallest) {
            return Ok(0);
        }
        let table = self.tables.get(file)?;
        let data = table.properties().data_size;
        if data == 0 {
            return Ok(file.file_size);
        }
        // What is not data goes along with it, in proportion.
        let offset = table.approximate_offset_of(key.as_bytes()).min(data);
        Ok((offset as f64 / data as f64 * file.file_size as f64) as u64)
    }
}
