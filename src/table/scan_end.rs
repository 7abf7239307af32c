//! [`ScanEnd`]: where a scan of a table ends, so that nothing behind it is read ahead.

use super::flat_index::FlatIndex;
use super::reader::TableReader;
use crate::base::comparator::Order;
use crate::base::key::user_key;
use crate::base::sync::Arc;
use crate::plug::prefix_seek::PrefixSeek;
use crate::plug::slice_transform::SliceTransform;

/// What is known of where a scan ends. What it is wrong about costs time, nothing else: the scan
/// reads on as long as it is moved.
#[derive(Clone, Default)]
pub struct ScanEnd {
    /// No user key from here on.
    upper_bound: Option<Arc<[u8]>>,
    /// No key without this prefix.
    prefix: Option<(SliceTransform, Box<[u8]>)>,
}

impl ScanEnd {
    /// Of a scan before the user key `upper_bound`, if there is such a bound.
    pub fn before(upper_bound: Option<Arc<[u8]>>) -> ScanEnd {
        ScanEnd { upper_bound, prefix: None }
    }

    pub(super) fn is_known(&self) -> bool {
        self.upper_bound.is_some() || self.prefix.is_some()
    }

    /// The scan begins with a seek to the internal key `target`.
    #[inline]
    pub(super) fn keep_to_prefix(&mut self, target: &[u8], seek: &PrefixSeek) {
        let last = seek.last_prefix(user_key(target));
        self.prefix = last.map(|(transform, prefix)| (transform.clone(), prefix.into()));
    }

    /// The scan begins anew, anywhere.
    #[inline]
    pub(super) fn forget_prefix(&mut self) {
        self.prefix = None;
    }

    /// Whether it ends at or before the user key `key`, which is behind its start.
    fn is_before<O: Order>(&self, order: &O, key: &[u8]) -> bool {
        let beyond = |bound: &Arc<[u8]>| order.compare(key, bound).is_ge();
        self.upper_bound.as_ref().is_some_and(beyond)
            || (self.prefix.as_ref())
                .is_some_and(|(transform, prefix)| transform.prefix(key) != Some(&**prefix))
    }

    /// Up to which offset, `limit` at most, the scan needs the file from block `at` of `blocks`
    /// on: up to its last block that is not cached. `blocks` is the table's index, or a partition,
    /// behind which nothing is known, so that another read begins there.
    pub(super) fn needed<O: Order>(
        &self,
        table: &TableReader,
        order: &O,
        blocks: &FlatIndex,
        at: usize,
        limit: u64,
    ) -> u64 {
        let mut needed = blocks.handle(at).end().unwrap_or(limit);
        for next in at + 1..blocks.len() {
            let block = blocks.handle(next);
            // All keys of a block are behind the separator of the one before.
            if block.offset >= limit || self.is_before(order, user_key(blocks.separator(next - 1)))
            {
                return needed;
            }
            if !table.is_cached(block) {
                needed = block.end().map_or(limit, |end| end.min(limit));
            }
        }
        needed
    }
}
