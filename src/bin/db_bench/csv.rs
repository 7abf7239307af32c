//! Figures as comma-separated values.

use crate::failure::Result;
use crate::resources::Resources;
use crate::tally::Tally;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The file of `--csv`: a line for each run of a workload.
pub struct Csv {
    file: File,
}

pub const COLUMNS: &str = "workload,run,operations,seconds,micros_per_op,ops_per_sec,mb_per_sec,\
                           p50_micros,p99_micros,p999_micros,peak_memory_bytes,database_bytes,\
                           written_bytes";

impl Csv {
    pub fn create(path: &Path) -> Result<Csv> {
        let failed = |error| format!("--csv={}: {error}", path.display());
        let mut file = File::create(path).map_err(failed)?;
        writeln!(file, "{COLUMNS}").map_err(failed)?;
        Ok(Csv { file })
    }

    /// A run: one that counts, or one to warm up.
    pub fn run(
        &mut self,
        name: &str,
        is_warmup: bool,
        tally: &Tally,
        resources: &Resources,
    ) -> Result<()> {
        let kind = if is_warmup { "warmup" } else { "measured" };
        let operations = tally.operations.max(1);
        let latencies = tally.all_latencies();
        let percentile = |percent| {
            latencies.as_ref().map_or(String::new(), |l| format!("{:.3}", l.percentile(percent)))
        };
        let line = format!(
            "{name},{kind},{operations},{:.6},{:.4},{:.1},{:.2},{},{},{},{},{},{}",
            tally.elapsed().as_secs_f64(),
            tally.busy.as_secs_f64() * 1e6 / operations as f64,
            tally.operations_per_second(),
            tally.megabytes_per_second(),
            percentile(50.0),
            percentile(99.0),
            percentile(99.9),
            resources.peak_memory,
            resources.database,
            resources.written,
        );
        self.line(&line)
    }

    /// A workload that did not run.
    pub fn absent(&mut self, name: &str) -> Result<()> {
        self.line(&absent(name))
    }

    fn line(&mut self, line: &str) -> Result<()> {
        writeln!(self.file, "{line}").map_err(|error| format!("--csv: {error}").into())
    }
}

/// The line of a workload that did not run.
pub fn absent(name: &str) -> String {
    format!("{name},absent,,,,,,,,,,,")
}
