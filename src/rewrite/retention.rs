//! [`Retention`]: which records a flush need not write, because no reader can see them any more.

use crate::base::comparator::Order;
use crate::base::key::{ParsedKey, SequenceNumber, ValueType};

/// What the newest kept record of a key says about the older ones in its stripe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hides {
    /// Readers go on to older records (merge operands).
    Nothing,
    /// Readers stop here, but older deletions are still needed (see `keep`).
    Values,
    /// Readers stop here.
    All,
}

/// Asked about each record in internal-key order.
///
/// Snapshots cut the sequence numbers into stripes: records of one key in one stripe are seen by
/// the same snapshots, so only the newest of them matters. Two kinds of record are kept all the
/// same, since later compactions need them:
///
/// * single deletions: one that a put hides may still have an older put below to take away, which
///   would come to light when a later single deletion removes the hiding put;
/// * what stands below a merge operand, and deletions below a single deletion.
pub struct Retention<'a> {
    /// Ascending.
    snapshots: &'a [SequenceNumber],
    user_key: Vec<u8>,
    /// That of the record before; `None` before the first.
    stripe: Option<usize>,
    hides: Hides,
}

impl<'a> Retention<'a> {
    /// For readers at `snapshots`, which ascend, and readers of the newest state.
    pub fn new(snapshots: &'a [SequenceNumber]) -> Retention<'a> {
        Retention { snapshots, user_key: Vec::new(), stripe: None, hides: Hides::Nothing }
    }

    /// Whether `record` must be written.
    pub fn keep<O: Order>(&mut self, order: &O, record: &ParsedKey<'_>) -> bool {
        let stripe = self.snapshots.partition_point(|&s| s < record.sequence);
        let same = self.stripe == Some(stripe) && order.equal(&self.user_key, record.user_key);
        if same {
            let hidden = match record.value_type {
                ValueType::SingleDeletion => false,
                ValueType::Deletion | ValueType::DeletionWithTimestamp => self.hides == Hides::All,
                _ => self.hides != Hides::Nothing,
            };
            if hidden {
                return false;
            }
            if record.value_type == ValueType::SingleDeletion && self.hides == Hides::All {
                return true;
            }
        } else {
            self.stripe = Some(stripe);
            self.user_key.clear();
            self.user_key.extend_from_slice(record.user_key);
        }
        self.hides = match record.value_type {
            ValueType::Merge => Hides::Nothing,
            ValueType::SingleDeletion => Hides::Values,
            _ => Hides::All,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::comparator::Bytewise;

    /// `records`: key, sequence and kind (v, d, s, m), newest first; returns those kept.
    fn kept(snapshots: &[u64], records: &[(&str, u64, char)]) -> String {
        let mut retention = Retention::new(snapshots);
        let mut kept = String::new();
        for &(key, sequence, kind) in records {
            let value_type = match kind {
                'v' => ValueType::Value,
                'd' => ValueType::Deletion,
                's' => ValueType::SingleDeletion,
                _ => ValueType::Merge,
            };
            let record = ParsedKey { user_key: key.as_bytes(), sequence, value_type };
            if retention.keep(&Bytewise, &record) {
                kept += &format!("{key}{sequence}{kind} ");
            }
        }
        kept
    }

    #[test]
    fn only_the_newest_of_a_stripe_stays() {
        let records = [("a", 9, 'v'), ("a", 7, 'd'), ("a", 5, 'v'), ("a", 2, 'v'), ("b", 3, 'd')];
        assert_eq!(kept(&[], &records), "a9v b3d ");
        assert_eq!(kept(&[5], &records), "a9v a5v b3d ");
        assert_eq!(kept(&[2, 6, 8], &records), "a9v a7d a5v a2v b3d ");
        assert_eq!(kept(&[1], &records), "a9v b3d ");
    }

    #[test]
    fn what_compaction_may_need_stays() {
        assert_eq!(kept(&[], &[("a", 4, 'v'), ("a", 3, 's'), ("a", 2, 'v')]), "a4v a3s ");
        assert_eq!(kept(&[], &[("a", 4, 's'), ("a", 3, 'v'), ("a", 2, 'd')]), "a4s a2d ");
        assert_eq!(
            kept(&[], &[("a", 4, 'm'), ("a", 3, 'm'), ("a", 2, 'v'), ("a", 1, 'v')]),
            "a4m a3m a2v "
        );
    }
}
