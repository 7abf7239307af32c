//! What is written, who writes it, and what must be there afterwards.

use hematite::base::random::Random;
use hematite::batch::WriteBatch;
use hematite::codec::CompressionType;
use hematite::db::{self, Db, Family, FamilyOptions, OpenRequest};
use hematite::options::compact::{CompactRangeOptions, WaitForCompactOptions};
use hematite::options::{CfOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions};
use hematite::plug::merge_operators::Uint64Add;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

const FAMILIES: [&str; 3] = ["default", "one", "two"];

/// The column family whose `sum` keys are merged by RocksDB's `uint64add`.
const SUMS: usize = 2;

pub type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// How tables are written.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub compression: CompressionType,
    /// The filter policy, as OPTIONS files name it.
    pub filter: &'static str,
    /// RocksDB 7.8 reads 2 to 5.
    pub format_version: u32,
    /// Index and filters in partitions.
    pub partitioned: bool,
    /// Further options of tables.
    pub table: &'static str,
    pub compression_opts: &'static str,
}

/// One write to the column family of this index.
pub enum Op {
    Put(usize, Vec<u8>, Vec<u8>),
    Delete(usize, Vec<u8>),
    /// Of a key that was put once.
    SingleDelete(usize, Vec<u8>),
    /// Adds to the number that the key has, see [`SUMS`].
    Add(usize, Vec<u8>, u64),
    /// From the first key up to the second, exclusively.
    DeleteRange(usize, Vec<u8>, Vec<u8>),
}

/// The contents that a database must have.
pub struct Model {
    families: [Rows; 3],
    /// Keys that were put once and may be deleted by a single delete.
    once: Vec<(usize, Vec<u8>)>,
    /// Such keys so far.
    count: u32,
}

impl Model {
    pub fn new() -> Model {
        Model { families: Default::default(), once: Vec::new(), count: 0 }
    }

    pub fn names(&self) -> Vec<String> {
        FAMILIES.map(str::to_string).to_vec()
    }

    pub fn families(&self) -> impl Iterator<Item = (&'static str, &Rows)> {
        FAMILIES.into_iter().zip(&self.families)
    }

    /// Makes about `count` random writes, a few at a time, which `apply` must carry out.
    pub fn run_round(&mut self, random: &mut Random, count: u64, mut apply: impl FnMut(&[Op])) {
        let mut made = 0;
        while made < count {
            let ops: Vec<Op> = (0..1 + random.below(5)).map(|_| self.random_op(random)).collect();
            made += ops.len() as u64;
            apply(&ops);
        }
    }

    /// One random write, which counts as done.
    fn random_op(&mut self, random: &mut Random) -> Op {
        let family = random.below(3) as usize;
        match random.below(13) {
            10 => {
                let key = format!("sum{:02}", random.below(20)).into_bytes();
                let by = random.next_u64() >> random.below(64);
                let zero = || 0_u64.to_le_bytes().to_vec();
                let value = self.families[SUMS].entry(key.clone()).or_insert_with(zero);
                let old = u64::from_le_bytes(value[..].try_into().unwrap());
                *value = old.wrapping_add(by).to_le_bytes().to_vec();
                Op::Add(SUMS, key, by)
            }
            11 if random.one_in(3) => self.delete_range(family, random),
            0 if !self.once.is_empty() => {
                let index = random.below(self.once.len() as u64) as usize;
                let (family, key) = self.once.swap_remove(index);
                self.families[family].remove(&key);
                Op::SingleDelete(family, key)
            }
            1 => {
                self.count += 1;
                let key = format!("once{:05}", self.count).into_bytes();
                self.once.push((family, key.clone()));
                self.put(family, key, random)
            }
            2 | 3 => {
                let key = random_key(random);
                self.families[family].remove(&key);
                Op::Delete(family, key)
            }
            _ => self.put(family, random_key(random), random),
        }
    }

    fn delete_range(&mut self, family: usize, random: &mut Random) -> Op {
        let sums = random.one_in(4);
        let first = if sums { random.below(10) } else { random.below(300) };
        let key = |number: u64| match sums {
            true => format!("sum{number:02}").into_bytes(),
            false => format!("key{number:04}").into_bytes(),
        };
        let (begin, end) = (key(first), key(first + random.below(15)));
        self.families[family].retain(|key, _| *key < begin || *key >= end);
        Op::DeleteRange(family, begin, end)
    }

    fn put(&mut self, family: usize, key: Vec<u8>, random: &mut Random) -> Op {
        let limit = if random.one_in(40) { 50_000 } else { 150 };
        let len = random.below(limit) as usize;
        // Half of it repeats, so that compression has something to do.
        let mut value = random.bytes(len / 2);
        value.extend_from_within(..);
        self.families[family].insert(key.clone(), value.clone());
        Op::Put(family, key, value)
    }

    /// Compares with what the peer printed: a row a line, in order.
    pub fn compare_dump(&self, what: &str, dump: &str) {
        let mut expected = String::new();
        for (name, rows) in self.families() {
            for (key, value) in rows {
                writeln!(expected, "{name}\t{}\t{}", to_hex(key), to_hex(value)).unwrap();
            }
        }
        assert_same_lines(what, dump, &expected);
    }

    /// The peer's commands that create the column families.
    pub fn create_commands(&self) -> String {
        FAMILIES[1..].iter().map(|name| format!("create {name}\n")).collect()
    }
}

/// Few different keys, so that they are overwritten and deleted; some with bytes at the limits.
fn random_key(random: &mut Random) -> Vec<u8> {
    match random.below(20) {
        0 => vec![0xff; random.below(4) as usize],
        1 => vec![0; random.below(4) as usize],
        2 => [b"long", &[b'k'; 2000][..], &[random.below(9) as u8]].concat(),
        _ => format!("key{:04}", random.below(300)).into_bytes(),
    }
}

pub fn assert_same_lines(what: &str, found: &str, expected: &str) {
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{what}, line {number}");
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{what}: number of lines");
}

pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").unwrap();
        out
    })
}

/// The peer's commands for `ops`.
pub fn commands(ops: &[Op]) -> String {
    let command = |op: &Op| match op {
        Op::Put(family, key, value) => {
            format!("put {} x{} x{}\n", FAMILIES[*family], to_hex(key), to_hex(value))
        }
        Op::Delete(family, key) => format!("delete {} x{}\n", FAMILIES[*family], to_hex(key)),
        Op::SingleDelete(family, key) => format!("single {} x{}\n", FAMILIES[*family], to_hex(key)),
        Op::Add(family, key, by) => {
            let by = to_hex(&by.to_le_bytes());
            format!("merge {} x{} x{by}\n", FAMILIES[*family], to_hex(key))
        }
        Op::DeleteRange(family, begin, end) => {
            format!("range {} x{} x{}\n", FAMILIES[*family], to_hex(begin), to_hex(end))
        }
    };
    ops.iter().map(command).collect()
}

/// The peer's commands that flush `default`, and sometimes others.
pub fn flush_commands(random: &mut Random) -> String {
    chosen(random).map(|family| format!("flush {}\n", FAMILIES[family])).collect()
}

/// The peer's commands that compact some column families.
pub fn compact_commands(random: &mut Random) -> String {
    chosen(random).map(|family| format!("compact {}\n", FAMILIES[family])).collect()
}

/// The first column family, and some of the others.
fn chosen(random: &mut Random) -> impl Iterator<Item = usize> {
    let chosen: Vec<usize> = (0..3).filter(|&family| family == 0 || random.one_in(2)).collect();
    chosen.into_iter()
}

/// Many small tables on several levels.
fn small_levels(format: Format) -> CfOptions {
    let (filter, version) = (format.filter, format.format_version);
    let index = match format.partitioned {
        true => "index_type=kTwoLevelIndexSearch;partition_filters=true;metadata_block_size=128",
        false => "index_type=kBinarySearch",
    };
    let table = format!(
        "block_based_table_factory={{format_version={version};block_size=1024;\
         filter_policy={filter};{index};{}}};compression_opts={}",
        format.table, format.compression_opts
    );
    let options = CfOptions {
        compression: format.compression,
        merge_operator: Some(Arc::new(Uint64Add)),
        level0_file_num_compaction_trigger: 2,
        target_file_size_base: 8 << 10,
        max_bytes_for_level_base: 20 << 10,
        max_bytes_for_level_multiplier: 2.0,
        ..CfOptions::default()
    };
    options.with_string(&table).unwrap()
}

/// A database that Hematite has open.
pub struct Store {
    pub db: Arc<Db>,
    families: Vec<Arc<Family>>,
}

impl Store {
    pub fn create(path: &Path, format: Format) -> Store {
        Store::try_open(path, true, false, small_levels(format))
    }

    pub fn open(path: &Path, format: Format) -> Store {
        Store::try_open(path, false, false, small_levels(format))
    }

    pub fn open_read_only(path: &Path, format: Format) -> Store {
        Store::try_open(path, false, true, small_levels(format))
    }

    /// Compacts only when asked to.
    pub fn open_still(path: &Path, format: Format) -> Store {
        let cf = CfOptions { disable_auto_compactions: true, ..small_levels(format) };
        Store::try_open(path, false, false, cf)
    }

    fn try_open(path: &Path, create: bool, read_only: bool, cf: CfOptions) -> Store {
        let options = DbOptions {
            create_if_missing: create,
            create_missing_column_families: create,
            ..DbOptions::default()
        };
        let family =
            |name: &str| FamilyOptions { name: name.as_bytes().to_vec(), options: cf.clone() };
        let request = OpenRequest {
            path: path.to_path_buf(),
            options,
            families: FAMILIES.map(family).to_vec(),
            read_only,
            error_if_wal_file_exists: false,
        };
        let (db, families) = db::open(request).unwrap();
        Store { db, families }
    }

    /// Applies `ops` as one batch.
    pub fn apply(&self, ops: &[Op]) {
        let mut batch = WriteBatch::new();
        let id = |family: &usize| self.families[*family].id();
        for op in ops {
            match op {
                Op::Put(family, key, value) => batch.put(id(family), key, value),
                Op::Delete(family, key) => batch.delete(id(family), key),
                Op::SingleDelete(family, key) => batch.single_delete(id(family), key),
                Op::Add(family, key, by) => batch.merge(id(family), key, &by.to_le_bytes()),
                Op::DeleteRange(family, begin, end) => batch.delete_range(id(family), begin, end),
            }
            .unwrap();
        }
        self.db.write(&WriteOptions::default(), &mut batch).unwrap();
    }

    pub fn flush(&self, random: &mut Random) {
        let families: Vec<_> = chosen(random).map(|family| self.families[family].clone()).collect();
        self.db.flush(&families, &FlushOptions::default()).unwrap();
    }

    /// Compacts some column families.
    pub fn compact(&self, random: &mut Random) {
        for family in chosen(random) {
            let (family, options) = (&self.families[family], CompactRangeOptions::default());
            self.db.compact_range(family, &options, None, None).unwrap();
        }
    }

    /// Waits until the files stay as they are.
    pub fn settle(&self) {
        let options = WaitForCompactOptions { wait_for_purge: true, ..Default::default() };
        self.db.wait_for_compact(&options).unwrap();
    }

    /// The last level that has tables, over all column families.
    pub fn last_level(&self) -> usize {
        let last = |family: &Arc<Family>| family.pin().version.all_files().map(|f| f.0).max();
        self.families.iter().filter_map(last).max().unwrap_or(0)
    }

    /// Whether iterators both ways and gets see what `model` says.
    pub fn compare(&self, model: &Model) {
        let options = ReadOptions::default();
        for (family, (name, rows)) in self.families.iter().zip(model.families()) {
            let mut iter = self.db.iter(family, &options).unwrap();
            iter.seek_to_first();
            for (key, value) in rows {
                assert!(iter.valid(), "{name}: ends before {}", to_hex(key));
                assert_eq!((iter.key(), iter.value()), (&key[..], &value[..]), "{name}");
                iter.next();
                let found = self.db.get_pinned(family, &options, key).unwrap();
                assert_eq!(found.as_ref().map(|f| f.as_slice()), Some(&value[..]), "{name}: get");
            }
            assert!(!iter.valid(), "{name}: has {} too much", to_hex(iter.key()));
            iter.seek_to_last();
            for key in rows.keys().rev() {
                assert!(iter.valid() && iter.key() == &key[..], "{name}: backward");
                iter.prev();
            }
            assert!(!iter.valid());
            iter.status().unwrap();
        }
    }

    pub fn close(self) {
        self.db.close().unwrap();
    }
}
