//! [`WalRecoveryMode`]: what recovery does with a damaged write-ahead log.

/// What recovery does with a write-ahead log that does not end cleanly or is damaged inside. The
/// discriminants are RocksDB's `WALRecoveryMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum WalRecoveryMode {
    /// An incomplete record at the end of a log is dropped; any other damage refuses the database.
    TolerateCorruptedTailRecords = 0,
    /// Any damage, and an incomplete record too, refuses the database.
    AbsoluteConsistency = 1,
    /// Replay stops at the first damage: what is before it is a consistent state.
    #[default]
    PointInTimeRecovery = 2,
    /// Damaged records are skipped and the rest is replayed.
    SkipAnyCorruptedRecords = 3,
}

impl WalRecoveryMode {
    /// Every mode, by its number.
    pub const ALL: [WalRecoveryMode; 4] = [
        WalRecoveryMode::TolerateCorruptedTailRecords,
        WalRecoveryMode::AbsoluteConsistency,
        WalRecoveryMode::PointInTimeRecovery,
        WalRecoveryMode::SkipAnyCorruptedRecords,
    ];

    /// The mode with this number.
    pub fn from_u8(number: u8) -> Option<WalRecoveryMode> {
        WalRecoveryMode::ALL.get(usize::from(number)).copied()
    }

    /// Its name in option text.
    pub fn name(self) -> &'static str {
        match self {
            WalRecoveryMode::TolerateCorruptedTailRecords => "kTolerateCorruptedTailRecords",
            WalRecoveryMode::AbsoluteConsistency => "kAbsoluteConsistency",
            WalRecoveryMode::PointInTimeRecovery => "kPointInTimeRecovery",
            WalRecoveryMode::SkipAnyCorruptedRecords => "kSkipAnyCorruptedRecords",
        }
    }

    /// The mode with this name in option text.
    pub fn from_name(name: &str) -> Option<WalRecoveryMode> {
        WalRecoveryMode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether an incomplete record at the end of a log is an error.
    pub fn reports_torn_tail(self) -> bool {
        matches!(self, WalRecoveryMode::AbsoluteConsistency | WalRecoveryMode::PointInTimeRecovery)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_round_trip() {
        for mode in WalRecoveryMode::ALL {
            assert_eq!(WalRecoveryMode::from_u8(mode as u8), Some(mode));
            assert_eq!(WalRecoveryMode::from_name(mode.name()), Some(mode));
        }
        assert_eq!(WalRecoveryMode::from_u8(4), None);
        assert_eq!(WalRecoveryMode::from_name(""), None);
    }
}
