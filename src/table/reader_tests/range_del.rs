//! Range tombstones in table files.

use super::sample::{build, random_options, random_records, random_user_key};
use super::*;
use crate::base::key::{InternalKey, ValueType};
use crate::base::random::Random;
use crate::codec::CompressionType;
use crate::rangedel::FragmentsBuilder;
use crate::table::builder::TableBuilderOptions;
use crate::table::checksum::ChecksumType;

fn random_tombstone(random: &mut Random) -> (Vec<u8>, Vec<u8>, u64) {
    (random_user_key(random), random_user_key(random), random.below(50))
}

#[test]
fn tombstones_round_trip_beside_the_records() {
    let mut random = Random::from_env(61);
    for round in 0..40 {
        let comparator = [Comparator::Bytewise, Comparator::ReverseBytewise][round % 2].clone();
        let records = random_records(&mut random, 20 * (round as u64 % 3), &comparator);
        let tombstones: Vec<_> =
            (0..random.below(12)).map(|_| random_tombstone(&mut random)).collect();
        let mut all = records.clone();
        let mut model = FragmentsBuilder::new();
        for (start, end, sequence) in &tombstones {
            let ikey = InternalKey::new(start, *sequence, ValueType::RangeDeletion);
            let at = random.below(all.len() as u64 + 1) as usize;
            all.insert(at, (ikey.as_bytes().to_vec(), end.clone()));
            model.add(start, end, *sequence);
        }
        let model = model.build(&comparator).unwrap();
        let options = random_options(&mut random, &comparator);
        let reader = TableReaderOptions { comparator: comparator.clone(), ..Default::default() };
        let table = open(build(&all, options), reader).unwrap();
        assert_eq!(table.properties().num_range_deletions, tombstones.len() as u64);
        assert_eq!(table.properties().num_entries, all.len() as u64);
        assert_eq!(table.range_tombstones().is_none(), model.is_empty());
        if let Some(fragments) = table.range_tombstones() {
            assert!(fragments.iter().eq(model.iter()));
        }
        let mut iter = table.iter(comparator.clone(), TableReadOptions::default());
        iter.seek_to_first();
        for (key, value) in &records {
            assert_eq!((iter.key(), iter.value()), (key.as_slice(), value.as_slice()));
            iter.next();
        }
        assert!(!iter.valid());
        table.verify_checksums(&hasty()).unwrap();
    }
}

#[test]
fn a_record_among_the_tombstones_is_a_corruption() {
    let start = InternalKey::new(b"a", 5, ValueType::RangeDeletion);
    let records = vec![(start.as_bytes().to_vec(), b"c".to_vec())];
    let mut bytes = build(
        &records,
        TableBuilderOptions {
            checksum: ChecksumType::None,
            compression: CompressionType::None,
            ..Default::default()
        },
    );
    let at = bytes.windows(9).position(|w| w == start.as_bytes()).unwrap();
    assert!(open(bytes.clone(), TableReaderOptions::default()).is_ok());
    bytes[at + 1] = ValueType::Value as u8;
    assert!(open(bytes, TableReaderOptions::default()).err().unwrap().is_corruption());
}
