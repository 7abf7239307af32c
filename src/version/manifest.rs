//! The MANIFEST as a file: a log of version edits that `CURRENT` names.

use super::edit::VersionEdit;
use super::snapshot::Snapshot;
use super::torn_tail::{MAX_TAIL, is_torn};
use super::version_set::VersionSetOptions;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::env::buffered::Preallocation;
use crate::env::current::set_current_file;
use crate::env::file_system::{FileSystem, WritableFile};
use crate::env::names::descriptor_file_name;
use crate::env::read_ahead::read_ahead;
use crate::stats::{Histogram, Stats, Timer};
use crate::wal::{LogFormat, LogReader, LogReaderOptions, LogWriter, StopAtDamage};
use std::path::{Path, PathBuf};

/// Where MANIFESTs lie and how they are written.
#[derive(Clone)]
pub(super) struct ManifestPlace {
    pub fs: Arc<dyn FileSystem>,
    pub dir: PathBuf,
    pub use_fsync: bool,
    /// Disk space is reserved in steps of so many bytes; 0 never.
    pub preallocation_size: u64,
    /// Counts syncs.
    pub stats: Stats,
    /// Bytes that are read ahead; 0 reads what is needed.
    pub readahead_size: usize,
}

/// A MANIFEST open for appending.
pub(super) struct ManifestWriter {
    log: LogWriter,
    preallocation: Preallocation,
    use_fsync: bool,
    stats: Stats,
}

impl ManifestWriter {
    /// Appends one record.
    pub fn add(&mut self, record: &[u8]) -> Result<()> {
        self.preallocation.prepare(self.log.file(), record.len() as u64);
        self.log.add_record(&[record])
    }

    /// Makes all records durable.
    pub fn sync(&mut self) -> Result<()> {
        let _time = Timer::start(&self.stats, Histogram::ManifestFileSyncMicros);
        self.log.sync(self.use_fsync)
    }

    /// The length of the file.
    pub fn size(&self) -> u64 {
        self.log.size()
    }
}

impl ManifestPlace {
    /// The folder `dir` under `options`.
    pub fn new(fs: Arc<dyn FileSystem>, dir: &Path, options: &VersionSetOptions) -> ManifestPlace {
        ManifestPlace {
            fs,
            dir: dir.to_path_buf(),
            use_fsync: options.use_fsync,
            preallocation_size: options.manifest_preallocation_size,
            stats: options.statistics.clone(),
            readahead_size: options.log_readahead_size,
        }
    }

    /// Hands each record of MANIFEST `number`, with the offset of its end, to `visit`. A record
    /// that a power cut tore does not count (see [`torn_tail`](super::torn_tail)).
    pub fn read(&self, number: u64, mut visit: impl FnMut(&[u8], u64) -> Result<()>) -> Result<()> {
        let file = self.fs.open_sequential(&self.path(number))?;
        let file = read_ahead(file, self.readahead_size);
        let mut reader = LogReader::new(file, LogReaderOptions::for_manifest());
        let mut end = 0;
        loop {
            match reader.read_record(&mut StopAtDamage) {
                Ok(Some(record)) => {
                    end = record.end;
                    visit(record.data, record.end)?;
                }
                Ok(None) => return Ok(()),
                // The first record was synced before CURRENT named the file.
                Err(error) if error.is_corruption() && end > 0 => {
                    return if self.is_torn_behind(number, end)? { Ok(()) } else { Err(error) };
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn is_torn_behind(&self, number: u64, end: u64) -> Result<bool> {
        let mut file = self.fs.open_sequential(&self.path(number))?;
        file.skip(end)?;
        let mut tail = vec![0; MAX_TAIL + 1];
        let len = file.read(&mut tail)?;
        Ok(is_torn(&tail[..len], end))
    }

    /// Reads MANIFEST `number`, which was written up to `size`, back: every record must be whole and
    /// make sense, and the last one end there.
    pub fn verify(&self, number: u64, size: u64) -> Result<()> {
        let mut last = 0;
        self.read(number, |record, end| {
            last = end;
            VersionEdit::decode(record).map(|_| ())
        })?;
        if last != size {
            let path = self.path(number);
            return Err(Status::corruption(format!(
                "{}: {last} bytes of records instead of {size}",
                path.display()
            )));
        }
        Ok(())
    }

    /// Names MANIFEST `number` in a corruption met while its edits were applied.
    pub fn blame(&self, number: u64, status: Status) -> Status {
        if !status.is_corruption() {
            return status;
        }
        // The two spaces are RocksDB's.
        status.append(&format!("  The file {} may be corrupted.", self.path(number).display()))
    }

    /// The name of MANIFEST `number`.
    pub fn path(&self, number: u64) -> PathBuf {
        descriptor_file_name(&self.dir, number)
    }

    /// Creates the empty MANIFEST `number`.
    pub fn create(&self, number: u64) -> Result<ManifestWriter> {
        let file: Box<dyn WritableFile> = self.fs.create(&self.path(number))?;
        let log = LogWriter::new(file, 0, LogFormat::Legacy);
        Ok(ManifestWriter {
            log,
            preallocation: Preallocation::new(self.preallocation_size),
            use_fsync: self.use_fsync,
            stats: self.stats.clone(),
        })
    }

    /// Makes MANIFEST `number` the one in use. Its name is made durable before CURRENT can name
    /// it: the two may reach the disk in any order otherwise.
    pub fn switch_current(&self, number: u64) -> Result<()> {
        sync_dir(&*self.fs, &self.dir)?;
        set_current_file(&*self.fs, &self.dir, number)
    }
}

fn sync_dir(fs: &dyn FileSystem, dir: &Path) -> Result<()> {
    fs.open_dir(dir)?.sync()
}

/// Writes `snapshot` as the first records of `writer`, and then how long it is (which guides when
/// to write anew).
pub(super) fn write_snapshot(writer: &mut ManifestWriter, snapshot: &Snapshot) -> Result<()> {
    snapshot.write_to(|record| writer.add(record))?;
    // RocksDB's guess of the length of the record that says it.
    const OWN_RECORD: u64 = 15;
    let size = VersionEdit {
        last_compacted_manifest_file_size: Some(writer.size() + OWN_RECORD),
        ..VersionEdit::default()
    };
    let mut record = Vec::new();
    size.encode_to(0, &mut record)?;
    writer.add(&record)
}
