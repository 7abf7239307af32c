//! The two small files that are replaced whole: `CURRENT`, which names the manifest in use, and
//! `IDENTITY`, which holds the database's unique id.
//!
//! Both are written to a temporary file, synced, renamed into place, and the folder synced, so
//! that after a crash either the old or the new content is there.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;

use crate::base::clock::unix_micros;
use crate::base::status::{Result, Status};
use crate::env::file_system::{FileSystem, read_file, write_file};
use crate::env::names::{
    FileType, current_file_name, descriptor_base_name, identity_file_name, parse_file_name,
    temp_file_name,
};

/// More than either file ever holds.
const MAX_CONTENT: usize = 1 << 16;

/// Replaces the content of `target` through `temp`, durably.
fn replace(fs: &dyn FileSystem, dir: &Path, target: &Path, temp: &Path, data: &[u8]) -> Result<()> {
    write_file(fs, temp, data, true)?;
    if let Err(status) = fs.rename(temp, target) {
        let _ = fs.remove_file(temp);
        return Err(status);
    }
    fs.open_dir(dir)?.sync()
}

/// What `CURRENT` holds while the manifest `number` is in use.
pub fn current_file_content(number: u64) -> String {
    descriptor_base_name(number) + "\n"
}

/// Makes the manifest `number` the one in use, durably.
///
/// After an error `CURRENT` may name the old or the new manifest: both must be kept.
pub fn set_current_file(fs: &dyn FileSystem, dir: &Path, number: u64) -> Result<()> {
    let content = current_file_content(number);
    let temp = temp_file_name(dir, number);
    replace(fs, dir, &current_file_name(dir), &temp, content.as_bytes())
}

/// The number of the manifest in use.
///
/// Errors: an I/O error with sub-code `PathNotFound` if there is no `CURRENT`, corruption if it
/// names no manifest.
pub fn read_current(fs: &dyn FileSystem, dir: &Path) -> Result<u64> {
    let content = read_file(fs, &current_file_name(dir), MAX_CONTENT)?;
    let Some(name) = content.strip_suffix(b"\n") else {
        return Err(Status::corruption("CURRENT file does not end with newline"));
    };
    match std::str::from_utf8(name).ok().and_then(parse_file_name) {
        Some((number, FileType::Descriptor)) => Ok(number),
        _ => Err(Status::corruption("CURRENT file corrupted")),
    }
}

/// Makes `id` the database's unique id, durably.
pub fn set_identity_file(fs: &dyn FileSystem, dir: &Path, id: &str) -> Result<()> {
    // RocksDB reserves number 0 for this temporary file.
    replace(fs, dir, &identity_file_name(dir), &temp_file_name(dir, 0), id.as_bytes())
}

/// The database's unique id. It may be empty: nothing else is guaranteed about its content.
pub fn read_identity(fs: &dyn FileSystem, dir: &Path) -> Result<String> {
    let path = identity_file_name(dir);
    let mut content = read_file(fs, &path, MAX_CONTENT)?;
    if content.last() == Some(&b'\n') {
        content.pop();
    }
    String::from_utf8(content)
        .map_err(|_| Status::corruption(format!("{}: not text", path.display())))
}

/// A new unique id in the form RocksDB uses for databases: a random UUID (RFC 9562 version 4),
/// 36 characters in lower case.
pub fn generate_unique_id() -> String {
    if let Ok(id) = std::fs::read_to_string("/proc/sys/kernel/random/uuid") {
        let id = id.trim_end();
        if id.len() == 36 {
            return id.to_string();
        }
    }
    // Hash keys come from the system's random source; time and process id add to them.
    let random = || {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(unix_micros());
        hasher.write_u32(std::process::id());
        hasher.finish()
    };
    format_uuid(random(), random())
}

/// The UUID text of 128 random bits, of which 6 are replaced by version and variant.
fn format_uuid(high: u64, low: u64) -> String {
    let high = high & !0xf000 | 0x4000;
    let low = low & !(3 << 62) | 2 << 62;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::posix::PosixFileSystem;

    #[test]
    fn current_names_the_manifest() {
        let dir = tempfile::tempdir().unwrap();
        let (fs, dir) = (&PosixFileSystem, dir.path());
        assert!(read_current(fs, dir).unwrap_err().is_path_not_found());
        for number in [1, 5, 1 << 40] {
            set_current_file(fs, dir, number).unwrap();
            assert_eq!(read_current(fs, dir).unwrap(), number);
        }
        set_current_file(fs, dir, 5).unwrap();
        let content = std::fs::read_to_string(dir.join("CURRENT")).unwrap();
        assert_eq!(content, "MANIFEST-000005\n");
        assert_eq!(fs.list(dir).unwrap(), ["CURRENT"]);
    }

    #[test]
    fn broken_current_is_corruption() {
        let dir = tempfile::tempdir().unwrap();
        let (fs, dir) = (&PosixFileSystem, dir.path());
        let newline = "Corruption: CURRENT file does not end with newline";
        let corrupted = "Corruption: CURRENT file corrupted";
        let cases: [(&[u8], &str); 7] = [
            (b"", newline),
            (b"MANIFEST-000005", newline),
            (b"\n", corrupted),
            (b"MANIFEST-\n", corrupted),
            (b"000005.sst\n", corrupted),
            (b"MANIFEST-000005\n\n", corrupted),
            (b"MANIFEST-\xff\n", corrupted),
        ];
        for (content, text) in cases {
            std::fs::write(dir.join("CURRENT"), content).unwrap();
            assert_eq!(read_current(fs, dir).unwrap_err().to_string(), text);
        }
        std::fs::write(dir.join("CURRENT"), vec![b'x'; 1 << 20]).unwrap();
        assert!(read_current(fs, dir).unwrap_err().is_corruption());
    }

    #[test]
    fn identity_round_trips() {
        let dir = tempfile::tempdir().unwrap();
        let (fs, dir) = (&PosixFileSystem, dir.path());
        let id = generate_unique_id();
        set_identity_file(fs, dir, &id).unwrap();
        assert_eq!(read_identity(fs, dir).unwrap(), id);
        std::fs::write(dir.join("IDENTITY"), "abc\n").unwrap();
        assert_eq!(read_identity(fs, dir).unwrap(), "abc");
    }

    #[test]
    fn unique_ids_are_version_4_uuids() {
        let formatted = format_uuid(0x0123_4567_89ab_cdef, u64::MAX);
        assert_eq!(formatted, "01234567-89ab-4def-bfff-ffffffffffff");
        let (a, b) = (generate_unique_id(), generate_unique_id());
        assert_ne!(a, b);
        assert_eq!(a.as_bytes()[14], b'4');
        assert_eq!(a.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    }
}
