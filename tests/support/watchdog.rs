//! A test that hangs must fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Ends the process unless it is dropped in time.
pub struct Watchdog(Arc<AtomicBool>);

impl Watchdog {
    /// Allows `seconds` for `what`.
    pub fn new(what: &str, seconds: u64) -> Watchdog {
        let done = Arc::new(AtomicBool::new(false));
        let (watched, what) = (done.clone(), what.to_string());
        let end = Instant::now() + Duration::from_secs(seconds);
        std::thread::spawn(move || {
            while !watched.load(Ordering::Relaxed) {
                if Instant::now() > end {
                    eprintln!("{what} hangs");
                    std::process::abort();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        Watchdog(done)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
