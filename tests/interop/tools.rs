//! RocksDB's `ldb` and `sst_dump`, and a C program linked to its library.

use super::model::{Rows, assert_same_lines, to_hex};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The C program, compiled against the real header and library.
pub struct Peer {
    program: PathBuf,
    _dir: tempfile::TempDir,
}

impl Peer {
    /// Compiles the program; `None`, with a line that says so, if something is missing.
    pub fn find() -> Option<Peer> {
        let found = Peer::compile().and_then(|peer| {
            for tool in ["ldb", "sst_dump"] {
                Command::new(tool).arg("--version").output().map_err(|e| format!("{tool}: {e}"))?;
            }
            Ok(peer)
        });
        let required =
            std::env::var_os("HEMATITE_REQUIRE_PEERS").is_some_and(|v| v != "0" && !v.is_empty());
        match found {
            Ok(peer) => Some(peer),
            Err(missing) => {
                assert!(!required, "HEMATITE_REQUIRE_PEERS is set, but {missing}");
                println!("skipped: {missing}");
                None
            }
        }
    }

    fn compile() -> Result<Peer, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let program = dir.path().join("peer");
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/peer.c");
        let output = Command::new(compiler)
            .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"])
            .args([&program, &source])
            .arg("-lrocksdb")
            .output()
            .map_err(|e| format!("no C compiler: {e}"))?;
        match output.status.success() {
            true => Ok(Peer { program, _dir: dir }),
            false => Err(format!("no librocksdb:\n{}", text(&output.stderr))),
        }
    }

    /// Everything in the database, as the real library sees it; `how` is `read` or `open`.
    pub fn dump(&self, how: &str, db: &Path) -> String {
        let output = Command::new(&self.program).arg(how).arg(db).output().unwrap();
        succeeded(&format!("peer {how}"), &output)
    }

    /// `backup` or `checkpoint` of a database into a folder; returns what it holds.
    pub fn copy(&self, how: &str, db: &Path, folder: &Path) -> String {
        let output = Command::new(&self.program).arg(how).args([db, folder]).output().unwrap();
        succeeded(&format!("peer {how}"), &output)
    }

    /// Restores a backup, the newest one if `number` is 0.
    pub fn restore(&self, db: &Path, folder: &Path, number: u32) {
        let mut command = Command::new(&self.program);
        let command = command.arg("restore").args([db, folder]).arg(number.to_string());
        succeeded("peer restore", &command.output().unwrap());
    }

    /// How often a filter told the real library that a key is in none of the database's tables.
    pub fn filter_hits(&self, db: &Path) -> u64 {
        let output = Command::new(&self.program).arg("read").arg(db).output().unwrap();
        succeeded("peer read", &output);
        let statistics = text(&output.stderr);
        let line =
            statistics.lines().find_map(|l| l.strip_prefix("rocksdb.bloom.filter.useful COUNT : "));
        line.expect("a count of useful filters").trim().parse().unwrap()
    }

    /// Has the real library write `keys` keys into one table, with a filter of this kind.
    pub fn write_filter(&self, db: &Path, kind: &str, bits: f64, keys: u32, version: u32) {
        let mut command = Command::new(&self.program);
        let command = command.arg("filter").arg(db).arg(kind);
        let command = command.args([bits.to_string(), keys.to_string(), version.to_string()]);
        succeeded("peer filter", &command.output().unwrap());
    }

    /// Has the real library carry out `commands`; returns what it then sees.
    pub fn write(&self, db: &Path, codec: u8, commands: &str) -> String {
        let mut child = Command::new(&self.program)
            .arg("write")
            .arg(db)
            .arg(codec.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
        succeeded("peer write", &child.wait_with_output().unwrap())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeeded(what: &str, output: &Output) -> String {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{err}\n{}", output.status, tail(&out));
    out
}

fn tail(text: &str) -> &str {
    let start = text.len().saturating_sub(2000);
    text.get(start..).unwrap_or(text)
}

/// Unless told otherwise, `ldb` loads the OPTIONS file; that of a newer release names options that
/// it does not know.
const LOAD_OPTIONS: [&str; 2] = ["--try_load_options", "--ignore_unknown_options"];

fn ldb(db: &Path, arguments: &[&str]) -> String {
    let db = format!("--db={}", db.display());
    let output = Command::new("ldb").arg(db).args(arguments).output().unwrap();
    succeeded(&format!("ldb {arguments:?}"), &output)
}

/// The names that `ldb list_column_families` prints as `{a, b}`.
pub fn column_families(db: &Path) -> Vec<String> {
    let out = ldb(db, &["list_column_families"]);
    let list = out.lines().find_map(|line| line.strip_prefix('{')?.strip_suffix('}'));
    list.expect("a list of names").split(", ").map(str::to_string).collect()
}

pub fn check_consistency(db: &Path) {
    let [load, ignore] = LOAD_OPTIONS;
    assert_eq!(ldb(db, &["checkconsistency", load, ignore]).trim(), "OK");
}

pub fn dump_manifest(db: &Path, names: &[String]) {
    let out = ldb(db, &["manifest_dump"]);
    for name in names {
        assert!(out.contains(&format!("Column family \"{name}\"")), "{name} in:\n{}", tail(&out));
    }
}

/// What `ldb scan` prints of a column family must be `rows`. It needs the OPTIONS file, since
/// without a merge operator RocksDB ends the recovery of a log at the first merge.
pub fn compare_scan(db: &Path, family: &str, rows: &Rows) {
    let column_family = format!("--column_family={family}");
    let [load, ignore] = LOAD_OPTIONS;
    let arguments = ["scan", "--hex", &column_family, load, ignore];
    let mut expected = String::new();
    for (key, value) in rows {
        let (key, value) = (to_hex(key).to_uppercase(), to_hex(value).to_uppercase());
        writeln!(expected, "0x{key} : 0x{value}").unwrap();
    }
    assert_same_lines(&format!("ldb {arguments:?}"), &ldb(db, &arguments), &expected);
}

pub fn table_files(db: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(db).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == "sst")).collect()
}

/// `sst_dump` checks every block of every table, and reads every record.
pub fn verify_tables(db: &Path) {
    let dump = |command: &str| {
        let output = Command::new("sst_dump")
            .arg(format!("--file={}", db.display()))
            .arg(format!("--command={command}"))
            .output()
            .unwrap();
        let out = succeeded(&format!("sst_dump {command}"), &output);
        let all = out.clone() + &text(&output.stderr);
        for word in ["Corruption", "not ok", "rror:"] {
            assert!(!all.contains(word), "sst_dump {command}: {}", tail(&all));
        }
        out
    };
    let tables = table_files(db).len();
    assert_eq!(dump("verify").matches("The file is ok").count(), tables);
    let scan = dump("scan");
    assert_eq!(scan.matches("Process ").count(), tables);
    assert!(scan.matches(" => ").count() >= tables, "records in:\n{}", tail(&scan));
}

/// Copies the files of a database, which may be open: again from the start if a file that was
/// listed is removed meanwhile, since what was copied before it would not fit the rest.
pub fn copy_dir(from: &Path, to: &Path) {
    for _ in 0..100 {
        match try_copy_dir(from, to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                fs::remove_dir_all(to).unwrap();
            }
            result => return result.unwrap(),
        }
    }
    panic!("the files of {} do not settle", from.display());
}

fn try_copy_dir(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    let names: Vec<_> = fs::read_dir(from)?.collect::<Result<_, _>>()?;
    for entry in names {
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
