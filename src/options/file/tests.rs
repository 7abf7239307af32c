use std::collections::{HashMap, HashSet};

use super::*;
use crate::base::comparator::Comparator;
use crate::base::random::Random;
use crate::codec::CompressionType;
use crate::env::Env;
use crate::options::table::Table;

#[test]
fn a_file_reads_back_as_it_was_written() {
    let mut db = DbOptions { create_if_missing: true, ..DbOptions::default() };
    db.wal_dir = "/tmp/a#b:c\\d".to_string();
    let reversed = CfOptions {
        comparator: Comparator::ReverseBytewise,
        compression_per_level: vec![CompressionType::None, CompressionType::Zstd],
        ..CfOptions::default()
    };
    let text = options_text(&db, &[("default", &CfOptions::default()), ("a \"b\"]", &reversed)]);
    let file = OptionsFile::parse(&text, false).unwrap();
    assert_eq!(file.rocksdb_version, ROCKSDB_VERSION);
    assert_eq!(file.db.wal_dir, db.wal_dir);
    let names: Vec<&str> = file.column_families.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["default", "a \"b\"]"]);
    assert_eq!(file.column_families[1].1.to_text(";"), reversed.to_text(";"));
    let again: Vec<_> = file.column_families.iter().map(|(n, o)| (n.as_str(), o)).collect();
    assert_eq!(options_text(&file.db, &again), text);
}

#[test]
fn errors_have_rocksdbs_texts() {
    let head = "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n";
    let cf = "[CFOptions \"default\"]\n";
    let cases = [
        ("", "Corruption: A RocksDB Option file must have a single DBOptions section"),
        (
            "[DBOptions]\n",
            "Corruption: A RocksDB Option file must have a single CFOptions:default section",
        ),
        (
            "\nnonsense\n",
            "Invalid argument: [RocksDBOptionsParser Error] : A valid statement must have a '='. (at line 2)",
        ),
        (
            " =1",
            "Invalid argument: [RocksDBOptionsParser Error] : A valid statement must have a variable name. (at line 1)",
        ),
        ("[Foo]", "Invalid argument: Unknown section [Foo]"),
        (
            "[DBOptions]\n[DBOptions]\n",
            "Invalid argument: [RocksDBOptionsParser Error] : More than one DBOption section found in the option config file (at line 2)",
        ),
        (
            "[CFOptions \"x\"]\n",
            "Invalid argument: [RocksDBOptionsParser Error] : Default column family must be the first CFOptions section in the option config file (at line 1)",
        ),
        (
            "[Version]\noptions_file_version=0.9\n[DBOptions]",
            "Invalid argument: A valid options_file_version must be at least 1.",
        ),
        (
            "[Version]\nrocksdb_version=1.2.3.4\n[DBOptions]",
            "Invalid argument: A valid rocksdb_version can only contains at most 2 dots.",
        ),
        (
            "[Version]\nrocksdb_version=1.x\n[DBOptions]",
            "Invalid argument: A valid rocksdb_version can only contains dots and numbers.",
        ),
    ];
    for (text, error) in cases {
        for ignore_unknown in [false, true] {
            assert_eq!(OptionsFile::parse(text, ignore_unknown).unwrap_err().to_string(), error);
        }
    }
    let unknown = format!("{head}  no_such_option=1\n{cf}");
    let bad = format!("{head}  max_open_files=many\n{cf}");
    for ignore_unknown in [false, true] {
        let parse = |text: &str| OptionsFile::parse(text, ignore_unknown).unwrap_err().to_string();
        assert_eq!(
            parse(&unknown),
            "Invalid argument: Extra option not recognized: no_such_option"
        );
        assert_eq!(parse(&bad), "Invalid argument: Error parsing max_open_files:stoi");
    }
}

#[test]
fn a_newer_file_may_hold_unknown_options_if_the_reader_allows() {
    let text = "[Version]\nrocksdb_version=99.0.0\n[DBOptions]\nno_such_option=1\n\
                wal_recovery_mode=kNoSuchMode\nmax_open_files=7 # few\n\
                [CFOptions \"default\"]\n[TableOptions/NoSuchTable \"default\"]\nx=y\n";
    let file = OptionsFile::parse(text, true).unwrap();
    assert_eq!(file.db.max_open_files, 7);
    assert!(OptionsFile::parse(text, false).is_err());
}

/// The real library's files: all options are known, and what is read is what the file says.
#[test]
fn golden_files_are_read_and_lose_nothing() {
    let Some(golden) = golden_folder() else {
        println!("skipped: there are no golden databases here");
        return;
    };
    let mut files = 0;
    for case in std::fs::read_dir(golden).unwrap() {
        let dir = case.unwrap().path().join("db");
        let fs = Env::default();
        let Ok(path) = latest_options_file(fs.fs().as_ref(), &dir) else { continue };
        let is_damaged = path.to_string_lossy().contains("-bad-options-");
        let loaded = OptionsFile::load(fs.fs().as_ref(), &path, false);
        assert_eq!(loaded.is_err(), is_damaged, "{}: {loaded:?}", path.display());
        if let Ok(file) = loaded {
            assert_same(&file, &std::fs::read_to_string(&path).unwrap(), &path);
            files += 1;
        }
    }
    println!("{files} files");
    assert!(files > 40);
}

/// Options that all golden databases of RocksDB 11 set away from their defaults.
const NEVER_DEFAULT: [&str; 6] = [
    "create_if_missing",
    "create_missing_column_families",
    "disable_auto_compactions",
    "info_log_level",
    "stats_dump_period_sec",
    "stats_persist_period_sec",
];

/// Databases whose creators left an option alone show its default, as RocksDB adjusted it at open.
#[test]
fn defaults_are_what_the_real_library_writes() {
    let Some(golden) = golden_folder() else {
        println!("skipped: there are no golden databases here");
        return;
    };
    let mut seen: HashMap<String, HashSet<String>> = HashMap::new();
    for case in std::fs::read_dir(golden).unwrap() {
        let dir = case.unwrap().path().join("db");
        let Ok(path) = latest_options_file(Env::default().fs().as_ref(), &dir) else { continue };
        let text = std::fs::read_to_string(path).unwrap();
        if text.contains("rocksdb_version=11.") {
            for (name, value) in text.lines().filter_map(|line| line.trim().split_once('=')) {
                seen.entry(name.to_string()).or_default().insert(in_order(value));
            }
        }
    }
    let (mut db, mut cf) = (DbOptions::default(), CfOptions::default());
    db.sanitize(Path::new("/db"));
    cf.sanitize(&db);
    let ours = db.to_text("\n") + &cf.to_text("\n") + &cf.table_factory.to_text("\n");
    let mut count = 0;
    for (name, value) in ours.lines().filter_map(|line| line.split_once('=')) {
        let theirs = seen.get(name).unwrap_or_else(|| panic!("RocksDB has no {name}"));
        let is_same = theirs.contains(&in_order(value)) || NEVER_DEFAULT.contains(&name);
        assert!(is_same, "{name}: {value}, and theirs {theirs:?}");
        count += usize::from(theirs.len() == 1);
    }
    println!("{count} options have but one value in the golden databases");
    assert!(count > 100);
}

/// `{b=2;a=1;}` with its parts sorted, which RocksDB writes in any order.
fn in_order(value: &str) -> String {
    let Some(inner) = value.strip_prefix('{') else { return value.to_string() };
    let mut parts: Vec<&str> = inner.trim_end_matches('}').split(';').collect();
    parts.sort_unstable();
    parts.join(";")
}

fn golden_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("HEMATITE_GOLDEN").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| PathBuf::from("../shared/golden"));
    folder.is_dir().then_some(folder)
}

/// Every line of the file is a line of what we would write, except for options that are gone and
/// for texts that differ only in how an object is described.
fn assert_same(file: &OptionsFile, theirs: &str, path: &Path) {
    let families: Vec<_> = file.column_families.iter().map(|(n, o)| (n.as_str(), o)).collect();
    let ours = options_text(&file.db, &families);
    let ours: HashSet<&str> = ours.lines().map(str::trim).collect();
    for line in theirs.lines().map(|line| line.trim()) {
        let name = line.split('=').next().unwrap();
        let is_gone =
            DbOptions::DEPRECATED.contains(&name) || CfOptions::DEPRECATED.contains(&name);
        let differs = name.starts_with('#')
            || name == "rocksdb_version"
            || line.contains("={")
            || name == "comparator";
        assert!(is_gone || differs || ours.contains(line), "{}: {line}", path.display());
    }
}

#[test]
fn garbage_is_an_error_and_never_a_panic() {
    let mut random = Random::from_env(41);
    let text = options_text(&DbOptions::default(), &[("default", &CfOptions::default())]);
    for _ in 0..400 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..1 + random.below(6) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(4) {
                0 => bytes[at] = random.next_u64() as u8,
                1 => bytes[at] = b"={};:#\\\"[]\n.-9"[random.below(14) as usize],
                2 => drop(bytes.drain(at..(at + random.below(40) as usize).min(bytes.len()))),
                _ => bytes.insert(at, b"={};:#\\\"[]\n.-9"[random.below(14) as usize]),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let _ = OptionsFile::parse(&text, random.one_in(2));
    }
    for _ in 0..20_000 {
        let len = random.below(40) as usize;
        let alphabet = "={};:#\\\"[]a1.-kñ\n";
        let chars: Vec<char> = alphabet.chars().collect();
        let text: String =
            (0..len).map(|_| chars[random.below(chars.len() as u64) as usize]).collect();
        let _ = OptionsFile::parse(&text, true);
        let _ = crate::options::Options::default().db.with_string(&text);
    }
}

#[test]
fn the_newest_file_is_written_whole_and_found() {
    let dir = tempfile::tempdir().unwrap();
    let env = Env::default();
    let fs = env.fs().as_ref();
    let error = latest_options_file(fs, dir.path()).unwrap_err();
    assert!(error.to_string().starts_with("NotFound: "), "{error}");
    for (number, open_files) in [(9, 1), (10, 2), (7, 3)] {
        let db = DbOptions { max_open_files: open_files, ..DbOptions::default() };
        let cf = CfOptions::default();
        let path = write_options_file(fs, dir.path(), number, &db, &[("default", &cf)]).unwrap();
        assert!(path.ends_with(format!("OPTIONS-{number:06}")));
    }
    assert_eq!(fs.list(dir.path()).unwrap().len(), 3);
    assert_eq!(OptionsFile::load_latest(fs, dir.path(), false).unwrap().db.max_open_files, 2);
}

/// RocksDB's own tool, of an older release, takes what we write: once with options that fit the
/// database, and once with others, which it must notice.
#[test]
fn the_real_library_reads_our_file() {
    let dir = tempfile::tempdir().unwrap();
    let ldb = |arguments: &[&str]| {
        let database = format!("--db={}", dir.path().display());
        let command = std::process::Command::new("ldb").arg(database).args(arguments).output();
        command.map(|output| {
            let text = [output.stdout, output.stderr].concat();
            (output.status.success(), String::from_utf8_lossy(&text).into_owned())
        })
    };
    let Ok((true, _)) = ldb(&["--create_if_missing", "put", "a", "b"]) else {
        println!("skipped: ldb is not installed");
        return;
    };
    let env = Env::default();
    let (db, mut cf) = (DbOptions::default(), CfOptions::default());
    let mut read_with = |comparator| {
        cf.comparator = comparator;
        let fs = env.fs().as_ref();
        write_options_file(fs, dir.path(), 900_000, &db, &[("default", &cf)]).unwrap();
        ldb(&["--try_load_options", "--ignore_unknown_options", "get", "a"]).unwrap()
    };
    let (is_ok, text) = read_with(Comparator::ReverseBytewise);
    assert!(!is_ok && text.contains("does not match existing comparator"), "{text}");
    let (is_ok, text) = read_with(Comparator::Bytewise);
    assert!(is_ok && text.contains('b'), "{text}");
}
