//! `db_bench`: measures a key-value library through its C interface.
//!
//! It knows nothing of the engine: every call goes through functions of `rocksdb/c.h` (or
//! LevelDB's `c.h`) that are looked up in a shared library at run time, so that any library with
//! that interface can be measured by the same code. Without `--library`, that is the
//! `libhematite.so` beside the program.
//!
//! Workload names, flags and the output form are those of RocksDB's `db_bench`. With `--compare`
//! or `--suite` it starts itself for each library in turns, and prints a table of the ratios.

mod average;
mod compare;
mod csv;
mod engine;
mod failure;
mod flags;
mod item;
mod keys;
mod latency;
mod limit;
mod progress;
mod report;
mod resources;
mod session;
mod tally;
mod worker;
mod workload;

use flags::Flags;
use std::process::ExitCode;

fn main() -> ExitCode {
    let flags = match Flags::parse(std::env::args().skip(1)) {
        Ok(Some(flags)) => flags,
        Ok(None) => {
            print!("{}", flags::help(&workload::help()));
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("db_bench: {message}\nSee db_bench --help");
            return ExitCode::from(2);
        }
    };
    let compares = !flags.compare.is_empty() || !flags.suite.is_empty();
    let run = if compares { compare::run } else { session::run };
    match run(&flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("db_bench: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
