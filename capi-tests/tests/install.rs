//! What CMake installs is found by pkg-config and by CMake, under Hematite's and under RocksDB's
//! names, and links both ways, from C and from C++.

use std::path::{Path, PathBuf};
use std::process::Command;

use capi_tests::library::run;
use capi_tests::{paths, peers};

const PROGRAM: &str = r#"
#include <rocksdb/c.h>
#ifdef NEEDS_VERSION
#include <rocksdb/version.h>
#if !ROCKSDB_VERSION_GE(11, 8, 0) || ROCKSDB_MAJOR > 11
#error "the version"
#endif
#endif
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
project(program C CXX)
find_package(Hematite 0.1 REQUIRED)
find_package(RocksDB 11.8 REQUIRED)
foreach(language c cpp)
  add_executable(shared_${language} program.${language})
  target_link_libraries(shared_${language} PRIVATE Hematite::hematite)
  add_executable(static_${language} program.${language})
  target_link_libraries(static_${language} PRIVATE Hematite::hematite-static)
  add_executable(rocksdb_shared_${language} program.${language})
  target_link_libraries(rocksdb_shared_${language} PRIVATE RocksDB::rocksdb-shared)
  add_executable(rocksdb_static_${language} program.${language})
  target_link_libraries(rocksdb_static_${language} PRIVATE RocksDB::rocksdb)
  target_compile_definitions(rocksdb_static_${language} PRIVATE NEEDS_VERSION)
endforeach()
"#;

/// Builds with CMake in cargo's output folder, so that a second run has little to do, and installs
/// below `prefix`.
fn install(prefix: &Path) {
    let build = paths::target_dir().join("cmake");
    let prefix = format!("-DCMAKE_INSTALL_PREFIX={}", prefix.display());
    let source = paths::root().join("cmake");
    let mut command = Command::new("cmake");
    command.arg("-S").arg(source).arg("-B").arg(&build).arg(prefix).arg("-DHEMATITE_COMPAT=ON");
    run(&mut command);
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
    for language in ["c", "cpp"] {
        std::fs::write(dir.path().join(format!("program.{language}")), PROGRAM).unwrap();
    }
    let lib = prefix.join("lib");
    let lib = if lib.join("pkgconfig").is_dir() { lib } else { find_lib(&prefix) };
    check_names(&lib);
    for (package, library) in [("hematite", "libhematite.so.0"), ("rocksdb", "librocksdb.so.11")] {
        for (language, extension) in [("c", "c"), ("c++", "cpp")] {
            let source = dir.path().join(format!("program.{extension}"));
            with_pkg_config(&source, language, &lib, package, library);
        }
    }
    with_cmake(dir.path(), &prefix);
}

/// The folder for libraries, which Debian names after the processor.
fn find_lib(prefix: &Path) -> PathBuf {
    let below = std::fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let mut dirs = below.map(|entry| entry.path()).chain([prefix.join("lib64")]);
    dirs.find(|dir| dir.join("pkgconfig").is_dir()).expect("hematite.pc is installed")
}

/// The libraries have their SONAMEs, and export the same functions and nothing else.
fn check_names(lib: &Path) {
    let dynamic = |name: &str| run(Command::new("objdump").arg("-p").arg(lib.join(name)));
    for (name, soname) in [
        ("libhematite.so", "libhematite.so.0"),
        ("librocksdb.so", "librocksdb.so.11"),
        ("librocksdb.so.7.8", "librocksdb.so.11"),
    ] {
        let text = dynamic(name);
        let found = text.lines().find_map(|line| line.trim().strip_prefix("SONAME"));
        assert_eq!(found.map(str::trim), Some(soname), "{name}");
    }
    let exports = |name: &str| {
        let mut command = Command::new("nm");
        command.args(["-D", "--defined-only", "--format=posix"]).arg(lib.join(name));
        let text = run(&mut command);
        let mut names: Vec<String> =
            text.lines().map(|line| line.split(' ').next().unwrap().to_string()).collect();
        names.sort();
        names
    };
    let functions = exports("libhematite.so");
    assert!(functions.len() > 200 && functions.iter().all(|name| name.starts_with("rocksdb_")));
    assert_eq!(functions, exports("librocksdb.so"));
}

fn with_pkg_config(source: &Path, language: &str, lib: &Path, package: &str, library: &str) {
    for (kind, flags) in
        [("shared", vec!["--cflags", "--libs"]), ("static", vec!["--cflags", "--libs", "--static"])]
    {
        let mut command = Command::new("pkg-config");
        let flags =
            run(command.args(flags).arg(package).env("PKG_CONFIG_PATH", lib.join("pkgconfig")));
        let program = source.with_extension(format!("{package}-{kind}"));
        let mut compiler = capi_tests::compiler::compiler(language);
        compiler.arg(source).args(["-x", "none"]);
        let name = format!("-l{package}");
        if kind == "static" {
            compiler.arg("-Wl,-Bstatic").arg(format!("-L{}", lib.display())).arg(&name);
            compiler.arg("-Wl,-Bdynamic");
            compiler.args(flags.split_whitespace().filter(|flag| *flag != name));
        } else {
            compiler.args(flags.split_whitespace());
        }
        run(compiler.arg("-o").arg(&program));
        let needed = run(Command::new("objdump").arg("-p").arg(&program));
        assert_eq!(needed.contains(library), kind == "shared", "{program:?}:\n{needed}");
        let path = (kind == "shared").then_some(lib);
        assert_eq!(output(program, path), "4096\n", "{package} {kind} {language}");
    }
}

fn with_cmake(dir: &Path, prefix: &Path) {
    let build = dir.join("build");
    std::fs::write(dir.join("CMakeLists.txt"), PROJECT).unwrap();
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    run(Command::new("cmake").arg("-S").arg(dir).arg("-B").arg(&build).arg(prefix));
    run(Command::new("cmake").arg("--build").arg(&build));
    for name in ["shared", "static", "rocksdb_shared", "rocksdb_static"] {
        for language in ["c", "cpp"] {
            let program = build.join(format!("{name}_{language}"));
            assert_eq!(output(program, None), "4096\n", "{name} {language}");
        }
    }
}
