//! Random writes, flushes and compactions: every reader sees what was written.

use super::*;
use crate::base::random::Random;
use crate::flush::job::FlushJob;
use crate::memtable::{MemTable, MemTableOptions};

/// What a reader at `snapshot` gets of `key` from `writes`, oldest first.
fn expected(order: &Comparator, writes: &[Entry], key: &[u8], snapshot: u64) -> Option<Vec<u8>> {
    let mut value: Option<Vec<u8>> = None;
    for write in writes.iter().filter(|write| write.sequence <= snapshot) {
        match write.kind {
            ValueType::RangeDeletion => {
                if order.compare(&write.key, key).is_le()
                    && order.compare(key, &write.value).is_lt()
                {
                    value = None;
                }
            }
            _ if write.key != key => {}
            ValueType::Value => value = Some(write.value.clone()),
            ValueType::Merge => match &mut value {
                Some(value) => {
                    value.push(b',');
                    value.extend_from_slice(&write.value);
                }
                None => value = Some(write.value.clone()),
            },
            _ => value = None,
        }
    }
    value
}

/// The same from the tables: the newest file first.
struct View {
    records: Vec<Entry>,
    tombstones: Vec<Entry>,
}

impl View {
    fn of(tree: &Tree) -> View {
        let mut view = View { records: Vec::new(), tombstones: Vec::new() };
        for (_, file) in tree.version.all_files() {
            let (records, tombstones) = tree.entries(file);
            check_meta(tree, file, &records, &tombstones);
            view.records.extend(records);
            view.tombstones.extend(tombstones);
        }
        view
    }

    fn get(&self, order: &Comparator, key: &[u8], snapshot: u64) -> Option<Vec<u8>> {
        let covers = |t: &&Entry| {
            t.sequence <= snapshot
                && order.compare(&t.key, key).is_le()
                && order.compare(key, &t.value).is_lt()
        };
        let tombstone = self.tombstones.iter().filter(covers).map(|t| t.sequence).max();
        let mut operands: Vec<&[u8]> = Vec::new();
        let mut base = None;
        for record in self.records.iter().filter(|r| r.key == key && r.sequence <= snapshot) {
            if tombstone.is_some_and(|t| t > record.sequence) {
                break;
            }
            match record.kind {
                ValueType::Merge => operands.push(&record.value),
                ValueType::Value => {
                    base = Some(&*record.value);
                    break;
                }
                _ => break,
            }
        }
        operands.reverse();
        if base.is_none() && operands.is_empty() {
            return None;
        }
        Some(base.into_iter().chain(operands).collect::<Vec<_>>().join(&b','))
    }
}

/// The MANIFEST's record of a file says what is in it.
fn check_meta(tree: &Tree, file: &FileMeta, records: &[Entry], tombstones: &[Entry]) {
    let order = tree.order();
    let all = records.iter().chain(tombstones);
    assert_eq!(all.clone().map(|e| e.sequence).min(), Some(file.smallest_seqno));
    assert_eq!(all.clone().map(|e| e.sequence).max(), Some(file.largest_seqno));
    let least = all
        .map(|e| InternalKeyOf(e).bytes())
        .min_by(|a, b| compare_internal(&order, a, b))
        .unwrap();
    assert_eq!(file.smallest.as_bytes(), least);
    let end = |t: &Entry| Entry { key: t.value.clone(), sequence: MAX_SEQUENCE, ..t.clone() };
    let greatest = records
        .iter()
        .map(|e| InternalKeyOf(e).bytes())
        .chain(tombstones.iter().map(|t| InternalKeyOf(&end(t)).bytes()))
        .max_by(|a, b| compare_internal(&order, a, b))
        .unwrap();
    assert_eq!(file.largest.as_bytes(), greatest);
}

struct Simulation {
    tree: Tree,
    random: Random,
    writes: Vec<Entry>,
    flushed: usize,
    sequence: u64,
    snapshots: Vec<u64>,
}

fn key_of(number: u64) -> Vec<u8> {
    format!("key{number:02}").into_bytes()
}

const KEYS: u64 = 40;
/// Keys from here on are only put and singly deleted, in turn.
const SINGLE: u64 = 32;

impl Simulation {
    fn new(order: Comparator, seed: u64) -> Simulation {
        Simulation {
            tree: Tree::new(order),
            random: Random::new(seed),
            writes: Vec::new(),
            flushed: 0,
            sequence: 0,
            snapshots: Vec::new(),
        }
    }

    fn write(&mut self) {
        self.sequence += 1;
        let number = self.random.below(KEYS);
        let (key, sequence) = (key_of(number), self.sequence);
        let entry = |kind, value| Entry { key: key.clone(), sequence, kind, value };
        let value = format!("{:.*}", self.random.below(30) as usize, format!("{sequence:030}"));
        let write = if number >= SINGLE {
            let last = self.writes.iter().rev().find(|write| write.key == key);
            match last.is_some_and(|last| last.kind == ValueType::Value) {
                true => entry(ValueType::SingleDeletion, Vec::new()),
                false => entry(ValueType::Value, value.into_bytes()),
            }
        } else {
            match self.random.below(12) {
                0..=5 => entry(ValueType::Value, value.into_bytes()),
                6..=8 => entry(ValueType::Merge, format!("m{sequence}").into_bytes()),
                9 | 10 => entry(ValueType::Deletion, Vec::new()),
                _ => {
                    let (a, b) = (key_of(number), key_of(self.random.below(SINGLE)));
                    let ascends = self.tree.order().compare(&a, &b).is_le();
                    let (key, value) = if ascends { (a, b) } else { (b, a) };
                    Entry { key, sequence, kind: ValueType::RangeDeletion, value }
                }
            }
        };
        self.writes.push(write);
    }

    fn flush(&mut self) {
        let order = self.tree.order();
        let mem = MemTable::new(1, order.clone(), &MemTableOptions::default());
        for write in &self.writes[self.flushed..] {
            mem.add(write.sequence, write.kind, &write.key, &write.value).unwrap();
        }
        self.flushed = self.writes.len();
        let number = self.tree.next_number.fetch_add(1, Ordering::Relaxed);
        let job = FlushJob {
            fs: &*self.tree.fs,
            dir: &self.tree.dir,
            owner: self.tree.owner(),
            comparator: &order,
            tables: &self.tree.tables,
            throttle: None,
            reads_as: None,
            file_number: number,
            logger: &NullLogger,
        };
        let output = job.run(&[Arc::new(mem)], &self.snapshots).unwrap();
        if let Some(mut file) = output.file {
            file.epoch_number = number;
            self.tree.add_to(0, file);
        }
    }

    /// All of level 0, or one file of another level, into the next one.
    fn compact(&mut self) {
        let levels: Vec<usize> =
            (0..LEVELS - 1).filter(|&l| !self.tree.version.files(l).is_empty()).collect();
        let Some(&level) = levels.get(self.random.below(levels.len().max(1) as u64) as usize)
        else {
            return;
        };
        let version = self.tree.version.clone();
        let count = version.files(level).len();
        let places = match level {
            0 => (0..count).collect(),
            _ => vec![self.random.below(count as u64) as usize],
        };
        let files = places.iter().map(|&place: &usize| &version.files(level)[place]);
        let order = self.tree.order();
        let range = user_key_range(&order, files).unwrap();
        let below = version.overlapping_files(level + 1, Some(*range.start()), Some(*range.end()));
        let others = version.files(level + 1).iter().enumerate();
        let others = others.filter(|(_, f)| below.iter().any(|b| b.number == f.number));
        let others: Vec<usize> = others.map(|(place, _)| place).collect();
        let mut plan = self.tree.plan(&[(level, places), (level + 1, others)], level + 1);
        plan.max_compaction_bytes = 300 + self.random.below(5000);
        plan.max_subcompactions = 1 + self.random.below(3) as usize;
        let output = self.tree.run(&plan, &self.snapshots);
        self.check_files(&output);
        self.tree.install(&plan, output);
    }

    fn check_files(&self, output: &CompactionOutput) {
        for pair in output.files.windows(2) {
            // A user key is never split over two files.
            let (a, b) = (pair[0].largest.user_key(), pair[1].smallest.user_key());
            let order = self.tree.order().compare(a, b);
            let ends_with_tombstone = pair[0].largest.sequence() == MAX_SEQUENCE;
            assert!(order.is_lt() || (order.is_eq() && ends_with_tombstone));
        }
    }

    fn check(&self) {
        let (view, order) = (View::of(&self.tree), self.tree.order());
        for number in 0..KEYS {
            let key = key_of(number);
            for &snapshot in self.snapshots.iter().chain(&[MAX_SEQUENCE]) {
                let wanted = expected(&order, &self.writes[..self.flushed], &key, snapshot);
                let found = view.get(&order, &key, snapshot);
                assert_eq!(found, wanted, "key{number:02} at {snapshot}");
            }
        }
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..=2 => {
                for _ in 0..self.random.below(30) {
                    self.write();
                }
                self.flush();
            }
            3 if self.snapshots.len() < 4 && self.flushed == self.writes.len() => {
                if self.snapshots.last() != Some(&self.sequence) {
                    self.snapshots.push(self.sequence);
                }
            }
            4 if !self.snapshots.is_empty() => {
                let at = self.random.below(self.snapshots.len() as u64) as usize;
                self.snapshots.remove(at);
            }
            _ => self.compact(),
        }
    }
}

fn simulate(order: &Comparator, default_seed: u64) {
    let mut seeds = Random::from_env(default_seed);
    for _ in 0..12 {
        let mut simulation = Simulation::new(order.clone(), seeds.next_u64());
        for _ in 0..60 {
            simulation.step();
            simulation.check();
        }
    }
}

#[test]
fn every_reader_sees_what_was_written() {
    simulate(&Comparator::Bytewise, 81);
}

#[test]
fn every_reader_sees_what_was_written_in_reverse_order() {
    simulate(&Comparator::ReverseBytewise, 82);
}
