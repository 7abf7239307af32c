//! [`RecordSum`]: a checksum of a record in memory, by which damage there is noticed. It is never
//! stored in a file.

use super::hash::hash64_seeded;
use super::key::{SequenceNumber, ValueType};
use super::status::Status;

/// The checksum of a record's key, value and kind, and of what else it is told.
///
/// Each part is hashed by itself, under a seed of its own, and the hashes are joined by exclusive
/// or, so that a part can be added when it comes to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordSum(u64);

const KEY_SEED: u64 = 0x6b65_7900_0000_0001;
const VALUE_SEED: u64 = 0x7661_6c00_0000_0002;
const KIND_SEED: u64 = 0x6b69_6e00_0000_0003;
const FAMILY_SEED: u64 = 0x6661_6d00_0000_0004;
const SEQUENCE_SEED: u64 = 0x7365_7100_0000_0005;
const TIME_SEED: u64 = 0x7469_6d00_0000_0006;

impl RecordSum {
    /// Of a record of this kind, whose key and value are hashed by `key` and `value` under the
    /// seed that these are called with.
    pub fn hashed(
        kind: ValueType,
        key: impl FnOnce(u64) -> u64,
        value: impl FnOnce(u64) -> u64,
    ) -> RecordSum {
        let kind = hash64_seeded(&[kind as u8], KIND_SEED);
        RecordSum(key(KEY_SEED) ^ value(VALUE_SEED) ^ kind)
    }

    /// Of a record of this kind.
    pub fn of(kind: ValueType, key: &[u8], value: &[u8]) -> RecordSum {
        let hash = |bytes, seed| hash64_seeded(bytes, seed);
        RecordSum::hashed(kind, |seed| hash(key, seed), |seed| hash(value, seed))
    }

    fn with(self, part: u64, seed: u64) -> RecordSum {
        RecordSum(self.0 ^ hash64_seeded(&part.to_le_bytes(), seed))
    }

    /// Its bytes, of which a part does for a weaker checksum.
    pub fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    /// The same of a record in this column family.
    pub fn in_family(self, family: u32) -> RecordSum {
        self.with(family.into(), FAMILY_SEED)
    }

    /// The same of a record with this sequence number.
    pub fn numbered(self, sequence: SequenceNumber) -> RecordSum {
        self.with(sequence, SEQUENCE_SEED)
    }

    /// The same of a record that carries the time of its write.
    pub fn written_at(self, unix_time: u64) -> RecordSum {
        self.with(unix_time, TIME_SEED)
    }
}

/// The error of a record that does not have its checksum any more.
#[cold]
pub fn mismatch() -> Status {
    Status::corruption("ProtectionInfo mismatch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_counts_and_parts_are_not_mistaken_for_each_other() {
        let of = |kind, key: &[u8], value: &[u8], family, sequence| {
            RecordSum::of(kind, key, value).in_family(family).numbered(sequence)
        };
        let (value, merge) = (ValueType::Value, ValueType::Merge);
        let all = [
            of(value, b"a", b"b", 1, 2),
            of(merge, b"a", b"b", 1, 2),
            of(value, b"b", b"a", 1, 2),
            of(value, b"a", b"a", 1, 2),
            of(value, b"b", b"b", 1, 2),
            of(value, b"ab", b"", 1, 2),
            of(value, b"", b"ab", 1, 2),
            of(value, b"a", b"b", 2, 1),
            of(value, b"a", b"b", 1, 1),
            of(value, b"a", b"b", 1, 2).written_at(3),
        ];
        for (i, sum) in all.iter().enumerate() {
            assert!(!all[..i].contains(sum), "{i}");
        }
        let base = RecordSum::of(value, b"a", b"b");
        assert_eq!(base.numbered(2).in_family(1), all[0]);
    }
}
