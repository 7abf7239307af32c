//! Writes version edits: a sequence of (varint32 tag, fields) in the order that RocksDB 11.8 uses.
//! RocksDB 7.8 understands or skips all of it: what it does not know carries a bit that says
//! "skip me", and a length.

use super::edit::VersionEdit;
use super::edit_tags::{BLOB_END, file_tag, tag, wal_tag};
use super::file_meta::{FileMeta, UNKNOWN_CHECKSUM_FUNC, UNKNOWN_EPOCH};
use crate::base::coding::{
    put_fixed64, put_length_prefixed, put_varint32, put_varint64, varint_len,
};
use crate::base::key::{InternalKey, TRAILER_LEN};
use crate::base::status::{Result, Status};

pub(super) fn encode(edit: &VersionEdit, timestamp_size: usize, out: &mut Vec<u8>) -> Result<()> {
    encode_scalars(edit, out);
    for (level, key) in &edit.compact_cursors {
        put_varint32(out, tag::COMPACT_CURSOR);
        put_varint32(out, *level);
        put_length_prefixed(out, key.as_bytes());
    }
    for (level, number) in &edit.deleted_files {
        put_varint32(out, tag::DELETED_FILE);
        put_varint32(out, *level);
        put_varint64(out, *number);
    }
    // RocksDB repeats the number inside the first new file, for readers that know no such tag.
    let mut min_log = edit.min_log_number_to_keep;
    for (level, file) in &edit.new_files {
        encode_file(*level, file, timestamp_size, min_log.take(), out)?;
    }
    encode_blobs_and_wals(edit, out);
    encode_column_family(edit, out);
    Ok(())
}

fn put_tagged_bytes(out: &mut Vec<u8>, tag: u32, bytes: &[u8]) {
    put_varint32(out, tag);
    put_length_prefixed(out, bytes);
}

/// A varint that is itself the content of a length-prefixed field.
fn put_tagged_boxed(out: &mut Vec<u8>, tag: u32, value: u64) {
    put_varint32(out, tag);
    put_varint32(out, varint_len(value) as u32);
    put_varint64(out, value);
}

fn encode_scalars(edit: &VersionEdit, out: &mut Vec<u8>) {
    if let Some(id) = &edit.db_id {
        put_tagged_bytes(out, tag::DB_ID, id);
    }
    if let Some(name) = &edit.comparator {
        put_tagged_bytes(out, tag::COMPARATOR, name);
    }
    let numbers = [
        (tag::LOG_NUMBER, edit.log_number),
        (tag::PREV_LOG_NUMBER, edit.prev_log_number),
        (tag::NEXT_FILE_NUMBER, edit.next_file_number),
        (tag::MAX_COLUMN_FAMILY, edit.max_column_family.map(u64::from)),
        (tag::MIN_LOG_NUMBER_TO_KEEP, edit.min_log_number_to_keep),
        (tag::LAST_SEQUENCE, edit.last_sequence),
    ];
    for (tag, value) in numbers {
        if let Some(value) = value {
            put_varint32(out, tag);
            put_varint64(out, value);
        }
    }
}

fn encode_blobs_and_wals(edit: &VersionEdit, out: &mut Vec<u8>) {
    for blob in &edit.blob_file_additions {
        put_varint32(out, tag::BLOB_FILE_ADDITION);
        put_varint64(out, blob.number);
        put_varint64(out, blob.total_blob_count);
        put_varint64(out, blob.total_blob_bytes);
        put_length_prefixed(out, &blob.checksum_method);
        put_length_prefixed(out, &blob.checksum_value);
        put_varint32(out, BLOB_END);
    }
    for garbage in &edit.blob_file_garbages {
        put_varint32(out, tag::BLOB_FILE_GARBAGE);
        put_varint64(out, garbage.number);
        put_varint64(out, garbage.garbage_blob_count);
        put_varint64(out, garbage.garbage_blob_bytes);
        put_varint32(out, BLOB_END);
    }
    for wal in &edit.wal_additions {
        let mut body = Vec::new();
        put_varint64(&mut body, wal.number);
        if let Some(size) = wal.synced_size {
            put_varint32(&mut body, wal_tag::SYNCED_SIZE);
            put_varint64(&mut body, size);
        }
        put_varint32(&mut body, wal_tag::TERMINATE);
        put_tagged_bytes(out, tag::WAL_ADDITION2, &body);
    }
    if let Some(number) = edit.wal_deletion.filter(|&number| number != 0) {
        put_tagged_boxed(out, tag::WAL_DELETION2, number);
    }
}

fn encode_column_family(edit: &VersionEdit, out: &mut Vec<u8>) {
    if edit.column_family != 0 {
        put_varint32(out, tag::COLUMN_FAMILY);
        put_varint32(out, edit.column_family);
    }
    if let Some(name) = &edit.column_family_add {
        put_tagged_bytes(out, tag::COLUMN_FAMILY_ADD, name);
    }
    if edit.column_family_drop {
        put_varint32(out, tag::COLUMN_FAMILY_DROP);
    }
    if let Some(remaining) = edit.atomic_group {
        put_varint32(out, tag::IN_ATOMIC_GROUP);
        put_varint32(out, remaining);
    }
    if let Some(timestamp) = &edit.full_history_ts_low {
        put_tagged_bytes(out, tag::FULL_HISTORY_TS_LOW, timestamp);
    }
    if let Some(persist) = edit.persist_user_defined_timestamps {
        put_tagged_bytes(out, tag::PERSIST_TIMESTAMPS, &[u8::from(persist)]);
    }
    if let Some(progress) = &edit.subcompaction_progress {
        put_tagged_bytes(out, tag::SUBCOMPACTION_PROGRESS, progress);
    }
    if let Some(size) = edit.last_compacted_manifest_file_size {
        put_tagged_boxed(out, tag::LAST_COMPACTED_SIZE, size);
    }
}

fn encode_file(
    level: u32,
    file: &FileMeta,
    timestamp_size: usize,
    min_log: Option<u64>,
    out: &mut Vec<u8>,
) -> Result<()> {
    if file.smallest.is_unset() || file.largest.is_unset() || file.epoch_number == UNKNOWN_EPOCH {
        return Err(Status::corruption(format!(
            "Unable to encode VersionEdit: table file #{} has no boundaries or epoch number",
            file.number
        )));
    }
    put_varint32(out, tag::NEW_FILE4);
    put_varint32(out, level);
    put_varint64(out, file.number);
    put_varint64(out, file.file_size);
    let cut = if file.user_defined_timestamps_persisted { 0 } else { timestamp_size };
    put_boundary(out, &file.smallest, cut);
    put_boundary(out, &file.largest, cut);
    put_varint64(out, file.smallest_seqno);
    put_varint64(out, file.largest_seqno);
    encode_file_fields(file, min_log, out);
    put_varint32(out, file_tag::TERMINATE);
    Ok(())
}

/// Writes an internal key without the last `cut` bytes of its user key.
fn put_boundary(out: &mut Vec<u8>, key: &InternalKey, cut: usize) {
    let bytes = key.as_bytes();
    let (user, trailer) = bytes.split_at(bytes.len() - TRAILER_LEN);
    let user = &user[..user.len().saturating_sub(cut)];
    put_varint32(out, (user.len() + TRAILER_LEN) as u32);
    out.extend_from_slice(user);
    out.extend_from_slice(trailer);
}

fn encode_file_fields(file: &FileMeta, min_log: Option<u64>, out: &mut Vec<u8>) {
    put_tagged_boxed(out, file_tag::OLDEST_ANCESTER_TIME, file.oldest_ancester_time);
    put_tagged_boxed(out, file_tag::FILE_CREATION_TIME, file.file_creation_time);
    put_tagged_boxed(out, file_tag::EPOCH_NUMBER, file.epoch_number);
    if file.file_checksum_func_name != UNKNOWN_CHECKSUM_FUNC {
        put_tagged_bytes(out, file_tag::FILE_CHECKSUM, &file.file_checksum);
        put_tagged_bytes(out, file_tag::FILE_CHECKSUM_FUNC, &file.file_checksum_func_name);
    }
    if file.path_id != 0 {
        put_tagged_bytes(out, file_tag::PATH_ID, &[file.path_id as u8]);
    }
    if file.temperature != 0 {
        put_tagged_bytes(out, file_tag::TEMPERATURE, &[file.temperature]);
    }
    if file.marked_for_compaction {
        put_tagged_bytes(out, file_tag::NEED_COMPACTION, &[1]);
    }
    if let Some(number) = min_log {
        put_varint32(out, file_tag::MIN_LOG_NUMBER_TO_KEEP);
        put_varint32(out, 8);
        put_fixed64(out, number);
    }
    if file.oldest_blob_file_number != 0 {
        put_tagged_boxed(out, file_tag::OLDEST_BLOB_FILE, file.oldest_blob_file_number);
    }
    if file.unique_id != [0; 2] {
        put_varint32(out, file_tag::UNIQUE_ID);
        put_varint32(out, 16);
        put_fixed64(out, file.unique_id[0]);
        put_fixed64(out, file.unique_id[1]);
    }
    if file.compensated_range_deletion_size != 0 {
        let size = file.compensated_range_deletion_size;
        put_tagged_boxed(out, file_tag::COMPENSATED_RANGE_DELETION, size);
    }
    if file.tail_size != 0 {
        put_tagged_boxed(out, file_tag::TAIL_SIZE, file.tail_size);
    }
    if !file.user_defined_timestamps_persisted {
        put_tagged_bytes(out, file_tag::TIMESTAMPS_PERSISTED, &[0]);
    }
    let blobs = [
        (file_tag::MIN_TIMESTAMP, &file.min_timestamp),
        (file_tag::MAX_TIMESTAMP, &file.max_timestamp),
        (file_tag::FILE_OPEN_METADATA, &file.file_open_metadata),
    ];
    for (tag, bytes) in blobs {
        if !bytes.is_empty() {
            put_tagged_bytes(out, tag, bytes);
        }
    }
}
