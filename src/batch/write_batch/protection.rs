//! The protection of a batch: a checksum of each counted record, taken of what it was made of.

use super::{Bytes, Kind, WriteBatch, memory_limit};
use crate::base::record_sum::{RecordSum, mismatch};
use crate::base::status::{Result, Status};

impl WriteBatch {
    /// Whether its records are protected.
    #[inline]
    pub fn is_protected(&self) -> bool {
        self.sums.is_some()
    }

    /// The checksums of its counted records, if they are protected.
    #[inline]
    pub fn sums(&self) -> Option<&[RecordSum]> {
        self.sums.as_deref()
    }

    /// Protects the records of the batch as they are now, unless they are protected already. An
    /// error if they cannot be decoded.
    pub fn protect(&mut self) -> Result<()> {
        if self.sums.is_none() {
            self.sums = Some(sums_of(self)?);
        }
        Ok(())
    }

    /// Ends the protection, or begins it with an empty batch.
    #[inline]
    pub fn set_protected(&mut self, protected: bool) {
        if protected != self.is_protected() {
            debug_assert!(!protected || self.is_empty());
            self.sums = protected.then(Vec::new);
        }
    }

    /// Compares the records with their checksums; `Corruption` if something has changed. A batch
    /// without protection is always right.
    #[inline]
    pub fn verify(&self) -> Result<()> {
        match &self.sums {
            None => Ok(()),
            Some(sums) => self.compare_with(sums),
        }
    }

    #[cold]
    fn compare_with(&self, sums: &[RecordSum]) -> Result<()> {
        let mut expected = sums.iter();
        for record in self.records()? {
            if let Some(sum) = record?.sum()
                && expected.next() != Some(&sum)
            {
                return Err(mismatch());
            }
        }
        match expected.next() {
            None => Ok(()),
            Some(_) => Err(Status::corruption("WriteBatch has wrong count")),
        }
    }

    #[cold]
    pub(super) fn push_sum<K: Bytes + ?Sized, V: Bytes + ?Sized>(
        &mut self,
        kind: &Kind,
        cf: u32,
        key: &K,
        value: &V,
    ) {
        let sum = RecordSum::hashed(kind.plain, |seed| key.hash(seed), |seed| value.hash(seed));
        if let Some(sums) = &mut self.sums {
            sums.push(sum.in_family(cf));
        }
    }

    /// The checksums of this batch with `other` behind it: if this is protected, or empty while
    /// the other is.
    pub(super) fn sums_with(&self, other: &WriteBatch) -> Result<Option<Vec<RecordSum>>> {
        let own = match &self.sums {
            Some(own) => own.as_slice(),
            None if self.is_empty() && other.is_protected() => &[],
            None => return Ok(None),
        };
        let computed;
        let others = match &other.sums {
            Some(sums) => sums,
            None => {
                computed = sums_of(other).unwrap_or_default();
                &computed
            }
        };
        let mut all = Vec::new();
        all.try_reserve(own.len() + others.len()).map_err(|_| memory_limit())?;
        all.extend_from_slice(own);
        all.extend_from_slice(others);
        Ok(Some(all))
    }
}

/// The checksums of a batch's counted records, as they are now.
fn sums_of(batch: &WriteBatch) -> Result<Vec<RecordSum>> {
    let mut sums = Vec::new();
    for record in batch.records()? {
        if let Some(sum) = record?.sum() {
            sums.try_reserve(1).map_err(|_| memory_limit())?;
            sums.push(sum);
        }
    }
    Ok(sums)
}
