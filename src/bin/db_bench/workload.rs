//! The workloads.

use crate::api::{Api, Db};
use crate::flags::Flags;
use crate::keys::{Random, Values, fill_key};
use crate::report::{Progress, Total, histogram, line};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One thread's share of a workload.
struct Thread<'a> {
    flags: &'a Flags,
    db: &'a Db<'a>,
    random: Random,
    values: Values,
    key: Vec<u8>,
    operations: u64,
    bytes: u64,
    found: u64,
    latencies: Vec<u64>,
    progress: Progress,
    last: Instant,
}

type Body = fn(&mut Thread) -> Result<(), String>;

struct Workload {
    name: &'static str,
    /// Starts from an empty database (unless `--use_existing_db`).
    fresh: bool,
    /// Says how many of its reads found something.
    counts_found: bool,
    body: Body,
}

const WORKLOADS: &[Workload] = &[
    writes("fillseq", true, |t| t.put_all(|_, i| i)),
    writes("fillrandom", true, |t| t.put_all(random_key)),
    writes("fillbatch", true, |t| t.fill_batch()),
    writes("fillsync", true, |t| {
        let count = (t.flags.num / 1000).max(1);
        t.put_count(count, true, random_key)
    }),
    writes("overwrite", false, |t| t.put_all(random_key)),
    writes("deleteseq", false, |t| t.delete_all(|_, i| i)),
    writes("deleterandom", false, |t| t.delete_all(random_key)),
    reads("readrandom", |t| t.read(|t| t.random.below(t.flags.num))),
    reads("readmissing", |t| t.read_missing()),
    reads("readhot", |t| t.read(|t| t.random.below((t.flags.num / 100).max(1)))),
    writes("readseq", false, |t| t.scan(true)),
    writes("readreverse", false, |t| t.scan(false)),
    reads("seekrandom", |t| t.seek()),
    writes("newiterator", false, |t| t.new_iterators()),
    reads("readwhilewriting", |t| t.read_while_writing()),
    writes("flush", false, |t| t.db.flush().map(|()| t.operations += 1)),
];

const fn writes(name: &'static str, fresh: bool, body: Body) -> Workload {
    Workload { name, fresh, counts_found: false, body }
}

const fn reads(name: &'static str, body: Body) -> Workload {
    Workload { name, fresh: false, counts_found: true, body }
}

fn random_key(thread: &mut Thread, _: u64) -> u64 {
    thread.random.below(thread.flags.num)
}

pub fn run_all(flags: &Flags, api: &Api) -> Result<(), String> {
    let mut db = None;
    for name in flags.benchmarks.iter().filter(|name| !name.is_empty()) {
        let workload = WORKLOADS
            .iter()
            .find(|w| w.name == name)
            .ok_or_else(|| format!("unknown benchmark '{name}'"))?;
        let fresh = workload.fresh && !flags.use_existing_db;
        if fresh || db.is_none() {
            drop(db.take());
            db = Some(api.open(flags, fresh)?);
        }
        if let Some(db) = &db {
            run(flags, db, workload).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

fn run(flags: &Flags, db: &Db, workload: &Workload) -> Result<(), String> {
    let start = Instant::now();
    let results: Vec<Result<Thread, String>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..flags.threads.max(1))
            .map(|id| {
                scope.spawn(move || {
                    let mut thread = Thread::new(flags, db, workload.name, id);
                    (workload.body)(&mut thread).map(|()| thread)
                })
            })
            .collect();
        handles
            .into_iter()
            .map(|h| h.join().unwrap_or_else(|_| Err("a thread panicked".into())))
            .collect()
    });
    let elapsed = start.elapsed();
    let mut total =
        Total { operations: 0, bytes: 0, elapsed, message: String::new(), latencies: Vec::new() };
    let mut found = 0;
    for result in results {
        let mut thread = result?;
        total.operations += thread.operations;
        total.bytes += thread.bytes;
        found += thread.found;
        total.latencies.append(&mut thread.latencies);
    }
    if workload.counts_found {
        total.message = format!("({found} of {} found)", total.operations);
    }
    line(workload.name, &total);
    histogram(&mut total.latencies);
    Ok(())
}

impl<'a> Thread<'a> {
    fn new(flags: &'a Flags, db: &'a Db<'a>, name: &'static str, id: u64) -> Thread<'a> {
        // Different keys in each workload, or reads would repeat the writes in their order.
        let salt = name.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        let seed = flags.seed.wrapping_mul(1 << 32) ^ (salt << 16) ^ id;
        let goal = flags.num;
        Thread {
            flags,
            db,
            random: Random::new(seed),
            values: Values::new(seed, flags.compression_ratio, flags.value_size),
            key: vec![0; flags.key_size],
            operations: 0,
            bytes: 0,
            found: 0,
            latencies: Vec::new(),
            progress: Progress::new(name, goal),
            last: Instant::now(),
        }
    }

    fn done(&mut self, bytes: usize) {
        self.operations += 1;
        self.bytes += bytes as u64;
        if self.flags.histogram {
            let now = Instant::now();
            self.latencies.push((now - self.last).as_nanos() as u64);
            self.last = now;
        }
        if self.operations.is_multiple_of(Progress::STEP) {
            self.progress.show(self.operations);
        }
    }

    fn reads(&self) -> u64 {
        self.flags.reads.unwrap_or(self.flags.num)
    }

    fn put_all(&mut self, pick: fn(&mut Thread, u64) -> u64) -> Result<(), String> {
        self.put_count(self.flags.num, false, pick)
    }

    fn put_count(
        &mut self,
        count: u64,
        sync: bool,
        pick: fn(&mut Thread, u64) -> u64,
    ) -> Result<(), String> {
        for i in 0..count {
            let n = pick(self, i);
            fill_key(&mut self.key, n);
            let value = self.values.next(self.flags.value_size);
            self.db.put(sync, &self.key, value)?;
            self.done(self.flags.key_size + self.flags.value_size);
        }
        Ok(())
    }

    fn fill_batch(&mut self) -> Result<(), String> {
        let batch = self.db.batch();
        for i in 0..self.flags.num {
            fill_key(&mut self.key, i);
            batch.put(&self.key, self.values.next(self.flags.value_size));
            if (i + 1) % self.flags.batch_size.max(1) == 0 || i + 1 == self.flags.num {
                batch.commit()?;
            }
            self.done(self.flags.key_size + self.flags.value_size);
        }
        Ok(())
    }

    fn delete_all(&mut self, pick: fn(&mut Thread, u64) -> u64) -> Result<(), String> {
        for i in 0..self.flags.num {
            let n = pick(self, i);
            fill_key(&mut self.key, n);
            self.db.delete(&self.key)?;
            self.done(0);
        }
        Ok(())
    }

    fn read(&mut self, pick: fn(&mut Thread) -> u64) -> Result<(), String> {
        for _ in 0..self.reads() {
            let n = pick(self);
            fill_key(&mut self.key, n);
            let found = self.db.get(&self.key)?;
            self.found += u64::from(found.is_some());
            self.done(found.map_or(0, |len| len + self.flags.key_size));
        }
        Ok(())
    }

    /// Keys that sort between those that exist.
    fn read_missing(&mut self) -> Result<(), String> {
        self.key.push(b'.');
        for _ in 0..self.reads() {
            let n = self.random.below(self.flags.num);
            let len = self.key.len();
            fill_key(&mut self.key[..len - 1], n);
            let found = self.db.get(&self.key)?;
            self.found += u64::from(found.is_some());
            self.done(0);
        }
        Ok(())
    }

    fn scan(&mut self, forward: bool) -> Result<(), String> {
        let iter = self.db.iterator();
        if forward {
            iter.seek_to_first()
        } else {
            iter.seek_to_last()
        }
        let limit = self.reads();
        while iter.valid() && self.operations < limit {
            self.done(iter.entry_len());
            if forward { iter.next() } else { iter.prev() }
        }
        iter.check()
    }

    fn seek(&mut self) -> Result<(), String> {
        for _ in 0..self.reads() {
            let iter = self.db.iterator();
            let n = self.random.below(self.flags.num);
            fill_key(&mut self.key, n);
            iter.seek(&self.key);
            self.found += u64::from(iter.valid() && iter.key_is(&self.key));
            let mut bytes = 0;
            for _ in 0..self.flags.seek_nexts {
                if !iter.valid() {
                    break;
                }
                bytes += iter.entry_len();
                iter.next();
            }
            iter.check()?;
            self.done(bytes);
        }
        Ok(())
    }

    fn new_iterators(&mut self) -> Result<(), String> {
        for _ in 0..self.reads() {
            self.db.iterator().check()?;
            self.done(0);
        }
        Ok(())
    }

    /// Reads while one more thread overwrites; only the reads are counted.
    fn read_while_writing(&mut self) -> Result<(), String> {
        let stop = AtomicBool::new(false);
        let (flags, db) = (self.flags, self.db);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut thread = Thread::new(flags, db, "writer", 1 << 20);
                while !stop.load(Ordering::Relaxed) {
                    thread.put_count(1, false, random_key)?;
                }
                Ok(())
            });
            let read = self.read(|t| t.random.below(t.flags.num));
            stop.store(true, Ordering::Relaxed);
            read.and(writer.join().unwrap_or_else(|_| Err("the writer panicked".into())))
        })
    }
}
