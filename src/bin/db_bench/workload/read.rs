//! Reads of single keys and of sets of them.

use crate::engine::multi_get::MultiGet;
use crate::failure::Result;
use crate::tally::Kind;
use crate::worker::Worker;

/// Reads the current key and counts it.
fn get(worker: &mut Worker) -> Result<()> {
    let value = worker.db.get(&worker.key)?;
    count(worker, value);
    Ok(())
}

fn count(worker: &mut Worker, value: Option<usize>) {
    worker.tally.looked += 1;
    worker.tally.found += u64::from(value.is_some());
    worker.done(Kind::Read, 1, value.map_or(0, |len| len + worker.parameters.key_size));
}

pub fn random(worker: &mut Worker) -> Result<()> {
    let num = worker.parameters.num;
    let mut limit = worker.limit(worker.parameters.reads);
    while limit.allows(1) {
        worker.random_key(num);
        get(worker)?;
    }
    Ok(())
}

pub fn hot(worker: &mut Worker) -> Result<()> {
    let hot = worker.parameters.num.div_ceil(100);
    let mut limit = worker.limit(worker.parameters.reads);
    while limit.allows(1) {
        worker.random_key(hot);
        get(worker)?;
    }
    Ok(())
}

/// Keys up to the next power of two, which a mask draws; those from `num` on do not exist.
pub fn fast(worker: &mut Worker) -> Result<()> {
    let num = worker.parameters.num;
    let mask = num.next_power_of_two() - 1;
    let mut limit = worker.limit(worker.parameters.reads);
    while limit.allows(1) {
        let n = worker.random.next() & mask;
        worker.tally.outside += u64::from(n >= num);
        worker.set_key(n);
        get(worker)?;
    }
    Ok(())
}

pub fn pinned(worker: &mut Worker) -> Result<()> {
    let num = worker.parameters.num;
    let mut limit = worker.limit(worker.parameters.reads);
    while limit.allows(1) {
        worker.random_key(num);
        let value = worker.db.get_pinned(&worker.key)?;
        count(worker, value);
    }
    Ok(())
}

pub fn multi(worker: &mut Worker) -> Result<()> {
    let p = worker.parameters;
    let stride = worker.flags.multiread_stride;
    let count = p.batch_size as usize;
    let mut set = MultiGet::new(worker.db, count, p.key_size);
    let mut limit = worker.limit(p.reads);
    while limit.allows(p.batch_size) {
        // The first key of a stride: the last one must exist as well.
        let span = stride.saturating_mul(p.batch_size);
        let first = worker.random.below(p.num).min(p.num.saturating_sub(span));
        for i in 0..count {
            let n = match stride {
                0 => worker.random.below(p.num),
                _ => first + i as u64 * stride,
            };
            worker.shape.fill(set.key(i), n);
        }
        let found = if worker.flags.multiread_batched { set.get_batched() } else { set.get() }?;
        worker.tally.looked += p.batch_size;
        worker.tally.found += found.keys;
        let bytes = found.bytes + found.keys as usize * p.key_size;
        worker.done(Kind::Read, p.batch_size, bytes);
    }
    Ok(())
}

/// Reads or writes, as `--readwritepercent` says.
pub fn or_write(worker: &mut Worker) -> Result<()> {
    let p = worker.parameters;
    let mut limit = worker.limit(p.readwrites);
    while limit.allows(1) {
        worker.random_key(p.num);
        if worker.random.below(100) < worker.flags.readwritepercent {
            get(worker)?;
        } else {
            write(worker)?;
            worker.done(Kind::Write, 1, p.key_size + p.value_size);
        }
    }
    Ok(())
}

/// Reads a key and writes it, as one operation.
pub fn and_write(worker: &mut Worker) -> Result<()> {
    let p = worker.parameters;
    let mut limit = worker.limit(p.readwrites);
    while limit.allows(1) {
        worker.random_key(p.num);
        let value = worker.db.get(&worker.key)?;
        worker.tally.looked += 1;
        worker.tally.found += u64::from(value.is_some());
        write(worker)?;
        let read = value.map_or(0, |len| len + p.key_size);
        worker.done(Kind::Other, 1, read + p.key_size + p.value_size);
    }
    Ok(())
}

fn write(worker: &mut Worker) -> Result<()> {
    let p = worker.parameters;
    worker.tally.writes += 1;
    worker.db.put(p.sync, &worker.key, worker.values.next(p.value_size))
}
