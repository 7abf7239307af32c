//! Recovers the MANIFESTs of databases that RocksDB and LevelDB wrote, and compares with what
//! RocksDB said of them. The databases lie outside of the repository; without them the test says
//! so and passes.

use super::column_family::{ColumnFamily, ColumnFamilyConfig, DEFAULT_NAME};
use super::file_meta::FileMeta;
use super::table_cache::{TableCache, TableCacheOptions};
use super::version_set::{VersionSet, VersionSetOptions};
use crate::base::comparator::{Bytewise, Comparator, Order, UserComparator};
use crate::base::status::Result;
use crate::env::posix::PosixFileSystem;
use crate::table::options::TableReaderOptions;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A JSON value; strings are bytes, as the case files write them.
#[derive(Debug)]
enum Json {
    Null,
    Number(u64),
    Text(Vec<u8>),
    List(Vec<Json>),
    Object(Vec<(Vec<u8>, Json)>),
}

struct Parser<'a>(&'a [u8]);

impl Parser<'_> {
    fn peek(&mut self) -> u8 {
        let skip = self.0.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.0 = &self.0[skip..];
        self.0[0]
    }

    fn take(&mut self) -> u8 {
        let byte = self.peek();
        self.0 = &self.0[1..];
        byte
    }

    fn value(&mut self) -> Json {
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => Json::Text(self.text()),
            _ => {
                let len = self.0.iter().take_while(|b| !b",]} \n".contains(b)).count();
                let word = std::str::from_utf8(&self.0[..len]).unwrap();
                self.0 = &self.0[len..];
                match word {
                    "false" => Json::Number(0),
                    "true" => Json::Number(1),
                    _ => word.parse().map_or(Json::Null, Json::Number),
                }
            }
        }
    }

    fn list(&mut self) -> Json {
        self.take();
        let mut items = Vec::new();
        while self.peek() != b']' {
            items.push(self.value());
            if self.peek() == b',' {
                self.take();
            }
        }
        self.take();
        Json::List(items)
    }

    fn object(&mut self) -> Json {
        self.take();
        let mut fields = Vec::new();
        while self.peek() != b'}' {
            self.peek();
            let name = self.text();
            assert_eq!(self.take(), b':');
            fields.push((name, self.value()));
            if self.peek() == b',' {
                self.take();
            }
        }
        self.take();
        Json::Object(fields)
    }

    fn text(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        self.0 = &self.0[1..];
        loop {
            let byte = self.0[0];
            self.0 = &self.0[1..];
            match byte {
                b'"' => return text,
                b'\\' => {
                    let escape = self.0[0];
                    self.0 = &self.0[1..];
                    match escape {
                        b'n' => text.push(b'\n'),
                        b't' => text.push(b'\t'),
                        b'u' => {
                            let hex = std::str::from_utf8(&self.0[..4]).unwrap();
                            text.push(u8::try_from(u32::from_str_radix(hex, 16).unwrap()).unwrap());
                            self.0 = &self.0[4..];
                        }
                        other => text.push(other),
                    }
                }
                other => text.push(other),
            }
        }
    }
}

impl Json {
    fn get(&self, name: &str) -> &Json {
        let Json::Object(fields) = self else { return &Json::Null };
        fields.iter().find(|(n, _)| n == name.as_bytes()).map_or(&Json::Null, |(_, value)| value)
    }

    fn items(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }

    fn bytes(&self) -> &[u8] {
        if let Json::Text(text) = self { text } else { &[] }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    fn is_false(&self) -> bool {
        self.number() == Some(0)
    }

    fn number(&self) -> Option<u64> {
        if let Json::Number(number) = self { Some(*number) } else { None }
    }
}

/// Shorter keys first, then bytewise.
struct ShorterFirst;

impl UserComparator for ShorterFirst {
    fn name(&self) -> &str {
        "golden.ShorterFirst"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then(a.cmp(b))
    }
}

/// Bytewise, then newer timestamps (8 bytes, little-endian) first.
struct TimestampedBytewise;

impl UserComparator for TimestampedBytewise {
    fn name(&self) -> &str {
        "leveldb.BytewiseComparator.u64ts"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let split = |key: &'_ [u8]| {
            let (user, timestamp) = key.split_at(key.len() - 8);
            (user.to_vec(), u64::from_le_bytes(timestamp.try_into().unwrap()))
        };
        let ((a, a_time), (b, b_time)) = (split(a), split(b));
        Bytewise.compare(&a, &b).then(b_time.cmp(&a_time))
    }

    fn timestamp_size(&self) -> usize {
        8
    }
}

fn comparator(name: &str) -> Comparator {
    match name {
        "bytewise" => Comparator::Bytewise,
        "reverse" => Comparator::ReverseBytewise,
        "shorter" => Comparator::Custom(Arc::new(ShorterFirst)),
        "u64ts" => Comparator::Custom(Arc::new(TimestampedBytewise)),
        other => panic!("comparator {other}"),
    }
}

fn golden_dir() -> Option<PathBuf> {
    let dir = std::env::var_os("HEMATITE_GOLDEN").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/golden"),
        PathBuf::from,
    );
    dir.is_dir().then_some(dir)
}

struct Case {
    name: String,
    dir: PathBuf,
    json: Json,
}

fn cases() -> Vec<Case> {
    let Some(golden) = golden_dir() else {
        println!("skipped: no golden databases (set HEMATITE_GOLDEN)");
        return Vec::new();
    };
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(golden).unwrap() {
        let dir = entry.unwrap().path();
        if let Ok(text) = std::fs::read(dir.join("case.json")) {
            let json = Parser(&text).value();
            cases.push(Case { name: json.get("name").text(), dir: dir.join("db"), json });
        }
    }
    assert!(cases.len() > 300);
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

impl Case {
    fn mode(&self) -> String {
        self.json.get("open").get("mode").text()
    }

    fn recover(&self, families: &Json, read_only: bool) -> Result<VersionSet> {
        let options = self.json.get("open").get("db_options");
        let configs: Vec<ColumnFamilyConfig> = families
            .items()
            .iter()
            .map(|family| ColumnFamilyConfig {
                num_levels: options.get("num_levels").number().unwrap_or(7) as usize,
                persist_user_defined_timestamps: !options
                    .get("persist_user_defined_timestamps")
                    .is_false(),
                ..ColumnFamilyConfig::new(
                    family.get("name").bytes(),
                    comparator(&family.get("comparator").text()),
                )
            })
            .collect();
        let fs = Arc::new(PosixFileSystem);
        VersionSet::recover(fs, &self.dir, VersionSetOptions::default(), &configs, read_only)
    }

    /// What RocksDB 11.9 said on opening under `check`.
    fn expected_open(&self, check: &Json) -> String {
        let expect = check.get("expect");
        let said = match expect.get("11.9.0") {
            Json::Null => expect.get("*"),
            other => other,
        };
        let text = said.get("open").text();
        text.replace("<DB>", &self.dir.to_string_lossy())
    }

    fn families<'a>(&'a self, check: &'a Json) -> &'a Json {
        match check.get("column_families") {
            Json::Null => self.json.get("open").get("column_families"),
            other => other,
        }
    }
}

/// Hex digits, cut as the case files cut them.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    if digits.len() > 400 { format!("{}...", &digits[..400]) } else { digits }
}

/// (column family, number, level, size, smallest and largest sequence number and user key).
type FileRow = (String, u64, u64, u64, u64, u64, String, String);

fn expected_files(case: &Case) -> BTreeSet<FileRow> {
    let row = |file: &Json| {
        let number = |name| file.get(name).number().unwrap_or(0);
        (
            file.get("cf").text(),
            file.get("name").text()[..6].parse().unwrap(),
            number("level"),
            number("size"),
            number("smallest_seqno"),
            number("largest_seqno"),
            file.get("smallest_user_key").text(),
            file.get("largest_user_key").text(),
        )
    };
    case.json.get("live_sst_files").items().iter().map(row).collect()
}

fn found_files(versions: &VersionSet) -> BTreeSet<FileRow> {
    let mut rows = BTreeSet::new();
    for family in versions.families() {
        for (level, file) in family.current().all_files() {
            rows.insert((
                String::from_utf8_lossy(family.name()).into_owned(),
                file.number,
                level as u64,
                file.file_size,
                file.smallest_seqno,
                file.largest_seqno,
                hex(file.smallest.user_key()),
                hex(file.largest.user_key()),
            ));
        }
    }
    rows
}

/// Number, blobs, bytes, garbage blobs, garbage bytes of each blob file.
fn found_blobs(versions: &VersionSet) -> BTreeSet<[u64; 5]> {
    let mut rows = BTreeSet::new();
    for family in versions.families() {
        for (&number, blob) in family.current().blob_files() {
            let (count, bytes) = (blob.added.total_blob_count, blob.added.total_blob_bytes);
            rows.insert([number, count, bytes, blob.garbage_count, blob.garbage_bytes]);
        }
    }
    rows
}

fn expected_blobs(case: &Case) -> BTreeSet<[u64; 5]> {
    let fields = ["number", "total_count", "total_bytes", "garbage_count", "garbage_bytes"];
    let blobs = case.json.get("live_blob_files").items().iter();
    blobs.map(|blob| fields.map(|name| blob.get(name).number().unwrap())).collect()
}

#[test]
fn golden_manifests_give_the_recorded_files() {
    let mut compared = 0;
    for case in cases() {
        if !["rw", "txn", "ttl"].contains(&&*case.mode()) || case.expected_files_unknown() {
            continue;
        }
        let families = case.json.get("open").get("column_families");
        let versions =
            case.recover(families, false).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert_eq!(found_files(&versions), expected_files(&case), "{}", case.name);
        let latest = case.json.get("latest_sequence_number").number().unwrap();
        let last = versions.last_sequence();
        assert!(last <= latest, "{}: {last} {latest}", case.name);
        for family in versions.families() {
            for (_, file) in family.current().all_files() {
                assert!(file.largest_seqno <= last, "{}: file {}", case.name, file.number);
            }
        }
        let (blobs, expected_blobs) = (found_blobs(&versions), expected_blobs(&case));
        assert_eq!(blobs, expected_blobs, "{}", case.name);
        compared += 1;
    }
    println!("{compared} MANIFESTs compared");
    assert!(compared == 0 || compared > 200);
}

impl Case {
    fn expected_files_unknown(&self) -> bool {
        matches!(self.json.get("live_sst_files"), Json::Null)
            || self.json.get("latest_sequence_number").number().is_none()
    }
}

/// Whether RocksDB's answer was decided by CURRENT and the MANIFEST alone.
fn is_about_the_manifest(text: &str) -> bool {
    text.starts_with("Corruption: CURRENT")
        || text.contains("Column families not opened")
        || text.contains("does not match existing comparator")
        || text.contains("entry in MANIFEST")
        || text.starts_with("Corruption: checksum mismatch  The file")
        || (text.contains("While opening a file for sequentially reading")
            && text.contains("/MANIFEST-"))
}

#[test]
fn golden_damage_gives_the_recorded_errors() {
    let mut errors = 0;
    for case in cases() {
        if !["rw", "txn", "ttl"].contains(&&*case.mode()) {
            continue;
        }
        for check in case.json.get("checks").items() {
            let expected = case.expected_open(check);
            let read_only = check.get("mode").text() == "readonly";
            if is_about_the_manifest(&expected) {
                let result = case.recover(case.families(check), read_only);
                let found = result.map(|_| ()).unwrap_err().to_string();
                assert_eq!(found, expected, "{} {}", case.name, check.get("name").text());
                errors += 1;
            } else if expected == "ok" && case.dir.join("CURRENT").exists() {
                let found = case.recover(case.families(check), read_only);
                assert!(found.is_ok(), "{}: {:?}", case.name, found.err());
            }
        }
    }
    println!("{errors} errors compared");
    assert!(errors == 0 || errors > 10);
}

fn table_cache(case: &Case, dir: &Path, comparator: &Comparator) -> TableCache {
    let reader =
        TableReaderOptions { comparator: comparator.clone(), ..TableReaderOptions::default() };
    let options = TableCacheOptions {
        paths: vec![dir.to_path_buf()],
        verify_sst_unique_id_in_manifest: !case.name.contains("-bad-"),
        reader,
        ..TableCacheOptions::default()
    };
    TableCache::new(Arc::new(PosixFileSystem), options)
}

fn load_all(case: &Case, dir: &Path) -> Result<VersionSet> {
    let versions = case.recover(case.json.get("open").get("column_families"), false)?;
    for family in versions.families() {
        versions.load_tables(family, &table_cache(case, dir, family.comparator()), 3)?;
    }
    Ok(versions)
}

fn files_of(family: &ColumnFamily) -> Vec<Arc<FileMeta>> {
    family.current().all_files().map(|(_, file)| file.clone()).collect()
}

#[test]
fn golden_tables_open_or_say_why() {
    let kinds = [
        "bad-sst-empty",
        "bad-sst-swapped",
        "bad-sst-truncated",
        "levels",
        "cf-many",
        "dbid-manifest",
    ];
    for case in cases() {
        if case.name.split_once('-').is_none_or(|(_, kind)| !kinds.contains(&kind)) {
            continue;
        }
        let expected = case.expected_open(&case.json.get("checks").items()[0]);
        match load_all(&case, &case.dir) {
            Err(status) => assert_eq!(status.to_string(), expected),
            Ok(versions) => {
                assert_eq!(expected, "ok", "{}", case.name);
                let mut entries = BTreeMap::new();
                for file in case.json.get("live_sst_files").items() {
                    entries.insert(file.get("name").text(), file.get("num_entries").number());
                }
                for file in versions.families().flat_map(|family| files_of(family)) {
                    let found = file.reader().unwrap().properties().num_entries;
                    assert_eq!(Some(found), entries[&format!("{:06}.sst", file.number)]);
                    let cache = table_cache(&case, &case.dir, &Comparator::Bytewise);
                    assert!(Arc::ptr_eq(&cache.get(&file).unwrap(), file.reader().unwrap()));
                }
            }
        }
    }
}

#[test]
fn missing_tables_are_looked_for_under_leveldbs_name() {
    let Some(case) = cases().into_iter().find(|case| case.name == "r119-levels") else { return };
    let temp = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(&case.dir).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, temp.path().join(path.file_name().unwrap())).unwrap();
    }
    let versions = case.recover(case.json.get("open").get("column_families"), false).unwrap();
    let version = versions.family(0).unwrap().current();
    let (_, file) = version.all_files().next().unwrap();
    let sst = temp.path().join(format!("{:06}.sst", file.number));
    std::fs::rename(&sst, sst.with_extension("ldb")).unwrap();
    let cache = table_cache(&case, temp.path(), &Comparator::Bytewise);
    cache.open(file).unwrap();

    std::fs::remove_file(sst.with_extension("ldb")).unwrap();
    let missing = cache.open(file).map(|_| ()).unwrap_err();
    assert!(missing.is_path_not_found() && missing.to_string().contains(".sst"), "{missing}");
    let text = load_all(&case, temp.path()).map(|_| ()).unwrap_err().to_string();
    assert!(text.starts_with("Corruption: Corruption: IO error: No such file"), "{text}");
    assert!(text.ends_with("MANIFEST-000005 may be corrupted."), "{text}");

    // Another file of the same size in its place is noticed.
    let other = FileMeta { unique_id: [1, 2], ..(**file).clone() };
    let cache = table_cache(&case, &case.dir, &Comparator::Bytewise);
    let text = cache.open(&other).map(|_| ()).unwrap_err().to_string();
    let expected = format!(
        "Corruption: Mismatch in unique ID on table file {}. Expected: {{1,2}}",
        file.number
    );
    assert!(text.starts_with(&expected), "{text}");
}

#[test]
fn golden_column_families_are_listed() {
    for case in cases() {
        if case.name.contains("-cf-many") {
            let fs = Arc::new(PosixFileSystem);
            let names = VersionSet::list_column_families(fs, &case.dir).unwrap();
            let opened = case.json.get("open").get("column_families").items();
            let expected: BTreeSet<&[u8]> = opened.iter().map(|f| f.get("name").bytes()).collect();
            assert_eq!(names.iter().map(|n| &n[..]).collect::<BTreeSet<_>>(), expected);
            assert_eq!(names[0], DEFAULT_NAME);
        }
    }
}
