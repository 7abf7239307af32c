//! `db_bench`: measures a key-value library through its C interface.
//!
//! It knows nothing of the engine: every call goes through functions of `rocksdb/c.h` (or
//! LevelDB's `c.h`) that are looked up in a shared library at run time, so that any library with
//! that interface can be measured by the same code. Without `--library`, that is the
//! `libhematite.so` beside the program.
//!
//! Workload names, flags and the output form are those of RocksDB's `db_bench`.

mod api;
mod flags;
mod keys;
mod report;
mod workload;

use api::Api;
use flags::Flags;
use std::process::ExitCode;

fn main() -> ExitCode {
    let flags = match Flags::parse(std::env::args().skip(1)) {
        Ok(Some(flags)) => flags,
        Ok(None) => {
            print!("{}", flags::HELP);
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("db_bench: {message}\nSee db_bench --help");
            return ExitCode::from(2);
        }
    };
    match run(&flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("db_bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Flags) -> Result<(), String> {
    let api = Api::load(&flags.library)?;
    report::header(flags, &api);
    workload::run_all(flags, &api)
}
