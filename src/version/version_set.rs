//! [`VersionSet`]: the persistent state of a database, and the one way to change it.

use super::builder::VersionBuilder;
use super::column_family::{ColumnFamily, ColumnFamilyConfig};
use super::edit::VersionEdit;
use super::file_numbers::FileNumbers;
use super::manifest::{ManifestPlace, ManifestWriter};
use super::manifest_write::{ManifestWrite, Outcome, Target};
use super::replay::{FamilyLister, Recovered, Replay};
use super::snapshot::{FamilyState, Snapshot};
use super::table_cache::TableCache;
use super::version::{OnRelease, Version};
use super::wal_set::WalSet;
use crate::base::key::SequenceNumber;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Weak};
use crate::env::current::read_current;
use crate::env::file_system::FileSystem;
use crate::stats::Stats;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The database options that concern the MANIFEST, named as in RocksDB.
#[derive(Clone, Debug)]
pub struct VersionSetOptions {
    /// A MANIFEST of this many bytes is written anew, unless `max_manifest_space_amp_pct` allows
    /// a longer one.
    pub max_manifest_file_size: u64,
    /// How much longer than its compact form, in per cent, a MANIFEST may get.
    pub max_manifest_space_amp_pct: u32,
    /// Disk space is reserved in steps of so many bytes; 0 never.
    pub manifest_preallocation_size: u64,
    /// Bytes that are read ahead from a MANIFEST; 0 reads what is needed.
    pub log_readahead_size: usize,
    /// Sync with `fsync` instead of `fdatasync`.
    pub use_fsync: bool,
    /// Store the database's identity in the MANIFEST.
    pub write_dbid_to_manifest: bool,
    /// Counts what is done to the MANIFEST.
    pub statistics: Stats,
}

impl Default for VersionSetOptions {
    /// RocksDB's defaults.
    fn default() -> VersionSetOptions {
        VersionSetOptions {
            max_manifest_file_size: 1 << 30,
            max_manifest_space_amp_pct: 500,
            manifest_preallocation_size: 4 << 20,
            log_readahead_size: 0,
            use_fsync: false,
            write_dbid_to_manifest: true,
            statistics: None,
        }
    }
}

/// The files that must not be deleted.
#[derive(Debug, Default)]
pub struct LiveFiles {
    /// Numbers of tables.
    pub tables: HashSet<u64>,
    /// Numbers of blob files.
    pub blobs: HashSet<u64>,
}

/// The persistent state: column families with their versions, file numbers, sequence number,
/// WALs to keep.
///
/// Lives under the database mutex. A change goes through three steps, so that the mutex is not
/// held during input and output; the caller lets only one change be under way at a time:
///
/// 1. under the mutex, `prepare*` builds the new versions;
/// 2. without it, [`ManifestWrite::write`] makes the change durable;
/// 3. under it, [`install`](VersionSet::install) makes it visible.
pub struct VersionSet {
    place: ManifestPlace,
    options: VersionSetOptions,
    db_id: String,
    families: BTreeMap<u32, Arc<ColumnFamily>>,
    file_numbers: Arc<FileNumbers>,
    max_column_family: u32,
    last_sequence: SequenceNumber,
    min_log_number_to_keep: u64,
    prev_log_number: u64,
    wals: WalSet,
    manifest_number: u64,
    /// `None` before the first change and after one that failed: the next one starts a new file.
    manifest: Option<ManifestWriter>,
    manifest_size: u64,
    last_compacted_size: u64,
    versions: Vec<Weak<Version>>,
    /// Files of changes that are under way, or that failed in a way that a crash could undo.
    quarantine: Vec<u64>,
    under_way: Weak<()>,
    on_release: Option<OnRelease>,
}

impl VersionSet {
    /// Makes the MANIFEST and CURRENT of a new database: the default column family without files.
    /// Open it with [`recover`](VersionSet::recover) then. The folder must exist.
    pub fn create(
        fs: Arc<dyn FileSystem>,
        dir: &Path,
        options: &VersionSetOptions,
        db_id: &str,
    ) -> Result<()> {
        const FIRST: u64 = 1;
        let edit = VersionEdit {
            db_id: options.write_dbid_to_manifest.then(|| db_id.as_bytes().to_vec()),
            log_number: Some(0),
            next_file_number: Some(FIRST + 1),
            last_sequence: Some(0),
            ..VersionEdit::default()
        };
        let mut record = Vec::new();
        edit.encode_to(0, &mut record)?;
        let place = ManifestPlace::new(fs, dir, options);
        let written = place.create(FIRST).and_then(|mut writer| {
            writer.add(&record)?;
            writer.sync()
        });
        if written.is_err() {
            let _ = place.fs.remove_file(&place.path(FIRST));
        }
        written.and_then(|()| place.switch_current(FIRST))
    }

    /// Reads the state of an existing database. `configs` are the column families to open, the
    /// default one among them; those that the database does not have are left out (ask
    /// [`family_named`](VersionSet::family_named)). The database may have others only if
    /// `read_only`. Tables are not looked at.
    ///
    /// Errors have RocksDB's texts; corruption names the MANIFEST.
    pub fn recover(
        fs: Arc<dyn FileSystem>,
        dir: &Path,
        options: VersionSetOptions,
        configs: &[ColumnFamilyConfig],
        read_only: bool,
    ) -> Result<VersionSet> {
        let number = read_current(&*fs, dir)?;
        let place = ManifestPlace::new(fs, dir, &options);
        let mut size = 0;
        let mut replay = Replay::new(configs)?;
        let recovered = place
            .read(number, |record, end| {
                size = end;
                replay.record(record)
            })
            .and_then(|()| replay.finish(read_only))
            .map_err(|status| place.blame(number, status))?;
        Ok(VersionSet::new(place, options, number, size, recovered))
    }

    fn new(
        place: ManifestPlace,
        options: VersionSetOptions,
        manifest_number: u64,
        manifest_size: u64,
        recovered: Recovered,
    ) -> VersionSet {
        let file_numbers = FileNumbers::new(recovered.next_file_number);
        file_numbers.mark_used(manifest_number);
        VersionSet {
            place,
            options,
            db_id: String::from_utf8_lossy(&recovered.db_id.unwrap_or_default()).into_owned(),
            versions: recovered.families.iter().map(|f| Arc::downgrade(&f.current())).collect(),
            families: recovered.families.into_iter().map(|family| (family.id(), family)).collect(),
            file_numbers: Arc::new(file_numbers),
            max_column_family: recovered.max_column_family,
            last_sequence: recovered.last_sequence,
            min_log_number_to_keep: recovered.min_log_number_to_keep,
            prev_log_number: recovered.prev_log_number,
            wals: recovered.wals,
            manifest_number,
            manifest: None,
            manifest_size,
            last_compacted_size: recovered.last_compacted_size,
            quarantine: Vec::new(),
            under_way: Weak::new(),
            on_release: None,
        }
    }

    /// The names of the column families of a database that may be open elsewhere, by id.
    pub fn list_column_families(fs: Arc<dyn FileSystem>, dir: &Path) -> Result<Vec<Vec<u8>>> {
        let number = read_current(&*fs, dir)?;
        let place = ManifestPlace::new(fs, dir, &VersionSetOptions::default());
        let mut lister = FamilyLister::new();
        place
            .read(number, |record, _| lister.record(record))
            .map_err(|status| place.blame(number, status))?;
        Ok(lister.names())
    }

    /// The identity that the MANIFEST holds; empty if it holds none and
    /// [`set_db_id`](VersionSet::set_db_id) was not called.
    pub fn db_id(&self) -> &str {
        &self.db_id
    }

    /// Sets the identity, which goes into the next new MANIFEST.
    pub fn set_db_id(&mut self, id: &str) {
        self.db_id = id.to_string();
    }

    /// The column families that are open and not dropped, by id.
    pub fn families(&self) -> impl Iterator<Item = &Arc<ColumnFamily>> {
        self.families.values()
    }

    /// The column family with `id`, unless it was dropped.
    pub fn family(&self, id: u32) -> Option<&Arc<ColumnFamily>> {
        self.families.get(&id)
    }

    /// The column family with `name`, unless it was dropped.
    pub fn family_named(&self, name: &[u8]) -> Option<&Arc<ColumnFamily>> {
        self.families.values().find(|family| family.name() == name)
    }

    /// The highest column family id ever used.
    pub fn max_column_family(&self) -> u32 {
        self.max_column_family
    }

    /// Hands out file numbers, without the database mutex.
    pub fn file_numbers(&self) -> &Arc<FileNumbers> {
        &self.file_numbers
    }

    /// The highest sequence number that the MANIFEST knows of. The newest write is in a WAL and
    /// may be far ahead.
    pub fn last_sequence(&self) -> SequenceNumber {
        self.last_sequence
    }

    /// WALs with smaller numbers are obsolete, whatever column families say.
    pub fn min_log_number_to_keep(&self) -> u64 {
        self.min_log_number_to_keep
    }

    /// The smallest number of a WAL that some column family still needs.
    pub fn min_log_number_with_unflushed_data(&self) -> u64 {
        self.families.values().map(|family| family.log_number()).min().unwrap_or(0)
    }

    /// LevelDB's second live WAL; 0 since.
    pub fn prev_log_number(&self) -> u64 {
        self.prev_log_number
    }

    /// The WALs that the MANIFEST tracks.
    pub fn wals(&self) -> &WalSet {
        &self.wals
    }

    /// The number of the MANIFEST in use. Those with larger numbers must stay, too: one is being
    /// written, or CURRENT may name it after an error.
    pub fn manifest_number(&self) -> u64 {
        self.manifest_number
    }

    /// The length of the MANIFEST in use.
    pub fn manifest_size(&self) -> u64 {
        self.manifest_size
    }

    /// The name of the MANIFEST in use.
    pub fn manifest_path(&self) -> PathBuf {
        self.place.path(self.manifest_number)
    }

    /// Adds the words with which RocksDB blames the MANIFEST for damage found while opening what
    /// it lists, e.g. a table of the wrong size. Other errors stay as they are.
    pub fn blame_manifest(&self, status: Status) -> Status {
        self.place.blame(self.manifest_number, status)
    }

    /// Opens all tables of `family` with at most `threads` threads, as RocksDB does at open with
    /// `max_open_files = -1`; errors are RocksDB's, and blame the MANIFEST. The caller ignores
    /// them without `paranoid_checks`: reads will meet them again.
    pub fn load_tables(
        &self,
        family: &ColumnFamily,
        tables: &TableCache,
        threads: usize,
    ) -> Result<()> {
        let files: Vec<_> = family.current().all_files().map(|(_, file)| file.clone()).collect();
        tables.load(&files, threads).map_err(|status| {
            let missing = status.is_path_not_found();
            let status =
                if missing { Status::corruption(format!("Corruption: {status}")) } else { status };
            self.blame_manifest(status)
        })
    }

    /// The files that some version still holds, or that a change under way or in doubt needs.
    pub fn live_files(&self) -> LiveFiles {
        let mut live = LiveFiles::default();
        for version in self.versions.iter().filter_map(Weak::upgrade) {
            live.tables.extend(version.all_files().map(|(_, file)| file.number));
            live.blobs.extend(version.blob_files().keys());
        }
        live.tables.extend(&self.quarantine);
        live.blobs.extend(&self.quarantine);
        live
    }
}

/// How changes are made.
impl VersionSet {
    /// Prepares `edits`, which take effect all or none (several ones as an atomic group). Sets
    /// the fields that every edit must have. Edits of dropped column families are left out; if no
    /// other is left the error is of kind `ColumnFamilyDropped`.
    pub fn prepare(&mut self, mut edits: Vec<VersionEdit>) -> Result<ManifestWrite> {
        edits.retain(|edit| self.families.contains_key(&edit.column_family));
        if edits.is_empty() {
            return Err(Status::column_family_dropped(""));
        }
        let mut builders: BTreeMap<u32, VersionBuilder> = BTreeMap::new();
        let mut last_sequence = self.last_sequence;
        let count = edits.len() as u32;
        for (i, edit) in edits.iter_mut().enumerate() {
            last_sequence = last_sequence.max(edit.last_sequence.unwrap_or(0));
            edit.last_sequence = Some(last_sequence);
            edit.prev_log_number.get_or_insert(self.prev_log_number);
            edit.atomic_group = (count > 1).then(|| count - 1 - i as u32);
            if edit.wal_additions.is_empty() && edit.wal_deletion.is_none() {
                let family = &self.families[&edit.column_family];
                let builder = builders
                    .entry(edit.column_family)
                    .or_insert_with(|| VersionBuilder::new(family.current()));
                builder.apply(edit)?;
            }
        }
        let mut versions = Vec::new();
        for (id, builder) in builders {
            let family = self.families[&id].clone();
            let version = builder.finish(family.config().force_consistency_checks)?;
            versions.push((family, Arc::new(version)));
        }
        self.begin(edits, versions, None)
    }

    /// Prepares the creation of a column family whose first data will be in WAL `log_number`.
    pub fn prepare_add_family(
        &mut self,
        config: ColumnFamilyConfig,
        log_number: u64,
    ) -> Result<ManifestWrite> {
        if self.family_named(&config.name).is_some() {
            return Err(Status::invalid_argument("Column family already exists"));
        }
        let Some(id) = self.max_column_family.checked_add(1) else {
            return Err(Status::aborted("all column family ids are used up"));
        };
        let edit = VersionEdit {
            column_family_add: Some(config.name.clone()),
            comparator: Some(config.comparator.name().as_bytes().to_vec()),
            persist_user_defined_timestamps: Some(config.persist_user_defined_timestamps),
            log_number: Some(log_number),
            last_sequence: Some(self.last_sequence),
            ..VersionEdit::new(id)
        };
        let version = Arc::new(Version::empty(config.comparator.clone(), config.num_levels));
        let family = Arc::new(ColumnFamily::new(id, config, version));
        family.raise_log_number(log_number);
        family.set_next_epoch(if family.config().allow_ingest_behind { 2 } else { 1 });
        self.max_column_family = id;
        self.begin(vec![edit], Vec::new(), Some(family))
    }

    /// Prepares the dropping of a column family.
    pub fn prepare_drop_family(&mut self, id: u32) -> Result<ManifestWrite> {
        if id == 0 {
            return Err(Status::invalid_argument("Can't drop default column family"));
        }
        if !self.families.contains_key(&id) {
            return Err(Status::invalid_argument("Column family already dropped!\n"));
        }
        let edit = VersionEdit {
            column_family_drop: true,
            last_sequence: Some(self.last_sequence),
            max_column_family: Some(self.max_column_family),
            ..VersionEdit::new(id)
        };
        self.begin(vec![edit], Vec::new(), None)
    }

    fn begin(
        &mut self,
        mut edits: Vec<VersionEdit>,
        versions: Vec<(Arc<ColumnFamily>, Arc<Version>)>,
        new_family: Option<Arc<ColumnFamily>>,
    ) -> Result<ManifestWrite> {
        if self.under_way.strong_count() > 0 {
            return Err(Status::busy("another MANIFEST change is under way"));
        }
        let manipulates = edits.iter().any(VersionEdit::is_column_family_manipulation);
        let appendable = self.manifest_size < self.max_manifest_size(manipulates);
        let (number, target) = match self.manifest.take().filter(|_| appendable) {
            Some(writer) => (self.manifest_number, Target::Append(writer)),
            None => (self.file_numbers.allocate(), Target::New(self.snapshot())),
        };
        let is_new_manifest = matches!(target, Target::New(_));
        for edit in &mut edits {
            edit.next_file_number = Some(self.file_numbers.next());
        }
        if is_new_manifest && self.max_column_family > 0 {
            edits[0].max_column_family = Some(self.max_column_family);
        }
        for edit in &edits {
            self.quarantine.extend(edit.new_files.iter().map(|(_, file)| file.number));
            self.quarantine.extend(edit.blob_file_additions.iter().map(|blob| blob.number));
        }
        let token = Arc::new(());
        self.under_way = Arc::downgrade(&token);
        Ok(ManifestWrite {
            place: self.place.clone(),
            number,
            target: Some(target),
            edits: edits.into_iter().map(|edit| self.with_timestamp_size(edit)).collect(),
            versions,
            new_family,
            is_new_manifest,
            outcome: Outcome::NotWritten,
            _token: token,
        })
    }

    fn with_timestamp_size(&self, edit: VersionEdit) -> (VersionEdit, usize) {
        let family = self.families.get(&edit.column_family);
        let size = family.map_or(0, |family| family.comparator().timestamp_size());
        (edit, size)
    }

    /// Sets the length at which a MANIFEST is written anew.
    pub fn set_max_manifest_file_size(&mut self, bytes: u64) {
        self.options.max_manifest_file_size = bytes;
    }

    /// Reads the current MANIFEST back when called. Nobody may be writing it then.
    pub fn manifest_check(&self) -> impl FnOnce() -> Result<()> + use<> {
        let (place, number, size) = (self.place.clone(), self.manifest_number, self.manifest_size);
        move || place.verify(number, size)
    }

    /// Has the next change start a new MANIFEST.
    pub fn abandon_manifest(&mut self) {
        self.manifest = None;
    }

    /// Sets by how many per cent a MANIFEST may grow before it is written anew.
    pub fn set_max_manifest_space_amp_pct(&mut self, percent: u32) {
        self.options.max_manifest_space_amp_pct = percent;
    }

    /// The length at which a MANIFEST is written anew. What a user waits for may exceed it by a
    /// quarter, so that the rewriting falls to the background.
    fn max_manifest_size(&self, foreground: bool) -> u64 {
        let percent = 100 + u64::from(self.options.max_manifest_space_amp_pct);
        let amplified = self.last_compacted_size.saturating_mul(percent) / 100;
        let limit = self.options.max_manifest_file_size.max(amplified);
        if foreground { limit.saturating_add(limit / 4) } else { limit }
    }

    fn snapshot(&self) -> Snapshot {
        let store_id = self.options.write_dbid_to_manifest && !self.db_id.is_empty();
        Snapshot {
            db_id: store_id.then(|| self.db_id.clone()),
            wals: self.wals.iter().collect(),
            min_log_number_to_keep: self.min_log_number_to_keep,
            last_sequence: self.last_sequence,
            families: self.families.values().map(FamilyState::of).collect(),
        }
    }

    /// Makes a written change visible. If it was not written, or that failed, nothing changes and
    /// the error comes back; the next change then starts a new MANIFEST from the state in memory.
    /// Until that has succeeded the files of the failed change stay in
    /// [`live_files`](VersionSet::live_files), because a crash could bring the change back.
    pub fn install(&mut self, write: ManifestWrite) -> Result<()> {
        let writer = match write.outcome {
            Outcome::Durable(writer) => writer,
            Outcome::Failed(status) => return Err(status),
            Outcome::NotWritten => return Err(Status::aborted("MANIFEST change was not written")),
        };
        self.manifest_size = writer.size();
        if write.is_new_manifest {
            self.last_compacted_size = self.manifest_size;
        }
        self.manifest = Some(writer);
        self.manifest_number = write.number;
        self.quarantine.clear();
        let mut result = Ok(());
        for (edit, _) in write.edits {
            result = result.and(self.install_edit(edit));
        }
        if let Some(family) = write.new_family {
            self.track(&family.current());
            self.families.insert(family.id(), family);
        }
        for (family, version) in write.versions {
            self.track(&version);
            family.set_current(version);
        }
        result
    }

    fn install_edit(&mut self, edit: VersionEdit) -> Result<()> {
        self.last_sequence = self.last_sequence.max(edit.last_sequence.unwrap_or(0));
        self.prev_log_number = edit.prev_log_number.unwrap_or(self.prev_log_number);
        if let Some(number) = edit.min_log_number_to_keep {
            self.min_log_number_to_keep = self.min_log_number_to_keep.max(number);
            // A new MANIFEST says the same of tracked WALs.
            self.wals.delete_before(number);
        }
        if edit.column_family_drop {
            if let Some(family) = self.families.remove(&edit.column_family) {
                family.set_dropped();
            }
            return Ok(());
        }
        if let Some(family) = self.families.get(&edit.column_family) {
            family.raise_log_number(edit.log_number.unwrap_or(0));
            if let Some(timestamp) = edit.full_history_ts_low {
                family.set_full_history_ts_low(timestamp);
            }
        }
        if let Some(number) = edit.wal_deletion {
            self.wals.delete_before(number);
        }
        edit.wal_additions.iter().try_for_each(|wal| self.wals.add(wal))
    }

    /// Has `call` called whenever a version ends, from now on.
    pub fn set_on_release(&mut self, call: OnRelease) {
        for version in self.versions.iter().filter_map(Weak::upgrade) {
            version.on_release(&call);
        }
        self.on_release = Some(call);
    }

    fn track(&mut self, version: &Arc<Version>) {
        if let Some(call) = &self.on_release {
            version.on_release(call);
        }
        self.versions.retain(|version| version.strong_count() > 0);
        self.versions.push(Arc::downgrade(version));
    }

    /// [`prepare`](VersionSet::prepare), [`ManifestWrite::write`] and
    /// [`install`](VersionSet::install) in one, for callers that hold no mutex: opening, tools.
    pub fn log_and_apply(&mut self, edits: Vec<VersionEdit>) -> Result<()> {
        let mut write = self.prepare(edits)?;
        let _ = write.write();
        self.install(write)
    }
}
