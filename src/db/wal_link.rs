//! [`WalLink`]: what a log says about the log before it.
//!
//! It is stored as an ordinary log record: an empty write batch that holds one log-data entry,
//! which every RocksDB skips. (RocksDB 11's own predecessor record is one that older versions
//! refuse.)

use crate::base::coding::{Decoder, put_fixed64};
use crate::base::key::SequenceNumber;
use crate::base::status::Result;
use crate::batch::WriteBatch;
use crate::batch::{BatchView, Record};

const MAGIC: &[u8] = b"hematite.wal.link";

/// Where the logs before this one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalLink {
    /// The number of the log before this one.
    pub predecessor: u64,
    /// The newest sequence number in it and the logs before it.
    pub last_sequence: SequenceNumber,
}

impl WalLink {
    /// The record; `next_sequence` is the number of the write that follows it.
    pub fn encode(&self, next_sequence: SequenceNumber) -> Result<WriteBatch> {
        let mut payload = MAGIC.to_vec();
        put_fixed64(&mut payload, self.predecessor);
        put_fixed64(&mut payload, self.last_sequence);
        let mut batch = WriteBatch::new();
        batch.put_log_data(&payload)?;
        batch.set_sequence(next_sequence);
        Ok(batch)
    }

    /// The link in `batch`, if it is nothing but a link.
    pub fn decode(batch: &BatchView<'_>) -> Option<WalLink> {
        if batch.count() != 0 {
            return None;
        }
        let mut records = batch.records();
        let Some(Ok(Record::LogData(payload))) = records.next() else { return None };
        let mut payload = Decoder::new(payload.strip_prefix(MAGIC)?);
        let link =
            WalLink { predecessor: payload.get_fixed64()?, last_sequence: payload.get_fixed64()? };
        (payload.is_empty() && records.next().is_none()).then_some(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_and_ignores_everything_else() {
        let link = WalLink { predecessor: 7, last_sequence: 1 << 50 };
        let batch = link.encode(9).unwrap();
        assert_eq!(WalLink::decode(&batch.view().unwrap()), Some(link));
        let mut other = WriteBatch::new();
        assert_eq!(WalLink::decode(&other.view().unwrap()), None);
        other.put_log_data(b"hematite.wal.link and more").unwrap();
        assert_eq!(WalLink::decode(&other.view().unwrap()), None);
        let mut counted = batch.clone();
        counted.put(0, b"k", b"v").unwrap();
        assert_eq!(WalLink::decode(&counted.view().unwrap()), None);
    }
}
