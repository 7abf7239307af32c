//! [`WalSet`]: the WALs that the MANIFEST tracks (`track_and_verify_wals_in_manifest`).

use super::edit::WalAddition;
use crate::base::status::{Result, Status};
use std::collections::BTreeMap;

/// Numbers of tracked WALs, and to which length they are known to be synced.
#[derive(Clone, Debug, Default)]
pub struct WalSet {
    wals: BTreeMap<u64, Option<u64>>,
    min_number_to_keep: u64,
}

impl WalSet {
    /// Tracks a WAL, or notes that it is synced further. One below the numbers already deleted is
    /// ignored: edits about syncs and deletions may be logged out of order.
    pub fn add(&mut self, wal: &WalAddition) -> Result<()> {
        if wal.number < self.min_number_to_keep {
            return Ok(());
        }
        match (self.wals.get_mut(&wal.number), wal.synced_size) {
            (None, size) => {
                self.wals.insert(wal.number, size);
            }
            (Some(_), None) => {
                return Err(Status::corruption(format!(
                    "WalSet::AddWal: WAL {} is created more than once",
                    wal.number
                )));
            }
            (Some(known), size) => *known = (*known).max(size),
        }
        Ok(())
    }

    /// Forgets the WALs with numbers below `number`.
    pub fn delete_before(&mut self, number: u64) {
        if number > self.min_number_to_keep {
            self.min_number_to_keep = number;
            self.wals = self.wals.split_off(&number);
        }
    }

    /// The tracked WALs, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = WalAddition> {
        self.wals.iter().map(|(&number, &synced_size)| WalAddition { number, synced_size })
    }

    /// Checks that every WAL that was synced is there and not shorter than it was; `size_of` gives
    /// the length of the WAL with a number, `None` if there is no such file.
    pub fn check(&self, mut size_of: impl FnMut(u64) -> Result<Option<u64>>) -> Result<()> {
        for (&number, &synced) in &self.wals {
            let Some(synced) = synced else { continue };
            match size_of(number)? {
                None => {
                    return Err(Status::corruption(format!(
                        "Missing WAL with log number: {number}."
                    )));
                }
                Some(size) if size < synced => {
                    return Err(Status::corruption(format!(
                        "Size mismatch: WAL (log number: {number}) in MANIFEST is {synced} bytes , \
                         but actually is {size} bytes on disk."
                    )));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
