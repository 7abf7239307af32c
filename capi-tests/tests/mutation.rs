//! Takes the effect of one function at a time away, and expects a C program to notice.
//!
//! The programs load a library first that holds that one function, empty. What only gives memory
//! back is noticed by valgrind alone.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use capi_tests::compiler::{self, Linkage};
use capi_tests::declarations::Declarations;
use capi_tests::library::run;
use capi_tests::{paths, peers};

/// Functions whose absence no program can notice, with the reason.
const UNNOTICED: [(&str, &str); 11] = [
    ("rocksdb_table_properties_uncompressed_data_size", KEPT_BY_NO_FILE),
    ("rocksdb_table_properties_readable_properties_count", KEPT_BY_NO_FILE),
    ("rocksdb_table_properties_udi_is_primary_index", OTHER_TABLES),
    ("rocksdb_table_properties_fixed_key_len", OTHER_TABLES),
    ("rocksdb_table_properties_num_uniform_blocks", OTHER_TABLES),
    ("rocksdb_table_properties_slow_compression_estimated_data_size", OTHER_TABLES),
    ("rocksdb_table_properties_fast_compression_estimated_data_size", OTHER_TABLES),
    ("rocksdb_table_properties_external_sst_file_global_seqno_offset", OTHER_TABLES),
    ("rocksdb_table_properties_oldest_key_time", OTHER_TABLES),
    ("rocksdb_table_properties_newest_key_time", OTHER_TABLES),
    ("rocksdb_table_properties_separate_key_value_in_data_block", OTHER_TABLES),
];
const KEPT_BY_NO_FILE: &str = "tables that are read say 0";
const OTHER_TABLES: &str = "tables that can be written so far say 0";

/// A C program, compiled.
struct Program {
    binary: PathBuf,
    /// Its preprocessed source.
    text: String,
}

fn programs(dir: &Path) -> Vec<Program> {
    let files = std::fs::read_dir(paths::programs()).unwrap().flatten().map(|file| file.path());
    let sources = files.filter(|path| path.extension() == Some("c".as_ref()));
    let build = |source: PathBuf| {
        let mut command = compiler::compiler("c");
        command.arg("-E").arg("-P").arg("-I").arg(paths::include()).arg(&source);
        let text = run(&mut command);
        let text = text.split_once("in_folder(").map_or(String::new(), |(_, text)| text.into());
        Program { binary: compiler::build(&source, Linkage::Shared, &[], dir), text }
    };
    sources.map(build).collect()
}

/// A library with an empty function `name`.
fn empty(dir: &Path, name: &str) -> PathBuf {
    let (source, library) = (dir.join("empty.c"), dir.join("empty.so"));
    // What gives a floating-point number has to: it comes back in another register.
    let header = std::fs::read_to_string(paths::header()).unwrap();
    let kind = if header.contains(&format!("double {name}(")) { "double" } else { "long" };
    let text = format!("{kind} {name}(void);\n{kind} {name}(void) {{ return 0; }}\n");
    std::fs::write(&source, text).unwrap();
    run(compiler::compiler("c").arg("-shared").arg("-fPIC").arg(&source).arg("-o").arg(&library));
    library
}

/// How the program ends with the library loaded first; None if it hangs.
fn outcome(program: &Program, library: Option<&Path>, prefix: &[&str]) -> Option<ExitStatus> {
    let dir = tempfile::tempdir().unwrap();
    let mut command = match prefix.split_first() {
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest).arg(&program.binary);
            command
        }
        None => Command::new(&program.binary),
    };
    if let Some(library) = library {
        command.env("LD_PRELOAD", library);
    }
    command.arg(dir.path()).stdout(Stdio::null()).stderr(Stdio::null());
    wait(command.spawn().unwrap(), Duration::from_secs(120))
}

fn wait(mut child: Child, limit: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

fn is_noticed(programs: &[Program], dir: &Path, name: &str, prefix: &[&str]) -> bool {
    let library = empty(dir, name);
    let callers = programs.iter().filter(|program| program.text.contains(&format!("{name}(")));
    callers
        .map(|program| outcome(program, Some(&library), prefix))
        .any(|status| !status.is_some_and(|status| status.success()))
}

fn gives_back(name: &str) -> bool {
    const OTHERS: [&str; 3] =
        ["rocksdb_free", "rocksdb_release_snapshot", "rocksdb_backup_engine_close"];
    name.ends_with("_destroy") || OTHERS.contains(&name)
}

/// Takes a minute or two, so only where asked for by `HEMATITE_MUTATE`, or where nothing may be
/// skipped.
fn is_wanted() -> bool {
    let wanted = std::env::var_os("HEMATITE_MUTATE").is_some() || peers::required();
    if !wanted {
        println!("skipped: set HEMATITE_MUTATE to run it");
    }
    wanted
}

fn check(names: impl Iterator<Item = String>, prefix: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let programs = programs(dir.path());
    let healthy = |program: &Program| outcome(program, None, prefix).is_some_and(|s| s.success());
    assert!(programs.iter().all(healthy), "the programs fail without a mutation");
    let unnoticed: Vec<String> =
        names.filter(|name| !is_noticed(&programs, dir.path(), name, prefix)).collect();
    assert!(unnoticed.is_empty(), "no program notices that these do nothing: {unnoticed:?}");
}

fn functions() -> impl Iterator<Item = String> {
    let header = Declarations::read(&paths::header());
    let names = header.functions.into_iter().map(|(name, _)| name);
    names.filter(|name| !UNNOTICED.iter().any(|(known, _)| known == name))
}

#[test]
fn a_function_without_effect_is_noticed() {
    if is_wanted() {
        check(functions().filter(|name| !gives_back(name)), &[]);
    }
}

#[test]
fn a_function_that_gives_nothing_back_is_noticed() {
    if !is_wanted() {
        return;
    }
    if !peers::has_tool("valgrind") {
        return peers::skip("valgrind");
    }
    let valgrind = [
        "valgrind",
        "--quiet",
        "--error-exitcode=99",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect",
    ];
    check(functions().filter(|name| gives_back(name)), &valgrind);
}
