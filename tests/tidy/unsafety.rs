//! Unsafe code lies in few places, and says why it is sound.

use super::source::{Finding, Source};

/// Where unsafe code may be: paths that start so.
const ALLOWED: [&str; 7] = [
    "src/capi/",
    "src/base/arena",
    "src/memtable/",
    "src/cache/",
    "src/env/posix",
    // Calls C libraries through function pointers.
    "src/bin/db_bench/",
    "src/env/mmap",
];

/// File names that may hold unsafe code anywhere.
const ALLOWED_NAMES: [&str; 2] = ["simd.rs", "mmap.rs"];

/// Blocks and impls need a `SAFETY:` comment, functions a `# Safety` section. An export needs
/// none: its contract is stated once, in `capi/mod.rs`.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines: Vec<&str> = source.text.lines().collect();
    for (line, code) in source.code_lines() {
        for (at, _) in code.match_indices("unsafe") {
            if !is_keyword(code, at) {
                continue;
            }
            let rest = code[at + "unsafe".len()..].trim_start();
            let mut complain = |text: &str| findings.push(Finding { line, text: text.to_string() });
            if is_attribute_or_type(code, at, rest) {
                continue;
            }
            if !is_allowed(&source.path) {
                complain("unsafe code does not belong here");
            }
            let is_export = rest.starts_with("extern \"");
            if rest.starts_with("fn") {
                if !above(&lines, line, "# Safety") {
                    complain("an unsafe function without a `# Safety` section");
                }
            } else if !is_export && !above(&lines, line, "SAFETY:") {
                complain("unsafe without a `// SAFETY:` comment");
            }
        }
    }
    findings
}

fn is_allowed(path: &str) -> bool {
    ALLOWED.iter().any(|start| path.starts_with(start))
        || ALLOWED_NAMES.iter().any(|name| path.ends_with(name))
}

fn is_keyword(code: &str, at: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = code[..at].chars().next_back();
    let after = code[at + "unsafe".len()..].chars().next();
    !before.is_some_and(is_word) && !after.is_some_and(is_word)
}

/// `#[unsafe(no_mangle)]`, or the type of a function pointer.
fn is_attribute_or_type(code: &str, at: usize, rest: &str) -> bool {
    let is_attribute = code[..at].ends_with("#[") && rest.starts_with('(');
    let is_pointer = rest.starts_with("fn(")
        || (rest.starts_with("extern \"") && rest.contains("fn(") && !rest.contains("fn ("));
    is_attribute || is_pointer
}

/// Whether `text` stands in the comments and attributes above the statement of line `line`.
fn above(lines: &[&str], line: usize, text: &str) -> bool {
    if lines[line - 1].contains(text) {
        return true;
    }
    for above in lines[..line - 1].iter().rev().map(|line| line.trim()) {
        let is_comment = above.starts_with("//");
        if is_comment && above.contains(text) {
            return true;
        }
        let ends_statement = above.ends_with([';', '}']) || above.is_empty();
        if !is_comment && !above.starts_with('#') && ends_statement {
            return false;
        }
    }
    false
}

#[test]
fn unexplained_or_misplaced_unsafe_code_is_refused() {
    let bad = "fn f() {\n    unsafe { g() };\n}\n\n/// Doc.\npub unsafe fn h() {}\n\nunsafe impl Send for X {}\n";
    let lines = |path, text| {
        let findings = check(&Source::new(path, text));
        findings.iter().map(|finding| finding.line).collect::<Vec<_>>()
    };
    assert_eq!(lines("src/capi/x.rs", bad), [2, 6, 8]);
    assert_eq!(lines("src/db/x.rs", bad), [2, 2, 6, 6, 8, 8]);
    let good = "fn f() {\n    // SAFETY: g is harmless.\n    let x =\n        unsafe { g() };\n}\n\n\
        /// Doc.\n///\n/// # Safety\n/// None.\n#[inline]\npub unsafe fn h() {}\n\n\
        // SAFETY: X is empty.\nunsafe impl Send for X {}\n\n\
        #[unsafe(no_mangle)]\npub unsafe extern \"C\" fn rocksdb_x(f: unsafe extern \"C\" fn()) {}\n\
        type F = unsafe extern \"C\" fn(*mut u8);\n// unsafe\nlet unsafely = \"unsafe\";\n";
    assert_eq!(lines("src/capi/x.rs", good), [0; 0]);
    assert_eq!(lines("src/table/simd.rs", good), [0; 0]);
}
