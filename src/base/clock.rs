//! Wall-clock and monotonic time.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Seconds since 1970; 0 if the clock stands before that.
pub fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

/// Microseconds since 1970; 0 if the clock stands before that.
pub fn unix_micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_micros() as u64)
}

/// Microseconds since `start`, by the monotonic clock.
pub fn micros_since(start: Instant) -> u64 {
    start.elapsed().as_micros() as u64
}
