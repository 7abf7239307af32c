use super::*;
use crate::base::comparator::UserComparator;
use crate::base::iterator::InternalIterator;
use crate::base::key::{InternalKey, ParsedKey, compare_internal};
use crate::base::random::Random;
use std::cmp;

/// By length, then bytes: an order that no prefix describes.
struct ByLength;

impl UserComparator for ByLength {
    fn name(&self) -> &str {
        "test.ByLength"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> cmp::Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

fn comparators() -> [Comparator; 3] {
    [Comparator::Bytewise, Comparator::ReverseBytewise, Comparator::Custom(Arc::new(ByLength))]
}

type Record = (Vec<u8>, Vec<u8>);

/// Internal keys and values in the memtable's order.
fn sorted(comparator: &Comparator, mut records: Vec<Record>) -> Vec<Record> {
    records.sort_by(|a, b| compare_internal(comparator, &a.0, &b.0));
    records
}

fn short_key(random: &mut Random) -> Vec<u8> {
    let len = random.below(12) as usize;
    (0..len).map(|_| [0, b'a', b'b', 0xff][random.below(4) as usize]).collect()
}

fn random_type(random: &mut Random) -> ValueType {
    use ValueType::*;
    [Value, Value, Deletion, SingleDeletion, Merge, BlobIndex][random.below(6) as usize]
}

fn fill(mem: &MemTable, random: &mut Random, count: u64) -> Vec<Record> {
    let mut records = Vec::new();
    for sequence in 1..=count {
        let (key, value_type) = (short_key(random), random_type(random));
        let len = if random.one_in(50) { 5000 } else { 20 };
        let len = random.below(len) as usize;
        let value = random.bytes(len);
        mem.add(sequence, value_type, &key, &value).unwrap();
        records.push((InternalKey::new(&key, sequence, value_type).as_bytes().to_vec(), value));
    }
    sorted(mem.comparator(), records)
}

#[test]
fn iterates_like_a_sorted_vector() {
    let mut random = Random::from_env(11);
    for comparator in comparators() {
        let mem = Arc::new(MemTable::new(1, comparator.clone(), &MemTableOptions::default()));
        let model = fill(&mem, &mut random, 2000);
        let mut iter = mem.iter();
        assert!(!iter.valid());
        iter.seek_to_first();
        for (key, value) in &model {
            assert_eq!((iter.key(), iter.value()), (&key[..], &value[..]));
            iter.next();
        }
        assert!(!iter.valid());
        iter.seek_to_last();
        for (key, value) in model.iter().rev() {
            assert_eq!((iter.key(), iter.value()), (&key[..], &value[..]));
            iter.prev();
        }
        assert!(!iter.valid());
        iter.status().unwrap();
    }
}

#[test]
fn seeks_honour_the_whole_internal_key() {
    let mut random = Random::from_env(12);
    for comparator in comparators() {
        let mem = Arc::new(MemTable::new(1, comparator.clone(), &MemTableOptions::default()));
        let model = fill(&mem, &mut random, 1000);
        let mut iter = mem.iter();
        for _ in 0..5000 {
            // Often a stored key with another type or a neighbouring sequence number.
            let mut target = model[random.below(1000) as usize].0.clone();
            if random.one_in(2) {
                target = InternalKey::new(&short_key(&mut random), 500, ValueType::Merge)
                    .as_bytes()
                    .to_vec();
            }
            let at = target.len() - 8;
            target[at] = random.below(0x19) as u8;
            target[at + 1] = target[at + 1].wrapping_add(random.below(3) as u8);
            let order = |k: &Record| compare_internal(&comparator, &k.0, &target);
            let behind = model.get(model.partition_point(|k| order(k).is_lt()));
            iter.seek(&target);
            assert_eq!(iter.valid().then(|| iter.key()), behind.map(|(k, _)| &k[..]));
            let before = model[..model.partition_point(|k| order(k).is_le())].last();
            iter.seek_for_prev(&target);
            assert_eq!(iter.valid().then(|| iter.key()), before.map(|(k, _)| &k[..]));
        }
    }
}

#[test]
fn get_yields_visible_versions_newest_first() {
    let mut random = Random::from_env(13);
    for comparator in comparators() {
        let mem = MemTable::new(1, comparator.clone(), &MemTableOptions::default());
        let model = fill(&mem, &mut random, 2000);
        for _ in 0..400 {
            let key = short_key(&mut random);
            let sequence = random.below(2100);
            let expected: Vec<_> = model
                .iter()
                .map(|(ikey, value)| (ParsedKey::parse(ikey).unwrap(), &value[..]))
                .filter(|(p, _)| p.user_key == key && p.sequence <= sequence)
                .map(|(p, value)| (p.sequence, p.value_type, value))
                .collect();
            let found: Vec<_> = mem.get(&LookupKey::new(&key, sequence)).collect();
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn same_key_and_sequence_is_refused() {
    for comparator in comparators() {
        let mem = MemTable::new(1, comparator, &MemTableOptions::default());
        mem.add(7, ValueType::Value, b"k", b"first").unwrap();
        let error = mem.add(7, ValueType::Deletion, b"k", b"").unwrap_err();
        assert_eq!(error.to_string(), "Operation failed. Try again.: key+seq exists");
        mem.add(7, ValueType::Value, b"kk", b"").unwrap();
        mem.add(8, ValueType::Value, b"k", b"").unwrap();
        assert_eq!((mem.num_entries(), mem.num_deletes()), (3, 0));
        let newest = mem.get(&LookupKey::new(b"k", 7)).next();
        assert_eq!(newest, Some((7, ValueType::Value, &b"first"[..])));
    }
}

#[test]
fn counts_what_it_holds() {
    let mem = MemTable::new(3, Comparator::Bytewise, &MemTableOptions::default());
    assert!(mem.is_empty());
    assert_eq!((mem.first_sequence(), mem.earliest_sequence()), (None, MAX_SEQUENCE));
    let mem = mem.with_creation_sequence(40);
    let mut tally = Tally::default();
    mem.add_to_tally(&mut tally, 44, ValueType::Value, b"key", b"value").unwrap();
    mem.add_to_tally(&mut tally, 43, ValueType::SingleDeletion, b"key", b"").unwrap();
    mem.add_to_tally(&mut tally, 45, ValueType::Deletion, b"key", b"").unwrap();
    assert_eq!(mem.num_entries(), 0);
    mem.post(&tally);
    assert_eq!((mem.id(), mem.num_entries(), mem.num_deletes()), (3, 3, 2));
    assert_eq!((mem.raw_key_size(), mem.raw_value_size()), (33, 5));
    assert_eq!(mem.data_size(), 33 + 5 + 6);
    assert_eq!((mem.first_sequence(), mem.earliest_sequence()), (Some(43), 40));
    assert!(!mem.is_empty());
}

#[test]
fn fills_up_near_the_write_buffer_size() {
    let options = MemTableOptions { arena_block_size: 64 << 10, ..MemTableOptions::default() };
    for write_buffer_size in [64 << 10, 512 << 10, 1 << 20] {
        let mem = MemTable::new(1, Comparator::Bytewise, &options);
        let mut sequence = 0;
        while !mem.should_flush(write_buffer_size) {
            sequence += 1;
            mem.add(sequence, ValueType::Value, &sequence.to_be_bytes(), &[7; 100]).unwrap();
        }
        let usage = mem.memory_usage();
        assert!(usage <= write_buffer_size + (64 << 10), "{usage} for {write_buffer_size}");
        assert!(usage + (64 << 10) >= write_buffer_size, "{usage} for {write_buffer_size}");
    }
    // One record larger than the buffer.
    let mem = MemTable::new(1, Comparator::Bytewise, &options);
    mem.add(1, ValueType::Value, b"k", &vec![0; 1 << 20]).unwrap();
    assert!(mem.should_flush(512 << 10));
}

#[test]
fn iterator_keeps_the_memtable_alive() {
    let mem = Arc::new(MemTable::new(1, Comparator::Bytewise, &MemTableOptions::default()));
    mem.add(1, ValueType::Value, b"k", b"v").unwrap();
    let mut iter = mem.iter();
    drop(mem);
    iter.seek_to_first();
    let key = std::thread::spawn(move || iter.key().to_vec()).join().unwrap();
    assert_eq!(key, InternalKey::new(b"k", 1, ValueType::Value).as_bytes());
}

/// What one writer of the stress test adds as its record number `i`: small keys, so that writers
/// meet, and sequence numbers that no other writer has.
fn stress_record(seed: u64, writer: u64, i: u64) -> (Vec<u8>, SequenceNumber, Vec<u8>) {
    let mut random = Random::new(seed ^ (writer << 32) ^ i);
    let key = random.below(500).to_be_bytes();
    let at = random.below(6) as usize;
    (key[at..].to_vec(), 1 + i * 2 + writer, random.bytes(8))
}

/// Walks all of `mem` one way: strictly ascending, and complete as far as `added` says.
fn check_scan(mem: &Arc<MemTable>, added: &[u64; 2], forward: bool) {
    let mut iter = mem.iter();
    let (mut last, mut seen) = (None::<Vec<u8>>, [0, 0]);
    if forward {
        iter.seek_to_first()
    } else {
        iter.seek_to_last()
    }
    while iter.valid() {
        let key = iter.key().to_vec();
        if let Some(last) = &last {
            let (low, high) = if forward { (last, &key) } else { (&key, last) };
            assert!(compare_internal(mem.comparator(), low, high).is_lt());
        }
        let sequence = crate::base::key::sequence(&key) - 1;
        let (writer, i) = ((sequence % 2) as usize, sequence / 2);
        seen[writer] += u64::from(i < added[writer]);
        last = Some(key);
        if forward { iter.next() } else { iter.prev() }
    }
    assert_eq!(seen, *added);
}

#[test]
fn readers_see_all_that_was_added_while_writers_add_more() {
    use crate::base::sync::{AtomicU64, Ordering, thread};
    const RECORDS: u64 = 8_000;
    let seed = Random::from_env(14).next_u64();
    for comparator in comparators() {
        let mem = Arc::new(MemTable::new(1, comparator.clone(), &MemTableOptions::default()));
        let added = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let writers = [0, 1].map(|writer| {
            let (mem, added) = (mem.clone(), added.clone());
            thread::spawn(move || {
                for i in 0..RECORDS {
                    let (key, sequence, value) = stress_record(seed, writer, i);
                    mem.add(sequence, ValueType::Value, &key, &value).unwrap();
                    added[writer as usize].store(i + 1, Ordering::Release);
                }
            })
        });
        let readers = [false, true].map(|forward| {
            let (mem, added) = (mem.clone(), added.clone());
            thread::spawn(move || {
                let mut random = Random::new(seed);
                loop {
                    let now = [0, 1].map(|w: usize| added[w].load(Ordering::Acquire));
                    check_scan(&mem, &now, forward);
                    let writer = random.below(2);
                    let i = random.below(now[writer as usize].max(1));
                    if i < now[writer as usize] {
                        let (key, sequence, value) = stress_record(seed, writer, i);
                        let found = mem.get(&LookupKey::new(&key, sequence)).next();
                        assert_eq!(found, Some((sequence, ValueType::Value, &value[..])));
                    }
                    if now == [RECORDS; 2] {
                        break;
                    }
                }
            })
        });
        writers.into_iter().chain(readers).for_each(|t| t.join().unwrap());
        let model = (0..2)
            .flat_map(|writer| (0..RECORDS).map(move |i| stress_record(seed, writer, i)))
            .map(|(key, sequence, value)| {
                (InternalKey::new(&key, sequence, ValueType::Value).as_bytes().to_vec(), value)
            })
            .collect();
        let mut iter = mem.iter();
        iter.seek_to_first();
        for (key, value) in sorted(&comparator, model) {
            assert_eq!((iter.key(), iter.value()), (&key[..], &value[..]));
            iter.next();
        }
        assert!(!iter.valid());
        assert_eq!(mem.num_entries(), 2 * RECORDS);
        assert_eq!(mem.first_sequence(), Some(1));
    }
}

#[test]
fn of_two_adders_of_one_record_one_wins() {
    use crate::base::sync::thread;
    const RECORDS: u64 = 5_000;
    let mem = Arc::new(MemTable::new(1, Comparator::Bytewise, &MemTableOptions::default()));
    let threads = [0, 1].map(|_| {
        let mem = mem.clone();
        thread::spawn(move || {
            let mut tally = Tally::default();
            let won = |i: &u64| {
                mem.add_to_tally(&mut tally, *i, ValueType::Value, &i.to_be_bytes(), b"").is_ok()
            };
            let won = (0..RECORDS).filter(won).count() as u64;
            mem.post(&tally);
            won
        })
    });
    let won: u64 = threads.into_iter().map(|t| t.join().unwrap()).sum();
    assert_eq!((won, mem.num_entries()), (RECORDS, RECORDS));
    assert_eq!(mem.raw_key_size(), RECORDS * 16);
}

/// Prints nanoseconds per operation. Run it alone, in a release build:
/// `cargo test --release --lib memtable::tests::speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    use std::time::Instant;
    const COUNT: u64 = 500_000;
    let mut random = Random::from_env(15);
    let keys: Vec<_> = (0..COUNT)
        .map(|_| {
            let mut key = random.next_u64().to_be_bytes().to_vec();
            key.extend_from_slice(b"abcdefgh");
            key
        })
        .collect();
    let per = |start: Instant| start.elapsed().as_nanos() as u64 / COUNT;
    for comparator in comparators() {
        let mem = Arc::new(MemTable::new(1, comparator.clone(), &MemTableOptions::default()));
        let start = Instant::now();
        for (key, sequence) in keys.iter().zip(1..) {
            mem.add(sequence, ValueType::Value, key, &[b'v'; 100]).unwrap();
        }
        let insert = per(start);
        let start = Instant::now();
        let found = keys.iter().rev();
        let found = found.filter(|key| mem.get(&LookupKey::new(key, COUNT)).next().is_some());
        assert_eq!(found.count() as u64, COUNT);
        let get = per(start);
        let mut iter = mem.iter();
        let start = Instant::now();
        for key in &keys {
            iter.seek(LookupKey::new(key, COUNT).internal_key());
            assert!(iter.valid());
        }
        let seek = per(start);
        let start = Instant::now();
        iter.seek_to_first();
        let mut bytes = 0;
        while iter.valid() {
            bytes += iter.key().len() + iter.value().len();
            iter.next();
        }
        let next = per(start);
        let start = Instant::now();
        iter.seek_to_last();
        while iter.valid() {
            bytes -= iter.key().len() + iter.value().len();
            iter.prev();
        }
        let prev = per(start);
        assert_eq!(bytes, 0);
        let memory = mem.memory_usage() as u64 / COUNT;
        drop(iter);
        let start = Instant::now();
        drop(mem);
        let free = per(start);
        println!(
            "{comparator:?}: insert {insert} get {get} seek {seek} next {next} prev {prev} \
             free {free} ns, {memory} bytes per record"
        );
    }
}

#[test]
fn range_tombstones_stand_beside_the_records() {
    let mem = Arc::new(MemTable::new(1, Comparator::Bytewise, &MemTableOptions::default()));
    assert!(mem.range_tombstones().unwrap().is_none());
    mem.add(1, ValueType::Value, b"b", b"v").unwrap();
    mem.add(2, ValueType::RangeDeletion, b"a", b"c").unwrap();
    let first = mem.range_tombstones().unwrap().unwrap();
    assert_eq!(first.covering(&Comparator::Bytewise, b"b", 9), Some(2));
    assert!(Arc::ptr_eq(&first, &mem.range_tombstones().unwrap().unwrap()));
    mem.add(3, ValueType::RangeDeletion, b"b", b"d").unwrap();
    let second = mem.range_tombstones().unwrap().unwrap();
    assert_eq!(second.covering(&Comparator::Bytewise, b"b", 9), Some(3));
    assert_eq!(second.covering(&Comparator::Bytewise, b"b", 2), Some(2));
    assert_eq!((mem.num_entries(), mem.num_range_deletes(), mem.num_deletes()), (3, 2, 0));
    assert_eq!(mem.get(&LookupKey::new(b"b", 9)).count(), 1);
    let mut iter = mem.iter();
    iter.seek_to_first();
    iter.next();
    assert!(!iter.valid());

    let only = MemTable::new(1, Comparator::Bytewise, &MemTableOptions::default());
    only.add(7, ValueType::RangeDeletion, b"a", b"c").unwrap();
    assert!(!only.is_empty());
    assert_eq!(only.first_sequence(), Some(7));
}

#[test]
fn who_sees_a_number_sees_its_tombstone() {
    let mem = MemTable::new(1, Comparator::Bytewise, &MemTableOptions::default());
    let published = crate::base::sync::AtomicU64::new(0);
    let order = crate::base::sync::Ordering::Release;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let sequence = published.load(crate::base::sync::Ordering::Acquire);
                    if sequence > 0 {
                        let fragments = mem.range_tombstones().unwrap().unwrap();
                        let found = fragments.covering(&Comparator::Bytewise, b"k", sequence);
                        assert_eq!(found, Some(sequence));
                    }
                    if sequence == 400 {
                        return;
                    }
                }
            });
        }
        for sequence in 1..=400 {
            mem.add(sequence, ValueType::RangeDeletion, b"a", b"z").unwrap();
            published.store(sequence, order);
        }
    });
}
