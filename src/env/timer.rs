//! [`Timer`]: work that is repeated, by one thread of the process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::base::panic;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, thread};

type Work = Arc<dyn Fn() + Send + Sync>;

/// Repeats what it is given, each at its own period. Work should be short: all of it shares one
/// thread, which is started with the first of it and ends with the last.
#[derive(Default)]
pub struct Timer {
    state: Mutex<State>,
    /// Signalled when work comes or goes, or has been done.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    tasks: Vec<Task>,
    next_id: u64,
    /// The work that is being done, and the thread that does it.
    running: Option<(u64, thread::ThreadId)>,
    has_thread: bool,
}

struct Task {
    id: u64,
    period: Duration,
    due: Instant,
    work: Work,
}

/// Work that is repeated until this drops, which waits for it to end.
pub struct Repeated {
    timer: Arc<Timer>,
    id: u64,
}

impl Timer {
    /// The timer of the process.
    pub fn shared() -> Arc<Timer> {
        static SHARED: OnceLock<Arc<Timer>> = OnceLock::new();
        SHARED.get_or_init(Arc::default).clone()
    }

    /// Does `work` each time a `period` has passed, the first time in one. A panic in it is
    /// contained.
    pub fn repeat(self: &Arc<Self>, period: Duration, work: Work) -> Result<Repeated> {
        let mut state = self.state.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.tasks.push(Task { id, period, due: Instant::now() + period, work });
        if !state.has_thread {
            let timer = self.clone();
            let spawned = thread::Builder::new()
                .name("hematite:timer".to_string())
                .spawn(move || timer.run());
            if let Err(error) = spawned {
                state.tasks.pop();
                return Err(Status::io_error(format!("cannot start a thread: {error}")));
            }
            state.has_thread = true;
        }
        drop(state);
        self.changed.notify_all();
        Ok(Repeated { timer: self.clone(), id })
    }

    fn run(&self) {
        let mut state = self.state.lock();
        while let Some(next) = state.tasks.iter_mut().min_by_key(|task| task.due) {
            let now = Instant::now();
            if next.due > now {
                let wait = next.due - now;
                self.changed.wait_for(&mut state, wait);
                continue;
            }
            next.due = now + next.period;
            let (id, work) = (next.id, next.work.clone());
            state.running = Some((id, thread::current().id()));
            MutexGuard::unlocked(&mut state, || {
                if let Err(payload) = catch_unwind(AssertUnwindSafe(&*work)) {
                    panic::discard(payload);
                }
                drop(work);
            });
            state.running = None;
            self.changed.notify_all();
        }
        state.has_thread = false;
    }
}

impl Drop for Repeated {
    fn drop(&mut self) {
        let mut state = self.timer.state.lock();
        let at = state.tasks.iter().position(|task| task.id == self.id);
        let task = at.map(|at| state.tasks.swap_remove(at));
        // The work may itself drop this; then there is nothing to wait for.
        let own = thread::current().id();
        while state.running.is_some_and(|(id, thread)| id == self.id && thread != own) {
            self.timer.changed.wait(&mut state);
        }
        drop(state);
        self.timer.changed.notify_all();
        // What the work holds goes without the lock.
        drop(task);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::{AtomicU64, Ordering};

    fn wait_until(done: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        while !done() {
            assert!(Instant::now() < end, "nothing happens");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn work_is_repeated_until_it_is_dropped() {
        let timer = Arc::new(Timer::default());
        let runs = [(); 2].map(|()| Arc::new(AtomicU64::new(0)));
        let repeated = runs.clone().map(|runs| {
            let work = Arc::new(move || {
                runs.fetch_add(1, Ordering::SeqCst);
                panic!("contained");
            });
            timer.repeat(Duration::from_millis(2), work).unwrap()
        });
        wait_until(|| runs.iter().all(|runs| runs.load(Ordering::SeqCst) > 3));
        let [first, second] = repeated;
        drop(first);
        let stopped = runs[0].load(Ordering::SeqCst);
        let others = runs[1].load(Ordering::SeqCst);
        wait_until(|| runs[1].load(Ordering::SeqCst) > others + 3);
        assert_eq!(runs[0].load(Ordering::SeqCst), stopped);
        drop(second);
        wait_until(|| !timer.state.lock().has_thread);
        // It starts again.
        let again = Arc::new(AtomicU64::new(0));
        let count = again.clone();
        let work = Arc::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
        });
        let _repeated = timer.repeat(Duration::from_millis(1), work).unwrap();
        wait_until(|| again.load(Ordering::SeqCst) > 0);
    }

    #[test]
    fn dropping_waits_for_the_work() {
        let timer = Arc::new(Timer::default());
        let phase = Arc::new(AtomicU64::new(0));
        let of_work = phase.clone();
        let work = Arc::new(move || {
            of_work.store(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(20));
            of_work.store(2, Ordering::SeqCst);
        });
        let repeated = timer.repeat(Duration::from_millis(1), work).unwrap();
        wait_until(|| phase.load(Ordering::SeqCst) == 1);
        drop(repeated);
        assert_eq!(phase.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn work_may_end_itself() {
        let timer = Arc::new(Timer::default());
        let slot: Arc<Mutex<Option<Repeated>>> = Arc::default();
        let own = slot.clone();
        let work = Arc::new(move || drop(own.lock().take()));
        *slot.lock() = Some(timer.repeat(Duration::from_millis(1), work).unwrap());
        wait_until(|| slot.lock().is_none());
        wait_until(|| !timer.state.lock().has_thread);
    }
}
