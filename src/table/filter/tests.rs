use super::bloom::{self, Line};
use super::simd::Prober;
use super::*;
use crate::base::random::Random;
use crate::plug::filter_policy::FilterPolicy;

fn filter(millibits: u32, keys: impl Iterator<Item = u64>) -> (FilterReader, Vec<u8>) {
    let policy = FilterPolicy::bloom(f64::from(millibits) / 1000.0);
    let mut builder = FilterBuilder::new(&policy, &FilterContext::default()).unwrap();
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
    let mut builder =
        FilterBuilder::new(&FilterPolicy::bloom(10.0), &FilterContext::default()).unwrap();
    for key in [b"a", b"a", b"b", b"b", b"a"] {
        builder.add(key);
    }
    assert_eq!(builder.num_entries(), 3);
    for none in [FilterPolicy::bloom(0.1), FilterPolicy::ribbon(0.1, 0), FilterPolicy::read_only()]
    {
        assert!(FilterBuilder::new(&none, &FilterContext::default()).is_none());
    }
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
    for (at, value) in [(0, 0xfd), (0, 6), (1, 1), (2, 0), (2, 31), (2, 0x26), (3, 1), (4, 9)] {
        let mut changed = block.clone();
        changed[metadata + at] = value;
        let reader = FilterReader::new(&changed).unwrap();
        for _ in 0..100 {
            assert!(reader.may_match(KeyHash(random.next_u64())), "{at} {value}");
        }
    }
}

fn context(format_version: u32) -> FilterContext {
    FilterContext { format_version, ..FilterContext::default() }
}

fn block(policy: &FilterPolicy, context: &FilterContext, keys: std::ops::Range<u64>) -> Vec<u8> {
    let mut builder = FilterBuilder::new(policy, context).unwrap();
    keys.for_each(|key| builder.add(&key.to_be_bytes()));
    builder.finish().unwrap()
}

/// How many of 40,000 keys that were not added a filter takes for added.
fn false_positives(reader: &FilterReader) -> usize {
    let absent = |i: &u64| {
        let key = (i << 40).to_be_bytes();
        reader.may_match_key(KeyHash::of(&key), &key)
    };
    (1..=40_000u64).filter(absent).count()
}

#[test]
fn every_kind_finds_its_keys_and_few_others() {
    println!("kind, bits a key, keys: bytes a key, false positives in percent");
    for (kind, version) in [("bloom", 5), ("ribbon", 5), ("legacy", 4)] {
        for (bits, too_many) in [(1.0, 36_000), (6.5, 2600), (10.0, 560), (16.0, 90), (30.0, 60)] {
            for keys in [1, 40, 900, 1100, 20_000, 100_000] {
                let policy = match kind {
                    "ribbon" => FilterPolicy::ribbon(bits, -1),
                    _ => FilterPolicy::bloom(bits),
                };
                let block = block(&policy, &context(version), 0..keys);
                let reader = FilterReader::new(&block).unwrap();
                for key in 0..keys {
                    let key = key.to_be_bytes();
                    assert!(reader.may_match_key(KeyHash::of(&key), &key));
                }
                let wrong = false_positives(&reader);
                // The older kind probes a line of one key in 512 but once.
                let too_many = too_many + if kind == "legacy" { 160 } else { 0 };
                assert!(wrong < too_many, "{kind} {bits} bits, {keys} keys: {wrong} of 40000");
                let percent = wrong as f64 / 400.0;
                println!(
                    "{kind} {bits} {keys}: {:.2} {percent:.3}",
                    block.len() as f64 / keys as f64
                );
            }
        }
    }
}

#[test]
fn ribbon_filters_take_less_than_bloom_filters() {
    let of = |policy| block(&policy, &context(5), 0..50_000);
    let (bloom, ribbon) = (of(FilterPolicy::bloom(10.0)), of(FilterPolicy::ribbon(10.0, -1)));
    assert!(ribbon.len() * 100 < bloom.len() * 75, "{} {}", ribbon.len(), bloom.len());
    assert_eq!([bloom, ribbon].map(|block| block[block.len() - 5]), [0xff, 0xfe]);
}

#[test]
fn the_level_decides_between_bloom_and_ribbon() {
    let kind = |before, level| {
        let context = FilterContext { level, ..FilterContext::default() };
        let block = block(&FilterPolicy::ribbon(10.0, before), &context, 0..5000);
        block[block.len() - 5]
    };
    for (before, levels) in [
        (-1, [0xfe; 4]),
        (0, [0xff, 0xfe, 0xfe, 0xfe]),
        (2, [0xff, 0xff, 0xff, 0xfe]),
        (i32::MAX, [0xff; 4]),
    ] {
        assert_eq!([-1, 0, 1, FilterContext::NO_LEVEL].map(|level| kind(before, level)), levels);
    }
}

#[test]
fn partitions_are_cut_so_that_their_filters_fit() {
    for (policy, version) in [
        (FilterPolicy::bloom(10.0), 5),
        (FilterPolicy::ribbon(10.0, -1), 5),
        (FilterPolicy::ribbon(20.5, -1), 5),
        (FilterPolicy::bloom(10.0), 4),
    ] {
        let builder = FilterBuilder::new(&policy, &context(version)).unwrap();
        for bytes in [200, 1000, 4096, 50_000] {
            let entries = builder.entries_in(bytes);
            let len = |entries: usize| block(&policy, &context(version), 0..entries as u64).len();
            assert!(entries > 0 && len(entries) <= bytes + 16, "{policy:?} {bytes} {entries}");
            let more = entries + entries / 5 + 110;
            assert!(len(more) > bytes, "{policy:?} {bytes} {entries}: {}", len(more));
        }
    }
}

#[test]
fn sizes_fitted_to_the_allocator_keep_the_rate_on_average() {
    for policy in [FilterPolicy::bloom(10.0), FilterPolicy::ribbon(10.0, -1)] {
        let fitted = FilterContext { optimize_for_memory: true, ..FilterContext::default() };
        let (mut wrong, mut plain_wrong, mut len, mut plain_len) = (0, 0, 0, 0);
        for round in 0..20u64 {
            let keys = round * 1_000_000..round * 1_000_000 + 9_000 + round * 9_001;
            let block_of = |context: &FilterContext| block(&policy, context, keys.clone());
            let (ours, plain) = (block_of(&fitted), block_of(&FilterContext::default()));
            let reader = FilterReader::new(&ours).unwrap();
            assert!(keys.clone().all(|key| reader.may_match(KeyHash::of(&key.to_be_bytes()))));
            wrong += false_positives(&reader);
            plain_wrong += false_positives(&FilterReader::new(&plain).unwrap());
            (len, plain_len) = (len + ours.len(), plain_len + plain.len());
        }
        println!("{policy:?}: {wrong} with {len} bytes; {plain_wrong} with {plain_len} bytes");
        assert!(wrong < plain_wrong + plain_wrong / 10 && len < plain_len + plain_len / 20);
        assert!(policy.balance().excess().abs() < 0.01, "{:?}", policy.balance());
    }
}

#[test]
fn damaged_filters_of_every_kind_hide_at_most_keys_and_do_no_harm() {
    let mut random = Random::from_env(6);
    for (policy, version) in [(FilterPolicy::ribbon(10.0, -1), 5), (FilterPolicy::bloom(10.0), 4)] {
        let good = block(&policy, &context(version), 0..3000);
        for round in 0..400 {
            let mut bad = good.clone();
            let metadata = bad.len() - METADATA_LEN;
            for _ in 0..1 + random.below(3) {
                let at = match round % 2 {
                    0 => metadata + random.below(METADATA_LEN as u64) as usize,
                    _ => random.below(bad.len() as u64) as usize,
                };
                bad[at] = random.next_u64() as u8;
            }
            if random.one_in(3) {
                bad.drain(..random.below(bad.len() as u64) as usize);
            }
            let reader = FilterReader::new(&bad).unwrap();
            assert!(reader.memory_usage() <= bad.len());
            false_positives(&reader);
        }
    }
}

#[test]
fn hashes_that_change_in_memory_are_noticed() {
    let context = FilterContext { detect_corruption: true, ..FilterContext::default() };
    for policy in [FilterPolicy::bloom(10.0), FilterPolicy::ribbon(10.0, -1)] {
        let mut builder = FilterBuilder::new(&policy, &context).unwrap();
        (0..2000u64).for_each(|key| builder.add(&key.to_be_bytes()));
        let mut bad = builder.take();
        bad.flip_a_bit();
        let error = bad.finish().unwrap_err();
        assert_eq!(error.to_string(), "Corruption: Filter's hash entries checksum mismatched");
        assert_eq!(builder.finish().unwrap(), [0u8; 0]);
    }
}
