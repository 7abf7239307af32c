//! What the properties of a small database are, number by number and line by line.

use super::approximate::SizeApproximation;
use super::db_tests::TestDb;
use crate::base::sync::Arc;
use crate::options::text::Pairs;
use crate::options::{ReadOptions, WriteOptions};
use crate::stats::Statistics;

fn open() -> TestDb {
    let mut test = TestDb::new();
    test.try_open().unwrap();
    test
}

fn text(test: &TestDb, name: &str) -> String {
    test.db().property(test.family(0), name).unwrap_or_else(|| panic!("no {name}"))
}

fn number(test: &TestDb, name: &str) -> u64 {
    let name = format!("rocksdb.{name}");
    let number = test.db().property_number(test.family(0), &name);
    let number = number.unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(text(test, &name), number.to_string());
    number
}

fn delete(test: &TestDb, key: &str) {
    let options = WriteOptions::default();
    test.db().write_lone(&options, |batch| batch.delete(0, key.as_bytes())).unwrap();
}

#[test]
fn unknown_names_have_no_answer() {
    let test = open();
    let db = test.db();
    for name in [
        "",
        "rocksdb.",
        "rocksdb.none",
        "stats",
        "rocksdb.num-files-at-level",
        "rocksdb.num-files-at-level7",
        "rocksdb.num-files-at-level-1",
        "rocksdb.options-statistics",
    ] {
        assert_eq!(db.property(test.family(0), name), None, "{name}");
    }
    assert_eq!(db.property_number(test.family(0), "rocksdb.stats"), None);
    // Digits behind a name that takes none are ignored, as in RocksDB.
    assert_eq!(db.property_number(test.family(0), "rocksdb.num-snapshots77"), Some(0));
}

#[test]
fn memtables_are_counted() {
    let test = open();
    for key in ["a", "b", "c"] {
        test.put(key, "value").unwrap();
    }
    delete(&test, "b");
    assert_eq!(number(&test, "num-running-compaction-sorted-runs"), 0);
    assert_eq!(number(&test, "num-entries-active-mem-table"), 4);
    assert_eq!(number(&test, "num-deletes-active-mem-table"), 1);
    assert_eq!(number(&test, "estimate-num-keys"), 2);
    assert!(number(&test, "cur-size-active-mem-table") > 100);
    let before = number(&test, "current-super-version-number");
    test.flush();
    // One for the new memtable, one for the table.
    assert_eq!(number(&test, "current-super-version-number"), before + 2);
    for name in [
        "num-entries-active-mem-table",
        "num-deletes-active-mem-table",
        "num-immutable-mem-table",
        "num-entries-imm-mem-tables",
        "num-deletes-imm-mem-tables",
        "mem-table-flush-pending",
        "num-immutable-mem-table-flushed",
        "is-write-stopped",
        "background-errors",
    ] {
        assert_eq!(number(&test, name), 0, "{name}");
    }
    // The job ends a moment after its flush.
    while number(&test, "num-running-flushes") > 0 {
        std::thread::yield_now();
    }
    // Of the records of "b" the deletion alone is left.
    assert_eq!(number(&test, "estimate-num-keys"), 1);
    assert_eq!(number(&test, "cur-size-all-mem-tables"), number(&test, "size-all-mem-tables"));
}

#[test]
fn tables_are_counted() {
    let test = open();
    test.put("a", "1").unwrap();
    test.put("z", "1").unwrap();
    test.flush();
    let old = test.db().iter(test.family(0), &ReadOptions::default()).unwrap();
    test.put("m", "2").unwrap();
    test.flush();
    let version = test.family(0).pin().version.clone();
    let sizes: Vec<u64> = version.files(0).iter().map(|file| file.file_size).collect();
    assert_eq!(text(&test, "rocksdb.num-files-at-level0"), "2");
    assert_eq!(text(&test, "rocksdb.num-files-at-level6"), "0");
    let all = sizes.iter().sum::<u64>();
    assert_eq!(number(&test, "live-sst-files-size"), all);
    assert_eq!(number(&test, "total-sst-files-size"), all);
    assert_eq!(text(&test, "rocksdb.live-sst-files-size-at-temperature0"), all.to_string());
    assert_eq!(text(&test, "rocksdb.live-sst-files-size-at-temperature4"), "0");
    // The newer table lies within the older one, so one of them is left out.
    assert!(sizes.contains(&number(&test, "estimate-live-data-size")));
    assert_eq!(number(&test, "num-live-versions"), 2);
    drop((old, version));
    // The job that flushed may hold an old one for a moment.
    while number(&test, "num-live-versions") > 1 {
        std::thread::yield_now();
    }
    assert_eq!(number(&test, "obsolete-sst-files-size"), 0);
    assert_eq!(number(&test, "min-obsolete-sst-number-to-keep"), u64::MAX);
    assert!(number(&test, "min-log-number-to-keep") > 0);
    test.get("m");
    test.get("a");
    assert!(number(&test, "estimate-table-readers-mem") > 0);
    let ratio: f64 = text(&test, "rocksdb.compression-ratio-at-level0").parse().unwrap();
    assert!(ratio > 0.0 && ratio < 1.0, "{ratio}");
    assert_eq!(text(&test, "rocksdb.compression-ratio-at-level1"), "-1.000000");
    let sum = text(&test, "rocksdb.aggregated-table-properties");
    assert!(sum.starts_with("# data blocks=2; # data blocks compression rejected="), "{sum}");
    assert!(sum.contains("; # entries=3; # deletions=0; # merge operands=0; "), "{sum}");
    assert!(sum.contains("; raw key size=27; raw average key size=9.000000; "), "{sum}");
    assert!(sum.contains("; column family ID=N/A; column family name=N/A; "), "{sum}");
    assert_eq!(text(&test, "rocksdb.aggregated-table-properties-at-level0"), sum);
    let none = text(&test, "rocksdb.aggregated-table-properties-at-level1");
    assert!(none.contains("; # entries=0; "), "{none}");
    for name in [
        "num-blob-files",
        "total-blob-file-size",
        "live-blob-file-size",
        "live-blob-file-garbage-size",
    ] {
        assert_eq!(number(&test, name), 0, "{name}");
    }
    let blobs = "Number of blob files: 0\nTotal size of blob files: 0\nTotal size of garbage in \
        blob files: 0\nBlob file space amplification: 0\n";
    assert_eq!(text(&test, "rocksdb.blob-stats"), blobs);
}

#[test]
fn compactions_that_are_due_are_told() {
    let mut test = TestDb::new();
    test.cf.disable_auto_compactions = true;
    test.try_open().unwrap();
    assert_eq!(number(&test, "compaction-pending"), 0);
    assert_eq!(number(&test, "base-level"), 6);
    for i in 0..4 {
        test.put(&i.to_string(), "value").unwrap();
        test.flush();
    }
    assert_eq!(number(&test, "compaction-pending"), 1);
    assert!(text(&test, "rocksdb.cfstats").contains("\n  L0      4/0 "));
    let pending = number(&test, "estimate-pending-compaction-bytes");
    let told = format!("\nEstimated pending compaction bytes: {pending}\n");
    assert!(text(&test, "rocksdb.cfstats").contains(&told));
}

#[test]
fn compactions_that_are_due_go_by_the_options_of_now() {
    let mut test = TestDb::new();
    test.cf.disable_auto_compactions = true;
    test.cf.level_compaction_dynamic_level_bytes = false;
    test.try_open().unwrap();
    for i in 0..4 {
        test.put(&i.to_string(), "value").unwrap();
        test.flush();
    }
    assert!(number(&test, "estimate-pending-compaction-bytes") > 0);
    let set = |text: &str| {
        test.db().set_options(test.family(0), &Pairs::parse(text).unwrap()).unwrap();
    };
    set("level0_file_num_compaction_trigger=20");
    assert_eq!(number(&test, "estimate-pending-compaction-bytes"), 0);
    assert_eq!(number(&test, "compaction-pending"), 0);
    set("max_bytes_for_level_base=1");
    assert_eq!(number(&test, "compaction-pending"), 1);
}

#[test]
fn snapshots_and_deletions_of_files() {
    let test = open();
    assert_eq!(number(&test, "num-snapshots"), 0);
    assert_eq!(number(&test, "oldest-snapshot-time"), 0);
    assert_eq!(number(&test, "oldest-snapshot-sequence"), 0);
    test.put("a", "1").unwrap();
    let first = test.db().snapshot();
    test.put("a", "2").unwrap();
    let second = test.db().snapshot();
    assert_eq!(number(&test, "num-snapshots"), 2);
    assert_eq!(number(&test, "oldest-snapshot-sequence"), 1);
    assert!(number(&test, "oldest-snapshot-time") > 1_600_000_000);
    test.db().release_snapshot(first);
    assert_eq!(number(&test, "oldest-snapshot-sequence"), 2);
    test.db().release_snapshot(second);
    assert_eq!(number(&test, "is-file-deletions-enabled"), 1);
    test.db().disable_file_deletions().unwrap();
    assert_eq!(number(&test, "is-file-deletions-enabled"), 0);
}

#[test]
fn the_block_cache_is_that_of_the_tables() {
    let test = open();
    assert_eq!(number(&test, "block-cache-capacity"), 32 << 20);
    let empty = number(&test, "block-cache-usage");
    test.put("a", "1").unwrap();
    test.flush();
    test.get("a");
    assert!(number(&test, "block-cache-usage") > empty);
    assert_eq!(number(&test, "block-cache-pinned-usage"), 0);
}

#[test]
fn level_stats_have_a_line_for_each_level() {
    let test = open();
    test.put("a", "1").unwrap();
    test.flush();
    let mut expected =
        "Level Files Size(MB)\n--------------------\n  0        1        0\n".to_string();
    (1..7).for_each(|level| expected += &format!("  {level}        0        0\n"));
    assert_eq!(text(&test, "rocksdb.levelstats"), expected);
}

#[test]
fn sstables_shows_every_table() {
    let test = open();
    test.put("a", "1").unwrap();
    delete(&test, "b");
    test.flush();
    let version = test.family(0).pin().version.clone();
    let file = &version.files(0)[0];
    let (number, size) = (file.number, file.file_size);
    let shown = text(&test, "rocksdb.sstables");
    let (first, rest) = shown.split_once(" ---\n").unwrap();
    let (_, version) = first.split_once("--- level 0 --- version# ").unwrap();
    let expected =
        format!(" {number}:{size}[1 .. 2]['61' seq:1, type:1 .. '62' seq:2, type:0](0)\n");
    assert!(rest.starts_with(&expected), "{shown}");
    let last = format!("--- level 6 --- version# {version} ---\n");
    assert!(rest.ends_with(&last), "{shown}");
}

#[test]
fn stats_have_rocksdbs_form() {
    let test = open();
    test.put("a", "1").unwrap();
    test.flush();
    let cf = text(&test, "rocksdb.cfstats");
    let lines: Vec<&str> = cf.lines().collect();
    let header = "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) \
        WPreComp(GB) Wnew(GB) Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) \
        Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) Wblob(GB)";
    assert_eq!(lines[..3], ["", "** Compaction Stats [default] **", header]);
    assert_eq!(lines[3], "-".repeat(header.len() + 1));
    let size = test.family(0).pin().version.bytes() as f64 / 1024.0;
    let start = format!("  L0      1/0   {:>10} ", format!("{size:.2} KB"));
    assert!(lines[4].starts_with(&start), "{cf}");
    assert!(
        lines[4]
            .contains("      0.0     0.0      0.0       0.0       0.0      0.0       0.0   1.0 ")
    );
    assert!(
        lines[4].ends_with("         1    0.000       0      0       0.0       0.0")
            || cf.contains("        1 ")
    );
    assert_eq!(lines[4].len(), lines[5].len());
    assert!(lines[5].starts_with(" Sum      1/0 "));
    assert!(lines[6].starts_with(" Int      0/0      0.00 KB   0.0 "));
    assert_eq!(lines[7..9], ["", "** Compaction Stats [default] **"]);
    assert!(lines[9].starts_with("Priority    Files   Size "));
    assert!(lines[11].starts_with("High      0/0      0.00 KB   0.0 "), "{cf}");
    let rest = &lines[12..];
    assert_eq!(
        rest[1],
        "Blob file count: 0, total size: 0.0 GB, garbage size: 0.0 GB, space amp: 0.0"
    );
    assert!(rest[3].starts_with("Uptime(secs): "));
    assert_eq!(rest[4], "Flush(GB): cumulative 0.000, interval 0.000");
    assert_eq!(rest[8], "AddFile(Keys): cumulative 0, interval 0");
    assert!(rest[9].starts_with("Cumulative compaction: 0.00 GB write, "));
    assert!(rest[10].starts_with("Interval compaction: 0.00 GB write, "));
    assert_eq!(rest[11], "Estimated pending compaction bytes: 0");
    let db = text(&test, "rocksdb.dbstats");
    let lines: Vec<&str> = db.lines().collect();
    assert_eq!(lines[..2], ["", "** DB Stats **"]);
    assert!(lines[3].starts_with(
        "Cumulative writes: 1 writes, 1 keys, 1 commit groups, 1.0 writes per commit group, \
         ingest: 0.00 GB, "
    ));
    assert!(
        lines[4].starts_with("Cumulative WAL: 1 writes, 0 syncs, 1.00 writes per sync, written: ")
    );
    assert_eq!(lines[5], "Cumulative stall: 00:00:0.000 H:M:S, 0.0 percent");
    assert!(lines[6].starts_with("Interval writes: 1 writes, 1 keys, 1 commit groups, "));
    assert_eq!(lines[9], "Write Stall (count): write-buffer-manager-limit-stops: 0");
    // The interval began with the last call.
    let again = text(&test, "rocksdb.dbstats");
    assert!(again.contains("Interval writes: 0 writes, 0 keys, 0 commit groups, 0.0 writes per"));
    let stalls = "Write Stall (count): cf-l0-file-count-limit-delays-with-ongoing-compaction: 0, \
        cf-l0-file-count-limit-stops-with-ongoing-compaction: 0, l0-file-count-limit-delays: 0, \
        l0-file-count-limit-stops: 0, memtable-limit-delays: 0, memtable-limit-stops: 0, \
        pending-compaction-bytes-delays: 0, pending-compaction-bytes-stops: 0, total-delays: 0, \
        total-stops: 0\n";
    assert_eq!(text(&test, "rocksdb.cf-write-stall-stats"), stalls);
    let all = text(&test, "rocksdb.stats");
    assert!(all.contains("** Compaction Stats [default] **") && all.contains("** DB Stats **"));
    assert!(all.contains("\n** File Read Latency Histogram By Level [default] **\n"));
}

#[test]
fn statistics_are_a_property() {
    let mut test = TestDb::new();
    let stats = Arc::new(Statistics::default());
    test.db.statistics = Some(stats.clone());
    test.try_open().unwrap();
    test.put("a", "1").unwrap();
    assert_eq!(text(&test, "rocksdb.options-statistics"), stats.to_string());
}

#[test]
fn sizes_of_ranges_are_about_right() {
    let test = open();
    let value = "x".repeat(1000);
    for i in 0..100 {
        test.put(&format!("{i:03}"), &value).unwrap();
    }
    let sizes = |options: &SizeApproximation| {
        let ranges =
            [&b"000"[..]..&b"100"[..], b"000"..b"050", b"050"..b"100", b"x"..b"z", b"9"..b"1"];
        test.db().approximate_sizes(test.family(0), options, &ranges).unwrap()
    };
    let memtables =
        SizeApproximation { include_memtables: true, include_files: false, ..Default::default() };
    let near = |size: u64, expected: u64| size * 10 >= expected * 8 && size * 10 <= expected * 12;
    // Some may have been flushed meanwhile.
    let both = SizeApproximation { include_memtables: true, ..Default::default() };
    assert!(sizes(&both)[0] > 0);
    test.flush();
    assert_eq!(sizes(&memtables), [0; 5]);
    let in_files = sizes(&SizeApproximation::default());
    let all = test.family(0).pin().version.bytes();
    assert!(near(in_files[0], all), "{in_files:?} of {all}");
    assert!(near(in_files[1], all / 2) || in_files[1] + in_files[2] == in_files[0], "{in_files:?}");
    assert_eq!(in_files[3..], [0, 0]);
    let none = SizeApproximation { include_files: false, ..Default::default() };
    let error = test.db().approximate_sizes(test.family(0), &none, &[]).unwrap_err();
    assert_eq!(error.to_string(), "Invalid argument: Invalid options");
}
