//! Row 12: the database: open, recover, write, read, flush, close.
//!
//! [`Db`] is one open database. Three locks order its work: the *write queue* lets one group of
//! writers at a time number, log and insert; the *manifest turn* lets one change of the set of
//! tables at a time be made durable; the *mutex* guards [`state::State`] and is never held during
//! input and output. They are taken in that order. Reads take none of them: they load the super
//! version of their column family, then the published sequence number.

mod approximate;
mod background;
mod cache_text;
mod close;
mod compaction;
mod context;
mod create;
pub mod destroy;
mod errors;
mod families;
pub mod family;
mod family_stats;
mod flush;
mod flush_reason;
mod fold;
mod insert;
mod internal_stats;
mod jobs;
pub mod live_files;
mod live_tables;
pub mod multi_get;
mod obsolete;
pub mod open;
mod periodic;
mod properties;
mod properties_text;
mod read;
mod recover;
mod replay;
mod resume;
mod set_options;
mod snapshots;
mod stalls;
mod state;
mod state_mutex;
mod stats_dump;
mod stats_history;
mod stats_text;
mod verify;
mod wal_archive;
pub mod wal_files;
pub mod wal_iter;
mod wal_link;
mod wal_tracking;
mod wals;
mod watch;
mod write;
mod write_buffers;
pub mod write_queue;

#[cfg(test)]
mod atomic_flush_tests;
#[cfg(test)]
mod db_tests;
#[cfg(test)]
mod file_options_tests;
#[cfg(test)]
mod iterator_tests;
#[cfg(test)]
mod manual_wal_tests;
#[cfg(test)]
mod merge_tests;
#[cfg(test)]
mod multi_get_tests;
#[cfg(test)]
mod options_tests;
#[cfg(test)]
mod prefix_tests;
#[cfg(test)]
mod properties_tests;
#[cfg(test)]
mod range_del_tests;
#[cfg(test)]
mod rate_limiter_tests;
#[cfg(test)]
mod read_options_tests;
#[cfg(test)]
mod stats_background_tests;
#[cfg(test)]
mod stats_iterator_tests;
#[cfg(test)]
mod stats_tests;
#[cfg(test)]
mod stats_write_tests;
#[cfg(test)]
mod together_tests;

pub use self::approximate::SizeApproximation;
pub use self::family::Family;
pub use self::live_tables::{LiveLevel, LiveTable};
pub use self::multi_get::BatchKey;
pub use self::open::{FamilyOptions, OpenRequest, open};
pub use self::read::{Snapshot, lets_go};
pub use self::stats_history::StatsSlice;

use self::context::Context;
use self::family::FamilySet;
use self::internal_stats::DbCounters;
use self::jobs::Jobs;
use self::periodic::PeriodicTasks;
use self::state_mutex::StateMutex;
use self::stats_history::SharedHistory;
use self::wals::Wals;
use self::write::{Sequences, WriteRequest};
use self::write_queue::WriteQueue;
use crate::base::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Condvar, Mutex, Weak};
use crate::env::Env;
use crate::env::file_system::FileLock;
use crate::env::rate_limiter::RateLimiter;
use crate::options::DbOptions;
use crate::plug::logger::Logger;
use crate::version::file_numbers::FileNumbers;
use arc_swap::ArcSwap;
use std::path::Path;
use std::time::Instant;

/// An open database. Shared by its handles, iterators and background jobs; [`Db::close`] ends its
/// work, and memory goes with the last of them.
pub struct Db {
    context: Context,
    /// For background jobs, which must not keep the database open.
    me: Weak<Db>,
    /// Loaded without a lock; replaced under the mutex by whoever holds the write queue.
    families: ArcSwap<FamilySet>,
    writers: WriteQueue<WriteRequest>,
    /// Groups are logged while others are inserted (`enable_pipelined_write`, `unordered_write`).
    pipelined: bool,
    /// Something wants the next writer's attention: an error, a full memtable, too much log.
    attention: AtomicBool,
    /// Some column family takes no writes (`disallow_memtable_writes`).
    any_unwritable: AtomicBool,
    /// Some writes are in memtables alone.
    unlogged_writes: AtomicBool,
    sequences: Sequences,
    counters: DbCounters,
    /// `None` in a database that is open for reading only.
    wals: Option<Wals>,
    max_total_wal_size: AtomicU64,
    max_background_flushes: AtomicUsize,
    max_background_compactions: AtomicUsize,
    /// Its options now; see [`Db::options`] for those that do not change.
    live_options: ArcSwap<DbOptions>,
    /// One change of options at a time.
    options_turn: Mutex<()>,
    /// Closing, or background work was canceled: ends compactions early.
    shutting_down: AtomicBool,
    /// Asked by writes of low priority while compactions lag.
    low_priority_writes: RateLimiter,
    /// A writer waits for flushes or compactions, and who does not want to wait should not join.
    stalled: AtomicBool,
    /// Files could not be removed since readers held them; see `version_released`.
    purge_wanted: AtomicBool,
    /// Jobs that will remove files.
    purges: AtomicUsize,
    /// Those that exist; `close` waits for them.
    jobs: Arc<Jobs>,
    /// When the folders were last searched for files that nobody needs.
    searched: Mutex<Instant>,
    /// When the archive was last looked through, in seconds since 1970.
    archive_purged: AtomicU64,
    file_numbers: Arc<FileNumbers>,
    manifest_turn: Mutex<()>,
    state: StateMutex,
    /// Told of everything that someone may wait for: ended flushes, errors, closing.
    changed: Condvar,
    /// The number of the newest OPTIONS file, 0 if there is none. Held while one is written.
    options_file: Mutex<u64>,
    /// Work of the timer, until `close`.
    periodic: PeriodicTasks,
    stats_history: SharedHistory,
    /// Released by `close`.
    lock: Mutex<Option<Box<dyn FileLock>>>,
}

/// What does not change while it is open.
impl Db {
    /// Its folder.
    pub fn dir(&self) -> &Path {
        &self.context.dir
    }

    /// Where its files live.
    pub fn env(&self) -> &Env {
        &self.context.env
    }

    /// Its options, as they were at open.
    pub fn options(&self) -> &DbOptions {
        &self.context.options
    }

    /// Where its messages go.
    pub fn logger(&self) -> &dyn Logger {
        &*self.context.logger
    }

    /// Its identity, the same at every opening.
    pub fn id(&self) -> &str {
        &self.context.db_id
    }
}
