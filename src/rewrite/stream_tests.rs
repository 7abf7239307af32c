//! Tests of the record stream, against cases and against a naive model.

#[path = "stream_model_tests.rs"]
mod model;

use super::*;
use crate::base::comparator::{Bytewise, Comparator};
use crate::base::key::InternalKey;
use crate::base::status::Code;
use crate::base::sync::AtomicBool;
use crate::read::vec_iter::{Records, VecIter};
use ValueType::{Deletion, Merge, SingleDeletion, Value, ValuePreferredSeqno};

/// Appends operands, with commas. Fails on the operand `bad`; joins no operand `alone`.
struct Append;

impl MergeOperator for Append {
    fn name(&self) -> &str {
        "append"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        let parts: Vec<&[u8]> = existing.into_iter().chain(operands.iter().copied()).collect();
        out.extend_from_slice(&parts.join(&b','));
        !operands.contains(&&b"bad"[..])
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(&operands.join(&b','));
        !operands.contains(&&b"alone"[..])
    }
}

/// Removes values that begin with `-`, and puts `!` behind those that begin with `+`.
struct Signs;

impl CompactionFilter for Signs {
    fn name(&self) -> &str {
        "signs"
    }

    fn ignore_snapshots(&self) -> bool {
        true
    }

    fn filter(
        &self,
        level: i32,
        _key: &[u8],
        value: &[u8],
        new_value: &mut Vec<u8>,
    ) -> FilterDecision {
        assert_eq!(level, 3);
        assert!(new_value.is_empty());
        match value.first() {
            Some(b'-') => FilterDecision::Remove,
            Some(b'+') => {
                new_value.extend_from_slice(value);
                new_value.push(b'!');
                FilterDecision::Change
            }
            _ => FilterDecision::Keep,
        }
    }
}

/// A tombstone over user keys `start..end`.
#[derive(Clone)]
struct Tombstone(Vec<u8>, Vec<u8>, u64);

struct List(Vec<Tombstone>);

impl Coverage for List {
    fn covers(&mut self, key: &[u8], sequence: u64, newest: u64) -> bool {
        let covers = |t: &Tombstone| *t.0 <= *key && *key < *t.1 && t.2 > sequence && t.2 <= newest;
        self.0.iter().any(covers)
    }
}

fn records(text: &str) -> Records {
    text.split_whitespace().map(record).collect()
}

/// `a5v=x`: user key, sequence number, kind and value.
fn record(text: &str) -> (Vec<u8>, Vec<u8>) {
    let (head, value) = text.split_once('=').unwrap_or((text, ""));
    let kind = match head.chars().next_back().unwrap() {
        'v' => Value,
        'd' => Deletion,
        's' => SingleDeletion,
        'm' => Merge,
        't' => ValuePreferredSeqno,
        'b' => ValueType::BlobIndex,
        'w' => ValueType::WideColumnEntity,
        other => panic!("{other}"),
    };
    let sequence = head[1..head.len() - 1].parse().unwrap();
    let mut value = value.as_bytes().to_vec();
    if kind == ValuePreferredSeqno {
        // `x@3`: the value, and its write time.
        let at = value.iter().position(|&b| b == b'@').unwrap();
        let time: u64 = std::str::from_utf8(&value[at + 1..]).unwrap().parse().unwrap();
        value.truncate(at);
        value.extend_from_slice(&time.to_le_bytes());
    }
    (InternalKey::new(&head.as_bytes()[..1], sequence, kind).as_bytes().to_vec(), value)
}

fn text(record: &Record<'_>) -> String {
    let parsed = ParsedKey::parse(record.key).unwrap();
    assert_eq!(parsed.sequence, record.sequence);
    let kind = match parsed.value_type {
        Value => 'v',
        Deletion => 'd',
        SingleDeletion => 's',
        Merge => 'm',
        ValuePreferredSeqno => 't',
        ValueType::BlobIndex => 'b',
        _ => 'w',
    };
    let key = String::from_utf8_lossy(parsed.user_key);
    let value = String::from_utf8_lossy(record.value);
    let equals = if value.is_empty() { "" } else { "=" };
    format!("{key}{}{kind}{equals}{value}", parsed.sequence)
}

/// What becomes of `input` where keys in `below` have older data; and the counts.
fn run(input: &str, below: &str, options: StreamOptions<'_>) -> Result<(String, StreamCounts)> {
    let mut iter = VecIter::new(Comparator::Bytewise, records(input));
    iter.seek_to_first();
    let may_hold = |key: &[u8]| below.as_bytes().contains(&key[0]);
    let mut stream = RecordStream::new(Bytewise, iter, may_hold, options);
    let mut out = Vec::new();
    let mut last = None;
    while let Some(record) = stream.next()? {
        let key = user_key(record.key).to_vec();
        assert_eq!(record.starts_user_key, last.as_ref() != Some(&key));
        last = Some(key);
        out.push(text(&record));
    }
    Ok((out.join(" "), *stream.counts()))
}

fn plain(snapshots: &[u64]) -> StreamOptions<'_> {
    StreamOptions { snapshots, merge_operator: Some(&Append), ..StreamOptions::default() }
}

fn bottom(snapshots: &[u64]) -> StreamOptions<'_> {
    StreamOptions { bottommost: true, ..plain(snapshots) }
}

fn kept(input: &str, below: &str, options: StreamOptions<'_>) -> String {
    run(input, below, options).unwrap().0
}

#[test]
fn only_the_newest_of_a_stripe_stays() {
    let input = "a9v=9 a7d a5v=5 a2v=2 b3d";
    assert_eq!(kept(input, "ab", plain(&[])), "a9v=9 b3d");
    assert_eq!(kept(input, "ab", plain(&[5])), "a9v=9 a5v=5 b3d");
    assert_eq!(kept(input, "ab", plain(&[2, 6, 8])), "a9v=9 a7d a5v=5 a2v=2 b3d");
    assert_eq!(kept(input, "ab", plain(&[1])), "a9v=9 b3d");
    let (_, counts) = run(input, "ab", plain(&[])).unwrap();
    assert_eq!((counts.input_records, counts.output_records), (5, 2));
    assert_eq!((counts.dropped_hidden, counts.input_deletions), (3, 2));
    assert_eq!((counts.input_key_bytes, counts.input_value_bytes), (45, 3));
}

#[test]
fn deletions_go_where_nothing_is_left_to_delete() {
    assert_eq!(kept("a3d b2d", "b", plain(&[])), "b2d");
    assert_eq!(kept("a3d b2d", "b", plain(&[2])), "a3d b2d");
    assert_eq!(kept("a3d a2v b2d", "", plain(&[5])), "");
    // At the bottom a deletion stays only in front of what a snapshot sees.
    assert_eq!(kept("a7d a5v=5 a3v=3", "", bottom(&[4])), "a7d a0v=3");
    assert_eq!(kept("a7d a5v=5", "", bottom(&[4])), "");
    assert_eq!(kept("a9d a7d a5v=5 b1v=1", "", bottom(&[4, 6, 8])), "a9d a7d a5v=5 b0v=1");
    let (_, counts) = run("a3d b2d", "", plain(&[])).unwrap();
    assert_eq!((counts.dropped_obsolete, counts.obsolete_deletions_optimized), (2, 2));
}

#[test]
fn sequence_numbers_become_zero_where_all_see_the_value() {
    assert_eq!(kept("a9v=9 b4v=4 c5w=5", "", bottom(&[])), "a0v=9 b0v=4 c0w=5");
    assert_eq!(kept("a9v=9 a3v=3 b4v=4 c5b=5", "", bottom(&[4])), "a9v=9 a0v=3 b0v=4 c5b=5");
    assert_eq!(kept("a9v=9", "", plain(&[])), "a9v=9");
    let timestamps = StreamOptions { timestamp_size: 1, ..bottom(&[]) };
    assert_eq!(kept("a9v=9 b3d c2s", "", timestamps), "a9v=9 b3d c2s");
}

#[test]
fn single_deletions_go_with_their_value() {
    assert_eq!(kept("a4s a3v=3", "a", plain(&[])), "");
    assert_eq!(kept("a4s", "a", plain(&[])), "a4s");
    assert_eq!(kept("a4s", "", plain(&[])), "");
    assert_eq!(kept("a4s", "", plain(&[3])), "a4s");
    assert_eq!(kept("a4s a3v=3", "a", plain(&[3])), "a4s a3v=3");
    assert_eq!(kept("a6v=6 a5s a4v=4 a3s a2v=2", "a", plain(&[])), "a6v=6");
    assert_eq!(kept("a6v=6 a5s", "a", plain(&[])), "a6v=6 a5s");
    assert_eq!(kept("a6v=6 a5s", "", bottom(&[])), "a0v=6");
    assert_eq!(kept("a6v=6 a5s a4v=4", "", bottom(&[])), "a0v=6");
    let (_, counts) = run("a4s", "", plain(&[])).unwrap();
    assert_eq!((counts.single_deletions_unmatched, counts.dropped_obsolete), (1, 1));
    let (_, counts) = run("a4s a3v=3", "", plain(&[])).unwrap();
    assert_eq!((counts.dropped_hidden, counts.dropped_obsolete), (1, 1));
    assert_eq!((counts.input_records, counts.single_deletions_mismatched), (2, 0));
}

#[test]
fn single_deletions_that_met_something_else() {
    let mismatches = |input: &str, lax: bool| {
        let options = StreamOptions { enforce_single_del_contracts: !lax, ..plain(&[]) };
        let (kept, counts) = run(input, "a", options).unwrap();
        (kept, counts.single_deletions_mismatched)
    };
    assert_eq!(mismatches("a5s a4s a3v=3", false), (String::new(), 1));
    assert_eq!(mismatches("a5s a4s", false), ("a4s".to_string(), 1));
    assert_eq!(mismatches("a5s a4m=4", false), (String::new(), 1));
    assert_eq!(mismatches("a5s a4d a3v=3", true), ("a4d".to_string(), 1));
    // The deletion behind the pair hides older values elsewhere.
    assert_eq!(mismatches("a5s a4v=4 a3d a2v=2", false), ("a3d".to_string(), 0));
    assert_eq!(mismatches("a6v=6 a5s a4v=4 a3d a2v=2", false), ("a6v=6".to_string(), 0));
    let error = run("a5s a4d", "a", plain(&[])).unwrap_err();
    assert!(error.is_corruption() && error.text().starts_with("Found SD and type: 0 on the"));
}

#[test]
fn deletions_that_transactions_look_for_stay() {
    let watched = |boundary| StreamOptions { write_conflict_snapshot: boundary, ..plain(&[3]) };
    // Without the contents, which nobody reads.
    assert_eq!(kept("a5s a4v=4", "a", watched(3)), "a5s a4v");
    assert_eq!(kept("a5s a4b=4", "a", watched(3)), "a5s a4v");
    assert_eq!(kept("a5s a4v=4", "a", watched(5)), "");
    assert_eq!(kept("a6v=6 a5s a4v=4", "a", watched(3)), "a6v=6");
}

#[test]
fn operands_are_merged_as_far_as_the_input_tells() {
    assert_eq!(kept("a5m=x a4m=y a3v=z a2v=w", "a", plain(&[])), "a5v=z,y,x");
    assert_eq!(kept("a5m=x a4m=y a3d a2v=w", "a", plain(&[])), "a5v=y,x");
    assert_eq!(kept("a5m=x a4m=y", "a", plain(&[])), "a5m=y,x");
    assert_eq!(kept("a5m=x a4m=y b3v=b", "a", bottom(&[])), "a0v=y,x b0v=b");
    assert_eq!(kept("a5m=x", "a", plain(&[])), "a5m=x");
    assert_eq!(kept("a5m=x", "a", bottom(&[])), "a0v=x");
    assert_eq!(kept("a5m=x a4t=z@2", "a", plain(&[])), "a5v=z,x");
    let (_, counts) = run("a5m=x a4m=y", "a", plain(&[])).unwrap();
    assert_eq!(counts.merged_operands, 2);
}

#[test]
fn operands_are_not_merged_across_snapshots() {
    assert_eq!(kept("a5m=x a4m=y a3v=z", "a", plain(&[3])), "a5m=y,x a3v=z");
    assert_eq!(kept("a5m=x a4m=y a3m=z a2v=w", "", bottom(&[4])), "a5m=x a0v=w,z,y");
    assert_eq!(kept("a5m=x a4m=y", "", bottom(&[4])), "a5m=x a0v=y");
}

#[test]
fn operands_that_cannot_be_joined_stay() {
    assert_eq!(
        kept("a5m=x a4m=alone a3m=y b1v=1", "ab", plain(&[])),
        "a5m=x a4m=alone a3m=y b1v=1"
    );
    // Neither can what blob files and wide columns hold be merged here.
    assert_eq!(kept("a5m=x a4m=y a3b=z a2v=w", "a", plain(&[])), "a5m=y,x a3b=z");
    assert_eq!(kept("a5m=x a3w=z a2v=w", "", bottom(&[])), "a5m=x a0w=z");
}

#[test]
fn merging_fails_as_a_corruption_and_needs_an_operator() {
    let error = run("a5m=bad a3v=z", "a", plain(&[])).unwrap_err();
    assert_eq!(error.to_string(), "Corruption: Merge operator failed");
    let without = StreamOptions { merge_operator: None, ..plain(&[]) };
    let error = run("a5m=x", "a", without).unwrap_err();
    assert_eq!(error.to_string(), "Invalid argument: merge_operator is not properly initialized.");
    // A hidden operand needs none.
    let without = StreamOptions { merge_operator: None, ..plain(&[]) };
    assert_eq!(kept("a6v=x a5m=x", "a", without), "a6v=x");
}

#[test]
fn filters_see_the_newest_value_of_a_key() {
    let filtered = |snapshots| StreamOptions { filter: Some(&Signs), level: 3, ..plain(snapshots) };
    assert_eq!(kept("a5v=-x a4v=y b3v=+z c2v=w", "ab", filtered(&[])), "a5d b3v=+z! c2v=w");
    assert_eq!(kept("a5v=-x", "", filtered(&[])), "");
    assert_eq!(kept("a5v=x a4v=-y", "", filtered(&[4])), "a5v=x a4v=-y");
    assert_eq!(kept("a5m=-x b4d c3b=-y d2w=-z", "abcd", filtered(&[])), "a5m=-x b4d c3b=-y d2w=-z");
    let (_, counts) = run("a5v=-x b4v=-y", "ab", filtered(&[])).unwrap();
    assert_eq!((counts.dropped_by_filter, counts.output_records), (2, 2));
    let at_bottom = StreamOptions { bottommost: true, ..filtered(&[4]) };
    assert_eq!(kept("a5v=-x a4v=-y b3v=+z", "", at_bottom), "a5d a0v=-y b0v=+z!");
}

#[test]
fn timed_puts_take_their_write_time_where_nothing_is_older() {
    assert_eq!(kept("a9t=x@5", "", plain(&[])), "a5v=x");
    assert_eq!(kept("a9t=x@5 a6v=y", "", bottom(&[])), "a0v=x");
    let (untouched, _) = run("a9t=x@5", "a", plain(&[])).unwrap();
    assert!(untouched.starts_with("a9t=x"));
    let tombstones = vec![Tombstone(b"a".to_vec(), b"b".to_vec(), 7)];
    let covered = StreamOptions { tombstones: Some(Box::new(List(tombstones))), ..plain(&[]) };
    assert!(kept("a9t=x@5", "", covered).starts_with("a9t=x"));
    assert!(run("a9v=x a8t=@5", "", plain(&[])).is_ok());
}

#[test]
fn records_under_tombstones_go() {
    let tombstone = |sequence| {
        let list = List(vec![Tombstone(b"b".to_vec(), b"d".to_vec(), sequence)]);
        Some(Box::new(list) as Box<dyn Coverage>)
    };
    let under = |snapshots| StreamOptions { tombstones: tombstone(5), ..plain(snapshots) };
    let input = "a3v=a b6v=x b4v=y c4d c3v=z d2v=w";
    assert_eq!(kept(input, "abcd", under(&[])), "a3v=a b6v=x d2v=w");
    assert_eq!(kept(input, "abcd", under(&[4])), "a3v=a b6v=x b4v=y c4d d2v=w");
    assert_eq!(kept("b7m=x b4m=y b3v=z", "b", under(&[])), "b7v=x");
    assert_eq!(kept("b7m=x b6m=y b3v=z", "b", under(&[])), "b7v=y,x");
    assert_eq!(kept("b4m=y b3m=z", "b", under(&[])), "");
    let (_, counts) = run(input, "abcd", under(&[])).unwrap();
    assert_eq!((counts.dropped_by_range_tombstone, counts.dropped_hidden), (1, 3));
}

#[test]
fn damage_and_flags_end_the_stream() {
    let mut broken = records("a5v=x b4v=y");
    broken[1].0[1] = 0x30;
    let stream = |records: Records, fail_at, stop| {
        let mut iter = VecIter::new(Comparator::Bytewise, records);
        iter.fail_at = fail_at;
        iter.seek_to_first();
        let options = StreamOptions { stop, ..plain(&[]) };
        let mut stream = RecordStream::new(Bytewise, iter, |_: &[u8]| true, options);
        loop {
            match stream.next() {
                Ok(None) => return None,
                Ok(Some(_)) => {}
                Err(error) => return Some(error.code()),
            }
        }
    };
    assert_eq!(stream(broken.clone(), None, Stop::default()), Some(Code::Corruption));
    broken[1].0[1] = ValueType::LogData as u8;
    assert_eq!(stream(broken, None, Stop::default()), Some(Code::Corruption));
    for fail_at in 0..3 {
        // Also where the stream looks ahead.
        let input = records("a5s b4m=x b3m=y");
        assert!(stream(input, Some(fail_at), Stop::default()).is_some());
    }
    let flag = AtomicBool::new(true);
    let stop = Stop { shutting_down: Some(&flag), ..Stop::default() };
    assert_eq!(stream(records("a5v=x"), None, stop), Some(Code::ShutdownInProgress));
    assert_eq!(stream(Records::new(), None, Stop::default()), None);
}
