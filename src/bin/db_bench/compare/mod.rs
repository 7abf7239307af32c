//! `--compare`: several libraries in turns, and what one is worth beside the others.
//!
//! Each library runs each part of the plan in a process of its own, so that none inherits another
//! one's memory, and the libraries take turns within a round, so that whatever else the machine
//! does meets all of them alike. What counts is the median over the rounds of the ratio within a
//! round.

mod chart;
mod child;
mod suite;
mod table;

use crate::csv;
use crate::failure::Result;
use crate::flags::Flags;
use child::Child;
use std::io::Write;
use std::path::{Path, PathBuf};
use suite::Part;
use table::Table;

/// A library that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    name: String,
    file: PathBuf,
}

impl Candidate {
    /// From `NAME=FILE` or `FILE`, which is then called as its file is.
    fn parse(text: &str) -> Candidate {
        if let Some((name, file)) = text.split_once('=') {
            return Candidate { name: name.into(), file: file.into() };
        }
        let file = PathBuf::from(text);
        let stem = file.file_name().unwrap_or_default().to_string_lossy();
        let stem = stem.split(".so").next().unwrap_or_default();
        Candidate { name: stem.strip_prefix("lib").unwrap_or(stem).into(), file }
    }
}

/// The libraries, `--library` first. No two have the same name, which is that of their folder.
fn candidates(flags: &Flags) -> Result<Vec<Candidate>> {
    let others = flags.compare.split(',').filter(|text| !text.is_empty()).map(Candidate::parse);
    let own = Candidate::parse(&flags.library.to_string_lossy());
    let all: Vec<Candidate> = std::iter::once(own).chain(others).collect();
    for (at, candidate) in all.iter().enumerate() {
        if candidate.name.is_empty() || candidate.name.contains('/') {
            return Err(format!("--compare: '{}' is no name", candidate.name).into());
        }
        if all[..at].iter().any(|earlier| earlier.name == candidate.name) {
            let name = &candidate.name;
            return Err(format!("--compare: two are called '{name}'; use NAME=FILE").into());
        }
    }
    Ok(all)
}

/// Runs what the flags ask for over all libraries, and prints the table.
pub fn run(flags: &Flags) -> Result<()> {
    let candidates = candidates(flags)?;
    let plan = match flags.suite.as_str() {
        "" => vec![Part::of_list(&flags.benchmarks)?],
        name => suite::find(name)?,
    };
    let names = candidates.iter().map(|candidate| candidate.name.clone()).collect();
    let mut table = Table::new(names);
    for round in 1..=flags.rounds {
        for part in &plan {
            for (at, candidate) in candidates.iter().enumerate() {
                eprintln!("round {round}: {} over {}", part.list(), candidate.name);
                let figures = Child { flags, part, candidate }.run()?;
                table.add(at, part, &figures)?;
            }
        }
    }
    let text = if flags.markdown { table.markdown() } else { table.text() };
    print!("{text}");
    write_file("csv", &flags.csv, || {
        let lines = table.csv();
        format!("round,library,row,{}\n{lines}", csv::COLUMNS)
    })?;
    write_file("svg", &flags.svg, || chart::draw(&table.ratios()))
}

/// Writes a file, if the flag names one.
fn write_file(flag: &str, path: &Path, content: impl FnOnce() -> String) -> Result<()> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    let write = || std::fs::File::create(path)?.write_all(content().as_bytes());
    write().map_err(|error| format!("--{flag}={}: {error}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_called_by_their_files_or_as_they_are_named() {
        let named = |text| Candidate::parse(text).name;
        assert_eq!(named("/a/libhematite.so"), "hematite");
        assert_eq!(named("/a/librocksdb.so.7.8"), "rocksdb");
        assert_eq!(named("new=/a/librocksdb.so"), "new");
    }

    #[test]
    fn names_that_cannot_be_told_apart_are_refused() {
        let mut flags = Flags::defaults();
        flags.library = "/a/libx.so".into();
        for (others, text) in [
            ("/b/libx.so", "--compare: two are called 'x'; use NAME=FILE"),
            ("=/b/libx.so", "--compare: '' is no name"),
            ("a/b=/b/libx.so", "--compare: 'a/b' is no name"),
        ] {
            flags.compare = others.into();
            assert_eq!(candidates(&flags), Err(text.into()));
        }
    }
}
