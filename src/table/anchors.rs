//! [`Anchor`]: keys that cut a table into parts of about equal size.

use super::options::TableReadOptions;
use super::reader::TableReader;
use crate::base::key::user_key;

/// The end of a part of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// A user key at or behind every key of the part, and before all behind it.
    pub user_key: Vec<u8>,
    /// The bytes of the part.
    pub bytes: u64,
}

impl TableReader {
    /// At most `count` parts, in order, that make up the whole table; none if the index cannot be
    /// read now. The bytes are estimated where the index has two levels.
    pub fn anchors(&self, count: usize) -> Vec<Anchor> {
        let reader = self.index_reader();
        let Ok(index) = reader.top.get(self, &TableReadOptions::default()) else {
            return Vec::new();
        };
        let blocks = index.len();
        let end_of = |last: usize| match reader.two_level {
            true => self.properties().data_size / blocks as u64 * (last as u64 + 1),
            false => index.handle(last).end().unwrap_or(0),
        };
        let mut anchors = Vec::with_capacity(count.min(blocks));
        let mut start = 0;
        for part in 0..count.min(blocks) {
            let last = (part + 1) * blocks / count.min(blocks) - 1;
            let end = end_of(last);
            anchors.push(Anchor {
                user_key: user_key(index.separator(last)).to_vec(),
                bytes: end.saturating_sub(start),
            });
            start = start.max(end);
        }
        anchors
    }
}
