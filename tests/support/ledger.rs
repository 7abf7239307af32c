//! A history of write batches, and what a database must hold after any prefix of it.
//!
//! Batch number `n` (from 1) puts the key [`MARKER`] with value `n` into every column family that
//! it touches, so that a database tells which prefix it holds.

use hematite::base::random::Random;
use hematite::batch::WriteBatch;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The key that each batch puts into every column family it touches.
pub const MARKER: &[u8] = b"marker";

/// One record of a batch.
pub struct Op {
    /// The column family's name. Names are not used twice.
    pub family: Arc<str>,
    /// The key, or the first of a range.
    pub key: Vec<u8>,
    /// What is done to it.
    pub change: Change,
}

/// What is done to a key or a range.
pub enum Change {
    /// The key gets a value.
    Put(Vec<u8>),
    /// The key goes.
    Delete,
    /// The operand is appended to the value behind a comma, as the merge operator
    /// `StringAppend` does.
    Append(Vec<u8>),
    /// The keys up to this one, exclusively, go.
    DeleteTo(Vec<u8>),
}

impl Op {
    fn add_to(&self, batch: &mut WriteBatch, family: u32) {
        match &self.change {
            Change::Put(value) => batch.put(family, &self.key, value),
            Change::Delete => batch.delete(family, &self.key),
            Change::Append(operand) => batch.merge(family, &self.key, operand),
            Change::DeleteTo(end) => batch.delete_range(family, &self.key, end),
        }
        .unwrap();
    }

    fn apply_to(&self, contents: &mut Contents) {
        match &self.change {
            Change::Put(value) => drop(contents.insert(self.key.clone(), value.clone())),
            Change::Delete => drop(contents.remove(&self.key)),
            Change::Append(operand) => match contents.get_mut(&self.key) {
                Some(value) => {
                    value.push(b',');
                    value.extend_from_slice(operand);
                }
                None => drop(contents.insert(self.key.clone(), operand.clone())),
            },
            Change::DeleteTo(end) => contents.retain(|key, _| *key < self.key || *key >= *end),
        }
    }
}

/// What a column family holds.
pub type Contents = BTreeMap<Vec<u8>, Vec<u8>>;

/// All batches, oldest first.
#[derive(Default)]
pub struct Ledger {
    batches: Vec<Vec<Op>>,
}

impl Ledger {
    /// The number of the newest batch.
    pub fn len(&self) -> u64 {
        self.batches.len() as u64
    }

    /// Forgets all batches behind number `len`.
    pub fn truncate(&mut self, len: u64) {
        self.batches.truncate(len as usize);
    }

    /// Makes up the next batch, which touches up to three of `families` (names with ids).
    pub fn invent(&mut self, rng: &mut Random, families: &[(Arc<str>, u32)]) -> WriteBatch {
        let number = self.len() + 1;
        let mut batch = WriteBatch::new();
        let mut ops = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let (family, id) = &families[rng.below(families.len() as u64) as usize];
            let mut add = |key: Vec<u8>, change: Change| {
                let op = Op { family: family.clone(), key, change };
                op.add_to(&mut batch, *id);
                ops.push(op);
            };
            add(MARKER.to_vec(), Change::Put(number.to_string().into_bytes()));
            for _ in 0..rng.below(4) {
                let at = rng.below(150);
                add(data_key(at), random_change(rng, at));
            }
        }
        self.batches.push(ops);
        batch
    }

    /// What `family` holds after the first `len` batches.
    pub fn contents(&self, family: &str, len: u64) -> Contents {
        let mut contents = Contents::new();
        for op in self.batches[..len as usize].iter().flatten() {
            if &*op.family == family {
                op.apply_to(&mut contents);
            }
        }
        contents
    }

    /// The longest prefix that cannot be told from the first `len` batches by one who sees only
    /// column families that `exists` names.
    pub fn indistinguishable(&self, len: u64, exists: impl Fn(&str) -> bool) -> u64 {
        let unseen = |ops: &&Vec<Op>| !ops.iter().any(|op| exists(&op.family));
        len + self.batches[len as usize..].iter().take_while(unseen).count() as u64
    }
}

fn data_key(at: u64) -> Vec<u8> {
    format!("key{at:03}").into_bytes()
}

/// Something to do to the data key of this number.
fn random_change(rng: &mut Random, at: u64) -> Change {
    match rng.below(40) {
        // Mostly short ranges, else little would ever be there.
        0..2 => {
            let len = if rng.one_in(6) { 100 } else { 8 };
            Change::DeleteTo(data_key(at + rng.below(len)))
        }
        2..10 => Change::Delete,
        10..15 => {
            let len = rng.below(100) as usize;
            Change::Append(rng.bytes(len))
        }
        _ => {
            let len = match rng.below(60) {
                0 => 30_000 + rng.below(10_000),
                1..10 => rng.below(4000),
                _ => rng.below(300),
            };
            Change::Put(rng.bytes(len as usize))
        }
    }
}
