//! How long operations took.

use std::fmt;

/// A histogram whose buckets are 1/64 of a power of two wide: percentiles are at most 1.6 % off.
#[derive(Clone)]
pub struct Latencies {
    buckets: Vec<u64>,
    count: u64,
    /// Nanoseconds.
    sum: f64,
    squares: f64,
    least: u64,
    most: u64,
}

const BITS: u32 = 6;

fn bucket(nanos: u64) -> usize {
    let shift = (64 - nanos.leading_zeros()).saturating_sub(BITS + 1);
    (u64::from(shift) << BITS) as usize + (nanos >> shift) as usize
}

/// The largest value of a bucket.
fn end(bucket: usize) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let mantissa = (bucket - (shift << BITS)) as u128;
    (((mantissa + 1) << shift) - 1).min(u64::MAX.into()) as u64
}

impl Latencies {
    pub fn new() -> Latencies {
        let buckets = vec![0; bucket(u64::MAX) + 1];
        Latencies { buckets, count: 0, sum: 0.0, squares: 0.0, least: u64::MAX, most: 0 }
    }

    pub fn add(&mut self, nanos: u64) {
        self.buckets[bucket(nanos)] += 1;
        self.count += 1;
        self.sum += nanos as f64;
        self.squares += (nanos as f64) * (nanos as f64);
        self.least = self.least.min(nanos);
        self.most = self.most.max(nanos);
    }

    pub fn merge(&mut self, other: &Latencies) {
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(sum, more)| *sum += more);
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// The time in microseconds that `percent` of the operations do not exceed.
    pub fn percentile(&self, percent: f64) -> f64 {
        let rank = ((self.count as f64 * percent / 100.0).ceil() as u64).max(1);
        let mut seen = 0;
        for (i, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return end(i).clamp(self.least, self.most) as f64 / 1000.0;
            }
        }
        0.0
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count.max(1) as f64;
        let mean = self.sum / count;
        let deviation = (self.squares / count - mean * mean).max(0.0).sqrt();
        let micros = |nanos: f64| nanos / 1000.0;
        writeln!(
            f,
            "Count: {} Average: {:.4}  StdDev: {:.2}",
            self.count,
            micros(mean),
            micros(deviation)
        )?;
        let least = if self.count == 0 { 0 } else { self.least };
        let median = self.percentile(50.0);
        let (least, most) = (micros(least as f64), micros(self.most as f64));
        writeln!(f, "Min: {least:.2}  Median: {median:.4}  Max: {most:.2}")?;
        write!(f, "Percentiles:")?;
        for percent in ["50", "75", "99", "99.9", "99.99"] {
            let value = percent.parse().map_or(0.0, |p| self.percentile(p));
            write!(f, " P{percent}: {value:.2}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_all_times_without_gaps() {
        for nanos in (0..5000).chain([1 << 20, (1 << 40) + 12345, u64::MAX]) {
            let i = bucket(nanos);
            assert!(nanos <= end(i), "{nanos}");
            assert!(i == 0 || nanos > end(i - 1), "{nanos}");
        }
    }

    #[test]
    fn percentiles_are_close_to_the_exact_ones() {
        let mut all = Latencies::new();
        let mut other = Latencies::new();
        for i in 1..=10_000u64 {
            if i % 2 == 0 { &mut all } else { &mut other }.add(i * 1000);
        }
        all.merge(&other);
        for percent in [1.0, 50.0, 99.0, 99.99] {
            let exact = 10_000.0 * percent / 100.0;
            let got = all.percentile(percent);
            assert!((got / exact - 1.0).abs() < 0.017, "P{percent}: {got} instead of {exact}");
        }
        assert_eq!(all.percentile(100.0), 10_000.0);
        let text = all.to_string();
        assert!(text.starts_with("Count: 10000 Average: 5000.5000  StdDev: 2886.75\nMin: 1.00"));
        assert!(text.contains("Percentiles: P50: ") && text.contains(" P99.99: "), "{text}");
    }
}
