//! The committed header is the one that the sources make, and stands on its own.

use std::ffi::OsStr;
use std::path::Path;

use capi_tests::{compiler, header, paths, peers};

#[test]
fn the_committed_header_is_up_to_date() {
    let made = match header::generate(Path::new(env!("CARGO_BIN_EXE_header"))) {
        Ok(made) => made,
        Err(error) => return peers::skip(&format!("expanding the crate ({error})")),
    };
    let committed = std::fs::read_to_string(paths::header()).expect("the header is committed");
    if let Some((line, (made, committed))) =
        made.lines().zip(committed.lines()).enumerate().find(|(_, (a, b))| a != b)
    {
        panic!(
            "include/rocksdb/c.h is stale at line {}:\n- {committed}\n+ {made}\n\
             run `cargo run -p capi-tests --bin header`",
            line + 1
        );
    }
    assert_eq!(made.len(), committed.len(), "include/rocksdb/c.h is stale: one text ends early");
}

#[test]
fn the_header_compiles_alone_as_c_and_as_cpp() {
    for language in ["c", "c++"] {
        let pedantic = [OsStr::new("-pedantic"), OsStr::new("-Wstrict-prototypes")];
        let pedantic = if language == "c" { &pedantic[..] } else { &pedantic[..1] };
        let dir = tempfile::tempdir().expect("a folder can be made");
        let source = dir.path().join("alone");
        std::fs::write(&source, "#include <rocksdb/c.h>\n#include <rocksdb/c.h>\n").unwrap();
        let output = compiler::check(language, &source, pedantic);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.is_empty(), "{language}:\n{text}");
    }
}

#[test]
fn every_function_and_type_has_documentation() {
    let header = std::fs::read_to_string(paths::header()).unwrap();
    let mut previous = "";
    for line in header.lines() {
        let is_declared = line.starts_with("extern ROCKSDB") || line.starts_with("typedef");
        assert!(!is_declared || previous.starts_with("//"), "no documentation: {line}");
        previous = line;
    }
}
