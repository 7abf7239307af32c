//! What every version must satisfy (RocksDB's `force_consistency_checks`, with its texts).

use super::builder::{newest_by_epoch, newest_by_sequence};
use super::file_meta::FileMeta;
use super::version::Version;
use crate::base::comparator::Comparator;
use crate::base::key::{InternalKey, ParsedKey, compare_internal};
use crate::base::status::{Result, Status};
use std::cmp::Ordering;
use std::fmt::Write;

fn corrupt(text: String) -> Status {
    Status::corruption(format!("force_consistency_checks: VersionBuilder: {text}"))
}

/// Checks order and overlap of the files, and that no blob file is all garbage. `has_epochs` says
/// how level 0 is ordered.
pub(super) fn check(version: &Version, has_epochs: bool) -> Result<()> {
    let comparator = version.comparator();
    for (level, files) in version.levels().iter().enumerate() {
        for pair in files.files().windows(2) {
            match level {
                0 if has_epochs => check_epochs(comparator, &pair[0], &pair[1])?,
                0 => check_sequences(&pair[0], &pair[1])?,
                _ => check_sorted(comparator, level, &pair[0], &pair[1])?,
            }
        }
    }
    for (number, blob) in version.blob_files() {
        if blob.is_all_garbage() {
            return Err(corrupt(format!("Blob file #{number} consists entirely of garbage")));
        }
    }
    Ok(())
}

fn check_sequences(a: &FileMeta, b: &FileMeta) -> Result<()> {
    if newest_by_sequence(a, b) == Ordering::Less {
        return Ok(());
    }
    Err(corrupt(format!(
        "L0 files are not sorted properly: files #{} with seqnos (largest, smallest) {} , {}, \
         #{} with seqnos (largest, smallest) {} , {}",
        a.number, a.largest_seqno, a.smallest_seqno, b.number, b.largest_seqno, b.smallest_seqno
    )))
}

fn check_epochs(comparator: &Comparator, a: &FileMeta, b: &FileMeta) -> Result<()> {
    let le = |x: &InternalKey, y: &InternalKey| {
        compare_internal(comparator, x.as_bytes(), y.as_bytes()).is_le()
    };
    if a.epoch_number == b.epoch_number
        && le(&a.smallest, &b.largest)
        && le(&b.smallest, &a.largest)
    {
        let side = |f: &FileMeta| {
            format!(
                "#{} , smallest key: {} , largest key: {} , epoch number: {}",
                f.number,
                key_text(&f.smallest),
                key_text(&f.largest),
                f.epoch_number
            )
        };
        return Err(corrupt(format!(
            "L0 files of same epoch number but overlapping range {} vs. file {}",
            side(a),
            side(b)
        )));
    }
    if newest_by_epoch(a, b) == Ordering::Less {
        return Ok(());
    }
    Err(corrupt(format!(
        "L0 files are not sorted properly: files #{} with epoch number {}, #{} with epoch number {}",
        a.number, a.epoch_number, b.number, b.epoch_number
    )))
}

fn check_sorted(comparator: &Comparator, level: usize, a: &FileMeta, b: &FileMeta) -> Result<()> {
    let compare =
        |x: &InternalKey, y: &InternalKey| compare_internal(comparator, x.as_bytes(), y.as_bytes());
    if compare(&a.smallest, &b.smallest).then(a.number.cmp(&b.number)).is_ge() {
        return Err(corrupt(format!(
            "L{level} files are not sorted properly: files #{}, #{}",
            a.number, b.number
        )));
    }
    if compare(&a.largest, &b.smallest).is_ge() {
        return Err(corrupt(format!(
            "L{level} has overlapping ranges: file #{} largest key: {} vs. file #{} smallest key: {}",
            a.number,
            key_text(&a.largest),
            b.number,
            key_text(&b.smallest)
        )));
    }
    Ok(())
}

/// RocksDB's `InternalKey::DebugString(hex)`.
pub(super) fn key_text(key: &InternalKey) -> String {
    let mut text = String::from("'");
    match ParsedKey::parse(key.as_bytes()) {
        Ok(parsed) => {
            // Writing to a String cannot fail.
            for byte in parsed.user_key {
                let _ = write!(text, "{byte:02X}");
            }
            let _ = write!(text, "' seq:{}, type:{}", parsed.sequence, parsed.value_type as u8);
            text
        }
        Err(_) => "(bad)".to_string(),
    }
}
