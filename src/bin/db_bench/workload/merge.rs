//! Merge operands, and reads that merge them.

use crate::failure::{Failure, Result};
use crate::tally::Kind;
use crate::worker::Worker;

fn operator_is_there(worker: &Worker) -> Result<()> {
    // A library without merges says so first.
    worker.db.engine.functions.merge()?;
    if worker.flags.merge_operator.is_empty() {
        return Err(Failure::Unavailable("--merge_operator is unknown".into()));
    }
    Ok(())
}

fn merge(worker: &mut Worker) -> Result<()> {
    let p = worker.parameters;
    worker.db.merge(&worker.key, worker.values.next(p.value_size))?;
    worker.tally.merges += 1;
    worker.done(Kind::Merge, 1, p.key_size + p.value_size);
    Ok(())
}

pub fn random(worker: &mut Worker) -> Result<()> {
    operator_is_there(worker)?;
    let p = worker.parameters;
    let mut limit = worker.limit(p.readwrites);
    while limit.allows(1) {
        worker.random_key(p.merge_keys);
        merge(worker)?;
    }
    Ok(())
}

/// Merges or reads, as `--mergereadpercent` says.
pub fn or_read(worker: &mut Worker) -> Result<()> {
    operator_is_there(worker)?;
    let p = worker.parameters;
    let mut limit = worker.limit(p.readwrites);
    while limit.allows(1) {
        worker.random_key(p.merge_keys);
        if worker.random.below(100) < worker.flags.mergereadpercent {
            merge(worker)?;
            continue;
        }
        let value = worker.db.get(&worker.key)?;
        worker.tally.looked += 1;
        worker.tally.found += u64::from(value.is_some());
        worker.tally.longest = worker.tally.longest.max(value.unwrap_or(0));
        worker.done(Kind::Read, 1, value.map_or(0, |len| len + p.key_size));
    }
    Ok(())
}

/// Merges into random keys while other threads need it.
pub fn until_done(worker: &mut Worker) -> Result<()> {
    operator_is_there(worker)?;
    while worker.is_needed() {
        worker.random_key(worker.parameters.num);
        merge(worker)?;
    }
    Ok(())
}
