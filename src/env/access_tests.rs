//! Files that are reached past the page cache or through mappings behave like any others.

use super::file_system::{Access, FileSystem};
use super::posix::PosixFileSystem;
use crate::base::random::Random;

/// A folder, and the ways in which its files can be reached.
fn folder() -> (tempfile::TempDir, Vec<Access>) {
    // Where the program is, since folders for temporary files may be of a kind that knows no
    // `O_DIRECT`.
    let program = std::env::current_exe().unwrap();
    let dir = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let mut ways = vec![Access::Buffered, Access::Mapped];
    match PosixFileSystem.create_as(&dir.path().join("probe"), Access::Direct) {
        Ok(_) => ways.push(Access::Direct),
        Err(error) => println!("skipped in part: {error}"),
    }
    (dir, ways)
}

#[test]
fn what_is_written_in_any_way_is_read_in_any_way() {
    let (dir, ways) = folder();
    let mut random = Random::from_env(11);
    for (round, access) in ways.iter().copied().cycle().take(12).enumerate() {
        let path = dir.path().join(format!("{round}"));
        let mut file = PosixFileSystem.create_as(&path, access).unwrap();
        let mut expected = Vec::new();
        for _ in 0..random.below(40) {
            let magnitude = random.below(19);
            let len = random.below(1 << magnitude) as usize;
            let piece: Vec<u8> = (0..len).map(|_| random.next_u64() as u8).collect();
            file.append(&piece).unwrap();
            expected.extend_from_slice(&piece);
            assert_eq!(file.size(), expected.len() as u64);
            match random.below(4) {
                0 => file.sync().unwrap(),
                1 => file.allocate(file.size(), 1 << 20).unwrap(),
                _ => continue,
            }
            if random.below(2) == 0 {
                file.sync().unwrap();
                assert!(std::fs::read(&path).unwrap() == expected, "{round} {access:?}");
            }
        }
        file.close().unwrap();
        assert!(file.append(b"x").is_err());
        assert!(std::fs::read(&path).unwrap() == expected, "{round} {access:?}");
        for &how in &ways {
            let file = PosixFileSystem.open_random_as(&path, how).unwrap();
            assert_eq!(file.size().unwrap(), expected.len() as u64);
            for _ in 0..60 {
                let from = random.below(expected.len() as u64 + 5000) as usize;
                let magnitude = random.below(18);
                let mut buf = vec![0; random.below(1 << magnitude) as usize];
                let n = file.read_at(from as u64, &mut buf).unwrap();
                let rest = expected.get(from..).unwrap_or_default();
                assert!(buf[..n] == rest[..buf.len().min(rest.len())], "{round} {how:?} {from}");
            }
        }
    }
}

#[test]
fn what_cannot_be_opened_is_an_error_that_names_it() {
    let (dir, ways) = folder();
    let missing = dir.path().join("none").join("file");
    for access in ways {
        let error = PosixFileSystem.open_random_as(&missing, access).err().unwrap();
        assert!(error.is_path_not_found() && error.to_string().contains("none/file"), "{error}");
        let error = PosixFileSystem.create_as(&missing, access).err().unwrap();
        assert!(error.to_string().contains("none/file"), "{error}");
    }
}
