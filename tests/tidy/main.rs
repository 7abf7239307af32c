//! Reads the sources and insists on what the compiler does not: the order of the layers, short
//! files, unsafe code where it belongs and explained, guarded exports, no calls past the layers
//! that own them. Each rule has a test of its own on a sample that breaks it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod bans;
mod counted;
mod exports;
mod layers;
mod length;
mod source;
mod unsafety;

use std::path::Path;

use source::{Finding, Source};

/// Every rule that looks at one file.
const RULES: [fn(&Source) -> Vec<Finding>; 6] = [
    layers::check,
    length::check,
    unsafety::check,
    exports::check,
    bans::check_calls,
    bans::check_words,
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_sources_are_tidy() {
    let sources = source::all(root(), &["src"]);
    assert!(sources.len() > 50, "only {} sources found", sources.len());
    let mut complaints = Vec::new();
    for source in &sources {
        for finding in RULES.iter().flat_map(|rule| rule(source)) {
            complaints.push(format!("{}:{}: {}", source.path, finding.line, finding.text));
        }
        length::warn(source);
    }
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn tests_and_tools_are_tidy() {
    let sources = source::all(root(), &["tests", "capi-tests", "benches", "fuzz", "model-tests"]);
    let mut complaints = Vec::new();
    for source in &sources {
        for finding in length::check(source).into_iter().chain(bans::check_words(source)) {
            complaints.push(format!("{}:{}: {}", source.path, finding.line, finding.text));
        }
    }
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn the_layers_are_the_folders_and_the_documentation() {
    let folders = std::fs::read_dir(root().join("src")).unwrap().flatten();
    let folders = folders.filter(|entry| entry.path().is_dir());
    let mut folders: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    folders.sort();
    for folder in &folders {
        assert!(layers::row(folder).is_some(), "src/{folder} has no row");
    }
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let documented = layers::documented(&text);
    for folder in &folders {
        let row = documented.iter().find(|(name, _)| name == folder).map(|(_, row)| *row);
        assert_eq!(row, layers::row(folder), "the row of {folder} in ARCHITECTURE.md");
    }
}

#[test]
fn what_is_counted_is_documented() {
    let sources = source::all(root(), &["src"]);
    let path = root().join("STATISTICS.md");
    let wanted = counted::document(&sources);
    if std::env::var_os("HEMATITE_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let documented = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = wanted.lines().zip(documented.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None, "STATISTICS.md (HEMATITE_BLESS=1 writes it)");
    assert_eq!(wanted.len(), documented.len(), "STATISTICS.md (HEMATITE_BLESS=1 writes it)");
}

#[test]
fn what_is_counted_is_proved() {
    let unproved = counted::unproved(&source::all(root(), &["src"]));
    let unproved: Vec<String> = unproved.into_iter().map(|finding| finding.text).collect();
    assert!(unproved.is_empty(), "no test looks at {}", unproved.join(", "));
}
