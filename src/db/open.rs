//! Opening a database.

use super::Db;
use super::background::release_hook;
use super::compaction::Compactions;
use super::context::Context;
use super::create::create_database;
use super::family::{Family, FamilySet};
use super::internal_stats::DbCounters;
use super::periodic::PeriodicTasks;
use super::recover::{Recovered, recover};
use super::snapshots::Snapshots;
use super::stalls::{LOW_PRIORITY_RATE, WriteController};
use super::state::{FamilyState, Flushes, State};
use super::state_mutex::StateMutex;
use super::stats_history::SharedHistory;
use super::wals::{WalOptions, Wals};
use super::write::Sequences;
use super::write_queue::{Spinning, WriteQueue};
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Condvar, Mutex};
use crate::cache::Cache;
use crate::codec::CompressionType;
use crate::env::current::{generate_unique_id, read_current, read_identity, set_identity_file};
use crate::env::file_system::FileLock;
use crate::env::info_log::{InfoLog, InfoLogOptions};
use crate::env::names::{current_file_name, identity_file_name, lock_file_name};
use crate::env::pool::Priority;
use crate::env::rate_limiter::RateLimiter;
use crate::log_at;
use crate::options::{CfOptions, DbOptions, DbPath};
use crate::plug::logger::{Logger, NullLogger};
use crate::stats::activity::Activity;
use crate::table::unique_id::encode_session_id;
use crate::version::column_family::DEFAULT_NAME;
use crate::version::open_tables::OpenTables;
use arc_swap::ArcSwap;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// So many tables are opened before somebody looks whether that is still wanted.
const FILES_AT_ONCE: usize = 64;

/// A column family to open: its name, which may be any bytes, and its options.
#[derive(Clone, Debug)]
pub struct FamilyOptions {
    /// The name.
    pub name: Vec<u8>,
    /// The options.
    pub options: CfOptions,
}

/// What to open, and how.
#[derive(Clone, Debug)]
pub struct OpenRequest {
    /// The database's folder.
    pub path: PathBuf,
    /// Its options.
    pub options: DbOptions,
    /// The column families to open, the default one among them.
    pub families: Vec<FamilyOptions>,
    /// Change nothing, and take no lock: others may have the database open.
    pub read_only: bool,
    /// With `read_only`: refuse a database whose logs hold data.
    pub error_if_wal_file_exists: bool,
}

/// Opens a database, and creates it if the options say so. Returns it with the column families in
/// the order in which they were asked for.
pub fn open(mut request: OpenRequest) -> Result<(Arc<Db>, Vec<Arc<Family>>)> {
    prepare_options(&mut request)?;
    if !request.options.is_fd_close_on_exec {
        request.options.env = request.options.env.inherited();
    }
    let (mut context, lock, is_new) = prepare_context(&request)?;
    let opened = open_in(&mut context, &request, is_new);
    match opened {
        Ok(recovered) => finish_open(context, lock, request, recovered),
        Err(error) => {
            log_at!(context.logger, Warn, "Opening failed: {error}");
            Err(error)
        }
    }
}

fn open_in(context: &mut Context, request: &OpenRequest, is_new: bool) -> Result<Recovered> {
    if is_new {
        create_database(context)?;
    }
    recover(context, request, is_new)
}

/// Checks the options, and replaces values that cannot be had by the nearest that can.
fn prepare_options(request: &mut OpenRequest) -> Result<()> {
    request.options.validate()?;
    for family in &request.families {
        family.options.validate(&request.options)?;
    }
    request.options.sanitize(&request.path);
    request.options.check_supported()?;
    for family in &mut request.families {
        family.options.sanitize(&request.options);
        // All of it concerns what would be written.
        if !request.read_only {
            family.options.check_supported()?;
        }
    }
    let default = request.families.iter().find(|f| f.name == DEFAULT_NAME);
    if default.is_some_and(|f| f.options.disallow_memtable_writes) {
        return Err(Status::invalid_argument(
            "Default column family cannot use disallow_memtable_writes=true",
        ));
    }
    if default.is_none() {
        return Err(Status::invalid_argument("Default column family not specified"));
    }
    Ok(())
}

type Prepared = (Context, Option<Box<dyn FileLock>>, bool);

/// Makes folder and info log, takes the lock, and settles whether the database is to be created.
fn prepare_context(request: &OpenRequest) -> Result<Prepared> {
    let options = request.options.clone();
    let limit = options.max_open_tables();
    let open_tables = limit.map(|n| OpenTables::new(n, options.table_cache_numshardbits));
    let mut context = Context {
        env: options.env.clone(),
        dir: request.path.clone(),
        wal_dir: options.wal_path(&request.path),
        logger: open_logger(request)?,
        db_id: String::new(),
        session_id: new_session_id(),
        cache_session: Cache::new_id(),
        open_tables,
        read_only: request.read_only,
        table_dirs: Mutex::default(),
        options,
    };
    if request.read_only {
        context.db_id = read_identity(context.fs(), &context.dir).unwrap_or_default();
        return Ok((context, None, false));
    }
    context.fs().create_dir_if_missing(&context.wal_dir)?;
    context.fs().create_dir_if_missing(&context.dir)?;
    context.create_archive()?;
    let family_paths = request.families.iter().flat_map(|family| &family.options.cf_paths);
    for DbPath { path, .. } in context.options.db_paths.iter().chain(family_paths) {
        context.fs().create_dir_if_missing(path)?;
        make_folder_durable(&context, path)?;
    }
    let lock = context.fs().lock(&lock_file_name(&context.dir))?;
    let current = current_file_name(&context.dir);
    let is_new = !context.fs().exists(&current)?;
    if is_new && !context.options.create_if_missing {
        return Err(Status::invalid_argument(format!(
            "{}: does not exist (create_if_missing is false)",
            current.display()
        )));
    }
    if !is_new && context.options.error_if_exists {
        return Err(Status::invalid_argument(format!(
            "{}: exists (error_if_exists is true)",
            context.dir.display()
        )));
    }
    if is_new {
        make_folder_durable(&context, &context.dir)?;
    }
    // It can be another one at every opening.
    if is_new || context.wal_dir != context.dir {
        make_folder_durable(&context, &context.wal_dir)?;
    }
    context.db_id = settle_identity(&context, is_new)?;
    Ok((context, Some(lock), is_new))
}

/// Syncs the folder that `dir` stands in, lest a crash take the whole database. One that may not
/// be opened for that is left to the system.
fn make_folder_durable(context: &Context, dir: &Path) -> Result<()> {
    let parent = match dir.parent() {
        None => return Ok(()),
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
    };
    match context.fs().open_dir(parent) {
        Ok(parent) => parent.sync(),
        Err(_) => Ok(()),
    }
}

fn open_logger(request: &OpenRequest) -> Result<Arc<dyn Logger>> {
    let options = &request.options;
    if let Some(logger) = &options.info_log {
        return Ok(logger.clone());
    }
    if request.read_only {
        // Before anything is written: a folder without a database must stay as it is.
        read_current(&**options.env.fs(), &request.path)?;
    }
    let log_dir = (!options.db_log_dir.is_empty()).then(|| PathBuf::from(&options.db_log_dir));
    let log = InfoLog::open(
        options.env.fs(),
        &request.path,
        InfoLogOptions {
            db_log_dir: log_dir,
            max_log_file_size: options.max_log_file_size as u64,
            log_file_time_to_roll: options.log_file_time_to_roll as u64,
            keep_log_file_num: options.keep_log_file_num,
            info_log_level: options.info_log_level,
        },
    );
    match log {
        Ok(log) => Ok(log),
        // The medium may be read-only, too.
        Err(_) if request.read_only => Ok(Arc::new(NullLogger)),
        Err(error) => Err(error),
    }
}

/// The database's identity: the IDENTITY file's, or a new one, which a new database stores there
/// if the options say so. A MANIFEST may know better; see `recover`.
fn settle_identity(context: &Context, is_new: bool) -> Result<String> {
    let (fs, dir) = (context.fs(), &context.dir);
    if !is_new && fs.exists(&identity_file_name(dir))? {
        let id = read_identity(fs, dir)?;
        if !id.is_empty() {
            return Ok(id);
        }
    }
    let id = generate_unique_id();
    if is_new && context.options.write_identity_file {
        set_identity_file(fs, dir, &id)?;
    }
    Ok(id)
}

/// A fresh identity for this opening, in RocksDB's form.
fn new_session_id() -> String {
    let uuid = generate_unique_id().replace('-', "");
    let half = |range| u64::from_str_radix(&uuid[range], 16).unwrap_or_default();
    encode_session_id(half(0..16), half(16..32))
}

/// Starts the log, makes what recovery did durable, and puts the database together.
fn finish_open(
    context: Context,
    lock: Option<Box<dyn FileLock>>,
    request: OpenRequest,
    mut recovered: Recovered,
) -> Result<(Arc<Db>, Vec<Arc<Family>>)> {
    let wals = if context.read_only { None } else { Some(start_log(&context, &recovered)?) };
    if !context.read_only {
        recovered.make_durable(context.options.track_and_verify_wals_in_manifest)?;
    }
    let (flushes, compactions) = context.options.background_limits();
    if !context.read_only {
        context.env.inc_background_threads_if_needed(flushes, Priority::High);
        context.env.inc_background_threads_if_needed(compactions, Priority::Low);
    }
    let db = assemble(context, lock, wals, recovered);
    match db.finish_files(&request) {
        Ok(families) => {
            log_at!(db.context.logger, Header, "Opened {}", db.context.dir.display());
            Ok((db, families))
        }
        Err(error) => {
            // The error that matters is the first one.
            let _ = db.close();
            Err(error)
        }
    }
}

impl Db {
    /// Looks at every column family for compactions that an earlier opening left undone.
    fn begin_compactions(&self) {
        let mut state = self.state.lock();
        let ids: Vec<u32> = state.families.keys().copied().collect();
        for id in ids {
            self.tables_changed(&mut state, id);
        }
    }

    /// Has a job of the env open all tables, if the options leave that until now.
    fn open_tables_later(&self) {
        let options = &self.context.options;
        if !options.open_files_async || options.max_open_files != -1 {
            return;
        }
        let Some(place) = self.jobs.try_enter() else { return };
        let db = self.me.clone();
        let job = Box::new(move || {
            if let Some(db) = db.upgrade() {
                db.open_tables();
            }
            drop(place);
        });
        if let Err(error) = self.context.env.schedule(Priority::High, job) {
            log_at!(self.context.logger, Warn, "Tables are opened when they are read: {error}");
        }
    }

    fn open_tables(&self) {
        let _reads = Activity::Open.enter();
        let threads = self.context.options.max_file_opening_threads.max(1) as usize;
        for family in self.families.load().iter() {
            let version = family.persistent.current();
            let files: Vec<_> = version.all_files().map(|(_, file)| file.clone()).collect();
            for files in files.chunks(FILES_AT_ONCE) {
                if self.is_shutting_down() {
                    return;
                }
                if let Err(error) = family.tables.load(files, threads) {
                    log_at!(self.context.logger, Warn, "Opening a table failed: {error}");
                }
            }
        }
    }

    /// What is left to do to the files once the database could be used.
    fn finish_files(&self, request: &OpenRequest) -> Result<Vec<Arc<Family>>> {
        self.open_stats_family()?;
        let families = self.open_families(request)?;
        if self.context.read_only {
            self.find_options_file();
        } else {
            self.write_options_file()?;
            self.remove_unknown_files(true)?;
            self.begin_compactions();
            self.start_periodic_tasks()?;
            self.open_tables_later();
        }
        Ok(families)
    }
}

fn start_log(context: &Context, recovered: &Recovered) -> Result<Wals> {
    let options = WalOptions {
        recycle_limit: context.options.recycle_log_file_num,
        bytes_per_sync: context.options.wal_bytes_per_sync,
        buffer_limit: match context.options.manual_wal_flush {
            true => context.options.writable_file_max_buffer_size,
            false => 0,
        },
        use_fsync: context.options.use_fsync,
        preallocation_size: wal_preallocation_size(&context.options, &recovered.families),
        compress: context.options.wal_compression == CompressionType::Zstd,
        track_predecessor: context.options.track_and_verify_wals,
        track_synced: context.options.track_and_verify_wals_in_manifest,
        retire: context.options.background_close_inactive_wals,
    };
    Wals::start(
        context.env.fs().clone(),
        context.wal_dir.clone(),
        options,
        recovered.versions.file_numbers().allocate(),
        recovered.kept_logs.clone(),
        recovered.last_logged,
    )
}

/// The disk space to reserve for a log: what fills a memtable and a little more, unless a limit on
/// logs or memtables makes it end before.
fn wal_preallocation_size(options: &DbOptions, families: &FamilySet) -> u64 {
    if !options.allow_fallocate {
        return 0;
    }
    let buffers = families.iter().map(|family| family.options.write_buffer_size as u64);
    let buffer = buffers.max().unwrap_or(0);
    let manager = options.write_buffer_manager.as_ref().map_or(0, |m| m.buffer_size() as u64);
    let limits = [options.max_total_wal_size, options.db_write_buffer_size as u64, manager];
    let limits = limits.into_iter().filter(|&limit| limit > 0);
    limits.fold(buffer.saturating_add(buffer / 10), u64::min)
}

fn assemble(
    context: Context,
    lock: Option<Box<dyn FileLock>>,
    wals: Option<Wals>,
    recovered: Recovered,
) -> Arc<Db> {
    let (max_background_flushes, max_background_compactions) = context.options.background_limits();
    let max_total_wal_size = max_total_wal_size(&context.options, &recovered.families);
    let live_options = ArcSwap::from_pointee(context.options.clone());
    let log = wals.as_ref().map_or(0, Wals::current_number);
    let spinning = spinning(&context.options);
    let pipelined = context.options.enable_pipelined_write || context.options.unordered_write;
    let any_unwritable = recovered.families.iter().any(|f| f.options.disallow_memtable_writes);
    let states = recovered.families.iter().map(|family| {
        let mem = family.super_version.load().mem.clone();
        let oldest = if mem.is_empty() { log } else { family.persistent.log_number() };
        (family.id(), FamilyState::new(family.clone(), mem, oldest))
    });
    let states = states.collect();
    let state = State {
        families: states,
        snapshots: Snapshots::default(),
        flushes: Flushes { queue: VecDeque::new(), running: 0, scheduled: 0 },
        compactions: Compactions::default(),
        flushes_paused: 0,
        compactions_paused: 0,
        controller: WriteController::new(context.options.delayed_write_rate),
        pending_outputs: BTreeSet::new(),
        obsolete: Vec::new(),
        deletions_disabled: 0,
        background_error: None,
        resumable: false,
        canceled: false,
        closing: false,
        closed: false,
        versions: recovered.versions,
    };
    let file_numbers = state.versions.file_numbers().clone();
    let adaptive = context.options.use_adaptive_mutex;
    let state = StateMutex::new(state, context.options.statistics.clone(), adaptive);
    let db = Arc::new_cyclic(|me| Db {
        context,
        me: me.clone(),
        families: ArcSwap::from_pointee(recovered.families),
        writers: WriteQueue::with_spinning(spinning),
        pipelined,
        attention: AtomicBool::new(false),
        any_unwritable: any_unwritable.into(),
        unlogged_writes: AtomicBool::new(false),
        sequences: Sequences::new(recovered.last_sequence),
        counters: DbCounters::default(),
        wals,
        max_total_wal_size: max_total_wal_size.into(),
        max_background_flushes: max_background_flushes.into(),
        max_background_compactions: max_background_compactions.into(),
        live_options,
        options_turn: Mutex::new(()),
        shutting_down: AtomicBool::new(false),
        low_priority_writes: RateLimiter::of_writes(LOW_PRIORITY_RATE),
        stalled: AtomicBool::new(false),
        purge_wanted: AtomicBool::new(false),
        purges: AtomicUsize::new(0),
        jobs: Arc::default(),
        searched: Mutex::new(Instant::now()),
        archive_purged: AtomicU64::new(0),
        file_numbers,
        manifest_turn: Mutex::new(()),
        state,
        changed: Condvar::new(),
        options_file: Mutex::new(0),
        periodic: PeriodicTasks::default(),
        stats_history: SharedHistory::default(),
        lock: Mutex::new(lock),
    });
    db.state.lock().versions.set_on_release(release_hook(&db));
    db
}

/// How writers wait for their turn.
fn spinning(options: &DbOptions) -> Spinning {
    let at_most = match options.enable_write_thread_adaptive_yield {
        true => options.write_thread_max_yield_usec,
        false => 0,
    };
    Spinning {
        at_most: Duration::from_micros(at_most),
        slow: Duration::from_micros(options.write_thread_slow_yield_usec),
    }
}

/// The bytes of all logs at which memtables are flushed.
pub(super) fn max_total_wal_size(options: &DbOptions, families: &FamilySet) -> u64 {
    match options.max_total_wal_size {
        0 => buffer_bytes(families).saturating_mul(4),
        size => size,
    }
}

/// The most that the memtables of all column families may take together.
fn buffer_bytes(families: &FamilySet) -> u64 {
    let one = |options: &CfOptions| {
        let number = options.max_write_buffer_number.max(2) as u64;
        (options.write_buffer_size as u64).saturating_mul(number)
    };
    families.iter().map(|family| one(&family.live_options())).fold(0, u64::saturating_add)
}

/// The names of the column families of the database at `path`, which may be open elsewhere.
pub fn list_column_families(options: &DbOptions, path: &Path) -> Result<Vec<Vec<u8>>> {
    crate::version::version_set::VersionSet::list_column_families(options.env.fs().clone(), path)
}
