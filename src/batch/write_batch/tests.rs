use super::*;
use crate::base::coding::{put_fixed32, put_fixed64, put_length_prefixed};
use crate::base::random::Random;
use crate::batch::{PrepareKind, Record};

fn all(batch: &WriteBatch) -> Vec<Record<'_>> {
    batch.records().unwrap().collect::<Result<Vec<_>>>().unwrap()
}

/// A batch of these bytes behind a header with this count.
fn raw(count: u32, records: &[u8]) -> WriteBatch {
    let mut data = Vec::new();
    put_fixed64(&mut data, 7);
    put_fixed32(&mut data, count);
    data.extend_from_slice(records);
    WriteBatch::from_data(&data)
}

fn error_of(batch: &WriteBatch) -> String {
    let by_check = batch.check().unwrap_err().to_string();
    let by_reading = match batch.records() {
        Err(status) => status,
        Ok(records) => records.filter_map(|r| r.err()).next().unwrap(),
    };
    assert_eq!(by_check, by_reading.to_string());
    by_check
}

#[test]
fn records_come_back_as_they_were_added() {
    let mut batch = WriteBatch::new();
    batch.put(0, b"k", b"v").unwrap();
    batch.put(300, b"", b"").unwrap();
    batch.putv(1, &[b"a", b"", b"bc"], &[]).unwrap();
    batch.delete(0, b"d").unwrap();
    batch.deletev(2, &[b"d", b"e"]).unwrap();
    batch.single_delete(0, b"s").unwrap();
    batch.single_deletev(u32::MAX, &[b"s"]).unwrap();
    batch.merge(0, b"m", b"1").unwrap();
    batch.mergev(3, &[b"m"], &[b"1", b"2"]).unwrap();
    batch.delete_range(0, b"a", b"b").unwrap();
    batch.delete_rangev(4, &[b"a", b"a"], &[b"b"]).unwrap();
    assert!(!batch.content().has_markers());
    batch.put_log_data(b"note").unwrap();
    assert_eq!(batch.count(), 11);
    assert_eq!(
        all(&batch),
        [
            Record::Put { cf: 0, key: b"k", value: b"v" },
            Record::Put { cf: 300, key: b"", value: b"" },
            Record::Put { cf: 1, key: b"abc", value: b"" },
            Record::Delete { cf: 0, key: b"d" },
            Record::Delete { cf: 2, key: b"de" },
            Record::SingleDelete { cf: 0, key: b"s" },
            Record::SingleDelete { cf: u32::MAX, key: b"s" },
            Record::Merge { cf: 0, key: b"m", value: b"1" },
            Record::Merge { cf: 3, key: b"m", value: b"12" },
            Record::DeleteRange { cf: 0, begin: b"a", end: b"b" },
            Record::DeleteRange { cf: 4, begin: b"aa", end: b"b" },
            Record::LogData(b"note"),
        ]
    );
    let copy = WriteBatch::from_data(batch.data());
    assert_eq!(copy.content(), batch.content());
    copy.check().unwrap();
}

#[test]
fn the_bytes_are_those_of_rocksdb() {
    let mut batch = WriteBatch::new();
    batch.set_sequence(0x0102);
    batch.put(0, b"foo", b"bar").unwrap();
    batch.delete(2, b"box").unwrap();
    let expected = b"\x02\x01\0\0\0\0\0\0\x02\0\0\0\x01\x03foo\x03bar\x04\x02\x03box";
    assert_eq!(batch.data(), expected);
    assert_eq!((batch.sequence(), batch.count()), (0x0102, 2));
}

#[test]
fn every_tag_is_decoded_and_only_writes_are_counted() {
    let mut rep = Vec::new();
    let mut add = |tag: u8, cf: Option<u8>, fields: &[&[u8]]| {
        rep.push(tag);
        rep.extend(cf);
        fields.iter().for_each(|f| put_length_prefixed(&mut rep, f));
    };
    add(0x0d, None, &[]);
    add(0x09, None, &[]);
    add(0x12, None, &[]);
    add(0x13, None, &[]);
    add(0x11, None, &[b"k", b"ref"]);
    add(0x10, Some(5), &[b"k", b"ref"]);
    add(0x16, None, &[b"k", b"entity"]);
    add(0x17, Some(5), &[b"k", b"entity"]);
    add(0x18, None, &[b"k", b"v\x01\0\0\0\0\0\0\0"]);
    add(0x19, Some(5), &[b"k", b"\x02\0\0\0\0\0\0\0"]);
    add(0x0a, None, &[b"x"]);
    add(0x0b, None, &[b"x"]);
    add(0x15, None, &[b"ts", b"x"]);
    add(0x0c, None, &[b"x"]);
    let batch = raw(6, &rep);
    let expected = [
        Record::Noop,
        Record::BeginPrepare(PrepareKind::Committed),
        Record::BeginPrepare(PrepareKind::Persisted),
        Record::BeginPrepare(PrepareKind::Unprepared),
        Record::BlobIndex { cf: 0, key: b"k", value: b"ref" },
        Record::BlobIndex { cf: 5, key: b"k", value: b"ref" },
        Record::PutEntity { cf: 0, key: b"k", entity: b"entity" },
        Record::PutEntity { cf: 5, key: b"k", entity: b"entity" },
        Record::TimedPut { cf: 0, key: b"k", value: b"v", unix_time: 1 },
        Record::TimedPut { cf: 5, key: b"k", value: b"", unix_time: 2 },
        Record::EndPrepare { xid: b"x" },
        Record::Commit { xid: b"x", timestamp: None },
        Record::Commit { xid: b"x", timestamp: Some(b"ts") },
        Record::Rollback { xid: b"x" },
    ];
    assert_eq!(all(&batch), expected);
    assert_eq!(expected.iter().filter(|r| r.is_counted()).count(), 6);
    for record in &expected {
        assert_eq!(record.is_counted(), record.column_family().is_some());
        assert!(batch.content().contains(ContentFlags::of(record)));
    }
    assert!(batch.content().has_markers());
}

#[test]
fn malformed_bytes_get_rocksdbs_texts() {
    for len in 0..HEADER_LEN {
        let mut batch = WriteBatch::from_data(&vec![1; len]);
        assert_eq!(error_of(&batch), "Corruption: malformed WriteBatch (too small)");
        assert!(batch.put(0, b"k", b"v").is_err());
        assert!(batch.put_log_data(b"").is_err());
        assert!(WriteBatch::new().append(&batch).is_err());
        batch.set_sequence(9);
        assert_eq!((batch.count(), batch.sequence(), batch.data().len()), (0, 0, len));
    }
    let cases: [(&[u8], &str); 14] = [
        (b"\x01\x03fo", "bad WriteBatch Put"),
        (b"\x05\x80", "bad WriteBatch Put"),
        (b"\x00\x04abc", "bad WriteBatch Delete"),
        (b"\x08\x01", "bad WriteBatch Delete"),
        (b"\x0f\x01a", "bad WriteBatch DeleteRange"),
        (b"\x02\x01a\x02b", "bad WriteBatch Merge"),
        (b"\x11\x01a\x02b", "bad WriteBatch BlobIndex"),
        (b"\x16", "bad WriteBatch PutEntity"),
        (b"\x18\x01k\x07sevenby", "bad WriteBatch TimedPut"),
        (b"\x03\xff\xff\xff\xff\x7f", "bad WriteBatch Blob"),
        (b"\x0a\x01", "bad EndPrepare XID"),
        (b"\x0b", "bad Commit XID"),
        (b"\x7e", "unknown WriteBatch tag: 126"),
        (b"\x14\x01k", "unknown WriteBatch tag: 20"),
    ];
    for (bytes, text) in cases {
        assert_eq!(error_of(&raw(1, bytes)), format!("Corruption: {text}"));
    }
    let wrong = "Corruption: WriteBatch has wrong count";
    assert_eq!(error_of(&raw(2, b"\x00\x01k")), wrong);
    assert_eq!(error_of(&raw(0, b"\x00\x01k")), wrong);
    assert_eq!(error_of(&raw(1, b"")), wrong);
}

#[test]
fn an_error_ends_the_iteration() {
    let batch = raw(3, b"\x00\x01k\x7e\x00\x01k");
    let mut records = batch.records().unwrap();
    assert!(records.next().unwrap().is_ok());
    assert!(records.next().unwrap().is_err());
    assert!(records.next().is_none());
    let batch = raw(3, b"\x00\x01k");
    assert_eq!(batch.records().unwrap().map(|r| r.is_ok()).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn appending_adds_records_counts_and_flags() {
    let mut a = WriteBatch::new();
    a.set_sequence(100);
    a.put(0, b"a", b"1").unwrap();
    let mut b = WriteBatch::new();
    b.set_sequence(500);
    b.delete(0, b"b").unwrap();
    b.put_log_data(b"x").unwrap();
    a.append(&b).unwrap();
    a.append(&WriteBatch::new()).unwrap();
    assert_eq!((a.sequence(), a.count()), (100, 2));
    assert_eq!(a.content(), ContentFlags::PUT | ContentFlags::DELETE);
    assert_eq!(all(&a).len(), 3);
    assert_eq!(a.data().len(), HEADER_LEN + 5 + 3 + 3);

    let full = raw(u32::MAX, b"");
    let before = a.data().to_vec();
    assert!(a.append(&full).is_err());
    assert_eq!(a.data(), before);
}

#[test]
fn save_points_nest_and_restore_everything() {
    let mut batch = WriteBatch::new();
    assert_eq!(batch.rollback_to_save_point().unwrap_err().to_string(), "NotFound: ");
    assert_eq!(batch.pop_save_point().unwrap_err().to_string(), "NotFound: ");
    batch.put(0, b"a", b"1").unwrap();
    let outer = batch.data().to_vec();
    batch.set_save_point();
    batch.delete(0, b"b").unwrap();
    let inner = batch.data().to_vec();
    batch.set_save_point();
    batch.merge(0, b"c", b"2").unwrap();
    batch.append(&raw(1, b"\x7e")).unwrap();
    assert!(batch.check().is_err());
    batch.rollback_to_save_point().unwrap();
    assert_eq!(batch.data(), inner);
    assert_eq!(batch.content(), ContentFlags::PUT | ContentFlags::DELETE);
    batch.check().unwrap();
    batch.set_save_point();
    batch.pop_save_point().unwrap();
    batch.rollback_to_save_point().unwrap();
    assert_eq!(batch.data(), outer);
    assert_eq!(batch.content(), ContentFlags::PUT);
    assert!(batch.rollback_to_save_point().unwrap_err().is_not_found());
    batch.set_save_point();
    batch.clear();
    assert!(batch.is_empty());
    assert!(batch.pop_save_point().unwrap_err().is_not_found());
}

#[test]
fn the_limit_refuses_and_leaves_the_batch_as_it_was() {
    let mut batch = WriteBatch::new();
    batch.set_max_bytes(HEADER_LEN + 10);
    batch.put(0, b"abc", b"1234").unwrap();
    assert_eq!(batch.data().len(), HEADER_LEN + 10);
    let before = (batch.data().to_vec(), batch.content());
    for result in [batch.delete(0, b""), batch.clone().put_log_data(b"")] {
        assert_eq!(result.unwrap_err().to_string(), "Operation aborted: Memory limit reached");
    }
    assert_eq!((batch.data().to_vec(), batch.content()), before);
    batch.clear();
    assert!(batch.merge(1, b"abc", b"1234").is_err());
    batch.set_max_bytes(0);
    batch.merge(1, b"abc", b"1234").unwrap();
}

#[test]
fn lengths_beyond_32_bits_are_refused() {
    // One megabyte named 4,096 times: no memory is needed to describe 4 GiB.
    let piece = vec![0; 1 << 20];
    let big: Vec<&[u8]> = vec![&piece; 4096];
    let mut batch = WriteBatch::new();
    let text = |result: Result<()>| result.unwrap_err().to_string();
    let too_large = |what: &str| format!("Invalid argument: {what} is too large");
    assert_eq!(text(batch.putv(0, &big, &[])), too_large("key"));
    assert_eq!(text(batch.putv(0, &[], &big)), too_large("value"));
    assert_eq!(text(batch.mergev(0, &[], &big)), too_large("value"));
    assert_eq!(text(batch.deletev(0, &big)), too_large("key"));
    assert_eq!(text(batch.single_deletev(0, &big)), too_large("key"));
    assert_eq!(text(batch.delete_rangev(0, &big, &[])), too_large("key"));
    assert_eq!(text(batch.delete_rangev(0, &[], &big)), too_large("end key"));
    assert!(batch.is_empty());
    assert_eq!(batch.count(), 0);
}

#[test]
fn a_count_that_would_overflow_is_refused() {
    let mut batch = raw(u32::MAX, b"");
    assert!(batch.put(0, b"k", b"v").is_err());
    batch.put_log_data(b"").unwrap();
}

#[test]
fn random_bytes_never_panic_and_agree_with_check() {
    let mut random = Random::from_env(11);
    for _ in 0..20_000 {
        let len = random.below(40) as usize;
        let mut records = random.bytes(len);
        // Small numbers, so that tags and lengths are often valid.
        records.iter_mut().for_each(|b| *b %= 28);
        let batch = raw(random.below(4) as u32, &records);
        let clean = batch.records().unwrap().all(|r| r.is_ok());
        assert_eq!(clean, batch.check().is_ok());
    }
}

/// A batch of every kind of record that can be added, protected or not.
fn of_all_kinds(protected: bool) -> WriteBatch {
    let mut batch = WriteBatch::new();
    batch.set_protected(protected);
    batch.put(0, b"a", b"1").unwrap();
    batch.putv(3, &[b"a", b"b"], &[b"1", b"", b"2"]).unwrap();
    batch.put_log_data(b"log").unwrap();
    batch.merge(1, b"c", b"2").unwrap();
    batch.mergev(0, &[b"c"], &[b"2"]).unwrap();
    batch.delete(0, b"d").unwrap();
    batch.deletev(2, &[b"d"]).unwrap();
    batch.single_delete(0, b"e").unwrap();
    batch.single_deletev(2, &[b"e"]).unwrap();
    batch.delete_range(0, b"f", b"g").unwrap();
    batch.delete_rangev(2, &[b"f"], &[b"g"]).unwrap();
    batch
}

#[test]
fn no_bit_of_a_protected_batch_changes_unnoticed() {
    let mut batch = of_all_kinds(true);
    batch.verify().unwrap();
    // Protected later, it has the same checksums.
    let mut later = of_all_kinds(false);
    assert!(later.sums().is_none());
    later.protect().unwrap();
    assert_eq!(later.sums(), batch.sums());
    let log = batch.rep.windows(3).position(|bytes| bytes == b"log").unwrap();
    for at in 8..batch.rep.len() {
        // Log data is not protected, as in RocksDB: nor is that it is such.
        if (log - 2..log + 3).contains(&at) {
            continue;
        }
        for bit in 0..8 {
            batch.rep[at] ^= 1 << bit;
            assert!(batch.verify().is_err(), "byte {at}, bit {bit}");
            batch.rep[at] ^= 1 << bit;
        }
    }
    batch.rep[HEADER_LEN + 2] ^= 1;
    assert_eq!(batch.verify().unwrap_err().to_string(), "Corruption: ProtectionInfo mismatch");
}

#[test]
fn protection_goes_with_what_is_added_and_dropped() {
    let mut batch = of_all_kinds(true);
    batch.set_save_point();
    batch.put(0, b"x", b"1").unwrap();
    batch.rollback_to_save_point().unwrap();
    batch.verify().unwrap();
    assert_eq!(batch.sums().unwrap().len(), 10);
    for other in [of_all_kinds(true), of_all_kinds(false)] {
        batch.append(&other).unwrap();
        batch.verify().unwrap();
    }
    assert_eq!(batch.sums().unwrap().len(), 30);
    let mut plain = WriteBatch::new();
    plain.append(&of_all_kinds(true)).unwrap();
    assert_eq!(plain.sums().unwrap().len(), 10);
    let mut plain = of_all_kinds(false);
    plain.append(&of_all_kinds(true)).unwrap();
    assert!(!plain.is_protected());
    batch.clear();
    assert!(batch.is_protected());
    batch.put(0, b"a", b"1").unwrap();
    batch.verify().unwrap();
    // A record that was lost is missed.
    batch.rep.truncate(HEADER_LEN);
    batch.rep[8] = 0;
    assert_eq!(batch.verify().unwrap_err().to_string(), "Corruption: WriteBatch has wrong count");
    let mut broken = WriteBatch::from_data(b"\0\0\0\0\0\0\0\0\x01\0\0\0\x01\x05a");
    assert!(broken.protect().is_err() && !broken.is_protected());
}

#[test]
fn a_lent_batch_comes_back_or_is_empty() {
    let mut batch = WriteBatch::new();
    batch.put(0, b"k", b"v").unwrap();
    let whole = batch.data().to_vec();
    let (moved, home) = batch.lend();
    assert_eq!(moved.data(), whole);
    home.put_back(moved);
    assert_eq!((batch.data(), batch.count()), (&whole[..], 1));
    let (moved, home) = batch.lend();
    drop(home);
    assert_eq!(moved.data(), whole);
    assert_eq!((batch.data(), batch.count()), (WriteBatch::new().data(), 0));
    batch.put(0, b"k", b"v").unwrap();
    assert_eq!(batch.data(), whole);
}
