//! Damaged tables: an error, or the truth; never a panic, never another answer.

use super::sample::{build, random_options, random_records};
use super::*;
use crate::base::comparator::Bytewise;
use crate::base::key::LookupKey;
use crate::base::random::Random;
use crate::table::builder::TableBuilderOptions;
use crate::table::filter::KeyHash;
use std::ops::ControlFlow;

fn read_all(bytes: Vec<u8>, options: TableReadOptions) -> Result<Records> {
    let table = open(bytes, TableReaderOptions::default())?;
    let records = scan_forward(&mut table.iter(Bytewise, options))?;
    let backward = scan_backward(&mut table.iter(Bytewise, options))?;
    assert!(!options.verify_checksums || records == backward);
    Ok(records)
}

/// Looks at every way in, caring only that each comes back.
fn poke(bytes: Vec<u8>, records: &Records) {
    let hasty = TableReadOptions { verify_checksums: false, ..hasty() };
    let Ok(table) = open(bytes, TableReaderOptions::default()) else { return };
    let mut iter = table.iter(Bytewise, hasty);
    for (key, _) in records.iter().step_by(7) {
        iter.seek(key);
        iter.seek_for_prev(key);
        let lookup = LookupKey::new(&key[..key.len() - 8], 1000);
        let hash = KeyHash::of(lookup.user_key());
        let _ = table.get(&Bytewise, &lookup, hash, &hasty, |_, value| {
            assert!(value.len() < 1 << 20);
            ControlFlow::Continue(())
        });
        table.approximate_offset_of(key);
    }
    for forward in [true, false] {
        let mut steps = 0;
        if forward {
            iter.seek_to_first()
        } else {
            iter.seek_to_last()
        }
        while iter.valid() && steps < 10_000 {
            if forward {
                iter.next()
            } else {
                iter.prev()
            }
            steps += 1;
        }
        assert!(steps < 10_000);
    }
    let _ = table.verify_checksums(&hasty);
}

fn sample(random: &mut Random, version: u32) -> (Vec<u8>, Records) {
    let records = random_records(random, 60, &Comparator::Bytewise);
    let options = TableBuilderOptions {
        format_version: version,
        block_size: 150,
        // Nothing sums the padding.
        block_align: false,
        ..random_options(random, &Comparator::Bytewise)
    };
    (build(&records, options), records)
}

#[test]
fn flipped_bits_are_noticed_or_harmless() {
    let mut random = Random::from_env(61);
    for version in 2..=7 {
        let (bytes, records) = sample(&mut random, version);
        assert!(read_all(bytes.clone(), TableReadOptions::default()).unwrap() == records);
        let mut noticed = 0;
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << random.below(8);
            if at % 4 == 0 {
                poke(bad.clone(), &records);
            }
            match read_all(bad, TableReadOptions::default()) {
                Ok(read) => assert!(read == records, "version {version}, byte {at}"),
                Err(_) => noticed += 1,
            }
        }
        assert!(noticed * 10 > bytes.len() * 9, "{noticed} of {}", bytes.len());
    }
}

#[test]
fn cut_files_are_errors() {
    let mut random = Random::from_env(62);
    for version in [5, 7] {
        let (bytes, _) = sample(&mut random, version);
        for len in 0..bytes.len() {
            assert!(read_all(bytes[..len].to_vec(), TableReadOptions::default()).is_err());
        }
    }
}

#[test]
fn torn_and_overwritten_files_never_panic() {
    let mut random = Random::from_env(63);
    for _ in 0..300 {
        let version = 2 + random.below(6) as u32;
        let (mut bytes, records) = sample(&mut random, version);
        for _ in 0..=random.below(3) {
            let start = random.below(bytes.len() as u64) as usize;
            let len = (random.below(64) as usize).min(bytes.len() - start);
            let junk = if random.one_in(2) { vec![0xff; len] } else { random.bytes(len) };
            bytes[start..start + len].copy_from_slice(&junk);
        }
        poke(bytes, &records);
    }
}
