//! Memory, files and writing of this process and its database, where the system tells (Linux).

use std::path::Path;

/// What one run of a workload took.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Largest resident memory, in bytes, since the run began.
    pub peak_memory: u64,
    /// The files in the database's folder.
    pub database: u64,
    /// Handed to the system to be written, to files of any kind.
    pub written: u64,
}

/// Measures from its making on.
pub struct Meter {
    written: u64,
}

impl Meter {
    pub fn start() -> Meter {
        // Resets the peak of resident memory; where that is not allowed the peak is the process's.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Meter { written: field("/proc/self/io", "wchar:") }
    }

    pub fn stop(&self, database: &Path) -> Resources {
        Resources {
            peak_memory: field("/proc/self/status", "VmHWM:") * 1024,
            database: size(database),
            written: field("/proc/self/io", "wchar:").saturating_sub(self.written),
        }
    }
}

fn field(file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

/// The lengths of the files in a folder.
fn size(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let files = entries.flatten().filter_map(|entry| entry.metadata().ok());
    files.filter(|data| data.is_file()).map(|data| data.len()).sum()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_and_held_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let meter = Meter::start();
        let memory = std::hint::black_box(vec![1u8; 40 << 20]);
        std::fs::write(dir.path().join("a"), &memory[..3 << 20]).unwrap();
        let resources = meter.stop(dir.path());
        assert_eq!(resources.database, 3 << 20);
        assert!(resources.written >= 3 << 20, "{resources:?}");
        assert!(resources.peak_memory >= 40 << 20, "{resources:?}");
    }
}
