//! [`Tombstones`]: the range tombstones over the input of a flush or a compaction.

use super::stream::Coverage;
use crate::base::comparator::{Comparator, Order};
use crate::base::key::SequenceNumber;
use crate::base::status::Result;
use crate::rangedel::{Cursor, Fragment, Fragments, FragmentsBuilder};

/// All tombstones that readers at the snapshots and newer ones can tell apart, in pieces.
pub struct Tombstones {
    comparator: Comparator,
    fragments: Fragments,
}

impl Tombstones {
    /// What `builder` holds; `None` if that is nothing. `snapshots` ascend.
    pub fn new(
        builder: FragmentsBuilder,
        comparator: &Comparator,
        snapshots: &[SequenceNumber],
    ) -> Result<Option<Tombstones>> {
        if builder.is_empty() {
            return Ok(None);
        }
        let fragments = builder.build_striped(comparator, snapshots)?;
        let tombstones = Tombstones { comparator: comparator.clone(), fragments };
        Ok(Some(tombstones).filter(|tombstones| !tombstones.fragments.is_empty()))
    }

    /// For a stream of records in `order`, which is that of the comparator.
    pub fn coverage<'a, O: Order>(&'a self, order: O) -> Box<dyn Coverage + 'a> {
        Box::new(Covering { order, fragments: &self.fragments, cursor: Cursor::default() })
    }

    /// The pieces within `[lower, upper)`; `None` is unbounded.
    pub fn within<'a>(
        &'a self,
        lower: Option<&'a [u8]>,
        upper: Option<&'a [u8]>,
    ) -> impl Iterator<Item = Fragment<'a>> {
        self.fragments.within(&self.comparator, lower, upper)
    }
}

struct Covering<'a, O> {
    order: O,
    fragments: &'a Fragments,
    cursor: Cursor,
}

impl<O: Order> Coverage for Covering<'_, O> {
    #[inline]
    fn covers(
        &mut self,
        user_key: &[u8],
        sequence: SequenceNumber,
        newest: SequenceNumber,
    ) -> bool {
        let covering = self.cursor.covering(self.fragments, &self.order, user_key, newest);
        covering.is_some_and(|tombstone| tombstone > sequence)
    }
}
