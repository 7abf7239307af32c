//! The buckets of histograms: RocksDB's, so that percentiles agree.

/// How many there are.
pub const BUCKETS: usize = 109;

/// The largest value of each bucket. Each limit is about one and a half times the one before it,
/// and cut to its two leading digits.
pub static LIMITS: [u64; BUCKETS] = limits();

/// The limit of the last bucket.
pub const LAST_LIMIT: u64 = limits()[BUCKETS - 1];

const fn limits() -> [u64; BUCKETS] {
    let mut limits = [0; BUCKETS];
    limits[0] = 1;
    limits[1] = 2;
    // The uncut sequence grows on its own: cutting does not add up.
    let mut exact = 2.0;
    let mut i = 2;
    while i < BUCKETS {
        exact *= 1.5;
        limits[i] = two_digits(exact as u64);
        i += 1;
    }
    limits
}

const fn two_digits(mut value: u64) -> u64 {
    let mut power = 1;
    while value / 10 > 10 {
        value /= 10;
        power *= 10;
    }
    value * power
}

/// The bucket of `value`: the first whose limit is not below it, or the last.
#[inline]
pub fn bucket_of(value: u64) -> usize {
    LIMITS.partition_point(|&limit| limit < value).min(BUCKETS - 1)
}

/// The largest value that bucket `index` holds; the last one holds whatever is larger too.
pub fn limit(index: usize) -> u64 {
    LIMITS[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_that_rocksdb_prints() {
        let first = [1, 2, 3, 4, 6, 10, 15, 22, 34, 51, 76, 110, 170, 250, 380, 580, 870, 1300];
        assert_eq!(LIMITS[..first.len()], first);
        assert!(LIMITS.is_sorted());
        // One more bucket would be beyond 64 bits.
        let last = 2.0 * 1.5_f64.powi(BUCKETS as i32 - 2);
        assert!(last <= u64::MAX as f64 && last * 1.5 > u64::MAX as f64);
    }

    #[test]
    fn a_value_is_in_the_first_bucket_whose_limit_is_not_below_it() {
        for (value, limit) in [(0, 1), (1, 1), (2, 2), (5, 6), (6, 6), (7, 10), (1299, 1300)] {
            assert_eq!(LIMITS[bucket_of(value)], limit, "{value}");
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        assert_eq!(bucket_of(LIMITS[BUCKETS - 1]), BUCKETS - 1);
    }
}
