//! Iterators.

use crate::engine::iter::Iter;
use crate::failure::Result;
use crate::tally::Kind;
use crate::worker::Worker;

pub fn forwards(worker: &mut Worker) -> Result<()> {
    let iter = worker.db.iterator();
    iter.seek_to_first();
    while iter.valid() && worker.tally.operations < worker.parameters.reads {
        worker.done(Kind::Read, 1, iter.entry_len());
        iter.next();
    }
    iter.check()
}

pub fn backwards(worker: &mut Worker) -> Result<()> {
    let iter = worker.db.iterator();
    iter.seek_to_last();
    while iter.valid() && worker.tally.operations < worker.parameters.reads {
        worker.done(Kind::Read, 1, iter.entry_len());
        iter.prev();
    }
    iter.check()
}

/// Seeks random keys, each with a new iterator or all with one.
pub fn seek(worker: &mut Worker) -> Result<()> {
    let flags = worker.flags;
    // A tailing iterator is meant to be used again.
    let reused = (flags.reuse_iterator || flags.use_tailing_iterator).then(|| worker.db.iterator());
    let mut limit = worker.limit(worker.parameters.reads);
    while limit.allows(1) {
        worker.random_key(worker.parameters.num);
        let fresh = reused.is_none().then(|| worker.db.iterator());
        if let Some(iter) = reused.as_ref().or(fresh.as_ref()) {
            let bytes = seek_and_step(worker, iter)?;
            // Its end is part of a seek with a new iterator.
            drop(fresh);
            worker.done(Kind::Seek, 1, bytes);
        }
    }
    Ok(())
}

fn seek_and_step(worker: &mut Worker, iter: &Iter) -> Result<usize> {
    let flags = worker.flags;
    let mut buffer = [0u8; 256];
    iter.seek(&worker.key);
    worker.tally.looked += 1;
    worker.tally.found += u64::from(iter.valid() && iter.key() == worker.key);
    let mut bytes = 0;
    for _ in 0..flags.seek_nexts {
        if !iter.valid() {
            break;
        }
        // The value is read, as a user would.
        let value = iter.value();
        let len = value.len().min(buffer.len());
        buffer[..len].copy_from_slice(&value[..len]);
        std::hint::black_box(&buffer);
        bytes += iter.key().len() + value.len();
        if flags.reverse_iterator {
            iter.prev();
        } else {
            iter.next();
        }
    }
    iter.check()?;
    Ok(bytes)
}

pub fn new_iterators(worker: &mut Worker) -> Result<()> {
    let mut limit = worker.limit(worker.parameters.reads);
    while limit.allows(1) {
        worker.db.iterator().check()?;
        worker.done(Kind::Other, 1, 0);
    }
    Ok(())
}

/// Goes over all keys that have the prefix of a random one: its first `--prefix_size` bytes.
pub fn prefix(worker: &mut Worker) -> Result<()> {
    let size = worker.flags.prefix_size;
    if size == 0 || size > worker.key.len() {
        return Err("needs a --prefix_size of at most --key_size".into());
    }
    let mut limit = worker.limit(worker.parameters.reads);
    while limit.allows(1) {
        worker.random_key(worker.parameters.num);
        let prefix = &worker.key[..size];
        let iter = worker.db.iterator();
        iter.seek(prefix);
        let (mut entries, mut bytes) = (0, 0);
        while iter.valid() && iter.key().starts_with(prefix) {
            entries += 1;
            bytes += iter.entry_len();
            iter.next();
        }
        iter.check()?;
        drop(iter);
        worker.tally.looked += 1;
        worker.tally.found += u64::from(entries > 0);
        worker.tally.entries += entries;
        worker.done(Kind::Seek, 1, bytes);
    }
    Ok(())
}

/// Goes over all keys again and again while other threads need it.
pub fn until_done(worker: &mut Worker) -> Result<()> {
    while worker.is_needed() {
        let iter = worker.db.iterator();
        iter.seek_to_first();
        while iter.valid() && worker.is_needed() {
            worker.done(Kind::Read, 1, iter.entry_len());
            iter.next();
        }
        iter.check()?;
    }
    Ok(())
}
