use super::db_tests::TestDb;
use crate::base::status::Code;
use crate::batch::WriteBatch;
use crate::options::{ReadOptions, WriteOptions};
use crate::read::iterator::DbIterator;

fn delete(test: &TestDb, key: &str) {
    let fill = |batch: &mut WriteBatch| batch.delete(0, key.as_bytes());
    test.db().write_lone(&WriteOptions::default(), fill).unwrap();
}

fn iter(test: &TestDb, options: &ReadOptions) -> DbIterator {
    test.db().iter(test.family(0), options).unwrap()
}

#[test]
fn a_tailing_iterator_sees_what_was_written_before_its_seek() {
    let mut test = TestDb::new();
    test.reopen();
    let options = ReadOptions { tailing: true, ..ReadOptions::default() };
    let mut tail = iter(&test, &options);
    let mut expected = Vec::new();
    for i in 0..20 {
        let key = format!("{i:02}");
        test.put(&key, "v").unwrap();
        if i % 3 == 0 {
            test.flush();
        }
        expected.push(key);
        test.db().follow(test.family(0), &options, &mut tail).unwrap();
        tail.seek_to_first();
        for key in &expected {
            assert_eq!(tail.key(), key.as_bytes());
            tail.next();
        }
        assert!(!tail.valid());
    }
    let plain = ReadOptions::default();
    let mut fixed = iter(&test, &plain);
    test.put("99", "v").unwrap();
    test.db().follow(test.family(0), &plain, &mut fixed).unwrap();
    fixed.seek(b"99");
    assert!(!fixed.valid());
}

#[test]
fn a_tailing_iterator_is_not_bound_to_a_snapshot() {
    let mut test = TestDb::new();
    test.reopen();
    let snapshot = test.db().snapshot();
    test.put("a", "1").unwrap();
    let options = ReadOptions {
        tailing: true,
        snapshot: Some(snapshot.sequence()),
        ..ReadOptions::default()
    };
    let mut tail = iter(&test, &options);
    tail.seek_to_first();
    assert_eq!(tail.key(), b"a");
    test.db().release_snapshot(snapshot);
}

#[test]
fn pinned_keys_stay_where_they_are() {
    let mut test = TestDb::new();
    test.reopen();
    for i in 0..500 {
        test.put(&format!("key {i:03}"), "v").unwrap();
    }
    test.flush();
    let options = ReadOptions { pin_data: true, ..ReadOptions::default() };
    let mut iter = iter(&test, &options);
    // Addresses rather than slices, which would keep the iterator from moving.
    let mut places = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        places.push(iter.key().as_ptr());
        iter.next();
    }
    iter.seek_to_last();
    while iter.valid() {
        places.push(iter.key().as_ptr());
        iter.prev();
    }
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 1000);
    assert!(iter.key().is_empty());
}

#[test]
fn a_limit_on_hidden_records_ends_the_iteration() {
    let mut test = TestDb::new();
    test.reopen();
    for key in ["a", "b", "c", "d", "e"] {
        test.put(key, "v").unwrap();
    }
    for key in ["b", "c", "d"] {
        delete(&test, key);
    }
    // Of each deleted key there are two records.
    for (limit, passes) in [(1, false), (5, false), (6, true), (0, true)] {
        let options = ReadOptions { max_skippable_internal_keys: limit, ..ReadOptions::default() };
        let mut iter = iter(&test, &options);
        iter.seek(b"a");
        assert!(iter.valid());
        iter.next();
        assert_eq!(iter.valid(), passes, "{limit}");
        match passes {
            true => assert_eq!(iter.key(), b"e"),
            false => {
                let error = iter.status().unwrap_err();
                assert_eq!(error.code(), Code::Incomplete);
                assert_eq!(error.text(), "Too many internal keys skipped.");
            }
        }
        iter.seek_to_last();
        assert!(iter.valid());
    }
}
