use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::env::file_system::{read_file, write_file};
use crate::env::memory::MemoryFileSystem;

fn new() -> FaultFileSystem {
    FaultFileSystem::new(Arc::new(MemoryFileSystem::new()))
}

#[test]
fn patterns() {
    let yes = [
        ("*", ""),
        ("*", "/a"),
        ("/a", "/a"),
        ("*.log", "/db/1.log"),
        ("/db/*", "/db/"),
        ("*/MANIFEST-*", "/db/MANIFEST-1"),
        ("a*b*c", "abbc"),
        ("a*b*c", "axbxbxc"),
        ("**", "x"),
        ("*a*", "bab"),
        ("*aab", "aaab"),
        ("*ab*ab", "abab"),
    ];
    let no = [
        ("", "a"),
        ("/a", "/ab"),
        ("*.log", "/1.logx"),
        ("/db/*", "/da/x"),
        ("a*b*c", "acb"),
        ("*ab*ab", "ab"),
        ("a*a", "a"),
        ("*a*", "b"),
    ];
    for (pattern, text) in yes {
        assert!(matches(pattern, text), "{pattern} {text}");
    }
    for (pattern, text) in no {
        assert!(!matches(pattern, text), "{pattern} {text}");
    }
}

#[test]
fn the_nth_call_fails_with_the_text_of_the_system() {
    let fs = new();
    let path = Path::new("/a.log");
    fs.add(Rule::once(Operations::APPEND, "*.log", 1, Fault::Error(libc::ENOSPC)));
    let mut other = fs.create(Path::new("/b.sst")).unwrap();
    let mut file = fs.create(path).unwrap();
    other.append(b"x").unwrap();
    other.append(b"x").unwrap();
    file.append(b"one").unwrap();
    let status = file.append(b"two").unwrap_err();
    assert_eq!(
        status.to_string(),
        "IO error: No space left on device: While appending to file: /a.log: No space left on device"
    );
    assert!(status.is_retryable());
    file.append(b"three").unwrap();
    assert_eq!(read_file(&fs, path, 100).unwrap(), b"onethree");
    assert_eq!((fs.injected(), fs.count(Operations::APPEND)), (1, 5));
    assert_eq!(fs.count(Operations::APPEND | Operations::CREATE), 7);
}

#[test]
fn everything_can_fail_from_some_call_on() {
    let fs = new();
    write_file(&fs, Path::new("/f"), b"x", true).unwrap();
    let mut file = fs.create(Path::new("/g")).unwrap();
    let mut sequential = fs.open_sequential(Path::new("/f")).unwrap();
    let random = fs.open_random(Path::new("/f")).unwrap();
    let dir = fs.open_dir(Path::new("/")).unwrap();
    let id = fs.add(Rule::always(Operations::all(), "*", Fault::Error(libc::EIO)));
    let p = Path::new("/f");
    let texts: Vec<String> = [
        fs.open_sequential(p).err(),
        fs.open_random(p).err(),
        fs.create(p).err(),
        fs.reuse(p, p).err(),
        fs.open_dir(p).err(),
        fs.exists(p).err(),
        fs.list(p).err(),
        fs.remove_file(p).err(),
        fs.create_dir(p).err(),
        fs.create_dir_if_missing(p).err(),
        fs.remove_dir(p).err(),
        fs.file_size(p).err(),
        fs.modified_seconds(p).err(),
        fs.rename(p, p).err(),
        fs.link(p, p).err(),
        fs.truncate(p, 0).err(),
        fs.lock(p).err(),
        file.append(b"x").err(),
        file.sync().err(),
        file.fsync().err(),
        file.range_sync(0, 0, false).err(),
        file.allocate(0, 0).err(),
        file.truncate(0).err(),
        file.close().err(),
        sequential.read(&mut [0]).err(),
        random.read_at(0, &mut [0]).err(),
        random.size().err(),
        dir.sync().err(),
    ]
    .into_iter()
    .map(|status| status.expect("must fail").to_string())
    .collect();
    assert!(texts.iter().all(|text| text.ends_with(": Input/output error")), "{texts:?}");
    assert_eq!(fs.injected(), texts.len() as u64);
    fs.set_active(false);
    assert_eq!(read_file(&fs, p, 100).unwrap(), b"x");
    fs.set_active(true);
    assert!(fs.exists(p).is_err());
    assert_eq!(fs.remove(id), texts.len() as u64 + 1);
    assert_eq!(fs.remove(id), 0);
    assert!(fs.exists(p).unwrap());
}

#[test]
fn half_writes_lost_answers_flipped_bits_and_panics() {
    let fs = new();
    let path = Path::new("/f");
    let mut file = fs.create(path).unwrap();
    fs.add(Rule::once(Operations::APPEND, "*", 0, Fault::ShortWrite(libc::ENOSPC)));
    assert!(file.append(b"abcdef").is_err());
    assert_eq!(read_file(&fs, path, 100).unwrap(), b"abc");

    fs.add(Rule::once(Operations::RENAME, "/f", 0, Fault::ErrorAfter(libc::EIO)));
    assert!(fs.rename(path, Path::new("/g")).is_err());
    assert!(fs.exists(Path::new("/g")).unwrap() && !fs.exists(path).unwrap());

    fs.add(Rule::once(Operations::READ, "/g", 0, Fault::FlipBit));
    let mut buf = [0; 10];
    let random = fs.open_random(Path::new("/g")).unwrap();
    assert_eq!(random.read_at(0, &mut buf).unwrap(), 3);
    assert_eq!(&buf[..3], b"acc");
    assert_eq!(random.read_at(0, &mut buf).unwrap(), 3);
    assert_eq!(&buf[..3], b"abc");

    fs.add(Rule::once(Operations::SYNC, "*", 0, Fault::Panic));
    assert!(catch_unwind(AssertUnwindSafe(|| file.sync())).is_err());
    file.sync().unwrap();
    fs.add(Rule::always(Operations::ALL_WRITES, "*", Fault::Error(libc::EIO)));
    fs.clear();
    file.sync().unwrap();
}
