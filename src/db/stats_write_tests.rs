//! What the phases of writes take.

use super::db_tests::TestDb;
use super::stats_tests::{count_of, counting};
use crate::stats::{Histogram, Metric, PerfContext, PerfLevel, StatsLevel, Ticker, perf};

#[test]
fn phases_of_writes_are_timed() {
    let mut test = TestDb::new();
    test.try_open().unwrap();
    test.put("a", "1").unwrap();
    let context = PerfContext::of_this_thread();
    context.reset();
    perf::set_level(PerfLevel::EnableTime);
    test.put("a", "2").unwrap();
    let metrics = [
        Metric::WriteWalTime,
        Metric::WriteMemtableTime,
        Metric::WriteThreadWaitNanos,
        Metric::WritePreAndPostProcessTime,
    ];
    for metric in metrics {
        assert!(context.get(metric) > 0, "{metric:?}");
    }
    let switch = Metric::WriteSchedulingFlushesCompactionsTime;
    assert_eq!((context.get(switch), context.get(Metric::WriteDelayTime)), (0, 0));
    for i in 0..100 {
        test.put(&i.to_string(), &"x".repeat(1000)).unwrap();
    }
    assert!(context.get(switch) > 0);
    context.reset();
    // What a thread waits for is measured before all else.
    perf::set_level(PerfLevel::EnableWait);
    test.put("a", "3").unwrap();
    perf::set_level(PerfLevel::Disable);
    assert!(context.get(Metric::WriteMemtableTime) > 0);
    assert_eq!(context.get(Metric::WriteWalTime), 0);
    assert_eq!(context.get(Metric::WritePreAndPostProcessTime), 0);
}

#[test]
fn writes_that_are_slowed_down_count_as_stalled() {
    let (mut test, stats) = counting();
    test.close();
    test.cf.level0_file_num_compaction_trigger = 2;
    test.cf.level0_slowdown_writes_trigger = 2;
    test.db.delayed_write_rate = 100_000;
    test.try_open().unwrap();
    test.db().state.lock().compactions_paused += 1;
    let rate = |test: &TestDb| {
        test.db().property_number(test.family(0), "rocksdb.actual-delayed-write-rate").unwrap()
    };
    assert_eq!(rate(&test), 0);
    for key in ["a", "b"] {
        test.put(key, "1").unwrap();
        test.flush();
    }
    let slow = rate(&test);
    assert!((1..=100_000).contains(&slow), "{slow}");
    stats.reset();
    let context = PerfContext::of_this_thread();
    context.reset();
    perf::set_level(PerfLevel::EnableWait);
    for _ in 0..2 {
        test.put("c", &"x".repeat(1000)).unwrap();
    }
    perf::set_level(PerfLevel::Disable);
    let micros = stats.ticker(Ticker::StallMicros);
    assert!(micros > 5_000, "{micros}");
    let (stalls, sum) = count_of(&stats, Histogram::WriteStall);
    assert!(stalls >= 1 && sum == micros, "{stalls} of {sum}");
    assert!(context.get(Metric::WriteDelayTime) / 1000 >= micros);
    test.db().state.lock().compactions_paused -= 1;
}

#[test]
fn latencies_are_told_by_level() {
    let (test, _) = counting();
    test.put("a", "1").unwrap();
    test.flush();
    test.get("a");
    let text = test.db().property(test.family(0), "rocksdb.cf-file-histogram").unwrap();
    let head = "\n** File Read Latency Histogram By Level [default] **\n\
                ** Level 0 read latency histogram (micros):\nCount: 5 Average: ";
    assert!(text.starts_with(head), "{text}");
    assert!(text.ends_with("\n\n") && text.matches("** Level").count() == 1, "{text}");
}

#[test]
fn waiting_for_the_mutex_is_timed_at_the_highest_levels() {
    let (test, stats) = counting();
    let wait = |level| {
        stats.set_level(level);
        let context = PerfContext::of_this_thread();
        let before = context.get(Metric::DbMutexLockNanos);
        let held = test.db().state.lock();
        let waiting = std::sync::Barrier::new(2);
        let nanos = std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let context = PerfContext::of_this_thread();
                perf::set_level(PerfLevel::EnableTime);
                waiting.wait();
                drop(test.db().state.lock());
                context.get(Metric::DbMutexLockNanos)
            });
            waiting.wait();
            std::thread::sleep(std::time::Duration::from_millis(30));
            drop(held);
            waiter.join().unwrap()
        });
        // Others wait, not this thread.
        assert_eq!(context.get(Metric::DbMutexLockNanos), before);
        (nanos, stats.take_ticker(Ticker::DbMutexWaitMicros))
    };
    let (nanos, micros) = wait(StatsLevel::All);
    assert!(nanos > 1_000_000 && micros > 1000, "{nanos} ns, {micros} us");
    assert_eq!(wait(StatsLevel::ExceptTimeForMutex).1, 0);
}
