//! Reads version edits: every tag that RocksDB 11.8 knows; others are skipped where their number
//! says that this is safe.

use super::edit::{BlobFileAddition, BlobFileGarbage, VersionEdit, WalAddition};
use super::edit_tags::{BLOB_END, BLOB_MUST_UNDERSTAND, MAX_TEMPERATURE, file_tag, tag, wal_tag};
use super::file_meta::{FileMeta, MAX_FILE_NUMBER};
use crate::base::coding::Decoder;
use crate::base::key::InternalKey;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;

/// RocksDB's `Status::Corruption("VersionEdit", what)`.
fn corrupt(what: &str) -> Status {
    Status::corruption(format!("VersionEdit: {what}"))
}

pub(super) fn decode(record: &[u8]) -> Result<VersionEdit> {
    let mut input = Decoder::new(record);
    let mut edit = VersionEdit::default();
    while let Some(tag) = input.get_varint32() {
        if !decode_scalar(tag, &mut input, &mut edit)?
            && !decode_files(tag, &mut input, &mut edit)?
            && !decode_column_family(tag, &mut input, &mut edit)?
            && !decode_blobs_and_wals(tag, &mut input, &mut edit)?
        {
            skip_unknown(tag, &mut input)?;
        }
    }
    if input.is_empty() { Ok(edit) } else { Err(corrupt("invalid tag")) }
}

fn skip_unknown(tag: u32, input: &mut Decoder<'_>) -> Result<()> {
    if tag & tag::SAFE_IGNORE == 0 {
        return Err(corrupt("unknown tag"));
    }
    match input.get_length_prefixed() {
        Some(_) => Ok(()),
        None => Err(corrupt("safely ignoreable tag length error")),
    }
}

fn want<T>(value: Option<T>, what: &str) -> Result<Option<T>> {
    match value {
        Some(value) => Ok(Some(value)),
        None => Err(corrupt(what)),
    }
}

fn want_bytes(value: Option<&[u8]>, what: &str) -> Result<Option<Vec<u8>>> {
    Ok(want(value, what)?.map(<[u8]>::to_vec))
}

/// Decodes the fields of `tag` if it is one of its kind; says whether it was. So do the three
/// functions below.
fn decode_scalar(tag: u32, input: &mut Decoder<'_>, edit: &mut VersionEdit) -> Result<bool> {
    match tag {
        tag::DB_ID => edit.db_id = want_bytes(input.get_length_prefixed(), "db id")?,
        tag::COMPARATOR => {
            edit.comparator = want_bytes(input.get_length_prefixed(), "comparator name")?;
        }
        tag::LOG_NUMBER => edit.log_number = want(input.get_varint64(), "log number")?,
        tag::PREV_LOG_NUMBER => {
            edit.prev_log_number = want(input.get_varint64(), "previous log number")?;
        }
        tag::NEXT_FILE_NUMBER => {
            edit.next_file_number = want(input.get_varint64(), "next file number")?;
        }
        tag::MAX_COLUMN_FAMILY => {
            edit.max_column_family = want(input.get_varint32(), "max column family")?;
        }
        tag::MIN_LOG_NUMBER_TO_KEEP => {
            edit.min_log_number_to_keep = want(input.get_varint64(), "min log number to kee")?;
        }
        tag::LAST_SEQUENCE => {
            edit.last_sequence = want(input.get_varint64(), "last sequence number")?;
        }
        tag::LAST_COMPACTED_SIZE => {
            let size = input.get_length_prefixed().and_then(|b| Decoder::new(b).get_varint64());
            edit.last_compacted_manifest_file_size =
                want(size, "last compacted manifest file size")?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn decode_files(tag: u32, input: &mut Decoder<'_>, edit: &mut VersionEdit) -> Result<bool> {
    match tag {
        tag::COMPACT_CURSOR => {
            let cursor = get_level(input).zip(get_key(input));
            edit.compact_cursors.extend(want(cursor, "compaction cursor")?);
        }
        tag::DELETED_FILE => {
            let deleted = get_level(input).zip(input.get_varint64());
            edit.deleted_files.extend(want(deleted, "deleted file")?);
        }
        tag::NEW_FILE => push_file(edit, get_file(input, tag), "new-file entry")?,
        tag::NEW_FILE2 => push_file(edit, get_file(input, tag), "new-file2 entry")?,
        tag::NEW_FILE3 => push_file(edit, get_file(input, tag), "new-file3 entry")?,
        tag::NEW_FILE4 => {
            let Some((level, mut file)) = get_file(input, tag) else {
                return Err(corrupt("new-file4 entry"));
            };
            if let Some(min_log) = decode_file_fields(input, &mut file)? {
                edit.min_log_number_to_keep = Some(min_log);
            }
            edit.new_files.push((level, Arc::new(file)));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn push_file(edit: &mut VersionEdit, file: Option<(u32, FileMeta)>, what: &str) -> Result<()> {
    match file {
        Some((level, file)) => edit.new_files.push((level, Arc::new(file))),
        None => return Err(corrupt(what)),
    }
    Ok(())
}

/// A level. RocksDB keeps it in a signed int; larger numbers can only be damage.
fn get_level(input: &mut Decoder<'_>) -> Option<u32> {
    input.get_varint32().filter(|&level| i32::try_from(level).is_ok())
}

fn get_key(input: &mut Decoder<'_>) -> Option<InternalKey> {
    InternalKey::decode(input.get_length_prefixed()?).ok()
}

/// The fields that a new file has in the format of `tag`, without the custom ones of the fourth.
fn get_file(input: &mut Decoder<'_>, tag: u32) -> Option<(u32, FileMeta)> {
    let level = get_level(input)?;
    let mut file = FileMeta { number: input.get_varint64()?, ..FileMeta::default() };
    if tag == tag::NEW_FILE3 {
        file.path_id = input.get_varint32()?;
    }
    file.file_size = input.get_varint64()?;
    file.smallest = get_key(input)?;
    file.largest = get_key(input)?;
    if tag != tag::NEW_FILE {
        file.smallest_seqno = input.get_varint64()?;
        file.largest_seqno = input.get_varint64()?;
    }
    (file.number <= MAX_FILE_NUMBER && file.path_id <= 3).then_some((level, file))
}

/// Decodes the custom fields of a new file; returns the smallest WAL number to keep if a field
/// held it.
fn decode_file_fields(input: &mut Decoder<'_>, file: &mut FileMeta) -> Result<Option<u64>> {
    let mut min_log = None;
    loop {
        let Some(tag) = input.get_varint32() else {
            return Err(corrupt("new-file4 custom field"));
        };
        if tag == file_tag::TERMINATE {
            return Ok(min_log);
        }
        let Some(field) = input.get_length_prefixed() else {
            return Err(corrupt("new-file4 custom field length prefixed slice error"));
        };
        if tag == file_tag::MIN_LOG_NUMBER_TO_KEEP {
            let number = Decoder::new(field).get_fixed64();
            min_log = want(number, "deleted log number malformatted")?;
        } else if !decode_file_number(tag, field, file)? {
            decode_file_field(tag, field, file)?;
        }
    }
}

/// Custom fields that hold one varint; says whether `tag` is one.
fn decode_file_number(tag: u32, field: &[u8], file: &mut FileMeta) -> Result<bool> {
    let (slot, what) = match tag {
        file_tag::OLDEST_ANCESTER_TIME => {
            (&mut file.oldest_ancester_time, "invalid oldest ancester time")
        }
        file_tag::FILE_CREATION_TIME => {
            (&mut file.file_creation_time, "invalid file creation time")
        }
        file_tag::EPOCH_NUMBER => (&mut file.epoch_number, "invalid epoch number"),
        file_tag::OLDEST_BLOB_FILE => {
            (&mut file.oldest_blob_file_number, "invalid oldest blob file number")
        }
        file_tag::COMPENSATED_RANGE_DELETION => {
            (&mut file.compensated_range_deletion_size, "Invalid compensated range deletion size")
        }
        file_tag::TAIL_SIZE => (&mut file.tail_size, "invalid tail start offset"),
        _ => return Ok(false),
    };
    match Decoder::new(field).get_varint64() {
        Some(value) => *slot = value,
        None => return Err(corrupt(what)),
    }
    Ok(true)
}

fn decode_file_field(tag: u32, field: &[u8], file: &mut FileMeta) -> Result<()> {
    match tag {
        file_tag::PATH_ID => {
            file.path_id = u32::from(single_byte(field, "path_id field wrong size")?);
            if file.path_id > 3 {
                return Err(corrupt("path_id wrong vaue"));
            }
        }
        file_tag::FILE_CHECKSUM => file.file_checksum = field.to_vec(),
        file_tag::FILE_CHECKSUM_FUNC => file.file_checksum_func_name = field.to_vec(),
        file_tag::NEED_COMPACTION => {
            let byte = single_byte(field, "need_compaction field wrong size")?;
            file.marked_for_compaction = byte == 1;
        }
        file_tag::TEMPERATURE => {
            let byte = single_byte(field, "temperature field wrong size")?;
            if byte <= MAX_TEMPERATURE {
                file.temperature = byte;
            }
        }
        file_tag::UNIQUE_ID => {
            let mut words = Decoder::new(field);
            match (words.get_fixed64(), words.get_fixed64(), words.is_empty()) {
                (Some(a), Some(b), true) => file.unique_id = [a, b],
                _ => return Err(corrupt("invalid unique id")),
            }
        }
        file_tag::TIMESTAMPS_PERSISTED => {
            let what = "user-defined timestamps persisted field wrong size";
            file.user_defined_timestamps_persisted = single_byte(field, what)? == 1;
        }
        file_tag::MIN_TIMESTAMP => file.min_timestamp = field.to_vec(),
        file_tag::MAX_TIMESTAMP => file.max_timestamp = field.to_vec(),
        file_tag::FILE_OPEN_METADATA => file.file_open_metadata = field.to_vec(),
        unknown if unknown & file_tag::MUST_UNDERSTAND != 0 => {
            return Err(corrupt("new-file4 custom field not supported"));
        }
        _ => {}
    }
    Ok(())
}

fn single_byte(field: &[u8], what: &str) -> Result<u8> {
    match field {
        [byte] => Ok(*byte),
        _ => Err(corrupt(what)),
    }
}

fn decode_column_family(tag: u32, input: &mut Decoder<'_>, edit: &mut VersionEdit) -> Result<bool> {
    match tag {
        tag::COLUMN_FAMILY => match input.get_varint32() {
            Some(id) => edit.column_family = id,
            None => return Err(corrupt("set column family id")),
        },
        tag::COLUMN_FAMILY_ADD => {
            edit.column_family_add = want_bytes(input.get_length_prefixed(), "column family add")?;
        }
        tag::COLUMN_FAMILY_DROP => edit.column_family_drop = true,
        tag::IN_ATOMIC_GROUP => {
            edit.atomic_group = want(input.get_varint32(), "remaining entries")?;
        }
        tag::FULL_HISTORY_TS_LOW => match input.get_length_prefixed() {
            None => return Err(corrupt("full_history_ts_low")),
            Some([]) => return Err(corrupt("full_history_ts_low: empty")),
            Some(timestamp) => edit.full_history_ts_low = Some(timestamp.to_vec()),
        },
        tag::PERSIST_TIMESTAMPS => {
            let Some(field) = input.get_length_prefixed() else {
                return Err(corrupt("persist_user_defined_timestamps"));
            };
            let what = "persist_user_defined_timestamps field wrong size";
            edit.persist_user_defined_timestamps = Some(single_byte(field, what)? == 1);
        }
        tag::SUBCOMPACTION_PROGRESS => {
            let what = "SubcompactionProgress not prefixed by length";
            edit.subcompaction_progress = want_bytes(input.get_length_prefixed(), what)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn decode_blobs_and_wals(
    tag: u32,
    input: &mut Decoder<'_>,
    edit: &mut VersionEdit,
) -> Result<bool> {
    match tag {
        tag::BLOB_FILE_ADDITION | tag::BLOB_FILE_ADDITION_OLD => {
            edit.blob_file_additions.push(decode_blob_addition(input)?);
        }
        tag::BLOB_FILE_GARBAGE | tag::BLOB_FILE_GARBAGE_OLD => {
            edit.blob_file_garbages.push(decode_blob_garbage(input)?);
        }
        tag::WAL_ADDITION => edit.wal_additions.push(decode_wal_addition(input)?),
        tag::WAL_ADDITION2 => {
            let Some(field) = input.get_length_prefixed() else {
                return Err(corrupt("WalAddition not prefixed by length"));
            };
            edit.wal_additions.push(decode_wal_addition(&mut Decoder::new(field))?);
        }
        tag::WAL_DELETION => edit.wal_deletion = decode_wal_deletion(input)?,
        tag::WAL_DELETION2 => {
            let Some(field) = input.get_length_prefixed() else {
                return Err(corrupt("WalDeletion not prefixed by length"));
            };
            edit.wal_deletion = decode_wal_deletion(&mut Decoder::new(field))?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn or_corrupt<T>(value: Option<T>, class: &str, what: &str) -> Result<T> {
    value.ok_or_else(|| Status::corruption(format!("{class}: Error decoding {what}")))
}

fn decode_blob_addition(input: &mut Decoder<'_>) -> Result<BlobFileAddition> {
    let class = "BlobFileAddition";
    let method = |input: &mut Decoder<'_>, what| {
        or_corrupt(input.get_length_prefixed(), class, what).map(<[u8]>::to_vec)
    };
    let blob = BlobFileAddition {
        number: or_corrupt(input.get_varint64(), class, "blob file number")?,
        total_blob_count: or_corrupt(input.get_varint64(), class, "total blob count")?,
        total_blob_bytes: or_corrupt(input.get_varint64(), class, "total blob bytes")?,
        checksum_method: method(input, "checksum method")?,
        checksum_value: method(input, "checksum value")?,
    };
    skip_blob_fields(input, class)?;
    Ok(blob)
}

fn decode_blob_garbage(input: &mut Decoder<'_>) -> Result<BlobFileGarbage> {
    let class = "BlobFileGarbage";
    let garbage = BlobFileGarbage {
        number: or_corrupt(input.get_varint64(), class, "blob file number")?,
        garbage_blob_count: or_corrupt(input.get_varint64(), class, "garbage blob count")?,
        garbage_blob_bytes: or_corrupt(input.get_varint64(), class, "garbage blob bytes")?,
    };
    skip_blob_fields(input, class)?;
    Ok(garbage)
}

fn skip_blob_fields(input: &mut Decoder<'_>, class: &str) -> Result<()> {
    loop {
        let tag = or_corrupt(input.get_varint32(), class, "custom field tag")?;
        if tag == BLOB_END {
            return Ok(());
        }
        if tag & BLOB_MUST_UNDERSTAND != 0 {
            let text = format!("{class}: Forward incompatible custom field encountered");
            return Err(Status::corruption(text));
        }
        or_corrupt(input.get_length_prefixed(), class, "custom field value")?;
    }
}

fn decode_wal_addition(input: &mut Decoder<'_>) -> Result<WalAddition> {
    let class = "WalAddition";
    let number = or_corrupt(input.get_varint64(), class, "WAL log number")?;
    let mut wal = WalAddition { number, synced_size: None };
    loop {
        match or_corrupt(input.get_varint32(), class, "tag")? {
            wal_tag::TERMINATE => return Ok(wal),
            wal_tag::SYNCED_SIZE => {
                let size = or_corrupt(input.get_varint64(), class, "WAL file size")?;
                // RocksDB's marker of "unknown" is the largest number.
                wal.synced_size = Some(size).filter(|&size| size != u64::MAX);
            }
            unknown => {
                return Err(Status::corruption(format!("{class}: Unknown tag {unknown}")));
            }
        }
    }
}

/// The number of a WAL deletion; 0 means none.
fn decode_wal_deletion(input: &mut Decoder<'_>) -> Result<Option<u64>> {
    let number = or_corrupt(input.get_varint64(), "WalDeletion", "WAL log number")?;
    Ok(Some(number).filter(|&number| number != 0))
}
