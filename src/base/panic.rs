//! What panics throw.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Drops what a panic threw. Its destructor may panic as well; what that throws is leaked, or
/// there might be no end of it.
#[cold]
pub fn discard(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Grenade;

    impl Drop for Grenade {
        fn drop(&mut self) {
            std::panic::panic_any(Grenade);
        }
    }

    #[test]
    fn destructors_that_panic_are_contained() {
        discard(Box::new(Grenade));
        discard(Box::new("text"));
    }
}
