//! [`WriteBufferManager`]: one limit on the memtables of all databases that share it.

use super::lru::Cache;
use super::reservation::Reservation;
use crate::base::sync::{Arc, AtomicBool, AtomicUsize, Condvar, Mutex, Ordering};
use std::fmt;
use std::time::Duration;

/// Counts the memory of memtables, and tells when one is to be flushed and when writes have to
/// wait. With a cache, what memtables take counts as used there, too.
///
/// Shared as `Arc<WriteBufferManager>` by databases and the user. The counts are of what memtables
/// report; they may lag behind by a write.
pub struct WriteBufferManager {
    /// 0 means no limit.
    buffer_size: AtomicUsize,
    allow_stall: AtomicBool,
    /// The memory of all memtables.
    used: AtomicUsize,
    /// That of those which still grow.
    mutable: AtomicUsize,
    reservation: Option<Mutex<Reservation>>,
    /// Held while a waiter looks, so that no change comes between looking and waiting.
    stall: Mutex<()>,
    stall_ended: Condvar,
}

impl WriteBufferManager {
    /// A limit of `buffer_size` bytes, 0 for none. With `cache`, memtables take room there,
    /// whatever the limit. With `allow_stall`, writes wait while memtables take more than the
    /// limit.
    pub fn new(
        buffer_size: usize,
        cache: Option<Arc<Cache>>,
        allow_stall: bool,
    ) -> WriteBufferManager {
        WriteBufferManager {
            buffer_size: buffer_size.into(),
            allow_stall: allow_stall.into(),
            used: AtomicUsize::new(0),
            mutable: AtomicUsize::new(0),
            reservation: cache.map(|cache| Mutex::new(Reservation::new(cache))),
            stall: Mutex::new(()),
            stall_ended: Condvar::new(),
        }
    }

    /// The limit in bytes; 0 means none.
    pub fn buffer_size(&self) -> usize {
        self.buffer_size.load(Ordering::Relaxed)
    }

    /// Changes the limit.
    pub fn set_buffer_size(&self, bytes: usize) {
        self.buffer_size.store(bytes, Ordering::SeqCst);
        self.tell_waiters();
    }

    /// Changes whether writes wait.
    pub fn set_allow_stall(&self, allow: bool) {
        self.allow_stall.store(allow, Ordering::SeqCst);
        self.tell_waiters();
    }

    /// Whether memtables take room in a cache.
    pub fn costs_to_cache(&self) -> bool {
        self.reservation.is_some()
    }

    /// The bytes of all memtables.
    pub fn memory_usage(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The part of [`memory_usage`](WriteBufferManager::memory_usage) that is not about to be
    /// flushed.
    pub fn mutable_memory_usage(&self) -> usize {
        self.mutable.load(Ordering::Relaxed)
    }

    /// The bytes that memtables take up in the cache.
    pub fn reserved_in_cache(&self) -> usize {
        self.reservation.as_ref().map_or(0, |reservation| reservation.lock().bytes())
    }

    /// Whether a memtable should be flushed: when those that grow take more than seven eighths of
    /// the limit, or all together reach it while less than half of that is being flushed.
    #[inline]
    pub fn should_flush(&self) -> bool {
        let size = self.buffer_size();
        let mutable = self.mutable_memory_usage();
        size > 0
            && (mutable > size - size.div_ceil(8)
                || (self.memory_usage() >= size && mutable >= size / 2))
    }

    /// Whether writes should wait for memory.
    #[inline]
    pub fn should_stall(&self) -> bool {
        let size = self.buffer_size.load(Ordering::SeqCst);
        size > 0
            && self.used.load(Ordering::SeqCst) >= size
            && self.allow_stall.load(Ordering::SeqCst)
    }

    /// Waits until writes may go on. Returns whether they may, rather than that the time is over.
    pub fn wait_for_memory(&self, at_most: Duration) -> bool {
        let mut stall = self.stall.lock();
        if self.should_stall() {
            self.stall_ended.wait_for(&mut stall, at_most);
        }
        !self.should_stall()
    }

    /// Counts memory that a growing memtable took.
    pub fn reserve(&self, bytes: usize) {
        self.mutable.fetch_add(bytes, Ordering::Relaxed);
        self.used.fetch_add(bytes, Ordering::SeqCst);
        self.adjust_reservation();
    }

    /// Counts as about to be flushed what one that grows no more had reserved.
    pub fn retire(&self, bytes: usize) {
        self.mutable.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Takes off what one had reserved that was retired, and is gone now.
    pub fn free(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::SeqCst);
        self.adjust_reservation();
        self.tell_waiters();
    }

    fn adjust_reservation(&self) {
        if let Some(reservation) = &self.reservation {
            let mut reservation = reservation.lock();
            // Under the lock: the last one here leaves behind what holds then.
            let used = self.used.load(Ordering::SeqCst);
            reservation.adjust(used);
        }
    }

    fn tell_waiters(&self) {
        drop(self.stall.lock());
        self.stall_ended.notify_all();
    }
}

impl fmt::Debug for WriteBufferManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteBufferManager")
            .field("buffer_size", &self.buffer_size())
            .field("used", &self.memory_usage())
            .field("mutable", &self.mutable_memory_usage())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::thread;
    use std::time::Instant;

    const ENTRY: usize = Reservation::ENTRY;

    fn manager(cache: Option<&Arc<Cache>>, allow_stall: bool) -> WriteBufferManager {
        WriteBufferManager::new(1000, cache.cloned(), allow_stall)
    }

    #[test]
    fn a_flush_is_due_when_growing_memtables_near_the_limit() {
        let manager = manager(None, true);
        assert!(!manager.should_flush());
        manager.reserve(875);
        assert!(!manager.should_flush());
        manager.reserve(1);
        assert!(manager.should_flush() && !manager.should_stall());
        manager.retire(876);
        assert_eq!((manager.memory_usage(), manager.mutable_memory_usage()), (876, 0));
        // Beyond the limit, but more than half of it will be free soon.
        manager.reserve(499);
        assert!(!manager.should_flush() && manager.should_stall());
        manager.reserve(1);
        assert!(manager.should_flush());
        manager.free(876);
        assert!(!manager.should_flush() && !manager.should_stall());
        manager.set_buffer_size(500);
        assert!(manager.should_flush() && manager.should_stall());
        manager.set_allow_stall(false);
        assert!(!manager.should_stall());
        manager.set_allow_stall(true);
        manager.set_buffer_size(0);
        assert!(!manager.should_flush() && !manager.should_stall());
    }

    #[test]
    fn waiters_are_woken_by_whatever_ends_the_stall() {
        type End = fn(&WriteBufferManager);
        let ends: [End; 4] = [
            |m| m.free(1000),
            |m| m.set_buffer_size(2000),
            |m| m.set_buffer_size(0),
            |m| m.set_allow_stall(false),
        ];
        for end in ends {
            let manager = Arc::new(manager(None, true));
            manager.reserve(1000);
            manager.retire(1000);
            assert!(!manager.wait_for_memory(Duration::from_millis(1)));
            let waiter = {
                let manager = manager.clone();
                thread::spawn(move || manager.wait_for_memory(Duration::from_secs(60)))
            };
            thread::sleep(Duration::from_millis(20));
            let start = Instant::now();
            end(&manager);
            assert!(waiter.join().unwrap());
            assert!(start.elapsed() < Duration::from_secs(30));
            assert!(manager.wait_for_memory(Duration::from_secs(60)));
        }
    }

    #[test]
    fn memtables_take_room_in_the_cache() {
        let cache = Cache::lru(100 * ENTRY, 0, false, 0.5);
        let manager = manager(Some(&cache), false);
        assert!(manager.costs_to_cache());
        manager.reserve(1);
        assert_eq!((manager.reserved_in_cache(), cache.pinned_usage()), (ENTRY, ENTRY));
        manager.reserve(8 * ENTRY - 1);
        assert_eq!(manager.reserved_in_cache(), 8 * ENTRY);
        cache.erase_unpinned();
        assert_eq!(cache.occupancy_count(), 8);
        manager.retire(2 * ENTRY);
        manager.free(2 * ENTRY);
        assert_eq!(cache.usage(), 8 * ENTRY);
        manager.retire(1);
        manager.free(1);
        assert_eq!((manager.reserved_in_cache(), cache.usage()), (6 * ENTRY, 6 * ENTRY));
        manager.retire(6 * ENTRY - 1);
        manager.free(6 * ENTRY - 1);
        assert_eq!((manager.reserved_in_cache(), cache.occupancy_count()), (0, 0));
        manager.reserve(ENTRY + 1);
        assert_eq!(cache.usage(), 2 * ENTRY);
        drop(manager);
        assert_eq!(cache.usage(), 0);
    }

    #[test]
    fn a_full_strict_cache_leaves_memory_uncounted() {
        let cache = Cache::lru(3 * ENTRY, 0, true, 0.5);
        let manager = manager(Some(&cache), false);
        manager.reserve(5 * ENTRY);
        assert_eq!(manager.memory_usage(), 5 * ENTRY);
        assert_eq!((manager.reserved_in_cache(), cache.usage()), (3 * ENTRY, 3 * ENTRY));
        manager.retire(5 * ENTRY);
        manager.free(5 * ENTRY);
        assert_eq!((manager.memory_usage(), cache.usage()), (0, 0));
    }
}
