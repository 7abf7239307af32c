//! A [`MergeOperator`] that is watched.

use super::merge_operator::{MergeOperator, SharedMergeOperator};
use crate::base::sync::Arc;
use crate::stats::{Histogram, Stats, Ticker, count, record};
use std::time::Instant;

/// Passes everything on to a user's operator, and counts its work.
struct CountedMergeOperator {
    operator: Arc<dyn MergeOperator>,
    stats: Stats,
}

/// `operator`, watched if there are statistics.
pub fn counted(operator: SharedMergeOperator, stats: &Stats) -> SharedMergeOperator {
    match (operator, stats) {
        (Some(operator), Some(_)) => {
            Some(Arc::new(CountedMergeOperator { operator, stats: stats.clone() }))
        }
        (operator, _) => operator,
    }
}

impl CountedMergeOperator {
    fn timed(&self, merge: impl FnOnce(&dyn MergeOperator) -> bool) -> bool {
        let start = Instant::now();
        let merged = merge(&*self.operator);
        let nanos = start.elapsed().as_nanos() as u64;
        count(&self.stats, Ticker::MergeOperationTotalTime, nanos);
        merged
    }
}

impl MergeOperator for CountedMergeOperator {
    fn name(&self) -> &str {
        self.operator.name()
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        self.operator.options()
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        let merged = self.timed(|operator| operator.full_merge(key, existing, operands, out));
        if !merged {
            count(&self.stats, Ticker::NumberMergeFailures, 1);
        }
        merged
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        self.timed(|operator| operator.partial_merge(key, operands, out))
    }

    fn note_operands_read(&self, operands: usize) {
        record(&self.stats, Histogram::ReadNumMergeOperands, operands as u64);
    }
}
