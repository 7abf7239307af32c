//! Backups: copies of databases in a folder of their own, of which any number share the tables
//! that they have in common. The folder's layout is RocksDB's; see [`layout`].
//!
//! A backup counts once its file in `meta/` has its name, and everything that this file lists is
//! durable by then. What a crash leaves besides is removed before the next backup is made, or old
//! ones are removed.

mod collect;
mod create;
mod layout;
mod meta;
mod restore;
mod verify;

pub use create::NewBackup;

use super::copy::make_dir;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicBool, AtomicU8, Ordering, RwLock};
use crate::env::Env;
use crate::env::file_system::{FileSystem, read_file};
use crate::env::parallel::{in_parallel, in_parallel_apart};
use crate::env::posix::{CpuPriority, set_cpu_priority};
use crate::env::rate_limiter::{IoPriority, RateLimiter};
use crate::log_at;
use crate::options::BackupOptions;
use crate::options::enums::Numbered;
use crate::plug::logger::{Logger, NullLogger};
use meta::{BackupFile, BackupMeta, MetaParser};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// More than any list of files takes.
const MAX_META: usize = 1 << 30;
/// Bytes copied at once where the options do not say.
const BUFFER_SIZE: u64 = 5 << 20;

/// A folder of backups. Any number of threads may use it; backups are made and removed one at a
/// time. No other process may change the folder meanwhile.
pub struct BackupEngine {
    dir: PathBuf,
    options: BackupOptions,
    /// Where the folder is.
    env: Env,
    /// Where the databases are that are restored.
    db_env: Env,
    logger: Arc<dyn Logger>,
    stopped: AtomicBool,
    backup_limiter: Option<Arc<RateLimiter>>,
    restore_limiter: Option<Arc<RateLimiter>>,
    /// Of the threads that copy: the number of a [`CpuPriority`]. It only falls.
    cpu_priority: AtomicU8,
    state: RwLock<State>,
}

/// What [`BackupEngine::info`] tells of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupInfo {
    /// Its number.
    pub id: u32,
    /// When it was made, in seconds since 1970.
    pub timestamp: i64,
    /// The bytes of its files, shared ones included.
    pub size: u64,
    /// How many files it has.
    pub files: u32,
    /// What the application said about it.
    pub app_metadata: Vec<u8>,
}

#[derive(Default)]
struct State {
    backups: BTreeMap<u32, BackupMeta>,
    corrupt: BTreeMap<u32, Corrupt>,
    /// Every file of a backup, and how many backups have it.
    files: HashMap<String, (Arc<BackupFile>, usize)>,
    /// The highest number in use.
    latest: u32,
    /// Files may be there that no backup has.
    may_hold_garbage: bool,
}

/// A backup whose list of files is damaged or not understood.
struct Corrupt {
    error: Status,
    /// Shared files that it seems to have, which stay in case that the list is mended.
    names: HashSet<String>,
}

impl State {
    /// Adds a file to those that backups have; returns what is known of it.
    fn add_file(&mut self, file: &Arc<BackupFile>) -> Result<Arc<BackupFile>> {
        let Some((known, count)) = self.files.get_mut(&file.name) else {
            self.files.insert(file.name.clone(), (file.clone(), 1));
            return Ok(file.clone());
        };
        let advice = " If this DB file checks as not corrupt, try deleting old backups or backing \
                      up to a different backup directory.";
        let name = &file.name;
        if known.size != file.size {
            return Err(Status::corruption(format!(
                "Size mismatch for existing backup file: {name} Size in backup is {} while size \
                 in DB is {}{advice}",
                known.size, file.size
            )));
        }
        match (known.crc, file.crc) {
            (Some(known), Some(found)) if known != found => {
                return Err(Status::corruption(format!(
                    "Checksum mismatch for existing backup file: {name} Expected checksum is {} \
                     while computed checksum is {}{advice}",
                    hex(known),
                    hex(found)
                )));
            }
            (None, Some(_)) => *known = file.clone(),
            _ => {}
        }
        *count += 1;
        Ok(known.clone())
    }

    /// Takes a backup's files from those that backups have; returns the names of those that no
    /// backup has any more.
    fn release_files(&mut self, files: &[Arc<BackupFile>]) -> Vec<String> {
        let mut unused = Vec::new();
        for file in files {
            if let Some((_, count)) = self.files.get_mut(&file.name) {
                *count -= 1;
                if *count == 0 {
                    self.files.remove(&file.name);
                    unused.push(file.name.clone());
                }
            }
        }
        unused
    }

    /// The backup with this number, or the newest one.
    fn backup(&self, id: Option<u32>) -> Result<(u32, &BackupMeta)> {
        let id = id.or_else(|| self.backups.keys().next_back().copied()).unwrap_or(0);
        if let Some(corrupt) = self.corrupt.get(&id) {
            return Err(corrupt.error.clone());
        }
        let backup = self.backups.get(&id);
        backup.map(|backup| (id, backup)).ok_or_else(|| Status::not_found("Backup not found"))
    }
}

/// A checksum as RocksDB's messages have it.
fn hex(crc: u32) -> String {
    format!("{crc:08X}")
}

impl BackupEngine {
    /// Opens the folder `dir` in `env`, and makes it if there is none. Databases are restored to
    /// `db_env`.
    pub fn open(
        dir: &Path,
        options: BackupOptions,
        env: Env,
        db_env: Env,
        logger: Option<Arc<dyn Logger>>,
    ) -> Result<BackupEngine> {
        options.rejected.check()?;
        if options.share_files_with_checksum_naming & 0xffff == 0 {
            return Err(Status::invalid_argument("share_files_with_checksum_naming: no name"));
        }
        let limiter = |limiter: &Option<Arc<RateLimiter>>, rate: u64| match limiter {
            None if rate > 0 => Some(Arc::new(RateLimiter::of_writes(rate))),
            limiter => limiter.clone(),
        };
        let engine = BackupEngine {
            backup_limiter: limiter(&options.backup_rate_limiter, options.backup_rate_limit),
            restore_limiter: limiter(&options.restore_rate_limiter, options.restore_rate_limit),
            cpu_priority: AtomicU8::new(CpuPriority::Normal as u8),
            dir: dir.to_path_buf(),
            options,
            env,
            db_env,
            logger: logger.unwrap_or_else(|| Arc::new(NullLogger)),
            stopped: AtomicBool::new(false),
            state: RwLock::default(),
        };
        if engine.options.max_valid_backups_to_open != i32::MAX {
            log_at!(engine.logger, Warn, "All backups are opened, since more can be made");
        }
        engine.make_folders()?;
        let mut state = State { may_hold_garbage: true, ..State::default() };
        engine.load(&mut state)?;
        if engine.options.destroy_old_data {
            engine.remove_all(&mut state)?;
        }
        let newest = state.backups.keys().next_back().copied().unwrap_or(0);
        log_at!(engine.logger, Info, "Backups in {}: newest is {newest}", engine.dir.display());
        *engine.state.write() = state;
        Ok(engine)
    }

    fn fs(&self) -> &dyn FileSystem {
        &**self.env.fs()
    }

    /// Bytes copied at once, which is what a limiter is asked for at once.
    fn buffer_size(&self, limiter: Option<&RateLimiter>) -> usize {
        let size = match (self.options.io_buffer_size, limiter) {
            (0, None) => BUFFER_SIZE,
            (0, Some(limiter)) => limiter.burst().min(BUFFER_SIZE),
            (size, _) => size,
        };
        usize::try_from(size).unwrap_or(usize::MAX)
    }

    /// Runs `work`, which takes its share from a common supply of `items`, on as many threads as
    /// the options say.
    fn in_parallel(&self, items: usize, work: impl Fn() + Sync) {
        let threads = (self.options.max_background_operations.max(1) as usize).min(items);
        let priority = CpuPriority::from_number(self.cpu_priority.load(Ordering::Relaxed).into());
        match priority {
            Some(priority) if priority < CpuPriority::Normal => {
                in_parallel_apart(threads, || set_cpu_priority(priority), work);
            }
            _ => in_parallel(threads, work),
        }
    }

    /// Has threads copy with no more than `priority` from now on.
    fn decrease_cpu_priority(&self, priority: CpuPriority) {
        self.cpu_priority.fetch_min(priority as u8, Ordering::Relaxed);
    }

    fn make_folders(&self) -> Result<()> {
        let fs = self.fs();
        make_dir(fs, &self.dir, self.options.sync)?;
        if self.options.share_table_files {
            fs.create_dir_if_missing(&self.dir.join(layout::shared_dir(&self.options)))?;
        }
        fs.create_dir_if_missing(&self.dir.join(layout::PRIVATE))?;
        fs.create_dir_if_missing(&self.dir.join(layout::META))
    }

    /// Reads the lists of all backups. One that is damaged is remembered as that.
    fn load(&self, state: &mut State) -> Result<()> {
        let mut sizes = HashMap::new();
        self.file_sizes(layout::SHARED, &mut sizes)?;
        self.file_sizes(layout::SHARED_CHECKSUM, &mut sizes)?;
        for id in self.backup_ids()? {
            state.latest = state.latest.max(id);
            self.file_sizes(&layout::private_name(id), &mut sizes)?;
            let path = layout::meta_path(&self.dir, id);
            let bytes = read_file(self.fs(), &path, MAX_META)?;
            let text = String::from_utf8_lossy(&bytes);
            let parser = MetaParser { dir: &self.dir, path: &path, sizes: &sizes };
            match parser.parse(&text).and_then(|meta| known_files(state, meta)) {
                Ok(meta) => {
                    state.backups.insert(id, meta);
                }
                Err(error) => {
                    log_at!(self.logger, Warn, "Backup {id} is damaged: {error}");
                    let names = meta::shared_names(&text).map(str::to_string).collect();
                    state.corrupt.insert(id, Corrupt { error, names });
                }
            }
        }
        Ok(())
    }

    /// Ascending. Files with other names are none of ours.
    fn backup_ids(&self) -> Result<Vec<u32>> {
        let names = self.fs().list(&self.dir.join(layout::META))?;
        let id =
            |name: &String| name.parse().ok().filter(|id: &u32| *id > 0 && id.to_string() == *name);
        let mut ids: Vec<u32> = names.iter().filter_map(id).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// Adds the sizes of the files in the folder `name`, if there is one.
    fn file_sizes(&self, name: &str, sizes: &mut HashMap<String, u64>) -> Result<()> {
        let dir = self.dir.join(name);
        if !self.fs().exists(&dir)? {
            return Ok(());
        }
        for file in self.fs().list(&dir)? {
            match self.fs().file_size(&dir.join(&file)) {
                Ok(size) => drop(sizes.insert(format!("{name}/{file}"), size)),
                // A folder, say.
                Err(error) => log_at!(self.logger, Warn, "Not a backup's file: {error}"),
            }
        }
        Ok(())
    }

    /// The backups that are whole, oldest first.
    pub fn info(&self) -> Vec<BackupInfo> {
        let state = self.state.read();
        let info = |(&id, meta): (&u32, &BackupMeta)| BackupInfo {
            id,
            timestamp: meta.timestamp,
            size: meta.size(),
            files: meta.files.len() as u32,
            app_metadata: meta.app_metadata.clone(),
        };
        state.backups.iter().map(info).collect()
    }

    /// Numbers of the backups that are damaged.
    pub fn corrupt(&self) -> Vec<u32> {
        self.state.read().corrupt.keys().copied().collect()
    }

    /// Makes the backup that is being made fail, and every later one.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    fn check_stopped(&self) -> Result<()> {
        match self.stopped.load(Ordering::Acquire) {
            true => Err(Status::incomplete("Backup stopped")),
            false => Ok(()),
        }
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        if self.options.sync { self.fs().open_dir(dir)?.sync() } else { Ok(()) }
    }
}

/// Asks a limiter, if there is one, for bytes that are read, and written if `written`.
fn ask(limiter: Option<&RateLimiter>, bytes: u64, written: bool) {
    let Some(limiter) = limiter else { return };
    limiter.request_read(bytes, IoPriority::Low, &None);
    if written {
        limiter.request_write(bytes, IoPriority::Low, &None);
    }
}

/// Adds the backup's files to the known ones, all or none.
fn known_files(state: &mut State, mut meta: BackupMeta) -> Result<BackupMeta> {
    for at in 0..meta.files.len() {
        match state.add_file(&meta.files[at]) {
            Ok(file) => meta.files[at] = file,
            Err(error) => {
                state.release_files(&meta.files[..at]);
                return Err(error);
            }
        }
    }
    Ok(meta)
}

#[cfg(test)]
mod tests;
