//! `cargo run -p capi-tests --bin header`: writes `include/rocksdb/c.h` anew.

use std::ffi::OsString;
use std::process::ExitCode;

use capi_tests::{header, paths};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(code) = header::wrapper(&arguments) {
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("header: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write() -> Result<(), String> {
    let tool = std::env::current_exe().map_err(|error| error.to_string())?;
    let text = header::generate(&tool)?;
    let path = paths::header();
    std::fs::create_dir_all(paths::include().join("rocksdb")).map_err(|error| error.to_string())?;
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}
