//! Running one check on a copy of its database.

use super::case::{Access, Case, Check, Expect};
use super::expected::{self, Row, to_hex, value_text};
use super::settings;
use hematite::base::status::{Result as DbResult, Status};
use hematite::db::{self, Db, Family, FamilyOptions, OpenRequest};
use hematite::env::Env;
use hematite::options::{BackupOptions, DbOptions, OptionsFile, ReadOptions, RestoreOptions};
use hematite::read::iterator::DbIterator;
use hematite::tools::backup::BackupEngine;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// How a check ended: what went wrong, if something did.
pub type Verdict = Result<(), String>;

/// Runs `check` of `case`; a panic is a failure.
pub fn run(case: &Case, check: &Check) -> Verdict {
    let outcome = catch_unwind(AssertUnwindSafe(|| run_on_copy(case, check)));
    outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map_or("", String::as_str);
        Err(format!("panicked: {text}"))
    })
}

/// An open database, its column families, and how it was opened.
struct Opened {
    db: Arc<Db>,
    families: Vec<Arc<Family>>,
}

fn run_on_copy(case: &Case, check: &Check) -> Verdict {
    let mode = check.mode.as_deref().unwrap_or(&case.mode);
    if !["rw", "readonly", "load-options", "backup"].contains(&mode) {
        return Err(format!("no way to open a database of mode {mode} yet"));
    }
    if let Some(beyond) = &check.beyond {
        return Err(format!("no way to set {beyond} yet"));
    }
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let path = dir.path().join("db");
    let placed = if mode == "backup" {
        restore(&case.dir.join("db"), dir.path(), check, &path)
    } else {
        copy_dir(&case.dir.join("db"), &path).map_err(|e| e.to_string())
    };
    placed?;
    let opened = request(case, check, mode, &path).and_then(|request| open(&request));
    let names: Vec<String> = families_of(case, check).iter().map(|f| f.name.clone()).collect();
    if check.loose {
        if let Ok(opened) = opened {
            for index in 0..names.len() {
                let _ = read_forward(&opened, index, check);
            }
            let _ = opened.db.close();
        }
        return Ok(());
    }
    match (&check.expect, opened) {
        (Expect::Crash, _) => Ok(()),
        (Expect::OpenError(expected), Ok(_)) => Err(format!("opened; RocksDB says: {expected}")),
        (Expect::OpenError(expected), Err(error)) => same_error(expected, &error, &path),
        (Expect::Read { .. }, Err(error)) => Err(format!("does not open: {error}")),
        (Expect::Read { error: None, contents }, Ok(opened)) => {
            let Some(contents) = contents else { return Ok(()) };
            let rows = expected::load(contents, &names);
            compare_all(&opened, &rows, case.access, check)?;
            let latest = opened.db.latest_sequence();
            if let Some(expected) = case.latest_sequence
                && latest != expected
            {
                return Err(format!("the newest sequence number is {latest}, not {expected}"));
            }
            opened.db.close().map_err(|e| format!("does not close: {e}"))?;
            drop(opened);
            if mode == "rw" {
                compare_again(case, check, &path, &rows)?;
            }
            Ok(())
        }
        (Expect::Read { error: Some(expected), contents }, Ok(opened)) => {
            let contents = contents.as_ref().ok_or("no contents to compare with")?;
            let rows = expected::load(contents, &names);
            let error = read_until_error(&opened, &rows, check)?;
            same_error(expected, &error, &path)
        }
    }
}

/// Restores a backup from the folder `backups` to `path`, by way of a copy in `dir`.
fn restore(backups: &Path, dir: &Path, check: &Check, path: &Path) -> Result<(), String> {
    let copy = dir.join("backups");
    copy_dir(backups, &copy).map_err(|e| e.to_string())?;
    let env = Env::default();
    let engine = BackupEngine::open(&copy, BackupOptions::default(), env.clone(), env, None);
    let restored = engine.and_then(|engine| {
        engine.info().iter().try_for_each(|info| engine.verify(info.id, true))?;
        engine.restore(check.backup, path, path, &RestoreOptions::default())
    });
    restored.map_err(|e| format!("does not restore: {e}"))
}

fn families_of<'a>(case: &'a Case, check: &'a Check) -> &'a [super::case::FamilySpec] {
    check.families.as_deref().unwrap_or(&case.families)
}

fn request(case: &Case, check: &Check, mode: &str, path: &Path) -> DbResult<OpenRequest> {
    let specs = families_of(case, check).iter();
    let mut families = specs.map(settings::family).collect::<DbResult<Vec<_>>>()?;
    let mut options = DbOptions::default();
    if mode == "load-options" {
        let fs = options.env.fs().clone();
        let file = OptionsFile::load_latest(&*fs, path, check.ignore_unknown)?;
        options = file.db;
        let family = |(name, options): (String, _)| FamilyOptions { name: name.into(), options };
        families = file.column_families.into_iter().map(family).collect();
    }
    let mut options = settings::apply(options, &mut families, &case.db_options)?;
    options = settings::apply(options, &mut families, &check.db_options)?;
    Ok(OpenRequest {
        path: path.to_path_buf(),
        options,
        families,
        read_only: mode == "readonly",
        error_if_wal_file_exists: false,
    })
}

fn open(request: &OpenRequest) -> DbResult<Opened> {
    let (db, families) = db::open(request.clone())?;
    Ok(Opened { db, families })
}

/// Opens once more: what recovery wrote must be the same database.
fn compare_again(case: &Case, check: &Check, path: &Path, rows: &[Vec<Row>]) -> Result<(), String> {
    let again = request(case, check, "rw", path).and_then(|request| open(&request));
    let opened = again.map_err(|e| format!("does not open a second time: {e}"))?;
    compare_all(&opened, rows, case.access, check).map_err(|e| format!("a second time: {e}"))?;
    opened.db.close().map_err(|e| format!("does not close a second time: {e}"))
}

fn read_options(check: &Check) -> ReadOptions {
    ReadOptions { verify_checksums: check.verify_checksums, ..ReadOptions::default() }
}

fn iterator(opened: &Opened, index: usize, check: &Check) -> DbResult<DbIterator> {
    opened.db.iter(&opened.families[index], &read_options(check))
}

/// The rows of a column family from its beginning, and how reading ended.
fn read_forward(opened: &Opened, index: usize, check: &Check) -> (Vec<Row>, DbResult<()>) {
    let mut rows = Vec::new();
    let mut iter = match iterator(opened, index, check) {
        Ok(iter) => iter,
        Err(error) => return (rows, Err(error)),
    };
    iter.seek_to_first();
    while iter.valid() {
        rows.push((iter.key().to_vec(), value_text(iter.value())));
        iter.next();
    }
    (rows, iter.status())
}

fn read_backward(opened: &Opened, index: usize, check: &Check) -> (Vec<Row>, DbResult<()>) {
    let mut rows = Vec::new();
    let mut iter = match iterator(opened, index, check) {
        Ok(iter) => iter,
        Err(error) => return (rows, Err(error)),
    };
    iter.seek_to_last();
    while iter.valid() {
        rows.push((iter.key().to_vec(), value_text(iter.value())));
        iter.prev();
    }
    rows.reverse();
    (rows, iter.status())
}

/// Whether every column family holds exactly `rows`, whichever way it is read.
fn compare_all(
    opened: &Opened,
    rows: &[Vec<Row>],
    access: Access,
    check: &Check,
) -> Result<(), String> {
    for (index, rows) in rows.iter().enumerate() {
        let family = String::from_utf8_lossy(opened.families[index].name()).into_owned();
        let named = |what: &str, text: String| format!("{family}: {what}: {text}");
        if access.iterate {
            let (found, status) = read_forward(opened, index, check);
            status.map_err(|e| named("forward", e.to_string()))?;
            compare(&found, rows).map_err(|e| named("forward", e))?;
        }
        if access.iterate && access.reverse {
            let (found, status) = read_backward(opened, index, check);
            status.map_err(|e| named("backward", e.to_string()))?;
            compare(&found, rows).map_err(|e| named("backward", e))?;
        }
        if access.gets {
            compare_gets(opened, index, rows, check).map_err(|e| named("get", e))?;
        }
        if access.iterate && access.seeks {
            compare_seeks(opened, index, rows, check).map_err(|e| named("seek", e))?;
        }
    }
    Ok(())
}

fn compare(found: &[Row], rows: &[Row]) -> Result<(), String> {
    if let Some(at) = found.iter().zip(rows).position(|(a, b)| a != b) {
        let show = |(key, value): &Row| format!("{}={value}", to_hex(key));
        return Err(format!("row {at} is {}, not {}", show(&found[at]), show(&rows[at])));
    }
    if found.len() != rows.len() {
        return Err(format!("{} rows, not {}", found.len(), rows.len()));
    }
    Ok(())
}

/// Gets every key, and one beside each that is not there.
fn compare_gets(opened: &Opened, index: usize, rows: &[Row], check: &Check) -> Result<(), String> {
    let options = read_options(check);
    let get = |key: &[u8]| {
        let found = opened.db.get_pinned(&opened.families[index], &options, key);
        found.map_err(|e| format!("{}: {e}", to_hex(key)))
    };
    let keys: std::collections::HashSet<&[u8]> = rows.iter().map(|(key, _)| &key[..]).collect();
    for (key, value) in rows {
        let found = get(key)?.map(|found| value_text(found.as_slice()));
        if found.as_ref() != Some(value) {
            return Err(format!("{} is {found:?}, not {value}", to_hex(key)));
        }
        let absent = [&key[..], b"\0?"].concat();
        if !keys.contains(&absent[..]) && get(&absent)?.is_some() {
            return Err(format!("{} is there", to_hex(&absent)));
        }
    }
    Ok(())
}

/// Seeks some keys in both directions.
fn compare_seeks(opened: &Opened, index: usize, rows: &[Row], check: &Check) -> Result<(), String> {
    let mut iter = iterator(opened, index, check).map_err(|e| e.to_string())?;
    for (at, (key, _)) in rows.iter().enumerate().step_by(7) {
        iter.seek(key);
        if !iter.valid() || iter.key() != &key[..] {
            return Err(format!("seek misses {}", to_hex(key)));
        }
        iter.prev();
        let before = at.checked_sub(1).map(|at| &rows[at].0[..]);
        if iter.valid().then(|| iter.key()) != before {
            return Err(format!("prev from {} goes wrong", to_hex(key)));
        }
        iter.seek_for_prev(key);
        if !iter.valid() || iter.key() != &key[..] {
            return Err(format!("seek_for_prev misses {}", to_hex(key)));
        }
        iter.next();
        let behind = rows.get(at + 1).map(|(key, _)| &key[..]);
        if iter.valid().then(|| iter.key()) != behind {
            return Err(format!("next from {} goes wrong", to_hex(key)));
        }
    }
    iter.status().map_err(|e| e.to_string())
}

/// Reads until an error, which is returned; the rows before it must be `rows`, and reading from
/// the other end must fail, too.
fn read_until_error(opened: &Opened, rows: &[Vec<Row>], check: &Check) -> Result<Status, String> {
    for (index, rows) in rows.iter().enumerate() {
        let (found, status) = read_forward(opened, index, check);
        compare(&found, rows)?;
        let Err(error) = status else { continue };
        if read_backward(opened, index, check).1.is_ok() {
            return Err("reading backward meets no error".to_string());
        }
        return Ok(error);
    }
    Err("reading meets no error".to_string())
}

/// Whether an error has RocksDB's text.
fn same_error(expected: &str, error: &Status, path: &Path) -> Verdict {
    let found = error.to_string().replace(&*path.to_string_lossy(), "<DB>");
    if found == expected {
        return Ok(());
    }
    Err(format!("fails with: {found}; RocksDB says: {expected}"))
}

fn copy_dir(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_dir(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}
