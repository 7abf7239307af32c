use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::*;

const FS: PosixFileSystem = PosixFileSystem;

#[test]
fn writes_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let mut file = FS.create(&path).unwrap();
    file.append(b"hello ").unwrap();
    file.append(b"").unwrap();
    file.append(b"world").unwrap();
    assert_eq!((file.size(), file.path()), (11, path.as_path()));
    file.sync().unwrap();
    file.fsync().unwrap();
    file.range_sync(0, 11, false).unwrap();
    file.range_sync(4, 7, true).unwrap();
    file.truncate(8).unwrap();
    file.append(b"!").unwrap();
    file.close().unwrap();
    file.close().unwrap();
    let refused = file.append(b"x").unwrap_err().to_string();
    let expected =
        format!("IO error: While appending to file: {}: Bad file descriptor", path.display());
    assert_eq!(refused, expected);
    assert_eq!(FS.file_size(&path).unwrap(), 9);

    let mut reader = FS.open_sequential(&path).unwrap();
    let mut buf = [0; 4];
    assert_eq!(reader.read(&mut buf).unwrap(), 4);
    reader.skip(2).unwrap();
    assert_eq!(reader.read(&mut buf).unwrap(), 3);
    assert_eq!(&buf[..3], b"wo!");
    assert_eq!(reader.read(&mut buf).unwrap(), 0);
    reader.skip(100).unwrap();
    assert_eq!(reader.read(&mut buf).unwrap(), 0);
    assert!(reader.skip(u64::MAX).is_err());

    let reader = FS.open_random(&path).unwrap();
    assert_eq!(reader.read_at(6, &mut buf).unwrap(), 3);
    assert_eq!(reader.read_at(100, &mut buf).unwrap(), 0);
    assert!(reader.read_at(u64::MAX, &mut buf).is_err());
    assert_eq!(reader.size().unwrap(), 9);
    reader.advise(AccessPattern::Random);
    reader.prefetch(0, 9).unwrap();
}

#[test]
fn reserved_space_is_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let mut file = FS.create(&path).unwrap();
    file.allocate(0, 8 << 20).unwrap();
    file.append(b"x").unwrap();
    assert_eq!(FS.file_size(&path).unwrap(), 1, "reserving does not change the length");
    file.close().unwrap();
    let attributes = fs::metadata(&path).unwrap();
    assert_eq!(attributes.len(), 1);
    assert!(attributes.blocks() * 512 < 1 << 20, "{} blocks", attributes.blocks());
}

#[test]
fn a_reused_file_is_overwritten_in_place() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old"), dir.path().join("new"));
    fs::write(&old, "0123456789").unwrap();
    let mut file = FS.reuse(&new, &old).unwrap();
    assert_eq!(file.size(), 0);
    file.append(b"abc").unwrap();
    file.close().unwrap();
    assert_eq!(fs::read(&new).unwrap(), b"abc3456789");
    assert!(!FS.exists(&old).unwrap());
    assert!(FS.reuse(&new, &old).err().unwrap().is_path_not_found());
}

#[test]
fn permissions_are_those_of_rocksdb() {
    let dir = tempfile::tempdir().unwrap();
    let (file, folder) = (dir.path().join("f"), dir.path().join("d"));
    drop(FS.create(&file).unwrap());
    FS.create_dir(&folder).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    // The umask may only take bits away.
    assert_eq!(mode(&file) & !FILE_MODE, 0);
    assert_eq!(mode(&folder) & !DIR_MODE, 0);
    assert_eq!(mode(&file) & 0o600, 0o600);
}

#[test]
fn errors_have_the_texts_of_rocksdb() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path().display();
    let (no, sub) = (dir.path().join("no"), dir.path().join("sub"));
    FS.create_dir(&sub).unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    fn text<T>(result: Result<T>) -> String {
        result.err().map_or("no error".into(), |status| status.to_string())
    }
    let missing = "IO error: No such file or directory: ";
    let gone = "No such file or directory";
    let cases = [
        (
            text(FS.open_sequential(&no)),
            format!("{missing}While opening a file for sequentially reading: {d}/no: {gone}"),
        ),
        (
            text(FS.open_random(&no)),
            format!("{missing}While open a file for random read: {d}/no: {gone}"),
        ),
        (
            text(FS.create(&no.join("x"))),
            format!("{missing}While open a file for appending: {d}/no/x: {gone}"),
        ),
        (text(FS.open_dir(&no)), format!("{missing}While open directory: {d}/no: {gone}")),
        (text(FS.list(&no)), "NotFound: ".into()),
        (text(FS.list(&file)), "NotFound: ".into()),
        (text(FS.remove_file(&no)), format!("{missing}while unlink() file: {d}/no: {gone}")),
        (text(FS.create_dir(&sub)), format!("IO error: While mkdir: {d}/sub: File exists")),
        (
            text(FS.create_dir_if_missing(&no.join("x"))),
            format!("{missing}While mkdir if missing: {d}/no/x: {gone}"),
        ),
        (
            text(FS.create_dir_if_missing(&file)),
            format!("IO error: `{d}/file' exists but is not a directory"),
        ),
        (text(FS.remove_dir(&no)), format!("{missing}file rmdir: {d}/no: {gone}")),
        (text(FS.file_size(&no)), format!("{missing}while stat a file for size: {d}/no: {gone}")),
        (
            text(FS.modified_seconds(&no)),
            format!("{missing}while stat a file for modification time: {d}/no: {gone}"),
        ),
        (
            text(FS.rename(&no, &sub.join("y"))),
            format!("{missing}While renaming a file to {d}/sub/y: {d}/no: {gone}"),
        ),
        (
            text(FS.link(&no, &sub.join("y"))),
            format!("{missing}while link file to {d}/sub/y: {d}/no: {gone}"),
        ),
        (
            text(FS.lock(&no.join("LOCK"))),
            format!("{missing}while open a file for lock: {d}/no/LOCK: {gone}"),
        ),
        (
            text(FS.open_sequential(&sub).unwrap().read(&mut [0; 8])),
            format!("IO error: While reading file sequentially: {d}/sub: Is a directory"),
        ),
    ];
    for (actual, expected) in cases {
        assert_eq!(actual, expected);
    }
    FS.create_dir_if_missing(&sub).unwrap();
    assert!(!FS.exists(&file.join("below a file")).unwrap());
    assert!(text(FS.create(Path::new("a\0b"))).starts_with("IO error: While open a file for app"));
}

#[test]
fn names_of_files() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    fs::write(&a, "12345").unwrap();
    FS.link(&a, &b).unwrap();
    assert!(FS.link(&a, &b).is_err());
    let mut names = FS.list(dir.path()).unwrap();
    names.sort();
    assert_eq!(names, ["a", "b"]);
    FS.truncate(&a, 2).unwrap();
    assert_eq!(FS.file_size(&b).unwrap(), 2);
    FS.rename(&a, &dir.path().join("c")).unwrap();
    assert!(!FS.exists(&a).unwrap());
    assert!(FS.modified_seconds(&b).unwrap() + 100 > unix_seconds());
    FS.open_dir(dir.path()).unwrap().sync().unwrap();
    assert_eq!(FS.absolute(Path::new("/x/y")).unwrap(), Path::new("/x/y"));
    assert_eq!(FS.absolute(Path::new("x")).unwrap(), std::env::current_dir().unwrap().join("x"));
}

#[test]
fn a_lock_excludes_this_process_by_any_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("LOCK");
    let alias = dir.path().join(".").join("alias");
    let lock = FS.lock(&path).unwrap();
    fs::hard_link(&path, &alias).unwrap();
    for path in [&path, &alias] {
        let text = FS.lock(path).err().unwrap().to_string();
        assert!(
            text.starts_with("IO error: lock hold by current process, acquire time "),
            "{text}"
        );
        assert!(text.contains(" acquiring thread "), "{text}");
        assert!(text.ends_with(&format!("{}: No locks available", path.display())), "{text}");
    }
    // A file that was removed and made again is still the locked name.
    fs::remove_file(&path).unwrap();
    assert!(FS.lock(&path).is_err());
    drop(lock);
    let lock = FS.lock(&path).unwrap();
    drop(FS.lock(&alias).unwrap());
    drop(lock);
    drop(FS.lock(&path).unwrap());
}

/// The other side of the next test: run in a child process, tries the lock once.
#[test]
fn child_tries_the_lock() {
    let Some(path) = std::env::var_os("HEMATITE_TEST_LOCK") else { return };
    match FS.lock(Path::new(&path)) {
        Ok(_) => println!("child: locked"),
        Err(status) => println!("child: {status}"),
    }
}

#[test]
fn a_lock_excludes_other_processes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("LOCK");
    let try_in_child = || {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--nocapture", "--exact", "env::posix::tests::child_tries_the_lock"])
            .env("HEMATITE_TEST_LOCK", &path)
            .output()
            .unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        let start = output.find("child: ").expect(&output) + "child: ".len();
        output[start..].lines().next().unwrap().to_string()
    };
    let lock = FS.lock(&path).unwrap();
    let text = "Resource temporarily unavailable";
    assert_eq!(try_in_child(), format!("IO error: While lock file: {}: {text}", path.display()));
    // A refused attempt in this process must not give the lock away.
    assert!(FS.lock(&path).is_err());
    assert_ne!(try_in_child(), "locked");
    drop(lock);
    assert_eq!(try_in_child(), "locked");
}

#[test]
fn whole_files() {
    use crate::env::file_system::{read_file, write_file};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    for len in [0, 1, 4095, 4096, 4097, 100_000] {
        let data = vec![5; len];
        write_file(&FS, &path, &data, len % 2 == 0).unwrap();
        assert_eq!(read_file(&FS, &path, len).unwrap(), data);
        if len > 0 {
            assert!(read_file(&FS, &path, len - 1).unwrap_err().is_corruption());
        }
    }
}

#[test]
fn local_time_is_that_of_date() {
    for seconds in [0, 1_700_000_000, 4_000_000_000] {
        let output = Command::new("date")
            .args(["-d", &format!("@{seconds}"), "+%Y/%m/%d-%H:%M:%S"])
            .output()
            .unwrap();
        let expected = String::from_utf8(output.stdout).unwrap().trim_end().to_string();
        assert_eq!(local_time(seconds * 1_000_000 + 42).to_string(), expected + ".000042");
    }
}
