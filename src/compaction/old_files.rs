//! [`OldFiles`]: keeps old data from being mixed with new data, so that it can reach the last level
//! before its time (option `ttl`) is up.

use super::job::CompactionContext;
use crate::base::comparator::Order;
use crate::base::sync::Arc;
use crate::options::enums::{CompactionPri, CompactionStyle};
use crate::version::file_meta::FileMeta;

/// The old files of the output level among the inputs. An output file ends where one of them
/// begins or ends.
pub(super) struct OldFiles<O> {
    order: O,
    files: Vec<Arc<FileMeta>>,
    /// The file that the last key is in, or the next one.
    at: usize,
    inside: bool,
}

impl<O: Order> OldFiles<O> {
    /// The files that count at `now`, in seconds since 1970.
    pub(super) fn new(order: O, context: &CompactionContext<'_>, now: u64) -> Self {
        OldFiles { order, files: old_files(context, now), at: 0, inside: false }
    }

    /// Goes on to `key`; whether an old file begins or ends between the last key and this one.
    #[inline]
    pub(super) fn advance(&mut self, key: &[u8]) -> bool {
        if self.inside {
            let ends = self.compare_to_last(key).is_gt();
            self.at += usize::from(ends);
            self.inside = !ends;
            return ends;
        }
        while let Some(file) = self.files.get(self.at) {
            if self.order.compare(key, file.smallest.user_key()).is_lt() {
                return false;
            }
            if self.compare_to_last(key).is_le() {
                self.inside = true;
                return true;
            }
            self.at += 1;
        }
        false
    }

    fn compare_to_last(&self, key: &[u8]) -> std::cmp::Ordering {
        self.order.compare(key, self.files[self.at].largest.user_key())
    }
}

/// A file is old when half its time is up, and counts if it is not small.
fn old_files(context: &CompactionContext<'_>, now: u64) -> Vec<Arc<FileMeta>> {
    let (plan, options) = (context.plan, context.owner.cf_options);
    let Some(inputs) = plan.inputs.last().filter(|_| plan.inputs.len() > 1) else {
        return Vec::new();
    };
    let applies = options.compaction_style == CompactionStyle::Level
        && options.compaction_pri == CompactionPri::MinOverlappingRatio
        && (1..=now).contains(&options.ttl)
        && !plan.bottommost
        && plan.output.level > 0;
    let is_old = |file: &&Arc<FileMeta>| {
        file.oldest_ancester_time != 0
            && file.oldest_ancester_time < now - options.ttl / 2
            && file.file_size > options.target_file_size_base / 2
    };
    if applies { inputs.files.iter().filter(is_old).cloned().collect() } else { Vec::new() }
}
