//! Tools and libraries of others that a test needs: CI must have them, elsewhere a test without
//! them says so and passes.

use std::path::PathBuf;
use std::process::Command;

/// Whether tests must fail rather than be skipped when something they need is missing.
pub fn required() -> bool {
    std::env::var_os("HEMATITE_REQUIRE_PEERS")
        .is_some_and(|value| value != "0" && !value.is_empty())
}

/// Says that a test is skipped for want of `what`. Panics where nothing may be missing.
pub fn skip(what: &str) {
    assert!(!required(), "HEMATITE_REQUIRE_PEERS is set, but {what} is missing");
    println!("skipped: {what} is missing");
}

/// Whether the tool `name` answers to `--version`.
pub fn has_tool(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The header of RocksDB 11.8: `$HEMATITE_REFERENCE_HEADER`, or that of the crate
/// `librocksdb-sys` in cargo's registry folder.
pub fn reference_header() -> Option<PathBuf> {
    std::env::var_os("HEMATITE_REFERENCE_HEADER").map(PathBuf::from).or_else(registry_header)
}

/// The header of the RocksDB that the system has installed, e.g. Debian's 7.8.
pub fn system_header() -> Option<PathBuf> {
    let path = PathBuf::from("/usr/include/rocksdb/c.h");
    path.is_file().then_some(path)
}

fn registry_header() -> Option<PathBuf> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cargo"),
    };
    let mut found: Vec<PathBuf> = Vec::new();
    for index in std::fs::read_dir(home.join("registry/src")).ok()?.flatten() {
        for package in std::fs::read_dir(index.path()).ok()?.flatten() {
            let header = package.path().join("rocksdb/include/rocksdb/c.h");
            let name = package.file_name();
            if name.to_string_lossy().starts_with("librocksdb-sys-") && header.is_file() {
                found.push(header);
            }
        }
    }
    found.sort();
    found.pop()
}
