//! Files that are reached past the page cache or through mappings behave like any others.

use super::file_system::{Access, FileSystem};
use super::posix::PosixFileSystem;
use crate::base::random::Random;

const ALL: [Access; 3] = [Access::Buffered, Access::Direct, Access::Mapped];

/// A folder on a disk, where `O_DIRECT` can be had.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
}

#[test]
fn what_is_written_in_any_way_is_read_in_any_way() {
    let dir = folder();
    let mut random = Random::from_env(11);
    for (round, access) in ALL.into_iter().cycle().take(12).enumerate() {
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
        for how in ALL {
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
    let dir = folder();
    let missing = dir.path().join("none").join("file");
    for access in ALL {
        let error = PosixFileSystem.open_random_as(&missing, access).err().unwrap();
        assert!(error.is_path_not_found() && error.to_string().contains("none/file"), "{error}");
        let error = PosixFileSystem.create_as(&missing, access).err().unwrap();
        assert!(error.to_string().contains("none/file"), "{error}");
    }
}
