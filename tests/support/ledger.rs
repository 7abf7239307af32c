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

/// One put (with a value) or deletion.
pub struct Op {
    /// The column family's name. Names are not used twice.
    pub family: Arc<str>,
    /// The key.
    pub key: Vec<u8>,
    /// The value, `None` for a deletion.
    pub value: Option<Vec<u8>>,
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
            let mut add = |key: Vec<u8>, value: Option<Vec<u8>>| {
                match &value {
                    Some(value) => batch.put(*id, &key, value).unwrap(),
                    None => batch.delete(*id, &key).unwrap(),
                }
                ops.push(Op { family: family.clone(), key, value });
            };
            add(MARKER.to_vec(), Some(number.to_string().into_bytes()));
            for _ in 0..rng.below(4) {
                let key = format!("key{:03}", rng.below(150)).into_bytes();
                let len = match rng.below(60) {
                    0 => 30_000 + rng.below(10_000),
                    1..10 => rng.below(4000),
                    _ => rng.below(300),
                };
                let value = (!rng.one_in(4)).then(|| rng.bytes(len as usize));
                add(key, value);
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
                match &op.value {
                    Some(value) => contents.insert(op.key.clone(), value.clone()),
                    None => contents.remove(&op.key),
                };
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
