use super::*;
use crate::base::random::Random;

fn base(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[test]
fn names_round_trip() {
    type Build = fn(&Path, u64) -> PathBuf;
    let forms: [(Build, FileType); 11] = [
        (table_file_name, FileType::Table),
        (leveldb_table_file_name, FileType::Table),
        (log_file_name, FileType::Wal),
        (blob_file_name, FileType::Blob),
        (temp_file_name, FileType::Temp),
        (descriptor_file_name, FileType::Descriptor),
        (options_file_name, FileType::Options),
        (temp_options_file_name, FileType::Temp),
        (meta_database_name, FileType::MetaDatabase),
        (compaction_progress_file_name, FileType::CompactionProgress),
        (temp_compaction_progress_file_name, FileType::Temp),
    ];
    let dir = Path::new("/db");
    for (build, file_type) in forms {
        for number in [0, 1, 7, 999_999, 1_000_000, LARGEST_NUMBER] {
            let path = build(dir, number);
            assert_eq!(path.parent(), Some(dir));
            assert_eq!(parse_file_name(base(&path)), Some((number, file_type)), "{path:?}");
        }
    }
    for (build, file_type) in [
        (current_file_name as fn(&Path) -> PathBuf, FileType::Current),
        (identity_file_name, FileType::Identity),
        (lock_file_name, FileType::Lock),
    ] {
        assert_eq!(parse_file_name(base(&build(dir))), Some((0, file_type)));
    }
}

#[test]
fn names_look_as_in_rocksdb() {
    let dir = Path::new("/db");
    let text = |path: PathBuf| path.to_str().unwrap().to_string();
    assert_eq!(text(table_file_name(dir, 12)), "/db/000012.sst");
    assert_eq!(text(archived_log_file_name(dir, 12)), "/db/archive/000012.log");
    assert_eq!(text(descriptor_file_name(dir, 5)), "/db/MANIFEST-000005");
    assert_eq!(text(options_file_name(dir, 5)), "/db/OPTIONS-000005");
    assert_eq!(text(temp_options_file_name(dir, 5)), "/db/OPTIONS-000005.dbtmp");
    assert_eq!(text(meta_database_name(dir, 5)), "/db/METADB-5");
    assert_eq!(text(info_log_file_name(dir, dir, None)), "/db/LOG");
    assert_eq!(text(old_info_log_file_name(dir, dir, None, 77)), "/db/LOG.old.77");
    let logs = Some(Path::new("/logs"));
    let absolute = Path::new("/var//lib/my db-1");
    assert_eq!(text(info_log_file_name(dir, absolute, logs)), "/logs/var_lib_my_db-1_LOG");
    assert_eq!(
        text(old_info_log_file_name(dir, absolute, logs, 77)),
        "/logs/var_lib_my_db-1_LOG.old.77"
    );
    let long = PathBuf::from(format!("/{}", "x".repeat(1000)));
    let old = old_info_log_file_name(dir, &long, logs, u64::MAX);
    assert_eq!(base(&old).len(), 255);
}

#[test]
fn other_accepted_names() {
    let cases = [
        ("100.log", 100, FileType::Wal),
        ("0.log", 0, FileType::Wal),
        ("/100.sst", 100, FileType::Table),
        ("archive/000007.log", 7, FileType::Wal),
        ("LOG", 0, FileType::InfoLog),
        ("LOG.old", 0, FileType::InfoLog),
        ("LOG.old.6688", 6688, FileType::InfoLog),
        ("2305843009213693952.log", LARGEST_NUMBER, FileType::Wal),
    ];
    for (name, number, file_type) in cases {
        assert_eq!(parse_file_name(name), Some((number, file_type)), "{name}");
    }
    let prefix = info_log_prefix(true, Path::new("/a/b"));
    let parse = |name| parse_file_name_with(name, &prefix);
    assert_eq!(parse("a_b_LOG"), Some((0, FileType::InfoLog)));
    assert_eq!(parse("a_b_LOG.old.9"), Some((9, FileType::InfoLog)));
    assert_eq!(parse("LOG"), None);
    assert_eq!(parse("000001.sst"), Some((1, FileType::Table)));
}

#[test]
fn foreign_names_are_refused() {
    let names = [
        "",
        "/",
        ".",
        "..",
        "foo",
        "foo-dx-100.log",
        ".log",
        ".sst",
        "manifest",
        "CURREN",
        "CURRENT ",
        "CURRENTX",
        "current",
        "LOCK.bak",
        "LOGX",
        "LOG.ol",
        "LOG.oldx",
        "LOG.old.",
        "LOG.old.x",
        "LOG.old.1x",
        "LOG.old.-1",
        "MANIFEST",
        "MANIFEST-",
        "MANIFEST-3x",
        "MANIFEST-+3",
        "XMANIFEST-3",
        "MANIFEST-000003.dbtmp",
        "METADB",
        "METADB-",
        "METADB-1.dbtmp",
        "OPTIONS-",
        "OPTIONS-x",
        "OPTIONS-1x",
        "OPTIONS-.dbtmp",
        "OPTIONS-1.dbtmpx",
        "100",
        "100.",
        "100.lop",
        "100.LOG",
        "100.log ",
        " 100.log",
        "+100.log",
        "-1.log",
        "1 00.log",
        "１００.log",
        "100.log.bak",
        "100.sst.trash",
        "2305843009213693953.log",
        "18446744073709551615.log",
        "18446744073709551616.log",
        "184467440737095516150.log",
        "archive",
        "archive/",
        "archive/1.sst",
        "archive/x.log",
        "archiveX1.log",
        "archive/archive/1.log",
        "../1.log",
        "a/1.log",
        "1.log/",
        "1.log\0",
        "COMPACTION_PROGRESS-",
        "COMPACTION_PROGRESS-1x",
        "IDENTITY/",
        "\u{0}",
        "é.sst",
    ];
    for name in names {
        assert_eq!(parse_file_name(name), None, "{name:?}");
    }
}

#[test]
fn random_names_never_parse_to_another_name() {
    let mut rng = Random::from_env(1);
    let pieces = [
        "0",
        "1",
        "99",
        "000",
        "-",
        ".",
        "log",
        "sst",
        "dbtmp",
        "MANIFEST-",
        "OPTIONS-",
        "LOG",
        ".old.",
        "/",
        "archive/",
        "é",
        "+",
        "METADB-",
        "blob",
        "COMPACTION_PROGRESS-",
    ];
    let mut accepted = 0;
    for _ in 0..100_000 {
        let count = 1 + rng.below(5);
        let name: String =
            (0..count).map(|_| pieces[rng.below(pieces.len() as u64) as usize]).collect();
        let Some((number, _)) = parse_file_name(&name) else { continue };
        accepted += 1;
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        let expected = if digits.is_empty() { 0 } else { digits.parse().unwrap() };
        assert_eq!(number, expected, "{name}");
    }
    assert!(accepted > 100);
}
