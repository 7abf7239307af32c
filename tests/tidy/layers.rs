//! A module uses only modules of rows above its own.

use super::source::{Finding, Source};

/// The rows: what stands on nothing is 0. Modules of one row do not use each other.
const ROWS: [(&str, u32); 23] = [
    ("base", 0),
    ("stats", 1),
    ("plug", 2),
    ("codec", 3),
    ("env", 3),
    ("cache", 4),
    ("options", 5),
    ("rangedel", 5),
    ("batch", 6),
    ("wal", 7),
    ("memtable", 7),
    ("table", 7),
    ("blob", 7),
    ("version", 8),
    ("read", 9),
    ("rewrite", 10),
    ("compaction", 11),
    ("flush", 11),
    ("db", 12),
    ("txn", 13),
    ("tools", 13),
    ("capi", 14),
    ("bin", 15),
];

/// Macros live in the root of the crate, whatever module defines them.
const MACROS: [(&str, &str); 1] = [("log_at", "plug")];

/// The row of a module.
pub fn row(module: &str) -> Option<u32> {
    ROWS.iter().find(|(name, _)| *name == module).map(|(_, row)| *row)
}

/// The modules and rows that a table in ARCHITECTURE.md names: `| 3 | `codec/`, `env/` | ... |`.
pub fn documented(text: &str) -> Vec<(String, u32)> {
    let mut rows = Vec::new();
    for line in text.lines() {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let Some(Ok(row)) = cells.next().map(str::parse) else { continue };
        let names = cells.next().unwrap_or_default().split(',').map(str::trim);
        let names = names.map(|name| name.trim_matches('`').trim_end_matches('/').to_string());
        rows.extend(names.map(|name| (name, row)));
    }
    rows
}

/// Paths that start with `crate::`, in any code but tests.
pub fn check(source: &Source) -> Vec<Finding> {
    let Some(module) = source.module().filter(|module| *module != "bin") else { return Vec::new() };
    let mut findings = Vec::new();
    for (line, code) in source.code_lines() {
        for (at, _) in code.match_indices("crate::") {
            let path = &code[at + "crate::".len()..];
            let used: String =
                path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if let Some(text) = complaint(module, &used) {
                findings.push(Finding { line, text });
            }
        }
    }
    findings
}

fn complaint(module: &str, used: &str) -> Option<String> {
    let used = MACROS.iter().find(|(name, _)| *name == used).map_or(used, |(_, owner)| *owner);
    let own = row(module)?;
    match row(used) {
        _ if used == module => None,
        None => Some(format!("`crate::{used}` is no module with a row; write one path a line")),
        Some(row) if row < own => None,
        Some(row) => Some(format!("{module} (row {own}) must not use {used} (row {row})")),
    }
}

#[test]
fn a_module_of_the_same_or_a_later_row_is_refused() {
    let text = "use crate::base::status::Status;\nuse crate::env::Env;\nfn f() { crate::db::open() }\n\
        use crate::{a, b};\ncrate::log_at!(x);\n// use crate::capi::x;\n";
    let findings = check(&Source::new("src/codec/x.rs", text));
    let lines: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [2, 3, 4]);
    assert_eq!(findings[0].text, "codec (row 3) must not use env (row 3)");
    assert!(check(&Source::new("src/bin/x/y.rs", text)).is_empty());
}

#[test]
fn the_table_of_the_documentation_is_read() {
    let text = "| row | folder |\n|---|---|\n| 0 | `base/` | x |\n| 3 | `codec/`, `env/` | y |\n";
    let rows = documented(text);
    let expected = [("base", 0), ("codec", 3), ("env", 3)];
    assert!(rows.iter().map(|(name, row)| (name.as_str(), *row)).eq(expected), "{rows:?}");
}
