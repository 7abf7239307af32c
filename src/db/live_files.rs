//! The files that together are the database at one moment, for whoever copies it.

use super::Db;
use super::obsolete::HeldFiles;
use super::wals::LogExtent;
use crate::base::key::SequenceNumber;
use crate::base::status::{Code, Result};
use crate::env::current::current_file_content;
use crate::env::names::{
    FileType, blob_file_name, descriptor_base_name, leveldb_table_file_name, log_file_name,
    options_file_name, parse_file_name, table_file_name,
};
use crate::options::{FlushOptions, latest_options_file};
use crate::version::file_meta::FileMeta;
use std::path::{Path, PathBuf};

/// How the bytes of a live file are had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole file, which is durable and never changes: a second name does.
    Whole,
    /// Only the first `size` bytes: the file grows, or is not durable.
    Prefix,
    /// These bytes, not the file's: it may be replaced at any time.
    Content(Vec<u8>),
}

/// A file that belongs to the database.
#[derive(Clone, Debug)]
pub struct LiveFile {
    /// The folder it is in.
    pub dir: PathBuf,
    /// Its name in there.
    pub name: String,
    /// The number in the name; 0 if there is none.
    pub number: u64,
    /// What it holds.
    pub kind: FileType,
    /// Bytes.
    pub size: u64,
    /// How they are had.
    pub extent: Extent,
    /// RocksDB's `Temperature` number; 0 is unknown.
    pub temperature: u8,
    /// The checksum of the whole file and the name of its function, if the MANIFEST knows them.
    pub checksum: Option<(Vec<u8>, Vec<u8>)>,
}

impl LiveFile {
    fn new(path: &Path, size: u64, extent: Extent) -> LiveFile {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (number, kind) = parse_file_name(&name).unwrap_or((0, FileType::Temp));
        let dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        LiveFile { dir, name, number, kind, size, extent, temperature: 0, checksum: None }
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.dir.join(&self.name)
    }
}

/// The files that together are the database.
#[derive(Clone, Debug)]
pub struct LiveFiles {
    /// The files.
    pub files: Vec<LiveFile>,
    /// The newest write in them.
    pub sequence: SequenceNumber,
}

/// Whether memtables are flushed before files are looked at.
#[derive(Clone, Copy, Debug)]
pub struct FlushBefore {
    /// From how many bytes in the logs on: 0 means always, `u64::MAX` never.
    pub log_size: u64,
    /// All column families together, so that their tables are of one moment.
    pub atomic: bool,
}

impl FlushBefore {
    /// Of each column family for itself, from `log_size` bytes on.
    pub fn from_log_size(log_size: u64) -> FlushBefore {
        FlushBefore { log_size, atomic: false }
    }
}

/// What belongs together at one moment.
struct Captured {
    tables: Vec<LiveFile>,
    blobs: Vec<u64>,
    /// Number and length.
    manifest: (u64, u64),
    min_log: u64,
    logs: Vec<LiveFile>,
    sequence: SequenceNumber,
}

impl Db {
    /// The files that make up the database as it is at one moment of the call, except for what
    /// only memtables hold because it was not logged, which `before` decides. The files stay as
    /// long as `held`.
    pub fn live_files(&self, held: &HeldFiles<'_>, before: FlushBefore) -> Result<LiveFiles> {
        debug_assert!(std::ptr::eq(self, held.db()));
        if self.wants_flush(before.log_size) {
            let force_atomic_flush = before.atomic;
            self.flush_all(&FlushOptions { force_atomic_flush, ..FlushOptions::default() })?;
        }
        let captured = self.capture()?;
        let mut files = captured.tables;
        for file in &mut files {
            self.settle_table_name(file)?;
        }
        for number in captured.blobs {
            files.push(self.whole(&blob_file_name(&self.context.dir, number))?);
        }
        let (number, size) = captured.manifest;
        let manifest = self.context.dir.join(descriptor_base_name(number));
        files.push(LiveFile::new(&manifest, size, Extent::Prefix));
        let content = current_file_content(number).into_bytes();
        let current = self.context.dir.join("CURRENT");
        files.push(LiveFile::new(&current, content.len() as u64, Extent::Content(content)));
        let options_file = *self.options_file.lock();
        if options_file > 0 {
            files.push(self.whole(&options_file_name(&self.context.dir, options_file))?);
        }
        files.extend(captured.logs);
        Ok(LiveFiles { files, sequence: captured.sequence })
    }

    fn wants_flush(&self, log_size_for_flush: u64) -> bool {
        let Some(wals) = &self.wals else { return false };
        match log_size_for_flush {
            0 => true,
            u64::MAX => false,
            limit => wals.total_size() >= limit,
        }
    }

    /// Flushes all column families; one that is dropped meanwhile is none.
    pub(super) fn flush_all(&self, options: &FlushOptions) -> Result<()> {
        loop {
            let families: Vec<_> = self.families.load().iter().cloned().collect();
            match self.flush(&families, options) {
                Err(error) if error.code() == Code::ColumnFamilyDropped => {}
                result => return result,
            }
        }
    }

    fn capture(&self) -> Result<Captured> {
        // Nothing is written meanwhile, and no column family made, so that the logs end at the
        // moment that the MANIFEST shows.
        let _turn = (!self.context.read_only).then(|| self.writers.exclusive());
        if let Some(wals) = &self.wals {
            wals.flush().inspect_err(|error| self.log_failed(error))?;
        }
        let mut captured = self.capture_state();
        captured.logs = self.live_logs(captured.min_log)?;
        Ok(captured)
    }

    fn capture_state(&self) -> Captured {
        let open = self.families.load();
        let state = self.state.lock();
        let versions = &state.versions;
        let (mut tables, mut blobs) = (Vec::new(), Vec::new());
        for family in versions.families() {
            let version = family.current();
            let paths = open.get(family.id()).map(|family| family.tables.options());
            let dir = |file: &FileMeta| match paths {
                Some(paths) => paths.dir(file.path_id),
                None => &self.context.dir,
            };
            let files = version.all_files();
            tables.extend(files.map(|(_, file)| self.live_table(dir(file), file)));
            blobs.extend(version.blob_files().keys());
        }
        // Of the logs, those that recovery asks for by the MANIFEST as it is now.
        let min_log = match &self.wals {
            Some(_) => state.min_log_needed(u64::MAX).min(versions.min_log_number_to_keep()),
            None => {
                versions.min_log_number_to_keep().max(versions.min_log_number_with_unflushed_data())
            }
        };
        let manifest = (versions.manifest_number(), versions.manifest_size());
        let sequence = self.sequences.published();
        Captured { tables, blobs, manifest, min_log, sequence, logs: Vec::new() }
    }

    fn live_table(&self, dir: &Path, file: &FileMeta) -> LiveFile {
        let path = table_file_name(dir, file.number);
        let checksum = (!file.file_checksum.is_empty())
            .then(|| (file.file_checksum.clone(), file.file_checksum_func_name.clone()));
        LiveFile {
            temperature: file.temperature,
            checksum,
            ..LiveFile::new(&path, file.file_size, Extent::Whole)
        }
    }

    /// Tables that LevelDB wrote have another name.
    fn settle_table_name(&self, file: &mut LiveFile) -> Result<()> {
        let fs = self.context.fs();
        let other = leveldb_table_file_name(&file.dir, file.number);
        if !fs.exists(&file.path())? && fs.exists(&other)? {
            file.name = LiveFile::new(&other, 0, Extent::Whole).name;
        }
        Ok(())
    }

    fn whole(&self, path: &Path) -> Result<LiveFile> {
        Ok(LiveFile::new(path, self.context.fs().file_size(path)?, Extent::Whole))
    }

    fn live_logs(&self, min_log: u64) -> Result<Vec<LiveFile>> {
        let logs = match &self.wals {
            Some(wals) => wals.extents(),
            None => self.logs_in_folder(&self.context.wal_dir)?,
        };
        let needed = logs.into_iter().filter(|log| log.number >= min_log);
        let file = |log: LogExtent| {
            let extent = if log.is_final { Extent::Whole } else { Extent::Prefix };
            LiveFile::new(&log_file_name(&self.context.wal_dir, log.number), log.size, extent)
        };
        Ok(needed.map(file).collect())
    }

    /// Remembers the newest OPTIONS file of a database that is open for reading only.
    pub(super) fn find_options_file(&self) {
        let found = latest_options_file(self.context.fs(), &self.context.dir);
        if let Ok(path) = found {
            *self.options_file.lock() = LiveFile::new(&path, 0, Extent::Whole).number;
        }
    }
}
