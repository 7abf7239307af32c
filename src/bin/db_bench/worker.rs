//! One thread of a workload.

use crate::engine::db::Db;
use crate::engine::perf::PerfContext;
use crate::failure::Result;
use crate::flags::Flags;
use crate::keys::{KeyShape, Random, Values};
use crate::latency::Latencies;
use crate::limit::Limit;
use crate::progress::Progress;
use crate::tally::{Kind, Tally};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The flags' numbers as one workload takes them.
#[derive(Clone, Copy)]
pub struct Parameters {
    /// Keys in the key space.
    pub num: u64,
    pub reads: u64,
    pub writes: u64,
    pub deletes: u64,
    /// Operations of the workloads that mix reads and writes.
    pub readwrites: u64,
    pub merge_keys: u64,
    pub key_size: usize,
    pub value_size: usize,
    pub batch_size: u64,
    pub sync: bool,
    pub threads: u64,
    pub duration: u64,
}

impl Parameters {
    pub fn new(flags: &Flags) -> Parameters {
        let or_num = |count: i64| u64::try_from(count).unwrap_or(flags.num);
        let (reads, writes) = (or_num(flags.reads), or_num(flags.writes));
        Parameters {
            num: flags.num,
            reads,
            writes,
            deletes: or_num(flags.deletes),
            readwrites: match (flags.reads, flags.writes) {
                (0.., 0..) => reads.max(writes),
                (0.., _) => reads,
                (_, 0..) => writes,
                _ => flags.num,
            },
            merge_keys: or_num(flags.merge_keys),
            key_size: flags.key_size,
            value_size: flags.value_size,
            batch_size: flags.batch_size,
            sync: flags.sync,
            threads: flags.threads,
            duration: flags.duration,
        }
    }
}

/// What the threads of one run share.
pub struct Shared<'a> {
    pub flags: &'a Flags,
    pub parameters: Parameters,
    pub db: &'a Db<'a>,
    pub name: &'static str,
    /// Holds every thread until all are there.
    pub gate: Barrier,
    /// Threads that are not in the background and still run.
    pub running: AtomicU64,
}

pub struct Worker<'a> {
    pub flags: &'a Flags,
    pub parameters: Parameters,
    pub db: &'a Db<'a>,
    pub random: Random,
    pub values: Values,
    /// The key of the current operation.
    pub key: Vec<u8>,
    pub shape: KeyShape,
    pub tally: Tally,
    running: &'a AtomicU64,
    progress: Progress,
    last: Instant,
}

/// What a thread does.
pub type Step = fn(&mut Worker) -> Result<()>;

impl<'a> Worker<'a> {
    /// Runs `step` as thread `id` once all threads are ready.
    pub fn run(shared: &'a Shared<'a>, id: u64, step: Step, background: bool) -> Result<Tally> {
        let mut worker = Worker::new(shared, id);
        shared.gate.wait();
        let done = worker.timed(step);
        if !background {
            shared.running.fetch_sub(1, Ordering::Release);
        }
        done.map(|()| worker.tally)
    }

    fn timed(&mut self, step: Step) -> Result<()> {
        let perf = PerfContext::start(self.db.engine, self.flags.perf_level)?;
        self.tally.start = Instant::now();
        self.last = self.tally.start;
        step(self)?;
        self.tally.finish = Instant::now();
        self.tally.busy = self.tally.finish - self.tally.start;
        self.tally.perf = perf.map(|perf| perf.report()).transpose()?;
        Ok(())
    }

    fn new(shared: &'a Shared<'a>, id: u64) -> Worker<'a> {
        let (flags, parameters) = (shared.flags, shared.parameters);
        // Different keys in each workload, or reads would repeat the writes in their order.
        let salt = shared.name.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        let seed = flags.seed.wrapping_mul(1 << 32) ^ (salt << 16) ^ id;
        let now = Instant::now();
        Worker {
            flags,
            parameters,
            db: shared.db,
            random: Random::new(seed),
            values: Values::new(seed, flags.compression_ratio, parameters.value_size),
            key: vec![0; parameters.key_size],
            shape: KeyShape::new(flags),
            tally: Tally::new(now),
            running: &shared.running,
            progress: Progress::new(shared.name, id == 0),
            last: now,
        }
    }

    /// A limit of `operations`, or of `--duration`.
    pub fn limit(&self, operations: u64) -> Limit {
        Limit::new(self.parameters.duration, operations)
    }

    /// Whether threads still run that this one is the background of.
    pub fn is_needed(&self) -> bool {
        self.running.load(Ordering::Acquire) > 0
    }

    /// Makes number `n` the current key.
    pub fn set_key(&mut self, n: u64) {
        self.shape.fill(&mut self.key, n);
    }

    /// Makes a random number below `limit` the current key.
    pub fn random_key(&mut self, limit: u64) {
        let n = self.random.below(limit);
        self.set_key(n);
    }

    /// Counts operations that were done as one.
    pub fn done(&mut self, kind: Kind, count: u64, bytes: usize) {
        let before = self.tally.operations;
        self.tally.operations += count;
        self.tally.bytes += bytes as u64;
        if self.flags.histogram {
            let now = Instant::now();
            let latencies = &mut self.tally.latencies[kind as usize];
            let latencies = latencies.get_or_insert_with(|| Box::new(Latencies::new()));
            latencies.add((now - self.last).as_nanos() as u64);
            self.last = now;
        }
        if before / Progress::STEP != self.tally.operations / Progress::STEP {
            self.progress.show(self.tally.operations);
        }
    }
}
