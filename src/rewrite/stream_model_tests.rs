//! Random records: every reader sees the same before and after.

use super::*;
use crate::base::key::compare_internal;
use crate::base::random::Random;

/// A record apart from its user key.
#[derive(Clone, Debug)]
struct Version {
    sequence: u64,
    kind: ValueType,
    value: Vec<u8>,
}

/// What a reader at `snapshot` gets from the records of one key, which come newest first.
fn resolve(versions: &[Version], tombstone: Option<u64>, snapshot: u64) -> Option<Vec<u8>> {
    let mut operands: Vec<&[u8]> = Vec::new();
    let mut base = None;
    for version in versions.iter().filter(|version| version.sequence <= snapshot) {
        if tombstone.is_some_and(|t| t > version.sequence) {
            break;
        }
        match version.kind {
            Merge => operands.push(&version.value),
            Value => {
                base = Some(&*version.value);
                break;
            }
            _ => break,
        }
    }
    operands.reverse();
    match (base, operands.is_empty()) {
        (base, true) => base.map(<[u8]>::to_vec),
        (base, false) => Some(base.into_iter().chain(operands).collect::<Vec<_>>().join(&b',')),
    }
}

struct Case {
    keys: Vec<Vec<u8>>,
    /// By key, newest first; the first so many are input, the others lie below it.
    versions: Vec<Vec<Version>>,
    inputs: Vec<usize>,
    tombstones: Vec<Tombstone>,
    snapshots: Vec<u64>,
    bottommost: bool,
}

/// The history of a key that is only put and singly deleted, in turn, or one of other records.
fn history(random: &mut Random, sequences: &[u64]) -> Vec<Version> {
    let singly = random.one_in(3);
    let mut put = random.one_in(2);
    let mut oldest_first = Vec::new();
    for &sequence in sequences {
        put = !put;
        let kind = match (singly, put) {
            (true, true) => Value,
            (true, false) => SingleDeletion,
            (false, _) => [Value, Deletion, Merge, Merge][random.below(4) as usize],
        };
        if singly && oldest_first.is_empty() && kind == SingleDeletion {
            continue;
        }
        let value = match kind {
            Value => format!("v{sequence}").into_bytes(),
            Merge if random.one_in(8) => b"alone".to_vec(),
            Merge => format!("m{sequence}").into_bytes(),
            _ => Vec::new(),
        };
        oldest_first.push(Version { sequence, kind, value });
    }
    oldest_first.reverse();
    oldest_first
}

impl Case {
    fn random(random: &mut Random) -> Case {
        let num_keys = 1 + random.below(5);
        let keys: Vec<Vec<u8>> = (0..num_keys).map(|k| vec![b'a' + k as u8]).collect();
        let bottommost = random.one_in(2);
        let (mut versions, mut inputs) = (Vec::new(), Vec::new());
        let mut all: Vec<u64> = (1..=40).collect();
        for _ in &keys {
            let mut own: Vec<u64> = (0..random.below(8))
                .map(|_| all.remove(random.below(all.len() as u64) as usize))
                .collect();
            own.sort_unstable();
            let history = history(random, &own);
            let below = if bottommost { 0 } else { random.below(3) as usize };
            inputs.push(history.len().saturating_sub(below));
            versions.push(history);
        }
        let mut snapshots: Vec<u64> = (0..random.below(4)).map(|_| 1 + random.below(40)).collect();
        snapshots.sort_unstable();
        snapshots.dedup();
        let mut tombstones = Vec::new();
        // Single deletions and range tombstones of one key do not go together.
        let singly = |v: &Vec<Version>| v.iter().any(|v| v.kind == SingleDeletion);
        if !versions.iter().any(singly) {
            for _ in 0..random.below(3) {
                let (from, to) = (b'a' + random.below(5) as u8, b'b' + random.below(5) as u8);
                let sequence = all.remove(random.below(all.len() as u64) as usize);
                tombstones.push(Tombstone(vec![from], vec![to], sequence));
            }
        }
        Case { keys, versions, inputs, tombstones, snapshots, bottommost }
    }

    fn tombstone(&self, key: &[u8], snapshot: u64, gone: u64) -> Option<u64> {
        let covers = |t: &&Tombstone| *t.0 <= *key && *key < *t.1 && t.2 <= snapshot && t.2 > gone;
        self.tombstones.iter().filter(covers).map(|t| t.2).max()
    }

    fn output(&self) -> (Vec<Vec<Version>>, StreamCounts) {
        let mut input = Records::new();
        for (at, key) in self.keys.iter().enumerate() {
            for version in &self.versions[at][..self.inputs[at]] {
                let ikey = InternalKey::new(key, version.sequence, version.kind);
                input.push((ikey.as_bytes().to_vec(), version.value.clone()));
            }
        }
        let mut iter = VecIter::new(Comparator::Bytewise, input);
        iter.seek_to_first();
        let below = |key: &[u8]| {
            let at = self.keys.iter().position(|k| **k == *key).unwrap();
            self.inputs[at] < self.versions[at].len()
        };
        let tombstones = (!self.tombstones.is_empty())
            .then(|| Box::new(List(self.tombstones.clone())) as Box<dyn Coverage>);
        let options =
            StreamOptions { bottommost: self.bottommost, tombstones, ..plain(&self.snapshots) };
        let mut stream = RecordStream::new(Bytewise, iter, below, options);
        let mut output = vec![Vec::new(); self.keys.len()];
        let mut last: Option<Vec<u8>> = None;
        while let Some(record) = stream.next().unwrap() {
            if let Some(last) = &last {
                assert!(compare_internal(&Bytewise, last, record.key).is_lt());
            }
            last = Some(record.key.to_vec());
            let parsed = ParsedKey::parse(record.key).unwrap();
            let at = self.keys.iter().position(|k| **k == *parsed.user_key).unwrap();
            output[at].push(Version {
                sequence: parsed.sequence,
                kind: parsed.value_type,
                value: record.value.to_vec(),
            });
        }
        (output, *stream.counts())
    }
}

#[test]
fn every_reader_sees_the_same() {
    let mut random = Random::from_env(71);
    for _ in 0..20_000 {
        let case = Case::random(&mut random);
        let (output, counts) = case.output();
        let total: usize = case.inputs.iter().sum();
        assert_eq!(counts.input_records, total as u64);
        assert_eq!(counts.output_records, output.iter().map(Vec::len).sum::<usize>() as u64);
        // At the bottom, tombstones that all see have done their work.
        let oldest = case.snapshots.first().copied().unwrap_or(u64::MAX);
        let gone = if case.bottommost { oldest } else { 0 };
        for (at, key) in case.keys.iter().enumerate() {
            let mut after = output[at].clone();
            check_stripes(&case, &after);
            after.extend_from_slice(&case.versions[at][case.inputs[at]..]);
            for &snapshot in case.snapshots.iter().chain(&[u64::MAX]) {
                let before = case.tombstone(key, snapshot, 0);
                let expected = resolve(&case.versions[at], before, snapshot);
                let found = resolve(&after, case.tombstone(key, snapshot, gone), snapshot);
                let context = (&case.versions[at], case.inputs[at], &case.snapshots, &after);
                assert_eq!(found, expected, "{context:?} {before:?} {}", case.bottommost);
            }
        }
    }
}

/// Of each stripe at most one record stays that is no operand, and the older ones of a key whose
/// records all see are gone.
fn check_stripes(case: &Case, output: &[Version]) {
    let stripe = |s: u64| case.snapshots.partition_point(|&snapshot| snapshot < s);
    for pair in output.windows(2) {
        if stripe(pair[0].sequence) == stripe(pair[1].sequence) {
            assert!(
                pair[0].kind == Merge || pair[1].kind == SingleDeletion,
                "{:?} {output:?}",
                case.snapshots
            );
        }
    }
    if case.bottommost && case.snapshots.is_empty() {
        assert!(output.len() <= 1);
        assert!(output.iter().all(|v| v.kind == Value && v.sequence == 0), "{output:?}");
    }
}
