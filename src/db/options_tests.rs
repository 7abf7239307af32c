//! Options that are given at open, by what can be seen of them.

use super::db_tests::TestDb;
use crate::base::status::Code;
use crate::base::sync::{Arc, Ordering, thread};
use crate::batch::WriteBatch;
use crate::codec::CompressionType;
use crate::env::Env;
use crate::env::file_system::Access;
use crate::options::compact::CompactRangeOptions;
use crate::options::enums::{BottommostLevelCompaction, Temperature};
use crate::options::text::Pairs;
use crate::options::{BlockBasedTableOptions, DbPath, ReadOptions, TableFactory, WriteOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn fill(test: &TestDb, round: usize) {
    for i in 0..300 {
        test.put(&format!("{i:04}"), &format!("{round} {}", "v".repeat(i * 3))).unwrap();
    }
    test.flush();
}

/// Everything is read back, from tables whose blocks are in no cache.
fn check(test: &TestDb, round: usize) {
    for i in 0..300 {
        let expected = format!("{round} {}", "v".repeat(i * 3));
        assert!(test.get(&format!("{i:04}")) == Some(expected), "{i}");
    }
    assert_eq!(test.contents(0).len(), 300);
}

#[test]
fn tables_are_written_and_read_in_every_way() {
    // Where the program is, since folders for temporary files may be of a kind that knows no
    // `O_DIRECT`.
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let ways =
        [(true, false, false, false), (false, true, false, false), (false, false, true, true)];
    let probe = Env::default().fs().create_as(&folder.path().join("probe"), Access::Direct);
    let is_direct = probe.is_ok();
    if !is_direct {
        println!("skipped in part: no O_DIRECT in {}", folder.path().display());
    }
    let usable = ways.into_iter().enumerate().filter(|(_, way)| is_direct || way.2);
    for (at, (reads, writes, mapped_reads, mapped_writes)) in usable {
        let mut test = TestDb::new();
        test.db.env = Env::default();
        test.path = folder.path().join(format!("{at}"));
        test.db.use_direct_reads = reads;
        test.db.use_direct_io_for_flush_and_compaction = writes;
        test.db.allow_mmap_reads = mapped_reads;
        test.db.allow_mmap_writes = mapped_writes;
        test.cf.write_buffer_size = 4 << 20;
        test.cf.compression = CompressionType::None;
        test.cf.table_factory = TableFactory::BlockBased(Arc::new(BlockBasedTableOptions {
            no_block_cache: true,
            ..BlockBasedTableOptions::default()
        }));
        test.try_open().unwrap();
        fill(&test, 1);
        check(&test, 1);
        fill(&test, 2);
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        test.db().compact_range(test.family(0), &options, None, None).unwrap();
        check(&test, 2);
        test.reopen();
        check(&test, 2);
        // And read in the usual way.
        (test.db.use_direct_reads, test.db.allow_mmap_reads) = (false, false);
        test.reopen();
        check(&test, 2);
        test.close();
    }
}

#[test]
fn temperatures_are_noted_with_the_tables() {
    let mut test = TestDb::new();
    test.cf.default_write_temperature = Temperature::Hot;
    test.cf.last_level_temperature = Temperature::Cold;
    test.cf.disable_auto_compactions = true;
    test.try_open().unwrap();
    let temperatures = |test: &TestDb| {
        let version = test.family(0).persistent.current();
        version.all_files().map(|(_, file)| i32::from(file.temperature)).collect::<Vec<_>>()
    };
    fill(&test, 1);
    assert!(temperatures(&test).iter().all(|t| *t == Temperature::Hot as i32));
    assert!(!temperatures(&test).is_empty());
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    test.db().compact_range(test.family(0), &options, None, None).unwrap();
    assert!(temperatures(&test).iter().all(|t| *t == Temperature::Cold as i32));
    test.reopen();
    assert!(temperatures(&test).iter().all(|t| *t == Temperature::Cold as i32));
    let change = Pairs::parse("default_write_temperature=kWarm").unwrap();
    test.db().set_options(test.family(0), &change).unwrap();
    fill(&test, 2);
    assert!(temperatures(&test).contains(&(Temperature::Warm as i32)));
}

#[test]
fn a_column_family_may_take_no_writes() {
    let mut test = TestDb::new();
    test.cf.disallow_memtable_writes = true;
    let error = test.try_open().unwrap_err().to_string();
    assert!(error.contains("Default column family cannot use disallow_memtable_writes"), "{error}");
    test.cf.disallow_memtable_writes = false;
    test.try_open().unwrap();
    let options = crate::options::CfOptions { disallow_memtable_writes: true, ..test.cf.clone() };
    let asked = super::FamilyOptions { name: b"closed".to_vec(), options };
    let closed = test.db().create_family(asked).unwrap();
    let mut batch = WriteBatch::new();
    batch.put(0, b"a", b"1").unwrap();
    batch.put(closed.id(), b"a", b"1").unwrap();
    let error = test.db().write(&WriteOptions::default(), &mut batch).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.text(), "This column family has disallow_memtable_writes=true");
    // All or none.
    assert_eq!(test.get("a"), None);
    test.put("a", "1").unwrap();
    assert_eq!(test.get("a").as_deref(), Some("1"));
}

#[test]
fn files_are_removed_where_the_options_say() {
    for in_background in [false, true] {
        let mut test = TestDb::new();
        test.db.avoid_unnecessary_blocking_io = in_background;
        test.cf.disable_auto_compactions = true;
        test.names = vec!["default", "other"];
        test.try_open().unwrap();
        fill(&test, 1);
        let db = test.db().clone();
        let mut iter = db.iter(test.family(0), &ReadOptions::default()).unwrap();
        iter.seek_to_first();
        let file = test.family(0).persistent.current().all_files().next().unwrap().1.number;
        let path = crate::env::names::table_file_name(&test.path, file);
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        db.compact_range(test.family(0), &options, None, None).unwrap();
        let exists = || test.db.env.fs().exists(&path).unwrap();
        assert!(exists());
        // No job can run, so that only this thread can remove it.
        let threads = db.env().background_threads(crate::env::pool::Priority::High);
        db.env().set_background_threads(0, crate::env::pool::Priority::High);
        db.end_iter(iter, &ReadOptions::default());
        assert_eq!(exists(), in_background);
        db.env().set_background_threads(threads, crate::env::pool::Priority::High);
        let start = Instant::now();
        while exists() {
            assert!(start.elapsed().as_secs() < 60);
            thread::sleep(Duration::from_millis(5));
        }
        test.db().drop_family(test.family(1)).unwrap();
        test.close();
    }
}

#[test]
fn the_manifest_grows_as_far_as_the_options_let_it() {
    let number = |test: &TestDb| test.db().state.lock().versions.manifest_number();
    let rewritten = |percent: i32| {
        let mut test = TestDb::new();
        test.db.max_manifest_file_size = 1;
        test.db.max_manifest_space_amp_pct = percent;
        test.try_open().unwrap();
        let first = number(&test);
        for i in 0..6 {
            test.put(&format!("{i}"), "v").unwrap();
            test.flush();
        }
        let grown = number(&test) != first;
        if !grown {
            let change = Pairs::parse("max_manifest_space_amp_pct=0").unwrap();
            test.db().set_db_options(&change).unwrap();
            test.put("a", "v").unwrap();
            test.flush();
            assert!(number(&test) != first);
        }
        test.reopen();
        grown
    };
    assert!(rewritten(0) && rewritten(-5));
    assert!(!rewritten(100_000));
}

#[test]
fn writers_that_do_not_spin_and_a_mutex_that_does_change_nothing_else() {
    for (yields, max, slow) in [(false, 100, 3), (true, 0, 3), (true, 1_000_000, 0)] {
        let mut test = TestDb::new();
        test.db.enable_write_thread_adaptive_yield = yields;
        test.db.write_thread_max_yield_usec = max;
        test.db.write_thread_slow_yield_usec = slow;
        test.db.use_adaptive_mutex = true;
        test.try_open().unwrap();
        let db = test.db().clone();
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let db = Arc::clone(&db);
                thread::spawn(move || {
                    for i in 0..200 {
                        let key = format!("{writer} {i}");
                        let fill = |batch: &mut WriteBatch| batch.put(0, key.as_bytes(), b"v");
                        db.write_lone(&WriteOptions::default(), fill).unwrap();
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        assert_eq!(test.contents(0).len(), 800);
        assert!(!db.any_unwritable.load(Ordering::Relaxed));
    }
}

#[test]
fn writes_that_overlap_are_as_good_as_others() {
    for (pipelined, unordered, recycled) in [(true, false, 0), (false, true, 2)] {
        let mut test = TestDb::new();
        test.db.enable_pipelined_write = pipelined;
        test.db.unordered_write = unordered;
        test.db.recycle_log_file_num = recycled;
        test.names = vec!["default", "other"];
        test.try_open().unwrap();
        assert!(test.db().pipelined);
        let other = test.family(1).id();
        let db = test.db().clone();
        let families = [test.family(0).clone(), test.family(1).clone()];
        thread::scope(|scope| {
            for writer in 0..4 {
                let (db, families) = (&db, &families);
                scope.spawn(move || {
                    for i in 0..400 {
                        let key = format!("{writer} {i:04}");
                        let value = "v".repeat(300);
                        let mut batch = WriteBatch::new();
                        batch.put(0, key.as_bytes(), value.as_bytes()).unwrap();
                        batch.put(other, key.as_bytes(), value.as_bytes()).unwrap();
                        let sync = i % 50 == 0;
                        let options = WriteOptions { sync, ..WriteOptions::default() };
                        db.write(&options, &mut batch).unwrap();
                        // One's own write is there, and a snapshot has it in both or in none.
                        let snapshot = Arc::new(db.snapshot());
                        let count = |family| {
                            let options = ReadOptions {
                                snapshot: Some(snapshot.sequence()),
                                ..ReadOptions::default()
                            };
                            let mut iter = db.iter(family, &options).unwrap();
                            let mut count = 0;
                            iter.seek(format!("{writer} ").as_bytes());
                            while iter.valid() && iter.key().starts_with(&key.as_bytes()[..2]) {
                                count += 1;
                                iter.next();
                            }
                            count
                        };
                        if i % 40 == 0 {
                            assert_eq!(count(&families[0]), i + 1);
                            assert_eq!(count(&families[1]), i + 1);
                        }
                        if let Ok(snapshot) = Arc::try_unwrap(snapshot) {
                            db.release_snapshot(snapshot);
                        }
                        if i % 100 == 50 {
                            db.flush(families, &crate::options::FlushOptions::default()).unwrap();
                        }
                    }
                });
            }
        });
        drop((db, families));
        for _ in 0..2 {
            assert_eq!(test.contents(0).len(), 1600);
            assert_eq!(test.contents(1).len(), 1600);
            test.reopen();
        }
    }
}

/// The folders that hold tables, by the number of them.
fn folders(test: &TestDb) -> BTreeMap<PathBuf, usize> {
    let mut folders = BTreeMap::new();
    for table in test.db().live_tables() {
        let path = table.directory.join(&table.file_name);
        assert!(test.db.env.fs().exists(&path).unwrap(), "{}", path.display());
        *folders.entry(table.directory).or_default() += 1;
    }
    folders
}

fn db_path(path: &str, target_size: u64) -> DbPath {
    DbPath { path: path.into(), target_size }
}

#[test]
fn tables_are_laid_into_several_folders() {
    let mut test = TestDb::new();
    test.db.db_paths =
        vec![db_path("/fast", 300 << 10), db_path("/slow", 10 << 20), db_path("/rest", 0)];
    test.cf.max_bytes_for_level_base = 100 << 10;
    test.cf.compression = CompressionType::None;
    test.cf.disable_auto_compactions = true;
    test.try_open().unwrap();
    fill(&test, 1);
    assert_eq!(folders(&test).into_keys().collect::<Vec<_>>(), [PathBuf::from("/fast")]);
    // Levels 2 and 3 have no room in the first folder.
    test.cf.disable_auto_compactions = false;
    test.reopen();
    let fill_all = |test: &TestDb| {
        for round in 2..6 {
            fill(test, round);
            let options = crate::options::compact::WaitForCompactOptions::default();
            test.db().wait_for_compact(&options).unwrap();
        }
    };
    fill_all(&test);
    let paths = folders(&test);
    assert!(paths.contains_key(Path::new("/slow")), "{paths:?}");
    let by_level: Vec<(usize, PathBuf)> =
        test.db().live_tables().into_iter().map(|t| (t.level, t.directory)).collect();
    for (level, directory) in by_level {
        assert_eq!(directory, Path::new(if level < 2 { "/fast" } else { "/slow" }), "{level}");
    }
    check(&test, 5);
    test.reopen();
    check(&test, 5);
    // By hand, to a folder of one's choice.
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        target_path_id: 2,
        ..CompactRangeOptions::default()
    };
    test.db().compact_range(test.family(0), &options, None, None).unwrap();
    assert_eq!(folders(&test).into_keys().collect::<Vec<_>>(), [PathBuf::from("/rest")]);
    let wrong = CompactRangeOptions { target_path_id: 3, ..options };
    let error = test.db().compact_range(test.family(0), &wrong, None, None).unwrap_err();
    assert_eq!(error.to_string(), "Invalid argument: Invalid target path ID");
    let names: Vec<String> = test.db().live_tables().into_iter().map(|t| t.file_name).collect();
    let level = test.db().live_tables()[0].level as i32;
    let options = crate::options::compact::CompactFilesOptions::default();
    let compact = |path| test.db().compact_files(test.family(0), &options, &names, level, path);
    assert!(compact(3).unwrap_err().to_string().contains("Invalid output path ID"));
    assert!(compact(-1).unwrap_err().to_string().contains("Automatic output path selection"));
    let outputs = compact(1).unwrap();
    assert!(outputs.iter().all(|path| path.starts_with("/slow")), "{outputs:?}");
    // What is obsolete goes, wherever it lies.
    let live: usize = folders(&test).values().sum();
    let start = Instant::now();
    let there = || {
        let list = |dir: &str| test.db.env.fs().list(Path::new(dir)).unwrap();
        ["/fast", "/slow", "/rest"].iter().map(|dir| list(dir).len()).sum::<usize>()
    };
    while there() > live {
        assert!(start.elapsed().as_secs() < 60);
        thread::sleep(Duration::from_millis(5));
    }
    check(&test, 5);
    // So does what an earlier process left.
    let fs = test.db.env.fs().clone();
    crate::env::file_system::write_file(&*fs, Path::new("/slow/000002.sst"), b"x", false).unwrap();
    test.reopen();
    assert!(!fs.exists(Path::new("/slow/000002.sst")).unwrap());
    check(&test, 5);
    test.close();
    super::destroy::destroy(&test.db, &test.path).unwrap();
    for dir in ["/fast", "/slow", "/rest", "/db"] {
        assert!(!fs.exists(Path::new(dir)).unwrap(), "{dir}");
    }
}

#[test]
fn a_column_family_may_have_folders_of_its_own() {
    let mut test = TestDb::new();
    test.try_open().unwrap();
    let cf_paths = vec![db_path("/own", 0)];
    let options = crate::options::CfOptions { cf_paths, ..test.cf.clone() };
    let asked = super::FamilyOptions { name: b"other".to_vec(), options };
    let other = test.db().create_family(asked).unwrap();
    let mut batch = WriteBatch::new();
    batch.put(other.id(), b"a", b"1").unwrap();
    batch.put(0, b"a", b"1").unwrap();
    test.db().write(&WriteOptions::default(), &mut batch).unwrap();
    let both = [test.family(0).clone(), other.clone()];
    test.db().flush(&both, &crate::options::FlushOptions::default()).unwrap();
    let expected = [(PathBuf::from("/db"), 1), (PathBuf::from("/own"), 1)];
    assert_eq!(folders(&test).into_iter().collect::<Vec<_>>(), expected);
    test.db().drop_family(&other).unwrap();
    drop((other, both));
    let start = Instant::now();
    while !test.db.env.fs().list(Path::new("/own")).unwrap().is_empty() {
        test.db().remove_obsolete_files();
        assert!(start.elapsed().as_secs() < 60);
        thread::sleep(Duration::from_millis(5));
    }
    test.db.db_paths = (0..5).map(|_| db_path("/own", 0)).collect();
    test.close();
    assert!(test.try_open().unwrap_err().to_string().contains("More than four DB paths"));
}

#[test]
fn tables_are_opened_after_the_database() {
    let mut test = TestDb::new();
    test.db.skip_stats_update_on_db_open = true;
    test.cf.disable_auto_compactions = true;
    test.try_open().unwrap();
    for round in 0..3 {
        fill(&test, round);
    }
    let files = |test: &TestDb| {
        let version = test.family(0).persistent.current();
        version.all_files().map(|(_, file)| file.clone()).collect::<Vec<_>>()
    };
    let damaged = crate::env::names::table_file_name(&test.path, files(&test)[0].number);
    test.close();
    let fs = test.db.env.fs().clone();
    let content = crate::env::file_system::read_file(&*fs, &damaged, 1 << 20).unwrap();
    crate::env::file_system::write_file(&*fs, &damaged, b"damage", false).unwrap();
    assert!(test.try_open().is_err());
    // Nobody waits for the tables, and so nobody learns of that.
    test.db.open_files_async = true;
    test.reopen();
    let start = Instant::now();
    while files(&test)[1..].iter().any(|file| file.reader().is_none()) {
        assert!(start.elapsed().as_secs() < 60);
        thread::sleep(Duration::from_millis(5));
    }
    test.close();
    crate::env::file_system::write_file(&*fs, &damaged, &content, false).unwrap();
    test.try_open().unwrap();
    check(&test, 2);
}

#[test]
fn a_damaged_manifest_is_written_anew_at_close() {
    for (wanted, damage) in [(true, false), (true, true), (false, true)] {
        let mut test = TestDb::new();
        test.db.verify_manifest_content_on_close = wanted;
        test.try_open().unwrap();
        fill(&test, 1);
        let number = test.db().state.lock().versions.manifest_number();
        let path = crate::env::names::descriptor_file_name(&test.path, number);
        let fs = test.db.env.fs().clone();
        let mut bytes = crate::env::file_system::read_file(&*fs, &path, 1 << 20).unwrap();
        let middle = bytes.len() / 2;
        if damage {
            bytes[middle] ^= 1;
            crate::env::file_system::write_file(&*fs, &path, &bytes, false).unwrap();
        }
        test.close();
        let opened = test.try_open();
        assert_eq!(opened.is_ok(), wanted, "{opened:?}");
        if wanted {
            check(&test, 1);
            // The next opening starts a new one in any case; another one was there before if so.
            let newest = test.db().state.lock().versions.manifest_number();
            assert!(newest > number + u64::from(damage));
        }
    }
}

#[test]
fn memtables_may_lie_on_huge_pages() {
    let mut test = TestDb::new();
    test.cf.memtable_huge_page_size = 2 << 20;
    test.cf.write_buffer_size = 8 << 20;
    test.try_open().unwrap();
    fill(&test, 1);
    check(&test, 1);
    let memory = || test.family(0).super_version.load().mem.memory_usage();
    test.put("a", "1").unwrap();
    // One page.
    assert_eq!(memory(), 2 << 20);
    assert_eq!(test.get("a").as_deref(), Some("1"));
}

#[test]
fn the_files_of_a_database_may_be_inherited() {
    let folder = tempfile::tempdir().unwrap();
    // The flags of the descriptors of its files, of which the process has many others.
    let flags = || {
        let mut flags = Vec::new();
        for entry in std::fs::read_dir("/proc/self/fd").unwrap().flatten() {
            let Ok(target) = std::fs::read_link(entry.path()) else { continue };
            if target.starts_with(folder.path()) {
                let name = entry.file_name();
                let info = Path::new("/proc/self/fdinfo").join(name);
                let Ok(info) = std::fs::read_to_string(info) else { continue };
                let line = info.lines().find(|line| line.starts_with("flags:")).unwrap();
                let octal = line.trim_start_matches("flags:").trim();
                flags.push(u32::from_str_radix(octal, 8).unwrap());
            }
        }
        flags
    };
    const CLOSED: u32 = 0o2_000_000;
    for closes in [true, false] {
        let mut test = TestDb::new();
        test.db.env = Env::default();
        test.path = folder.path().join(format!("{closes}"));
        test.db.is_fd_close_on_exec = closes;
        test.try_open().unwrap();
        fill(&test, 1);
        check(&test, 1);
        let flags = flags();
        assert!(flags.len() > 3, "{flags:?}");
        assert!(flags.iter().all(|flags| (flags & CLOSED != 0) == closes), "{flags:?}");
        test.close();
    }
}

#[test]
fn compactions_may_read_in_a_way_of_their_own() {
    use crate::version::table_cache::TableRef;
    for direct in [false, true] {
        let mut test = TestDb::new();
        test.db.use_direct_io_for_compaction_reads = direct;
        test.cf.disable_auto_compactions = true;
        test.try_open().unwrap();
        fill(&test, 1);
        fill(&test, 2);
        let version = test.family(0).persistent.current();
        let (_, file) = version.all_files().next().unwrap();
        let tables = &test.family(0).tables;
        assert_eq!(tables.options().access, Access::Buffered);
        let wanted = if direct { Access::Direct } else { Access::Buffered };
        assert_eq!(tables.options().compaction_access, wanted);
        // One that was opened for it alone.
        let input = tables.get_input(file).unwrap();
        assert_eq!(matches!(input, TableRef::Counted(_)), direct);
        assert_eq!(Arc::ptr_eq(&input, &tables.get(file).unwrap()), !direct);
        drop(input);
        drop(version);
        let options = CompactRangeOptions::default();
        test.db().compact_range(test.family(0), &options, None, None).unwrap();
        check(&test, 2);
    }
}
