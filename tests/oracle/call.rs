//! [`Call`]: one call of the interface, as data, and how a seed chooses the next one.

use hematite::base::random::Random;
use std::fmt;
use std::ops::Deref;

/// Bytes that one can read in a list of calls.
#[derive(Clone, PartialEq)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            0..40 => write!(f, "\"{}\"", self.0.escape_ascii()),
            len => write!(f, "\"{}\"…{len}", self.0[..8].escape_ascii()),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Places in the tables of a [`Side`](super::side::Side) are numbers: families, snapshots and
/// iterators that both sides have made alike.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Put { family: usize, key: Bytes, value: Bytes },
    Delete { family: usize, key: Bytes },
    SingleDelete { family: usize, key: Bytes },
    Batch(BatchCall),
    WriteBatch { clear: bool },
    Get { family: usize, key: Bytes, snapshot: Option<usize>, pinned: bool },
    MultiGet { family: usize, keys: Vec<Bytes>, snapshot: Option<usize>, batched: bool },
    Snapshot,
    ReleaseSnapshot(usize),
    NewIterator(IteratorCall),
    DropIterator(usize),
    Move { iterator: usize, how: Move },
    Flush { family: usize },
    CreateFamily { name: String },
    DropFamily(usize),
    Scan { family: usize, backwards: bool },
    LatestSequence,
    Reopen { swapped: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub enum BatchCall {
    Put { family: usize, key: Bytes, value: Bytes },
    Delete { family: usize, key: Bytes },
    LogData(Bytes),
    SavePoint,
    RollBack,
    PopSavePoint,
    Clear,
    Look,
}

#[derive(Clone, Debug, PartialEq)]
pub struct IteratorCall {
    pub family: usize,
    pub snapshot: Option<usize>,
    pub lower: Option<Bytes>,
    pub upper: Option<Bytes>,
    pub fill_cache: bool,
    pub readahead: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    First,
    Last,
    Seek(Bytes),
    SeekForPrev(Bytes),
    Next,
    Prev,
}

/// What both sides have at the moment, so that calls name what exists.
#[derive(Default)]
pub struct Chooser {
    /// Live column families by place; the first is the default one.
    pub families: Vec<bool>,
    pub snapshots: Vec<bool>,
    pub iterators: Vec<bool>,
    /// Keys of single deletions: whether they are put at the moment.
    single: Vec<bool>,
    created: usize,
}

const FAMILIES: usize = 4;
const SINGLE_KEYS: u64 = 50;

fn live(random: &mut Random, table: &[bool]) -> Option<usize> {
    let places: Vec<usize> = (0..table.len()).filter(|&at| table[at]).collect();
    (!places.is_empty()).then(|| places[random.below(places.len() as u64) as usize])
}

/// Keys collide often, share prefixes, and differ in length.
pub fn key(random: &mut Random) -> Bytes {
    let letter = b'a' + random.below(4) as u8;
    let mut key = vec![letter];
    key.extend(format!("{:02}", random.below(60)).bytes());
    match random.below(12) {
        0 => key.truncate(1),
        1 => key.push(0),
        2 => key.extend([0xff; 9]),
        _ => {}
    }
    Bytes(key)
}

fn value(random: &mut Random) -> Bytes {
    let len = match random.below(20) {
        0 => 0,
        1 => random.below(5000),
        _ => random.below(100),
    };
    let fill = random.next_u64() as u8;
    let mut value = vec![fill; len as usize];
    let extra = random.below(9) as usize;
    value.extend(random.bytes(extra));
    Bytes(value)
}

impl Chooser {
    pub fn new() -> Chooser {
        Chooser { families: vec![true], ..Chooser::default() }
    }

    pub fn next(&mut self, random: &mut Random) -> Call {
        let Some(family) = live(random, &self.families) else { return Call::LatestSequence };
        let snapshot = live(random, &self.snapshots).filter(|_| random.one_in(3));
        match random.below(1000) {
            0..250 => Call::Put { family, key: key(random), value: value(random) },
            250..310 => Call::Delete { family, key: key(random) },
            310..340 => self.single_delete(random),
            340..440 => Call::Batch(self.batch(random, family)),
            440..460 => Call::WriteBatch { clear: random.one_in(2) },
            460..560 => Call::Get { family, key: key(random), snapshot, pinned: random.one_in(2) },
            560..590 => {
                let keys = (0..random.below(20)).map(|_| key(random)).collect();
                Call::MultiGet { family, keys, snapshot, batched: random.one_in(2) }
            }
            590..605 => {
                self.snapshots.push(true);
                Call::Snapshot
            }
            605..615 => match live(random, &self.snapshots) {
                Some(at) => {
                    self.snapshots[at] = false;
                    Call::ReleaseSnapshot(at)
                }
                None => Call::LatestSequence,
            },
            615..645 => {
                self.iterators.push(true);
                let bound = |random: &mut Random| random.one_in(4).then(|| key(random));
                Call::NewIterator(IteratorCall {
                    family,
                    snapshot,
                    lower: bound(random),
                    upper: bound(random),
                    fill_cache: random.one_in(2),
                    readahead: if random.one_in(3) { 100 << random.below(10) } else { 0 },
                })
            }
            645..665 => match live(random, &self.iterators) {
                Some(at) => {
                    self.iterators[at] = false;
                    Call::DropIterator(at)
                }
                None => Call::LatestSequence,
            },
            665..960 => match live(random, &self.iterators) {
                Some(iterator) => Call::Move { iterator, how: step(random) },
                None => Call::LatestSequence,
            },
            960..975 => Call::Flush { family },
            975..980 => self.create_family(),
            980..982 => self.drop_family(family),
            982..994 => Call::Scan { family, backwards: random.one_in(2) },
            994..997 => Call::LatestSequence,
            _ => {
                // Nothing outlives the database.
                self.snapshots.clear();
                self.iterators.clear();
                Call::Reopen { swapped: random.one_in(2) }
            }
        }
    }

    /// A key that is only ever put once before it is deleted, as single deletion asks.
    fn single_delete(&mut self, random: &mut Random) -> Call {
        let at = random.below(SINGLE_KEYS) as usize;
        self.single.resize(SINGLE_KEYS as usize, false);
        self.single[at] = !self.single[at];
        let key = Bytes(format!("single{at:02}").into_bytes());
        match self.single[at] {
            true => Call::Put { family: 0, key, value: value(random) },
            false => Call::SingleDelete { family: 0, key },
        }
    }

    fn batch(&self, random: &mut Random, family: usize) -> BatchCall {
        match random.below(20) {
            0..9 => BatchCall::Put { family, key: key(random), value: value(random) },
            9..13 => BatchCall::Delete { family, key: key(random) },
            13 => BatchCall::LogData(value(random)),
            14 => BatchCall::SavePoint,
            15 => BatchCall::RollBack,
            16 => BatchCall::PopSavePoint,
            17 => BatchCall::Clear,
            _ => BatchCall::Look,
        }
    }

    fn create_family(&mut self) -> Call {
        if self.families.iter().filter(|live| **live).count() >= FAMILIES {
            return Call::LatestSequence;
        }
        self.families.push(true);
        self.created += 1;
        Call::CreateFamily { name: format!("family{}", self.created) }
    }

    fn drop_family(&mut self, family: usize) -> Call {
        if family == 0 {
            return Call::LatestSequence;
        }
        self.families[family] = false;
        Call::DropFamily(family)
    }
}

fn step(random: &mut Random) -> Move {
    match random.below(20) {
        0 => Move::First,
        1 => Move::Last,
        2..5 => Move::Seek(key(random)),
        5..8 => Move::SeekForPrev(key(random)),
        8..15 => Move::Next,
        _ => Move::Prev,
    }
}
