//! Compiles and runs each C program of `c/` against the shared and against the static library,
//! and under valgrind.

use std::path::Path;
use std::process::Command;

use capi_tests::compiler::{self, Linkage};
use capi_tests::declarations::Declarations;
use capi_tests::{library, paths, peers};

macro_rules! programs {
    ($($name:ident),+ $(,)?) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),+];
        $(mod $name {
            use super::*;

            #[test]
            fn shared() {
                run(stringify!($name), Linkage::Shared, &[]);
            }

            #[test]
            fn linked_statically() {
                run(stringify!($name), Linkage::Static, &[]);
            }

            #[test]
            fn valgrind() {
                under_valgrind(stringify!($name));
            }
        })+
    };
}

programs! {
    atomic_flush,
    backup_engine,
    backup_options,
    block_based_options,
    cache,
    checkpoint,
    column_family,
    compact,
    compact_on_deletion,
    compact_options,
    compaction_filter,
    compaction_styles,
    comparator,
    db,
    env,
    file_deletions,
    filter_policy,
    flush,
    flush_options,
    hostile,
    iterator,
    livefiles,
    logger,
    memory,
    memory_guard,
    merge_operator,
    metadata,
    metadata_cache,
    options,
    options_file,
    perf_context,
    property,
    range_delete,
    read,
    read_options,
    set_options,
    slice_transform,
    snapshot,
    statistics,
    storage_info,
    table_filter,
    table_layout,
    verify,
    wal_files,
    wal_iter,
    write,
    write_batch,
    write_buffer_manager,
    write_options,
}

/// Runs the program, behind `prefix`, with a fresh folder as its argument.
fn run(name: &str, linkage: Linkage, prefix: &[&str]) {
    let source = paths::programs().join(format!("{name}.c"));
    let (bin, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let program = compiler::build(&source, linkage, &[], bin.path());
    let mut command = match prefix.split_first() {
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
        None => Command::new(program),
    };
    let output = command.arg(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{text}", output.status);
}

/// Slow, so only where asked for by `HEMATITE_VALGRIND`, or where nothing may be skipped.
fn under_valgrind(name: &str) {
    if std::env::var_os("HEMATITE_VALGRIND").is_none() && !peers::required() {
        println!("skipped: set HEMATITE_VALGRIND to run it");
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
        // Threads of a pool are not waited for when the process ends: what they hold is only
        // "possibly lost".
        "--errors-for-leak-kinds=definite,indirect",
        "--show-leak-kinds=definite,indirect",
    ];
    run(name, Linkage::Shared, &valgrind);
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_program_is_listed() {
    let files = std::fs::read_dir(paths::programs()).unwrap().flatten();
    let sources =
        files.map(|file| file.path()).filter(|path| path.extension() == Some("c".as_ref()));
    let mut names: Vec<String> = sources.map(|path| stem(&path)).collect();
    names.sort();
    assert_eq!(names, PROGRAMS);
}

#[test]
fn every_function_is_called_by_a_program() {
    // Preprocessed, as macros call functions too.
    let mut calls = String::new();
    for name in PROGRAMS {
        let mut command = compiler::compiler("c");
        command.arg("-E").arg("-P").arg("-I").arg(paths::include());
        let text = library::run(command.arg(paths::programs().join(format!("{name}.c"))));
        // Behind the declarations.
        calls += text.split_once("in_folder(").map_or("", |(_, program)| program);
    }
    let header = Declarations::read(&paths::header());
    let uncalled: Vec<&str> = header
        .function_names()
        .into_iter()
        .filter(|name| !calls.contains(&format!("{name}(")))
        .collect();
    assert!(uncalled.is_empty(), "no program calls {uncalled:?}");
}
