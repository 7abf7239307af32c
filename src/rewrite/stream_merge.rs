//! Merge operands in a [`RecordStream`].

use super::stream::{Next, RecordStream, Shown};
use crate::base::comparator::Order;
use crate::base::iterator::InternalIterator;
use crate::base::key::{ValueType, check_value_len, user_key};
use crate::base::status::{Result, Status};
use crate::plug::merge_operator::{MergeOperator, merge_fully, missing_operator};

/// What the operands of one stripe are merged onto.
enum Base {
    /// Nothing: the key is known to have no older value.
    None,
    /// The first bytes of the input's value.
    Input(usize),
}

impl<O, I, B> RecordStream<'_, O, I, B>
where
    O: Order,
    I: InternalIterator,
    B: FnMut(&[u8]) -> bool,
{
    /// The operand behind the one that was handed out, if operands are being handed out.
    #[inline]
    pub(super) fn next_operand(&mut self) -> bool {
        let Shown::Operand(at) = self.shown else { return false };
        if at + 1 >= self.operands.len() {
            return false;
        }
        self.show_operand(at + 1);
        true
    }

    fn show_operand(&mut self, at: usize) {
        self.retag(self.operands.sequence(at), ValueType::Merge);
        self.shown = Shown::Operand(at);
    }

    /// The record is a merge operand that nothing hides. Gathers those behind it in its stripe,
    /// and hands out what they become.
    #[cold]
    pub(super) fn merge(&mut self) -> Result<bool> {
        let Some(operator) = self.options.merge_operator else {
            return Err(missing_operator());
        };
        self.operands.clear();
        let mut next = Next::Same(ValueType::Merge, self.sequence);
        while let Next::Same(ValueType::Merge, sequence) = next {
            self.options.stop.check()?;
            if self.is_covered(sequence) {
                self.counts.dropped_hidden += 1;
                self.counts.dropped_by_range_tombstone += 1;
            } else {
                self.operands.push(sequence, self.input.value());
            }
            self.advance();
            next = self.next_in_stripe()?;
        }
        if self.operands.len() == 0 {
            // What follows is its key's first record that counts.
            self.fresh = true;
            return Ok(false);
        }
        match next {
            Next::Same(kind, sequence) => match self.base(kind, sequence)? {
                Some(base) => {
                    self.merge_onto(operator, base)?;
                    self.advance();
                }
                None => self.join(operator)?,
            },
            Next::OtherKey if self.options.bottommost => {
                self.merge_onto(operator, Base::None)?;
            }
            Next::OtherKey | Next::OtherStripe => self.join(operator)?,
        }
        self.at_next = true;
        Ok(true)
    }

    /// What the input's record, which is no operand, is to operands. `None` if it cannot be merged
    /// here.
    fn base(&mut self, kind: ValueType, sequence: u64) -> Result<Option<Base>> {
        if self.is_covered(sequence) {
            return Ok(Some(Base::None));
        }
        let len = self.input.value().len();
        match kind {
            ValueType::Value => Ok(Some(Base::Input(len))),
            ValueType::ValuePreferredSeqno => match len.checked_sub(size_of::<u64>()) {
                Some(len) => Ok(Some(Base::Input(len))),
                None => Err(Status::corruption("Timed put too short to hold its write time")),
            },
            ValueType::BlobIndex | ValueType::WideColumnEntity => Ok(None),
            _ => Ok(Some(Base::None)),
        }
    }

    /// Makes a value of all operands.
    fn merge_onto(&mut self, operator: &dyn MergeOperator, base: Base) -> Result<()> {
        let existing = match base {
            Base::None => None,
            Base::Input(len) => Some(&self.input.value()[..len]),
        };
        let (key, value) = (user_key(&self.key), &mut self.value);
        self.operands.oldest_first(|lent| merge_fully(operator, key, existing, lent, value))?;
        self.counts.merged_operands += self.operands.len() as u64;
        self.retag(self.operands.sequence(0), ValueType::Value);
        self.shown = Shown::Own;
        Ok(())
    }

    /// Makes one operand of several if the operator can, else leaves them as they are. Either way
    /// they hide nothing.
    fn join(&mut self, operator: &dyn MergeOperator) -> Result<()> {
        self.fresh = true;
        let key = user_key(&self.key);
        let value = &mut self.value;
        value.clear();
        let joined = self.operands.len() > 1
            && self.operands.oldest_first(|lent| operator.partial_merge(key, lent, value));
        if !joined {
            self.show_operand(0);
            return Ok(());
        }
        check_value_len(value, "PartialMerge result")?;
        self.counts.merged_operands += self.operands.len() as u64;
        self.retag(self.operands.sequence(0), ValueType::Merge);
        self.shown = Shown::Own;
        Ok(())
    }
}
