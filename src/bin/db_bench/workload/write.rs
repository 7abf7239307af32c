//! Writes and deletions.

use crate::failure::Result;
use crate::tally::Kind;
use crate::worker::Worker;

/// The order of keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// 0, 1, 2 and so on.
    Ascending,
    /// Each at random: some come twice, some not at all.
    Random,
    /// All, in a random order.
    Permuted,
}

/// Numbers in an order.
struct Numbers {
    order: Order,
    permutation: Vec<u64>,
    next: u64,
}

impl Numbers {
    fn new(worker: &mut Worker, order: Order) -> Numbers {
        let permutation = match order {
            Order::Permuted => worker.random.permutation(worker.parameters.num),
            _ => Vec::new(),
        };
        Numbers { order, permutation, next: 0 }
    }

    fn next(&mut self, worker: &mut Worker) -> u64 {
        let i = self.next;
        self.next += 1;
        match self.order {
            Order::Ascending => i,
            Order::Random => worker.random.below(worker.parameters.num),
            Order::Permuted => self.permutation[(i % worker.parameters.num) as usize],
        }
    }
}

/// Writes as many keys as the parameters say.
pub fn all(worker: &mut Worker, order: Order) -> Result<()> {
    let p = worker.parameters;
    let mut numbers = Numbers::new(worker, order);
    let mut limit = match order {
        Order::Random => worker.limit(p.writes),
        // In time, these would go on to keys that do not exist.
        _ => crate::limit::Limit::new(0, p.writes),
    };
    if p.batch_size == 1 {
        while limit.allows(1) {
            let n = numbers.next(worker);
            put(worker, n)?;
        }
        return Ok(());
    }
    let batch = worker.db.batch();
    let mut left = p.writes;
    loop {
        // The last batch may be smaller.
        let count = if p.duration > 0 { p.batch_size } else { p.batch_size.min(left) };
        if count == 0 || !limit.allows(count) {
            return Ok(());
        }
        left = left.saturating_sub(count);
        for _ in 0..count {
            let n = numbers.next(worker);
            worker.set_key(n);
            batch.put(&worker.key, worker.values.next(p.value_size));
        }
        batch.commit(p.sync)?;
        worker.done(Kind::Write, count, count as usize * (p.key_size + p.value_size));
    }
}

fn put(worker: &mut Worker, n: u64) -> Result<()> {
    let p = worker.parameters;
    worker.set_key(n);
    worker.db.put(p.sync, &worker.key, worker.values.next(p.value_size))?;
    worker.done(Kind::Write, 1, p.key_size + p.value_size);
    Ok(())
}

/// Deletes as many keys as the parameters say.
pub fn delete(worker: &mut Worker, order: Order) -> Result<()> {
    let p = worker.parameters;
    let mut numbers = Numbers::new(worker, order);
    let seconds = if order == Order::Random { p.duration } else { 0 };
    let mut limit = crate::limit::Limit::new(seconds, p.deletes);
    let batch = (p.batch_size > 1).then(|| worker.db.batch());
    while limit.allows(p.batch_size) {
        let Some(batch) = &batch else {
            let n = numbers.next(worker);
            worker.set_key(n);
            worker.db.delete(p.sync, &worker.key)?;
            worker.done(Kind::Delete, 1, 0);
            continue;
        };
        for _ in 0..p.batch_size {
            let n = numbers.next(worker);
            worker.set_key(n);
            batch.delete(&worker.key);
        }
        batch.commit(p.sync)?;
        worker.done(Kind::Delete, p.batch_size, 0);
    }
    Ok(())
}

/// Deletes ranges at random keys, so many that together they are as long as the key space, if
/// `--deletes` does not say otherwise.
pub fn delete_ranges(worker: &mut Worker) -> Result<()> {
    let p = worker.parameters;
    let width = worker.flags.range_tombstone_width;
    let count = if worker.flags.deletes < 0 { p.num.div_ceil(width) } else { p.deletes };
    let batch = worker.db.batch();
    let mut end = worker.key.clone();
    let mut limit = worker.limit(count);
    while limit.allows(1) {
        let first = worker.random.below(p.num);
        worker.set_key(first);
        worker.shape.fill(&mut end, first.saturating_add(width));
        batch.delete_range(&worker.key, &end)?;
        batch.commit(p.sync)?;
        worker.done(Kind::Delete, 1, 0);
    }
    Ok(())
}

/// Writes random keys while other threads need it.
pub fn until_done(worker: &mut Worker) -> Result<()> {
    while worker.is_needed() {
        let n = worker.random.below(worker.parameters.num);
        put(worker, n)?;
    }
    Ok(())
}
