//! The synchronisation primitives of the crate, in one place so that the model-checking tests
//! can compile the same sources against loom's versions of them.
//!
//! Mutexes do not poison: state that a panic could leave half-changed is handed out through
//! guards whose `Drop` fails it (see `ARCHITECTURE.md`, "Panics").

pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};
pub use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub use std::sync::{Arc, OnceLock, Weak};
pub use std::thread;

/// Tells the processor that this is a spin loop.
#[inline]
pub fn spin_loop() {
    std::hint::spin_loop();
}

/// The most times that a waiter calls [`spin_loop`] before it sleeps; a few microseconds. The
/// model checker's is 0.
pub const SPIN_LIMIT: u32 = 256;
