//! Our header against RocksDB's own: the compiler compares every prototype and constant.
//!
//! `implemented.txt` lists what is there. It only grows: a function that disappears fails the
//! test, and so does one that is not listed. `HEMATITE_BLESS=1` writes it anew.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use capi_tests::declarations::Declarations;
use capi_tests::library::run;
use capi_tests::{compiler, paths, peers};

/// Functions that RocksDB 7.8 had and 11.8 has not: its header cannot confirm them.
const ONLY_IN_7_8: [&str; 1] = ["rocksdb_readoptions_set_managed"];

/// What RocksDB 11.9 added, as its header declares it: that of 11.8 cannot confirm these.
const SINCE_11_9: &str = "
extern rocksdb_pinnable_multi_get_t* rocksdb_batched_multi_get_pinned_cf(
    rocksdb_t* db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, size_t num_keys,
    const rocksdb_slice_t* keys, unsigned char sorted_input);
extern size_t rocksdb_pinnable_multi_get_count(const rocksdb_pinnable_multi_get_t* multi_get);
extern int rocksdb_pinnable_multi_get_result(
    const rocksdb_pinnable_multi_get_t* multi_get, size_t index, const char** value,
    size_t* value_size, const char** error, size_t* error_size);
extern void rocksdb_pinnable_multi_get_destroy(rocksdb_pinnable_multi_get_t* multi_get);
";

/// The constants that RocksDB 11.9 added, and their values.
const CONSTANTS_SINCE_11_9: [(&str, i64); 4] = [
    ("rocksdb_pinnable_multi_get_not_found", 0),
    ("rocksdb_pinnable_multi_get_found", 1),
    ("rocksdb_pinnable_multi_get_error", 2),
    ("rocksdb_pinnable_multi_get_out_of_bounds", 3),
];

/// Functions whose prototypes RocksDB has changed since 7.8.
const CHANGED_SINCE_7_8: [&str; 7] = [
    "rocksdb_enable_file_deletions",
    "rocksdb_options_set_plain_table_factory",
    "rocksdb_slicetransform_create",
    "rocksdb_cache_create_lru_opts",
    "rocksdb_cache_get_capacity",
    "rocksdb_cache_get_usage",
    "rocksdb_cache_get_pinned_usage",
];

fn reference() -> Option<Declarations> {
    let path = peers::reference_header();
    if path.is_none() {
        peers::skip(REFERENCE);
    }
    path.map(|path| Declarations::read(&path))
}

const REFERENCE: &str = "the header of RocksDB 11.8 (HEMATITE_REFERENCE_HEADER, or `cargo fetch` \
    with librocksdb-sys 0.19.0+11.8.1)";

/// A C file with our header, then the reference's declarations of the same names.
fn both(ours: &Declarations, reference: &Declarations) -> String {
    let mut text = "#include <rocksdb/c.h>\n".to_string();
    let own = |name: &String| ours.structs.iter().any(|(known, _)| known == name);
    for declaration in &reference.types {
        writeln!(text, "{declaration};").unwrap();
    }
    for (_, declaration) in reference.structs.iter().filter(|(name, _)| !own(name)) {
        writeln!(text, "{declaration};").unwrap();
    }
    for (name, declaration) in &reference.functions {
        if ours.has_function(name) {
            writeln!(text, "{declaration};").unwrap();
        }
    }
    text
}

/// The compiler's errors about `text`.
fn errors(text: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("both.c");
    std::fs::write(&source, text).unwrap();
    let output = compiler::check("c", &source, &["-fmax-errors=0".as_ref()]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().filter(|line| line.contains("error:")).map(ToString::to_string).collect()
}

#[test]
fn prototypes_are_those_of_the_reference() {
    let Some(reference) = reference() else { return };
    let ours = Declarations::read(&paths::header());
    assert!(ours.functions.len() > 10, "our header could not be read");
    let errors = errors(&both(&ours, &reference));
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn prototypes_are_those_of_7_8_where_they_have_not_changed() {
    let Some(path) = peers::system_header() else { return peers::skip("/usr/include/rocksdb/c.h") };
    let ours = Declarations::read(&paths::header());
    let mut old = Declarations::read(&path);
    old.functions.retain(|(name, _)| !CHANGED_SINCE_7_8.contains(&name.as_str()));
    let errors = errors(&both(&ours, &old));
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn prototypes_are_those_of_11_9_where_11_8_has_none() {
    let ours = Declarations::read(&paths::header());
    let newer = Declarations::parse(SINCE_11_9);
    assert!(newer.function_names().into_iter().all(|name| ours.has_function(name)));
    let errors = errors(&both(&ours, &newer));
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn a_wrong_prototype_would_be_noticed() {
    let ours = Declarations::read(&paths::header());
    let wrong = Declarations::parse("extern void rocksdb_free(const void* ptr);");
    let errors = errors(&both(&ours, &wrong));
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("conflicting types for"), "{errors:?}");
}

#[test]
fn every_function_is_one_of_the_reference() {
    let Some(reference) = reference() else { return };
    let ours = Declarations::read(&paths::header());
    let newer = Declarations::parse(SINCE_11_9);
    let unknown: Vec<&str> = ours
        .function_names()
        .into_iter()
        .filter(|name| !reference.has_function(name) && !newer.has_function(name))
        .filter(|name| !ONLY_IN_7_8.contains(name))
        .collect();
    assert!(unknown.is_empty(), "not in the reference: {unknown:?}");
}

#[test]
fn constants_have_the_values_of_the_reference() {
    let Some(path) = peers::reference_header() else {
        return peers::skip(REFERENCE);
    };
    let ours = Declarations::read(&paths::header()).constants;
    let theirs = Declarations::read(&path).constants;
    let common: Vec<&String> = ours.iter().filter(|name| theirs.contains(name)).collect();
    let newer = CONSTANTS_SINCE_11_9.map(|(name, value)| (name.to_string(), value.to_string()));
    assert!(newer.iter().all(|(name, _)| ours.contains(name) && !theirs.contains(name)));
    assert_eq!(
        common.len() + newer.len(),
        ours.len(),
        "constants that the reference does not have"
    );
    let mut checks = "#include <rocksdb/c.h>\n".to_string();
    for (name, value) in values(&path, &common).into_iter().chain(newer) {
        writeln!(checks, "_Static_assert({name} == {value}, \"{name}\");").unwrap();
    }
    let errors = errors(&checks);
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// The values of `names` in the header at `path`.
fn values(path: &Path, names: &[&String]) -> Vec<(String, String)> {
    let dir = tempfile::tempdir().unwrap();
    let (source, program) = (dir.path().join("values.c"), dir.path().join("values"));
    let mut text =
        format!("#include \"{}\"\n#include <stdio.h>\nint main(void) {{\n", path.display());
    for name in names {
        writeln!(text, "printf(\"{name} %lld\\n\", (long long){name});").unwrap();
    }
    std::fs::write(&source, text + "return 0; }\n").unwrap();
    run(compiler::compiler("c").arg("-w").arg(&source).arg("-o").arg(&program));
    let output = run(&mut Command::new(&program));
    let pairs = output.lines().filter_map(|line| line.split_once(' '));
    pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

#[test]
fn implemented_functions_are_listed_and_only_grow() {
    let list = paths::root().join("capi-tests/implemented.txt");
    let ours = Declarations::read(&paths::header());
    let names = ours.function_names();
    if std::env::var_os("HEMATITE_BLESS").is_some() {
        std::fs::write(&list, names.join("\n") + "\n").unwrap();
    }
    let listed = std::fs::read_to_string(&list).unwrap_or_default();
    let listed: Vec<&str> = listed.lines().collect();
    let gone: Vec<_> = listed.iter().filter(|name| !names.contains(name)).collect();
    let new: Vec<_> = names.iter().filter(|name| !listed.contains(name)).collect();
    assert!(gone.is_empty(), "functions disappeared: {gone:?}");
    assert!(new.is_empty(), "not in implemented.txt (HEMATITE_BLESS=1 adds them): {new:?}");
    if let Some(reference) = reference() {
        report(&ours, &reference);
    }
}

/// Prints each function of the reference as implemented or missing; `--nocapture` shows it.
fn report(ours: &Declarations, reference: &Declarations) {
    let names = reference.function_names();
    for name in &names {
        println!("{} {name}", if ours.has_function(name) { "implemented" } else { "missing" });
    }
    println!("{} of {} functions implemented", ours.functions.len(), names.len());
}
