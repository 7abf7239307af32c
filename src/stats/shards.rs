//! An array with one element for each core, so that threads that count seldom meet.

use std::cell::Cell;

use crate::base::sync::{AtomicUsize, Ordering, thread};

/// One `T` for each core, rounded up to a power of two. A thread keeps to one element for its
/// life; threads beyond the number of elements share, so `T` is made of atomics.
pub struct Shards<T> {
    items: Box<[T]>,
}

/// More elements than this bring nothing but memory.
const MOST: usize = 64;

/// The number of the next thread that asks.
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static NUMBER: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// The number of this thread.
#[inline]
fn number() -> usize {
    let number = NUMBER.get();
    if number == usize::MAX { assign() } else { number }
}

#[cold]
fn assign() -> usize {
    // Short of `usize::MAX`, which means none.
    let number = NEXT.fetch_add(1, Ordering::Relaxed) & (usize::MAX >> 1);
    NUMBER.set(number);
    number
}

impl<T: Default> Shards<T> {
    /// Elements with their default.
    pub fn new() -> Shards<T> {
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
        let count = cores.next_power_of_two().min(MOST);
        Shards { items: (0..count).map(|_| T::default()).collect() }
    }
}

impl<T: Default> Default for Shards<T> {
    fn default() -> Shards<T> {
        Shards::new()
    }
}

impl<T> Shards<T> {
    /// The element of this thread.
    #[inline]
    pub fn own(&self) -> &T {
        // The length is a power of two.
        &self.items[number() & (self.items.len() - 1)]
    }

    /// All elements.
    pub fn all(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
}
