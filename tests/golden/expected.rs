//! `expected*.txt`: the rows that a reader must see.

use hmac_sha256::Hash;
use std::fmt::Write;
use std::path::Path;

/// A key and its value as `expected*.txt` writes it.
pub type Row = (Vec<u8>, String);

/// Longer values are there as `sha256:<hex>:<length>`.
const LONGEST_PLAIN: usize = 40;

/// The text of a value in `expected*.txt`.
pub fn value_text(value: &[u8]) -> String {
    if value.len() <= LONGEST_PLAIN {
        return to_hex(value);
    }
    format!("sha256:{}:{}", to_hex(&Hash::hash(value)), value.len())
}

pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").unwrap();
        out
    })
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// The rows of each of the column families `names`.
pub fn load(path: &Path, names: &[String]) -> Vec<Vec<Row>> {
    let mut rows = vec![Vec::new(); names.len()];
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let family = names.iter().position(|name| name == fields[0]);
        let family = family.unwrap_or_else(|| panic!("{line}: no such column family"));
        rows[family].push((from_hex(fields[1]), fields[2].to_string()));
    }
    rows
}
