//! Every row: defaults, text, live changes.

use crate::options::compaction::{CompactionOptionsFifo, CompactionOptionsUniversal};
use crate::options::enums::CompactionStyle;
use crate::options::table::Table;
use crate::options::text::Pairs;
use crate::options::{BlockBasedTableOptions, CfOptions, DbOptions, Options};

/// A text that each kind of value reads and that is not its default.
fn other_text(text: &str) -> Option<String> {
    let changed = match text {
        "true" => "false".to_string(),
        "false" => "true".to_string(),
        "nullptr" => "some.Object".to_string(),
        "" => return None,
        _ if text.starts_with('k') || text.ends_with("_LEVEL") || text.contains(['{', '=']) => {
            return None;
        }
        number => match (number.parse::<i128>(), number.parse::<f64>()) {
            (Ok(number @ 1..), _) => (number - 1).to_string(),
            (Ok(number), _) => (number + 1).to_string(),
            (_, Ok(number)) => format!("{:.6}", number + 0.5),
            _ => return None,
        },
    };
    Some(changed)
}

fn round_trip<S: Table>(set: impl Fn(&S, &str) -> S) {
    let default = S::default();
    for row in S::ROWS {
        let text = default.get_text(row.name).unwrap();
        let same = set(&default, &format!("{}={text}", row.name));
        assert_eq!(same.get_text(row.name).unwrap(), text, "{}", row.name);
        // Objects that have to be plugged in: their text is checked elsewhere.
        let is_object = matches!(
            row.name,
            "comparator"
                | "merge_operator"
                | "compaction_filter"
                | "compaction_filter_factory"
                | "prefix_extractor"
        );
        if let Some(other) = other_text(&text).filter(|_| !is_object) {
            let changed = set(&default, &format!("{}={other}", row.name));
            if !matches!(row.name, "filter_policy" | "partition_filters") {
                assert_eq!(changed.get_text(row.name).unwrap(), other, "{}", row.name);
            }
        }
    }
    let again = set(&default, &default.to_text(";"));
    assert_eq!(again.to_text("\n"), default.to_text("\n"));
}

#[test]
fn every_row_round_trips_through_text() {
    round_trip(|options: &DbOptions, text| options.with_string(text).unwrap());
    round_trip(|options: &CfOptions, text| options.with_string(text).unwrap());
    round_trip(|options: &BlockBasedTableOptions, text| options.with_string(text).unwrap());
}

#[test]
fn names_are_unique() {
    fn check<S: Table>() {
        let mut names: Vec<&str> = S::ROWS.iter().map(|row| row.name).collect();
        names.extend(S::ALIASES.iter().map(|(old, _)| *old));
        names.extend(S::DEPRECATED);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for (_, new) in S::ALIASES {
            assert!(S::ROWS.iter().any(|row| row.name == *new), "{new}");
        }
    }
    check::<DbOptions>();
    check::<CfOptions>();
    check::<BlockBasedTableOptions>();
    check::<CompactionOptionsUniversal>();
    check::<CompactionOptionsFifo>();
}

#[test]
fn numbers_take_suffixes_and_ranges_hold() {
    let size = |text: &str| {
        let options = CfOptions::default().with_string(&format!("write_buffer_size={text}"));
        options.map(|options| options.write_buffer_size).map_err(|error| error.to_string())
    };
    assert_eq!(size("64k"), Ok(65536));
    assert_eq!(size(" {2M} "), Ok(2 << 20));
    assert_eq!(size("1gigabyte"), Ok(1 << 30));
    assert_eq!(size("x"), Err("Invalid argument: Error parsing write_buffer_size:stoull".into()));
    assert!(size("-1").is_err());
    assert!(size("99999999999999999999").is_err());
    assert!(size("99999999t").is_err());
    let jobs =
        |text: &str| DbOptions::default().with_string(&format!("max_background_jobs={text}"));
    assert_eq!(jobs("-3").unwrap().max_background_jobs, -3);
    assert!(jobs("3000000000").is_err());
}

#[test]
fn parts_of_structs_can_be_set() {
    let options = CfOptions::default();
    let text = "compression_opts.level=5;compaction_options_universal={size_ratio=7;};\
                table_factory.block_size=1k;compaction_options_fifo=23;";
    let changed = options.with_string(text).unwrap();
    assert_eq!(changed.compression_opts.level, 5);
    assert_eq!(changed.compaction_options_universal.size_ratio, 7);
    assert_eq!(changed.compaction_options_universal.min_merge_width, 2);
    assert_eq!(changed.table_factory.block_based().unwrap().block_size, 1024);
    assert_eq!(changed.compaction_options_fifo.max_table_files_size, 23);
    let old = options.with_string("compression_opts=4:5:6:7:8:true").unwrap().compression_opts;
    assert_eq!((old.window_bits, old.level, old.max_dict_bytes, old.enabled), (4, 5, 7, true));
    assert_eq!((old.zstd_max_train_bytes, old.parallel_threads), (8, 1));
    for bad in
        ["compression_opts.nothing=1", "compression_opts={nothing=1}", "compression_opts=1:2"]
    {
        assert!(options.with_string(bad).is_err(), "{bad}");
    }
}

#[test]
fn an_error_changes_nothing() {
    let options = Options::default();
    let text = "create_if_missing=true;write_buffer_size=1m;no_such_option=1";
    assert!(options.with_string(text).is_err());
    let changed = options.with_string("create_if_missing=true;write_buffer_size=1m").unwrap();
    assert!(changed.db.create_if_missing && changed.cf.write_buffer_size == 1 << 20);
}

#[test]
fn live_changes_take_live_options_only() {
    let (db, cf) = (DbOptions::default(), CfOptions::default());
    let pairs = |text: &str| Pairs::parse(text).unwrap();
    let change =
        |text: &str| cf.with_live_changes(&db, &pairs(text)).map_err(|error| error.to_string());
    assert_eq!(change("write_buffer_size=1m").unwrap().write_buffer_size, 1 << 20);
    assert_eq!(
        change("num_levels=3").unwrap_err(),
        "Invalid argument: Option not changeable: num_levels"
    );
    assert_eq!(
        change("nothing=3").unwrap_err(),
        "Invalid argument: Extra option not recognized: nothing"
    );
    let changed = change("block_based_table_factory={block_size=8192}").unwrap();
    assert_eq!(changed.table_factory.block_based().unwrap().block_size, 8192);
    assert!(change("block_based_table_factory={format_version=8}").is_err());
    let changed = db.with_live_changes(&pairs("bytes_per_sync=5")).unwrap();
    assert_eq!(changed.bytes_per_sync, 5);
    assert_eq!(
        db.with_live_changes(&pairs("wal_dir=x")).unwrap_err().to_string(),
        "NotFound: Unrecognized option: wal_dir"
    );
}

#[test]
fn values_are_adjusted_as_in_rocksdb() {
    let mut db = DbOptions { recycle_log_file_num: 4, ..DbOptions::default() };
    db.wal_dir = "/db//".to_string();
    db.sanitize(std::path::Path::new("/db"));
    assert_eq!((db.recycle_log_file_num, db.wal_dir.as_str()), (4, ""));
    let mut cf =
        CfOptions { write_buffer_size: 1, max_write_buffer_number: 1, ..CfOptions::default() };
    cf.num_levels = 0;
    cf.min_write_buffer_number_to_merge = 9;
    cf.level0_slowdown_writes_trigger = 1;
    cf.level0_stop_writes_trigger = 0;
    cf.sanitize(&db);
    assert_eq!((cf.write_buffer_size, cf.arena_block_size), (64 << 10, 8 << 10));
    assert_eq!((cf.max_write_buffer_number, cf.min_write_buffer_number_to_merge), (2, 1));
    assert_eq!(cf.num_levels, 2);
    assert_eq!((cf.level0_slowdown_writes_trigger, cf.level0_stop_writes_trigger), (4, 4));
    assert_eq!((cf.ttl, cf.periodic_compaction_seconds), (30 * 24 * 60 * 60, 0));
    let mut large = CfOptions { compaction_style: CompactionStyle::Fifo, ..CfOptions::default() };
    large.write_buffer_size = usize::MAX;
    large.num_levels = 1;
    large.sanitize(&db);
    assert_eq!((large.arena_block_size, large.num_levels), (1 << 20, 1));
    assert_eq!(large.level0_stop_writes_trigger, i32::MAX);
}

#[test]
fn background_threads_follow_the_jobs() {
    let limits = |jobs, flushes, compactions| {
        let options = DbOptions {
            max_background_jobs: jobs,
            max_background_flushes: flushes,
            max_background_compactions: compactions,
            ..DbOptions::default()
        };
        options.background_limits()
    };
    assert_eq!(limits(2, -1, -1), (1, 1));
    assert_eq!(limits(8, -1, -1), (2, 6));
    assert_eq!(limits(-5, -1, -1), (1, 1));
    assert_eq!(limits(8, 3, -1), (3, 1));
    assert_eq!(limits(8, -1, 4), (1, 4));
}

#[test]
fn contradictions_and_missing_features_are_refused() {
    let db = |text: &str| {
        let options = DbOptions::default().with_string(text).unwrap();
        options.validate().and_then(|()| options.check_supported()).unwrap_err().to_string()
    };
    let cf = |text: &str| {
        let options = CfOptions::default().with_string(text).unwrap();
        let checked = options.validate(&DbOptions::default());
        checked.and_then(|()| options.check_supported()).unwrap_err().to_string()
    };
    assert_eq!(
        db("keep_log_file_num=0"),
        "Invalid argument: keep_log_file_num must be greater than 0"
    );
    assert_eq!(db("best_efforts_recovery=true"), "Not implemented: best_efforts_recovery");
    assert!(db("daily_offpeak_time_utc=25:00-01:00").contains("HH:mm-HH:mm"));
    assert_eq!(
        cf("compression=kXpressCompression"),
        "Invalid argument: Compression type Xpress is not linked with the binary."
    );
    assert_eq!(cf("table_factory=PlainTable;ttl=0"), "Not implemented: table_factory=PlainTable");
    assert_eq!(
        cf("table_factory={index_type=kHashSearch};prefix_extractor=fixed:3"),
        "Not implemented: index_type=kHashSearch"
    );
    assert!(cf("table_factory={format_version=9}").contains("Unsupported BlockBasedTable"));
    let untrained = "{max_dict_bytes=9;zstd_max_train_bytes=90;use_zstd_dict_trainer=false}";
    let trainer = "compression_opts.use_zstd_dict_trainer=false";
    assert_eq!(cf(&format!("compression_opts={untrained}")), format!("Not implemented: {trainer}"));
    assert_eq!(
        cf("table_factory={prepopulate_block_cache=kFlushAndCompaction}"),
        "Not implemented: prepopulate_block_cache=kFlushAndCompaction"
    );
    assert!(cf("num_levels=65537").starts_with("Invalid argument: num_levels"));
    assert!(cf("memtable_protection_bytes_per_key=3").starts_with("Not implemented: "));
}

#[test]
fn idle_settings_are_named() {
    assert!(DbOptions::default().idle_settings().is_empty());
    let options = DbOptions::default().with_string("allow_2pc=true;use_fsync=true").unwrap();
    assert_eq!(options.idle_settings(), [("allow_2pc", "true".to_string())]);
}

#[test]
fn merge_operators_are_made_from_their_text() {
    let set = |cf: &CfOptions, text: &str| cf.with_string(text).unwrap();
    let text = |cf: &CfOptions| cf.get_text("merge_operator").unwrap();
    let cf = set(&CfOptions::default(), "merge_operator=uint64add");
    assert_eq!(text(&cf), "UInt64AddOperator");
    let cf = set(&cf, "merge_operator=some.Operator");
    assert_eq!(text(&cf), "UInt64AddOperator", "what cannot be made changes nothing");
    let cf = set(&cf, "merge_operator={id=stringappend;delimiter=:}");
    assert_eq!(text(&cf), r"{id=StringAppendOperator;delimiter=\:;}");
    let cf = set(&cf, "merge_operator=StringAppendOperator");
    assert_eq!(text(&cf), r"{id=StringAppendOperator;delimiter=\:;}", "what is not said stays");
    let cf = set(&cf, "merge_operator={delimiter=|}");
    assert_eq!(text(&cf), "{id=StringAppendOperator;delimiter=|;}");
    let cf = set(&cf, "merge_operator=stringappendtest");
    assert_eq!(text(&cf), "{id=StringAppendTESTOperator;delimiter=,;}");
    assert_eq!(text(&set(&cf, "merge_operator=nullptr")), "nullptr");
    let error = cf.with_string("merge_operator={id=max;delimiter=,}").unwrap_err().to_string();
    assert_eq!(error, "Invalid argument: Could not find option: delimiter");
}
