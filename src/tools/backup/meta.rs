//! [`BackupMeta`]: the file that lists the files of a backup.
//!
//! ```text
//! schema_version 2.1                               only from version 2 on
//! 1700000000                                       when it was made
//! 4711                                             the newest sequence number, about
//! metadata 6162                                    the application's, in hexadecimal
//! 2                                                how many files
//! private/3/CURRENT crc32 2937191104
//! shared_checksum/000008_sABC_1234.sst crc32 5 temp kWarm
//! shared_checksum/000009_sABC_1234.sst ni::excluded true
//! ```

use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::options::enums::{Numbered, Temperature};
use std::collections::HashMap;
use std::path::Path;

/// Fields whose names start so must not be ignored by who does not know them.
const NOT_IGNORABLE: &str = "ni::";
const EXCLUDED: &str = "ni::excluded";
const FOOTER: &str = "// FOOTER";
const SCHEMA: &str = "schema_version ";

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BackupFile {
    /// Below the folder of backups.
    pub name: String,
    pub size: u64,
    /// CRC-32C of its bytes, if it is known.
    pub crc: Option<u32>,
    /// RocksDB's `Temperature` number.
    pub temperature: u8,
}

/// A backup.
#[derive(Clone, Debug, Default)]
pub(super) struct BackupMeta {
    /// Seconds since 1970.
    pub timestamp: i64,
    pub sequence: u64,
    pub app_metadata: Vec<u8>,
    pub files: Vec<Arc<BackupFile>>,
    /// Names of files that are not in this folder.
    pub excluded: Vec<String>,
}

impl BackupMeta {
    /// The bytes of all files.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// The text of the file, in a version that [`check_schema`] accepts.
    pub fn encode(&self, schema_version: i32) -> String {
        let mut text = String::new();
        if schema_version >= 2 {
            text += SCHEMA;
            text += "2.1\n";
        }
        text += &format!("{}\n{}\n", self.timestamp, self.sequence);
        if !self.app_metadata.is_empty() {
            let hex = self.app_metadata.iter().map(|byte| format!("{byte:02X}"));
            text += &format!("metadata {}\n", hex.collect::<String>());
        }
        text += &format!("{}\n", self.files.len());
        for file in &self.files {
            text += &file.name;
            if let Some(crc) = file.crc {
                text += &format!(" crc32 {crc}");
            }
            let temperature = Temperature::from_number(i32::from(file.temperature));
            match temperature.filter(|t| *t != Temperature::Unknown && schema_version >= 2) {
                Some(temperature) => text += &format!(" temp {}\n", temperature.name()),
                None => text.push('\n'),
            }
        }
        for name in &self.excluded {
            text += &format!("{name} {EXCLUDED} true\n");
        }
        text
    }
}

/// Refuses versions that are not written.
pub(super) fn check_schema(schema_version: i32) -> Result<()> {
    match schema_version {
        1 | 2 => Ok(()),
        ..1 => Err(Status::invalid_argument("BackupEngineOptions::schema_version must be >= 1")),
        _ => {
            Err(Status::not_supported("Only BackupEngineOptions::schema_version <= 2 is supported"))
        }
    }
}

/// The names of shared files in a text that may be damaged.
pub(super) fn shared_names(text: &str) -> impl Iterator<Item = &str> {
    let names = text.lines().filter_map(|line| line.split(' ').next());
    names.filter(|name| name.starts_with("shared"))
}

/// Reads such texts.
pub(super) struct MetaParser<'a> {
    /// The folder of backups, for messages.
    pub dir: &'a Path,
    /// The file, for messages.
    pub path: &'a Path,
    /// The files that are there, by name below the folder.
    pub sizes: &'a HashMap<String, u64>,
}

impl MetaParser<'_> {
    /// What the text says; every file that it names must be there.
    pub fn parse(&self, text: &str) -> Result<BackupMeta> {
        let mut meta = BackupMeta::default();
        let mut lines = text.lines().peekable();
        let mut schema = 1;
        if let Some(first) = lines.peek() {
            if let Some(version) = first.strip_prefix(SCHEMA) {
                if version != "2" && !version.starts_with("2.") {
                    return Err(Status::not_supported(format!(
                        "Unsupported/unrecognized schema version: {version}"
                    )));
                }
                schema = 2;
                lines.next();
            } else if first.is_empty() {
                return Err(Status::corruption("Unexpected empty line"));
            }
        }
        meta.timestamp = leading_number(lines.next().unwrap_or_default()) as i64;
        meta.sequence = leading_number(lines.next().unwrap_or_default());
        let count = read_fields(&mut lines, schema, &mut meta)?;
        let mut footer = false;
        for line in lines.by_ref() {
            if schema >= 2 && line == FOOTER {
                footer = true;
                break;
            }
            self.file_line(line, schema, &mut meta)?;
        }
        if footer {
            lines.try_for_each(check_footer)?;
        }
        if count != Some(meta.files.len() as u64) {
            return Err(Status::corruption(format!(
                "Inconsistent number of files or missing/incomplete header in {}",
                self.path.display()
            )));
        }
        Ok(meta)
    }

    fn corrupt(&self, what: &str, name: &str) -> Status {
        Status::corruption(format!("{what} {name} in {}", self.path.display()))
    }

    fn file_line(&self, line: &str, schema: i32, meta: &mut BackupMeta) -> Result<()> {
        if line.is_empty() {
            return Err(Status::corruption("Empty line instead of file entry."));
        }
        let parts: Vec<&str> = line.split(' ').collect();
        let name = parts[0];
        if schema >= 2 {
            if parts.len() % 2 != 1 {
                let text = "Bad number of line components for file entry.";
                return Err(Status::corruption(text));
            }
        } else if parts.len() < 3 {
            return Err(self.corrupt("File checksum is missing for", name));
        } else if parts[1] != "crc32" {
            return Err(self.corrupt("Unknown checksum type for", name));
        } else if parts.len() > 3 {
            return Err(self.corrupt("Extra data for entry", name));
        }
        let fields = FileFields::parse(&parts[1..]).map_err(|error| match error {
            FieldError::BadChecksum => self.corrupt("Invalid checksum value for", name),
            FieldError::Other(status) => status,
        })?;
        if fields.excluded {
            meta.excluded.push(name.to_string());
            return Ok(());
        }
        let Some(&size) = self.sizes.get(name) else {
            return Err(Status::corruption(format!(
                "Pathname in meta file not found on disk: {}",
                self.dir.join(name).display()
            )));
        };
        if let Some(expected) = fields.size.filter(|expected| *expected != size) {
            return Err(Status::corruption(format!(
                "For file {name} expected size {expected} but found size{size}"
            )));
        }
        let file = BackupFile { name: name.into(), size, crc: fields.crc, temperature: 0 };
        meta.files.push(Arc::new(file));
        Ok(())
    }
}

/// Fields up to the number of files, which is returned.
fn read_fields<'a>(
    lines: &mut impl Iterator<Item = &'a str>,
    schema: i32,
    meta: &mut BackupMeta,
) -> Result<Option<u64>> {
    for line in lines {
        if line.is_empty() {
            return Err(Status::corruption("Unexpected empty line"));
        }
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Some(leading_number(line)));
        }
        let Some((name, value)) = line.split_once(' ') else {
            return Err(Status::corruption("Expected number of files or meta field"));
        };
        if name == "metadata" {
            meta.app_metadata = decode_hex(value).ok_or_else(|| {
                Status::corruption("Failed to decode stored hex encoded app metadata")
            })?;
        } else if schema < 2 {
            return Err(Status::corruption("Expected number of files or \"metadata\" field"));
        } else if name.starts_with(NOT_IGNORABLE) {
            return Err(unknown_field("meta field", name));
        }
    }
    Ok(None)
}

fn unknown_field(kind: &str, name: &str) -> Status {
    let text = format!("Unrecognized non-ignorable {kind} {name} (from future version?)");
    Status::not_supported(text)
}

fn check_footer(line: &str) -> Result<()> {
    match line.split_once(' ') {
        _ if line.is_empty() => Err(Status::corruption("Unexpected empty line")),
        None => Err(Status::corruption("Expected footer field")),
        Some((name, _)) if name.starts_with(NOT_IGNORABLE) => Err(unknown_field("field", name)),
        Some(_) => Ok(()),
    }
}

/// What follows a file's name.
#[derive(Default)]
struct FileFields {
    crc: Option<u32>,
    size: Option<u64>,
    excluded: bool,
}

enum FieldError {
    BadChecksum,
    Other(Status),
}

impl FileFields {
    fn parse(parts: &[&str]) -> Result<FileFields, FieldError> {
        let mut fields = FileFields::default();
        for pair in parts.chunks_exact(2) {
            match (pair[0], pair[1]) {
                ("crc32", value) => match value.parse::<u32>() {
                    Ok(crc) if crc.to_string() == value => fields.crc = Some(crc),
                    _ => return Err(FieldError::BadChecksum),
                },
                ("size", value) => fields.size = Some(leading_number(value)),
                (EXCLUDED, "true") => fields.excluded = true,
                (EXCLUDED, "false") => fields.excluded = false,
                (EXCLUDED, value) => {
                    let text = format!("Unrecognized value \"{value}\" for field {EXCLUDED}");
                    return Err(FieldError::Other(Status::not_supported(text)));
                }
                (name, _) if name.starts_with(NOT_IGNORABLE) => {
                    return Err(FieldError::Other(unknown_field("file field", name)));
                }
                // Temperatures, and what later versions add.
                _ => {}
            }
        }
        Ok(fields)
    }
}

/// The number that a text starts with, as C reads it: 0 if there is none.
fn leading_number(text: &str) -> u64 {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold(0u64, |n, digit| n.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
#[path = "meta_tests.rs"]
mod tests;
