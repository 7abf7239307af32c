//! `STATISTICS.md` says which statistics the engine counts; the sources know.

use hematite::stats::{Histogram, Metric, Ticker};

use super::source::{Finding, Source};

/// A kind of statistic: its heading, its type in the sources, and (number, variant, name) of each.
struct Kind {
    heading: &'static str,
    type_name: &'static str,
    all: Vec<(usize, String, &'static str)>,
}

macro_rules! kind {
    ($heading:literal, $Kind:ident) => {{
        let row = |kind: &$Kind| (*kind as usize, format!("{kind:?}"), kind.name());
        let all = $Kind::ALL.iter().map(row).collect();
        Kind { heading: $heading, type_name: stringify!($Kind), all }
    }};
}

fn kinds() -> [Kind; 3] {
    [
        kind!("Tickers", Ticker),
        kind!("Histograms", Histogram),
        kind!("Metrics of the perf context", Metric),
    ]
}

/// Whether `code` names the variant: `Ticker::BytesRead`.
fn names(code: &str, type_name: &str, variant: &str) -> bool {
    let path = format!("{type_name}::{variant}");
    code.match_indices(&path).any(|(at, _)| {
        let next = code[at + path.len()..].chars().next();
        !next.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// The code of the engine that counts, and that of tests, as one text each. The C functions name
/// metrics without counting them.
fn code(sources: &[Source]) -> (String, String) {
    let (mut engine, mut tests) = (String::new(), String::new());
    for source in sources {
        let counts = !["src/stats/", "src/capi/"].iter().any(|own| source.path.starts_with(own));
        for (i, line) in source.code.lines().enumerate() {
            let text = if source.is_test(i + 1) { &mut tests } else { &mut engine };
            if counts {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    (engine, tests)
}

const INTRODUCTION: &str = "# Statistics\n\nEvery ticker, histogram and metric of RocksDB 11.8 \
    exists under its number and name. This table says which the engine counts now; the others stay \
    0. A test compares it with the sources, and writes it anew with `HEMATITE_BLESS=1`.\n";

/// The document that the sources ask for.
pub fn document(sources: &[Source]) -> String {
    let (engine, _) = code(sources);
    let mut text = INTRODUCTION.to_string();
    for kind in kinds() {
        text += &format!("\n## {}\n\n| number | name | counted |\n|---|---|---|\n", kind.heading);
        for (number, variant, name) in &kind.all {
            let counted = if names(&engine, kind.type_name, variant) { "yes" } else { "" };
            text += &format!("| {number} | `{name}` | {counted} |\n");
        }
    }
    text
}

/// What is counted and that no test looks at.
pub fn unproved(sources: &[Source]) -> Vec<Finding> {
    let (engine, tests) = code(sources);
    let mut findings = Vec::new();
    for kind in kinds() {
        for (_, variant, _) in &kind.all {
            let type_name = kind.type_name;
            if names(&engine, type_name, variant) && !names(&tests, type_name, variant) {
                findings.push(Finding { line: 0, text: format!("{type_name}::{variant}") });
            }
        }
    }
    findings
}

#[test]
fn what_is_counted_is_found() {
    let sources = [
        Source::new(
            "src/db/x.rs",
            "fn f() { count(Ticker::BytesRead); add(Metric::GetReadBytesX) }",
        ),
        Source::new("src/db/x_tests.rs", "fn g() { check(Ticker::BytesWritten) }"),
        Source::new("src/stats/x.rs", "fn h() { Ticker::WalFileBytes }"),
    ];
    let text = document(&sources);
    let counted: Vec<&str> = text.lines().filter(|line| line.ends_with("| yes |")).collect();
    assert_eq!(counted, ["| 62 | `rocksdb.bytes.read` | yes |"]);
    let unproved = unproved(&sources);
    assert_eq!(unproved.len(), 1);
    assert_eq!(unproved[0].text, "Ticker::BytesRead");
}
