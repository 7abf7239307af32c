//! Averages over the repeats of a workload.

use crate::tally::Tally;

/// Each repeat's throughput.
#[derive(Default)]
pub struct Averages {
    operations: Vec<f64>,
    megabytes: Vec<f64>,
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The middle of the values, or the mean of the two.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// Half of the interval that holds the mean with 95 %, taking a normal distribution for granted.
fn confidence95(values: &[f64]) -> f64 {
    const QUANTILE: f64 = 1.959964;
    let (mean, n) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (n - 1.0).max(1.0)).sqrt();
    QUANTILE * deviation / n.sqrt()
}

impl Averages {
    pub fn add(&mut self, tally: &Tally) {
        self.operations.push(tally.operations_per_second());
        if tally.bytes > 0 {
            self.megabytes.push(tally.megabytes_per_second());
        }
    }

    fn has_megabytes(&self) -> bool {
        self.megabytes.len() == self.operations.len()
    }

    /// The line after each repeat but the first.
    pub fn so_far(&self, name: &str) -> Option<String> {
        let n = self.operations.len();
        if n < 2 {
            return None;
        }
        let (ops, spread) = (mean(&self.operations), confidence95(&self.operations));
        let mut text = format!("{name} [AVG {n} runs] : {ops:.0} (\u{b1} {spread:.0}) ops/sec");
        if self.has_megabytes() {
            let (mb, spread) = (mean(&self.megabytes), confidence95(&self.megabytes));
            text += &format!("; {mb:6.1} (\u{b1} {spread:.1}) MB/sec");
        }
        Some(text)
    }

    /// The lines after the last repeat.
    pub fn last(&self, name: &str) -> Option<String> {
        let n = self.operations.len();
        if n < 2 {
            return None;
        }
        let (ops, spread) = (mean(&self.operations), confidence95(&self.operations));
        let millis = if ops > 0.0 { 1000.0 / ops } else { 0.0 };
        let middle = median(&self.operations);
        let (mut average, mut median_text) = (String::new(), String::new());
        if self.has_megabytes() {
            let (mb, spread) = (mean(&self.megabytes), confidence95(&self.megabytes));
            average = format!("; {mb:6.1} (\u{b1} {spread:.1}) MB/sec");
            median_text = format!("; {:6.1} MB/sec", median(&self.megabytes));
        }
        Some(format!(
            "\n{name} [AVG    {n} runs] : {ops:.0} (\u{b1} {spread:.0}) ops/sec; {millis:.3} \
             ms/op{average}\n{name} [MEDIAN {n} runs] : {middle:.0} ops/sec{median_text}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_averages_are_right() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0]), median(&[])), (2.0, 2.5, 0.0));
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        // Deviation 1, three values: 1.96 / sqrt(3).
        assert!((confidence95(&[1.0, 2.0, 3.0]) - 1.1316).abs() < 1e-3);
    }

    #[test]
    fn one_run_has_no_average() {
        let mut averages = Averages { operations: vec![10.0], megabytes: Vec::new() };
        assert!(averages.so_far("x").is_none() && averages.last("x").is_none());
        averages.operations.push(30.0);
        assert_eq!(averages.so_far("x").unwrap(), "x [AVG 2 runs] : 20 (\u{b1} 20) ops/sec");
        let last = averages.last("x").unwrap();
        assert!(last.ends_with("x [MEDIAN 2 runs] : 20 ops/sec"), "{last}");
    }
}
