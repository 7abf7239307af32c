//! Properties whose answer is a text about tables.

use super::properties::Probe;
use crate::base::key::{InternalKey, ParsedKey};
use crate::plug::table_properties::TableProperties;
use crate::version::file_meta::FileMeta;
use std::fmt::Write as _;

const MIB: f64 = 1048576.0;

pub(super) fn level_stats(probe: &Probe<'_>) -> Option<String> {
    let mut out = "Level Files Size(MB)\n--------------------\n".to_string();
    for (number, level) in probe.view.version.levels().iter().enumerate() {
        let size = level.bytes() as f64 / MIB;
        let _ = writeln!(out, "{number:3} {:8} {size:8.0}", level.files().len());
    }
    Some(out)
}

/// The raw bytes of keys and values for each byte of the level's tables, as far as they are known;
/// -1 if none are.
pub(super) fn compression_ratio_at_level(probe: &Probe<'_>, level: u64) -> Option<String> {
    let level = probe.view.version.levels().get(usize::try_from(level).ok()?)?;
    let (mut stored, mut raw) = (0u64, 0u64);
    for file in level.files() {
        let Some(counts) = file.counts() else { continue };
        let bytes = counts.raw_key_bytes + counts.raw_value_bytes;
        if bytes > 0 {
            stored += file.file_size;
            raw += bytes;
        }
    }
    let ratio = if stored == 0 { -1.0 } else { raw as f64 / stored as f64 };
    Some(format!("{ratio:.6}"))
}

/// Every table, by level: `number:size[sequence numbers][keys](reads)`. Versions are numbered by
/// column family, in the order of their making since the database was opened.
pub(super) fn sstables(probe: &Probe<'_>) -> Option<String> {
    let version = &probe.view.version;
    let number = probe.family.version_number(version);
    let mut out = String::new();
    for level in 0..version.num_levels() {
        let _ = write!(out, "--- level {level} --- version# {number}");
        if let Some(cursor) = version.compact_cursor(level) {
            let _ = write!(out, " --- compact_cursor: {}", key_text(cursor));
        }
        out.push_str(" ---\n");
        for file in version.files(level) {
            write_file(file, &mut out);
        }
    }
    Some(out)
}

fn write_file(file: &FileMeta, out: &mut String) {
    let _ = write!(
        out,
        " {}:{}[{} .. {}][{} .. {}]",
        file.number,
        file.file_size,
        file.smallest_seqno,
        file.largest_seqno,
        key_text(&file.smallest),
        key_text(&file.largest)
    );
    if file.oldest_blob_file_number != 0 {
        let _ = write!(out, " blob_file:{}", file.oldest_blob_file_number);
    }
    // Reads are not sampled.
    out.push_str("(0)\n");
}

fn key_text(key: &InternalKey) -> String {
    let mut out = String::from("'");
    match ParsedKey::parse(key.as_bytes()) {
        Ok(parsed) => {
            write_hex(parsed.user_key, &mut out);
            let _ = write!(out, "' seq:{}, type:{}", parsed.sequence, parsed.value_type as u8);
        }
        Err(_) => {
            out = String::from("(bad)");
            write_hex(key.as_bytes(), &mut out);
        }
    }
    out
}

fn write_hex(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        let _ = write!(out, "{byte:02X}");
    }
}

/// The blob files of a version.
#[derive(Default)]
pub(super) struct Blobs {
    pub files: u64,
    pub bytes: u64,
    pub garbage: u64,
}

impl Blobs {
    pub fn of(probe: &Probe<'_>) -> Blobs {
        let mut sum = Blobs::default();
        for blob in probe.view.version.blob_files().values() {
            sum.files += 1;
            sum.bytes = sum.bytes.saturating_add(blob.file_size());
            sum.garbage = sum.garbage.saturating_add(blob.garbage_bytes);
        }
        sum
    }

    /// All bytes for each that is no garbage; 0 without any.
    pub fn space_amplification(&self) -> f64 {
        match self.bytes.saturating_sub(self.garbage) {
            0 => 0.0,
            live => self.bytes as f64 / live as f64,
        }
    }
}

/// A number from 0 on with six significant digits and no zeros at its end, as C++ streams print it.
fn six_digits(number: f64) -> String {
    if number == 0.0 {
        return "0".to_string();
    }
    let decimals = (5.0 - number.log10().floor()).max(0.0) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

pub(super) fn blob_stats(probe: &Probe<'_>) -> Option<String> {
    let blobs = Blobs::of(probe);
    Some(format!(
        "Number of blob files: {}\nTotal size of blob files: {}\nTotal size of garbage in blob \
         files: {}\nBlob file space amplification: {}\n",
        blobs.files,
        blobs.bytes,
        blobs.garbage,
        six_digits(blobs.space_amplification())
    ))
}

pub(super) fn aggregated_table_properties(probe: &Probe<'_>) -> Option<String> {
    let files = probe.view.version.all_files().map(|(_, file)| &**file);
    sum_of_tables(probe, files).map(|sum| sum.sum_to_text())
}

pub(super) fn aggregated_table_properties_at_level(
    probe: &Probe<'_>,
    level: u64,
) -> Option<String> {
    let level = probe.view.version.levels().get(usize::try_from(level).ok()?)?;
    sum_of_tables(probe, level.files().iter().map(|file| &**file)).map(|sum| sum.sum_to_text())
}

/// The properties of tables added up; None if one cannot be read.
fn sum_of_tables<'a>(
    probe: &Probe<'_>,
    files: impl Iterator<Item = &'a FileMeta>,
) -> Option<TableProperties> {
    let mut sum = TableProperties::default();
    for file in files {
        sum.add(probe.family.tables.get(file).ok()?.properties());
    }
    Some(sum)
}
