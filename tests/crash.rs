//! Crash images of a whole database: whatever a crash leaves of the unsynced writes, the database
//! opens, holds everything that was acknowledged with `sync`, and holds a prefix of the history:
//! no gap, no torn batch, over all column families together.
//!
//! `HEMATITE_IMAGES` sets how many images are made, `HEMATITE_SEED` the seed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

#[path = "support/ledger.rs"]
mod ledger;

use hematite::base::random::Random;
use hematite::base::sync::{Arc, Mutex};
use hematite::db::open::list_column_families;
use hematite::db::{Db, Family, FamilyOptions, OpenRequest, Snapshot, open};
use hematite::env::Env;
use hematite::env::file_system::FileSystem;
use hematite::env::memory::{CrashPolicy, Event, MemoryFileSystem, Tear, Unsynced};
use hematite::options::compact::{CompactRangeOptions, WaitForCompactOptions};
use hematite::options::enums::{BottommostLevelCompaction, CompactionPri};
use hematite::options::{
    BlockBasedTableOptions, CfOptions, DbOptions, FlushOptions, FlushWalOptions, IndexType,
    ReadOptions, TableFactory, WriteOptions,
};
use hematite::plug::filter_policy::FilterPolicy;
use hematite::plug::logger::NullLogger;
use hematite::plug::merge_operators::StringAppend;
use ledger::{Contents, Ledger, MARKER};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const DIR: &str = "/db";

/// What may be found after a crash.
#[derive(Clone, Default)]
struct Promise {
    /// The newest batch that is durable.
    durable: u64,
    /// The newest batch that was begun.
    begun: u64,
    /// Column families that exist for certain.
    must: BTreeSet<String>,
    /// Column families that may exist.
    may: BTreeSet<String>,
}

impl Promise {
    /// What may be found if the crash came at an unknown moment between two.
    fn between(before: Promise, after: &Promise) -> Promise {
        Promise {
            durable: before.durable,
            begun: after.begun,
            must: before.must.intersection(&after.must).cloned().collect(),
            may: before.may.union(&after.may).cloned().collect(),
        }
    }
}

struct Image {
    fs: MemoryFileSystem,
    promise: Promise,
    what: String,
}

/// Takes images of a file system while it is in use.
struct Camera {
    rng: Mutex<Random>,
    promise: Mutex<Promise>,
    taken: Mutex<Vec<Image>>,
}

impl Camera {
    fn new(seed: u64, promise: Promise) -> Arc<Camera> {
        let rng = Mutex::new(Random::new(seed));
        Arc::new(Camera { rng, promise: Mutex::new(promise), taken: Mutex::new(Vec::new()) })
    }

    fn watch(self: &Arc<Camera>, fs: &MemoryFileSystem) {
        let camera = self.clone();
        fs.set_hook(Some(Arc::new(move |fs: &MemoryFileSystem, path: &Path, event| {
            camera.shoot(fs, path, event);
        })));
    }

    /// At every sync point, and at some other changes.
    fn shoot(&self, fs: &MemoryFileSystem, path: &Path, event: Event) {
        let mut rng = {
            let mut rng = self.rng.lock();
            let wanted = match event {
                Event::BeforeSync => true,
                Event::AfterSync => rng.one_in(3),
                Event::AfterChange => rng.one_in(40),
            };
            if !wanted {
                return;
            }
            Random::new(rng.next_u64())
        };
        let mut policy = match rng.below(6) {
            0 => CrashPolicy::SYNCED_ONLY,
            1 => CrashPolicy::PROCESS_ONLY,
            _ => CrashPolicy::random(&mut rng),
        };
        // A sector is written whole or not at all.
        if policy.data == Unsynced::AnyOrder && policy.tear == Tear::Byte {
            policy.tear = Tear::Sector;
        }
        let before = self.promise.lock().clone();
        let image = fs.crash_image(&mut rng, policy);
        let promise = Promise::between(before, &self.promise.lock());
        let what = format!("{event:?} of {} under {policy:?}", path.display());
        self.taken.lock().push(Image { fs: image, promise, what });
    }

    fn change(&self, change: impl FnOnce(&mut Promise)) {
        change(&mut self.promise.lock());
    }
}

/// Small buffers, tables and logs, so that much is compacted, and a random choice of what bears on recovery.
fn options(rng: &mut Random, fs: &MemoryFileSystem) -> (DbOptions, CfOptions) {
    let db = DbOptions {
        create_if_missing: true,
        env: Env::with_fs(Arc::new(fs.clone())),
        info_log: Some(Arc::new(NullLogger)),
        recycle_log_file_num: if rng.one_in(3) { 2 } else { 0 },
        avoid_flush_during_recovery: rng.one_in(2),
        max_total_wal_size: if rng.one_in(2) { 300 << 10 } else { 0 },
        max_manifest_file_size: if rng.one_in(2) { 600 } else { 1 << 30 },
        manual_wal_flush: rng.one_in(3),
        writable_file_max_buffer_size: if rng.one_in(2) { 5 << 10 } else { 1 << 20 },
        wal_bytes_per_sync: if rng.one_in(3) { 8 << 10 } else { 0 },
        max_subcompactions: 1 + rng.below(3) as u32,
        max_open_files: if rng.one_in(4) { 20 } else { -1 },
        ..DbOptions::default()
    };
    let cf = CfOptions {
        write_buffer_size: 64 << 10,
        arena_block_size: 4 << 10,
        max_write_buffer_number: 2 + rng.below(3) as i32,
        min_write_buffer_number_to_merge: 1 + rng.below(2) as i32,
        merge_operator: Some(Arc::new(StringAppend::new(","))),
        table_factory: table_options(rng),
        level0_file_num_compaction_trigger: 2 + rng.below(3) as i32,
        target_file_size_base: [4 << 10, 30 << 10, 64 << 20][rng.below(3) as usize],
        max_bytes_for_level_base: [30 << 10, 256 << 20][rng.below(2) as usize],
        max_bytes_for_level_multiplier: 3.0,
        // Fixed once the database is made, but for its use in picking levels.
        level_compaction_dynamic_level_bytes: rng.one_in(2),
        compaction_pri: match rng.below(3) {
            0 => CompactionPri::RoundRobin,
            1 => CompactionPri::ByCompensatedSize,
            _ => CompactionPri::MinOverlappingRatio,
        },
        ..CfOptions::default()
    };
    (db, cf)
}

fn table_options(rng: &mut Random) -> TableFactory {
    let partitioned = rng.one_in(3);
    TableFactory::from(BlockBasedTableOptions {
        block_size: 1024,
        index_type: match partitioned {
            true => IndexType::TwoLevelIndexSearch,
            false => IndexType::BinarySearch,
        },
        metadata_block_size: 128,
        partition_filters: partitioned,
        filter_policy: rng.one_in(2).then(|| FilterPolicy::bloom(10.0)),
        ..BlockBasedTableOptions::default()
    })
}

fn names_in(fs: &MemoryFileSystem, what: &str) -> Vec<String> {
    let options = DbOptions { env: Env::with_fs(Arc::new(fs.clone())), ..DbOptions::default() };
    match list_column_families(&options, Path::new(DIR)) {
        Ok(names) => names.into_iter().map(|n| String::from_utf8(n).unwrap()).collect(),
        // Not created yet, or not durably.
        Err(error) if error.is_path_not_found() => vec!["default".to_string()],
        Err(error) => panic!("{what}: cannot list column families: {error}"),
    }
}

fn open_all(
    rng: &mut Random,
    fs: &MemoryFileSystem,
    names: &[String],
) -> hematite::base::status::Result<(Arc<Db>, Vec<Arc<Family>>)> {
    let (options, cf) = options(rng, fs);
    let family =
        |name: &String| FamilyOptions { name: name.clone().into_bytes(), options: cf.clone() };
    open(OpenRequest {
        path: PathBuf::from(DIR),
        options,
        families: names.iter().map(family).collect(),
        read_only: false,
        error_if_wal_file_exists: false,
    })
}

fn contents(db: &Db, family: &Family) -> Contents {
    let mut iter = db.iter(family, &ReadOptions::default()).unwrap();
    let mut contents = Contents::new();
    iter.seek_to_first();
    while iter.valid() {
        contents.insert(iter.key().to_vec(), iter.value().to_vec());
        iter.next();
    }
    iter.status().unwrap();
    contents
}

fn marker(contents: &Contents) -> u64 {
    let text = contents.get(MARKER).map(|value| std::str::from_utf8(value).unwrap());
    text.map_or(0, |text| text.parse().unwrap())
}

/// Opens an image and checks that it keeps its promise. Returns which prefix it holds.
fn check(rng: &mut Random, image: &Image, ledger: &Ledger) -> u64 {
    let Image { fs, promise, what, .. } = image;
    let names = names_in(fs, what);
    let found: BTreeSet<String> = names.iter().cloned().collect();
    assert!(promise.must.is_subset(&found), "{what}: {found:?} lacks some of {:?}", promise.must);
    assert!(found.is_subset(&promise.may), "{what}: {found:?} exceeds {:?}", promise.may);
    let (db, families) = open_all(rng, fs, &names)
        .unwrap_or_else(|error| panic!("{what}: does not open: {error}\n{}", listing(fs)));
    let held = check_open(&db, &names, &families, promise, ledger, what);
    if rng.one_in(3) {
        compact_and_look_again(&db, &names, &families, ledger, held, what);
        check_files(&db, &families, fs, what);
    }
    db.close().unwrap();
    held
}

fn check_open(
    db: &Db,
    names: &[String],
    families: &[Arc<Family>],
    promise: &Promise,
    ledger: &Ledger,
    what: &str,
) -> u64 {
    let found: Vec<Contents> = families.iter().map(|family| contents(db, family)).collect();
    let shown = found.iter().map(marker).max().unwrap_or(0);
    let markers: Vec<_> = names.iter().zip(found.iter().map(marker)).collect();
    assert!(shown <= promise.begun, "{what}: {markers:?} beyond batch {}", promise.begun);
    let held = ledger.indistinguishable(shown, |name| names.iter().any(|n| n == name));
    let durable = promise.durable;
    assert!(held >= durable, "{what}: {markers:?}, but batch {durable} was synced");
    for (name, found) in names.iter().zip(&found) {
        let expected = ledger.contents(name, shown);
        assert!(
            *found == expected,
            "{what}: {name} is not as after batch {shown} ({markers:?}, durable {durable}, begun \
             {}); marker there should be {}",
            promise.begun,
            marker(&expected)
        );
    }
    held
}

/// Compacting everything changes nothing.
fn compact_and_look_again(
    db: &Db,
    names: &[String],
    families: &[Arc<Family>],
    ledger: &Ledger,
    held: u64,
    what: &str,
) {
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    for (name, family) in names.iter().zip(families) {
        db.compact_range(family, &options, None, None).unwrap();
        let found = contents(db, family);
        assert!(found == ledger.contents(name, held), "{what}: {name} changes by compaction");
    }
}

/// There is no table that no column family has, and none is missing.
fn check_files(db: &Db, families: &[Arc<Family>], fs: &MemoryFileSystem, what: &str) {
    let options = WaitForCompactOptions { wait_for_purge: true, ..Default::default() };
    db.wait_for_compact(&options).unwrap();
    let mut live = BTreeSet::new();
    for family in families {
        let view = family.pin();
        live.extend(view.version.all_files().map(|(_, file)| format!("{:06}.sst", file.number)));
    }
    let mut found: BTreeSet<String> = fs.list(Path::new(DIR)).unwrap().into_iter().collect();
    found.retain(|name| name.ends_with(".sst"));
    assert_eq!(found, live, "{what}");
}

fn listing(fs: &MemoryFileSystem) -> String {
    let mut lines = Vec::new();
    for name in fs.list(Path::new(DIR)).unwrap_or_default() {
        let size = fs.file_size(&Path::new(DIR).join(&name));
        lines.push(format!("{name} {size:?}"));
    }
    lines.sort();
    lines.join("\n")
}

/// A crash while an image is being recovered changes nothing: all that recovery reads is durable.
fn check_crashes_of_recovery(rng: &mut Random, image: &Image, ledger: &Ledger) -> usize {
    let pristine = image.fs.crash_image(rng, CrashPolicy::PROCESS_ONLY);
    let held = check(rng, image, ledger);
    let names: BTreeSet<String> = names_in(&pristine, &image.what).into_iter().collect();
    let promise = Promise { durable: held, begun: held, must: names.clone(), may: names };
    let camera = Camera::new(rng.next_u64(), promise.clone());
    camera.watch(&pristine);
    let what = format!("again: {}", image.what);
    let again = Image { fs: pristine, promise, what };
    check(rng, &again, ledger);
    again.fs.set_hook(None);
    let mut nested = std::mem::take(&mut *camera.taken.lock());
    let count = nested.len().min(4);
    for _ in 0..count {
        let mut inner = nested.swap_remove(rng.below(nested.len() as u64) as usize);
        inner.what = format!("{}, in recovering from {}", inner.what, image.what);
        check(rng, &inner, ledger);
    }
    count
}

/// A database at work, from one crash to the next.
struct Life<'a> {
    rng: &'a mut Random,
    fs: MemoryFileSystem,
    camera: Arc<Camera>,
    ledger: &'a mut Ledger,
    next_family: &'a mut u32,
    db: Arc<Db>,
    families: Vec<(Arc<str>, Arc<Family>)>,
    held: Option<Snapshot>,
}

impl<'a> Life<'a> {
    /// Opens what is on `fs`, which holds all batches, and the first `durable` durably.
    fn begin(
        rng: &'a mut Random,
        fs: MemoryFileSystem,
        durable: u64,
        ledger: &'a mut Ledger,
        next_family: &'a mut u32,
    ) -> Life<'a> {
        let names = names_in(&fs, "at the beginning");
        let set: BTreeSet<String> = names.iter().cloned().collect();
        let begun = ledger.len();
        let camera =
            Camera::new(rng.next_u64(), Promise { durable, begun, must: set.clone(), may: set });
        camera.watch(&fs);
        let (db, families) = open_all(rng, &fs, &names).unwrap();
        let families = names.iter().map(|name| Arc::from(name.as_str())).zip(families).collect();
        Life { rng, fs, camera, ledger, next_family, db, families, held: None }
    }

    fn step(&mut self) {
        match self.rng.below(300) {
            0..3 => self.flush(),
            3..5 if self.families.len() < 5 => self.create_family(),
            5 if self.families.len() > 1 => self.drop_family(),
            6 => self.reopen(),
            7..9 => self.compact(),
            9 => self.hold(),
            10..16 => self.flush_wal(),
            _ => self.write(),
        }
    }

    fn write(&mut self) {
        let ids: Vec<_> = self.families.iter().map(|(name, f)| (name.clone(), f.id())).collect();
        let mut batch = self.ledger.invent(self.rng, &ids);
        let number = self.ledger.len();
        let options = WriteOptions { sync: self.rng.one_in(25), ..WriteOptions::default() };
        self.camera.change(|promise| promise.begun = number);
        self.db.write(&options, &mut batch).unwrap();
        if options.sync {
            self.camera.change(|promise| promise.durable = number);
        }
    }

    fn flush_wal(&mut self) {
        let sync = self.rng.one_in(2);
        self.db.flush_wal(&FlushWalOptions { sync, ..FlushWalOptions::default() }).unwrap();
        if sync {
            let number = self.ledger.len();
            self.camera.change(|promise| promise.durable = number);
        }
    }

    fn flush(&mut self) {
        let one = self.rng.below(self.families.len() as u64) as usize;
        let all = self.rng.one_in(2);
        let chosen = self.families.iter().enumerate().filter(|(i, _)| all || *i == one);
        let chosen: Vec<_> = chosen.map(|(_, (_, family))| family.clone()).collect();
        let options = FlushOptions { wait: !self.rng.one_in(3), ..FlushOptions::default() };
        self.db.flush(&chosen, &options).unwrap();
    }

    /// Compacts a range of a column family.
    fn compact(&mut self) {
        let rng = &mut *self.rng;
        let (_, family) = &self.families[rng.below(self.families.len() as u64) as usize];
        let mut bound = || rng.one_in(2).then(|| format!("key{:03}", rng.below(150)).into_bytes());
        let (begin, end) = (bound(), bound());
        let options = CompactRangeOptions {
            bottommost_level_compaction: match rng.one_in(2) {
                true => BottommostLevelCompaction::Force,
                false => BottommostLevelCompaction::Skip,
            },
            change_level: rng.one_in(3),
            max_subcompactions: rng.below(4) as u32,
            ..CompactRangeOptions::default()
        };
        self.db.compact_range(family, &options, begin.as_deref(), end.as_deref()).unwrap();
    }

    /// Takes a snapshot, or lets the one that was taken go.
    fn hold(&mut self) {
        match self.held.take() {
            Some(snapshot) => self.db.release_snapshot(snapshot),
            None => self.held = Some(self.db.snapshot()),
        }
    }

    fn let_go(&mut self) {
        if let Some(snapshot) = self.held.take() {
            self.db.release_snapshot(snapshot);
        }
    }

    fn create_family(&mut self) {
        *self.next_family += 1;
        let name = format!("family{}", self.next_family);
        let (_, options) = options(self.rng, &self.fs);
        self.camera.change(|promise| assert!(promise.may.insert(name.clone())));
        let asked = FamilyOptions { name: name.clone().into_bytes(), options };
        let family = self.db.create_family(asked).unwrap();
        self.families.push((Arc::from(name.as_str()), family));
        self.camera.change(|promise| assert!(promise.must.insert(name)));
    }

    fn drop_family(&mut self) {
        let at = 1 + self.rng.below(self.families.len() as u64 - 1) as usize;
        let (name, family) = self.families.remove(at);
        self.camera.change(|promise| assert!(promise.must.remove(&*name)));
        self.db.drop_family(&family).unwrap();
        self.camera.change(|promise| assert!(promise.may.remove(&*name)));
    }

    fn reopen(&mut self) {
        self.let_go();
        self.db.close().unwrap();
        let names = names_in(&self.fs, "after closing");
        let (db, families) = open_all(self.rng, &self.fs, &names).unwrap();
        self.db = db;
        let named = names.iter().map(|name| Arc::from(name.as_str()));
        self.families = named.zip(families).collect();
        let promise = self.camera.promise.lock().clone();
        let families: Vec<_> = self.families.iter().map(|(_, f)| f.clone()).collect();
        let all = Promise { durable: self.ledger.len(), ..promise };
        check_open(&self.db, &names, &families, &all, self.ledger, "after reopening");
    }
}

#[test]
fn every_crash_leaves_a_prefix_that_holds_all_synced_writes() {
    let mut rng = Random::from_env(97);
    let wanted = std::env::var("HEMATITE_IMAGES").ok().and_then(|n| n.parse().ok());
    let wanted: usize = wanted.unwrap_or(200);
    let (mut images, mut nested, mut lives, mut next_family) = (0, 0, 0, 0);
    let mut ledger = Ledger::default();
    let mut fs = MemoryFileSystem::new();
    let mut durable = 0;
    while images < wanted {
        lives += 1;
        if ledger.len() > 3000 {
            (ledger, fs, durable) = (Ledger::default(), MemoryFileSystem::new(), 0);
        }
        let seed = rng.next_u64();
        let mut checker = Random::new(seed);
        let mut life = Life::begin(&mut rng, fs, durable, &mut ledger, &mut next_family);
        let length = 20 + life.rng.below(500);
        let mut last = None;
        for _ in 0..length {
            life.step();
            for image in std::mem::take(&mut *life.camera.taken.lock()) {
                images += 1;
                if images > wanted {
                    continue;
                }
                if checker.one_in(12) {
                    nested += check_crashes_of_recovery(&mut checker, &image, life.ledger);
                } else {
                    let copy = image.fs.crash_image(&mut checker, CrashPolicy::PROCESS_ONLY);
                    let held = check(&mut checker, &image, life.ledger);
                    last = Some((Image { fs: copy, ..image }, held));
                }
            }
        }
        life.let_go();
        life.db.close().unwrap();
        life.fs.set_hook(None);
        fs = life.fs.clone();
        durable = life.camera.promise.lock().durable;
        drop(life);
        // The next life begins where this one ended in good order, or with its last crash.
        match last {
            Some((image, held)) if rng.one_in(2) => {
                fs = image.fs;
                durable = held;
                ledger.truncate(held);
            }
            _ => {}
        }
    }
    let images = images.min(wanted);
    println!("{images} images, {nested} of crashed recoveries, {lives} lives");
}
