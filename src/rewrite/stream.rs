//! [`RecordStream`]: the records that a flush or a compaction writes, made from those it reads.

use super::counts::StreamCounts;
use super::operands::Operands;
use super::stop::Stop;
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{
    MAX_SEQUENCE, ParsedKey, SequenceNumber, TRAILER_LEN, ValueType, check_value_len, pack_trailer,
    user_key,
};
use crate::base::status::{Result, Status};
use crate::plug::compaction_filter::{CompactionFilter, FilterDecision};
use crate::plug::merge_operator::MergeOperator;

/// The bytes that a timed put carries behind its value: its write time as a sequence number.
const PREFERRED_SEQUENCE_LEN: usize = 8;

/// Tells which records lie under range tombstones. Keys are asked for in ascending order.
pub trait Coverage {
    /// Whether a tombstone newer than `sequence`, but not newer than `newest`, covers `user_key`.
    fn covers(&mut self, user_key: &[u8], sequence: SequenceNumber, newest: SequenceNumber)
    -> bool;
}

/// What a stream knows beside its records.
pub struct StreamOptions<'a> {
    /// What readers see besides the newest state; ascending.
    pub snapshots: &'a [SequenceNumber],
    /// The oldest snapshot that a transaction checks conflicts against; [`MAX_SEQUENCE`] is none.
    /// Newer deletions stay, for it to find.
    pub write_conflict_snapshot: SequenceNumber,
    /// No other data of the keys are older than the input.
    pub bottommost: bool,
    /// The level that the input comes from, as filters are told.
    pub level: i32,
    /// Whether a deletion behind a single deletion of one key is an error.
    pub enforce_single_del_contracts: bool,
    /// Joins merge operands.
    pub merge_operator: Option<&'a dyn MergeOperator>,
    /// Sees the values of keys whose newest record is one.
    pub filter: Option<&'a dyn CompactionFilter>,
    /// Range tombstones over the input.
    pub tombstones: Option<Box<dyn Coverage + 'a>>,
    /// Ends the stream early.
    pub stop: Stop<'a>,
    /// The bytes of timestamp at the end of each user key. All history of such keys stays.
    pub timestamp_size: usize,
}

impl Default for StreamOptions<'_> {
    fn default() -> Self {
        StreamOptions {
            snapshots: &[],
            write_conflict_snapshot: MAX_SEQUENCE,
            bottommost: false,
            level: 0,
            enforce_single_del_contracts: true,
            merge_operator: None,
            filter: None,
            tombstones: None,
            stop: Stop::default(),
            timestamp_size: 0,
        }
    }
}

/// A record to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The internal key.
    pub key: &'a [u8],
    /// The sequence number in it.
    pub sequence: SequenceNumber,
    /// The value.
    pub value: &'a [u8],
    /// The record before it had another user key.
    pub starts_user_key: bool,
}

/// Where the value of the record that is handed out lies.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// The first so many bytes of the input's value.
    Input(usize),
    /// In the stream's `value`.
    Own,
    /// It is empty.
    Empty,
    /// The operand with this number.
    Operand(usize),
}

/// Turns sorted records into those that must be kept.
///
/// Snapshots cut the sequence numbers into stripes: records of one key in one stripe are seen by
/// the same readers, so that only the newest matters; it hides the others. Stripe 0 is the oldest:
/// what every snapshot sees. `below` answers whether data older than the input may hold a user
/// key (which ascend); with it, and at the bottommost level, deletions go that have nothing left
/// to delete, and sequence numbers that nobody can tell apart become 0.
///
/// Merge operands of one stripe become a value where everything below them is known, one operand
/// where the operator can join them, and stay as they are otherwise. Values in blob files and wide
/// columns stay as they are.
pub struct RecordStream<'a, O, I, B> {
    pub(super) order: O,
    pub(super) input: I,
    below: B,
    pub(super) options: StreamOptions<'a>,
    pub(super) counts: StreamCounts,
    /// The internal key of the record under consideration; empty before the first.
    pub(super) key: Vec<u8>,
    pub(super) sequence: SequenceNumber,
    pub(super) kind: ValueType,
    /// The stripe of the record under consideration.
    pub(super) stripe: usize,
    /// The stripe of the record before it, if that has the same user key and hides what is older.
    last_stripe: Option<usize>,
    /// The next record counts as its key's first, even if it is not.
    pub(super) fresh: bool,
    /// The input already stands on the record to consider next.
    pub(super) at_next: bool,
    pub(super) shown: Shown,
    pub(super) value: Vec<u8>,
    pub(super) operands: Operands,
    /// The user key has been handed out.
    emitted: bool,
    /// The same, since a record of it last counted as the first.
    outputted: bool,
    /// The record handed out last has its sequence number zeroed.
    zeroed: bool,
    /// The stripe in which a single deletion and its value went together before anything else of
    /// their key stayed: an older deletion there is still needed.
    spared_stripe: Option<usize>,
    /// The next record is the value behind a single deletion that had to stay; it goes without
    /// its contents, which nobody reads.
    clear_next: bool,
}

impl<'a, O, I, B> RecordStream<'a, O, I, B>
where
    O: Order,
    I: InternalIterator,
    B: FnMut(&[u8]) -> bool,
{
    /// A stream of what `input` holds from its current position on.
    pub fn new(order: O, input: I, below: B, mut options: StreamOptions<'a>) -> Self {
        // All history of keys with timestamps stays.
        options.bottommost &= options.timestamp_size == 0;
        RecordStream {
            order,
            input,
            below,
            options,
            counts: StreamCounts::default(),
            key: Vec::new(),
            sequence: 0,
            kind: ValueType::Value,
            stripe: 0,
            last_stripe: None,
            fresh: false,
            at_next: true,
            shown: Shown::Empty,
            value: Vec::new(),
            operands: Operands::default(),
            emitted: false,
            outputted: false,
            zeroed: false,
            spared_stripe: None,
            clear_next: false,
        }
    }

    /// What has gone through so far.
    pub fn counts(&self) -> &StreamCounts {
        &self.counts
    }

    /// The next record to be written; `None` at the end. After an error the stream is useless.
    #[allow(clippy::should_implement_trait, reason = "records are lent")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        if !self.next_operand() {
            if !self.at_next {
                self.advance();
            }
            if !self.find()? {
                return Ok(None);
            }
        }
        self.zero_sequence();
        self.counts.output_records += 1;
        let starts_user_key = !std::mem::replace(&mut self.emitted, true);
        self.outputted = true;
        let value = match self.shown {
            Shown::Input(len) => &self.input.value()[..len],
            Shown::Own => &self.value,
            Shown::Empty => &[],
            Shown::Operand(at) => self.operands.get(at),
        };
        Ok(Some(Record { key: &self.key, sequence: self.sequence, value, starts_user_key }))
    }

    /// Goes on to the first record that stays.
    #[inline]
    fn find(&mut self) -> Result<bool> {
        while self.input.valid() {
            self.options.stop.check()?;
            self.at_next = false;
            self.take_in()?;
            if self.judge()? {
                return Ok(true);
            }
        }
        self.input.status()?;
        // Else a flag that ended the input early would look like its end.
        self.options.stop.check()?;
        Ok(false)
    }

    /// Leaves the input's record, which has been dealt with.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.counts.input_records += 1;
        self.input.next();
    }

    /// Makes the input's record the one under consideration.
    #[inline]
    fn take_in(&mut self) -> Result<()> {
        let key = self.input.key();
        let record = parse(key)?;
        self.sequence = record.sequence;
        self.kind = record.value_type;
        let same = !self.key.is_empty() && self.order.equal(record.user_key, user_key(&self.key));
        let value_len = self.input.value().len();
        self.counts.input_key_bytes += key.len() as u64;
        self.counts.input_value_bytes += value_len as u64;
        self.counts.input_deletions += u64::from(record.value_type.is_deletion());
        self.shown = Shown::Input(value_len);
        if same {
            let at = self.key.len() - TRAILER_LEN;
            self.key[at..].copy_from_slice(&key[key.len() - TRAILER_LEN..]);
        } else {
            self.key.clear();
            self.key.extend_from_slice(key);
            self.emitted = false;
        }
        self.stripe = self.stripe_of(self.sequence);
        if !same || self.fresh {
            self.fresh = false;
            self.last_stripe = None;
            self.outputted = false;
            self.zeroed = false;
            self.spared_stripe = None;
            self.filter()?;
        }
        Ok(())
    }

    /// The number of snapshots that do not see `sequence`.
    #[inline]
    fn stripe_of(&self, sequence: SequenceNumber) -> usize {
        match self.options.snapshots {
            [] => 0,
            snapshots => snapshots.partition_point(|&snapshot| snapshot < sequence),
        }
    }

    /// The largest sequence number below the stripe.
    pub(super) fn floor(&self) -> SequenceNumber {
        match self.stripe {
            0 => 0,
            stripe => self.options.snapshots[stripe - 1],
        }
    }

    /// Whether the input stands on a record of the current user key in the current stripe.
    pub(super) fn next_in_stripe(&self) -> Result<Next> {
        if !self.input.valid() {
            self.input.status()?;
            return Ok(Next::OtherKey);
        }
        let next = parse(self.input.key())?;
        if !self.order.equal(next.user_key, user_key(&self.key)) {
            return Ok(Next::OtherKey);
        }
        // No record in stripe 0 is below it, whatever its number.
        if self.stripe > 0 && next.sequence <= self.floor() {
            return Ok(Next::OtherStripe);
        }
        Ok(Next::Same(next.value_type, next.sequence))
    }

    #[inline]
    fn filter(&mut self) -> Result<()> {
        let Some(filter) = self.options.filter else { return Ok(()) };
        if self.kind != ValueType::Value {
            return Ok(());
        }
        self.value.clear();
        let key = user_key(&self.key);
        match filter.filter(self.options.level, key, self.input.value(), &mut self.value) {
            FilterDecision::Keep => {}
            FilterDecision::Remove => {
                self.counts.dropped_by_filter += 1;
                self.retag(self.sequence, ValueType::Deletion);
                self.shown = Shown::Empty;
            }
            FilterDecision::Change => {
                check_value_len(&self.value, "CompactionFilter result value size")?;
                self.shown = Shown::Own;
            }
        }
        Ok(())
    }

    /// Gives the current key another trailer.
    pub(super) fn retag(&mut self, sequence: SequenceNumber, kind: ValueType) {
        self.sequence = sequence;
        self.kind = kind;
        let at = self.key.len() - TRAILER_LEN;
        self.key[at..].copy_from_slice(&pack_trailer(sequence, kind).to_le_bytes());
    }

    /// Whether the record stays. If not, the input has moved on to what is to be considered next.
    #[inline]
    fn judge(&mut self) -> Result<bool> {
        let last = self.last_stripe.replace(self.stripe);
        if self.clear_next {
            self.clear_next = false;
            self.retag(self.sequence, ValueType::Value);
            self.shown = Shown::Empty;
            return Ok(true);
        }
        if self.kind == ValueType::SingleDeletion {
            return self.single_deletion(last);
        }
        if last == Some(self.stripe) && !self.spares_deletion() {
            self.counts.dropped_hidden += 1;
            self.advance();
            return Ok(false);
        }
        let kind = self.kind;
        match kind {
            ValueType::Deletion if self.is_last_of_all() => {
                self.drop_obsolete();
                self.advance();
                Ok(false)
            }
            ValueType::Deletion if self.options.bottommost => self.deletion_at_bottom(),
            ValueType::Merge => self.merge(),
            ValueType::ValuePreferredSeqno if self.is_last_of_all() => self.timed_put(),
            _ => Ok(!self.drop_covered()),
        }
    }

    /// Whether the record is the newest that any snapshot sees, and nothing older than the input
    /// has its key.
    fn is_last_of_all(&mut self) -> bool {
        self.stripe == 0
            && self.options.timestamp_size == 0
            && (self.options.bottommost || !(self.below)(user_key(&self.key)))
    }

    /// Whether the record is a deletion that a pair in front of it, now gone, does not replace.
    fn spares_deletion(&mut self) -> bool {
        let spared = self.kind == ValueType::Deletion && self.spared_stripe == Some(self.stripe);
        if spared {
            self.spared_stripe = None;
        }
        spared
    }

    fn drop_obsolete(&mut self) {
        self.counts.dropped_obsolete += 1;
        self.counts.obsolete_deletions_optimized += u64::from(!self.options.bottommost);
    }

    /// Drops the record if it lies under a range tombstone of its stripe.
    #[inline]
    fn drop_covered(&mut self) -> bool {
        if self.options.tombstones.is_none() || !self.is_covered(self.sequence) {
            return false;
        }
        self.counts.dropped_hidden += 1;
        self.counts.dropped_by_range_tombstone += 1;
        self.advance();
        true
    }

    /// Whether a record of the current user key and stripe lies under a range tombstone.
    pub(super) fn is_covered(&mut self, sequence: SequenceNumber) -> bool {
        let newest = self.options.snapshots.get(self.stripe).copied().unwrap_or(MAX_SEQUENCE);
        match &mut self.options.tombstones {
            Some(tombstones) => tombstones.covers(user_key(&self.key), sequence, newest),
            None => false,
        }
    }

    /// At the bottommost level a deletion that some snapshots do not see stays only if they see
    /// something that it must hide from the others.
    #[cold]
    fn deletion_at_bottom(&mut self) -> Result<bool> {
        self.advance();
        loop {
            self.options.stop.check()?;
            match self.next_in_stripe()? {
                Next::Same(..) => {
                    self.counts.dropped_hidden += 1;
                    self.advance();
                }
                Next::OtherStripe => return Ok(self.emit_ahead(Shown::Empty)),
                Next::OtherKey => {
                    self.counts.dropped_obsolete += 1;
                    return Ok(false);
                }
            }
        }
    }

    /// The record stays, and the input has already left it.
    pub(super) fn emit_ahead(&mut self, shown: Shown) -> bool {
        self.shown = shown;
        self.at_next = true;
        true
    }

    /// A single deletion and the value that it deletes go together. Without one it stays, unless
    /// nothing older can be one. `last` is the stripe of the record before.
    #[cold]
    fn single_deletion(&mut self, last: Option<usize>) -> Result<bool> {
        self.advance();
        let next = self.next_in_stripe()?;
        if self.options.timestamp_size > 0 {
            return Ok(self.emit_ahead(Shown::Empty));
        }
        match next {
            Next::OtherKey => Ok(self.lone_single_deletion()),
            Next::OtherStripe => Ok(self.emit_ahead(Shown::Empty)),
            Next::Same(..) if self.zeroed => {
                self.drop_pair(last);
                Ok(false)
            }
            Next::Same(kind @ (ValueType::SingleDeletion | ValueType::Deletion), _) => {
                self.counts.dropped_obsolete += 1;
                self.counts.single_deletions_mismatched += 1;
                if kind == ValueType::Deletion && self.options.enforce_single_del_contracts {
                    return Err(broken_contract(kind));
                }
                // The other one does its work.
                self.last_stripe = last;
                Ok(false)
            }
            Next::Same(kind, _) => {
                let is_value = is_value(kind);
                let seen_by_none = self.outputted
                    || self.stripe == 0
                    || self.sequence <= self.options.write_conflict_snapshot;
                if seen_by_none {
                    self.counts.single_deletions_mismatched += u64::from(!is_value);
                    self.drop_pair(last);
                    return Ok(false);
                }
                self.clear_next = is_value;
                Ok(self.emit_ahead(Shown::Empty))
            }
        }
    }

    /// Drops the single deletion, which the input has left, and the record that it stands on.
    fn drop_pair(&mut self, last: Option<usize>) {
        if last != Some(self.stripe) {
            self.spared_stripe = Some(self.stripe);
        }
        self.counts.dropped_hidden += 1;
        self.counts.dropped_obsolete += 1;
        self.advance();
    }

    fn lone_single_deletion(&mut self) -> bool {
        if self.zeroed {
            self.counts.dropped_hidden += 1;
            return false;
        }
        if self.is_last_of_all() {
            self.drop_obsolete();
            self.counts.single_deletions_unmatched += 1;
            return false;
        }
        self.emit_ahead(Shown::Empty)
    }

    /// Nothing is older, so that a timed put can take the sequence number of its write time,
    /// unless that puts it under a range tombstone.
    #[cold]
    fn timed_put(&mut self) -> Result<bool> {
        if self.drop_covered() {
            return Ok(false);
        }
        let stored = self.input.value();
        let Some((value, time)) = stored.split_last_chunk::<PREFERRED_SEQUENCE_LEN>() else {
            return Err(Status::corruption("Timed put too short to hold its write time"));
        };
        let (len, sequence) = (value.len(), u64::from_le_bytes(*time).min(self.sequence));
        if !self.is_covered(sequence) {
            self.retag(sequence, ValueType::Value);
            self.shown = Shown::Input(len);
        }
        Ok(true)
    }

    /// A value that all see and nothing older has no use for its sequence number; without it,
    /// tables compress better.
    #[inline]
    fn zero_sequence(&mut self) {
        if self.options.bottommost && self.stripe == 0 && is_value(self.kind) {
            self.retag(0, self.kind);
            self.zeroed = true;
        }
    }
}

/// What follows the record under consideration.
pub(super) enum Next {
    /// Another user key, or nothing.
    OtherKey,
    /// The same user key in an older stripe.
    OtherStripe,
    /// The same user key in the same stripe.
    Same(ValueType, SequenceNumber),
}

/// Whether a record of this kind gives its key a value by itself.
pub(super) fn is_value(kind: ValueType) -> bool {
    use ValueType::{BlobIndex, Value, ValuePreferredSeqno, WideColumnEntity};
    matches!(kind, Value | BlobIndex | WideColumnEntity | ValuePreferredSeqno)
}

#[inline]
fn parse(key: &[u8]) -> Result<ParsedKey<'_>> {
    let record = ParsedKey::parse(key)?;
    if !record.value_type.is_stored() {
        return Err(bad_kind(record.value_type));
    }
    Ok(record)
}

#[cold]
fn bad_kind(kind: ValueType) -> Status {
    Status::corruption(format!("Corrupted Key: value type {} is no record's", kind as u8))
}

#[cold]
fn broken_contract(kind: ValueType) -> Status {
    Status::corruption(format!(
        "Found SD and type: {} on the same key, violating the contract of SingleDelete. Check \
         your application to make sure the application does not mix SingleDelete and Delete for \
         the same key. If you are using write-prepared/write-unprepared transactions, and use \
         SingleDelete to delete certain keys, then make sure \
         TransactionDBOptions::rollback_deletion_type_callback is configured properly. Mixing SD \
         and DEL can lead to undefined behaviors",
        kind as u8
    ))
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
