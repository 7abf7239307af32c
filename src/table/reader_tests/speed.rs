//! Measurements, not checks: `cargo test --release -- --ignored --nocapture table_speed`.

use super::sample::build;
use super::*;
use crate::base::comparator::Bytewise;
use crate::base::key::{InternalKey, LookupKey, ValueType};
use crate::base::random::Random;
use crate::cache::Cache;
use crate::codec::CompressionType;
use crate::plug::filter_policy::FilterPolicy;
use crate::table::builder::TableBuilderOptions;
use crate::table::filter::KeyHash;
use std::hint::black_box;
use std::ops::ControlFlow;

const COUNT: u64 = 200_000;

fn key(n: u64) -> Vec<u8> {
    format!("{n:016}").into_bytes()
}

fn report(what: &str, rounds: u64, mut run: impl FnMut(u64)) {
    (0..rounds).for_each(&mut run);
    let start = cpu_time();
    (0..rounds).for_each(run);
    println!("{what}: {:.1} ns", (cpu_time() - start) as f64 / rounds as f64);
}

/// What this thread has run for, in nanoseconds, so that a busy machine does not count.
fn cpu_time() -> u64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    times.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0)
}

#[test]
#[ignore = "a measurement"]
fn table_speed() {
    let mut random = Random::new(1);
    let records: Records = (0..COUNT)
        .map(|n| {
            let key = InternalKey::new(&key(2 * n), n, ValueType::Value);
            (key.as_bytes().to_vec(), random.bytes(100))
        })
        .collect();
    let options = TableBuilderOptions {
        compression: CompressionType::None,
        filter_policy: Some(FilterPolicy::bloom(10.0)),
        ..Default::default()
    };
    let bytes = build(&records, options);
    let cache = Cache::lru(256 << 20, -1, false, 0.5);
    let options = TableReaderOptions { cache: Some(cache.clone()), ..Default::default() };
    let table = open(bytes, options).unwrap();
    let read = TableReadOptions::default();
    let get = |n: u64| {
        let lookup = LookupKey::new(&key(n), COUNT);
        let hash = KeyHash::of(lookup.user_key());
        let visit = |_: ParsedKey<'_>, value: crate::table::BlockValue<'_>| {
            black_box(value.as_slice());
            ControlFlow::Break(())
        };
        table.get(&Bytewise, &lookup, hash, &read, visit).unwrap();
    };
    report("making a key", 1_000_000, |_| {
        black_box(LookupKey::new(&key(2 * random.below(COUNT)), COUNT));
    });
    let mut random = Random::new(2);
    report("cached get, present", 1_000_000, |_| get(2 * random.below(COUNT)));
    report("cached get, absent (filter)", 1_000_000, |_| get(2 * random.below(COUNT) + 1));
    let mut iter = table.iter(Bytewise, read);
    report("cached seek", 1_000_000, |_| {
        let target = InternalKey::new(&key(2 * random.below(COUNT)), COUNT, ValueType::FOR_SEEK);
        iter.seek(target.as_bytes());
    });
    iter.seek_to_first();
    report("next", COUNT - 1, |n| {
        if n == 0 {
            iter.seek_to_first();
        }
        iter.next();
        black_box((iter.key(), iter.value()));
    });
    report("prev", COUNT - 1, |n| {
        if n == 0 {
            iter.seek_to_last();
        }
        iter.prev();
        black_box((iter.key(), iter.value()));
    });
    let keys = crate::cache::FileCacheKeys::new(1, 1).unwrap();
    for n in 0..5000 {
        let block = vec![0; 4096].into();
        cache.insert(keys.block(n).unwrap(), block, crate::cache::Priority::Low).unwrap();
    }
    report("cache hit", 5_000_000, |_| {
        black_box(cache.lookup(&keys.block(random.below(5000)).unwrap()));
    });
}
