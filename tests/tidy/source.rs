//! A Rust source as the rules see it: its code without comments and texts, and which lines are
//! tests.

use std::path::Path;

/// What a rule has to say about a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

/// One source file.
pub struct Source {
    /// The path from the root, with `/`.
    pub path: String,
    /// As it is.
    pub text: String,
    /// With blanks in place of comments and of what is between quotes. As long as `text`.
    pub code: String,
    /// For each line whether it belongs to a test.
    tests: Vec<bool>,
}

impl Source {
    /// The source `text` at `path`.
    pub fn new(path: &str, text: &str) -> Source {
        let code = blank(text);
        let tests = test_lines(path, &code);
        Source { path: path.to_string(), text: text.to_string(), code, tests }
    }

    /// The number and code of each line that belongs to no test.
    pub fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.code.lines().enumerate().filter(|(i, _)| !self.tests[*i]);
        lines.map(|(i, line)| (i + 1, line))
    }

    /// The line, from 1, of a position in the text.
    pub fn line_of(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    /// Whether line `line`, from 1, belongs to a test.
    pub fn is_test(&self, line: usize) -> bool {
        self.tests[line - 1]
    }

    /// The folder below `src` that the file lies in.
    pub fn module(&self) -> Option<&str> {
        let (module, _) = self.path.strip_prefix("src/")?.split_once('/')?;
        Some(module)
    }
}

/// All Rust sources in `folders` below `root`.
pub fn all(root: &Path, folders: &[&str]) -> Vec<Source> {
    let mut sources = Vec::new();
    for folder in folders {
        read(root, folder, &mut sources);
    }
    sources
}

fn read(root: &Path, folder: &str, sources: &mut Vec<Source>) {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return };
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        let name = name.to_string_lossy();
        let path = format!("{folder}/{name}");
        if name == "target" {
            continue;
        }
        if root.join(&path).is_dir() {
            read(root, &path, sources);
        } else if name.ends_with(".rs") {
            let text = std::fs::read_to_string(root.join(&path)).unwrap();
            sources.push(Source::new(&path, &text));
        }
    }
}

/// Replaces every byte between `from` and `to` by a blank, except line ends.
fn erase(code: &mut [u8], from: usize, to: usize) {
    for byte in &mut code[from..to] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// The text without comments and without what is between quotes.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut i = 0;
    while i < bytes.len() {
        let rest = &text[i..];
        let end = if rest.starts_with("//") {
            let end = i + rest.find('\n').unwrap_or(rest.len());
            erase(&mut code, i, end);
            end
        } else if rest.starts_with("/*") {
            let end = i + block_comment(rest);
            erase(&mut code, i, end);
            end
        } else if let Some((open, len)) = quoted(rest, i > 0 && is_word(bytes[i - 1])) {
            erase(&mut code, i + open, (i + len).saturating_sub(1).max(i + open));
            i + len
        } else {
            i + rest.chars().next().map_or(1, char::len_utf8)
        };
        i = end;
    }
    String::from_utf8(code).unwrap()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length of the block comment, which may hold others, at the start of `text`.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut i = 0;
    while i < text.len() {
        match text.as_bytes()[i..] {
            [b'/', b'*', ..] => (depth, i) = (depth + 1, i + 2),
            [b'*', b'/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    text.len()
}

/// The lengths of the opening quote and of the whole text or character at the start of `text`.
fn quoted(text: &str, inside_word: bool) -> Option<(usize, usize)> {
    let prefix = text.bytes().take_while(|b| matches!(b, b'b' | b'c' | b'r')).count();
    if inside_word && prefix > 0 {
        return None;
    }
    let raw = text[..prefix].ends_with('r');
    let hashes = text[prefix..].bytes().take_while(|b| *b == b'#').count();
    let quote = prefix + if raw { hashes } else { 0 };
    match text.as_bytes().get(quote)? {
        b'"' if raw => {
            let end = format!("\"{}", "#".repeat(hashes));
            let len = text[quote + 1..].find(&end)? + quote + 1 + end.len();
            Some((quote + 1, len))
        }
        b'"' if prefix <= 1 => Some((quote + 1, quote + 1 + until(&text[quote + 1..], b'"')?)),
        b'\'' if prefix <= 1 && !raw => {
            character(&text[quote + 1..]).map(|n| (quote + 1, quote + 1 + n))
        }
        _ => None,
    }
}

/// The length up to and with the next `quote` that has no backslash before it.
fn until(text: &str, quote: u8) -> Option<usize> {
    let mut escaped = false;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return Some(i + 1),
            _ => {}
        }
    }
    None
}

/// The length of a character and its closing quote; None for a lifetime.
fn character(text: &str) -> Option<usize> {
    if text.starts_with('\\') {
        return until(text, b'\'');
    }
    let len = text.chars().next()?.len_utf8();
    text[len..].starts_with('\'').then_some(len + 1)
}

/// The position behind the bracket that closes the one at `open`.
pub fn closing(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i + 1);
        }
    }
    None
}

/// For each line whether it belongs to a test: the whole file by its name, or a module under
/// `#[cfg(test)]`.
fn test_lines(path: &str, code: &str) -> Vec<bool> {
    let is_test_name = |part: &str| {
        let stem = part.trim_end_matches(".rs");
        stem == "tests" || stem.ends_with("_tests")
    };
    let mut tests = vec![path.split('/').any(is_test_name); code.lines().count()];
    let mut from = 0;
    while let Some(at) = code[from..].find("#[cfg(test)]").map(|at| at + from) {
        let Some(open) = code[at..].find(['{', ';']).map(|open| open + at) else { break };
        let end = if code.as_bytes()[open] == b'{' { closing(code, open) } else { Some(open + 1) };
        let end = end.unwrap_or(code.len());
        let line = |at: usize| code[..at].matches('\n').count();
        tests[line(at)..=line(end - 1)].fill(true);
        from = end;
    }
    tests
}

#[test]
fn comments_and_texts_are_blanked() {
    let blanked = |text: &str| {
        let code = blank(text);
        assert_eq!(code.len(), text.len());
        code.replace(' ', "")
    };
    assert_eq!(blanked("a(\"x // y\", 'z', '\\'', b'q'); // c"), "a(\"\",'','',b'');");
    assert_eq!(blanked("/* /* d */ e */ f::<'g>('h', i)"), "f::<'g>('',i)");
    assert_eq!(blanked("r(r\"\\\", j)"), "r(r\"\",j)");
    assert_eq!(blanked("k(\"\\\"l\", m) // n\no"), "k(\"\",m)\no");
    let raw = blanked("p(br#\"q\"t\"#, s)");
    assert!(!raw.contains('q') && !raw.contains('t') && raw.ends_with(",s)"), "{raw}");
}

#[test]
fn tests_are_found_by_name_and_attribute() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
    let source = Source::new("src/base/x.rs", text);
    let lines: Vec<usize> = source.code_lines().map(|(line, _)| line).collect();
    assert_eq!(lines, [1, 6]);
    assert_eq!(source.module(), Some("base"));
    for path in ["src/base/x_tests.rs", "src/base/x/tests.rs", "src/base/tests/y.rs"] {
        assert_eq!(Source::new(path, text).code_lines().count(), 0, "{path}");
    }
    let outside = Source::new("src/a/b.rs", "#[cfg(test)]\nmod tests;\nfn a() {}\n");
    assert_eq!(outside.code_lines().map(|(line, _)| line).collect::<Vec<_>>(), [3]);
}
