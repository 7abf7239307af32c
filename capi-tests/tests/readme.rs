//! The program in README.md works.

use std::process::Command;

use capi_tests::compiler::{self, Linkage};
use capi_tests::{library, paths};

#[test]
fn the_example_compiles_and_prints_its_value() {
    let readme = std::fs::read_to_string(paths::root().join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```c\n").expect("README.md has a C program");
    let (program, _) = rest.split_once("```").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("db");
    let text = program.replace("/tmp/hematite-example", &folder.display().to_string());
    assert_ne!(text, program, "the example names its folder");
    let source = dir.path().join("example.c");
    std::fs::write(&source, text).unwrap();
    let program = compiler::build(&source, Linkage::Shared, &[], dir.path());
    assert_eq!(library::run(&mut Command::new(program)), "rock\n");
}
