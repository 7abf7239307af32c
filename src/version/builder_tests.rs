//! Tests of versions and their builder.

use super::blob::BlobFileMeta;
use super::builder::{VersionBuilder, infer_epochs};
use super::edit::{BlobFileAddition, BlobFileGarbage, VersionEdit};
use super::file_meta::FileMeta;
use super::version::Version;
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::key::{InternalKey, LookupKey, ValueType, compare_internal};
use crate::base::random::Random;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

fn ikey(user: &str, sequence: u64) -> InternalKey {
    InternalKey::new(user.as_bytes(), sequence, ValueType::Value)
}

fn file(number: u64, range: (&str, &str), seqnos: (u64, u64), epoch: u64) -> Arc<FileMeta> {
    Arc::new(FileMeta {
        number,
        file_size: 100 + number,
        smallest: ikey(range.0, seqnos.1),
        largest: ikey(range.1, seqnos.0),
        smallest_seqno: seqnos.0,
        largest_seqno: seqnos.1,
        epoch_number: epoch,
        ..FileMeta::default()
    })
}

fn empty() -> Arc<Version> {
    Arc::new(Version::empty(Comparator::Bytewise, 7))
}

fn build(base: &Arc<Version>, edits: &[VersionEdit]) -> crate::base::status::Result<Version> {
    let mut builder = VersionBuilder::new(base.clone());
    for edit in edits {
        builder.apply(edit)?;
    }
    builder.finish(true)
}

fn add(files: &[(u32, Arc<FileMeta>)]) -> VersionEdit {
    VersionEdit { new_files: files.to_vec(), ..VersionEdit::default() }
}

fn delete(files: &[(u32, u64)]) -> VersionEdit {
    VersionEdit { deleted_files: files.iter().copied().collect(), ..VersionEdit::default() }
}

fn numbers(version: &Version, level: usize) -> Vec<u64> {
    version.files(level).iter().map(|file| file.number).collect()
}

fn error(result: crate::base::status::Result<Version>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn level_zero_is_newest_first() {
    let edit = add(&[
        (0, file(1, ("a", "z"), (1, 9), 3)),
        (0, file(2, ("a", "z"), (10, 19), 5)),
        (0, file(3, ("a", "z"), (20, 29), 4)),
    ]);
    assert_eq!(numbers(&build(&empty(), &[edit]).unwrap(), 0), [2, 3, 1], "by epoch");
    let edit = add(&[
        (0, file(1, ("a", "z"), (1, 9), 3)),
        (0, file(2, ("a", "z"), (10, 19), 0)),
        (0, file(3, ("a", "z"), (20, 29), 2)),
    ]);
    assert_eq!(numbers(&build(&empty(), &[edit]).unwrap(), 0), [3, 2, 1], "by sequence");
}

#[test]
fn impossible_edits_are_refused_in_rocksdbs_words() {
    let f = |n| file(n, ("a", "b"), (1, 2), 1);
    let base = Arc::new(build(&empty(), &[add(&[(2, f(7))])]).unwrap());
    let cases = [
        (delete(&[(1, 7)]), "Cannot delete table file #7 from level 1 since it is on level 2"),
        (
            delete(&[(1, 8)]),
            "Cannot delete table file #8 from level 1 since it is not in the LSM tree",
        ),
        (
            add(&[(3, f(7))]),
            "Cannot add table file #7 to level 3 since it is already in the LSM tree on level 2",
        ),
    ];
    for (edit, text) in cases {
        let expected = format!("Corruption: VersionBuilder: {text}");
        assert_eq!(error(build(&base, &[edit])), expected);
    }
    // Removed and added again in one edit: a move.
    let moved = VersionEdit { deleted_files: [(2, 7)].into(), ..add(&[(5, f(7))]) };
    let version = build(&base, &[moved]).unwrap();
    assert_eq!((numbers(&version, 2), numbers(&version, 5)), (vec![], vec![7]));
    // To the same level, as a new object: it replaces the old one.
    let replaced = VersionEdit { deleted_files: [(2, 7)].into(), ..add(&[(2, f(7))]) };
    let version = build(&base, &[replaced]).unwrap();
    assert_eq!(numbers(&version, 2), [7]);
    assert!(!Arc::ptr_eq(&version.files(2)[0], &base.files(2)[0]));
}

#[test]
fn inconsistent_levels_are_refused_in_rocksdbs_words() {
    let prefix = "Corruption: force_consistency_checks: VersionBuilder: ";
    let overlap = add(&[(1, file(4, ("a", "m"), (1, 2), 1)), (1, file(5, ("m", "z"), (1, 2), 1))]);
    assert_eq!(
        error(build(&empty(), std::slice::from_ref(&overlap))),
        format!(
            "{prefix}L1 has overlapping ranges: file #4 largest key: '6D' seq:1, type:1 vs. file \
             #5 smallest key: '6D' seq:2, type:1"
        )
    );
    let mut unchecked = VersionBuilder::new(empty());
    unchecked.apply(&overlap).unwrap();
    assert!(unchecked.finish(false).is_ok());
    let same_epoch =
        add(&[(0, file(4, ("a", "m"), (1, 2), 8)), (0, file(5, ("k", "z"), (3, 4), 8))]);
    assert!(
        error(build(&empty(), &[same_epoch])).starts_with(&format!(
            "{prefix}L0 files of same epoch number but overlapping range #5"
        ))
    );
}

#[test]
fn levels_that_do_not_exist_are_noticed() {
    let mut builder = VersionBuilder::new(Arc::new(Version::empty(Comparator::Bytewise, 2)));
    builder.apply(&add(&[(5, file(3, ("a", "b"), (1, 2), 1))])).unwrap();
    assert!(!builder.fits_levels());
    builder.apply(&delete(&[(5, 3)])).unwrap();
    assert!(builder.fits_levels(), "it left again");
    assert_eq!(builder.finish(true).unwrap().num_files(), 0);
}

#[test]
fn missing_epochs_are_inferred_bottom_up() {
    let edit = add(&[
        (0, file(1, ("a", "z"), (1, 9), 0)),
        (0, file(2, ("a", "z"), (10, 19), 6)),
        (3, file(3, ("a", "c"), (1, 1), 0)),
        (3, file(4, ("d", "f"), (1, 1), 0)),
        (6, file(5, ("a", "z"), (0, 0), 0)),
    ]);
    let mut next = 1;
    let version = infer_epochs(build(&empty(), &[edit]).unwrap(), &mut next);
    let epochs: BTreeMap<u64, u64> =
        version.all_files().map(|(_, file)| (file.number, file.epoch_number)).collect();
    assert_eq!(epochs, BTreeMap::from([(5, 1), (3, 2), (4, 2), (1, 3), (2, 4)]));
    assert_eq!(next, 5);

    let mut next = 1;
    let whole = build(&empty(), &[add(&[(0, file(1, ("a", "z"), (1, 9), 12))])]).unwrap();
    assert_eq!(infer_epochs(whole, &mut next).files(0)[0].epoch_number, 12);
    assert_eq!(next, 13);
}

#[test]
fn blob_files_go_when_nothing_refers_to_them() {
    let blob = |number| BlobFileAddition {
        number,
        total_blob_count: 10,
        total_blob_bytes: 99,
        ..Default::default()
    };
    let garbage = |number, count| BlobFileGarbage {
        number,
        garbage_blob_count: count,
        garbage_blob_bytes: count,
    };
    let table = |number, blob| {
        let file = file(number, ("a", "b"), (1, 2), number);
        Arc::new(FileMeta { oldest_blob_file_number: blob, ..(*file).clone() })
    };
    let kept = |version: &Version| version.blob_files().keys().copied().collect::<Vec<_>>();
    let mut edit = add(&[(0, table(1, 11)), (0, table(2, 13))]);
    edit.blob_file_additions = vec![blob(10), blob(11), blob(12), blob(13)];
    edit.blob_file_garbages = vec![garbage(12, 4)];
    let base = Arc::new(build(&empty(), &[edit]).unwrap());
    assert_eq!(kept(&base), [11, 12, 13], "10 is older than all that tables refer to");
    assert_eq!(
        *base.blob_files()[&12],
        BlobFileMeta { added: blob(12), garbage_count: 4, garbage_bytes: 4 }
    );

    let full = VersionEdit { blob_file_garbages: vec![garbage(12, 6)], ..Default::default() };
    assert_eq!(kept(&build(&base, &[full]).unwrap()), [11, 13]);
    assert_eq!(kept(&build(&base, &[delete(&[(0, 1)])]).unwrap()), [13]);
    let over = VersionEdit { blob_file_garbages: vec![garbage(12, 7)], ..Default::default() };
    let text = "Corruption: VersionBuilder: Garbage overflow for blob file #12";
    assert_eq!(error(build(&base, &[over])), text);
    let unknown = VersionEdit { blob_file_garbages: vec![garbage(15, 1)], ..Default::default() };
    assert_eq!(
        error(build(&base, &[unknown])),
        "Corruption: VersionBuilder: Blob file #15 not found"
    );
    let all = VersionEdit { blob_file_garbages: vec![garbage(13, 10)], ..Default::default() };
    assert!(error(build(&base, &[all])).ends_with("Blob file #13 consists entirely of garbage"));
}

/// Random adds, deletes and moves of files on a small key space, against a map.
#[test]
fn builder_agrees_with_a_model() {
    let mut random = Random::from_env(21);
    for _ in 0..200 {
        let mut version = empty();
        let mut model: BTreeMap<u64, (u32, Arc<FileMeta>)> = BTreeMap::new();
        let mut next = 1;
        for _ in 0..10 {
            let mut builder = VersionBuilder::new(version.clone());
            for _ in 0..1 + random.below(3) {
                builder.apply(&random_edit(&mut random, &mut model, &mut next)).unwrap();
            }
            assert!(builder.fits_levels());
            version = Arc::new(builder.finish(true).unwrap());
            let found: BTreeMap<u64, u32> =
                version.all_files().map(|(level, file)| (file.number, level as u32)).collect();
            let expected = model.iter().map(|(&number, (level, _))| (number, *level)).collect();
            assert_eq!(found, expected);
            check_searches(&mut random, &version);
        }
    }
}

fn random_edit(
    random: &mut Random,
    model: &mut BTreeMap<u64, (u32, Arc<FileMeta>)>,
    next: &mut u64,
) -> VersionEdit {
    let mut edit = VersionEdit::default();
    let present: Vec<u64> = model.keys().copied().collect();
    for number in present {
        if random.one_in(5) {
            let (level, _) = model.remove(&number).unwrap();
            edit.delete_file(level, number);
        }
    }
    for _ in 0..random.below(4) {
        let level = random.below(4) as u32;
        let from = random.below(90);
        let to = from + random.below(10);
        let range = (&*format!("{from:02}"), &*format!("{to:02}"));
        let taken = model.values().any(|(other, file)| {
            *other == level
                && level > 0
                && file.largest.user_key() >= range.0.as_bytes()
                && file.smallest.user_key() <= range.1.as_bytes()
        });
        if !taken {
            let file = file(*next, range, (*next * 10, *next * 10 + 9), *next);
            model.insert(*next, (level, file.clone()));
            edit.add_file(level, file);
            *next += 1;
        }
    }
    edit
}

fn check_searches(random: &mut Random, version: &Version) {
    let user = format!("{:02}", random.below(100));
    let key = LookupKey::new(user.as_bytes(), random.below(500));
    let mut visited = Vec::new();
    let visit = |level: usize, file: &Arc<FileMeta>| {
        visited.push((level, file.number));
        Ok(ControlFlow::Continue(()))
    };
    version.files_for_get(&Bytewise, &key, visit).unwrap();
    let holds = |file: &FileMeta| {
        user.as_bytes() >= file.smallest.user_key() && user.as_bytes() <= file.largest.user_key()
    };
    let expected: Vec<(usize, u64)> = version
        .all_files()
        .filter(|(level, file)| {
            let behind = compare_internal(&Bytewise, file.largest.as_bytes(), key.internal_key());
            holds(file) && (*level == 0 || behind.is_ge())
        })
        .map(|(level, file)| (level, file.number))
        .collect();
    assert_eq!(visited, expected);

    let (begin, end) =
        (format!("{:02}", random.below(50)), format!("{:02}", 50 + random.below(50)));
    for level in 1..4 {
        let found = version.overlapping_files(level, Some(begin.as_bytes()), Some(end.as_bytes()));
        let naive: Vec<u64> = version
            .files(level)
            .iter()
            .filter(|f| {
                f.largest.user_key() >= begin.as_bytes() && f.smallest.user_key() <= end.as_bytes()
            })
            .map(|f| f.number)
            .collect();
        assert_eq!(found.iter().map(|f| f.number).collect::<Vec<_>>(), naive);
    }
}

#[test]
fn a_key_that_spans_files_is_looked_for_in_all() {
    let edit = add(&[
        (
            1,
            Arc::new(FileMeta {
                smallest: ikey("a", 9),
                largest: ikey("k", 7),
                ..(*file(1, ("a", "k"), (7, 9), 1)).clone()
            }),
        ),
        (
            1,
            Arc::new(FileMeta {
                smallest: ikey("k", 6),
                largest: ikey("k", 4),
                ..(*file(2, ("k", "k"), (4, 6), 1)).clone()
            }),
        ),
        (
            1,
            Arc::new(FileMeta {
                smallest: ikey("k", 3),
                largest: ikey("z", 1),
                ..(*file(3, ("k", "z"), (1, 3), 1)).clone()
            }),
        ),
    ]);
    let version = build(&empty(), &[edit]).unwrap();
    for (sequence, expected) in [(9, vec![1, 2, 3]), (6, vec![2, 3]), (2, vec![3])] {
        let mut visited = Vec::new();
        version
            .files_for_get(&Bytewise, &LookupKey::new(b"k", sequence), |_, file| {
                visited.push(file.number);
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        assert_eq!(visited, expected);
    }
}

#[test]
fn overlaps_on_level_zero_spread() {
    let edit = add(&[
        (0, file(1, ("a", "c"), (1, 1), 1)),
        (0, file(2, ("b", "f"), (2, 2), 2)),
        (0, file(3, ("e", "h"), (3, 3), 3)),
        (0, file(4, ("p", "q"), (4, 4), 4)),
    ]);
    let version = build(&empty(), &[edit]).unwrap();
    let found = |begin: Option<&[u8]>, end: Option<&[u8]>| {
        let files = version.overlapping_files(0, begin, end);
        files.iter().map(|file| file.number).collect::<Vec<_>>()
    };
    assert_eq!(found(Some(b"a"), Some(b"a")), [3, 2, 1]);
    assert_eq!(found(Some(b"o"), None), [4]);
    assert_eq!(found(None, None), [4, 3, 2, 1]);
    assert!(version.overlaps_level(0, Some(b"g"), Some(b"g")));
    assert!(!version.overlaps_level(0, Some(b"i"), Some(b"o")));
}

/// Every order's prefix search agrees with a plain one.
#[test]
fn find_file_uses_prefixes_rightly() {
    let mut random = Random::from_env(22);
    for comparator in [Comparator::Bytewise, Comparator::ReverseBytewise] {
        for _ in 0..300 {
            let len = 2 * random.below(8) as usize;
            let mut keys: Vec<Vec<u8>> = Vec::new();
            while keys.len() < len {
                // Long common prefixes, so that eight bytes often do not decide.
                let mut key = b"prefix__"[..random.below(9) as usize].to_vec();
                let tail = random.below(3) as usize;
                key.extend(random.bytes(tail).iter().map(|b| b & 3));
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
            keys.sort_by(|a, b| comparator.compare(a, b));
            let mut edit = VersionEdit::default();
            for (i, pair) in keys.chunks(2).enumerate() {
                let meta = FileMeta {
                    number: i as u64 + 1,
                    smallest: InternalKey::new(&pair[0], 5, ValueType::Value),
                    largest: InternalKey::new(&pair[1], 5, ValueType::Value),
                    epoch_number: 1,
                    ..FileMeta::default()
                };
                edit.new_files.push((1, Arc::new(meta)));
            }
            let base = Arc::new(Version::empty(comparator.clone(), 3));
            let version = build(&base, &[edit]).unwrap();
            let level = &version.levels()[1];
            for key in &keys {
                let target = InternalKey::new(key, random.below(10), ValueType::Value);
                let naive = level.files().partition_point(|file| {
                    let largest = file.largest.as_bytes();
                    compare_internal(&comparator, largest, target.as_bytes()).is_lt()
                });
                assert_eq!(level.find_file(&comparator, target.as_bytes()), naive);
            }
        }
    }
}
