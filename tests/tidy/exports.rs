//! Every export runs in a guard, and exports are in `capi` alone.

use super::source::{Finding, Source, closing};

const GUARDS: [&str; 4] = ["guard", "guard_err", "guard_db", "guard_db_err"];

/// The body of an `extern "C"` function is one call of a guard.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let in_capi = source.path.starts_with("src/capi/");
    for (line, code) in source.code_lines() {
        if code.contains("no_mangle") && !in_capi {
            findings.push(Finding { line, text: "exports belong into src/capi".to_string() });
        }
    }
    // Programs are no library: there a panic in a function that C calls may end the process.
    if source.path.starts_with("src/bin/") {
        return findings;
    }
    for (at, found) in source.code.match_indices("extern \" \" fn ") {
        let line = source.line_of(at);
        if source.is_test(line) {
            continue;
        }
        let name = at + found.len();
        if let Some(text) = complaint(&source.code[name..]) {
            findings.push(Finding { line, text });
        }
    }
    findings
}

/// What is wrong with the function whose name starts `code`.
fn complaint(code: &str) -> Option<String> {
    let open = code.find('(')?;
    let name = &code[..open];
    let behind = closing(code, open)?;
    let body = code[behind..].find(['{', ';'])? + behind;
    if code.as_bytes()[body] == b';' {
        return None;
    }
    let end = closing(code, body)?;
    let statements = code[body + 1..end - 1].trim();
    let guard = statements.split('(').next().unwrap_or_default().trim();
    if !GUARDS.contains(&guard) {
        return Some(format!("{name} does not start with a guard"));
    }
    let call = closing(statements, statements.find('(')?)?;
    (call != statements.len()).then(|| format!("{name} does more than call its guard"))
}

#[test]
fn an_unguarded_export_is_refused() {
    let export = |body: &str| {
        let text = format!(
            "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn rocksdb_x(a: u8) -> u8 {{\n{body}\n}}\n"
        );
        let findings = check(&Source::new("src/capi/x.rs", &text));
        findings.into_iter().map(|finding| finding.text).collect::<Vec<_>>()
    };
    assert_eq!(export("guard(|| Ok(f(a)))"), [""; 0]);
    assert_eq!(export("guard_db_err(db, errptr, || {\n let x = f(a)?;\n Ok(x)\n})"), [""; 0]);
    assert_eq!(export("f(a)"), ["rocksdb_x does not start with a guard"]);
    assert_eq!(export("let x = a; guard(|| Ok(x))"), ["rocksdb_x does not start with a guard"]);
    assert_eq!(export("guard(|| Ok(f(a))) + f(a)"), ["rocksdb_x does more than call its guard"]);
}

#[test]
fn an_export_outside_capi_is_refused() {
    let text = "#[unsafe(no_mangle)]\npub extern \"C\" fn rocksdb_x() { guard(|| Ok(())) }\n";
    assert_eq!(check(&Source::new("src/db/x.rs", text)).len(), 1);
    let types = "type F = unsafe extern \"C\" fn(u8);\nfn f(g: extern \"C\" fn(u8)) { g(1) }\n";
    assert!(check(&Source::new("src/db/x.rs", types)).is_empty());
}
