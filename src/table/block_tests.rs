use super::*;
use crate::base::comparator::{Bytewise, Comparator, UserComparator};
use crate::base::key::{InternalKey, ValueType, compare_internal};
use crate::base::random::Random;
use crate::table::block_builder::BlockBuilder;
use std::sync::Arc;

type Records = Vec<(Vec<u8>, Vec<u8>)>;

/// Shorter keys first, then bytewise.
struct ShorterFirst;

impl UserComparator for ShorterFirst {
    fn name(&self) -> &str {
        "test.ShorterFirst"
    }
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

fn random_key(random: &mut Random) -> Vec<u8> {
    let prefix_len = random.below(4) as usize * 40;
    let mut key = vec![b'p'; prefix_len];
    for _ in 0..random.below(6) {
        key.push([0, 1, b'a', b'b', 0xff][random.below(5) as usize]);
    }
    key
}

fn random_records<O: Order>(random: &mut Random, order: &O, count: u64) -> Records {
    let mut records = Records::new();
    for _ in 0..count {
        let key = InternalKey::new(&random_key(random), random.below(5), ValueType::Value);
        let most = if random.one_in(10) { 300 } else { 12 };
        let len = random.below(most) as usize;
        records.push((key.as_bytes().to_vec(), random.bytes(len)));
    }
    records.sort_by(|a, b| compare_internal(order, &a.0, &b.0));
    records.dedup_by(|a, b| a.0 == b.0);
    records
}

fn build(records: &Records, interval: usize) -> Vec<u8> {
    build_with(BlockBuilder::new(interval, interval != 3), records)
}

fn build_with(mut builder: BlockBuilder, records: &Records) -> Vec<u8> {
    for (key, value) in records {
        builder.add(key, value);
    }
    builder.finish().clone()
}

fn check_model<O: Order>(order: O, seed: u64) {
    let mut random = Random::from_env(seed);
    for round in 0..60 {
        let count = [0, 1, 5, 60][round % 4];
        let records = random_records(&mut random, &order, count);
        let interval = [1, 2, 3, 16, 1000][random.below(5) as usize];
        let block = build(&records, interval);
        let mut iter = BlockIter::new(order.clone(), &block[..], None).unwrap();
        let mut at: Option<usize> = None;
        for _ in 0..400 {
            at = random_step(&mut random, &order, &records, &mut iter, at);
            iter.status().unwrap();
            assert_eq!(iter.valid(), at.is_some());
            if let Some(i) = at {
                assert_eq!((iter.key(), iter.value()), (&records[i].0[..], &records[i].1[..]));
                assert_eq!(&block[iter.value_range()], records[i].1);
            }
        }
    }
}

/// One random movement on both; returns where the model then stands.
fn random_step<O: Order>(
    random: &mut Random,
    order: &O,
    records: &Records,
    iter: &mut BlockIter<O, &[u8]>,
    at: Option<usize>,
) -> Option<usize> {
    let target = InternalKey::new(&random_key(random), random.below(5), ValueType::Value);
    let target = target.as_bytes();
    let first_behind = |strict: bool| {
        records.partition_point(|r| match compare_internal(order, &r.0, target) {
            Ordering::Less => true,
            Ordering::Equal => strict,
            Ordering::Greater => false,
        })
    };
    match (random.below(10), at) {
        (0, _) => {
            iter.seek_to_first();
            (!records.is_empty()).then_some(0)
        }
        (1, _) => {
            iter.seek_to_last();
            records.len().checked_sub(1)
        }
        (2 | 3, _) | (_, None) => {
            iter.seek(target);
            Some(first_behind(false)).filter(|&i| i < records.len())
        }
        (4, _) => {
            iter.seek_for_prev(target);
            first_behind(true).checked_sub(1)
        }
        (5 | 6, Some(i)) => {
            iter.next();
            Some(i + 1).filter(|&i| i < records.len())
        }
        (_, Some(i)) => {
            iter.prev();
            i.checked_sub(1)
        }
    }
}

#[test]
fn behaves_like_a_sorted_vector_bytewise() {
    check_model(Bytewise, 41);
}

#[test]
fn behaves_like_a_sorted_vector_in_other_orders() {
    check_model(Comparator::ReverseBytewise, 42);
    check_model(Comparator::Custom(Arc::new(ShorterFirst)), 43);
}

#[test]
fn global_sequence_number_replaces_every_keys_own() {
    let mut random = Random::from_env(44);
    let mut records = random_records(&mut random, &Bytewise, 50);
    for (key, _) in &mut records {
        let at = key.len() - 8;
        key[at..].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0]);
    }
    records.dedup_by(|a, b| a.0 == b.0);
    let block = build(&records, 4);
    let mut iter = BlockIter::new(Bytewise, &block[..], Some(77)).unwrap();
    let expect: Vec<_> = records
        .iter()
        .map(|r| InternalKey::new(user_key(&r.0), 77, ValueType::Value).as_bytes().to_vec())
        .collect();
    let mut keys = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        keys.push(iter.key().to_vec());
        iter.next();
    }
    assert_eq!(keys, expect);
    keys.clear();
    iter.seek_to_last();
    while iter.valid() {
        keys.push(iter.key().to_vec());
        iter.prev();
    }
    keys.reverse();
    assert_eq!(keys, expect);
    for (i, key) in expect.iter().enumerate() {
        iter.seek(key);
        assert_eq!(iter.key(), key);
        let older = InternalKey::new(user_key(key), 76, ValueType::Value);
        iter.seek(older.as_bytes());
        assert_eq!(iter.valid(), i + 1 < expect.len());
    }
}

/// The records of `key`, by a look-up in the block.
fn look_up(iter: &mut BlockIter<Bytewise, &[u8]>, target: &[u8]) -> Records {
    let mut found = Records::new();
    iter.seek_for_get(target);
    while iter.valid() && user_key(iter.key()) == user_key(target) {
        found.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().unwrap();
    found
}

#[test]
fn a_hash_index_finds_what_a_search_finds() {
    let mut random = Random::from_env(46);
    let (mut hits, mut spared) = (0, 0);
    for round in 0..200 {
        let count = random.below(80);
        let records = random_records(&mut random, &Bytewise, count);
        let interval = [1, 2, 16][round % 3];
        let ratio = [0.3, 0.75, 3.0][random.below(3) as usize];
        let builder = BlockBuilder::new(interval, true).with_hash_index(ratio);
        let estimate = builder.size_estimate();
        let hashed = build_with(builder, &records);
        assert!(BlockLayout::parse(&hashed).unwrap().num_buckets > 0);
        assert!(!records.is_empty() || hashed.len() == estimate);
        let plain = build(&records, interval);
        let mut fast = BlockIter::new(Bytewise, &hashed[..], None).unwrap();
        let mut slow = BlockIter::new(Bytewise, &plain[..], None).unwrap();
        for _ in 0..100 {
            let key = random_key(&mut random);
            let target = InternalKey::new(&key, random.below(6), ValueType::FOR_SEEK);
            let found = look_up(&mut fast, target.as_bytes());
            assert_eq!(found, look_up(&mut slow, target.as_bytes()));
            hits += usize::from(!found.is_empty());
            // Where the bucket is empty not even a later key is looked at.
            spared += usize::from(slow.valid() && !fast.valid());
        }
    }
    assert!(hits > 2000 && spared > 2000, "{hits} {spared}");
}

#[test]
fn a_hash_index_that_names_no_restart_is_a_corruption() {
    let records = vec![(InternalKey::new(b"k", 1, ValueType::Value).as_bytes().to_vec(), vec![])];
    let mut block = build_with(BlockBuilder::new(1, true).with_hash_index(1.0), &records);
    let bucket = block.len() - 7;
    assert_eq!(block[bucket..], [0, 1, 0, 1, 0, 0, 0x80]);
    block[bucket] = 1;
    let mut iter = BlockIter::new(Bytewise, &block[..], None).unwrap();
    iter.seek_for_get(&records[0].0);
    assert!(!iter.valid());
    assert!(iter.status().unwrap_err().is_corruption());
    iter.seek(&records[0].0);
    assert!(iter.valid());
}

fn walk_everything(block: &[u8]) {
    let Ok(mut iter) = BlockIter::new(Bytewise, block, None) else { return };
    let target = InternalKey::new(b"ab", 3, ValueType::Value);
    iter.seek_to_first();
    let mut steps = 0;
    while iter.valid() {
        assert!(iter.key().len() >= 8 && iter.value().len() <= block.len());
        iter.next();
        steps += 1;
        assert!(steps <= block.len());
    }
    iter.seek_to_last();
    while iter.valid() {
        assert!(iter.key().len() >= 8);
        iter.prev();
        steps += 1;
        assert!(steps <= 2 * block.len());
    }
    iter.seek_for_get(target.as_bytes());
    iter.seek(target.as_bytes());
    if iter.valid() {
        iter.prev();
    }
    iter.seek_for_prev(target.as_bytes());
    if iter.valid() {
        iter.next();
    }
    if let Ok(mut entries) = MetaEntries::new(block) {
        while let Ok(Some(_)) = entries.next_entry() {}
    }
}

#[test]
fn damaged_blocks_never_panic_or_hang() {
    let mut random = Random::from_env(45);
    for interval in [1, 4, 16] {
        let records = random_records(&mut random, &Bytewise, 20);
        let builder = BlockBuilder::new(interval, true).with_hash_index(0.75);
        damage_everywhere(&build_with(builder, &records));
        damage_everywhere(&build(&records, interval));
    }
    for _ in 0..5000 {
        let len = random.below(60) as usize;
        let mut bytes = random.bytes(len);
        bytes.extend_from_slice(&[0, 0, 0, 0, 1, 0, 0, 0]);
        walk_everything(&bytes);
    }
}

fn damage_everywhere(block: &[u8]) {
    for len in 0..block.len() {
        walk_everything(&block[..len]);
    }
    for at in 0..block.len() {
        for mask in [1, 0x10, 0x80, 0xff] {
            let mut bad = block.to_vec();
            bad[at] ^= mask;
            walk_everything(&bad);
        }
    }
}

#[test]
fn short_keys_are_a_corruption() {
    let mut builder = BlockBuilder::new(1, true);
    builder.add(b"1234567", b"v");
    let block = builder.finish().clone();
    let mut iter = BlockIter::new(Bytewise, &block[..], None).unwrap();
    iter.seek_to_first();
    assert!(!iter.valid());
    assert_eq!(iter.status().unwrap_err().to_string(), "Corruption: bad entry in block");
}

#[test]
fn footer_flags() {
    let records = vec![(InternalKey::new(b"k", 1, ValueType::Value).as_bytes().to_vec(), vec![])];
    let plain = build(&records, 1);
    let layout = BlockLayout::parse(&plain).unwrap();
    let with_flags = |flags: u8| {
        let mut block = plain.clone();
        *block.last_mut().unwrap() |= flags;
        block
    };
    assert_eq!(BlockLayout::parse(&with_flags(0x20)).unwrap(), layout);
    assert!(BlockLayout::parse(&with_flags(0x40)).unwrap_err().is_corruption());
    let error = BlockLayout::parse(&with_flags(0x10)).unwrap_err();
    assert!(error.to_string().starts_with("Not implemented: "));
    let mut hashed = plain[..plain.len() - 4].to_vec();
    hashed.extend_from_slice(&[0xff, 0, 0xff, 3, 0, 1, 0, 0, 0x80]);
    assert_eq!(BlockLayout::parse(&hashed).unwrap(), BlockLayout { num_buckets: 3, ..layout });
    hashed[plain.len() - 4 + 3] = 200;
    assert!(BlockLayout::parse(&hashed).unwrap_err().is_corruption());
}
