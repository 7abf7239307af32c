//! User-defined timestamps in the MANIFEST: turning them on and off, and the boundaries of files
//! that do not store them (RocksDB's `util/udt_util`).

use super::column_family::ColumnFamilyConfig;
use super::edit::VersionEdit;
use crate::base::comparator::Comparator;
use crate::base::key::{InternalKey, TRAILER_LEN};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;

/// What the name of a comparator gains when it starts to order timestamps.
const TIMESTAMP_SUFFIX: &[u8] = b".u64ts";

/// Whether `longer` is `shorter` with timestamps.
fn adds_timestamps(shorter: &[u8], longer: &[u8]) -> bool {
    longer.strip_suffix(TIMESTAMP_SUFFIX) == Some(shorter)
}

/// Checks that the column family may be opened with the comparator of `config` although the
/// MANIFEST says `recorded` and `recorded_persisted` (whether timestamps are stored). Returns
/// whether its existing files lack the timestamps that the comparator wants.
pub(super) fn check_comparator(
    config: &ColumnFamilyConfig,
    recorded: &[u8],
    recorded_persisted: bool,
) -> Result<bool> {
    let name = config.comparator.name().as_bytes();
    let persist = config.persist_user_defined_timestamps;
    let refuse = |text: &str| Err(Status::invalid_argument(text));
    if name == recorded {
        if recorded_persisted == persist || config.comparator.timestamp_size() == 0 {
            return Ok(false);
        }
        return refuse(
            "Cannot toggle the persist_user_defined_timestamps flag for a column family with \
             user-defined timestamps feature enabled.",
        );
    }
    if adds_timestamps(recorded, name) {
        if !persist {
            return Ok(true);
        }
        return refuse(
            "Cannot open a column family and enable user-defined timestamps feature without \
             setting persist_user_defined_timestamps flag to false.",
        );
    }
    if adds_timestamps(name, recorded) {
        if !recorded_persisted {
            return Ok(false);
        }
        return refuse(
            "Cannot open a column family and disable user-defined timestamps feature if its \
             existing persist_user_defined_timestamps flag is not false.",
        );
    }
    refuse(&format!(
        "{}: does not match existing comparator {}",
        config.comparator.name(),
        String::from_utf8_lossy(recorded)
    ))
}

/// Gives the boundaries of new files that hold no timestamps the smallest one, so that they can be
/// compared; an exclusive upper bound gets the largest one, which sorts first.
pub(super) fn pad_boundaries(
    edit: &mut VersionEdit,
    comparator: &Comparator,
    files_lack_timestamps: bool,
) -> Result<()> {
    let size = comparator.timestamp_size();
    if size == 0 {
        return Ok(());
    }
    let mut padded = false;
    for (_, file) in &mut edit.new_files {
        if file.user_defined_timestamps_persisted && !files_lack_timestamps {
            if padded {
                return Err(Status::corruption(
                    "New files in one VersionEdit has different \
                     user_defined_timestamps_persisted value.",
                ));
            }
            return Ok(());
        }
        padded = true;
        let file = Arc::make_mut(file);
        file.user_defined_timestamps_persisted = false;
        file.smallest = pad(&file.smallest, size, 0);
        let fill = if file.bounds().last_excluded { 0xff } else { 0 };
        file.largest = pad(&file.largest, size, fill);
    }
    Ok(())
}

fn pad(key: &InternalKey, size: usize, fill: u8) -> InternalKey {
    let bytes = key.as_bytes();
    let (user, trailer) = bytes.split_at(bytes.len() - TRAILER_LEN);
    let mut padded = Vec::with_capacity(bytes.len() + size);
    padded.extend_from_slice(user);
    padded.resize(user.len() + size, fill);
    padded.extend_from_slice(trailer);
    let mut key = InternalKey::default();
    key.assign(&padded);
    key
}
