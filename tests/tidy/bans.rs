//! What must not be written, or only in the module that owns it.

use super::source::{Finding, Source};

/// Where a path or macro must not be used.
struct Ban {
    /// What is looked for: a path or macro, from the start of a word.
    text: &'static str,
    /// Where it is allowed: paths that start so.
    allowed: &'static [&'static str],
    /// What to do instead.
    instead: &'static str,
}

const SYNC: &[&str] = &["src/base/sync.rs", "src/bin/"];

const THREADS: Ban = Ban {
    text: "thread::scope",
    // The table cache opens tables with threads that end before it returns.
    allowed: &["src/env/", "src/bin/", "src/version/table_cache.rs"],
    instead: "schedule in the env",
};

const FILES: Ban = Ban {
    text: "std::fs",
    allowed: &["src/env/", "src/bin/"],
    instead: "use the env's file system",
};

const BANS: [Ban; 20] = [
    FILES,
    THREADS,
    Ban { text: "fs::File", ..FILES },
    Ban { text: "File::open", ..FILES },
    Ban { text: "File::create", ..FILES },
    Ban { text: "thread::spawn", ..THREADS },
    Ban { text: "thread::Builder", ..THREADS },
    Ban { text: "process::exit", allowed: &["src/bin/"], instead: "return an error" },
    Ban { text: "println!", allowed: &["src/bin/", "src/base/random.rs"], instead: "log" },
    Ban { text: "print!", allowed: &["src/bin/"], instead: "log" },
    Ban { text: "eprintln!", allowed: &["src/bin/"], instead: "log" },
    Ban { text: "eprint!", allowed: &["src/bin/"], instead: "log" },
    Ban { text: "parking_lot::", allowed: SYNC, instead: "use base::sync" },
    Ban { text: "std::sync::atomic", allowed: SYNC, instead: "use base::sync" },
    Ban { text: "std::sync::Mutex", allowed: SYNC, instead: "use base::sync" },
    Ban { text: "std::sync::RwLock", allowed: SYNC, instead: "use base::sync" },
    Ban { text: "std::sync::Condvar", allowed: SYNC, instead: "use base::sync" },
    Ban { text: "todo!", allowed: &[], instead: "write it" },
    Ban { text: "unimplemented!", allowed: &[], instead: "write it" },
    Ban { text: "dbg!", allowed: &[], instead: "log" },
];

/// Paths and macros of [`BANS`], and `unwrap` and `expect` without a stated reason, in any code
/// but tests.
pub fn check_calls(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, code) in source.code_lines() {
        for ban in &BANS {
            let is_allowed = ban.allowed.iter().any(|start| source.path.starts_with(start));
            if !is_allowed && starts_a_word(code, ban.text) {
                let text = format!("`{}`: {}", ban.text, ban.instead);
                findings.push(Finding { line, text });
            }
        }
        let unwraps = [".unwrap()", ".expect("].iter().any(|call| code.contains(call));
        if unwraps && !source.path.starts_with("src/bin/") && !is_expected(source, line) {
            findings.push(Finding { line, text: "`unwrap` or `expect` outside tests".to_string() });
        }
    }
    findings
}

fn starts_a_word(code: &str, text: &str) -> bool {
    code.match_indices(text).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Whether an attribute shortly above gives the reason.
fn is_expected(source: &Source, line: usize) -> bool {
    let above = source.code.lines().take(line).skip(line.saturating_sub(12));
    above
        .into_iter()
        .any(|code| code.contains("clippy::unwrap_used") || code.contains("clippy::expect_used"))
}

/// Words that promise to finish later, in comments and everywhere else.
pub fn check_words(source: &Source) -> Vec<Finding> {
    // In two pieces, so that this file does not complain about itself.
    let words = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["XX", "X"].concat()];
    let mut findings = Vec::new();
    for (i, text) in source.text.lines().enumerate() {
        for word in words.iter().filter(|word| text.contains(word.as_str())) {
            findings.push(Finding { line: i + 1, text: format!("{word}: finish it, or file it") });
        }
    }
    findings
}

#[test]
fn banned_calls_are_refused_where_they_do_not_belong() {
    let text = "use std::fs::File;\nfn f() { println!(); std::thread::spawn(g); }\n// dbg!()\n\
        fn h() { x.unwrap(); }\n#[expect(clippy::unwrap_used, reason = \"y\")]\nfn i() { x.unwrap() }\n\
        #[cfg(test)]\nmod tests { fn j() { println!(); x.unwrap(); } }\n";
    let lines = |path| {
        let findings = check_calls(&Source::new(path, text));
        findings.iter().map(|finding| finding.line).collect::<Vec<_>>()
    };
    assert_eq!(lines("src/db/x.rs"), [1, 1, 2, 2, 4]);
    assert_eq!(lines("src/env/x.rs"), [2, 4]);
    assert_eq!(lines("src/bin/x/main.rs"), [0; 0]);
}

#[test]
fn promises_are_refused() {
    let text = format!("// {}: later\n", ["TO", "DO"].concat());
    assert_eq!(check_words(&Source::new("src/a/b.rs", &text)).len(), 1);
}
