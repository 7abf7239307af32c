//! [`MergingIter`]: several sorted sources as one.
//!
//! The child that holds the smallest key (in reverse: the largest) is kept apart from a heap of
//! the others. Stepping moves that child and compares it with the heap's root alone, so a run of
//! keys from one child costs one comparison a key. Each head carries its key's 8-byte order
//! prefix, which settles most comparisons without touching the keys.
//!
//! With range tombstones, records that they hide are not shown: few are stepped over, many are
//! passed by seeking the children that are older than the tombstone over its range. Without any,
//! that costs one branch a step.

use super::prefix_iterator::PrefixIterator;
use super::tombstones::{Direction, Tombstones};
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{InternalKey, compare_internal, user_key};
use crate::base::status::{Result, Status};
use crate::plug::prefix_seek::PrefixSeek;
use crate::stats::{Metric, perf};
use std::cmp::Ordering;

/// A valid child and the order prefix of its current user key.
#[derive(Clone, Copy)]
struct Head {
    prefix: u64,
    child: u32,
}

/// The merge of `children`, which are sorted by `order` and hold no internal key in common.
pub struct MergingIter<O, C> {
    order: O,
    children: Vec<C>,
    /// The child whose key is the current one; `None` at an end and after an error.
    current: Option<Head>,
    /// The other valid children; `heap[0]` comes next in the current direction.
    heap: Vec<Head>,
    direction: Direction,
    error: Option<Status>,
    tombstones: Option<Box<Tombstones<O>>>,
}

impl<O: Order, C: InternalIterator> MergingIter<O, C> {
    /// A merge that stands nowhere yet.
    pub fn new(order: O, children: Vec<C>) -> Self {
        let heap = Vec::with_capacity(children.len());
        MergingIter {
            order,
            children,
            current: None,
            heap,
            direction: Direction::Forward,
            error: None,
            tombstones: None,
        }
    }

    /// The same merge without the records that `tombstones`, those of its children, hide.
    pub fn with_tombstones(mut self, tombstones: Option<Box<Tombstones<O>>>) -> Self {
        self.tombstones = tombstones;
        self
    }

    /// The children.
    #[cfg(test)]
    pub(super) fn children(&self) -> &[C] {
        &self.children
    }

    #[inline]
    fn head(&self, child: u32) -> Head {
        let key = self.children[child as usize].key();
        Head { prefix: self.order.prefix(user_key(key)), child }
    }

    /// Whether `a` comes before `b` in the current direction.
    #[inline]
    fn before(&self, a: Head, b: Head) -> bool {
        let ascending = a.prefix.cmp(&b.prefix).then_with(|| {
            let (a, b) = (&self.children[a.child as usize], &self.children[b.child as usize]);
            compare_internal(&self.order, a.key(), b.key())
        });
        match self.direction {
            Direction::Forward => ascending == Ordering::Less,
            Direction::Reverse => ascending == Ordering::Greater,
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let mut best = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.before(self.heap[child], self.heap[best]) {
                    best = child;
                }
            }
            if best == at {
                return;
            }
            self.heap.swap(at, best);
            at = best;
        }
    }

    fn pop(&mut self) -> Option<Head> {
        if self.heap.is_empty() {
            return None;
        }
        let root = self.heap.swap_remove(0);
        self.sift_down(0);
        Some(root)
    }

    /// Notes the error of a child that is not valid. An error of one child ends the merge: what
    /// the others hold would be an answer with a hole.
    fn note_error(&mut self, child: u32) {
        if let Err(error) = self.children[child as usize].status() {
            self.error.get_or_insert(error);
        }
    }

    /// Picks the current child anew after all children have been positioned.
    fn rebuild(&mut self, direction: Direction) {
        self.direction = direction;
        self.heap.clear();
        self.error = None;
        for child in 0..self.children.len() as u32 {
            if self.children[child as usize].valid() {
                let head = self.head(child);
                self.heap.push(head);
            } else {
                self.note_error(child);
            }
        }
        for at in (0..self.heap.len() / 2).rev() {
            self.sift_down(at);
        }
        self.current = if self.error.is_some() { None } else { self.pop() };
    }

    /// Picks the current child anew after only it has moved.
    #[inline]
    fn settle(&mut self, moved: u32) {
        if !self.children[moved as usize].valid() {
            self.note_error(moved);
            self.current = if self.error.is_some() { None } else { self.pop() };
            return;
        }
        let head = self.head(moved);
        match self.heap.first() {
            Some(&root) if self.before(root, head) => {
                self.current = Some(root);
                self.heap[0] = head;
                self.sift_down(0);
            }
            _ => self.current = Some(head),
        }
    }

    /// Puts every child but the current one on the other side of the current key.
    #[cold]
    fn turn(&mut self, direction: Direction) {
        let Some(current) = self.current else { return };
        let key = self.children[current.child as usize].key().to_vec();
        for (at, child) in self.children.iter_mut().enumerate() {
            if at as u32 != current.child {
                // No other child holds this very key, so the seek lands strictly beyond it.
                match direction {
                    Direction::Forward => child.seek(&key),
                    Direction::Reverse => child.seek_for_prev(&key),
                }
            }
        }
        // The current child counts as the first of the new direction until it is moved.
        self.rebuild(direction);
    }
}

impl<O: Order, C: PrefixIterator> PrefixIterator for MergingIter<O, C> {
    fn seek_prefix(&mut self, target: &[u8], seek: &PrefixSeek) {
        if self.tombstones.is_some() {
            return self.seek_over(target, Direction::Forward, |c, to| c.seek_prefix(to, seek));
        }
        self.children.iter_mut().for_each(|c| c.seek_prefix(target, seek));
        self.rebuild(Direction::Forward);
    }
}

/// Range tombstones.
impl<O: Order, C: InternalIterator> MergingIter<O, C> {
    /// After stepping over this many hidden records, try to pass more at once: a seek costs about
    /// as much as this many steps.
    const STEPS_BEFORE_SEEK: u32 = 8;

    /// Positions all children by `seek`, newest first. Where the tombstones of one cover the
    /// target, the older ones are sought to the end of what is covered.
    #[cold]
    fn seek_over(&mut self, target: &[u8], direction: Direction, seek: impl Fn(&mut C, &[u8])) {
        let Some(tombstones) = &mut self.tombstones else { return };
        // Behind what has been found covered so far.
        let mut farther = InternalKey::default();
        let mut error = None;
        for (at, child) in self.children.iter_mut().enumerate() {
            let target = if farther.is_unset() { target } else { farther.as_bytes() };
            seek(child, target);
            perf::add(Metric::InternalRangeDelReseekCount, u64::from(!farther.is_unset()));
            match tombstones.beyond_source(at, user_key(target), direction) {
                Ok(None) => {}
                Ok(Some(beyond)) => farther.assign(beyond.as_bytes()),
                Err(status) => error = Some(status),
            }
        }
        self.rebuild(direction);
        match error {
            Some(error) => self.fail(error),
            None => self.skip_hidden(),
        }
    }

    #[cold]
    fn fail(&mut self, error: Status) {
        self.error.get_or_insert(error);
        self.current = None;
    }

    #[inline]
    fn leave_hidden(&mut self) {
        if self.tombstones.is_some() {
            self.skip_hidden();
        }
    }

    /// Goes on to the first record that no tombstone hides.
    #[inline(never)]
    fn skip_hidden(&mut self) {
        if let Err(error) = self.try_skip_hidden() {
            self.fail(error);
        }
    }

    fn try_skip_hidden(&mut self) -> Result<()> {
        let mut passed = 0u32;
        while let (Some(head), Some(tombstones)) = (self.current, &mut self.tombstones) {
            let child = &mut self.children[head.child as usize];
            if !tombstones.hides(child.key(), self.direction)? {
                return Ok(());
            }
            passed = passed.wrapping_add(1);
            let beyond = match passed % Self::STEPS_BEFORE_SEEK {
                0 => tombstones.beyond(head.child, user_key(child.key()), self.direction)?,
                _ => None,
            };
            perf::add(Metric::InternalRangeDelReseekCount, u64::from(beyond.is_some()));
            match (beyond, self.direction) {
                (Some(target), Direction::Forward) => child.seek(target.as_bytes()),
                (Some(target), Direction::Reverse) => child.seek_for_prev(target.as_bytes()),
                (None, Direction::Forward) => child.next(),
                (None, Direction::Reverse) => child.prev(),
            }
            self.settle(head.child);
        }
        Ok(())
    }
}

impl<O: Order, C: InternalIterator> InternalIterator for MergingIter<O, C> {
    #[inline]
    fn valid(&self) -> bool {
        self.current.is_some()
    }

    fn seek_to_first(&mut self) {
        self.children.iter_mut().for_each(C::seek_to_first);
        self.rebuild(Direction::Forward);
        self.leave_hidden();
    }

    fn seek_to_last(&mut self) {
        self.children.iter_mut().for_each(C::seek_to_last);
        self.rebuild(Direction::Reverse);
        self.leave_hidden();
    }

    fn seek(&mut self, target: &[u8]) {
        if self.tombstones.is_some() {
            return self.seek_over(target, Direction::Forward, C::seek);
        }
        self.children.iter_mut().for_each(|c| c.seek(target));
        self.rebuild(Direction::Forward);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        if self.tombstones.is_some() {
            return self.seek_over(target, Direction::Reverse, C::seek_for_prev);
        }
        self.children.iter_mut().for_each(|c| c.seek_for_prev(target));
        self.rebuild(Direction::Reverse);
    }

    #[inline]
    fn next(&mut self) {
        if self.direction != Direction::Forward {
            self.turn(Direction::Forward);
        }
        if let Some(current) = self.current {
            self.children[current.child as usize].next();
            self.settle(current.child);
            self.leave_hidden();
        }
    }

    #[inline]
    fn prev(&mut self) {
        if self.direction != Direction::Reverse {
            self.turn(Direction::Reverse);
        }
        if let Some(current) = self.current {
            self.children[current.child as usize].prev();
            self.settle(current.child);
            self.leave_hidden();
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        match self.current {
            Some(head) => self.children[head.child as usize].key(),
            None => &[],
        }
    }

    #[inline]
    fn value(&self) -> &[u8] {
        match self.current {
            Some(head) => self.children[head.child as usize].value(),
            None => &[],
        }
    }

    fn status(&self) -> Result<()> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}
