//! [`OutputTable`]: a table being written by a flush or a compaction.

use super::stream::Record;
use crate::base::comparator::Comparator;
use crate::base::hash::hash64_seeded;
use crate::base::iterator::InternalIterator;
use crate::base::key::{SequenceNumber, compare_internal};
use crate::base::status::{Result, Status};
use crate::env::file_system::FileSystem;
use crate::env::names::table_file_name;
use crate::env::rate_limiter::IoPriority;
use crate::plug::table_properties::TableProperties;
use crate::table::TableReadOptions;
use crate::table::builder::{TableBuilder, TableBuilderOptions, TableSummary};
use crate::version::file_meta::FileMeta;
use crate::version::table_cache::TableCache;
use std::path::{Path, PathBuf};

/// How many bytes are read at once when a table is read back.
const READ_BACK: usize = 2 << 20;

/// Deletes a file when it goes, unless it is told to keep it.
struct Remover<'a> {
    fs: &'a dyn FileSystem,
    /// `None` once the file is to stay.
    path: Option<PathBuf>,
}

impl Drop for Remover<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is removed at the next opening.
        let _ = self.path.as_ref().map(|path| self.fs.remove_file(path));
    }
}

/// A table under way, with the record that the MANIFEST will have of it. Unless it is finished,
/// its file goes when this goes.
pub struct OutputTable<'a> {
    builder: Option<TableBuilder>,
    comparator: Comparator,
    /// Its boundaries are those of the range tombstones alone until the table is finished.
    file: FileMeta,
    digest: Option<Digest>,
    throttle: Option<&'a dyn Fn(u64)>,
    /// The bytes that `throttle` was told of.
    charged: u64,
    remover: Remover<'a>,
}

/// A table that was written and synced. Unless it is kept, its file goes when this goes.
pub struct FinishedTable<'a> {
    /// The MANIFEST's record of it.
    pub file: FileMeta,
    /// The table's properties.
    pub properties: TableProperties,
    digest: Option<Digest>,
    remover: Remover<'a>,
}

/// A hash of records, in order.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, key: &[u8], value: &[u8]) {
        self.0 = hash64_seeded(value, hash64_seeded(key, self.0));
    }
}

impl FinishedTable<'_> {
    /// Opens the table, so that one that cannot be read never comes into use. If it was written
    /// with `reads_back`, all records are read, which asks the rate limiter as `limited_as`, and
    /// compared with what was written.
    pub fn check(&self, tables: &TableCache, limited_as: Option<IoPriority>) -> Result<()> {
        let reader = tables.get(&self.file)?;
        let Some(expected) = self.digest else { return Ok(()) };
        let options = TableReadOptions {
            fill_cache: false,
            limited_as,
            readahead_size: READ_BACK,
            ..TableReadOptions::default()
        };
        let mut records = reader.iter(reader.comparator().clone(), options);
        let mut found = Digest::default();
        records.seek_to_first();
        while records.valid() {
            found.add(records.key(), records.value());
            records.next();
        }
        records.status()?;
        if found != expected {
            return Err(Status::corruption("Paranoid checksums do not match"));
        }
        Ok(())
    }

    /// The record of the file, which stays.
    pub fn keep(mut self) -> FileMeta {
        self.remover.path = None;
        self.file
    }
}

impl<'a> OutputTable<'a> {
    /// Starts the table `options.file_number` in `dir`; with `reads_back` in order to read it back
    /// when it is finished.
    pub fn create(
        fs: &'a dyn FileSystem,
        dir: &Path,
        options: TableBuilderOptions,
        reads_back: bool,
    ) -> Result<OutputTable<'a>> {
        let path = table_file_name(dir, options.file_number);
        let file = fs.create_as(&path, options.writer.access)?;
        let remover = Remover { fs, path: Some(path) };
        let meta = FileMeta {
            number: options.file_number,
            oldest_ancester_time: options.creation_time,
            file_creation_time: options.file_creation_time,
            ..FileMeta::default()
        };
        let comparator = options.comparator.clone();
        let builder = Some(TableBuilder::new(options, file)?);
        let digest = reads_back.then(Digest::default);
        let (throttle, charged) = (None, 0);
        Ok(OutputTable { builder, comparator, file: meta, digest, throttle, charged, remover })
    }

    /// The same table, of which `throttle` is told how many more bytes were written; it may wait,
    /// to keep a rate.
    pub fn throttled_by(mut self, throttle: Option<&'a dyn Fn(u64)>) -> OutputTable<'a> {
        self.throttle = throttle;
        self
    }

    #[inline]
    fn charge(&mut self, size: u64) {
        if let Some(throttle) = self.throttle
            && size > self.charged
        {
            throttle(size - self.charged);
            self.charged = size;
        }
    }

    fn builder(&mut self) -> Result<&mut TableBuilder> {
        self.builder.as_mut().ok_or_else(|| Status::aborted("a table that is finished"))
    }

    /// Appends a record.
    #[inline]
    pub fn add(&mut self, record: &Record<'_>) -> Result<()> {
        if let Some(digest) = &mut self.digest {
            digest.add(record.key, record.value);
        }
        self.builder()?.add(record.key, record.value)?;
        self.charge(self.file_size());
        Ok(())
    }

    /// Adds the range tombstone `[start, end)`. They come behind all records.
    pub fn add_tombstone(
        &mut self,
        start: &[u8],
        end: &[u8],
        sequence: SequenceNumber,
    ) -> Result<()> {
        self.builder()?.add_tombstone(start, end, sequence)?;
        self.file.extend_by_tombstone(&self.comparator, start, end, sequence);
        Ok(())
    }

    /// The bytes that the file has grown to, its last block and what follows that apart.
    #[inline]
    pub fn file_size(&self) -> u64 {
        self.builder.as_ref().map_or(0, TableBuilder::file_size)
    }

    /// About the bytes that finishing it would add.
    pub fn estimated_tail_size(&self) -> u64 {
        self.builder.as_ref().map_or(0, TableBuilder::estimated_tail_size)
    }

    /// The MANIFEST's record, as far as it is known.
    pub fn file_mut(&mut self) -> &mut FileMeta {
        &mut self.file
    }

    /// Writes the rest and syncs the file. An empty table is no table: its file goes.
    pub fn finish(mut self) -> Result<Option<FinishedTable<'a>>> {
        let Some(builder) = self.builder.take() else { return Ok(None) };
        if builder.num_entries() == 0 {
            builder.abandon();
            return Ok(None);
        }
        let summary = builder.finish()?;
        self.charge(summary.file_size);
        let mut file = std::mem::take(&mut self.file);
        self.extend_by_records(&mut file, &summary);
        file.file_size = summary.file_size;
        file.tail_size = summary.tail_size;
        file.unique_id = summary.unique_id;
        file.marked_for_compaction = summary.wants_compaction;
        file.note_properties(&summary.properties);
        let OutputTable { digest, remover, .. } = self;
        Ok(Some(FinishedTable { file, properties: summary.properties, digest, remover }))
    }

    fn extend_by_records(&self, file: &mut FileMeta, summary: &TableSummary) {
        let (first, last) = (&summary.smallest, &summary.largest);
        let before = |a: &[u8], b: &[u8]| compare_internal(&self.comparator, a, b).is_lt();
        if !first.is_empty() {
            if file.smallest.is_unset() || before(first, file.smallest.as_bytes()) {
                file.smallest.assign(first);
            }
            if file.largest.is_unset() || before(file.largest.as_bytes(), last) {
                file.largest.assign(last);
            }
        }
        file.smallest_seqno = summary.properties.key_smallest_seqno;
        file.largest_seqno = summary.properties.key_largest_seqno;
    }
}
