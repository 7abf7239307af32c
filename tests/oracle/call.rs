//! [`Call`]: one call of the interface, as data, and how a seed chooses the next one.

use hematite::base::random::Random;
use std::ffi::CStr;
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
    Put {
        family: usize,
        key: Bytes,
        value: Bytes,
    },
    Delete {
        family: usize,
        key: Bytes,
    },
    SingleDelete {
        family: usize,
        key: Bytes,
    },
    Merge {
        family: usize,
        key: Bytes,
        operand: Bytes,
    },
    DeleteRange {
        family: usize,
        begin: Bytes,
        end: Bytes,
    },
    Batch(BatchCall),
    WriteBatch {
        clear: bool,
    },
    Get {
        family: usize,
        key: Bytes,
        snapshot: Option<usize>,
        pinned: bool,
    },
    MultiGet {
        family: usize,
        keys: Vec<Bytes>,
        snapshot: Option<usize>,
        batched: bool,
    },
    Snapshot,
    ReleaseSnapshot(usize),
    NewIterator(IteratorCall),
    DropIterator(usize),
    Move {
        iterator: usize,
        how: Move,
    },
    Flush {
        family: usize,
    },
    CompactRange {
        family: usize,
        begin: Option<Bytes>,
        end: Option<Bytes>,
    },
    /// Look at a copy of the database that the other side opens.
    Copy {
        how: Copy,
        of_other: bool,
    },
    Property {
        family: usize,
        name: &'static CStr,
    },
    CreateFamily {
        name: String,
    },
    DropFamily(usize),
    /// Many moves of an iterator that lives no longer.
    Walk {
        iterator: IteratorCall,
        moves: Vec<Move>,
    },
    Scan {
        family: usize,
        backwards: bool,
    },
    LatestSequence,
    Reopen {
        swapped: bool,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum BatchCall {
    Put { family: usize, key: Bytes, value: Bytes },
    Delete { family: usize, key: Bytes },
    Merge { family: usize, key: Bytes, operand: Bytes },
    DeleteRange { family: usize, begin: Bytes, end: Bytes },
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
    pub pin_data: bool,
    pub tailing: bool,
    /// With a prefix extractor: stay within the prefix of the key that is sought. Else the
    /// iterator is to see all keys in order.
    pub prefix: bool,
}

/// How a copy is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Copy {
    Checkpoint,
    Backup,
}

/// Those that depend on calls alone, not on sizes and times.
const PROPERTIES: [&CStr; 5] = [
    c"rocksdb.num-snapshots",
    c"rocksdb.background-errors",
    c"rocksdb.is-file-deletions-enabled",
    c"rocksdb.is-write-stopped",
    c"rocksdb.oldest-snapshot-sequence",
];

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
    pub iterators: Vec<Open>,
    /// The column family of each.
    iterator_families: Vec<usize>,
    /// Whether there is a prefix extractor.
    prefixes: bool,
    /// Whether keys are ordered backwards.
    reverse: bool,
    /// Whether ranges are deleted. RocksDB 7.8 does not survive iterators that live on over
    /// compactions of tables with range tombstones, so that all are short-lived then.
    ranges: bool,
    /// Keys of single deletions: whether they are put at the moment.
    single: Vec<bool>,
    created: usize,
}

/// What may be asked of an iterator.
#[derive(Clone, Copy, PartialEq)]
pub enum Open {
    No,
    Total,
    Prefix,
    Tailing,
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

/// Two keys in order, mostly near each other. Those of single deletions are never between.
fn range(random: &mut Random, reverse: bool) -> [Bytes; 2] {
    let begin = key(random);
    let mut end = begin.clone();
    match random.below(4) {
        0 => end = key(random),
        1 => end.0[0] = (end.0[0] + 1).min(b'd'),
        _ => end.0.push(b'5'),
    }
    let swapped = (begin.0 > end.0) != reverse;
    if swapped { [end, begin] } else { [begin, end] }
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
    pub fn new(prefixes: bool, reverse: bool, ranges: bool) -> Chooser {
        Chooser { families: vec![true], prefixes, reverse, ranges, ..Chooser::default() }
    }

    pub fn next(&mut self, random: &mut Random) -> Call {
        let Some(family) = live(random, &self.families) else { return Call::LatestSequence };
        let snapshot = live(random, &self.snapshots).filter(|_| random.one_in(3));
        match random.below(1000) {
            0..200 => Call::Put { family, key: key(random), value: value(random) },
            200..250 => Call::Merge { family, key: key(random), operand: value(random) },
            250..300 => Call::Delete { family, key: key(random) },
            300..310 if self.ranges => {
                let [begin, end] = range(random, self.reverse);
                Call::DeleteRange { family, begin, end }
            }
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
            615..660 if self.ranges => Call::Walk {
                iterator: self.iterator_call(random, family, snapshot).0,
                moves: (0..random.below(40)).map(|_| step(random)).collect(),
            },
            615..645 => self.new_iterator(random, family, snapshot),
            645..660 => match self.iterator(random) {
                Some(at) => {
                    self.iterators[at] = Open::No;
                    Call::DropIterator(at)
                }
                None => Call::LatestSequence,
            },
            660..950 => self.step(random),
            950..960 => Call::Flush { family },
            960..968 => {
                let [begin, end] =
                    range(random, self.reverse).map(|key| (!random.one_in(3)).then_some(key));
                Call::CompactRange { family, begin, end }
            }
            968..975 => self.create_family(),
            975..978 => self.drop_family(family),
            978..986 => Call::Scan { family, backwards: random.one_in(2) },
            986..993 => {
                let name = PROPERTIES[random.below(PROPERTIES.len() as u64) as usize];
                Call::Property { family, name }
            }
            993..995 => Call::LatestSequence,
            995..997 => Call::Copy {
                // RocksDB's backups know only built-in orders of keys.
                how: match self.reverse || random.one_in(2) {
                    true => Copy::Checkpoint,
                    false => Copy::Backup,
                },
                of_other: random.one_in(2),
            },
            _ => {
                // Nothing outlives the database.
                self.snapshots.clear();
                self.iterators.clear();
                self.iterator_families.clear();
                Call::Reopen { swapped: random.one_in(2) }
            }
        }
    }

    fn new_iterator(
        &mut self,
        random: &mut Random,
        family: usize,
        snapshot: Option<usize>,
    ) -> Call {
        let (call, open) = self.iterator_call(random, family, snapshot);
        self.iterators.push(open);
        self.iterator_families.push(family);
        Call::NewIterator(call)
    }

    fn iterator_call(
        &self,
        random: &mut Random,
        family: usize,
        snapshot: Option<usize>,
    ) -> (IteratorCall, Open) {
        let bound = |random: &mut Random| random.one_in(4).then(|| key(random));
        let open = match random.below(6) {
            0..3 if self.prefixes && !self.ranges => Open::Prefix,
            5 if snapshot.is_none() && !self.ranges => Open::Tailing,
            _ => Open::Total,
        };
        let call = IteratorCall {
            family,
            snapshot,
            lower: bound(random),
            upper: bound(random),
            fill_cache: random.one_in(2),
            readahead: if random.one_in(3) { 100 << random.below(10) } else { 0 },
            pin_data: random.one_in(3),
            tailing: open == Open::Tailing,
            prefix: open == Open::Prefix,
        };
        (call, open)
    }

    fn iterator(&self, random: &mut Random) -> Option<usize> {
        let open: Vec<bool> = self.iterators.iter().map(|open| *open != Open::No).collect();
        live(random, &open)
    }

    fn step(&self, random: &mut Random) -> Call {
        let Some(iterator) = self.iterator(random) else { return Call::LatestSequence };
        let how = match self.iterators[iterator] {
            // What these show after other moves is not defined.
            Open::Prefix => match random.below(3) {
                0 => Move::Seek(key(random)),
                _ => Move::Next,
            },
            Open::Tailing => match random.below(8) {
                0 => Move::First,
                1..5 => Move::Seek(key(random)),
                // New keys may or may not be seen before the next seek.
                _ => return Call::LatestSequence,
            },
            _ => step(random),
        };
        Call::Move { iterator, how }
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
            9..11 => BatchCall::Delete { family, key: key(random) },
            11 => BatchCall::Merge { family, key: key(random), operand: value(random) },
            12 if self.ranges => {
                let [begin, end] = range(random, self.reverse);
                BatchCall::DeleteRange { family, begin, end }
            }
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
        for (open, of) in self.iterators.iter_mut().zip(&self.iterator_families) {
            if *of == family {
                *open = Open::No;
            }
        }
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
