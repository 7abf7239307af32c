//! What concerns the database as a whole.

use super::Whole;
use crate::failure::Result;
use crate::latency::Latencies;
use crate::session::Session;
use crate::tally::{Kind, Tally};
use std::time::Instant;

fn timed(start: Instant, finish: Instant, operations: u64) -> Tally {
    let mut tally = Tally::new(start);
    tally.finish = finish.max(start);
    tally.busy = tally.finish - start;
    tally.operations = operations;
    tally
}

pub fn flush(session: &mut Session) -> Result<Whole> {
    let start = Instant::now();
    session.db()?.flush()?;
    Ok(Whole::Timed(Box::new(timed(start, Instant::now(), 1))))
}

pub fn compact(session: &mut Session) -> Result<Whole> {
    let start = Instant::now();
    session.db()?.compact();
    Ok(Whole::Timed(Box::new(timed(start, Instant::now(), 1))))
}

pub fn settle(session: &mut Session) -> Result<Whole> {
    let start = Instant::now();
    let settled = session.db()?.wait_for_compaction()?;
    Ok(Whole::Timed(Box::new(timed(start, settled, 1))))
}

pub fn open_and_close(session: &mut Session) -> Result<Whole> {
    let count = u64::try_from(session.flags.reads).unwrap_or(10);
    // What the log holds is written to tables by the first opening.
    session.reopen()?;
    let mut latencies = session.flags.histogram.then(|| Box::new(Latencies::new()));
    let start = Instant::now();
    let mut last = start;
    for _ in 0..count {
        session.reopen()?;
        let now = Instant::now();
        if let Some(latencies) = &mut latencies {
            latencies.add((now - last).as_nanos() as u64);
        }
        last = now;
    }
    let mut tally = timed(start, last, count);
    tally.latencies[Kind::Other as usize] = latencies;
    Ok(Whole::Timed(Box::new(tally)))
}

pub fn property(session: &mut Session, name: &str) -> Result<Whole> {
    session.db()?.property(name).map(Whole::Text)
}
