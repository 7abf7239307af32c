//! When a loop of operations is over.

use std::time::{Duration, Instant};

/// Either a number of operations or a time.
pub struct Limit {
    operations: u64,
    end: Option<Instant>,
    done: u64,
    checked: u64,
}

impl Limit {
    /// Operations between two looks at the clock.
    const STEP: u64 = 1000;

    /// `seconds`, if there are any, else `operations`.
    pub fn new(seconds: u64, operations: u64) -> Limit {
        let end = (seconds > 0).then(|| Instant::now() + Duration::from_secs(seconds));
        Limit { operations, end, done: 0, checked: 0 }
    }

    /// Whether `count` more operations are to be done.
    pub fn allows(&mut self, count: u64) -> bool {
        self.done += count;
        let Some(end) = self.end else { return self.done <= self.operations };
        if self.done - self.checked >= Limit::STEP {
            self.checked = self.done;
            return Instant::now() < end;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_and_sets_are_whole() {
        let count = |step| {
            let mut limit = Limit::new(0, 10);
            (0..).take_while(|_| limit.allows(step)).count()
        };
        assert_eq!((count(1), count(3), count(11)), (10, 3, 0));
    }

    #[test]
    fn a_time_ends_a_loop_of_any_number() {
        let mut limit = Limit::new(1, 10);
        assert!((0..900).all(|_| limit.allows(1)));
        while limit.allows(100) {}
    }
}
