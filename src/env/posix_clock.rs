//! The processor time of threads.

use crate::stats::{Metric, PerfLevel, perf};

/// Nanoseconds that this thread has run; 0 if the system does not tell.
pub fn thread_cpu_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live `timespec`, which the call fills.
    if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } != 0 {
        return 0;
    }
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Adds the processor time of its life to a metric of this thread, if the thread measures that.
pub struct PerfCpuTimer {
    running: Option<(Metric, u64)>,
}

impl PerfCpuTimer {
    /// Starts to measure.
    pub fn start(metric: Metric) -> PerfCpuTimer {
        let measures = perf::collects(PerfLevel::EnableTimeAndCpuTimeExceptForMutex);
        PerfCpuTimer { running: measures.then(|| (metric, thread_cpu_nanos())) }
    }
}

impl Drop for PerfCpuTimer {
    fn drop(&mut self) {
        if let Some((metric, start)) = self.running {
            perf::add(metric, thread_cpu_nanos().saturating_sub(start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::PerfContext;
    use std::time::Duration;

    #[test]
    fn sleep_costs_little() {
        let busy = || (0..100_000u64).fold(0u64, |sum, i| std::hint::black_box(sum ^ i));
        let context = PerfContext::of_this_thread();
        perf::set_level(PerfLevel::EnableTimeExceptForMutex);
        drop(PerfCpuTimer::start(Metric::GetCpuNanos));
        assert_eq!(context.get(Metric::GetCpuNanos), 0);
        perf::set_level(PerfLevel::EnableTimeAndCpuTimeExceptForMutex);
        let timer = PerfCpuTimer::start(Metric::GetCpuNanos);
        busy();
        std::thread::sleep(Duration::from_millis(200));
        drop(timer);
        perf::set_level(PerfLevel::Disable);
        let nanos = context.get(Metric::GetCpuNanos);
        assert!((1000..150_000_000).contains(&nanos), "{nanos}");
    }
}
