use super::*;
use crate::base::key::InternalKey;
use crate::base::random::Random;

fn ikey(user: &[u8], sequence: u64) -> Vec<u8> {
    InternalKey::new(user, sequence, ValueType::Value).as_bytes().to_vec()
}

/// Data blocks as (first key, last key, handle).
type Blocks = Vec<(Vec<u8>, Vec<u8>, BlockHandle)>;

fn blocks(random: &mut Random, count: usize, share: bool) -> Blocks {
    let mut offset = 0;
    let mut blocks = Blocks::new();
    for i in 0..count {
        let size = random.below(5000);
        let first = ikey(format!("key{:06}", i * 10).as_bytes(), 50);
        let last = match share && i % 3 == 0 {
            true => ikey(format!("key{:06}", (i + 1) * 10).as_bytes(), 90),
            false => ikey(format!("key{:06}x", i * 10 + 7).as_bytes(), 5),
        };
        blocks.push((first, last, BlockHandle::new(offset, size)));
        offset += size + BLOCK_TRAILER_LEN as u64;
    }
    blocks
}

fn build(
    blocks: &Blocks,
    version: u32,
    index_type: IndexType,
    shortening: IndexShortening,
    interval: usize,
) -> (Vec<u8>, IndexFormat) {
    let mut builder =
        IndexBuilder::new(Comparator::Bytewise, index_type, shortening, interval, version, 0)
            .unwrap();
    for (i, (first, last, handle)) in blocks.iter().enumerate() {
        builder.add(first, last, blocks.get(i + 1).map(|b| &b.0[..]), *handle);
    }
    builder.finish().unwrap()
}

const SHORTENINGS: [IndexShortening; 3] = [
    IndexShortening::NoShortening,
    IndexShortening::ShortenSeparators,
    IndexShortening::ShortenSeparatorsAndSuccessor,
];

#[test]
fn entries_separate_blocks_in_every_format() {
    let mut random = Random::from_env(61);
    for version in 2..=7 {
        for index_type in [IndexType::BinarySearch, IndexType::BinarySearchWithFirstKey] {
            for shortening in SHORTENINGS {
                for (interval, share) in [(1, false), (1, true), (4, false), (16, true)] {
                    let blocks = blocks(&mut random, 50, share);
                    let (block, format) = build(&blocks, version, index_type, shortening, interval);
                    assert_eq!(format.user_keys, version > 2 && !share);
                    assert_eq!(format.delta_handles, version >= 4);
                    check(&blocks, &block, format);
                }
            }
        }
    }
}

fn check(blocks: &Blocks, block: &[u8], format: IndexFormat) {
    let mut entries = IndexEntries::new(block, format).unwrap();
    for (i, (first, last, handle)) in blocks.iter().enumerate() {
        assert!(entries.advance().unwrap());
        assert_eq!(entries.handle(), *handle);
        if format.first_keys {
            assert_eq!(entries.first_key(), Some(&first[..]));
        }
        let order = Comparator::Bytewise;
        if format.user_keys {
            assert!(entries.key() >= user_key(last));
        } else {
            use crate::base::key::compare_internal;
            assert!(compare_internal(&order, entries.key(), last).is_ge());
            if let Some(next) = blocks.get(i + 1) {
                assert!(compare_internal(&order, entries.key(), &next.0).is_lt());
            }
        }
    }
    assert!(!entries.advance().unwrap());
}

#[test]
fn separators_are_short() {
    let blocks = vec![
        (ikey(b"aa", 9), ikey(b"abcdefgh", 9), BlockHandle::new(0, 10)),
        (ikey(b"axyz", 9), ikey(b"bcdefgh", 9), BlockHandle::new(15, 10)),
    ];
    let keys = |shortening| {
        let (block, format) = build(&blocks, 5, IndexType::BinarySearch, shortening, 1);
        let mut entries = IndexEntries::new(&block, format).unwrap();
        let mut keys = Vec::new();
        while entries.advance().unwrap() {
            keys.push(String::from_utf8(entries.key().to_vec()).unwrap());
        }
        keys
    };
    assert_eq!(keys(IndexShortening::NoShortening), ["abcdefgh", "bcdefgh"]);
    assert_eq!(keys(IndexShortening::ShortenSeparators), ["ac", "bcdefgh"]);
    assert_eq!(keys(IndexShortening::ShortenSeparatorsAndSuccessor), ["ac", "c"]);
}

#[test]
fn damage_never_panics_or_hangs() {
    let mut random = Random::from_env(62);
    for version in [3, 5] {
        let blocks = blocks(&mut random, 12, true);
        let (block, format) =
            build(&blocks, version, IndexType::BinarySearchWithFirstKey, SHORTENINGS[1], 4);
        let walk = |bytes: &[u8]| {
            let Ok(mut entries) = IndexEntries::new(bytes, format) else { return };
            let mut steps = 0;
            while let Ok(true) = entries.advance() {
                steps += 1;
                assert!(steps <= bytes.len());
            }
        };
        for at in 0..block.len() * 8 {
            let mut bad = block.clone();
            bad[at / 8] ^= 1 << (at % 8);
            walk(&bad);
            walk(&bad[..at / 8]);
        }
    }
}

#[test]
fn unknown_and_unwritable_index_types() {
    for number in 0..4u32 {
        assert_eq!(IndexType::decode(&number.to_le_bytes()).unwrap() as u32, number);
    }
    assert!(IndexType::decode(&[4, 0, 0, 0]).is_err());
    assert!(IndexType::decode(&[0, 0, 0]).is_err());
    let hash = IndexType::HashSearch;
    let builder = IndexBuilder::new(Comparator::Bytewise, hash, SHORTENINGS[0], 1, 5, 0).err();
    assert!(builder.unwrap().to_string().starts_with("Not implemented: "));
}
