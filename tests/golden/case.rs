//! `case.json`: how to open a database and what RocksDB said about it.

use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// The RocksDB release whose answers count where releases differ.
const REFERENCE: &str = "11.9.0";

/// One folder of the collection.
pub struct Case {
    pub name: String,
    pub dir: PathBuf,
    /// How it is opened: `rw`, or a way that needs more than a plain database (`txn`, `backup`...).
    pub mode: String,
    pub db_options: Map<String, Value>,
    pub families: Vec<FamilySpec>,
    /// What the table format lets a reader do.
    pub access: Access,
    /// The newest sequence number, where the case is undamaged and its writer said so.
    pub latest_sequence: Option<u64>,
    pub checks: Vec<Check>,
}

/// What may be asked of the tables of a case; plain and cuckoo tables cannot do everything.
#[derive(Clone, Copy)]
pub struct Access {
    pub iterate: bool,
    pub reverse: bool,
    pub gets: bool,
    pub seeks: bool,
}

/// A column family to open.
#[derive(Clone)]
pub struct FamilySpec {
    pub name: String,
    pub comparator: String,
    /// Everything else that `case.json` says of it.
    pub settings: Map<String, Value>,
}

/// One way to open a case, and the answer.
pub struct Check {
    pub name: String,
    pub mode: Option<String>,
    pub ignore_unknown: bool,
    pub db_options: Map<String, Value>,
    pub families: Option<Vec<FamilySpec>>,
    pub verify_checksums: bool,
    /// Anything but a crash is right.
    pub loose: bool,
    /// Which of several backups is meant; `None` is the newest.
    pub backup: Option<u32>,
    /// Settings that only transactions or timestamps give a meaning.
    pub beyond: Option<String>,
    pub expect: Expect,
}

/// What RocksDB answered.
pub enum Expect {
    Crash,
    OpenError(String),
    /// Opened; `error` is the text with which reading ended, if it did. `contents` holds the rows
    /// before that.
    Read {
        error: Option<String>,
        contents: Option<PathBuf>,
    },
}

pub fn load_all(dir: &Path) -> Vec<Case> {
    let mut dirs: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("case.json").exists())
        .collect();
    dirs.sort();
    dirs.into_iter().map(load).collect()
}

fn load(dir: PathBuf) -> Case {
    let json = fs::read(dir.join("case.json")).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let open = &json["open"];
    let may = |what: &str| open[what].as_bool().unwrap_or(true);
    let access = Access {
        iterate: may("iterate"),
        reverse: may("reverse"),
        gets: may("gets"),
        seeks: may("seeks"),
    };
    Case {
        name: text(&json["name"]).unwrap(),
        mode: text(&open["mode"]).unwrap(),
        db_options: object(&open["db_options"]),
        families: families(&open["column_families"]).unwrap(),
        access,
        latest_sequence: json["latest_sequence_number"].as_u64(),
        checks: json["checks"].as_array().unwrap().iter().map(|c| check(c, &dir)).collect(),
        dir,
    }
}

fn check(json: &Value, dir: &Path) -> Check {
    let beyond = ["prepared", "prepared_action", "read_timestamp"]
        .into_iter()
        .find(|&what| !json[what].is_null());
    Check {
        name: text(&json["name"]).unwrap(),
        mode: text(&json["mode"]),
        ignore_unknown: json["ignore_unknown"].as_bool().unwrap_or(false),
        db_options: object(&json["db_options"]),
        families: families(&json["column_families"]),
        verify_checksums: json["verify_checksums"].as_bool().unwrap_or(true),
        loose: json["loose"].as_bool().unwrap_or(false),
        backup: json["backup_id"].as_u64().map(|id| id as u32),
        beyond: beyond.map(str::to_string),
        expect: expect(&json["expect"], dir),
    }
}

fn expect(json: &Value, dir: &Path) -> Expect {
    let answer = json.get(REFERENCE).unwrap_or(&json["*"]);
    if !answer["crash"].is_null() {
        return Expect::Crash;
    }
    let error = |what: &str| text(&answer[what]).filter(|text| text != "ok");
    match error("open") {
        Some(error) => Expect::OpenError(error),
        None => Expect::Read {
            error: error("read"),
            contents: text(&answer["contents"]).map(|name| dir.join(name)),
        },
    }
}

fn families(json: &Value) -> Option<Vec<FamilySpec>> {
    let family = |json: &Value| FamilySpec {
        name: text(&json["name"]).unwrap(),
        comparator: text(&json["comparator"]).unwrap(),
        settings: json
            .as_object()
            .unwrap()
            .iter()
            .filter(|(key, _)| !["name", "comparator"].contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    };
    Some(json.as_array()?.iter().map(family).collect())
}

/// A string. The collection writes each byte beyond ASCII as a character of its own.
fn text(json: &Value) -> Option<String> {
    let bytes: Option<Vec<u8>> = json.as_str()?.chars().map(|c| u8::try_from(c).ok()).collect();
    Some(String::from_utf8(bytes.expect("bytes")).expect("UTF-8"))
}

fn object(json: &Value) -> Map<String, Value> {
    json.as_object().cloned().unwrap_or_default()
}
