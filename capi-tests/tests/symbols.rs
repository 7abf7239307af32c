//! What the libraries show to the linker: the functions of the header and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use capi_tests::compiler::{self, Linkage};
use capi_tests::declarations::Declarations;
use capi_tests::library::{SONAME, library, run};
use capi_tests::paths;

/// The names that `nm` prints with `flags` for a file.
fn symbols(file: &Path, flags: &[&str]) -> BTreeSet<String> {
    let output = run(Command::new("nm").args(flags).arg(file));
    output.lines().filter_map(|line| line.split_whitespace().nth(2)).map(String::from).collect()
}

fn declared() -> BTreeSet<String> {
    let header = Declarations::read(&paths::header());
    header.functions.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn the_shared_library_exports_the_header_and_nothing_else() {
    assert_eq!(symbols(&library().shared(), &["-D", "--defined-only"]), declared());
}

#[test]
fn the_static_library_exports_the_header_and_nothing_else() {
    let flags = ["--defined-only", "--extern-only"];
    assert_eq!(symbols(&library().localized, &flags), declared());
    let raw = symbols(&library().raw, &flags);
    assert!(raw.len() > declared().len(), "without the script other symbols are global too");
}

#[test]
fn the_shared_library_has_a_soname() {
    let output = run(Command::new("objdump").arg("-p").arg(library().shared()));
    let soname = output.lines().find_map(|line| line.trim().strip_prefix("SONAME"));
    assert_eq!(soname.map(str::trim), Some(SONAME));
}

/// A program with functions of its own that are named like those of a library in Hematite.
const NAMESAKES: &str = r#"
#include <rocksdb/c.h>
#include <stdio.h>

int ZSTD_isError(size_t code);
int ZSTD_isError(size_t code) { (void)code; return 77; }
size_t ZSTD_compress(void* a, size_t b, const void* c, size_t d, int e);
size_t ZSTD_compress(void* a, size_t b, const void* c, size_t d, int e) {
  (void)a; (void)b; (void)c; (void)d; (void)e; return 78;
}
void rust_eh_personality(void);
void rust_eh_personality(void) { puts("not this one"); }

int main(void) {
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(1234567);
  size_t capacity = rocksdb_cache_get_capacity(cache);
  rocksdb_cache_destroy(cache);
  printf("%zu %d\n", capacity, ZSTD_isError(0));
  return 0;
}
"#;

fn build_namesakes(dir: &Path, name: &str, extra: &[&str]) -> std::path::PathBuf {
    let source = dir.join(format!("{name}.c"));
    std::fs::write(&source, NAMESAKES).unwrap();
    compiler::build(&source, Linkage::Static, extra, dir)
}

#[test]
fn the_static_library_links_beside_functions_of_the_same_names() {
    let dir = tempfile::tempdir().unwrap();
    let program = build_namesakes(dir.path(), "namesakes", &[]);
    assert_eq!(run(&mut Command::new(program)), "1234567 77\n");
}

#[test]
fn the_linker_can_leave_out_what_a_program_does_not_use() {
    let dir = tempfile::tempdir().unwrap();
    let whole = build_namesakes(dir.path(), "whole", &["-s", "-Wl,--no-gc-sections"]);
    let program = build_namesakes(dir.path(), "collected", &["-s", "-Wl,--gc-sections"]);
    assert_eq!(run(&mut Command::new(&program)), "1234567 77\n");
    let size = |path: &Path| std::fs::metadata(path).unwrap().len();
    println!("{} bytes of {}", size(&program), size(&whole));
    assert!(size(&program) < size(&whole) * 9 / 10);
}
