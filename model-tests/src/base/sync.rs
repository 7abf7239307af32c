//! The main crate's `base::sync` in loom's terms: same names, same signatures.

pub use loom::sync::Arc;
pub use loom::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub use loom::thread;
use std::ops::{Deref, DerefMut};

/// Waiters go to sleep at once: spinning only adds runs that show nothing new.
pub const SPIN_LIMIT: u32 = 0;

/// Lets another thread run.
pub fn spin_loop() {
    thread::yield_now();
}

/// `parking_lot`'s interface over loom's mutex.
#[derive(Default)]
pub struct Mutex<T>(loom::sync::Mutex<T>);

/// The guard of [`Mutex`]. Empty only inside [`Condvar::wait`].
pub struct MutexGuard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    pub fn new(value: T) -> Mutex<T> {
        Mutex(loom::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().unwrap()))
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().unwrap()
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().unwrap()
    }
}

/// `parking_lot`'s interface over loom's condition variable.
pub struct Condvar(loom::sync::Condvar);

impl Condvar {
    #[expect(clippy::new_without_default, reason = "as little as the sources use")]
    pub fn new() -> Condvar {
        Condvar(loom::sync::Condvar::new())
    }

    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let inner = guard.0.take().unwrap();
        guard.0 = Some(self.0.wait(inner).unwrap());
    }

    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
