//! What CMake installs is found by pkg-config and by CMake, and links both ways.

use std::path::{Path, PathBuf};
use std::process::Command;

use capi_tests::library::run;
use capi_tests::{paths, peers};

const PROGRAM: &str = r#"
#include <rocksdb/c.h>
#include <stdio.h>

int main(void) {
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(4096);
  printf("%zu\n", rocksdb_cache_get_capacity(cache));
  rocksdb_cache_destroy(cache);
  return 0;
}
"#;

const PROJECT: &str = r#"
cmake_minimum_required(VERSION 3.16)
project(program C)
find_package(Hematite 0.1 REQUIRED)
add_executable(shared program.c)
target_link_libraries(shared PRIVATE Hematite::hematite)
add_executable(static program.c)
target_link_libraries(static PRIVATE Hematite::hematite-static)
"#;

/// Builds with CMake in cargo's output folder, so that a second run has little to do, and installs
/// below `prefix`.
fn install(prefix: &Path) {
    let build = paths::target_dir().join("cmake");
    let prefix = format!("-DCMAKE_INSTALL_PREFIX={}", prefix.display());
    let source = paths::root().join("cmake");
    run(Command::new("cmake").arg("-S").arg(source).arg("-B").arg(&build).arg(prefix));
    run(Command::new("cmake").arg("--build").arg(&build));
    run(Command::new("cmake").arg("--install").arg(&build));
}

fn output(program: PathBuf, library_path: Option<&Path>) -> String {
    let mut command = Command::new(program);
    if let Some(path) = library_path {
        command.env("LD_LIBRARY_PATH", path);
    }
    run(&mut command)
}

/// A release build, so only where asked for by `HEMATITE_INSTALL`, or where nothing may be
/// skipped.
#[test]
fn programs_find_what_is_installed() {
    if std::env::var_os("HEMATITE_INSTALL").is_none() && !peers::required() {
        println!("skipped: set HEMATITE_INSTALL to run it");
        return;
    }
    if !peers::has_tool("cmake") || !peers::has_tool("pkg-config") {
        return peers::skip("cmake or pkg-config");
    }
    let dir = tempfile::tempdir().unwrap();
    let prefix = dir.path().join("prefix");
    install(&prefix);
    let source = dir.path().join("program.c");
    std::fs::write(&source, PROGRAM).unwrap();
    let lib = prefix.join("lib");
    let lib = if lib.join("pkgconfig").is_dir() { lib } else { find_lib(&prefix) };
    with_pkg_config(dir.path(), &source, &lib);
    with_cmake(dir.path(), &prefix);
}

/// The folder for libraries, which Debian names after the processor.
fn find_lib(prefix: &Path) -> PathBuf {
    let below = std::fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let mut dirs = below.map(|entry| entry.path()).chain([prefix.join("lib64")]);
    dirs.find(|dir| dir.join("pkgconfig").is_dir()).expect("hematite.pc is installed")
}

fn with_pkg_config(dir: &Path, source: &Path, lib: &Path) {
    for (name, flags) in
        [("shared", vec!["--cflags", "--libs"]), ("static", vec!["--cflags", "--libs", "--static"])]
    {
        let mut command = Command::new("pkg-config");
        let flags =
            run(command.args(flags).arg("hematite").env("PKG_CONFIG_PATH", lib.join("pkgconfig")));
        let program = dir.join(name);
        let mut compiler = capi_tests::compiler::compiler("c");
        compiler.arg(source).args(["-x", "none"]);
        if name == "static" {
            compiler.arg("-Wl,-Bstatic").arg(format!("-L{}", lib.display())).arg("-lhematite");
            compiler.arg("-Wl,-Bdynamic");
            compiler.args(flags.split_whitespace().filter(|flag| *flag != "-lhematite"));
        } else {
            compiler.args(flags.split_whitespace());
        }
        run(compiler.arg("-o").arg(&program));
        let path = (name == "shared").then_some(lib);
        assert_eq!(output(program, path), "4096\n", "{name}");
    }
}

fn with_cmake(dir: &Path, prefix: &Path) {
    let build = dir.join("build");
    std::fs::write(dir.join("CMakeLists.txt"), PROJECT).unwrap();
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    run(Command::new("cmake").arg("-S").arg(dir).arg("-B").arg(&build).arg(prefix));
    run(Command::new("cmake").arg("--build").arg(&build));
    assert_eq!(output(build.join("shared"), None), "4096\n");
    assert_eq!(output(build.join("static"), None), "4096\n");
}
