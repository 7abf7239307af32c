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
}
