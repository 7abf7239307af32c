//! Hours of little load (`daily_offpeak_time_utc`).

use super::db::DbOptions;

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

impl DbOptions {
    /// How many seconds ahead of its time work is done that would otherwise become due before the
    /// hours of little load begin the next time: 0 outside of them, or if there are none. `now` is
    /// in seconds since 1970.
    pub fn offpeak_lead(&self, now: u64) -> u64 {
        if self.daily_offpeak_time_utc.is_empty() {
            return 0;
        }
        match parse_time_range(&self.daily_offpeak_time_utc) {
            Some((start, end)) => lead(start, end, now % SECONDS_PER_DAY),
            None => 0,
        }
    }
}

/// The same for hours from minute `start` to minute `end` of a day, both included, at `second`.
fn lead(start: u32, end: u32, second: u64) -> u64 {
    let minute = second / 60;
    let (start, end) = (u64::from(start), u64::from(end));
    let is_within = match start <= end {
        true => (start..=end).contains(&minute),
        // Over midnight.
        false => minute >= start || minute <= end,
    };
    let next_start = match second < start * 60 {
        true => start * 60 - second,
        false => start * 60 + SECONDS_PER_DAY - second,
    };
    if is_within && start != end { next_start } else { 0 }
}

/// The minutes of the day of `HH:mm-HH:mm`.
pub(super) fn parse_time_range(text: &str) -> Option<(u32, u32)> {
    let (start, end) = text.split_once('-')?;
    Some((parse_time(start)?, parse_time(end)?))
}

fn parse_time(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes) = (hours.parse::<u32>().ok()?, minutes.parse::<u32>().ok()?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_the_hours_work_of_the_next_day_is_due() {
        let lead = |hours: &str, time: &str| {
            let options =
                DbOptions { daily_offpeak_time_utc: hours.into(), ..DbOptions::default() };
            options
                .offpeak_lead(20_000 * SECONDS_PER_DAY + u64::from(parse_time(time).unwrap()) * 60)
        };
        let hours = |n: u64| n * 3600;
        assert_eq!(lead("", "04:00"), 0);
        assert_eq!(lead("04:00-07:30", "03:59"), 0);
        assert_eq!(lead("04:00-07:30", "04:00"), hours(24));
        assert_eq!(lead("04:00-07:30", "07:00"), hours(21));
        assert_eq!(lead("04:00-07:30", "07:30"), hours(20) + 1800);
        assert_eq!(lead("04:00-07:30", "07:31"), 0);
        assert_eq!(lead("23:00-02:00", "23:00"), hours(24));
        assert_eq!(lead("23:00-02:00", "01:00"), hours(22));
        assert_eq!(lead("23:00-02:00", "12:00"), 0);
    }

    #[test]
    fn times_are_of_a_day() {
        assert_eq!(parse_time_range("04:30-23:59"), Some((270, 1439)));
        for text in ["", "04:30", "24:00-01:00", "04:60-05:00", "a:b-c:d"] {
            assert_eq!(parse_time_range(text), None, "{text}");
        }
    }
}
