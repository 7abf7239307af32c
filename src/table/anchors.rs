//! [`Anchor`]: keys that cut a table into parts of about equal size.

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
    /// At most `count` parts, in order, that make up the whole table.
    pub fn anchors(&self, count: usize) -> Vec<Anchor> {
        let index = self.index();
        let blocks = index.len();
        let mut anchors = Vec::with_capacity(count.min(blocks));
        let mut start = 0;
        for part in 0..count.min(blocks) {
            let last = (part + 1) * blocks / count.min(blocks) - 1;
            let end = index.handle(last).end().unwrap_or(start);
            anchors.push(Anchor {
                user_key: user_key(index.separator(last)).to_vec(),
                bytes: end.saturating_sub(start),
            });
            start = end;
        }
        anchors
    }
}
