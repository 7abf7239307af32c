//! Shows on a terminal how far a workload is; silent elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

pub struct Progress {
    name: &'static str,
    start: Instant,
    shown: Instant,
    active: bool,
}

impl Progress {
    /// Operations between two looks at the clock.
    pub const STEP: u64 = 10_000;

    /// Only one thread of a workload is to show it.
    pub fn new(name: &'static str, active: bool) -> Progress {
        let now = Instant::now();
        let active = active && std::io::stderr().is_terminal();
        Progress { name, start: now, shown: now, active }
    }

    pub fn show(&mut self, done: u64) {
        if self.active && self.shown.elapsed() > Duration::from_millis(200) {
            self.shown = Instant::now();
            let rate = done as f64 / self.start.elapsed().as_secs_f64().max(1e-9);
            eprint!("\r{}: {done} operations ({rate:.0} ops/sec)\x1b[K", self.name);
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
