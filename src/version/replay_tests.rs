//! Tests of what a MANIFEST may not say.

use super::column_family::{ColumnFamilyConfig, PERSISTENT_STATS_NAME};
use super::edit::VersionEdit;
use super::file_meta::{FileMeta, MAX_FILE_NUMBER};
use super::replay::{Recovered, Replay};
use crate::base::comparator::{Comparator, UserComparator};
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType};
use crate::base::status::Result;
use std::cmp::Ordering;
use std::sync::Arc;

fn config(name: &str) -> ColumnFamilyConfig {
    ColumnFamilyConfig::new(name.as_bytes(), Comparator::Bytewise)
}

fn replay(configs: &[ColumnFamilyConfig], edits: &[VersionEdit]) -> Result<Recovered> {
    let mut replay = Replay::new(configs)?;
    for edit in edits {
        let mut record = Vec::new();
        edit.encode_to(0, &mut record)?;
        replay.record(&record)?;
    }
    replay.finish(false)
}

fn error(edits: &[VersionEdit]) -> String {
    replay(&[config("default"), config("a")], edits).map(|_| ()).unwrap_err().to_string()
}

/// What every MANIFEST must say.
fn base() -> VersionEdit {
    VersionEdit {
        log_number: Some(3),
        next_file_number: Some(9),
        last_sequence: Some(7),
        ..VersionEdit::default()
    }
}

fn add(id: u32, name: &str) -> VersionEdit {
    VersionEdit { column_family_add: Some(name.as_bytes().to_vec()), ..VersionEdit::new(id) }
}

fn grouped(id: u32, remaining: u32) -> VersionEdit {
    VersionEdit { atomic_group: Some(remaining), log_number: Some(8), ..VersionEdit::new(id) }
}

#[test]
fn missing_entries_are_named() {
    let full = base();
    assert_eq!(
        error(&[VersionEdit { log_number: None, last_sequence: None, ..full.clone() }]),
        "Corruption: no log_file_number, last_sequence entry in MANIFEST"
    );
    assert_eq!(
        error(&[VersionEdit { next_file_number: None, ..full }]),
        "Corruption: no next_file_number entry in MANIFEST"
    );
}

#[test]
fn numbers_out_of_range_are_refused() {
    for edit in [
        VersionEdit { next_file_number: Some(MAX_FILE_NUMBER), ..base() },
        VersionEdit { next_file_number: Some(u64::MAX), ..base() },
        VersionEdit { last_sequence: Some(MAX_SEQUENCE + 1), ..base() },
    ] {
        assert!(error(&[edit]).starts_with("Corruption: MANIFEST entry out of range"));
    }
    let state = replay(
        &[config("default")],
        &[VersionEdit { prev_log_number: Some(50), last_sequence: Some(MAX_SEQUENCE), ..base() }],
    )
    .unwrap();
    assert_eq!((state.next_file_number, state.last_sequence), (51, MAX_SEQUENCE));
}

#[test]
fn families_must_be_known() {
    let twice = "Corruption: MANIFEST adding the same column family twice: a";
    assert_eq!(error(&[base(), add(1, "a"), add(1, "a")]), twice);
    assert_eq!(error(&[base(), add(1, "a"), add(2, "a")]), twice);
    let drop = VersionEdit { column_family_drop: true, ..VersionEdit::new(1) };
    assert_eq!(
        error(&[base(), drop.clone()]),
        "Corruption: MANIFEST - dropping non-existing column family"
    );
    assert_eq!(
        error(&[base(), VersionEdit::new(4)]),
        "Corruption: MANIFEST record referencing unknown column family"
    );
    // Dropped ones may come again, asked for or not.
    let edits = [base(), add(1, "a"), drop.clone(), add(2, "a"), add(3, "x")];
    assert_eq!(error(&edits), "Invalid argument: Column families not opened: x");
    let edits = [base(), add(1, "x"), VersionEdit::new(1), drop, add(2, "a")];
    let state = replay(&[config("default"), config("a")], &edits).unwrap();
    assert_eq!(state.families.iter().map(|f| f.id()).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(state.max_column_family, 2);
    let stats = std::str::from_utf8(PERSISTENT_STATS_NAME).unwrap();
    let state = replay(&[config("default")], &[base(), add(1, stats)]).unwrap();
    assert_eq!(state.families.len(), 2, "opened although nobody asked");
}

#[test]
fn atomic_groups_count_or_nothing_does() {
    let group = [base(), grouped(0, 1), grouped(0, 0)];
    assert_eq!(replay(&[config("default")], &group).unwrap().families[0].log_number(), 8);
    // Cut off: as if the group had never been written.
    let state = replay(&[config("default")], &group[..2]).unwrap();
    assert_eq!(state.families[0].log_number(), 3);
    for broken in [
        vec![base(), grouped(0, 2), grouped(0, 0)],
        vec![base(), grouped(0, 1), grouped(0, 1)],
        vec![base(), grouped(0, 1), base()],
        vec![base(), grouped(0, u32::MAX), grouped(0, 3)],
    ] {
        assert_eq!(error(&broken), "Corruption: corrupted atomic group");
    }
}

#[test]
fn files_must_fit_the_levels() {
    let mut edit = base();
    let key = InternalKey::new(b"k", 1, ValueType::Value);
    let file = FileMeta {
        number: 5,
        smallest: key.clone(),
        largest: key,
        epoch_number: 1,
        ..FileMeta::default()
    };
    edit.new_files.push((9, Arc::new(file)));
    assert_eq!(
        error(&[edit.clone()]),
        "Invalid argument: db has more levels than options.num_levels"
    );
    let wide = ColumnFamilyConfig { num_levels: 12, ..config("default") };
    let state = replay(&[wide], &[edit]).unwrap();
    assert_eq!(state.families[0].current().files(9).len(), 1);
}

#[test]
fn epochs_start_behind_the_reserved_one() {
    let behind = ColumnFamilyConfig { allow_ingest_behind: true, ..config("default") };
    for (config, first) in [(config("default"), 1), (behind, 2)] {
        let state = replay(&[config], &[base()]).unwrap();
        assert_eq!(state.families[0].new_epoch_number(), first);
    }
}

struct Named(&'static str, usize);

impl UserComparator for Named {
    fn name(&self) -> &str {
        self.0
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }

    fn timestamp_size(&self) -> usize {
        self.1
    }
}

#[test]
fn timestamps_can_be_turned_on_and_off() {
    let plain = "leveldb.BytewiseComparator";
    let stamped = "leveldb.BytewiseComparator.u64ts";
    // (opened with, persisting now; recorded, persisted then; what RocksDB says)
    let cases = [
        ((stamped, true), (stamped, true), "ok"),
        ((plain, false), (plain, true), "ok"),
        ((stamped, false), (stamped, true), "Cannot toggle the persist_user_defined_timestamps"),
        ((stamped, false), (plain, true), "ok"),
        ((stamped, true), (plain, true), "Cannot open a column family and enable"),
        ((plain, true), (stamped, false), "ok"),
        ((plain, true), (stamped, true), "Cannot open a column family and disable"),
        ((plain, true), ("other", true), "leveldb.BytewiseComparator: does not match existing"),
    ];
    for ((name, persist), (recorded, persisted), expected) in cases {
        let size = if name == stamped { 8 } else { 0 };
        let config = ColumnFamilyConfig {
            persist_user_defined_timestamps: persist,
            ..ColumnFamilyConfig::new(b"default", Comparator::Custom(Arc::new(Named(name, size))))
        };
        let edit = VersionEdit {
            comparator: Some(recorded.as_bytes().to_vec()),
            persist_user_defined_timestamps: Some(persisted),
            ..base()
        };
        let found = match replay(&[config], &[edit]) {
            Ok(_) => "ok".to_string(),
            Err(status) => status.text().to_string(),
        };
        assert!(found.starts_with(expected), "{name} {recorded}: {found}");
    }
}

#[test]
fn boundaries_without_timestamps_are_padded() {
    let name = "leveldb.BytewiseComparator.u64ts";
    let config = ColumnFamilyConfig {
        persist_user_defined_timestamps: false,
        ..ColumnFamilyConfig::new(b"default", Comparator::Custom(Arc::new(Named(name, 8))))
    };
    let mut edit = VersionEdit {
        comparator: Some(name.as_bytes().to_vec()),
        persist_user_defined_timestamps: Some(false),
        ..base()
    };
    let file = FileMeta {
        number: 5,
        smallest: InternalKey::new(b"a", 1, ValueType::Value),
        largest: InternalKey::new(b"b", MAX_SEQUENCE, ValueType::RangeDeletion),
        epoch_number: 1,
        user_defined_timestamps_persisted: false,
        ..FileMeta::default()
    };
    edit.new_files.push((1, Arc::new(file)));
    let state = replay(&[config], &[edit]).unwrap();
    let version = state.families[0].current();
    let file = &version.files(1)[0];
    assert_eq!(file.smallest.user_key(), b"a\0\0\0\0\0\0\0\0");
    assert_eq!(file.largest.user_key(), b"b\xff\xff\xff\xff\xff\xff\xff\xff");
}
