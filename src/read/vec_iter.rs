//! A sorted vector as an [`InternalIterator`], for tests.

use super::prefix_iterator::PrefixIterator;
use crate::base::comparator::{Comparator, Order};
use crate::base::iterator::InternalIterator;
use crate::base::key::compare_internal;
use crate::base::status::{Result, Status};
use crate::plug::prefix_seek::PrefixSeek;
use std::cmp::Ordering;

/// Internal keys and values, sorted.
pub type Records = Vec<(Vec<u8>, Vec<u8>)>;

pub struct VecIter {
    pub order: Comparator,
    pub records: Records,
    /// The index of the current record; the length and `usize::MAX` are the two ends.
    at: usize,
    /// Fails when it steps onto this index.
    pub fail_at: Option<usize>,
    moves: usize,
}

impl VecIter {
    pub fn new(order: Comparator, mut records: Records) -> VecIter {
        records.sort_by(|a, b| compare_internal(&order, &a.0, &b.0));
        VecIter { order, records, at: usize::MAX, fail_at: None, moves: 0 }
    }

    /// How often it was positioned or moved.
    pub fn moves(&self) -> usize {
        self.moves
    }

    fn failed(&self) -> bool {
        self.fail_at.is_some() && self.fail_at == Some(self.at)
    }
}

impl InternalIterator for VecIter {
    fn valid(&self) -> bool {
        self.at < self.records.len() && !self.failed()
    }
    fn seek_to_first(&mut self) {
        self.moves += 1;
        self.at = 0;
    }
    fn seek_to_last(&mut self) {
        self.moves += 1;
        self.at = self.records.len().wrapping_sub(1);
    }
    fn seek(&mut self, target: &[u8]) {
        self.moves += 1;
        let less = |k: &[u8]| compare_internal(&self.order, k, target) == Ordering::Less;
        self.at = self.records.partition_point(|r| less(&r.0));
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.moves += 1;
        let not_more = |k: &[u8]| compare_internal(&self.order, k, target) != Ordering::Greater;
        self.at = self.records.partition_point(|r| not_more(&r.0)).wrapping_sub(1);
    }
    fn next(&mut self) {
        self.moves += 1;
        assert!(self.valid());
        self.at += 1;
    }
    fn prev(&mut self) {
        self.moves += 1;
        assert!(self.valid());
        self.at = self.at.wrapping_sub(1);
    }
    fn key(&self) -> &[u8] {
        &self.records[self.at].0
    }
    fn value(&self) -> &[u8] {
        &self.records[self.at].1
    }
    fn status(&self) -> Result<()> {
        if self.failed() { Err(Status::corruption("planted")) } else { Ok(()) }
    }
}

impl PrefixIterator for VecIter {
    fn seek_prefix(&mut self, target: &[u8], _: &PrefixSeek) {
        self.seek(target);
    }
}

/// Whether `order` ranks `a` before `b`, for sorting models.
pub fn rank(order: &Comparator, a: &[u8], b: &[u8]) -> Ordering {
    order.compare(a, b)
}
