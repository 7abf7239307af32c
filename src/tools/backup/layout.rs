//! The names in a folder of backups.
//!
//! ```text
//! meta/3                                     lists the files of backup 3
//! private/3/CURRENT  private/3/000012.log    files of that backup alone
//! shared/000008.sst                          tables of several backups, by number
//! shared_checksum/000008_sUQ8C..._1234.sst   by number, session and size
//! shared_checksum/000008_2937191104_1234.sst by number, checksum and size
//! ```

use crate::options::BackupOptions;
use crate::options::backup::{NAMING_CHECKSUM_AND_SIZE, NAMING_FLAG_SIZE};
use std::path::{Path, PathBuf};

pub(super) const META: &str = "meta";
pub(super) const PRIVATE: &str = "private";
pub(super) const SHARED: &str = "shared";
pub(super) const SHARED_CHECKSUM: &str = "shared_checksum";

const NO_FLAGS: u32 = 0xffff;

/// The name of a backup's own folder.
pub(super) fn private_name(id: u32) -> String {
    format!("{PRIVATE}/{id}")
}

/// The file that lists a backup's files.
pub(super) fn meta_path(dir: &Path, id: u32) -> PathBuf {
    dir.join(META).join(id.to_string())
}

/// That file while it is written.
pub(super) fn temp_meta_path(dir: &Path, id: u32) -> PathBuf {
    dir.join(META).join(format!(".{id}.tmp"))
}

/// The shared file `name` while it is written.
pub(super) fn temp_name(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((dir, file)) => format!("{dir}/.{file}.tmp"),
        None => format!(".{name}.tmp"),
    }
}

/// Where tables are shared.
pub(super) fn shared_dir(options: &BackupOptions) -> &'static str {
    if options.share_files_with_checksum { SHARED_CHECKSUM } else { SHARED }
}

/// Whether tables are named by the session that wrote them, if that is known.
pub(super) fn is_named_by_session(options: &BackupOptions) -> bool {
    options.share_files_with_checksum_naming & NO_FLAGS != NAMING_CHECKSUM_AND_SIZE
}

fn with_suffix(file: &str, suffix: &str) -> String {
    match file.rsplit_once('.') {
        Some((stem, extension)) => format!("{SHARED_CHECKSUM}/{stem}_{suffix}.{extension}"),
        None => format!("{SHARED_CHECKSUM}/{file}_{suffix}"),
    }
}

/// The name of the shared table `file` by its session.
pub(super) fn name_by_session(
    options: &BackupOptions,
    file: &str,
    session: &str,
    size: u64,
) -> String {
    match options.share_files_with_checksum_naming & NAMING_FLAG_SIZE {
        0 => with_suffix(file, &format!("s{session}")),
        _ => name_by_session_and_size(file, session, size),
    }
}

pub(super) fn name_by_session_and_size(file: &str, session: &str, size: u64) -> String {
    with_suffix(file, &format!("s{session}_{size}"))
}

/// The name of the shared file `file` by its checksum.
pub(super) fn name_by_checksum(file: &str, crc: u32, size: u64) -> String {
    with_suffix(file, &format!("{crc}_{size}"))
}

/// The name that a backup's file has in the database.
pub(super) fn database_name(name: &str) -> String {
    let (dir, file) = name.rsplit_once('/').unwrap_or(("", name));
    match (file.find('_'), file.rfind('.')) {
        (Some(from), Some(to)) if dir == SHARED_CHECKSUM && from < to => {
            format!("{}{}", &file[..from], &file[to..])
        }
        _ => file.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_the_database() {
        let mut options = BackupOptions::default();
        let name = |options: &BackupOptions| name_by_session(options, "000008.sst", "ABC", 77);
        assert_eq!(name(&options), "shared_checksum/000008_sABC_77.sst");
        options.share_files_with_checksum_naming &= !NAMING_FLAG_SIZE;
        assert_eq!(name(&options), "shared_checksum/000008_sABC.sst");
        assert_eq!(name_by_checksum("000008.blob", 5, 77), "shared_checksum/000008_5_77.blob");
        for name in ["shared_checksum/000008_sABC_77.sst", "shared/000008.sst"] {
            assert_eq!(database_name(name), "000008.sst");
        }
        assert_eq!(database_name("private/3/OPTIONS-000007"), "OPTIONS-000007");
        assert_eq!(temp_name("shared/000008.sst"), "shared/.000008.sst.tmp");
    }
}
