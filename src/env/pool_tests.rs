use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::*;
use crate::base::random::Random;
use crate::base::sync::{AtomicUsize, Ordering};

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited in vain for: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn live_threads(pool: &ThreadPool) -> usize {
    pool.shared.state.lock().threads
}

#[test]
fn one_thread_runs_jobs_in_order() {
    let pool = ThreadPool::new(Priority::Low);
    pool.set_threads(1);
    let (sender, receiver) = mpsc::channel();
    for i in 0..100 {
        let sender = sender.clone();
        let job = move || sender.send((i, thread::current().name().map(str::to_string))).unwrap();
        pool.schedule(0, Box::new(job)).unwrap();
    }
    pool.wait_idle();
    drop(sender);
    let ran: Vec<_> = receiver.into_iter().collect();
    assert!(ran.iter().map(|(i, _)| *i).eq(0..100));
    assert!(ran.iter().all(|(_, name)| name.as_deref() == Some("hematite:low")));
}

#[test]
fn no_threads_start_before_they_are_needed_or_allowed() {
    let pool = ThreadPool::new(Priority::High);
    pool.set_threads(4);
    assert_eq!(live_threads(&pool), 0);
    let done = Arc::new(AtomicUsize::new(0));
    let counting = || -> Job {
        let done = Arc::clone(&done);
        Box::new(move || {
            done.fetch_add(1, Ordering::SeqCst);
        })
    };
    for _ in 0..3 {
        pool.schedule(0, counting()).unwrap();
        pool.wait_idle();
    }
    assert_eq!((live_threads(&pool), done.load(Ordering::SeqCst)), (1, 3));

    let pool = ThreadPool::new(Priority::High);
    pool.schedule(0, counting()).unwrap();
    assert_eq!((live_threads(&pool), pool.queue_len()), (0, 1));
    pool.wait_idle();
    pool.set_threads(1);
    pool.wait_idle();
    assert_eq!((done.load(Ordering::SeqCst), pool.queue_len()), (4, 0));
}

#[test]
fn as_many_threads_as_allowed_run_at_once() {
    let pool = ThreadPool::new(Priority::Low);
    pool.set_threads(3);
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let running = Arc::new(AtomicUsize::new(0));
    for _ in 0..6 {
        let (gate, running) = (Arc::clone(&gate), Arc::clone(&running));
        let job = move || {
            running.fetch_add(1, Ordering::SeqCst);
            let mut open = gate.0.lock();
            while !*open {
                gate.1.wait(&mut open);
            }
        };
        pool.schedule(0, Box::new(job)).unwrap();
    }
    wait_until("three at once", || running.load(Ordering::SeqCst) == 3);
    thread::sleep(Duration::from_millis(20));
    assert_eq!((running.load(Ordering::SeqCst), pool.queue_len()), (3, 3));
    pool.set_threads(5);
    wait_until("five at once", || running.load(Ordering::SeqCst) == 5);
    pool.set_threads(1);
    pool.set_threads_at_least(1);
    assert_eq!(pool.thread_limit(), 1);
    *gate.0.lock() = true;
    gate.1.notify_all();
    pool.wait_idle();
    assert_eq!(running.load(Ordering::SeqCst), 6);
    wait_until("shrinking", || live_threads(&pool) == 1);
    pool.set_threads_at_least(2);
    assert_eq!(pool.thread_limit(), 2);
}

#[test]
fn panics_are_contained_and_reported() {
    let pool = ThreadPool::new(Priority::User);
    pool.set_threads(1);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    pool.set_panic_handler(Some(Arc::new(move |payload| {
        log.lock().push(payload.downcast_ref::<&str>().map(|text| text.to_string()));
        panic!("from the handler");
    })));
    pool.schedule(0, Box::new(|| panic!("first"))).unwrap();
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !thread::panicking() {
                panic!("from the payload");
            }
        }
    }
    pool.schedule(0, Box::new(|| std::panic::panic_any(Bomb))).unwrap();
    pool.set_panic_handler(None);
    pool.schedule(0, Box::new(|| std::panic::panic_any(Bomb))).unwrap();
    let (sender, receiver) = mpsc::channel();
    pool.schedule(0, Box::new(move || sender.send(7).unwrap())).unwrap();
    assert_eq!(receiver.recv(), Ok(7));
    pool.wait_idle();
    assert_eq!(live_threads(&pool), 1);
    assert!(seen.lock().iter().all(|text| text.is_none() || text.as_deref() == Some("first")));
}

#[test]
fn tagged_jobs_can_be_taken_back() {
    let pool = ThreadPool::new(Priority::Low);
    let ran = Arc::new(Mutex::new(Vec::new()));
    for i in 0..10 {
        let ran = Arc::clone(&ran);
        pool.schedule(1 + i % 2, Box::new(move || ran.lock().push(i))).unwrap();
    }
    assert_eq!(pool.unschedule(2), 5);
    assert_eq!(pool.unschedule(2), 0);
    assert_eq!(Arc::strong_count(&ran), 6, "what was taken back was dropped");
    pool.set_threads(1);
    pool.wait_idle();
    assert_eq!(*ran.lock(), [0, 2, 4, 6, 8]);
}

#[test]
fn the_end_drops_jobs_and_threads() {
    let token = Arc::new(());
    let pool = Arc::new(ThreadPool::new(Priority::Low));
    pool.set_threads(1);
    let (started, wait_started) = mpsc::channel();
    let (release, wait_release) = mpsc::channel::<()>();
    // The last handle goes inside a job of the pool itself.
    let own = Arc::clone(&pool);
    let job = move || {
        started.send(()).unwrap();
        wait_release.recv().unwrap();
        own.wait_idle();
        drop(own);
    };
    pool.schedule(0, Box::new(job)).unwrap();
    wait_started.recv().unwrap();
    for _ in 0..3 {
        let token = Arc::clone(&token);
        pool.schedule(0, Box::new(move || panic!("must not run {token:?}"))).unwrap();
    }
    let shared = Arc::downgrade(&pool.shared);
    drop(pool);
    release.send(()).unwrap();
    wait_until("threads end", || shared.upgrade().is_none());
    assert_eq!(Arc::strong_count(&token), 1);
}

#[test]
fn random_use_loses_no_job() {
    let mut rng = Random::from_env(5);
    let pool = ThreadPool::new(Priority::Bottom);
    pool.set_threads(1);
    let done = Arc::new(AtomicUsize::new(0));
    let mut scheduled = 0;
    for _ in 0..3000 {
        match rng.below(20) {
            0 => pool.set_threads(1 + rng.below(8) as usize),
            1 => pool.wait_idle(),
            _ => {
                let done = Arc::clone(&done);
                let spin = rng.below(200);
                let job = move || {
                    (0..spin).for_each(|_| std::hint::spin_loop());
                    done.fetch_add(1, Ordering::SeqCst);
                };
                pool.schedule(0, Box::new(job)).unwrap();
                scheduled += 1;
            }
        }
    }
    pool.wait_idle();
    assert_eq!(done.load(Ordering::SeqCst), scheduled);
    assert!(live_threads(&pool) <= 8);
}
