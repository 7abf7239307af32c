//! Who asks the rate limiter for what, and as whom.

use super::db_tests::TestDb;
use super::stalls::Stall;
use super::stats_tests::counting;
use crate::base::sync::Arc;
use crate::codec::CompressionType;
use crate::env::rate_limiter::{IoPriority, RateLimiter, RateLimiterMode, RateLimiterOptions};
use crate::options::compact::{CompactRangeOptions, WaitForCompactOptions};
use crate::options::{FlushOptions, RateLimiterPriority, ReadOptions};
use crate::stats::{Statistics, Ticker};
use std::time::Duration;

/// The limiter's credit is `burst` bytes each millisecond.
fn limited(mode: RateLimiterMode, burst: u64) -> (TestDb, Arc<Statistics>, Arc<RateLimiter>) {
    let (mut test, stats) = counting();
    let limiter = Arc::new(RateLimiter::new(RateLimiterOptions {
        rate: burst * 1000,
        refill_period: Duration::from_millis(1),
        fairness: 10,
        mode,
        auto_tuned: false,
    }));
    test.db.rate_limiter = Some(limiter.clone());
    test.cf.compression = CompressionType::None;
    test.cf.disable_auto_compactions = true;
    test.reopen();
    (test, stats, limiter)
}

/// A table of about 50 KB.
fn add_table(test: &TestDb) {
    for i in 0..50 {
        test.put(&format!("{i:03}"), &"v".repeat(1000)).unwrap();
    }
    test.flush();
}

fn table_bytes(test: &TestDb) -> u64 {
    test.family(0).persistent.current().bytes()
}

#[test]
fn compactions_ask_for_what_they_read_and_write() {
    for (mode, reads, writes) in [
        (RateLimiterMode::ReadsOnly, true, false),
        (RateLimiterMode::WritesOnly, false, true),
        (RateLimiterMode::All, true, true),
    ] {
        let (mut test, stats, limiter) = limited(mode, 10_000);
        add_table(&test);
        add_table(&test);
        let input = table_bytes(&test);
        assert_eq!(limiter.granted(IoPriority::Low), 0);
        stats.reset();
        let range = CompactRangeOptions::default();
        test.db().compact_range(test.family(0), &range, None, None).unwrap();
        let ticker = |ticker| stats.ticker(ticker);
        let read = ticker(Ticker::RateLimiterBytesRead);
        let written = ticker(Ticker::RateLimiterBytesWrite);
        assert_eq!(written, if writes { table_bytes(&test) } else { 0 }, "{mode:?}");
        assert_eq!(limiter.granted(IoPriority::Low), read + written);
        if reads {
            // All data blocks, and of the rest what a read ahead takes with it.
            assert!(read > 2 * 50_000 && read <= input, "{read} of {input}");
            assert!(ticker(Ticker::RateLimiterRequestsRead) >= read / 10_000);
            assert!(ticker(Ticker::RateLimiterDelayedRequestsRead) > 5);
            assert!(ticker(Ticker::RateLimiterTotalWaitMicrosRead) > 5000);
        } else {
            assert_eq!(read + ticker(Ticker::RateLimiterRequestsRead), 0);
        }
        test.close();
    }
}

#[test]
fn tables_that_are_read_back_are_limited_by_what_they_are_for() {
    let (mut test, _, limiter) = limited(RateLimiterMode::ReadsOnly, 1 << 30);
    test.cf.paranoid_file_checks = true;
    test.reopen();
    add_table(&test);
    let first = limiter.granted(IoPriority::High);
    assert!(first > 50_000, "{first}");
    add_table(&test);
    let second = limiter.granted(IoPriority::High) - first;
    let range = CompactRangeOptions::default();
    test.db().compact_range(test.family(0), &range, None, None).unwrap();
    let read = limiter.granted(IoPriority::Low);
    // Two tables in, and one back.
    assert!(read > first + second + 50_000, "{read}");
    test.close();
}

#[test]
fn what_stalled_writes_wait_for_goes_first() {
    let (mut test, _, limiter) = limited(RateLimiterMode::All, 1 << 30);
    let granted = |priority| limiter.granted(priority);
    add_table(&test);
    add_table(&test);
    assert_eq!(granted(IoPriority::User), 0);
    let before = granted(IoPriority::High);
    assert!(before > 80_000, "{before}");
    test.put("a", &"v".repeat(10_000)).unwrap();
    test.put("b", &"v".repeat(10_000)).unwrap();
    test.db().pause_background_work().unwrap();
    let switch = FlushOptions { wait: false, allow_write_stall: true, ..FlushOptions::default() };
    test.db().flush(&[test.family(0).clone()], &switch).unwrap();
    if let Some(family) = test.db().state.lock().families.get_mut(&0) {
        family.stall = Stall::Slow;
    }
    test.db().continue_background_work().unwrap();
    test.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(granted(IoPriority::High), before);
    let flushed = granted(IoPriority::User);
    assert!(flushed > 8000, "{flushed}");
    // Three tables on level 0 are to be compacted, and slow writes down.
    test.cf.disable_auto_compactions = false;
    test.cf.level0_file_num_compaction_trigger = 2;
    test.cf.level0_slowdown_writes_trigger = 2;
    test.reopen();
    test.db().wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(granted(IoPriority::Low), 0);
    assert!(granted(IoPriority::User) > flushed + 100_000);
    test.close();
}

#[test]
fn verification_asks_where_the_options_say_so() {
    let (mut test, _, limiter) = limited(RateLimiterMode::ReadsOnly, 1 << 30);
    add_table(&test);
    test.db().verify_checksums(&ReadOptions::default()).unwrap();
    assert_eq!(limiter.granted(IoPriority::Mid), 0);
    let options =
        ReadOptions { rate_limiter_priority: RateLimiterPriority::Mid, ..Default::default() };
    test.db().verify_checksums(&options).unwrap();
    let (asked, table) = (limiter.granted(IoPriority::Mid), table_bytes(&test));
    // What is behind the data is read twice: by itself, and ahead.
    assert!(asked + 100 > table && asked < table + 4000, "{asked} of {table}");
    test.close();
}
