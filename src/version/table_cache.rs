//! [`TableCache`]: opens the tables of a column family.

use super::file_meta::FileMeta;
use super::open_tables::OpenTables;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicUsize, Mutex, Ordering};
use crate::env::file_system::{Access, AccessPattern, FileSystem, RandomFile};
use crate::env::names::{leveldb_table_file_name, table_file_name};
use crate::env::parallel::in_parallel;
use crate::options::PinningTier;
use crate::stats::distribution::Cells;
use crate::stats::{Histogram, Metric, PerfTimer, Ticker, Timer, count};
use crate::table::fetch::ReadCounts;
use crate::table::options::{MetadataCaching, TableReadOptions, TableReaderOptions};
use crate::table::reader::TableReader;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Locks that keep two threads from opening one table at once.
const OPENING_LOCKS: usize = 64;

/// What tables are opened with.
#[derive(Clone, Default)]
pub struct TableCacheOptions {
    /// The folders that path ids stand for: option `cf_paths`, or the database's folder alone.
    pub paths: Vec<PathBuf>,
    /// Option `verify_sst_unique_id_in_manifest`.
    pub verify_sst_unique_id_in_manifest: bool,
    /// How tables are read.
    pub access: Access,
    /// How compactions read their inputs.
    pub compaction_access: Access,
    /// Option `advise_random_on_open`.
    pub advise_random_on_open: bool,
    /// Keeps some of the database's tables open; without it every table that was opened stays
    /// open.
    pub open_tables: Option<OpenTables>,
    /// How long reads of tables take, in microseconds, for each level that there can be; empty
    /// without statistics.
    pub read_micros: Vec<Arc<Cells>>,
    /// Which index and filter blocks readers hold on to.
    pub pinning: MetadataPinning,
    /// What all readers have in common; what belongs to one file is set from its [`FileMeta`].
    pub reader: TableReaderOptions,
}

impl TableCacheOptions {
    /// The folder that `path_id` stands for. As in RocksDB, an id without a path means the last one.
    pub fn dir(&self, path_id: u32) -> &Path {
        let path = self.paths.get(path_id as usize).or(self.paths.last());
        path.map_or(Path::new(""), PathBuf::as_path)
    }
}

/// Which index and filter blocks stay in the cache while their table is open; no tier is
/// [`PinningTier::Fallback`].
#[derive(Clone, Copy, Debug)]
pub struct MetadataPinning {
    /// The upper level of what is partitioned.
    pub top_level: PinningTier,
    /// The partitions.
    pub partitions: PinningTier,
    /// What is not partitioned.
    pub unpartitioned: PinningTier,
    /// A file of level 0 with at most so many bytes counts as flushed.
    pub max_flushed_size: u64,
}

impl Default for MetadataPinning {
    fn default() -> MetadataPinning {
        MetadataPinning {
            top_level: PinningTier::All,
            partitions: PinningTier::None,
            unpartitioned: PinningTier::None,
            max_flushed_size: u64::MAX,
        }
    }
}

impl MetadataPinning {
    fn pins(&self, tier: PinningTier, file: &FileMeta) -> bool {
        match tier {
            PinningTier::All => true,
            PinningTier::FlushedAndSimilar => {
                file.is_on_level_0() && file.file_size <= self.max_flushed_size
            }
            PinningTier::None | PinningTier::Fallback => false,
        }
    }
}

/// Opens tables, and pins their readers in the [`FileMeta`]s.
pub struct TableCache {
    fs: Arc<dyn FileSystem>,
    options: TableCacheOptions,
    opening: [Mutex<()>; OPENING_LOCKS],
}

/// An open table, borrowed from its [`FileMeta`] or counted.
pub enum TableRef<'a> {
    /// Pinned: no reference count was touched.
    Pinned(&'a Arc<TableReader>),
    /// Kept open by this reference.
    Counted(Arc<TableReader>),
}

impl Deref for TableRef<'_> {
    type Target = Arc<TableReader>;

    #[inline]
    fn deref(&self) -> &Arc<TableReader> {
        match self {
            TableRef::Pinned(reader) => reader,
            TableRef::Counted(reader) => reader,
        }
    }
}

impl TableCache {
    /// A cache of the tables in `options.paths`.
    pub fn new(fs: Arc<dyn FileSystem>, options: TableCacheOptions) -> TableCache {
        TableCache { fs, options, opening: std::array::from_fn(|_| Mutex::new(())) }
    }

    /// What tables are opened with.
    pub fn options(&self) -> &TableCacheOptions {
        &self.options
    }

    /// The open table of `file`, opened now if need be. A failure is not remembered.
    #[inline]
    pub fn get<'a>(&'a self, file: &'a FileMeta) -> Result<TableRef<'a>> {
        match file.reader() {
            Some(reader) => Ok(TableRef::Pinned(reader)),
            None => self.open_and_keep(file),
        }
    }

    /// The table of `file` for a compaction: opened anew for it, if compactions read in a way of
    /// their own.
    pub fn get_input<'a>(&'a self, file: &'a FileMeta) -> Result<TableRef<'a>> {
        let access = self.options.compaction_access;
        match access == self.options.access {
            true => self.get(file),
            false => Ok(TableRef::Counted(Arc::new(self.open_as(file, access)?))),
        }
    }

    #[cold]
    fn open_and_keep<'a>(&self, file: &'a FileMeta) -> Result<TableRef<'a>> {
        let _time = PerfTimer::start(Metric::FindTableNanos);
        let open = self.options.open_tables.as_ref();
        if let Some(reader) = open.and_then(|open| open.get(file.number)) {
            return Ok(TableRef::Counted(reader));
        }
        let _guard = self.opening[(file.number % OPENING_LOCKS as u64) as usize].lock();
        if let Some(open) = open {
            return self.open_within_limit(open, file).map(TableRef::Counted);
        }
        if let Some(reader) = file.reader() {
            return Ok(TableRef::Pinned(reader));
        }
        Ok(TableRef::Pinned(file.pin_reader(Arc::new(self.open(file)?))))
    }

    fn open_within_limit(&self, open: &OpenTables, file: &FileMeta) -> Result<Arc<TableReader>> {
        // Another thread may have opened it before this one held the lock.
        if let Some(reader) = open.get(file.number) {
            return Ok(reader);
        }
        let reader = Arc::new(self.open(file)?);
        file.note_properties(reader.properties());
        open.keep(file.number, &reader)?;
        Ok(reader)
    }

    /// Opens the table of `file` anew, whatever is pinned.
    pub fn open(&self, file: &FileMeta) -> Result<TableReader> {
        self.open_as(file, self.options.access)
    }

    fn open_as(&self, file: &FileMeta, access: Access) -> Result<TableReader> {
        let known_id = self.options.verify_sst_unique_id_in_manifest && file.unique_id != [0; 2];
        let reader = TableReaderOptions {
            file_number: file.number,
            largest_sequence: Some(file.largest_seqno),
            expected_unique_id: known_id.then_some(file.unique_id),
            metadata: self.metadata_caching(file),
            counts: ReadCounts {
                last_level: file.level() + 1 == self.options.read_micros.len(),
                micros: self.options.read_micros.get(file.level()).cloned(),
                ..self.options.reader.counts.clone()
            },
            ..self.options.reader.clone()
        };
        let stats = &self.options.reader.counts.stats;
        let opened = self
            .open_file(file, access)
            .inspect(|_| count(stats, Ticker::NoFileOpens, 1))
            .inspect_err(|_| count(stats, Ticker::NoFileErrors, 1))?;
        let _time = Timer::start(stats, Histogram::TableOpenIoMicros);
        if self.options.advise_random_on_open {
            opened.advise(AccessPattern::Random);
        }
        TableReader::open(opened, file.file_size, reader)
    }

    /// Reads the table of `file` from the disk, whatever is cached, and checks every checksum.
    pub fn verify(&self, file: &FileMeta, options: &TableReadOptions) -> Result<()> {
        let reader = TableReaderOptions {
            file_number: file.number,
            largest_sequence: Some(file.largest_seqno),
            cache: None,
            ..self.options.reader.clone()
        };
        TableReader::open(self.open_file(file, self.options.access)?, file.file_size, reader)?
            .verify_checksums(options)
    }

    fn metadata_caching(&self, file: &FileMeta) -> MetadataCaching {
        let pinning = &self.options.pinning;
        MetadataCaching {
            pin_top_level: pinning.pins(pinning.top_level, file),
            pin_partitions: pinning.pins(pinning.partitions, file),
            pin_unpartitioned: pinning.pins(pinning.unpartitioned, file),
            ..self.options.reader.metadata
        }
    }

    /// The file itself, under LevelDB's name if there is none under RocksDB's.
    fn open_file(&self, file: &FileMeta, access: Access) -> Result<Arc<dyn RandomFile>> {
        let dir = self.options.dir(file.path_id);
        self.fs.open_random_as(&table_file_name(dir, file.number), access).or_else(|missing| {
            if !missing.is_path_not_found() {
                return Err(missing);
            }
            let old_name = leveldb_table_file_name(dir, file.number);
            self.fs.open_random_as(&old_name, access).map_err(|_| missing)
        })
    }

    /// Opens and pins all of `files` with at most `threads` threads, this one among them. Of
    /// several errors the one of the earliest file comes back; the other files are opened anyway.
    pub fn load(&self, files: &[Arc<FileMeta>], threads: usize) -> Result<()> {
        let next = AtomicUsize::new(0);
        let first_error: Mutex<Option<(usize, Status)>> = Mutex::new(None);
        in_parallel(threads.min(files.len()), || {
            while let Some((at, file)) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                files.get(at).map(|file| (at, file))
            } {
                if let Err(status) = self.get(file) {
                    let mut first = first_error.lock();
                    if first.as_ref().is_none_or(|(other, _)| at < *other) {
                        *first = Some((at, status));
                    }
                }
            }
        });
        match first_error.into_inner() {
            None => Ok(()),
            Some((_, status)) => Err(status),
        }
    }
}
