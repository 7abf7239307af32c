use super::{LIVE_DATABASE, LIVE_FAMILY};
use crate::base::status::{Code, Result};
use crate::batch::WriteBatch;
use crate::db::db_tests::TestDb;
use crate::options::compact::CompactRangeOptions;
use crate::options::text::Pairs;
use crate::options::{OptionsFile, WriteOptions};
use std::path::Path;

fn pairs(text: &str) -> Pairs {
    Pairs::parse(text).unwrap()
}

fn set(db: &TestDb, text: &str) -> Result<()> {
    db.db().set_options(db.family(0), &pairs(text))
}

fn stored(db: &TestDb) -> OptionsFile {
    OptionsFile::load_latest(&**db.db.env.fs(), Path::new("/db"), false).unwrap()
}

fn tables(db: &TestDb) -> usize {
    let names = db.db.env.fs().list(Path::new("/db")).unwrap();
    names.iter().filter(|name| name.ends_with(".sst")).count()
}

fn options_files(db: &TestDb) -> usize {
    let names = db.db.env.fs().list(Path::new("/db")).unwrap();
    names.iter().filter(|name| name.starts_with("OPTIONS-")).count()
}

#[test]
fn a_new_buffer_size_counts_at_once_and_is_stored() {
    let mut db = TestDb::new();
    db.cf.write_buffer_size = 64 << 20;
    db.try_open().unwrap();
    let value = "v".repeat(1000);
    for number in 0..200 {
        db.put(&format!("{number:04}"), &value).unwrap();
    }
    assert_eq!(tables(&db), 0);
    set(&db, "write_buffer_size=65536;max_write_buffer_number=5").unwrap();
    for number in 0..3 {
        db.put(&format!("{number:04}"), &value).unwrap();
    }
    db.flush();
    assert!(tables(&db) >= 1, "{}", tables(&db));
    assert_eq!(db.family(0).live_options().max_write_buffer_number, 5);
    assert_eq!(db.family(0).options.write_buffer_size, 64 << 20);
    let file = stored(&db);
    assert_eq!(file.column_families[0].1.write_buffer_size, 64 << 10);
    for size in 1..5 {
        set(&db, &format!("write_buffer_size={size}m")).unwrap();
    }
    assert_eq!(options_files(&db), 2);
    db.close();
}

#[test]
fn compression_and_table_options_hold_for_the_next_table() {
    let mut db = TestDb::new();
    db.try_open().unwrap();
    let sizes = |db: &TestDb| {
        let version = db.family(0).persistent.current();
        let mut files: Vec<_> = version.all_files().map(|(_, f)| (f.number, f.file_size)).collect();
        files.sort_unstable();
        files.into_iter().map(|(_, size)| size).collect::<Vec<_>>()
    };
    let fill = |db: &TestDb| {
        for number in 0..50 {
            db.put(&format!("{number:04}"), &"v".repeat(1000)).unwrap();
        }
        db.flush();
    };
    set(&db, "compression=kNoCompression").unwrap();
    fill(&db);
    set(&db, "compression=kSnappyCompression").unwrap();
    fill(&db);
    set(&db, "block_based_table_factory={block_size=512;}").unwrap();
    fill(&db);
    let sizes = sizes(&db);
    assert!(sizes[0] > 50_000 && sizes[1] < 20_000 && sizes[2] != sizes[1], "{sizes:?}");
    db.close();
}

#[test]
fn what_cannot_change_is_refused_and_nothing_is_changed() {
    let mut db = TestDb::new();
    db.try_open().unwrap();
    let cases = [
        (
            "write_buffer_size=128k;num_levels=3",
            "Invalid argument: Option not changeable: num_levels",
        ),
        (
            "write_buffer_size=128k;nonsense=3",
            "Invalid argument: Extra option not recognized: nonsense",
        ),
        ("write_buffer_size=many", "Invalid argument: "),
        ("write_buffer_size=128k;compression=kXpressCompression", "Invalid argument: "),
        ("write_buffer_size=128k;prefix_extractor=fixed:3", "Not implemented: "),
    ];
    for (text, expected) in cases {
        let error = set(&db, text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
        assert_eq!(db.family(0).live_options().write_buffer_size, 64 << 10);
    }
    assert_eq!(set(&db, "").unwrap_err().to_string(), "Invalid argument: empty input");
    let set_db = |text| db.db().set_db_options(&pairs(text));
    assert_eq!(set_db("").unwrap_err().to_string(), "Invalid argument: empty input");
    let error = set_db("max_total_wal_size=1000;wal_dir=x").unwrap_err().to_string();
    assert_eq!(error, "NotFound: Unrecognized option: wal_dir");
    assert_eq!(db.db().live_options().max_total_wal_size, 0);
    db.close();
}

#[test]
fn options_of_the_database_count_at_once_and_are_stored() {
    let mut db = TestDb::new();
    db.cf.write_buffer_size = 64 << 20;
    db.try_open().unwrap();
    let set = |db: &TestDb, text| db.db().set_db_options(&pairs(text)).unwrap();
    for number in 0..50 {
        db.put(&format!("{number:04}"), &"v".repeat(1000)).unwrap();
    }
    set(&db, "max_total_wal_size=20000;max_background_jobs=9;wal_bytes_per_sync=4096");
    db.put("last", "v").unwrap();
    db.flush();
    // The one that the log's size asked for, and that of the last key.
    assert_eq!(tables(&db), 2);
    assert_eq!(db.db().live_options().max_background_jobs, 9);
    assert_eq!(stored(&db).db.max_total_wal_size, 20_000);
    let manifests = |db: &TestDb| {
        let names = db.db.env.fs().list(Path::new("/db")).unwrap();
        names.iter().filter(|name| name.starts_with("MANIFEST-")).count()
    };
    let before = manifests(&db);
    set(&db, "max_manifest_file_size=1;avoid_flush_during_shutdown=true");
    for number in 0..60 {
        db.put(&format!("{number:04}"), "v").unwrap();
        db.flush();
    }
    assert!(manifests(&db) > before);
    db.close();
}

#[test]
fn extreme_numbers_are_taken_or_refused_and_the_database_goes_on() {
    let mut db = TestDb::new();
    db.cf.num_levels = 4;
    db.try_open().unwrap();
    let no_slowdown = WriteOptions { no_slowdown: true, ..WriteOptions::default() };
    for dynamic in [true, false] {
        db.close();
        db.cf.level_compaction_dynamic_level_bytes = dynamic;
        db.try_open().unwrap();
        db.put("a", "1").unwrap();
        db.flush();
        let all = CompactRangeOptions::default();
        db.db().compact_range(db.family(0), &all, None, None).unwrap();
        for value in ["18446744073709551615", "2147483647", "1e300", "1e-300", "-1", "nan", "1"] {
            for name in LIVE_FAMILY {
                // Of compaction that waits for ever, an endless stop of writes is the meaning.
                if value == "1" && name.ends_with("_trigger") {
                    continue;
                }
                let _ = set(&db, &format!("{name}={value}"));
            }
            for name in LIVE_DATABASE {
                let _ = db.db().set_db_options(&pairs(&format!("{name}={value}")));
            }
            // Together they are more than 64 bits count.
            set(&db, "write_buffer_size=64g;max_write_buffer_number=2147483647").unwrap();
            db.db().set_db_options(&pairs("max_total_wal_size=0")).unwrap();
            for _ in 0..2 {
                let put = |batch: &mut WriteBatch| batch.put(0, b"b", value.as_bytes());
                match db.db().write_lone(&no_slowdown, put) {
                    Err(error) => assert_eq!(error.code(), Code::Incomplete, "{value}: {error}"),
                    Ok(()) => assert_eq!(db.get("b").as_deref(), Some(value)),
                }
                db.flush();
            }
            db.db().compact_range(db.family(0), &all, None, None).unwrap();
            assert_eq!(db.get("a").as_deref(), Some("1"));
        }
    }
    db.close();
}
