//! Numbered batches of several writing threads. What a database holds follows from how many
//! batches of each thread it has, and each batch says its number in every column family.

use hematite::base::random::Random;
use hematite::base::sync::Arc;
use hematite::batch::WriteBatch;
use hematite::db::{Db, Family};
use hematite::options::ReadOptions;
use hematite::read::iterator::DbIterator;
use std::collections::BTreeMap;

/// Each thread's data keys are used in turn.
const SLOTS: u64 = 40;

/// Where a thread's newest number is.
fn marker_key(thread: u64) -> Vec<u8> {
    format!("t{thread}").into_bytes()
}

fn slot_key(thread: u64, slot: u64) -> Vec<u8> {
    format!("t{thread}-{slot:02}").into_bytes()
}

/// Whether batch `number` of a thread begins by deleting its slots in a column family, all at once.
fn sweeps(thread: u64, number: u64, family: u64) -> bool {
    Random::new((thread << 40) ^ (number << 2) ^ family ^ (1 << 60)).one_in(25)
}

/// What batch `number` of a thread stores in its slot of a column family; some delete.
fn slot_value(thread: u64, number: u64, family: u64) -> Option<Vec<u8>> {
    let mut rng = Random::new((thread << 40) ^ (number << 2) ^ family);
    let limit = if rng.one_in(30) { 9000 } else { 300 };
    let len = rng.below(limit) as usize;
    (!rng.one_in(5)).then(|| rng.bytes(len))
}

/// Batch `number` of a thread.
pub fn batch(thread: u64, number: u64, families: &[Arc<Family>]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for (at, family) in families.iter().enumerate() {
        let key = slot_key(thread, number % SLOTS);
        if sweeps(thread, number, at as u64) {
            let (begin, end) = (slot_key(thread, 0), slot_key(thread, SLOTS));
            batch.delete_range(family.id(), &begin, &end).unwrap();
        }
        match slot_value(thread, number, at as u64) {
            Some(value) => batch.put(family.id(), &key, &value).unwrap(),
            None => batch.delete(family.id(), &key).unwrap(),
        }
        batch.put(family.id(), &marker_key(thread), &number.to_le_bytes()).unwrap();
    }
    batch
}

/// The newest batch of a thread.
pub fn marker_of(db: &Db, family: &Family, options: &ReadOptions, thread: u64) -> u64 {
    let found = db.get_pinned(family, options, &marker_key(thread)).unwrap();
    found.map_or(0, |value| u64::from_le_bytes(value.as_slice().try_into().unwrap()))
}

/// What column family number `at` holds after so many batches of each thread.
pub fn expected(at: usize, markers: &[u64]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut expected = BTreeMap::new();
    for (thread, &marker) in (0..).zip(markers) {
        if marker > 0 {
            expected.insert(marker_key(thread), marker.to_le_bytes().to_vec());
        }
        let first = marker.saturating_sub(SLOTS - 1).max(1);
        let swept = (first..=marker).rev().find(|&number| sweeps(thread, number, at as u64));
        for number in swept.unwrap_or(first)..=marker {
            if let Some(value) = slot_value(thread, number, at as u64) {
                expected.insert(slot_key(thread, number % SLOTS), value);
            }
        }
    }
    expected
}

/// Everything, by a scan forward.
pub fn scan(iter: &mut DbIterator) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut found = BTreeMap::new();
    iter.seek_to_first();
    while iter.valid() {
        found.insert(iter.key().to_vec(), iter.value().to_vec());
        iter.next();
    }
    iter.status().unwrap();
    found
}
