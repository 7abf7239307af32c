//! Tests of the format of version edits.

use super::edit::{BlobFileAddition, BlobFileGarbage, VersionEdit, WalAddition};
use super::file_meta::{FileMeta, UNKNOWN_CHECKSUM_FUNC};
use crate::base::coding::{put_length_prefixed, put_varint32, put_varint64};
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType};
use crate::base::random::Random;
use std::sync::Arc;

fn key(random: &mut Random) -> InternalKey {
    let len = random.below(40) as usize;
    let types = [ValueType::Value, ValueType::Deletion, ValueType::RangeDeletion];
    let value_type = types[random.below(3) as usize];
    InternalKey::new(&random.bytes(len), random.below(MAX_SEQUENCE), value_type)
}

/// A number of any width; often 0.
fn number(random: &mut Random) -> u64 {
    if random.one_in(4) { 0 } else { random.next_u64() >> random.below(64) }
}

fn text(random: &mut Random) -> Vec<u8> {
    let len = random.below(20) as usize;
    random.bytes(len)
}

fn maybe<T>(random: &mut Random, make: impl FnOnce(&mut Random) -> T) -> Option<T> {
    random.one_in(2).then(|| make(random))
}

fn file(random: &mut Random) -> FileMeta {
    let mut file = FileMeta {
        number: number(random) >> 2,
        path_id: random.below(4) as u32,
        file_size: number(random),
        smallest: key(random),
        largest: key(random),
        smallest_seqno: number(random),
        largest_seqno: number(random),
        marked_for_compaction: random.one_in(2),
        temperature: [0, 4, 8, 10, 12, 16][random.below(6) as usize],
        oldest_blob_file_number: number(random),
        oldest_ancester_time: number(random),
        file_creation_time: number(random),
        epoch_number: number(random).max(1),
        unique_id: [number(random), number(random)],
        compensated_range_deletion_size: number(random),
        tail_size: number(random),
        user_defined_timestamps_persisted: random.one_in(2),
        min_timestamp: text(random),
        max_timestamp: text(random),
        file_open_metadata: text(random),
        ..FileMeta::default()
    };
    if random.one_in(2) {
        file.file_checksum = text(random);
        file.file_checksum_func_name = b"FileChecksumCrc32c".to_vec();
    }
    file
}

fn edit(random: &mut Random) -> VersionEdit {
    let mut edit = VersionEdit {
        db_id: maybe(random, text),
        comparator: maybe(random, text),
        persist_user_defined_timestamps: maybe(random, |r| r.one_in(2)),
        log_number: maybe(random, number),
        prev_log_number: maybe(random, number),
        next_file_number: maybe(random, number),
        max_column_family: maybe(random, |r| number(r) as u32),
        min_log_number_to_keep: maybe(random, number),
        last_sequence: maybe(random, number),
        wal_deletion: maybe(random, |r| number(r).max(1)),
        column_family: number(random) as u32,
        column_family_add: maybe(random, text),
        column_family_drop: random.one_in(2),
        atomic_group: maybe(random, |r| number(r) as u32),
        full_history_ts_low: maybe(random, |r| [text(r), vec![0]].concat()),
        subcompaction_progress: maybe(random, text),
        last_compacted_manifest_file_size: maybe(random, number),
        ..VersionEdit::default()
    };
    for _ in 0..random.below(4) {
        let level = random.below(7) as u32;
        edit.compact_cursors.push((level, key(random)));
        edit.deleted_files.insert((level, number(random)));
        edit.new_files.push((level, Arc::new(file(random))));
        edit.blob_file_additions.push(BlobFileAddition {
            number: number(random),
            total_blob_count: number(random),
            total_blob_bytes: number(random),
            checksum_method: text(random),
            checksum_value: text(random),
        });
        edit.blob_file_garbages.push(BlobFileGarbage {
            number: number(random),
            garbage_blob_count: number(random),
            garbage_blob_bytes: number(random),
        });
        let synced_size = maybe(random, |r| number(r) >> 1);
        edit.wal_additions.push(WalAddition { number: number(random), synced_size });
    }
    edit
}

/// Everything of an edit but its files, which have no `Debug` that is equal for equal records.
fn outline(edit: &VersionEdit) -> String {
    format!("{:?}", VersionEdit { new_files: Vec::new(), ..edit.clone() })
}

fn encode(edit: &VersionEdit) -> Vec<u8> {
    let mut record = Vec::new();
    edit.encode_to(0, &mut record).unwrap();
    record
}

fn assert_same(a: &VersionEdit, b: &VersionEdit) {
    assert_eq!(outline(a), outline(b));
    assert_eq!(a.new_files.len(), b.new_files.len());
    for ((level_a, file_a), (level_b, file_b)) in a.new_files.iter().zip(&b.new_files) {
        assert_eq!(level_a, level_b);
        assert!(file_a.same_record(file_b), "{file_a:?}\n{file_b:?}");
    }
}

#[test]
fn random_edits_round_trip() {
    let mut random = Random::from_env(11);
    for _ in 0..2000 {
        let edit = edit(&mut random);
        let record = encode(&edit);
        let decoded = VersionEdit::decode(&record).unwrap();
        assert_same(&edit, &decoded);
        assert_eq!(encode(&decoded), record);
    }
}

#[test]
fn damaged_edits_never_panic() {
    let mut random = Random::from_env(12);
    for _ in 0..60 {
        let record = encode(&edit(&mut random));
        for len in 0..record.len() {
            // A prefix may end between two fields, and is an edit then.
            let _ = VersionEdit::decode(&record[..len]);
        }
        for bit in 0..record.len() * 8 {
            let mut flipped = record.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Ok(edit) = VersionEdit::decode(&flipped) {
                let mut again = Vec::new();
                // Fails where the flip took a file's epoch number away.
                let _ = edit.encode_to(0, &mut again);
            }
        }
    }
}

fn error_of(record: &[u8]) -> String {
    VersionEdit::decode(record).unwrap_err().to_string()
}

#[test]
fn unknown_tags_are_skipped_or_refused() {
    let mut record = encode(&VersionEdit { log_number: Some(7), ..VersionEdit::new(3) });
    put_varint32(&mut record, (1 << 13) + 500);
    put_length_prefixed(&mut record, b"from the future");
    put_varint32(&mut record, 4);
    put_varint64(&mut record, 99);
    let edit = VersionEdit::decode(&record).unwrap();
    assert_eq!((edit.log_number, edit.column_family, edit.last_sequence), (Some(7), 3, Some(99)));

    put_varint32(&mut record, 8);
    assert_eq!(error_of(&record), "Corruption: VersionEdit: unknown tag");
    let mut short = Vec::new();
    put_varint32(&mut short, (1 << 13) + 500);
    put_varint32(&mut short, 5);
    let text = "Corruption: VersionEdit: safely ignoreable tag length error";
    assert_eq!(error_of(&short), text);
    assert_eq!(error_of(&[0x80]), "Corruption: VersionEdit: invalid tag");
}

/// The record of a new file with one more custom field.
fn with_custom_field(tag: u32, field: &[u8]) -> Vec<u8> {
    let mut edit = VersionEdit::default();
    let file = FileMeta {
        number: 9,
        smallest: InternalKey::new(b"a", 1, ValueType::Value),
        largest: InternalKey::new(b"b", 2, ValueType::Value),
        epoch_number: 1,
        ..FileMeta::default()
    };
    edit.new_files.push((0, Arc::new(file)));
    let mut record = encode(&edit);
    assert_eq!(record.pop(), Some(1), "the end marker");
    put_varint32(&mut record, tag);
    put_length_prefixed(&mut record, field);
    put_varint32(&mut record, 1);
    record
}

#[test]
fn custom_fields_are_skipped_or_refused() {
    let edit = VersionEdit::decode(&with_custom_field(40, b"xyz")).unwrap();
    assert_eq!(edit.new_files[0].1.number, 9);
    let cases: [(u32, &[u8], &str); 8] = [
        (66, b"x", "new-file4 custom field not supported"),
        (65, b"\x04", "path_id wrong vaue"),
        (65, b"\x01\x01", "path_id field wrong size"),
        (2, b"", "need_compaction field wrong size"),
        (3, b"1234567", "deleted log number malformatted"),
        (9, b"12", "temperature field wrong size"),
        (12, b"123456789", "invalid unique id"),
        (13, b"\x80", "invalid epoch number"),
    ];
    for (tag, field, text) in cases {
        let expected = format!("Corruption: VersionEdit: {text}");
        assert_eq!(error_of(&with_custom_field(tag, field)), expected);
    }
    // A temperature from the future is unknown, not an error.
    let edit = VersionEdit::decode(&with_custom_field(9, b"\x20")).unwrap();
    assert_eq!(edit.new_files[0].1.temperature, 0);
}

#[test]
fn old_formats_of_new_files() {
    let (small, large) = (key(&mut Random::new(1)), key(&mut Random::new(2)));
    for (tag, path_id, has_sequences) in [(7, None, false), (100, None, true), (102, Some(2), true)]
    {
        let mut record = Vec::new();
        put_varint32(&mut record, tag);
        put_varint32(&mut record, 3);
        put_varint64(&mut record, 12);
        if let Some(path_id) = path_id {
            put_varint32(&mut record, path_id);
        }
        put_varint64(&mut record, 5000);
        put_length_prefixed(&mut record, small.as_bytes());
        put_length_prefixed(&mut record, large.as_bytes());
        if has_sequences {
            put_varint64(&mut record, 4);
            put_varint64(&mut record, 8);
        }
        let edit = VersionEdit::decode(&record).unwrap();
        let (level, file) = &edit.new_files[0];
        assert_eq!((*level, file.number, file.file_size), (3, 12, 5000));
        assert_eq!((&file.smallest, &file.largest), (&small, &large));
        assert_eq!(file.path_id, path_id.unwrap_or(0));
        let expected = if has_sequences { (4, 8) } else { (MAX_SEQUENCE, 0) };
        assert_eq!((file.smallest_seqno, file.largest_seqno), expected);
        assert_eq!(file.file_checksum_func_name, UNKNOWN_CHECKSUM_FUNC);
        record.truncate(record.len() - 1);
        assert!(VersionEdit::decode(&record).is_err());
    }
}

#[test]
fn nothing_is_written_without_boundaries_or_epoch() {
    let whole = file(&mut Random::new(5));
    for broken in [
        FileMeta { epoch_number: 0, ..whole.clone() },
        FileMeta { smallest: InternalKey::default(), ..whole.clone() },
        FileMeta { largest: InternalKey::default(), ..whole },
    ] {
        let mut edit = VersionEdit::default();
        edit.add_file(0, Arc::new(broken));
        assert!(edit.encode_to(0, &mut Vec::new()).unwrap_err().is_corruption());
    }
}

#[test]
fn timestamps_are_cut_from_boundaries_that_lack_them() {
    let bare = InternalKey::new(b"key", 5, ValueType::Value);
    let stamped = InternalKey::new(b"key\0\0\0\0\0\0\0\0", 5, ValueType::Value);
    for (persisted, expected) in [(false, &bare), (true, &stamped)] {
        let mut edit = VersionEdit::default();
        edit.add_file(
            0,
            Arc::new(FileMeta {
                smallest: stamped.clone(),
                largest: stamped.clone(),
                smallest_seqno: 5,
                largest_seqno: 5,
                epoch_number: 1,
                user_defined_timestamps_persisted: persisted,
                ..FileMeta::default()
            }),
        );
        assert_eq!(edit.last_sequence, Some(5));
        let mut record = Vec::new();
        edit.encode_to(8, &mut record).unwrap();
        let decoded = VersionEdit::decode(&record).unwrap();
        assert_eq!(&decoded.new_files[0].1.smallest, expected);
        assert_eq!(&decoded.new_files[0].1.largest, expected);
    }
}
