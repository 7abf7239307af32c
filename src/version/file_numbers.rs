//! [`FileNumbers`]: hands out the numbers in file names.

use super::file_meta::MAX_FILE_NUMBER;
use crate::base::sync::{AtomicU64, Ordering};

/// The next unused file number. Tables, WALs, MANIFESTs and OPTIONS files share one sequence; a
/// number is never used twice, not even when its file was never written.
#[derive(Debug)]
pub struct FileNumbers(AtomicU64);

impl FileNumbers {
    pub(super) fn new(next: u64) -> FileNumbers {
        FileNumbers(AtomicU64::new(next))
    }

    /// Takes a number.
    pub fn allocate(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// The number that would be taken next.
    pub fn next(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Never hands out `number` or a smaller one again. Numbers too large for a file are ignored:
    /// they come from names in the folder that this database did not make.
    pub fn mark_used(&self, number: u64) {
        if number < MAX_FILE_NUMBER {
            self.0.fetch_max(number + 1, Ordering::Relaxed);
        }
    }
}
