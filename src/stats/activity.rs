//! What a thread reads and writes files for, so that it can be told apart.

use std::cell::Cell;

/// What files are read and written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Nothing that is told apart.
    Other,
    /// A flush.
    Flush,
    /// A compaction.
    Compaction,
    /// Opening a database.
    Open,
    /// Looking one key up.
    Get,
    /// Looking several keys up.
    MultiGet,
    /// An iterator.
    Iterator,
    /// Checking the checksums of all tables.
    VerifyChecksum,
}

thread_local! {
    static CURRENT: Cell<Activity> = const { Cell::new(Activity::Other) };
}

impl Activity {
    /// What this thread does.
    pub fn current() -> Activity {
        CURRENT.get()
    }

    /// This thread does this until the result drops.
    #[must_use = "it ends at once"]
    pub fn enter(self) -> Entered {
        Entered { before: CURRENT.replace(self) }
    }
}

/// Ends an activity when it drops, and goes back to the one before.
pub struct Entered {
    before: Activity,
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activities_nest() {
        assert_eq!(Activity::current(), Activity::Other);
        let outer = Activity::Compaction.enter();
        {
            let _inner = Activity::Open.enter();
            assert_eq!(Activity::current(), Activity::Open);
        }
        assert_eq!(Activity::current(), Activity::Compaction);
        drop(outer);
        assert_eq!(Activity::current(), Activity::Other);
    }
}
