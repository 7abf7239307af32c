//! Tests of the version set on the memory file system: changes, roll-over, faults, crashes.

use super::column_family::{ColumnFamilyConfig, DEFAULT_NAME};
use super::edit::{BlobFileAddition, BlobFileGarbage, VersionEdit, WalAddition};
use super::file_meta::FileMeta;
use super::version_set::{VersionSet, VersionSetOptions};
use crate::base::comparator::Comparator;
use crate::base::key::{InternalKey, ValueType};
use crate::base::random::Random;
use crate::base::status::{Code, Result};
use crate::base::sync::Mutex;
use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
use crate::env::file_system::FileSystem;
use crate::env::memory::{CrashPolicy, Hook, MemoryFileSystem, Unsynced};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

const DIR: &str = "/db";

fn dir() -> &'static Path {
    Path::new(DIR)
}

fn options(max_manifest_file_size: u64) -> VersionSetOptions {
    VersionSetOptions {
        max_manifest_file_size,
        max_manifest_space_amp_pct: 0,
        ..VersionSetOptions::default()
    }
}

fn config(name: &str) -> ColumnFamilyConfig {
    ColumnFamilyConfig::new(name.as_bytes(), Comparator::Bytewise)
}

const NAMES: [&str; 5] = ["default", "a", "b", "c", "d"];

fn recover_all(fs: Arc<dyn FileSystem>, size: u64) -> Result<VersionSet> {
    VersionSet::recover(fs, dir(), options(size), &NAMES.map(config), false)
}

fn create(fs: Arc<dyn FileSystem>, size: u64) -> Result<VersionSet> {
    fs.create_dir_if_missing(dir())?;
    VersionSet::create(fs.clone(), dir(), &options(size), "the-id")?;
    recover_all(fs, size)
}

/// A new file system in which the folder is durable.
fn memory() -> MemoryFileSystem {
    let fs = MemoryFileSystem::new();
    fs.create_dir(dir()).unwrap();
    fs.sync_all();
    fs
}

/// All that must survive, as text.
fn describe(versions: &VersionSet) -> String {
    let mut text = format!(
        "id {} sequence {} min log {} prev log {} max family {}\n",
        versions.db_id(),
        versions.last_sequence(),
        versions.min_log_number_to_keep(),
        versions.prev_log_number(),
        versions.max_column_family()
    );
    for wal in versions.wals().iter() {
        writeln!(text, "{wal:?}").unwrap();
    }
    for family in versions.families() {
        let name = String::from_utf8_lossy(family.name()).into_owned();
        writeln!(text, "family {} {name} log {}", family.id(), family.log_number()).unwrap();
        let version = family.current();
        for (level, file) in version.all_files() {
            let FileMeta { number, file_size, epoch_number, largest_seqno, .. } = **file;
            writeln!(text, "  L{level} {number} {file_size} {epoch_number} {largest_seqno}")
                .unwrap();
        }
        for blob in version.blob_files().values() {
            writeln!(text, "  {blob:?}").unwrap();
        }
        writeln!(text, "  cursor {:?}", version.compact_cursor(1)).unwrap();
    }
    text
}

/// Makes plausible changes.
struct Changer {
    random: Random,
    sequence: u64,
}

/// A change that a test can prepare again after it failed.
#[derive(Clone, Debug)]
enum Change {
    Edits(Vec<VersionEdit>),
    Add(&'static str),
    Drop(u32),
}

impl Changer {
    fn new(seed: u64) -> Changer {
        Changer { random: Random::new(seed), sequence: 0 }
    }

    fn table(&mut self, versions: &VersionSet, epoch: u64, level: u32) -> Arc<FileMeta> {
        let number = versions.file_numbers().allocate();
        self.sequence += 10;
        // Every file of a level below the first has keys of its own.
        let user = if level == 0 { "k".to_string() } else { format!("k{number:09}") };
        Arc::new(FileMeta {
            number,
            file_size: 1 + self.random.below(1 << 30),
            smallest: InternalKey::new(user.as_bytes(), self.sequence, ValueType::Value),
            largest: InternalKey::new(user.as_bytes(), self.sequence - 5, ValueType::Value),
            smallest_seqno: self.sequence - 5,
            largest_seqno: self.sequence,
            epoch_number: epoch,
            unique_id: [number, 7],
            ..FileMeta::default()
        })
    }

    fn edit(&mut self, versions: &VersionSet, id: u32) -> VersionEdit {
        let family = versions.family(id).unwrap();
        let mut edit = VersionEdit::new(id);
        for (level, file) in family.current().all_files() {
            if self.random.one_in(4) {
                edit.delete_file(level as u32, file.number);
            }
        }
        for _ in 0..1 + self.random.below(3) {
            let level = self.random.below(3) as u32;
            let file = self.table(versions, family.new_epoch_number(), level);
            edit.add_file(level, file);
        }
        edit.log_number = Some(versions.file_numbers().allocate());
        if self.random.one_in(3) {
            let key = InternalKey::new(b"cursor", self.sequence, ValueType::Value);
            edit.compact_cursors.push((1, key));
        }
        if self.random.one_in(3) {
            edit.min_log_number_to_keep = Some(versions.min_log_number_with_unflushed_data());
        }
        edit
    }

    fn wal_edit(&mut self, versions: &VersionSet) -> VersionEdit {
        let mut edit = VersionEdit::default();
        if self.random.one_in(3) {
            let last = versions.wals().iter().last();
            edit.wal_deletion = last.map(|wal| wal.number);
        }
        if edit.wal_deletion.is_none() {
            let synced_size = self.random.one_in(2).then_some(77);
            let number = versions.file_numbers().allocate();
            edit.wal_additions.push(WalAddition { number, synced_size });
        }
        edit
    }

    fn change(&mut self, versions: &VersionSet) -> Change {
        let ids: Vec<u32> = versions.families().map(|family| family.id()).collect();
        match self.random.below(8) {
            0 => {
                let free = NAMES.iter().find(|n| versions.family_named(n.as_bytes()).is_none());
                free.map_or(Change::Edits(vec![self.edit(versions, 0)]), |name| Change::Add(name))
            }
            1 if ids.len() > 1 => {
                Change::Drop(ids[1 + self.random.below(ids.len() as u64 - 1) as usize])
            }
            2 => Change::Edits(vec![self.wal_edit(versions)]),
            3 | 4 => {
                // An atomic group over all column families.
                Change::Edits(ids.iter().map(|&id| self.edit(versions, id)).collect())
            }
            _ => {
                let id = ids[self.random.below(ids.len() as u64) as usize];
                Change::Edits(vec![self.edit(versions, id)])
            }
        }
    }
}

fn make(versions: &mut VersionSet, change: &Change) -> Result<()> {
    let mut write = match change {
        Change::Edits(edits) => versions.prepare(edits.clone())?,
        Change::Add(name) => {
            let log = versions.file_numbers().allocate();
            versions.prepare_add_family(config(name), log)?
        }
        Change::Drop(id) => versions.prepare_drop_family(*id)?,
    };
    let written = write.write();
    let installed = versions.install(write);
    assert_eq!(written.is_ok(), installed.is_ok());
    installed
}

#[test]
fn changes_survive_reopening_and_roll_over() {
    let mut random = Random::from_env(31);
    for max_size in [1, 400, 1 << 30] {
        let fs = Arc::new(memory());
        let mut versions = create(fs.clone(), max_size).unwrap();
        assert_eq!((versions.manifest_number(), versions.db_id()), (1, "the-id"));
        let mut changer = Changer::new(random.next_u64());
        for round in 0..120 {
            let change = changer.change(&versions);
            make(&mut versions, &change).unwrap();
            assert!(versions.manifest_size() > 0);
            if round % 7 == 0 {
                let again = recover_all(fs.clone(), max_size).unwrap();
                assert_eq!(describe(&again), describe(&versions));
                let next = versions.file_numbers().next();
                assert!(again.file_numbers().next() >= next, "numbers are never used again");
            }
            if round % 40 == 39 {
                versions = recover_all(fs.clone(), max_size).unwrap();
            }
        }
        let manifests = versions.manifest_number();
        match max_size {
            1 => assert!(manifests > 120, "each change writes a new one"),
            400 => assert!(versions.manifest_size() < 1 << 16),
            _ => {}
        }
    }
}

#[test]
fn a_new_manifest_follows_reopening_and_size() {
    let fs = Arc::new(memory());
    let mut versions = create(fs.clone(), 1 << 20).unwrap();
    let mut changer = Changer::new(1);
    let mut write = versions.prepare(vec![changer.edit(&versions, 0)]).unwrap();
    assert!(write.starts_new_manifest(), "the first change after opening");
    write.write().unwrap();
    versions.install(write).unwrap();
    let number = versions.manifest_number();
    for _ in 0..10 {
        let edit = changer.edit(&versions, 0);
        versions.log_and_apply(vec![edit]).unwrap();
        assert_eq!(versions.manifest_number(), number);
    }
    assert_eq!(versions.manifest_path(), dir().join(format!("MANIFEST-{number:06}")));
    // The limit grows with what a compact MANIFEST takes.
    let amplified = VersionSetOptions { max_manifest_space_amp_pct: 500, ..options(1) };
    let mut versions =
        VersionSet::recover(fs, dir(), amplified, &[config("default")], false).unwrap();
    let edit = changer.edit(&versions, 0);
    versions.log_and_apply(vec![edit]).unwrap();
    let number = versions.manifest_number();
    let edit = changer.edit(&versions, 0);
    versions.log_and_apply(vec![edit]).unwrap();
    assert_eq!(versions.manifest_number(), number);
}

#[test]
fn families_come_and_go() {
    let fs = Arc::new(memory());
    let mut versions = create(fs.clone(), 1 << 20).unwrap();
    for name in ["a", "b"] {
        make(&mut versions, &Change::Add(name)).unwrap();
    }
    let text = |result: Result<()>| result.unwrap_err().to_string();
    assert_eq!(
        text(make(&mut versions, &Change::Add("a"))),
        "Invalid argument: Column family already exists"
    );
    assert_eq!(
        text(make(&mut versions, &Change::Drop(0))),
        "Invalid argument: Can't drop default column family"
    );
    let dropped = versions.family(2).unwrap().clone();
    make(&mut versions, &Change::Drop(2)).unwrap();
    assert!(dropped.is_dropped() && versions.family(2).is_none());
    assert_eq!(
        text(make(&mut versions, &Change::Drop(2))),
        "Invalid argument: Column family already dropped!\n"
    );
    let late = versions.prepare(vec![VersionEdit::new(2)]).map(|_| ());
    assert_eq!(late.unwrap_err().code(), Code::ColumnFamilyDropped);
    // One of a group goes on without the dropped one.
    versions.log_and_apply(vec![VersionEdit::new(1), VersionEdit::new(2)]).unwrap();

    versions = recover_all(fs.clone(), 1 << 20).unwrap();
    make(&mut versions, &Change::Add("c")).unwrap();
    assert_eq!(versions.family_named(b"c").unwrap().id(), 3, "ids are never used again");
    let names = VersionSet::list_column_families(fs.clone(), dir()).unwrap();
    assert_eq!(names, [DEFAULT_NAME, b"a", b"c"]);

    let open = |configs: &[ColumnFamilyConfig], read_only| {
        let fs: Arc<dyn FileSystem> = fs.clone();
        VersionSet::recover(fs, dir(), options(1), configs, read_only).map(|v| describe(&v))
    };
    assert_eq!(
        open(&[config("default")], false).unwrap_err().to_string(),
        "Invalid argument: Column families not opened: c, a"
    );
    assert!(open(&[config("default")], true).is_ok());
    assert_eq!(
        open(&[config("a")], true).unwrap_err().to_string(),
        "Invalid argument: Default column family not specified"
    );
    let reverse = ColumnFamilyConfig::new(b"a", Comparator::ReverseBytewise);
    assert_eq!(
        open(&[config("default"), config("c"), reverse], false).unwrap_err().to_string(),
        "Invalid argument: rocksdb.ReverseBytewiseComparator: does not match existing comparator \
         leveldb.BytewiseComparator"
    );
}

#[test]
fn only_one_change_at_a_time() {
    let fs = Arc::new(memory());
    let mut versions = create(fs.clone(), 1 << 20).unwrap();
    let mut changer = Changer::new(3);
    let edit = changer.edit(&versions, 0);
    versions.log_and_apply(vec![edit]).unwrap();
    let number = versions.manifest_number();
    let before = describe(&versions);

    let edit = changer.edit(&versions, 0);
    let new_file = edit.new_files[0].1.number;
    let lost = versions.prepare(vec![edit.clone()]).unwrap();
    let second = versions.prepare(vec![VersionEdit::new(0)]).map(|_| ());
    assert_eq!(second.unwrap_err().code(), Code::Busy);
    assert!(versions.live_files().tables.contains(&new_file), "it may become part of a version");
    // A change whose writer panicked: dropped without being installed.
    drop(lost);
    let unwritten = versions.prepare(vec![VersionEdit::new(0)]).unwrap();
    assert!(unwritten.starts_new_manifest(), "the old one is not to be trusted");
    assert!(versions.install(unwritten).is_err());
    assert_eq!(describe(&versions), before);
    versions.log_and_apply(vec![edit]).unwrap();
    assert!(versions.manifest_number() > number);
    assert_eq!(describe(&recover_all(fs, 1).unwrap()), describe(&versions));
}

#[test]
fn live_files_are_those_of_all_versions_in_use() {
    let fs = Arc::new(memory());
    let mut versions = create(fs, 1 << 20).unwrap();
    let mut changer = Changer::new(4);
    let file = changer.table(&versions, 1, 0);
    let number = file.number;
    let mut edit = VersionEdit::new(0);
    edit.add_file(0, file);
    edit.blob_file_additions = vec![BlobFileAddition {
        number: 900,
        total_blob_count: 2,
        total_blob_bytes: 9,
        ..Default::default()
    }];
    edit.blob_file_garbages =
        vec![BlobFileGarbage { number: 900, garbage_blob_count: 1, garbage_blob_bytes: 3 }];
    edit.new_files[0].1 =
        Arc::new(FileMeta { oldest_blob_file_number: 900, ..(*edit.new_files[0].1).clone() });
    versions.log_and_apply(vec![edit]).unwrap();
    let pinned = versions.family(0).unwrap().current();
    let mut edit = VersionEdit::new(0);
    edit.delete_file(0, number);
    versions.log_and_apply(vec![edit]).unwrap();
    let live = versions.live_files();
    assert!(live.tables.contains(&number) && live.blobs.contains(&900));
    drop(pinned);
    let live = versions.live_files();
    assert!(live.tables.is_empty() && live.blobs.is_empty());
}

/// Fails every kind of operation at every moment of a few changes. What failed changes nothing in
/// memory, the next change succeeds, and what is on the disk is a state before or after the
/// failed change.
#[test]
fn failed_changes_leave_the_old_state() {
    let kinds = [
        Operations::CREATE,
        Operations::APPEND,
        Operations::SYNC,
        Operations::CLOSE,
        Operations::OPEN_DIR,
        Operations::SYNC_DIR,
        Operations::RENAME,
    ];
    let mut failures = 0;
    for kind in kinds {
        for fault in [Fault::Error(5), Fault::ErrorAfter(5), Fault::ShortWrite(28)] {
            for nth in 0..8 {
                for max_size in [1, 1 << 20] {
                    failures += fail_once(kind, fault, nth, max_size);
                }
            }
        }
    }
    assert!(failures > 60, "{failures}");
}

fn fail_once(kind: Operations, fault: Fault, nth: u64, max_size: u64) -> u32 {
    let memory = memory();
    let faulty = FaultFileSystem::new(Arc::new(memory.clone()));
    let mut versions = create(Arc::new(faulty.clone()), max_size).unwrap();
    let mut changer = Changer::new(nth);
    faulty.add(Rule::once(kind, "*", nth, fault));
    let mut failures = 0;
    for _ in 0..4 {
        let before = describe(&versions);
        let change = changer.change(&versions);
        let Err(status) = make(&mut versions, &change) else { continue };
        assert_eq!(status.code(), Code::IoError);
        failures += 1;
        // A failed creation uses up an id: the first line may differ.
        let before = before.lines().skip(1).collect::<String>();
        let unchanged = describe(&versions).lines().skip(1).collect::<String>();
        assert_eq!(unchanged, before);
        if let Change::Edits(edits) = &change {
            let live = versions.live_files();
            for (_, file) in edits.iter().flat_map(|edit| &edit.new_files) {
                assert!(live.tables.contains(&file.number), "a crash may bring it back");
            }
        }
        let old = describe(&versions);
        let reopened = recover_all(Arc::new(memory.clone()), max_size).unwrap();
        let found = describe(&reopened);
        let mut expected = vec![without_ids(&old)];
        make(&mut versions, &change).unwrap();
        expected.push(without_ids(&describe(&versions)));
        assert!(expected.contains(&without_ids(&found)), "{found}\n{expected:?}");
    }
    let reopened = recover_all(Arc::new(memory), max_size).unwrap();
    assert_eq!(describe(&reopened), describe(&versions));
    failures
}

/// A failed creation uses up an id, which the next MANIFEST remembers; log numbers of created
/// families differ, too.
fn without_ids(text: &str) -> Vec<String> {
    let strip = |line: &str| match line.strip_prefix("family ") {
        Some(rest) => rest.split(' ').nth(1).unwrap_or("").to_string(),
        None => line.split(" max family").next().unwrap_or("").to_string(),
    };
    text.lines().map(strip).collect()
}

struct Image {
    fs: MemoryFileSystem,
    /// How many changes had been acknowledged.
    acknowledged: usize,
    /// Pages reached the disk in any order.
    shuffled: bool,
}

/// Crash images at every change and sync of a series of changes: each recovers to the state after
/// the acknowledged changes, or after the one that was under way.
#[test]
fn crashes_lose_no_acknowledged_change() {
    let mut random = Random::from_env(32);
    let mut refused = 0;
    let mut total = 0;
    for max_size in [1, 600, 1 << 20] {
        let fs = memory();
        let images: Arc<Mutex<Vec<Image>>> = Arc::default();
        let acknowledged = Arc::new(Mutex::new(0));
        let mut versions = create(Arc::new(fs.clone()), max_size).unwrap();
        fs.set_hook(Some(crash_hook(random.next_u64(), images.clone(), acknowledged.clone())));
        let mut changer = Changer::new(random.next_u64());
        let mut states = vec![describe(&versions)];
        for _ in 0..30 {
            let change = changer.change(&versions);
            make(&mut versions, &change).unwrap();
            states.push(describe(&versions));
            *acknowledged.lock() += 1;
        }
        fs.set_hook(None);
        for image in images.lock().drain(..) {
            total += 1;
            match recover_all(Arc::new(image.fs), max_size) {
                Ok(found) => {
                    let possible =
                        &states[image.acknowledged..states.len().min(image.acknowledged + 2)];
                    let found = describe(&found);
                    assert!(possible.contains(&found), "{found}\n{possible:#?}");
                }
                // A record of which only the end reached the disk looks like damage, and is
                // refused, as RocksDB does. Not when records reach the disk front to back.
                Err(status) => {
                    assert!(image.shuffled && status.is_corruption(), "{status}");
                    refused += 1;
                }
            }
        }
    }
    println!("{total} crashes, {refused} refused");
    assert!(total > 500 && refused < total / 10);
}

fn crash_hook(seed: u64, images: Arc<Mutex<Vec<Image>>>, acknowledged: Arc<Mutex<usize>>) -> Hook {
    let random = Mutex::new(Random::new(seed));
    Arc::new(move |fs, _path, _event| {
        let mut random = random.lock();
        let policies =
            [CrashPolicy::SYNCED_ONLY, CrashPolicy::PROCESS_ONLY, CrashPolicy::random(&mut random)];
        for policy in policies {
            let image = fs.crash_image(&mut random, policy);
            let shuffled = policy.data == Unsynced::AnyOrder;
            images.lock().push(Image { fs: image, acknowledged: *acknowledged.lock(), shuffled });
        }
    })
}

/// Crashes during creation leave no database, or an empty one.
#[test]
fn crashes_during_creation() {
    let mut random = Random::from_env(33);
    let fs = memory();
    let images: Arc<Mutex<Vec<Image>>> = Arc::default();
    fs.set_hook(Some(crash_hook(random.next_u64(), images.clone(), Arc::default())));
    let versions = create(Arc::new(fs.clone()), 1).unwrap();
    fs.set_hook(None);
    let images = std::mem::take(&mut *images.lock());
    assert!(images.len() > 20);
    for image in images {
        if image.fs.exists(&dir().join("CURRENT")).unwrap() {
            let found = recover_all(Arc::new(image.fs), 1).unwrap();
            assert_eq!(describe(&found), describe(&versions));
        }
    }
}

/// RocksDB's own tool reads what is written here.
#[test]
fn ldb_accepts_the_manifest() {
    let tool = std::process::Command::new("ldb").arg("--version").output();
    if tool.is_err() {
        println!("skipped: no ldb on PATH");
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(crate::env::posix::PosixFileSystem);
    VersionSet::create(fs.clone(), temp.path(), &options(1 << 20), "the-id").unwrap();
    let mut versions =
        VersionSet::recover(fs, temp.path(), options(1 << 20), &NAMES.map(config), false).unwrap();
    let mut changer = Changer::new(41);
    for _ in 0..40 {
        let change = changer.change(&versions);
        make(&mut versions, &change).unwrap();
    }
    let path = format!("--path={}", versions.manifest_path().display());
    let output =
        std::process::Command::new("ldb").args(["manifest_dump", "--verbose", &path]).output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}{errors}");
    assert!(!text.contains("Corruption") && !errors.contains("Corruption"), "{text}{errors}");
    for family in versions.families() {
        for (_, file) in family.current().all_files() {
            let line = format!("{}:{}", file.number, file.file_size);
            assert!(text.contains(&line), "{line} in {text}");
        }
    }
    assert!(text.contains(&format!("last_sequence {}", versions.last_sequence())), "{text}");
}
