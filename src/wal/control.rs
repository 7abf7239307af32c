//! Records about the log itself, between those of the user: how the preceding log ended, and how
//! long the timestamps of its column families are.

use crate::base::coding::{Decoder, put_fixed64};
use crate::base::key::SequenceNumber;

/// How the log before this one ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredecessorWalInfo {
    /// Its number.
    pub log_number: u64,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// The sequence number of its last record; 0 if it has none.
    pub last_sequence: SequenceNumber,
}

impl PredecessorWalInfo {
    /// The payload of its record.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(24);
        put_fixed64(&mut out, self.log_number);
        put_fixed64(&mut out, self.size_bytes);
        put_fixed64(&mut out, self.last_sequence);
        out
    }

    /// Reads it from the payload of its record; `None` if that is cut short.
    pub fn decode(payload: &[u8]) -> Option<PredecessorWalInfo> {
        let mut input = Decoder::new(payload);
        Some(PredecessorWalInfo {
            log_number: input.get_fixed64()?,
            size_bytes: input.get_fixed64()?,
            last_sequence: input.get_fixed64()?,
        })
    }
}

/// What a log's record about its predecessor is compared with (`track_and_verify_wals`).
#[derive(Clone, Copy, Debug)]
pub struct PredecessorCheck {
    /// How the log that was replayed before really ended; `None` for the first one.
    pub observed: Option<PredecessorWalInfo>,
    /// Logs below this number may be missing.
    pub min_log_to_keep: u64,
}

impl PredecessorCheck {
    /// What contradicts `recorded`, found in the log named `file`.
    pub(super) fn contradiction(
        &self,
        recorded: &PredecessorWalInfo,
        file: &str,
    ) -> Option<String> {
        let number = recorded.log_number;
        let Some(observed) = self.observed else {
            return (number >= self.min_log_to_keep)
                .then(|| format!("Missing WAL of log number {number}"));
        };
        if observed.log_number != number {
            return Some(format!(
                "Mismatched predecessor log number of WAL file {file} Recorded {number}. \
                 Observed {}",
                observed.log_number
            ));
        }
        if observed.last_sequence != recorded.last_sequence {
            return Some(format!(
                "Mismatched last sequence number recorded in the WAL of log number {number}. \
                 Recorded {}. Observed {}. (Last sequence number equal to 0 indicates no WAL \
                 records)",
                recorded.last_sequence, observed.last_sequence
            ));
        }
        (observed.size_bytes != recorded.size_bytes).then(|| {
            format!(
                "Mismatched size of the WAL of log number {number}. Recorded {} bytes. \
                 Observed {} bytes.",
                recorded.size_bytes, observed.size_bytes
            )
        })
    }
}

/// The bytes of one column family in a record of timestamp sizes: its id and the length.
pub(super) const TIMESTAMP_SIZE_LEN: usize = 4 + 2;

/// The (column family, timestamp length) pairs of a record; `None` if the last one is cut short.
pub(super) fn decode_timestamp_sizes(payload: &[u8]) -> Option<Vec<(u32, u16)>> {
    let mut input = Decoder::new(payload);
    let mut sizes = Vec::new();
    while !input.is_empty() {
        sizes.push((input.get_fixed32()?, input.get_fixed16()?));
    }
    Some(sizes)
}
