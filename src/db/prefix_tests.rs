//! Prefix filters and prefix seeks against a sorted map.

use super::db_tests::TestDb;
use crate::base::random::Random;
use crate::base::sync::Arc;
use crate::batch::WriteBatch;
use crate::options::{BlockBasedTableOptions, ReadOptions, TableFactory, WriteOptions};
use crate::plug::filter_policy::FilterPolicy;
use crate::plug::slice_transform::{SliceTransform, Transform};
use std::collections::BTreeMap;

type Model = BTreeMap<String, String>;

/// The part before a `-`; keys without one have no prefix.
struct BeforeDash;

impl Transform for BeforeDash {
    fn name(&self) -> &str {
        "before dash"
    }

    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        &key[..=key.iter().position(|&byte| byte == b'-').unwrap_or(key.len() - 1)]
    }

    fn in_domain(&self, key: &[u8]) -> bool {
        key.contains(&b'-')
    }
}

fn transforms() -> [SliceTransform; 5] {
    let custom = SliceTransform::Custom(Arc::new(BeforeDash));
    let built_in = [SliceTransform::Fixed(2), SliceTransform::Fixed(3), SliceTransform::Capped(3)];
    let [two, three, capped] = built_in;
    [two, three, capped, SliceTransform::Noop, custom]
}

fn random_key(random: &mut Random) -> String {
    let len = 1 + random.below(5);
    (0..len).map(|_| ['-', 'a', 'b', 'c', 'd'][random.below(5) as usize]).collect()
}

fn table_options(random: &mut Random) -> TableFactory {
    TableFactory::from(BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::bloom(20.0)),
        whole_key_filtering: random.one_in(2),
        block_size: 64,
        ..BlockBasedTableOptions::default()
    })
}

fn delete(db: &TestDb, key: &str) {
    let fill = |batch: &mut WriteBatch| batch.delete(0, key.as_bytes());
    db.db().write_lone(&WriteOptions::default(), fill).unwrap();
}

fn bytes(key: &str) -> Arc<[u8]> {
    Arc::from(key.as_bytes())
}

/// What an iterator shows from `target` on, at most `limit` keys.
fn scan(db: &TestDb, options: &ReadOptions, target: Option<&str>, limit: usize) -> Vec<String> {
    let mut iter = db.db().iter(db.family(0), options).unwrap();
    match target {
        Some(target) => iter.seek(target.as_bytes()),
        None => iter.seek_to_first(),
    }
    let mut keys = Vec::new();
    while iter.valid() && keys.len() < limit {
        keys.push(String::from_utf8(iter.key().to_vec()).unwrap());
        iter.next();
    }
    iter.status().unwrap();
    keys
}

fn check_modes(random: &mut Random, db: &TestDb, model: &Model, transform: &SliceTransform) {
    let all: Vec<String> = model.keys().cloned().collect();
    assert_eq!(scan(db, &ReadOptions::default(), None, usize::MAX), all);
    let (target, bound) = (random_key(random), random_key(random));
    let from = || model.range::<String, _>(&target..).map(|(key, _)| key);
    let total = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let expected: Vec<String> = from().cloned().collect();
    assert_eq!(scan(db, &total, Some(&target), usize::MAX), expected);

    let automatic = ReadOptions {
        auto_prefix_mode: true,
        iterate_upper_bound: random.one_in(2).then(|| bytes(&bound)),
        ..ReadOptions::default()
    };
    let bounded = |key: &&String| automatic.iterate_upper_bound.is_none() || **key < bound;
    let expected: Vec<String> = from().take_while(bounded).cloned().collect();
    assert_eq!(scan(db, &automatic, Some(&target), usize::MAX), expected);

    let Some(prefix) = transform.prefix(target.as_bytes()) else { return };
    let same = |key: &&String| transform.prefix(key.as_bytes()) == Some(prefix);
    let expected: Vec<String> = from().filter(same).cloned().collect();
    let mut prefixed = scan(db, &ReadOptions::default(), Some(&target), usize::MAX);
    prefixed.retain(|key| same(&key));
    assert_eq!(prefixed, expected);
    let held = ReadOptions { prefix_same_as_start: true, ..ReadOptions::default() };
    let expected: Vec<String> = from().take_while(same).cloned().collect();
    assert_eq!(scan(db, &held, Some(&target), usize::MAX), expected);
}

#[test]
fn no_mode_hides_what_it_must_show() {
    let mut random = Random::from_env(901);
    for transform in transforms() {
        let mut db = TestDb::new();
        let mut model = Model::new();
        db.cf.prefix_extractor = Some(transform.clone());
        db.cf.table_factory = table_options(&mut random);
        db.cf.memtable_prefix_bloom_size_ratio = 0.1;
        db.cf.memtable_whole_key_filtering = random.one_in(2);
        db.reopen();
        for round in 0..1500 {
            let key = random_key(&mut random);
            match random.below(20) {
                0 => db.flush(),
                1 => check_modes(&mut random, &db, &model, &transform),
                2..6 => assert_eq!(db.get(&key).as_ref(), model.get(&key)),
                6..9 => {
                    delete(&db, &key);
                    model.remove(&key);
                }
                _ => {
                    let value = format!("v{round}");
                    db.put(&key, &value).unwrap();
                    model.insert(key, value);
                }
            }
        }
        // Tables keep the prefixes that they were written with.
        for other in transforms() {
            db.cf.prefix_extractor = Some(other.clone());
            db.reopen();
            for _ in 0..30 {
                check_modes(&mut random, &db, &model, &other);
                let key = random_key(&mut random);
                assert_eq!(db.get(&key).as_ref(), model.get(&key));
            }
        }
    }
}

#[test]
fn filters_spare_tables_without_the_prefix() {
    let mut db = TestDb::new();
    db.cf.prefix_extractor = Some(SliceTransform::Fixed(3));
    db.cf.table_factory = TableFactory::from(BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::bloom(20.0)),
        whole_key_filtering: false,
        ..BlockBasedTableOptions::default()
    });
    db.reopen();
    for key in ["aaa1", "aaa2", "aab1", "ccc1"] {
        db.put(key, "v").unwrap();
    }
    db.flush();
    let plain = ReadOptions::default();
    assert!(scan(&db, &plain, Some("bbb"), 1).is_empty());
    let total = ReadOptions { total_order_seek: true, ..plain.clone() };
    assert_eq!(scan(&db, &total, Some("bbb"), 1), ["ccc1"]);
    let automatic = ReadOptions { auto_prefix_mode: true, ..plain.clone() };
    assert_eq!(scan(&db, &automatic, Some("bbb"), 1), ["ccc1"]);
    let held = ReadOptions { prefix_same_as_start: true, ..plain };
    assert_eq!(scan(&db, &held, Some("aaa"), 9), ["aaa1", "aaa2"]);
    let mut iter = db.db().iter(db.family(0), &held).unwrap();
    iter.seek_to_last();
    assert_eq!(iter.key(), b"ccc1");
    iter.prev();
    assert!(!iter.valid());
    iter.seek_for_prev(b"aaa9");
    assert_eq!(iter.key(), b"aaa2");
    iter.seek_to_first();
    iter.next();
    iter.next();
    assert!(!iter.valid());
}
