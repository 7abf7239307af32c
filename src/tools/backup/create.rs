//! Making a backup.

use super::layout::{self, database_name};
use super::meta::{BackupFile, BackupMeta, check_schema};
use super::{BackupEngine, State, ask, hex, known_files};
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicU64, Mutex, Ordering};
use crate::db::Db;
use crate::db::live_files::{Extent, FlushBefore, LiveFile};
use crate::env::file_system::write_file;
use crate::env::names::FileType;
use crate::env::posix::CpuPriority;
use crate::log_at;
use crate::stats::{Ticker, count};
use crate::table::reader::TableReader;
use crate::tools::checkpoint::one_folder;
use crate::tools::copy::{Copied, Copy, CopyOptions, checksum_file, copy_file};
use std::collections::HashSet;
use std::path::PathBuf;

/// The longest text of an application about a backup.
const MAX_APP_METADATA: usize = 1 << 20;
/// The function whose checksums the MANIFEST may hold and backups use, too.
const CRC_FUNCTION: &[u8] = b"FileChecksumCrc32c";

/// A backup to make.
#[derive(Default)]
pub struct NewBackup<'a> {
    /// Flush memtables first.
    pub flush: bool,
    /// If so, all column families together, so that their tables are of one moment.
    pub atomic_flush: bool,
    /// Have threads copy with no more than this priority, now and later.
    pub cpu_priority: Option<CpuPriority>,
    /// What the application says about it.
    pub app_metadata: &'a [u8],
    /// Called each time that so many bytes were copied as the options say, by any thread.
    pub progress: Option<&'a (dyn Fn() + Sync)>,
    /// Decides which new shared files are left out, to be found elsewhere when it is restored.
    pub exclude: Option<&'a dyn Fn(&str) -> bool>,
}

/// Where a file's bytes come from.
enum Source {
    /// The first bytes of a file.
    File(PathBuf),
    Content(Vec<u8>),
}

/// A file to be copied.
struct Item {
    source: Source,
    size: u64,
    /// The name of the copy below the folder.
    name: String,
    is_shared: bool,
    /// What the checksum must be.
    expected_crc: Option<u32>,
    temperature: u8,
}

/// What becomes of one of the database's files.
enum Plan {
    Copy(Item),
    /// An older backup has it.
    Known(BackupFile),
}

impl BackupEngine {
    /// Makes a backup of `db`; returns its number.
    pub fn create(&self, db: &Db, new: &NewBackup<'_>) -> Result<u32> {
        self.check_stopped()?;
        if new.app_metadata.len() > MAX_APP_METADATA {
            return Err(Status::invalid_argument("App metadata too large"));
        }
        if new.exclude.is_some() && self.options.schema_version < 2 {
            return Err(Status::invalid_argument(
                "exclude_files_callback requires schema_version >= 2",
            ));
        }
        check_schema(self.options.schema_version)?;
        if let Some(priority) = new.cpu_priority {
            self.decrease_cpu_priority(priority);
        }
        let mut state = self.state.write();
        let id = state.latest.checked_add(1);
        let id = id.ok_or_else(|| Status::aborted("all backup numbers are used up"))?;
        log_at!(self.logger, Info, "Backup {id} begins");
        let result = self.create_in(&mut state, db, new, id);
        match &result {
            Ok(meta) => {
                let (files, bytes) = (meta.files.len(), meta.size());
                log_at!(self.logger, Info, "Backup {id} is done: {files} files, {bytes} bytes");
            }
            Err(error) => {
                log_at!(self.logger, Warn, "Backup {id} failed: {error}");
                self.undo(&mut state, id);
            }
        }
        state.backups.insert(id, result?);
        state.latest = id;
        Ok(id)
    }

    /// Removes what a backup that failed has left. Its list of files may have its name already.
    fn undo(&self, state: &mut State, id: u32) {
        let path = layout::meta_path(&self.dir, id);
        if self.fs().exists(&path).unwrap_or(true) && self.fs().remove_file(&path).is_err() {
            // It may still come to count: its number and its files stay.
            state.latest = id;
            return;
        }
        // The error that matters is the one before.
        let _ = self.collect_garbage(state);
    }

    fn create_in(
        &self,
        state: &mut State,
        db: &Db,
        new: &NewBackup<'_>,
        id: u32,
    ) -> Result<BackupMeta> {
        let private = self.dir.join(layout::private_name(id));
        if self.fs().exists(&private)? {
            self.collect_garbage(state)?;
        }
        // For a panic in the user's code, too.
        state.may_hold_garbage = true;
        self.fs().create_dir(&private)?;
        let held = db.hold_files();
        let log_size = if new.flush { 0 } else { u64::MAX };
        let before = FlushBefore { log_size, atomic: new.atomic_flush };
        let live = db.live_files(&held, before)?;
        one_folder(&live.files)?;
        let mut meta = BackupMeta {
            timestamp: self.env.now_seconds() as i64,
            sequence: live.sequence,
            app_metadata: new.app_metadata.to_vec(),
            ..BackupMeta::default()
        };
        let (mut items, mut files) = (Vec::new(), Vec::new());
        for file in live.files {
            if file.kind == FileType::Wal && !self.options.backup_log_files {
                continue;
            }
            match self.plan(state, db, id, file)? {
                Plan::Known(file) => files.push(Arc::new(file)),
                Plan::Copy(item) => items.push(item),
            }
        }
        if let Some(exclude) = new.exclude {
            let excluded = |item: &Item| item.is_shared && exclude(&item.name);
            let (out, kept): (Vec<_>, Vec<_>) = items.into_iter().partition(excluded);
            meta.excluded.extend(out.into_iter().map(|item| item.name));
            items = kept;
        }
        files.extend(self.copy_all(db, &items, new.progress)?);
        drop(held);
        meta.files = files;
        self.finish(id, &items, &meta)?;
        known_files(state, meta)
    }

    /// Decides about one of the database's files.
    fn plan(&self, state: &State, db: &Db, id: u32, file: LiveFile) -> Result<Plan> {
        let is_big = matches!(file.kind, FileType::Table | FileType::Blob);
        let is_shared = is_big && self.options.share_table_files;
        let mut expected_crc = manifest_crc(&file)?;
        let path = file.path();
        let name = match (is_shared, self.options.share_files_with_checksum) {
            (false, _) => format!("{}/{}", layout::private_name(id), file.name),
            (true, false) => format!("{}/{}", layout::SHARED, file.name),
            (true, true) => match self.session_of(db, &file)? {
                Some(session) => {
                    layout::name_by_session(&self.options, &file.name, &session, file.size)
                }
                None => {
                    let crc = match expected_crc {
                        Some(crc) => crc,
                        None => self.read_crc(db, &file)?,
                    };
                    expected_crc = Some(crc);
                    layout::name_by_checksum(&file.name, crc, file.size)
                }
            },
        };
        if is_shared
            && let Some((known, _)) = state.files.get(&name)
            && self.fs().exists(&self.dir.join(&name))?
        {
            // Not read again: that is what makes the next backup cheap.
            let crc = expected_crc.or(known.crc);
            let crc = if crc.is_none() { Some(self.read_crc(db, &file)?) } else { crc };
            let temperature = file.temperature;
            return Ok(Plan::Known(BackupFile { name, size: file.size, crc, temperature }));
        }
        let (size, temperature) = (file.size, file.temperature);
        let source = match file.extent {
            Extent::Content(content) => Source::Content(content),
            Extent::Whole | Extent::Prefix => Source::File(path),
        };
        Ok(Plan::Copy(Item { source, size, name, is_shared, expected_crc, temperature }))
    }

    /// The session that wrote a table; None if that is not known or not wanted.
    fn session_of(&self, db: &Db, file: &LiveFile) -> Result<Option<String>> {
        if file.kind != FileType::Table || !layout::is_named_by_session(&self.options) {
            return Ok(None);
        }
        let source = db.env().fs().open_random(&file.path())?;
        let session = TableReader::read_properties(source, file.size)?.db_session_id;
        Ok((!session.is_empty()).then_some(session))
    }

    fn read_crc(&self, db: &Db, file: &LiveFile) -> Result<u32> {
        let (fs, limit) = (&**db.env().fs(), Some(file.size));
        let limiter = self.backup_limiter.as_deref();
        let step = &mut |n| {
            ask(limiter, n, false);
            self.check_stopped()
        };
        let read = checksum_file(fs, &file.path(), limit, self.buffer_size(limiter), step)?;
        count(db.statistics(), Ticker::BackupReadBytes, read.size);
        Ok(read.crc)
    }

    /// Copies all, several at once if the options say so. The first error ends it.
    fn copy_all(
        &self,
        db: &Db,
        items: &[Item],
        progress: Option<&(dyn Fn() + Sync)>,
    ) -> Result<Vec<Arc<BackupFile>>> {
        let next = Mutex::new(items.iter());
        let done: Mutex<Result<Vec<Arc<BackupFile>>>> = Mutex::new(Ok(Vec::new()));
        let progress = Progress {
            callback: progress,
            interval: self.options.callback_trigger_interval_size.max(1),
            copied: AtomicU64::new(0),
        };
        self.in_parallel(items.len(), || {
            loop {
                let Some(item) = next.lock().next() else { return };
                if done.lock().is_err() {
                    return;
                }
                let copied = self.copy_item(db, item, &progress);
                let mut done = done.lock();
                match (copied, done.as_mut()) {
                    (Ok(file), Ok(files)) => files.push(Arc::new(file)),
                    (Err(error), Ok(_)) => *done = Err(error),
                    (_, Err(_)) => {}
                }
            }
        });
        done.into_inner()
    }

    /// Copies a file; a shared one does not have its name yet.
    fn copy_item(&self, db: &Db, item: &Item, progress: &Progress<'_>) -> Result<BackupFile> {
        self.check_stopped()?;
        let to = match item.is_shared {
            true => self.dir.join(layout::temp_name(&item.name)),
            false => self.dir.join(&item.name),
        };
        let limiter = self.backup_limiter.as_deref();
        let copied = match &item.source {
            Source::Content(content) => {
                ask(limiter, content.len() as u64, true);
                write_file(self.fs(), &to, content, self.options.sync)?;
                count(db.statistics(), Ticker::BackupWriteBytes, content.len() as u64);
                let crc = crate::base::checksum::crc32c(content);
                Copied { size: content.len() as u64, crc }
            }
            Source::File(path) => {
                let copy = Copy {
                    from: (&**db.env().fs(), path),
                    to: (self.fs(), &to),
                    limit: Some(item.size),
                };
                let (sync, use_fsync) = (self.options.sync, db.options().use_fsync);
                let buffer_size = self.buffer_size(limiter);
                let options = CopyOptions { sync, use_fsync, buffer_size };
                let copied = copy_file(&copy, options, &mut |n| {
                    ask(limiter, n, true);
                    progress.add(n);
                    self.check_stopped()
                })?;
                count(db.statistics(), Ticker::BackupReadBytes, copied.size);
                count(db.statistics(), Ticker::BackupWriteBytes, copied.size);
                copied
            }
        };
        if let Some(expected) = item.expected_crc.filter(|crc| *crc != copied.crc) {
            return Err(Status::corruption(format!(
                "Checksum mismatch after copying {}: expected {}, found {}",
                database_name(&item.name),
                hex(expected),
                hex(copied.crc)
            )));
        }
        let (name, temperature) = (item.name.clone(), item.temperature);
        Ok(BackupFile { name, size: copied.size, crc: Some(copied.crc), temperature })
    }

    /// Gives all files their names, durably, and then the backup its list of them.
    fn finish(&self, id: u32, items: &[Item], meta: &BackupMeta) -> Result<()> {
        let fs = self.fs();
        let mut folders: HashSet<PathBuf> = HashSet::new();
        for item in items.iter().filter(|item| item.is_shared) {
            let path = self.dir.join(&item.name);
            fs.rename(&self.dir.join(layout::temp_name(&item.name)), &path)?;
            folders.extend(path.parent().map(PathBuf::from));
        }
        folders.insert(self.dir.join(layout::private_name(id)));
        folders.insert(self.dir.join(layout::PRIVATE));
        folders.insert(self.dir.clone());
        for folder in folders {
            self.sync_dir(&folder)?;
        }
        let temp = layout::temp_meta_path(&self.dir, id);
        let text = meta.encode(self.options.schema_version);
        write_file(fs, &temp, text.as_bytes(), self.options.sync)?;
        fs.rename(&temp, &layout::meta_path(&self.dir, id))?;
        self.sync_dir(&self.dir.join(layout::META))
    }
}

/// The checksum that the MANIFEST knows, if it is one of ours.
fn manifest_crc(file: &LiveFile) -> Result<Option<u32>> {
    match &file.checksum {
        Some((checksum, function)) if function == CRC_FUNCTION => {
            match <[u8; 4]>::try_from(&checksum[..]) {
                Ok(bytes) => Ok(Some(u32::from_be_bytes(bytes))),
                Err(_) => Err(Status::aborted(format!("Unknown checksum value for {}", file.name))),
            }
        }
        _ => Ok(None),
    }
}

/// Counts bytes over all threads.
struct Progress<'a> {
    callback: Option<&'a (dyn Fn() + Sync)>,
    interval: u64,
    copied: AtomicU64,
}

impl Progress<'_> {
    fn add(&self, bytes: u64) {
        let Some(callback) = self.callback else { return };
        let before = self.copied.fetch_add(bytes, Ordering::Relaxed);
        for _ in before / self.interval..(before + bytes) / self.interval {
            callback();
        }
    }
}
