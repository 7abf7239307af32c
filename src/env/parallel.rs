//! [`in_parallel`]: a burst of short-lived threads for one piece of work, e.g. opening the tables
//! of a database.

use crate::base::sync::thread;
use crate::stats::activity::Activity;

/// Runs `work` on `threads` threads at once, the caller's among them, and waits for all of them.
/// There may be fewer: `work` takes its share from a common supply until that is empty.
pub fn in_parallel(threads: usize, work: impl Fn() + Sync) {
    let activity = Activity::current();
    let work = || {
        let _reads = activity.enter();
        work();
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Without more threads this one does all the work.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

/// [`in_parallel`] on threads of which the caller's is none, unless there can be no other. Each
/// calls `prepare` first, which the caller's does not.
pub fn in_parallel_apart(threads: usize, prepare: impl Fn() + Sync, work: impl Fn() + Sync) {
    let activity = Activity::current();
    let prepared = || {
        let _reads = activity.enter();
        prepare();
        work();
    };
    thread::scope(|scope| {
        let mut any = false;
        for _ in 0..threads.max(1) {
            match thread::Builder::new().spawn_scoped(scope, prepared) {
                Ok(_) => any = true,
                Err(_) => break,
            }
        }
        if !any {
            work();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::{AtomicUsize, Mutex, Ordering};
    use std::collections::HashSet;
    use std::sync::Barrier;

    #[test]
    fn all_threads_take_part() {
        for threads in [0, 1, 4] {
            let expected = threads.max(1);
            let barrier = Barrier::new(expected);
            let (runs, ids) = (AtomicUsize::new(0), Mutex::new(HashSet::new()));
            in_parallel(threads, || {
                barrier.wait();
                runs.fetch_add(1, Ordering::SeqCst);
                ids.lock().insert(thread::current().id());
            });
            assert_eq!((runs.into_inner(), ids.into_inner().len()), (expected, expected));
        }
    }

    #[test]
    fn the_caller_stays_apart() {
        let (prepared, ids) = (AtomicUsize::new(0), Mutex::new(HashSet::new()));
        let prepare = || {
            prepared.fetch_add(1, Ordering::SeqCst);
        };
        in_parallel_apart(3, prepare, || {
            ids.lock().insert(thread::current().id());
        });
        let ids = ids.into_inner();
        assert_eq!((prepared.into_inner(), ids.len()), (3, 3));
        assert!(!ids.contains(&thread::current().id()));
    }
}
