//! `waiting.txt`: a line is `case<TAB>reason` or `case/check<TAB>reason`; `#` starts a comment.

use super::check::Verdict;
use std::collections::BTreeMap;

pub struct Waiting {
    entries: BTreeMap<String, String>,
}

impl Waiting {
    pub fn load() -> Waiting {
        Waiting::parse(include_str!("waiting.txt"))
    }

    fn parse(text: &str) -> Waiting {
        let mut entries = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, reason) = line.split_once('\t').expect("name, tab, reason");
            let before = entries.insert(name.to_string(), reason.to_string());
            assert!(before.is_none(), "{name} is in waiting.txt twice");
        }
        Waiting { entries }
    }

    /// Why the check `case/check` waits, if it does.
    pub fn reason(&self, check: &str) -> Option<&str> {
        let case = check.split('/').next().unwrap_or(check);
        self.entries.get(check).or_else(|| self.entries.get(case)).map(String::as_str)
    }

    /// The entries all of whose checks pass, and, if `all` checks were run, those that name none.
    pub fn outlived(&self, verdicts: &BTreeMap<String, Verdict>, all: bool) -> Vec<String> {
        let mut complaints = Vec::new();
        for entry in self.entries.keys() {
            let mut checks = verdicts
                .iter()
                .filter(|(name, _)| *name == entry || name.split('/').next() == Some(entry))
                .peekable();
            if checks.peek().is_none() {
                if all {
                    complaints.push(format!("{entry}: in waiting.txt, but there is no such check"));
                }
            } else if checks.all(|(_, verdict)| verdict.is_ok()) {
                complaints.push(format!("{entry}: passes now; take it out of waiting.txt"));
            }
        }
        complaints
    }
}

#[test]
fn entries_end_when_their_checks_pass() {
    let waiting = Waiting::parse("# comment\na\tfirst\nb/x\tsecond\nc\tthird\n");
    assert_eq!(waiting.reason("a/any"), Some("first"));
    assert_eq!(waiting.reason("b/x"), Some("second"));
    assert_eq!(waiting.reason("b/y"), None);
    let failed = || Err("no".to_string());
    let verdicts: BTreeMap<String, Verdict> = [
        ("a/x".to_string(), Ok(())),
        ("a/y".to_string(), failed()),
        ("b/x".to_string(), Ok(())),
        ("b/y".to_string(), failed()),
    ]
    .into();
    assert_eq!(waiting.outlived(&verdicts, false).len(), 1, "b/x passes");
    assert_eq!(waiting.outlived(&verdicts, true).len(), 2, "c does not exist");
}
