use super::*;
use crate::base::sync::thread;
use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
use crate::env::file_system::read_file;
use crate::env::memory::MemoryFileSystem;
use crate::env::posix::PosixFileSystem;
use crate::log_at;

fn text(fs: &dyn FileSystem, path: &Path) -> String {
    String::from_utf8(read_file(fs, path, 1 << 30).unwrap()).unwrap()
}

fn memory() -> (Arc<dyn FileSystem>, PathBuf) {
    (Arc::new(MemoryFileSystem::new()), PathBuf::from("/db"))
}

fn old_logs(fs: &dyn FileSystem, dir: &Path) -> Vec<String> {
    let mut names = fs.list(dir).unwrap();
    names.retain(|name| name.contains("LOG.old"));
    names.sort();
    names
}

/// A line without its time and thread, whose form is checked.
fn message(line: &str) -> &str {
    let (time, rest) = line.split_once(' ').unwrap();
    let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000/00/00-00:00:00.000000", "{line}");
    let (thread, message) = rest.split_once(' ').unwrap();
    assert_eq!(thread, thread_id().to_string());
    message
}

/// An argument of a message that is not kept.
fn never() -> u8 {
    panic!("arguments of lost messages are evaluated")
}

#[test]
fn lines_look_as_in_rocksdb() {
    let dir = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(PosixFileSystem);
    let db = dir.path().join("db");
    let log = InfoLog::open(&fs, &db, InfoLogOptions::default()).unwrap();
    log_at!(log, Header, "DB summary");
    log_at!(log, Debug, "not kept: {}", never());
    log_at!(log, Info, "info {}", 1);
    log_at!(log, Warn, "careful\n");
    log.set_level(InfoLogLevel::Error);
    log_at!(log, Warn, "not kept");
    log.log(InfoLogLevel::Info, format_args!("not kept"));
    log_at!(log, Error, "two\nlines");
    log.set_level(InfoLogLevel::Debug);
    log_at!(log, Debug, "detail");
    let content = text(&*fs, &db.join("LOG"));
    let lines: Vec<_> = content.lines().collect();
    assert_eq!(message(lines[0]), "DB summary");
    assert_eq!(message(lines[1]), "info 1");
    assert_eq!(message(lines[2]), "[WARN] careful");
    assert_eq!((message(lines[3]), lines[4]), ("[ERROR] two", "lines"));
    assert_eq!(message(lines[5]), "[DEBUG] detail");
    assert_eq!(lines.len(), 6);
    assert!(content.ends_with('\n'));
    log.close().unwrap();
    log_at!(log, Fatal, "lost");
    assert_eq!(text(&*fs, &log.path()), content);
}

#[test]
fn long_lines_are_cut() {
    let (fs, db) = memory();
    let log = InfoLog::open(&fs, &db, InfoLogOptions::default()).unwrap();
    log_at!(log, Info, "{}", "é".repeat(100_000));
    log_at!(log, Info, "next");
    let content = text(&*fs, &db.join("LOG"));
    let lines: Vec<_> = content.lines().collect();
    assert!(lines[0].len() < MAX_LINE && lines[0].len() > MAX_LINE - 4);
    assert_eq!(message(lines[1]), "next");
}

#[test]
fn every_start_begins_a_new_file_and_keeps_some_old_ones() {
    let (fs, db) = memory();
    let options = InfoLogOptions { keep_log_file_num: 3, ..Default::default() };
    fs.create_dir(&db).unwrap();
    for name in ["LOG.old", "LOG.old.5", "LOG.old.40", "LOG.oldest", "other"] {
        fs.create(&db.join(name)).unwrap();
    }
    let log = InfoLog::open(&fs, &db, options.clone()).unwrap();
    assert_eq!(old_logs(&*fs, &db), ["LOG.old.40", "LOG.old.5", "LOG.oldest"]);
    for i in 0..5 {
        log_at!(log, Info, "start {i}");
        drop(InfoLog::open(&fs, &db, options.clone()).unwrap());
    }
    assert_eq!(text(&*fs, &db.join("LOG")), "");
    assert_eq!(old_logs(&*fs, &db).len(), 3);
    assert!(fs.exists(&db.join("other")).unwrap());
    let one = InfoLogOptions { keep_log_file_num: 0, ..Default::default() };
    InfoLog::open(&fs, &db, one).unwrap();
    assert_eq!(old_logs(&*fs, &db), ["LOG.oldest"]);
    assert!(fs.exists(&db.join("LOG")).unwrap());
}

#[test]
fn a_large_file_is_rolled_and_headers_are_repeated() {
    let (fs, db) = memory();
    let options = InfoLogOptions { max_log_file_size: 1000, ..Default::default() };
    let log = InfoLog::open(&fs, &db, options).unwrap();
    log_at!(log, Header, "the {}", "header");
    for i in 0..100 {
        log_at!(log, Info, "message {i:03}");
    }
    let old = old_logs(&*fs, &db);
    assert!(old.len() >= 3, "{old:?}");
    let mut messages = Vec::new();
    for name in old.iter().map(String::as_str).chain(["LOG"]) {
        let content = text(&*fs, &db.join(name));
        assert!(content.len() < 1100);
        let mut lines = content.lines().map(message);
        assert_eq!(lines.next(), Some("the header"));
        messages.extend(lines.map(str::to_string));
    }
    assert!(
        messages
            .iter()
            .map(String::as_str)
            .eq((0..100).map(|i| format!("message {i:03}")).collect::<Vec<_>>().iter())
    );
}

#[test]
fn an_old_file_is_rolled() {
    let (fs, db) = memory();
    let options = InfoLogOptions { log_file_time_to_roll: 10, ..Default::default() };
    let log = InfoLog::open(&fs, &db, options).unwrap();
    log_at!(log, Info, "a");
    assert!(old_logs(&*fs, &db).is_empty());
    log.state.lock().created -= 10_000_000;
    log_at!(log, Info, "b");
    log_at!(log, Info, "c");
    assert_eq!(old_logs(&*fs, &db).len(), 1);
    assert_eq!(text(&*fs, &db.join("LOG")).lines().map(message).collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn a_separate_folder_may_serve_several_databases() {
    let (fs, _) = memory();
    let options = InfoLogOptions {
        db_log_dir: Some(PathBuf::from("/logs")),
        keep_log_file_num: 2,
        ..Default::default()
    };
    for _ in 0..4 {
        for db in ["/a", "/b"] {
            InfoLog::open(&fs, Path::new(db), options.clone()).unwrap();
        }
    }
    let mut names = fs.list(Path::new("/logs")).unwrap();
    names.sort();
    assert_eq!(names.len(), 4);
    assert_eq!((names[0].as_str(), names[2].as_str()), ("a_LOG", "b_LOG"));
    assert!(names[1].starts_with("a_LOG.old.") && names[3].starts_with("b_LOG.old."));
}

#[test]
fn failures_lose_messages_and_nothing_else() {
    let faults = FaultFileSystem::new(Arc::new(MemoryFileSystem::new()));
    let fs: Arc<dyn FileSystem> = Arc::new(faults.clone());
    let options = InfoLogOptions { max_log_file_size: 100, ..Default::default() };
    let log = InfoLog::open(&fs, Path::new("/db"), options.clone()).unwrap();
    let id = faults.add(Rule::always(Operations::APPEND, "*", Fault::Error(libc::ENOSPC)));
    log_at!(log, Info, "lost");
    faults.remove(id);
    log_at!(log, Info, "{}", "x".repeat(100));
    assert_eq!(text(&*fs, &log.path()).lines().count(), 1);
    faults.add(Rule::always(Operations::ALL_WRITES, "*", Fault::Error(libc::EIO)));
    log_at!(log, Info, "lost");
    assert!(InfoLog::open(&fs, Path::new("/db"), options).is_err());
}

#[test]
fn threads_write_whole_lines() {
    let (fs, db) = memory();
    let log = InfoLog::open(&fs, &db, InfoLogOptions::default()).unwrap();
    let threads: Vec<_> = (0..4)
        .map(|t| {
            let log = Arc::clone(&log);
            thread::spawn(move || (0..200).for_each(|i| log_at!(log, Info, "{t}:{i}")))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let content = text(&*fs, &db.join("LOG"));
    let mut next = [0; 4];
    for line in content.lines() {
        let (thread, i) = line.rsplit(' ').next().unwrap().split_once(':').unwrap();
        let thread: usize = thread.parse().unwrap();
        assert_eq!(i.parse(), Ok(next[thread]));
        next[thread] += 1;
    }
    assert_eq!(next, [200; 4]);
}

#[test]
fn stderr_logger_has_levels() {
    let logger = Arc::new(StderrLogger::new(InfoLogLevel::Error, "prefix "));
    assert_eq!(logger.level(), InfoLogLevel::Error);
    logger.set_level(InfoLogLevel::Warn);
    log_at!(logger, Info, "{}", never());
    log_at!(logger, Warn, "a line on stderr");
}
