use super::db_tests::TestDb;
use super::{BatchKey, Family};
use crate::base::random::Random;
use crate::base::status::{Code, Result};
use crate::options::{BlockBasedTableOptions, IndexType, ReadOptions, TableFactory};
use crate::plug::filter_policy::FilterPolicy;
use crate::read::get::FoundValue;
use std::collections::BTreeMap;

type Answers = Vec<Result<Option<String>>>;

fn multi_get(
    test: &TestDb,
    options: &ReadOptions,
    keys: &[(&Family, String)],
    sorted: bool,
) -> Answers {
    let mut answers: Vec<Option<_>> = keys.iter().map(|_| None).collect();
    let batch = keys.iter().enumerate();
    let batch = batch.map(|(index, (family, key))| BatchKey { index, family, key: key.as_bytes() });
    test.db().multi_get(options, batch.collect(), sorted, |index, found: Result<_>| {
        let text = |value: FoundValue| String::from_utf8(value.as_slice().to_vec()).unwrap();
        let found = found.map(|value| value.map(text));
        let len = found.as_ref().map_or(0, |value| value.as_ref().map_or(0, String::len));
        assert!(answers[index].replace(found).is_none());
        len
    });
    answers.into_iter().map(Option::unwrap).collect()
}

fn random_test(random: &mut Random) -> TestDb {
    let mut test = TestDb::new();
    test.names = vec!["default", "other"];
    test.cf.table_factory = TableFactory::from(BlockBasedTableOptions {
        block_size: 200,
        index_type: match random.one_in(2) {
            true => IndexType::TwoLevelIndexSearch,
            false => IndexType::BinarySearch,
        },
        metadata_block_size: 100,
        partition_filters: true,
        no_block_cache: random.one_in(3),
        filter_policy: random.one_in(2).then(|| FilterPolicy::bloom(10.0)),
        ..BlockBasedTableOptions::default()
    });
    test.reopen();
    test
}

#[test]
fn a_batch_answers_what_its_keys_would_alone() {
    let mut random = Random::from_env(911);
    for _ in 0..6 {
        let test = random_test(&mut random);
        let mut model = BTreeMap::new();
        let key = |random: &mut Random| format!("{:03}", random.below(300));
        for round in 0..1200 {
            let (key, value) = (key(&mut random), format!("value {round}"));
            test.put(&key, &value).unwrap();
            model.insert(key, value);
            if random.one_in(200) {
                test.flush();
            }
        }
        let snapshot = test.db().snapshot();
        let old = model.clone();
        for key in ["000", "100", "200"] {
            test.put(key, "new").unwrap();
            model.insert(key.into(), "new".into());
        }
        let (main, other) = (&**test.family(0), &**test.family(1));
        for round in 0..40 {
            let count = random.below(60);
            let mut keys: Vec<_> = (0..count).map(|_| (main, key(&mut random))).collect();
            let sorted = round % 2 == 0;
            if sorted {
                keys.sort_by(|a, b| a.1.cmp(&b.1));
            } else if let Some(key) = keys.first_mut() {
                key.0 = other;
            }
            let at_snapshot =
                ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
            for (options, model) in [(ReadOptions::default(), &model), (at_snapshot, &old)] {
                let answers = multi_get(&test, &options, &keys, sorted);
                for ((family, key), answer) in keys.iter().zip(answers) {
                    let expected = model.get(key).filter(|_| std::ptr::eq(*family, main));
                    assert_eq!(answer.unwrap().as_ref(), expected);
                }
            }
        }
        test.db().release_snapshot(snapshot);
    }
}

#[test]
fn a_batch_ends_with_its_budget() {
    let mut test = TestDb::new();
    test.reopen();
    for key in ["a", "b", "c", "d"] {
        test.put(key, "0123456789").unwrap();
    }
    test.flush();
    let family = &**test.family(0);
    let keys: Vec<_> = ["d", "b", "x", "a", "c"].map(|key| (family, key.to_string())).into();
    let limited = ReadOptions { value_size_soft_limit: 15, ..ReadOptions::default() };
    let answers = multi_get(&test, &limited, &keys, false);
    let codes = answers.iter().map(|a| a.as_ref().map_or_else(|e| Some(e.code()), |_| None));
    let full = Some(Code::Aborted);
    assert_eq!(codes.collect::<Vec<_>>(), [full, None, full, None, full]);
    let late = ReadOptions { deadline: 1, ..ReadOptions::default() };
    for answer in multi_get(&test, &late, &keys, false) {
        assert_eq!(answer.unwrap_err().code(), Code::TimedOut);
    }
}

#[test]
fn a_deadline_ends_reads_of_files() {
    let mut test = TestDb::new();
    test.reopen();
    test.put("a", "1").unwrap();
    let late = ReadOptions { deadline: 1, fill_cache: false, ..ReadOptions::default() };
    let get =
        |test: &TestDb| test.db().get_pinned(test.family(0), &late, b"a").map(|v| v.is_some());
    // Nothing is read from a file yet.
    assert!(get(&test).unwrap());
    test.flush();
    let error = get(&test).unwrap_err();
    assert!(error.to_string().starts_with("Operation timed out: Deadline exceeded"), "{error}");
    let mut iter = test.db().iter(test.family(0), &late).unwrap();
    iter.seek_to_first();
    assert!(!iter.valid());
    assert_eq!(iter.status().unwrap_err().code(), Code::TimedOut);
}
