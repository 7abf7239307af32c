use super::{Cursor, FileBounds, Fragment, Fragments, FragmentsBuilder};
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType};
use crate::base::random::Random;

type Tombstone = (Vec<u8>, Vec<u8>, u64);

fn random_key(random: &mut Random) -> Vec<u8> {
    // Some are longer than the eight bytes that searches compare first.
    let mut key = if random.one_in(2) { b"prefix00".to_vec() } else { Vec::new() };
    let len = random.below(3) as usize;
    key.extend((0..len).map(|_| b'a' + random.below(4) as u8));
    key
}

fn random_tombstones(random: &mut Random, count: u64) -> Vec<Tombstone> {
    (0..count).map(|_| (random_key(random), random_key(random), 1 + random.below(30))).collect()
}

fn build<O: Order>(order: &O, tombstones: &[Tombstone]) -> Fragments {
    let mut builder = FragmentsBuilder::new();
    tombstones.iter().for_each(|(start, end, sequence)| builder.add(start, end, *sequence));
    builder.build(order).unwrap()
}

/// The newest tombstone at or below `sequence` that covers `key`, by looking at all of them.
fn newest<O: Order>(order: &O, tombstones: &[Tombstone], key: &[u8], sequence: u64) -> Option<u64> {
    let covers = |t: &&Tombstone| {
        order.compare(&t.0, key).is_le() && order.compare(key, &t.1).is_lt() && t.2 <= sequence
    };
    tombstones.iter().filter(covers).map(|t| t.2).max()
}

fn check_form<O: Order>(order: &O, fragments: &Fragments) {
    let pieces: Vec<Fragment<'_>> = fragments.iter().collect();
    for piece in &pieces {
        assert!(order.compare(piece.start, piece.end).is_lt());
        assert!(piece.sequences.windows(2).all(|w| w[0] > w[1]));
        assert!(!piece.sequences.is_empty());
    }
    for pair in pieces.windows(2) {
        assert!(order.compare(pair[0].end, pair[1].start).is_le());
        assert!(pair[0].end != pair[1].start || pair[0].sequences != pair[1].sequences);
    }
    let reversed: Vec<Fragment<'_>> = fragments.iter().rev().collect();
    assert!(reversed.iter().eq(pieces.iter().rev()));
    assert_eq!(fragments.first_key(), pieces.first().map(|p| p.start));
    assert_eq!(fragments.end_key(), pieces.last().map(|p| p.end));
}

fn check_against_model<O: Order>(order: O) {
    let mut random = Random::from_env(41);
    for round in 0..300 {
        let tombstones = random_tombstones(&mut random, round % 25);
        let fragments = build(&order, &tombstones);
        check_form(&order, &fragments);
        let mut cursor = Cursor::default();
        for _ in 0..60 {
            let (key, sequence) = (random_key(&mut random), random.below(32));
            let expected = newest(&order, &tombstones, &key, sequence);
            assert_eq!(fragments.covering(&order, &key, sequence), expected);
            assert_eq!(cursor.covering(&fragments, &order, &key, sequence), expected);
            let span = fragments.span(&order, &key);
            assert_eq!(span.newest_at(sequence), expected);
            assert!(span.start.is_none_or(|start| order.compare(start, &key).is_le()));
            assert!(span.end.is_none_or(|end| order.compare(&key, end).is_lt()));
        }
        let real = tombstones.iter().filter(|t| order.compare(&t.0, &t.1).is_lt());
        assert_eq!(fragments.num_tombstones(), real.count());
    }
}

#[test]
fn agree_with_a_list_of_tombstones() {
    check_against_model(Bytewise);
    check_against_model(Comparator::ReverseBytewise);
}

#[test]
fn cuts_to_bounds_agree_with_a_list() {
    let (mut random, order) = (Random::from_env(42), Bytewise);
    for round in 0..300 {
        let tombstones = random_tombstones(&mut random, round % 15);
        let fragments = build(&order, &tombstones);
        let mut bound = || (!random.one_in(4)).then(|| random_key(&mut random));
        let (lower, upper) = (bound(), bound());
        let (lower, upper) = (lower.as_deref(), upper.as_deref());
        let mut builder = FragmentsBuilder::new();
        for piece in fragments.within(&order, lower, upper) {
            piece.sequences.iter().for_each(|&s| builder.add(piece.start, piece.end, s));
        }
        let cut = builder.build(&order).unwrap();
        for _ in 0..50 {
            let key = random_key(&mut random);
            let inside = lower.is_none_or(|l| *l <= *key) && upper.is_none_or(|u| *key < *u);
            let expected = newest(&order, &tombstones, &key, 40).filter(|_| inside);
            assert_eq!(cut.covering(&order, &key, 40), expected, "{lower:?} {upper:?} {key:?}");
            let end = random_key(&mut random);
            if key <= end {
                let hit = |t: &Tombstone| t.0 < t.1 && t.0 <= end && key < t.1;
                assert_eq!(fragments.overlaps(&order, &key, &end), tombstones.iter().any(hit));
            }
        }
    }
}

#[test]
fn parts_of_one_tombstone_become_one_again() {
    let parts = [(b"a".to_vec(), b"k".to_vec(), 7), (b"k".to_vec(), b"z".to_vec(), 7)];
    let fragments = build(&Bytewise, &parts);
    assert_eq!(
        fragments.iter().collect::<Vec<_>>(),
        [Fragment { start: b"a", end: b"z", sequences: &[7] }]
    );
}

#[test]
fn what_a_file_says_ends_at_its_bounds() {
    let whole = build(&Bytewise, &[(b"b".to_vec(), b"y".to_vec(), 9)]);
    let cut = |order: &Comparator, smallest: &InternalKey, largest: &InternalKey| {
        let mut builder = FragmentsBuilder::new();
        let bounds = FileBounds::new(smallest.as_bytes(), largest.as_bytes());
        builder.add_file(&whole, order, bounds);
        let fragments = builder.build(order).unwrap();
        let piece = fragments.iter().next().unwrap();
        (piece.start.to_vec(), piece.end.to_vec())
    };
    let key = |key: &[u8], sequence| InternalKey::new(key, sequence, ValueType::Value);
    let end_of_tombstone = InternalKey::new(b"m", MAX_SEQUENCE, ValueType::RangeDeletion);
    let order = Comparator::Bytewise;
    assert_eq!(cut(&order, &key(b"c", 3), &key(b"m", 4)), (b"c".to_vec(), b"m\0".to_vec()));
    assert_eq!(cut(&order, &key(b"a", 3), &end_of_tombstone), (b"b".to_vec(), b"m".to_vec()));
    assert_eq!(cut(&order, &key(b"a", 3), &key(b"z", 4)), (b"b".to_vec(), b"y".to_vec()));
    let first = key(b"c", 3);
    let bounds = FileBounds::new(first.as_bytes(), end_of_tombstone.as_bytes());
    assert!(bounds.contains(&Bytewise, b"c") && bounds.contains(&Bytewise, b"lz"));
    assert!(!bounds.contains(&Bytewise, b"b") && !bounds.contains(&Bytewise, b"m"));
}

#[test]
fn stripes_keep_what_readers_can_tell_apart() {
    let kept = |snapshots: &[u64]| {
        let mut builder = FragmentsBuilder::new();
        [7, 2, 9, 5].iter().for_each(|&sequence| builder.add(b"a", b"b", sequence));
        let striped = builder.build_striped(&Bytewise, snapshots).unwrap();
        striped.iter().next().unwrap().sequences.to_vec()
    };
    assert_eq!(kept(&[]), [9]);
    assert_eq!(kept(&[8]), [9, 7]);
    assert_eq!(kept(&[7]), [9, 7]);
    assert_eq!(kept(&[5, 6]), [9, 5]);
    assert_eq!(kept(&[1, 2, 5, 7, 9]), [9, 7, 5, 2]);

    let mut random = Random::from_env(43);
    for _ in 0..100 {
        let tombstones = random_tombstones(&mut random, 20);
        let mut snapshots: Vec<u64> = (0..random.below(4)).map(|_| random.below(32)).collect();
        snapshots.sort_unstable();
        snapshots.dedup();
        let mut builder = FragmentsBuilder::new();
        tombstones.iter().for_each(|(start, end, sequence)| builder.add(start, end, *sequence));
        let striped = builder.build_striped(&Bytewise, &snapshots).unwrap();
        check_form(&Bytewise, &striped);
        let key = random_key(&mut random);
        for &reader in snapshots.iter().chain(&[MAX_SEQUENCE]) {
            let expected = newest(&Bytewise, &tombstones, &key, reader);
            assert_eq!(striped.covering(&Bytewise, &key, reader), expected);
        }
    }
}

#[test]
fn nested_tombstones_do_not_take_any_memory() {
    let mut builder = FragmentsBuilder::new();
    for n in 0..40_000u32 {
        let (start, end) = (n.to_be_bytes(), (100_000 - n).to_be_bytes());
        builder.add(&start, &end, n.into());
    }
    assert!(builder.build(&Bytewise).unwrap_err().is_corruption());
}

#[test]
fn nested_tombstones_are_few_to_those_who_see_only_the_newest() {
    const COUNT: u32 = 40_000;
    let mut builder = FragmentsBuilder::new();
    for n in 0..COUNT {
        builder.add(&0u32.to_be_bytes(), &(n + 1).to_be_bytes(), n.into());
    }
    let striped = builder.build_striped(&Bytewise, &[9]).unwrap();
    let newest = |key: u32, at| striped.covering(&Bytewise, &key.to_be_bytes(), at);
    assert_eq!((newest(0, 9), newest(9, 9), newest(10, 9)), (Some(9), Some(9), None));
    assert_eq!(newest(10, u64::MAX), Some(u64::from(COUNT) - 1));
}
