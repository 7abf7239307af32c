//! Thread pools for background work: one per priority, started when first needed.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::panic;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Condvar, Mutex, MutexGuard, thread};
use crate::env::posix::{CpuPriority, lower_io_priority, set_cpu_priority};

/// Which pool runs a job. The discriminants are RocksDB's `Env::Priority`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Priority {
    /// Compactions to the last level.
    Bottom = 0,
    /// Other compactions.
    Low = 1,
    /// Flushes.
    High = 2,
    /// Work of the application.
    User = 3,
}

impl Priority {
    /// All of them, in the order of their numbers.
    pub const ALL: [Priority; 4] =
        [Priority::Bottom, Priority::Low, Priority::High, Priority::User];

    fn thread_name(self) -> &'static str {
        match self {
            Priority::Bottom => "hematite:bottom",
            Priority::Low => "hematite:low",
            Priority::High => "hematite:high",
            Priority::User => "hematite:user",
        }
    }
}

/// Work for a pool. It is dropped without being run if its pool ends first or it is taken back.
pub type Job = Box<dyn FnOnce() + Send>;

/// Told what a job panicked with.
pub type PanicHandler = Arc<dyn Fn(&(dyn Any + Send)) + Send + Sync>;

/// A queue of jobs and the threads that run them, in order.
///
/// Dropping the pool drops the jobs that have not begun and lets the threads end by themselves;
/// it waits for nobody, because the last handle may be dropped by one of its own jobs.
pub struct ThreadPool {
    shared: Arc<Shared>,
}

struct Shared {
    priority: Priority,
    state: Mutex<State>,
    /// Signalled when a job or an end comes.
    work: Condvar,
    /// Signalled when a job is over.
    idle: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Queued>,
    /// The most threads there may be.
    limit: usize,
    threads: usize,
    waiting: usize,
    running: usize,
    ended: bool,
    lowered: Lowered,
    panic_handler: Option<PanicHandler>,
}

/// What threads have less of than they began with.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Lowered {
    cpu: bool,
    io: bool,
}

impl Lowered {
    /// Brings the calling thread, which is `self`, to `wanted`.
    fn become_like(&mut self, wanted: Lowered) {
        if wanted.cpu && !self.cpu {
            set_cpu_priority(CpuPriority::Low);
        }
        if wanted.io && !self.io {
            lower_io_priority();
        }
        *self = wanted;
    }
}

struct Queued {
    tag: usize,
    job: Job,
}

thread_local! {
    /// The pool whose job this thread runs: the address of its `Shared`, else 0.
    static CURRENT_POOL: Cell<usize> = const { Cell::new(0) };
}

impl ThreadPool {
    /// A pool without threads: jobs wait until [`ThreadPool::set_threads`] allows some.
    pub fn new(priority: Priority) -> Self {
        ThreadPool {
            shared: Arc::new(Shared {
                priority,
                state: Mutex::new(State::default()),
                work: Condvar::new(),
                idle: Condvar::new(),
            }),
        }
    }

    /// Queues `job`. `tag`, unless 0, allows [`ThreadPool::unschedule`] to find it.
    ///
    /// Fails, dropping the job, only if it would never run since no thread can be started.
    pub fn schedule(&self, tag: usize, job: Job) -> Result<()> {
        let mut state = self.shared.state.lock();
        state.queue.push_back(Queued { tag, job });
        match self.start_threads(&mut state) {
            Err(error) if state.threads == 0 => {
                let refused = state.queue.pop_back();
                drop(state);
                drop(refused);
                Err(Status::from_io("While starting a background thread", &error))
            }
            _ => {
                self.shared.work.notify_one();
                Ok(())
            }
        }
    }

    /// Takes back the jobs with this tag that have not begun; returns how many.
    pub fn unschedule(&self, tag: usize) -> usize {
        let mut state = self.shared.state.lock();
        let (taken, kept): (VecDeque<_>, VecDeque<_>) =
            state.queue.drain(..).partition(|queued| queued.tag == tag);
        state.queue = kept;
        drop(state);
        self.shared.idle.notify_all();
        // The jobs are dropped here, without the lock.
        taken.len()
    }

    /// Sets the number of threads. Threads too many end after their current job.
    pub fn set_threads(&self, limit: usize) {
        self.change_limit(|_| limit);
    }

    /// Sets the number of threads to at least `limit`.
    pub fn set_threads_at_least(&self, limit: usize) {
        self.change_limit(|old| old.max(limit));
    }

    fn change_limit(&self, change: impl FnOnce(usize) -> usize) {
        let mut state = self.shared.state.lock();
        state.limit = change(state.limit);
        // Without new threads the jobs wait for the existing ones.
        let _ = self.start_threads(&mut state);
        drop(state);
        self.shared.work.notify_all();
        // Whoever waits for the queue to empty must not wait for a pool without threads.
        self.shared.idle.notify_all();
    }

    /// The number of threads allowed.
    pub fn thread_limit(&self) -> usize {
        self.shared.state.lock().limit
    }

    /// The number of jobs that have not begun.
    pub fn queue_len(&self) -> usize {
        self.shared.state.lock().queue.len()
    }

    /// Waits until no job runs, and none waits unless the pool may have no threads. Returns at
    /// once when called by a job of this pool.
    pub fn wait_idle(&self) {
        if CURRENT_POOL.get() == self.shared.address() {
            return;
        }
        let mut state = self.shared.state.lock();
        while state.running > 0 || (!state.queue.is_empty() && state.limit > 0) {
            self.shared.idle.wait(&mut state);
        }
    }

    /// Has each thread run its jobs from the next one on with the least of the processor.
    pub fn lower_cpu_priority(&self) {
        self.shared.state.lock().lowered.cpu = true;
    }

    /// Has each thread run its jobs from the next one on with the least of the disk.
    pub fn lower_io_priority(&self) {
        self.shared.state.lock().lowered.io = true;
    }

    /// Sets who is told of panics. The pool goes on after them in any case.
    pub fn set_panic_handler(&self, handler: Option<PanicHandler>) {
        self.shared.state.lock().panic_handler = handler;
    }

    /// Starts threads while jobs outnumber those waiting for one and the limit allows.
    fn start_threads(&self, state: &mut State) -> std::io::Result<()> {
        while state.threads < state.limit && state.queue.len() > state.waiting {
            let shared = Arc::clone(&self.shared);
            thread::Builder::new()
                .name(shared.priority.thread_name().to_string())
                .spawn(move || shared.run())?;
            state.threads += 1;
            // It counts as waiting until it takes its first job.
            state.waiting += 1;
        }
        Ok(())
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.ended = true;
        let dropped = std::mem::take(&mut state.queue);
        drop(state);
        self.shared.work.notify_all();
        drop(dropped);
    }
}

impl Shared {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// What each thread does, from its start to its end.
    fn run(&self) {
        CURRENT_POOL.set(self.address());
        let mut lowered = Lowered::default();
        let mut state = self.state.lock();
        loop {
            if state.ended || state.threads > state.limit {
                state.waiting -= 1;
                state.threads -= 1;
                return;
            }
            let Some(queued) = state.queue.pop_front() else {
                self.work.wait(&mut state);
                continue;
            };
            state.waiting -= 1;
            state.running += 1;
            let wanted = state.lowered;
            MutexGuard::unlocked(&mut state, || {
                lowered.become_like(wanted);
                self.run_job(queued.job);
            });
            state.running -= 1;
            state.waiting += 1;
            self.idle.notify_all();
        }
    }

    /// Runs a job and contains its panic.
    fn run_job(&self, job: Job) {
        let Err(payload) = catch_unwind(AssertUnwindSafe(job)) else { return };
        let handler = self.state.lock().panic_handler.clone();
        let report = || {
            if let Some(handler) = handler {
                handler(&*payload);
            }
        };
        if let Err(second) = catch_unwind(AssertUnwindSafe(report)) {
            panic::discard(second);
        }
        panic::discard(payload);
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
