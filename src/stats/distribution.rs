//! A histogram's numbers: counted by many threads at once ([`Cells`]), then looked at
//! ([`Distribution`]).

use std::fmt::Write as _;

use crate::base::sync::{AtomicU64, Ordering};
use crate::stats::buckets::{BUCKETS, LAST_LIMIT, bucket_of, limit};

/// Counters of one histogram, in one shard. No count is ever lost, though a reader may see a value
/// in some of the cells and not yet in others.
pub struct Cells {
    min: AtomicU64,
    max: AtomicU64,
    sum: AtomicU64,
    /// Modulo 2^64, as in RocksDB.
    sum_of_squares: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
}

/// What a minimum is before any value, as RocksDB reports it.
const NO_MIN: u64 = LAST_LIMIT;

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            min: AtomicU64::new(NO_MIN),
            max: AtomicU64::new(0),
            sum: AtomicU64::new(0),
            sum_of_squares: AtomicU64::new(0),
            buckets: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
}

impl Cells {
    /// Counts `value`.
    pub fn add(&self, value: u64) {
        self.buckets[bucket_of(value)].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
        self.sum_of_squares.fetch_add(value.wrapping_mul(value), Ordering::Relaxed);
        if value < self.min.load(Ordering::Relaxed) {
            self.min.fetch_min(value, Ordering::Relaxed);
        }
        if value > self.max.load(Ordering::Relaxed) {
            self.max.fetch_max(value, Ordering::Relaxed);
        }
    }

    /// Forgets everything.
    pub fn reset(&self) {
        self.min.store(NO_MIN, Ordering::Relaxed);
        for cell in [&self.max, &self.sum, &self.sum_of_squares].into_iter().chain(&self.buckets) {
            cell.store(0, Ordering::Relaxed);
        }
    }
}

/// The values that a histogram has seen.
#[derive(Clone, Debug)]
pub struct Distribution {
    min: u64,
    max: u64,
    count: u64,
    sum: u64,
    sum_of_squares: u64,
    buckets: [u64; BUCKETS],
}

impl Default for Distribution {
    fn default() -> Distribution {
        let buckets = [0; BUCKETS];
        Distribution { min: NO_MIN, max: 0, count: 0, sum: 0, sum_of_squares: 0, buckets }
    }
}

/// A histogram in a few numbers, as the C interface hands them out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HistogramData {
    /// The 50th percentile.
    pub median: f64,
    /// The 95th percentile.
    pub percentile95: f64,
    /// The 99th percentile.
    pub percentile99: f64,
    /// The mean; 0 without values.
    pub average: f64,
    /// The standard deviation; 0 without values.
    pub standard_deviation: f64,
    /// The largest value; 0 without values.
    pub max: f64,
    /// How many values.
    pub count: u64,
    /// Their sum.
    pub sum: u64,
    /// The smallest value; without values, the limit of the last bucket, as in RocksDB.
    pub min: f64,
}

impl Distribution {
    /// Counts `value`.
    pub fn add(&mut self, value: u64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.count += 1;
        self.sum = self.sum.wrapping_add(value);
        self.sum_of_squares = self.sum_of_squares.wrapping_add(value.wrapping_mul(value));
        self.buckets[bucket_of(value)] += 1;
    }

    /// Counts all values of `cells`.
    pub fn merge(&mut self, cells: &Cells) {
        let load = |cell: &AtomicU64| cell.load(Ordering::Relaxed);
        self.min = self.min.min(load(&cells.min));
        self.max = self.max.max(load(&cells.max));
        self.sum = self.sum.wrapping_add(load(&cells.sum));
        self.sum_of_squares = self.sum_of_squares.wrapping_add(load(&cells.sum_of_squares));
        for (bucket, cell) in self.buckets.iter_mut().zip(&cells.buckets) {
            let values = load(cell);
            *bucket += values;
            self.count += values;
        }
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The value below which `percent` per cent of the values are, interpolated within its bucket.
    pub fn percentile(&self, percent: f64) -> f64 {
        let threshold = self.count as f64 * (percent / 100.0);
        let mut below = 0;
        for (i, &values) in self.buckets.iter().enumerate() {
            if ((below + values) as f64) < threshold {
                below += values;
                continue;
            }
            let left = if i == 0 { 0 } else { limit(i - 1) };
            let part = match values {
                0 => 0.0,
                _ => (threshold - below as f64) / values as f64,
            };
            let value = left as f64 + (limit(i) - left) as f64 * part;
            return value.max(self.min as f64).min(self.max as f64);
        }
        self.max as f64
    }

    /// The mean; 0 without values.
    pub fn average(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// The standard deviation; 0 without values.
    pub fn standard_deviation(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let (count, sum) = (self.count as f64, self.sum as f64);
        let variance = (self.sum_of_squares as f64 * count - sum * sum) / (count * count);
        variance.max(0.0).sqrt()
    }

    /// The few numbers.
    pub fn data(&self) -> HistogramData {
        HistogramData {
            median: self.percentile(50.0),
            percentile95: self.percentile(95.0),
            percentile99: self.percentile(99.0),
            average: self.average(),
            standard_deviation: self.standard_deviation(),
            max: self.max as f64,
            count: self.count,
            sum: self.sum,
            min: self.min as f64,
        }
    }

    fn write_bucket(&self, i: usize, below: u64, out: &mut String) {
        let percent = 100.0 / self.count as f64;
        let values = self.buckets[i];
        let (open, left) = if i == 0 { ('[', 0) } else { ('(', limit(i - 1)) };
        let (share, all) = (percent * values as f64, percent * (below + values) as f64);
        let _ =
            write!(out, "{open} {left:7}, {:7} ] {values:8} {share:7.3}% {all:7.3}% ", limit(i));
        // Twenty marks are all of it.
        let marks = (share / 5.0 + 0.5) as usize;
        out.extend(std::iter::repeat_n('#', marks));
        out.push('\n');
    }
}

/// The histogram as RocksDB prints it: a summary and a line for each bucket that is not empty.
impl std::fmt::Display for Distribution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (min, max) = if self.count == 0 { (0, 0) } else { (self.min, self.max) };
        let p = |percent| self.percentile(percent);
        writeln!(
            f,
            "Count: {} Average: {:.4}  StdDev: {:.2}\nMin: {min}  Median: {:.4}  Max: {max}",
            self.count,
            self.average(),
            self.standard_deviation(),
            p(50.0)
        )?;
        writeln!(
            f,
            "Percentiles: P50: {:.2} P75: {:.2} P99: {:.2} P99.9: {:.2} P99.99: {:.2}",
            p(50.0),
            p(75.0),
            p(99.0),
            p(99.9),
            p(99.99)
        )?;
        writeln!(f, "------------------------------------------------------")?;
        let mut lines = String::new();
        let mut below = 0;
        for (i, &values) in self.buckets.iter().enumerate().filter(|(_, values)| **values > 0) {
            self.write_bucket(i, below, &mut lines);
            below += values;
        }
        f.write_str(&lines)
    }
}
