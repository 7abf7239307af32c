//! Option values as text, in RocksDB's spelling.

use std::fmt::Write;

use crate::base::status::{Result, Status};

/// How option text is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Values hold escapes (`\#`, `\:`, `\n`), as in OPTIONS files.
    pub escaped: bool,
    /// Unknown options, and values that make no sense, are skipped instead of refused.
    pub ignore_unknown: bool,
    /// Only options that a database takes while it is open are known.
    pub live_only: bool,
}

/// A type whose values have an option text.
pub(crate) trait Text {
    /// Appends the text.
    fn write(&self, out: &mut String);

    /// Takes the value that `text` stands for. `name` is the option's, for errors; `path` leads to
    /// a part of the value (`level` in `compression_opts.level`) and is mostly empty.
    fn parse(&mut self, name: &str, path: &str, text: &str, how: &Reading) -> Result<()>;
}

/// `name=value` pairs, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// The pairs of `a=1;b={c=2;d=3}`, which may stand in braces as a whole. Values keep their
    /// braces. Of two pairs with one name the last counts.
    pub fn parse(text: &str) -> Result<Pairs> {
        let mut rest = text.trim();
        while rest.len() > 2 && rest.starts_with('{') && rest.ends_with('}') {
            rest = rest[1..rest.len() - 1].trim();
        }
        let mut pairs = Pairs::default();
        while !rest.is_empty() {
            let (name, value, behind) = next_pair(rest)?;
            pairs.replace(name, value);
            rest = behind;
        }
        Ok(pairs)
    }

    /// Adds a pair; one with the same name is replaced.
    pub fn replace(&mut self, name: &str, value: &str) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value.to_string(),
            None => self.0.push((name.to_string(), value.to_string())),
        }
    }

    /// Takes the pair called `name` out and returns its value.
    pub(super) fn remove(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Adds a pair, unless there is one with that name.
    pub(super) fn insert(&mut self, name: &str, value: &str) {
        if !self.0.iter().any(|(known, _)| known == name) {
            self.0.push((name.to_string(), value.to_string()));
        }
    }
}

impl FromIterator<(String, String)> for Pairs {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        let mut all = Pairs::default();
        for (name, value) in pairs {
            all.replace(&name, &value);
        }
        all
    }
}

impl<'a> IntoIterator for &'a Pairs {
    type Item = &'a (String, String);
    type IntoIter = std::slice::Iter<'a, (String, String)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// The first pair of `text` (name, value) and what follows its `;`.
fn next_pair(text: &str) -> Result<(&str, &str, &str)> {
    let error = |text: &str| Err(Status::invalid_argument(text));
    let Some(equals) = text.find(['=', '{', '}', ';']) else {
        return error("Mismatched key value pair, '=' expected");
    };
    if !text[equals..].starts_with('=') {
        return error("Unexpected char in key");
    }
    let name = text[..equals].trim();
    if name.is_empty() {
        return error("Empty key found");
    }
    let value = text[equals + 1..].trim_start();
    if !value.starts_with('{') {
        let (value, rest) = value.split_once(';').unwrap_or((value, ""));
        return Ok((name, value.trim(), rest));
    }
    let Some(end) = closing_brace(value) else {
        return error("Mismatched curly braces for nested options");
    };
    let rest = value[end + 1..].trim_start();
    match rest.strip_prefix(';') {
        Some(rest) => Ok((name, &value[..=end], rest)),
        None if rest.is_empty() => Ok((name, &value[..=end], rest)),
        None => error("Unexpected chars after nested options"),
    }
}

/// Where the brace that opens `text` is closed.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// `text` without the one pair of braces around it, if there is one.
pub(super) fn strip_braces(text: &str) -> &str {
    match closing_brace(text) {
        Some(end) if text.starts_with('{') && end == text.len() - 1 => &text[1..end],
        _ => text,
    }
}

/// `text` with the characters that mean something in an OPTIONS file escaped.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '#' | ':' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The inverse of [`escape`].
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('r') => plain.push('\r'),
                Some(c) => plain.push(c),
                None => {}
            },
            c => plain.push(c),
        }
    }
    plain
}

/// The error for a value that is none, with the C++ library's reason, which users have seen.
pub(super) fn bad_value(name: &str, reason: &str) -> Status {
    Status::invalid_argument(format!("Error parsing {name}:{reason}"))
}

impl Text for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }

    fn parse(&mut self, name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        *self = match strip_braces(text) {
            "true" | "1" => true,
            "false" | "0" => false,
            _ => return Err(bad_value(name, "")),
        };
        Ok(())
    }
}

/// The integer at the front of `text`, and the factor of the letter behind it (k, m, g, t: 1,024
/// and its powers). What follows is ignored, as in RocksDB. None if there is no number or it
/// exceeds 128 bits.
fn leading_integer(text: &str) -> Option<(i128, u32)> {
    let text = text.trim_start();
    let digits_at = usize::from(text.starts_with(['-', '+']));
    let count = text[digits_at..].bytes().take_while(u8::is_ascii_digit).count();
    let end = digits_at + count;
    let number = text[..end].parse().ok()?;
    let shift = match text.as_bytes().get(end).map(u8::to_ascii_lowercase) {
        Some(b'k') => 10,
        Some(b'm') => 20,
        Some(b'g') => 30,
        Some(b't') => 40,
        _ => 0,
    };
    Some((number, shift))
}

macro_rules! integers {
    ($($type:ty: $scan:literal;)*) => {$(
        impl Text for $type {
            fn write(&self, out: &mut String) {
                let _ = write!(out, "{self}");
            }

            fn parse(&mut self, name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
                let text = strip_braces(text);
                let (number, shift) =
                    leading_integer(text).ok_or_else(|| bad_value(name, $scan))?;
                // The largest shift is 40, so only numbers that are out of range anyway overflow.
                let scaled = number.checked_mul(1 << shift);
                *self = scaled
                    .and_then(|number| <$type>::try_from(number).ok())
                    .ok_or_else(|| bad_value(name, text))?;
                Ok(())
            }
        }
    )*};
}
integers! {
    u8: "stoull";
    u32: "stoull";
    u64: "stoull";
    usize: "stoull";
    i32: "stoi";
    i64: "stoll";
}

impl Text for f64 {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self:.6}");
    }

    fn parse(&mut self, name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        let text = strip_braces(text).trim_start();
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'));
        let number = &text[..end.unwrap_or(text.len())];
        *self = number.parse().map_err(|_| bad_value(name, "stod"))?;
        Ok(())
    }
}

impl Text for String {
    fn write(&self, out: &mut String) {
        out.push_str(&escape(self));
    }

    fn parse(&mut self, _name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        *self = strip_braces(text).to_string();
        Ok(())
    }
}

/// Values one behind the other, with `:` between them. Each may stand in braces.
impl<T: Text + Default> Text for Vec<T> {
    fn write(&self, out: &mut String) {
        for (i, value) in self.iter().enumerate() {
            if i > 0 {
                out.push(':');
            }
            value.write(out);
        }
    }

    fn parse(&mut self, name: &str, path: &str, text: &str, how: &Reading) -> Result<()> {
        let mut values = Vec::new();
        let mut rest = strip_braces(text).trim();
        while !rest.is_empty() {
            let (token, behind) = next_item(rest)?;
            let mut value = T::default();
            value.parse(name, path, token, how)?;
            values.push(value);
            rest = behind.trim_start();
        }
        *self = values;
        Ok(())
    }
}

/// The first item of `text` and what follows its `:`.
fn next_item(text: &str) -> Result<(&str, &str)> {
    let error = |text: &str| Err(Status::invalid_argument(text));
    if !text.starts_with('{') {
        let (item, rest) = text.split_once(':').unwrap_or((text, ""));
        return Ok((item.trim(), rest));
    }
    let Some(end) = closing_brace(text) else {
        return error("Mismatched curly braces for nested options");
    };
    let rest = text[end + 1..].trim_start();
    match rest.strip_prefix(':') {
        Some(behind) => Ok((&text[..=end], behind)),
        None if rest.is_empty() => Ok((&text[..=end], rest)),
        None => error("Unexpected chars after nested options"),
    }
}

/// The name of an object that a user plugs in and that option text names but cannot make:
/// `nullptr`, a class, or `{id=class;its=options}`. Kept as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName(String);

impl ObjectName {
    /// No object.
    pub fn null() -> ObjectName {
        ObjectName::new("nullptr")
    }

    /// The object called `name`.
    pub fn new(name: &str) -> ObjectName {
        ObjectName(name.to_string())
    }

    /// Whether there is no object.
    pub fn is_null(&self) -> bool {
        self.0 == "nullptr"
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Text for ObjectName {
    fn write(&self, out: &mut String) {
        out.push_str(&self.0);
    }

    fn parse(&mut self, _name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        *self = if text.is_empty() { ObjectName::null() } else { ObjectName::new(text) };
        Ok(())
    }
}
