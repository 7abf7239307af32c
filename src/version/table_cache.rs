//! [`TableCache`]: opens the tables of a column family.

use super::file_meta::FileMeta;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicUsize, Mutex, Ordering};
use crate::env::file_system::{AccessPattern, FileSystem, RandomFile};
use crate::env::names::{leveldb_table_file_name, table_file_name};
use crate::env::parallel::in_parallel;
use crate::table::options::TableReaderOptions;
use crate::table::reader::TableReader;
use std::ops::Deref;
use std::path::PathBuf;

/// Locks that keep two threads from opening one table at once.
const OPENING_LOCKS: usize = 64;

/// What tables are opened with.
#[derive(Clone, Default)]
pub struct TableCacheOptions {
    /// The folders that path ids stand for: option `cf_paths`, or the database's folder alone.
    pub paths: Vec<PathBuf>,
    /// Option `verify_sst_unique_id_in_manifest`.
    pub verify_sst_unique_id_in_manifest: bool,
    /// Option `advise_random_on_open`.
    pub advise_random_on_open: bool,
    /// What all readers have in common; what belongs to one file is set from its [`FileMeta`].
    pub reader: TableReaderOptions,
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
            None => self.open_and_pin(file),
        }
    }

    #[cold]
    fn open_and_pin<'a>(&self, file: &'a FileMeta) -> Result<TableRef<'a>> {
        let _guard = self.opening[(file.number % OPENING_LOCKS as u64) as usize].lock();
        if let Some(reader) = file.reader() {
            return Ok(TableRef::Pinned(reader));
        }
        Ok(TableRef::Pinned(file.pin_reader(Arc::new(self.open(file)?))))
    }

    /// Opens the table of `file` anew, whatever is pinned.
    pub fn open(&self, file: &FileMeta) -> Result<TableReader> {
        let known_id = self.options.verify_sst_unique_id_in_manifest && file.unique_id != [0; 2];
        let reader = TableReaderOptions {
            file_number: file.number,
            largest_sequence: Some(file.largest_seqno),
            expected_unique_id: known_id.then_some(file.unique_id),
            ..self.options.reader.clone()
        };
        let opened = self.open_file(file)?;
        if self.options.advise_random_on_open {
            opened.advise(AccessPattern::Random);
        }
        TableReader::open(opened, file.file_size, reader)
    }

    /// The file itself, under LevelDB's name if there is none under RocksDB's.
    fn open_file(&self, file: &FileMeta) -> Result<Arc<dyn RandomFile>> {
        // As in RocksDB, an id without a path means the last one.
        let paths = &self.options.paths;
        let Some(dir) = paths.get(file.path_id as usize).or(paths.last()) else {
            return Err(Status::invalid_argument("no path for table files"));
        };
        self.fs.open_random(&table_file_name(dir, file.number)).or_else(|missing| {
            if !missing.is_path_not_found() {
                return Err(missing);
            }
            let old_name = leveldb_table_file_name(dir, file.number);
            self.fs.open_random(&old_name).map_err(|_| missing)
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
