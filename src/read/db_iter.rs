//! [`DbIter`]: the user's iterator. Of all records it shows, for each user key, what the newest
//! visible one says, within bounds.
//!
//! Forward, the inner iterator stands on the record that is shown, and nothing is copied. In
//! reverse, the inner iterator has already passed every record of the key that is shown, so key
//! and value are kept in buffers that are used again. So are, in both directions, merge operands
//! and the values made of them.

use super::operands::{Collected, OperandBuffer};
use super::prefix_iterator::PrefixIterator;
use super::value::{Resolved, Visibility, resolve};
use crate::base::comparator::Order;
use crate::base::key::{InternalKey, MAX_SEQUENCE, ParsedKey, ValueType, user_key};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::plug::merge_operator::SharedMergeOperator;
use crate::plug::prefix_seek::PrefixSeek;
use crate::plug::slice_transform::SliceTransform;

/// What bounds and sees; the same for the whole life of an iterator.
pub struct DbIterConfig {
    /// Which records are visible.
    pub visibility: Visibility,
    /// Keys before this one are not shown.
    pub lower_bound: Option<Arc<[u8]>>,
    /// This key and keys behind it are not shown.
    pub upper_bound: Option<Arc<[u8]>>,
    /// After passing over this many records of one key, seek instead of stepping
    /// (RocksDB's `max_sequential_skip_in_iterations`).
    pub max_sequential_skip: u64,
    /// After passing over more than so many records in one move, fail with `Incomplete`; 0 is
    /// never.
    pub max_skippable_internal_keys: u64,
    /// Keys stay valid as long as the iterator does.
    pub pin_data: bool,
    /// How far a seek may rely on prefixes; `None` is total order.
    pub prefix_seek: Option<Box<PrefixSeek>>,
    /// Ends the iteration where keys no longer have the prefix (by this transformation) of the key
    /// that was sought; after going to an end, of the key found there.
    pub prefix_same_as_start: Option<SliceTransform>,
    /// Show what range deletions deleted (RocksDB's `ignore_range_deletions`).
    pub ignore_tombstones: bool,
    /// Joins merge operands.
    pub merge_operator: SharedMergeOperator,
}

enum Position {
    /// At an end, not yet positioned, or failed.
    Nowhere,
    /// Going forward: on the inner iterator's record, whose value is its first `value_len` bytes.
    Inner { value_len: usize },
    /// Going forward: on `saved_key` and `saved_value`, which is made of merge operands; the inner
    /// iterator stands on an older record of that key, or behind it.
    Merged,
    /// Going back: on `saved_key` and `saved_value`; the inner iterator stands before that key.
    Saved,
}

/// What moves met that is not shown by itself, since that was last asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Passed {
    /// Records that were stepped over on the way forward.
    pub stepped_over: u64,
    /// All records that the last move looked at if it went back, also those of what it ended on.
    pub looked_back_at: u64,
    /// Deletions.
    pub deletions: u64,
    /// Records too new to be seen.
    pub newer: u64,
    /// Merge operands.
    pub operands: u64,
    /// Seeks over what stepping would have taken long to pass.
    pub leaps: u64,
}

/// The iterator over user keys.
pub struct DbIter<O, I> {
    order: O,
    inner: I,
    config: DbIterConfig,
    position: Position,
    saved_key: Vec<u8>,
    saved_value: Vec<u8>,
    /// What [`DbIterConfig::prefix_same_as_start`] asks of keys since the last seek, if anything.
    start_prefix: Option<Vec<u8>>,
    /// Whether the records that a move back looks at are counted: there is a limit, or somebody
    /// watches.
    counting: bool,
    /// So many were looked at in this move.
    looked_at: u64,
    passed: Passed,
    operands: OperandBuffer,
    /// What operands are merged into before it becomes `saved_value`.
    merged: Vec<u8>,
    /// Holds seek targets, so that seeking allocates only while this grows.
    target: InternalKey,
    error: Option<Status>,
}

impl<O: Order, I: PrefixIterator> DbIter<O, I> {
    /// An iterator that stands nowhere yet.
    pub fn new(order: O, inner: I, mut config: DbIterConfig) -> Self {
        // With 0 a leap could land where it started.
        config.max_sequential_skip = config.max_sequential_skip.max(1);
        DbIter {
            counting: config.max_skippable_internal_keys > 0,
            order,
            inner,
            config,
            position: Position::Nowhere,
            saved_key: Vec::new(),
            saved_value: Vec::new(),
            start_prefix: None,
            looked_at: 0,
            passed: Passed::default(),
            operands: OperandBuffer::default(),
            merged: Vec::new(),
            target: InternalKey::default(),
            error: None,
        }
    }

    /// Moves are counted from now on.
    #[inline]
    pub(super) fn watch(&mut self) {
        self.counting = true;
    }

    /// How many records the last move looked at, if it went back.
    #[inline]
    pub(super) fn looked_back_at(&self) -> u64 {
        self.looked_at
    }

    /// The bytes of the key and the value that it stands on.
    #[inline]
    pub(super) fn entry_bytes(&self) -> Option<usize> {
        match self.position {
            Position::Nowhere => None,
            Position::Inner { value_len } => Some(user_key(self.inner.key()).len() + value_len),
            Position::Merged | Position::Saved => {
                Some(self.saved_key.len() + self.saved_value.len())
            }
        }
    }

    /// What moves met since this was last called.
    pub(super) fn take_passed(&mut self) -> Passed {
        Passed { looked_back_at: self.looked_at, ..std::mem::take(&mut self.passed) }
    }

    /// Whether the next step forward leaves the record that is shown.
    pub(super) fn is_on_record(&self) -> bool {
        matches!(self.position, Position::Inner { .. })
    }

    /// Whether it stands on a key.
    #[inline]
    pub fn valid(&self) -> bool {
        !matches!(self.position, Position::Nowhere)
    }

    /// The current user key; empty when not valid.
    #[inline]
    pub fn key(&self) -> &[u8] {
        match self.position {
            Position::Inner { .. } => user_key(self.inner.key()),
            Position::Merged | Position::Saved => &self.saved_key,
            Position::Nowhere => &[],
        }
    }

    /// The current value; empty when not valid.
    #[inline]
    pub fn value(&self) -> &[u8] {
        match self.position {
            Position::Inner { value_len } => &self.inner.value()[..value_len],
            Position::Merged | Position::Saved => &self.saved_value,
            Position::Nowhere => &[],
        }
    }

    /// The error that ended the iteration, if one did.
    pub fn status(&self) -> Result<()> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// To the first key.
    pub fn seek_to_first(&mut self) {
        self.error = None;
        self.start_prefix = None;
        match self.config.lower_bound.take() {
            Some(bound) => {
                self.seek_inner(&bound, MAX_SEQUENCE, ValueType::FOR_SEEK);
                self.config.lower_bound = Some(bound);
            }
            None => self.inner.seek_to_first(),
        }
        self.find_forward(false);
        self.hold_to_prefix_found();
    }

    /// To the last key.
    pub fn seek_to_last(&mut self) {
        self.error = None;
        self.start_prefix = None;
        match self.config.upper_bound.take() {
            Some(bound) => {
                self.seek_inner_before(&bound);
                self.config.upper_bound = Some(bound);
            }
            None => self.inner.seek_to_last(),
        }
        self.find_backward();
        self.hold_to_prefix_found();
    }

    /// To the first key at or behind `target`.
    pub fn seek(&mut self, target: &[u8]) {
        self.error = None;
        self.hold_to_prefix_of(target);
        match self.config.lower_bound.take() {
            Some(bound) if self.order.compare(target, &bound).is_lt() => {
                self.seek_user_key(&bound);
                self.config.lower_bound = Some(bound);
            }
            bound => {
                self.config.lower_bound = bound;
                self.seek_user_key(target);
            }
        }
        self.find_forward(false);
    }

    /// To the last key at or before `target`.
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        self.error = None;
        self.hold_to_prefix_of(target);
        match self.config.upper_bound.take() {
            Some(bound) if self.order.compare(target, &bound).is_ge() => {
                self.seek_inner_before(&bound);
                self.config.upper_bound = Some(bound);
            }
            bound => {
                self.config.upper_bound = bound;
                self.target = rebuilt(&mut self.target, target, 0, ValueType::FOR_SEEK_FOR_PREV);
                self.inner.seek_for_prev(self.target.as_bytes());
            }
        }
        self.find_backward();
    }

    /// To the next key. Does nothing when not valid.
    #[inline]
    pub fn next(&mut self) {
        match self.position {
            Position::Nowhere => return,
            Position::Inner { .. } => {
                self.saved_key.clear();
                self.saved_key.extend_from_slice(user_key(self.inner.key()));
                self.inner.next();
            }
            Position::Merged => {}
            Position::Saved => {
                let key = std::mem::take(&mut self.saved_key);
                self.seek_inner(&key, 0, ValueType::FOR_SEEK_FOR_PREV);
                self.saved_key = key;
            }
        }
        self.find_forward(true);
    }

    /// To the previous key. Does nothing when not valid.
    pub fn prev(&mut self) {
        match self.position {
            Position::Nowhere => return,
            Position::Inner { .. } => {
                self.saved_key.clear();
                self.saved_key.extend_from_slice(user_key(self.inner.key()));
                self.seek_inner_before_saved_key();
            }
            Position::Merged => self.seek_inner_before_saved_key(),
            Position::Saved => {}
        }
        self.find_backward();
    }

    /// Seeks for the user, who may not need total order; all other seeks do.
    fn seek_user_key(&mut self, key: &[u8]) {
        let sequence = self.config.visibility.sequence;
        self.target = rebuilt(&mut self.target, key, sequence, ValueType::FOR_SEEK);
        match &self.config.prefix_seek {
            Some(seek) => self.inner.seek_prefix(self.target.as_bytes(), seek),
            None => self.inner.seek(self.target.as_bytes()),
        }
    }

    /// Keeps the iteration to the prefix of `key`, if that is wanted and there is one.
    fn hold_to_prefix_of(&mut self, key: &[u8]) {
        if let Some(transform) = &self.config.prefix_same_as_start {
            self.start_prefix = transform.prefix(key).map(<[u8]>::to_vec);
        }
    }

    fn hold_to_prefix_found(&mut self) {
        if self.config.prefix_same_as_start.is_some() && self.valid() {
            let key = self.key().to_vec();
            self.hold_to_prefix_of(&key);
        }
    }

    /// Whether `key` is beyond the prefix that the iteration is kept to.
    #[inline]
    fn leaves_prefix(&self, key: &[u8]) -> bool {
        self.start_prefix.as_ref().is_some_and(|prefix| self.has_other_prefix(key, prefix))
    }

    #[cold]
    fn has_other_prefix(&self, key: &[u8], prefix: &[u8]) -> bool {
        let transform = self.config.prefix_same_as_start.as_ref();
        transform.is_some_and(|transform| transform.prefix(key) != Some(prefix))
    }

    /// The capacities of all that is used again from one step to the next; the two that are
    /// swapped count as one.
    #[cfg(test)]
    pub(super) fn memory(&self) -> [usize; 4] {
        let values = self.saved_value.capacity() + self.merged.capacity();
        let target = self.target.as_bytes().len();
        [self.saved_key.capacity(), values, target, self.operands.memory()]
    }

    fn seek_inner(&mut self, key: &[u8], sequence: u64, value_type: ValueType) {
        self.target = rebuilt(&mut self.target, key, sequence, value_type);
        self.inner.seek(self.target.as_bytes());
    }

    /// Puts the inner iterator on the last record whose user key is before `key`.
    fn seek_inner_before(&mut self, key: &[u8]) {
        self.target = rebuilt(&mut self.target, key, MAX_SEQUENCE, ValueType::FOR_SEEK);
        self.inner.seek_for_prev(self.target.as_bytes());
    }

    fn seek_inner_before_saved_key(&mut self) {
        let key = std::mem::take(&mut self.saved_key);
        self.seek_inner_before(&key);
        self.saved_key = key;
    }

    fn fail(&mut self, error: Status) {
        self.position = Position::Nowhere;
        self.error = Some(error);
    }

    /// The inner iterator has no more records: an end, or its error.
    fn end(&mut self) {
        self.position = Position::Nowhere;
        if let Err(error) = self.inner.status() {
            self.error = Some(error);
        }
    }

    #[inline]
    fn beyond_upper(&self, key: &[u8]) -> bool {
        match &self.config.upper_bound {
            Some(bound) => self.order.compare(key, bound).is_ge(),
            None => false,
        }
    }

    fn before_lower(&self, key: &[u8]) -> bool {
        match &self.config.lower_bound {
            Some(bound) => self.order.compare(key, bound).is_lt(),
            None => false,
        }
    }

    /// Goes forward from the inner iterator's record to the first that is shown. With `skipping`,
    /// records of `saved_key` are passed over.
    fn find_forward(&mut self, mut skipping: bool) {
        // How many records of `saved_key` have been passed over in a row.
        let mut skipped = 0;
        self.looked_at = 0;
        while self.inner.valid() {
            let record = match ParsedKey::parse(self.inner.key()) {
                Ok(record) => record,
                Err(error) => return self.fail(error),
            };
            if self.beyond_upper(record.user_key) || self.leaves_prefix(record.user_key) {
                self.position = Position::Nowhere;
                return;
            }
            let most = self.config.max_skippable_internal_keys;
            if most > 0 && !look_at_another(&mut self.looked_at, most) {
                return self.fail(too_many_passed());
            }
            let hidden = skipping && self.order.equal(record.user_key, &self.saved_key);
            if !hidden && self.config.visibility.sees(record.sequence) {
                match resolve(record.value_type, self.inner.value()) {
                    Ok(Resolved::Value(value)) => {
                        self.position = Position::Inner { value_len: value.len() };
                        return;
                    }
                    Ok(Resolved::Deleted) => {
                        self.saved_key.clear();
                        self.saved_key.extend_from_slice(record.user_key);
                        skipping = true;
                        skipped = 0;
                        self.passed.deletions += 1;
                    }
                    Ok(Resolved::Operand(_)) => return self.show_merged(),
                    Err(error) => return self.fail(error),
                }
            } else if hidden {
                skipped += 1;
            } else if self.order.equal(record.user_key, &self.saved_key) {
                skipped += 1;
                self.passed.newer += 1;
            } else {
                // The first record of another key, too new to be seen.
                self.saved_key.clear();
                self.saved_key.extend_from_slice(record.user_key);
                skipping = false;
                skipped = 1;
                self.passed.newer += 1;
            }
            self.passed.stepped_over += 1;
            if skipped > self.config.max_sequential_skip {
                self.leap_forward(hidden);
                skipped = 0;
            } else {
                self.inner.next();
            }
        }
        self.end();
    }

    /// Seeks over what stepping would take long to pass: the `hidden` older records of
    /// `saved_key`, or else its records that are too new to be seen.
    #[cold]
    fn leap_forward(&mut self, hidden: bool) {
        self.passed.leaps += 1;
        let key = std::mem::take(&mut self.saved_key);
        if hidden {
            self.seek_inner(&key, 0, ValueType::FOR_SEEK_FOR_PREV);
        } else {
            self.seek_inner(&key, self.config.visibility.sequence, ValueType::FOR_SEEK);
        }
        self.saved_key = key;
    }

    /// Shows the key whose newest visible record, a merge operand, the inner iterator stands on.
    #[cold]
    fn show_merged(&mut self) {
        self.saved_key.clear();
        self.saved_key.extend_from_slice(user_key(self.inner.key()));
        match self.merge_from_inner() {
            Ok(()) => self.position = Position::Merged,
            Err(error) => self.fail(error),
        }
    }

    /// Makes `saved_value` of `saved_key`'s records from the inner iterator's on, which is a
    /// visible merge operand. The inner iterator ends on what ends the operands: an older record of
    /// the key or one of another, if there is any.
    fn merge_from_inner(&mut self) -> Result<()> {
        self.operands.clear();
        self.operands.push(self.inner.value());
        self.passed.operands += 1;
        // How long the value is that the operands apply to, at the front of the inner iterator's.
        let existing_len = loop {
            self.inner.next();
            if !self.inner.valid() {
                self.inner.status()?;
                break None;
            }
            let record = ParsedKey::parse(self.inner.key())?;
            if !self.order.equal(record.user_key, &self.saved_key) {
                break None;
            }
            if !self.config.visibility.sees(record.sequence) {
                continue;
            }
            match resolve(record.value_type, self.inner.value())? {
                Resolved::Operand(operand) => {
                    self.operands.push(operand);
                    self.passed.operands += 1;
                }
                Resolved::Deleted => break None,
                Resolved::Value(value) => break Some(value.len()),
            }
        };
        let existing = existing_len.map(|len| &self.inner.value()[..len]);
        let operator = &self.config.merge_operator;
        let (key, out) = (&self.saved_key, &mut self.saved_value);
        self.operands.merge(operator, key, existing, Collected::NewestFirst, out)
    }

    /// Goes back from the inner iterator's record to the last key that is shown, and leaves the
    /// inner iterator before all records of that key.
    fn find_backward(&mut self) {
        self.looked_at = 0;
        while self.inner.valid() {
            self.saved_key.clear();
            self.saved_key.extend_from_slice(user_key(self.inner.key()));
            if self.before_lower(&self.saved_key) || self.leaves_prefix(&self.saved_key) {
                self.position = Position::Nowhere;
                return;
            }
            match self.newest_visible_of_saved_key() {
                Ok(true) => {
                    self.position = Position::Saved;
                    return;
                }
                Ok(false) => {}
                Err(error) => return self.fail(error),
            }
        }
        self.end();
    }

    /// Walks back over the records of `saved_key`, oldest first. Keeps the value that the visible
    /// ones make in `saved_value`; returns whether there is such a value.
    fn newest_visible_of_saved_key(&mut self) -> Result<bool> {
        // The newest record so far that is no operand; the operands behind it are collected.
        let mut newest: Option<ValueType> = None;
        self.operands.clear();
        let mut steps = 0;
        while self.inner.valid() {
            let record = ParsedKey::parse(self.inner.key())?;
            if !self.order.equal(record.user_key, &self.saved_key) {
                break;
            }
            if !self.config.visibility.sees(record.sequence) {
                return self.leap_backward();
            }
            if steps > self.config.max_sequential_skip {
                self.passed.leaps += 1;
                return self.leap_backward();
            }
            if self.counting
                && !look_at_another(&mut self.looked_at, self.config.max_skippable_internal_keys)
            {
                return Err(too_many_passed());
            }
            if record.value_type == ValueType::Merge {
                self.operands.push(self.inner.value());
                self.passed.operands += 1;
            } else {
                newest = Some(record.value_type);
                self.operands.clear();
                self.saved_value.clear();
                self.saved_value.extend_from_slice(self.inner.value());
            }
            steps += 1;
            self.inner.prev();
        }
        self.inner.status()?;
        self.finish_saved(newest)
    }

    /// Like the walk above, but by seeking: straight to the newest visible record of the key,
    /// then in front of the key.
    fn leap_backward(&mut self) -> Result<bool> {
        let key = std::mem::take(&mut self.saved_key);
        self.seek_inner(&key, self.config.visibility.sequence, ValueType::FOR_SEEK);
        self.saved_key = key;
        let found = self.inner.valid() && self.value_from_inner()?;
        self.inner.status()?;
        self.seek_inner_before_saved_key();
        self.inner.status()?;
        Ok(found)
    }

    /// Makes `saved_value` of `saved_key`'s records from the inner iterator's on. Returns whether
    /// there is a value.
    fn value_from_inner(&mut self) -> Result<bool> {
        let record = ParsedKey::parse(self.inner.key())?;
        if !self.order.equal(record.user_key, &self.saved_key) {
            return Ok(false);
        }
        match resolve(record.value_type, self.inner.value())? {
            Resolved::Deleted => return Ok(false),
            Resolved::Operand(_) => self.merge_from_inner()?,
            Resolved::Value(value) => {
                self.saved_value.clear();
                self.saved_value.extend_from_slice(value);
            }
        }
        Ok(true)
    }

    /// Makes the value of `saved_key` from `saved_value`, which a record of kind `newest` holds, and
    /// the operands behind it. Returns whether there is a value.
    fn finish_saved(&mut self, newest: Option<ValueType>) -> Result<bool> {
        let existing = match newest {
            Some(value_type) => match resolve(value_type, &self.saved_value)? {
                Resolved::Value(value) => Some(value),
                Resolved::Deleted | Resolved::Operand(_) => {
                    self.passed.deletions += 1;
                    None
                }
            },
            None => None,
        };
        if self.operands.is_empty() {
            let len = existing.map(<[u8]>::len);
            self.saved_value.truncate(len.unwrap_or(0));
            return Ok(len.is_some());
        }
        let operator = &self.config.merge_operator;
        let (key, out) = (&self.saved_key, &mut self.merged);
        self.operands.merge(operator, key, existing, Collected::OldestFirst, out)?;
        std::mem::swap(&mut self.saved_value, &mut self.merged);
        Ok(true)
    }
}

/// Counts one more record of a move; false if it has had more than `most`, unless that is 0.
fn look_at_another(looked_at: &mut u64, most: u64) -> bool {
    if most > 0 && *looked_at > most {
        return false;
    }
    *looked_at += 1;
    true
}

#[cold]
fn too_many_passed() -> Status {
    Status::incomplete("Too many internal keys skipped.")
}

/// `buffer`, refilled with the internal key of these parts.
fn rebuilt(
    buffer: &mut InternalKey,
    user_key: &[u8],
    sequence: u64,
    value_type: ValueType,
) -> InternalKey {
    let mut key = std::mem::take(buffer);
    key.set(user_key, sequence, value_type);
    key
}
