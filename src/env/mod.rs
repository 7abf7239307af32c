//! Row 3: the one door to the outside: files, threads, locks, names, the info log.

pub mod buffered;
pub mod current;
pub mod fault;
pub mod file_system;
pub mod info_log;
pub mod memory;
mod mmap;
pub mod names;
pub mod parallel;
pub mod pool;
pub mod posix;
pub mod posix_clock;
mod posix_direct;
mod posix_inherited;
pub mod rate_limiter;
pub mod read_ahead;
pub mod timer;

#[cfg(test)]
mod access_tests;

use std::fmt;

use crate::base::clock::{unix_micros, unix_seconds};
use crate::base::status::Result;
use crate::base::sync::{Arc, OnceLock};
use crate::env::file_system::FileSystem;
use crate::env::memory::MemoryFileSystem;
use crate::env::pool::{Job, PanicHandler, Priority, ThreadPool};
use crate::env::posix::PosixFileSystem;
use crate::env::posix_inherited::InheritedFiles;

/// A file system and the thread pools for background work, shared by databases and outliving
/// them. Cloning gives another handle to the same one.
#[derive(Clone)]
pub struct Env(Arc<Inner>);

struct Inner {
    fs: Arc<dyn FileSystem>,
    /// Indexed by priority.
    pools: Arc<[ThreadPool; 4]>,
}

impl Default for Env {
    /// The operating system's files, with pools shared by the whole process.
    fn default() -> Self {
        static SHARED: OnceLock<Env> = OnceLock::new();
        SHARED.get_or_init(|| Env::with_fs(Arc::new(PosixFileSystem))).clone()
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Env({:p})", Arc::as_ptr(&self.0))
    }
}

impl Env {
    /// `fs` with pools of its own, which allow no threads yet.
    pub fn with_fs(fs: Arc<dyn FileSystem>) -> Env {
        Env(Arc::new(Inner { fs, pools: Arc::new(Priority::ALL.map(ThreadPool::new)) }))
    }

    /// The same, with the same pools, but programs that the process starts get the files that are
    /// opened through it.
    pub fn inherited(&self) -> Env {
        let fs = Arc::new(InheritedFiles::new(self.0.fs.clone()));
        Env(Arc::new(Inner { fs, pools: self.0.pools.clone() }))
    }

    /// Files in memory, which end with the last handle; folders need not be created.
    pub fn memory() -> Env {
        Env::with_fs(Arc::new(MemoryFileSystem::volatile()))
    }

    /// Whether both are handles to the same one.
    pub fn same(&self, other: &Env) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The file system.
    pub fn fs(&self) -> &Arc<dyn FileSystem> {
        &self.0.fs
    }

    fn pool(&self, priority: Priority) -> &ThreadPool {
        &self.0.pools[priority as usize]
    }

    /// Queues a job. It waits as long as the pool allows no threads (which is how every env but
    /// one in use by a database starts, see [`Env::set_background_threads`]), and is dropped
    /// without being run when the env ends first. Fails, dropping the job, only if the system
    /// refuses to start the pool's first thread.
    pub fn schedule(&self, priority: Priority, job: Job) -> Result<()> {
        self.pool(priority).schedule(0, job)
    }

    /// [`Env::schedule`], with a tag (not 0) by which `unschedule` finds the job, such as the
    /// address of its owner.
    pub fn schedule_tagged(&self, priority: Priority, tag: usize, job: Job) -> Result<()> {
        self.pool(priority).schedule(tag, job)
    }

    /// Drops the jobs with this tag that have not begun; returns how many.
    pub fn unschedule(&self, priority: Priority, tag: usize) -> usize {
        self.pool(priority).unschedule(tag)
    }

    /// Sets the number of threads of a pool. They are started when jobs need them.
    pub fn set_background_threads(&self, count: usize, priority: Priority) {
        self.pool(priority).set_threads(count);
    }

    /// Sets the number of threads of a pool to at least `count`.
    pub fn inc_background_threads_if_needed(&self, count: usize, priority: Priority) {
        self.pool(priority).set_threads_at_least(count);
    }

    /// The number of threads a pool may have.
    pub fn background_threads(&self, priority: Priority) -> usize {
        self.pool(priority).thread_limit()
    }

    /// Has the threads of a pool run their jobs from the next one on with the least of the
    /// processor (nice value 19). There is no way back.
    pub fn lower_cpu_priority(&self, priority: Priority) {
        self.pool(priority).lower_cpu_priority();
    }

    /// Has the threads of a pool run their jobs from the next one on with the least of the disk
    /// (the idle class). There is no way back.
    pub fn lower_io_priority(&self, priority: Priority) {
        self.pool(priority).lower_io_priority();
    }

    /// The number of jobs that have not begun.
    pub fn queue_len(&self, priority: Priority) -> usize {
        self.pool(priority).queue_len()
    }

    /// Waits until no pool has anything to do, except for jobs in pools that allow no threads and
    /// for the pool whose job makes the call. The threads stay.
    pub fn join_all_threads(&self) {
        for pool in self.0.pools.iter() {
            pool.wait_idle();
        }
    }

    /// Sets who is told what a job panicked with. The threads survive panics in any case.
    pub fn set_panic_handler(&self, handler: Option<PanicHandler>) {
        for pool in self.0.pools.iter() {
            pool.set_panic_handler(handler.clone());
        }
    }

    /// Microseconds since 1970.
    pub fn now_micros(&self) -> u64 {
        unix_micros()
    }

    /// The machine's name; empty if the system does not tell.
    pub fn host_name(&self) -> String {
        posix::host_name()
    }

    /// Seconds since 1970.
    pub fn now_seconds(&self) -> u64 {
        unix_seconds()
    }
}
