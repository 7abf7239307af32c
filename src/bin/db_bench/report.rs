//! The lines that `db_bench` prints, and its progress display.

use crate::api::Api;
use crate::flags::Flags;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

pub fn header(flags: &Flags, api: &Api) {
    let raw = (flags.key_size + flags.value_size) as f64 * flags.num as f64 / 1048576.0;
    println!("Library:        {}", api.path.display());
    println!("Database:       {}", flags.db.display());
    println!("Keys:           {} bytes each", flags.key_size);
    println!("Values:         {} bytes each", flags.value_size);
    println!("Entries:        {}", flags.num);
    println!("RawSize:        {raw:.1} MB (estimated)");
    println!("Compression:    {}", flags.compression_type);
    println!("------------------------------------------------");
}

/// What the threads of one workload did together.
pub struct Total {
    pub operations: u64,
    pub bytes: u64,
    pub elapsed: Duration,
    /// Behind the figures, e.g. "(63200 of 100000 found)".
    pub message: String,
    /// Each operation's time in nanoseconds, if a histogram was asked for.
    pub latencies: Vec<u64>,
}

pub fn line(name: &str, total: &Total) {
    let seconds = total.elapsed.as_secs_f64().max(1e-9);
    let operations = total.operations.max(1) as f64;
    let mut text = format!(
        "{name:<12} : {:11.3} micros/op {:.0} ops/sec {seconds:.3} seconds {} operations;",
        seconds * 1e6 / operations,
        operations / seconds,
        total.operations
    );
    if total.bytes > 0 {
        text += &format!(" {:6.1} MB/s", total.bytes as f64 / 1048576.0 / seconds);
    }
    if !total.message.is_empty() {
        text += " ";
        text += &total.message;
    }
    println!("{text}");
}

pub fn histogram(latencies: &mut [u64]) {
    if latencies.is_empty() {
        return;
    }
    latencies.sort_unstable();
    let at = |p: f64| {
        let index = ((latencies.len() - 1) as f64 * p / 100.0) as usize;
        latencies[index] as f64 / 1000.0
    };
    println!(
        "Microseconds per op: P50: {:.2} P75: {:.2} P99: {:.2} P99.9: {:.2} P99.99: {:.2} Max: {:.2}",
        at(50.0),
        at(75.0),
        at(99.0),
        at(99.9),
        at(99.99),
        at(100.0)
    );
}

/// Shows on a terminal how far a workload is; silent elsewhere.
pub struct Progress {
    name: &'static str,
    goal: u64,
    start: Instant,
    shown: Instant,
    active: bool,
}

impl Progress {
    pub fn new(name: &'static str, goal: u64) -> Progress {
        let now = Instant::now();
        let active = std::io::stderr().is_terminal();
        Progress { name, goal, start: now, shown: now, active }
    }

    /// How many operations may pass between two calls of [`show`](Progress::show).
    pub const STEP: u64 = 4096;

    pub fn show(&mut self, done: u64) {
        if self.active && self.shown.elapsed() > Duration::from_millis(200) {
            self.shown = Instant::now();
            let percent = done * 100 / self.goal.max(1);
            let rate = done as f64 / self.start.elapsed().as_secs_f64();
            eprint!("\r... {}: {percent}% ({rate:.0} ops/sec)\x1b[K", self.name);
            let _ = std::io::stderr().flush();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.active {
            eprint!("\r\x1b[K");
        }
    }
}
