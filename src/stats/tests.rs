//! Numbers and texts against those of RocksDB, and counting by many threads.

use super::*;
use crate::base::sync::{Arc, AtomicBool, Ordering, thread};

/// What RocksDB 7.8.3 printed for the values of [`sample`].
const PRINTED: &str = include_str!("golden/histogram.txt");

/// A thousand values of all magnitudes below 2^31.
fn sample() -> impl Iterator<Item = u64> {
    let mut state = 12345_u64;
    (0..1000).map(move |i| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % (1 << (i % 31))
    })
}

#[test]
fn kinds_have_their_numbers_and_names() {
    assert_eq!((Ticker::COUNT, Histogram::COUNT), (263, 80));
    for (number, name) in [
        (0, "rocksdb.block.cache.miss"),
        (58, "rocksdb.number.keys.written"),
        (84, "rocksdb.wal.synced"),
    ] {
        assert_eq!(Ticker::from_number(number).unwrap().name(), name);
    }
    assert_eq!(Ticker::from_number(262).unwrap(), Ticker::FileSubmitAsyncReadFallback);
    assert_eq!(Ticker::from_number(263), None);
    assert_eq!(Histogram::from_number(15).unwrap().name(), "rocksdb.db.seek.micros");
    assert_eq!(Histogram::OpenAndCompactDbOpenMicros as u32, 79);
    let mut names: Vec<_> = Ticker::ALL.iter().map(|ticker| ticker.name()).collect();
    names.extend(Histogram::ALL.iter().map(|histogram| histogram.name()));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 263 + 80);
}

#[test]
fn a_histogram_says_what_rocksdb_says() {
    let stats = Statistics::default();
    sample().for_each(|value| stats.record(Histogram::DbGet, value));
    assert_eq!(stats.distribution(Histogram::DbGet).to_string(), PRINTED);
    let expected = HistogramData {
        median: 9444.827586206897,
        percentile95: 218500000.0,
        percentile99: 668750000.0,
        average: 32888226.596,
        standard_deviation: 116951583.17350522,
        max: 1070534107.0,
        count: 1000,
        sum: 32888226596,
        min: 0.0,
    };
    assert_eq!(stats.histogram(Histogram::DbGet), expected);
    let mut distribution = Distribution::default();
    sample().for_each(|value| distribution.add(value));
    assert_eq!(distribution.data(), expected);
}

#[test]
fn an_empty_histogram_says_what_rocksdb_says() {
    let stats = Statistics::default();
    let text = "Count: 0 Average: 0.0000  StdDev: 0.00\nMin: 0  Median: 0.0000  Max: 0\n\
        Percentiles: P50: 0.00 P75: 0.00 P99: 0.00 P99.9: 0.00 P99.99: 0.00\n\
        ------------------------------------------------------\n";
    assert_eq!(stats.distribution(Histogram::DbWrite).to_string(), text);
    let expected = HistogramData { min: 1.3e19, ..HistogramData::default() };
    assert_eq!(stats.histogram(Histogram::DbWrite), expected);
}

#[test]
fn the_text_has_a_line_for_each() {
    let stats = Statistics::default();
    stats.add(Ticker::BytesRead, 17);
    sample().for_each(|value| stats.record(Histogram::DbGet, value));
    let text = stats.to_string();
    assert_eq!(text.lines().count(), Ticker::COUNT + Histogram::COUNT);
    assert!(text.starts_with("rocksdb.block.cache.miss COUNT : 0\n"));
    assert!(text.contains("\nrocksdb.bytes.read COUNT : 17\n"));
    assert!(text.contains(
        "\nrocksdb.db.get.micros P50 : 9444.827586 P95 : 218500000.000000 P99 : 668750000.000000 \
         P100 : 1070534107.000000 COUNT : 1000 SUM : 32888226596\n"
    ));
}

#[test]
fn levels_collect_what_they_say() {
    for level in StatsLevel::ALL_LEVELS {
        let statistics = Arc::new(Statistics::default());
        statistics.set_level(level);
        let stats = Some(statistics.clone());
        count(&stats, Ticker::BytesRead, 2);
        record(&stats, Histogram::BytesPerRead, 3);
        drop(Timer::start(&stats, Histogram::DbGet));
        drop(Timer::start_at(&stats, StatsLevel::All, Histogram::DbSeek));
        Timer::start(&stats, Histogram::DbGet).cancel();
        let stats = statistics;
        assert_eq!(stats.level(), level);
        let counts = [Histogram::BytesPerRead, Histogram::DbGet, Histogram::DbSeek]
            .map(|histogram| stats.histogram(histogram).count);
        let from = |first: StatsLevel| u64::from(level >= first);
        assert_eq!(stats.ticker(Ticker::BytesRead), 2 * from(StatsLevel::ExceptHistogramOrTimers));
        let expected =
            [StatsLevel::ExceptTimers, StatsLevel::ExceptDetailedTimers, StatsLevel::All];
        assert_eq!(counts, expected.map(from), "{level:?}");
    }
    assert_eq!(StatsLevel::nearest(-1), StatsLevel::DisableAll);
    assert_eq!(StatsLevel::nearest(77), StatsLevel::All);
}

#[test]
fn tickers_are_set_taken_and_reset() {
    let stats = Statistics::default();
    stats.add(Ticker::BytesRead, 5);
    stats.set_ticker(Ticker::BytesRead, 9);
    stats.add(Ticker::BytesRead, 1);
    assert_eq!(stats.take_ticker(Ticker::BytesRead), 10);
    assert_eq!(stats.ticker(Ticker::BytesRead), 0);
    stats.add(Ticker::BytesRead, 5);
    stats.record(Histogram::DbGet, 5);
    stats.reset();
    assert_eq!(stats.to_string(), Statistics::default().to_string());
    assert_eq!(
        stats.histogram(Histogram::DbGet),
        Statistics::default().histogram(Histogram::DbGet)
    );
}

#[test]
fn no_event_of_any_thread_is_lost() {
    const THREADS: u64 = 8;
    const EVENTS: u64 = 20_000;
    let stats = Arc::new(Statistics::default());
    let done = Arc::new(AtomicBool::new(false));
    // What is taken while others count must be neither lost nor taken twice.
    let taker = {
        let (stats, done) = (stats.clone(), done.clone());
        thread::spawn(move || {
            let mut taken = 0;
            while !done.load(Ordering::Acquire) {
                taken += stats.take_ticker(Ticker::BytesWritten);
            }
            taken
        })
    };
    let counters: Vec<_> = (0..THREADS)
        .map(|t| {
            let stats = stats.clone();
            thread::spawn(move || {
                for i in 0..EVENTS {
                    stats.add(Ticker::BytesRead, 1);
                    stats.add(Ticker::BytesWritten, i);
                    stats.record(Histogram::DbGet, t * EVENTS + i);
                }
            })
        })
        .collect();
    counters.into_iter().for_each(|counter| counter.join().unwrap());
    done.store(true, Ordering::Release);
    let taken = taker.join().unwrap() + stats.take_ticker(Ticker::BytesWritten);
    assert_eq!(taken, THREADS * EVENTS * (EVENTS - 1) / 2);
    assert_eq!(stats.ticker(Ticker::BytesRead), THREADS * EVENTS);
    let data = stats.histogram(Histogram::DbGet);
    let all = THREADS * EVENTS;
    assert_eq!((data.count, data.sum), (all, all * (all - 1) / 2));
    assert_eq!((data.min, data.max), (0.0, (all - 1) as f64));
}
