use super::bloom::{self, Line};
use super::simd::Prober;
use super::*;
use crate::base::random::Random;
use crate::plug::filter_policy::FilterPolicy;

fn filter(millibits: u32, keys: impl Iterator<Item = u64>) -> (FilterReader, Vec<u8>) {
    let policy = FilterPolicy::bloom(f64::from(millibits) / 1000.0);
    let mut builder = FilterBuilder::new(&policy).unwrap();
    keys.for_each(|key| builder.add(&key.to_be_bytes()));
    let len = builder.block_len();
    let block = builder.finish().unwrap();
    assert_eq!(block.len(), len);
    (FilterReader::new(&block).unwrap(), block)
}

#[test]
fn wide_and_portable_probes_agree() {
    let mut random = Random::from_env(3);
    let prober = Prober::new();
    let mut seen = [0; 2];
    for round in 0..60_000 {
        let mut line = Line([0; 64]);
        let probes = 1 + random.below(30) as u32;
        for _ in 0..random.below(200) {
            let bit = random.below(512);
            line.0[(bit / 8) as usize] |= 1 << (bit % 8);
        }
        let hash = random.next_u64() as u32;
        if round % 2 == 0 {
            bloom::add(&mut line.0, hash, probes);
        }
        let expected = line.contains(hash, probes);
        assert_eq!(prober.contains(&line, hash, probes), expected);
        seen[usize::from(expected)] += 1;
    }
    assert!(seen[0] > 5000 && seen[1] > 5000);
}

#[test]
fn one_missing_bit_is_noticed_at_every_probe() {
    let mut random = Random::from_env(4);
    for probes in 1..=30 {
        let hash = random.next_u64() as u32;
        let mut full = Line([0; 64]);
        bloom::add(&mut full.0, hash, probes);
        for bit in 0..512 {
            let mut line = full;
            line.0[bit / 8] &= !(1 << (bit % 8));
            let expected = line.0 == full.0;
            assert_eq!(line.contains(hash, probes), expected);
            assert_eq!(Prober::new().contains(&line, hash, probes), expected);
        }
    }
}

#[test]
fn every_key_matches_and_few_others_do() {
    // Bits a key, and false positives in 10,000 that are too many.
    for (millibits, too_many) in [(1000, 9_000), (5000, 1500), (10_000, 150), (16_000, 20)] {
        for keys in [1, 10, 1000, 20_000] {
            let (reader, block) = filter(millibits, 0..keys);
            assert_eq!(block.len() % 64, METADATA_LEN);
            for key in 0..keys {
                assert!(reader.may_match(KeyHash::of(&key.to_be_bytes())));
            }
            let wrong = (1..=10_000u64)
                .filter(|i| reader.may_match(KeyHash::of(&(i << 40).to_be_bytes())))
                .count();
            assert!(wrong < too_many, "{millibits} millibits, {keys} keys: {wrong} of 10000");
        }
    }
}

#[test]
fn probes_follow_the_bits() {
    let cases = [(1000, 1), (2081, 2), (10_000, 6), (10_070, 6), (14_001, 8), (25_501, 12)];
    let more = [(25_502, 11), (28_000, 12), (28_001, 13), (50_000, 23), (50_001, 24)];
    for (millibits, probes) in cases.into_iter().chain(more) {
        assert_eq!(bloom::probes(millibits), probes, "{millibits}");
    }
}

#[test]
fn adjacent_repeats_count_once() {
    let mut builder = FilterBuilder::new(&FilterPolicy::bloom(10.0)).unwrap();
    for key in [b"a", b"a", b"b", b"b", b"a"] {
        builder.add(key);
    }
    assert_eq!(builder.num_entries(), 3);
    assert!(FilterBuilder::new(&FilterPolicy::bloom(0.1)).is_none());
    assert!(FilterBuilder::new(&FilterPolicy::read_only()).is_none());
}

#[test]
fn what_is_not_understood_hides_nothing() {
    let mut random = Random::from_env(5);
    let absent = KeyHash::of(b"absent");
    let (_, block) = filter(10_000, 0..100);
    assert!(!FilterReader::new(&[]).unwrap().may_match(absent), "no keys at all");
    for len in 1..block.len() {
        // Cut anywhere, the metadata is not where it should be (or is, by chance, all zero).
        let reader = FilterReader::new(&vec![0; len]).unwrap();
        assert!(reader.may_match(absent), "{len}");
        FilterReader::new(&block[..len]).unwrap().may_match(absent);
    }
    let metadata = block.len() - METADATA_LEN;
    for (at, value) in [(0, 0xfe), (0, 6), (1, 1), (2, 0), (2, 31), (2, 0x26), (3, 1), (4, 9)] {
        let mut changed = block.clone();
        changed[metadata + at] = value;
        let reader = FilterReader::new(&changed).unwrap();
        for _ in 0..100 {
            assert!(reader.may_match(KeyHash(random.next_u64())), "{at} {value}");
        }
    }
}
