//! Files are short.

use super::source::{Finding, Source};

const MOST: usize = 800;
const USUAL: usize = 500;

/// No file is longer than [`MOST`] lines.
pub fn check(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().count();
    let text = format!("{lines} lines, more than {MOST}");
    if lines > MOST { vec![Finding { line: MOST + 1, text }] } else { Vec::new() }
}

/// Prints the files that are longer than usual; `--nocapture` shows it.
pub fn warn(source: &Source) {
    let lines = source.text.lines().count();
    if lines > USUAL {
        println!("{}: {lines} lines, more than the usual {USUAL}", source.path);
    }
}

#[test]
fn a_long_file_is_refused() {
    assert!(check(&Source::new("src/a/b.rs", &"\n".repeat(MOST))).is_empty());
    assert_eq!(check(&Source::new("src/a/b.rs", &"\n".repeat(MOST + 1))).len(), 1);
}
