//! The names of a database's files, built and parsed (RocksDB's `file/filename.cc`).
//!
//! ```text
//! 000012.sst 000012.ldb 000013.log 000014.blob 000015.dbtmp   archive/000011.log
//! MANIFEST-000005 OPTIONS-000007 OPTIONS-000007.dbtmp METADB-3
//! COMPACTION_PROGRESS-1700000000 COMPACTION_PROGRESS-1700000000.dbtmp
//! CURRENT IDENTITY LOCK LOG LOG.old.1700000000000000
//! ```
//!
//! With a separate log folder the info log is named after the flattened path of its database:
//! `/var/db` gives `var_db_LOG` and `var_db_LOG.old.1700000000000000`.

use std::path::{Path, PathBuf};

/// What a file of a database holds. The discriminants are RocksDB's `FileType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum FileType {
    /// A write-ahead log, alive or archived.
    Wal = 0,
    /// `LOCK`.
    Lock = 1,
    /// A sorted table.
    Table = 2,
    /// `MANIFEST-`: the log of version edits.
    Descriptor = 3,
    /// `CURRENT`: names the manifest in use.
    Current = 4,
    /// A file not yet renamed to its final name.
    Temp = 5,
    /// The info log in use or an old one.
    InfoLog = 6,
    /// `METADB-`: a folder that LevelDB-era tools used.
    MetaDatabase = 7,
    /// `IDENTITY`: the database's unique id.
    Identity = 8,
    /// The options the database was last opened with.
    Options = 9,
    /// Large values.
    Blob = 10,
    /// How far a resumable compaction came.
    CompactionProgress = 11,
}

/// The folder inside the log folder that keeps logs no longer needed.
pub const ARCHIVE_DIR: &str = "archive";

const TEMP_SUFFIX: &str = ".dbtmp";
const INFO_LOG: &str = "LOG";

/// The longest flattened path, such that `<path>_LOG.old.<micros>` is still a valid file name
/// (255 bytes). RocksDB cuts at 255 and then fails to create the file.
const MAX_FLAT_PATH: usize = 255 - "_LOG.old.".len() - 20;

fn numbered(dir: &Path, number: u64, suffix: &str) -> PathBuf {
    dir.join(format!("{number:06}.{suffix}"))
}

/// A table.
pub fn table_file_name(dir: &Path, number: u64) -> PathBuf {
    numbered(dir, number, "sst")
}

/// The name LevelDB gives to tables; looked for when the `.sst` one is missing.
pub fn leveldb_table_file_name(dir: &Path, number: u64) -> PathBuf {
    numbered(dir, number, "ldb")
}

/// A write-ahead log.
pub fn log_file_name(dir: &Path, number: u64) -> PathBuf {
    numbered(dir, number, "log")
}

/// The folder of archived logs.
pub fn archive_dir(dir: &Path) -> PathBuf {
    dir.join(ARCHIVE_DIR)
}

/// An archived write-ahead log.
pub fn archived_log_file_name(dir: &Path, number: u64) -> PathBuf {
    numbered(&archive_dir(dir), number, "log")
}

/// A blob file.
pub fn blob_file_name(dir: &Path, number: u64) -> PathBuf {
    numbered(dir, number, "blob")
}

/// A temporary file.
pub fn temp_file_name(dir: &Path, number: u64) -> PathBuf {
    numbered(dir, number, "dbtmp")
}

/// A manifest's name without its folder, as `CURRENT` holds it.
pub fn descriptor_base_name(number: u64) -> String {
    format!("MANIFEST-{number:06}")
}

/// A manifest.
pub fn descriptor_file_name(dir: &Path, number: u64) -> PathBuf {
    dir.join(descriptor_base_name(number))
}

/// `CURRENT`.
pub fn current_file_name(dir: &Path) -> PathBuf {
    dir.join("CURRENT")
}

/// `IDENTITY`.
pub fn identity_file_name(dir: &Path) -> PathBuf {
    dir.join("IDENTITY")
}

/// `LOCK`.
pub fn lock_file_name(dir: &Path) -> PathBuf {
    dir.join("LOCK")
}

/// An options file.
pub fn options_file_name(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("OPTIONS-{number:06}"))
}

/// An options file while it is written.
pub fn temp_options_file_name(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("OPTIONS-{number:06}{TEMP_SUFFIX}"))
}

/// A `METADB-` folder.
pub fn meta_database_name(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("METADB-{number}"))
}

/// The progress file of a resumable compaction begun at `timestamp` (microseconds).
pub fn compaction_progress_file_name(dir: &Path, timestamp: u64) -> PathBuf {
    dir.join(format!("COMPACTION_PROGRESS-{timestamp}"))
}

/// A progress file while it is written.
pub fn temp_compaction_progress_file_name(dir: &Path, timestamp: u64) -> PathBuf {
    dir.join(format!("COMPACTION_PROGRESS-{timestamp}{TEMP_SUFFIX}"))
}

/// What the names of a database's info logs start with: `LOG` in its own folder, its flattened
/// absolute path and `_LOG` in a separate one.
pub fn info_log_prefix(separate_dir: bool, db_absolute: &Path) -> String {
    if !separate_dir {
        return INFO_LOG.to_string();
    }
    let mut flat = String::new();
    let path = db_absolute.as_os_str().as_encoded_bytes();
    for (i, &byte) in path.iter().enumerate() {
        if byte == b'/' && i > 0 && path[i - 1] == b'/' {
            continue;
        }
        if flat.len() == MAX_FLAT_PATH {
            break;
        }
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            flat.push(char::from(byte));
        } else if i > 0 {
            flat.push('_');
        }
    }
    flat + "_LOG"
}

/// The info log in use of the database in `db_dir`; `log_dir` is the option `db_log_dir`.
pub fn info_log_file_name(db_dir: &Path, db_absolute: &Path, log_dir: Option<&Path>) -> PathBuf {
    let prefix = info_log_prefix(log_dir.is_some(), db_absolute);
    log_dir.unwrap_or(db_dir).join(prefix)
}

/// The info log that was in use until `micros` (since 1970).
pub fn old_info_log_file_name(
    db_dir: &Path,
    db_absolute: &Path,
    log_dir: Option<&Path>,
    micros: u64,
) -> PathBuf {
    let prefix = info_log_prefix(log_dir.is_some(), db_absolute);
    log_dir.unwrap_or(db_dir).join(format!("{prefix}.old.{micros}"))
}

/// The number (0 where there is none) and type of the file `name` (without its folder, except for
/// `archive/`) in a database's own folder; `None` if no database file has such a name.
///
/// Stricter than RocksDB, which also takes some names with garbage behind the number: a name
/// that is accepted may be deleted as obsolete, so only exact ones are.
pub fn parse_file_name(name: &str) -> Option<(u64, FileType)> {
    parse_file_name_with(name, INFO_LOG)
}

/// [`parse_file_name`] where info logs start with `info_log_prefix` (see [`info_log_prefix`]).
pub fn parse_file_name_with(name: &str, info_log_prefix: &str) -> Option<(u64, FileType)> {
    let name = name.strip_prefix('/').unwrap_or(name);
    match name {
        "CURRENT" => return Some((0, FileType::Current)),
        "IDENTITY" => return Some((0, FileType::Identity)),
        "LOCK" => return Some((0, FileType::Lock)),
        _ => {}
    }
    if !info_log_prefix.is_empty()
        && let Some(rest) = name.strip_prefix(info_log_prefix)
        && (rest.is_empty() || rest.starts_with(".old"))
    {
        return Some((parse_info_log_suffix(rest)?, FileType::InfoLog));
    }
    const PREFIXES: [(&str, FileType, bool); 4] = [
        ("MANIFEST-", FileType::Descriptor, false),
        ("METADB-", FileType::MetaDatabase, false),
        ("OPTIONS-", FileType::Options, true),
        ("COMPACTION_PROGRESS-", FileType::CompactionProgress, true),
    ];
    for (prefix, file_type, may_be_temp) in PREFIXES {
        let Some(rest) = name.strip_prefix(prefix) else { continue };
        return match rest.strip_suffix(TEMP_SUFFIX) {
            Some(number) if may_be_temp => Some((parse_number(number)?, FileType::Temp)),
            _ => Some((parse_number(rest)?, file_type)),
        };
    }
    parse_numbered(name)
}

/// `""`, `.old` or `.old.<micros>`.
fn parse_info_log_suffix(suffix: &str) -> Option<u64> {
    match suffix {
        "" | ".old" => Some(0),
        _ => parse_number(suffix.strip_prefix(".old.")?),
    }
}

/// `<number>.<suffix>`, or a log in `archive/`.
fn parse_numbered(name: &str) -> Option<(u64, FileType)> {
    let archived = name.strip_prefix(ARCHIVE_DIR).and_then(|rest| rest.strip_prefix('/'));
    let (number, suffix) = archived.unwrap_or(name).split_once('.')?;
    let file_type = match suffix {
        "log" => FileType::Wal,
        _ if archived.is_some() => return None,
        "sst" | "ldb" => FileType::Table,
        "blob" => FileType::Blob,
        "dbtmp" => FileType::Temp,
        _ => return None,
    };
    Some((parse_number(number)?, file_type))
}

/// Larger numbers in names are not a database's own. A table's number has 62 bits: half of them
/// stay for those that are handed out after the largest one found.
const LARGEST_NUMBER: u64 = 1 << 61;

/// Digits only, without overflow (`u64::from_str` would take a sign).
fn parse_number(digits: &str) -> Option<u64> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|number| *number <= LARGEST_NUMBER)
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
