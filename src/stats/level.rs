//! How much is measured.

/// How much a [`Statistics`](crate::stats::Statistics) object collects. Each level collects all
/// that the levels before it do. The numbers are those of the C interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum StatsLevel {
    /// Nothing.
    DisableAll = 0,
    /// Tickers.
    ExceptHistogramOrTimers = 1,
    /// And histograms of what is no time.
    ExceptTimers = 2,
    /// And times, except within mutexes, of compression, and of reads by what they are for.
    ExceptDetailedTimers = 3,
    /// And all times but those within mutexes.
    ExceptTimeForMutex = 4,
    /// Everything.
    All = 5,
}

impl StatsLevel {
    /// The levels by number.
    pub const ALL_LEVELS: [StatsLevel; 6] = [
        StatsLevel::DisableAll,
        StatsLevel::ExceptHistogramOrTimers,
        StatsLevel::ExceptTimers,
        StatsLevel::ExceptDetailedTimers,
        StatsLevel::ExceptTimeForMutex,
        StatsLevel::All,
    ];

    /// The level with this number, or the nearest there is.
    pub fn nearest(number: i64) -> StatsLevel {
        Self::ALL_LEVELS[number.clamp(0, 5) as usize]
    }
}
