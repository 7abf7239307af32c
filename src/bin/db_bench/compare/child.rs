//! One process of a comparison.

use super::Candidate;
use super::suite::{Part, Place};
use crate::csv;
use crate::failure::{Result, UNAVAILABLE};
use crate::flags::Flags;
use std::path::PathBuf;
use std::process::Command;

/// A library and what it is to run.
pub struct Child<'a> {
    pub flags: &'a Flags,
    pub part: &'a Part,
    pub candidate: &'a Candidate,
}

/// Flags of the comparison itself, and those that it sets for each process.
const OWN: &[&str] = &[
    "benchmarks",
    "compare",
    "csv",
    "db",
    "disk_db",
    "library",
    "markdown",
    "rounds",
    "suite",
    "svg",
];

impl Child<'_> {
    /// Runs the program; returns the lines of its file of figures, one a workload.
    pub fn run(&self) -> Result<Vec<String>> {
        let figures = self.folder().with_extension("csv");
        let output = self.command(&figures)?.output().map_err(|e| format!("db_bench: {e}"))?;
        let name = &self.candidate.name;
        if output.status.code() == Some(UNAVAILABLE.into()) {
            return Ok(self.part.items().map(csv::absent).collect());
        }
        if !output.status.success() {
            let (out, err) = (&output.stdout, &output.stderr);
            let [out, err] = [out, err].map(|text| String::from_utf8_lossy(text));
            return Err(format!("{name} failed: {}\n{out}{err}", output.status).into());
        }
        let text = std::fs::read_to_string(&figures)
            .map_err(|error| format!("{}: {error}", figures.display()))?;
        let lines: Vec<String> = text.lines().skip(1).map(Into::into).collect();
        let wanted = self.part.items().count();
        if lines.len() != wanted {
            return Err(format!("{name}: {} figures instead of {wanted}", lines.len()).into());
        }
        Ok(lines)
    }

    fn command(&self, figures: &std::path::Path) -> Result<Command> {
        let folder = self.folder();
        if let Some(parent) = folder.parent() {
            std::fs::create_dir_all(parent)
                .map_err(|error| format!("{}: {error}", parent.display()))?;
        }
        let exe = std::env::current_exe().map_err(|error| format!("db_bench: {error}"))?;
        let mut command = Command::new(exe);
        for (flag, value) in self.part.flags {
            command.arg(format!("--{flag}={value}"));
        }
        for (flag, value) in &self.flags.given {
            if !OWN.contains(&flag.as_str()) {
                command.arg(format!("--{flag}={value}"));
            }
        }
        if self.part.place == Place::Kept {
            command.arg("--use_existing_db=1");
        }
        command.arg(format!("--benchmarks={}", self.part.list()));
        for (flag, path) in
            [("library", &self.candidate.file), ("db", &folder), ("csv", &figures.to_path_buf())]
        {
            command.arg(format!("--{flag}={}", path.display()));
        }
        Ok(command)
    }

    /// Of this library's database.
    fn folder(&self) -> PathBuf {
        let base = match self.part.place {
            Place::Disk => &self.flags.disk_db,
            Place::Kept | Place::Fresh => &self.flags.db,
        };
        base.join(&self.candidate.name)
    }
}
